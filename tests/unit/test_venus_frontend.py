"""The 9B model's front-end with a model that answers by a script: without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from ridealong.cloud.frontends.base import (
    Addressee,
    BackendReply,
    ButtonPressed,
    CannotGoOn,
    Feedback,
    FrameIn,
    Intent,
    NoRoom,
    Output,
    PartIn,
    PartOutcome,
    Played,
    UnitIn,
    Verdict,
    VerdictKind,
)
from ridealong.cloud.frontends.cascade.frontend import CascadeFrontEnd, Models
from ridealong.cloud.frontends.cascade.segment import Text
from ridealong.cloud.frontends.mouth import Clip
from ridealong.cloud.frontends.scripted import ToneVoice
from ridealong.cloud.frontends.venus.apology import NAME, Apology
from ridealong.cloud.frontends.venus.ears import DeviceEars, Ears, Listening
from ridealong.cloud.frontends.venus.founded import founded
from ridealong.cloud.frontends.venus.frontend import VenusFrontEnd
from ridealong.cloud.model.plain_io import Broken, Guest, NotRun, Said, ScriptedGuest
from ridealong.harness.observing import FellShort, ModelUnit, Observation
from ridealong.harness.router import Router
from ridealong.harness.skill import Context, Provenance
from ridealong.proto.types import (
    ControlToken,
    FrameId,
    GateNote,
    GateReason,
    MicrophoneState,
    Samples,
    UnitIndex,
    UtteranceId,
)
from ridealong.simulators.virtual_time import InlineExecutor
from ridealong.vehicle_skills.builtin import builtin_registry
from tests.unit.test_cascade_frontend import Loud, Opinion
from tests.unit.test_venus_turns import speech

pytestmark = pytest.mark.unit
STEP = 3_200
HI = speech("Hello there. ")


@dataclass
class Host:
    """One place."""

    guest: ScriptedGuest
    taken: bool = False
    failed: bool = False

    def admit(self, seed: int) -> Guest:
        if self.taken:
            raise NoRoom("Every place on this node's GPU is taken.")
        self.taken = True
        return self.guest

    def broke(self) -> None:
        self.failed = True

    def stop(self) -> None: ...


@dataclass
class Ride:
    """Parts of 200 ms; feedback and replies go with the next call."""

    script: Sequence[Said | Exception] = ()
    ears: Ears = field(default_factory=DeviceEars)
    apology: Apology | None = None
    at: int = 0
    time_s: float = 0.0
    woken: int = 0
    words: str = ""
    out: list[PartOutcome] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    told: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.guest = ScriptedGuest(list(self.script))
        self.host = Host(self.guest)
        self.front_end = VenusFrontEnd(
            self.host, self.ears, self.wake, lambda: self.time_s, observe=self.told.append, apology=self.apology
        )

    def wake(self) -> None:
        self.woken += 1

    def part(self, hint: bool, mic: MicrophoneState, loud: bool, late_ms: float) -> None:
        unit, part = divmod(self.at // STEP, 5)
        pcm = np.full(STEP, 9_000 if loud else 0, "<i2").tobytes() if mic is MicrophoneState.LIVE else b""
        piece = PartIn(UnitIndex(unit), part, part == 4, Samples(self.at), STEP, pcm, mic, hint, False, late_ms)
        feedback, self.feedback = self.feedback, []
        self.out += self.front_end.on_part(piece, [], feedback)
        self.at += STEP
        self.time_s += 0.2

    def seconds(
        self,
        count: float = 1,
        *,
        hint: bool = False,
        mic: MicrophoneState = MicrophoneState.LIVE,
        loud: bool = False,
        late_ms: float = 0.0,
        replies: Sequence[BackendReply] = (),
        frames: tuple[FrameIn, ...] = (),
    ) -> list[PartOutcome]:
        """-> what came of it."""
        self.out = []
        for _ in range(round(count * 5)):
            self.part(hint, mic, loud, late_ms)
            if self.at % 16_000 == 0:
                unit = UnitIn(UnitIndex(self.at // 16_000 - 1), Samples(self.at - 16_000), 16_000, frames, (), late_ms)
                self.out.append(self.front_end.on_unit(unit, list(replies), []))
                replies = ()
                self.out += self.front_end.on_part(self.nothing(), [], [])
        return self.out

    def nothing(self) -> PartIn:
        return PartIn(UnitIndex(0), 0, False, Samples(self.at), 0, b"", MicrophoneState.LIVE, False, False)

    def types(self, text: str) -> list[PartOutcome]:
        unit = UnitIn(UnitIndex(self.at // 16_000), Samples(self.at), 0, (), (text,))
        return [self.front_end.on_unit(unit, [], []), *self.front_end.on_part(self.nothing(), [], [])]

    def say(self, words: str, seconds: float = 1.0) -> list[PartOutcome]:
        self.words = words
        return [*self.seconds(seconds, loud=True, hint=True), *self.seconds(2 - seconds)]


def listening(ride: list[Ride]) -> Listening:
    """The cascade's ears with fake models: it hears `ride[0].words`."""
    models = Models(Loud, lambda audio: 0.9, lambda audio, locale: Text(ride[0].words, "en", 0.9, 0.0), ToneVoice())
    opinion = Opinion(Router(builtin_registry()))
    return Listening(
        lambda mouth: CascadeFrontEnd(
            models, opinion, Context, InlineExecutor(), lambda: None, lambda: Provenance.DRIVER, mouth=mouth
        )
    )


def with_ears(*script: Said | Exception) -> Ride:
    rides: list[Ride] = []
    rides.append(Ride(script, listening(rides)))
    return rides[0]


def fell_short(ride: Ride) -> list[str]:
    return [one.what for one in ride.told if isinstance(one, FellShort)]


def spoken(outcomes: Sequence[PartOutcome]) -> list[tuple[int, str, str]]:
    return [(s.utterance, s.text, s.work_id) for out in outcomes if isinstance(out, Output) for s in out.speech]


def asked(outcomes: Sequence[PartOutcome]) -> list[tuple[str, str, Provenance]]:
    return [(o.delegate, o.asked.text, o.asked.provenance) for o in outcomes if isinstance(o, Output) and o.delegate and o.asked]


def verdicts(outcomes: Sequence[PartOutcome]) -> list[VerdictKind]:
    return [out.kind for out in outcomes if isinstance(out, Verdict)]


def test_a_unit_is_handed_over_and_given_out_when_it_is_there() -> None:
    ride = Ride([HI, speech("Bye.", over=True)])
    ride.guest.held = True
    assert spoken(ride.seconds()) == [] and ride.woken == 0
    ride.guest.release()
    assert ride.woken == 1
    assert spoken(ride.front_end.on_part(ride.nothing(), [], [])) == [(1, "Hello there.", "")]
    ride.guest.held = False
    out = ride.seconds()
    assert spoken(out) == [(1, "Bye.", "")]
    assert [o.control for o in ride.seconds() if isinstance(o, Output)] == [ControlToken.TURN_EOS, ControlToken.LISTEN]


def test_a_muted_microphone_is_silence_and_the_clock_goes_on() -> None:
    ride = Ride()
    ride.seconds(1, loud=True)
    ride.seconds(1, mic=MicrophoneState.MUTED)
    ride.seconds(1, mic=MicrophoneState.LOST)
    sounds = [second.sound for second in ride.guest.seconds]
    assert [sound is not None and bool(sound.any()) for sound in sounds] == [True, False, False]
    assert [second.at_ms for second in ride.guest.seconds] == [1_000, 2_000, 3_000]


def test_of_many_frames_the_newest_are_seen() -> None:
    ride = Ride([Said(bad_pictures=1)])
    gate = GateNote(True, GateReason.FIRST)
    ride.seconds(frames=tuple(FrameIn(FrameId(i), Samples(i), 8, 8, bytes([i]), gate) for i in range(4)))
    assert ride.guest.seconds[0].pictures == (b"\x02", b"\x03")
    assert fell_short(ride) == ["bad_picture"] and ride.front_end.bad_pictures == 1


def test_a_result_is_told_at_a_units_end_while_the_model_is_silent() -> None:
    ride = Ride([speech("Let me see."), speech("", over=True), Said(), speech("It is open.", over=True)])
    ride.seconds()
    reply = BackendReply("w1", "The door is open.", "en")
    filler = BackendReply("", "One moment.", "en", filler=True)
    ride.seconds(replies=[reply, filler, BackendReply("w2", "And so on.", "en")])
    assert not ride.front_end.floor().free
    out = ride.seconds()
    assert [second.answer for second in ride.guest.seconds] == ["", "", "The door is open."] and ride.front_end.fillers == 1
    out += ride.seconds()
    assert spoken(out) == [(2, "It is open.", "w1")]
    ride.seconds()
    assert ride.guest.seconds[-1].answer == "And so on."


def test_the_floor_is_ours_until_the_last_ack() -> None:
    ride = Ride([speech("Yes.", over=True)])
    assert ride.front_end.floor().free
    ride.seconds(2)
    assert not ride.front_end.floor().free
    ride.feedback.append(Played(UtteranceId(1), 24_000, True, False, "Yes."))
    ride.seconds(0.2)
    assert ride.front_end.floor().free and ride.front_end.floor().quiet_ms == 0
    ride.seconds(1)
    assert ride.front_end.floor().quiet_ms == 1_000


def test_near_voice_for_long_enough_is_an_interruption() -> None:
    ride = Ride([HI, HI, HI])
    ride.seconds()
    assert verdicts(ride.seconds(0.6, hint=True)) == []
    assert verdicts(ride.seconds(0.2, hint=True)) == [VerdictKind.INTERRUPTION]
    assert not ride.front_end.floor().free  # somebody speaks, and the model's turn is open
    out = ride.seconds(0.2) + ride.seconds(1)
    assert [second.force_listen for second in ride.guest.seconds] == [False, True, False] and verdicts(out) == []


def test_short_near_voice_is_a_backchannel() -> None:
    ride = Ride([HI])
    ride.seconds()
    ride.seconds(0.4, hint=True)
    assert verdicts(ride.seconds(0.6)) == [VerdictKind.BACKCHANNEL] and not ride.guest.seconds[-1].force_listen
    quiet = Ride()
    assert verdicts(quiet.seconds(3, hint=True)) == []


def test_what_was_under_way_at_an_interruption_is_not_said() -> None:
    ride = Ride([HI, speech("And more. ", delegates=("a",)), Said(interrupted=True)])
    ride.seconds()
    ride.guest.held = True
    ride.seconds(1)
    ride.feedback.append(ButtonPressed(Samples(ride.at)))
    ride.seconds(0.2)
    ride.guest.release()
    ride.guest.held = False
    out = ride.seconds(0.8)
    assert spoken(out) == [] and asked(out) == [("<delegate>a</delegate>", "", Provenance.UNKNOWN)]
    assert ride.guest.seconds[-1].force_listen


def test_a_typed_stop_is_ours_to_obey_and_other_words_are_the_models() -> None:
    ride = Ride([HI, Said(interrupted=True), speech("", over=True, delegates=("set a timer <x>",))])
    ride.seconds()
    (_, verdict) = ride.types("stop")
    assert isinstance(verdict, Verdict) and verdict.intent is Intent.STOP
    ride.seconds()
    out = ride.types("set a timer")
    assert [second.text for second in ride.guest.seconds] == ["", "", "set a timer"] and ride.guest.seconds[2].sound is None
    assert asked(out) == [("<delegate>set a timer  x </delegate>", "set a timer", Provenance.TYPED)]


def test_without_ears_nobody_knows_who_asked() -> None:
    ride = Ride([speech("", over=True, delegates=("open the window",))])
    assert asked(ride.seconds(hint=True)) == [("<delegate>open the window</delegate>", "", Provenance.UNKNOWN)]


def test_with_ears_a_request_has_its_users_words() -> None:
    ride = with_ears(Said(), Said(), speech("", over=True, delegates=("open the window a bit",)))
    out = ride.say("Open the window.") + ride.seconds()
    assert asked(out) == [("<delegate>open the window a bit</delegate>", "Open the window.", Provenance.DRIVER)]
    (heard,) = [h for o in out if isinstance(o, Output) for h in o.heard]
    assert heard.addressee is Addressee.ASSISTANT
    assert not [
        o for o in out if isinstance(o, Output) and o.delegate and "bit" not in o.delegate
    ]  # the cascade asks nothing of its own


def test_a_request_about_words_to_somebody_else_is_nobodys() -> None:
    ride = with_ears(Said(), Said(), speech("", over=True, delegates=("pack the swimming things",)))
    out = ride.say("Anna, did you pack your swimming things?") + ride.seconds()
    assert [by for _, _, by in asked(out)] == [Provenance.OVERHEARD]


def test_a_request_waits_for_whose_words_it_is_about() -> None:
    ride = with_ears(speech("", over=True, delegates=("open the window",)))
    ride.words = "Open the window."
    assert asked(ride.seconds(1.2, loud=True, hint=True)) == []
    assert [text for _, text, _ in asked(ride.seconds(1))] == ["Open the window."]


def test_with_ears_a_correction_cuts_and_a_backchannel_does_not() -> None:
    ride = with_ears(*[HI] * 20)
    ride.seconds(2)
    assert VerdictKind.INTERRUPTION not in verdicts(ride.say("Mm-hm.", 0.6))
    assert VerdictKind.INTERRUPTION in verdicts(ride.say("Set the temperature to twenty-one.", 1.6))
    assert [second.force_listen for second in ride.guest.seconds].count(True) == 1


def test_what_comes_out_of_a_backlog_is_heard_and_offered_and_never_answered() -> None:
    ride = with_ears()
    ride.words = "Open the window."
    ride.seconds(1, loud=True, late_ms=9_000)
    ride.seconds(1, late_ms=9_000)
    assert [second.force_listen for second in ride.guest.seconds] == [True, True]
    ride.seconds(2)
    assert [second.answer for second in ride.guest.seconds if second.answer] == [
        "While we were offline you said: Open the window. Say it again if you still want it."
    ]


def test_one_unit_that_fails_is_counted_and_three_end_the_session() -> None:
    ride = Ride([NotRun("EngineError"), Broken("RuntimeError"), HI, *[Broken("RuntimeError")] * 3])
    ride.seconds(3)
    assert spoken(ride.out) == [(1, "Hello there.", "")]
    out = ride.seconds(4)
    (end,) = [o for o in out if isinstance(o, CannotGoOn)]
    assert (end.code, ride.host.failed) == ("model_failed", True) and "Sorry" in end.text
    assert fell_short(ride) == ["not_run", *["broken"] * 4]
    assert ride.seconds(1) and not [o for o in ride.out if isinstance(o, CannotGoOn)]


def test_a_model_that_answers_no_more_is_dead_and_its_end_is_spoken() -> None:
    executor = InlineExecutor()
    apology = Apology("zh", executor.submit(lambda: Clip(bytes(48_000), 24_000, ())))
    ride = Ride(apology=apology)
    ride.guest.held = True
    out = ride.seconds(17)
    assert [(name, text[:2]) for name, text, _ in spoken(out)] == [(NAME, "抱歉")] and not [
        o for o in out if isinstance(o, CannotGoOn)
    ]
    ride.feedback.append(Played(NAME, 24_000, True, False, ""))
    assert [o.text[:2] for o in ride.seconds(0.2) if isinstance(o, CannotGoOn)] == ["抱歉"]


def test_late_and_lesser_units_are_told() -> None:
    ride = Ride([Said(late_ms=40.0, lesser="no_vision")])
    ride.seconds()
    assert fell_short(ride) == ["late", "no_vision"]


def test_a_full_host_is_told_before_anything_began() -> None:
    ride = Ride()
    with pytest.raises(NoRoom, match="Every place"):
        VenusFrontEnd(ride.host, DeviceEars(), lambda: None, lambda: 0.0)
    ride.front_end.close()
    assert ride.guest.closed


def test_a_request_that_is_not_about_the_words_heard_is_nobodys() -> None:
    ride = with_ears(Said(), Said(delegates=("Open the trunk.",)))
    out = ride.say("what is the weather like today") + ride.seconds(3)
    assert [(delegate, by) for delegate, _, by in asked(out)] == [("<delegate>Open the trunk.</delegate>", Provenance.UNKNOWN)]


@pytest.mark.parametrize(
    ("request_", "words", "counts"),
    [
        ("Open the driver's window.", "open my window please", True),
        ("open the trunk", "what's the weather like", False),
        ("打开主驾车窗", "把车窗打开", True),
        ("打开后备箱", "今天天气怎么样", False),
        ("the of and", "the of and", False),
        ("", "open the window", False),
    ],
)
def test_half_of_a_request_must_have_been_said(request_: str, words: str, counts: bool) -> None:
    assert founded(request_, words) is counts


def test_a_session_that_the_model_lost_begins_anew() -> None:
    ride = Ride([HI, Said(lost=True)])
    ride.seconds(1)
    ride.guest.script.append(HI)
    out = ride.seconds(2)
    assert ride.guest.begun == [1] and not ride.guest.closed and FellShort("lost") in ride.told
    assert spoken(out)[-1][1] == "Hello there." and not ride.host.failed


def test_what_waits_when_the_model_loses_a_session_is_not_waited_for() -> None:
    ride = Ride()
    ride.guest.held = True
    ride.seconds(3)
    first, second, third = ride.guest.waiting
    del ride.guest.waiting[0]
    first.set_result(Said(lost=True))
    ride.seconds(1)
    assert second.exception() and third.exception() and ride.guest.begun == [1]
    assert FellShort("not_run") not in ride.told
    ride.guest.script = [HI, HI]
    ride.guest.held = False
    ride.guest.release()
    assert spoken(ride.seconds(2))[-1][1] == "Hello there."


def test_a_lost_session_of_a_model_that_has_stopped_ends_and_harms_nobody_else() -> None:
    ride = Ride([Said(lost=True)])
    ride.guest.stopped = True
    out = ride.seconds(3)
    assert any(isinstance(one, CannotGoOn) for one in out) and not ride.host.failed


def test_each_unit_tells_how_long_it_took_and_what_room_is_left() -> None:
    ride = Ride([Said(took_ms=180.0, headroom_rows=4_000, load=0.4)])
    ride.seconds(1)
    assert ride.told == [ModelUnit(180.0, 4_000, 0.4)]
