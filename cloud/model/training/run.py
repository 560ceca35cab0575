"""A training run: model and lessons become steps, states and a checkpoint. Killed at any time, it goes on from its last state as if nothing
had been.

Which samples a step has, its rate, and all arithmetic follow from the plan and the step's number; there is no other state than weights
and moments. Knows no command line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from ridealong.cloud.model.loader import DTYPES, INDEX, SINGLE, open_checkpoint
from ridealong.cloud.model.model import DuplexModel, LoadedModel, device_of, load_model
from ridealong.cloud.model.training.keeping import THINKER, RunFolder, State
from ridealong.cloud.model.training.lessons import Lessons, Weights, batch, order
from ridealong.cloud.model.training.loss import CHUNK_ROWS, batch_loss
from ridealong.cloud.model.training.optimising import Adam, Optimiser, Schedule
from ridealong.cloud.model.training.records import FILE, read_records
from ridealong.cloud.model.training.rehearsal import rehearse
from ridealong.cloud.model.training.senses import Senses
from ridealong.errors import UserError


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. `batch`: samples of a step, `micro` of which are computed at once (0: all). `max_rows`: a longer sample is dropped
    (0: the model's positions). `save_every`: steps from state to state."""

    steps: int
    lr: float = 1e-5
    warmup: int = 0
    batch: int = 8
    micro: int = 0
    seed: int = 0
    max_rows: int = 0
    save_every: int = 100
    recompute: bool = False
    chunk_rows: int = CHUNK_ROWS
    adam: Adam = field(default_factory=Adam)
    weights: Weights = field(default_factory=Weights)


Say = Callable[[str], None]


def open_model(folder: Path, device: str) -> LoadedModel:
    """For training: on the CPU in float32, elsewhere as its files have it. Raises `UserError`."""
    model = load_model(folder, device, torch.float32 if device_of(device).type == "cpu" else None)
    only_thinker(model.module)
    return model


def only_thinker(module: DuplexModel) -> None:
    """Gradients for the language model and for nothing else (venus.md G1)."""
    module.requires_grad_(False)
    for name, parameter in module.llm.named_parameters():
        # Weights of a file may be mapped from it; what is trained has memory of its own.
        module.llm.get_parameter(name).data = parameter.detach().clone()
    module.llm.requires_grad_(True)


def prepared(model: LoadedModel, records: Path, plan: Plan) -> Lessons:
    """Raises `UserError` for a bad record."""
    positions = model.config.language.max_positions
    found = read_records(records)
    return Lessons.prepare(found, model.tokens, Senses(model, records), min(plan.max_rows or positions, positions), plan.weights)


def train(folder: Path, records: Path, out: Path, plan: Plan, device: str = "cpu", say: Say = print) -> LoadedModel:
    """The whole of `ridealong train`: returns the model, trained. Raises `UserError`."""
    if out.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{out} lies inside the checkpoint that is trained; name another folder for the run.")
    model = open_model(folder, device)
    lessons = prepared(model, records, plan)
    say(f"{len(lessons)} records of {sum(record.rows for record in lessons.records):,} rows; {len(lessons.dropped)} dropped")
    for one in lessons.dropped[:10]:
        say(f"  dropped {one.id}: {one.why}")
    run = RunFolder(out, _identity(folder, records, plan))
    optimiser = Optimiser(model.module.llm, Schedule(plan.steps, plan.lr, plan.warmup), plan.adam, _stored(folder))
    begun = 0
    if (state := run.latest()) is not None:
        optimiser.restore(state.step, state.masters, state.moments)
        begun = state.step
        say(f"goes on after step {begun}")
    for number, samples in enumerate(order(len(lessons), plan.batch, plan.seed, plan.steps)):
        if number < begun:
            continue
        loss = _step(model, lessons, samples, plan, optimiser)
        rate, length = optimiser.step(number)
        if not (loss == loss and length == length):
            raise UserError(
                f"Step {number + 1}: the loss is no number any more. Lower --lr, or look at the records of this step."
            )
        run.log({"step": number + 1, "loss": loss, "lr": rate, "gradient": length})
        if (number + 1) % plan.save_every == 0 or number + 1 == plan.steps:
            run.keep(State(number + 1, optimiser.masters, optimiser.moments()))
            say(f"step {number + 1:,} of {plan.steps:,}  loss {loss:.4f}  rate {rate:.2e}")
    run.finish(folder, {f"{THINKER}{name}": value for name, value in optimiser.masters.items()})
    say(f"{run.checkpoint}: the trained checkpoint")
    return model


def _stored(folder: Path) -> torch.dtype:
    """The type of the Thinker's weights in the files."""
    kinds = {entry.dtype for key, entry in open_checkpoint(folder).entries.items() if key.startswith(THINKER)}
    return DTYPES[kinds.pop()] if len(kinds) == 1 else torch.float32


def _step(model: LoadedModel, lessons: Lessons, samples: Sequence[int], plan: Plan, optimiser: Optimiser) -> float:
    """Gradients of one step, gathered; its loss."""
    micro, total = plan.micro or len(samples), 0.0
    samples = sorted(samples, key=lambda number: lessons.records[number].rows)  # so that little is padded
    device = model.module.llm.lm_head.weight.device
    for at in range(0, len(samples), micro):
        part = batch([lessons.lesson(number) for number in samples[at : at + micro]], len(samples), device)
        loss = batch_loss(model.module.llm, part, recompute=plan.recompute, chunk_rows=plan.chunk_rows)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.gather()
        total += loss.item()
    return total


def rehearsed(model: LoadedModel, lessons: Lessons, most: int) -> tuple[int, int, int]:
    """Of the first `most` duplex records: (sessions, units, units said exactly as taught)."""
    found = [rehearse(model, lessons.senses, record) for record in [one for one in lessons.records if one.duplex][:most]]
    return len(found), sum(len(one.said) for one in found), sum(one.right for one in found)


def _identity(folder: Path, records: Path, plan: Plan) -> dict[str, Any]:
    """What a run must have in common with the one that it goes on with."""
    index = folder / INDEX if (folder / INDEX).exists() else folder / SINGLE
    of_records = hashlib.sha256((records / FILE).read_bytes()).hexdigest()[:16]
    values = asdict(plan) | {"model": _digest(folder, index), "records": of_records}
    del values["save_every"]
    known: dict[str, Any] = json.loads(json.dumps(values))  # as it will be read back
    return known


def _digest(folder: Path, index: Path) -> str:
    """Of names and sizes, not of gigabytes of weights."""
    sizes = sorted(f"{path.name} {path.stat().st_size}" for path in folder.glob("*.safetensors"))
    head = index.read_bytes() if index.name == INDEX else b""
    return hashlib.sha256(head + "\n".join(sizes).encode()).hexdigest()[:16]
