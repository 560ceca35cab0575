"""What people say in a car, made from templates, slots and hesitations by a seed: half of it needs the harness, half does not.

    generate(Split.REPORT, seed=1) -> utterances, as many of each kind in each language

There are two sets of wordings that share no template and no slot wording: anyone who tunes uses DEVELOP, figures come from REPORT. An
utterance says what it is (`external`, `kind`, whether it is a question); it does not know routers or skills.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from random import Random
from typing import Final

import yaml

LOCALES: Final = ("en", "zh")
EXTERNAL: Final = (
    "climate", "openings", "comfort", "media", "navigation", "car_state", "look_up", "compute", "timers", "remember", "read", "watch",
)  # fmt: skip
"""Needs more than the front-end: to act, look up, compute with a tool, remember, wait, read, or know the car."""
ROUTINE: Final = (
    "greeting", "thanks", "chit_chat", "feelings", "backchannel", "repeat", "drive_comment", "to_passenger", "quoted", "negation",
    "hypothetical", "narration",
)  # fmt: skip
"""To be answered directly, or with nothing."""
FLUENT: Final = frozenset({"backchannel"})
"""Kinds too short to hesitate in."""
EACH: Final = 10
"""Utterances of a kind in a language."""
QUESTION: Final = "? "
_SLOT = re.compile(r"\{(\w+)\}")
_NUMBER = re.compile(r"[0-9A-Za-z零一二两三四五六七八九十百千]")
_PUNCTUATION = re.compile(r"[,;:!?…，；：！？。、“”]+|(?<!\d)\.|\.(?!\d)")


class Split(Enum):
    DEVELOP = "develop"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Template:
    """`asks`: a question for information, to whomever; a polite request is none."""

    words: str
    asks: bool

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(_SLOT.findall(self.words))


@dataclass(frozen=True, slots=True)
class Wordings:
    """All that one split says in one language. `before`, `inside`: hesitations."""

    locale: str
    before: tuple[str, ...]
    inside: tuple[str, ...]
    slots: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, tuple[Template, ...]]


@dataclass(frozen=True, slots=True)
class Utterance:
    text: str
    locale: str
    kind: str
    asks: bool
    template: str

    @property
    def external(self) -> bool:
        return self.kind in EXTERNAL


def wordings(split: Split, locale: str) -> Wordings:
    raw = yaml.safe_load((Path(__file__).parent / "wordings" / f"{split.value}_{locale}.yaml").read_text("utf-8"))
    return Wordings(
        locale,
        _listed(raw["hesitations"]["before"]),
        _listed(raw["hesitations"]["inside"]),
        {name: _listed(values) for name, values in raw["slots"].items()},
        {kind: tuple(map(_template, block.splitlines())) for kind, block in raw["kinds"].items()},
    )


def _listed(values: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in values.split(" / "))


def _template(line: str) -> Template:
    return Template(line.removeprefix(QUESTION).strip(), line.startswith(QUESTION))


def generate(split: Split, seed: int, each: int = EACH) -> list[Utterance]:
    """`each` different utterances of every kind in both languages: half external, half routine. The same seed gives the same."""
    found: list[Utterance] = []
    for locale in LOCALES:
        said = wordings(split, locale)
        for kind in (*EXTERNAL, *ROUTINE):
            found += _of_kind(said, kind, Random(f"{split.value} {locale} {kind} {seed}"), each)
    return found


def limited(utterances: Sequence[Utterance], limit: int, seed: int) -> list[Utterance]:
    """So many at most, half of each half, in their order. ValueError below two."""
    if limit < 2:
        raise ValueError("a balanced set holds at least two")
    random = Random(f"limit {seed}")
    chosen: set[int] = set()
    for external in (True, False):
        half = [number for number, one in enumerate(utterances) if one.external is external]
        chosen.update(random.sample(half, min(len(half), limit // 2)))
    return [utterances[number] for number in sorted(chosen)]


def _of_kind(said: Wordings, kind: str, random: Random, each: int) -> list[Utterance]:
    """Every template as often as any other, give or take one; no words twice."""
    templates = list(said.kinds[kind])
    random.shuffle(templates)
    found: dict[str, Utterance] = {}
    tries = 0
    while len(found) < each:
        template = templates[tries % len(templates)]
        tries += 1
        if tries > 50 * each:
            raise ValueError(f"{kind} in {said.locale}: the templates do not give {each} different utterances")
        text = _spoken(said, template, random, kind not in FLUENT)
        found.setdefault(_PUNCTUATION.sub("", text).casefold(), Utterance(text, said.locale, kind, template.asks, template.words))
    return list(found.values())


def _spoken(said: Wordings, template: Template, random: Random, hesitates: bool) -> str:
    text = _SLOT.sub(lambda slot: random.choice(said.slots[slot[1]]), template.words)
    how = random.choices(("fluent", "before", "inside", "again"), (60, 16, 12, 12))[0] if hesitates else "fluent"
    zh = said.locale == "zh"
    match how:
        case "before":
            before = random.choice(said.before)
            text = f"{before}{text}" if zh else f"{before} {text}"
        case "inside":
            text = _inside(text, random.choice(said.inside), zh)
        case "again":
            text = _again(text, zh)
    return _written(text, template.asks, zh, bare=random.random() < 0.3)


def _inside(text: str, hesitation: str, zh: bool) -> str:
    """After the first words; in Chinese after the first two characters."""
    if zh:
        return f"{text[:2]}，{hesitation}，{text[2:].lstrip('，')}" if len(text) > 5 and not _NUMBER.search(text[:3]) else text
    words = text.split(" ")
    at = min(2, len(words) - 1)
    return " ".join([*words[:at], f"{hesitation},", *words[at:]]) if at else text


def _again(text: str, zh: bool) -> str:
    """The beginning twice, as somebody who starts anew."""
    if zh:
        return f"{text[:2]}，{text}" if len(text) > 5 and not _NUMBER.search(text[:3]) and "，" not in text[:3] else text
    words = text.split(" ")
    return f"{words[0].rstrip(',')}, {text}" if len(words) > 3 and not words[0].endswith(",") else text


def _written(text: str, asks: bool, zh: bool, bare: bool) -> str:
    """With a capital and a full stop, or bare, as recognisers write that leave both out."""
    if bare:
        return _PUNCTUATION.sub("", text) if zh else " ".join(_PUNCTUATION.sub(" ", text).split())
    end = ("？" if zh else "?") if asks else ("。" if zh else ".")
    return text[0].upper() + text[1:] + end


__all__ = [
    "EACH", "EXTERNAL", "LOCALES", "ROUTINE", "Split", "Template", "Utterance", "Wordings", "generate", "limited", "wordings",
]  # fmt: skip
