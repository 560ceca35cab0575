"""By so much and not to so much: "turn the volume up by 20", "knock ten percent off the ambient light", 音量加20, 亮度下调百分之十. Pure.

A number with such words around it is a step, whatever a grammar or a tagger made of it. Of a skill only its contract is known (`Changes.amount` with what takes steps). Without "by" a number
behind up or down is a step only where things have no ends that people name in numbers: "my window down 20 percent" is a place, "up to 22" and 降到20 always are. Does not know skills.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ridealong.harness.car_things import ANY_EN
from ridealong.harness.changes import Amount
from ridealong.harness.follow_said import Sense
from ridealong.harness.framing import pieces
from ridealong.harness.router import Calls, Decision
from ridealong.harness.skill import Context, Match, Skill
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.text import language, plain

_MORE: Final = r"(?:another|an extra|an additional|a further|about|around) "
_N_EN: Final = rf"(?:{_MORE})?(?P<n>#)(?P<unit> ?(?:percent(?:age)?(?: points?)?|per cent|points?|degrees?(?: celsius)?|notch(?:es)?|steps?|levels?|clicks?))?"
_UP_EN: Final = r"(?:up|raise|higher|louder|warmer|brighter)"
_DOWN_EN: Final = r"(?:down|lower|drop|quieter|softer|cooler|dimmer|dim)"
_PLUS_EN: Final = r"(?:increase|add|boost|bump|open)"
_MINUS_EN: Final = r"(?:decrease|reduce|cut|close|shut)"
_SENSES_EN: Final = (
    (Sense.DOWN, _DOWN_EN), (Sense.LESS, _MINUS_EN), (Sense.UP, _UP_EN), (Sense.MORE, _PLUS_EN),
)  # fmt: skip
_BY_EN: Final = re.compile(rf"\bby {_N_EN}(?! (?:o ?clock|minutes?|hours?|seconds?|km|miles?)\b)")
_BARE_EN: Final = (
    re.compile(rf"\b(?:up|down) {_N_EN}$"),
    re.compile(rf"\b(?:raise|increase|lower|decrease|reduce|drop|cut|boost|up) (?:the |my )?{ANY_EN} {_N_EN}$"),
)
_MUCH: Final = rf"(?P<much>(?:{_MORE})?[\w.]+(?: [\w.]+){{0,2}}?)"
_OF_IT: Final = rf"(?P<thing>(?:the |my |his |her )?{ANY_EN})(?=[.! ]*$|,? (?:please|thanks|for me)\b)"
_PUT_EN: Final = (
    ("down", re.compile(rf"\b(?:take|knock|shave|cut|trim|chop|drop) {_MUCH} (?:off|from)(?: of)? {_OF_IT}", re.IGNORECASE)),
    ("up", re.compile(rf"\b(?:add|put) {_MUCH} (?:to|onto|on) {_OF_IT}", re.IGNORECASE)),
)
_ONLY_EN: Final = re.compile(_N_EN)
_TO_EN: Final = re.compile(r"\bto # ?|\bat #")

_N_ZH: Final = r"(?:个|大概|大约|约)?(?P<n>#)(?P<unit>%|个?百分点|个?点|度|[格档挡级])?"
_WAYS_ZH: Final = (
    (Sense.UP, r"调高|升高?|提高|上调|提升|往上(?:调|升|加|提)?|抬高?"), (Sense.DOWN, r"调低|降低?|下调|往下(?:调|降|减)?|压低?"),
    (Sense.MORE, r"加大?|增加|增大|调大|调亮|开大|多(?!了)"), (Sense.LESS, r"减少?|减小|减弱|调小|调暗|关小|少(?!了)|小|暗"),
)  # fmt: skip
_STEP_ZH: Final = re.compile(
    rf"(?:{'|'.join(f'(?P<{sense.name}>{words})' for sense, words in _WAYS_ZH)})(?:了|上|再)?{_N_ZH}(?!点钟|分钟|秒|小时|公里)"
)
_TO_THERE_ZH: Final = re.compile(r"[升降抬压]")
_ENDS: Final = frozenset({"opening"})
"""Of these a number without "by" says where they are to be."""
_FULL: Final = 100
_NOTCHES: Final = 3
"""Of what heats by percent so few are its notches."""


def put_plainly(text: str, locale: str) -> str:
    """ "Knock ten off the volume" as "turn the volume down by ten", "add ten to …" likewise."""
    for way, pattern in _PUT_EN if language(text, locale) == "en" else ():
        if (found := pattern.search(text)) is not None and _is_amount(plain(found["much"], "en")):
            return f"{text[: found.start()]}turn {found['thing']} {way} by {found['much']}{text[found.end() :]}"
    return text


def _is_amount(words: str) -> bool:
    """A number, and nothing but its unit."""
    numbers = find_numbers(words, "en")
    if len(numbers) != 1:
        return find_percent(words, "en") is not None or re.fullmatch(r"a (?:notch|level|step|degree|point)", words) is not None
    begin, end = numbers[0].span
    return _ONLY_EN.fullmatch(f"{words[:begin]}#{words[end:]}") is not None


def by_steps(decision: Decision, text: str, locale: str, context: Context, skills: Callable[[str], Skill | None]) -> Decision:
    """The calls that set what was to be changed by so much, as steps."""
    if not isinstance(decision, Calls):
        return decision
    cut = [piece for _, piece in pieces(text, locale)]
    words = cut if len(cut) == len(decision.matches) else [text] * len(decision.matches) if len(decision.matches) == 1 else []
    made = tuple(_stepped(one, said, locale, context, skills) for one, said in zip(decision.matches, words, strict=False))
    return replace(decision, matches=made) if words and made != decision.matches else decision


def _stepped(match: Match, words: str, locale: str, context: Context, skills: Callable[[str], Skill | None]) -> Match:
    skill = skills(match.capability)
    amount = skill.changes.amount if skill is not None and skill.changes is not None else None
    if amount is None or amount.stepped is None or amount.is_step or amount.argument not in match.arguments:
        return match
    said = _said(words, locale, amount)
    if said is None:
        return match
    sense, number, unit, ground = said
    size = amount.size(number, unit, "plain", match.arguments, context.read)
    if size is None or not size:
        return match
    less = sense is Sense.LESS or sense is (Sense.UP if amount.up_is_less else Sense.DOWN)
    capability, steps = amount.stepped
    name = next(iter(steps))
    delta = -size if less else size
    kept = {key: value for key, value in match.arguments.items() if key != amount.argument}
    grounds = {key: ground_ for key, ground_ in match.grounds.items() if key != amount.argument}
    return replace(
        match,
        capability=capability,
        arguments={**kept, name: round(delta) if amount.whole else delta},
        grounds={**grounds, name: ground},
    )


def _said(words: str, locale: str, amount: Amount) -> tuple[Sense, float, str, str] | None:
    """(which way, how much, its unit as follow_said.UNITS, the words)."""
    zh = language(words, locale) == "zh"
    form = plain(words, locale)
    share = find_percent(form, "zh" if zh else "en")
    numbers = [one for one in find_numbers(form, "zh" if zh else "en") if not one.ordinal]
    if share is not None and not share.vague and len(numbers) < 2:
        (begin, end), value = share.span, share.value
    elif share is None and len(numbers) == 1:
        (begin, end), value = numbers[0].span, numbers[0].value
    else:
        return None
    masked = f"{form[:begin]}#{form[end:]}"
    if zh:
        found = _STEP_ZH.search(masked)
        if found is None or (amount.of & _ENDS and _TO_THERE_ZH.match(found.group()) and "再" not in form):
            return None
        unit = _unit_zh(found["unit"] or "")
        sense = next(sense for sense, _ in _WAYS_ZH if found[sense.name])
    else:
        bare = not amount.of & _ENDS or re.search(r"\b(?:another|more|further|extra)\b", masked) is not None
        found = next(
            (said for form_ in (_BY_EN, *(_BARE_EN if bare else ())) if (said := form_.search(masked)) is not None), None
        )
        if found is None or _TO_EN.search(masked):
            return None
        unit = _unit_en((found["unit"] or "").strip())
        senses = [sense for sense, ways in _SENSES_EN if re.search(rf"\b{ways}\b", masked)]
        if not senses:
            return None
        sense = senses[0]
    if 0 < amount.least <= value and (zh or _BY_EN.search(masked) is None):
        return None  # "up 22": that is what people set
    if share is not None:
        unit = "percent"
    elif not unit and "warmth" in amount.of and amount.most == _FULL and value <= _NOTCHES:
        unit = "notches"
    return sense, value, unit, form


def _unit_en(unit: str) -> str:
    if unit in ("", "point", "points"):
        return ""
    return "percent" if unit.startswith("per") else "degrees" if unit.startswith("deg") else "notches"


def _unit_zh(unit: str) -> str:
    return "" if not unit or unit.endswith("点") else "percent" if unit == "%" else "degrees" if unit == "度" else "notches"
