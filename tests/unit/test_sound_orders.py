"""10,000 random orders of what can happen to speech on the device: nothing stale sounds, nothing is lost or doubled (but for what was ducked too far), acks are honest.

Chunks come late, doubled and out of order; flushes (the cloud's, the button's), holds, releases and ducks fall anywhere; playout is
pulled and the device takes in pieces of any size. Every sample of every utterance has a value of its own.
"""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from sound_bench import SoundBench, chunk

from ridealong.device.mixer import DECAY_FRAMES, Duck, Hold, Release, Unduck
from ridealong.proto.types import PlaybackAck, PlaybackState

pytestmark = pytest.mark.unit

ORDERS = 10_000
SHARDS = 10
EPOCHS, UTTERANCES = 4, 2
LENGTHS = (700, 0, 300, 1_200, 500)
BOUNDS = np.concatenate([[0], np.cumsum(LENGTHS)])
WORDS = np.random.default_rng(5).integers(2_000, 20_000, (EPOCHS, UTTERANCES, BOUNDS[-1])).astype(np.int16)
STEPS = ["chunk"] * 10 + ["pull", "take"] * 5 + ["flush", "button", "hold", "hold", "release", "duck", "unduck"]


class Order:
    """One order from a seed, and what must hold of it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.bench = SoundBench(self.rng.choice([0, 480, 1_680]))
        self.flushes: list[tuple[int, int]] = []  # (frame, epoch)
        self.holds: list[tuple[int, int]] = []  # frames between which it was held
        self.held_at: int | None = None
        self.ducked = False
        self.came: set[tuple[int, int]] = set()
        self.coming = [(e, u, n) for e in range(EPOCHS) for u in range(UTTERANCES) for n in range(len(LENGTHS))]
        for _ in range(self.rng.randrange(6)):  # late or early
            i, j = self.rng.randrange(len(self.coming)), self.rng.randrange(len(self.coming))
            self.coming.insert(j, self.coming.pop(i))
        self.coming += self.rng.choices(self.coming, k=3)  # doubled

    def ride(self) -> None:
        for _ in range(self.rng.randrange(10, 45)):
            self.step(self.rng.choice(STEPS))
        self._release()
        for _ in range(6):
            self.bench.pull(2_400)
            self.bench.take(2_400)

    def step(self, name: str) -> None:
        bench = self.bench
        match name:
            case "chunk":
                for epoch, utterance, number in self.coming[:2]:
                    self.came.add((epoch, utterance))
                    pcm = WORDS[epoch, utterance, BOUNDS[number] : BOUNDS[number + 1]]
                    last, end = number == len(LENGTHS) - 1, int(BOUNDS[number + 1])
                    bench.on(chunk(epoch, utterance, number, 0, last=last, end=end, pcm16=pcm))
                self.coming = self.coming[2:]
            case "pull":
                bench.pull(self.rng.choice([240, 480, 480, 960]))
            case "take":
                bench.take(self.rng.choice([1, 77, 240, 480, 960]))
            case "flush":
                self._flush(self.rng.randrange(EPOCHS))
            case "button":
                if bench.playout.playing:
                    self._flush(bench.playout.newest_epoch)
            case "hold":
                self._release()
                bench.on(Hold())
                self.held_at = bench.frames
            case "release":
                self._release()
            case "duck":
                bench.on(Duck())
                self.ducked = True
            case "unduck":
                bench.on(Unduck())

    def _release(self) -> None:
        self.bench.on(Release())
        if self.held_at is not None:
            self.holds.append((self.held_at, self.bench.frames))
            self.held_at = None

    def _flush(self, epoch: int) -> None:
        self.bench.flush(epoch)
        self.flushes.append((self.bench.frames, epoch))

    # --- what must hold ------------------------------------------------------------------------------------------------

    def stale_samples(self) -> int:
        return sum(
            max(0, at + span.frames - max(at, frame))
            for frame, epoch in self.flushes
            for at, span in self.bench.spans
            if span.epoch <= epoch
        )

    def check(self) -> None:
        assert self.stale_samples() == 0
        self._check_sound()
        self._check_holds()
        self._check_acks()

    def _check_sound(self) -> None:
        """What sounds is what the spans say, and nothing else but 5 ms of decay after speech."""
        sound, expected = self.bench.sound.astype(int), np.zeros(len(self.bench.sound), int)
        known = np.ones(len(sound), bool)
        speech = np.zeros(len(sound) + 1, bool)
        for at, span in self.bench.spans:
            expected[at : at + span.frames] = WORDS[span.epoch, span.utterance, span.first : span.first + span.frames]
            speech[at : at + span.frames] = True
        for edge in np.flatnonzero(speech[1:] != speech[:-1]):
            known[edge + 1 : edge + 1 + DECAY_FRAMES] = False
        if self.ducked:
            known &= ~speech[:-1]
        assert np.array_equal(sound[known], expected[known])

    def _check_holds(self) -> None:
        for began, ended in self.holds:
            assert not any(at < ended and at + span.frames > began for at, span in self.bench.spans)

    def _check_acks(self) -> None:
        acks: dict[tuple[int, int], list[PlaybackAck]] = {}
        for ack in self.bench.acks:
            acks.setdefault((ack.epoch, ack.utterance), []).append(ack)
        for key in {(e, u) for e in range(EPOCHS) for u in range(UTTERANCES)}:
            (least, frames), told = self._heard(*key), acks.get(key, [])
            assert all(later.played_samples >= ack.played_samples for ack, later in pairwise(told))
            assert all(later.at >= ack.at for ack, later in pairwise(told))
            assert all(ack.played_samples <= frames for ack in told)
            ends = [ack for ack in told if ack.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED)]
            assert len(ends) <= 1 and ends == told[-1:] * len(ends)
            flushed = max((epoch for _, epoch in self.flushes), default=-1)
            assert ends or key not in self.came or key[0] > flushed, "flushed, and nobody says so"
            if ends:
                assert least <= ends[0].played_samples <= frames
                assert (ends[0].state is PlaybackState.FINISHED) <= (frames == BOUNDS[-1])

    def _heard(self, epoch: int, utterance: int) -> tuple[int, int]:
        """How much of it counts as heard, at least and at most: what was ducked too far is said again, or it is little."""
        mark = end = 0
        for _, span in self.bench.spans:
            if (span.epoch, span.utterance) == (epoch, utterance):
                assert span.first == end or mark <= span.first < end, "lost or doubled"
                end = span.first + span.frames
                mark = mark if span.faint else end
        return mark, end if self.ducked else mark


@pytest.mark.parametrize("shard", range(SHARDS))
def test_nothing_stale_lost_or_doubled_in_any_order(shard: int) -> None:
    frames = 0
    for seed in range(shard * ORDERS // SHARDS, (shard + 1) * ORDERS // SHARDS):
        order = Order(seed)
        order.ride()
        try:
            order.check()
        except AssertionError as error:
            raise AssertionError(f"order {seed}") from error
        frames += sum(span.frames for _, span in order.bench.spans)
    assert frames > 1_000 * ORDERS // SHARDS  # they did speak


def test_the_check_can_fail() -> None:
    """A mixer that forgets the flush, or loses samples in a hold, is found within a few orders."""
    assert any(_with_fault(seed, "flush") for seed in range(50))
    assert any(_with_fault(seed, "hold") for seed in range(50))


def _with_fault(seed: int, fault: str) -> bool:
    order = Order(seed)
    on = order.bench.mixer.on

    def faulty(event: object) -> object:
        if fault == "flush" and type(event).__name__ == "FlushUpTo":
            return []
        if fault == "hold" and isinstance(event, Hold) and order.bench.mixer._queue:
            piece = order.bench.mixer._queue.popleft()
            order.bench.mixer._waiting -= piece.frames
        return on(event)  # type: ignore[arg-type]

    order.bench.mixer = _Wrapped(order.bench.mixer, faulty)  # type: ignore[assignment]
    order.ride()
    try:
        order.check()
    except AssertionError:
        return True
    return False


class _Wrapped:
    def __init__(self, mixer: object, on: object) -> None:
        self._mixer, self.on = mixer, on

    def __getattr__(self, name: str) -> object:
        return getattr(self._mixer, name)


def ramp(frames: int) -> NDArray[np.int16]:
    return (np.arange(frames) % 20_000 + 1_000).astype(np.int16)


def sliced(sizes: tuple[int, ...]) -> SoundBench:
    """The same events at the same frames, taken in pieces of these sizes."""
    bench = SoundBench(960)
    bench.on(chunk(1, 1, 0, 0, last=True, end=14_400, pcm16=ramp(14_400)))
    events = {1_500: Duck(), 3_000: Hold(), 4_321: Release(), 5_000: Unduck(), 6_000: Hold(), 6_050: Release()}
    for k in range(40_000):
        if bench.frames >= 20_000:
            break
        until = min([at for at in events if at > bench.frames], default=20_000)
        while bench.playout.queued_frames and bench.mixer.waiting_frames < 2_000 and not bench.mixer.full:
            bench.pull(480)
        bench.take(min(sizes[k % len(sizes)], until - bench.frames))
        if bench.frames in events:
            bench.on(events[bench.frames])  # type: ignore[arg-type]
    return bench


def test_the_sound_does_not_depend_on_how_it_is_sliced() -> None:
    reference = sliced((240,))
    for sizes in [(480,), (3, 500), (7, 160, 33)]:
        bench = sliced(sizes)
        assert bench.heard(1, 1) == [(0, 14_400)]
        assert np.abs(bench.sound.astype(int) - reference.sound).max() <= 1
