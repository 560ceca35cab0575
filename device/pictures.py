"""Pictures on their way up: camera -> gate -> uplink buffer -> link.

An adapter: the gate decides what is worth sending, the uplink buffer what is sent and when. Work on pixels goes to the pool.
Without consent the camera is not even asked, and a picture that was being worked on when it was withdrawn is dropped.
Does not know sound, the link, or which implementation stands behind the camera.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import assert_never

from ridealong.device import uplink_buffer as up
from ridealong.device.camera import Camera, Frame, encode_jpeg, stretch
from ridealong.device.clock import Deadlines, SampleClock
from ridealong.device.config import CameraConfig
from ridealong.device.frame_gate import SIDE, FrameGate
from ridealong.device.observing import CameraChanged, GateDecided, Item
from ridealong.proto.types import FrameId, UplinkBody


class Pictures:
    """`look()` until it is cancelled. The camera is open, and the clock runs."""

    def __init__(
        self,
        camera: Camera,
        gate: FrameGate,
        uplink: up.UplinkBuffer,
        config: CameraConfig,
        clock: SampleClock,
        pool: Executor | None,
        send: Callable[[UplinkBody], None],
        tell: Callable[[Item], None],
        may: Callable[[], bool],
    ) -> None:
        self._camera, self._gate, self._uplink = camera, gate, uplink
        self._config, self._clock, self._pool = config, clock, pool
        self._send, self._tell, self._may = send, tell, may
        self._live: bool | None = None

    async def look(self) -> None:
        loop = asyncio.get_running_loop()
        deadlines = Deadlines(self._clock.origin_s, self._config.every_ms / 1000)
        while True:
            slot = deadlines.after(loop.time())
            await asyncio.sleep(max(0.0, slot.due_s - loop.time()))
            frame = await self._camera.latest(self._clock.now(max(slot.due_s, loop.time()))) if self._may() else None
            if (frame is not None) != self._live:
                self._live = frame is not None
                self._tell(CameraChanged(self._live))
            if frame is not None:
                await self._sample(frame)

    async def _sample(self, frame: Frame) -> None:
        loop = asyncio.get_running_loop()
        height, width = frame.rgb.shape[:2]
        square = await loop.run_in_executor(self._pool, stretch, frame.rgb, SIDE)
        note = await loop.run_in_executor(self._pool, self._gate.judge, square, width, height)
        if not self._may():
            return
        effects = self._uplink.on(up.Judged(frame.capture, note))
        self._tell(GateDecided(self._uplink.newest, frame.capture, note))
        for effect in effects:
            match effect:
                case up.Encode(frame=number):
                    await self._encode(number, frame)
                case up.Send(body=body):
                    self._send(body)
                case _:
                    assert_never(effect)

    async def _encode(self, number: FrameId, frame: Frame) -> None:
        event: up.Event
        try:
            jpeg, width, height = await asyncio.get_running_loop().run_in_executor(
                self._pool, encode_jpeg, frame.rgb, self._config.longest_side, self._config.jpeg_quality
            )
            event = up.Encoded(number, jpeg, width, height)
        except ValueError:
            event = up.EncodeFailed(number)
        if not self._may():
            event = up.EncodeFailed(number)
        for effect in self._uplink.on(event):
            if isinstance(effect, up.Send):
                self._send(effect.body)
