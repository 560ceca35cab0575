"""Yes to a question of ours, and more in the same breath; and what puts a question on hold. Pure.

    "yes, and turn on the AC"          yes, and a request
    "yes but close the windows first"  a request, and only then what the yes is to
    "okay, turn on the AC"             a request; whether "okay" was the answer is not known: we ask again
    "wait", "are you sure?"            no answer: a later yes needs the question again

Does not know what a request means, or what was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.framing import frame, pieces
from ridealong.harness.interjections import agrees, answer
from ridealong.harness.provenance import IN_CHARGE, may_act
from ridealong.harness.router import AskBack, ChitChat, Decision, Nothing
from ridealong.harness.skill import Confirmation, Context, Outcome, Provenance
from ridealong.harness.slots.text import language
from ridealong.harness.work import WorkItem
from ridealong.proto.types import Samples

HOLDS: Final = frozenset({"stop", "question", "not_a_request", "negated"})
"""Words to us that are neither yes nor no."""
_PLAIN_EN: Final = re.compile(
    r"(?:(?:yes|yeah|yep|yup|sure|absolutely|definitely|certainly|of course|go ahead|do it|do that|please do)(?: please)? ?)+"
)
_PLAIN_ZH: Final = re.compile(r"(?:是的?|对的?|要|确认|确定|当然|没问题|打开吧|开吧|关吧|同意)+")
_MANNERS: Final = re.compile(r"(?:(?:please|thanks|thank you|now|right|alright|all right) ?)+|(?:谢谢|嗯)+")
_ALSO: Final = re.compile(r"\b(?:and|also|plus|but|then)\b|顺便|还有|另外|同时|并且?|然后|再|也|但是?|不过|只是")
_BUT: Final = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|okay|ok|all ?right|fine)(?: please)? but |^(?:好的?|是的?|对|行|可以)(?=但是?|不过)"
)
_LESS: Final = re.compile(r"^(?:but|但是?|不过|只是) ?")
_FIRST: Final = re.compile(r"\b(?:first|before (?:that|you do))\b|先")


@dataclass(frozen=True, slots=True)
class YesAnd:
    """`rest`: what is asked for beside. `sure`: it was a yes, and not only a word to begin with. `first`: the rest comes before what the yes is
    to. `but`: the yes hangs on the rest."""

    rest: str
    sure: bool
    first: bool = False
    but: bool = False
    joined: str = ""


def yes_and(text: str, locale: str, capability: str) -> YesAnd | None:
    """None where there is no yes, or nothing else. `capability`: what was asked about."""
    zh = language(text, locale) == "zh"
    found = [(joiner, piece) for joiner, piece in pieces(text, locale)]
    but = _BUT.match(found[0][1]) if found else None
    if but is not None:  # nothing else cuts here
        lead, rest = but.group(), found[0][1][but.end() :]
        said = _LESS.sub("", rest) if zh else rest
        found = [("", re.sub(r" but $", "", lead)), ("but", said), *found[1:]]
    count = 0
    while count < len(found) and _MANNERS.fullmatch(found[count][1]) is None and agrees(found[count][1], locale, capability):
        count += 1
    if count and count < len(found):
        joiner, rest = found[count][0], _put_together(found[count:], zh)
        hangs = but is not None or _LESS.match(rest) is not None
        rest = _LESS.sub("", rest)
        also = (hangs or _ALSO.search(joiner) is not None) and not frame(rest, locale).question
        sure = also or any(_plain(piece, zh) for _, piece in found[:count])
        first = _FIRST.search(rest) is not None
        return YesAnd(rest, sure, first, hangs or first, joiner)
    last = found[-1][1] if len(found) > 1 else ""
    if not count and last and _plain(last, zh):
        return YesAnd(_put_together(found[:-1], zh), True, first=True)
    return None


def _plain(piece: str, zh: bool) -> bool:
    return (_PLAIN_ZH if zh else _PLAIN_EN).fullmatch(piece) is not None


def _put_together(found: list[tuple[str, str]], zh: bool) -> str:
    rest = found[0][1]
    for joiner, piece in found[1:]:
        rest += f"{joiner or '，'}{piece}" if zh else f" {joiner or 'and'} {piece}"
    return re.sub(r" +([,.])", r"\1", rest)


def asks(context: Context, capability: str) -> bool:
    """The last call was of this capability, and asked something."""
    pending = context.recent[0] if context.recent else None
    return pending is not None and pending.outcome is Outcome.ASKS and pending.capability == capability


def confirmation(asked: bool, text: str, locale: str, agreed: bool = False) -> Confirmation:
    """Explicit where these words say yes to what was asked, and put to the user: nobody agrees to what they have not heard."""
    return Confirmation.EXPLICIT if asked and (agreed or answer(text, locale) is True) else Confirmation.NONE


def holds(decision: Decision) -> bool:
    """These words leave our question unanswered, and are about it or about us."""
    match decision:
        case Nothing(reason=reason):
            return reason in HOLDS
        case ChitChat(kind=kind):
            return kind in ("general", "unsupported")
        case AskBack(match=None):
            return True
        case _:
            return False


def was_put(asking: WorkItem | None, capability: str, at: Samples, by: Provenance) -> bool:
    """Our question about this capability was being said before these words ended, to whoever may answer it: a passenger agrees to nothing that the driver
    was asked about, and a voice that nobody knows to nothing at all."""
    if asking is None or asking.capability != capability or asking.inserted_at is None or asking.inserted_at > at:
        return False
    return by in IN_CHARGE or (by is asking.provenance and may_act(by))
