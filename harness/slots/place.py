"""The destination that follows a navigation verb: "navigate to …", "take me to …", 导航到…, 带我去….

Does not know whether such a place exists (the navigation skill's gazetteer does).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ridealong.harness.slots.text import language, plain


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    words: str
    span: tuple[int, int]


_EN = re.compile(
    r"\b(?:navigate(?: us| me)?(?: over)? to|navigation to|(?:get|give|find|show) (?:me |us )?(?:directions?|the way|a route|the route|route) to|directions? to|"
    r"(?:take|drive|bring|get|guide|direct|route|lead) (?:me|us)(?: over| back)? (?:to )?|(?:set|change|make|put)(?: in)? (?:the |my |our )?(?:destination|route|navigation|sat ?nav|gps|course)(?: is)? (?:to |for |as )?|"
    r"(?:let us|we|i) (?:can |should |need to |have to |want to |would like to |must )?(?:go|drive|head|get) to|^(?:(?:i|we) )?(?:need to |want to |have to )?(?:get to|go to|stop at|stop by|head to|drive to)|^(?:i |we )?(?:want|need|would like) to (?:go|get|drive|head)(?: over)? to|"
    r"^(?:carry on|continue|proceed|resume (?:the )?(?:trip|route|navigation))(?: on| driving)? to |^(?:go|drive|head|route|start (?:navigation|navigating|a route|route guidance))(?: over| on)? (?:to )|^(?:plot|plan|start|set up|set|make) (?:a |the )?(?:route|course|navigation|way) (?:to|for)|how do (?:i|we) get to|"
    r"the destination is|destination)\s*"
)
_EN_HOME = re.compile(
    r"\b(?:navigate|take (?:me|us)|drive (?:me|us)?|go|let us go|bring (?:me|us)|head|get (?:me|us)) (?:back )?(home)\b"
)
_EN_TAIL = re.compile(
    r"(?:[ ,]+(?:please|now|thanks|thank you|right now|right away|instead|will you|would you|could you|if you can|as soon as possible|then|for me|next|today|okay))+$"
)
_ZH = re.compile(
    r"(?:导航(?:去|到|至|回)|(?:带|送|载)(?:我|我们)?(?:去|到|回)|目的地(?:设为|设置为|设成|改为|改成|设置成|是|换成|定为|设到)|(?:我|我们|咱们)(?:想|要|得)?(?:去|到)|开(?:去|到|往)|去往|前往|路线(?:改成|改到|设为)|继续(?:去|到|前往|开往)|怎么(?:去|走到|到)|规划(?:一条)?(?:去|到)|去)"
)
_ZH_TAIL = re.compile(r"(?:吧|好吗|可以吗|行吗|谢谢|谢谢你|的路线|怎么走|路线|了|啊|呗|好不好|的导航)+$")


def find_place(text: str, locale: str) -> Place | None:
    """The named destination without articles and politeness, or None when no navigation verb leads to one."""
    form = plain(text, locale)
    if language(form, locale) == "zh":
        m = re.search(r"(导航)?(?:回)家(?:吧|了)?$|导航回家", form)
        if m is not None and re.search(r"导航|带|送|我|回家(?:吧)?$", form):
            return Place("家", "家", (form.rindex("家"), form.rindex("家") + 1))
        m = _ZH.search(form)
        if m is None:
            return None
        start = m.end()
        name = _ZH_TAIL.sub("", form[start:])
        name = re.sub(r"^(?:那个|这个|一下|最近的一个)", lambda g: "最近的" if "最近" in g.group() else "", name)
        return Place(name, form[start : start + len(form[start:])], (start, len(form))) if name else None
    m = _EN_HOME.search(form)
    if m is not None:
        return Place("home", "home", m.span(1))
    m = _EN.search(form)
    if m is None:
        return None
    start = m.end()
    name = _EN_TAIL.sub("", form[start:]).strip()
    words = name
    name = re.sub(r"^(?:the(?! er\b)|a|an|(?:my|our)(?! (?:place|house)\b)|some|to|is|be)\s+", "", name)
    return Place(name, words, (start, start + len(words))) if name else None
