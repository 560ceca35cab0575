"""Stage 2: the sound of every line of a plan: voice, hesitations, repairs, room and level; and of the noise under it all.

Labels are found on the dry sound, by energy, before the room blurs it. Does not know: clocks, cues, or the order of lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import Floats, at_level, frame_levels, gain, rms, through, words_within
from ridealong.simulators.scenarios.noises import BED_S, Event, event, road
from ridealong.simulators.scenarios.plan import Bed, Line, Source, pieces
from ridealong.simulators.scenarios.recordings import LONGEST_S, ambiences, looped, samples_of
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.speech import Speech
from ridealong.simulators.scenarios.texts import GAP
from ridealong.simulators.scenarios.voices import BY_NAME

EDGE_MS = 50
REPAIR_PAUSE_MS = (120, 320)
REPAIR_HAN = 2
"""A repair in Chinese begins again after two characters, in English after one word."""
GOES_ON = ",，.。!！?？;；:：、"
ENDS = (".", "。", "!", "！", "?", "？", ",", "，")
AMBIENCE_CUT_HZ = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Realised:
    """`samples` at their level, through their room. `onset`, `end`, `pauses`: sample positions in it."""

    line: Line
    samples: Floats
    onset: int
    end: int
    pauses: tuple[tuple[int, int], ...] = ()


def realise(line: Line, split: Split, speech: Speech, recordings: Mapping[str, Path]) -> Realised:
    """`recordings`: files of people by name."""
    pauses: tuple[tuple[int, int], ...] = ()
    match line.source:
        case Source.SYNTHESIS:
            dry, pauses = spoken(line, speech)
        case Source.RECORDING:
            dry = trimmed(shortened(samples_of(recordings[line.who])))
        case Source.EVENT:
            dry = np.concatenate([silence(EDGE_MS), event(Event(line.who), split, line.seed)])
    onset, end = words_within(dry)
    wet = at_level(through(dry, line.seat, line.seed), line.level_db)
    return Realised(line, wet, onset, end, pauses)


def spoken(line: Line, speech: Speech) -> tuple[Floats, tuple[tuple[int, int], ...]]:
    """The line's pieces with its pauses of exact length between the end of one's words and the beginning of the next's."""
    voice, parts = BY_NAME[line.who], pieces(line.text)
    gaps_ms = list(line.pauses_ms)
    if len(parts) != len(gaps_ms) + 1:
        parts, gaps_ms = [line.text.replace(GAP, " ")], []
    if line.repair:
        parts, gaps_ms = _repaired(parts, line), [_repair_pause_ms(line), *gaps_ms]
    written = [*(continued(part) for part in parts[:-1]), finished(parts[-1])]
    clips = [words_of(speech.say(part, voice)) for part in written]
    made, pauses, at = [silence(EDGE_MS)], [], len(silence(EDGE_MS))
    for number, clip in enumerate(clips):
        made.append(clip)
        at += len(clip)
        if number < len(gaps_ms):
            made.append(silence(gaps_ms[number]))
            pauses.append((at, at + len(made[-1])))
            at += len(made[-1])
    return np.concatenate([*made, silence(EDGE_MS)]), tuple(pauses)


def silence(milliseconds: int) -> Floats:
    return np.zeros(milliseconds * CLOCK_HZ // 1000, dtype=np.float32)


def words_of(clip: Floats) -> Floats:
    """From the first to the last sample of its words."""
    onset, end = words_within(clip)
    return clip[onset:end]


def trimmed(samples: Floats) -> Floats:
    """Its words, with a little of what was before and after."""
    onset, end = words_within(samples)
    edge = EDGE_MS * CLOCK_HZ // 1000
    return np.array(samples[max(0, onset - edge) : end + edge], dtype=np.float32)


def shortened(samples: Floats) -> Floats:
    """A long recording up to its quietest place in the last quarter of what is allowed, not in the middle of a word."""
    longest = LONGEST_S * CLOCK_HZ
    if len(samples) <= longest:
        return samples
    levels = frame_levels(samples[longest * 3 // 4 : longest], CLOCK_HZ // 20)
    return samples[: longest * 3 // 4 + int(np.argmin(levels)) * (CLOCK_HZ // 20)]


def continued(text: str) -> str:
    """With a comma, so that the voice does not fall as at the end of a sentence."""
    bare = text.rstrip(GOES_ON + " ")
    return bare + ("，" if chinese_value(bare) else ",")


def finished(text: str) -> str:
    """With a full stop where there is no mark: without one, short Chinese words come out in random lengths."""
    return text if text.endswith(ENDS) else text + ("。" if chinese_value(text) else ".")


def chinese_value(text: str) -> bool:
    return any("\u3400" <= char <= "\u9fff" for char in text)


def _repaired(parts: list[str], line: Line) -> list[str]:
    first = parts[0]
    begun = first[:REPAIR_HAN] if line.locale == "zh" else first.split()[0]
    return [begun, *parts]


def _repair_pause_ms(line: Line) -> int:
    return int(np.random.default_rng([line.seed, 17]).integers(*REPAIR_PAUSE_MS))


def bed(planned: Bed, split: Split) -> Floats:
    """A loop of noise at its level (RMS)."""
    count = BED_S * CLOCK_HZ
    random = np.random.default_rng([planned.seed, 19])
    if planned.ambience:
        sound = next(one for one in ambiences() if one.name == planned.ambience)
        made = looped(samples_of(sound.path), int(random.integers(1 << 30)), count)
        spectrum, hertz = np.fft.rfft(made), np.fft.rfftfreq(count, 1 / CLOCK_HZ)
        made = np.fft.irfft(spectrum * (hertz > AMBIENCE_CUT_HZ), count).astype(np.float32)
    elif planned.speed_kmh:
        made = road(split, planned.speed_kmh, planned.seed, planned.rain)
    else:
        made = random.standard_normal(count).astype(np.float32)
    return np.asarray(made * (gain(planned.level_db) / max(rms(made), 1e-9)), dtype=np.float32)
