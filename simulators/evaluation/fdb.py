"""Full-Duplex-Bench's rules: what a model's recorded answer means, given its words and segments. Pure; times in seconds.

v1.0 (arXiv 2503.04721): take-over, latency, backchannels. v1.5 (arXiv 2507.23159): behaviour after an overlap, stop and response latency.
Written from the rules; two faults of the published scripts are not repeated (a score that is appended twice, two directory walks that are
zipped). Does not know files, recognisers or how the recordings were made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ridealong.simulators.evaluation.statistics import jensen_shannon

SHORT_S = 1.0
SHORT_WORDS = 3
BACKCHANNEL_WORDS = 2
LONG_SEGMENT_S = 3.0
BIN_S = 0.2
USER_GAP_S, MODEL_GAP_S = 0.6, 0.5


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Segment:
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


# --- v1.0 --------------------------------------------------------------------------------------------------------------


def takes_over(words: Sequence[Word]) -> bool:
    """No words: no. Less than a second with at most three words: no. Else yes."""
    if not words:
        return False
    return not (words[-1].end - words[0].start < SHORT_S and len(words) <= SHORT_WORDS)


def turn_latency_s(words: Sequence[Word], marker_start: float) -> float | None:
    """From the *start* of the turn-taking marker to the first word; None without a take-over."""
    return max(0.0, words[0].start - marker_start) if takes_over(words) else None


def after(words: Iterable[Word], at: float) -> list[Word]:
    """What begins at `at` or later: the benchmark recognises only what follows the end of an interruption."""
    return [word for word in words if word.start >= at]


def interruption_latency_s(words: Sequence[Word], interrupt_end: float) -> float | None:
    """From the end of the interruption to the first word after it; None where what follows is no take-over."""
    later = after(words, interrupt_end)
    return max(0.0, later[0].start - interrupt_end) if takes_over(later) else None


@dataclass(frozen=True, slots=True)
class Backchannels:
    """`take_over`: some segment is more than a backchannel. `last_decides`: as the published script has it, where the last segment's
    verdict overwrites the others'."""

    take_over: bool
    last_decides: bool
    segments: tuple[Segment, ...]
    duration: float

    @property
    def per_s(self) -> float:
        return len(self.segments) / self.duration if self.duration else 0.0


def is_backchannel(segment: Segment, words: int) -> bool:
    """More than three words: no. Under a second with at most two words: yes. Else no."""
    return segment.length < SHORT_S and words <= BACKCHANNEL_WORDS


def backchannels(segments: Sequence[Segment], words: Sequence[Word], duration: float) -> Backchannels:
    """A word belongs to the segment that holds its middle."""
    counts = [sum(one.start <= (word.start + word.end) / 2 < one.end for word in words) for one in segments]
    short = [is_backchannel(one, count) for one, count in zip(segments, counts, strict=True)]
    long_one = any(one.length > LONG_SEGMENT_S for one in segments)
    kept = tuple(one for one, yes in zip(segments, short, strict=True) if yes)
    return Backchannels(long_one or not all(short), long_one or bool(short and not short[-1]), kept, duration)


def backchannel_divergence(found: Backchannels, reference: Sequence[float]) -> float:
    """Jensen-Shannon divergence (base 2) between where backchannels begin, in bins of 0.2 s, and the listeners' distribution, stretched to
    as many bins. 1 where there is none."""
    bins = max(1, math.ceil(found.duration / BIN_S - 1e-9))
    if not found.segments or not any(value > 0 for value in reference):
        return 1.0
    counts = [0.0] * bins
    for segment in found.segments:
        counts[min(bins - 1, int(segment.start / BIN_S + 1e-9))] += 1
    return jensen_shannon(counts, stretched(reference, bins))


def stretched(values: Sequence[float], count: int) -> list[float]:
    """Linear interpolation to `count` values, the ends kept."""
    if len(values) == 1 or count == 1:
        return [values[0]] * count
    places = [number * (len(values) - 1) / (count - 1) for number in range(count)]
    return [
        values[int(at)] + (at - int(at)) * (values[min(int(at) + 1, len(values) - 1)] - values[int(at)])
        for at in places
    ]  # fmt: skip


# --- v1.5: timing ------------------------------------------------------------------------------------------------------


def merged(segments: Sequence[Segment], gap: float) -> list[Segment]:
    """Neighbours with at most this gap become one."""
    out: list[Segment] = []
    for segment in sorted(segments, key=lambda one: one.start):
        if out and segment.start - out[-1].end <= gap + 1e-9:
            out[-1] = Segment(out[-1].start, max(out[-1].end, segment.end))
        else:
            out.append(segment)
    return out


def stops(user: Sequence[Segment], model: Sequence[Segment]) -> list[float]:
    """Stop latencies: how long both spoke at once."""
    both = [
        Segment(max(mine.start, its.start), min(mine.end, its.end))
        for mine in merged(user, USER_GAP_S)
        for its in merged(model, MODEL_GAP_S)
    ]
    return [one.length for one in shortest_per_end(one for one in both if one.length > 0)]


def shortest_per_end(segments: Iterable[Segment]) -> list[Segment]:
    """Of those that end in the same millisecond, the shortest; in order of their ends."""
    kept: dict[int, Segment] = {}
    for segment in segments:
        key = round(segment.end * 1000)
        if key not in kept or segment.length < kept[key].length:
            kept[key] = segment
    return [kept[key] for key in sorted(kept)]


def responses(user: Sequence[Segment], model: Sequence[Segment]) -> list[float]:
    """Response latencies: from a user's end to the model's next start; of several ends before one start, the latest."""
    starts = [one.start for one in merged(model, MODEL_GAP_S)]
    latest: dict[float, float] = {}
    for mine in merged(user, USER_GAP_S):
        start = next((start for start in starts if start > mine.end), None)
        if start is not None:
            latest[start] = max(latest.get(start, -math.inf), mine.end)
    return [start - latest[start] for start in sorted(latest)]


# --- v1.5: behaviour ---------------------------------------------------------------------------------------------------


class Label(Enum):
    RESPOND = "C_RESPOND"
    RESUME = "C_RESUME"
    UNCERTAIN = "C_UNCERTAIN_HANDLING"
    UNKNOWN = "C_UNKNOWN"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One overlap. `segments`, `words`: the model's, with the overlap; `clean`: its words without it. `overlap_text`: what was said."""

    overlap: Segment
    overlap_text: str
    segments: tuple[Segment, ...]
    words: tuple[Word, ...]
    clean: tuple[Word, ...]


_UNCERTAIN = re.compile(
    r"\b(?:did(?:n't| not) (?:catch|hear|get|understand)|say (?:that|it) again|repeat (?:that|it)|pardon|what did you say|come again|"
    r"could you (?:repeat|clarify|rephrase))\b|没听清|没听懂|没听明白|再说一遍|再说一次|重复一遍|重复一下"
)
_REACTS = re.compile(
    r"^(?:okay|ok|sure|yes|yeah|no|right|all right|alright|of course|certainly|sorry|got it|i see|i can(?:'t|not)|i could(?:n't| not)|here)\b|"
    r"^(?:好的?|行|可以|不行|当然|抱歉|对不起|明白|知道了|没有|我(?:还)?(?:不能|做不到|答不了))"
)
_COMMON = frozenset(
    [
        "about",
        "again",
        "also",
        "been",
        "before",
        "being",
        "could",
        "does",
        "doing",
        "done",
        "from",
        "have",
        "here",
        "into",
        "just",
        "like",
        "more",
        "much",
        "only",
        "other",
        "over",
        "really",
        "same",
        "should",
        "some",
        "than",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "very",
        "want",
        "well",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "will",
        "with",
        "would",
        "your",
        "yours",
    ]
)
CONTINUES_SHARE = 0.5


def label(case: Behaviour, *, strict: bool) -> Label:
    """By rule, instead of the benchmark's language-model judge, on the first segment that begins after the overlap does.

    Strict: without such a segment C_UNKNOWN, even when the model simply talks on; an answer must react to what was said. Lenient: talking
    on across the overlap is C_RESUME (as graders usually say), and any new content is C_RESPOND."""
    new = next((one for one in merged(case.segments, MODEL_GAP_S) if one.start > case.overlap.start), None)
    if new is None:
        talked_on = any(
            one.start <= case.overlap.start and one.end > case.overlap.end for one in merged(case.segments, MODEL_GAP_S)
        )
        return Label.RESUME if talked_on and not strict else Label.UNKNOWN
    text = " ".join(word.text for word in case.words if new.start <= (word.start + word.end) / 2 < new.end).strip()
    if not text:
        return Label.UNKNOWN
    if _UNCERTAIN.search(text.lower()):
        return Label.UNCERTAIN
    before = [word.text for word in case.words if word.start < case.overlap.start]
    if continues(text, " ".join([*(word.text for word in case.clean), *before])):
        return Label.RESUME
    if not strict or _REACTS.search(text.lower()) or content(text) & content(case.overlap_text):
        return Label.RESPOND
    return Label.UNKNOWN


def tokens(text: str) -> list[str]:
    """Words in small letters; a Chinese character is one."""
    return re.findall(r"[a-z0-9']+|[\u4e00-\u9fff]", text.lower())


def continues(text: str, answer: str) -> bool:
    """At least half of the pairs of words (of a single word: itself) stand in the answer that was being given."""
    mine, whole = tokens(text), tokens(answer)
    if len(mine) < 2:
        return bool(mine) and mine[0] in whole
    pairs = set(zip(whole[:-1], whole[1:], strict=True))
    own = list(zip(mine[:-1], mine[1:], strict=True))
    return sum(pair in pairs for pair in own) >= CONTINUES_SHARE * len(own)


def content(text: str) -> set[str]:
    """Words that say what it is about: four letters or more and not common; pairs of Chinese characters."""
    found = tokens(text)
    words = {token for token in found if len(token) >= 4 and token not in _COMMON}
    han = [token for token in found if "\u4e00" <= token <= "\u9fff"]
    return words | {a + b for a, b in zip(han[:-1], han[1:], strict=True)}
