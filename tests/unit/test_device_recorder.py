"""The stereo recording lies on the device clock and opens at any time."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ridealong.device.recorder import Recorder
from ridealong.errors import UserError
from ridealong.proto.types import Samples

pytestmark = pytest.mark.unit


def read(path: Path) -> NDArray[np.int16]:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 24_000, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)


def test_both_sides_lie_on_the_device_clock(tmp_path: Path) -> None:
    path = tmp_path / "run" / "mixed.wav"
    recorder = Recorder(path)
    for k in range(150):  # 3 s; the user speaks in second 1, the assistant in second 2
        recorder.left(Samples(k * 320), np.full(320, 4_000 if 50 <= k < 100 else 0, np.int16))
        recorder.right(Samples(k * 320), np.full(480, 7_000 if k >= 100 else 0, np.int16))
        if k == 110:
            assert len(read(path)) == 2 * 24_000  # a valid file while it grows
    recorder.close()
    sound = read(path)
    assert len(sound) == 3 * 24_000
    assert abs(int(sound[36_000, 0]) - 4_000) < 5 and not sound[36_000:48_000, 1].any()
    assert np.all(sound[48_000:, 1] == 7_000) and np.abs(sound[49_000:, 0]).max() < 5
    edge = int(np.argmax(np.abs(sound[:, 0]) > 2_000))
    assert abs(edge - 24_000) < 24


def test_gaps_and_a_side_that_stays_away(tmp_path: Path) -> None:
    path = tmp_path / "mixed.wav"
    recorder = Recorder(path)
    recorder.left(Samples(0), np.full(3_200, 1_000, np.int16))
    recorder.left(Samples(16_000), np.full(3_200, 2_000, np.int16))
    for k in range(250):
        recorder.right(Samples(k * 320), np.full(480, 5, np.int16))
    assert len(read(path)) == 3 * 24_000
    recorder.close()
    sound = read(path)
    assert len(sound) == 5 * 24_000 and np.all(sound[:, 1] == 5)
    assert abs(int(sound[2_400, 0]) - 1_000) < 5 and not sound[6_000:23_000, 0].any() and abs(int(sound[26_000, 0]) - 2_000) < 5


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        Recorder(tmp_path / "file" / "mixed.wav")
