"""What the device says, on its way to the air and back: speech -> rates -> playout -> speaker -> what was heard of it.

What the sound device took was heard: it is the echo's reference, goes into the recording, and is acknowledged. An adapter: playout decides
what sounds next, the speaker's mixer how it changes.

Does not know why the reflex or the cloud wants something ducked, held or flushed, the microphone, or the link.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, assert_never

from ridealong.device import mixer as mix
from ridealong.device import playout as out
from ridealong.device import reflex as rx
from ridealong.device.echo import EchoCanceller
from ridealong.device.holes import Holes
from ridealong.device.observing import Ducked, Flushed, Held, Item, Released, Rendered, SpeakerChanged, SpeechRefused, Unducked
from ridealong.device.recorder import Recorder
from ridealong.device.speaker import BLOCK_FRAMES, Speaker
from ridealong.device.speech_rate import SpeechRates, UnsupportedRate
from ridealong.proto.types import (
    CLOCK_HZ,
    SPEECH_HZ,
    Epoch,
    PlaybackAck,
    PlaybackState,
    Samples,
    Speech,
    UplinkBody,
    samples_from_ms,
)

log = logging.getLogger(__name__)

REFUSED_REMEMBERED: Final = 64


class Sounding:
    """`render` once a slot, after the speaker was opened. `until`: device time up to which something sounds, as far as is known."""

    def __init__(
        self,
        speaker: Speaker,
        playout: out.Playout,
        echo: EchoCanceller | None,
        now: Callable[[], Samples],
        send: Callable[[UplinkBody], None],
        tell: Callable[[Item], None],
    ) -> None:
        self._speaker, self._playout, self._echo = speaker, playout, echo
        self._now, self._send, self._tell = now, send, tell
        self.recorder: Recorder | None = None
        self.until = Samples(0)
        self.holes = Holes()
        self.refused_speech = 0
        self._rates = SpeechRates()
        self._refused: dict[tuple[int, int], None] = {}  # bounded
        self._speaker_alive = True

    def speech(self, speech: Speech) -> None:
        """A chunk from the cloud."""
        key = (speech.epoch, speech.utterance)
        if key in self._refused:
            return
        try:
            chunk = self._rates.convert(speech)
        except UnsupportedRate:
            self.refused_speech += 1
            self._refused[key] = None
            if len(self._refused) > REFUSED_REMEMBERED:
                del self._refused[next(iter(self._refused))]
            log.warning("speech refused: labelled %d Hz", speech.rate)
            self._tell(SpeechRefused(speech.epoch, speech.utterance, speech.rate))
            self._send(PlaybackAck(speech.epoch, speech.utterance, 0, PlaybackState.FLUSHED, self._now()))
            return
        self._acknowledge(self._playout.on(chunk))

    def render(self, at: Samples) -> None:
        """A slot: give the speaker what it can take."""
        alive = self._speaker.alive
        if alive != self._speaker_alive:
            self._speaker_alive = alive
            log.warning("speaker %s", "back" if alive else "lost")
            self._tell(SpeakerChanged(alive))
        self.account(at)
        if alive and not self._speaker.full:  # nothing is taken from playout that nobody could hear
            for effect in self._playout.on(out.Pull(at, BLOCK_FRAMES)):
                match effect:
                    case out.Render(pieces=pieces):
                        self._speaker.write(at, pieces)
                    case out.Ack(ack=ack):
                        self._send(ack)
                    case _:
                        assert_never(effect)

    def account(self, at: Samples) -> None:
        """What the sound device took since the last time: heard, so the echo's reference, and acknowledged."""
        for emitted in self._speaker.heard(at):
            heard_at, mixed = emitted.at, emitted.mixed
            if self._echo is not None:
                self._echo.rendered(heard_at, mixed.pcm16)
            if self.recorder is not None:
                self.recorder.right(heard_at, mixed.pcm16)
            if mixed.active:
                last = mixed.spans[-1]
                self.until = Samples(heard_at + (last.offset + last.frames) * CLOCK_HZ // SPEECH_HZ)
                oldest = min(span.epoch for span in mixed.spans)
                self._tell(Rendered(heard_at, mixed.pcm16.astype("<i2").tobytes(), mixed.gain, oldest))
            for span in mixed.spans:
                span_at = Samples(heard_at + span.offset * CLOCK_HZ // SPEECH_HZ)
                if hole := self.holes.heard(span.epoch, span.utterance, span.first, span.frames, span_at):
                    self._tell(hole)
                taken = out.Heard(span.epoch, span.utterance, span.first, span.frames, span_at, span.faint)
                self._acknowledge(self._playout.on(taken))

    def perform(self, effect: rx.Effect, by: str) -> None:
        """What the reflex wants. `by`: who is behind it, for those who watch."""
        match effect:
            case rx.Duck(gain_db=gain_db):
                if gain_db > mix.FAINT_DB:
                    self._loud_again()
                self._change(mix.Duck(gain_db))
                self._tell(Ducked(gain_db, by))
            case rx.Unduck():
                self._loud_again()
                self._change(mix.Unduck())
                self._tell(Unducked(by))
            case rx.Hold():
                self._change(mix.Hold())
                self.holes.paused()
                self._tell(Held(by))
            case rx.Release():
                self._change(mix.Release())
                self._tell(Released(by))
            case rx.FlushOwn():
                if self._playout.playing:
                    self.flush(self._playout.newest_epoch, by)
            case _:
                assert_never(effect)

    def flush(self, epoch: Epoch, by: str) -> None:
        """Silence these epochs for good."""
        self._rates.forget_up_to(epoch)
        self._change(mix.FlushUpTo(epoch))
        self._tell(Flushed(epoch, by))
        at = Samples(self._now() + samples_from_ms(self._speaker.late_ms))
        self._acknowledge(self._playout.on(out.FlushUpTo(epoch, at)))

    def _change(self, change: mix.Change) -> None:
        """Act on what is queued at the speaker; account first for what it had taken before, and then for what became final."""
        at = self._now()
        self._speaker.change(at, change)
        self.account(at)

    def _loud_again(self) -> None:
        """Before the gain rises: what was soft until now has passed, and speech goes on with the next sample."""
        self.account(self._now())
        for effect in self._playout.on(out.LoudAgain()):
            if isinstance(effect, out.Ack):
                self._send(effect.ack)

    def _acknowledge(self, effects: list[out.Effect]) -> None:
        for effect in effects:
            if isinstance(effect, out.Ack):
                self._send(effect.ack)
