"""What can you do? Who are you? Answered from the skills that are there: nothing is promised that none of them does.

Closed patterns over the whole sentence. Does not know any skill by name, only the groups that they are in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.skill import Call, Context, Match, Skill, Spoken, skill
from ridealong.harness.tagged import without_our_name

_SOFT_EN: Final = r"(?:(?:so|okay|ok|well|um|uh|and|please|hey|tell me|show me|i wonder) )*"
_ASKED_EN: Final = re.compile(
    _SOFT_EN + r"(?:what (?:all |else |things |exactly )?can you (?:all )?do(?: for (?:me|us))?|what are you (?:able to do|capable of|for|good (?:for|at))|what (?:else )?(?:can|could|may|do) (?:i|we) (?:say|ask)(?: (?:you|to you))?(?: for)?|"
    r"what you can do|what do you (?:do|know how to do|understand)|what are your (?:skills|features|functions|abilities|capabilities|commands)|(?:list|show me) your (?:skills|features|functions|abilities|commands)|how can you help(?: (?:me|us))?|"
    r"how do (?:i|we) use you|help|who are you|what are you|what is your name|introduce yourself|tell me about yourself)(?: (?:please|then|again|in this car|in here|here|now))*"
)  # fmt: skip
_ASKED_ZH: Final = re.compile(
    r"(?:那|请问|嗯|哎|诶|所以|告诉我)*(?:[你您](?:都|还|到底|究竟)?(?:会|能|可以)(?:帮我)?(?:做|干|干些|做些|帮)?(?:些|点)?(?:什么|啥|哪些(?:事|功能)?)(?:事情?|功能)?|[你您]?(?:都|还)?有(?:什么|哪些|啥)(?:功能|本事|技能)|[你您](?:是|叫)(?:谁|什么(?:名字?)?|啥)|"
    r"(?:自我介绍|介绍(?:一下)?(?:[你您])?自己)|帮助|我(?:都|还)?(?:能|可以)(?:跟你|对你|问你|向你)?(?:说|问|干)(?:些|点)?(?:什么|啥|哪些)|(?:怎么|如何)(?:用|使用)[你您]|[你您]能怎么帮我)(?:呀|啊|呢|吗|一下|吧)*"
)
_ACTS: Final = (
    ("climate", "climate", "空调"), ("seat_heat", "seats", "座椅"), ("seat_position", "seats", "座椅"), ("windows", "windows", "车窗"), ("sunroof", "sunroof", "天窗"),
    ("doors", "locks", "门锁"), ("trunk", "boot", "后备箱"), ("ambient_light", "lights", "灯光"), ("wipers", "wipers", "雨刮"), ("media", "music", "音乐"), ("navigation", "route", "导航"),
)  # fmt: skip
_BESIDE: Final = (
    ("phone", "make calls", "打电话"), ("phone", "look up numbers", "查电话号码"), ("reading_out", "read signs", "读标牌"), ("reading_out", "translate", "翻译"), ("seeing", "look at things", "看东西"),
    ("memory", "keep notes", "记笔记"), ("timers", "set timers and reminders", "定时和提醒"), ("watching", "watch for things", "替您留意"), ("status", "tell you about the car", "回答车况"),
)  # fmt: skip


def recognise(text: str, locale: str, context: Context) -> Match | None:
    framing = frame(without_our_name(text)[1], locale)
    asked = _ASKED_ZH if framing.locale == "zh" else _ASKED_EN
    return Match("help.abilities", 0.95) if asked.fullmatch(framing.text) or asked.fullmatch(framing.core) else None


def abilities(groups: Iterable[str], locale: str, lacks: Container[str] = ()) -> str:
    """Two sentences of what there is. `lacks`: of the English names of abilities, those for which nothing is set up."""
    there, zh = set(groups), locale.startswith("zh")
    acts, beside = (
        list(
            dict.fromkeys(
                chinese if zh else english for group, english, chinese in names if group in there and english not in lacks
            )
        )
        for names in (_ACTS, _BESIDE)
    )
    if zh:
        parts = [f"我能控制{'、'.join(acts)}" if acts else "", f"{'还' if acts else '我'}能{'、'.join(beside)}" if beside else ""]
        return "我是 Ridealong，随车的助手。" + "，".join(filter(None, parts)) + "。" * bool(acts or beside)
    said = f"I can change the {_listed(acts)}." if acts else ""
    more = f"I can {'also ' if acts else ''}{_listed(beside)}." if beside else ""
    return " ".join(filter(None, ("I'm Ridealong, your assistant.", said, more)))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def abilities_skill(groups: Callable[[], Iterable[str]], lacks: Container[str] = ()) -> Skill:
    """`groups`: of the skills that there are when it is asked. `lacks`: as of `abilities`."""

    @skill(
        "help.abilities",
        description="Say what the assistant is and what it can do.",
        group="help",
        recognise=recognise,
        arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        examples={"en": ("What can you do?", "Who are you?"), "zh": ("你会做什么？", "你是谁？")},
    )
    async def say(call: Call) -> Spoken:
        return Spoken(abilities(groups(), call.locale, lacks))

    return say
