"""What was asked for just before, and is done, called off: "cancel that", 取消, "we're not going there after all", 算了不去了. Pure.

Only where nothing is under way any more (that is cancelled as work, stopping.py), and where the last call's skill says what ends it (`Changes.ended`): a guidance
is ended; a window that has been opened is no longer anything that could be cancelled. A place that is named must be the one that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ridealong.harness.follow_made import as_before
from ridealong.harness.following import NOT_DONE, REFERS_WITHIN_MS
from ridealong.harness.router import Calls, Decision, Nothing, open_question
from ridealong.harness.skill import Context, Skill
from ridealong.harness.slots.text import language, marked

_LEAD_EN: Final = r"(?:(?:no|oh|okay|ok|actually|please|just|sorry|wait|hang on|hey|well|so|and|but|on second thoughts?|you know what|never ?mind|forget it|changed my mind|i have changed my mind|i changed my mind)[,.]? ?)*"
_NAMED_EN: Final = r"(?:the )?(?P<{0}>[\w' -]+?)"
_AFTER_EN: Final = r"(?:[,.]? ?(?:any ?more|after all|now|then|again|please|thanks|thank you|either|today|instead))*"
_ENDED_EN: Final = re.compile(
    rf"{_LEAD_EN}(?:(?:cancel|scrap|abort|call off|bin)(?: (?:that|it|this|the whole thing|the trip|(?:the )?(?:navigation|route|directions|trip|stop) (?:to|at|for) {_NAMED_EN.format('a')}|(?:going|driving) to {_NAMED_EN.format('b')}))?|"
    rf"(?:we|i) (?:are|am) not going (?:there|(?:to )?{_NAMED_EN.format('c')})|(?:we|i) (?:do not|no longer) (?:want|need|have) to go (?:there|(?:to )?{_NAMED_EN.format('d')})|"
    rf"(?:let us not|do not|no need to|we need not) (?:go|drive|navigate|take (?:me|us)) (?:there|(?:to )?{_NAMED_EN.format('e')}))(?: ?{_AFTER_EN})"
)
_LEAD_ZH: Final = r"(?:哦|呃|嗯|那|哎呀?|等等|等一下|不对|不|还是|算了|不好意思|改主意了|我改主意了|就|先|[,.])*"
_ENDED_ZH: Final = re.compile(
    rf"{_LEAD_ZH}(?:(?:把)?(?:这个|那个|它)?取消(?:掉)?(?:它|这个|那个)?|(?:取消|不用|不要|别)(?:再)?(?:导航|去|到)+(?P<a>[^,.]{{1,12}}?)|(?:把)?(?:去|到)(?P<b>[^,.]{{1,12}}?)的?(?:导航|路线)?取消(?:掉)?|"
    rf"(?:我们?|咱们?|今天|现在|先|就|也)*(?:不|别|不用|不想|不要|不打算)去(?P<c>[^,.了]{{1,12}}?)?)(?:了|吧|啊|呀|谢谢|[,.])*"
)
_WITHOUT: Final = re.compile(r"^(?:the|my|a|an|our) |[ 的]+$")


_BARRED: Final = (Nothing("overheard"), Nothing("seen"), Nothing("other_addressee"), Nothing("reported"))


def ended(by_words: Decision, text: str, locale: str, context: Context, skills: Callable[[str], Skill | None]) -> Calls | None:
    """None where the words call off nothing, or not this. `by_words`: what the grammar makes of them."""
    if by_words in _BARRED or open_question(context) is not None:
        return None
    last = context.recent[0] if context.recent else None
    if last is None or last.asked_ms_ago > REFERS_WITHIN_MS or last.outcome in NOT_DONE:
        return None
    if any(one.stage.under_way and one.capability == last.capability for one in context.doing):
        return None
    skill = skills(last.capability)
    ends = skill.changes.ended if skill is not None and skill.changes is not None else None
    zh = language(text, locale) == "zh"
    form = marked(text, locale).strip(" .,")
    found = (_ENDED_ZH if zh else _ENDED_EN).fullmatch(form.replace(" ", "") if zh else re.sub(r" *([,.]) *", r"\1 ", form))
    if ends is None or found is None:
        return None
    named = _bare(next((name for name in found.groups() if name), ""))
    was = [_bare(value) for value in last.arguments.values() if isinstance(value, str)]
    if named and not any(one and (named in one or one in named) for one in was):
        return None
    return Calls((as_before(*ends(last.arguments)),))


def _bare(name: str) -> str:
    return _WITHOUT.sub("", name.casefold().strip())
