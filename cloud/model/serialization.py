"""The order in which everything reaches the language model, as a list of items: ids, or so many rows of a picture or a sound.

    system:  im_start system NL prompt NL audio_open | voice rows | audio_close im_end
    unit:    unit_open { image_open rows image_close { slice_open rows slice_close }* }*  sound rows  text  drawn...  terminator unit_close
    result:  a unit whose text is  backend_open answer backend_close
    chat:    { im_start role NL content im_end NL }*  im_start assistant NL

Source: spec model.md 3.2, 3.3, 3.7; venus.md A3. Pure: no torch. An item is what the reference feeds in one call; feeding several
items at once gives the same numbers up to rounding. Knows names of ids, not who draws them nor where rows come from.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ridealong.cloud.model.tokens import DelegationIds, ProtocolIds, Tokens

IMAGE_ROWS: Final = 64
"""Rows of an image, and of each of its slices."""
DEFAULT_PROMPT: Final = "Streaming Omni Conversation."
MARKER: Final = "\n\nprevious: "
"""Opens the words of units that left the window (spec 3.6)."""


@dataclass(frozen=True, slots=True)
class Ids:
    """`drawn`: the model's own; otherwise observed, or part of the protocol."""

    ids: tuple[int, ...]
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class ImageRows:
    """The whole picture number `image` of the call."""

    image: int
    rows: int = IMAGE_ROWS


@dataclass(frozen=True, slots=True)
class SliceRows:
    """Slice number `slice` of picture number `image`."""

    image: int
    slice: int
    rows: int = IMAGE_ROWS


@dataclass(frozen=True, slots=True)
class AudioRows:
    """Sound number `clip` of the call."""

    clip: int
    rows: int


Item = Ids | ImageRows | SliceRows | AudioRows


@dataclass(frozen=True, slots=True)
class Picture:
    """`grid`: rows and columns of its slices; None for a picture that isn't cut."""

    grid: tuple[int, int] | None = None

    @property
    def slices(self) -> int:
        return 0 if self.grid is None else self.grid[0] * self.grid[1]


@dataclass(frozen=True, slots=True)
class Sound:
    rows: int


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat. `content`: texts, pictures and sounds in order; those of a video in a tuple of their own."""

    role: str
    content: tuple[str | Picture | Sound | tuple[Picture | Sound, ...], ...]


def rows_of(items: Sequence[Item]) -> int:
    """How many rows of the cache they take."""
    return sum(len(item.ids) if isinstance(item, Ids) else item.rows for item in items)


def deciding_row(items: Sequence[Item], *, reference_parity: bool = False) -> int:
    """Which row of an open unit's the first draw is made from: the last, so that what was told is known.

    reference_parity: the last of sound where there is any; the published code decides before it has read the text (spec 3.3).
    """
    if reference_parity:
        heard = [index for index, item in enumerate(items) if isinstance(item, AudioRows)]
        items = items[: heard[-1] + 1] if heard else items
    return rows_of(items) - 1


def cleaned(text: str, reserved: Sequence[str]) -> str:
    """`text` without any reserved name: removed until none is left, since taking one out may join the halves of another.

    Every text of a user, a backend or a prompt goes through here: what remains can't open, close or end anything.
    """
    text = unicodedata.normalize("NFC", text)  # as the tokenizer will, so that nothing turns into a name after this
    if not any(name in text for name in reserved):
        return text
    ends = {name[-1]: tuple(other for other in reserved if other[-1] == name[-1]) for name in reserved}
    longest = max(map(len, reserved))
    kept: list[str] = []  # never holds a name. Names within names, a thousand deep, cost no more than others
    for letter in text:
        kept.append(letter)
        if letter in ends:
            tail = "".join(kept[-longest:])
            if tail.endswith(ends[letter]):
                del kept[-len(next(name for name in ends[letter] if tail.endswith(name))) :]
    return "".join(kept)


class Serializer:
    """Lays out a session's items with the ids of one checkpoint."""

    def __init__(
        self,
        ids: ProtocolIds,
        delegation: DelegationIds | None,
        encode: Callable[[str], tuple[int, ...]],
        reserved: Sequence[str],
        image_rows: int = IMAGE_ROWS,
    ) -> None:
        """encode: ids of a text, names in it becoming their ids. reserved: the names that texts are cleaned of. image_rows: of a picture,
        and of each slice."""
        self.ids, self.delegation, self._encode, self._reserved = ids, delegation, encode, tuple(reserved)
        self._image_rows = image_rows

    @classmethod
    def of(cls, tokens: Tokens, image_rows: int = IMAGE_ROWS) -> Serializer:
        return cls(tokens.ids, tokens.delegation, tokens.encode, tokens.reserved, image_rows)

    def marker(self) -> tuple[int, ...]:
        return self._encode(MARKER)

    def text(self, text: str) -> tuple[int, ...]:
        """Ids of somebody's words."""
        return self._encode(cleaned(text, self._reserved))

    def system(self, prompt: str = DEFAULT_PROMPT, voice_rows: int = 0, instructions: str = "") -> list[Item]:
        """What a session begins with; never dropped. voice_rows: of the reference voice (clip 0). The last item is the suffix.

        instructions follow the prompt after an empty line. Markers of sound stay where there is no voice: the model never saw
        a prompt without them.
        """
        whole = cleaned(prompt, self._reserved)
        if instructions.strip():
            whole += "\n\n" + cleaned(instructions, self._reserved)
        # Encoded in one piece, names and all: ".\n" is a single id.
        opening = Ids(self._encode(f"<|im_start|>system\n{whole}\n<|audio_start|>"))
        voice: list[Item] = [AudioRows(0, voice_rows)] if voice_rows else []
        return [opening, *voice, Ids((self.ids.audio_close, self.ids.im_end))]

    def unit(self, pictures: Sequence[Picture] = (), audio_rows: int = 0, text: str = "") -> list[Item]:
        """What a unit observes, opened and not closed: drawn ids and `close` follow. Raises `ValueError` where there is nothing."""
        return self._unit(pictures, audio_rows, self.text(text) if text else ())

    def result(self, answer: str, pictures: Sequence[Picture] = (), audio_rows: int = 0) -> list[Item]:
        """A unit that brings a backend's answer. Raises `ValueError` for a base checkpoint, or an answer of nothing but names."""
        if self.delegation is None:
            raise ValueError("this checkpoint has no tokens for a backend's answer")
        ids = self._encode(cleaned(answer, self._reserved).strip())
        if not ids:
            raise ValueError("a backend's answer must have words")
        return self._unit(pictures, audio_rows, (self.delegation.backend_open, *ids, self.delegation.backend_close))

    def _unit(self, pictures: Sequence[Picture], audio_rows: int, text: tuple[int, ...]) -> list[Item]:
        items: list[Item] = [Ids((self.ids.unit_open,))]
        for index, picture in enumerate(pictures):
            items += self._picture(index, picture)
        if audio_rows:
            items.append(AudioRows(0, audio_rows))
        if text:
            items.append(Ids(text))
        if len(items) == 1:
            raise ValueError("a unit must have a picture, a sound or a text")
        return items

    def _picture(self, index: int, picture: Picture) -> list[Item]:
        items: list[Item] = [Ids((self.ids.image_open,)), ImageRows(index, self._image_rows), Ids((self.ids.image_close,))]
        for number in range(picture.slices):
            items += [Ids((self.ids.slice_open,)), SliceRows(index, number, self._image_rows), Ids((self.ids.slice_close,))]
        return items

    def drawn(self, token: int) -> Ids:
        return Ids((token,), drawn=True)

    def close(self, terminator: int) -> Ids:
        """Ends a unit. terminator: listen or chunk_eos, drawn or forced."""
        return Ids((terminator, self.ids.unit_close), drawn=True)

    def chat(self, messages: Sequence[Message], *, spoken: bool = False, thinking: bool = False) -> list[Item]:
        """A whole conversation by turns, for use offline; the model's answer follows.

        spoken: the answer is to be voiced (tts_bos opens it). thinking: the model may think aloud first; otherwise an empty
        thought is put in its mouth. Numbers of pictures and sounds count through all messages. In a message with a video nothing stands
        between its parts, and its pictures have no number.
        Raises `ValueError` for an unknown role, or where the last message isn't the user's.
        """
        if not messages or messages[-1].role != "user":
            raise ValueError("the last message must be the user's")
        items: list[Item] = []
        pending = ""  # encoded together where nothing stands between, since ids join over the seam
        pictures = sounds = 0
        for message in messages:
            if message.role not in ("system", "user", "assistant"):
                raise ValueError(f"role must be system, user or assistant; it is {message.role!r}")
            pending += f"<|im_start|>{message.role}\n"
            watched = any(isinstance(part, tuple) for part in message.content)
            parts = (one for part in message.content for one in (part if isinstance(part, tuple) else (part,)))
            for number, part in enumerate(parts):
                pending += "\n" if number and not watched else ""
                if isinstance(part, str):
                    pending += cleaned(part, self._reserved)
                elif isinstance(part, Picture):
                    pending += "" if watched else f"<image_id>{pictures}</image_id>"
                    pending = self._chat_picture(items, pending, pictures, part)
                    pictures += 1
                else:
                    items += [Ids(self._encode(pending + "<|audio_start|>")), AudioRows(sounds, part.rows)]
                    pending, sounds = "<|audio_end|>", sounds + 1
            pending += "<|im_end|>\n"
        pending += "<|im_start|>assistant\n"
        pending += "" if thinking else "<think>\n\n</think>\n\n"
        pending += "<|tts_bos|>" if spoken else ""
        return [*items, Ids(self._encode(pending))]

    def _chat_picture(self, items: list[Item], before: str, index: int, picture: Picture) -> str:
        """Adds a picture with its slices, a line for each row of them. Returns the text that isn't added yet."""
        items += [Ids(self._encode(before + "<image>")), ImageRows(index, self._image_rows)]
        pending = "</image>"
        rows, columns = picture.grid or (0, 0)
        for number in range(rows * columns):
            pending += "\n" if number and number % columns == 0 else ""
            items += [Ids(self._encode(pending + "<slice>")), SliceRows(index, number, self._image_rows)]
            pending = "</slice>"
        return pending
