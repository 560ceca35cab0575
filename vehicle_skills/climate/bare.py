"""A temperature and whose it is, and no more: "my side nineteen", "21 for the passenger", "twenty two left", 副驾二十三度. Pure.

The grammar of plan.py wants a verb or a noun; here the place and the number say it together. Does not know several of them in one sentence: each is a
piece of its own (framing.segments).
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.temperature import Target, as_target, find_temperatures
from ridealong.harness.slots.zones import find_zones, place_spans
from ridealong.vehicle_skills.car import drive_side, speaker, temperature_unit
from ridealong.vehicle_skills.climate.heating import recognise_set
from ridealong.vehicle_skills.climate.plan import SET

SCORE: Final = 0.8
_REST_EN: Final = re.compile(
    r"(?:\s|\b(?:set|put|make|have|keep|it|was|is|the|to|at|on|for|with|and|but|no|okay|ok|so|um|uh|please|thanks|then|degrees?|celsius|just|about|i|want|would|like|meant|said)\b)*"
)
_REST_ZH: Final = re.compile(r"(?:给|把|要|就|来|调|设|成|到|为|的|是|那|吧|度|先|也|,)*")


def recognise(text: str, locale: str, context: Context) -> Match | None:
    """As heating.recognise_set; else a place with its number alone."""
    found = recognise_set(text, locale, context)
    alone = _alone(text, locale, context) if found is None or found.score < SCORE and not found.missing else None
    return alone or found


def _alone(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if reading.frame.question:
        return None
    form = reading.frame.text
    temperatures, places = find_temperatures(form, reading.locale), place_spans(form, reading.locale)
    zones = find_zones(form, reading.locale, drive_side(context.read), speaker(context), row1_only=True)
    if len(temperatures) != 1 or len(places) != 1 or zones is None or not zones.certain or len(zones.names) != 1:
        return None
    (begin, end), (start, last) = sorted((temperatures[0].span, places[0]))
    rest = f"{form[:begin]} {form[end:start]} {form[last:]}"
    if end > start or (_REST_ZH if reading.zh else _REST_EN).fullmatch(rest.replace(" ", "") if reading.zh else rest) is None:
        return None
    target = as_target(temperatures[0], temperature_unit(context.read), reading.locale)
    if not isinstance(target, Target) or not zones.names[0].startswith("row1"):
        return None
    return Match(SET, SCORE, {"target": target.celsius, "zone": zones.names[0]}, {"target": target.words, "zone": zones.words})
