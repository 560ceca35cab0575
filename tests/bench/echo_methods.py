"""What the echo bench compares. A method takes what was rendered and what the microphone heard, and gives what is left and whether
somebody speaks here. WebRTC's canceller is compared where it is installed:  pip install pywebrtc-audio livekit
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ridealong.device.echo import EchoCanceller, near_end
from ridealong.device.echo_reference import Reference
from ridealong.device.voice_activity import VoiceActivity, webrtc_detector
from ridealong.proto.types import CLOCK_HZ, Samples

Pcm16 = NDArray[np.int16]
TEN_MS = CLOCK_HZ // 100


class Method(Protocol):
    def block(self, start: Samples, played: Pcm16, heard: Pcm16) -> tuple[Pcm16, bool]: ...


class Nothing:
    """The microphone as it is; speech is what the detector calls speech."""

    def __init__(self) -> None:
        self._voice = VoiceActivity(webrtc_detector())

    def block(self, start: Samples, played: Pcm16, heard: Pcm16) -> tuple[Pcm16, bool]:
        return heard, self._voice.on(heard).now


class Ours:
    """device/echo.py as the agent uses it."""

    def __init__(self) -> None:
        self.echo, self._voice = EchoCanceller(), VoiceActivity(webrtc_detector())

    def block(self, start: Samples, played: Pcm16, heard: Pcm16) -> tuple[Pcm16, bool]:
        self.echo.rendered(start, played)
        cleaned = self.echo.clean(start, heard)
        return cleaned.pcm16, near_end(self._voice.on(cleaned.pcm16).now, cleaned)


class _Aec3:
    """10 ms by 10 ms; speech is what the detector calls speech in what is left."""

    def __init__(self) -> None:
        self._reference, self._voice = Reference(), VoiceActivity(webrtc_detector())

    def ten_ms(self, far: Pcm16, near: Pcm16) -> Pcm16:
        raise NotImplementedError

    def block(self, start: Samples, played: Pcm16, heard: Pcm16) -> tuple[Pcm16, bool]:
        self._reference.add(start, played)
        far = np.rint(self._reference.get(start, len(heard))).clip(-32768, 32767).astype(np.int16)
        out = np.concatenate([self.ten_ms(far[at : at + TEN_MS], heard[at : at + TEN_MS]) for at in range(0, len(heard), TEN_MS)])
        return out, self._voice.on(out).now


class PywebrtcAec3(_Aec3):
    def __init__(self) -> None:
        super().__init__()
        import pywebrtc_audio

        self._aec: Any = pywebrtc_audio.EchoCanceller(sample_rate=CLOCK_HZ)

    def ten_ms(self, far: Pcm16, near: Pcm16) -> Pcm16:
        return np.asarray(self._aec.process(near, far), np.int16)


class LivekitAec3(_Aec3):
    def __init__(self) -> None:
        super().__init__()
        from livekit import rtc

        self._rtc: Any = rtc
        self._apm: Any = rtc.AudioProcessingModule(echo_cancellation=True)

    def ten_ms(self, far: Pcm16, near: Pcm16) -> Pcm16:
        frames = [self._rtc.AudioFrame(sound.tobytes(), CLOCK_HZ, 1, TEN_MS) for sound in (far, near)]
        self._apm.process_reverse_stream(frames[0])
        self._apm.process_stream(frames[1])
        return np.frombuffer(bytes(frames[1].data), np.int16).copy()


METHODS: dict[str, tuple[Callable[[], Method], str]] = {
    "nothing": (Nothing, ""),
    "ours": (Ours, ""),
    "AEC3 (pywebrtc-audio)": (PywebrtcAec3, "pip install pywebrtc-audio"),
    "AEC3 (livekit)": (LivekitAec3, "pip install livekit"),
}


def available() -> dict[str, Callable[[], Method]]:
    found = {}
    for name, (make, how) in METHODS.items():
        try:
            make()
        except ImportError as error:
            print(f"left out: {name} ({error}); to compare it:  {how}")
            continue
        found[name] = make
    return found
