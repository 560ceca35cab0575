"""The generated set of `eval delegation`: balanced, the same for the same seed, and its two splits share no wording."""

from __future__ import annotations

from collections import Counter

import pytest

from ridealong.simulators.evaluation.delegation.utterances import (
    EXTERNAL,
    LOCALES,
    ROUTINE,
    Split,
    Utterance,
    generate,
    limited,
    wordings,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("split", Split)
@pytest.mark.parametrize("seed", (1, 7))
def test_half_is_external_in_both_languages_and_every_kind_is_as_frequent(split: Split, seed: int) -> None:
    found = generate(split, seed)
    assert len(found) >= 400
    assert sum(one.external for one in found) * 2 == len(found)
    assert len(EXTERNAL) == len(ROUTINE) and not set(EXTERNAL) & set(ROUTINE)
    assert set(Counter((one.locale, one.kind) for one in found).values()) == {len(found) // (2 * len(EXTERNAL + ROUTINE))}
    assert len({(one.locale, one.text.casefold()) for one in found}) == len(found)


def test_a_seed_gives_the_same_and_another_seed_others() -> None:
    assert generate(Split.REPORT, 3) == generate(Split.REPORT, 3)
    assert {one.text for one in generate(Split.REPORT, 3)} != {one.text for one in generate(Split.REPORT, 4)}


@pytest.mark.parametrize("locale", LOCALES)
def test_the_splits_share_no_template_no_slot_wording_and_no_hesitation(locale: str) -> None:
    develop, report = (wordings(split, locale) for split in (Split.DEVELOP, Split.REPORT))

    def apart(of: list[set[str]]) -> bool:
        first, second = ({" ".join(text.casefold().split()) for text in side} for side in of)
        return bool(first) and bool(second) and not first & second

    assert apart([{one.words for kind in side.kinds.values() for one in kind} for side in (develop, report)])
    assert apart([{value for values in side.slots.values() for value in values} for side in (develop, report)])
    assert apart([set(side.before + side.inside) for side in (develop, report)])
    for seed in (1, 2, 3):
        assert apart([{one.text for one in generate(split, seed) if one.locale == locale} for split in Split])


@pytest.mark.parametrize("split", Split)
@pytest.mark.parametrize("locale", LOCALES)
def test_every_slot_is_filled_and_every_kind_has_templates(split: Split, locale: str) -> None:
    said = wordings(split, locale)
    assert set(said.kinds) == {*EXTERNAL, *ROUTINE}
    assert min(len(kind) for kind in said.kinds.values()) >= 8
    used = {slot for kind in said.kinds.values() for one in kind for slot in one.slots}
    assert used == set(said.slots) and all(value for values in said.slots.values() for value in values)
    mine = [one.text for one in generate(split, 1) if one.locale == locale]
    assert not any(mark in text for text in mine for mark in "{}|")


def test_questions_are_marked_and_polite_requests_are_none() -> None:
    marked = {one.template: one.asks for split in Split for one in generate(split, 1)}
    assert marked["are any of the windows still open"] and marked["还剩多少电"] and marked["{name}, did you bring the {snack}"]
    assert not marked["could you close all the windows"] and not marked["所有车窗都关上好吗"]


def test_a_limit_keeps_the_balance_and_the_order() -> None:
    everything = generate(Split.DEVELOP, 1)
    some = limited(everything, 31, 5)
    assert len(some) == 30 and sum(one.external for one in some) == 15
    assert some == [one for one in everything if one in some] and limited(everything, 31, 5) == some
    assert len(limited(everything, 10_000, 5)) == len(everything)
    with pytest.raises(ValueError):
        limited(everything, 1, 5)


@pytest.mark.parametrize("split", Split)
def test_hesitations_change_no_number(split: Split) -> None:
    """A stammer within a number would be another number: "ninety, ninety-five" without its comma."""
    sums = wordings(split, "zh").slots["sum"]
    first = [
        one for seed in range(12) for one in generate(split, seed) if one.locale == "zh" and one.template.startswith("{sum}")
    ]
    assert len(first) > 20
    for one in first:
        bare = one.text.replace("，", "")
        assert any(value in bare and not bare[: bare.index(value)].endswith(tuple(value)) for value in sums), one.text


def test_an_utterance_knows_its_half() -> None:
    assert Utterance("x", "en", "climate", False, "x").external and not Utterance("x", "en", "quoted", False, "x").external
