"""Cutting images: the reference's rules and pixels, and files that are none."""

from __future__ import annotations

import dataclasses
import io
from contextlib import suppress

import pytest
import torch
from eyes import to_strip
from golden import case, tiny_config
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ridealong.cloud.model.config import ImageConfig
from ridealong.cloud.model.images import MAX_ASPECT, BadImage, Plan, Size, Span, cut, decode, plan_cut
from ridealong.cloud.model.vision import Grid

pytestmark = pytest.mark.model


def _config(max_slices: int = 1) -> ImageConfig:
    return dataclasses.replace(tiny_config().image, max_slices=max_slices)


def _file(size: tuple[int, int], kind: str = "JPEG", mode: str = "RGB", **options: object) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size, 120).save(file, kind, **options)
    return file.getvalue()


def test_rules_of_slicing() -> None:
    for row in case("vision_slice_rules").facts["rows"]:
        wanted = Plan(Size(*row["overview_size"]))
        if row["grid"] is not None:
            wanted = Plan(wanted.overview, Size(*row["refine_size"]), *row["grid"])
        assert plan_cut(Size(row["width"], row["height"]), _config(row["max_slice_nums"])) == wanted, row


def test_pixels_of_one_image() -> None:
    golden = case("vision_single_448")
    image = cut(Image.fromarray(golden.tensors["image_u8"].numpy()), _config())
    assert image.tiles == () and [list(image.overview.grid)] == golden.tensors["tgt_sizes"].tolist()
    strip = to_strip(image.overview)[:, :, ::64]
    golden.near(strip, "pixel_values_every_64th_column", golden.facts["pixel_tolerance"])


def test_pixels_of_an_image_in_tiles() -> None:
    golden = case("vision_multislice")
    pixels = golden.tensors["image_lowres_u8"].repeat_interleave(10, 0).repeat_interleave(10, 1)
    image = cut(Image.fromarray(pixels.numpy()), _config(9))
    assert [list(part.grid) for part in image.parts] == golden.facts["tgt_sizes"]
    assert [image.columns, len(image.tiles) // image.columns] == golden.facts["grid"]
    patches = [part.values.unflatten(1, (3, 14, 14)) for part in image.parts]
    golden.near(torch.stack([part[0] for part in patches]), "pixel_first_patch", 1e-6)
    golden.near(torch.stack([part[-1] for part in patches]), "pixel_last_patch", 1e-6)
    whole = [part.values.double() for part in image.parts]  # the file's name for them says less than they are
    golden.near(torch.stack([torch.stack((part.mean(), part.std(), part.max())) for part in whole]), "pixel_values_means")
    spans = "".join(f"{span.opening}{'<unk>' * span.rows}{span.closing}" for span in image.spans(64))
    assert f"<image_id>0</image_id>{spans}" == golden.facts["placeholder_with_image_id"]


def test_tiles_run_row_by_row() -> None:
    """A quarter of each colour: the tiles must be those colours, in reading order."""
    picture = Image.new("RGB", (896, 896))
    colours = [(0, 0, 0), (60, 60, 60), (120, 120, 120), (180, 180, 180)]
    for index, colour in enumerate(colours):
        picture.paste(colour, (index % 2 * 448, index // 2 * 448, index % 2 * 448 + 448, index // 2 * 448 + 448))
    image = cut(picture, _config(4))
    assert image.columns == 2 and len(image.tiles) == 4
    for tile, colour in zip(image.tiles, colours, strict=True):
        assert tile.values.median().item() == pytest.approx(colour[0] / 127.5 - 1, abs=1e-6)


def test_an_overview_alone_is_one_span() -> None:
    assert cut(_file((640, 480)), _config()).spans(64) == (Span("<image>", 64, "</image>"),)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("JPEG", "RGB"), ("JPEG", "L"), ("JPEG", "CMYK"), ("PNG", "RGBA"), ("PNG", "P"), ("PNG", "1"), ("WEBP", "RGB")],
)
def test_every_kind_of_file(kind: str, mode: str) -> None:
    overview = cut(_file((64, 48), kind, mode), _config()).overview
    assert overview.grid == Grid(28, 37) and overview.values.dtype == torch.float32
    assert overview.values.min() >= -1 and overview.values.max() <= 1


def test_the_right_way_up() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn
    assert decode(_file((64, 48), exif=exif)).size == (48, 64)


def _noisy_file() -> bytes:
    file = io.BytesIO()
    Image.effect_noise((64, 48), 80).save(file, "JPEG")
    return file.getvalue()


def test_broken_files() -> None:
    whole = _noisy_file()
    for data in (b"", b"\xff\xd8", b"no image", whole[:300], whole[:-500], _file((8, 8), "GIF", "L"), bytes(100)):
        with pytest.raises(BadImage, match=f"an image of {len(data)} bytes can't be decoded"):
            cut(data, _config())


def test_an_image_whose_file_is_broken() -> None:
    opened = Image.open(io.BytesIO(_noisy_file()[:-500]))  # its head is whole
    with pytest.raises(BadImage, match="an image can't be decoded"):
        cut(opened, _config())


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_is_an_image_or_a_bad_image(data: st.DataObject) -> None:
    file = bytearray(_file((32, 24), data.draw(st.sampled_from(["JPEG", "PNG", "WEBP"]))))
    for _ in range(data.draw(st.integers(1, 6))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadImage):
        decode(bytes(file))


@pytest.mark.parametrize(
    ("size", "why"), [((3, 100), "too small"), ((1, 1), "too small"), ((4, 401), "too narrow"), ((10_000, 5_001), "too large")]
)
def test_sizes_that_can_not_be_looked_at(size: tuple[int, int], why: str) -> None:
    with pytest.raises(BadImage, match=f"an image of {size[0]} x {size[1]} px is {why}"):
        cut(_file(size, "PNG", "1"), _config())
    if why != "too large":
        with pytest.raises(BadImage, match=why):
            cut(Image.new("RGB", size), _config())


@given(st.integers(4, 9000), st.integers(4, 9000), st.integers(1, 9))
def test_no_image_is_more_patches_than_the_scale_promises(width: int, height: int, max_slices: int) -> None:
    if max(width, height) > MAX_ASPECT * min(width, height):
        return
    plan = plan_cut(Size(width, height), _config(max_slices))
    assert plan.overview.width % 14 == plan.overview.height % 14 == 0
    assert plan.overview.width * plan.overview.height <= 1.35 * 448**2
    assert plan.columns * plan.rows <= max_slices
    if plan.refined is not None:
        tile = Size(plan.refined.width // plan.columns, plan.refined.height // plan.rows)
        assert (tile.width * plan.columns, tile.height * plan.rows) == plan.refined
        assert tile.width % 14 == tile.height % 14 == 0
