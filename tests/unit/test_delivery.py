"""When a result may be spoken: traces of text, and properties over any order of events.

A trace is "second event …"; the effects are printed the same way.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.harness import delivery
from ridealong.harness.delivery import Delivery, required_quiet_ms
from ridealong.harness.rest import Why
from ridealong.proto.types import Samples, samples_from_ms

pytestmark = pytest.mark.unit


def at(seconds: float) -> Samples:
    return samples_from_ms(seconds * 1000)


SHORT = "It is done."


def waiting(
    name: str,
    ready: float,
    asked: float = 0.0,
    expires: float = 60.0,
    again: bool = True,
    text: str = SHORT,
    urgent: bool = False,
) -> delivery.Waiting:
    return delivery.Waiting(name, text, "en", at(asked), at(ready), at(expires), again, urgent=urgent)


def replay(script: str, machine: Delivery | None = None) -> str:
    """Events: `ready NAME [asked=][expires=][chars=][once][urgent]`, `free QUIET_MS`, `loaded QUIET_MS` (free, and the driver is busy), `stale QUIET_MS NAME` (free, and that can be found anew), `busy`, `start|finish|flush NAME`, `drop NAME`, `tick`, `away`."""
    machine = machine or Delivery()
    said: list[str] = []
    for line in script.split("|"):
        time, word, *rest = line.split()
        now = at(float(time))
        match word:
            case "ready":
                options = dict(option.split("=") for option in rest[1:] if "=" in option)
                event: delivery.Event = delivery.ReplyReady(
                    waiting(
                        rest[0],
                        float(time),
                        float(options.get("asked", 0)),
                        float(options.get("expires", 60)),
                        "once" not in rest,
                        "x" * int(options["chars"]) if "chars" in options else SHORT,
                        urgent="urgent" in rest,
                    )
                )
            case "free":
                event = delivery.Boundary(now, True, float(rest[0]), frozenset(rest[1:]))
            case "stale":
                event = delivery.Boundary(now, True, float(rest[0]), stale=frozenset(rest[1:]))
            case "loaded":
                event = delivery.Boundary(now, True, float(rest[0]), loaded=True)
            case "busy":
                event = delivery.Boundary(now, False, 0)
            case "start":
                event = delivery.Rendered(rest[0], now)
            case "finish":
                event = delivery.PlaybackFinished(rest[0], "It is done.", now)
            case "flush":
                event = delivery.PlaybackFlushed(rest[0], "It" if len(rest) == 1 else "", now)
            case "drop":
                event = delivery.Withdraw(rest[0], "stop", now)
            case "tick":
                event = delivery.Tick(now)
            case "away":
                event = delivery.Away(now)
            case _:
                raise AssertionError(word)
        for effect in machine.on(event):
            said.append(f"{type(effect).__name__.lower()} {effect.work_id}")
    return " | ".join(said)


def test_a_direct_answer_needs_no_extra_quiet() -> None:
    assert replay("1.0 ready a asked=0.9 | 1.0 free 100 | 1.2 start a | 2.5 finish a") == "admit a | delivered a"


def test_something_said_since_asks_for_quiet() -> None:
    # the voice was last heard 400 ms ago, long after the request
    assert replay("5.0 ready a asked=0.9 | 5.0 free 400") == ""
    assert replay("5.0 ready a asked=0.9 | 5.0 free 800") == "admit a"


def test_quiet_needed_falls_with_waiting_down_to_250_ms() -> None:
    assert [required_quiet_ms(ms) for ms in (0, 2_000, 11_000, 50_000)] == [800, 700, 250, 250]
    assert replay("1 ready a asked=0.9 | 13 free 249 | 13 free 250") == "admit a"


def test_a_busy_floor_and_a_reply_in_progress_block() -> None:
    assert replay("1 ready a asked=0.9 | 1 busy | 1 free 900 | 1.1 ready b | 1.2 free 5000 | 3 finish a | 3.2 free 1000") == (
        "admit a | delivered a | admit b"
    )


def test_two_answers_to_one_request_follow_each_other_at_once() -> None:
    assert (
        replay("1 ready a asked=0.9 | 1 ready b asked=0.9 | 1 free 100 | 3 finish a | 3.2 free 200")
        == "admit a | delivered a | admit b"
    )


def test_order_is_least_slack_then_first_come_after_eight_seconds() -> None:
    assert replay("20 ready a expires=70 | 20 ready b expires=40 | 21 free 900") == "admit b"
    assert replay("20 ready a expires=70 | 25 ready b expires=40 | 29 free 900") == "admit a"


def test_the_time_that_saying_it_takes_is_no_slack() -> None:
    """At four characters a second: 160 of them take 40 s of the 60."""
    assert replay("20 ready a expires=60 | 20 ready b expires=80 chars=160 | 21 free 900") == "admit b"
    assert replay("20 ready a expires=60 | 20 ready b expires=80 chars=60 | 21 free 900") == "admit a"


def test_what_was_cut_is_offered_once_more_and_needs_a_longer_pause() -> None:
    script = "1 ready a asked=0.9 | 1 free 100 | 1.2 start a | 2 flush a | 3 free 1000 | 5 free 2000 | 5.1 start a | 6 flush a | 9 free 5000"
    assert replay(script) == "admit a | again a | admit a | withdrawn a"


def test_a_failure_is_said_once_unless_nothing_of_it_was_heard() -> None:
    assert replay("1 ready a asked=0.9 once | 1 free 100 | 2 flush a") == "admit a | withdrawn a"
    assert replay("1 ready a asked=0.9 once | 1 free 100 | 2 flush a unheard | 5 free 2000") == "admit a | again a | admit a"


def test_past_the_deadline_is_never_spoken() -> None:
    assert replay("1 ready a expires=10 | 10.1 free 5000") == "expired a"
    assert replay("1 ready a expires=10 asked=0.9 | 1 free 100 | 11 flush a") == "admit a | again a | expired a"


def test_validity_is_judged_at_the_moment_of_speaking() -> None:
    assert replay("1 ready a asked=0.9 | 1 free 900 a") == "withdrawn a"


def test_what_can_be_found_anew_is_when_it_could_be_said() -> None:
    assert replay("1 ready a | 20 stale 100 a | 20.1 stale 5000 a") == "renew a"
    assert replay("1 ready a | 20 stale 5000 b") == "admit a"
    assert replay("1 ready a | 2 ready b asked=1.9 expires=90 | 30 stale 5000 b") == "admit a"  # b could not be said yet


def test_the_newer_answer_has_the_older_ones_place_and_comes_at_last() -> None:
    machine = Delivery()
    assert replay("1 ready a | 2 ready b | 20 stale 5000 a", machine) == "renew a"
    older = waiting("a", 1)
    for n in range(delivery.MAX_RENEWALS):
        newer = older.renewed_by(waiting(f"a{n}", 21))
        assert (newer.ready_at, newer.renewals) == (at(1), n + 1)
        machine.on(delivery.ReplyReady(newer))
        [effect] = machine.on(delivery.Boundary(at(21 + n), True, 5_000, stale=frozenset({newer.work_id})))
        older = newer
    assert isinstance(effect, delivery.Admit) and effect.text == "A moment ago: It is done."
    [told] = machine.on(delivery.PlaybackFinished(effect.work_id, effect.text, at(30)))
    assert isinstance(told, delivery.Delivered) and told.heard == "It is done."


def test_what_can_wait_waits_for_the_driver_and_not_for_ever() -> None:
    assert replay("20 ready w1 | 21 loaded 5000 | 25 loaded 5000 | 26 free 5000") == "admit w1"
    assert replay("20 ready w1 | 29.9 loaded 9000 | 29.9 tick") == ""
    assert replay("20 ready w1 | 30 loaded 9000") == "admit w1"
    assert replay("20 ready w1 urgent | 21 loaded 5000") == "admit w1"
    assert replay("2 ready w1 asked=1.5 | 2.1 loaded 600") == "admit w1"  # they have just asked
    assert (
        replay("20 ready late | 20.5 ready now asked=20.2 | 20.6 loaded 400 | 23 finish now | 26 free 2900")
        == "admit now | delivered now | admit late"
    )


def test_no_news_of_playback_gives_the_floor_back() -> None:
    assert (
        replay("1 ready a asked=0.9 | 1 free 100 | 10 tick | 16.1 tick | 19 free 2000")
        == "admit a | givenup a | again a | admit a"
    )
    # … and a late acknowledgment still counts, without saying it again
    assert (
        replay("1 ready a asked=0.9 | 1 free 100 | 16.1 tick | 17 finish a | 20 free 5000")
        == "admit a | givenup a | again a | delivered a"
    )


def test_acknowledgments_that_fit_nothing_are_counted() -> None:
    machine = Delivery()
    assert replay("1 finish a | 1 flush a | 1 drop a", machine) == ""
    assert machine.ignored == 3


def test_the_backlog_is_bounded_and_the_least_urgent_goes() -> None:
    machine = Delivery()
    said = replay(" | ".join(f"1 ready w{n:02} expires={60 + n}" for n in range(17)), machine)
    assert (said, machine.dropped, len(machine.pending)) == ("withdrawn w16", 1, 16)


NAMES = ("a", "b", "c")
STEPS = st.tuples(
    st.sampled_from(["ready", "free", "busy", "start", "finish", "flush", "drop", "tick", "away"]),
    st.sampled_from(NAMES),
    st.integers(0, 9_000),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STEPS, max_size=40))
def test_any_order_of_events(steps: list[tuple[str, str, int]]) -> None:
    machine, now, number = Delivery(), 0.0, 0
    admitted: dict[str, int] = {}
    over: set[str] = set()
    presenting: str | None = None
    names = dict.fromkeys(NAMES, "none")
    for word, letter, step_ms in steps:
        now += step_ms / 1000
        if word == "ready":
            number += 1
            names[letter] = f"{letter}{number}"
        name = names[letter]
        finished_acks = word == "finish"
        event: delivery.Event
        match word:
            case "ready":
                event = delivery.ReplyReady(waiting(name, now, now, now + 20))
            case "free":
                event = delivery.Boundary(at(now), True, float(step_ms))
            case "busy":
                event = delivery.Boundary(at(now), False, 0)
            case "start":
                event = delivery.Rendered(name, at(now))
            case "finish":
                event = delivery.PlaybackFinished(name, "all", at(now))
            case "flush":
                event = delivery.PlaybackFlushed(name, "some", at(now))
            case "drop":
                event = delivery.Withdraw(name, "stop", at(now))
            case "away":
                event = delivery.Away(at(now))
            case _:
                event = delivery.Tick(at(now))
        for effect in machine.on(event):
            assert effect.work_id not in over, "nothing happens to a reply that is over"
            match effect:
                case delivery.Admit():
                    assert presenting is None and word == "free"
                    presenting = effect.work_id
                    admitted[presenting] = admitted.get(presenting, 0) + 1
                    assert admitted[presenting] <= 2, "offered twice at most"
                case delivery.Delivered(late=late):
                    assert finished_acks and effect.work_id in admitted
                    presenting = presenting if late else None
                    over.add(effect.work_id)
                case delivery.GivenUp():
                    assert presenting == effect.work_id and word in ("tick", "free", "busy", "away")
                case delivery.Again():
                    assert presenting == effect.work_id
                    presenting = None
                case delivery.Expired() | delivery.Withdrawn():
                    presenting = None if presenting == effect.work_id else presenting
                    over.add(effect.work_id)
        assert (machine.presenting.work_id if machine.presenting else None) == presenting
        assert len(machine.pending) <= delivery.BACKLOG


def test_what_was_given_up_and_is_heard_after_its_deadline_was_delivered() -> None:
    """The node was killed, and the device's clock runs ahead of what the new one has of it."""
    ready = "1 ready a expires=10 asked=0.9 | 1 free 100 | 17 tick | 17.5 free 5000 | "
    assert replay(f"{ready} 30 finish a") == "admit a | givenup a | again a | delivered a"
    assert replay(f"{ready} 80 free 5000 | 81 finish a") == "admit a | givenup a | again a | expired a"


LONG = "The tyres are fine. The battery is half full, which is enough for two hundred kilometres. The boot is open."


def offered(text: str = LONG, **more: bool) -> Delivery:
    machine = Delivery()
    machine.on(delivery.ReplyReady(delivery.Waiting("a", text, "en", at(0), at(0), at(120), **more)))
    machine.on(delivery.Boundary(at(0), True, 1_000))
    return machine


def said_next(machine: Delivery, seconds: float) -> str:
    admitted = [
        effect.text for effect in machine.on(delivery.Boundary(at(seconds), True, 5_000)) if isinstance(effect, delivery.Admit)
    ]
    return admitted[0] if admitted else ""


def test_what_was_heard_is_not_said_again() -> None:
    machine = offered()
    machine.on(delivery.PlaybackFlushed("a", "The tyres are fine. The battery is half full, which", at(3), Why.LINK))
    assert said_next(machine, 6) == "which is enough for two hundred kilometres. The boot is open."
    (done,) = machine.on(delivery.PlaybackFinished("a", "which is enough for two hundred kilometres. The boot is open.", at(9)))
    assert done == delivery.Delivered("a", LONG, at(9))


def test_an_important_result_of_which_hardly_anything_was_heard_comes_after_the_new_answer() -> None:
    machine = offered(important=True)
    machine.on(delivery.PlaybackFlushed("a", "The tyres", at(1), Why.FOLLOW_UP))
    assert said_next(machine, 5) == ""  # whoever asked is still to be answered
    machine.on(delivery.ReplyReady(delivery.Waiting("b", "It is noon.", "en", at(2), at(6), at(60))))
    assert said_next(machine, 6) == "It is noon."
    machine.on(delivery.PlaybackFinished("b", "It is noon.", at(8)))
    assert said_next(machine, 11) == f"Again: {LONG}"
    (done,) = machine.on(delivery.PlaybackFinished("a", f"Again: {LONG}", at(20)))
    assert done == delivery.Delivered("a", LONG, at(20))


def test_without_a_new_answer_it_waits_a_while_and_is_offered() -> None:
    machine = offered(important=True)
    machine.on(delivery.PlaybackFlushed("a", "The tyres", at(1), Why.FOLLOW_UP))
    assert (said_next(machine, 8.9), said_next(machine, 9.1)) == ("", f"Again: {LONG}")


@pytest.mark.parametrize(
    ("why", "heard", "important", "reason"),
    [
        (Why.STOP, "The tyres", True, "stop"),
        (Why.BUTTON, "The tyres", True, "stop"),
        (Why.CORRECT, "The tyres", True, "corrected"),
        (Why.FOLLOW_UP, "The tyres are fine.", False, "cut"),
        (Why.REDIRECT, "The tyres are fine. The battery is half full,", True, "cut"),
    ],
)
def test_a_rest_that_nobody_is_owed_is_not_said_by_itself(why: Why, heard: str, important: bool, reason: str) -> None:
    machine = offered(important=important)
    assert machine.on(delivery.PlaybackFlushed("a", heard, at(3), why)) == [delivery.Withdrawn("a", reason, heard, at(3))]
    assert said_next(machine, 60) == ""


def test_a_reply_that_had_not_left_is_cut_at_once_and_one_under_way_when_the_device_says_how_far() -> None:
    machine = offered()
    assert machine.on(delivery.Interrupted(Why.STOP, at(1), frozenset({"a"}))) == [] and machine.presenting is not None
    machine = offered()
    assert machine.on(delivery.Interrupted(Why.STOP, at(1))) == [delivery.Withdrawn("a", "stop", "", at(1))]
    machine = offered()
    assert machine.on(delivery.Interrupted(Why.FOLLOW_UP, at(1))) == [delivery.Again("a", "", at(1))]
    assert machine.on(delivery.Interrupted(Why.BUTTON, at(2))) == [delivery.Withdrawn("a", "stop", "", at(2))]


def test_thirty_seconds_that_arrived_in_three_play_for_thirty() -> None:
    """The quiet timer must be fed by the ear, not by the network: all audio came at once, and rendering goes on."""
    machine = offered(LONG * 6)
    for tenth in range(1, 600):
        assert machine.on(delivery.Tick(at(tenth / 10))) == []
        machine.on(delivery.Rendered("a", at(tenth / 10), "The"))
    (done,) = machine.on(delivery.PlaybackFinished("a", LONG * 6, at(60)))
    assert isinstance(done, delivery.Delivered)


def test_a_speaker_that_stands_still_is_given_up_with_what_was_heard() -> None:
    machine = offered()
    machine.on(delivery.Tick(at(2)))
    machine.on(delivery.Rendered("a", at(2), "The tyres are fine. The"))
    assert machine.on(delivery.Tick(at(16.9))) == []
    assert machine.on(delivery.Tick(at(17.1))) == [
        delivery.GivenUp("a", at(17.1)),
        delivery.Again("a", "The tyres are fine. The", at(17.1)),
    ]
    assert said_next(machine, 20).startswith("The battery")


def test_a_link_that_is_down_gives_nothing_up() -> None:
    machine = offered()
    for minute in range(1, 5):  # nothing comes from the device: its clock, as far as we know it, stands still
        assert machine.on(delivery.Boundary(at(60 * minute), False, 0, in_touch=at(1))) == []
    (done,) = machine.on(delivery.PlaybackFinished("a", LONG, at(8)))
    assert isinstance(done, delivery.Delivered) and not done.late


def test_what_a_device_that_has_gone_was_being_told_is_pending_until_it_is_back() -> None:
    """However long; what nobody heard of expires meanwhile. When it is back it tells first what was heard after all."""
    gone = "1 ready a expires=30 asked=0.9 | 1 free 100 | 2 ready b expires=30 | 17 away | 32 away | 400 away"
    assert replay(gone) == "admit a | givenup a | again a | expired b"
    assert replay(f"{gone} | 401 finish a") == "admit a | givenup a | again a | expired b | delivered a"
    assert replay(f"{gone} | 401 free 5000") == "admit a | givenup a | again a | expired b | expired a"


def test_nothing_is_admitted_before_a_device_that_has_gone_is_back() -> None:
    machine = offered()
    machine.on(delivery.Boundary(at(5), False, 0, in_touch=at(5)))
    machine.on(delivery.Rendered("a", at(5), "The tyres are fine. The"))
    machine.on(delivery.Away(at(20)))
    for second in range(20, 40):  # what it has kept comes first: late, so that it is not in touch
        assert not any(map(_admits, machine.on(delivery.Boundary(at(second), True, 5_000, in_touch=at(5)))))
    (again,) = machine.on(delivery.Boundary(at(40), True, 5_000, in_touch=at(5.2)))
    assert isinstance(again, delivery.Admit) and again.text.startswith("The battery")


def _admits(effect: delivery.Effect) -> bool:
    return isinstance(effect, delivery.Admit)


def test_a_reply_that_waits_behind_other_words_is_not_given_up() -> None:
    machine = offered()
    for second in range(1, 40):  # a long sentence of the front-end's own is playing
        machine.on(delivery.Rendered("", at(second)))
        assert machine.on(delivery.Tick(at(second + 0.5))) == []
