"""The last words of a session whose model has failed: spoken with the embedded voice where there is one, and told in writing in any case. Sans-IO.

Does not know why it failed, or how a session is ended.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from ridealong.cloud.frontends.base import Output, PartOutcome, Played, SpeechSlice
from ridealong.cloud.frontends.mouth import Clip
from ridealong.proto.types import CLOCK_HZ, ControlToken, Samples, UtteranceId

WORDS: Final = {
    "en": "Sorry, something is wrong with me, and I have to stop here. Please try again in a moment.",
    "zh": "抱歉，我出了故障，只能先停下来。请稍后再试。",
}
NAME: Final = UtteranceId(1_000_000)
"""Above all that a session says."""
PLAYED_WITHIN: Final = Samples(12 * CLOCK_HZ)


@dataclass(slots=True)
class Apology:
    """`clip`: its sound, being made since the session began; None: there is no voice but the model's."""

    locale: str = "en"
    clip: Future[Clip] | None = None
    _until: Samples | None = None
    _said: bool = False

    @property
    def text(self) -> str:
        return WORDS["zh" if self.locale.startswith("zh") else "en"]

    def begin(self, at: Samples) -> list[PartOutcome]:
        """What is said, at once."""
        clip = self.clip
        if clip is None or not clip.done() or clip.cancelled() or clip.exception() is not None:
            return []
        made, self._until = clip.result(), Samples(at + PLAYED_WITHIN)
        piece = SpeechSlice(NAME, True, made.rate, made.pcm16, self.text, made.words, whole=self.text)
        return [Output(ControlToken.SPEAK, self.text, speech=(piece,))]

    def on(self, played: Played) -> None:
        if played.utterance == NAME and (played.finished or played.flushed):
            self._until = None

    def end(self, at: Samples) -> str | None:
        """What is told in writing, once it was heard, or won't be. Once."""
        if self._said or (self._until is not None and at < self._until):
            return None
        self._said = True
        return self.text
