"""AdamW over float32 masters of the Thinker's weights, a schedule, and gradients that are clipped; its whole state as named tensors.

A step is far smaller than the resolution of bfloat16, so the weights that count are float32 copies. The model computes with what the
checkpoint will hold: its weights are always the masters rounded to the files' type, whatever it computes in. The published recipe names no numbers (venus.md G5); the defaults are ours. Knows no loss and no file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

MOMENTS: Final = ("exp_avg", "exp_avg_sq")


@dataclass(frozen=True, slots=True)
class Schedule:
    """`lr` is reached after `warmup` steps, then falls as a cosine to `floor` of it at the last step."""

    steps: int
    lr: float = 1e-5
    warmup: int = 0
    floor: float = 0.1

    def at(self, step: int) -> float:
        """step: from 0 on."""
        if step < self.warmup:
            return self.lr * (step + 1) / self.warmup
        way = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.lr * (self.floor + (1 - self.floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, way))))


@dataclass(frozen=True, slots=True)
class Adam:
    """`decay` is of matrices alone, not of norms and tables of tokens. `clip`: the longest gradient."""

    betas: tuple[float, float] = (0.9, 0.95)
    decay: float = 0.01
    clip: float = 1.0


class Optimiser:
    """Of one module's parameters. Names of masters and moments are the module's own."""

    def __init__(self, module: nn.Module, schedule: Schedule, adam: Adam, stored: torch.dtype = torch.float32) -> None:
        """stored: the type in which the weights will be written."""
        self._schedule, self._adam, self._stored = schedule, adam, stored
        self._parameters = dict(module.named_parameters())
        self.masters = {
            name: nn.Parameter(value.detach().to(torch.float32, copy=True)) for name, value in self._parameters.items()
        }
        decays = [master for name, master in self.masters.items() if master.ndim > 1 and "embed_tokens" not in name]
        rest = [master for name, master in self.masters.items() if master.ndim <= 1 or "embed_tokens" in name]
        self._adamw = torch.optim.AdamW(
            [{"params": decays, "weight_decay": adam.decay}, {"params": rest, "weight_decay": 0.0}],
            lr=schedule.lr,
            betas=adam.betas,
            foreach=False,
        )

    def gather(self) -> None:
        """Adds the module's gradients to the masters' and takes them away there: parts of a batch sum up in float32."""
        for name, parameter in self._parameters.items():
            if parameter.grad is not None:
                fresh, master = parameter.grad.float(), self.masters[name]
                master.grad = fresh if master.grad is None else master.grad + fresh
                parameter.grad = None

    def step(self, number: int) -> tuple[float, float]:
        """Step `number` (from 0 on) with what was gathered. Returns the rate and the gradient's length before it was clipped."""
        rate = self._schedule.at(number)
        for group in self._adamw.param_groups:
            group["lr"] = rate
        length = nn.utils.clip_grad_norm_(self.masters.values(), self._adam.clip, foreach=False)
        self._adamw.step()
        self._adamw.zero_grad(set_to_none=True)
        self._round()
        return rate, float(length)

    @torch.no_grad()
    def _round(self) -> None:
        for name, parameter in self._parameters.items():
            parameter.copy_(self.masters[name].to(self._stored))

    def moments(self) -> dict[str, Tensor]:
        """ "exp_avg.NAME" and "exp_avg_sq.NAME". Empty before the first step."""
        return {
            f"{moment}.{name}": self._adamw.state[master][moment]
            for moment in MOMENTS
            for name, master in self.masters.items()
            if master in self._adamw.state
        }

    @torch.no_grad()
    def restore(self, step: int, masters: Mapping[str, Tensor], moments: Mapping[str, Tensor]) -> None:
        """As after `step` steps."""
        for name, master in self.masters.items():
            master.copy_(masters[name])
            kept = {moment: moments[f"{moment}.{name}"].to(master.device).clone() for moment in MOMENTS}
            self._adamw.state[master] = {"step": torch.tensor(float(step)), **kept}
        self._round()
