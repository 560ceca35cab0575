"""Which requests are one: a replayed one, and the user's own repetition, against a second request and against an answer. Pure.

    same end of the utterance, same words      replayed by a resume or a repeated token stream     one
    the same words again within 3 s            the user repeated themselves                        one
    later, when they don't know what came      the reply is still to be said, or was cut: see      one
    of the first                               `Replies.unheard`
    "stop", and "stop" again                   meant each time: there may be more to stop by then  two
    later, or an answer to a newer question    "yes", and "yes" again to what was asked then       two

An answer needs a question: one that was put to the user after the earlier words, and that did not come of those same words.
Does not know what words mean, items, or sessions that are not its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ridealong.proto.types import Samples, samples_from_ms

SAME_REQUEST_MS: Final = 3_000
_SAME_REQUEST: Final = samples_from_ms(SAME_REQUEST_MS)
REMEMBERED: Final = 64
_NOT_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Question:
    """The question of ours that is open: put to the user at `put_at`, because of the words `request`."""

    request: str
    put_at: Samples


def normal(text: str) -> str:
    """Without case, punctuation and ways of writing a letter: what makes two requests the same."""
    return _NOT_WORDS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip() or text


class Requests:
    """The last requests of one session; `earlier`: (request, end of its utterance) of those before a restart."""

    def __init__(self, earlier: Iterable[tuple[str, Samples]] = ()) -> None:
        self._order: deque[str] = deque()  # the words of each, oldest first
        self._ends: dict[str, deque[Samples]] = {}  # of each words: of their utterances, oldest first
        for text, end in earlier:
            self._remember(normal(text), end)

    def repeated(
        self,
        words: str,
        end: Samples,
        question: Question | None,
        unheard: Callable[[Samples], bool] = lambda end: False,
        stops: bool = False,
    ) -> Samples | None:
        """The end of the same request, where the session has it already; otherwise it is remembered. `words`: its `normal` ones.
        `unheard(end)`: what came of the same words, ended then, is not known to the user. `stops`: see above."""
        within = 0 if stops else _SAME_REQUEST
        for earlier in tuple(self._ends.get(words, ())):
            if abs(end - earlier) > within and not (end > earlier and unheard(earlier)):
                continue
            if question is None or question.put_at < earlier or end <= question.put_at or normal(question.request) == words:
                return earlier
        self._remember(words, end)
        return None

    def _remember(self, words: str, end: Samples) -> None:
        if len(self._order) == REMEMBERED:
            oldest = self._order.popleft()
            self._ends[oldest].popleft()
            if not self._ends[oldest]:
                del self._ends[oldest]
        self._order.append(words)
        self._ends.setdefault(words, deque()).append(end)
