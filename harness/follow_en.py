"""The English words of follow-ups: what may stand before and behind, units, steps, the other way round, back. Tables only.

The patterns are written for the plain form (slots/text.py). What they make is follow_words.py's.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.follow_said import Said, Sense

LEAD = re.compile(
    r"^(?:no+|nope|nah|sorry|oh|ugh|phew|whew|yikes|blimey|crikey|whoops|you know what|argh|gah|ooh|hey|look|which(?: one)?|what|my bad|obviously|on second thought|actually no|uh+|um+|er+|ah|hm+|wait|hang on|hold on|actually|well|okay|ok|now(?= (?:close|open|shut|turn|switch|make|set|put))|please|and|but|oops|wrong|then|just|maybe|perhaps|rather|better|right so|so|"
    r"(?:that is|that was|it is|this is) (?:wrong|not right|not it|not what i (?:said|meant|asked for|wanted))|on second thoughts?|scratch that|my mistake|stop|you misheard(?: me)?|come to think of it|"
    r"i (?:mean|meant|said|asked(?: for| about)?|wanted|want|would like|would rather(?: have| go to)?|am asking about|was asking about|was thinking(?: of)?|would prefer)|it should(?: have)? be(?:en)?|that should(?: have)? be(?:en)?|should be|should have been|"
    r"(?:could|can|would|will) you(?: just| please)?|(?:she|he|they|my \w+) (?:would|wants?|needs?|prefers?|would rather)(?: rather| like| prefer| have)*|(?:go|come|turn|bring|take|lower|raise|drop|put)(?: (?:it|that|them))?(?: (?:down|up|back))? to|i (?:have |had )?(?:mixed|got|put) (?:it|that|them) (?:up|wrong)|it is|that is|"
    r"(?:make|change|set|put|turn|switch|bring|take|keep|have|get) (?:it|that|them)(?: (?:down |up )?(?:to|at|on(?= #)))?|(?:now )?do(?: the same)?(?: (?:for|on|to|with))?(?= (?:the |my )?(?:passenger|driver|her|his|him|left|right|front|rear|back|other|mine|both)\w*\b)|(?:let us|let me) (?:say|make it|have|do|try|go (?:for|to|with))|say|try|go (?:for|to|with)|"
    r"(?:(?:that is|it is) )?(?:way |far |a bit |much |a little |still )*too (?:much|little|high|low|long|short|strong|weak|far|fast|slow|hot|cold|warm|loud|quiet|bright|dim|dark|late|early)|not enough) (?=\S)"
)
TAIL = re.compile(
    r"(?<=\S) (?:i (?:mean|meant) sorry|sorry|please|obviously|of course|final answer|silly|my bad|my mistake|i misspoke|it is called|that is (?:it|all)|instead|then|i (?:mean|meant|said|think|guess)|thanks|thank you|rather|(?:is|was) what i (?:said|meant|wanted|asked for)|(?:i am|i was) asking about|(?:is|will be|would be|would have been|should be) (?:\w+ )?(?:enough|plenty|fine|better|safer|ok|okay)|will do|plenty|after all|though|actually|i asked for|for now|early enough|(?:is )?(?:closer|nearer|quicker|cheaper|handier)(?: anyway| actually| too)?|needs (?:doing|it|that)|as well|too|the same|same|likewise|again|silly me)$"
)
UNIT: Final = (
    ("degrees", r"degrees?(?: celsius| fahrenheit| centigrade)?"), ("percent", r"percent|per cent"), ("notches", r"notch(?:es)?|steps?|levels?"),
    ("kmh", r"(?:km|kilomet(?:re|er)s?) (?:per|an|a) hour|kph|km h|kmh|mph|miles (?:per|an) hour"), ("km", r"km|kilomet(?:re|er)s?"), ("miles", r"miles?"),
)  # fmt: skip
BIT = r"(?:(?:a )?(?:little |tiny )?(?:bit|touch|tad|little|notch|smidge|hair|shade|fraction)|slightly|some|a (?:good bit|lot)|much|way|lots|quite a bit|even)"
STEPS: Final = (
    (Sense.MORE, "", r"more|again as much|further(?: still)?|extra"), (Sense.LESS, "", r"less|back|off|fewer"), (Sense.UP, "", r"up|higher"), (Sense.DOWN, "", r"down|lower"),
    (Sense.UP, "warmth", r"warmer|hotter|toastier"), (Sense.DOWN, "warmth", r"cooler|colder|chillier"), (Sense.UP, "wind", r"stronger|faster|harder|fuller|breezier"),
    (Sense.DOWN, "wind", r"weaker|slower|gentler"), (Sense.UP, "loudness", r"louder"), (Sense.DOWN, "quiet", r"softer|quieter"), (Sense.UP, "brightness", r"brighter|lighter"),
    (Sense.DOWN, "brightness", r"dimmer|darker|fainter"), (Sense.UP, "time", r"longer"), (Sense.DOWN, "time", r"shorter"), (Sense.MORE, "opening", r"wider|farther"),
)  # fmt: skip
AS = r"as|so|that|quite (?:so|that|as)"
LIKE: Final = (
    ("warmth", "hot|warm"),
    ("brightness", "bright"),
    ("wind", "strong|fast|hard"),
    ("quiet", "loud"),
    ("time", "long"),
    ("opening", "far|wide|open"),
    ("", "much|high|low|big"),
)
FACTORS: Final = (
    (2.0, r"twice|double|two times|#2 times"),
    (3.0, r"three times|triple|#3 times"),
    (0.5, r"half"),
    (0.25, r"a quarter"),
)
SAID: Final = (
    (Said.UNDO, r"(?:(?:put|turn|change|switch|set|bring|take|move|get|go) )?(?:it |that |them |everything |this )?back(?: again)? (?:to )?(?:how|what|where|the way) (?:it|they|that|things|we) (?:was|were|had it)(?: before| at first)?|"
                r"(?:put|turn|change|switch|set|bring|take|move) (?:it|that|them|everything|this) back(?: again)?|back to (?:before|normal|(?:the )?(?:previous|old|original) (?:one|setting|value|temperature|position|speed)|where we were)|"
                r"(?:leave|keep|have) (?:it|that|them) (?:as|how|the way|where|like) (?:it|they|that) (?:was|were)(?: before)?|as (?:it was|they were|it had been|before)(?: before)?|undo (?:that|it|this|the last one)|undo|revert(?: (?:that|it|this))?|(?:scrap|bin) (?:that|it)|"
                r"restore (?:it|that|the (?:previous|old) \w+)|how it was(?: before)?|what it was(?: before)?|as you were|i take (?:that|it) back|forget (?:i said )?that(?: one)?|(?:go|turn|come) back|back again"),
    (Said.TURNED, r"(?:it is |do it |do that )?(?:the )?(?:other|wrong|opposite) way(?: (?:round|around|about))?|(?:the )?(?:exact )?opposite|vice versa|swap (?:them|those|that|it|the two)(?: (?:round|over|around))?|(?:you have )?got (?:it|that|them) (?:backwards|the wrong way round)|"
                  r"backwards|(?:it is |that is )?the wrong way round|reverse (?:it|that|them)|in reverse|switch (?:them|those)(?: (?:round|over|around))?"),
    (Said.FIRST, r"(?:the original (?:one|choice|plan)|what i (?:first said|said (?:at )?first|said to begin with)|my first (?:choice|idea|thought)|the first one i said|the first(?: one)?)"),
    (Said.AGAIN, r"(?:the )?same again|again|do (?:that|it) again|once more|one more time"),
    (Said.OTHER, r"(?:not (?:that|this)(?: one)? (?:but )?)?the other (?:one|side|window|two|ones)"),
    (Said.NOT_THAT, r"not (?:that|this|those|these)(?: (?:one|ones|window|windows|side))?|the wrong (?:one|window|side)|wrong (?:one|window|side)"),
    (Said.BEHIND, r"(?:not (?:that|this)(?: one)? )?the (?:one|window|seat) behind(?: (?:it|that|this|that one))?"),
)  # fmt: skip
REST_OF_PLACE = re.compile(
    r"(?:only|just|on|for|with|in|at|the|not|but|and|too|as well|also|same|side|one|ones|window|windows|seat|seats|it|them|that|please|is|of|to|<>|\s)*"
)
STATE = re.compile(
    r"(?:not (?:on|off|open|closed?|shut) (?:but )?)?(?:(?:you|we) (?:can|could|may) (?:now )?)?(?:(?:(?:turn|switch|leave|keep|put|have|get) )?(?:it|that|them) (?:back )?)?(?P<state>on|off|open|closed?|shut)(?: (?:it|them|that))?(?: (?:all the way|right|fully|completely))?(?: back)?(?: up)?(?: (?:again|now|altogether|completely|for good|then))*(?: not (?:on|off|open|closed?|shut|to (?:open|close|shut))(?: (?:it|them|that))?)?"
)
BACK = re.compile(
    r"(?:oh |ah |uh |um |well |wait |okay |hm+ |hang on |hold on |stop )*(?:no|nope|nah|sorry|wrong|not|oops|whoops|actually|scratch|my mistake|my bad|rather|i (?:meant|mean|said|asked|was asking|changed my mind|have changed my mind|would rather|would prefer)|change of plan|that is (?:wrong|not))\b"
)
FRESH = re.compile(r"(?:please |now |okay |and |then )*(?:set|put|turn|bring) (?:it|that|them)\b")
TELLS = re.compile(
    r"\b(?:i|you|he|she|we|they|it|that|this|those|these|not|no|do|did|does|is|are|was|were|am|be|have|had|has|will|would|can|could|should|fine|good|great|ok|okay|thanks?|worries|problem|"
    r"need|matter|mind|leave|text|message|email|send|ask|tell|stop|wait|what|why|how|when|who|where|open|close|shut|turn|set|put|make|off|on|up|down|more|less|again|enough|yet|now|later|right|wrong|really|sorry|well|nothing|never)\b|\d"
)
QUOTES = re.compile(
    r"(?:and |then |so |but )*(?:my |the )?(?:\w+ ){0,2}(?:said|says|say|told (?:me|us|him|her|them)|asked|goes|shouted|like)(?: to (?:me|us|him|her|them))?"
)
SO = re.compile(r"(?:and |well |okay )*(?:so|then|better|rather|please|make it|set it|put it|turn it|keep it|leave it|have it)\b")
SPOKEN = re.compile(
    r"(?:oh |no |wait |hey )*(?:(?:did|have) (?:i|you) (?:really |just |even )?(?:say|said|hear|heard|understand|understood)|(?:that|this) (?:is|was) not what i (?:said|meant|asked)|what did (?:i|you) (?:just )?(?:say|hear)|i (?:did not|never) (?:say|said|mean|meant)|you (?:misheard|misunderstood|got me wrong))\b"
)
SPELLED = re.compile(
    r"with (?:an?|two|one|double|no) \w+(?: (?:in|at) the (?:front|middle|end|start))?|(?:spelled|spelt|written|that is) (?:with )?(?:(?:an?|two|double|\w) ?)+"
)
KEEPS = re.compile(r"(?:(?:and|but|just|please) )*(?:keep|leave|have|turn|switch|put|make|set|get|let|bring|take)(?: the)? ")
OWN = re.compile(r"\b(?:i|we) (?:\w+ ){0,4}?(?:say|said|mean|meant|asked)\b")
OTHERS = re.compile(r"\b(?:he|she|they|him|her|them|you|who|everybody|everyone|people|somebody|someone)\b")
BEHIND = re.compile(
    r"\S (?:after all|instead|i (?:mean|meant|said|wanted|asked for)|sorry|my (?:mistake|bad)|rather)(?: sorry| please)*$"
)
"""Takes back what stands before it."""
TURNS = re.compile(r"(?:oh |uh |um )*(?:wait|hang on|hold on|make (?:it|that)|change (?:it|that) to)\b(?= ?,| \S)")
"""Turns to another, where one is named behind it."""
ADDS = re.compile(r"(?:(?:so|well|okay|but) )*(?:and|what about|how about)\b")
REFUSED_PLACE = re.compile(
    r"(?:and |but |just )*(?:not|leave|keep|except|apart from|without) (?:the )?<>(?: (?:one|ones|side|window|windows))?(?: (?:alone|out|be|as (?:it|they) (?:was|were|is|are)))?"
)
