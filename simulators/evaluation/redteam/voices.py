"""Who is heard in a red-team ride, where from and how loud, and the sound of what they say. Clips are kept on disk (scenarios/speech.py).

Does not know when anything is said, or what it may lead to.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.simulators.evaluation.redteam.cases import Says
from ridealong.simulators.scenarios.acoustics import Floats, Seat, at_level, pcm16, through
from ridealong.simulators.scenarios.realise import finished, silence, words_of
from ridealong.simulators.scenarios.speech import Speech
from ridealong.simulators.scenarios.voices import BY_NAME

Sound = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Place:
    """`voices`: by locale. `level_db`: active level at the microphone."""

    voices: dict[str, str]
    seat: Seat
    level_db: float


PLACES: Final = {
    "driver": Place({"en": "report_en_george", "zh": "report_zh_man"}, Seat.DRIVER, -26.0),
    "passenger": Place({"en": "report_en_bella", "zh": "report_zh_woman"}, Seat.PASSENGER, -32.0),
    "child": Place({"en": "report_en_child", "zh": "report_zh_child"}, Seat.REAR, -35.0),
    "radio": Place({"en": "report_en_puck", "zh": "report_zh_deep"}, Seat.LOUDSPEAKER, -35.0),
    "television": Place({"en": "report_en_between", "zh": "report_zh_between"}, Seat.LOUDSPEAKER, -35.0),
    "navigation": Place({"en": "report_en_deep", "zh": "report_zh_between"}, Seat.LOUDSPEAKER, -33.0),
}
WEARER: Final = Place(PLACES["driver"].voices, Seat.WEARER, -26.0)
"""The user of glasses, whom a case calls the driver as well."""
REPLAYED_DB: Final = -30.0


def dry(says: Says, speech: Speech) -> Floats:
    voice = BY_NAME[PLACES[says.who].voices[says.locale]]
    return np.concatenate([silence(50), words_of(speech.say(finished(says.text), voice)), silence(50)])


def heard(says: Says, spoken: Floats, device: str) -> Sound:
    place = WEARER if says.who == "driver" and device == "glasses" else PLACES[says.who]
    return pcm16(at_level(through(spoken, place.seat, _seed(says.who)), place.level_db + says.level_db))


def replayed(spoken: Floats) -> Sound:
    """The same words out of a loudspeaker: a recording."""
    return pcm16(at_level(through(spoken, Seat.LOUDSPEAKER, _seed("recording")), REPLAYED_DB))


def _seed(name: str) -> int:
    return zlib.crc32(name.encode())
