"""Who is taken to have said what was said to us: the device's own user, or another voice. Pure.

A car's microphone hears everybody in it, and the radio. What does not sound like the user who is known by now is nobody that we know: they may ask, and
nothing is done for them. By our name a voice that is near becomes a passenger's: who wants something of us and is not known says to whom. A soft one stays unknown, whatever it calls us:
a television knows our name, too. In a language in which the user has not been
heard yet, a near voice is the user's: prints compare badly there. A yes to our question is
short, and binds: it must sound more like the user than other words; so must what comes while others talk. Before anybody is known, whoever speaks to us is the user; what is then soft, as a
radio is, is not acted on the first time.

Does not know seats, words, or what a passenger may do (vehicle_skills/policy.py).
"""

from __future__ import annotations

from typing import Final

from ridealong.cloud.turn.addressed import OTHER_VOICE
from ridealong.cloud.turn.evidence import AMID_TALK_MS, Evidence
from ridealong.harness.skill import ANSWER_WITHIN_MS, Provenance

LIKE_THE_USER: Final = 0.68
"""Of an answer to us, and amid others' talk. Synthetic voices at 20 to 5 dB: the user's own yes .72 to .87, others' .42 to .69 (once .73)."""
NEAR_DB: Final = -32.0
"""Level of what is surely said to this microphone, by whoever sits here. Users of scenarios speak at -28 to -24 dBFS, loudspeakers are heard at -44 to -33."""
OVER_US: Final = 0.5
"""Over our speech: what is left of its echo is in the print."""
VOICE_FROM_MS: Final = 400.0
"""Less voice than this tells voices apart too badly for anything but an answer."""


def speaker(usual: Provenance, evidence: Evidence) -> Provenance:
    """`usual`: who speaks into this device as far as it says itself."""
    if usual not in (Provenance.DRIVER, Provenance.WEARER):
        return usual
    if evidence.similarity is None:
        nobody_yet = evidence.usual_level_db is None and evidence.level_db < NEAR_DB
        return Provenance.UNKNOWN if nobody_yet and not evidence.wake else usual
    binds = _answers(evidence) or evidence.ms_since_talk < AMID_TALK_MS
    if binds:
        least = LIKE_THE_USER
    elif evidence.voiced_ms < VOICE_FROM_MS:
        return usual
    else:
        least = OVER_US if evidence.overlap else OTHER_VOICE
    likeness = evidence.similarity if evidence.same_language is None else evidence.same_language
    if likeness >= least:
        return usual
    if evidence.same_language is None and not binds and evidence.level_db >= NEAR_DB:
        return usual
    named = evidence.wake and usual is Provenance.DRIVER and evidence.level_db >= NEAR_DB
    return Provenance.PASSENGER if named else Provenance.UNKNOWN


def _answers(evidence: Evidence) -> bool:
    """We have just asked something, or are just asking it."""
    asking = evidence.overlap and evidence.assistant_text.rstrip().endswith(("?", "？"))
    return asking or evidence.ms_since_question < ANSWER_WITHIN_MS
