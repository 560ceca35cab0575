"""Operations on the talk itself: say that again, go on. They work from what was heard (said.py), in English and Chinese.

Closed patterns over the whole sentence, so that "play that again" or "continue to the airport" stay what they are. "Stop" and
"never mind" are the router's own. Does not know playback or work items: it asks the session through `Call.talk`.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.skill import TALK, Call, Context, Match, Outcome, Skill, Spoken, skill

JUST_NOW_MS: Final = 15_000
"""So long after our words, words that may mean anything ("pardon?", "and then?") are taken to mean them."""
REMEMBERED_MS: Final = 300_000
SETTLES_WITHIN_MS: Final = 2_000
_SOFT_EN = r"(?:(?:sorry|pardon|pardon me|excuse me|wait|hang on|hold on|hey|oh|um|uh|no|okay|ok|well|please|hmm|huh|and|so|yes|yeah|what) )*"
_END_EN = r"(?: (?:please|again|then|now|just now|to me|for me|thanks|thank you|sorry))*"
_REPEAT_EN: Final = re.compile(
    _SOFT_EN + r"(?:(?:can|could|would|will) you (?:please )?|do you mind |would you mind |i need you to |i want you to )?(?:"
    r"what (?:did|was it|was that) you (?:just )?(?:say|said|tell me|saying)(?: (?:just now|a moment ago|before|last))?|what (?:were|are) you (?:just )?saying|"
    r"what was (?:that|it) you (?:just )?said|what you (?:just )?said|what did you just|what was the last thing you said|"
    r"(?:please )?(?:say|tell me|repeat|saying|repeating) (?:that|it|this|what you (?:just )?said|the last (?:thing|bit|part|sentence)|your(?: last)? (?:answer|sentence|words)|yourself)(?: (?:again|once more|one more time))?|"
    r"(?:please )?repeat|say again|say (?:that|it) (?:one more time|once more|slower)|one more time|once more|come again|"
    r"i (?:did not|could not|do not) (?:quite )?(?:catch|hear|get|understand)(?: (?:that|it|you|what you said|a word))?|(?:(?:i|sorry i) )?(?:must have )?missed (?:that|it|what you said|the (?:last|first) (?:bit|part|word|thing|sentence)|(?:most|half|part|some|the end|the beginning) of (?:that|it))|did you say something"
    r")" + _END_EN
)  # fmt: skip
_REPEAT_JUST_NOW_EN: Final = re.compile(
    _SOFT_EN + r"(?:what was that|what is that|pardon(?: me)?|sorry what|say what|excuse me|what)" + _END_EN
)
_GO_ON_EN: Final = re.compile(
    _SOFT_EN + r"(?:(?:can|could|would|will) you (?:please )?|you (?:can|may) )?(?:"
    r"go on|continue|carry on|keep (?:going|talking)|go ahead|proceed|resume|finish(?: (?:that|it|your sentence|what you were saying))?|"
    r"(?:continue|carry on|go on|keep going|resume) (?:with (?:that|it|what you were saying|your answer)|what you were saying|where you (?:stopped|left off|were)|talking|speaking|reading|from there)|"
    r"(?:tell me|say|read|give me|let me hear|what (?:is|was)) the rest(?: of (?:it|that))?|you were saying|what were you going to say|i am listening|pick up where you left off"
    r")" + _END_EN
)  # fmt: skip
_GO_ON_JUST_NOW_EN: Final = re.compile(r"(?:and|and then|and what else|what else|then|and the rest|what then|so)(?: please)?")
_SOFT_ZH = r"(?:请|麻烦|麻烦你|你|您|嗯|呃|哦|喂|等等|等一下|不好意思|对不起|抱歉|什么|啥|那|好的?|能不能|可以|可不可以|能|帮我|给我|再)*"
_END_ZH = r"(?:吧|吗|么|啊|呀|呢|好吗|可以吗|行吗|谢谢|一下|嘛)*"
_REPEAT_ZH_CORE: Final = (
    r"(?:(?:刚才|刚刚|刚|方才)(?:你|您)?(?:在)?(?:说|讲)(?:的|了|过)?(?:是|些)?(?:什么|啥)(?:来着|了)?|(?:说|讲)(?:的|了)?(?:是|些)?(?:什么|啥)(?:来着|了)?|"
    r"(?:刚才?|刚刚)?(?:你|您)?(?:的)?最后(?:那|一|那一)?(?:句|个字|几个字|段|部分)(?:话)?(?:说|讲)?(?:的|了)?(?:是)?(?:些)?(?:什么|啥)|"
    r"(?:说|讲|重复|念|读)(?:一遍|一次|多一遍)|重复(?:一遍|一下|一次)?(?:刚才|刚刚)?(?:的话|说的话?)?|把?(?:刚才|刚刚)(?:说)?的?话?(?:再)?(?:说|讲|重复)(?:一遍|一次)|"
    r"重说(?:一遍|一次)?|(?:我)?(?:刚才|刚刚)?(?:没|没有)(?:听|听到|听见)(?:清楚?|到|见|明白|懂)?|(?:我)?(?:刚才?|刚刚|不小心|又|可能|好像|前面|后面)*(?:听漏|漏听|错过)(?:了)?(?:一?[句段点个]|半句|几句|几个字|后面|前面|最后)?(?:的|话|你说的)?|(?:我)?(?:刚才?|刚刚)*(?:走神|分神|分心|开小差)了?(?:没(?:听(?:到|见|清)?)?)?|(?:刚才?|刚刚)(?:说|讲)?(?:什么|啥)来着)"
)
_REPEAT_ZH: Final = re.compile(_SOFT_ZH + _REPEAT_ZH_CORE + rf"(?:(?:请|麻烦|你|您|再|能|可以)*{_REPEAT_ZH_CORE})?" + _END_ZH)
_GO_ON_ZH: Final = re.compile(
    _SOFT_ZH + r"(?:继续(?:说|讲|念|读|说下去|讲下去|刚才的话?|刚才说的)?|接着(?:说|讲|念|读|往下说|刚才(?:的|说)?)?|往下(?:说|讲|念)|(?:说|讲|念)下去|"
    r"(?:把)?(?:话|刚才的话?|剩下的|后面的|没说完的)(?:继续)?(?:说|讲)(?:完|一下)?|说完|讲完|没说完的?(?:继续|接着)(?:说|讲))" + _END_ZH
)  # fmt: skip
_GO_ON_JUST_NOW_ZH: Final = re.compile(r"(?:然后|还有|后面|剩下的|后来)(?:呢|吗|是什么)")

_SENTENCES: Final = {
    "nothing_said": ("I haven't said anything yet.", "我还没有说过什么。"),
    "nothing_left": ("That was all.", "我已经说完了。"),
}


def _says(text: str, locale: str, context: Context, always: re.Pattern[str], just_now: re.Pattern[str] | None) -> bool:
    framing = frame(text, locale)
    forms = (framing.text, framing.core)
    if any(always.fullmatch(form) for form in forms if form):
        return True
    recent = context.said is not None and (context.said.speaking or context.said.ended_ms_ago <= JUST_NOW_MS)
    return recent and just_now is not None and any(just_now.fullmatch(form) for form in forms if form)


def repeats(text: str, locale: str, context: Context) -> Match | None:
    if frame(text, locale).locale == "zh":
        asked = _says(text, locale, context, _REPEAT_ZH, None)
    else:
        asked = _says(text, locale, context, _REPEAT_EN, _REPEAT_JUST_NOW_EN)
    return Match("talk.repeat", 0.96) if asked else None


def goes_on(text: str, locale: str, context: Context) -> Match | None:
    """Only while there is something to go on with, or right after our words: people say it to each other, too."""
    said = context.said
    if said is None or not (said.more or said.speaking or said.ended_ms_ago <= JUST_NOW_MS):
        return None
    if frame(text, locale).locale == "zh":
        asked = _says(text, locale, context, _GO_ON_ZH, _GO_ON_JUST_NOW_ZH if said.more else None)
    else:
        asked = _says(text, locale, context, _GO_ON_EN, _GO_ON_JUST_NOW_EN if said.more else None)
    return Match("talk.go_on", 0.96) if asked else None


@skill(
    "talk.repeat",
    description="Say again what was said last.",
    group=TALK,
    recognise=repeats,
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={
        "en": ("What did you just say?", "Say that again, please.", "Repeat that.", "I didn't catch that."),
        "zh": ("你刚才说什么？", "再说一遍。", "我没听清楚。"),
    },
    timeout_ms=5_000,
)
async def repeat(call: Call) -> Spoken:
    last = call.talk.last()
    if last is None or last.ended_ms_ago > REMEMBERED_MS:
        return Spoken(_sentence("nothing_said", call.locale), Outcome.COMPLETED, "nothing_said")
    text = call.talk.repeat()
    return Spoken(text) if text else Spoken(_sentence("nothing_said", call.locale), Outcome.COMPLETED, "nothing_said")


@skill(
    "talk.go_on",
    description="Go on with what was cut off.",
    group=TALK,
    recognise=goes_on,
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={"en": ("Go on.", "Please continue.", "Carry on."), "zh": ("继续。", "接着说。", "继续说吧。")},
    timeout_ms=5_000,
)
async def go_on(call: Call) -> Spoken:
    """Waits a little for the device to confirm what was heard, so that nothing is said twice."""
    waited_ms = 0
    while (last := call.talk.last()) is not None and not last.settled and waited_ms < SETTLES_WITHIN_MS:
        await call.clock.sleep_ms(100)
        waited_ms += 100
    rest = call.talk.go_on()
    if rest is not None:
        return Spoken(rest)
    if last is not None and last.speaking:
        return Spoken("")  # it is going on
    return Spoken(_sentence("nothing_left", call.locale), Outcome.COMPLETED, "nothing_left")


def _sentence(reason: str, locale: str) -> str:
    english, chinese = _SENTENCES[reason]
    return chinese if locale.startswith("zh") else english


SKILLS: tuple[Skill, ...] = (repeat, go_on)
