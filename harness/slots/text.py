"""Brings what a recogniser wrote into one plain form, so that every parser meets the same letters.

English: lower case, one space between words, digits apart from letters, no punctuation ("22,5°C" -> "22.5 degrees celsius").
Chinese: simplified characters, no spaces, no punctuation. Both: NFKC. `marked` keeps commas and stops as their own tokens.

Does not know: what any word means, or which words a car understands (sound.py, framing.py).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TRADITIONAL = (
    "開闢關閉車門窗戶後備廂溫調冷氣導航廣場機電站點設為訂條讓幫啟動風擋霧熱減區駕駛員側邊個兩號樓時鐘間鬧嗎嘛還這裡裏麼們"
    "從來過發說話請問幾遠續里輛胎壓輪價錢東門華會給對錯話應該誰聽見現試歸飛銀醫學園書館辦處廳飯麵麥當勞認識喊樣兒進出"
    "場線鐵環樂單雙總種類級檔強風擴頭燈亮暗聲響唱雲陽陰濕氣內衛廁順風險變換繼續應視覺達記憶"
    "媽爸歲讀記聞報導師課題網絡買賣貴淨錄綠紅藍黃顏麗歡愛國語漢廠產業務員萬億圖標識牌寫掛經過剛纔才"
    "轉彎離徑傳輸連結結束撥滿狀態暫計續滅鎖鬆緊極頻顯舊緩衝帶領飛邊臺灣"
)
_SIMPLIFIED = (
    "开辟关闭车门窗户后备厢温调冷气导航广场机电站点设为订条让帮启动风挡雾热减区驾驶员侧边个两号楼时钟间闹吗嘛还这里里么们"
    "从来过发说话请问几远续里辆胎压轮价钱东门华会给对错话应该谁听见现试归飞银医学园书馆办处厅饭面麦当劳认识喊样儿进出"
    "场线铁环乐单双总种类级档强风扩头灯亮暗声响唱云阳阴湿气内卫厕顺风险变换继续应视觉达记忆"
    "妈爸岁读记闻报导师课题网络买卖贵净录绿红蓝黄颜丽欢爱国语汉厂产业务员万亿图标识牌写挂经过刚才才"
    "转弯离径传输连结结束拨满状态暂计续灭锁松紧极频显旧缓冲带领飞边台湾"
)
assert len(_TRADITIONAL) == len(_SIMPLIFIED)
_TO_SIMPLIFIED = {ord(a): b for a, b in zip(_TRADITIONAL, _SIMPLIFIED, strict=True) if a != b}

_CJK = "\u3400-\u9fff\u3007"
_CHINESE = re.compile(f"[{_CJK}]")
_VULGAR = {"½": " and a half", "¼": " and a quarter", "¾": " and three quarters", "⅓": " and a third", "⅔": " and two thirds"}
_FRACTIONS = {"1/3": " a third ", "2/3": " two thirds ", "1/4": " a quarter ", "3/4": " three quarters "}
_HALF_MISHEARD = re.compile(
    r"\b(\d\d|(?:twenty|thirty)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|\w+teen) and (?:i|a|i've|i'd) (?:have|hope|calf|hav|hath|hall|path)"
    r"(?=\W*$| degrees| please)"
)
"""A number and a clause with nothing behind it, "18 and I hope.": nobody says that; "and a half" sounds like it."""
_CONTRACTIONS = (
    (r"\bcan't\b", "can not"), (r"\bwon't\b", "will not"), (r"n't\b", " not"), (r"\blet's\b", "let us"), (r"'m\b", " am"),
    (r"'re\b", " are"), (r"'ve\b", " have"), (r"'ll\b", " will"), (r"'d\b", " would"),
    (r"\bhow (far|long|much)'s\b", r"how \1 is"),
    (r"\b(what|where|how|who|when|that|it|there|here|he|she)'s\b", r"\1 is"), (r"'s\b", ""), (r"s'(?=\s|$)", "s"),
    (r"\bgonna\b", "going to"), (r"\bwanna\b", "want to"), (r"\bgotta\b", "got to"), (r"\bgimme\b", "give me"), (r"\blemme\b", "let me"),
    (r"\bdont\b", "do not"), (r"\bwhats\b", "what is"), (r"\bhows\b", "how is"), (r"\bim\b", "i am"), (r"\blets\b", "let us"),
    (r"\bid like\b", "i would like"), (r"\bcannot\b", "can not"),
)  # fmt: skip


def has_chinese(text: str) -> bool:
    return _CHINESE.search(text) is not None


def simplified(text: str) -> str:
    """Traditional characters as simplified ones, as far as the table knows them."""
    return text.translate(_TO_SIMPLIFIED)


def language(text: str, locale: str) -> str:
    """ "zh" or "en": by the letters, else by the locale ("zh-CN" counts as zh)."""
    if has_chinese(text):
        return "zh"
    if re.search(r"[A-Za-z]", text):
        return "en"
    return "zh" if locale.lower().startswith("zh") else "en"


@lru_cache(maxsize=1024)
def marked(text: str, locale: str) -> str:
    """The plain form with " , " and " . " where the recogniser wrote a comma or a stop."""
    return _marked_zh(text) if language(text, locale) == "zh" else _marked_en(text)


@lru_cache(maxsize=1024)
def plain(text: str, locale: str) -> str:
    """The plain form: see the module's first lines."""
    form = re.sub(r"(?:^|\s)[,.](?=\s|$)", " ", marked(text, locale))
    return re.sub(r"\s+", "" if language(text, locale) == "zh" else " ", form).strip()


def _unaccented(text: str) -> str:
    """Letters without their marks: a place is written "München" by one and "Munchen" by another recogniser."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def _marked_en(text: str) -> str:
    for sign, words in _VULGAR.items():
        text = re.sub(rf"(?<=\d)\s*{sign}", words, text).replace(sign, words.removeprefix(" and "))
    text = unicodedata.normalize("NFKC", _unaccented(text)).lower().replace("’", "'").replace("‘", "'").replace("`", "'")
    text = re.sub(r"\b(\d+) 1/2\b", r"\1 and a half", text)
    text = re.sub(r"\b1/2\b", "half", text)
    text = re.sub(r"(?<![\d./])([123])/([34])(?![\d/])", lambda m: _FRACTIONS.get(m.group(), m.group()), text)
    text = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", text)
    text = re.sub(r"\ba\s?[/.]\s?c\b\.?", "ac", text)
    text = re.sub(r"°\s*c\b", " degrees celsius ", text)
    text = re.sub(r"°\s*f\b", " degrees fahrenheit ", text)
    text = text.replace("°", " degrees ").replace("%", " percent ").replace("&", " and ")
    for pattern, words in _CONTRACTIONS:
        text = re.sub(pattern, words, text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"(?<=\d),(?=\d{1,2}\b)", ".", text)
    text = re.sub(r"(?<![\w.])[-−–](?=\d)", " minus ", text)
    text = re.sub(r"(?<=\d)(?=[a-z])(?!(?:st|nd|rd|th)\b)", " ", text)
    text = _HALF_MISHEARD.sub(r"\1 and a half", text)
    text = re.sub(r"[.!?;:…](?!\d)|(?<!\d)\.(?=\d)", " . ", text)
    text = re.sub(r"[,，、。！？；：]", " , ", text)
    text = re.sub(r"[^a-z0-9.,\s']|'", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def _marked_zh(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower().translate(_TO_SIMPLIFIED)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    text = re.sub(r"°\s*f", "华氏度", text)
    text = re.sub(r"°\s*c?|摄氏度", "度", text)
    text = re.sub(r"(?<=[了着常有是])[码马嘛玛骂](?=\W*$)", "吗", text)  # the particle, by its sound
    text = re.sub(r"[%％]", "%", text)
    text = re.sub(r"(?<![a-z0-9.])-(?=\d)", "零下", text)
    text = re.sub(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])", r"\1点\2分", text)
    text = re.sub(r"[。！？!?;；：:…]|\.(?!\d)", " . ", text)
    text = re.sub(r"[,、,]", " , ", text)
    text = re.sub(rf"[^{_CJK}a-z0-9.,%\s]", " ", text)
    text = re.sub(rf"(?<=[{_CJK}\d%])\s+(?=[{_CJK}\d])", "", text)
    return re.sub(r"\s+", " ", text).strip()
