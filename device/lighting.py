"""Light between two frames: exposure, white balance and the bands of lamps on the mains, told from what is seen. Pure; knows no camera.

    evened(current, reference) -> (current, reference) under one light, or None where the light is the same, or too different to be light alone

Model: each channel of each row was multiplied by one number, channel x row. A channel's is the median of its ratios over the frame: what moves in less than half of
the picture does not count. A row's is the median along it of what then remains, smoothed: lamps at 50 or 60 Hz flicker at 100 or 120, and a rolling shutter
writes that down as bands. The darker of the two frames is made brighter, never the other way: what was clipped stays clipped in both.

A change of more than GREATEST (a tunnel, a lamp switched on) is not evened: that is worth seeing. Shadows that cover a part of the picture are not light here.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

GREATEST: Final = 2.0
"""Of a channel, either way: one stop of exposure."""
DEEPEST_BAND: Final = 1.35
LEAST: Final = 0.03
"""Of a factor: below this the light is the same."""
DARK, BRIGHT = 12, 244
"""Values outside tell nothing of a factor: noise, or clipped."""
STRIDE: Final = 4
"""Of the pixels along a row, every so many are looked at."""
SMOOTH_ROWS: Final = 17
ENOUGH: Final = 0.10
"""At least this share of the pixels must tell something."""

Picture = NDArray[np.uint8]  # [H, W, 3]


def evened(current: Picture, reference: Picture) -> tuple[Picture, Picture] | None:
    """Both as under the brighter light of the two, row by row and channel by channel."""
    factors = light_between(current, reference)
    if factors is None:
        return None
    return _brighter(current, np.maximum(1 / factors, 1.0)), _brighter(reference, np.maximum(factors, 1.0))


def light_between(current: Picture, reference: Picture) -> NDArray[np.float64] | None:
    """How much brighter `current` is: [H, 3]. None: the same, or not light alone."""
    now, was = current[:, ::STRIDE].astype(np.float32), reference[:, ::STRIDE].astype(np.float32)
    within = (now > DARK) & (now < BRIGHT) & (was > DARK) & (was < BRIGHT)
    tells = np.asarray(within.all(axis=2), np.bool_)  # [H, W / STRIDE]
    if tells.mean() < ENOUGH:
        return None
    ratios = np.log(np.where(tells[..., None], now, 1.0)) - np.log(np.where(tells[..., None], was, 1.0))
    channels = np.median(ratios[tells], axis=0)  # [3]
    rows = _bands((ratios - channels).mean(axis=2), tells)  # [H]
    if np.abs(channels).max() > np.log(GREATEST) or np.abs(rows).max() > np.log(DEEPEST_BAND):
        return None
    total = rows[:, None] + channels[None, :]
    return None if np.abs(total).max() < LEAST else np.exp(total).astype(np.float64)


def _bands(remains: NDArray[np.float32], tells: NDArray[np.bool_]) -> NDArray[np.float64]:
    """[H]: the median along each row, 0 where a row tells too little, smoothed over SMOOTH_ROWS."""
    known = np.where(tells, remains, np.nan)
    enough = tells.mean(axis=1) >= ENOUGH
    rows = np.zeros(len(remains))
    rows[enough] = np.nanmedian(known[enough], axis=1)
    padded = np.pad(rows, SMOOTH_ROWS // 2, mode="edge")
    return np.convolve(padded, np.full(SMOOTH_ROWS, 1 / SMOOTH_ROWS), mode="valid")


def _brighter(picture: Picture, factors: NDArray[np.float64]) -> Picture:
    return np.minimum(np.rint(picture * factors[:, None, :].astype(np.float32)), 255).astype(np.uint8)
