"""`ridealong model check|fetch|tiny|voice|bench`. Torch is imported when one of them runs, so that their help needs nothing."""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path

from ridealong.command import Command
from ridealong.errors import UserError

Run = Callable[[argparse.Namespace], int]


def _with_extra(run: Run) -> Run:
    """Says which extra brings a package that is missing."""

    @functools.wraps(run)
    def wrapped(options: argparse.Namespace) -> int:
        try:
            return run(options)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.startswith("ridealong"):
                raise
            raise UserError(
                f"`ridealong model` needs the package {error.name!r}: install it with  pip install 'ridealong[model]'."
            ) from error

    return wrapped


def _configure_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the folder of a checkpoint")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="write the report to FILE as well")
    parser.add_argument("--sums", action="store_true", help="hash every file and compare with SHA256SUMS (minutes at full size)")


@_with_extra
def _check(options: argparse.Namespace) -> int:
    from ridealong.cloud.model.inspection import examine, shown, values

    report = examine(options.path, sums=options.sums)
    print(shown(report))
    if options.json is not None:
        try:
            options.json.write_text(json.dumps(values(report), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"The report can't be written to {options.json}: {error}.") from None
    return 0 if report.sound else 1


def _configure_fetch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repo", metavar="REPO", help="OWNER/NAME on the hub")
    parser.add_argument("--revision", default=None, metavar="SHA", help="the commit, 40 hex digits (required)")
    parser.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="where to put it; an earlier fetch is gone on with"
    )
    parser.add_argument("--yes", action="store_true", help="don't ask")


@_with_extra
def _fetch(options: argparse.Namespace) -> int:
    from ridealong.cloud.model.fetch import bring, check_revision, plan

    found = plan(options.repo, check_revision(options.repo, options.revision))
    print(
        f"{found.repo} at {found.revision}\n  licence   {found.licence}\n  to fetch  {len(found.files)} files, {found.size / 1e9:.2f} GB"
    )
    for name, why in found.left_out.items():
        print(f"  left out  {name} ({why})")
    if not options.yes and not _agreed(f"Fetch it to {options.to} under this licence? [y/N] "):
        print("nothing was fetched")
        return 1
    manifest = bring(found, options.to, lambda line: print(line, flush=True))
    print(f"all {len(found.files)} files are what the hub lists; {manifest} written. Next: ridealong model check {options.to}")
    return 0


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UserError("Nobody is there to be asked: add --yes if you agree to the licence above.")
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _configure_tiny(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument(
        "--seed", type=_at_least(0), default=0, metavar="N", help="the same seed gives the same bytes (default: 0)"
    )
    parser.add_argument(
        "--size", choices=("tiny", "0.1b"), default="tiny", help="tiny: 5 MB, for tests; 0.1b: 300 MB, for benches"
    )
    parser.add_argument("--kind", choices=("omni", "audio"), default="omni", help="audio: it hears and doesn't see")
    parser.add_argument("--base", action="store_true", help="without the four tokens of delegation")


@_with_extra
def _tiny(options: argparse.Namespace) -> int:
    from ridealong.cloud.model.tiny import write_tiny
    from ridealong.cloud.model.tiny_config import NOTE, SIZES

    size = write_tiny(options.folder, SIZES[options.size], options.seed, sees=options.kind == "omni", venus=not options.base)
    print(f"{options.folder}: {size / 1e6:.1f} MB, seed {options.seed}. {NOTE}")
    return 0


def _configure_voice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the folder of a checkpoint, with the two ONNX files among its assets")
    parser.add_argument(
        "--audio", type=Path, required=True, metavar="WAV", help="somebody speaking, 0.5 to 30 s, best three to ten; 16 bits"
    )
    parser.add_argument(
        "--to",
        type=Path,
        default=None,
        metavar="FILE",
        help="where to write the voice (default: into the checkpoint, as its own)",
    )


@_with_extra
def _voice(options: argparse.Namespace) -> int:
    from ridealong.cloud.model.assets import load_speech
    from ridealong.cloud.model.loader import note_in_manifest
    from ridealong.cloud.model.model import VOICES, find_assets
    from ridealong.cloud.model.voice import VoiceReader, read_wav

    assets = find_assets(options.path)
    if assets is None:
        raise UserError(
            f"{options.path} holds no speech assets (flow and vocoder): a voice is read with the two ONNX files beside them."
        )
    target = options.to or options.path / VOICES[0]
    bundle = VoiceReader(assets).read(*read_wav(options.audio))
    flow = load_speech(assets).flow.config
    bundle.fits(codes=flow.codes, speaker=flow.speaker, mel_bins=flow.mel_bins)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        bundle.save(target)
    except OSError as error:
        raise UserError(f"The voice can't be written to {target}: {error.strerror or error}.") from None
    if options.to is None:
        note_in_manifest(options.path, target)
    print(
        f"{target}: {len(bundle.codes)} codes ({len(bundle.codes) / 25:.1f} s). It speaks like this only where the speaker agrees: ask them."
    )
    return 0


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit():
            raise argparse.ArgumentTypeError(f"a whole number of at least {least} is needed, not {text!r}")
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {text}")
        return int(text)

    return number


def _configure_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the folder of a checkpoint")
    parser.add_argument("--device", default=None, help="cpu, cuda, cuda:1, ... (default: cuda where there is one)")
    parser.add_argument(
        "--limit", type=_at_least(2), default=12, metavar="N", help="timed units of each measurement (default: 12)"
    )
    parser.add_argument(
        "--most", type=_at_least(1), default=32, metavar="N", help="sessions at which the ramp ends (default: 32)"
    )
    parser.add_argument("--seed", type=_at_least(0), default=0, metavar="N")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="write the figures to FILE as well")
    parser.add_argument("--quantise", choices=("int8", "fp8"), help="the language model's layers in 8 bits")
    parser.add_argument("--compile", action="store_true", help="the language model's layers through torch.compile")
    parser.add_argument("--no-graphs", action="store_true", help="no CUDA graphs")


@_with_extra
def _bench(options: argparse.Namespace) -> int:
    import torch

    from ridealong.cloud.model.bench import Plan, measure
    from ridealong.cloud.model.bench_report import table, to_json
    from ridealong.cloud.model.model import load_model

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    loaded = load_model(options.path, device, torch.float32 if device == "cpu" else None, quantise=options.quantise)
    for remark in loaded.remarks:
        print(remark)
    shown = f"CPU, {torch.get_num_threads()} threads" if device == "cpu" else torch.cuda.get_device_name(device)
    plan = Plan(options.limit, options.most, options.seed, graphs=not options.no_graphs, compile=options.compile)
    figures = measure(loaded, plan, lambda part: print(f"  {part} …", flush=True))
    print(f"\n{options.path}, {shown}\n{table(figures)}")
    if options.json is not None:
        try:
            options.json.write_text(to_json("model bench", options.seed, shown, figures) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"The figures can't be written to {options.json}: {error}.") from None
    return 0


CHECK = Command("what a checkpoint's folder holds, and whether it can be loaded", _configure_check, _check)
FETCH = Command("fetch a checkpoint from the Hugging Face hub at one commit, without any code", _configure_fetch, _fetch)
TINY = Command("write a small checkpoint with random weights, for tests and benches", _configure_tiny, _tiny)
VOICE = Command("make the checkpoint's voice from a recording", _configure_voice, _voice)
BENCH = Command("measure a checkpoint on this machine, beside a plain run of the same layers", _configure_bench, _bench)
