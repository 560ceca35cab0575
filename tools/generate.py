"""Writes the Python code of every *.proto under proto/; with --check, says which committed file differs and exits 1.

Run from anywhere: python tools/generate.py [--check]. Needs grpcio-tools at exactly GENERATOR, since newer generated code
refuses an older runtime. Does not know what the messages mean.
"""

from __future__ import annotations

import argparse
import filecmp
import importlib.metadata
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = "1.83.0"
SUFFIXES = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")


def sources() -> list[str]:
    """Every schema, as a path relative to the repository."""
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "proto").rglob("*.proto"))


def generate(destination: Path) -> None:
    """Write the generated files below `destination`, which looks like src/ (ridealong/proto/…)."""
    import grpc_tools
    from grpc_tools import protoc

    well_known = Path(grpc_tools.__file__).parent / "_proto"
    arguments = [
        "protoc",
        f"-Iridealong/proto={ROOT / 'proto'}",
        f"-I{well_known}",
        f"--python_out={destination}",
        f"--pyi_out={destination}",
        f"--grpc_python_out={destination}",
        *(f"ridealong/{source}" for source in sources()),
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc refused a schema under proto/ (see above); mend it and run tools/generate.py again.")
    for path in destination.rglob("*_pb2_grpc.py"):
        if "class " not in path.read_text(encoding="utf-8"):
            path.unlink()  # a schema without a service needs no stubs


def generated_below(folder: Path) -> dict[str, Path]:
    """Generated files below a proto folder, by their path relative to it."""
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.name.endswith(SUFFIXES)}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a committed file differs")
    options = parser.parse_args(argv)
    try:
        found = importlib.metadata.version("grpcio-tools")
    except importlib.metadata.PackageNotFoundError:
        print(f"grpcio-tools is not installed: run `make setup`, or install grpcio-tools=={GENERATOR}.", file=sys.stderr)
        return 2
    if found != GENERATOR:
        print(f"grpcio-tools is {found}, but the committed code was made with {GENERATOR}: install that one.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh = generated_below(Path(scratch) / "ridealong" / "proto")
        committed = generated_below(ROOT / "proto")
        differing = sorted(
            name
            for name in fresh.keys() | committed.keys()
            if name not in fresh or name not in committed or not filecmp.cmp(fresh[name], committed[name], shallow=False)
        )
        if options.check:
            if differing:
                names = ", ".join(f"proto/{name}" for name in differing)
                print(f"Generated code is out of date ({names}): run `python tools/generate.py` and commit.", file=sys.stderr)
            return 1 if differing else 0
        for name in differing:
            target = ROOT / "proto" / name
            if name in fresh:
                shutil.copyfile(fresh[name], target)
                print(f"wrote proto/{name}")
            else:
                target.unlink()
                print(f"removed proto/{name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
