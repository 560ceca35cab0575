"""What a folder is as a checkpoint: its parts, tokens, assets and manifest, found without a GPU and without reading the weights.

    folder -> `examine` -> Report -> `shown` (for people) or `values` (for programs)

Goes on past the first thing that is wrong, so that one look tells all. Source of the expected numbers: spec model.md section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from ridealong.cloud.model.config import ModelConfig, read_config
from ridealong.cloud.model.hift import Hift
from ridealong.cloud.model.loader import MANIFEST, Checkpoint, open_checkpoint, verify_manifest
from ridealong.cloud.model.model import (
    believed,
    find_assets,
    judged,
    load_speech_of,
    load_tokens_of,
    made,
    refusal,
)
from ridealong.cloud.model.voice import REFERENCE_RATE, SPEAKER_FILE, TOKENIZER_FILE
from ridealong.errors import UserError

T = TypeVar("T")
RELEASED: Final = {
    "llm": (399, 8_189_195_264),
    "vpm": (437, 417_792_240),
    "resampler": (13, 88_907_776),
    "apm": (367, 307_216_384),
    "audio_projection_layer": (4, 20_979_712),
    "tts": (194, 347_696_290),
}
"""Part -> tensors, parameters of MiniCPM-o 4.5. Realtime-Venus may have more rows of words."""
RELEASED_HIDDEN: Final = 4096


@dataclass(frozen=True, slots=True)
class Part:
    """`released`: what the released model has, None where this is another size."""

    name: str
    tensors: int
    parameters: int
    size: int
    released: tuple[int, int] | None

    @property
    def verdict(self) -> str:
        if self.released is None:
            return ""
        if self.released == (self.tensors, self.parameters):
            return "as released"
        return f"released: {self.released[0]}, {self.released[1]:,} ({self.parameters - self.released[1]:+,})"


@dataclass(slots=True)
class Report:
    """`facts`: name -> what is so. `remarks`: worth knowing. `problems`: what keeps it from being loaded, with the remedy.
    `unfit`: what a node would refuse it for."""

    folder: Path
    parts: list[Part] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.problems


def examine(folder: Path, *, sums: bool = False) -> Report:
    """All about the checkpoint in `folder`. sums: also hash every file. Raises `UserError` where there is no folder at all."""
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}: name the folder of a checkpoint, or get one with `ridealong model fetch`.")
    report = Report(folder)
    config = _tried(report, lambda: read_config(folder))
    checkpoint = _tried(report, lambda: open_checkpoint(folder))
    if checkpoint is not None:
        _count(report, checkpoint, config)
    if config is not None:
        whole = (_tried(report, lambda: _compare(report, config, checkpoint)) if checkpoint is not None else None) or config
        report.facts["configuration"] = _sizes(whole)
        _tried(report, lambda: _tokens(report, whole))
        _tried(report, lambda: _assets(report, whole))
    _tried(report, lambda: _manifest(report, sums))
    return report


def _tried(report: Report, step: Callable[[], T]) -> T | None:
    try:
        return step()
    except UserError as error:
        report.problems.append(str(error))
        return None


def _count(report: Report, checkpoint: Checkpoint, config: ModelConfig | None) -> None:
    comparable = config is not None and config.language.hidden == RELEASED_HIDDEN
    for name, (tensors, parameters, size) in sorted(checkpoint.sums().items(), key=lambda item: -item[1][1]):
        report.parts.append(Part(name, tensors, parameters, size, RELEASED.get(name) if comparable else None))
    files = len({entry.file for entry in checkpoint.entries.values()})
    kinds = sorted({entry.dtype for entry in checkpoint.entries.values()})
    report.facts["weights"] = f"{len(checkpoint.entries)} tensors in {files} file{'s' * (files > 1)}, {', '.join(kinds)}"


def _compare(report: Report, config: ModelConfig, checkpoint: Checkpoint) -> ModelConfig:
    config, remarks = believed(config, checkpoint)
    report.remarks += remarks
    findings, skipped = judged(made(config), checkpoint)
    if skipped:
        report.facts["not read"] = ", ".join(f"{prefix} ({_bytes(size)})" for prefix, size in skipped.items())
    if findings:
        raise UserError(refusal(report.folder, findings))
    report.facts["account"] = "every tensor that the model needs is there, and none that it doesn't know"
    return config


def _sizes(config: ModelConfig) -> str:
    language = config.language
    seeing = "hears only" if config.vision is None else f"sees ({config.vision.layers} layers) and hears"
    return (
        f"{language.layers} layers of {language.hidden}, {language.vocab:,} rows of words, "
        f"{language.max_positions:,} positions; {seeing}; {config.dtype}"
    )


def _tokens(report: Report, config: ModelConfig) -> None:
    tokens = load_tokens_of(report.folder, config)
    report.remarks += tokens.remarks
    venus = tokens.delegation
    report.facts["tokens"] = f"all names of the protocol found; {len(tokens.banned):,} ids are never spoken"
    if venus is None:
        report.unfit.append("a base checkpoint hands no work over")
    report.facts["delegation"] = (
        "none: a base checkpoint"
        if venus is None
        else f"<delegate> {venus.delegate_open}, </delegate> {venus.delegate_close}, "
        f"<backend> {venus.backend_open}, </backend> {venus.backend_close}"
    )


def _assets(report: Report, config: ModelConfig) -> None:
    speech, voice, remarks = load_speech_of(report.folder, config, "cpu")
    report.remarks += remarks
    place = find_assets(report.folder)
    if speech is None or place is None:
        report.facts["speech"] = "no flow and vocoder"
        report.unfit.append("it has no flow and vocoder")
        return
    kind = "original" if isinstance(speech.wave, Hift) else "causal (minicpmo-utils 1.0.7)"
    report.facts["speech"] = f"flow and {kind} vocoder in {place.relative_to(report.folder)}"
    lacking = [name for name in (TOKENIZER_FILE, SPEAKER_FILE) if not (place / name).is_file()]
    if voice is None:
        report.unfit.append("it has no voice (`ridealong model voice`)")
    if voice is not None:
        report.facts["voice"] = f"one of {len(voice.samples) / REFERENCE_RATE:.1f} s"
    elif lacking:
        report.facts["voice"] = f"none; {', '.join(lacking)} missing, so that none can be made of a recording"
    else:
        report.facts["voice"] = "none yet; one can be made of a recording"


def _manifest(report: Report, sums: bool) -> None:
    if not (report.folder / MANIFEST).is_file():
        if sums:
            raise UserError(f"{report.folder} holds no {MANIFEST}, so nothing tells whether its files are whole.")
        report.facts["manifest"] = f"none ({MANIFEST})"
        return
    if not sums:
        report.facts["manifest"] = f"{MANIFEST} is there; --sums compares every file with it"
        return
    wrong = verify_manifest(report.folder)
    if wrong:
        raise UserError(f"{MANIFEST} doesn't agree:\n  " + "\n  ".join(wrong) + "\nFetch the checkpoint again.")
    report.facts["manifest"] = "every file is what was fetched"


def shown(report: Report) -> str:
    """The report for people."""
    lines = [f"{report.folder}"]
    if report.parts:
        rows = [("part", "tensors", "parameters", "bytes", "")]
        rows += [(p.name, str(p.tensors), f"{p.parameters:,}", _bytes(p.size), p.verdict) for p in report.parts]
        whole = [sum(column) for column in zip(*((p.tensors, p.parameters, p.size) for p in report.parts), strict=True)]
        rows.append(("in all", str(whole[0]), f"{whole[1]:,}", _bytes(whole[2]), ""))
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines += [
            f"  {name:<{widths[0]}}  {tensors:>{widths[1]}}  {count:>{widths[2]}}  {size:>{widths[3]}}  {verdict}".rstrip()
            for name, tensors, count, size, verdict in rows
        ]
    lines += [f"  {name:<13}  {fact}" for name, fact in report.facts.items()]
    lines += [f"  note           {remark}" for remark in report.remarks]
    lines += [f"  WRONG          {problem.replace(chr(10), chr(10) + ' ' * 17)}" for problem in report.problems]
    verdict = (
        "sound: it can be loaded (whether its weights are numbers is looked at then)"
        if report.sound
        else "not sound: it can't be loaded"
    )
    if report.sound and report.unfit:
        verdict += f"; not yet served (--frontend venus): {', '.join(report.unfit)}"
    lines.append(verdict)
    return "\n".join(lines)


def values(report: Report) -> dict[str, Any]:
    """The report for programs."""
    return {
        "command": "model check",
        "folder": str(report.folder),
        "sound": report.sound,
        "parts": [
            {
                "name": part.name,
                "tensors": part.tensors,
                "parameters": part.parameters,
                "bytes": part.size,
                "released": None if part.released is None else {"tensors": part.released[0], "parameters": part.released[1]},
            }
            for part in report.parts
        ],
        "facts": report.facts,
        "remarks": report.remarks,
        "problems": report.problems,
    }


def _bytes(size: int) -> str:
    for unit, step in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= step:
            return f"{size / step:.2f} {unit}"
    return f"{size} B"
