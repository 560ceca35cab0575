"""Navigation: a stretch that asks for it -> calls. Pure.

What is left of the words when everything that leads to a place is taken off is the place as it was named. Does not know whether it exists.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ridealong.harness.changes import Another, Arguments, Reads
from ridealong.harness.meant import FRAGMENT, Meant, as_written, clauses
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Match
from ridealong.harness.slots.number import find_numbers
from ridealong.harness.slots.place import find_place
from ridealong.harness.slots.text import has_chinese, marked
from ridealong.vehicle_skills.navigation.guidance_words import ADD_STOP, stop_named
from ridealong.vehicle_skills.navigation.plan import PREFERENCES_EN, PREFERENCES_ZH, SAID_OFF, SEARCH, SET, WHERE
from ridealong.vehicle_skills.navigation.there import PRONOUNS, find_and_go, recognise_there, to_what_was_found, to_what_was_named

_LEAD_EN = re.compile(
    r"^(?:(?:um+|uh+|erm?|well|okay|ok|right|so|oh|hey|please|now|then|and|also|just|actually|first|second|next|car|listen|wait|mate|yo|yeah|hello|hi|sorry|maybe|perhaps)\b[ ,]*|"
    r"(?:i|we) (?:really |just |actually )*(?:would like|want|need|have|wanted|fancy|have got|am|are|got)(?: to)?(?: be| get| go| head| drive| reach| going| heading)?(?: over| back| out| off)?(?: to| at| in)?\b ?|"
    r"(?:can|could|would|will) (?:you|we|i)(?: please| just| possibly| kindly)*\b ?|"
    r"(?:let us|let me|time to|gotta|got to|going to)(?: go| do| get| head| drive| pop| swing| make for| be)*(?: over| back| out| off| by| round| down| up)*(?: to| at| in)?\b ?|"
    r"(?:take|drive|bring|get|guide|direct|route|lead|navigate|run|pop|drop|chauffeur|whisk|send|steer|point)(?: me| us| it)*(?: over| back| straight| out| round| off| down| up)*(?: to| at| towards| in the direction of)?\b ?|"
    r"(?:go|head|drive|swing|pop|stop|make (?:our|my) way|set off|off|onwards|navigating|heading|going)(?: over| back| by| off| on| round| down| up| straight)*(?: to| at| towards| for)?\b ?|"
    r"(?:set|change|make|put|program|punch|key|type|enter|plug|stick|pop|load|bang|plot|plan|start|calculate|find|show|give|pull up|bring up|map)(?: me| us| in| up| out)*(?: the| a| my| our)*(?: new)?(?: quickest| fastest| shortest| best)?(?: destination| route| navigation| sat ?nav| gps| course| directions?| way| nav)?(?: is| as)?(?: to| for| as| in)?\b ?|"
    r"(?:the |new |my |our )*(?:destination|directions?|route|navigation|sat ?nav|nav|gps)(?: is| should be| to be)?(?: to| for)?\b ?|"
    r"how (?:do|can|would) (?:i|we) (?:get|go|drive|come)(?: over| from here)*(?: to)?\b ?|what is the (?:best |quickest |fastest )?(?:way|route) to\b ?|(?:where|there) to\b ?)"
)
_TAIL_EN = re.compile(
    r"(?:[ ,.]+(?:please|now|thanks|thank you|thank you dear|right now|right away|instead|will you|would you|could you|if you can|as soon as possible|asap|then|for me|for us|next|today|okay|ok|cheers|"
    r"would be (?:great|good|nice|lovely)|if (?:you )?(?:do not|would not) mind|and (?:step on it|fast|quickly)|quickly|quick|by the (?:fastest|quickest|shortest) (?:route|way)|i (?:said|meant|mean)|go|we go|take me there|"
    r"in the (?:sat ?nav|navigation|nav|gps)|into the (?:sat ?nav|navigation|nav|gps)|on the (?:sat ?nav|map|gps)|as (?:the|our|my) destination|mate|love|dear|buddy|and hurry|from here|actually|it is|first|tomorrow|far))+$"
)
_ARTICLE_EN = re.compile(r"^(?:the|a|an|my|our|some|to|is|be|at|in|for)\s+(?=\S)")
_LEAD_ZH = re.compile(
    r"^(?:嗯+|是?说(?:的是)?(?=..)|啊|呃|额|那个|那|就|然后|还有|再|顺便|先|麻烦(?:你|您)?|请(?:你|您)?|劳驾|帮(?:我|我们|忙)?|给(?:我|我们)?|替我|能不能|可以|能|你|您|我(?:们)?|咱们?|俩|想要?|要|得|该|走|快|赶紧|赶快|直接|现在|马上|今天|今儿|"
    r"好|行|来|小助手|师傅|那就|干脆|还是|改(?:成|为|到)?|换(?:成|为|到)?|带(?:我|我们|咱)?|送(?:我|我们|咱)?|载(?:我|我们)?|拉(?:我|我们)?|领(?:我|我们)?|陪(?:我|我们)?|"
    r"导航(?:到|去|至|回|往)?|导(?:到|去|一下到)?|目的地(?:设(?:为|成|到|置成|置为)?|改(?:为|成|到)?|是|换成|定(?:为|到|在)?|选)?|设(?:置|定)?(?:目的地|导航)?(?:为|成|到)?|规划(?:一条|一下|条)?(?:去|到)?|路线(?:改成|改到|设为|到|去)?|"
    r"查(?:一下|下|查)?(?:去|到)?|搜(?:一下|下|索)?|找(?:一下|下)?(?:去|到)?|开(?:车)?(?:去|到|往|回)|去往|前往|往|到|去(?:趟|一趟|一下|个)?|回(?!民|龙观|收)|上(?=[^海饶城街])|奔|赶(?:去|到|往)|怎么(?:去|走到|到)|[,. ])"
)
_TAIL_ZH = re.compile(
    r"(?:[,. ]|吧|吗|好吗|可以吗|行吗|谢谢(?:你|您|啦|了)?|的路线?|怎么走|怎么去|路线|了|啊|呀|呗|哈|呢|嘛|好不好|行不|的导航|导航|导(?:一下|过去|航过去)?|开过去|过去|一趟|一下|辛苦|麻烦(?:了|你)?|走|快点儿?|赶紧的?|"
    r"带个?路|出发|劳驾|拜托|去|设为目的地|为目的地|做目的地|那(?:边|儿|里)?)+$"
)
_OURS_EN = re.compile(
    r"^(?:there|here|it|that|this|somewhere(?: \w+)?|anywhere|you|me|us|go|the route|a route|(?:the )?other(?: one)?|(?:that|this) one|one|nuts|crazy|mad|insane)?$"
)

_FIRST_ZH = re.compile(r"先.{1,3}(?:一趟|一下)")
"""By way of it: 先去一趟邮局."""


_FIRST_GO_ZH = re.compile(r"(?:那|我们?|咱们?|还是|等等)*先(?:去|到|绕|拐)(?:一?趟|一?下|个)?(?=..)")
_ON_THE_WAY = re.compile(r"\bfirst$|\b(?:on (?:the|our|my) way(?! to)|en route|along the way|before we (?:get|arrive))\b")
_NO_NAME_ZH = re.compile(
    r"(?:错了?|不对|不是|呸|嗐|哎呀?|诶|唉|嗯|啊|哦|不|算了|等等|说|弄|搞|了|的|一下|开?个?(?:导航|航)|开个|导)+"
)
"""What takes something back is no place."""


def set_destination(meant: Meant) -> tuple[Match, ...]:
    if meant.zh and (off := SAID_OFF.search(meant.form)) is not None:
        before = meant.form[: off.start()].rstrip(",，而我们")
        return set_destination(meant.of(before)) if re.search(r"去|到|导航|回", before) else ()
    reading = Reading(meant.text, meant.locale)
    if meant.zh and _FIRST_ZH.match(meant.form) and (stop := stop_named(meant.form, True)):
        return (meant.match(ADD_STOP, {"place": stop}, {"place": stop}),)
    if (
        meant.zh
        and _FIRST_GO_ZH.match(meant.form)
        and _last_named(meant)
        and (stop := _FIRST_GO_ZH.sub("", meant.form).rstrip("吧了啊呀"))
    ):
        return (meant.match(ADD_STOP, {"place": stop}, {"place": stop}),)
    if not meant.zh and _ON_THE_WAY.search(meant.form) and (stop := stop_named(meant.form, False)):
        return (meant.match(ADD_STOP, {"place": as_written(stop, meant.text)}, {"place": stop}),)
    there = None if meant.variant == FRAGMENT else recognise_there(reading, meant.context, meant.share)
    if (there := there or _there(meant)) is not None:
        return (there,)
    looked_for = find_and_go(reading)
    place = (looked_for, looked_for) if looked_for else place_named(meant)
    if place is not None and place[0] in PRONOUNS:
        place = _spoken_of(meant)
    if place is None:
        return () if meant.variant == FRAGMENT else (meant.asks(SET, "place", "Where to?", "要去哪里？"),)
    name, ground = place
    if _NO_NAME_ZH.fullmatch(name):
        return ()
    by_way_of = re.fullmatch(
        r"(?P<to>.+?) (?:via|by way of) (?P<via>.+)|(?P<zu>.+?)[,，]?(?:途经|经过|路过)(?:一下)?(?P<durch>.+)", name
    )
    if by_way_of is not None:
        to, via = by_way_of["to"] or by_way_of["zu"], by_way_of["via"] or by_way_of["durch"]
        return tuple(
            meant.match(capability, {"place": as_written(one, meant.text)}, {"place": one})
            for capability, one in ((SET, to), (ADD_STOP, via))
        )
    if meant.variant == FRAGMENT and (last := _last_named(meant)):
        name = in_the_name(as_written(name, meant.text), last) or name
    return (meant.match(SET, {"place": as_written(name, meant.text)}, {"place": ground}),)


def another_place(arguments: Arguments, words: str, read: Reads) -> Another | None:
    """ "No, the station"."""
    name = in_the_name(words, str(arguments.get("place", ""))) or _ARTICLE_EN.sub("", words)
    if arguments and "place" not in arguments:
        return None  # without any: our own question where to
    return (SET, {"place": name}) if name and name != arguments.get("place") else None


def in_the_name(words: str, last: str) -> str:
    """What words say about the place that was named: another number of it ("forty", of 14 Elm Street; 四十号), or which of that name ("the one in Illinois")."""
    if which := re.fullmatch(r"(?:the )?one (?P<where>(?:in|on|at|near|by|off) .+)", words):
        return f"{last} {which['where']}" if last else ""
    zh = has_chinese(words)
    locale = "zh" if zh else "en"
    new, old = find_numbers(words, locale), find_numbers(last, locale)
    if len(new) != 1 or len(old) != 1 or new[0].value != int(new[0].value):
        return ""
    begin, end = new[0].span
    around = (words[:begin] + words[end:]).strip()
    if around not in ("", "号", "number"):
        return ""
    low, high = old[0].span
    said = words[begin:end] if zh else str(int(new[0].value))
    return f"{last[:low]}{said}{last[high:]}"


def _last_named(meant: Meant) -> str:
    recent = meant.context.recent[0] if meant.context.recent else None
    return str(recent.arguments.get("place", "")) if recent is not None and recent.capability == SET else ""


def _spoken_of(meant: Meant) -> tuple[str, str] | None:
    """ "张江那边堵不堵我不管，导过去": the place that the sentence has pointed at before."""
    found = re.search(r"(?P<name>[^,，。？?!！\s]{2,12}?)(?:那边|那里|那儿|那块儿?)", meant.ahead)
    return (found["name"], found["name"]) if found is not None else None


def _there(meant: Meant) -> Match | None:
    """ "ok take me there then", 那就往那开, in more ways than the grammar knows."""
    form = re.sub(r"^(?:ok|okay|right|good|great|then|so|well) ", "", meant.form)
    if not re.search(r"\bthere\b(?! is| are)|那(?:儿|里|边|就往)|往那|去那|过去$", form):
        return None
    return to_what_was_found(meant.context, meant.share) or to_what_was_named(meant.context, meant.share)


def place_named(meant: Meant) -> tuple[str, str] | None:
    """(place, its words), or None when nothing is left that could be one. Of several clauses the last that leads somewhere counts, else the
    shortest."""
    pieces = [piece.form for piece in clauses(meant) if not _REFUSED.match(piece.form)] or [meant.form]
    led = [piece for piece in pieces if (_LEADS_ZH if meant.zh else _LEADS_EN).search(piece)]
    named = [
        name
        for piece in (led[::-1] or sorted(pieces, key=len))
        if (name := _bare(piece, meant.zh)) and not _NO_NAME_ZH.fullmatch(name)
    ]
    if named:
        return (named[0], named[0]) if len(named[0]) <= 60 else None
    if re.search(r"\bhome\b|回家|打道回府", meant.form):
        return ("家", "default:home") if meant.zh else ("home", "home")
    said = find_place(meant.text, meant.locale)
    return (said.name, said.name) if said is not None and not _OURS_EN.match(said.name) else None


_LEADS_EN = re.compile(
    r"\b(?:navigat\w*|take (?:me|us)|drive|go|get|head\w*|route|directions?|destination|way to|guide|bring (?:me|us)|punch|set|home|to)\b"
)
_LEADS_ZH = re.compile(r"导航?|去|到|回|往|开|带|送|目的地|地址|奔")
_REFUSED = re.compile(
    r"^(?:not|no|do not|never mind|forget|wait|scrap|sorry|ah|oh|hang on|hmm)\b(?: (?:it|that|this|sorry|no))*$|^(?:not|do not|forget)\b|^(?:不去|别去|别往|不要去|不是|先不|先甭|甭管|不用)"
)
_ADDRESS_ZH = re.compile(r"^.*?(?:地址(?:是|在|就是)?|目的地(?:是)?|位置(?:是|在)?|在(?=.+等我))")
_VERB_ZH = re.compile(
    r"^.*(?:导航(?:到|去|往)|导(?:到|去)|(?<!下)去(?!年|掉)(?:一?趟)?|前往|开往|开到|回(?=家|公司|老家|学校|酒店|单位))(?=.)"
)
_WAITS_ZH = re.compile(r"等(?:着)?我.*$|接(?:孩子|人|我|她|他).*$|(?:导一下|带个路|走起|快点儿?|出发).*$")


def _bare(form: str, zh: bool) -> str:
    lead, tail = (_LEAD_ZH, _TAIL_ZH) if zh else (_LEAD_EN, _TAIL_EN)
    name, before = form.strip(" ,."), ""
    if zh:
        name = _VERB_ZH.sub("", name) or name
        name = _ADDRESS_ZH.sub("", name) or name
        name = _WAITS_ZH.sub("", name) or name
    elif home := re.search(r"\b(?:heading|head|go|get|take (?:me|us)|drive|back|straight) (?:back )?home\b", name):
        return "home" if home else ""
    while name != before:
        before = name
        name = lead.sub("", name, count=1).strip(" ,.")
        name = (tail.sub("", name) or name).strip(" ,.")
    if not zh:
        name = _ARTICLE_EN.sub(
            "", re.sub(r" (?:and i|because|since|in half an hour|in an hour|by \w+ o clock|as i|so i|it is|if you).*$", "", name)
        )
        return (
            ""
            if _OURS_EN.match(name) or re.match(r"(?:i|we|it|that|no|not|tell|let|how|what|when|why|could|can)\b", name)
            else name
        )
    name = re.sub(r"^而?是(?=.)", "", name)
    return "" if _NO_PLACE_ZH.fullmatch(name) else name


_NO_PLACE_ZH = re.compile(
    r"出发|上路|动身|启程|走人?|开路|开车|走起|(?:哦不?|不|算|主意|(?:我)?改(?:了)?主意了?|换个?地方|等等|等一下|等会儿?|稍等|不对|不是|算了|那个|这个|错了|(?:说|搞|弄|记|听)错了?|说反了|哎呀?|先)+"
)


def search(meant: Meant) -> tuple[Match, ...]:
    prefer, ground = "nearest", "default:nearest"
    for name, pattern in _PREFER.items():
        found = [m for m in re.finditer(pattern, meant.form) if not _NOT_THIS.search(meant.form[: m.start()])]
        if found:
            prefer, ground = name, found[-1].group()
            break
    if meant.variant == FRAGMENT and ground.startswith("default"):
        return ()
    return (meant.match(SEARCH, {"prefer": prefer}, {"prefer": ground}),)


_NOT_THIS = re.compile(
    r"(?:\bnot (?:the |need the |want the |too )?|\bdo not need the |不用(?:多)?|不要|别(?:给我)?(?:挑|找)?|也不用多)$"
)
_PREFER = {
    "cheapest": rf"{PREFERENCES_EN['cheapest']}|least money|cost(?:s)? (?:the )?least|arm and a leg|budget|bargain|good value|save (?:some |a few )?(?:money|quid|bucks)|{PREFERENCES_ZH['cheapest']}|便宜|省钱?|贵|价格|实在|低价|合算|性价比",
    "fastest": rf"{PREFERENCES_EN['fastest']}|speed|hurry|juice up quick|{PREFERENCES_ZH['fastest']}|快(?!没|要|到)|磨叽|速|大功率|超充|功率",
    "nearest": rf"{PREFERENCES_EN['nearest']}|close|near|{PREFERENCES_ZH['nearest']}|近|附近|顺路",
}

_WHERE_LEAD_EN = re.compile(
    r"^(?:.*?\b)??(?:how far(?: away| off)?(?: is| are| away is)?(?: it)?(?: from here)?(?: to)?|how (?:many|much) (?:kilometres|kilometers|miles|km|further|longer|more)(?: is it| left| to go| until| till)*(?: to| until| till)?|"
    r"where (?:is|are|about is|abouts is)|where can (?:i|we) find|what is the distance to|distance to|how close (?:is|are)(?: we to)?|how long (?:is it |till |until )?(?:to|till|until))\b ?"
)
_WHERE_TAIL_EN = re.compile(
    r"(?:[ ,.]+(?:from here|away|off|roughly|please|now|about|approximately|still|exactly|again|by car|around here|nearby|near here|then|do you know|is it|from us|from where we are))+$"
)
_WHERE_LEAD_ZH = re.compile(
    r"^(?:我(?:是)?(?:问|说|指|想问|要问)(?:的)?(?:是)?|不是.+?而?是|请问|另外|还有|顺便|然后|再|就问问|就问|问问|查查|说一?下|那|现在|我们|咱们?|这(?:儿|里)|这里?|从这(?:儿|里)?|距离?|离|到|去|还|差|我想知道|告诉我|查一下|看看|问下|\s|,|\.)+"
)
_WHICH_ZH = re.compile(r"(?<=[^,.])\s*[,.]\s*[^,.]{1,6}(?:的)?那(?:个|家|座|边)[\s.]*$")
_WHERE_TAIL_ZH = re.compile(
    r"(?:[\s,.]|吗|呢|呀|啊|多少(?:公里|路|里|千米)?|多远|有|还|剩|的?距离|(?:在|是在)(?:哪里?儿?|什么地方|什么位置)|离(?:这里?|我们|我|这儿)|来着|大概|差不多|几公里|几里地|路程|得?开多久|远不远|远吗|要多久|的路)+$"
)


_TAKES_US_ZH = re.compile(
    r"(?P<there>(?:请|现在)?(?:送|带|拉|载)(?:我们?|咱们?)(?:回|去|到)[^,.]+?)\s*[,.]\s*(?:还)?(?:有多远|多远|要?多久|远不远)"
)
"""Asks for the way, and then how far it is: 送我回家，有多远."""


def where_is(meant: Meant) -> tuple[Match, ...]:
    reading = Reading(meant.text, meant.locale)
    if meant.context.before and (there := recognise_there(reading, meant.context, meant.share)) is not None:
        return (there,)
    if meant.zh:
        name = _WHERE_TAIL_ZH.sub("", _WHERE_LEAD_ZH.sub("", _WHICH_ZH.sub("", marked(meant.text, meant.locale))))
    else:
        form = meant.form
        name = _WHERE_LEAD_EN.sub("", form, count=1)
        name = _ARTICLE_EN.sub("", _WHERE_TAIL_EN.sub("", name).strip())
        if name == form:
            return ()
    if (way := _TAKES_US_ZH.match(marked(meant.text, meant.locale))) is not None:
        return set_destination(replace(meant, text=way["there"]))
    if len(name) > 60 or not any(character.isalnum() for character in name):
        return ()
    if name in PRONOUNS or re.fullmatch(r"(?:it |that |there )?(?:is|it)(?: (?:it|there|away|from here))*", name):
        of = next((one.arguments["place"] for one in meant.context.before[::-1] if "place" in one.arguments), None)
        return (meant.match(WHERE, {"place": of}, {"place": "context:sentence"}),) if of else ()
    return (meant.match(WHERE, {"place": as_written(name, meant.text)}, {"place": name}),)


__all__ = ["place_named", "search", "set_destination", "where_is"]
