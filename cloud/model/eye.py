"""Images of any number of sessions -> rows for the language model, in one pass. Knows no session and no order of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ridealong.cloud.model.resampler import Resampler
from ridealong.cloud.model.vision import Patches, Vision


@torch.no_grad()
def look(vision: Vision, resampler: Resampler, images: Sequence[Patches], batch: int) -> Tensor:
    """-> [images, queries, hidden], in the order of `images`. At most `batch` run at once (`VisionConfig.batch`).

    Those of nearly one size run together, so that little is padded, and nothing where cameras are alike. What an image becomes
    doesn't depend on its company, but for rounding. Raises `ValueError` where an image's patches don't fill its grid.
    """
    for image in images:
        if image.values.shape[0] != image.grid.patches or not image.grid.patches:
            raise ValueError(f"a grid of {image.grid.rows} x {image.grid.columns} was given {image.values.shape[0]} patches")
    if not images:
        return resampler.proj.new_empty(0, resampler.queries, resampler.proj.shape[1])
    order = sorted(range(len(images)), key=lambda index: images[index].grid.patches)
    rows: list[Tensor] = []
    for start in range(0, len(order), batch):
        some = [images[index] for index in order[start : start + batch]]
        grids = [image.grid for image in some]
        packed = torch.cat([image.values for image in some])
        rows.append(resampler(vision(packed, grids), grids))
    places = [0] * len(order)  # where each image came to lie
    for place, index in enumerate(order):
        places[index] = place
    seen = torch.cat(rows)
    return seen if places == sorted(places) else seen[torch.tensor(places, device=seen.device)]
