"""What the model's units come to: utterances, requests, whose result is being told, and what an interruption leaves of it. Sans-IO.

    Sent | Answered | Unanswered | Cut | Words | Heard  ->  Turns.on(event)  ->  Say, Ask

A turn of the model's is one utterance, from its first words to its end. A unit is answered after the next ones may have been sent, so a cut
concerns all that was sent before it: their speech is dropped, and the next unit is sent with `force_listen` (`closing`), which ends the model's own turn.
An answer (a result of the harness's) is sent only while the model is silent and everything sent has been answered (`may_answer`), one at a time;
the turn that begins with it, or soon after it while nobody says anything to us, restates it.

Invariant: after Cut nothing is said of a unit that was sent before it. Does not know sound cards, sessions, skills, or why somebody cut in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, assert_never

import numpy as np

from ridealong.cloud.frontends.base import Played, SpeechSlice
from ridealong.cloud.frontends.venus.wording import Wording, onset
from ridealong.cloud.model.plain_io import Said
from ridealong.harness.polish import without_reserved
from ridealong.proto.types import CLOCK_HZ, SPEECH_HZ, ControlToken, Samples, UtteranceId
from ridealong.proto.words import joined

RESTATED_WITHIN: Final = 8
"""Units: the model may listen a while before it tells a result."""
TYPED_WITHIN: Final = 2
"""Units: a turn that begins so soon after typed words is about them, if nothing was said meanwhile."""
UNHEARD_AFTER: Final = Samples(15 * CLOCK_HZ)
"""So long after it should have ended, an utterance of which no ack came is given up."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A unit has gone to the model. `forced`: with force_listen. `answer`: the result in it, "" for a sentence that is none, None: no answer."""

    index: int
    forced: bool = False
    answer: str | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    index: int
    said: Said
    at: Samples


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The unit was not run."""

    index: int


@dataclass(frozen=True, slots=True)
class Cut:
    """What is being said ends here. `requests`: what was asked by units that are not answered yet is not wanted either."""

    requests: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Somebody near said something to us: what begins now is probably about that."""


@dataclass(frozen=True, slots=True)
class Heard:
    played: Played


Event = Sent | Answered | Unanswered | Cut | Words | Heard


@dataclass(frozen=True, slots=True)
class Say:
    piece: SpeechSlice


@dataclass(frozen=True, slots=True)
class Ask:
    """Requests of the model's. `typed`: they are about what was typed."""

    requests: tuple[str, ...]
    typed: bool


Effect = Say | Ask


@dataclass(slots=True)
class Utterance:
    """What is being said. `samples`: sent so far, at SPEECH_HZ."""

    name: UtteranceId
    work_id: str
    wording: Wording = field(default_factory=Wording)
    text: str = ""
    samples: int = 0


@dataclass(slots=True)
class Turns:
    """Of one session. `control`: of the last unit that was answered."""

    control: ControlToken = ControlToken.LISTEN
    utterance: Utterance | None = None
    open: bool = False
    """The model is in the middle of a turn, audible or not."""
    closing: bool = False
    """The next unit is to be sent with force_listen."""
    sounding: dict[UtteranceId, Samples] = field(default_factory=dict)  # sent, and not known to be over; when it should be
    dropped_units: int = 0  # of speech that an interruption left unsaid
    _under_way: dict[int, Sent] = field(default_factory=dict)
    _deaf_to: int = -1  # nothing of units up to here is said …
    _unasked_to: int = -1  # … or asked
    _answer: tuple[int, str] | None = None  # the unit in which a result was told to the model, and whose
    _typed_at: int | None = None
    _typed_turn: bool = False
    _names: int = 0
    _last: int = -1

    def on(self, event: Event) -> list[Effect]:
        match event:
            case Sent():
                self._sent(event)
                return []
            case Answered():
                return self._answered(event)
            case Unanswered(index=index):
                lost = self._under_way.pop(index, None)
                self.closing |= lost is not None and lost.forced
                if self._answer is not None and self._answer[0] == index:
                    self._answer = None
                return []
            case Cut(requests=requests):
                return self._cut(requests)
            case Words():
                self._typed_at = None
                if self._answer is not None and self._answer[0] not in self._under_way:
                    self._answer = None
                return []
            case Heard(played=Played(utterance=name) as played):
                ours = self.utterance is not None and self.utterance.name == name
                if played.finished or played.flushed:
                    self.sounding.pop(name, None)
                return self._cut(False) if played.flushed and ours else []  # the device ended it on its own
            case _:
                assert_never(event)

    @property
    def busy(self) -> bool:
        """Something of ours sounds, or is about to."""
        return self.utterance is not None or bool(self.sounding)

    @property
    def saying(self) -> str:
        return self.utterance.text if self.utterance is not None else ""

    @property
    def may_answer(self) -> bool:
        return not (self._under_way or self.open or self.closing or self.restating)

    @property
    def restating(self) -> bool:
        """A result was told to the model, and it has not begun to say it."""
        return self._answer is not None

    def tick(self, at: Samples) -> None:
        """Device time goes on: what no ack will come for is given up."""
        for name in [name for name, due in self.sounding.items() if at > due + UNHEARD_AFTER]:
            del self.sounding[name]

    # -- units ----------------------------------------------------------------------------------------------------

    def _sent(self, sent: Sent) -> None:
        self._under_way[sent.index], self._last = sent, sent.index
        if sent.forced:
            self.closing = False
        if sent.answer is not None:
            self._answer = (sent.index, sent.answer)
        if sent.typed:
            self._typed_at = sent.index

    def _answered(self, event: Answered) -> list[Effect]:
        self._under_way.pop(event.index, None)
        said, deaf = event.said, event.index <= self._deaf_to
        begins = not self.open and not said.listens and (said.turn_open or said.end_of_turn)
        if begins:
            self._typed_turn = self._typed_at is not None and event.index - self._typed_at <= TYPED_WITHIN
            if self._typed_turn:
                self._typed_at = None
        effects: list[Effect] = []
        if said.delegates and event.index > self._unasked_to:
            effects.append(Ask(said.delegates, self._typed_turn))
        over = said.end_of_turn or said.interrupted
        self.open = said.turn_open
        self.control = ControlToken.TURN_EOS if over else ControlToken.SPEAK if self.open else ControlToken.LISTEN
        if deaf:
            self.dropped_units += said.sound is not None
        elif said.interrupted:
            effects += self._end(event.at)
        else:
            effects += self._speech(event.index, said, event.at)
        if self._answer is not None and event.index - self._answer[0] >= RESTATED_WITHIN:
            self._answer = None
        return effects

    def _speech(self, index: int, said: Said, at: Samples) -> list[Effect]:
        """Sound without a word before it in its turn is not speech: a turn may only hand work over."""
        text = without_reserved(said.words)
        if self.utterance is None:
            if not text.strip() or said.sound is None or not len(said.sound):
                return []
            self.utterance = self._begin(index)
        if said.sound is None and not said.end_of_turn:
            return []
        return [Say(self._slice(self.utterance, text, said, at))]

    def _begin(self, index: int) -> Utterance:
        self._names += 1
        work_id = ""
        if self._answer is not None and index >= self._answer[0]:
            work_id, self._answer = self._answer[1], None
        return Utterance(UtteranceId(self._names), work_id)

    def _slice(self, one: Utterance, text: str, said: Said, at: Samples) -> SpeechSlice:
        sound = said.sound if said.sound is not None else np.zeros(0, np.float32)
        start = one.samples
        one.samples += len(sound)
        words = one.wording.take(text, start + onset(sound) if len(sound) else start, one.samples, over=said.end_of_turn)
        spoken = joined(word.word for word in words)
        one.text = joined([one.text, spoken])
        pcm16 = (np.clip(sound, -1.0, 1.0) * 32767).astype("<i2").tobytes()
        due = max(self.sounding.get(one.name, at), at)
        self.sounding[one.name] = Samples(due + len(sound) * CLOCK_HZ // SPEECH_HZ)
        piece = SpeechSlice(one.name, said.end_of_turn, SPEECH_HZ, pcm16, spoken, words, one.work_id)
        if said.end_of_turn:
            self.utterance = None
        return piece

    def _end(self, at: Samples) -> list[Effect]:
        """The model was made to stop by no interruption of the user's: what was said stands, and is all."""
        if self.utterance is None:
            return []
        return [Say(self._slice(self.utterance, "", Said(end_of_turn=True), at))]

    def _cut(self, requests: bool) -> list[Effect]:
        self._deaf_to = self._last
        if requests:
            self._unasked_to = self._last
        self.closing = self.closing or self.open or bool(self._under_way)
        self.utterance, self._answer = None, None
        self.sounding.clear()
        return []
