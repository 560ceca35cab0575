"""Questions about what was seen or passed earlier. Looking back is not possible yet, and the answer says so.

What exists: such questions are recognised, so that they are never taken for something else. What does not: any memory of frames.
"""

from __future__ import annotations

import re

from ridealong.harness.framing import frame
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken, skill

_EN = re.compile(
    r"what (?:did|was) (?:the|that|this) (?:\w+ )?(?:sign|billboard|board|notice|poster|screen|label|plate|placard|shop|store)\b.*|"
    r"what (?:did|have|was it|was) (?:we|i|you) (?:just )?(?:pass|passed|drive past|driven past|see|seen|go past|went past)\b.*|"
    r"what was (?:that|the) (?!temperature|speed|range)(?:\w+ )?(?:\w+)(?: (?:we|i) (?:just )?(?:passed|saw|drove (?:past|by)|went past)| back there| on the (?:left|right)| over there)?$|"
    r"(?:which|what) (?:\w+ )+(?:did|have) (?:we|i) (?:just )?(?:pass|passed|drive|driven|see|seen|go)\b.*|"
    r"where did (?:i|we) (?!last )see\b.*|have (?:we|i) (?:seen|passed)\b.*|did we (?:see|pass|just pass|just see) (?:a|an|the|any)\b.*|"
    r"what (?:colou?r|make|kind of \w+) was (?:the|that)\b.*|what (?:did it|did that|did the \w+) say\b.*|(?:who|what) was (?:in|on|at|by) (?:the|that)\b.*|"
    r"what (?:is|was) written (?:on|there)\b.*|what was (?:the )?(?:speed limit|name of (?:the|that)\b).*|how many (?:people|cars|bikes|cyclists|\w+) (?:did we|were)\b.*"
)
_ZH = re.compile(
    r".*(?:刚才|刚刚|之前|前面那|那个|路过|经过).*(?:牌子?|标志|招牌|路标|广告|店|楼|建筑|看到|看见|写|是什么|说).*|.*(?:路过|经过|看到|看见)(?:了|的是|过)?(?:什么|哪|谁).*|"
    r".*(?:牌子|路牌|招牌|标志|标牌|广告牌)(?:上)?(?:面)?(?:写|说|是)(?:的|了|着)?(?:是)?什么.*"
)


def recognise(text: str, locale: str, context: Context) -> Match | None:
    framing = frame(text, locale)
    if not framing.question:
        return None
    pattern = _ZH if framing.locale == "zh" else _EN
    core = re.sub(r"^(?:can you (?:tell|say)|tell|do you know|could you tell)(?: me)? ", "", framing.core)
    core = re.sub(r"^(?:me |us )", "", core)
    if pattern.fullmatch(core) is None or re.search(
        r"\b(?:your|his|her|their|you (?:do|say|think|want|mean|buy|eat))\b|你(?:昨天|觉得|吃|买)|他|她", framing.text
    ):
        return None
    return Match("recall.seen", 0.88 if framing.locale == "zh" or len(core.split()) <= 12 else 0.6)


@skill(
    "recall.seen",
    description="Answer a question about something seen or passed earlier.",
    group="reading",
    recognise=recognise,
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={
        "en": ("What did the sign say?", "What did we just pass?", "What was that building on the left?"),
        "zh": ("刚才那个牌子写了什么？", "我们刚才路过了什么？"),
    },
    timeout_ms=5_000,
)
async def recall_seen(call: Call) -> Spoken:
    text = "我还不能回看之前看到的东西。" if call.locale.startswith("zh") else "I can't look back at what we passed yet."
    return Spoken(text, Outcome.REFUSED, "not_yet")


SKILLS: tuple[Skill, ...] = (recall_seen,)
