"""A tiny checkpoint, and records from the scenario generator whose voices are buzzes, for tests of training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ridealong.cloud.model.tiny import write_tiny
from ridealong.cloud.model.tiny_config import TINY, Stack
from ridealong.cloud.model.training.records import RATE_HZ, Chat, Duplex, Heard, Message, SoundAt, Token, Unit, Words
from ridealong.cloud.model.training.writing import RecordFolder
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.speech import Syllables
from ridealong.simulators.training.materialise import Order, materialise

SPEAK, TURN_EOS = Token("speak"), Token("turn_eos")


def tiny(folder: Path) -> Path:
    """Narrower than the shipped one, so that it learns in seconds, and with room for a ride."""
    write_tiny(folder, replace(TINY, language=Stack(128, 2, 256, 4), positions=640))
    return folder


def generated(folder: Path, order: Order) -> Path:
    materialise(folder, Studio.of(Split.TUNE, Syllables()), order)
    return folder


def written(folder: Path) -> Path:
    """Two small sessions and a chat by hand."""
    target = RecordFolder(folder)
    noise = np.random.default_rng(0).integers(-3000, 3000, 4 * RATE_HZ).astype(np.int16)
    sound = target.sound("noise", noise)
    at = [SoundAt(sound, unit * RATE_HZ) for unit in range(4)]
    asked = (
        Unit("listen", sound=at[0]),
        Unit("chunk_eos", (SPEAK, Token("delegate_open"), Words("warmer"), Token("delegate_close")), at[1]),
        Unit("chunk_eos", (SPEAK, TURN_EOS), at[2]),
        Unit("chunk_eos", (SPEAK, Words("Okay.")), at[3], backend="Okay."),
    )
    target.add(Duplex("asked", asked, instructions="Be brief."))
    target.add(
        Duplex("told", (Unit("listen", text="hello"), Unit("chunk_eos", (SPEAK, Words("Yes."), TURN_EOS), at[0])), "You listen.")
    )
    talk = (
        Message("system", (Words("You are helpful."),)),
        Message("user", (Heard(sound), Words("What is it?"))),
        Message("assistant", (Words("Noise."),)),
        Message("user", (Words("Again?"),)),
        Message("assistant", (Words("Noise, again."),)),
    )
    target.add(Chat("talk", talk))
    target.close()
    return folder


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def script(unit: Mapping[str, Any]) -> str:
    """A unit of records.jsonl as `rehearsal.shown` writes it: what the file says, whatever layout makes of it."""
    names = {"delegate_open": "<delegate>", "delegate_close": "</delegate>"}
    parts = [
        names.get(part["token"], part["token"]) if "token" in part else repr(part["words"]) for part in unit.get("drawn", [])
    ]
    return " ".join([*parts, unit["end"]])
