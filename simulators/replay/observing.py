"""What a replay can watch: everything that crosses the device's boundary, with its time on the device clock.

`Fan` passes each event to several observers. Does not know who watches, or what the bodies mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ridealong.proto.types import DownlinkBody, Samples, SignalValue, UplinkBody, UtteranceId


class RunObserver(Protocol):
    """Called in order of time; must not block."""

    def sent(self, at: Samples, body: UplinkBody) -> None:
        """The device handed this to the link (once, however often it is replayed)."""

    def received(self, at: Samples, body: DownlinkBody) -> None:
        """The device took this from the link (duplicates already dropped)."""

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        """The speaker played these samples (24 kHz mono PCM16), beginning here."""

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        """The speech of an utterance was torn apart here by so much silence (16 kHz) that nobody meant."""

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        """A signal of the car has this value now."""


class Fan:
    def __init__(self, observers: Sequence[RunObserver]) -> None:
        self._observers = tuple(observers)

    def sent(self, at: Samples, body: UplinkBody) -> None:
        for observer in self._observers:
            observer.sent(at, body)

    def received(self, at: Samples, body: DownlinkBody) -> None:
        for observer in self._observers:
            observer.received(at, body)

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        for observer in self._observers:
            observer.rendered(at, pcm24k)

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        for observer in self._observers:
            observer.hole(at, utterance, samples)

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        for observer in self._observers:
            observer.signal(at, path, value)
