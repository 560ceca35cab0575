"""Words that name an act and only ask about it: for permission, for advice, for what would happen. Pure.

    "is it OK to …", "may I …", "can I …", "should I …", "would opening … help", "what if …"      ask about it
    "could you …", "would you mind …ing", "can we have …", "could the fan be at half"             ask for it

    我可以…吗, 可以开窗吗, 开窗好不好, 会不会…, 要不要…, 该不该…                                     ask about it
    能不能帮我…, 可以把…吗, …好吗 behind a whole command, 能打开…吗                                   ask for it

What asks about an act governs what follows in the sentence, up to a stop or a comma, and the clause before it where it is its verdict ("…, would that help?").
Apart from `frame` because the judgement of who is spoken to (docs/decisions/0007) has been tuned on that as it is: a question is no less addressed to us.
Does not know skills, the car, or what the act is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.text import language, plain


def asks_about(text: str, locale: str, span: tuple[int, int] | None = None) -> bool:
    """The words only ask about the act that they name. `span`: those of its words that name it; else all of them do."""
    begin, end = span if span is not None else (0, len(text))
    clauses = _clauses(text, locale)
    held = [place for place, (low, high) in enumerate(clauses) if low < end and begin < high and text[low:high].strip()]
    if not held:
        return False
    verdict = held[-1] + 1 < len(clauses) and _is_verdict(
        text[slice(*clauses[held[-1] + 1])], text[slice(*clauses[held[0]])], locale
    )
    first, rest = text[slice(*clauses[held[0]])], [text[slice(*clauses[place])] for place in held[1:]]
    if not verdict and not _asks(first, locale):
        return any(_is_verdict(one, first, locale) for one in rest)
    return not any(_commands(one, locale) for one in rest)


def asks_somewhere(text: str, locale: str) -> bool:
    """Some of the words only ask about an act."""
    return any(_asks(text[low:high], locale) for low, high in _clauses(text, locale)) or asks_about(text, locale)


def only_wonders(text: str, locale: str) -> bool:
    """Some of the words ask about an act, and none command one: what else they tell ("I'm hot, should I …") is why it is asked."""
    clauses = [text[low:high] for low, high in _clauses(text, locale)]
    return asks_somewhere(text, locale) and not any(_commands(clause, locale) for clause in clauses if not _asks(clause, locale))


def asks_for(text: str, locale: str) -> bool:
    """A wish in the form of a question that looks like one for information: "could my window come down a bit", "I wonder if you could …"."""
    if language(text, locale) == "zh" or asks_about(text, locale):
        return False
    return any(_WISH_EN.search(plain(text[low:high], locale)) is not None for low, high in _clauses(text, locale))


def is_command(words: str, locale: str) -> bool:
    """They begin as a command, and ask about nothing."""
    return _commands(words, locale)


# --- English -----------------------------------------------------------------------------------------------------------

_CUT_EN: Final = re.compile(r"[.!?;:]+(?=\s|$)|,(?!\d)\s*(?!(?:or|and)\b)|\bbut\b")
_ADVERBS_EN: Final = r"(?:(?:really|actually|even|still|now|just|also|maybe|perhaps|then|ever|always|possibly) )*"
_OPENING_EN: Final = (
    r"(?:(?:only|just|not|really) )?(?:opening|closing|shutting|lowering|raising|turning|switching|setting|putting|rolling|winding|having|leaving|keeping|using|running|"
    r"making|cranking|cracking|popping|changing|locking|unlocking|starting|stopping)\b"
)
_FINE_EN: Final = (
    r"(?:ok|okay|alright|all right|fine|safe|possible|allowed|legal|illegal|permitted|permissible|wise|sensible|smart|bad|good|better|best|dangerous|risky|worth(?: it)?|worthwhile|necessary|"
    r"needed|required|recommended|advisable|acceptable|rude|cheaper|healthier|cold|hot|warm|cool|loud|noisy|windy|early|late|quieter|cooler|warmer|colder|enough|a (?:good|bad|smart|silly|terrible) idea)"
)
_ABOUT_EN: Final = re.compile(
    rf"\b(?:would|will|could|can|might|may|does|do|did|should)(?: not)? {_ADVERBS_EN}{_OPENING_EN}|^(?:(?:so|and|um|uh|well) )*(?:is|was)(?: not)? {_ADVERBS_EN}{_OPENING_EN}|"
    rf"\b(?:is|is not) (?:it|that|this|now) (?:not )?{_ADVERBS_EN}(?:(?:a bit|a little|too|really|very|so|more|not|an?) )*{_FINE_EN}(?: (?:for|of) (?:me|us|one|people|passengers?|the \w+))?(?: (?:time|idea|moment|thing|weather))*(?: to| if (?!you\b)| that| opening| closing|$)(?! you\b)|"
    rf"\b(?:would|will|might)(?: not)? (?:it|that|this) {_ADVERBS_EN}(?:not )?(?:help|hurt|matter|harm|work|make|do|be (?:(?:a bit|a little|too|really|very|so|more|any) )*(?!possible\b){_FINE_EN})\b(?!.* if you\b)(?!.* for you to\b)|"
    r"\b(?:would|will|does|do|can|could|is|are|might) (?:it|that|this|there|they|the \w+(?: \w+)?) .*\bif (?:i|we|one|somebody|someone) |"
    r"\b(?:may|might) (?:i|we) (?!(?:(?:please|also|just|possibly) )*(?:have|get|ask|trouble|bother|suggest)\b)|"
    r"\bcan i (?!(?:(?:please|also|just|possibly) )*(?:have|get|ask|trouble|bother|see|hear|know)\b)(?!.*\bplease\b)|"
    r"\b(?:should|shall|ought) (?:i|we|one|it|they|the \w+)\b|\bdo (?:i|we) (?:really |still |even )?(?:need|have to|want)\b|"
    r"\b(?:am i|are we|is one|are people|are passengers|is anyone|is anybody) (?:not |even |still )?(?:allowed|able|permitted|supposed|meant|free|safe|ok|okay|fine|better off|right)\b|"
    r"\bhow (?:do|does|can|could|should|would|might) (?:i|we|you|one|people|somebody|someone)\b(?! (?:like|get|go|drive|come|head)\b)|\bwhat (?:if|happens|would happen|will happen|might happen|would|will|does|should|can|could|is the (?:best|right|point|use|harm))\b|"
    r"\bwhy (?:is|are|do|does|did|would|should|can|could|will)\b(?! not you\b)|\bwhen (?:can|could|may|should|shall) (?:i|we|one)\b|\bwhich (?:is|would|one is|should)\b|"
    r"\b(?:any|a|much) (?:point|use|sense|good|harm|danger|risk|problem|benefit|reason|need) (?:in|to|of|if|with)\b|"
    r"\b(?:do|would|can|could) you (?:\w+ )?(?:recommend|advise|suggest|reckon|prefer)\b|\b(?:do|would) you (?:really )?think (?!you\b)|\b(?:do|would) you mind if (?!you\b)|\bdo you know (?:if|whether|how|when|what)\b|"
    r"\b(?:wonder|wondering|sure|know|ask|asking|curious) (?:(?:if|whether) (?:i|we|it|opening|closing|the|one|that)|whether to)\b|\bi (?:can|may|could|should) (?:not )?\w+.* (?:right|correct|yes|no)$"
)
"""Each of these governs the verbs that follow it."""
_AMID_EN: Final = re.compile(
    r"\b(?:(?:while|when|whilst|during|as) (?:i am |we are |you are |it is |the car is |driving|moving|charging|parked|stopped|parking|going|raining|we|i|the|it)|at (?:this|that|these|high|full|any|\d+ (?:km|kph|kilomet\w+|miles?|mph))\b|"
    r"on (?:the|a) (?:motorway|highway|freeway|autobahn|road)|in (?:this|the|a) (?:rain|snow|tunnel|cold|heat|wind|car ?wash|weather)|legally|safely|without|or (?:is|will|would|not|does)\b)"
)
"""Under what: of whoever asks whether it can be done so."""
_CAN_EN: Final = re.compile(
    r"\b(?:can|could) (?:i|we|one|people|passengers|(?:the|my|a|our|all|both)(?: \w+){1,4} be (?:open|opened|closed|shut|used|turned|switched)|you open the \w+ yourself)\b"
)
_WISH_EN: Final = re.compile(
    r"\b(?:wonder|wondering|appreciate it|grateful|nice|great|lovely) if you (?:could|can|would|might)\b|"
    r"\b(?:could|can|would|might) (?:(?:my|the|our|his|her|their|your|all|both|\w+ s|everybody|a|an|this|that) (?:\w+ ){1,4}?|it |they |that |this )(?:(?:possibly|please|maybe|just|all|both) )*"
    r"(?:come|go|have|get (?:open|opened|closed|shut|a)|be (?:(?:possibly|please|maybe|a bit|a little|a touch|slightly) )*(?:possible|at|on|off|up|down|half|open|opened|closed|shut|set|turned|switched|put|warmer|cooler|colder|hotter|lower|higher)|possibly be)\b"
)
"""What is wanted is said of the thing."""
_VERDICT_EN: Final = re.compile(
    rf"^(?:and |so |or )?(?:(?:would|will|does|could|might|is|was) (?:that|this|it)(?: not)? (?:{_FINE_EN}|be {_FINE_EN}|help|hurt|matter|work|make|do|use|cost|save|get|cause|actually|even|really)\b|"
    rf"(?:am i|are we) allowed|(?:can|may|should|shall) (?:i|we)(?: do (?:that|this|it|so))?$|is (?:that|this) (?:allowed|a thing)|any (?:good|use|point)$)"
)
_CHOICE_EN: Final = re.compile(
    r"^(?:and |so |or )?(?:which (?:is|one|would)|what do you (?:think|reckon|say|recommend|suggest)|what would you (?:do|recommend|suggest|say)|yes or no|or not$|should (?:i|we)|shall (?:i|we)|do you think so|good idea|or better not)"
)
_IMPERATIVE_EN: Final = re.compile(
    r"^(?:(?:um+|uh+|so|and|well|okay|ok|oh|hey|please|now|then|just|also|right|alright|yes|yeah|no|actually) )*(?:(?:can|could|would|will) you .*|please .*|(?:i (?:want|need|would like)|let us|let me) .*|"
    r"(?:open|close|shut|lower|raise|turn|switch|set|put|roll|wind|make|leave|keep|crank|crack|pop|change|lock|unlock|start|stop|drive|navigate|take|go|bring|get|give|let|drop|have|warm|cool|heat)\b.*)"
)
_OR_NOT_EN: Final = re.compile(r"\bor (?:not|is it|would it|will it|does it|should i|should we|better not)\b[^,]*$")


def _asks_en(form: str) -> bool:
    if _ABOUT_EN.search(form) is not None:
        return True
    return _CAN_EN.search(form) is not None and _AMID_EN.search(form) is not None


# --- Chinese -----------------------------------------------------------------------------------------------------------

_CUT_ZH: Final = re.compile(r"[。！？!?；;：:]+|[，,、](?!\d)|\s+")
_REQUESTS_ZH: Final = re.compile(r"(?:你|您|师傅|麻烦|请|劳驾|拜托|帮(?:我|我们|忙)?|给(?:我|我们|咱)|替我)")
"""It is asked of somebody."""
_SPECIFIC_ZH: Final = re.compile(
    r"把|一下|一?点(?!钟)|一些|些|度|百分|成|一半|到|大|小|高|低|(?<!空)调|条缝|去|导航|掉|上|下|起来|打开|关闭|启动|开启|全|都|再|只|先|第|热|凉|暖"
)
"""A certain change, and not a kind of thing to do (开窗)."""
_FIRST_PERSON_ZH: Final = re.compile(
    r"(?:我们?|咱们?|乘客|大家|小孩|孩子)(?:现在|这会儿|开车时?|也|还|是不是|到底|究竟)*(?:可不可以|能不能|可以|能够?|可否|能否)(?!.*(?:你|您|麻烦|请|帮))"
)
_AMID_ZH: Final = re.compile(
    r"(?:的时候|时候|时|途中|过程中|期间)(?:能|可以|可不可以|能不能|可否|能否)|(?:行驶|开车|行车|高速|充电|下雨|洗车|停车|隧道|路上|车速|跑着|开着车).*(?:能|可以|可不可以|能不能)|(?:现在|这会儿|这里|这儿)(?:可以|可不可以|能)(?!.*(?:把|帮|你|您|请|麻烦)).*[吗么]$"
)
_ABOUT_ZH: Final = re.compile(
    r"会不会|要不要|该不该|应不应该|需不需要|用不用|有没有必要|有必要|是不是(?:应该|该|可以|要|需要|得|更|比较|会)|合不合适|安不安全|允不允许|允许|违法|违规|犯法|"
    r"(?:会|应该|该|需要|必须|用得着|有必要)(?!议)[^，]*[吗么]$|(?<!想|只|正|主|重|需)要[^，]*[吗么]$|"
    r"有没有(?:用|效|好处|坏处|影响|危险|必要|关系)|(?:有用|管用|有效|安全|危险|合适|费油|费电|耗电|耗油|省电|省油|划算|舒服|凉快|暖和|冷|吵|好处|影响|问题|关系|更.{1,4}|好些|好点|必要)[吗么不]$|"
    r"(?:冷不冷|热不热|吵不吵|费不费|耗不耗|省不省|影不影响|凉不凉快|管不管用|值不值|危不危险)|为什么|为啥|怎么(?!办|样|去|走|到)|什么时候(?:能|可以)|"
    r"[开关].{1,8}(?<!，)还是.{0,8}(?:好|呢|省|凉|冷|快|舒服)|(?:如果|要是|假如|万一).*(?:吗|么|呢|怎么样|怎样|如何|会.*)$|的话会|(?:你|您)?(?:觉得|认为|建议|推荐).*(?:吗|么|呢|不|没|还是.*|怎么样|如何)$|(?:能|可以)[^，]*(?:还是|或者)[^，]*[吗呢]?$"
)
_MAY_ZH: Final = re.compile(r"(?:可不可以|可以|可否|能否|能)[^，]*[吗么]$|可不可以|可否|能否")
_WELL_ZH: Final = re.compile(r"(?:好不好|好吗|好么|行不行|行吗|行么|可以吗|可以么|可不可以|成吗|怎么样|怎样|如何)$")
_VERDICT_ZH: Final = re.compile(
    r"^(?:这样|那样|这|那)?(?:会不会|会.*[吗么]$|有没有用|有用吗|安全吗|合适吗|允许吗|违法吗|是不是更?)"
)
_CHOICE_ZH: Final = re.compile(
    r"^(?:你|您)?(?:觉得|说|看|认为|建议)(?:呢|怎么样|如何|行吗|好吗|哪个)|^哪个(?:好|更)|^要不要|^该不该"
)
_COMMAND_ZH: Final = re.compile(
    r"^(?:请|麻烦|帮|给|再|顺便|然后|那就|就)*(?:你|您|我)?(?:把|打开|关上|关掉|调|开|关|设|导航|升|降)"
)


def _asks_zh(form: str) -> bool:
    form = re.sub(r"[啊呀呢哦喔嘛哈啦]+$", "", form)
    if _ABOUT_ZH.search(form) is not None or _FIRST_PERSON_ZH.search(form) is not None or _AMID_ZH.search(form) is not None:
        return True
    if _REQUESTS_ZH.search(form) is not None or _SPECIFIC_ZH.search(re.sub(_WELL_ZH, "", form)) is not None:
        return False
    return _MAY_ZH.search(form) is not None or _WELL_ZH.search(form) is not None


# --- either ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _clauses(text: str, locale: str) -> tuple[tuple[int, int], ...]:
    """Where what is governed by one way of asking may end."""
    cut = _CUT_ZH if language(text, locale) == "zh" else _CUT_EN
    bounds = [0, *(m.end() for m in cut.finditer(text.lower())), len(text)]
    return tuple(
        (low, high) for low, high in zip(bounds, bounds[1:], strict=False) if text[low:high].strip(" ,.?!;:，。？！；：")
    )


@lru_cache(maxsize=512)
def _asks(clause: str, locale: str) -> bool:
    form = plain(clause, locale)
    if language(clause, locale) == "zh":
        return _asks_zh(form)
    return _asks_en(form) or _OR_NOT_EN.search(form) is not None


def _is_verdict(clause: str, before: str, locale: str) -> bool:
    """It asks about the clause before: "I could open the window, would that help?" A command with "…, is that OK?" behind it stays one."""
    form = plain(clause, locale)
    if language(clause, locale) == "zh":
        return _CHOICE_ZH.search(form) is not None or (
            _VERDICT_ZH.search(form) is not None and not _COMMAND_ZH.search(plain(before, locale))
        )
    commanded = _IMPERATIVE_EN.match(plain(before, locale)) is not None
    return _CHOICE_EN.search(form) is not None or (_VERDICT_EN.search(form) is not None and not commanded)


def _commands(clause: str, locale: str) -> bool:
    form = plain(clause, locale)
    if language(clause, locale) == "zh":
        return _COMMAND_ZH.search(form) is not None and not _asks_zh(form)
    return _IMPERATIVE_EN.match(form) is not None and not _asks_en(form)
