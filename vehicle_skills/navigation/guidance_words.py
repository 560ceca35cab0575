"""Navigation on the way: words -> end it, go by way of a place, how far it still is. By grammar, and where a tagger has found which. Pure.

Does not know the places, or what the car can do.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.changes import Another, Arguments, Changes, Reads
from ridealong.harness.meant import FRAGMENT, Meant, as_written
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.text import plain
from ridealong.vehicle_skills.car import is_recent, number
from ridealong.vehicle_skills.navigation.there import PRONOUNS
from ridealong.vehicle_skills.signals import DESTINATION_LATITUDE

SET: Final = "navigation.set_destination"
STOP, ADD_STOP, ETA = "navigation.stop", "navigation.add_stop", "navigation.eta"

_GUIDANCE_EN: Final = r"(?:navigation|navigating|nav|sat ?nav|gps|(?:current |whole )?route(?: guidance)?|guidance|guiding(?: me| us)?|directions?|directing(?: me| us)?|destination|trip|turn by turn)"
_STOP_EN: Final = re.compile(
    rf"(?:stop|cancel|end|quit|exit|abort|finish|abandon|kill|drop|clear|delete|scrap|remove|forget|turn off|switch off|shut off)(?: off| down)? (?:the |our |my |this |that |all )*{_GUIDANCE_EN}(?: off)?|"
    rf"(?:turn|switch|shut) (?:the |our |my )*{_GUIDANCE_EN} (?:off|down)|(?:nav|navigation|sat ?nav|gps|guidance|directions) off|stop telling (?:me|us) (?:where to (?:go|turn)|the way)|no more directions|"
    r"(?:leave it|never mind|forget (?:it|that)|no need|do not bother)(?: (?:with )?(?:the|that|navigating|directions))? (?:i|we) know the (?:way|rest|road)(?: (?:now|from here))?"
)
_GUIDANCE_ZH: Final = r"(?:当前|现在|这个|这次)?的?(?:导航|路线指引|路线引导|路线|目的地|指路|路径引导)"
_STOP_ZH: Final = re.compile(
    rf"(?:把)?(?:停止|取消|结束|退出|关闭|关掉|关了|终止|清除|停掉|中止){_GUIDANCE_ZH}|(?:把)?{_GUIDANCE_ZH}(?:先)?(?:停|停了|停掉|停止|关|关了|关掉|取消|取消掉|结束|退出|退|终止|清除|清掉)(?:了|吧|掉)?|"
    r"(?:算了,?)?(?:不用|别|不要|甭|不必|不)(?:再|给我)?导(?:航)?了(?:,?(?:这条?|这段)?路我们?(?:熟|认识|认得|知道|会走))?"
)


def recognise_stop(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    pattern = _STOP_ZH if reading.zh else _STOP_EN
    return Match(STOP, 0.95) if pattern.fullmatch(reading.core) is not None else None


_ONLY_ITS_VOICE: Final = re.compile(
    r"\b(?:mute|unmute|silence|quiet\w*|volume|sound|voice|louder|softer)\b|静音|消音|声音|音量|语音|[小大]声|闭嘴"
)
"""What is to be still goes on."""
_MUTES: Final = re.compile(r"\b(?:mute|silence|quiet(?:en)?)(?: down)?(?: (?:the|my|our|this|that))*$|(?:静音|消音)$")


_GOES_ZH: Final = re.compile(r"导航?(?:过去|到|去|一下|吧)|开始|继续")
_ENDS_ZH: Final = re.compile(r"停|取消|结束|退|关|终止|清|中止|别|不|甭|够|算了|完")


def stop(meant: Meant) -> tuple[Match, ...]:
    still = _ONLY_ITS_VOICE.search(meant.form) or _MUTES.search(plain(meant.ahead, meant.locale))
    bare = re.fullmatch(rf"(?:the )?{_GUIDANCE_EN}|{_GUIDANCE_ZH}", meant.form)  # named, and nothing is said of it
    goes = meant.zh and _GOES_ZH.search(meant.form) and not _ENDS_ZH.search(meant.form)  # 那就导航过去吧
    return () if meant.variant == FRAGMENT or still or bare or goes else (meant.match(STOP, {}, {}),)


_WAY_EN: Final = r"(?:on (?:the|our|my) way(?: there| home)?|en route|along the (?:way|route)|in between|(?:to|into|on) (?:the|our|my) (?:route|trip)|before (?:that|we get there|the \w+)|as (?:a|the next|our next) (?:stop|waypoint|way point))"
_STOPPING_EN: Final = (
    rf"(?:add|insert|include|put in|slot in|squeeze in|fit in|make)(?: a| an| another| one)*(?: quick| short| intermediate| extra)?(?: stop| waypoint| way point| stopover| detour)(?: off)? (?:at|to|in|for|through|via|called)? ?(?P<p1>.+?)(?: {_WAY_EN})?",
    rf"(?:add|insert|include|put|slot|squeeze|fit) (?P<p2>.+?) (?:in )?{_WAY_EN}",
    rf"(?:stop off|stop by|stop over|stop|swing by|swing past|pop in|pop into|call in|pull in|drop by|go by|go past|pass by|go)(?: at| to| by| into)? (?P<p3>.+?) {_WAY_EN}",
    rf"{_WAY_EN} (?:stop off|stop by|stop|swing by|pop in|go)(?: at| to| by| into)? (?P<p4>.+)",
    r"(?:(?:go|drive|navigate)(?: there)? (?:via|by way of)|(?:route|take) (?:me|us)(?: there)? (?:via|by way of|through|past)) (?P<p5>.+)",
    r"(?:via|by way of) (?P<p6>.+?)(?: first)?",
    r"(?:stop off|stop by|stop|swing by|go by|go past|go)(?: at| to| by)? (?P<p7>.+?) first(?: (?:and )?then (?:carry on|go on|continue)(?: .*)?)?",
    r"(?:(?:and|but|oh|can we|could we|let us|i (?:need|want|have|would like) to|we (?:need|want|have|should|ought) to|just|quickly|actually|first) )*(?:stop off|stop by|stop|swing by|swing past|pop in|pop into|pop to|nip to|nip into|call in|call|drop by|go by|go past|go to|go)(?: at| to| by| into)? (?P<p9>.+?) (?:on (?:the|our|my) way(?! to)(?: there)?|en route|along the way|before we (?:get|arrive)(?: there)?)",
    r"(?:(?:and|but|oh|can we|could we|i|we|need|have|want|got|to|should|must|just|quickly|actually|first) )*(?:drop|pick|collect|fetch|get) (?:up |off )?(?:my |the )?\w+(?: up| off)? (?:at|from) (?P<p10>.+?) (?:first|on the way|before (?:that|then))",
    r"(?:detour|let us detour) (?:via|through|to) (?P<p8>.+)",
)  # fmt: skip
_STOP_AT_EN: Final = tuple(re.compile(pattern) for pattern in _STOPPING_EN)
_ON_ZH: Final = r"(?:路上|途中|中途|中间|沿途|沿路|顺路|顺道|顺便|半路上?|在?去的路上|路过的时候|路线(?:里|上|中间?))"
_GO_ZH: Final = r"(?:先)?(?:再)?(?:多)?(?:加(?!油)(?:上)?(?:一)?(?:个|站|家|下)?|插(?:一)?个|停(?:一)?下|去(?:一)?(?:趟|下|个|家)?|绕(?:一)?(?:下|去)?|[拐弯](?:个弯)?(?:一)?(?:趟|下|去)|到|(?:经过|路过)(?:一下)?)"
_STOP_AT_ZH: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:{_ON_ZH})+(?:我)?(?:想|要)?{_GO_ZH}(?P<p1>.+?)(?:停一?下|加进去|加上|的)?",
        r"(?:再|多)?(?:加|添加|增加|插入)(?:一)?(?:个)?(?:途经点|停靠点|经停点|中途点|停靠站|站)(?:在|去|到)?(?P<p2>.+)",
        r"(?:途经|路过|经过)点?(?:加上|加(?!油))?(?P<p3>.+?)(?:停一?下|停|一下)?",
        r"(?:把)?(?P<p4>.+?)(?:加(?:到|进|入)(?:路线(?:里|中间?|上)?|行程(?:里)?|途经点))",
        r"先(?:去|到|绕去?)(?:一下|趟)?(?P<p5>.+?)(?:,|，|然后)?再(?:去|回|走).+",
        r"加一站去?(?P<p6>.+)",
        r"(?:中间|半路)?先?(?:去|到|绕到?|拐到?|弯到?)(?:一趟|一下)(?P<p7>[^,，再去]+)",
    )
)
_ARTICLE: Final = re.compile(r"^(?:the(?! er\b)|a|an|my|our|some|one|at|to|in|for)\s+(?=\S)")
_NOT_A_PLACE: Final = re.compile(
    r"(?:a |one |another |the |next )*(?:stop|waypoint|stopover|detour|break|thing|something|it|that|this|there|one)|一下|一站|个?停靠点?|途经点?"
)


_MORE_EN: Final = re.compile(r"\b(?:route|way|remind|reminders?|tell|then|window)\b")
_MORE_ZH: Final = re.compile(r"提醒|告诉|导航|买|[时后]$|后再|,|停靠|停一下")
"""More than a place."""


def stop_named(form: str, zh: bool) -> str:
    """The place to go by way of, in the plain form; "" where these words name none."""
    for pattern in _STOP_AT_ZH if zh else _STOP_AT_EN:
        found = pattern.fullmatch(form)
        if found is None:
            continue
        name = next(group for group in found.groups() if group)
        if zh:
            name = re.sub(r"(?:吧|了|啊|呗|谢谢|的|停)+$", "", name)
        else:
            name = _ARTICLE.sub("", _ARTICLE.sub("", re.sub(r"(?: (?:first|though|somewhere|please|then))+$", "", name)))
        if (_MORE_ZH if zh else _MORE_EN).search(name):
            return ""
        if name and name not in PRONOUNS and _NOT_A_PLACE.fullmatch(name) is None and len(name) <= (16 if zh else 50):
            return name
    return ""


_BARE_STOP: Final = re.compile(
    r"(?:can (?:we|you) )?(?:add|make|insert)(?: a| another| one)?(?: quick)? (?:stop|waypoint)(?: on the way)?|(?:再)?(?:加|添加)(?:一)?个?(?:途经点|停靠点|停靠站|站)|加一站"
)


def recognise_add_stop(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if _BARE_STOP.fullmatch(reading.core) is not None:
        return Match(ADD_STOP, 0.9, missing=("place",), question="在哪里停？" if reading.zh else "Where would you like to stop?")
    name = stop_named(reading.core, reading.zh) or (stop_named(reading.frame.text, True) if reading.zh else "")
    return Match(ADD_STOP, 0.97, {"place": name}, {"place": name}) if name else None


_LOOSE_EN: Final = re.compile(
    r"^(?:.*?\b(?:stop(?: off| by|over)?|swing by|pop in|detour|route (?:me|us)|go|add|via|waypoint|include|put|slot in|squeeze in|fit|drop in|pick up)(?: (?:in|at|by|past|through|via|to|a stop|the stop|waypoint|off))*)\s+(?P<name>.+)$"
)
_LOOSE_TAIL_EN: Final = re.compile(
    rf" (?:{_WAY_EN}|as a (?:stop|waypoint)|first|please|then carry on|for a (?:bit|minute)|before (?:the |we )?\w+(?: \w+)?|between here and there|around half ?way|he is at .*|will you|thanks)$"
)
_LOOSE_ZH: Final = re.compile(
    r"^.*?(?:加(?:上)?(?:一)?(?:个|家|站)?|插(?:一)?个|停(?:一)?下|去(?:一)?(?:趟|下)|绕(?:一)?下|先去|途经|经过|路过|找(?:一)?个)(?:停靠点|途经点)?(?P<name>.+)$"
)
_LOOSE_TAIL_ZH: Final = re.compile(r"(?:停一?下|加进去|加上|一下|顺路的|先|吧|啦|谢谢|接娃|我拿个药|的|了)+$")


def add_stop(meant: Meant) -> tuple[Match, ...]:
    name = stop_named(Reading(meant.text, meant.locale).core, meant.zh)
    if not name:
        loose = (_LOOSE_ZH if meant.zh else _LOOSE_EN).match(meant.form)
        name, before = loose["name"] if loose is not None else "", ""
        while name != before:
            before = name
            name = (_LOOSE_TAIL_ZH if meant.zh else _LOOSE_TAIL_EN).sub("", name).strip()
        name = name if meant.zh else _ARTICLE.sub("", _ARTICLE.sub("", name))
    if not name or name in PRONOUNS or _NOT_A_PLACE.fullmatch(name) or len(name) > (16 if meant.zh else 50):
        return (
            () if meant.variant == FRAGMENT else (meant.asks(ADD_STOP, "place", "Where would you like to stop?", "在哪里停？"),)
        )
    return (meant.match(ADD_STOP, {"place": as_written(name, meant.text)}, {"place": name}),)


def _other_stop(arguments: Arguments, words: str, read: Reads) -> Another | None:
    name = _ARTICLE.sub("", words)
    return (ADD_STOP, {"place": name}) if name and name != arguments.get("place") else None


def given_up(arguments: Arguments, before: Reads) -> tuple[Another, ...]:
    """ "Forget that", of a destination: there is none again. Where there was another before, nobody knows its name."""
    return () if number(before, DESTINATION_LATITUDE) else ((STOP, {}),)


def ended(arguments: Arguments) -> Another:
    """ "Cancel that", of a destination or a stop on the way."""
    return STOP, {}


OTHER_STOP: Final = Changes(other=_other_stop, ended=ended)

_ETA_EN: Final = re.compile(
    r"(?:what (?:is|was) (?:the|our|my) )?(?:eta|estimated time of arrival|arrival time|time of arrival)(?: now)?|(?:give me|tell me) (?:the|our) (?:eta|arrival time)|"
    r"(?:when|what time|how soon|at what time)(?: exactly)? (?:do|will|are|should|might|can) (?:we|i) (?:get|be|arrive|reach|going to (?:get|be|arrive))(?: there| at (?:the|our) destination| (?:the|our) destination| home)*(?: then| now)?|"
    r"how (?:long|much longer|much further|much farther|many (?:more )?(?:minutes|hours))(?: (?:is it|is this drive|still|will it (?:take|be)|does it take|to go|is left|do we have|until|till|to|before|we|get|there|arrive|are|the|our|destination|left|is|more|have|of the (?:journey|drive|trip)))*(?: (?:there|arrive|destination|go|left|still|it|drive))|"
    r"how (?:far|many (?:more )?(?:km|kilometres|kilometers|miles))(?: (?:is it|still|more|do we have|have we got))* (?:to go|still|still to go|to (?:the|our) destination|until we (?:arrive|get there))|(?:have we got|is it|do we have) (?:much |very )?far(?: to go)?|is it much (?:further|longer|farther)|"
    r"are we (?:nearly|almost|close to being) there(?: yet)?|are we there yet|(?:distance|time) (?:remaining|left|to (?:the |our )?destination)|how much longer"
)
_ETA_ZH: Final = re.compile(
    r"(?:我们|咱们|大概|估计|预计|现在|那|请问)*(?:还有|还要|还得|还需要?)?(?:开|走)?(?:多久|多长时间|几分钟|几个小时|几点|什么时候|啥时候|几时)(?:钟)?(?:我们|才|能|可以)*(?:到|到达|能到|到那儿|到那里)(?:目的地|终点|达)?(?:呀|啊|了|吗|呢|啦)?|"
    r"(?:离|距离?|到)(?:目的地|终点)?(?:还)(?:有|剩|差)(?:多远|多少公里|多少|多久|几公里)(?:的路)?|(?:离|距离?|到)(?:目的地|终点)(?:还)?(?:有|剩|差|要)?(?:多远|多少公里|多少|多久|几公里)|还(?:有|剩|要)(?:开|走)?(?:多久|几分钟)(?:呀|啊|到)?|还剩?(?:要走)?多少公里(?:到|的路)?|还(?:有|要开|要走)多(?:远|长的路)(?:要走|到)?|"
    r"预计(?:几点|什么时候|多久)?到达(?:时间)?|(?:快|马上)到了(?:没|吗|么)|eta(?:是?多少)?|剩余(?:时间|路程)(?:还?有?多少)?"
)


_HOW_FAR_IS_IT: Final = re.compile(
    r"(?:and |so |okay |ok )*how far(?: away)? (?:is (?:it|that)|are we)(?: from here| now| then)?|(?:那)?(?:有|还有)?多远(?:啊|呀|呢)?|远(?:不远|吗)"
)
"""Just after a destination was set, that is it."""
_ARRIVES: Final = re.compile(
    r"\b(?:there|arriv\w+|destination|get|reach|eta|go|far|further|farther|miles|km|kilomet\w+|drive|journey|trip|home)\b|到|路|公里|目的地|终点|多远|开"
)
"""That it is the way that is asked about."""


def recognise_eta(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    pattern = _ETA_ZH if reading.zh else _ETA_EN
    asked = pattern.fullmatch(reading.core) or pattern.fullmatch(reading.frame.text)
    if asked is None and _HOW_FAR_IS_IT.fullmatch(reading.frame.text) and is_recent(context, (SET, ADD_STOP)):
        return Match(ETA, 0.97)
    if asked is None:
        return None
    if _ARRIVES.search(reading.frame.text):
        return Match(ETA, 0.97)
    if any(one.stage.under_way for one in context.doing):
        return None  # how long a timer, or something else, still takes
    return Match(ETA, 0.8)


def eta(meant: Meant) -> tuple[Match, ...]:
    return () if meant.variant == FRAGMENT else (meant.match(ETA, {}, {}),)
