"""An image file -> an overview and perhaps tiles of it, as patches (spec: model.md 1.3), and how their rows stand among the tokens.

A bad file raises `BadImage`, which concerns that one image: whoever gets it goes on without. All of this is work of milliseconds on
the CPU: keep it off an event loop. Does not know: the encoder, token ids, and whether an image is worth looking at.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

from ridealong.cloud.model.config import ImageConfig
from ridealong.cloud.model.vision import CHANNELS, Grid, Patches

FORMATS: Final = ("JPEG", "PNG", "WEBP")
MIN_SIDE_PX: Final = 4
MAX_PIXELS: Final = 50_000_000
MAX_ASPECT: Final = 100  # a longer strip would be many more patches than `scale` promises


class BadImage(ValueError):
    """One sentence: why this image can't be seen."""


class Size(NamedTuple):
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Plan:
    """`overview`: what the whole image is resized to. `refined`: what it is resized to before it is cut into `columns` x `rows`."""

    overview: Size
    refined: Size | None = None
    columns: int = 0
    rows: int = 0


class Span(NamedTuple):
    """Rows of one image or tile, between two tokens given by name."""

    opening: str
    rows: int
    closing: str


@dataclass(frozen=True, slots=True)
class Cut:
    """An image ready to be looked at. `tiles` run row by row, `columns` in each row."""

    overview: Patches
    tiles: tuple[Patches, ...] = ()
    columns: int = 0

    @property
    def parts(self) -> tuple[Patches, ...]:
        """In the order of `spans`."""
        return (self.overview, *self.tiles)

    def spans(self, queries: int) -> tuple[Span, ...]:
        """What stands for the image in a unit; the overview comes first. `queries`: rows of each part."""
        return (Span("<image>", queries, "</image>"), *(Span("<slice>", queries, "</slice>") for _ in self.tiles))


def decode(image: Image.Image | bytes) -> Image.Image:
    """A JPEG, PNG or WebP file, or an image of any mode, as RGB, the right way up. Raises `BadImage`."""
    try:
        opened = Image.open(io.BytesIO(image), formats=FORMATS) if isinstance(image, bytes) else image
        _check(Size(*opened.size))
        return ImageOps.exif_transpose(opened).convert("RGB")
    except BadImage:
        raise
    except Exception as error:  # of bytes from outside, decoders raise about everything
        shown = f"an image of {len(image)} bytes" if isinstance(image, bytes) else "an image"
        raise BadImage(f"{shown} can't be decoded ({type(error).__name__})") from None


def cut(image: Image.Image | bytes, config: ImageConfig) -> Cut:
    """The image, or its file, as patches: one overview, and tiles where `config.max_slices` allows and its size asks for them.

    Raises `BadImage` for one that can't be decoded, or is too small, too large or too narrow to be looked at.
    """
    picture = decode(image)
    plan = plan_cut(Size(*picture.size), config)
    overview = _patches(picture.resize(plan.overview, Image.Resampling.BICUBIC), config.patch)
    if plan.refined is None:
        return Cut(overview)
    refined = picture.resize(plan.refined, Image.Resampling.BICUBIC)
    width, height = plan.refined.width // plan.columns, plan.refined.height // plan.rows
    corners = [(column * width, row * height) for row in range(plan.rows) for column in range(plan.columns)]
    tiles = tuple(_patches(refined.crop((left, top, left + width, top + height)), config.patch) for left, top in corners)
    return Cut(overview, tiles, plan.columns)


def plan_cut(size: Size, config: ImageConfig) -> Plan:
    """How an image of this size is resized and cut. It is the reference's arithmetic to the last rounding."""
    overview = _fitted(size.width, size.height, config)
    wanted = min(math.ceil(size.width * size.height / config.scale**2), config.max_slices)
    if wanted <= 1:
        return Plan(overview)
    columns, rows = _tiling(math.log(size.width / size.height), wanted, config.max_slices)
    width = _nearest_multiple(size.width, columns) / columns
    height = _nearest_multiple(size.height, rows) / rows
    tile = _fitted(width, height, config)
    return Plan(overview, Size(tile.width * columns, tile.height * rows), columns, rows)


def _fitted(width: float, height: float, config: ImageConfig) -> Size:
    """Of the same shape, with about `scale` squared pixels, both sides multiples of a patch."""
    ratio = width / height
    fitted_height = int(config.scale / math.sqrt(ratio))
    return Size(_nearest_multiple(int(fitted_height * ratio), config.patch), _nearest_multiple(fitted_height, config.patch))


def _nearest_multiple(length: float, of: int) -> int:
    """Halves go to the even multiple. Never below one."""
    return max(round(length / of) * of, of)


def _tiling(log_ratio: float, wanted: int, most: int) -> tuple[int, int]:
    """Columns and rows, `wanted` tiles or one more or fewer, nearest in shape to the image; of equals, the first."""
    counts = [count for count in (wanted - 1, wanted, wanted + 1) if 1 < count <= most]
    tilings = [(columns, count // columns) for count in counts for columns in range(1, count + 1) if count % columns == 0]
    return min(tilings, key=lambda tiling: abs(log_ratio - math.log(tiling[0] / tiling[1])))


def _check(size: Size) -> None:
    shown = f"an image of {size.width} x {size.height} px"
    if min(size) < MIN_SIDE_PX:
        raise BadImage(f"{shown} is too small: each side needs at least {MIN_SIDE_PX} px")
    if size.width * size.height > MAX_PIXELS:
        raise BadImage(f"{shown} is too large: at most {MAX_PIXELS // 1_000_000} megapixels are decoded")
    if max(size) > MAX_ASPECT * min(size):
        raise BadImage(f"{shown} is too narrow: at most {MAX_ASPECT} times as long as wide")


def _patches(image: Image.Image, patch: int) -> Patches:
    """An RGB image whose sides are multiples of `patch`."""
    pixels: Tensor = torch.from_numpy(np.array(image))  # [height, width, 3]
    grid = Grid(image.height // patch, image.width // patch)
    patches = pixels.view(grid.rows, patch, grid.columns, patch, CHANNELS).permute(0, 2, 4, 1, 3)
    return Patches((patches.reshape(grid.patches, -1).float() / 255 - 0.5) / 0.5, grid)
