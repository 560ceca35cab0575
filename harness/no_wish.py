"""Words in which a tagger hears a wish, and that are none, or that leave it open. Pure.

    "I'm not cold", "I like it warm", 不太热                         content: nothing is to be done
    关空调，天窗开着吧                                               what is to stay as it is is no part of it
    "either open the window or turn on the AC", 开窗或者开空调       one of two: which, is asked
    打开window                                                      one language for what is named in the other

Apart from `frame` because the judgement of who is spoken to (docs/decisions/0007) has been tuned on that as it is. Does not know skills, or the car.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.kept import stays
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.text import has_chinese, language, marked, plain

# --- content -----------------------------------------------------------------------------------------------------------

_FEEL_EN: Final = r"(?:hot|cold|chilly|freezing|boiling|stuffy|roasting|sweating|shivering)"
_FINE_EN: Final = r"(?:warm|cool|hot|cold|cosy|cozy|toasty|chilly|icy|fresh)"
_ADVERB_EN: Final = r"(?:(?:really|actually|even|at all|that|all that|so|too|very|particularly|exactly|feeling|getting|being) )*"
_CONTENT_EN: Final = re.compile(
    r"(?:(?:no|oh|well|okay|ok|um|uh|so|but|and|actually|honestly) )*(?:"
    rf"(?:i am|we are|it is|that is|she is|he is|they are|this is|i do|we do|i feel|it feels?)(?: (?:really|actually|honestly|definitely|certainly))* not (?:feel )?{_ADVERB_EN}{_FEEL_EN}|"
    rf"(?:it|i|we|that) (?:does|do) not (?:really |actually )?(?:feel|seem|look|get) {_ADVERB_EN}{_FEEL_EN}|"
    rf"(?:i|we) (?:do |really |quite |always |rather |actually |just |both )*(?:like|love|enjoy|adore) (?:it|the car|my car|things|the cabin|the place|being)(?: (?:nice and|quite|rather|really|pretty|nice|this|so|very|to be))* {_FINE_EN}"
    r"|(?:(?:do you|i|hey|oh|and) )*remember (?:when|that time|the time|that day|how) .*"
    r")(?: (?:in here|here|inside|in the car|in this car|today|tonight|at all|any ?more|now|right now|at the moment|really|actually|thanks|thank you|any longer|yet))*"
)
_FEEL_ZH: Final = r"(?:冷|热|闷|烫)"
_CONTENT_ZH: Final = re.compile(
    r"(?:你|还|我)*记得(?:上次|那次|那时|去年|当时|以前).*|你?猜猜?(?:我|我们|看)?(?:上次|昨天|那天|之前).*|"
    r"(?:其实|嗯|哦|不过|但是?|反正|还好)?(?:我们?|咱们?|车里|车内|这里|这儿|里面|现在|今天|我这边|这边|大家|后面|副驾|天气|感觉|觉得|也|还|一点儿?(?:都|也)|并|倒|倒是|完全|真的?)*"
    rf"(?:不(?:怕|太|怎么|是很|是太|算|会|觉得|感觉|算太|那么|是|感到)?{_FEEL_ZH}|没(?:那么|有那么|觉得|感觉){_FEEL_ZH})(?:的|了|啊|呀|吧|呢|哦|嘛|其实|现在|谢谢)*|"
    r"(?:我们?|咱们?)(?:就|还|很|挺|特别|比较|一直|也)*喜欢(?:车里|车内|里面)?(?:很|挺|比较|这么|这样)?(?:热|冷|暖和?|温暖|凉快?|凉爽)(?:的|的感觉|着|啊|呀)*"
)


def wishes(text: str, locale: str) -> str:
    """The text without the clauses that say that all is well; "" where it says no more."""
    pattern = _CONTENT_ZH if language(text, locale) == "zh" else _CONTENT_EN
    kept, dropped = list[str](), False
    for piece in re.split(r"(?<=[,.;!，。；！])(?!\d)", text):
        form = plain(piece, locale)
        if "?" in piece or "？" in piece or not (pattern.fullmatch(form) is not None or stays(form, locale)):
            kept.append(piece)
        else:
            dropped = True
    return "".join(kept).strip() if dropped else text


_ENOUGH_EN: Final = re.compile(
    r"(?:(?:ok|okay|right|stop|there|yes|yeah|that is|good) )*(?:that is (?:enough|it|fine|plenty|far enough|good)|enough|stop there|stop it there|that will do|perfect|plenty)(?: (?:thanks|thank you|now|there))*"
)
_ENOUGH_ZH: Final = re.compile(r"(?:停|好|行|嗯|就|这样|到这儿?)*(?:可以|够|行|好|停|停下|停住|停在这儿?)(?:了|吧|谢谢|啦)*")


def enough(text: str, locale: str) -> bool:
    """ "Stop, that's enough": no more of what was asked for, and nothing else."""
    return (_ENOUGH_ZH if language(text, locale) == "zh" else _ENOUGH_EN).fullmatch(plain(text, locale)) is not None


# --- one of two --------------------------------------------------------------------------------------------------------

_VERB_EN: Final = (
    r"(?:open|close|shut|turn|switch|set|lower|raise|put|roll|take|drive|navigate|find|start|stop|make|warm|cool|heat|crack)"
)
_THING_EN: Final = (
    r"(?:windows?|boot|trunk|doors?|sunroof|fan|blower|a ?c|air ?con\w*|heat(?:er|ing)|defrost\w*|demist\w*|recirculation|vents?)"
)
_THING_ZH: Final = r"(?:车?窗户?|后备箱|车门|天窗|风扇|空调|暖气|暖风|冷气|除霜|除雾|内循环|外循环)"
_EITHER_EN: Final = re.compile(
    rf"\b(?:turn|switch|put|open|close|shut)(?: (?:on|off))? (?:the |my |a )?{_THING_EN} or (?:the |my |a )?{_THING_EN}\b(?! or )|"
    rf"\beither {_VERB_EN}\b.* or |\b{_VERB_EN} either (?!window|side|one|front|rear|back)\w.* or |^(?:(?:please|can you|could you|would you|just|maybe|perhaps) )*{_VERB_EN}\b(?:(?! , | \. |\bor\b).)* or (?:else )?(?:please |maybe |perhaps |just )?{_VERB_EN}\b"
)
_EITHER_ZH: Final = re.compile(
    rf"[开关]\w{{0,4}}?{_THING_ZH}(?:或者?|还是){_THING_ZH}|"
    r"要么.*要么|或者?(?:是|说)?(?:把[^,.]{0,6}?)?(?:打开|关上|关掉|关闭|开|关|调|升|降|设|导航|去).+|[开关调升降设去][^,.]*还是(?:把)?(?:打开|关上|关掉|开|关|调|升|降|设|去)[^,.]*(?<!吧)$"
)
_ACT_ZH: Final = re.compile(r"[开关调升降设去]")


def either(text: str, locale: str) -> str:
    """The question which of two acts is wanted; "" where the words leave none open."""
    form = marked(text, locale)
    if language(text, locale) != "zh":
        return "I can do one or the other. Which would you like?" if _EITHER_EN.search(form) is not None else ""
    found = _EITHER_ZH.search(form)
    open_ = found is not None and (found.group()[0] in "要开关" or _ACT_ZH.search(form[: found.start() + 1]) is not None)
    return "两样里您要哪一样？" if open_ else ""


_THEN_EN: Final = re.compile(r"(?:and )?(?:then|after that|afterwards|later)(?: back)?(?: (?:to|at))? (?P<said>.+)")
_THEN_ZH: Final = re.compile(r"(?:然后|接着|之后|再)+(?:再)?(?:开|调)?(?:到|至)?(?P<said>.+)")


_PLACE_EN: Final = re.compile(
    r"(?:(?:and|but|then|also|turn|put|set|crank) )*(?P<place>(?:on |in )?(?:the |my |our )?(?:left|right|(?:front )?passengers?|drivers?|other|co ?drivers?|wife|husband|wifes|husbands)(?: (?:one|side|seat))?|hers|his|mine|theirs|(?:his|her|their|my) (?:one|side))?"
    r"(?: ?(?:all the way|right|way))?(?: ?(?:to|at|on)(?: the)?)? ?(?:up|down|off|on|max(?:imum)?|min(?:imum)?|full|high(?:est)?|low(?:est)?|medium|most|least)(?P<behind> (?:on|for|in|at) (?:the |my )?(?:left|right|front|back|rear|passengers?|drivers?|other|me|him|her|them|wife|husband)(?: (?:one|side|seat))?)?(?: please)?"
)
_PLACE_ZH: Final = re.compile(
    r"(?:然后|再|而|把|那)?(?P<place>(?:左|右|另一?|那|这|我)(?:边|侧)?的?|副驾驶?座?的?|主驾驶?座?的?|[她他]的)(?:也|就|则)?(?:给我)?(?:开|调|设|关|弄)?(?:到|成|为)?(?:最[大高低小强弱]|[高中低]档|关掉?|关闭|打开|开|[大小高低]一?点)(?P<behind>吧|了|档)?"
)


def then_a_place(text: str, locale: str) -> bool:
    """ "Hers up", "to max on the right", 右边开到最高: a place and how much of it, and no thing."""
    zh = language(text, locale) == "zh"
    found = (_PLACE_ZH if zh else _PLACE_EN).fullmatch(plain(text, locale))
    return found is not None and (zh or bool(found["place"] or found["behind"]))


def then_a_number(text: str, locale: str) -> bool:
    """ "And then to 20": the words name nothing, and no unit either that only one thing has."""
    zh, form = language(text, locale) == "zh", plain(text, locale)
    found = (_THEN_ZH if zh else _THEN_EN).fullmatch(form)
    if found is None:
        return False
    if zh:
        return re.fullmatch(r"(?:百分之)?(?:\d+|[零一二两三四五六七八九十百]+)%?(?:吧|好了)?", found["said"]) is not None
    numbers = find_numbers(found["said"], locale)
    return (
        len(numbers) == 1
        and re.fullmatch(r" ?(?:percent|%)?(?: please|吧)?", found["said"].replace(numbers[0].words, "", 1)) is not None
    )


_MEANWHILE_EN: Final = re.compile(
    r",?\s*\b(?:and |then )?(?:while you(?: are|['’]re) at it|in the meantime|meanwhile)\b,?", re.IGNORECASE
)


def plainly_joined(text: str) -> str:
    """ "A timer, and while you're at it close the boot": one and the other."""
    found = _MEANWHILE_EN.search(text)
    if found is None or not text[: found.start()].strip() or not text[found.end() :].strip(" .,!"):
        return text
    return f"{text[: found.start()]} and{text[found.end() :]}"


# --- languages ---------------------------------------------------------------------------------------------------------

_NAMED_ZH: Final = (
    (r"windows?", "车窗"), (r"trunk|boot|tailgate", "后备箱"), (r"fan|blower", "风扇"), (r"(?:air ?con(?:ditioning|ditioner)?|a/?c)", "空调"),
    (r"temperature|temp", "温度"), (r"timer", "计时器"), (r"(?:defroster|defrost)", "除霜"), (r"open", "打开"), (r"close", "关上"),
)  # fmt: skip


def in_one_language(text: str) -> str:
    """打开window -> 打开车窗. A text in one language stays as it is."""
    if not has_chinese(text) or re.search(r"[A-Za-z]{2}", text) is None:
        return text
    named = text
    for pattern, chinese in _NAMED_ZH:
        named = re.sub(rf"(?<![A-Za-z])(?:the |my )?(?:{pattern})(?![A-Za-z])", chinese, named, flags=re.IGNORECASE)
    return text if re.search(r"[A-Za-z]{2}", named) else re.sub(r"(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])", "", named)
