"""The doctor: each lack is one line with its remedy, and only what the configuration needs is a lack."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ridealong.device import doctor
from ridealong.device.config import DeviceConfig, load_config
from ridealong.device.doctor import Finding, check_camera, check_packages, check_reach, check_sound, diagnose

pytestmark = pytest.mark.unit


class FakeSoundError(Exception):
    pass


class FakeSound:
    """A built-in card at 48 kHz and a USB microphone at 44.1 kHz."""

    PortAudioError = FakeSoundError

    def __init__(self, *, broken: bool = False, busy: bool = False) -> None:
        self.broken, self.busy = broken, busy

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        if self.broken:
            raise FakeSoundError("no host API")
        return [
            {"name": "built-in", "max_input_channels": 2, "max_output_channels": 2, "default_samplerate": 48_000.0},
            {"name": "USB mic", "max_input_channels": 1, "max_output_channels": 0, "default_samplerate": 44_100.0},
        ]

    def check_input_settings(self, **settings: Any) -> None:
        if self.busy:
            raise FakeSoundError("Device unavailable")

    check_output_settings = check_input_settings

    def InputStream(self, **options: Any) -> Any:  # noqa: N802
        raise AssertionError("the doctor opens no stream")

    OutputStream = InputStream


def config(**flags: object) -> DeviceConfig:
    return load_config(None, {}, {key.replace("__", "."): value for key, value in flags.items()}).value


def by_name(findings: Sequence[Finding]) -> dict[str, Finding]:
    assert len({finding.what for finding in findings}) == len(findings)
    assert all("\n" not in finding.text for finding in findings)
    return {finding.what: finding for finding in findings}


async def answers(address: str) -> str | None:
    return None


async def refuses(address: str) -> str | None:
    return f"nothing answers at {address}"


async def not_installed(address: str) -> str | None:
    raise ModuleNotFoundError("No module named 'grpc'", name="grpc")


def test_microphones_and_speakers_are_named_with_their_rates() -> None:
    found = by_name(list(check_sound(config(), FakeSound())))
    assert found["microphones"].text == "'built-in' (48000 Hz), 'USB mic' (44100 Hz)" and found["microphones"].good is None
    assert found["speakers"].text == "'built-in' (48000 Hz)"
    assert found["microphone"] == Finding("microphone", True, "'built-in' at 48000 Hz, 1 channels")
    chosen = by_name(list(check_sound(config(microphone__device="USB"), FakeSound())))
    assert chosen["microphone"].text == "'USB mic' at 44100 Hz, 1 channels"


@pytest.mark.parametrize(
    ("sound", "flags", "what", "words"),
    [
        (FakeSound(), {"microphone__device": "Jabra"}, "microphone", "this machine has: 'built-in', 'USB mic'"),
        (FakeSound(busy=True), {}, "speaker", "close the program that holds it"),
        (FakeSound(broken=True), {}, "microphones", "microphone.kind"),
    ],
)
def test_a_lack_of_sound_says_what_to_do(sound: FakeSound, flags: dict[str, str], what: str, words: str) -> None:
    finding = by_name(list(check_sound(config(**flags), sound)))[what]
    assert finding.good is False and words in finding.text


def test_what_the_configuration_does_not_need_is_no_lack() -> None:
    quiet = config(microphone__kind="simulated", speaker__kind="simulated")
    for sound in (FakeSound(broken=True), FakeSound(busy=True)):
        assert all(finding.good is not False for finding in check_sound(quiet, sound))


def test_a_camera_is_looked_at_only_when_one_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(doctor, "_gives_a_picture", lambda device: bool(asked.append(device)))
    assert "camera" not in by_name(list(check_camera(config()))) and asked == []
    found = by_name(list(check_camera(config(camera__kind="real", camera__device="7"))))
    assert asked == ["7"] and found["camera"].good is False and "camera.device" in found["camera"].text
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    missing = by_name(list(check_camera(config(camera__kind="real"))))["OpenCV"]
    assert missing.good is False and "ridealong[camera]" in missing.text
    assert by_name(list(check_camera(config())))["OpenCV"].good is None


def test_a_package_that_is_here_and_broken_is_a_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> object:
        if name == "webrtcvad":
            raise ModuleNotFoundError("No module named 'pkg_resources'", name="pkg_resources")
        if name == "soxr":
            raise ModuleNotFoundError("No module named 'soxr'", name="soxr")
        return object()

    monkeypatch.setattr(importlib, "import_module", load)
    found = by_name(list(check_packages()))
    assert "does not load" in found["voice activity"].text and "pkg_resources" in found["voice activity"].text
    assert "soxr is missing" in found["resampling"].text and "pip install 'ridealong[device]'" in found["resampling"].text
    assert found["link"].good is True


def test_the_databroker_is_asked_only_where_there_is_a_car() -> None:
    assert [finding.what for finding in check_reach(config(), answers, refuses)] == ["cloud node"]
    found = by_name(list(check_reach(config(vehicle__databroker="127.0.0.1:55555"), answers, refuses)))
    assert found["cloud node"].good is True
    assert found["databroker"].good is False and "vehicle.databroker" in found["databroker"].text


def test_without_grpc_nothing_is_tried_and_nothing_raises() -> None:
    found = by_name(list(check_reach(config(), not_installed)))
    assert found["cloud node"].good is False and "grpc is missing" in found["cloud node"].text


def test_a_whole_device_lacks_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "load_backend", FakeSound)
    monkeypatch.setattr(doctor, "check_reach", lambda wanted: check_reach(wanted, answers, answers))
    found = diagnose(config(vehicle__databroker="127.0.0.1:55555"))
    assert [finding for finding in found if finding.good is False] == []
