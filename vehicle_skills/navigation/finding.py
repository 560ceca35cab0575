"""A place by its name, for one call: the place, or what is said instead: unknown, not reachable, which of two.

"Springfield" that is two places is asked about; "Missouri", "the nearer one" and "the second" then say which. Does not know geocoders, or what is done
with the place.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.skill import ANSWER_WITHIN_MS, Call, Outcome, Spoken
from ridealong.harness.slots import render
from ridealong.harness.slots.text import language
from ridealong.harness.telling import say
from ridealong.vehicle_skills.car import Read, text
from ridealong.vehicle_skills.navigation.geocoder import FAR_KM, Geocoder, One, Place, Position, Which, choose, fold
from ridealong.vehicle_skills.navigation.plan import position, unknown_sentence
from ridealong.vehicle_skills.signals import DISTANCE_UNIT

NOWHERE_NEAR_KM: Final = 500.0
"""A place without a country is of the demonstration town: farther off its distance says nothing."""
_NEARER: Final = re.compile(r"\b(?:near(?:er|est)|clos(?:er|est))\b|近")
_FARTHER: Final = re.compile(r"\b(?:farther|further|far) (?:one|away)\b|远")
_SECOND: Final = re.compile(r"\b(?:second|other|last|latter)\b|第二|后一?个|另")
_FIRST: Final = re.compile(r"\b(?:first|former)\b|第一|前一?个")
_THE_ONE: Final = re.compile(r"^(?:(?:the|that) )?(?:one )?(?:in|at|near)(?: the)? |^在?|(?:那个|的那个|的)$")
_FAULTS: Final = {
    "timeout": ("I couldn't look that up: the map service took too long.", "地图服务太久没有回应，没能查到。"),
    "unreachable": ("I can't reach the map service just now.", "现在连不上地图服务。"),
    "rubbish": ("I couldn't read the answer of the map service.", "地图服务的回答我看不懂。"),
}


async def located(call: Call, geocoder: Geocoder) -> Place | Spoken:
    """The place that is meant. Asked of the geocoder once, and a second time only where the words are no place by themselves."""
    name, locale, here = str(call.arguments["place"]), call.locale, position(call.signals.read)
    earlier = _asked_about(call)
    if earlier and (order := _order(name, fold(name) == fold(earlier))) is not None:
        found = await geocoder.search(earlier, locale, here)
        which = choose(found.hits, here)
        if isinstance(which, Which):
            return which.places[order if order < len(which.places) else 0]
        name = earlier
    else:
        found = await geocoder.search(name, locale, here)
        if earlier and not found.hits and not found.fault:
            found = await geocoder.search(f"{earlier}, {_THE_ONE.sub('', name)}", locale, here)
    if found.fault:
        return Spoken(say(*_FAULTS.get(found.fault, _FAULTS["unreachable"]), locale), Outcome.FAILED, found.fault)
    match choose(found.hits, here):
        case One(place):
            return place
        case Which(places):
            return Spoken(which_sentence(places, here, call.signals.read, locale), Outcome.ASKS, "which_place")
        case None:
            return Spoken(unknown_sentence(name, locale), Outcome.REFUSED, "unknown_place")


def _asked_about(call: Call) -> str:
    """The name that our own open question was about."""
    last = call.recent[0] if call.recent else None
    if last is None or last.outcome is not Outcome.ASKS or last.asked_ms_ago > ANSWER_WITHIN_MS:
        return ""
    place = last.arguments.get("place") if last.capability.startswith("navigation.") else None
    return place if isinstance(place, str) else ""


def _order(name: str, same: bool) -> int | None:
    """Which of the two that were told, the nearer first; None where these words say no order."""
    form = name.casefold()
    if len(form.split()) > 4 or (language(name, "en") == "zh" and len(form) > 6):
        return None
    if _FARTHER.search(form) or _SECOND.search(form):
        return 1
    return 0 if same or _NEARER.search(form) or _FIRST.search(form) else None


def which_sentence(places: tuple[Place, ...], here: Position | None, read: Read, locale: str) -> str:
    parts = []
    for place in places:
        far = _distance(place, here, read, locale)
        apart = place.apart(locale) or say("another place", "另一处", locale)
        away = (f"，{far}" if locale.startswith("zh") else f", {far} away") if far else ""
        parts.append(f"{apart}{away}" if locale.startswith("zh") else f"one in {article(apart)}{away}")
    name = places[0].name(locale)
    if locale.startswith("zh"):
        return f"有两个{name}：{'；'.join(parts)}。要去哪一个？"
    return f"There are two places called {name}: {', and '.join(parts)}. Which one?"


def called(place: Place, here: Position | None, locale: str) -> str:
    """Its name; far away, or from nowhere known, with its country."""
    far = here is None or place.km_from(here) > FAR_KM
    country = place.country(locale)
    if not far or not country:
        return place.name(locale)
    return f"{country}的{place.name(locale)}" if locale.startswith("zh") else f"{place.english} in {article(country)}"


def article(name: str) -> str:
    """ "The United States" within a sentence."""
    if re.match(r"(?:United |Philippines|Bahamas|Maldives|Dominican |Czech Republic|District of )", name):
        return f"the {name}"
    return re.sub(r"^The ", "the ", name)


def away(place: Place, here: Position | None, read: Read, locale: str) -> str:
    """ ", 3.2 kilometres away in a straight line", or nothing where that is not known or says nothing."""
    far = _distance(place, here, read, locale)
    if not far:
        return ""
    return f"，直线距离{far}" if locale.startswith("zh") else f", {far} away in a straight line"


def _distance(place: Place, here: Position | None, read: Read, locale: str) -> str:
    if here is None:
        return ""
    km = place.km_from(here)
    if km > NOWHERE_NEAR_KM and not place.country_en:
        return ""
    return render.distance(km, locale, text(read, DISTANCE_UNIT) or "KILOMETERS")
