"""Scenarios: the same for the same seed, balanced, levels as planned, labels on the sound; and the records made of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scenario_material import studio

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import active_level_db, decibels, frame_levels, rms
from ridealong.simulators.scenarios.align import LEAD_MS, recorded
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import OVERLAPS, SNRS_DB, Plan, Source
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Scenario, Split
from ridealong.simulators.scenarios.voices import BY_NAME

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return studio(tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def plans(made: Studio) -> list[Plan]:
    return made.plans(3, 32, requests=16, noise_only=2, assistant_only=2)


def of_kind(plans: list[Plan], kind: Kind) -> list[Plan]:
    return [plan for plan in plans if plan.kind is kind]


def floats(pcm16: np.ndarray) -> np.ndarray:
    return pcm16.astype(np.float32) / np.float32(32768)


def same(first: Scenario, second: Scenario) -> bool:
    sounds = all(np.array_equal(a.pcm16, b.pcm16) and a.at == b.at for a, b in zip(first.sounds, second.sounds, strict=True))
    return sounds and np.array_equal(first.bed, second.bed) and (first.id, first.echo) == (second.id, second.echo)


def test_the_seed_decides_everything(made: Studio, tmp_path: Path) -> None:
    again = studio(tmp_path)
    plans = made.plans(3, 8, requests=4, noise_only=1)
    assert plans == again.plans(3, 8, requests=4, noise_only=1)
    assert all(same(made.scenario(plan), again.scenario(plan)) for plan in plans[::5])
    other = made.plans(4, 8, requests=4, noise_only=1)
    assert not any(a == b for a, b in zip(plans, other, strict=True))


def test_asking_for_more_changes_nothing_of_what_was_there(made: Studio) -> None:
    few = made.plans(3, 8, kinds=[Kind.BACKCHANNEL])
    many = {plan.id: plan for plan in made.plans(3, 24)}
    assert few and all(many[plan.id] == plan for plan in few)


def test_every_class_is_balanced_over_language_noise_and_intent(plans: list[Plan]) -> None:
    for kind in OVERLAPS:
        cells = Counter((plan.locale, plan.snr_db) for plan in of_kind(plans, kind))
        assert set(cells.values()) == {4} and len(cells) == 2 * len(SNRS_DB)
    intents = Counter((plan.locale, plan.intent, plan.snr_db) for plan in of_kind(plans, Kind.INTERRUPTION))
    assert set(intents.values()) == {1} and len(intents) == 2 * len(Intent) * len(SNRS_DB)
    assert len({plan.id for plan in plans}) == len(plans)


def test_every_beginning_of_the_list_is_nearly_balanced(plans: list[Plan]) -> None:
    for count in (15, 40, 77):
        kinds = Counter(plan.kind for plan in plans[:count])
        assert max(kinds.values()) - min(kinds.values()) <= 1 and len(kinds) == len(OVERLAPS)


def test_an_interruption_that_needs_its_reply_gets_it(plans: list[Plan]) -> None:
    over = {line.text: plan.reply for plan in of_kind(plans, Kind.INTERRUPTION) for line in plan.lines}
    assert "spare" in next(text for text in over if "spare" in text)
    assert all("Tyre" in reply for text, reply in over.items() if "spare" in text)
    assert all("bridge" in reply for text, reply in over.items() if "who built" in text)


def test_all_texts_have_their_turn(plans: list[Plan], made: Studio) -> None:
    said = {line.text for plan in of_kind(plans, Kind.OTHER_DIRECTED) for line in plan.lines}
    assert said == {text for texts in made.material.texts.values() for text in texts.other_directed}


def test_speech_has_its_signal_to_noise_ratio(plans: list[Plan], made: Studio) -> None:
    for plan in [*of_kind(plans, Kind.BACKCHANNEL)[:16], *of_kind(plans, Kind.INTERRUPTION)[:16]]:
        scenario = made.scenario(plan)
        level = active_level_db(floats(scenario.sounds[0].pcm16))
        noise = decibels(rms(floats(scenario.bed)))
        if scenario.snr_db is None:
            assert level - noise > 40
        else:
            assert level - noise == pytest.approx(scenario.snr_db, abs=0.5)


def test_labels_sit_on_the_words(plans: list[Plan], made: Studio) -> None:
    for plan in plans[::3]:
        for sound in made.scenario(plan).sounds:
            whole = floats(sound.pcm16)
            words = active_level_db(whole)
            assert 0 <= sound.onset < sound.end <= len(whole)
            assert decibels(rms(whole[: sound.onset])) < words - 25
            assert decibels(float(frame_levels(whole[sound.onset : sound.onset + CLOCK_HZ // 20]).max())) > words - 30
            assert decibels(float(frame_levels(whole[max(0, sound.end - CLOCK_HZ // 20) : sound.end]).max())) > words - 30


def test_words_begin_when_planned(plans: list[Plan], made: Studio) -> None:
    for plan in plans[::3]:
        for line, sound in zip(plan.lines, made.scenario(plan).sounds, strict=True):
            if line.after_ms is None:
                assert sound.at + sound.onset == line.onset_ms * CLOCK_HZ // 1000
            if sound.cue is Cue.REPLY:
                assert sound.at >= 0


def test_a_second_speaker_answers_in_another_voice(plans: list[Plan], made: Studio) -> None:
    two = [plan for plan in plans if "second_speaker" in plan.tags]
    assert two
    for plan in two:
        assert len({line.who for line in plan.lines}) == 2
        first, second = made.scenario(plan).sounds
        gap = second.at + second.onset - first.at - first.end
        assert gap == plan.lines[1].after_ms * CLOCK_HZ // 1000  # type: ignore[operator]
        assert {line.who for line in plan.lines}.isdisjoint({plan.user})


def test_hesitations_are_silences_of_the_planned_length(plans: list[Plan], made: Studio) -> None:
    hesitant = [plan for plan in plans if "hesitant" in plan.tags]
    assert len(hesitant) == 8
    for plan in hesitant:
        (sound,) = made.scenario(plan).sounds
        planned = plan.lines[0].pauses_ms
        assert planned and all(400 <= ms <= 1_200 for ms in planned)
        assert [(b - a) * 1000 // CLOCK_HZ for a, b in sound.pauses[len(sound.pauses) - len(planned) :]] == list(planned)
        whole = floats(sound.pcm16)
        for start, end in sound.pauses:
            assert sound.onset < start < end < sound.end
            assert decibels(rms(whole[end - CLOCK_HZ // 50 : end])) < active_level_db(whole) - 30
        assert all(a[1] < b[0] for a, b in pairwise(sound.pauses))


def test_finished_requests_have_no_marked_pauses(plans: list[Plan], made: Studio) -> None:
    finished = [plan for plan in of_kind(plans, Kind.REQUEST) if "hesitant" not in plan.tags]
    assert len(finished) == 8 and all(not sound.pauses for plan in finished for sound in made.scenario(plan).sounds)


def test_nobody_speaks_in_a_stretch_of_noise(plans: list[Plan], made: Studio) -> None:
    for plan in [plan for plan in plans if "noise_only" in plan.tags]:
        scenario = made.scenario(plan)
        assert scenario.length == 60 * CLOCK_HZ and scenario.reply == ""
        assert scenario.sounds and {sound.kind for sound in scenario.sounds} == {Kind.NOISE}


def test_alone_the_assistant_is_louder_than_otherwise(plans: list[Plan]) -> None:
    alone = [plan for plan in plans if "assistant_only" in plan.tags]
    assert len(alone) == 2 and all(plan.reply and not plan.lines for plan in alone)
    assert min(plan.echo.level_db for plan in alone if plan.device_kind == "car") > -15


def test_people_are_marked(made: Studio) -> None:
    plans = made.plans(3, 64, kinds=[Kind.BACKGROUND], locales=["en"])
    people = [sound for plan in plans for sound in made.scenario(plan).sounds if sound.person]
    assert people and all(sound.voice.endswith(".flac") for sound in people)
    synthesised = [line for plan in plans for line in plan.lines if line.source is Source.SYNTHESIS]
    assert all(BY_NAME[line.who].split is Split.REPORT for line in synthesised)


def offline(made: Studio, plans: list[Plan], kind: Kind, seconds: float = 8.0) -> list:
    said = (6_000 * np.sin(np.arange(round(seconds * CLOCK_HZ)) * 0.1)).astype(np.int16)
    return [
        (scenario := made.scenario(plan), recorded(scenario, said, response_gap_ms=600, yields_after_ms=500))
        for plan in of_kind(plans, kind)
    ]


def test_a_record_goes_on_over_a_backchannel(made: Studio, plans: list[Plan]) -> None:
    for scenario, record in offline(made, plans[:40], Kind.BACKCHANNEL):
        (label,) = record.labels
        assert (label.target, label.who) == ("continue", "user")
        assert label.onset == record.assistant_from + scenario.sounds[0].at + scenario.sounds[0].onset
        assert record.assistant_to - record.assistant_from == 8 * CLOCK_HZ and record.assistant_from == LEAD_MS * CLOCK_HZ // 1000
        assert len(record.user) == len(record.assistant) == len(record.microphone)


def test_a_record_yields_to_an_interruption_and_keeps_the_echo_apart(made: Studio, plans: list[Plan]) -> None:
    for scenario, record in offline(made, plans[:40], Kind.INTERRUPTION):
        (label,) = record.labels
        assert label.target == ("stop" if label.intent is Intent.STOP else "yield")
        assert record.assistant_to == label.onset + CLOCK_HZ // 2
        assert (
            not record.assistant[record.assistant_to :].any()
            and record.assistant[record.assistant_from + 100 : record.assistant_to - 400].any()
        )
        echo = floats(record.microphone)[: label.onset] - floats(record.user)[: label.onset]
        assert scenario.echo is not None and not echo[: record.assistant_from].any()
        played = rms(floats(record.assistant)[record.assistant_from + CLOCK_HZ // 4 : label.onset])
        assert rms(echo[record.assistant_from + CLOCK_HZ // 4 :]) < 4 * played * 10 ** (scenario.echo.level_db / 20)
        assert echo.any()


def test_a_record_answers_a_request_after_the_stated_gap(made: Studio, plans: list[Plan]) -> None:
    for _, record in offline(made, plans, Kind.REQUEST, 2.0):
        assert record.assistant_from == record.labels[-1].end + 600 * CLOCK_HZ // 1000
        assert record.assistant_to == record.assistant_from + 2 * CLOCK_HZ
