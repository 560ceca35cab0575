"""How something was said, apart from what: politeness taken off, question or command, negated, reported, corrected, to whom.

`frame(text, locale)` is a pure, cached reading of the words alone. The router uses it to keep questions from actuating and quoted
speech from counting; recognisers match on `core`.

Does not know any skill, the car, or the voice that spoke.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ridealong.harness.slots.text import language, marked, plain


@dataclass(frozen=True, slots=True)
class Frame:
    """`text`: plain form. `core`: without wake name, politeness and fillers. `correction`: what is left after "no, …"."""

    text: str
    core: str
    marked: str
    locale: str
    wake: bool
    polite: bool
    question: bool
    negated: bool
    reported: bool
    to_other: bool
    narrated: bool
    correction: str | None


WAKE = r"(?:ride ?along|jarvis|hey car|computer|assistant)"
_EN_WAKE = re.compile(rf"^(?:(?:hey|hi|hello|ok|okay|yo|oh|um|uh|so) )*{WAKE}\b ?|,? ?\b{WAKE}$")
_EN_FILLER = re.compile(
    r"^(?:um+|uh+|erm?|ah|oh|well|so|alright|all right|okay|ok|hey|hmm+|hm|now|then|and|also|right|listen|sorry|excuse me|you know|like|yes|yeah|yep|sure|actually|maybe|perhaps|just|quickly|kindly|please|and then|first|next|i think|i guess)\b ?"
)
_EN_ASK = re.compile(
    r"^(?:would you (?:please )?mind|do you mind|(?:can|could|will|would) (?:you|we|i|somebody|someone)(?: (?:please|maybe|just|possibly|kindly|quickly|also|help me|help me to|be so kind as to|be able to|try to))*|"
    r"do you think you (?:can|could)|is it (?:possible|okay|ok) (?:for you )?to|i (?:would )?(?:like|love|want|need|prefer)(?: for)? (?:you |us )?to|i (?:would|want) (?:like )?you to|"
    r"i (?:would )?(?:like|want|need|prefer|love)|we (?:would )?(?:like|want|need)(?: to)?|let us|let me|go ahead and|do me a favou?r and|be (?:a dear|so kind) and|"
    r"it would be (?:nice|great|good|lovely) if you (?:can|could|would)|i would be (?:grateful|happy) if you (?:could|would)|i wonder if you (?:can|could)|(?:may|can|could) (?:i|we) (?:please )?(?:have|get)|"
    r"how about|what about|try to|you (?:can|may)(?: now)?|make sure (?:to|that you)|time to|i would|please)\b ?"
)
_EN_TAIL = re.compile(
    r" ?\b(?:please|thanks|thank you|thank you very much|thanks a lot|for me|for us|right now|right away|at once|now|immediately|will you|would you|could you|can you|"
    r"if you (?:can|could|would|please|do not mind|would be so kind)|when you can|when you get a chance|as well|too|again|okay|ok|cheers|will ya|then|"
    r"or something|you know|mate|buddy|my friend|real quick|for a (?:bit|moment|second|while)|alright|instead|i think)$"
)  # fmt: skip
_GERUNDS = {
    "opening": "open", "closing": "close", "turning": "turn", "setting": "set", "making": "make", "taking": "take", "navigating": "navigate",
    "lowering": "lower", "raising": "raise", "rolling": "roll", "shutting": "shut", "putting": "put", "switching": "switch", "changing": "change",
    "starting": "start", "telling": "tell", "finding": "find", "popping": "pop", "winding": "wind", "driving": "drive", "increasing": "increase",
    "decreasing": "decrease", "giving": "give", "showing": "show", "bringing": "bring", "getting": "get",
}  # fmt: skip
_EN_POLITE = re.compile(r"\bplease\b|\b(?:can|could|would|will) you\b|\bwould you mind\b|\bi would like\b|\bthanks?\b")
_EN_QUESTION = re.compile(
    r"^(?:what(?! a\b)|how|where|when|which|who|whose|why|is|are|am|was|were|do(?! not\b)|does|did|has|have|had|should|shall|is not|are not|tell me|"
    r"can you (?:tell|see|check|say)|could you (?:tell|check|say)|do you know|i wonder|check|say what|let me know|read (?:out|me)?|"
    r"any idea|i would like to know|i want to know)\b"
)
_EN_REQUEST_QUESTION = re.compile(
    r"^(?:how about|what about|do you mind|do you think you (?:can|could)|is it (?:possible|okay|ok)|why do not you (?:just )?|have the|have my|give me (?:some|a bit|a little|more)|give me \w+ degrees|how do (?:i|we) get)\b"
)
_EN_NEGATED = re.compile(
    r"\b(?:do|does|did|should|must|would|could|can|will|shall|am|are|is|was|were) not\b(?! (?:mind|you (?:open|close|set|turn|make|take)|forget))|\bnever\b|\bno need (?:to|for)\b|"
    r"\b(?:without|instead of|rather than|stop|quit|avoid|refrain from) \w+ing\b|\b(?:leave|keep) (?:it|the|my|that|them|all|everything)\b|\bnot (?:open|close|set|turn|now|yet|the)\b|\bno longer\b|^not\b|\bforget (?:it|about)\b"
)
_EN_REPORTED = re.compile(
    r"\b(?:he|she|they|i|we|it|mum|mom|dad|who|somebody|someone|everyone|nobody|people|[a-z]+) (?:just |then |always |never |once |had |has |have )?"
    r"(?:said|says|told|tells|asked|asks|shouted|shouts|yelled|yells|cried|replied|whispered|answered|muttered|exclaimed|wrote|goes like|was like|were like|is like|insisted|suggested|ordered|begged|wants? me to|kept saying|keeps saying)\b|"
    r"\b(?:say|repeat|read|write|spell|translate|pronounce|type)(?: it| this| that| the (?:words?|sentence|phrase))? (?:after me|out loud|the (?:words?|phrase|sentence))\b|\bsaying\b|\bquote\b|"
    r"\b(?:the )?(?:sign|text|message|book|song|lyrics?|radio|label|button|manual|article|headline|poster|movie|film) (?:said|says|reads|read|told|goes)\b|^(?:say|repeat)\b|\bcalled\b.*\bby\b|\bif (?:i|you|he|she|they|we|someone|somebody)\b(?! (?:can|could|would|please|do not mind))|"
    r"\b(?:to|and) (?:tell|ask) (?:him|her|them|mum|mom|dad|\w+) to\b|^(?:tell|ask) (?!me\b|us\b)\w+(?: \w+)? to\b|\bin the (?:book|story|movie|film|song|novel)\b"
)
_KIN = (
    "mum|mom|mummy|mommy|dad|daddy|honey|darling|sweetie|sweetheart|dear|mate|dude|guys|kids|grandma|grandpa|granny|boys|girls|love|baby|bro|sis|sir|madam|"
    "officer|driver|waiter|children|everybody|folks|son|buddy"
)
_NOT_NAMES = frozenset(
    [
        "no",
        "yes",
        "yeah",
        "yep",
        "okay",
        "ok",
        "please",
        "well",
        "sorry",
        "hey",
        "hi",
        "hello",
        "actually",
        "right",
        "now",
        "oh",
        "um",
        "uh",
        "so",
        "and",
        "then",
        "but",
        "thanks",
        "also",
        "first",
        "next",
        "alright",
        "sure",
        "wait",
        "stop",
        "look",
        "listen",
        "just",
        "good",
        "great",
        "fine",
        "perfect",
        "nice",
        "hmm",
        "not",
        "maybe",
        "perhaps",
        "today",
        "tomorrow",
        "tonight",
        "here",
        "there",
        "left",
        "really",
        "honestly",
        "finally",
        "meanwhile",
        "however",
        "still",
        "again",
        "ridealong",
        "jarvis",
        "computer",
        "assistant",
        "car",
        "nope",
        "know",
        "nah",
        "er",
        "erm",
        "ah",
        "quick",
        "quickly",
        "navigate",
        "cancel",
        "set",
        "open",
        "close",
        "temperature",
        "continue",
        "repeat",
        "resume",
        "proceed",
        "pardon",
    ]
)
_EN_NARRATED = re.compile(
    r"^(?:(?:and|so|but|then|well|as|when|while|suddenly|slowly) )*(?:he|she|they|his|her|their|it was|there was|there were|once upon)\b|\b(?:forgot|remembered|used) to\b|"
    r"\b(?:yesterday|last (?:night|week|year|month)|(?:years|days|weeks|months|hours|minutes) ago)\b"
)
_ZH_NARRATED = re.compile(
    r"^(?:然后|于是|后来|那时|忽然|突然)?(?:他|她|它|老人|女孩|男孩|男人|女人|孩子们?|众人|有人|人们|警方|记者|公司|政府|老师)|忘了|忘记|昨天|昨晚|前天|上周|去年|那天|据报|"
    r"(?:打开|推开|关上|拉开|摇下|合上|开|关|升|降|调)了(?!吧|吗|没|啊|呢|一点|点|$)|慢慢地|轻轻地|悄悄"
)
_EN_CORRECTION = re.compile(
    r"^(?:(?:oh|uh|um|well|wait|hang on|hold on|hey|stop|okay|ok) )*(?:"
    r"(?:no|nope|nah|sorry|actually|wrong|not that|scratch that|correction|rather|i mean|i meant|oops|my mistake|on second thou?ghts?|that is wrong|that is not right)\b"
    r"(?: (?:no|wait|sorry|actually|please|i mean|i meant|i said|i want|i wanted|let us|not that(?: one)?|that is (?:wrong|too \w+)|it should be|make (?:it|that)|change (?:it|that) to|set it to|rather|better))*|"
    r"not (?:the |my )?(?:\w+ ){1,3}?(?:one|window|side)\b(?: but)?|(?:make|change) (?:it|that)(?: to)?|i (?:meant|mean|said)|better make (?:it|that)|rather) ?"
)  # fmt: skip
_ZH_CORRECTION = re.compile(
    r"^(?:等等|等一下|哎|呃|额|嗯|啊)*(?:(?:不对|不是|错了|说错了|弄错了|搞错了|不不|不(?![要用能可必想许准行需该会知])|算了)+(?:了|啊)?(?:我(?:是)?(?:说|要|想要)(?:的是)?|应该是|是|还是)?(?:改成|改为|改到|换成|换到|调成|调到|要)?|"
    r"我(?:是)?(?:说|指)的?是?|(?:还是)?(?:改成|改为|改到|换成|换到)|应该是|还是)"
)
_ZH_WAKE = re.compile(
    r"^(?:嘿|嗨|喂|哎|你好|您好|哈喽)*(?:小助手|小助理|助手|小车|贾维斯|ridealong|jarvis)(?:同学)?|(?:小助手|ridealong|jarvis)$"
)
_ZH_LEAD = re.compile(
    r"^(?:嗯+|啊|呃|额|那个|那|就|然后|还有|再|顺便|麻烦(?:你|您)?|请(?:你|您)?|劳驾|拜托(?:你)?|能不能|可不可以|可以|能否|能|你能|你可以|您能|你|您|帮忙|帮(?:我|我们|忙)?|给(?:我|我们)(?!打电话)|替我|"
    r"我(?:想要|想让你|要|想|希望)(?:你)?(?!去|到)|咱们?把|赶紧|赶快|快点?|现在|马上|立刻|先|好的?|行|来)"
)
_ZH_TAIL = re.compile(
    r"(?:吧|啊|呀|呢|哦|喔|嘛|哈|啦|呗|谢谢(?:你|您|啦|了)?|多谢|拜托了?|好吗|好不好|可以吗|行吗|行不行|行么|好么|可不可以|一下|麻烦(?:你|您)?了?|了)$"
)
_ZH_ASK_TAIL = re.compile(r"(?:可以|好|行|能|可不可以)(?:吗|么|嘛)$|(?:好不好|行不行)$")
_ZH_QUESTION = re.compile(
    r"[吗么]$|呢$|什么|多少|几(?:点|度|公里|个|档|扇|成)|哪|怎么(?!办)|是不是|有没有|多远|多久|多快|多大|多高|多热|多冷|没有?$|(?:开|关|锁)(?:着|了)(?:没|吗|不)|.还是(?!到|去)|是否|够不够|为什么|谁|剩|何时|是几"
)
_ZH_POLITE = re.compile(r"请|麻烦|劳驾|拜托|谢谢|帮(?:我|忙)|能不能|可不可以|可以.*吗|好吗")
_ZH_REQUEST = re.compile(
    r"^(?:.{0,6})(?:能不能|可不可以|能否|可以|能|帮我|给我|麻烦|请)(?:你|您)?.*(?:把|打开|关|调|开|设|导航|降|升|带我)|(?:可以|好|行)(?:吗|么)$|好不好$|行不行$"
)
_ZH_NEGATED = re.compile(
    r"(?:不要|不用|不必|不许|不准|不能|不想|不需要|先别|千万别|可别|别(?!的|墅|人|克)|甭|勿|没有?(?=打开|关|开|调)|没让|没叫|无需|不该|不可以(?!吗)|不应该|停止|不(?=打开|关|调|开))"
)
_ZH_REPORTED = re.compile(
    r"(?:他|她|它|他们|她们|妈妈|爸爸|老师|人家|大家|谁|有人|老板|书上|广播|收音机|牌子|电影里?|歌里?|小说|新闻|上面|那个人|朋友|[\u4e00-\u9fff]{2,3})(?:刚才?|昨天|又|就|总是|老|一直|跟我|对我|对他|曾经?)*(?:说|讲|喊|问|叫我|让我|告诉|写着|念|唱|回答|嘱咐|吩咐|要求|建议)|跟(?:我|着我)?(?:说|读|念|一起说)|(?:说|念|读|写|翻译)(?:一遍|一下这|这句|这个词)|所谓|(?:告诉|跟)(?!我)(?:他|她|他们|妈妈|爸爸|[\u4e00-\u9fff]{2,3})(?:说|让|把)?|如果|要是|假如|“|”|「|」"
)
_ZH_KIN = r"^(?:妈妈?|爸爸?|老公|老婆|宝贝|宝宝|亲爱的|哥哥?|姐姐?|弟弟|妹妹|爷爷|奶奶|外公|外婆|老师|师傅|同学|朋友|小朋友|孩子|儿子|女儿|兄弟|先生|女士|服务员|小[王李张刘陈杨赵黄周吴明红丽]|老[王李张刘陈杨赵黄周吴])"

_BACKCHANNEL_EN = frozenset(
    [
        "mm",
        "mmm",
        "mhm",
        "mm hm",
        "mm hmm",
        "mmhm",
        "mmhmm",
        "hm",
        "hmm",
        "uh huh",
        "uhhuh",
        "uh hum",
        "ah",
        "ah okay",
        "aha",
        "oh",
        "oh okay",
        "oh i see",
        "oh wow",
        "wow",
        "yeah",
        "yeah yeah",
        "yep",
        "yup",
        "yes",
        "ya",
        "okay",
        "ok",
        "okay okay",
        "kay",
        "right",
        "right right",
        "sure",
        "alright",
        "all right",
        "i see",
        "got it",
        "gotcha",
        "cool",
        "nice",
        "great",
        "good",
        "very good",
        "fine",
        "really",
        "oh really",
        "true",
        "exactly",
        "of course",
        "interesting",
        "makes sense",
        "okay great",
        "okay cool",
        "okay good",
        "okay thanks",
        "perfect",
        "lovely",
        "sounds good",
        "fair enough",
        "huh",
        "no way",
        "indeed",
        "understood",
        "ah right",
        "oh right",
        "yeah okay",
        "yeah sure",
        "oh nice",
        "m",
    ]
)
_BACKCHANNEL_ZH = re.compile(
    r"(?:嗯|恩|唔|哦|噢|喔|啊|哎|诶|呃|好|好的|好吧|好啊|好呀|对|对啊|对的|对对|是|是的|是啊|是吗|行|行吧|可以|明白|明白了|知道|知道了|了解|了解了|收到|没错|真的|真的吗|这样啊|原来如此|不错|ok|嗯哼|嗯嗯|哈|哈哈|哇|嘿)+"
)
_STOP_EN = re.compile(
    r"(?:(?:hey|no|okay|ok|please|just|oh|ridealong|jarvis|wait) )*(?:stop(?: it| talking| that| speaking| please| now| there)?|be quiet|quiet|shut up|silence|enough|that is enough|hush|never ?mind|cancel(?: that| it)?|hold on|wait|wait a (?:second|minute|moment)|pause|forget it|shush)(?: (?:please|now|stop|wait|thanks|ridealong|jarvis))*"
)
_STOP_ZH = re.compile(r"(?:(?:好了?|行了|够了|嘿|喂|请|小助手|你|先|都)*(?:停|停下|停一下|停止|闭嘴|别说了|不要说了|不用说了|安静|安静点|安静一下|等等|等一下|等一等|算了|取消|住口|打住|够了|先停|暂停)(?:吧|啊|了|一下)*)+")  # fmt: skip
_YES_EN = re.compile(
    r"(?:(?:yes|yeah|yep|yup|sure|okay|ok|please|of course|go ahead|do it|do that|do so|confirm|confirmed|affirmative|correct|right|absolutely|definitely|certainly|open it|close it|please do|i am sure|that is right|i do|go for it|yes please|alright|all right|go on|it is fine|thanks|thank you|now|yes you (?:can|may|should)|you (?:can|may)) ?)+"
)
_NO_EN = re.compile(
    r"(?:(?:no|nope|nah|do not|do not do (?:it|that)|not now|cancel|never ?mind|leave it|forget it|no thanks|no thank you|better not|stop|rather not) ?)+"
)
_YES_ZH = re.compile(
    r"(?:是的?|对的?|好的?|好啊|好吧|行|可以|确认|确定|打开吧|开吧|打开|关吧|当然|没问题|嗯+|要|请(?:打开|关闭|继续)?|是啊|没错|同意|就这样|执行|ok|谢谢)+"
)
_NO_ZH = re.compile(r"(?:不用?了?|不要了?|别了?|算了|取消|不是|不行|先不用?了?|没有|不必|不开了?|停)+")


@lru_cache(maxsize=1024)
def frame(text: str, locale: str) -> Frame:
    lang = language(text, locale)
    form = plain(text, lang)
    return _frame_zh(text, form) if lang == "zh" else _frame_en(text, form)


def is_backchannel(text: str, locale: str) -> bool:
    """ "mm-hm", "yeah", "okay", 嗯, 好的: listening sounds that take no turn. (After a question they may be an answer.)"""
    form = plain(text, locale)
    if language(text, locale) == "zh":
        return _BACKCHANNEL_ZH.fullmatch(form) is not None and len(form) <= 8
    words = form.split()
    return form in _BACKCHANNEL_EN or (
        0 < len(words) <= 4 and all(word in _BACKCHANNEL_EN or word in ("uh", "mm", "hm", "oh") for word in words)
    )


def is_stop(text: str, locale: str) -> bool:
    """ "stop", "be quiet", "wait", 停, 别说了: take the floor from the assistant, ask for nothing else."""
    form = plain(text, locale)
    return (_STOP_ZH if language(text, locale) == "zh" else _STOP_EN).fullmatch(form) is not None


_NEVER_MIND_EN = re.compile(
    r"(?:(?:oh|no|okay|ok|just|ah|well) )*(?:never ?mind|forget (?:it|about it)|drop it|leave it)(?: (?:then|thanks|please|now))*"
)
_NEVER_MIND_ZH = re.compile(r"(?:哦|嗯|那|就|还是)*(?:算了|不用(?:再)?(?:说|讲|继续)了?|没事了?|别提了)(?:吧|啊|了)*")


def is_never_mind(text: str, locale: str) -> bool:
    """ "never mind", "forget it", 算了: a stop after which nothing of it is wanted any more."""
    form = plain(text, locale)
    return (_NEVER_MIND_ZH if language(text, locale) == "zh" else _NEVER_MIND_EN).fullmatch(form) is not None


def answer(text: str, locale: str) -> bool | None:
    """Yes (True), no (False), or neither: for a question that the assistant has just asked."""
    form = plain(text, locale)
    yes, no = (_YES_ZH, _NO_ZH) if language(text, locale) == "zh" else (_YES_EN, _NO_EN)
    if no.fullmatch(form) is not None:
        return False
    return True if yes.fullmatch(form) is not None else None


def segments(text: str, locale: str) -> list[tuple[str, ...]]:
    """Ways to cut a sentence into several requests, most pieces first, each at conjunctions and stops."""
    lang = language(text, locale)
    form = marked(text, lang)
    if lang == "zh":
        pieces = re.split(
            r"\s*[,.]\s*(?:然后|并且|还有|顺便|再|也|同时)?|(?:然后(?:再)?|并且|顺便|同时|还有|另外|再(?=把|打开|关|帮|调|开|导航)|并(?=把|打开|关|调|导航))",
            form,
        )
        joiner = ""
    else:
        pieces = re.split(
            r"\s+(?:[,.]\s+)?(?:and then|and also|then|and(?! (?:a|one) (?:half|quarter|third)\b| half\b| (?:three quarters|two thirds|[23] (?:quarters|thirds))\b)|also|plus|as well as)\s+|\s+[,.](?:\s+|$)",
            form,
        )
        joiner = " and "
    pieces = [piece.strip() for piece in pieces if piece and piece.strip()][:6]
    if len(pieces) < 2:
        return []
    ways = []
    for bits in sorted(range(1, 1 << (len(pieces) - 1)), key=lambda b: -b.bit_count()):
        groups = [pieces[0]]
        for i, piece in enumerate(pieces[1:]):
            if bits >> i & 1:
                groups.append(piece)
            else:
                groups[-1] += joiner + piece
        ways.append(tuple(groups))
    return ways[:32]


# --- English -----------------------------------------------------------------------------------------------------------


def _frame_en(raw: str, form: str) -> Frame:
    core, wake = form, False
    if _EN_WAKE.search(core) is not None:
        core, wake = re.sub(_EN_WAKE, "", core).strip(), True
    before = None
    while core != before:
        before = core
        core = _EN_FILLER.sub("", core, count=1) or before
        core = _EN_ASK.sub("", core, count=1) or before
        core = _EN_TAIL.sub("", core).strip() or before
    first, _, rest = core.partition(" ")
    if first in _GERUNDS:
        core = f"{_GERUNDS[first]} {rest}".strip()
    asked = re.sub(_EN_WAKE, "", form).strip()
    asked = re.sub(
        r"^(?:(?:um+|uh+|so|and|well|okay|ok|oh|hey|please|also|now|by the way|actually|sorry|yeah|excuse me) )+", "", asked
    )
    question = _EN_QUESTION.search(asked) is not None and _EN_REQUEST_QUESTION.search(asked) is None
    if (
        not question
        and raw.rstrip().endswith("?")
        and not re.match(
            r"(?:can|could|will|would|may|shall) (?:you|we|i)\b|would you mind|how about|what about|do you mind", asked
        )
    ):
        question = re.search(r"\b(?:open|closed|shut|on|off|locked)$", core) is not None and not re.match(
            r"(?:open|close|shut|turn|set|put|roll|keep|leave|crack|wind|lower|raise|slide|pop|pull|push|bring|switch|make|get)\b",
            core,
        )
    correction = _EN_CORRECTION.match(re.sub(_EN_WAKE, "", form).strip())
    corrected = None
    if correction is not None:
        corrected = re.sub(_EN_WAKE, "", form).strip()[correction.end() :].strip() or None
        corrected = _EN_TAIL.sub("", corrected) if corrected else None
    negation_text = re.sub(r"\bnot (?:the |that |my )?[\w ]*?(?:one|window|side)\b", " ", form) if corrected else form
    return Frame(
        text=form, core=core, marked=marked(raw, "en"), locale="en", wake=wake, polite=_EN_POLITE.search(form) is not None, question=question,
        negated=_EN_NEGATED.search(negation_text) is not None, reported=_EN_REPORTED.search(re.sub(r"^(?:who|which \w+) (?:said|wrote|sang|asked)\b", "", form)) is not None or _quoted(raw),
        to_other=_to_other_en(raw, wake), narrated=_EN_NARRATED.search(form) is not None, correction=corrected,
    )  # fmt: skip


def _quoted(raw: str) -> bool:
    return re.search(r"[\"“”«»「」『』][^\"“”«»「」『』]*\s?[^\"“”«»「」『』]*[\"“”«»「」『』]", raw) is not None


def _to_other_en(raw: str, wake: bool) -> bool:
    """A vocative that is not ours: "Mum, …", "Anna, could you …", "…, honey?"."""
    if wake:
        return False
    text = unicodedata.normalize("NFKC", raw).strip()
    lower = text.lower()
    if re.match(
        rf"(?:(?:hey|hi|oh|okay|ok|no|yes|so|well|and|look|listen),? )*(?:my )?(?:{_KIN})\b(?:,| (?:can|could|will|would|do|did|have|are|is|please|look|come|open|close|what|where|how|when|i|you|don't|stop)\b)",
        lower,
    ):
        return True
    if re.search(rf",\s*(?:my )?(?:{_KIN})[.?!]*$", lower) or re.search(
        r"\b(?:honey|darling|sweetie|sweetheart|mum|mom|dad)[.?!]*$", lower
    ):
        return True
    first = re.match(r"(?:(?:Hey|Hi|Oh|Okay|So|Well),? )?([A-Z][a-z]+)(?:,| (?:can|could|will|would) you\b)", text)
    if first is not None and first.group(1).lower() not in _NOT_NAMES:
        return True
    last = re.search(r",\s*([A-Z][a-z]+)[.?!]*$", text)
    return last is not None and last.group(1).lower() not in _NOT_NAMES


# --- Chinese -----------------------------------------------------------------------------------------------------------


def _frame_zh(raw: str, form: str) -> Frame:
    wake = _ZH_WAKE.search(form) is not None
    bare = _ZH_WAKE.sub("", form)
    core, before = bare, None
    while core != before:
        before = core
        core = _ZH_LEAD.sub("", core, count=1) or before
        core = _ZH_ASK_TAIL.sub("", core) or before
        core = _ZH_TAIL.sub("", core) or before
    request = _ZH_REQUEST.search(bare) is not None and re.search(r"多[少远久快大高热冷]|什么|哪|几", bare) is None
    question = _ZH_QUESTION.search(bare) is not None and not request
    if (
        question
        and re.search(r"(?:呢|没)$", bare)
        and re.match(r"(?:把|打开|关|调|开|设|导航)", core)
        and not re.search(r"着|了没", bare)
    ):
        question = False
    m = _ZH_CORRECTION.match(bare)
    corrected = bare[m.end() :] if m is not None and m.group() else None
    corrected = re.sub(r"(?:吧|啊|呀|谢谢)+$", "", corrected) if corrected else None
    negation_text = (
        bare[m.end() :]
        if corrected and m is not None
        else re.sub(r"能不能|可不可以|是不是|有没有|好不好|行不行|要不要", "", bare)
    )
    negation_text = re.sub(r"不是[左右主副前后][^,]{0,6}", "", negation_text)
    vocative = re.match(_ZH_KIN, bare)
    to_other = (
        not wake
        and vocative is not None
        and len(bare) > len(vocative.group()) + 1
        and not re.match(r"(?:说|的)", bare[vocative.end() :])
    )
    return Frame(
        text=form, core=core, marked=marked(raw, "zh"), locale="zh", wake=wake, polite=_ZH_POLITE.search(bare) is not None, question=question,
        negated=_ZH_NEGATED.search(negation_text) is not None,
        reported=_ZH_REPORTED.search(re.sub(r"我(?:是)?说的?是?|告诉我|跟我说说", "", bare)) is not None or _quoted(raw),
        to_other=to_other, narrated=_ZH_NARRATED.search(bare) is not None, correction=corrected or None,
    )  # fmt: skip
