"""A checkpoint that takes sessions: loads it, says what is lacking before memory is taken, and turns plain seconds into the engine's units.

    ModelSettings -> open_model -> ModelHost.admit(seed) -> ModelGuest.submit(Second) -> Future of Said

Pictures are cut in the caller's thread; nothing here waits for the device but the start. Knows no wire and no turn.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import torch

from ridealong.cloud.frontends.base import NoRoom
from ridealong.cloud.model.config import ModelConfig, read_config
from ridealong.cloud.model.decoding import PRESETS
from ridealong.cloud.model.engine import Engine, EngineError, EngineSettings
from ridealong.cloud.model.images import BadImage, Cut, cut
from ridealong.cloud.model.inspection import RELEASED_HIDDEN
from ridealong.cloud.model.kv_window import Basic, Context, Live, Off, Window
from ridealong.cloud.model.loader import open_checkpoint
from ridealong.cloud.model.model import LoadedModel, load_model
from ridealong.cloud.model.plain_io import Broken, NotRun, Said, Second
from ridealong.cloud.model.quantised import is_quantised
from ridealong.cloud.model.runner import Answer, Ended, ModelSession, Refused, Runner
from ridealong.cloud.model.scheduler import How, SchedulerSettings
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput
from ridealong.cloud.model.vocoder import DEMO, HUB, SILENCE_CODE, SpeechSettings
from ridealong.errors import UserError, where

log = logging.getLogger("ridealong.model")
DTYPES: Final = {"auto": None, "bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}
SPEECH: Final = {"hub": HUB, "demo": DEMO, "venus": DEMO}
STOP_WITHIN_S: Final = 10.0
SPARE: Final = 1.1
"""Beside weights and context, a step needs memory for itself."""
Place = Callable[[int, ModelSession | None], tuple[ModelSession, Future[None]]]
"""For a seed, and the session whose place it is to be: one that begins. Raises `NoRoom`."""
GONE: Final = "The model on this node has failed; the node must be started again. Try another node."


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """`device`: cpu, cuda or cuda:N. `dtype`: auto keeps the files'. `window`: rows of context a session. `preset`: of decoding.PRESETS.
    `window_mode`: live, basic, context or off. `quantise`: int8 or fp8 for the language model's layers."""

    folder: Path
    device: str = "cuda"
    dtype: str = "auto"
    slots: int = 4
    window: int = 8192
    preset: str = "venus"
    window_mode: str = "live"
    quantise: str | None = None
    instructions: str = ""
    scheduler: SchedulerSettings = SchedulerSettings()


def window_of(mode: str, rows: int) -> Window:
    """The rule by which units leave a session of `rows` rows."""
    match mode:
        case "basic":
            return Basic(rows * 3 // 4, rows * 5 // 8)
        case "context":
            return Context()
        case "off":
            return Off()
        case _:
            return Live()


def needed_bytes(config: ModelConfig, weights: int, slots: int, window: int, item_bytes: int) -> int:
    """Weights, and the context of all slots."""
    language = config.language
    return weights + 2 * slots * language.layers * (window + 1) * language.kv_heads * language.head_dim * item_bytes


def free_bytes(device: torch.device) -> int | None:
    """None: can't be told."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def check(settings: ModelSettings, free: Callable[[torch.device], int | None] = free_bytes) -> None:
    """Raises `UserError` for what can be told before a tensor is read."""
    folder = settings.folder
    if not folder.is_dir():
        raise UserError(
            f"there is no folder {folder}: name the folder of a checkpoint (--model), or get one with `ridealong model fetch`."
        )
    if settings.device.startswith("cuda") and not torch.cuda.is_available():
        raise UserError(
            "there is no CUDA device here, or torch was built without CUDA: use --device cpu (for small checkpoints), or --frontend cascade."
        )
    try:
        device = torch.device(settings.device)
    except RuntimeError:
        raise UserError(f"venus.device must be cpu, cuda or cuda:N, not {settings.device!r}.") from None
    config, entries = read_config(folder), open_checkpoint(folder).entries
    dtype = DTYPES[settings.dtype]
    in_8_bits = {key for key in entries if settings.quantise is not None and is_quantised(key)}
    wide = dtype is torch.float32 and any(entry.dtype in ("BF16", "F16") for entry in entries.values())
    kept = sum(entry.size for key, entry in entries.items() if key not in in_8_bits)
    weights = kept * (2 if wide else 1) + sum(entries[key].count for key in in_8_bits)
    window = min(settings.window, config.language.max_positions)
    needs = round(SPARE * needed_bytes(config, weights, settings.slots, window, 4 if dtype is torch.float32 else 2))
    there = free(device)
    if there is not None and needs > there:
        raise UserError(
            f"the model needs {needs / 1e9:.1f} GB ({weights / 1e9:.1f} GB of weights, and the context of {settings.slots} sessions), and "
            f"{device} has {there / 1e9:.1f} GB free: lower venus.slots or venus.window, or free memory."
        )


def open_model(settings: ModelSettings, tell: Callable[[str], None] = lambda line: None) -> ModelHost:
    """Loads the checkpoint; takes its time. `tell`: what whoever starts it should know. Raises `UserError`."""
    check(settings)
    loaded = load_model(settings.folder, settings.device, DTYPES[settings.dtype], quantise=settings.quantise)
    loaded.tokens.needed_delegation()
    if loaded.speech is None:
        raise UserError(
            f"the checkpoint in {settings.folder} brings no flow and vocoder, so it can't speak: fetch it again, whole."
        )
    if loaded.voice is None:
        raise UserError(
            f"the checkpoint in {settings.folder} has no voice yet: make one from a recording with "
            f"`ridealong model voice {settings.folder} --audio RECORDING.wav`."
        )
    for remark in loaded.remarks:
        tell(remark)
    if loaded.config.language.hidden != RELEASED_HIDDEN:
        tell("this is a tiny checkpoint and not the 9B model: with random weights, what it says means nothing.")
    return ModelHost(loaded, settings)


def _speech(loaded: LoadedModel, preset: str) -> SpeechSettings:
    """A tiny flow may not know the code of silence that released ones have."""
    assert loaded.speech is not None
    codes = loaded.speech.flow.config.codes
    return replace(SPEECH[preset], silence=SILENCE_CODE if codes > SILENCE_CODE else codes * 2 // 3)


class ModelHost:
    """`Hosted` by the engine in this process."""

    def __init__(self, loaded: LoadedModel, settings: ModelSettings) -> None:
        """Raises `UserError` where the context finds no memory."""
        engine = EngineSettings(
            slots=settings.slots, window=settings.window, speech=_speech(loaded, settings.preset), graphs=settings.device != "cpu"
        )
        try:
            self.engine = Engine(loaded, engine)
        except (torch.OutOfMemoryError, MemoryError):
            raise UserError(
                f"{settings.device} has no room for the context of {settings.slots} sessions: lower venus.slots or venus.window."
            ) from None
        self._session = SessionSettings(
            PRESETS[settings.preset], window_of(settings.window_mode, settings.window), instructions=settings.instructions
        )
        self._rehearse(settings)
        self.engine.warm()
        self.runner = Runner(self.engine, settings.scheduler)
        self._broken = False

    def _rehearse(self, settings: ModelSettings) -> None:
        """A session is opened and closed before anybody asks for one: what no session could be opened with is told now."""
        try:
            self.engine.open(0, self._session)
        except EngineError as error:
            raise UserError(
                f"no session can be opened with these settings: {error}. Shorten venus.instructions ({len(settings.instructions):,} characters) or the "
                f"recording of the voice, or raise venus.window ({settings.window:,})."
            ) from None
        self.engine.close(0)

    def admit(self, seed: int) -> ModelGuest:
        return ModelGuest(self.engine, self._place, seed, lambda: self.runner.load)

    def _place(self, seed: int, instead_of: ModelSession | None) -> tuple[ModelSession, Future[None]]:
        if self._broken:
            raise NoRoom(GONE)
        try:
            return self.runner.admit(replace(self._session, seed=seed), instead_of=instead_of)
        except Refused as refused:
            raise NoRoom(f"{str(refused)[:1].upper()}{str(refused)[1:]}") from None

    @property
    def failed(self) -> bool:
        return self._broken or self.runner.dead

    def broke(self) -> None:
        if not self._broken:
            self._broken = True
            log.error("the model has failed and takes no more sessions: start the node again")

    def stop(self) -> None:
        """Waits for the device, and not for one that hangs."""
        stopping = threading.Thread(target=self.runner.stop, name="model stops", daemon=True)
        stopping.start()
        stopping.join(STOP_WITHIN_S)
        if stopping.is_alive():
            log.error("the model did not stop within %.0f s", STOP_WITHIN_S)


class ModelGuest:
    """`Guest` of a `ModelHost`."""

    def __init__(self, engine: Engine, place: Place, seed: int, load: Callable[[], float] = lambda: 0.0) -> None:
        """Raises `NoRoom`."""
        self._engine, self._place, self._load = engine, place, load
        self._lost = ""
        self._session, ready = place(seed, None)
        ready.add_done_callback(self._opened)

    def _opened(self, ready: Future[None]) -> None:
        if (error := ready.exception()) is not None:
            self._lost = where(error)
            log.error("a session of the model could not be opened: %s", self._lost)

    def submit(self, second: Second) -> Future[Said]:
        cuts, bad = self._cuts(second.pictures)
        sound = torch.from_numpy(np.ascontiguousarray(second.sound, np.float32)) if second.sound is not None else None
        unit = UnitInput(sound, cuts, second.text, second.answer, second.force_listen, second.at_ms)
        told: Future[Said] = Future()
        begun = time.monotonic()
        self._session.submit(unit).add_done_callback(lambda done: self._answer(done, told, bad, begun))
        return told

    def begin_anew(self, seed: int) -> None:
        self._session, ready = self._place(seed, self._session)
        self._lost = ""
        ready.add_done_callback(self._opened)

    def close(self) -> None:
        self._session.close()

    def _cuts(self, pictures: tuple[bytes, ...]) -> tuple[tuple[Cut, ...], int]:
        """What can be looked at, and how many can't."""
        if not self._engine.sees:
            return (), 0
        cuts, bad = [], 0
        for picture in pictures:
            try:
                cuts.append(cut(picture, self._engine.config.image))
            except BadImage:
                bad += 1
        return tuple(cuts), bad

    def _answer(self, done: Future[Answer], told: Future[Said], bad: int, begun: float) -> None:
        """On a thread of the model's: must not take long."""
        error = done.exception()
        if error is None:
            told.set_result(_said(done.result(), bad, 1000 * (time.monotonic() - begun), self._load()))
        elif isinstance(error, (EngineError, Ended)) and not self._lost:
            told.set_exception(NotRun(type(error).__name__))
        else:
            told.set_exception(Broken(self._lost or type(error).__name__))


def _said(answer: Answer, bad: int, took_ms: float, load: float) -> Said:
    out = answer.output
    return Said(
        out.listens, out.end_of_turn, out.interrupted, out.turn_open, out.words, out.delegates,
        out.sound.numpy() if out.sound is not None else None, answer.late_ms, "" if answer.how is How.WHOLE else answer.how.value, bad,
        out.lost, took_ms, out.headroom_rows, load,
    )  # fmt: skip
