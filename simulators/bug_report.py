"""`ridealong bug-report RUN`: one archive from which somebody else can see what went wrong, without what was said.

Versions, machine, commit, outcomes, figures, record, decisions, journal and logs. Texts become their length, places go
(`trip.redacting`); --content adds the words, the sound and the trip. What a run lacks, or what cannot be read, is named in the
archive's contents and on the terminal. Does not know what the fault is, and sends nothing anywhere.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from ridealong import __version__
from ridealong.command import Command
from ridealong.errors import UserError
from ridealong.simulators.trip.redacting import redacted
from ridealong.simulators.trip.writing import new_file

LOG_BYTES: Final = 2_000_000
"""Of each log, its end."""
LOGS: Final = 16
CONTENT_FILES: Final = ("trip.mcap", "mixed.wav", "report.html")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(slots=True)
class Packed:
    """What is inside (name, bytes, what was done to it), and what is not (name, why)."""

    inside: list[tuple[str, int, str]] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)


def pack(run: Path, out: Path, *, content: bool, force: bool) -> Packed:
    """Raises UserError when `run` is no run folder or `out` cannot be written."""
    if not run.is_dir() or not any((run / name).exists() for name in ("record.json", "decisions.jsonl", "outcomes.json")):
        raise UserError(f"{run} is no run folder: give one that `trip replay` wrote, such as runs/<time>.")
    packed = Packed()
    with new_file(out, force=force) as scratch, zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name: str, data: bytes, note: str = "") -> None:
            archive.writestr(name, data)
            packed.inside.append((name, len(data), note))

        add("versions.json", _json(versions()))
        for name, read in (
            ("outcomes.json", _outcomes),
            ("record.json", _whole_json),
            ("figures.json", _figures),
            ("decisions.jsonl", _lines),
            ("journal.jsonl", _journal),
        ):
            try:
                add(name, read(run, name, content), "" if content or name == "figures.json" else "texts replaced by their length")
            except FileNotFoundError:
                packed.missing.append((name, "the run has none"))
            except (OSError, ValueError, KeyError, TypeError, UserError) as error:
                packed.missing.append((name, f"cannot be read ({type(error).__name__})"))
        for path in sorted(run.glob("*.log"))[:LOGS]:
            add(f"logs/{path.name}", _log(path), "its end, when it is long")
        if not list(run.glob("*.log")):
            packed.missing.append(("logs", "the run has none"))
        for name in CONTENT_FILES:
            if not content:
                packed.missing.append((name, "content: only with --content"))
            elif (run / name).is_file():
                archive.write(run / name, name)
                packed.inside.append((name, (run / name).stat().st_size, "content"))
        contents = {"content": content, "inside": [row[0] for row in packed.inside], "missing": packed.missing}
        add("contents.json", _json(contents))
    return packed


def versions() -> dict[str, Any]:
    """What ran, on what kind of machine; names nobody."""
    from ridealong.simulators.replay.figures import commit, machine

    return {
        "ridealong": __version__, "python": platform.python_version(), "machine": machine(), "commit": commit(),
        "packages": dict(sorted(_packages())),
    }  # fmt: skip


def _packages() -> Iterator[tuple[str, str]]:
    """Those that ridealong asks for, in any extra; "" when one is not installed."""
    try:
        wanted = metadata.requires("ridealong") or []
    except metadata.PackageNotFoundError:  # run from a checkout
        wanted = ["protobuf", "pyyaml", "numpy", "grpcio", "sounddevice", "webrtcvad-wheels", "soxr", "opencv-python-headless",
                  "onnxruntime", "ctranslate2", "tokenizers", "pypinyin", "jieba", "opencc", "mcap", "rich", "soundfile"]  # fmt: skip
    for line in wanted:
        found = _NAME.match(line)
        if found and (name := found.group()) != "ridealong":
            try:
                yield name, metadata.version(name)
            except metadata.PackageNotFoundError:
                yield name, ""


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _whole_json(run: Path, name: str, content: bool) -> bytes:
    value = json.loads((run / name).read_text(encoding="utf-8"))
    return _json(value if content else redacted(value))


def _outcomes(run: Path, name: str, content: bool) -> bytes:
    return _whole_json(run, name, content)


def _lines(run: Path, name: str, content: bool) -> bytes:
    """A run that died may have left half a line; that is left out."""
    out = []
    for line in (run / name).read_text(encoding="utf-8").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        out.append(json.dumps(value if content else redacted(value), ensure_ascii=False) + "\n")
    return "".join(out).encode()


def _figures(run: Path, name: str, content: bool) -> bytes:
    """As the run had them, from its record and the expectations in its trip."""
    from ridealong.proto.trip import TripReader
    from ridealong.simulators.replay.figures import figures
    from ridealong.simulators.trip.expected import from_raw
    from ridealong.simulators.trip.judge import judge
    from ridealong.simulators.trip.record import RunRecord

    if not (run / "record.json").exists() or not (run / "trip.mcap").exists():
        raise FileNotFoundError(name)
    record = RunRecord.load(run)
    with TripReader(run / "trip.mcap") as reader:
        expect = from_raw(reader.expected).expect if reader.expected else ()
    return _json({"figures": [asdict(row) for row in figures(expect, record, judge(expect, record))]})


def _journal(run: Path, name: str, content: bool) -> bytes:
    from ridealong.harness.commands import exported
    from ridealong.harness.journal import Journal

    if not (run / "journal.sqlite").exists():
        raise FileNotFoundError(name)
    journal = Journal(run / "journal.sqlite", read_only=True)
    try:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in exported(journal, content=content)).encode()
    finally:
        journal.close()


def _log(path: Path) -> bytes:
    """The log's end, without the user's home folder."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LOG_BYTES))
        return file.read().replace(str(Path.home()).encode(), b"~")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run folder that `trip replay` wrote")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE.zip", help="the archive (default: bug-report-<run>.zip here)")
    parser.add_argument("--content", action="store_true", help="also what was said, the sound, the pictures and the trip")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")


def _run(options: argparse.Namespace) -> int:
    out = options.out or Path(f"bug-report-{options.run.resolve().name}.zip")
    packed = pack(options.run, out, content=options.content, force=options.force)
    print(f"{out}: {out.stat().st_size / 1000:.0f} kB, nothing was sent. Inside:")
    for name, size, note in packed.inside:
        print(f"  {size:>10} {name}{f'  ({note})' if note else ''}")
    for name, why in packed.missing:
        print(f"  not inside: {name}: {why}")
    if options.content:
        print("It holds what was said and seen: look through it before you share it.")
    return 0


BUG_REPORT = Command("One archive of a run: versions, outcomes, figures, decisions, journal, logs.", _configure, _run)
