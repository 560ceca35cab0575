"""Where the time of a reply goes: from the end of the user's words to its first sample at the device's speaker. Pure.

    Understood | ResultReady | SpeechSent | Started  ->  Timing.on(event)  ->  [ReplyTiming] once the device has begun to play

Stages, in order: words' end -> endpoint (the listener is sure, on the audio clock) -> text (recognised and judged) -> result (the skill
has its answer) -> out (first sample leaves the cloud) -> speaker (first sample is heard; both ways over the link, the jitter buffer and the
sound device are in this one, since the cloud sees the microphone only as late as the uplink brings it). They add up to the whole.

A reply of the front-end's own without a work item ("One moment.") belongs to the newest words that were for us.
Does not know texts, skills, or whether a reply was good.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TypeVar, assert_never

from ridealong.proto.types import CLOCK_HZ, ReplyTiming, Samples, UtteranceId

K = TypeVar("K")
V = TypeVar("V")
BOUND = 64
LONGEST_MS = 30_000
"""What is said later than this after the words is news, not an answer: it has no timing."""


@dataclass(frozen=True, slots=True)
class Understood:
    """Words for us that ended at `end`; the endpoint was decided at `endpoint`, their text was there at `at`."""

    end: Samples
    endpoint: Samples
    at: Samples


@dataclass(frozen=True, slots=True)
class ResultReady:
    """The work that words ending at `end` had asked for is over."""

    work_id: str
    end: Samples
    at: Samples


@dataclass(frozen=True, slots=True)
class SpeechSent:
    """A chunk of an utterance left; only the first counts."""

    utterance: UtteranceId
    work_id: str
    at: Samples


@dataclass(frozen=True, slots=True)
class Started:
    """The device played its first sample."""

    utterance: UtteranceId
    at: Samples


Event = Understood | ResultReady | SpeechSent | Started


@dataclass(slots=True)
class _Sent:
    words: Understood
    result_at: Samples
    work_id: str
    at: Samples


@dataclass(slots=True)
class Timing:
    """One per session; remembers the last BOUND of everything."""

    _words: OrderedDict[Samples, Understood] = field(default_factory=OrderedDict)
    _results: OrderedDict[str, ResultReady] = field(default_factory=OrderedDict)
    _sent: OrderedDict[UtteranceId, _Sent | None] = field(default_factory=OrderedDict)

    def on(self, event: Event) -> list[ReplyTiming]:
        match event:
            case Understood():
                _keep(self._words, event.end, event)
            case ResultReady():
                _keep(self._results, event.work_id, event)
            case SpeechSent() if event.utterance not in self._sent:
                _keep(self._sent, event.utterance, self._about(event))
            case SpeechSent():
                pass
            case Started(utterance=utterance, at=at):
                sent = self._sent.get(utterance)
                if sent is not None:
                    self._sent[utterance] = None
                    return [_breakdown(utterance, sent, at)]
            case _:
                assert_never(event)
        return []

    def _about(self, sent: SpeechSent) -> _Sent | None:
        result = self._results.get(sent.work_id)
        if sent.work_id and result is not None:
            words = self._words.get(result.end)
        else:
            words = next(reversed(self._words.values()), None)
        if words is None or sent.at - words.end > LONGEST_MS * CLOCK_HZ // 1000:
            return None
        result_at = result.at if result is not None else words.at
        return _Sent(words, Samples(max(words.at, result_at)), sent.work_id, Samples(max(sent.at, words.at, result_at)))


def _breakdown(utterance: UtteranceId, sent: _Sent, heard_at: Samples) -> ReplyTiming:
    words = sent.words
    text_at = max(words.at, words.endpoint)
    marks = [words.end, words.endpoint, text_at, max(sent.result_at, text_at), max(sent.at, text_at), heard_at]
    stages = [max(0, (after - before) * 1000 // CLOCK_HZ) for before, after in zip(marks[:-1], marks[1:], strict=True)]
    return ReplyTiming(utterance, sent.work_id, words.end, *stages)


def _keep(kept: OrderedDict[K, V], key: K, value: V) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > BOUND:
        kept.popitem(last=False)
