"""What was heard of an utterance that was cut: the kinds of field-reports C, each told as events of the conversation core."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.cloud.conversation import (
    Acked,
    Button,
    Conversation,
    Delivery,
    Effect,
    Judged,
    Lost,
    Noted,
    Over,
    Produced,
    Send,
    Tell,
)
from ridealong.cloud.frontends.base import Intent, Output, Played, SpeechSlice, Verdict, VerdictKind
from ridealong.harness.rest import Why
from ridealong.harness.said import Said, Saying, State
from ridealong.harness.snapshot import Evidence
from ridealong.proto.types import (
    CLOCK_HZ,
    ControlToken,
    Epoch,
    Flush,
    PlaybackAck,
    PlaybackState,
    Samples,
    UnitIndex,
    UtteranceId,
    WordTime,
)

pytestmark = pytest.mark.unit
RATE = 24_000
TEXT = "The nearest station is at Mill Lane, it has three free chargers, and the next one is twelve kilometres further on."
WORD = RATE // 4  # a quarter of a second each


def words(text: str, start: int = 0) -> tuple[WordTime, ...]:
    return tuple(WordTime(word, start + i * WORD, start + (i + 1) * WORD) for i, word in enumerate(text.split()))


def says(utterance: int, text: str, work: str = "w1", *, last: bool = True, whole: str = "") -> Produced:
    """All of `text` at once; `whole`: what the front-end means to say altogether."""
    times = words(text)
    pcm = bytes(2 * WORD * len(times))
    piece = SpeechSlice(UtteranceId(utterance), last, RATE, pcm, text, times, work, whole or text)
    return Produced(Output(ControlToken.SPEAK, text, speech=(piece,)), UnitIndex(0), False)


def ack(
    played: int, state: PlaybackState = PlaybackState.PROGRESS, *, utterance: int = 1, epoch: int = 1, at_s: float = 0.0
) -> Acked:
    return Acked(PlaybackAck(Epoch(epoch), UtteranceId(utterance), played, state, Samples(round(at_s * CLOCK_HZ))))


def interruption(at_s: float, intent: Intent | None = None) -> Judged:
    at = Samples(round(at_s * CLOCK_HZ))
    return Judged(Verdict(VerdictKind.INTERRUPTION, at, at, "wait", intent))


def sayings(effects: list[Effect]) -> list[Saying]:
    return [effect.saying for effect in effects if isinstance(effect, Noted)]


def deliveries(effects: list[Effect]) -> list[Delivery]:
    return [effect for effect in effects if isinstance(effect, Delivery)]


def test_the_boundary_is_known_at_once_and_confirmed_by_the_device() -> None:
    talk = Conversation()
    talk.on(says(1, "The nearest station is at Mill Lane,", last=False, whole=TEXT))
    talk.on(ack(4 * WORD, at_s=1.0))
    (first,) = sayings(talk.on(interruption(1.2, Intent.FOLLOW_UP)))
    assert (first.heard, first.settled, first.why) == ("The nearest station is", False, Why.FOLLOW_UP)
    effects = talk.on(ack(5 * WORD, PlaybackState.FLUSHED, at_s=1.4))
    (final,) = sayings(effects)
    assert (final.work_id, final.heard, final.settled, final.at) == ("w1", "The nearest station is at", True, 1.4 * CLOCK_HZ)
    assert final.rest == TEXT.removeprefix("The nearest station is at ")  # also what had not left the cloud yet
    assert deliveries(effects) == [
        Delivery("w1", PlaybackState.FLUSHED, final.heard, Samples(round(1.4 * CLOCK_HZ)), Why.FOLLOW_UP)
    ]


@pytest.mark.parametrize("cut", ["verdict", "button", "device", "lost", "over"])
def test_every_kind_of_cut_ends_with_a_boundary(cut: str) -> None:
    talk = Conversation()
    talk.on(says(1, TEXT))
    talk.on(ack(8 * WORD, at_s=2.0))
    at = Samples(2 * CLOCK_HZ)
    effects = {
        "verdict": lambda: talk.on(interruption(2.0)),
        "button": lambda: talk.on(Button(at)),
        "device": lambda: talk.on(ack(8 * WORD, PlaybackState.FLUSHED, at_s=2.0)),
        "lost": lambda: talk.on(Lost(at)),
        "over": lambda: talk.on(Over(at)),
    }[cut]()
    if cut in ("verdict", "button", "lost"):
        effects = talk.on(ack(8 * WORD, PlaybackState.FLUSHED, at_s=2.0))
    said = sayings(effects)[-1]
    assert (said.state, said.settled, said.heard) == (State.CUT, True, "The nearest station is at Mill Lane, it")
    assert said.rest.startswith("has three") and said.rest.endswith("further on.")
    assert said.why is {"verdict": Why.INTERRUPTED, "button": Why.BUTTON, "device": Why.DEVICE}.get(cut, Why.LINK)


def test_an_acknowledged_second_is_never_nothing() -> None:
    """ "played_duration = 0.0": an interrupted message must not be kept as empty, however its words were timed."""
    for times, text in [
        ((WordTime("Floccinaucinihilipilification", 0, 4 * RATE),), "x"),
        ((), "One two three four."),
        ((), "导航已经开始"),
    ]:
        talk = Conversation()
        piece = SpeechSlice(UtteranceId(1), True, RATE, bytes(2 * 4 * RATE), text, times, "w")
        talk.on(Produced(Output(ControlToken.SPEAK, text, speech=(piece,)), UnitIndex(0), False))
        talk.on(interruption(1.0))
        (said,) = sayings(talk.on(ack(RATE, PlaybackState.FLUSHED)))
        assert said.heard


def test_no_more_is_heard_than_was_produced() -> None:
    """ "Audio content of 3700 ms is already shorter than 3760 ms": a transport's clock runs ahead of the samples."""
    talk = Conversation()
    produced = 3_700 * RATE // 1000
    piece = SpeechSlice(UtteranceId(1), False, RATE, bytes(2 * produced), TEXT, words(TEXT)[:14], "w1", TEXT)
    talk.on(Produced(Output(ControlToken.SPEAK, TEXT, speech=(piece,)), UnitIndex(0), False))
    talk.on(interruption(3.76))
    (said,) = sayings(talk.on(ack(3_760 * RATE // 1000, PlaybackState.FLUSHED, at_s=3.76)))
    assert talk.ledger.entries[UtteranceId(1)].played_samples == produced and talk.ledger.clamped_acks == 1
    assert said.heard == " ".join(TEXT.split()[:14])


def test_the_next_response_counts_from_its_own_beginning() -> None:
    """ "57,340 against 9,250 ms": the count of one response is not carried into the next."""
    talk = Conversation()
    talk.on(says(1, TEXT))
    talk.on(ack(21 * WORD, PlaybackState.FINISHED))
    talk.on(says(2, TEXT, "w2"))
    talk.on(ack(2 * WORD, utterance=2))
    talk.on(interruption(9))
    (said,) = sayings(talk.on(ack(3 * WORD, PlaybackState.FLUSHED, utterance=2)))
    assert said.heard == "The nearest station" and said.work_id == "w2"


def test_an_ack_of_an_earlier_response_is_counted_and_moves_nothing() -> None:
    """ "playback_ack_too_late": it was fatal elsewhere."""
    talk, log = Conversation(), Said()
    trace = [
        says(1, "One two three four."), ack(WORD), ack(4 * WORD, PlaybackState.FINISHED, at_s=1), says(2, "Five six seven.", "w2"),
        ack(WORD, utterance=2, at_s=2), ack(4 * WORD, PlaybackState.FINISHED, at_s=9), ack(2 * WORD, at_s=9),
        ack(3 * WORD, PlaybackState.FINISHED, utterance=2, at_s=10),
    ]  # fmt: skip
    late: list[Effect] = []
    for number, event in enumerate(trace):
        effects = talk.on(event)
        late += effects if number in (5, 6) else []
        for saying in sayings(effects):
            log.note(saying)
    assert late == [] and talk.ledger.superseded_acks == 2
    assert [(entry.text, entry.state) for entry in log.entries] == [
        ("One two three four.", State.FINISHED),
        ("Five six seven.", State.FINISHED),
    ]


def test_an_ack_late_by_seconds_still_settles_its_own_boundary() -> None:
    talk, log, evidence = Conversation(), Said(), Evidence()
    trace = [
        says(1, TEXT),
        ack(4 * WORD, at_s=1),
        interruption(1.5),
        says(2, "All right.", "w2"),
        ack(WORD, utterance=2, epoch=2, at_s=3),
    ]
    for event in [*trace, ack(6 * WORD, PlaybackState.FLUSHED, at_s=1.5)]:
        for effect in talk.on(event):
            match effect:
                case Noted(saying=saying):
                    log.note(saying)
                    evidence.observe_rest(saying.utterance, saying.rest if saying.state is State.CUT else "", saying.at)
                case Tell(feedback=Played() as played):
                    evidence.observe_played(played.utterance, played.heard, Samples(4 * CLOCK_HZ))
                case _:
                    pass
    assert [(entry.heard, entry.settled) for entry in log.entries] == [("The nearest station is at Mill", True), ("All", False)]
    snapshot = evidence.snapshot("s", Samples(10 * CLOCK_HZ))
    assert snapshot.played == "The nearest station is at Mill All" and snapshot.unheard == ""  # the last one was not cut


def test_a_flush_that_comes_too_late_takes_nothing_back() -> None:
    talk = Conversation()
    talk.on(says(1, "One two."))
    talk.on(interruption(0.5, Intent.STOP))
    effects = talk.on(ack(2 * WORD, PlaybackState.FINISHED))
    assert sayings(effects)[-1].state is State.FINISHED and deliveries(effects)[-1].state is PlaybackState.FINISHED


def test_the_reason_may_come_after_the_cut() -> None:
    talk = Conversation()
    talk.on(says(1, TEXT))
    talk.on(ack(8 * WORD, PlaybackState.FLUSHED, at_s=2.0))  # the device's own button flushed it …
    assert [s.why for s in sayings(talk.on(Button(Samples(round(2.02 * CLOCK_HZ)))))] == [Why.BUTTON]  # … and then says so

    talk = Conversation()
    talk.on(says(1, TEXT))
    assert [s.why for s in sayings(talk.on(interruption(2.0)))] == [Why.INTERRUPTED]
    assert [s.why for s in sayings(talk.on(interruption(3.5, Intent.CORRECT)))] == [Why.CORRECT]
    assert sayings(talk.on(interruption(20.0, Intent.STOP))) == []


def test_an_earlier_utterance_of_a_reply_no_longer_decides_about_it() -> None:
    talk = Conversation()
    talk.on(says(1, TEXT))
    talk.on(Lost(Samples(0)))
    talk.on(says(2, TEXT))  # the same reply anew
    effects = talk.on(ack(3 * WORD, PlaybackState.FLUSHED))
    assert deliveries(effects) == [] and sayings(effects)[-1].settled
    assert deliveries(talk.on(ack(21 * WORD, PlaybackState.FINISHED, utterance=2, epoch=2)))[-1].state is PlaybackState.FINISHED


STEP = st.one_of(
    st.tuples(st.just("ack"), st.integers(1, 4), st.integers(0, 30), st.sampled_from(list(PlaybackState))),
    st.tuples(st.sampled_from(["cut", "button", "lost"]), st.just(0), st.just(0), st.just(PlaybackState.PROGRESS)),
    st.tuples(st.just("say"), st.integers(1, 4), st.integers(0, 0), st.just(PlaybackState.PROGRESS)),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(STEP, max_size=40))
def test_any_order_of_acks(steps: list[tuple[str, int, int, PlaybackState]]) -> None:
    """Heard is what was acknowledged of what was sent, a whole number of words, monotone; order is that of the utterances; an
    utterance is over once; nothing of a dead epoch is sent."""
    talk, log = Conversation(), Said()
    epochs: dict[int, int] = {}
    best: dict[int, int] = {}
    over: set[int] = set()
    flushed = 0
    for kind, number, count, state in steps:
        match kind:
            case "say":
                new = max(epochs, default=0) + 1
                effects = talk.on(says(new, TEXT, f"w{new}"))
                epochs[new] = talk.epoch
            case "ack":
                effects = talk.on(ack(count * WORD, state, utterance=number, epoch=epochs.get(number, 1)))
            case "cut":
                effects = talk.on(interruption(1.0))
            case "button":
                effects = talk.on(Button(Samples(0)))
            case _:
                effects = talk.on(Lost(Samples(0)))
        for effect in effects:
            match effect:
                case Send(body=Flush(epoch=epoch)):
                    flushed = max(flushed, epoch)
                case Delivery(work_id=work, state=state_) if state_ in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
                    assert int(work[1:]) not in over
                    over.add(int(work[1:]))
                case Noted(saying=saying):
                    log.note(saying)
                    entry = talk.ledger.entries[saying.utterance]
                    assert saying.heard == " ".join(TEXT.split()[: entry.played_samples // WORD])
                    assert entry.played_samples <= entry.sent_samples
                    assert best.get(saying.utterance, 0) <= entry.played_samples
                    best[saying.utterance] = entry.played_samples
                    assert f"{saying.heard} {saying.rest}".strip() == TEXT or saying.state is State.FINISHED
                    assert saying.heard or entry.played_samples < RATE
                case Send(body=body) if hasattr(body, "pcm16"):
                    assert body.epoch > flushed
                case _:
                    pass
    assert [entry.utterance for entry in log.entries] == sorted(entry.utterance for entry in log.entries)
