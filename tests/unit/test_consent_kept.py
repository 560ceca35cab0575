"""The node keeps to the device's consents: what comes of a source without consent is neither kept nor used, is counted, and is what the user hears as the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.cloud.config import LanguageModel
from ridealong.cloud.consent import Consents
from ridealong.cloud.frontends.base import FrameIn
from ridealong.cloud.telemetry.metrics import Metrics
from ridealong.cloud.telemetry.names import Names
from ridealong.cloud.watching.sight import Line, Sight
from ridealong.harness.agent.prompt import Known, opening
from ridealong.harness.observing import NotConsented
from ridealong.harness.skill import Provenance
from ridealong.harness.snapshot import Evidence
from ridealong.proto import types as t
from ridealong.proto.limits import fault
from ridealong.simulators.virtual_time import InlineExecutor, run_virtual
from tests.unit.fake_model import fake_model
from tests.unit.test_node import converse
from tests.unit.test_watching import KEPT, Board, Ride

pytestmark = pytest.mark.unit

SOUND = b"\1\2" * 160
PICTURE = b"\xff\xd8\xffpicture"


def part(unit: int, pcm16: bytes = SOUND) -> t.UnitPart:
    return t.UnitPart(t.UnitIndex(unit), 0, True, t.Samples(200 * unit), 200, pcm16, speech_hint=True, gap_samples=40)


def fragment(number: int) -> t.FrameFragment:
    return t.FrameFragment(t.FrameId(number), 0, 1, PICTURE, t.UnitIndex(0), t.Samples(number), 8, 8, KEPT)


BODIES = st.one_of(
    st.integers(0, 9).map(part),
    st.integers(0, 9).map(fragment),
    st.builds(t.Consent, st.just(t.Samples(1)), st.sampled_from([t.MICROPHONE, t.CAMERA, "memory"]), st.booleans()),
    st.just(t.TextInput(t.Samples(1), "hello")),
)


@given(st.lists(BODIES, max_size=30))
def test_nothing_of_a_withheld_source_gets_through_and_everything_else_does(bodies: list[t.UplinkBody]) -> None:
    told: list[str] = []
    consents, granted = Consents(told.append), {t.MICROPHONE: True, t.CAMERA: True}
    for body in bodies:
        if isinstance(body, t.Consent):
            granted[body.scope] = body.granted
        got = consents.admitted(body)
        if isinstance(body, t.UnitPart) and not granted[t.MICROPHONE]:
            assert (
                isinstance(got, t.UnitPart)
                and not got.pcm16
                and not got.speech_hint
                and got.microphone is t.MicrophoneState.MUTED
            )
            assert (got.unit, got.start, got.samples, got.last) == (body.unit, body.start, body.samples, body.last)
            assert fault(got) is None, "still a part as any"
        elif isinstance(body, t.FrameFragment) and not granted[t.CAMERA]:
            assert isinstance(got, t.FrameTombstone) and got.frame == body.frame
        else:
            assert got is body
            continue
        assert told[-1] == (t.MICROPHONE if isinstance(body, t.UnitPart) else t.CAMERA)
    assert sum(consents.refused.values()) == len(told)


def test_evidence_forgets_a_source_and_says_why_there_is_nothing_of_it() -> None:
    evidence, now = Evidence(), t.Samples(32_000)
    evidence.observe_audio(t.Samples(16_000), SOUND)
    evidence.observe_frame(t.FrameId(1), t.Samples(17_000), PICTURE)
    evidence.observe_line("assistant", "read this", t.Samples(16_000), t.Samples(17_000))
    before = evidence.snapshot("s", now)
    evidence.observe_consent(t.CAMERA, False)
    blind = evidence.snapshot("s", now)
    assert blind.frames == () and blind.withheld == (t.CAMERA,) and blind.audio and blind.transcript
    evidence.observe_consent(t.MICROPHONE, False)
    neither = evidence.snapshot("s", now)
    assert (neither.audio, neither.transcript, neither.withheld) == ((), (), (t.CAMERA, t.MICROPHONE))
    for granted in (t.CAMERA, t.MICROPHONE):
        evidence.observe_consent(granted, True)
    evidence.observe_frame(t.FrameId(2), t.Samples(18_000), PICTURE)
    after = evidence.snapshot("s", now)
    assert [frame.frame for frame in after.frames] == [2] and after.withheld == ()
    assert len({one.id for one in (before, blind, neither, after)}) == 4
    assert before.frames and before.audio and before.id == f"s-{before.address()}" and blind.id == f"s-{blind.address()}"


@pytest.mark.parametrize(
    ("locale", "question", "answer"),
    [
        ("en", "what does that sign say", "I can't look: nobody has allowed me to use the camera."),
        ("zh", "这块牌子写的是什么", "我看不了：还没有允许我使用摄像头。"),
    ],
)
def test_a_question_about_what_is_seen_is_answered_with_why(tmp_path: Path, locale: str, question: str, answer: str) -> None:
    pictures = [PICTURE] * 12  # the device sends them all the same
    script = f"- {{unit: 6, delegate: {question}, locale: {locale}}}"
    with fake_model() as model:
        settings = LanguageModel(model.url, "m", "", images=True, tools=False)
        no = t.Consent(t.Samples(48_000), t.CAMERA, False)
        ear, _ = converse(tmp_path, script, 12, model=settings, pictures=pictures, also=[(3, no)])
    assert ear.said() == answer and model.asked == []


def test_a_sign_is_not_watched_for_and_a_bang_not_heard_without_consent(tmp_path: Path) -> None:
    def tells(scope: str, granted: bool) -> object:
        return lambda ride: ride.link.send(t.Consent(ride.now(), scope, granted))

    sign = "tell me when you see a sign that says Exit 12"
    plan = {
        1: lambda ride: ride.picture("EXIT 9"), 2: tells(t.CAMERA, False), 3: sign, 8: tells(t.CAMERA, True), 9: lambda ride: ride.picture("EXIT 9"),
        10: sign, 15: tells(t.CAMERA, False), 16: lambda ride: ride.picture("EXIT 12"), 18: "tell me when you hear a loud bang",
        23: tells(t.MICROPHONE, False), 25: lambda ride: ride.bang(),
    }  # fmt: skip
    ride = Ride(tmp_path, plan, 34)  # type: ignore[arg-type]
    assert ride.said() == [
        "I can't read signs: nobody has allowed me to use the camera.",
        "Okay, I'll tell you when I can read Exit 12 somewhere.",
        "Okay, I'll tell you when I hear a loud bang.",
    ]
    assert ride.actor.consents.refused[t.CAMERA] == 1 and ride.actor.consents.refused[t.MICROPHONE] == 5 * (34 - 23)
    now = ride.actor.evidence.snapshot("s", ride.actor.now())
    assert now.withheld == (t.CAMERA, t.MICROPHONE) and not now.frames and not now.audio


def test_what_is_being_read_when_consent_ends_is_not_used() -> None:
    async def look() -> list[str]:
        seen: list[str] = []

        def keep(capture: t.Samples, lines: Sequence[Line]) -> None:
            seen.extend(line.text for line in lines)

        sight = Sight(Board(), InlineExecutor(), keep)
        for number, forgets in enumerate((False, True, False)):
            sight.offer(FrameIn(t.FrameId(number), t.Samples(64_000 * number), 448, 252, f"EXIT {number}".encode(), KEPT))
            if forgets:
                sight.forget()
            await asyncio.sleep(0.1)
        return seen

    assert run_virtual(look()) == ["EXIT 0", "EXIT 2"]


def test_a_language_model_is_told() -> None:
    evidence = Evidence()
    evidence.observe_consent(t.CAMERA, False)
    asked = Known("is that a church", "is that a church", "en", Provenance.DRIVER, evidence.snapshot("s", t.Samples(1)))
    assert "Nobody has allowed the camera" in str(opening(asked, None, acts=False))


def test_it_is_counted() -> None:
    metrics = Metrics(Names())
    for source in (t.CAMERA, t.CAMERA, t.MICROPHONE):
        metrics.on(NotConsented(source))
    found = {
        sample.labels["source"]: sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "ridealong_not_consented_total"
    }
    assert found == {"camera": 2, "microphone": 1}
