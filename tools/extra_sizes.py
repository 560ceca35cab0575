"""Prints the installed size of each extra, without caches: makes one empty environment per extra and measures it.

    python tools/extra_sizes.py [device] [device,camera] [cloud] [--json FILE]

Needs the package index, or pip's cache. Exit 1 when a stated bound (README, "Sizes") is broken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

BOUNDS_MB = {"device": 110.0, "device,camera": 260.0}
ROOT = Path(__file__).resolve().parent.parent


def size_mb(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts)
    return sum(path.stat().st_size for path in files) / 1e6


def measure(extra: str) -> float:
    """Megabytes that `pip install ridealong[extra]` adds to an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        site = next((Path(folder) / "lib").glob("python*")) / "site-packages"
        before = size_mb(site)
        command = [str(python), "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", f"{ROOT}[{extra}]"]
        subprocess.run(command, check=True)
        return size_mb(site) - before


def main() -> int:
    parser = argparse.ArgumentParser(description="installed size of each extra, in MB")
    parser.add_argument("extras", nargs="*", default=["device", "device,camera", "cloud"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = {extra: measure(extra) for extra in options.extras}
    for extra, value in rows.items():
        bound = BOUNDS_MB.get(extra)
        print(f"ridealong[{extra}]".ljust(28), f"{value:8.1f} MB", f"(bound {bound:.0f})" if bound else "")
    if options.json:
        figures = [
            {"name": f"size.{extra}", "value": value, "unit": "MB", "n": 1, "goal": BOUNDS_MB.get(extra)}
            for extra, value in rows.items()
        ]
        options.json.write_text(json.dumps({"command": "extra_sizes", "figures": figures}, indent=1))
    return int(any(rows[extra] > bound for extra, bound in BOUNDS_MB.items() if extra in rows))


if __name__ == "__main__":
    sys.exit(main())
