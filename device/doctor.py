"""`ridealong device doctor`: what this device has and lacks, each lack with its remedy.

Every check is a function that returns findings; none changes anything. Exit code 1 when something that the configuration needs is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import glob
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ridealong.command import Command
from ridealong.device.config import CameraKind, DeviceConfig, Kind, load_config
from ridealong.device.sound import PORTAUDIO_REMEDY, Backend, agree, devices, load_backend
from ridealong.errors import UserError

REACH_S: Final = 3.0
MARKS: Final = {True: "ok  ", False: "LACK", None: "-   "}


@dataclass(frozen=True, slots=True)
class Finding:
    """`good` None: not needed by this configuration, only worth knowing."""

    what: str
    good: bool | None
    text: str


def check_sound(config: DeviceConfig, backend: Backend | None = None) -> Iterable[Finding]:
    microphone, speaker = config.microphone.kind is Kind.REAL, config.speaker.kind is Kind.REAL
    needed = microphone or speaker
    try:
        backend = backend or load_backend()
    except UserError as error:
        yield Finding("sound library", False if needed else None, str(error) if needed else f"not needed; {PORTAUDIO_REMEDY}")
        return
    yield Finding("sound library", True, "PortAudio is here")
    for direction, wanted, used, name in (
        ("input", config.microphone.device, microphone, "microphone"),
        ("output", config.speaker.device, speaker, "speaker"),
    ):
        found = devices(backend, direction)  # type: ignore[arg-type]
        yield Finding(f"{name}s", None, ", ".join(repr(str(entry["name"])) for _, entry in found) or "none")
        if used:
            try:
                agreed = agree(backend, direction, wanted)  # type: ignore[arg-type]
            except UserError as error:
                yield Finding(name, False, str(error))
            else:
                yield Finding(name, True, f"{agreed.name!r} at {agreed.rate} Hz, {agreed.channels} channels")


def check_files(config: DeviceConfig) -> Iterable[Finding]:
    wanted = [("microphone", config.microphone.path if config.microphone.kind is Kind.FILE else None)]
    wanted.append(("camera", config.camera.path if config.camera.kind is CameraKind.FILE else None))
    for name, path in wanted:
        if path is not None:
            there = path.is_file()
            yield Finding(name, there, f"{path}" if there else f"there is no file {path}; correct {name}.path")


def check_camera(config: DeviceConfig) -> Iterable[Finding]:
    kind = config.camera.kind
    present = importlib.util.find_spec("cv2") is not None
    needed = kind is not CameraKind.NONE
    remedy = "install it with  pip install 'ridealong[camera]'"
    yield Finding("OpenCV", present if needed or present else None, "is here" if present else f"missing; {remedy}")
    nodes = sorted(glob.glob("/dev/video*"))
    yield Finding("cameras", None, ", ".join(nodes) or "none that the system lists")
    if kind is CameraKind.REAL and present:
        from ridealong.device.camera import OpenCVCamera

        video = OpenCVCamera(config.camera.device)._opened()
        if video is not None:
            video.release()
        lack = "cannot be opened; camera.device names another, camera.kind: none does without"
        yield Finding("camera", video is not None, f"{config.camera.device!r} {'opens' if video is not None else lack}")


def check_packages() -> Iterable[Finding]:
    for package, what in (("webrtcvad", "voice activity"), ("soxr", "resampling"), ("grpc", "link")):
        present = importlib.util.find_spec(package) is not None
        yield Finding(what, present, f"{package} {'is here' if present else 'is missing: pip install ridealong[device]'}")


async def _reachable(address: str) -> str | None:
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(REACH_S):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except TimeoutError:
        return f"no answer within {REACH_S:g} s"
    except OSError as error:
        return error.strerror or type(error).__name__
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return None


def check_reach(config: DeviceConfig) -> Iterable[Finding]:
    places = [("cloud node", config.link.address, "start it with `ridealong cloud serve` or correct link.address")]
    if config.vehicle.databroker:
        places.append(("databroker", config.vehicle.databroker, "start it or correct vehicle.databroker"))
    for name, address, remedy in places:
        problem = asyncio.run(_reachable(address))
        yield Finding(name, problem is None, f"{address} answers" if problem is None else f"{address}: {problem}; {remedy}")


def diagnose(config: DeviceConfig) -> list[Finding]:
    return [
        *check_packages(),
        *check_sound(config),
        *check_files(config),
        *check_camera(config),
        *check_reach(config),
    ]


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="the device's configuration (YAML)")


def _run(options: argparse.Namespace) -> int:
    findings = diagnose(load_config(options.config).value)
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        print(f"{MARKS[finding.good]} {finding.what:<{width}}  {finding.text}")
    lacks = sum(finding.good is False for finding in findings)
    print(f"{lacks} {'lack' if lacks == 1 else 'lacks'}." if lacks else "nothing is missing.")
    return 1 if lacks else 0


DOCTOR: Final = Command("say what this device has and lacks", _configure, _run)
