"""Which frames are worth remembering: block motion against the last *kept* frame. Sans-IO; knows no camera, encoder or OpenCV.

    FrameGate.judge(square, width, height) -> GateNote      square: uint8 [512, 512, 3], the frame stretched bicubically

Figures (spec: venus E1). 16 x 16 blocks; a block's cost at displacement (dx, dy) is J = r + 0.01 m, r = SAD / (255 * 3 * 256),
m = (|dx| + |dy|) / (2 R), R = 48 pixels. Search: none where J(0, 0) = 0; else a large hexagon moves until its centre wins (at most
2 R + 4 steps), then the 3 x 3 around it. Ties: cost, then |dx| + |dy|, then dy, then dx. Displacements stay inside the frame and
within R. cost = mean(r) + 0.01 mean(m); residual_q99 = upper 0.99 quantile of r; changed_share = share of blocks with r > 0.03.

Decision (E2), first match wins; each keep counts as a new reference and clears the counters. The reference is the last kept frame,
so that a slow drift adds up until it is seen (the original compares with the previous sampled frame). The device's own motion is
not taken out yet: on the road most frames are kept.

What the light alone explains (lighting.py) is no change: a frame that would be kept for what changed is measured once more under the reference's light,
and those figures count. Whether a still scene is looked at again (refresh, drop limit) does not depend on the light.

All blocks step together; costs are compared as whole numbers (5 SAD + 102 L1, J times 979,200), so that ties are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridealong.device.lighting import evened
from ridealong.proto.types import GateNote, GateReason

SIDE: Final = 512
BLOCK: Final = 16
RADIUS: Final = 48  # clamp(ceil(0.08 * 512 / 16) * 16, 32, 96)
MAX_STEPS: Final = 2 * RADIUS + 4
PIXEL_SCALE: Final = 255 * 3 * BLOCK * BLOCK
MOTION_WEIGHT: Final = 0.01

NEW_SCENE_COST: Final = 0.10
REFRESH_FRAMES: Final = 32
CHANGED_COST: Final = 0.04
LOCAL_Q99: Final = 0.30
WIDE_SHARE: Final = 0.30
CHANGED_RESIDUAL: Final = 0.03
DROP_LIMIT: Final = 4

Square = NDArray[np.uint8]  # [512, 512, 3]

_HEXAGON: Final = np.array([(0, 0), (2, 0), (-2, 0), (1, 2), (1, -2), (-1, 2), (-1, -2)])  # (dx, dy)
_SEEN: Final = np.array(  # [last move, candidate]: that place was looked at from where the block came from, and lost
    [[move > 0 and any((m + c == known).all() for known in _HEXAGON) for c in _HEXAGON] for move, m in enumerate(_HEXAGON)]
)
_NEIGHBOURS: Final = np.array([(0, 0), *((dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0))])


@dataclass(frozen=True, slots=True)
class Motion:
    """Per block, row by row."""

    residual: NDArray[np.float64]  # [blocks]
    motion: NDArray[np.float64]  # [blocks]
    dx: NDArray[np.int64]
    dy: NDArray[np.int64]

    @property
    def cost(self) -> float:
        return float(self.residual.mean() + MOTION_WEIGHT * self.motion.mean())

    @property
    def residual_q99(self) -> float:
        return float(np.quantile(self.residual, 0.99, method="higher"))

    @property
    def changed_share(self) -> float:
        return float(np.mean(self.residual > CHANGED_RESIDUAL))


def measure(current: Square, reference: Square) -> Motion:
    """Each block of `current` found again in `reference`. Both uint8 [H, W, 3], H and W multiples of 16."""
    height, width = current.shape[:2]
    rows, columns = height // BLOCK, width // BLOCK
    top = np.repeat(np.arange(rows) * BLOCK, columns)
    left = np.tile(np.arange(columns) * BLOCK, rows)
    blocks = current.reshape(rows, BLOCK, columns, BLOCK * 3).swapaxes(1, 2).reshape(rows * columns, BLOCK, BLOCK * 3)
    windows = np.lib.stride_tricks.sliding_window_view(reference.reshape(height, width * 3), (BLOCK, BLOCK * 3))
    search = _Search(blocks, windows, top, left, height, width)
    dx = np.zeros(len(blocks), np.int64)
    dy = np.zeros(len(blocks), np.int64)
    best = search.sad(np.arange(len(blocks)), dx, dy)
    active = np.flatnonzero(best)
    found = active
    moved = np.zeros(len(active), np.int64)
    for _ in range(MAX_STEPS):
        if not len(active):
            break
        moved = search.step(active, dx, dy, best, _HEXAGON, _SEEN[moved])
        active, moved = active[moved > 0], moved[moved > 0]
    search.step(found, dx, dy, best, _NEIGHBOURS, np.zeros((len(found), len(_NEIGHBOURS)), np.bool_))
    return Motion(best / PIXEL_SCALE, (np.abs(dx) + np.abs(dy)) / (2 * RADIUS), dx, dy)


@dataclass(slots=True)
class _Search:
    blocks: NDArray[np.uint8]  # [blocks, 16, 48]
    windows: NDArray[np.uint8]  # [H - 15, 3 (W - 16) + 1, 16, 48]
    top: NDArray[np.int64]
    left: NDArray[np.int64]
    height: int
    width: int

    def sad(self, which: NDArray[np.int64], dx: NDArray[np.int64], dy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum of absolute differences of these blocks at these displacements (all inside the frame)."""
        there = self.windows[self.top[which] + dy, (self.left[which] + dx) * 3]
        here = self.blocks[which]
        difference = np.maximum(here, there)
        difference -= np.minimum(here, there)
        sums: NDArray[np.int64] = difference.reshape(len(which), -1).sum(axis=1, dtype=np.uint32).astype(np.int64)
        return sums

    def step(
        self,
        which: NDArray[np.int64],
        dx: NDArray[np.int64],
        dy: NDArray[np.int64],
        best: NDArray[np.int64],
        pattern: NDArray[np.int64],
        seen: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Move each block to the best place of the pattern around it; which of the pattern that was (0: its centre).

        `seen` [blocks, pattern]: what need not be looked at.
        """
        from_dx, from_dy = dx[which], dy[which]
        key = _key(best[which], from_dx, from_dy)
        moved = np.zeros(len(which), np.int64)
        for number, (step_x, step_y) in enumerate(pattern[1:], start=1):
            to_dx, to_dy = from_dx + step_x, from_dy + step_y
            y, x = self.top[which] + to_dy, self.left[which] + to_dx
            allowed = np.flatnonzero(
                ~seen[:, number]
                & (np.abs(to_dx) <= RADIUS)
                & (np.abs(to_dy) <= RADIUS)
                & (y >= 0)
                & (y <= self.height - BLOCK)
                & (x >= 0)
                & (x <= self.width - BLOCK)
            )
            if not len(allowed):
                continue
            chosen = which[allowed]
            sad = self.sad(chosen, to_dx[allowed], to_dy[allowed])
            candidate = _key(sad, to_dx[allowed], to_dy[allowed])
            better = candidate < key[allowed]
            winners = allowed[better]
            key[winners] = candidate[better]
            best[which[winners]] = sad[better]
            dx[which[winners]], dy[which[winners]] = to_dx[winners], to_dy[winners]
            moved[winners] = number
        return moved


def _key(sad: NDArray[np.int64], dx: NDArray[np.int64], dy: NDArray[np.int64]) -> NDArray[np.int64]:
    """Orders by cost, then L1 motion, then dy, then dx, in one whole number."""
    length = np.abs(dx) + np.abs(dy)
    key: NDArray[np.int64] = (((5 * sad + 102 * length) * 256 + length) * 128 + (dy + 64)) * 128 + (dx + 64)
    return key


_SEEN_TO_CHANGE: Final = frozenset({GateReason.NEW_SCENE, GateReason.CHANGED, GateReason.LOCAL_CHANGE, GateReason.WIDE_CHANGE})


@dataclass(slots=True)
class FrameGate:
    """Feed each sampled frame once; decides archiving only, never what the live window shows."""

    kept: int = 0
    dropped: int = 0
    _reference: Square | None = None
    _size: tuple[int, int] = (0, 0)
    _since_keep: int = 0
    _drops: int = 0

    def judge(self, square: Square, width: int, height: int) -> GateNote:
        """`width`, `height`: the frame's own size before stretching."""
        if square.shape != (SIDE, SIDE, 3) or square.dtype != np.uint8:
            raise ValueError(f"the gate takes uint8 frames of {SIDE} x {SIDE} x 3, not {square.dtype} {square.shape}")
        if self._reference is None:
            return self._keep(GateNote(True, GateReason.FIRST), square, width, height)
        if (width, height) != self._size:
            return self._keep(GateNote(True, GateReason.RESIZED), square, width, height)
        note = self._note(measure(square, self._reference))
        if note.reason in _SEEN_TO_CHANGE and (pair := evened(square, self._reference)) is not None:
            note = self._note(measure(*pair))
        if note.keep:
            return self._keep(note, square, width, height)
        self.dropped += 1
        self._drops += 1
        self._since_keep += 1
        return note

    def _note(self, motion: Motion) -> GateNote:
        cost, q99, share = motion.cost, motion.residual_q99, motion.changed_share
        reason = decide(cost, q99, share, self._since_keep, self._drops)
        return GateNote(reason is not GateReason.SIMILAR, reason, cost, q99, share)

    def _keep(self, note: GateNote, square: Square, width: int, height: int) -> GateNote:
        self.kept += 1
        self._reference, self._size = square.copy(), (width, height)
        self._since_keep = self._drops = 0
        return note


def decide(cost: float, residual_q99: float, changed_share: float, frames_since_keep: int, drops_in_a_row: int) -> GateReason:
    """E2 from the third rule on; SIMILAR means drop."""
    if cost > NEW_SCENE_COST:
        return GateReason.NEW_SCENE
    if frames_since_keep >= REFRESH_FRAMES:
        return GateReason.REFRESH
    if cost > CHANGED_COST:
        return GateReason.CHANGED
    if residual_q99 > LOCAL_Q99:
        return GateReason.LOCAL_CHANGE
    if changed_share > WIDE_SHARE:
        return GateReason.WIDE_CHANGE
    if drops_in_a_row >= DROP_LIMIT:
        return GateReason.DROP_LIMIT
    return GateReason.SIMILAR
