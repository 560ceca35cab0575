"""`ridealong device doctor`: what this device has and lacks, each lack with its remedy.

Every check is a function that returns findings; none changes anything. Exit code 1 when something that the configuration needs is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import glob
import importlib
import importlib.util
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ridealong.command import Command
from ridealong.device.camera import load_opencv
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
        try:
            found = devices(backend, direction)  # type: ignore[arg-type]
        except backend.PortAudioError as error:
            lack = f"the sound system lists none ({error}); set {name}.kind to `file` or `simulated`"
            yield Finding(f"{name}s", False if used else None, lack)
            continue
        told = (f"{str(entry['name'])!r} ({round(float(entry['default_samplerate']))} Hz)" for _, entry in found)
        yield Finding(f"{name}s", None, ", ".join(told) or "none")
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
        gives = _gives_a_picture(config.camera.device)
        lack = "gives no picture; camera.device names another, camera.kind: none does without"
        yield Finding("camera", gives, f"{config.camera.device!r} {'gives a picture' if gives else lack}")


def _gives_a_picture(device: str) -> bool:
    cv2 = load_opencv()
    video = cv2.VideoCapture(int(device) if device.isdigit() else device)
    try:
        return bool(video.isOpened() and video.read()[0])
    finally:
        video.release()


def check_packages() -> Iterable[Finding]:
    """Imported, not only found: a package that is here and broken is a lack."""
    for package, what in (("webrtcvad", "voice activity"), ("soxr", "resampling"), ("grpc", "link")):
        try:
            importlib.import_module(package)
        except ImportError as error:
            text = "is missing" if getattr(error, "name", None) == package else f"does not load ({error})"
            yield Finding(what, False, f"{package} {text}: install it with  pip install 'ridealong[device]'")
        else:
            yield Finding(what, True, f"{package} is here")


async def reach_node(address: str) -> str | None:
    """What stands against talking to a node there; None: it speaks gRPC."""
    from ridealong.device.link import LinkUnavailable, grpc_dialler

    try:
        channel = await grpc_dialler(address, connect_s=REACH_S)()
    except LinkUnavailable as error:
        return str(error)
    await channel.close()
    return None


async def reach_databroker(address: str) -> str | None:
    from ridealong.vehicle_skills.broker import BrokerAway, KuksaBroker

    try:
        broker = KuksaBroker(address)
    except UserError as error:
        return str(error)
    try:
        async with asyncio.timeout(REACH_S):
            offered = await broker.list_metadata()
    except BrokerAway as error:
        return str(error)
    except TimeoutError:
        return f"no answer from {address} within {REACH_S:g} s"
    finally:
        await broker.close()
    return None if offered else f"the databroker at {address} offers no signals"


Reach = Callable[[str], Coroutine[Any, Any, str | None]]


def check_reach(config: DeviceConfig, node: Reach = reach_node, databroker: Reach = reach_databroker) -> Iterable[Finding]:
    places = [("cloud node", node, config.link.address, "start it with `ridealong cloud serve` or correct link.address")]
    if config.vehicle.databroker:
        remedy = "start it (`ridealong car serve` is a simulated one) or correct vehicle.databroker"
        places.append(("databroker", databroker, config.vehicle.databroker, remedy))
    for name, reach, address, remedy in places:
        try:
            problem = asyncio.run(reach(address))
        except ModuleNotFoundError as error:
            problem, remedy = f"not tried, {error.name} is missing", "see above"
        yield Finding(name, problem is None, f"{address} answers" if problem is None else f"{problem.rstrip('.')}; {remedy}")


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
