"""Opens and closes what may be captured: microphone and camera, by mute and consent.

An adapter: consent is consent.py's decision, what a muted stretch is the unit builder's. Performs both on the agent's microphone and camera.
Does not know sound, pictures, or who mutes.
"""

from __future__ import annotations

from collections.abc import Callable

from ridealong.device import unit_builder as ub
from ridealong.device.camera import Camera
from ridealong.device.consent import Consents, Granted, Source, Withdrawn
from ridealong.device.microphone import Microphone
from ridealong.proto.types import Samples, UplinkBody


class Sources:
    """One per agent. `build` takes an event of the unit builder, `opened()` is called when the microphone is open again."""

    def __init__(
        self,
        microphone: Microphone,
        camera: Camera | None,
        builder: ub.UnitBuilder,
        now: Callable[[], Samples],
        send: Callable[[UplinkBody], None],
        build: Callable[[ub.Event], None],
        opened: Callable[[], None],
    ) -> None:
        self.consents = Consents()
        self.open_since = Samples(0)
        """Nothing of the microphone from before then is for anybody."""
        self._microphone, self._camera, self._builder = microphone, camera, builder
        self._now, self._send, self._build, self._opened = now, send, build, opened
        self._muted = False
        self._links = 0

    def allow(self, source: Source) -> None:
        """Consent to the device of this kind that is there now, and from now on: what it may have heard since another one had consent is nobody's. A mute stays."""
        device = self._microphone if source is Source.MICROPHONE else self._camera
        if device is not None:
            if self.consents.given(source) not in (None, device.name):
                self.govern()
            self._tell(Granted(source, device.name, self._now()))

    def disallow(self, source: Source) -> None:
        """Nothing of this kind is captured; where there is no such device, there is nothing to tell."""
        if source is Source.MICROPHONE or self._camera is not None:
            self._tell(Withdrawn(source, self._now()))

    def on_link(self) -> None:
        """The link is open; where it is so again, the session over there may be a new one."""
        for news in self.consents.state(self._now()) if self._links else ():
            self._send(news)
        self._links += 1

    def mute(self, muted: bool) -> None:
        self._muted = muted
        self.govern()

    def govern(self) -> None:
        """The microphone is open where nobody muted it, and this very one has consent."""
        muted = self._muted or not self.consents.may(Source.MICROPHONE, self._microphone.name)
        if muted != self._builder.muted:
            at = self._now()
            self._build(ub.Muted(at) if muted else ub.Unmuted(at))
            if not muted:
                self.open_since = at
                self._opened()

    def may_look(self) -> bool:
        return self._camera is not None and self.consents.may(Source.CAMERA, self._camera.name)

    def _tell(self, event: Granted | Withdrawn) -> None:
        for news in self.consents.on(event):
            self._send(news)
        self.govern()
