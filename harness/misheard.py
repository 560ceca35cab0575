"""Words of the car that a recogniser wrote as something of the same sound which nobody says here: 步驾车窗, 附加的床, 导航出公司, "stuffy and here".

    as_meant(text, locale) -> the text with them put back, otherwise as it was

Unlike `sound.repair`, which is tried where the words as written mean nothing, this is sure enough to come before everything else: with "附加窗户" as
written, the window of whoever speaks would open. Chinese words of three and more syllables are found by sound alone (near sounds too), of two by exactly
the same toneless sound where no ordinary word has it; all else needs words of the car beside it. Not for typed words.
Does not know which skill the words are for.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ridealong.harness.slots.text import language
from ridealong.harness.sound import readings, syllables_cost

_AT_MOST: Final = 0.15
"""Cost per syllable of a long word's near sound: zh for z, or an for ang in one of three syllables."""
_LONG: Final = (
    "氛围灯", "阅读灯", "收音机", "后视镜", "方向盘", "遮阳帘", "内循环", "外循环", "儿童锁", "雨刮器", "座椅加热",
    "座椅通风", "座椅按摩", "打开车窗", "关闭车窗", "打开天窗", "关闭天窗",
)  # fmt: skip
_SHORT: Final = ("空调", "天窗", "静音", "雨刮", "蓝牙", "车门", "解锁", "音量", "风速", "尾门")
"""Of these no ordinary word has the sound; 座椅 (做一), 除雾 (储物) or 车窗 (车床) are not among them, nor is 副驾驶 (副驾十九度)."""

_PLACED: Final = r"(?=(?:的|那边|这边|那侧|这侧|一侧|侧|边|位|那|这)*(?:车?[窗床创疮]|座|门|空调|温度|窗户|床户|加热|通风|灯|太|有点|也?(?:冷|热)))"
_HAN_NUMBER: Final = r"[\d一二两三四五六七八九十]"
_ZH: Final[tuple[tuple[str, str], ...]] = (
    (rf"(?!副驾)(?:附|复|付|富|负|步|布|妇|赴|服|夫|副)(?:架|价|假|家|加|嫁|甲|佳|驾)(?:使|室|驶)?{_PLACED}", "副驾"),
    (rf"(?:主(?:架|价|假|加|嫁|甲)|(?:朱|住|煮|祝|注|珠|猪)驾){_PLACED}", "主驾"),
    (r"(?<=[车排驾驶左右侧边位])[窗床](?:户)?(?:前|钱|泉|权|全)(?:逛|光|管|观|官)(?=$|[，。,.])", "窗全关"),
    (r"(?<=[车排驾驶左右侧])(?:床|创|疮|闯)(?=[子户]|$|[，。,.？?！!\s]|[开关降升打全都再摇下上一往给放落留])", "窗"),
    (r"(?<=[边后前位我]的)床(?=[开关降升打全都再摇下上往放落]|[，。,.]右)", "窗"),
    (r"(?:床|创|疮)户", "窗户"),
    (r"(窗户?(?:都|全|全部|给我|帮我|再)*)(?:要|药|遥|腰|耀)(?=[下上]来|[下上]去|起来)", r"\1摇"),
    (r"(窗户?(?:再|都|全|给我|帮我)*|座椅|靠背|音量|温度)网(?=[上下前后])", r"\1往"),
    (r"(?<![人公同客])主(?=车?窗)", "主驾"),
    (rf"(?<![把被即])(?:匠|奖|酱|浆|姜|轿)(?=(?:一|{_HAN_NUMBER}+)?(?:点|度|些|成)|低|到{_HAN_NUMBER})", "降"),
    (rf"将(?=一点|点儿?(?:$|[，。,.])|些|{_HAN_NUMBER}+度(?:$|[，。,.吧]))", "降"),
    (rf"((?:窗|升|降|下来|上去|开|关|摇)[^，。,.]{{0,6}}{_HAN_NUMBER})(?:场|城|程|层|乘)(?=$|[，。,.！!？?]|散|透|通|就|吧)", r"\1成"),
    (r"(^|[，。,.；\s])(?:八|巴|吧|罢|拔)(?=(?:我|主驾?|副驾?|左|右|前|后|车|全部|所有|两边)?[^，。,.]{0,4}(?:窗|温度|空调|后备箱|灯|门|座椅|音量|风))(?![个扇块度点档])", r"\1把"),
    (r"后(?:备|背|辈|被|倍)(?:香|相|乡|响|项|箱)", "后备箱"),
    (r"(后备箱|尾门)(?:但|蛋|淡|谈|旦)(?=一下|开)", r"\1弹"),
    (r"导航(?:出|曲|区|取|屈|驱|趣)(?![了错来现问去发口消域])", "导航去"),
    (rf"(?:掉|跳|条|挑|吊|钓|雕)(?=[到成高低]{_HAN_NUMBER}+(?:点|度|档))", "调"),
    (r"(?<=度|量|调|热|风|灯|速)(?:掉|跳|条|挑|吊)(?=[高低大小亮暗]一?[点些])", "调"),
    (r"(?:文|闻|稳|问|温)(?:度|渡|杜|肚)(?=[太再]?[调升降设高低到])", "温度"),
    (rf"({_HAN_NUMBER})(?:肚|渡|杜|毒|镀)(?=$|半|[，。,.！!？?])", r"\1度"),
    (rf"((?:风|热|刮|刷|按摩|量)[^，。,.]{{0,4}}{_HAN_NUMBER})(?:党|当|荡|裆)(?=$|[，。,.！!？?])", r"\1档"),
    (r"(?:做|作|坐|座)(?:椅|以|倚|已|一)(?=(?:往|向|靠背|加热|通风|按摩|[前后]移|调[高低]))", "座椅"),
    (r"(?<=座椅|后窗|前窗|向盘|视镜)(?:家|架|嘉|佳|假)热", "加热"),
    (r"(?<=大|顶|雾)等(?=$|[，。,.]|打?开|关|亮|太|调)|(?<=氛围|阅读|车内|室内|近光|远光)等", "灯"),
    (r"(?<=打开|关掉|关上)等(?=$|[，。,.！!])", "灯"),
    (r"(前挡|后挡|前窗|后窗|[前后]面的?|打开|开启|关闭|关掉|玻璃)(?:出|除|厨|初)(?:雾|物|误|务|悟)", r"\1除雾"),
    (r"(?<=[下上]一)(?:手|守|兽)(?=$|[，。,.！!？?歌])", "首"),
    (r"(?:站|赞|占|咱)停(?=$|[，。,.]|播放|音乐|一下)", "暂停"),
    (r"((?:车|把)门(?:都|给我)?)(?:所|索)(?=上|住|好|了|$)", r"\1锁"),
    (r"((?:^|[，。,.]|问问|另外)(?:问问|现在|还有)?)里(?!昂|水|斯本|约|加|海|耶|面|程)(?=[\u4e00-\u9fff]{2,7}(?:还有?|有)?(?:多远|多少公里|几公里))", r"\1离"),
    (r"^不要(?=[零一二三四五六七八九\d]{3,}$)", "拨幺"),
    (r"(百[一二三四五六七九])八(?=$|[，。,.])", r"\1吧"),
    (r"一六(?=儿)", "一溜"),
    (r"昨天(?=(?:别|不要|不用|再)?加热)", "坐垫"),
    (r"(?:雾|物|误|务|无|舞|午)(?=公分|厘米)", "五"),
    (r"雨刮(?:气|起|汽|期|齐)(?!来)", "雨刮器"),
    (r"(?:一|替|题|体|踢|梯)醒(?=我)", "提醒"),
    (r"(?<=去)这(?=孩子|(?:我)?[妈爸]|老[婆公]|我[媳闺女儿])", "接"),
    (r"(那[下声次个]?是?)(?:数|物|雾|务|勿|悟|无)报", r"\1误报"),
    (r"(?<=菜鸟)一站", "驿站"),
    (r"(雨[刮刷]器?)过(?=一会儿?刮)", r"\1隔"),
)  # fmt: skip

_EN: Final[tuple[tuple[str, str], ...]] = (
    (r"\b(stuffy|hot|cold|warm|chilly|freezing|boiling|stifling|roasting|baking|dark|quiet|loud|bright|cool) (?:and|an) here\b", r"\1 in here"),
    (r"\b(?:in|an|and) hear\b(?=\W*$|\W*please)", "in here"),
    (r"\b(make|set|put|have) (?:a|at) (?=\d\d(?:\.\d+)?(?:\W*$| degrees| in here| please|, ))", r"\1 it "),
    (r"\bpassage(?:r|s| your| or)? (?=(?:side |seat )?(?:window|heater|heating|seat|door)s?\b)", "passenger "),
    (r"\b(passenger|driver|passenger's|driver's|rear|front|back|left|right) (?:winder|widow|windo|winter|when do)(s?)\b", r"\1 window\2"),
)  # fmt: skip
_NUMBER_EN: Final = re.compile(r"\b(to|at|it) ([23]0)[- ]([1-9])\b(?=\W*$| degrees| please| and a half)")


@lru_cache(maxsize=512)
def as_meant(text: str, locale: str) -> str:
    """The text as it was where nothing of it is surely another word."""
    if language(text, locale) != "zh":
        for pattern, words in _EN:
            text = re.sub(pattern, words, text, flags=re.IGNORECASE)
        return _NUMBER_EN.sub(lambda found: f"{found[1]} {int(found[2]) + int(found[3])}", text)
    for pattern, words in _ZH:
        text = re.sub(pattern, words, text)
    return _by_sound(text)


_WORDS: Final = ("银行", "途经", "经过", "已经")
"""Ordinary words; what cuts one in two is none of ours: 途经银行 holds no 静音."""


def _cuts_a_word(text: str, begin: int, end: int) -> bool:
    return any(
        at < begin < at + len(word) or at < end < at + len(word)
        for word in _WORDS
        for at in range(max(begin - len(word), 0), end)
        if text.startswith(word, at)
    )


def _by_sound(text: str) -> str:
    heard, characters = [readings(character)[:1] for character in text], list(text)  # the usual reading alone
    for words, most in ((_LONG, _AT_MOST), (_SHORT, 0.0)):
        for word in words:
            meant, length = [readings(character) for character in word], len(word)
            for start in range(len(text) - length + 1):
                span = characters[start : start + length]
                if span == list(word) or not all(heard[start : start + length]) or _cuts_a_word(text, start, start + length):
                    continue
                costs = [syllables_cost(one, other) for one, other in zip(heard[start : start + length], meant, strict=True)]
                if max(costs) <= 2 * most and sum(costs) / length <= most:
                    characters[start : start + length] = word
    return "".join(characters)
