"""The device's configuration: one frozen value. What each key means is said here and in docs/guides/device.md.

Loaded by `ridealong.settings` from YAML < environment (RIDEALONG_DEVICE__SECTION__KEY) < flags. Does not open anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final

from ridealong.settings import Loaded, load

ENVIRONMENT: Final = "RIDEALONG_DEVICE"
LOCALES: Final = ("en", "zh", "mixed")


class Kind(Enum):
    REAL = "real"
    FILE = "file"
    SIMULATED = "simulated"


class CameraKind(Enum):
    NONE = "none"
    REAL = "real"
    FILE = "file"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class IdentityConfig:
    kind: str = "car"
    id: str = "device"
    locale: str = "en"

    def check(self) -> str | None:
        if self.locale not in LOCALES:
            return f"device.locale must be one of {', '.join(LOCALES)}, not {self.locale!r}."
        return None if self.id and self.kind else "device.id and device.kind must not be empty."


@dataclass(frozen=True, slots=True)
class LinkConfig:
    """`give_up_after_s`: how long the first connection may take; 0 is for ever."""

    address: str = "127.0.0.1:50051"
    give_up_after_s: float = 0.0

    def check(self) -> str | None:
        host, _, port = self.address.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65_536:
            return f"link.address must be HOST:PORT, for example 127.0.0.1:50051, not {self.address!r}."
        return None if self.give_up_after_s >= 0 else "link.give_up_after_s must not be negative."


@dataclass(frozen=True, slots=True)
class MicrophoneConfig:
    """`device`: a name or part of one; empty: the system's default. `path`, `repeat`: for kind file."""

    kind: Kind = Kind.REAL
    device: str | None = None
    path: Path | None = None
    repeat: bool = False

    def check(self) -> str | None:
        return "microphone.kind file needs microphone.path." if self.kind is Kind.FILE and self.path is None else None


@dataclass(frozen=True, slots=True)
class SpeakerConfig:
    """`output_latency_ms`: how much sound the sound system is asked to hold (real). None of it can be taken back: a duck or a stop is heard so
    much later. More helps against stutter."""

    kind: Kind = Kind.REAL
    device: str | None = None
    path: Path | None = None
    output_latency_ms: float = 40.0

    def check(self) -> str | None:
        if not 5 <= self.output_latency_ms <= 500:
            return "speaker.output_latency_ms must lie within 5 and 500."
        return "speaker.kind file needs speaker.path." if self.kind is Kind.FILE and self.path is None else None


@dataclass(frozen=True, slots=True)
class CameraConfig:
    """`every_ms`: time between sampled frames. `bytes_per_min`: 0 is no limit."""

    kind: CameraKind = CameraKind.NONE
    device: str = "0"
    path: Path | None = None
    repeat: bool = False
    every_ms: int = 1_000
    save_bytes: bool = False
    bytes_per_min: int = 0
    jpeg_quality: int = 80
    longest_side: int = 448

    def check(self) -> str | None:
        if self.kind is CameraKind.FILE and self.path is None:
            return "camera.kind file needs camera.path."
        if not 100 <= self.every_ms <= 60_000:
            return "camera.every_ms must lie within 100 and 60000."
        if not 1 <= self.jpeg_quality <= 100 or not 16 <= self.longest_side <= 4_096 or self.bytes_per_min < 0:
            return "camera.jpeg_quality must lie within 1 and 100, longest_side within 16 and 4096, bytes_per_min not below 0."
        return None


@dataclass(frozen=True, slots=True)
class ConsentConfig:
    """Whether the configured microphone and camera may be captured from the beginning. The owner of an agent can change it while it runs."""

    microphone: bool = True
    camera: bool = True

    def check(self) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class SoundConfig:
    """`echo_delay_ms`: known delay of the sound system (a Bluetooth speaker's 150, say); it is found, too. `vad`: 0 (eager) to 3 (strict)."""

    echo_cancellation: bool = True
    echo_delay_ms: float = 0.0
    near_end_margin_db: float = 6.0
    duck_db: float = -18.0
    verdict_ms: int = 1_500
    vad: int = 2

    def check(self) -> str | None:
        if not 0 <= self.near_end_margin_db <= 60:
            return "sound.near_end_margin_db must lie within 0 and 60."
        if not 0 <= self.vad <= 3:
            return "sound.vad must be 0, 1, 2 or 3."
        if not -60 <= self.duck_db <= 0 or not 0 <= self.echo_delay_ms <= 1_000 or not 100 <= self.verdict_ms <= 10_000:
            return "sound.duck_db must lie within -60 and 0, echo_delay_ms within 0 and 1000, verdict_ms within 100 and 10000."
        return None


@dataclass(frozen=True, slots=True)
class VehicleConfig:
    """`databroker`: HOST:PORT of kuksa.val.v2; empty: no car. `ledger`: where keys that were applied are kept; `audit`: where a row for every verdict of the policy goes. `file`: what is particular about this model of
    car (docs/guides/vehicle.md). `token_file`: the JWT that the databroker asks for; `tls_ca`: who signed its certificate (PEM), `tls_name`: the name in it."""

    databroker: str | None = None
    ledger: Path | None = None
    audit: Path | None = None
    file: Path | None = None
    token_file: Path | None = None
    tls_ca: Path | None = None
    tls_name: str = ""
    drive: str | None = None
    temperature_unit: str | None = None

    def check(self) -> str | None:
        if self.drive not in (None, "left", "right"):
            return "vehicle.drive must be left or right."
        return None if self.temperature_unit in (None, "C", "F") else "vehicle.temperature_unit must be C or F."


@dataclass(frozen=True, slots=True)
class RecordingConfig:
    """`path`: a stereo WAV of the whole run (left microphone, right speaker); empty: none."""

    path: Path | None = None


@dataclass(frozen=True, slots=True)
class LogConfig:
    level: str = "info"
    counters_every_s: float = 60.0

    def check(self) -> str | None:
        levels = ("debug", "info", "warning", "error")
        return None if self.level in levels and self.counters_every_s > 0 else f"log.level must be one of {', '.join(levels)}."


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    """`linger_s`: how long to go on after a file microphone ended, so that the last answer is heard."""

    device: IdentityConfig = field(default_factory=IdentityConfig)
    link: LinkConfig = field(default_factory=LinkConfig)
    microphone: MicrophoneConfig = field(default_factory=MicrophoneConfig)
    speaker: SpeakerConfig = field(default_factory=SpeakerConfig)
    camera: CameraConfig = field(default_factory=CameraConfig)
    consent: ConsentConfig = field(default_factory=ConsentConfig)
    sound: SoundConfig = field(default_factory=SoundConfig)
    vehicle: VehicleConfig = field(default_factory=VehicleConfig)
    recording: RecordingConfig = field(default_factory=RecordingConfig)
    log: LogConfig = field(default_factory=LogConfig)
    linger_s: float = 10.0

    def check(self) -> str | None:
        return None if 0 <= self.linger_s <= 3_600 else "linger_s must lie within 0 and 3600."


def load_config(
    file: Path | None, environ: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None
) -> Loaded[DeviceConfig]:
    """Raises UserError naming the key and the place."""
    return load(DeviceConfig, file, ENVIRONMENT, os.environ if environ is None else environ, flags)
