"""Figures and tables of cases that were spoken: the scores of what came of the words heard, how the words were heard, and both beside the text's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ridealong.simulators.evaluation.calls.cases import Case
from ridealong.simulators.evaluation.calls.error_rates import ErrorRate
from ridealong.simulators.evaluation.calls.hearing import Heard
from ridealong.simulators.evaluation.calls.scores import Answered, figures
from ridealong.simulators.evaluation.statistics import Share
from ridealong.simulators.evaluation.tables import Table
from ridealong.simulators.replay.figures import Figure

PREFIX = "spoken."
RATES = {"en": ("word_error_rate", "word error rate, English"), "zh": ("character_error_rate", "character error rate, Chinese")}


@dataclass(frozen=True, slots=True)
class TurnHeard:
    """One turn: its words as written, and what was heard of them."""

    said: str
    locale: str
    heard: tuple[Heard, ...]

    @property
    def text(self) -> str:
        return ("" if self.locale == "zh" else " ").join(one.text for one in self.heard)


def turns_heard(case: Case, turns: Sequence[tuple[Heard, ...]]) -> list[TurnHeard]:
    return [TurnHeard(said, case.locale, heard) for said, heard in zip(case.turns, turns, strict=True)]


def spoken_figures(rows: Sequence[Answered], turns: Sequence[TurnHeard]) -> list[Figure]:
    """The text's figures by their names with "spoken." before, then those of the recogniser."""
    found = [replace(one, name=PREFIX + one.name, label=f"{one.label}, spoken") for one in figures(rows)]
    for locale, (name, label) in RATES.items():
        rate = error_rate(turns, locale)
        if rate.units:
            found.append(Figure(PREFIX + name, rate.value, "share", rate.units, label=label))
    return [*found, *(_share(name, label, share) for name, label, share in _hearing(turns))]


def error_rate(turns: Sequence[TurnHeard], locale: str) -> ErrorRate:
    return ErrorRate.of(((turn.said, turn.text) for turn in turns if turn.locale == locale), locale)


def spoken_tables(turns: Sequence[TurnHeard]) -> list[Table]:
    """How the words were heard."""
    lines = []
    for locale in sorted({turn.locale for turn in turns}):
        mine = [turn for turn in turns if turn.locale == locale]
        value = error_rate(mine, locale).value
        shares = [share.shown() for _, _, share in _hearing(mine)]
        lines.append((locale, str(len(mine)), "–" if value is None else f"{value:.3f}", *shares))
    return [Table("Turns as heard", ("", "turns", "error rate", *(label for _, label, _ in _hearing(turns))), tuple(lines), NOTE)]


def beside(text: Sequence[Figure], spoken: Sequence[Figure]) -> Table:
    """Each figure of the text with its spoken one and their ratio."""
    by_name = {figure.name: figure for figure in spoken}
    lines = []
    for figure in text:
        other = by_name[PREFIX + figure.name]
        ratio = other.value / figure.value if other.value is not None and figure.value else None
        lines.append(
            (figure.label, *(("–" if value is None else f"{value:.3f}") for value in (figure.value, other.value, ratio)))
        )
    return Table("Text and speech", ("", "text", "spoken", "ratio"), tuple(lines))


def wrong_spoken(rows: Sequence[Answered], turns: Sequence[Sequence[TurnHeard]]) -> Table:
    """What was not wholly right through speech: said, heard, and why."""
    found = [
        (row.case.id, " / ".join(row.case.turns), " / ".join(turn.text or "–" for turn in heard), "; ".join(row.matched.problems) or "nothing was called")
        for row, heard in zip(rows, turns, strict=True)
        if not row.matched.right
    ]  # fmt: skip
    return Table("Not right when spoken", ("case", "said", "heard", "why"), tuple(found))


def _hearing(turns: Sequence[TurnHeard]) -> list[tuple[str, str, Share]]:
    """(name, label, share) of turns."""
    heard = [turn for turn in turns if turn.heard]
    return [
        ("unheard", "nothing heard", Share.of(not turn.heard for turn in turns)),
        ("cut", "cut in two", Share.of(len(turn.heard) > 1 for turn in turns)),
        (
            "other_language",
            "in the other language",
            Share.of(any(one.locale != turn.locale for one in turn.heard) for turn in heard),
        ),
        ("word_for_word", "word for word", Share.of(error_rate([turn], turn.locale).errors == 0 for turn in turns)),
    ]


def _share(name: str, label: str, share: Share) -> Figure:
    low, high = share.interval or (None, None)
    return Figure(PREFIX + name, share.value, "share", share.n, low, high, label=f"turns: {label}")


NOTE = "Error rate: words (English) or characters (Chinese) put in, left out or changed, of those said; numbers spelt out. Others: share of turns."
