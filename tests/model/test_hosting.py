"""A checkpoint as a host of sessions: what is lacking is a sentence, plain seconds become units; and the program itself, over gRPC."""

from __future__ import annotations

import asyncio
import itertools
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from checkpoints import copied, tiny_folder
from tests.process.programs import running

from ridealong.cloud.config import load_config
from ridealong.cloud.frontends.base import NoRoom
from ridealong.cloud.model.config import read_config
from ridealong.cloud.model.engine import EngineError
from ridealong.cloud.model.hosting import ModelSettings, check, open_model, window_of
from ridealong.cloud.model.kv_window import Basic, Context, Live, Off
from ridealong.cloud.model.loader import open_checkpoint
from ridealong.cloud.model.model import made
from ridealong.cloud.model.plain_io import Broken, NotRun, Second
from ridealong.cloud.model.scheduler import SchedulerSettings
from ridealong.device.link import Link, grpc_dialler
from ridealong.errors import UserError
from ridealong.proto import types as t

pytestmark = pytest.mark.model
CPU = ModelSettings(tiny_folder(), "cpu", "float32", 1, 512, scheduler=SchedulerSettings(deadline_ms=60_000))


def refusal(settings: ModelSettings) -> str:
    with pytest.raises(UserError) as told:
        open_model(settings)
    return str(told.value)


def test_what_is_lacking_is_a_sentence(tmp_path: Path) -> None:
    assert f"there is no folder {tmp_path / 'x'}" in refusal(ModelSettings(tmp_path / "x", "cpu"))
    assert "config.json" in refusal(ModelSettings(tmp_path, "cpu"))
    assert "base MiniCPM-o 4.5" in refusal(ModelSettings(tiny_folder(venus=False), "cpu"))
    mute = copied(tmp_path)
    shutil.rmtree(mute / "assets")
    assert "can't speak" in refusal(ModelSettings(mute, "cpu"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA")
def test_without_cuda_it_says_what_to_use() -> None:
    assert "--device cpu" in refusal(ModelSettings(tiny_folder(), "cuda"))


def test_too_little_memory_is_told_before_a_tensor_is_read() -> None:
    with pytest.raises(UserError, match=r"needs 0\.0 GB .*cpu has 0\.0 GB free: lower venus\.slots or venus\.window"):
        check(CPU, lambda device: 1_000)
    check(CPU, lambda device: None)


def test_settings_with_which_no_session_opens_are_told_at_start() -> None:
    told = refusal(replace(CPU, instructions="Be brief and kind. " * 60))
    assert "no session can be opened" in told and "more than half of the window of 512" in told and "venus.instructions" in told


def test_the_rehearsed_session_leaves_its_place_free() -> None:
    host = open_model(CPU)
    try:
        guest = host.admit(1)  # the only slot
        guest.close()
    finally:
        host.stop()


def test_weights_of_8_bits_count_as_such() -> None:
    def needed(settings: ModelSettings) -> int:
        """The least memory that is enough, in bytes."""
        low, high = 0, 10**10
        while high - low > 1:
            middle = (low + high) // 2
            try:
                check(settings, lambda device, there=middle: there)
                high = middle
            except UserError:
                low = middle
        return high

    narrow = replace(CPU, dtype="auto")
    module = made(read_config(CPU.folder))
    linears = [
        linear.weight
        for layer in module.llm.model.layers
        for part in (layer.self_attn, layer.mlp)
        for linear in part.children()
        if isinstance(linear, torch.nn.Linear)
    ]
    saved = sum(weight.numel() * (entry_bytes(CPU.folder) - 1) for weight in linears)
    assert needed(narrow) - needed(replace(narrow, quantise="int8")) == pytest.approx(1.1 * saved, abs=4)


def entry_bytes(folder: Path) -> int:
    """Bytes of a number in the checkpoint's layers."""
    entries = open_checkpoint(folder).entries
    entry = next(entry for key, entry in entries.items() if key.endswith("q_proj.weight") and key.startswith("llm."))
    return entry.size // entry.count


def test_another_front_end_never_pays_for_torch() -> None:
    code = "import sys, ridealong.cloud.main, ridealong.cloud.frontends.venus.assembly; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_windows() -> None:
    assert [window_of(mode, 800) for mode in ("live", "basic", "context", "off")] == [Live(), Basic(600, 500), Context(), Off()]


def test_seconds_become_units_and_a_slot_is_free_again() -> None:
    host = open_model(CPU)
    guest = host.admit(1)
    with pytest.raises(NoRoom, match="Every place"):
        host.admit(2)
    said = guest.submit(Second(np.zeros(16_000, np.float32), pictures=(b"no picture",), at_ms=1)).result(20)
    assert said.bad_pictures == 1 and said.lesser == ""
    with pytest.raises(NotRun):
        guest.submit(Second(np.zeros(15_000, np.float32), at_ms=2)).result(20)
    guest.begin_anew(1)
    again = guest.submit(Second(np.zeros(16_000, np.float32), at_ms=1)).result(20)
    assert (again.words, again.headroom_rows) == (said.words, said.headroom_rows)
    guest.close()
    guest.close()
    with pytest.raises(NotRun):
        guest.submit(Second(np.zeros(16_000, np.float32), at_ms=3)).result(20)
    guest = host.admit(3)
    host.broke()
    with pytest.raises(NoRoom, match="has failed"):
        guest.begin_anew(4)
    guest.close()
    with pytest.raises(NoRoom, match="has failed"):
        host.admit(4)
    host.stop()


def test_a_session_that_cannot_be_opened_is_broken_and_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    host = open_model(CPU)

    def fails(*_: object, **__: object) -> None:
        raise EngineError("no room for its voice")

    monkeypatch.setattr(host.engine, "open", fails)
    with pytest.raises(Broken):
        host.admit(1).submit(Second(np.zeros(16_000, np.float32))).result(20)
    host.stop()


def test_settings_of_the_model(tmp_path: Path) -> None:
    for text, wrong in (
        ("device: gpu", "venus.device"),
        ("quantisation: int4", "venus.quantisation"),
        ("slots: 0", "venus.slots"),
    ):
        (tmp_path / "node.yaml").write_text(f"venus:\n  {text}\n")
        with pytest.raises(UserError, match=wrong):
            load_config(tmp_path / "node.yaml", {}, {})


def test_the_program_serves_the_model(tmp_path: Path) -> None:
    """`cloud serve --frontend venus`, as anybody starts it: units in, control tokens out."""
    words = [
        "cloud", "serve", "--frontend", "venus", "--model", str(tiny_folder()), "--device", "cpu", "--dtype", "float32", "--slots", "2",
        "--window", "512", "--no-ears", "--address", "127.0.0.1:0", "--journal", str(tmp_path / "j.sqlite"),
    ]  # fmt: skip

    async def ride(port: str) -> list[t.DownlinkBody]:
        got: list[t.DownlinkBody] = []
        link = Link(grpc_dialler(f"127.0.0.1:{port}"), t.Hello("glasses", "d1"), got.append, lambda state: None, random.Random(0))
        serving = asyncio.create_task(link.run())
        async with asyncio.timeout(150):
            for unit in itertools.count():  # a session's name is chance, and so is when the tiny model begins to speak
                link.send(t.UnitPart(t.UnitIndex(unit), 0, True, t.Samples(16_000 * unit), 16_000, bytes(32_000)))
                await asyncio.sleep(0.2)
                if any(isinstance(body, t.Speech) and any(body.pcm16) for body in got):
                    break
        await link.close()
        await serving
        return got

    with running(words, r"venus front-end, serving on 127\.0\.0\.1:(\d+)", tmp_path) as (_, found):
        got = asyncio.run(ride(found[1]))
    assert any(isinstance(body, t.Control) for body in got) and any(
        isinstance(body, t.Speech) and any(body.pcm16) for body in got
    )
    assert "means nothing" in (tmp_path / "cloud.log").read_text()
