"""Makes the record of a run from what crossed the device's boundary, and the stereo recording of it.

Facts are timed by the device clock that each message carries; only messages without one take the time of their arrival. The
rendered audio goes to a file as it comes. Does not know what was expected, and decides nothing.
"""

from __future__ import annotations

import hashlib
import wave
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, assert_never

import numpy as np
import soxr
from numpy.typing import NDArray

from ridealong.proto.types import (
    CLOCK_HZ,
    SPEECH_HZ,
    Actuate,
    ActuationResult,
    Attachment,
    Caption,
    Close,
    Consent,
    Control,
    DownlinkBody,
    Draining,
    Duck,
    Error,
    Flush,
    FrameFragment,
    FrameTombstone,
    Halt,
    Input,
    Location,
    Notice,
    PlaybackAck,
    ReplyTiming,
    Samples,
    SignalValue,
    SpeakerHint,
    Speech,
    TextInput,
    Unduck,
    UnitPart,
    UplinkBody,
    UtteranceId,
    VehicleState,
    WorkUpdate,
)
from ridealong.simulators.network import Traffic
from ridealong.simulators.replay.utterances import UtteranceBook
from ridealong.simulators.trip.record import (
    ActuationFact,
    CaptionFact,
    ControlFact,
    FlushFact,
    FrameFact,
    HoleFact,
    NoticeFact,
    RunRecord,
    SignalChange,
    Sound,
    TimingFact,
    WorkFact,
)

AUDIBLE_DBFS = -55.0
SOUND_BLOCK = 240  # 10 ms
FULL_SCALE = 32_767
PAUSE_S = 0.25


class SoundMeter:
    """Stretches of audible render. Feed it blocks in order of position; a pause of PAUSE_S or more ends a stretch."""

    def __init__(self) -> None:
        self.sounds: list[Sound] = []

    def block(self, at24: int, pcm: NDArray[np.int16]) -> None:
        threshold = 32768 * 10 ** (AUDIBLE_DBFS / 20)
        for start in range(0, len(pcm), SOUND_BLOCK):
            piece = pcm[start : start + SOUND_BLOCK].astype(np.float64)
            if np.sqrt(np.mean(piece**2)) < threshold:
                continue
            begin_s, end_s = (at24 + start) / SPEECH_HZ, (at24 + start + len(piece)) / SPEECH_HZ
            if self.sounds and begin_s - self.sounds[-1].end_s < PAUSE_S:
                self.sounds[-1] = replace(self.sounds[-1], end_s=max(end_s, self.sounds[-1].end_s))
            else:
                self.sounds.append(Sound(begin_s, end_s))


class Recorder:
    """A RunObserver. `rendered_path`: a scratch file for the speaker's samples; `finish` reads it and leaves it."""

    def __init__(self, rendered_path: Path, *, real_time: bool) -> None:
        self.record = RunRecord(real_time=real_time)
        self.rendered_path = rendered_path
        self._file: BinaryIO = rendered_path.open("w+b")
        self._book = UtteranceBook()
        self._meter = SoundMeter()
        self._actuations: dict[str, ActuationFact] = {}
        self._frames: dict[int, FrameFact] = {}
        self._values: dict[str, SignalValue] = {}

    # --- RunObserver ---

    def sent(self, at: Samples, body: UplinkBody) -> None:
        at_s = at / CLOCK_HZ
        match body:
            case UnitPart():
                self.record.duration_s = max(self.record.duration_s, (body.start + body.samples) / CLOCK_HZ)
            case FrameFragment():
                sent = body.index == body.count - 1
                self._frames[body.frame] = FrameFact(
                    body.capture / CLOCK_HZ, body.frame, body.gate.keep, body.gate.reason.value, sent,
                    body.gate.cost, body.gate.residual_q99, body.gate.changed_share,
                )  # fmt: skip
            case FrameTombstone():
                self._frames[body.frame] = FrameFact(
                    body.capture / CLOCK_HZ, body.frame, body.gate.keep, body.gate.reason.value, False,
                    body.gate.cost, body.gate.residual_q99, body.gate.changed_share, body.reason,
                )  # fmt: skip
            case PlaybackAck():
                self.record.acks[body.state.value] = self.record.acks.get(body.state.value, 0) + 1
                self._book.ack(body)
            case ActuationResult():
                before = self._actuations.get(body.key)
                if before is not None:
                    result_at_s = (body.at or at) / CLOCK_HZ
                    self._actuations[body.key] = replace(
                        before, state=body.state.value, reason=body.reason, result_at_s=result_at_s
                    )
            case VehicleState() | Location() | Input() | Consent() | TextInput() | Attachment() | SpeakerHint():
                pass
            case Close():
                self.record.notices.append(NoticeFact(at_s, "device_closed", body.reason))
            case _:
                assert_never(body)

    def received(self, at: Samples, body: DownlinkBody) -> None:
        at_s = at / CLOCK_HZ
        record = self.record
        match body:
            case Speech():
                self._book.speech(at, body)
            case Flush():
                record.flushes.append(FlushFact(at_s, body.epoch))
            case Actuate():
                writes = tuple((write.path, write.value) for write in body.writes)
                self._actuations.setdefault(
                    body.key, ActuationFact(at_s, body.requested_at / CLOCK_HZ, body.key, body.group, writes)
                )
            case WorkUpdate():
                record.work.append(WorkFact(at_s, body.work_id, body.execution, body.delivery, body.capability, body.request))
            case Caption():
                if body.final:
                    record.captions.append(
                        CaptionFact(at_s, body.who, body.text, body.start / CLOCK_HZ, body.end / CLOCK_HZ, body.addressee)
                    )
            case Control():
                record.controls.append(ControlFact(at_s, body.unit, body.token.value))
            case ReplyTiming():
                record.timings.append(
                    TimingFact(
                        at_s, body.utterance, body.work_id, body.words_end / CLOCK_HZ, body.endpoint_ms, body.text_ms,
                        body.result_ms, body.out_ms, body.speaker_ms,
                    )
                )  # fmt: skip
            case Notice():
                record.notices.append(NoticeFact(at_s, body.code, body.text))
            case Error():
                record.notices.append(NoticeFact(at_s, "error:" + body.code, body.text))
            case Close():
                record.notices.append(NoticeFact(at_s, "node_closed", body.reason))
            case Halt():  # the signals show what came of it
                pass
            case Duck() | Unduck() | Draining():
                pass
            case _:
                assert_never(body)

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        at24 = at * SPEECH_HZ // CLOCK_HZ
        pcm16 = np.frombuffer(pcm24k, dtype="<i2")
        self._meter.block(at24, pcm16)
        self.record.clipped_samples += int(np.count_nonzero((pcm16 == FULL_SCALE) | (pcm16 == -FULL_SCALE - 1)))
        self._file.seek(2 * at24)
        self._file.write(pcm24k)

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        self.record.holes.append(HoleFact(at / CLOCK_HZ, utterance, samples / CLOCK_HZ))

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        known = self._values.get(path)
        if path not in self._values or known != value or isinstance(known, bool) != isinstance(value, bool):
            self._values[path] = value
            self.record.signals.append(SignalChange(at / CLOCK_HZ, path, value))

    # --- the end ---

    def finish(self, traffic: Traffic | None = None) -> RunRecord:
        """Closes the scratch file; the record is complete."""
        if not self._file.closed:
            self._file.close()
            with self.rendered_path.open("rb") as rendered:
                self.record.audio_sha256 = hashlib.file_digest(rendered, "sha256").hexdigest()
        self.record.utterances = self._book.facts()
        self.record.actuations = list(self._actuations.values())
        self.record.frames = sorted(self._frames.values(), key=lambda frame: frame.frame)
        self.record.sounds = self._meter.sounds
        if traffic is not None:
            self.record.uplink_bytes, self.record.downlink_bytes = traffic.up_bytes, traffic.down_bytes
        return self.record


def write_mixed(path: Path, words: NDArray[np.int16], rendered_path: Path, duration_s: float) -> None:
    """Stereo WAV at 24 kHz: left = the trip's microphone (16 kHz in), right = the speaker's render. In blocks; hour-long trips fit."""
    upsampler = soxr.ResampleStream(CLOCK_HZ, SPEECH_HZ, 1, dtype="int16")
    total = round(duration_s * SPEECH_HZ)
    left = np.zeros(0, dtype=np.int16)
    taken = 0
    with wave.open(str(path), "wb") as out, rendered_path.open("rb") as rendered:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(SPEECH_HZ)
        for start in range(0, total, SPEECH_HZ):
            count = min(SPEECH_HZ, total - start)
            while len(left) < count and taken <= len(words):
                block = words[taken : taken + CLOCK_HZ]
                last = taken + CLOCK_HZ >= len(words)
                left = np.concatenate([left, upsampler.resample_chunk(np.ascontiguousarray(block), last=last)])
                taken += CLOCK_HZ
                if last:
                    taken = len(words) + 1
            right = np.frombuffer(rendered.read(2 * count), dtype="<i2")
            frame = np.zeros((count, 2), dtype="<i2")
            frame[: min(count, len(left)), 0] = left[:count]
            frame[: len(right), 1] = right
            left = left[count:]
            out.writeframes(frame.tobytes())
