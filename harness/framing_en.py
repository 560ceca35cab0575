"""The English words of framing: politeness, questions, negation, reported speech, corrections, names of people. Tables only.

The patterns are written for the plain form (slots/text.py): small letters, no punctuation, "don't" as "do not".
Does not know in which order the patterns count, or what follows from them (framing.py).
"""

from __future__ import annotations

import re

WAKE_NAME = r"(?:ride ?along|jarvis|hey car|computer|assistant)"
WAKE = re.compile(rf"^(?:(?:hey|hi|hello|ok|okay|yo|oh|um|uh|so) )*{WAKE_NAME}\b ?|,? ?\b{WAKE_NAME}$")
FILLER = re.compile(
    r"^(?:um+|uh+|erm?|ah|oh|well|so|alright|all right|okay|ok|hey|hmm+|hm|now|then|and|also|right|listen|sorry|excuse me|you know what|you know|like|yes|yeah|yep|sure|actually|maybe|perhaps|just|quickly|kindly|please|and then|after that|after this|afterwards|(?:once|when) (?:that|this) is (?:done|finished)|first|next|i think|i guess)\b ?"
)
ASK = re.compile(
    r"^(?:would you (?:please )?mind|do you mind|(?:can|could|will|would) (?:you|we|i|somebody|someone)(?: (?:please|maybe|just|possibly|kindly|quickly|also|help me|help me to|be so kind as to|be able to|try to))*|"
    r"do you think you (?:can|could)|is it (?:possible|okay|ok) (?:for you )?to|i (?:would )?(?:like|love|want|need|prefer)(?: for)? (?:you |us )?to|i (?:would|want) (?:like )?you to|"
    r"i (?:would )?(?:like|want|need|prefer|love)|we (?:would )?(?:like|want|need)(?: to)?|let us|let me|go ahead and|do me a favou?r and|be (?:a dear|so kind) and|"
    r"it would be (?:nice|great|good|lovely) if you (?:can|could|would)|i would be (?:grateful|happy) if you (?:could|would)|i wonder if you (?:can|could)|(?:may|can|could) (?:i|we) (?:please )?(?:have|get)|"
    r"how about|what about|try to|you (?:can|may)(?: now)?|make sure (?:to|that you)|time to|i would|please)\b ?"
)
TAIL = re.compile(
    r" ?\b(?:please|thanks|thank you|thank you very much|thanks a lot|for me|for us|right now|right away|at once|now|immediately|will you|would you|could you|can you|"
    r"if you (?:can|could|would|please|do not mind|would be so kind)|when you can|when you get a chance|as well|too|again|okay|ok|cheers|will ya|then|"
    r"or something|you know|mate|buddy|my friend|real quick|for a (?:bit|moment|second|while)|alright|instead|i think)$"
)  # fmt: skip
GERUNDS = {
    "opening": "open", "closing": "close", "turning": "turn", "setting": "set", "making": "make", "taking": "take", "navigating": "navigate",
    "lowering": "lower", "raising": "raise", "rolling": "roll", "shutting": "shut", "putting": "put", "switching": "switch", "changing": "change",
    "starting": "start", "telling": "tell", "finding": "find", "popping": "pop", "winding": "wind", "driving": "drive", "increasing": "increase",
    "decreasing": "decrease", "giving": "give", "showing": "show", "bringing": "bring", "getting": "get",
}  # fmt: skip
POLITE = re.compile(r"\bplease\b|\b(?:can|could|would|will) you\b|\bwould you mind\b|\bi would like\b|\bthanks?\b")
QUESTION = re.compile(
    r"^(?:what(?! a\b)|how|where|when|which|who|whose|why|is|are|am|was|were|do(?! not\b| (?:hers|his|mine|(?:her|his|my|the (?:passenger|driver|other|left|right|back|rear|front))(?: (?:side|one|ones|seat|window|door))?)(?: (?:too|as well|also|likewise|the same|next|please|now|again))*$)|does|did|has|have|had|should|shall|is not|are not|tell me|"
    r"can you (?:tell|see|check|say)|could you (?:tell|check|say)|do you know|i wonder|check|say what|let me know|read (?:out|me)?|"
    r"any idea|i would like to know|i want to know)\b"
)
REQUEST_QUESTION = re.compile(
    r"^(?:how about|what about|do you mind|do you think you (?:can|could)|is it (?:possible|okay|ok)|why do not you (?:just )?|have the|have my|give me (?:some|a bit|a little|more)|give me \w+ degrees|how do (?:i|we) get)\b"
)
NEGATED = re.compile(
    r"\b(?:do|does|did|should|must|would|could|can|will|shall|am|are|is|was|were) not\b(?! (?:mind|you (?:open|close|set|turn|make|take)|forget|let (?:me|us) forget))|\bnever\b|\bno need (?:to|for)\b|"
    r"\b(?:without|instead of|rather than|avoid|refrain from) \w+ing\b|\b(?:stop|quit) (?!(?:playing|navigating|guiding|directing)\b)\w+ing\b|\b(?:leave|keep) (?:it|the|my|that|them|all|everything)\b(?! (?:i|we) know the (?:way|rest|road))|\bnot (?:open|close|set|turn|now|yet|the)\b|\bno longer\b|^not\b|\bforget (?:it|about)\b"
)
REPORTED = re.compile(
    r"\b(?:he|she|they|i|we|it|mum|mom|dad|who|somebody|someone|everyone|nobody|people|[a-z]+) (?:just |then |always |never |once |had |has |have )?"
    r"(?:said|says|told|tells|asked|asks|shouted|shouts|yelled|yells|cried|replied|whispered|answered|muttered|exclaimed|wrote|goes like|was like|were like|is like|insisted|suggested|ordered|begged|wants? me to|kept saying|keeps saying)\b|"
    r"\b(?:say|repeat|read|write|spell|translate|pronounce|type)(?: it| this| that| the (?:words?|sentence|phrase))? (?:after me|out loud|the (?:words?|phrase|sentence))\b|\bsaying\b|\bquote\b|"
    r"\b(?:the )?(?:sign|text|message|book|song|lyrics?|radio|label|button|manual|article|headline|poster|movie|film) (?:said|says|reads|read|told|goes)\b|^(?:say|repeat)\b|\bcalled\b.*\bby\b|\bif (?:i|you|he|she|they|we|someone|somebody)\b(?! (?:can|could|would|please|do not mind))|"
    r"\b(?:to|and) (?:tell|ask) (?:him|her|them|mum|mom|dad|\w+) to\b|^(?:tell|ask) (?!me\b|us\b)\w+(?: \w+)? to\b|\bin the (?:book|story|movie|film|song|novel)\b"
)
KIN = (
    "mum|mom|mummy|mommy|dad|daddy|honey|darling|sweetie|sweetheart|dear|mate|dude|guys|kids|grandma|grandpa|granny|boys|girls|love|baby|bro|sis|sir|madam|"
    "officer|driver|waiter|children|everybody|folks|son|buddy"
)
OF_KIN = re.compile(
    r"\b(?:call|ring|phone|dial|telephone|up|back|to|for|from|with|of|my|our|your|his|her|their|is|and|tell|text|about|called|ask|email|message|visit|meet|see|help|thank|fetch|get|collect|invite|remind|than|at) (?:honey|darling|sweetie|sweetheart|mum|mom|dad)[.?!]*$"
)
"""Who is spoken of, and not to: "call mum"."""
NOT_NAMES = frozenset(
    [
        "no", "yes", "yeah", "yep", "okay", "ok", "please", "well", "sorry", "hey", "hi", "hello", "actually", "right", "now",
        "oh", "um", "uh", "so", "and", "then", "but", "thanks", "also", "first", "next", "alright", "sure", "wait", "stop",
        "look", "listen", "just", "good", "great", "fine", "perfect", "nice", "hmm", "not", "maybe", "perhaps", "today",
        "tomorrow", "tonight", "here", "there", "left", "really", "honestly", "finally", "meanwhile", "however", "still",
        "again", "ridealong", "jarvis", "computer", "assistant", "car", "nope", "know", "nah", "er", "erm", "ah", "quick",
        "quickly", "navigate", "cancel", "set", "open", "close", "temperature", "continue", "repeat", "resume", "proceed",
        "pardon", "louder", "quieter", "softer", "warmer", "cooler", "higher", "lower", "faster", "slower", "more", "less", "mute",
        "unmute", "play", "pause", "skip", "previous", "volume", "bluetooth", "radio", "music", "call", "dial",
        "what", "where", "when", "who", "whom", "whose", "which", "why", "how", "if", "as", "otherwise", "instead", "anyway", "after", "before",
    ]
)  # fmt: skip
NARRATED = re.compile(
    r"^(?:(?:and|so|but|then|well|as|when|while|suddenly|slowly) )*(?:he|she|they|his|her|their|it was|there was|there were|once upon)\b|\b(?:forgot|remembered|used) to\b|^(?:(?:hey|oh|and|so|do you|you|i) )*remember (?:when|that time|the time|how|that day)\b|"
    r"\b(?:yesterday|last (?:night|week|year|month)|(?:years|days|weeks|months|hours|minutes) ago)\b"
)
CORRECTION = re.compile(
    r"^(?:(?:oh|uh|um|well|wait|hang on|hold on|hey|stop|okay|ok) )*(?:"
    r"(?:no|nope|nah|sorry|actually|wrong|not that|scratch that|correction|rather|i mean|i meant|oops|my mistake|on second thou?ghts?|that is wrong|that is not right)\b"
    r"(?: (?:no|wait|sorry|actually|please|i mean|i meant|i said|i want|i wanted|let us|not that(?: one)?|that is (?:wrong|too \w+)|it should be|make (?:it|that)|change (?:it|that) to|set it to|rather|better))*|"
    r"not (?:the |my )?(?:\w+ ){1,3}?(?:one|window|side)\b(?: but)?|(?:make|change) (?:it|that)(?: to)?|i (?:meant|mean|said)|better make (?:it|that)|rather) ?"
)  # fmt: skip
