"""Whisper base with our own changes: low-rank ones (LoRA) of its linear layers, learnt on what is said to this assistant (tools/tune_recogniser.py).

    ctranslate2.models.Whisper("zh", files=tuned_files(folder, "zh"))

hearing_en.npz and hearing_zh.npz hold of each linear layer two factors, a [rank, inputs] and b [outputs, rank], in half precision; b @ a is added to the published weights. The model's
file itself stays as it was fetched. Does not know sound or texts.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path
from typing import Final

import numpy as np

from ridealong.cloud.frontends.cascade.ct2_file import Array, with_changes

TUNED: Final = ("en", "zh")
"""The languages that have changes."""
BESIDE: Final = ("config.json", "tokenizer.json", "vocabulary.json")


def tuned_files(folder: Path, locale: str) -> dict[str, bytes]:
    """What CTranslate2 loads instead of the folder. Raises ValueError where the changes are not those of this model."""
    files = {name: (folder / name).read_bytes() for name in BESIDE}
    return files | {"model.bin": with_changes((folder / "model.bin").read_bytes(), changes_of(locale))}


def fingerprint(locale: str) -> str:
    """Of the changes of one language: another one hears otherwise."""
    return hashlib.sha256(resources.files(__package__).joinpath(f"hearing_{locale}.npz").read_bytes()).hexdigest()


def changes_of(locale: str) -> dict[str, Array]:
    """By the names of the model's arrays, float32."""
    with resources.files(__package__).joinpath(f"hearing_{locale}.npz").open("rb") as file, np.load(file) as factors:
        names = sorted({name.rpartition("/")[0] for name in factors.files})
        return {name: factors[f"{name}/b"].astype(np.float32) @ factors[f"{name}/a"].astype(np.float32) for name in names}
