"""Corrections in no fixed form: words that take something back, one number or place, and for the rest only words that say nothing of their own. Pure.

    "I misspoke, it needs to be eight"   "twelve is what I was after"   准确地说是十二   想了想还是十二合适

Closed lists of words in place of patterns; one word that is not in them ("twelve people", "the fan") and nothing is made of it. Read only where
follow_words.py's patterns make nothing of a sentence.
"""

from __future__ import annotations

import re
from typing import Final

_BACK_EN: Final = re.compile(
    r"\b(?:sorry|oops|whoops|no|nope|nah|wait|actually|rather|instead|wrong|mistake|misspoke|mixed|muddled|slip|meant|mean|said|(?:sh|w)ould have|should|supposed|better|prefer|precise|precisely|exact|exactly|after all|was after|"
    r"changed|correction|in fact|slipped|going to say|second thoughts?)\b"
)
_WORDS_EN: Final = (
    "i we you it its that this they them the a an to at of on in for by about is are was were be been being will would should could can might must do did does had has have having "
    "sorry oops whoops no nope nah wait actually rather instead wrong mistake misspoke mixed muddled slip slipped tongue meant mean said say saying supposed better best prefer precise precisely exact exactly after all what "
    "changed change mind correction fact second thought thoughts think thinking my me mine bad make set put take let us lets need needs want wanted ask asked asking like liked going go went with use try please just only "
    "ok okay well so then now and but oh ah um uh hmm really probably maybe perhaps more less fine enough good right yes yeah there up got get getting know guess reckon figure number value final thanks # <>"
)
_REST_EN: Final = frozenset(_WORDS_EN.split())
_BACK_ZH: Final = re.compile(
    r"错|不对|不是|准确|其实|还是|应该|该|改|换|意思|我说|我指|我要的|本来|更|口误|手滑|记[岔混]|[说听念看]成|抱歉|算了|合适|才"
)
_REST_ZH: Final = re.compile(
    r"(?:#|<>|准确|其实|还是|应该|意思|本来|合适|更|口误|手滑|抱歉|不好意思|算了|想了?想|想要|我|你|您|它|这|那|个|扇|边|侧|是|说|指|要|的|了|就|才|对|好|行|够|吧|啊|呀|呢|嘛|哦|嗯|呃|诶|欸|哎呀?|唉|不对|不是|错|搞|弄|打|讲|念|听|看|记|岔|混|快|岔|成|到|为|改|换|调|设|开|点|些|来|给|再|也|都|可以|比较|稳妥|刚才|刚刚|原来|其|实|该|地|得|,)*"
)


def corrected(masked: str, zh: bool) -> bool:
    """Takes something back, and says nothing else than what stands in its place. `masked`: numbers are "#", places "<>"."""
    if zh:
        bare = masked.replace(" ", "")
        return _BACK_ZH.search(bare) is not None and _REST_ZH.fullmatch(bare) is not None
    words = re.findall(r"[#<>]+|[\w']+", masked)
    return _BACK_EN.search(masked) is not None and all(word in _REST_EN for word in words)
