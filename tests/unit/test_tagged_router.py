"""The grammar's and the tagger's opinion made one: who is believed when, and what neither may do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing, Router
from ridealong.harness.skill import Context, Match, Outcome, Provenance, Recent
from ridealong.harness.tagged import Offered, Stretch
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY = builtin_registry()
READ = RecordingPort(car_at(0), Provenance.DRIVER).read


@dataclass(frozen=True)
class Told:
    """A tagger that knows the built-in skills and says what it is told."""

    stretches: tuple[Stretch, ...]
    capabilities: frozenset[str] = frozenset(skill.name for skill in REGISTRY)

    def __call__(self, text: str) -> tuple[Stretch, ...]:
        return self.stretches


def decide(
    text: str,
    tags: Sequence[tuple[str, str, float]],
    *,
    by: Provenance = Provenance.DRIVER,
    recent: tuple[Recent, ...] = (),
    registry: Registry = REGISTRY,
) -> Decision:
    """`tags`: (label, words of the text, share)."""
    stretches = tuple(
        Stretch(label, words, (text.index(words), text.index(words) + len(words)), share) for label, words, share in tags
    )
    router = TaggedRouter(Router(registry), Told(stretches))
    return router.decide(text, "en", Context(recent=recent, provenance=by, read=READ), by)


def named(decision: Decision) -> list[tuple[str, dict[str, object]]]:
    assert isinstance(decision, Calls), decision
    return [(match.capability, dict(match.arguments)) for match in decision.matches]


def test_what_the_grammar_does_not_know_is_taken_from_the_tagger() -> None:
    text = "windscreen's all fogged up, clear it please"
    assert named(decide(text, [("climate.switch/front_defroster/on", text, 0.9)])) == [
        ("climate.switch", {"thing": "front_defroster", "on": True})
    ]


def test_several_stretches_are_several_calls_in_order() -> None:
    text = "back windows down, fronts up"
    made = named(
        decide(text, [("windows.set_position/open", "back windows down", 0.9), ("windows.set_position/close", "fronts up", 0.9)])
    )
    assert made == [
        ("windows.set_position", {"position": 100, "zone": "row2"}),
        ("windows.set_position", {"position": 0, "zone": "row1"}),
    ]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("navigation.set_destination", "Er, what time will we get to the nearest bakery?"),
        ("navigation.set_destination", "我们几点能到首都机场三号航站楼"),
        ("navigation.set_destination", "呃，教堂街的药店今天几点关门？"),
        ("climate.set_temperature/value", "how long until it's 22 in here"),
    ],
)
def test_what_asks_for_a_time_sets_nothing(label: str, text: str) -> None:
    assert not isinstance(decide(text, [(label, text, 0.99)]), Calls)


def test_a_question_word_in_a_stretch_of_its_own_still_asks() -> None:
    text = "Er, what time will we get to the nearest bakery?"
    tags = [("chat", "Er, what time", 0.5), ("navigation.set_destination", "will we get to the nearest bakery?", 0.9)]
    assert not isinstance(decide(text, tags), Calls)


def test_asking_for_the_way_sets_the_destination() -> None:
    text = "how do I get to the nearest pharmacy"
    assert named(decide(text, [("navigation.set_destination", text, 0.9)])) == [
        ("navigation.set_destination", {"place": "nearest pharmacy"})
    ]


def test_what_was_taken_back_is_not_done() -> None:
    text = "open the boot no sorry close the boot"
    tags = [("superseded", "open the boot", 0.9), ("trunk.close", "close the boot", 0.9)]
    assert named(decide(text, tags)) == [("trunk.close", {"confirmed": False})]


def test_a_fragment_behind_a_request_is_about_that_request() -> None:
    text = "open my window and the other side too"
    tags = [("windows.set_position/open", "open my window", 0.95), ("fragment", "and the other side too", 0.9)]
    assert [arguments["zone"] for _, arguments in named(decide(text, tags))] == ["row1.driver", "row1.passenger"]


@pytest.mark.parametrize("by", [Provenance.OVERHEARD, Provenance.SEEN])
def test_nothing_that_was_overheard_or_seen_is_done_however_sure_the_tagger_is(by: Provenance) -> None:
    text = "whack the boot open"
    assert isinstance(decide(text, [("trunk.open", text, 0.99)], by=by), Nothing)


def test_a_question_never_acts_in_the_car() -> None:
    text = "is the window open"
    assert not isinstance(decide(text, [("windows.set_position/open", text, 0.99)]), Calls) or named(
        decide(text, [("windows.set_position/open", text, 0.99)])
    )[0][0].startswith("status.")


def test_the_tagger_rules_out_what_the_grammar_takes_for_a_request() -> None:
    text = "open the window"
    assert named(decide(text, [("told", text, 0.6)])) == [("windows.set_position", {"position": 100, "zone": "row1.driver"})]
    assert decide(text, [("told", text, 0.97)]) == Nothing("reported")
    assert decide(text, [("unsupported", text, 0.97)]) == ChitChat("unsupported")


def test_later_is_refused_and_not_done_now() -> None:
    text = "open the window when we stop"
    decision = decide(text, [("later", text, 0.97)])
    assert isinstance(decision, AskBack) and decision.reason == "later" and "later" in decision.question
    assert isinstance(decide(text, [("windows.set_position/open", text, 0.97)]), AskBack)
    by_grammar_alone = decide(text, [])
    assert isinstance(by_grammar_alone, AskBack) and by_grammar_alone.reason == "later"


@pytest.mark.parametrize(
    "text", ["tell me when the battery is below 20 percent", "set a timer for ten minutes", "close the window when you can"]
)
def test_what_is_no_act_put_off_is_done(text: str) -> None:
    assert isinstance(decide(text, []), Calls)


def test_an_unsure_stretch_is_not_acted_on() -> None:
    text = "I fancy a bit of that"
    assert not isinstance(decide(text, [("windows.move/open", text, 0.3)]), Calls)


def test_a_hint_needs_more_than_a_request_in_so_many_words() -> None:
    text = "this is like an oven"
    assert not isinstance(decide(text, [("climate.change_temperature/cooler", text, 0.5)]), Calls)
    assert named(decide(text, [("climate.change_temperature/cooler", text, 0.8)]))[0][0] == "climate.change_temperature"
    assert not isinstance(decide("the window, please", [("windows.set_position/open", "the window, please", 0.5)]), Calls)


def test_a_reason_beside_a_command_is_not_done_too() -> None:
    text = "Fan off, it's making a racket."
    tags = [("climate.set_fan/off", "Fan off", 0.9), ("climate.set_fan/less", "it's making a racket", 0.9)]
    assert named(decide(text, tags)) == [("climate.set_fan", {"speed": 0})]


def test_wrong_behind_a_request_is_about_the_request() -> None:
    asked = Recent("climate.switch", {"thing": "front_defroster", "on": True}, Outcome.COMPLETED, 4_000.0)
    text = "wrong, the back one"
    assert named(decide(text, [("watch.wrong", text, 0.9)], recent=(asked,))) == [
        ("climate.switch", {"thing": "rear_defroster", "on": True})
    ]
    assert named(decide(text, [("watch.wrong", text, 0.9)]))[0][0] == "watch.wrong"


def test_a_sure_reading_of_the_grammar_is_not_given_up_for_an_unsure_one() -> None:
    text = "Set the temperature to 21 degrees."
    assert named(decide(text, [("climate.set_fan/value", text, 0.5)]))[0][0] == "climate.set_temperature"
    assert named(decide(text, [("climate.set_temperature/value", text, 0.6)]))[0][1]["target"] == 21


def test_the_answer_to_our_own_question_is_read_by_the_grammar() -> None:
    asked = Recent("trunk.open", {"confirmed": False}, Outcome.ASKS, 3_000.0)
    assert named(decide("yes", [("chat", "yes", 0.99)], recent=(asked,))) == [("trunk.open", {"confirmed": True})]


def test_what_is_missing_is_asked_for() -> None:
    text = "climate please, warm"
    decision = decide(text, [("climate.set_temperature/value", text, 0.9)])
    assert isinstance(decision, AskBack) and decision.match is not None and decision.match.missing == ("target",)


def test_a_label_of_a_skill_that_is_not_there_asks_for_nothing() -> None:
    text = "blow the horn twice"
    assert not isinstance(decide(text, [("horn.blow", text, 0.99)]), Calls)


@pytest.mark.parametrize("label", ["unsupported", "told", "climate.set_fan/off"])
def test_a_skill_that_the_tagger_has_never_heard_of_is_the_grammars(label: str) -> None:
    known = REGISTRY.get("trunk.open")
    assert known is not None
    diffuser = replace(
        known, name="diffuser.puff", group="diffuser", understand=None, arguments_schema={"type": "object", "properties": {}, "additionalProperties": False},
        recognise=lambda text, locale, context: Match("diffuser.puff", 0.9) if "puff" in text else None,
    )  # fmt: skip
    text = "give us a puff of pine"
    decision = decide(text, [(label, text, 0.99)], registry=Registry([*REGISTRY, diffuser]))
    assert named(decision) == [("diffuser.puff", {})]


def test_the_opposite_of_the_grammars_reading_is_not_done() -> None:
    text = "it's stuffy in here"
    (cooler,) = named(decide(text, [("climate.change_temperature/warmer", text, 0.95)]))
    assert isinstance(cooler[1]["delta"], float) and cooler[1]["delta"] < 0


def test_what_the_speaker_takes_back_is_not_done_though_the_grammar_reads_both() -> None:
    text = "open the window, no wait, the boot"
    tags = [("superseded", "open the window,", 0.85), ("trunk.open", "no wait, the boot", 0.33)]
    assert named(decide(text, tags)) == [("trunk.open", {"confirmed": False})]


def test_a_request_whose_words_say_too_little_does_not_push_out_what_the_grammar_found() -> None:
    text = "open the window and close the boot"
    tags = [("windows.set_position/fragment", "open the window", 0.95), ("trunk.close", "close the boot", 0.95)]
    assert {name for name, _ in named(decide(text, tags))} == {"windows.set_position", "trunk.close"}


def test_stop_stays_stop() -> None:
    assert decide("stop", [("trunk.open", "stop", 0.99)]) == Nothing("stop")


@pytest.mark.parametrize("asks, decision", [(0.9, ChitChat("unsupported")), (0.5, Nothing("not_a_request"))])
def test_words_that_ask_for_something_are_handed_on_although_nobody_knows_for_what(asks: float, decision: Decision) -> None:
    text = "bear the blue bay by the lifts in mind"
    stretch = Stretch("told", text, (0, len(text)), 0.2, asks)
    router = TaggedRouter(Router(REGISTRY), Told((stretch,)))
    assert router.decide(text, "en", Context(provenance=Provenance.DRIVER, read=READ), Provenance.DRIVER) == decision


def test_one_more_thing_of_the_verb_before_it_is_asked_for_too() -> None:
    text = "turn off the AC and the fan"
    tags = [("climate.switch/air_conditioning/off", "turn off the AC", 0.99), ("climate.set_fan/off", "and the fan", 0.59)]
    assert [name for name, _ in named(decide(text, tags))] == ["climate.switch", "climate.set_fan"]


@pytest.mark.parametrize("text", ["open the window for 30 seconds", "open the window in ten minutes"])
def test_a_time_that_was_taken_for_no_amount_is_refused_and_not_asked_about(text: str) -> None:
    decision = decide(text, [("later", text, 0.9)])
    assert isinstance(decision, AskBack)
    assert decision.match is None and decision.reason in ("later", "for_a_while")


def test_what_is_taken_back_in_the_same_breath_is_not_begun() -> None:
    text = "close the windows, never mind"
    assert decide(text, [("windows.set_position/close", "close the windows", 0.9)]) == Nothing("negated")


@pytest.mark.parametrize(
    ("text", "label", "missing"),
    [
        ("close one of the windows", "windows.set_position/close", "zone"),
        ("close half the windows", "windows.set_position/close", "zone"),
        ("open everything", "windows.set_position/open", "zone"),
        ("turn everything on", "climate.switch/air_conditioning/on", "thing"),
        ("open my window, not all the way", "windows.set_position/open", "position"),
    ],
)
def test_what_names_no_one_thing_is_asked_about(text: str, label: str, missing: str) -> None:
    decision = decide(text, [(label, text, 0.95)])
    assert isinstance(decision, AskBack) and decision.match is not None
    assert decision.match.missing == (missing,)
    assert missing not in decision.match.arguments


def test_half_the_windows_is_no_position() -> None:
    decision = decide("close half the windows", [("windows.set_position/close", "close half the windows", 0.95)])
    assert isinstance(decision, AskBack) and decision.match is not None
    assert decision.match.arguments["position"] == 0


def test_a_no_before_all_the_way_is_no_part_of_it() -> None:
    recent = (Recent("windows.set_position", {"position": 50, "zone": "row1.driver"}, Outcome.COMPLETED, 2_000.0),)
    for text in ("no, all the way", "不，全开"):
        assert named(decide(text, [("fragment", text, 0.9)], recent=recent)) == [
            ("windows.set_position", {"position": 100, "zone": "row1.driver"})
        ]


@pytest.mark.parametrize(
    ("text", "calls"), [("undo that", [("navigation.stop", {})]), ("the other way round", []), ("again", [])]
)
def test_words_about_the_request_before_are_no_name_of_a_place(text: str, calls: list[tuple[str, object]]) -> None:
    last = Recent("navigation.set_destination", {"place": "airport"}, Outcome.COMPLETED, 5_000.0)
    decision = decide(text, [("fragment", text, 0.97)], recent=(last,))
    assert (named(decision) if isinstance(decision, Calls) else []) == calls
    assert named(decide("the station", [("fragment", "the station", 0.97)], recent=(last,)))[0][0] == "navigation.set_destination"


def test_what_asks_for_a_skill_that_is_not_there_asks_for_none() -> None:
    def tags(text: str) -> tuple[Stretch, ...]:
        return (Stretch("phone.call", text, (0, len(text)), 0.9, 0.95), Stretch("told", text, (0, 1), 0.9, 0.1))

    tags.capabilities = frozenset({"phone.call"})  # type: ignore[attr-defined]
    labels = [
        [stretch.label for stretch in Offered(tags, there)("call mum")] for there in (lambda name: False, lambda name: True)
    ]  # type: ignore[arg-type]
    assert labels == [["unsupported", "told"], ["phone.call", "told"]]
