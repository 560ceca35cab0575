"""Takes delegate spans out of a front-end's token ids: whole lists, of one generation after another, read as `capture.Whole`. Sans-IO.

Only a reserved id is a reserved token: decoded text may lack them, and ordinary tokens that spell one out are none; those letters are left
out, for no marker is ever visible. A character or such a spelling that the next token may still complete is waited for. (Spec: venus B1.)
Does not know: which tokenizer, what a request means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from ridealong.harness.capture import Whole, unfinished_tag
from ridealong.harness.polish import RESERVED, without_reserved
from ridealong.proto.types import Samples

UNFINISHED = "\N{REPLACEMENT CHARACTER}"


class TokenText:
    """`reserved`: ids and the tokens that they stand for, of those in polish.RESERVED; all other special ids say nothing. `decode`: of ordinary ids, in
    one piece; bytes that make no character yet become U+FFFD. Raises ValueError for a reserved token of no such name."""

    def __init__(self, reserved: Mapping[int, str], silent: frozenset[int], decode: Callable[[Sequence[int]], str]) -> None:
        if strange := sorted(set(reserved.values()) - set(RESERVED)):
            raise ValueError(f"not reserved: {', '.join(strange)}")
        self._reserved, self._silent, self._decode = reserved, silent, decode

    def whole(self, turn: int, ids: Sequence[int], at: Samples, fence: int = 0) -> Whole:
        """`ids`: all of the turn's so far."""
        pieces: list[str] = []
        said = [one for one in ids if one not in self._silent]
        for special, run in groupby(said, key=self._reserved.__contains__):
            if special:
                pieces += [self._reserved[one] for one in run]
            else:
                pieces.append(without_reserved(self._decode(list(run))))
        if pieces and said[-1] not in self._reserved:
            last = pieces[-1].rstrip(UNFINISHED)
            while held := unfinished_tag(last):  # where one is left out by and by, what stood before it is the end
                last = last[:-held]
            pieces[-1] = last
        return Whole(turn, "".join(pieces), at, fence)
