"""Questions about what is in front of the camera now, or what the user has sent: "what is that building?", "read the file I sent you".

What exists: such words are recognised, in the present tense; what is past is recall's, and what stands written is read out by seeing_text.py. What answers them is given (`Look`: a model that takes
pictures, harness/agent/seeing.py); without one the honest sentence. Does not know pictures, models, or how recent one must be.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from ridealong.harness.attached import speaks_of_sent
from ridealong.harness.framing import frame
from ridealong.harness.skill import Call, Context, Match, Outcome, Skill, Spoken, skill
from ridealong.harness.skills import seeing_words

SEEING: Final = "seeing"
"""The group; also of what a model is not offered as a tool: it is given the picture itself, or not."""
SCORE: Final = 0.94
"""Above recall's by more than the router's margin: where both fit, nothing in the words is past."""

_WRITTEN = r"(?:sign|signs|billboard|signpost|board|notice|poster|label|placard|banner|menu|writing|screen|sticker|leaflet|receipt|ticket|inscription|plaque|plate|text|page|note|letter|warning|symbol|logo|handwriting)"
_THING = (
    r"(?:building|tower|church|cathedral|bridge|mountain|hill|peak|monument|statue|castle|shop|store|restaurant|house|tree|plant|flower|bird|animal|insect|"
    r"vehicle|lorry|truck|boat|ship|plane|helicopter|lake|river|island|museum|stadium|factory|chimney|sculpture|landmark|thing|object|gadget|machine|"
    r"dish|fruit|vegetable|mushroom)"
)
_THERE = (
    r"(?: (?:right |just |straight |up |out |over |down )?(?:here|there|ahead|in front(?: of (?:me|us|you))?|on (?:the|my|our) (?:left|right|other side|roof|hill|wall|door|window|dashboard|corner|table)|"
    r"to (?:the|my|our) (?:left|right)|across the (?:road|street|river)|(?:with|next to|behind|beside) the (?:[\w-]+ ){0,2}[\w-]+))?"
)  # fmt: skip
_KIND = r"(?:kind|sort|type|make|breed|species|style) of"
_EN: Final = re.compile(
    rf"(?:what (?:do|does) (?:the|that|this|these|those) (?:[\w-]+ ){{0,2}}?{_WRITTEN}{_THERE} (?:say|read|mean|show)|what (?:does|do) (?:this|that|these|those) (?:say|read)|"
    rf"what (?:is|are) (?:written|printed) (?:on|over) (?:the|that|this) (?:[\w-]+ ){{0,2}}?[\w-]+|what (?:is|does) (?:it|that|this) (?:written|say) on (?:the|that|this) {_WRITTEN}|"
    rf"(?:read|translate) (?:me |us |out )?(?:this|that|these|those|the|what (?:is|it says) on (?:the|that|this)) (?:[\w-]+ ){{0,2}}?{_WRITTEN}(?: (?:to|for) (?:me|us))?(?: (?:in|into|to) [a-z]+)?(?: out(?: loud)?| aloud)?|"
    r"read (?:me |us )?(?:this|that|these)(?: (?:to|for) (?:me|us))?(?: out(?: loud)?| aloud)?|"
    r"what (?:am i|are we) (?:looking at|seeing)|what (?:can|do) you see|what is (?:in front of|ahead of) (?:me|us|you)|"
    r"(?:describe|tell me) (?:what (?:you|we|i) (?:can )?see|the (?:view|scene|picture)|what is in (?:the (?:picture|camera)|front of (?:me|us|you)))|"
    rf"what (?:is|are) (?:that|this|those|these) (?:[\w-]+ ){{0,2}}?(?:{_THING}s?|{_WRITTEN})|"
    rf"what {_KIND} (?:[\w-]+ ){{1,2}}?(?:is (?:that|this)|are (?:those|these)|am i looking at|are we looking at)|"
    rf"what colou?r is (?:that|this) (?:[\w-]+ ){{0,1}}?{_THING}|"
    rf"(?:tell me|say|read me|read out) what (?:the|that|this|those|these) (?:[\w-]+ ){{0,2}}?{_WRITTEN} says?){_THERE}{_THERE}(?: (?:right )?now)?"
)  # fmt: skip
_PAST_ZH: Final = re.compile(r"刚|之前|路过|经过|开过|错过|上次|昨天|看到了|看见了|过去")
_WRITTEN_ZH = r"(?:牌子?|标志|标牌|路牌|招牌|指示牌|告示牌?|广告牌?|海报|屏幕|标签|菜单|字|通知|说明书?|图标|符号|横幅|票|信)"
_THING_ZH = (
    r"(?:楼|建筑物?|大楼|大厦|塔|山|桥|教堂|寺庙|店|商店|餐厅|树|花|鸟|动物|车|船|飞机|雕像|湖|河|岛|东西|博物馆|水果|植物|机器)"
)
_THAT_ZH = r"(?:(?:前面|旁边|左边|右边|左手边|右手边|上面|眼前|对面|路边|远处|门上|墙上)的?)?(?:这|那)?(?:里|边)?(?:一)?(?:个|块|张|些|栋|座|棵|只|种|条|幅|家|本|份|辆|艘)?"
_OF_ZH = r"(?:[^怎什谁我你他她]{1,4}的)?"
_ZH: Final = re.compile(
    rf"{_THAT_ZH}{_OF_ZH}(?:这|那)?(?:个|块|张)?{_WRITTEN_ZH}(?:上|里)?面?(?:都)?(?:写|印|说|讲|显示)(?:的|着|了)?(?:都)?(?:是)?(?:些)?(?:什么|啥).{{0,3}}|"
    rf"(?:这|那)(?:里|上|上面)?写(?:的|着)(?:都)?(?:是)?(?:些)?(?:什么|啥)|{_THAT_ZH}{_OF_ZH}{_WRITTEN_ZH}是?(?:什么|啥)意思|"
    rf"(?:念念|读读|念一念|读一读|念|读|翻译)(?:一下|给我听)?(?:这|那)(?:个|块|张|段|些|上面|份|本)?(?:写的)?{_OF_ZH}{_WRITTEN_ZH}?(?:给我听)?(?:成.文)?|"
    rf"(?:念念|读读|念一念|读一读|念|读|翻译)(?:一下|给我听)?{_THAT_ZH}{_OF_ZH}{_WRITTEN_ZH}(?:上?的?字)?(?:给我听)?(?:成.文)?|"
    rf"把?(?:这|那)(?:个|块|张|段|些|份|本)?{_OF_ZH}{_WRITTEN_ZH}?(?:念|读|翻译)(?:一下|给我听|出来)*(?:成.文)?|"
    r"我?(?:现在)?(?:正)?在?看(?:到|见)?的?(?:这|那)?(?:个)?是(?:什么|啥)(?:东西)?|我(?:现在)?(?:正)?在看(?:什么|啥)|你?(?:现在)?(?:能)?(?:看到|看见|看得到|看得见)(?:些)?(?:什么|啥)|"
    rf"(?:我)?{_THAT_ZH}{_THING_ZH}(?:是|叫)(?:什么|啥)(?:名字|地方|楼|建筑|车|树|花|品种|东西|店)?|{_THAT_ZH}是(?:什么|啥){_THING_ZH}|(?:前面|旁边|左边|右边|眼前|对面|远处)(?:的|那|这)?个?是(?:什么|啥)|"
    r"描述(?:一下)?(?:你)?(?:看到|看见|眼前|前面|画面|周围).{0,6}"
)

_ASKS_SENT_EN: Final = re.compile(
    r"(?:what|which|who|where|when|how (?:many|much|long|old)|is|are|does|do|read|describe|translate|summari[sz]e|explain|look at|tell me)\b"
)
_ASKS_SENT_ZH: Final = re.compile(r"什么|啥|哪|谁|几|多少|吗|念|读|描述|翻译|总结|概括|解释|讲讲|说说|看看|看一下")

_SENTENCES: Final = {
    "no_vision": ("I can't look at pictures: no model that can is set up.", "我看不了画面：没有配置能看图的模型。"),
    "not_consented": ("I can't look: nobody has allowed me to use the camera.", "我看不了：还没有允许我使用摄像头。"),
    "no_picture": ("I have no picture to look at. Is the camera on?", "我现在没有画面可看，摄像头开着吗？"),
    "nothing_sent": ("You haven't sent me anything yet.", "您还没有发给我任何东西。"),
    "unreadable": ("I can't open what you sent: it is neither a picture nor plain text.", "您发来的我打不开：既不是图片，也不是纯文本。"),
    "old_picture": ("My last picture is too old to say what is there now. Please ask again.", "最近的画面太旧了，说不准现在是什么，请再问一次。"),
}  # fmt: skip

Answer = Callable[[Call], Awaitable[Spoken]]


@dataclass(frozen=True, slots=True)
class Look:
    """What answers a question about pictures. `within_ms`: after that it has given up by itself."""

    answer: Answer
    within_ms: int


def recognise(text: str, locale: str, context: Context) -> Match | None:
    framing = frame(text, locale)
    if framing.negated or re.search(r"\bagain\b", framing.text):  # "read that again": what we said
        return None
    if speaks_of_sent(framing.core, framing.locale):
        asks = _ASKS_SENT_ZH.search(framing.core) if framing.locale == "zh" else _ASKS_SENT_EN.match(framing.core)
        return Match("seeing.ask", SCORE) if asks else None
    if framing.locale == "zh":
        if seeing_words.asked(text, locale) is not None:
            return None
        asked = _PAST_ZH.search(framing.core) is None and _ZH.fullmatch(framing.core) is not None
    elif seeing_words.asked(text, locale) is not None:  # read out, translated, scanned, described
        return None
    else:
        told = re.sub(r"^(?:(?:can you |could you )?(?:tell me|say|do you know)|me|us) (?=what\b)", "", framing.core)
        asked = any(_EN.fullmatch(words) for words in (framing.core, told))
    return Match("seeing.ask", SCORE) if asked else None


def unseen(reason: str, locale: str) -> Spoken:
    """Why nothing can be said about a picture: no_vision, not_consented, no_picture, old_picture, nothing_sent, unreadable."""
    english, chinese = _SENTENCES[reason]
    return Spoken(chinese if locale.startswith("zh") else english, Outcome.REFUSED, reason)


@skill(
    "seeing.ask",
    description="Answer a question about what the camera shows now, or about a picture or text sent earlier.",
    group=SEEING,
    recognise=recognise,
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={
        "en": (
            "What am I looking at?",
            "What kind of tree is that?",
            "What is that building on the left?",
            "What does the picture I sent you show?",
        ),  # fmt: skip
        "zh": ("我在看什么？", "前面那座山叫什么名字？", "左边那栋楼是什么？", "我发给你的图片里是什么？"),
    },
    timeout_ms=5_000,
)
async def ask(call: Call) -> Spoken:
    return unseen("no_vision", call.locale)


def seeing_skills(look: Look | None) -> tuple[Skill, ...]:
    """The skill, with what answers."""
    if look is None:
        return (ask,)
    return (replace(ask, run=look.answer, timeout_ms=look.within_ms, usual_ms=3_000),)
