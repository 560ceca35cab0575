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
        self._known: deque[tuple[str, Samples]] = deque(((normal(text), end) for text, end in earlier), maxlen=REMEMBERED)

    def repeated(
        self,
        text: str,
        end: Samples,
        question: Question | None,
        unheard: Callable[[Samples], bool] = lambda end: False,
        stops: bool = False,
    ) -> Samples | None:
        """The end of the same request, where the session has it already; otherwise it is remembered. `unheard(end)`: what came of the same words,
        ended then, is not known to the user. `stops`: see above."""
        words, within = normal(text), 0 if stops else samples_from_ms(SAME_REQUEST_MS)
        for earlier in [at for known, at in self._known if known == words]:
            if abs(end - earlier) > within and not (end > earlier and unheard(earlier)):
                continue
            if question is None or question.put_at < earlier or end <= question.put_at or normal(question.request) == words:
                return earlier
        self._known.append((words, end))
        return None
