"""Recognition as data: sentences with slots, in both languages, through the router's own rules."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.patterns import PatternError, Patterns, patterns
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.skill import Call, Context, Match, Outcome, Provenance, Recent, Skill, Spoken

pytestmark = pytest.mark.unit

SCENT = patterns(
    "scent.set",
    en=("set the (scent|fragrance) to {level:percent}", "make it smell of {kind:choice} [for {time_s:duration}]", "scent [the car] with {note:text}"),
    zh=("香氛调到{level:percent}", "换成{kind:choice}味"),
    required=("level",),
    questions={"en": "How strong?", "zh": "调到多少？"},
    choices={"kind": {"pine": "pine", "Lemon Grass": "lemon", "松树": "pine"}},
    defaults={"zone": "all"},
)  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {
        "level": {"type": "integer", "minimum": 0, "maximum": 100},
        "kind": {"type": "string", "enum": ["pine", "lemon"]},
        "time_s": {"type": "integer", "minimum": 1, "maximum": 7200},
        "note": {"type": "string", "description": "any"},
        "zone": {"type": "string", "enum": ["all"]},
    },
    "additionalProperties": False,
}


async def run(call: Call) -> Spoken:
    return Spoken("x")


ROUTER = Router(Registry([Skill("scent.set", "sets the scent", run, SCENT, "climate", SCHEMA, {}, actuates=("Vehicle.A.B",))]))


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("Set the scent to thirty percent.", {"level": 30}),
        ("please set the fragrance to 45%", {"level": 45}),
        ("Could you set the scent to 12.5 percent?", {"level": 12.5}),
        ("make it smell of lemon grass", {"kind": "lemon"}),
        ("make it smell of pine for half an hour", {"kind": "pine", "time_s": 1800}),
        ("scent with a touch of the sea", {"note": "a touch of the sea"}),
        ("scent the car with roses", {"note": "roses"}),
        ("香氛调到百分之三十", {"level": 30}),
        ("换成松树味", {"kind": "pine"}),
    ],
)
def test_words_become_arguments_with_their_grounds(words: str, arguments: dict[str, object]) -> None:
    match = SCENT(words, "zh" if words[0] > "z" else "en", Context())
    assert match is not None and match.arguments == {**arguments, "zone": "all"} and match.score == 0.9
    assert match.grounds["zone"] == "default:all" and all(match.grounds[name] for name in arguments)


@pytest.mark.parametrize(
    "words", ["set the scent", "make it smell of petrol", "set the heat to thirty percent", "scent", "", "设置温度"]
)
def test_what_is_no_such_sentence_is_no_match(words: str) -> None:
    assert SCENT(words, "en", Context()) is None


def test_other_words_around_it_lower_the_score() -> None:
    plain, among = SCENT("scent with roses", "en", Context()), SCENT("she wrote novels and scent with roses", "en", Context())
    assert plain is not None and among is not None and among.score < 0.55 < plain.score


def test_the_router_asks_for_what_is_missing_and_takes_the_bare_answer() -> None:
    asked = ROUTER.decide("make it smell of pine", "en", Context(), Provenance.DRIVER)
    assert isinstance(asked, AskBack) and asked.question == "How strong?" and asked.match is not None
    recent = Recent("scent.set", asked.match.arguments, Outcome.ASKS, 2_000)
    answered = ROUTER.decide("forty percent", "en", Context(recent=(recent,)), Provenance.DRIVER)
    assert isinstance(answered, Calls)
    assert answered.matches[0].arguments == {"kind": "pine", "zone": "all", "level": 40}


def test_an_answer_is_only_one_while_it_is_asked_for() -> None:
    assert SCENT("forty percent", "en", Context()) is None
    late = Recent("scent.set", {}, Outcome.ASKS, 60_000)
    other = Recent("fan.set", {}, Outcome.ASKS, 1_000)
    assert all(SCENT("forty percent", "en", Context(recent=(one,))) is None for one in (late, other))


def test_a_value_outside_the_schema_leads_to_a_question_not_to_a_call() -> None:
    decision = ROUTER.decide("set the scent to 12.5 percent", "en", Context(), Provenance.DRIVER)
    assert isinstance(decision, AskBack)


def test_the_guards_of_the_router_hold() -> None:
    for words in ("don't set the scent to thirty percent", "she said set the scent to thirty percent"):
        assert not isinstance(ROUTER.decide(words, "en", Context(), Provenance.DRIVER), Calls)


def test_as_data_it_is_the_same() -> None:
    again = Patterns.from_data(json.loads(json.dumps(SCENT.as_data())))
    assert again.as_data() == SCENT.as_data()
    for words in ("set the scent to thirty percent", "make it smell of pine for two minutes", "nothing"):
        assert again(words, "en", Context()) == SCENT(words, "en", Context())


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("{level:percent}", "bare slot"), ("[set] {level:percent}", "bare slot"), ("set {level:regex}", "kind 'regex'"), ("set {kind:choice}", "no words"),
        ("say {x:text} now", "something behind a text"), ("set (a|b", "can't be read"), ("set {level}", "can't be read"), ("", "can't be read"), ("x" * 201, "too long"),
        ("a (b|c|d|e) (b|c|d|e) (b|c|d|e) (b|c|d|e)", "more than 64"), ("a {a:number} {b:number} {c:number} {d:number} {e:number}", "more than 4"),
    ],
)  # fmt: skip
def test_a_wrong_pattern_is_refused_at_once(sentence: str, says: str) -> None:
    with pytest.raises(PatternError, match=says):
        patterns("a.b", en=(sentence,))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(list(SCENT.as_data()) + ["en", "zh", "x"]), inner, max_size=6),
    max_leaves=20,
)  # fmt: skip


@given(json_values)
def test_data_of_a_strangers_is_taken_or_refused_and_nothing_else(data: object) -> None:
    try:
        made = Patterns.from_data(data)
    except PatternError:
        return
    match = made("set the scent to thirty percent", "en", Context())
    assert match is None or isinstance(match, Match)


@given(st.text(alphabet="a ", max_size=300))
def test_long_words_cost_little(words: str) -> None:
    greedy = patterns("a.b", en=("[a] [a] [a] [a] {x:number} a {y:number} a {z:number} a",))
    assert greedy(words, "en", Context()) is None


# --- what another call finds -------------------------------------------------------------------------------------------

FIND = patterns("lot.find", en=("find [a] parking [space]",), zh=("找个停车位",))
BOOK = patterns(
    "lot.book", en=("book {place:found} [for {hours:number} hours]", "book {place:choice}"), zh=("预订{place:found}",), required=("place",),
    questions={"en": "Which one?", "zh": "订哪个？"}, choices={"place": {"the lake": "lake"}}, found={"place": ("lot.find",)},
)  # fmt: skip
PLACE = {
    "type": "object", "properties": {"place": {"type": "string", "enum": ["lake", "hill"]}, "hours": {"type": "number"}}, "required": ["place"], "additionalProperties": False,
}  # fmt: skip
LOTS = Router(
    Registry(
        [
            Skill("lot.find", "finds", run, FIND, "status", {"type": "object", "properties": {}, "additionalProperties": False}, {}, gives=("place",)),
            Skill("lot.book", "books", run, BOOK, "status", PLACE, {}),
        ]
    )
)  # fmt: skip


@pytest.mark.parametrize(("words", "locale"), [("find parking and book it", "en"), ("找个停车位，然后预订那个", "zh")])
def test_a_call_takes_what_an_earlier_one_of_the_sentence_finds(words: str, locale: str) -> None:
    decision = LOTS.decide(words, locale, Context(), Provenance.DRIVER)
    assert isinstance(decision, Calls)
    finds, books = decision.matches
    assert (finds.capability, books.capability, books.after, dict(books.arguments)) == ("lot.find", "lot.book", (0,), {})
    assert books.grounds == {"place": "result:place"} and books.missing == ()


@pytest.mark.parametrize(
    ("capability", "gave", "ago_ms", "takes"),
    [("lot.find", {"place": "hill"}, 4_000.0, True), ("lot.find", {"place": "hill"}, 70_000.0, False), ("lot.find", {}, 4_000.0, False),
     ("other.find", {"place": "hill"}, 4_000.0, False), ("lot.find", {"place": "somewhere"}, 4_000.0, False)],
)  # fmt: skip
def test_it_is_what_the_last_request_found(capability: str, gave: dict[str, object], ago_ms: float, takes: bool) -> None:
    context = Context(recent=(Recent(capability, {}, Outcome.COMPLETED, ago_ms, gave=gave),))
    decision = LOTS.decide("book that one for two hours", "en", context, Provenance.DRIVER)
    if takes:
        assert isinstance(decision, Calls) and decision.matches[0].arguments == {"place": "hill", "hours": 2}
    else:
        assert not isinstance(decision, Calls)


def test_where_nothing_was_found_it_is_asked_for_and_other_ways_to_say_it_go_on() -> None:
    asked = LOTS.decide("book it", "en", Context(), Provenance.DRIVER)
    assert isinstance(asked, AskBack) and asked.question == "Which one?"
    named = LOTS.decide("book the lake", "en", Context(), Provenance.DRIVER)
    assert isinstance(named, Calls) and named.matches[0].arguments == {"place": "lake"}
    assert Patterns.from_data(json.loads(json.dumps(BOOK.as_data()))) == BOOK


def test_a_pattern_that_takes_from_nowhere_or_twice_is_refused() -> None:
    with pytest.raises(PatternError, match="names no skill"):
        patterns("x.y", en=("book {place:found}",))
    with pytest.raises(PatternError, match="more than one slot of kind found"):
        patterns("x.y", en=("book {a:found} and {b:found}",), found={"a": ("x.z",), "b": ("x.z",)})
    with pytest.raises(PatternError, match="texts"):
        Patterns.from_data(BOOK.as_data() | {"found": {"place": [1]}})
