"""The mean of what several tunings of one model learnt, as low-rank factors again.

    python tools/tune_recogniser.py zh --said SAID --seed 1 --out ONE.npz     # and so on, with other seeds or sentences
    python tools/mean_of_tunings.py ONE.npz TWO.npz THREE.npz --out cloud/frontends/cascade/hearing_zh.npz

Of each layer the changes b @ a are averaged and brought back to the rank by the singular values; how much of them is lost is printed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def mean_of(factors: list[tuple[Floats, Floats]], rank: int) -> tuple[Floats, Floats, float]:
    """([rank, inputs], [outputs, rank], share of the squares that is lost) of factors a [rank of its own, inputs] and b [outputs, rank of its own]."""
    a = np.concatenate([one for one, _ in factors])
    b = np.concatenate([other / len(factors) for _, other in factors], axis=1)
    inner, outer = np.linalg.qr(a.T), np.linalg.qr(b)
    left, sizes, right = np.linalg.svd(outer.R @ inner.R.T)
    root = np.sqrt(sizes[:rank])
    lost = float((sizes[rank:] ** 2).sum() / max((sizes**2).sum(), 1e-30))
    return (
        np.asarray((root[:, None] * right[:rank]) @ inner.Q.T, np.float32),
        np.asarray((outer.Q @ left[:, :rank]) * root, np.float32),
        lost,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tunings", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rank", type=int, default=32)
    options = parser.parse_args()
    tunings = [np.load(path) for path in options.tunings]
    found: dict[str, NDArray[np.float16]] = {}
    losses = []
    for name in sorted({name.rpartition("/")[0] for name in tunings[0].files}):
        pairs = [(one[f"{name}/a"].astype(np.float32), one[f"{name}/b"].astype(np.float32)) for one in tunings]
        a, b, lost = mean_of(pairs, options.rank)
        found[f"{name}/a"], found[f"{name}/b"] = a.astype(np.float16), b.astype(np.float16)
        losses.append(lost)
    np.savez_compressed(options.out, allow_pickle=False, **found)
    print(
        f"{len(losses)} layers, rank {options.rank}: lost of the squares {np.mean(losses):.3f}, most {max(losses):.3f}; {options.out}"
    )


if __name__ == "__main__":
    main()
