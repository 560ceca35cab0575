"""Words for a driver, for hands, or for an ambulance: nothing in the car is set for them, whatever a tagger hears in them. Pure.

    "turn left", 开快点, "drive faster"                 driving: nobody's to ask here
    "put everything away", "put it on the seat"        hands
    "I think I'm having a heart attack", 着火了         an emergency: what is to be done is said

Words that may as well change what was just spoken of ("slow down" of the wipers, "put everything back") count only where nothing was. Does not know skills.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.framing import frame
from ridealong.harness.slots.text import language, plain

_SOFT_EN: Final = r"(?:(?:please|now|just|then|okay|ok|can you|could you|will you|would you|let us|quick|quickly|hey) )*"
_END_EN: Final = r"(?: (?:please|now|then|a bit|a little|a little bit|a touch|will you|here|there|at the (?:lights?|next \w+|corner|junction)))*"
_DRIVE_EN: Final = re.compile(
    _SOFT_EN + r"(?:(?:stop|halt|park) (?:(?:the|this) (?:car|vehicle)(?: .*)?|(?:right )?here|over there|there)|(?:slow|speed) (?:the car )(?:down|up)|drive (?:\w+ )?(?:slower|faster|slow|slowly|fast|easy|carefully|on|off)|"
    r"pull (?:over|in|up)(?: .*)?|brake|accelerate|(?:turn|go|bear|keep) (?:left|right|straight(?: on| ahead)?|around|round)|turn the (?:car|wheel) .*|change lanes?|overtake .*|u turn|make a u turn)" + _END_EN
)  # fmt: skip
_DRIVE_ZH: Final = re.compile(
    r"(?:请|麻烦|师傅|你|能不能|给我|帮我)*(?:靠边.*|停车(?:吧|一下)?|把车停.*|停在.*|开快(?:一?点儿?|些)|快(?:一?点儿?)?开|开慢(?:一?点儿?|些)|慢(?:一?点儿?)?开|减速.*|加速.*|倒车.*|刹车.*|变道.*|超车.*|(?:左|右)转(?:弯)?|[往向](?:左|右)(?:开|转|拐)|直行|掉头|调头|(?:一直)?往前开)(?:吧|啊|好吗|了)*"
)
_PACE_EN: Final = re.compile(
    _SOFT_EN + r"(?:slow(?: it)? down|slow|speed(?: it)? up|go (?:\w+ )?(?:slower|faster)|(?:go )?(?:slower|faster))" + _END_EN
)
_PACE_ZH: Final = re.compile(r"(?:请|你|再)*(?:快|慢)(?:一?点儿?|些)(?:吧|啊)*")
"""Of the wipers, or of what is read out, where that was spoken of."""
_HANDS_EN: Final = re.compile(
    _SOFT_EN + r"(?:(?:put|pick|take|bring|tidy|throw|clear|clean) (?:everything|all of it|it all|the lot|them all|that|it|this) (?:away|out)|(?:put|pick|bring|take|clear) (?:everything|all of it|the lot) (?:up|down|together)|"
    r"(?:put|lay|leave|throw|drop) (?:it|that|them|everything|this|those) (?:down )?(?:on|in|into|under|behind) (?:the|my|your|a) (?:\w+ )?(?:seats?|table|floor|dash(?:board)?|shelf|bag|boot|trunk|back|pocket|glove ?box|console|cup ?holder))" + _END_EN
)  # fmt: skip
_HALTS_EN: Final = re.compile(
    r"(?:(?:please|no|hey|wait|now) )*(?:stop|halt|freeze|hold) (?:(?:the|my|that|this|his|her|all|both|of|moving|rear|back|front|left|right|driver s|passenger s) )*(?:windows?|sun ?roof|roof|boot|trunk|tailgate|seats?|blinds?)(?: (?:there|here|now|please|right there|where it is|moving|opening|closing))*"
)
_HALTS_ZH: Final = re.compile(
    r"(?:请|快|先|把)*(?:停(?:下|住|止|一下)?|别动)(?:(?:左|右|前|后|主驾|副驾|我|那)*的?)(?:车?窗户?|天窗|后备箱|尾门|座椅)(?:吧|了)?|(?:把)?(?:车?窗户?|天窗|后备箱|尾门|座椅)(?:停(?:下来?|住|一下)?|别动)(?:了|吧)?"
)
"""What moves is halted as work (skills/work.py); what stands still is not set by it."""
_BACK_EN: Final = re.compile(_SOFT_EN + r"(?:(?:put|bring|take|get) everything back|everything back|(?:go|come) back)" + _END_EN)
_EMERGENCY_EN: Final = re.compile(
    r"(?:\b(?:i am|i think i am|we are|she is|he is|is) having (?:a|an) (?:heart attack|stroke|seizure|asthma attack)\b|\bi (?:can not|cannot|can hardly) breathe\b|^(?:help )?(?:this is )?an? ?emergency$|^emergency$|"
    r"^(?:there is (?:a )?fire|(?:the )?(?:car|engine|we) (?:is|are) on fire|fire)$|\b(?:my|his|her) (?:chest|heart) (?:hurts|aches)\b|\bchest pains?\b|^(?:please )?(?:call|get) (?:an|the) (?:ambulance|fire brigade|police)$|\bwe (?:have )?(?:had|crashed|have crashed) (?:an accident)?$)"
)
_EMERGENCY_ZH: Final = re.compile(
    r"救命|^(?:车|发动机)?(?:着火|起火)了|(?:我|他|她|妈|爸)?(?:的)?(?:心脏|胸口)(?:有点|很|好|突然)*(?:不舒服|疼|痛|难受|闷)|心脏病(?:发|犯)|(?:喘|呼吸)不(?:上|过|了)气?|^(?:快)?叫(?:救护车|警察)|出车祸了|^紧急情况"
)


def beyond_us(text: str, locale: str, follows: bool) -> str:
    """ "driving", "emergency", "no_work" to halt what stands still, "unsupported" for hands; "" where the words may be for the car. `follows`: something was asked for just before."""
    zh, form = language(text, locale) == "zh", plain(text, locale)
    framing = frame(text, locale)
    if (_EMERGENCY_ZH if zh else _EMERGENCY_EN).search(form) and not (framing.question or framing.reported or framing.negated):
        return "emergency"
    if (_DRIVE_ZH if zh else _DRIVE_EN).fullmatch(form) or (not follows and (_PACE_ZH if zh else _PACE_EN).fullmatch(form)):
        return "driving"
    if (_HALTS_ZH if zh else _HALTS_EN).fullmatch(form):
        return "no_work"
    hands = not zh and (_HANDS_EN.fullmatch(form) or (not follows and _BACK_EN.fullmatch(form)))
    return "unsupported" if hands else ""
