"""Which words about what is seen ask for which skill: to read it out, whole or the gist of it, to translate it, to scan a code, to describe the scene. Pure tables.

    asked(text, locale)  ->  Sight(capability, how, language)

What is about something seen, and none of these, is a question to a model (seeing.ask). Past tense is recall's. Does not know pictures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ridealong.harness.attached import speaks_of_sent
from ridealong.harness.framing import frame

READ: Final = "seeing.read"
TRANSLATE: Final = "seeing.translate"
SCAN: Final = "seeing.scan_code"
DESCRIBE: Final = "seeing.describe"
WHOLE: Final = "whole"
GIST: Final = "gist"
OTHER: Final = "?"
"""A language that nothing is translated into."""


@dataclass(frozen=True, slots=True)
class Sight:
    """`how`: of READ. `language`: into which (TRANSLATE), "" where it was not said; `named`: the words for it."""

    capability: str
    how: str = ""
    language: str = ""
    named: str = ""


LANGUAGES: Final = {
    "english": "en", "chinese": "zh", "mandarin": "zh", "french": "fr", "german": "de", "spanish": "es", "italian": "it", "japanese": "ja", "korean": "ko", "russian": "ru", "portuguese": "pt",
    "英文": "en", "英语": "en", "中文": "zh", "汉语": "zh", "普通话": "zh", "国语": "zh", "法文": "fr", "法语": "fr", "德文": "de", "德语": "de", "西班牙文": "es", "西班牙语": "es", "意大利文": "it",
    "意大利语": "it", "日文": "ja", "日语": "ja", "韩文": "ko", "韩语": "ko", "俄文": "ru", "俄语": "ru", "葡萄牙文": "pt", "葡萄牙语": "pt",
}  # fmt: skip
_LANG: Final = r"(?:plain )?(?:english|chinese|mandarin|french|german|spanish|italian|japanese|korean|russian|portuguese)"
_ANY_LANG: Final = rf"(?:{_LANG}|hindi|polish|arabic|tamil|dutch|swedish|norwegian|danish|finnish|greek|turkish|thai|vietnamese|cantonese|hebrew|czech|hungarian|romanian|ukrainian|urdu|bengali|punjabi|welsh|irish|latin|swahili|indonesian|malay)"
_LANG_ZH: Final = "(?:" + "|".join(word for word in LANGUAGES if not word.isascii()) + ")"
_ANY_LANG_ZH: Final = (
    rf"(?:{_LANG_ZH}|泰文|泰语|越南文|越南语|阿拉伯文|阿拉伯语|荷兰语|波兰语|土耳其语|印地语|粤语|广东话|拉丁文)"
)

WRITTEN: Final = (
    r"(?:sign|signs|billboard|signpost|board|notice|poster|label|placard|banner|menu|writing|screen|sticker|leaflet|receipt|ticket|inscription|plaque|plate|text|page|note|letter|"
    r"warning|handwriting|article|ingredients|instructions|headline|timetable|document|form|contract|bill|flyer|brochure|packaging|packet|newspaper|paper|small print|fine print|"
    r"characters|card|tin|wall|door|shirt|contents|paragraph)"
)
_THERE: Final = (
    r"(?: (?:right |just |straight |up |out |over |down )?(?:here|there|ahead|in front(?: of (?:me|us|you))?|on (?:the|my|our|that|this) [\w-]+(?: [\w-]+)?|at the [\w-]+ [\w-]+|of (?:the|that|this) [\w-]+|"
    r"to (?:the|my|our) (?:left|right)|across the (?:road|street|river)|(?:with|next to|behind|beside) the (?:[\w-]+ ){0,2}[\w-]+))?"
)
_POINTED: Final = r"(?:this|that|these|those)"
_OBJECT: Final = (
    rf"(?:(?:{_POINTED}|the) (?:whole |full )?(?:[\w-]+ ){{0,2}}?{WRITTEN}{_THERE}{_THERE}|{_POINTED}(?: one)?{_THERE}|what (?:i am|we are) (?:looking at|seeing)|"
    rf"what (?:is|it says) (?:written |printed )?(?:on|over) (?:the|that|this) (?:[\w-]+ ){{0,2}}?[\w-]+|the (?:text|words|writing) (?:in front of (?:me|us)|there|here))"
)  # fmt: skip
_FOR: Final = r"(?: (?:to|for) (?:me|us|my [a-z]+))?"
_OUT: Final = r"(?: (?:out|aloud|loud|out loud|word for word|every (?:single )?word(?: of (?:it|that|this))?|in full|from (?:top|start|beginning) to (?:bottom|finish|end)))*"
_TRANSLATE_EN: Final = tuple(
    re.compile(one)
    for one in (
        rf"(?:translate|trans late) (?:me |us )?{_OBJECT}{_FOR}(?: (?:in|into|to) {_ANY_LANG})?{_FOR}",
        rf"(?:convert|turn|put|render|do) {_OBJECT}{_FOR} (?:in|into|to) {_ANY_LANG}{_FOR}",
        rf"what (?:do|does) {_OBJECT} (?:say|mean|read) in {_ANY_LANG}",
        rf"what is {_POINTED}(?: (?:[\w-]+ ){{0,1}}{WRITTEN})? in {_ANY_LANG}",
        rf"what are (?:these|those) {_ANY_LANG} {WRITTEN} in {_ANY_LANG}",
        rf"(?:what does|tell me what|what do) (?:the|this|that|these) {_ANY_LANG} {WRITTEN} (?:says?|means?)(?: in {_ANY_LANG})?",
        rf"tell me in {_ANY_LANG} what is (?:written )?on (?:the|that|this) (?:[\w-]+ )?{WRITTEN}",
        rf"(?:give me|i need) the {_ANY_LANG} (?:for|of) {_OBJECT}|i need {_OBJECT} in {_ANY_LANG}|how would {_OBJECT} read in {_ANY_LANG}",
        rf"{_ANY_LANG} (?:please )?for {_OBJECT}|(?:in|into) {_ANY_LANG} (?:please )?{_OBJECT}|(?:{_POINTED} is|it is) in {_ANY_LANG} what does it say(?: in {_ANY_LANG})?",
        rf"i can not read {_ANY_LANG} translate {_POINTED}",
    )
)  # fmt: skip
_LINE: Final = r"(?:the|that|this) (?:(?:very )?(?:top|bottom|first|second|third|fourth|last|next|middle|upper|lower|small|big|bold|red) )+(?:lines?|rows?|paragraphs?|words?|print|letters)"
_READ_EN: Final = tuple(
    re.compile(one)
    for one in (
        rf"(?:read|speak)(?: me| us)?(?: out| aloud)? {_OBJECT}{_FOR}{_OUT}{_FOR}|read out(?: loud)? {_OBJECT}{_FOR}|read it out {_OBJECT}",
        rf"what (?:do|does|is it|is|are) (?:(?:{_POINTED}|the) (?:[\w-]+ ){{0,2}}?{WRITTEN}{_THERE}|{_POINTED}) (?:say|read){_THERE}(?: now)?|what is it say on the {WRITTEN}",
        rf"what (?:is|are|is the writing|are the words) (?:written |printed )?(?:on|over) (?:that|this|the) (?:[\w-]+ ){{0,2}}?(?:{WRITTEN}|box|bottle|packet){_THERE}(?: say)?|what is the writing on (?:the|that|this) [\w-]+ say",
        rf"what is (?:printed|written) (?:on|over) (?:the|that|this) (?:[\w-]+ ){{0,2}}[\w-]+|what (?:is|does) (?:it|that|this) (?:written|say) on (?:the|that|this) {WRITTEN}",
        rf"(?:tell me|say|read me|read out) what (?:is on (?:the|that|this) (?:[\w-]+ )?{WRITTEN}|(?:the|{_POINTED}) (?:[\w-]+ ){{0,2}}{WRITTEN} says?|it says on (?:the|that|this) (?:[\w-]+ )?{WRITTEN}){_THERE}",
        rf"(?:read|speak)(?: me| us| out)? {_LINE}(?: (?:of|on) (?:{_POINTED}|the) (?:[\w-]+ ){{0,2}}?{WRITTEN})?{_FOR}{_OUT}|what (?:does|do) {_LINE}(?: (?:of|on) (?:{_POINTED}|the) (?:[\w-]+ ){{0,2}}?{WRITTEN})? (?:say|read)|i have not got my glasses read {_OBJECT}{_FOR}|(?:can you )?make out {_OBJECT} and read it|give me the full text of {_OBJECT}|read (?:me )?the (?:number|first line|last line|name) on (?:this|that|the) [\w-]+",
    )
)  # fmt: skip
_GIST_WORDS: Final = (
    r"(?:gist|bottom line|short version|main points?|key (?:message|points?)|upshot|highlights|long and short|summary|quick summary|summari[sz]e|sum up|condense|boil|brief me|in short|in a nutshell|"
    r"tl ?dr|roughly|basically|is this [\w-]+ about|is that [\w-]+ about)"
)
_GIST_EN: Final = re.compile(
    rf"(?=.*\b{_GIST_WORDS}\b)(?=.*\b(?:(?:{_POINTED}|the) (?:[\w-]+ ){{0,1}}{WRITTEN}\b|{_POINTED}$|what i am looking at|does this say|for me$)).{{6,90}}"
)
_GIST_SHAPES_EN: Final = re.compile(
    rf"(?:what is|give me|just|tell me)?(?: (?:a|the))? ?(?:quick )?(?:gist|bottom line|short version|main points?|key (?:message|points?)|upshot|highlights|long and short|summary|tl ?dr) (?:of|from|in) (?:{_OBJECT})(?: please)?|"
    rf"(?:summari[sz]e|sum up|condense|brief me on|boil) {_OBJECT}(?: down)?{_FOR}(?: (?:in|into) (?:a|one|two) [\w-]+)?|(?:in short|in a nutshell|roughly) what (?:does|is|do) (?:in )?(?:{_POINTED}|the)(?: (?:[\w-]+ )?{WRITTEN})?(?: say)?|"
    rf"what is {_POINTED} (?:[\w-]+ )?{WRITTEN} (?:about|basically saying)|do not read it all just tell me what it (?:wants|says)|what do they want from me in {_POINTED} {WRITTEN}|can you condense {_OBJECT} (?:in|into|to) .+"
)  # fmt: skip
_NOT_ALL_EN: Final = re.compile(
    r"(?:\bno )?\b(?:do not|not|no need to|without|rather than|instead of)(?: (?:read|reading|say|give|me|out))* (?:the whole|all of|every|it all|everything|the full|the entire)(?: (?:thing|lot|letter|page|text|article|sign|notice|document|it|this|that|word|line|out|of))*\b"
)
_MAIN_EN: Final = (
    r"(?:gist|bottom line|short version|main points?|key points?|main (?:idea|message)|essentials|upshot|highlights|summary)"
)
_ABOUT_EN: Final = r"(?:just |only |simply )*(?:roughly |basically |broadly |mainly |just )*what (?:it|that|this) is (?:roughly |basically |broadly |mainly |all )*about"
_ONLY_MAIN_EN: Final = re.compile(
    rf"(?:(?:no|so|and|please|can i have|i only want|i just want|i only need|give me|tell me|read me|read(?: out)?|only|just) ?)*(?:the|a) (?:quick )?{_MAIN_EN}(?: (?:of|from|in) (?P<what>{_OBJECT}))?(?: (?:only|please|is enough|will do|is fine|thanks|for me))*|{_ABOUT_EN}"
)
"""Only the gist of it: of something that is seen, or in place of the whole."""
_NOT_ALL_ZH: Final = re.compile(
    r"(?:不用|别|不要|甭|不必)(?:给我)?(?:全部?|从头|都|整[篇封张个页]|逐字|一字一句地?)*(?:念|读)(?:到尾|完|了|全|下去|出来|全文)*,?"
)
_ONLY_MAIN_ZH: Final = re.compile(
    r"(?:你|就|只|光|给我|请|帮我)*(?:要|说|讲|念|读|挑|告诉我)(?:个|一下|说|出)?(?P<main>大意|重点|要点|主要(?:内容|意思)|梗概|大概意思?)(?:的)?(?:说|讲|念|读)?(?:就(?:好|行|可以|够)了?|吧|得了)?"
)
_CODE: Final = r"(?:qr(?: codes?)?|q r(?: codes?)?|bar ?codes?|qr code|cue are code|data ?matrix)"
_SCAN_EN: Final = re.compile(
    rf"(?:(?:scan|decode|read|check|capture|use|open|look at|have a look at|pull up|see|try|get the link from|tell me|find out)\b(?: (?:me|us|what is (?:in|on|behind)|whatever|what))?(?: {_POINTED}| the| a)?(?: [\w-]+){{0,2}}? {_CODE}(?: (?:is|says|code))?"
    rf"(?: (?:on|in|at|here|there|over there|for me|and tell me what it is|and tell me what it says|please|below|above)(?: (?:the|this|that|my) [\w-]+(?: [\w-]+)?)?)*|"
    rf"what (?:is|does) (?:in |on |behind )?(?:{_POINTED}|the) {_CODE}(?: (?:say|link to|mean|for|contain|do|point to))?|what product is {_POINTED} {_CODE}|where does (?:that|this|the) {_CODE} (?:take|lead|go)(?: me| us| to)?|bar ?code scan|qr scan|"
    rf"scan (?:{_POINTED}|it|the code|(?:that|this) code|that square thing(?: on the [\w-]+)?)(?: for me)?|decode (?:this|that|the) code(?: for me)?|(?:read|check|see what) (?:this|that|the) code(?: is for)?)"
)  # fmt: skip
_DESCRIBE_EN: Final = re.compile(
    r"(?:describe|explain|talk me through|paint me a picture of|give me (?:a description|an overview) of|tell me about) (?:what (?:you are seeing|you (?:can )?see|i am (?:looking at|seeing)|we (?:can )?see|is (?:in (?:view|front of (?:me|us|you)|the (?:picture|camera))|around (?:me|us)))|"
    r"(?:the|this|that|my|our) (?:scene|view|surroundings|room|picture|photo|place|street|landscape|situation)|everything you (?:can )?see)(?: (?:for me|to me|here|now|please|in front of (?:me|us)))*|"
    r"(?:what|tell me what) (?:can|do) you see(?: (?:right now|now|here|there|in front of (?:me|us|you)|ahead|around (?:me|us)))?|tell me what you (?:can )?see(?: (?:now|here))?|what is (?:around|going on around) (?:me|us)|tell me what is (?:going on here|around (?:me|us))|"
    r"what is happening in front of (?:me|us)|what does it look like here|how does this (?:room|place|street) look|what is the view like|look around and tell me what is there|what is (?:it like )?in view"
)  # fmt: skip

_OBJECT_ZH: Final = (
    r"(?:(?:前面|旁边|左边|右边|上面|眼前|对面|路边|墙上|门上|瓶子上|包装上|车站|电梯里)的?)?(?:(?:这|那)(?:里|边|上面?|行|些|个|块|张|份|页|段|篇|本|封|条|面)*)?(?:一)?(?:[^怎什谁我你他她翻译念读是]{0,4}的)?(?:英|日|韩|法|德|俄|中)?(?:文|语)?的?"
    r"(?:牌子?|标志|标牌|路牌|路标|招牌|指示牌|警告牌|告示牌?|广告牌?|海报|屏幕|标签|菜单|菜名|字|通知单?|公告|说明书?|图标|符号|横幅|票|信|传单|表格|报纸|名片|账单|配料表|药盒|药瓶|包装|站牌|黑板|文章|合同|文件|句话|一段|一页|罚单)?"
)
_TRANSLATE_ZH: Final = tuple(
    re.compile(one)
    for one in (
        rf"(?=.*[这那我菜标说牌字页眼看路包通])(?:看不懂)?(?:给我|帮我|请|把|将)*(?:{_OBJECT_ZH}|我看到的|眼前的字|这上面的.{{1,4}})(?:上)?(?:写)?(?:的|什么)?(?:字|说明|话)?(?:用|给我|帮我)?(?:翻译|翻|译)(?:翻译|一下|下)?(?:成|为|到)?(?:{_ANY_LANG_ZH})?(?:给.{{1,3}}听?|一下|呗|吧|出来)?",
        rf"(?:翻译|翻|translate)(?:一下|翻译|下)?(?:{_OBJECT_ZH}|我看到的)(?:上的?)?(?:说明|字|那句话)?(?:成|为)?(?:{_ANY_LANG_ZH})?(?:给我听?|吧)?",
        r"(?:看不懂|我看不懂)?(?:翻译|翻)一下",
        rf"(?:这|那)(?:个|行|句|上面|些|段)*写?的?(?:{_ANY_LANG_ZH})(?:的)?(?:{_OBJECT_ZH})?(?:是)?(?:什么|啥)意思",
        rf"(?:这|那)(?:个|块|张|份).{{0,3}}(?:牌|告示|菜单|标签|通知|字|标志|页|段)(?:用)(?:{_ANY_LANG_ZH})怎么(?:说|讲)",
    )
)  # fmt: skip
_GIST_ZH: Final = re.compile(
    r"(?=.*(?:大概|大意|[捡挑拣]要紧的?|[捡挑拣]重要的?|概括|总结|重点|要点|主要|简单(?:说|讲)|一句话|归纳|核心|关键|长话短说|总的意思|简短))(?=.*(?:[这那呢](?:密密麻麻|满满|长长)?的?(?:一)?(?:大)?(?:封|张|份|页|段|篇|说明书|合同|通知|告示|信|文件|展板|罚单|报道)|眼前这)).{4,24}|"
    r"(?:不用|别)全?(?:部)?念(?:了)?[，,]?(?:说个?|讲个?)(?:大意|大概|重点).{0,4}|挑重要的念|简单(?:说说|讲讲)这个(?:讲|说|写)(?:的)?(?:是)?(?:什么|啥)"
)
_LINE_ZH: Final = r"(?:(?:这|那)(?:上面|里|个牌子上)?的?)?(?:最?(?:上面|下面|底下|顶上|后面?|前面|末尾|中间)(?:的)?(?:那|这|一|第[一二两三四五六七八九十])?|倒数?第[一二两三四五六七八九十]|第[一二两三四五六七八九十]|最(?:后|末)一?)[行段排句]"
_READ_ZH: Final = tuple(
    re.compile(one)
    for one in (
        rf"(?:我?(?:没戴老花镜|看不清|字太小了?)[，, ]*)?(?:请|你|帮我|给我|把|将)*(?:念念|读读|念一念|读一读|念|读)(?:一下|下|一遍)?(?:给我听)?(?:{_OBJECT_ZH}|这个|那个)(?:上)?(?:的)?(?:字)?(?:给我听|给我)?",
        rf"(?:我?(?:没戴老花镜|看不清|字太小了?)[，, ]*)?(?:请|你|帮我|把|将)*(?:{_OBJECT_ZH}|这个|那个|上面的?)(?:上)?(?:的)?(?:字)?(?:你)?(?:给我|全)?(?:从头)?(?:念念|读读|念|读)(?:一下|一遍|出来|到尾|给我听?|给我)*",
        rf"(?:帮我看看)?(?:{_OBJECT_ZH}|这里|那里|这上面|上头|这张纸上?)(?:上|里)?面?(?:都)?(?:写|印)(?:的|着|了)?(?:都)?(?:是)?(?:些)?(?:什么|啥)(?:字|呢|啊)?",
        r"(?:请|你|帮我|给我)*(?:念念|读读|念|读)(?:一下|下|一念|一读|给我听)?" + _LINE_ZH + r"(?:字|的字|给我听|给我|吧)*|(?:请|帮我|把|将)*" + _LINE_ZH + r"(?:字|的字)?(?:你)?(?:给我)?(?:念念|读读|念|读)(?:一下|出来|给我听?|听听)*|" + _LINE_ZH + r"(?:字)?(?:上)?(?:写|印|(?<!句)说)(?:的|着|了)?(?:是)?(?:什么|啥)",
        r"念给我听|全部(?:读|念)出来|(?:你)?(?:念|读)一下",
    )
)  # fmt: skip
_SCAN_ZH: Final = re.compile(
    r"(?:请|帮我|给我|帮忙|把|看看|你)*(?:扫一扫|扫码|扫(?:一下|下|个|描)?(?:[^地]{0,8}?)(?:二维码|条形码|条码|码|qr ?code)(?:看看|吧|一下)*|"
    r".{0,8}?(?:二维码|条形码|条码|小方块码|这个?码|那个?码|个码|qr ?code)(?:上)?(?:给我)?(?:你)?(?:扫|查|识别|读)(?:一下|下|扫看?|了|出来|看看)*(?:里头是(?:什么|啥))?|(?:识别|读取|解析|看看?|查)(?:一下)?(?:这|那)?个?.{0,6}?(?:二维码|条形码|条码|码)(?:是(?:什么|啥)(?:链接)?)?|"
    r".{0,5}?(?:二维码|条形码|条码|这个?码|那个?码)(?:里|的)?(?:头|面)?(?:内容)?(?:是|写|有)(?:的|着)?(?:什么|啥).{0,3}|scan一下.{0,3}qr ?code)"
)  # fmt: skip
_DESCRIBE_ZH: Final = re.compile(
    r"(?:帮我|给我|请|你)*(?:描述|形容|describe|讲讲|说说|说一下|讲一下)(?:一下|下)?(?:你)?(?:看到的?|看见的?|眼前的?|前面的?|前方的?|画面|周围的?|四周|我身边|这个?(?:场景|房间|地方|照片)|这张照片|街上的?|这里的?|这个店里的?)(?:情况|样子|画面|场景|景色)?.{0,3}|"
    r"你?(?:现在)?(?:能)?(?:看到|看见|看得到|看得见)(?:了|些|都)?(?:些)?(?:什么|啥)|(?:我)?(?:周围|身边|四周|面前)(?:都)?(?:有|是)(?:些)?(?:什么|啥)(?:样子?)?|(?:眼前|前方|前面)(?:的)?(?:这)?(?:景色|场景|画面)(?:给我)?(?:描述|形容)(?:一下|下).{0,2}|看看(?:四周|周围)[，,]?跟我讲讲|现在我面前是怎样的画面|周围长什么样"
)  # fmt: skip
_PAST_ZH: Final = re.compile(r"刚才|刚刚|之前|路过|经过|开过|错过|上次|昨天|过去")


def asked(text: str, locale: str) -> Sight | None:
    """What these words ask to be done with what is seen now; None: nothing of it."""
    framing = frame(text, locale)
    if only_the_gist(framing.text, framing.locale):
        return Sight(READ, GIST)
    if (
        framing.negated
        and "don't read it all" not in text.lower()
        and "不用全" not in text
        or re.search(r"\bagain\b", framing.text)
    ):
        return None
    if speaks_of_sent(framing.core, framing.locale):
        return None
    if framing.locale == "zh":
        return _zh(framing.core)
    told = re.sub(r"^(?:(?:can you |could you )?(?:tell me|say|do you know)|me|us) (?=what\b)", "", framing.core)
    return next((found for words in (framing.core, told) if (found := _en(words)) is not None), None)


def only_the_gist(form: str, locale: str) -> bool:
    """ "Don't read the whole thing, only the gist", "just the main points of this letter", 别从头念到尾，说个大意."""
    zh = locale == "zh"
    rest, refused = (_NOT_ALL_ZH if zh else _NOT_ALL_EN).subn(" ", form)
    rest = re.sub(r"\s+", "" if zh else " ", rest).strip()
    found = (_ONLY_MAIN_ZH if zh else _ONLY_MAIN_EN).fullmatch(rest)
    if found is None:
        return False
    return bool(refused) or (found["main"] == "大意" if zh else found["what"] is not None)


def _en(core: str) -> Sight | None:
    if _SCAN_EN.fullmatch(core) is not None:
        return Sight(SCAN)
    if any(one.fullmatch(core) for one in _TRANSLATE_EN):
        return Sight(TRANSLATE, "", *into(core, "en"))
    if _GIST_SHAPES_EN.fullmatch(core) is not None:
        return Sight(READ, GIST)
    if any(one.fullmatch(core) for one in _READ_EN):
        return Sight(READ, WHOLE)
    return Sight(DESCRIBE) if _DESCRIBE_EN.fullmatch(core) is not None else None


def _zh(core: str) -> Sight | None:
    if _PAST_ZH.search(core) is not None:
        return None
    if _SCAN_ZH.fullmatch(core) is not None:
        return Sight(SCAN)
    if any(one.fullmatch(core) for one in _TRANSLATE_ZH):
        return Sight(TRANSLATE, "", *into(core, "zh"))
    if _GIST_ZH.fullmatch(core) is not None:
        return Sight(READ, GIST)
    if any(one.fullmatch(core) for one in _READ_ZH):
        return Sight(READ, WHOLE)
    return Sight(DESCRIBE) if _DESCRIBE_ZH.fullmatch(core) is not None else None


_INTO_EN: Final = re.compile(
    rf"(?:\b(?:in|into|to) (?:plain )?({_ANY_LANG})\b)(?!.*\b(?:in|into|to) {_ANY_LANG}\b)|^(?:give me |i need )?(?:the )?({_ANY_LANG}) (?:please )?(?:for|of)\b"
)
_SOURCE_EN: Final = re.compile(rf"(?:\b(?:is|it is) in {_ANY_LANG}\b|can not read {_ANY_LANG})")
_INTO_ZH: Final = re.compile(rf"(?:成|为|到|译|翻|用)({_ANY_LANG_ZH})")


def into(form: str, locale: str) -> tuple[str, str]:
    """(language, the words for it) that a translation was asked for in, in plain words; "" where none was said, OTHER where it is one that nothing is translated into."""
    found = _INTO_ZH.search(form) if locale == "zh" else _INTO_EN.search(_SOURCE_EN.sub(" ", form))
    if found is None:
        return "", ""
    named = next(one for one in found.groups() if one).removeprefix("plain ")
    return LANGUAGES.get(named, OTHER), named


def language_alone(text: str, locale: str) -> str:
    """The words for a language, where nothing else is said: the answer to our question."""
    core = re.sub(r"^(?:in|into|to|then|翻成|译成|成) ?| ?(?:then|please|吧)$", "", frame(text, locale).core)
    return core if core in LANGUAGES else ""
