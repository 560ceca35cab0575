"""Which words ask to remember something, to find it again, to write a note or to read the notes; and the stretch that is to be kept. Pure tables.

    asked(text, locale)  ->  Wanted(capability, words)      words: as they were said; "" where nothing was said to be kept

Read on the words as they were written, so that names keep their capitals. "Remember to …" and times are a reminder's, not ours. Does not know what is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.slots.text import language
from ridealong.harness.tagged import without_our_name

REMEMBER: Final = "memory.remember"
WHERE: Final = "memory.where"
FORGET: Final = "memory.forget"
TAKE: Final = "note.take"
READ: Final = "note.read"


@dataclass(frozen=True, slots=True)
class Wanted:
    capability: str
    words: str = ""


_I: Final = re.IGNORECASE
_LEAD_EN: Final = (
    r"^\W*(?:(?:hey |hi |ok |okay )?(?:ride ?along|jarvis)\W+)?(?:(?:please|no(?=,)|nope(?=,)|sorry(?=,)|wait(?=,)|actually|then|now|um+|uh+|er+|well|okay|ok|so|right|hey|oh|and|also|can you|could you|would you|will you|i want you to|"
    r"i(?: wa|')nt you to|i need you to|i'd like you to|help me|let me|just)\b[\s,]*)*"
)
_END_EN: Final = re.compile(r"(?:[\s,]+(?:please|for me|thanks|thank you|okay|ok|mate|would you|will you|now))*\W*$", _I)
_STATES: Final = (
    r"\b(?:is|are|am|was|were|'s|'re|'m|has|have|had|'ve|left|leaving|put|putting|parked|lent|hid|kept|hangs|lives|belongs|popped|stuck|tucked|stored|placed|locked|dropped|"
    r"gave|hung|stashed|keep|keeps)\b|'s\b"
)
"""A statement about something."""
_HERE: Final = r"(?:this|that|the|my|our)\s+(?:exact\s+)?(?:parking\s+)?(?:spot|place|location|position|space|corner|shop|store|street|face|man|woman|person|bottle|door|box|one|label|page|sign|code|number|building)"
_REMEMBER_EN: Final = re.compile(
    _LEAD_EN + r"(?:remember(?: for me)?|memori[sz]e|(?:don['’]?t|do not) forget|bear in mind|keep in mind|store in your memory|keep track of|hold on to this for me|make a mental note(?: of| that)?)"
    r"[\s,:]+(?:that\s+(?!(?:one|spot|place|shop|face|day|time|night|song)\b)|the fact that\s+)?(?P<what>.+)$", _I | re.DOTALL
)  # fmt: skip
_REMEMBER_LAST_EN: Final = re.compile(
    _LEAD_EN
    + r"(?P<what>.{6,}?)[\s,.;]+(?:please\s+)?(?:remember(?:\s+(?:that|it|this|him|her|them|his face|her face|who this is))?|(?:keep|bear) (?:that|it|this) in mind)$",
    _I | re.DOTALL,
)
_SAVE_EN: Final = re.compile(
    _LEAD_EN + rf"(?:save|log|mark|store|keep)\s+(?P<what>(?:where (?:i am|i'm|we are|we're|i(?:'ve)? parked|we(?:'ve)? parked)(?: right now| now)?|{_HERE})(?:\s+as\s+.+)?)$", _I
)  # fmt: skip
_THIS_IS_EN: Final = re.compile(rf"(?:{_HERE}|(?:this|that|what (?:this|that) looks like)$|where\b|who\b|which\b)", _I)
_NOT_KEPT_EN: Final = re.compile(
    r"(?:to\b|when\b|the (?:day|time|night|old days)\b|me\b|us\b|you\b|how\b|why\b|what (?:you|i|we|he|she|they)\b|if\b|last\b|it\b$|that\b$|them\b$|him\b$|her\b$|anything\b|nothing\b|everything\b)", _I
)  # fmt: skip
_ASKS_EN: Final = re.compile(_LEAD_EN + r"(?:do|does|did|can|will|would) (?:you|i|we|he|she|they)\b", _I)

_NOTE_WORD: Final = r"(?:notes?|memo)"
_TAKE_EN: Final = re.compile(
    _LEAD_EN + r"(?:"
    rf"(?:take|make|jot|save|start|record|dictate|log|leave|write|keep|create)\s+(?:me\s+)?(?:down\s+)?(?:a|another|one)\s+(?:quick\s+|new\s+|short\s+|mental\s+(?!note of))?{_NOTE_WORD}(?:\s+down)?(?:\s+(?:that|saying|about|of|for myself|to self|to myself))?|"
    r"(?:(?:jot|write|note|scribble)\s+(?:(?:this|that|it)\s+)?down|take\s+this\s+down)(?:\s+(?:in my notes|for me|that))?(?:\s+that)?|(?:jot|write|note)\s+(?:this|that)\s+(?:in|to)\s+my notes|"
    r"(?:put|add|write|pop|save)\s+(?:(?:this|that|it)\s+)?(?:down\s+)?(?:in|to|into)\s+my\s+notes(?:\s+that)?|note\s+to\s+(?:self|myself)|note\s+that|new\s+note|memo|scribble\s+this|note(?=[:,])"
    r")(?P<what>[\s,:].*)?$", _I | re.DOTALL
)  # fmt: skip
_TAKE_LAST_EN: Final = re.compile(
    _LEAD_EN
    + r"(?P<what>.{4,}?)[\s,.;]+(?:and\s+)?(?:please\s+)?(?:(?:can|could|would) you\s+)?(?:(?:write|jot|note|take)\s+(?:that|it|this)\s+down|(?:make|keep) a (?:note|record)(?:\s+of\s+(?:it|that|this))?|note\s+(?:that|it)|"
    r"(?:put|write|save)\s+(?:that|it|this)\s+(?:in|to|into)\s+(?:my|the)\s+notes|log\s+(?:that|it))$",
    _I | re.DOTALL,
)
_IDEA_EN: Final = re.compile(
    r"^\W*(?:(?:i've|i have|i) (?:just )?(?:got|had) an idea|before i (?:forget|lose it)|hang on|wait)[\s,]+(?:take|write|jot|note|get)\s+(?:it|this|that)\s+(?:down|in writing)[\s,:]+(?P<what>.+)$",
    _I | re.DOTALL,
)
"""Whatever else such a sentence asks for is what is to be written down."""
_NEGATED_END_EN: Final = re.compile(r"(?:n't|\bnot|\bnever|\bno need to|\bto|\b(?:i|we|you|he|she|they))\s*$", _I)
_READ_EN: Final = re.compile(
    _LEAD_EN + r"(?:"
    r"(?:read|play|show|tell|give|list|open|go over|go through|let me hear|let me see|find|check)\b(?:\s+(?:me|us|out|back|over|up))*\s+(?:all\s+)?(?:of\s+)?(?:my|the|our)\s+(?:(?:last|latest|newest|recent)\s+)?(?:notes?|memos?)\b.*|"
    r"what(?:'s| is| are| was| were|s)?\s+(?:in\s+)?(?:my|the last|the latest|my last|my latest|that)\s+(?:notes?|memos?)\b.*|(?:what|which)\s+(?:notes|memos)\s+(?:have|do|did)\s+i\b.*|any notes\b.*|"
    r"what (?:did|have) i (?:just )?(?:note|noted|jot|jotted|write|written)(?: down)?\b.*|what i (?:jotted|noted|wrote) down"
    r")$", _I
)  # fmt: skip

_PUT: Final = r"(?:leave|left|put|park(?:ed)?|set down|hid(?:e|den)?|stash(?:ed)?|place[d]?|store[d]?|drop(?:ped)?|keep|kept|lay|laid|stow(?:ed)?|pack(?:ed)?|lock(?:ed)?)"
_OBJECTS: Final = (
    r"(?:car|keys?|wallet|purse|bag|handbag|backpack|remote(?: control)?|umbrella|(?:sun|reading )?glasses|phone|(?:phone )?charger|passport|tickets?|bike|bicycle|tent|scissors|"
    r"torch|headphones|earphones|earbuds|suitcase|hat|scarf|gloves|jacket|coat|laptop|tablet|tablets|pills|medicine|receipts?|lead|drill|screwdriver|present|file|ring|watch|van|truck|motorbike|scooter)"
)  # fmt: skip
_THING: Final = r"(?P<thing>(?:[\w'’&-]+\s){0,4}?[\w'’&-]+)"  # noqa: RUF001
_AFTER: Final = r"(?:\s+(?:parked|at|now|again|kept|locked up|gone|then|today|yesterday|last|down|away|please|mate))*"
_KNOWS: Final = r"(?:do you (?:remember|know|recall)|can you (?:remember|recall|tell me|say)|tell me|remind me|any idea|i(?:'ve| have)? (?:forgot|forgotten)|i (?:don't|can't|do not) (?:remember|know))\s+"
_WHERE_EN: Final = tuple(
    re.compile(_LEAD_EN + one + r"\W*$", _I)
    for one in (
        rf"(?:{_KNOWS})?where(?:abouts)?\s*(?:have|had|did|'d|'ve)\s+(?:i|we)\s+(?:last\s+)?{_PUT}\s+{_THING}{_AFTER}",
        rf"(?:{_KNOWS})?where(?:abouts)?\s+(?:i|we)(?:'ve| have)?\s+{_PUT}\s+{_THING}{_AFTER}",
        rf"where\s+did\s+(?:i|we)\s+last\s+see\s+{_THING}",
        rf"(?:{_KNOWS})where\s+(?:my|our)\s+{_THING}\s+(?:is|are|was|were){_AFTER}",
        rf"(?:{_KNOWS})where\s+the\s+(?P<thing>(?:[\w-]+\s)?{_OBJECTS})\s+(?:is|are|was|were){_AFTER}",
        rf"where(?:'s|\s+is|\s+are|'re|\s+was|\s+were)\s+(?:my|our)\s+(?:[\w-]+\s+)?(?P<thing>(?:[\w-]+\s)?{_OBJECTS}){_AFTER}",
        rf"where(?:'s|\s+is|\s+are|'re)\s+the\s+(?P<thing>(?:[\w-]+\s)?{_OBJECTS})(?:\s+(?:parked|kept|locked up))?",
        rf"(?:have you seen|i can't find|i cannot find|i've lost|i have lost|i lost|i've misplaced|find|help me find)\s+my\s+(?P<thing>(?:[\w-]+\s)?{_OBJECTS})(?:\s+again)?(?:,?\s+where (?:is|are) (?:it|they))?",
        rf"what (?:did|have) i (?:do|done) with (?:my|the)\s+{_THING}",
        rf"who did (?:i|we) (?:lend|give)\s+(?:my|the)\s+{_THING}\s+to",
        r"(?:what|which)(?:'s| is| was)\s+my\s+(?P<thing>(?:locker|seat|room|parking|bay|gate|shelf)(?:\s+(?:number|spot|space|bay))?)(?:\s+again)?",
    )
)  # fmt: skip
_PARKED_EN: Final = re.compile(
    _LEAD_EN + rf"(?:{_KNOWS})?(?:where(?:abouts)?\s*(?:have|had|did|'d)\s+(?:i|we)\s+park(?:ed)?|where\s+(?:i|we)(?:'ve| have)?\s+parked|(?:which|what)\s+(?:level|floor|row|bay|street|deck|zone)\s+(?:did|have)\s+(?:i|we)\s+park(?:ed)?(?:\s+(?:on|in|at))?)\W*$", _I
)  # fmt: skip
_FORGET_EN: Final = re.compile(
    _LEAD_EN + r"(?:(?:you|we) (?:can|could|may) (?:now )?)?(?:forget|erase|delete|remove|clear|wipe)\s+(?:"
    r"(?P<all>everything|all)(?:\s+(?:that\s+)?(?:i(?:'ve| have)?\s+told\s+you|you\s+(?:remember|know|noted)|(?:of\s+)?(?:(?:my|the|these|those)\s+)?(?:notes|memories)))?|"
    r"(?P<mine>(?:my|the)\s+notes)|"
    r"(?P<note>my\s+(?:last|latest|newest)\s+note|the\s+(?:last|latest|newest)\s+note|that\s+note)|"
    r"(?:where|(?:what|everything) i (?:told|said to) you about|what i said about|the note about|my note about)\s+(?:i\s+(?:put|left|parked)\s+)?(?:my\s+|the\s+)?(?P<thing>[\w' -]+?)(?:\s+(?:is|are|was|were))?"
    r")\W*$", _I
)  # fmt: skip

_LEAD_ZH: Final = (
    r"^[\s，。,]*(?:小助手[，,\s]*)?(?:请|麻烦(?:你|您)?|帮我|帮忙|给我|替我|你|您|嗯|那|呐|好|再|能不能|可以)*[\s，,]*"
)
_END_ZH: Final = re.compile(r"[\s，。！!,.]*(?:谢谢|好吗|可以吗|行吗|吧|啦|啊|哦|了哦)?[\s，。！!,.?？]*$")
_SAYS_ZH: Final = r"(?:放|停|搁|塞|夹|锁|存|藏|落|挂|收|在|是|借|租|号|喺)"
_REMEMBER_ZH: Final = re.compile(
    _LEAD_ZH + r"(?:记住|记着|记牢|记低|remember|(?:你)?(?:帮我|替我)?记得(?=.*(?:放|停|搁|落|在)))[，,：:\s]*(?P<what>.+)$", _I
)
_REMEMBER_LAST_ZH: Final = re.compile(
    rf"^(?P<what>.*{_SAYS_ZH}.+?)[\s，,。]*(?:请|你|您|帮我|替我|给我)*(?<![不没])(?:记住|记着|记一下|记好|记牢|记得)(?:了|它|点|我)?$"
)
_PLACE_ZH: Final = re.compile(
    _LEAD_ZH
    + r"(?:把|save(?:一下)?|存一下|保存(?:一下)?)(?P<what>(?:这个|现在的?|我(?:们)?停车的?|我车停的?|这)?(?:位置|地方|地点|停车位|车位|路口))(?:记(?:住|下来|一下|下)|存(?:下来|一下))?.{0,8}$"
)
_NOT_KEPT_ZH: Final = re.compile(
    r"^(?:教训|我的?话|我说的|要|得|去|明天|后天|别|不要|了|没|没有|吗|什么|它|这个教训|历史)|[吗？?]$|要是|如果|讲，|哪|什么|怎么|多少"
)
_TAKE_ZH: Final = re.compile(
    _LEAD_ZH + r"(?:随手|快)?(?:记(?:一下|下来|下|录一下|录下来|录|个笔记|笔记|个事儿?|一笔|个备忘|个便签|条笔记|个?note)(?:啦)?|做个?(?:备忘|笔记)|写(?:个笔记|个备忘|个便签|下来)|note(?:一下| to self)|"
    r"(?:备忘录?|笔记)(?:里)?(?:加|添)(?:一)?条|新建(?:一条|一个)?(?:笔记|备忘)|录个(?:备忘|笔记)|速记|备忘(?=[\s，,：:])|笔记(?=[\s，,：:]))(?:这句话)?[，,：:\s]*(?P<what>.*)$", _I
)  # fmt: skip
_TAKE_LAST_ZH: Final = re.compile(_LEAD_ZH + r"把(?:这句话|这个|下面的?话?)?(?:记|写)下来[，,：:\s]*(?P<what>.*)$")
_READ_ZH: Final = re.compile(
    _LEAD_ZH + r"(?:(?:把|打开|读|念|看看?|翻翻?|听听?|查)(?:一下|下|读|念)?(?:我|俺)?(?:的|刚才|刚刚|昨天|之前|上次)*(?:的|记的|写的)*(?:笔记|备忘录?|便签|note)(?:里.*|.{0,10})|把?我(?:刚才|刚刚|昨天|之前|早上)?记的.{0,4}(?:念|读).{0,6}|"
    r"我(?:刚才|刚刚|昨天|之前|早上|今天)?(?:都)?(?:记|让你记)(?:了|的)(?:那个)?(?:些)?(?:是)?(?:什么|啥)(?:来着)?|(?:我的?)?(?:最近|最后|上次|上一条?|刚才)?(?:一条)?(?:的)?(?:笔记|备忘录?|便签)(?:里)?(?:都)?(?:有|写|是|记)(?:了|的)?(?:什么|啥|哪些).{0,3})$", _I
)  # fmt: skip
_OBJECTS_ZH: Final = r"(?:车钥匙|钥匙|车|钱包|手机|眼镜|雨伞|伞|护照|遥控器|身份证|耳机|充电器|药|包|书包|行李|帽子|围巾|戒指|自行车|单车|户口本|发票|帐篷|猫粮|U盘|存折|登机箱|行李箱)"
_AT_ZH: Final = r"(?:在|到|喺|去)?(?:了|咗)?(?:哪(?:里|儿|个.{1,3}|边|去|层|一层)?|边度|几楼|几层|几号|什么(?:地方|位置|楼层))(?:了|去了|来着|呢|啊|啦|里面?)*"
_WHERE_ZH: Final = tuple(
    re.compile(r"^[\s，,]*(?:完了[，,\s]*|帮我(?:想想|找找)|请问|你?还?记得|我?忘了|找不(?:着|到).{1,8}?了[，,\s]*)*" + one + r"(?:你还记得吗|你记得吗|来着|呀|啊|呢)?[\s。？?！!]*$", _I)
    for one in (
        rf"(?:我们?|咱们?|我老婆|我老公)?(?:之前|上次|刚才|刚刚)?(?:我?说|我让你记)?(?:把|的)?(?P<thing>[^哪怎谁几在放停搁藏塞你您帮讲说，,]{{1,10}}?)(?:我|被我|我们)?(?:之前|到底|给)?(?:放|停|藏|塞|夹|锁|落|收|存|泊){_AT_ZH}",
        rf"(?=.*(?:我|把))(?P<thing>[^哪怎谁几在放停搁藏塞你您帮讲说，,]{{1,10}}?)(?:我|被我)?(?:之前|给)?搁{_AT_ZH}",
        rf"(?:我的?|我们的?)?(?P<thing>{_OBJECTS_ZH})呢?[，,\s]*在{_AT_ZH}",
        rf"我(?:们)?(?:的|家)(?P<thing>[^哪怎谁几在]{{1,8}}?)在{_AT_ZH}",
    )
)  # fmt: skip
_PARKED_ZH: Final = re.compile(
    rf"^[\s，,]*(?:我们?|咱们?)?(?:把)?(?:车)?(?:停|泊)(?:车)?(?:的)?(?:地方|位置)?{_AT_ZH}[\s。？?！!]*$|^我让你记的停车位是几号[？?]?$"
)
_FORGET_ZH: Final = re.compile(
    _LEAD_ZH + r"(?:(?P<gone>[^,，。的]{1,8}?)(?:那)?(?:的|那)?(?:个|件)?(?:事儿?|事情)?(?:就)?(?:不用|不必|别|甭)(?:再)?(?:记|记着|记住)了?[,，]?(?:可以)?(?:忘了|忘掉|删了|删掉)?吧?|(?:忘掉|忘了|删掉|删除|清除|清空)(?:(?P<all>所有的?(?:笔记|记录|东西)?|(?:你)?记住的(?:一切|所有(?:东西)?)|全部(?:笔记)?)|(?P<note>(?:刚才|最后|上)(?:的)?(?:那|一)?条?(?:笔记|备忘))|(?:关于)?(?P<thing>[^的所全]{1,8}?)(?:放)?在哪(?:里|儿)?(?:的事)?))[\s。！!]*$"
)  # fmt: skip


def asked(text: str, locale: str) -> Wanted | None:
    """What these words ask of the memory or the notes; None: nothing."""
    text = without_our_name(text)[1]
    raw = text.strip()
    return _asked_zh(raw) if language(text, locale) == "zh" else _asked_en(raw.replace("’", "'"))  # noqa: RUF001


def everything(words: str) -> bool:
    """Of what FORGET names: all of it."""
    return words == "*"


def _asked_en(raw: str) -> Wanted | None:
    raw = _END_EN.sub("", raw)
    if (found := _FORGET_EN.match(raw)) is not None:
        return Wanted(FORGET, "*" if found["all"] or found["mine"] else "" if found["note"] else found["thing"].strip())
    if _READ_EN.match(raw) is not None:
        return Wanted(READ)
    if _PARKED_EN.match(raw) is not None:
        return Wanted(WHERE, "car")
    for pattern in _WHERE_EN:
        if (found := pattern.match(raw)) is not None:
            return Wanted(WHERE, _bare_en(found["thing"]))
    if (found := _TAKE_EN.match(raw)) is not None:
        return Wanted(TAKE, _END_EN.sub("", (found["what"] or "").strip(" ,:.")))
    for pattern in (_IDEA_EN, _TAKE_LAST_EN):
        if (found := pattern.match(raw)) is not None and not raw.endswith("?") and not _NEGATED_END_EN.search(found["what"]):
            return Wanted(TAKE, found["what"].strip(" ,:."))
    if (found := _SAVE_EN.match(raw)) is not None:
        return Wanted(REMEMBER, found["what"].strip())
    if _ASKS_EN.match(raw) is None and (found := _REMEMBER_EN.match(raw)) is not None and not _NOT_KEPT_EN.match(found["what"]):
        what = found["what"].strip(" ,:.")
        if '"' not in what and (_THIS_IS_EN.match(what) or re.search(_STATES, what, _I)):
            return Wanted(REMEMBER, what)
    if (found := _REMEMBER_LAST_EN.match(raw)) is not None and not raw.endswith("?"):
        what = found["what"].strip(" ,:.")
        if re.search(_STATES, what, _I) and not re.search(
            r"\b(?:i|we|you|he|she|they|don't|can't|cannot|to|always|never|not)$", what, _I
        ):
            return Wanted(REMEMBER, what)
    return None


def _bare_en(thing: str) -> str:
    thing = re.sub(r"^(?:my|our|the|a|an|that|this|your)\s+", "", thing.strip(), flags=_I)
    return re.sub(rf"{_AFTER}$", "", thing, flags=_I).strip() or thing


def _asked_zh(raw: str) -> Wanted | None:
    raw = _END_ZH.sub("", raw) if not re.search(r"[?？]\s*$", raw) else raw
    if (found := _FORGET_ZH.match(raw)) is not None:
        return Wanted(FORGET, "*" if found["all"] else "" if found["note"] else (found["gone"] or found["thing"]).strip())
    if _READ_ZH.match(raw.rstrip("?？")) is not None:
        return Wanted(READ)
    if _PARKED_ZH.match(raw) is not None:
        return Wanted(WHERE, "车")
    for pattern in _WHERE_ZH:
        if (found := pattern.match(raw)) is not None:
            return Wanted(
                WHERE,
                re.sub(r"^(?:上[回次趟]|前[两几]天|昨[天晚]|早上|我们?的?|把|将|那本|那把)+", "", found["thing"].strip(" ，,"))
                or found["thing"],
            )
    for pattern in (_PLACE_ZH, _REMEMBER_ZH, _REMEMBER_LAST_ZH):
        if (found := pattern.match(raw)) is not None and not _NOT_KEPT_ZH.search(found["what"].strip()):
            return Wanted(REMEMBER, found["what"].strip(" ，,。"))
    for pattern in (_TAKE_LAST_ZH, _TAKE_ZH):
        if (found := pattern.match(raw)) is not None:
            return Wanted(TAKE, found["what"].strip(" ，,：:。"))
    return None
