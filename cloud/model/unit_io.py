"""What goes into the engine for one unit of one session, and what comes out. Plain values: no module, no cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from ridealong.cloud.model.decoding import VENUS, Decoding
from ridealong.cloud.model.images import Cut
from ridealong.cloud.model.kv_window import Live, Window
from ridealong.cloud.model.serialization import DEFAULT_PROMPT


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Of one session. `seed`: equal seeds and equal input give equal words and sounds, whoever shares the batch."""

    decoding: Decoding = VENUS
    window: Window = Live()
    prompt: str = DEFAULT_PROMPT
    instructions: str = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class UnitInput:
    """One second of one session. `sound`: [16 000] float32 in -1..1, 16 kHz; None: a unit without sound.

    `text`: typed words. `answer`: a backend's result, brought in `<backend>`; only while no turn is open. `force_listen`: say nothing, and
    break off what is being said (an interruption judged outside). `at_ms`: on the session's clock, growing.
    """

    sound: Tensor | None = None
    pictures: tuple[Cut, ...] = ()
    text: str = ""
    answer: str = ""
    force_listen: bool = False
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class UnitOutput:
    """`words`: new text of the turn, whole characters only. `delegates`: requests that were closed in this unit, a text each.

    `sound`: [samples] float32 at 24 kHz on the CPU; None: nothing is said. `headroom_rows`: rows of context still free. `dropped`: units
    that left the window before this one; `forced`: because there was no room, whatever the window's settings. `refused`: spans that ended in
    this unit and are no request (empty, nested, or longer than 4,000 characters). `lost`: the model gave no numbers (NaN): nothing is
    said, an open turn is over, and the session can take no further unit.
    `turn_open`: the turn goes on in the next unit.
    """

    listens: bool
    end_of_turn: bool
    interrupted: bool
    words: str
    delegates: tuple[str, ...]
    sound: Tensor | None
    codes: int
    headroom_rows: int
    dropped: int = 0
    forced: bool = False
    refused: int = 0
    lost: bool = False
    stages_ms: Mapping[str, float] = field(default_factory=dict)
    turn_open: bool = False
