"""What microphone and speaker share of the sound system: loading it, finding a device by name, agreeing on a rate.

Knows PortAudio (through `sounddevice`, imported when first used). Does not know what is captured or played.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from ridealong.errors import UserError

log = logging.getLogger("ridealong.device.sound")

Direction = Literal["input", "output"]
RATES: Final = (48_000, 44_100, 32_000, 24_000, 16_000, 8_000)
PORTAUDIO_REMEDY: Final = (
    "the sound library PortAudio is missing: install it (Debian: `apt-get install libportaudio2`), or set microphone.kind and "
    "speaker.kind to `file` or `simulated`."
)


class Backend(Protocol):
    """The part of `sounddevice` that we use."""

    PortAudioError: type[Exception]

    def query_devices(self) -> Sequence[Mapping[str, Any]]: ...
    def check_input_settings(self, *, device: int, channels: int, dtype: str, samplerate: float) -> None: ...
    def check_output_settings(self, *, device: int, channels: int, dtype: str, samplerate: float) -> None: ...
    def InputStream(self, **options: Any) -> Any: ...  # noqa: N802
    def OutputStream(self, **options: Any) -> Any: ...  # noqa: N802


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the device accepted: its own rate and channels, 16-bit samples."""

    index: int
    name: str
    rate: int
    channels: int


def load_backend() -> Backend:
    """Raises UserError with the remedy when PortAudio or its package is missing."""
    try:
        return importlib.import_module("sounddevice")  # type: ignore[return-value]
    except ModuleNotFoundError:
        raise UserError("the package sounddevice is missing: install it with  pip install 'ridealong[device]'.") from None
    except OSError:
        raise UserError(PORTAUDIO_REMEDY) from None


def end(stream: Any) -> None:
    """Stops it and gives its handle back. A device that is gone may refuse the one, and is asked for the other all the same."""
    for step in (stream.abort, stream.close):
        try:
            step()
        except Exception as error:
            log.debug("ending a sound stream: %s", type(error).__name__)


def devices(backend: Backend, direction: Direction) -> list[tuple[int, Mapping[str, Any]]]:
    """(index, description) of each device that can do this."""
    return [(k, entry) for k, entry in enumerate(backend.query_devices()) if entry[f"max_{direction}_channels"] > 0]


def agree(backend: Backend, direction: Direction, wanted: str | None) -> Agreed:
    """Find the device and a rate and channel count that it takes. Raises UserError naming the device and its rates, or all devices.

    `wanted`: a name or part of one (a full match first); None: the first that the sound system offers as default.
    """
    what = "microphone" if direction == "input" else "speaker"
    index, entry = _find(backend, direction, wanted, what)
    check = backend.check_input_settings if direction == "input" else backend.check_output_settings
    native = round(float(entry["default_samplerate"]))
    most = int(entry[f"max_{direction}_channels"])
    refusals: list[str] = []
    for rate in dict.fromkeys((native, *RATES)):
        for channels in sorted({1, min(2, most), most}):
            try:
                check(device=index, channels=channels, dtype="int16", samplerate=rate)
            except backend.PortAudioError as error:
                refusals.append(f"{rate} Hz/{channels} ({_reason(error)})")
                continue
            except ValueError as error:
                refusals.append(f"{rate} Hz/{channels} ({_reason(error)})")
                continue
            return Agreed(index, str(entry["name"]), rate, channels)
    raise UserError(
        f"the {what} {str(entry['name'])!r} (its own rate: {native} Hz, {most} channels) accepts none of the rates tried with 16-bit "
        f"samples: {'; '.join(refusals[:6])}. Choose another with {what}.device, or close the program that holds it."
    )


def _find(backend: Backend, direction: Direction, wanted: str | None, what: str) -> tuple[int, Mapping[str, Any]]:
    found = devices(backend, direction)
    names = ", ".join(repr(str(entry["name"])) for _, entry in found) or "none"
    if not found:
        raise UserError(f"this machine has no {what}; connect one, or set {what}.kind to `file` or `simulated`.")
    if wanted is None:
        default = _default_index(backend, direction)
        return next(((k, entry) for k, entry in found if k == default), found[0])
    for test in (lambda name: name == wanted, lambda name: name.startswith(wanted), lambda name: wanted.lower() in name.lower()):
        matches = [(k, entry) for k, entry in found if test(str(entry["name"]))]
        if matches:
            return matches[0]
    raise UserError(f"there is no {what} named {wanted!r}; this machine has: {names}. Set {what}.device to one of them.")


def _default_index(backend: Backend, direction: Direction) -> int:
    default = getattr(getattr(backend, "default", None), "device", (-1, -1))
    try:
        return int(default[0 if direction == "input" else 1])
    except (TypeError, IndexError, ValueError):
        return -1


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0][:80] if str(error) else type(error).__name__
