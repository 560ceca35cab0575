"""Words that name an act and ask nobody here for it, whatever a grammar or a tagger hears in them. Pure.

    风把窗户吹开了, "the valet set the temperature to 18"        told: it has happened
    窗户开着真舒服, "heated seats are the best invention"        said of a thing, and nothing is wrong with it
    打开天窗说亮话, "when one door closes another one opens"     a saying
    谁让你开窗的                                               a rebuke
    窗户开着吧                                                 to be left as it is
    阿强，打开后备箱, "put your window up"                      somebody else's name, somebody else's window

Every clause must be of that kind: 风把窗户吹开了，关上它 asks for something. A complaint ("the fan is too loud") is none of them: it is a wish.
Apart from `frame` because the judgement of who is spoken to (docs/decisions/0007) has been tuned on that as it is. Does not know skills, or the car.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.kept import kept
from ridealong.harness.slots.text import language, plain

TOLD, REBUKED, OTHERS = "reported", "negated", "other_addressee"
"""As the router names its reasons."""

# --- Chinese -----------------------------------------------------------------------------------------------------------

_FORCES_ZH: Final = r"(?:大|狂|妖|暴|冷|热|一阵|阵)*风|(?:大|暴)?雨|雪|冰雹|浪|水流?|石[头子]|树枝|狗|猫|鸟|阳光|太阳|灰尘|沙子"
_WRECKED_ZH: Final = r"(?:吹|刮|撞|砸|震|弹|颠|冻|晒|淋|咬|抓|挤|碰|踢|踩|蹭|压)(?:得|[开关上下坏碎湿破烂裂歪掉脏跑])"
_PRAISED_ZH: Final = (
    r"(?:舒服|舒适|凉快|凉爽|暖和|惬意|好看|漂亮|美|好听|动听|悦耳|给力|爽|棒|好用|实用|好玩|方便|不错|享受|高级|高档|先进|厉害|好闻|香|温馨|浪漫|大气|赞|神奇|酷|帅|贴心|智能|有意思|有情调|"
    r"(?:个)?好(?:东西|发明|功能|主意))"
)
_TOLD_ZH: Final = re.compile(
    rf"(?:刚才?|刚刚|突然|忽然|昨天|昨晚|早上|结果|原来|好像|又|被|是)*(?:{_FORCES_ZH})(?:又|都|直接|一下子?|突然)*(?:把|将|给(?!我|咱)).{{1,10}}(?:了|着|得|坏|湿)[^,.]{{0,3}}|"
    r"[^,.把]{0,8}(?:人|家伙|[轿货客卡]车|那[辆台]车|司机|邻居|同事|朋友|客人|孩子|小孩|小朋友|老板|乘客|宝宝|儿子|女儿|宠物)们?(?:又|就|刚刚?|才|一直|已经|总是?|老是?|还|都|自己|偷偷)*(?:把|将)[^,.]{1,8}了|"
    rf"[^,.]{{0,8}}(?:把|给|将|被)[^,.]{{1,10}}{_WRECKED_ZH}了?[^,.]{{0,2}}|"
    rf"(?!把|帮|请|给|麻烦|让)[^,.]{{2,14}}(?:真的?|挺|好|太|很|还|这么|那么|多么?|特别|非常|相当|最|超级?)(?:是)?(?:挺|很)?{_PRAISED_ZH}(?:了|啊|呀|呢|的|哦|哈|吧|哎|诶)*|"
    r"(?!把|将|给|要)[^,.]{1,8}(?:也|就|都|不)?是(?:我|你|您|他|她|它|谁|自己|咱|[^,.要让请把给开关]{2,5})(?:们|自己|刚才?|刚刚|昨天|昨晚|早上|不小心|故意)*(?:打?开|关(?:上|掉|闭)?|调|设|弄|放|升|降|锁)(?:上|下)?的(?:啊|呀|吧|哦)?|"
    r"(?:我们|咱们?|马上|前面|快|就)*(?:要|快)(?:进|出|上|下|过|到)(?:隧道|高速|桥|收费站|加油站|家|公司|地库|车库|停车场)了|(?:我们|咱们?|我)(?:要|快|快要)?(?:迟到|晚)了|"
    r"(?:你|您|它)?[^,.]{0,6}[开关调弄放]得(?:真|很|挺|好|够|可真)?(?:快|准|及时|稳|好|不错)(?:了|啊|呀|呢|的|哦|哈)*|"
    r"[^,.]{2,10}(?:容易|会|要|就会)(?:让人)?(?:感冒|着凉|生病|头[疼痛]|中暑|犯困|得关节炎)(?:的|啊|呀|哦|呢)*"
)
_STANDS_OPEN_ZH: Final = re.compile(
    r"(?:你看|诶|哎|哦|呀)?(?:天窗|车?窗户?|后备箱|尾门|车门|(?:我的)?座椅加热)(?:都|已经|怎么|是)?开了"
)
"""Without 把 or 吧 nobody asks for it: 天窗开了 says how it is."""
_SAYING_ZH: Final = re.compile(r"打开天窗说亮话|开绿灯|窗户纸|关上一[扇道]门|打开一扇窗|关门大吉|开门见山|开门红|闭门造车")
_REBUKE_ZH: Final = re.compile(r"谁(?:又)?(?:让|叫|准|允许|要|许|使唤)(?:你|您).*")
_NAME_ZH: Final = (
    r"(?:阿[^\W啊姨]|[赵钱孙李周吴郑王冯陈蒋沈韩杨朱许吕张孔曹严金魏陶姜谢邹苏潘葛范彭郎韦马苗袁柳唐薛雷贺倪汤罗郝毕安傅齐康伍余顾孟黄萧尹姚邵汪毛宋庞熊纪舒项董梁杜阮蓝闵贾江童颜郭梅林钟徐邱骆高夏蔡田胡霍万卢莫房丁邓龚程陆翁曾沙](?:哥|姐|叔|姨|总|师傅|老师|先生|女士|小姐|[杰伟强军勇涛磊波斌鹏辉刚健峰超浩宇鑫婷娜丽敏静芳艳娟霞玲莉萍燕颖琳雪慧洁倩薇瑶怡佳欣悦])|"
    r"麦克|迈克尔?|大卫|汤姆|杰克|杰瑞|露西|露丝|安娜|艾米|艾玛|彼得|保罗|约翰|玛丽|莉莉|丽莎|凯文|凯特|爱丽丝|詹姆斯|罗伯特|鲍勃|山姆|亚当|艾伦|尼克|马克|丹尼尔|索菲亚?|汉娜|萨拉|琳达|史蒂夫|克里斯)"
)
_CALLED_ZH: Final = re.compile(rf"(?:嘿|喂|哎|诶|欸|那个|来)*{_NAME_ZH}(?P<pause>\s*[，,]?)(?P<rest>.+)")
_ORDERED_ZH: Final = re.compile(r"(?:你|您|帮|把|请|麻烦|快|去)*(?:打开|关上|关掉|开|关|调|升|降|摇)")
_THEIRS_ZH: Final = re.compile(r"(?:你|您|你们|你自己)(?:那边|那侧|自己|旁边)?的?(?:那[扇个])?(?:车?窗|座椅|车门)")

# --- English -----------------------------------------------------------------------------------------------------------

_CAR_EN: Final = (
    r"windows?|boot|trunk|tailgate|doors?|sunroof|roof|fan|blower|air|ac|a c|heat(?:er|ing|ers)?|temperature|temp|lights?|lamps?|wipers?|seats?|music|radio|volume|song|sound|blinds?|defrost\w*|demist\w*|"
    r"left|right|front|rear|back|driver|drivers|passenger|passengers|side|timer|alarm|reminder|screen|brightness|cabin|car|one|other|same|whole|lot|thing|way"
)
_PERSON_EN: Final = rf"(?:the|my|our|his|her|their|some|that|another|this|an?) (?:(?!(?:{_CAR_EN})\b)[a-z]+ |(?:last|other|next) ){{0,2}}?(?!(?:{_CAR_EN})\b)[a-z]+|(?:the|that) (?:last|other|previous) (?:driver|passenger)|someone|somebody|nobody|everyone|everybody"
_DID_EN: Final = r"(?:(?:just|then|already|once|even|also|always|accidentally|suddenly|simply) )?(?:opened|closed|shut|turned|switched|set|put|left|blew|pushed|pulled|rolled|wound|lowered|raised|muted|cranked|changed|slammed|knocked|smashed|broke)"
_NICE_EN: Final = r"(?:great|lovely|nice|wonderful|amazing|brilliant|awesome|fantastic|comfy|comfortable|cosy|cozy|beautiful|gorgeous|pretty|neat|handy|useful|clever|cool|delightful|superb|incredible|(?:the|a) (?:best|greatest|finest|great|nice|lovely|brilliant|clever|good)(?: [a-z]+){0,3})"
_TOLD_EN: Final = re.compile(
    rf"(?:(?:and|so|then|well|but|oh|apparently|i think|look) )*(?:{_PERSON_EN}) {_DID_EN} .+|"
    rf"(?!.*\d)(?:the|this|that|these|those|your|my|our|heated|ambient|opening|having) (?:[a-z]+ ){{0,6}}?(?:is|are|looks?|sounds?|feels?) (?:(?:really|so|just|such|pretty|quite|absolutely|very|truly|still) )*{_NICE_EN}(?: (?:today|here|in here|though|indeed|at night|tonight|i must say))*|"
    rf"(?:(?:wow|oh|hey|what|such|that is|it is|you have|you have got|an?|really|very) )*(?:nice|lovely|great|beautiful|gorgeous|amazing|awesome|fantastic|wonderful|pretty|cute|fancy|sweet) (?:(?:heated|ambient|reading|cabin|seat|steering) )?(?:{_CAR_EN})(?: (?:you have|you have got|you got|there|by the way|though|mate))*|"
    rf"heated seats (?:is|are) .+|(?:opening|closing|turning|driving|keeping|leaving|running|switching|using) (?:[a-z]+ )+(?:is|are|makes|saves|wastes|costs|uses|feels|drains) (?!what i\b)[a-z ]+|"
    r"(?:back then |years ago |in those days )?(?:i|we|you|he|she|they|it|people|everyone|everybody|(?:my|our|the|his|her) [a-z]+) (?:always |never |all )?used to (?!it\b|that\b|this\b).+|"
    r"i (?:really |just )?(?:love|like|enjoy|adore|hate|prefer) (?:driving|riding|travelling|sleeping|sitting) .+|"
    rf"(?:the|my|your|that|this|her|his) (?:(?:back|rear|front|left|right|passenger|driver|drivers|passengers) )?(?:{_CAR_EN}) (?:is|are) (?:already |wide |fully )?(?:open|on|shut|closed|off|down|up)"
)
_SAYING_EN: Final = re.compile(
    r"\bwindows? of opportunity\b|\b(?:one|a) door (?:closes|shuts)\b|\bcan of worms\b|\bopens? (?:doors|the door) (?:for|to)\b|\bturn(?:ed|ing)? the tables\b|\bshed (?:some |more )?light on\b|\bfan the flames\b|\bgreen light to\b|\bout of the window\b"
)
_OTHERS_EN: Final = re.compile(
    r"\b(?:(?:one|any|either|both|all) of you|you (?:lot|guys|folks|boys|girls|kids|two in|all in|people in|there in|in) )|^(?:(?:can|could|would|will) you )?(?:please )?(?:open|close|shut|put|roll|wind|turn|switch|crank) (?:up |down |on |off )?your (?:own )?(?:(?:side |back |rear |front )?windows?|seat|door)\b"
)


_MYSELF_EN: Final = re.compile(
    r"(?:(?:okay|ok|right|well|so|hang on|hold on|wait|here|mind out|i think) )*(?:let me (?:just |quickly )?|i am (?:just )?(?:going to|gonna|about to) |i will (?:just )?)"
    r"(?:open|close|shut|turn|switch|put|roll|wind|pull|crack) (?!your )[a-z ]+?(?: (?:myself|for you|then|a sec|okay|ok|all right|alright|if you do not mind|is that (?:okay|ok|all right)|do you mind|no))*"
)
_MYSELF_ZH: Final = re.compile(
    r"(?:好|那|哎|等等|等一下|行)*我(?:自己)?(?:来|去)(?:帮你|给你)?(?:把)?[^,.别让请]{0,8}?(?:打开|关上|关掉|开|关|调|锁)[^,.别让请]{0,8}?(?:吧|啊|好了|行吗|好吗|了)*"
)
_CAR_ZH: Final = re.compile(r"窗|门|灯|箱|空调|暖气|风|音乐|加热|雨刮|[开关]吧?$")
"""Who says so does it with their own hands, or asks somebody in the car."""

_HOLDS: Final = re.compile(
    r"(?:hang on|hold on|wait|well|so|you know|i mean|look|oh|um+|uh+|er)|(?:那个|嗯+|呃+|啊|哦|等等|等一下|就是)"
)
"""A clause that says nothing, and gains time."""


@lru_cache(maxsize=512)
def only_tells(text: str, locale: str) -> str:
    """Why nothing is to be done (a reason of the router's); "" where something may be asked for."""
    framing = frame(text, locale)
    zh = language(text, locale) == "zh"
    if not framing.wake and _does_it(plain(text, locale), zh):
        return TOLD
    if framing.wake or "?" in text or "？" in text:
        return ""
    if zh and _to_another(text) or (_THEIRS_ZH if zh else _OTHERS_EN).search(framing.text) is not None:
        return OTHERS
    clauses = [
        form
        for piece in re.split(r"[,.;!，。；！]+(?!\d)", text)
        if (form := plain(piece, locale)) and not _HOLDS.fullmatch(form)
    ]
    if clauses and all(_tells(form, zh) for form in clauses):
        return TOLD
    if zh and _REBUKE_ZH.fullmatch(framing.text) is not None:
        return REBUKED
    return REBUKED if kept(text, locale) else ""


def _does_it(form: str, zh: bool) -> bool:
    if not zh:
        return _MYSELF_EN.fullmatch(form) is not None
    return _MYSELF_ZH.fullmatch(form) is not None and _CAR_ZH.search(form) is not None


def _tells(form: str, zh: bool) -> bool:
    if zh and _STANDS_OPEN_ZH.fullmatch(form) is not None:
        return True
    if (_SAYING_ZH if zh else _SAYING_EN).search(form) is not None:
        return True
    return (_TOLD_ZH if zh else _TOLD_EN).fullmatch(form) is not None


def _to_another(text: str) -> bool:
    """A name, and behind it a pause or at once what is to be done."""
    found = _CALLED_ZH.match(text)
    return found is not None and (bool(found["pause"]) or _ORDERED_ZH.match(found["rest"]) is not None)
