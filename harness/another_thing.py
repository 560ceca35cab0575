"""Another thing of the car in the place of the one that was asked for, or beside it: "no, the sunroof", "not the AC, the wipers", 换成天窗, "and the boot", 车窗也是. Pure.

Only where the sentence is nothing else. The last call's skill says how the like is asked of another thing (`Changes.frames`); what the words
then mean is decided as if they were said alone, so "no, the sunroof" behind "close my window" closes it. Does not know skills, or what cars can do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ridealong.harness.following import REFERS_WITHIN_MS
from ridealong.harness.one_verb import ITEM_EN, ITEM_ZH
from ridealong.harness.router import AskBack, Calls, Decision
from ridealong.harness.skill import Context, Match, Recent, Skill, same_call
from ridealong.harness.slots.text import language, marked

_FILLS_EN: Final = r"(?:um+|uh+|er+|oh|ah|well|okay|please|just|that is|it is)"
_BACK_EN: Final = (
    r"(?:no+|nope|nah|sorry|actually|rather|oops|whoops|wait|hang on|hold on|scratch that|my mistake|wrong one|not that(?: one)?|that is wrong|"
    r"i (?:mean|meant|said|wanted|want|asked for)|(?:make|do) (?:that|it)|change (?:that|it) to)"
)
_ADDS_EN: Final = r"(?:and|also|plus|(?:and )?(?:the )?same (?:for|with))"
_NOT_EN: Final = rf"(?:not|instead of|rather than) {ITEM_EN}"
_FORM_EN: Final = re.compile(
    rf"(?P<lead>(?:(?:{_FILLS_EN}|{_BACK_EN}|{_ADDS_EN}|{_NOT_EN}(?: but)?) )*)(?P<thing>{ITEM_EN})(?P<tail>(?: (?:please|thanks|instead|rather|actually|sorry|i (?:mean|meant)|too|as well|{_NOT_EN}))*)"
)
_TAKES_EN: Final = re.compile(rf"\b(?:{_BACK_EN}|{_ADDS_EN}|instead|rather|too|as well|{_NOT_EN})\b")
_FILLS_ZH: Final = r"(?:哎呀?|呃|嗯|啊|哦|诶|请|麻烦|就|那|是|而是)"
_BACK_ZH: Final = r"(?:不不++|不对|不是|不(?=,)|(?<=[哦啊])不|(?:说|搞|弄|听)?错了?|等等|等一下|我是?(?:说|要|指)的?是?+|我的?意思是|应该是|(?:改|换)(?:成|为|到)|还是)"
_ADDS_ZH: Final = r"(?:还有|再加上|加上|另外|以及|同样)"
_TOO_ZH: Final = r"也(?:是|一样|要|同样|这样)"
_NOT_ZH: Final = rf"(?:而?不是|不要){ITEM_ZH}"
_FORM_ZH: Final = re.compile(
    rf"(?P<lead>(?:(?:{_NOT_ZH}|{_FILLS_ZH}|{_BACK_ZH}|{_ADDS_ZH}),?)*)(?P<thing>{ITEM_ZH})(?P<tail>(?:,?(?:吧|啊|呀|才对|谢谢|好了|{_TOO_ZH}|{_NOT_ZH}))*)"
)
_TAKES_ZH: Final = re.compile(rf"{_BACK_ZH}|{_NOT_ZH}|{_ADDS_ZH}|{_TOO_ZH}")
_LONGEST: Final = 60
_DETERMINED: Final = re.compile(r"(?:the|my|his|her|our|all|both)\b")


def thing_named(text: str, locale: str) -> str:
    """The one thing that these words name instead, or as well; "" where they are no such sentence."""
    if len(text) > _LONGEST or "?" in text or "？" in text:
        return ""
    zh = language(text, locale) == "zh"
    form = marked(text, locale)
    form = re.sub(r"\s*([,.])\s*", ",", form).replace(" ", "").strip(",") if zh else re.sub(r"[\s,.]+", " ", form).strip()
    found = (_FORM_ZH if zh else _FORM_EN).fullmatch(form)
    if found is None or not (_TAKES_ZH if zh else _TAKES_EN).search(f"{found['lead']}|{found['tail']}"):
        return ""
    return found["thing"]


def another_thing(
    text: str,
    locale: str,
    context: Context,
    skills: Callable[[str], Skill | None],
    decide: Callable[[str, str, Context], Decision],
) -> Calls | AskBack | None:
    """What becomes of it; None where it is no such sentence, or nothing of another kind comes of it. `decide`: of words, without what was asked before."""
    last = context.recent[0] if context.recent else None
    skill = skills(last.capability) if last is not None and last.asked_ms_ago <= REFERS_WITHIN_MS else None
    if last is None or skill is None or skill.read_only or skill.changes is None or skill.changes.frames is None:
        return None
    if not (thing := thing_named(text, locale)):
        return None
    for frame in skill.changes.frames(last.arguments, language(text, locale) == "zh"):
        words = (frame.replace("the {}", "{}") if _DETERMINED.match(thing) else frame).format(thing)
        decided = decide(words, locale, replace(context, recent=()))
        match decided:
            case Calls(matches=(made,), also=()) if _is_same_elsewhere(made, last):
                there = {
                    name: made.grounds.get(name, "context:recent") if name == "zone" else "context:recent"
                    for name in last.arguments
                }
                arguments = {**last.arguments, "zone": made.arguments["zone"]}
                return Calls((replace(made, arguments=arguments, grounds=there),)) if arguments != last.arguments else None
            case Calls(matches=(made,), also=()) | AskBack(match=Match() as made) if _acts(made, skills):
                return decided if not same_call(made, last) else None
    return None


def _is_same_elsewhere(made: Match, last: Recent) -> bool:
    """The last call in another place: as far, or as warm, as it was."""
    return made.capability == last.capability and "zone" in made.arguments and "zone" in last.arguments


def _acts(made: Match, skills: Callable[[str], Skill | None]) -> bool:
    skill = skills(made.capability)
    return skill is not None and not skill.read_only
