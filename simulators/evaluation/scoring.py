"""What the system did at each labelled sound, by rule. Pure: facts of a ride in, judged overlaps and turns out.

    Facts -> overlaps(facts), turns(facts), strays(facts)

An overlap is a sound that began while the assistant spoke. *Respond*, strict: speech stopped, was not taken up again before the next
sound (after a follow-up question it may be), and a new reply or a new request followed (after "stop", silence will do); lenient: speech
stopped. *Resume*, strict: speech was never
cut, went on, and nothing was done; lenient: what was cut was taken up again by itself and nothing was done.
Does not know intervals, tables, or how facts were gathered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.facts import MADE, Facts, FlushFact, Placed, Said, Span, TimingFact

BLOCK = CLOCK_HZ // 100  # what the sound device takes at once: how finely anything can stop
RAMP = CLOCK_HZ // 100  # the gain is down after so long
JUDGED_WITHIN = 5 * CLOCK_HZ  # after the end of the sound
RAN_OUT = 3 * CLOCK_HZ // 2  # a reply that ends by itself so soon after the onset leaves nothing to stop,
RAN_OUT_END = CLOCK_HZ // 2  # nor does one that ends so soon after an interruption's last word
ENOUGH = CLOCK_HZ // 2  # so much of a sound must lie over speech
ANSWER_WITHIN = 8 * CLOCK_HZ
HELD_FROM = CLOCK_HZ // 25  # a shorter gap is the speaker's own
SPLIT_BEFORE = CLOCK_HZ // 4  # a turn taken for finished so long before its last word was cut in two


@dataclass(frozen=True, slots=True)
class Overlap:
    """`judgeable` False: the assistant did not speak, or its reply was about to end by itself. Latencies are None where there was none."""

    scenario: str
    kind: str
    intent: str
    locale: str
    snr_db: float | None
    person: bool
    judgeable: bool
    stopped: bool = False
    resumed: bool = False
    answered: bool = False
    acted: bool = False
    went_on: bool = False
    verdict: str = ""
    verdict_ms: float | None = None
    duck_ms: float | None = None
    silence_from_onset_ms: float | None = None
    silence_from_verdict_ms: float | None = None
    held_ms: float = 0.0

    @property
    def responded(self) -> bool:
        reacted = self.answered or self.acted
        if self.intent == "follow_up":  # the request that was being answered still stands: its answer may go on afterwards
            return self.stopped and reacted
        return self.stopped and not self.resumed and (self.intent == "stop" or reacted)

    @property
    def responded_lenient(self) -> bool:
        return self.stopped

    @property
    def kept_on(self) -> bool:
        return not self.stopped and self.went_on and not self.acted

    @property
    def kept_on_lenient(self) -> bool:
        return self.kept_on or (self.stopped and self.resumed and not self.acted)

    @property
    def wanted_response(self) -> bool:
        return self.kind == "interruption"

    @property
    def right(self) -> bool:
        return self.responded if self.wanted_response else self.kept_on

    @property
    def right_lenient(self) -> bool:
        return self.responded_lenient if self.wanted_response else self.kept_on_lenient


@dataclass(frozen=True, slots=True)
class Turn:
    """A request to the silent assistant. `cut_in`: it was taken for finished in the middle; `endpoint_ms`: from its last word until that
    it was finished was known at the device; `response_ms`: until the first sound of the answer."""

    scenario: str
    locale: str
    snr_db: float | None
    person: bool
    pauses: int
    understood: bool
    cut_in: bool
    spoke_over: bool
    endpoint_ms: float | None
    response_ms: float | None
    timing: TimingFact | None = None


@dataclass(frozen=True, slots=True)
class Strays:
    """What nobody asked for in a ride without a request: turns and cuts, over so much speech of the assistant and in all."""

    turns: int
    cuts: int
    stale_samples: int
    speech_s: float
    duration_s: float


def overlaps(facts: Facts) -> list[Overlap]:
    """Every labelled sound but requests to the silent assistant."""
    found = []
    for number, sound in enumerate(facts.sounds):
        if sound.reply is not None and sound.reply < len(
            facts.replies_at
        ):  # a radio that was on before: judged from the reply on
            begins = facts.replies_at[sound.reply]
            if sound.onset < begins < sound.end - ENOUGH:
                sound = replace(sound, onset=begins)
        speaking = _speaking(facts, sound.onset)
        if sound.kind == "request" and speaking is None:
            continue
        following = next((later.onset for later in facts.sounds[number + 1 :] if later.onset > sound.onset), facts.duration)
        reply = next((at for at in facts.replies_at if at > sound.onset), facts.duration)
        found.append(_overlap(facts, sound, speaking, min(following, reply)))
    return found


def _overlap(facts: Facts, sound: Placed, speaking: Said | None, following: int) -> Overlap:
    """`following`: where the next sound or the next made reply begins."""
    until = min(following, sound.end + JUDGED_WITHIN)
    label = Overlap(
        facts.id, "interruption" if sound.kind == "request" else sound.kind, sound.intent, sound.locale or facts.locale, facts.snr_db,
        sound.person, False,
    )  # fmt: skip
    if speaking is None:
        return label
    ended_alone = speaking.state == "finished" and speaking.ended is not None
    needed = max(sound.onset + RAN_OUT, sound.end + RAN_OUT_END if label.wanted_response else 0)
    if ended_alone and speaking.ended is not None and speaking.ended < needed:
        return label
    flush = next((cut for cut in facts.flushes if sound.onset <= cut.at < until and _cut_something(facts, cut)), None)
    verdict = next((entry for entry in facts.verdicts if sound.onset <= entry.at < until), None)
    silence = _last_sound(facts, sound.onset, flush) if flush is not None else None
    decided = max(sound.onset, (flush.at if flush else sound.onset) - facts.one_way)
    known = {work.work_id for work in facts.works if work.at < sound.onset or work.capability == MADE}
    made = {work.work_id for work in facts.works if work.capability == MADE} - {speaking.work_id}
    later = [
        said for said in facts.said if flush is not None and flush.at <= said.started < following and said.work_id not in made
    ]
    resumed = any(_continues(said, speaking) for said in later)
    went_on = flush is None and any(span.audible and span.end > min(sound.end, until) for span in facts.spans)
    return replace(
        label,
        judgeable=True,
        stopped=flush is not None,
        resumed=resumed,
        answered=any(not _continues(said, speaking) for said in later if said.started < until),
        acted=any(sound.onset <= work.at < until and work.work_id not in known for work in facts.works),
        went_on=went_on or (flush is None and ended_alone),
        verdict=verdict.kind if verdict else "",
        verdict_ms=_ms(verdict.at - facts.one_way - sound.onset) if verdict else None,
        duck_ms=_duck_ms(facts, sound.onset, until, silence),
        silence_from_onset_ms=_ms(silence - sound.onset) if silence is not None else None,
        silence_from_verdict_ms=_ms(max(0, silence - decided)) if silence is not None else None,
        held_ms=_held_ms(facts, speaking, sound.onset, min(until, flush.at if flush else until)),
    )


def _cut_something(facts: Facts, cut: FlushFact) -> bool:
    return any(
        said.state == "flushed" and said.epoch <= cut.epoch and said.ended is not None and said.ended >= cut.at
        for said in facts.said
    )


def _continues(said: Said, before: Said) -> bool:
    """The same result once more, or its rest."""
    return bool(said.work_id) and said.work_id == before.work_id


def _speaking(facts: Facts, at: int) -> Said | None:
    """The utterance that was under way at this instant."""
    return next((said for said in facts.said if said.started <= at and (said.ended is None or at < said.ended)), None)


def _last_sound(facts: Facts, onset: int, flush: FlushFact) -> int:
    """Where the last audible sample of what was cut ended; the onset where nothing sounded any more."""
    taken = flush.at + facts.speaker_latency + BLOCK
    return max(
        (min(span.end, taken) for span in facts.spans if span.audible and onset < span.end and span.start < taken), default=onset
    )


def _duck_ms(facts: Facts, onset: int, until: int, silence: int | None) -> float | None:
    """From the onset until speech was softer by 6 dB at least, or silent, at the speaker. None: never, or it was already."""
    if any(span.soft and span.start <= onset < span.end for span in facts.spans):
        return None
    soft = [span.start + RAMP for span in facts.spans if span.soft and onset < span.start < until]
    gaps = [start for start, end in _gaps(facts.spans) if onset < start < until and end - start >= HELD_FROM]
    if silence is not None:
        gaps.append(silence)
    first = min([*soft, *gaps], default=None)
    return None if first is None else _ms(first - onset)


def _held_ms(facts: Facts, speaking: Said, onset: int, until: int) -> float:
    """How long the utterance stood still."""
    last = min(until, speaking.ended if speaking.ended is not None else until)
    return _ms(
        sum(min(end, last) - start for start, end in _gaps(facts.spans) if onset <= start < last and end - start >= HELD_FROM)
    )


def _gaps(spans: Iterable[Span]) -> Iterator[tuple[int, int]]:
    before: Span | None = None
    for span in spans:
        if before is not None and span.start > before.end:
            yield before.end, span.start
        before = span


# --- turns -----------------------------------------------------------------------------------------------------------------


def turns(facts: Facts) -> list[Turn]:
    """Every request that was spoken while the assistant was silent."""
    requests = [sound for sound in facts.sounds if sound.kind == "request" and _speaking(facts, sound.onset) is None]
    return [
        _turn(facts, sound, min(following.onset if following else facts.duration, sound.end + ANSWER_WITHIN))
        for sound, following in zip(requests, [*requests[1:], None], strict=True)
    ]


def _turn(facts: Facts, sound: Placed, until: int) -> Turn:
    captions = [c for c in facts.captions if c.text not in facts.typed and c.start < sound.end and c.end > sound.onset]
    cut_in = any(caption.end < sound.end - SPLIT_BEFORE for caption in captions)
    whole = [caption for caption in captions if caption.end >= sound.end - SPLIT_BEFORE]
    started = [said.started for said in facts.said if sound.onset <= said.started < until]
    answer = _first_audible(facts.spans, min((at for at in started if at >= sound.end), default=None))
    return Turn(
        facts.id, sound.locale or facts.locale, facts.snr_db, sound.person, len(sound.pauses),
        understood=any(caption.addressee == "assistant" for caption in captions),
        cut_in=cut_in,
        spoke_over=any(at < sound.end for at in started),
        endpoint_ms=_ms(max(0, whole[0].at - facts.one_way - sound.end)) if whole else None,
        response_ms=_ms(answer - sound.end) if answer is not None else None,
        timing=next((told for told in facts.timings if sound.onset < told.words_end < sound.end + ENOUGH), None),
    )  # fmt: skip


def _first_audible(spans: Iterable[Span], started: int | None) -> int | None:
    if started is None:
        return None
    return next((max(span.start, started) for span in spans if span.audible and span.end > started), None)


# --- what nobody asked for -------------------------------------------------------------------------------------------------


def strays(facts: Facts) -> Strays:
    """Turns: finished utterances that were taken to be for the assistant. For rides in which nobody speaks to it."""
    return Strays(
        sum(caption.addressee == "assistant" and caption.text not in facts.typed for caption in facts.captions),
        len(facts.flushes),
        stale_samples(facts),
        sum(span.end - span.start for span in facts.spans) / CLOCK_HZ,
        facts.duration / CLOCK_HZ,
    )


def stale_samples(facts: Facts) -> int:
    """Samples (16 kHz) of a flushed epoch that sounded although the flush had taken effect."""
    stale = 0
    for cut in facts.flushes:
        effect = cut.at + facts.speaker_latency + BLOCK
        newer = [
            (said.started - BLOCK, said.ended + BLOCK if said.ended is not None else facts.duration + CLOCK_HZ * 60)
            for said in facts.said
            if said.epoch > cut.epoch
        ]
        for span in facts.spans:
            if not span.audible or span.end <= effect:
                continue
            if span.epoch is not None:
                stale += span.end - max(span.start, effect) if span.epoch <= cut.epoch else 0
            else:  # what began by then may be newer; speech that begins while it is faint is acknowledged later than it sounds
                stale += _uncovered(max(span.start, effect), span.end, newer)
    return stale


def _uncovered(start: int, end: int, covers: list[tuple[int, int]]) -> int:
    """How much of [start, end) lies in none of the intervals."""
    left = 0
    for low, high in sorted(covers):
        if high <= start or low >= end:
            continue
        left += max(0, min(low, end) - start)
        start = max(start, min(high, end))
    return left + max(0, end - start)


def _ms(samples: int) -> float:
    return samples * 1000 / CLOCK_HZ
