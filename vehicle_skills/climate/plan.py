"""Cabin climate: words -> arguments. Pure.

Does not know what is written for them (effects.py), the gateway or the policy.
"""

from __future__ import annotations

import re

from ridealong.harness.interjections import answer
from ridealong.harness.reading import Reading
from ridealong.harness.skill import Context, Match
from ridealong.harness.slots.percent import find_percent
from ridealong.harness.slots.relative import Relative, find_relative
from ridealong.harness.slots.temperature import Doubt, Temperature, as_target, find_temperatures
from ridealong.harness.slots.zone import find_zone
from ridealong.vehicle_skills.car import (
    asks,
    is_recent,
    number,
    recent_argument,
    temperature_unit,
    which_side,
    zone_argument,
)
from ridealong.vehicle_skills.climate.of_another import of_another
from ridealong.vehicle_skills.signals import AIR_CONDITIONING, FRONT_DEFROSTER, REAR_DEFROSTER, RECIRCULATION, fan_speed

SET, CHANGE, FAN, SWITCH = "climate.set_temperature", "climate.change_temperature", "climate.set_fan", "climate.switch"
ZONES = ("row1.driver", "row1.passenger", "row1")
SWITCHES = {
    "air_conditioning": AIR_CONDITIONING,
    "recirculation": RECIRCULATION,
    "front_defroster": FRONT_DEFROSTER,
    "rear_defroster": REAR_DEFROSTER,
}
FAN_STEP = 20

_OTHER_EN = (
    r"windows?|volume|fan|blower|timer|alarm|minutes?|hours?|km|kilometres?|miles?|speed|sunroof|seats?|brightness|percent|radio|station|lights?|"
    r"bluetooth|louder|quieter|music|cruise|route|road|street|exit|outside|oven|today|tomorrow|yesterday|tonight|cent|dollars?|euros?|wheel|mirrors?|coffee|tea|engine|bottle|mug|hands?|dinner|food|bed|house|home"
)
_OTHER_ZH = r"窗|音量|风量|风速|风扇|定时|计时|分钟|小时|公里|车速|天窗|座椅|亮度|百分|%|音乐|外面|室外|点钟|块|元|号|频道|挡|档|方向盘|后视镜|发动机|咖啡|饭|菜|手机|灯|双闪|远光|近光"
_VERB_EN = (
    r"set|make|turn|put|change|adjust|bring|get|raise|lower|increase|decrease|reduce|drop|crank|heat|cool|warm|dial|switch|bump|have|give|keep|"
    r"go|go for|want it|regulate|ramp|boost|keep it|take|knock"
)
_OBJECT_EN = (
    r"temperature|temp|heat|heating|heater|climate(?: control)?|air ?con(?:ditioning|ditioner)?|ac|thermostat|cabin|interior|inside|in here|it|car|"
    r"that|everything|the air|cooling|degrees?|hvac|level|setting"
)
_VERB_ZH = r"调整?到|调成|调至|调|设置?为|设置?成|设置?到|设定为|设定到|设定|设置?|设|开到|升高?到|降低?到|升到|降到|弄到|弄成|改成|改为|改到|换到|换成|保持在|打到|变成|到|要|加到|减到|升|降"
_OBJECT_ZH = r"空调|温度|车内温度|车里|车内|冷气|暖气|暖风|里面|座舱"


def _target_match(
    reading: Reading, temperature: Temperature, context: Context, base: float, capability: str = SET
) -> Match | None:
    zone_said = find_zone(reading.core, reading.locale)
    reading.slot(zone_said)
    refers = zone_said is None and (reading.frame.correction is not None or asks(context, capability))
    inherited = recent_argument(context, "climate.", "zone") if refers else None
    zone = (str(inherited), "context:recent") if inherited is not None else zone_argument(zone_said, context, "row1.driver")
    if zone is None:
        return Match(capability, reading.score(base), missing=("zone",), question=which_side(reading.locale))
    name = {"all": "row1", "driver_side": "row1.driver", "passenger_side": "row1.passenger"}.get(zone[0], zone[0])
    target = as_target(temperature, temperature_unit(context.read), reading.locale)
    if isinstance(target, Doubt):
        proposed = {} if target.proposal is None else {"target": target.proposal}
        grounds = {"zone": zone[1]} | ({"target": target.words} if proposed else {})
        return Match(capability, reading.score(base), {"zone": name, **proposed}, grounds, ("target",), target.question)
    if name not in ZONES:
        question = (
            "后排没有单独的温度设置。要调前排吗？"
            if reading.zh
            else "The rear has no temperature of its own. Shall I set the front?"
        )
        return Match(capability, reading.score(base), {"target": target.celsius}, {"target": target.words}, ("zone",), question)
    return Match(
        capability, reading.score(base), {"target": target.celsius, "zone": name}, {"target": target.words, "zone": zone[1]}
    )


def recognise_set(text: str, locale: str, context: Context) -> Match | None:
    proposed = proposal(text, locale, context)
    if proposed is not None:
        return proposed
    reading = Reading(text, locale)
    recent = is_recent(context, "climate.")
    if not reading.zh and reading.has("was|were|will|reached|reaches|reach|highs?|lows?|expected|forecast|had|been"):
        return None
    if reading.frame.correction is not None:
        reading.core = reading.frame.correction
    if reading.has(_OTHER_ZH if reading.zh else _OTHER_EN) or of_another(reading.frame.text):
        return None
    temperatures = find_temperatures(reading.core, reading.locale)
    if temperatures and find_relative(reading.core, reading.locale) is not None and _step_said(reading, temperatures[-1]):
        return None
    thing = reading.has(
        _OBJECT_ZH
        if reading.zh
        else r"temperature|temp|heat|heating|climate(?: control)?|air ?con(?:ditioning|ditioner)?|ac|thermostat|degrees?|hvac|in here"
    )
    if reading.zh:
        verb = reading.take(_VERB_ZH)
    else:
        verb = re.match(rf"(?:{_VERB_EN})\b", reading.core)
        reading.take(_VERB_EN)
    reading.take(_OBJECT_ZH if reading.zh else _OBJECT_EN)
    if not temperatures:
        if (
            thing
            and verb
            and re.fullmatch(
                r"(?:set|change|adjust) (?:the )?(?:cabin |car |inside )?(?:temperature|temp|thermostat|climate control)|(?:调|设|调整|设置)(?:一下)?(?:空调|车内)?温度|(?:空调|温度)(?:调|设置|调整)",
                reading.core,
            )
        ):
            question = "要调到多少度？" if reading.zh else "What temperature would you like?"
            return Match(SET, reading.score(0.9), missing=("target",), question=question)
        return None
    temperature = temperatures[-1]
    if asks(context, FAN) and not thing and not temperature.degrees_said:
        return None  # a bare number is the answer to our own question
    reading.slot(temperature)
    reading.take(r"到|为|成|左右" if reading.zh else r"to|at|around|about|exactly|of|ish|inside|for")
    fraction = temperature.value != int(temperature.value)
    plausible = not isinstance(as_target(temperature, temperature_unit(context.read), locale), Doubt)
    if asks(context, SET) and temperature.span == (0, len(reading.core)):
        base = 0.95  # the bare answer to our own question
    elif reading.frame.correction is not None:
        if not (recent or thing or temperature.degrees_said):
            base = 0.62 if plausible and not context.before else 0.3
        else:
            base = 0.95
    elif verb and thing:
        base = 0.95
    elif verb and (temperature.degrees_said or plausible or recent):
        base = 0.9 if plausible else 0.72
    elif verb and re.match(r"(?:set|make|turn)\b|设|调", reading.core):
        base = 0.7
    elif thing and not temperature.degrees_said and not reading.zh and len(reading.core.split()) > 6:
        base = 0.5
    elif thing or temperature.degrees_said:
        base = 0.8
    elif plausible and (fraction or recent or reading.frame.polite):
        base = 0.78
    else:
        base = 0.4
    return _target_match(reading, temperature, context, base)


def proposal(text: str, locale: str, context: Context) -> Match | None:
    """A yes to our own "Do you mean 72 degrees Fahrenheit?"."""
    if not asks(context, SET) or answer(text, locale) is not True:
        return None
    arguments = context.recent[0].arguments
    if "target" not in arguments or "zone" not in arguments:
        return None
    return Match(
        SET,
        0.97,
        {"target": arguments["target"], "zone": arguments["zone"]},
        {"target": "context:answer", "zone": "context:answer"},
    )


def _step_said(reading: Reading, temperature: Temperature) -> bool:
    """The number is an amount of change, not a target: small, or said with "by"."""
    before = reading.core[: temperature.span[0]]
    return temperature.value < 10 or re.search(r"\bby\s*$", before) is not None


def recognise_change(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if reading.frame.correction is not None:
        reading.core = reading.frame.correction
    if reading.has(_OTHER_ZH if reading.zh else _OTHER_EN):
        return None
    helps = _after_feeling(reading)
    recent = helps != 0 or is_recent(context, "climate.")
    direction, manner, amount, words, base = 0, "plain", None, "", 0.0
    feeling = _feeling(reading)
    relative = find_relative(reading.core, reading.locale)
    if feeling is not None:
        direction, words, base = feeling
    elif relative is not None:
        base = _change_base(reading, relative, recent)
        if base == 0.0 or (relative.amount or 0) > 9:
            return None
        reading.slot(relative)
        direction, manner, amount, words = relative.direction, relative.manner, relative.amount, relative.words
        if helps and re.search("[大强]", relative.words):
            direction = helps  # "I'm hot, turn the air conditioning up": more of it, not more degrees
    else:
        return None
    reading.take(_OBJECT_ZH if reading.zh else _OBJECT_EN)
    reading.take(
        _VERB_ZH + r"|度|一度|再|点|感觉|觉得|弄"
        if reading.zh
        else _VERB_EN + r"|by|degrees?|a notch|notch|lot|much|way|another|want|would like|still|feel|feeling"
    )
    zone_said = find_zone(reading.core, reading.locale)
    reading.slot(zone_said)
    zone = zone_argument(zone_said, context, "row1.driver")
    if zone is None:
        return Match(CHANGE, reading.score(base), missing=("zone",), question=which_side(reading.locale))
    name = zone[0] if zone[0] in ZONES else "row1"
    if temperature_unit(context.read) == "F":
        step = (amount if amount is not None else {"bit": 2, "plain": 3, "lot": 6}[manner]) * 5 / 9
    else:
        step = amount if amount is not None else {"bit": 1.0, "plain": 1.5, "lot": 3.0}[manner]
    delta = round(direction * step, 2)
    return Match(CHANGE, reading.score(base), {"delta": delta, "zone": name}, {"delta": words, "zone": zone[1]})


_COLD_EN = r"(?:i am|i feel|we are|i am feeling|it is|it feels|it is getting|i am getting)(?: (?:a bit|a little|too|so|really|very|rather|pretty|quite|still|way too|kind of|feeling|freaking))* (cold|freezing|chilly|hot|boiling|warm|stuffy|sweating|roasting|cool)(?: in here| in the car| inside| back here| here| now)?"
_COLD_ZH = r"(?:我|我们|车里|车内|里面|这里|这儿)?(?:觉得|感觉)?(?:(?:有点儿?|太|好|很|真|还是|有些)(冷|热|凉|闷热|闷)(?:了|啊|死了)?|(冷|热)死(?:我)?了)"


_HOT = ("hot", "boiling", "warm", "stuffy", "sweating", "roasting", "热", "闷热", "闷")


def _feeling(reading: Reading) -> tuple[int, str, float] | None:
    """ "I'm cold" -> warmer."""
    form = reading.frame.text if not reading.zh else reading.frame.text.rstrip("吧啊呀哦")
    form = re.sub(r"^(?:um+|uh+|oh|well|so|hey|okay|sorry|hmm|but|and|ridealong|jarvis) ", "", form)
    m = re.fullmatch(_COLD_ZH if reading.zh else _COLD_EN, form)
    if m is None:
        return None
    felt = next(word for word in m.groups() if word)
    if not reading.zh and felt in ("warm", "cool") and not re.search(r"\btoo\b", form):
        return None
    reading.core = m.group()
    reading.take(re.escape(m.group()))
    direction = -1 if felt in _HOT else 1
    return direction, felt, 0.75


def _after_feeling(reading: Reading) -> int:
    """ "It's a bit hot, turn it down": what is asked for stands behind the feeling, which only says what it is about.

    The direction that would help, or 0 when there is no such pair."""
    m = re.match(
        rf"(?:{_COLD_ZH})的?话?" if reading.zh else rf"(?:{_COLD_EN})(?: so| and| could you| can you| please)*(?= )", reading.core
    )
    rest = reading.core[m.end() :].strip() if m is not None else ""
    if not rest or find_relative(rest, reading.locale) is None:
        return 0
    felt = next(word for word in m.groups() if word) if m is not None else ""
    reading.core = rest
    return -1 if felt in _HOT else 1


def _change_base(reading: Reading, relative: Relative, recent: bool) -> float:
    if reading.zh:
        thing = reading.has(_OBJECT_ZH)
        degrees = reading.has(r"[一二两三四五六七八九十\d]度|半度")
        temperature_word = re.search(r"热|暖|冷|凉|温", relative.words) is not None
        if thing and not re.search(r"^(?:开|关|打开|关闭)", reading.core):
            return 0.93
        if degrees:
            return 0.9
        state = re.search(r"点儿?[冷热凉暖闷]", reading.core)  # "有点冷" tells how it is; "冷一点" asks for it
        if temperature_word and state is None and re.search(r"点|些|一度", reading.core):
            return 0.88
        return 0.85 if recent and re.search(r"[高低大小]", relative.words) else 0.0
    thing = reading.has(
        r"temperature|temp|heat|heating|heater|climate(?: control)?|air ?con(?:ditioning|ditioner)?|ac|thermostat|degrees?|cooling"
    )
    comparative = re.search(r"\b(?:warmer|hotter|cooler|colder|chillier)\b", reading.core)
    verb = re.match(
        rf"(?:{_VERB_EN}|a|an|one|two|three|up|down|warmer|hotter|cooler|colder|little|bit|slightly|much|some|more|less|half|another)\b",
        reading.core,
    )
    if comparative and (verb or len(reading.core.split()) <= 5) and not re.search(r"\bthan\b", reading.core):
        return 0.93
    if re.match(
        r"(?:warm|heat|cool) (?:it|the car|us|things|me|this|the cabin|everything)?\s?(?:up|down|off)?\b", reading.core
    ) and reading.has(r"up|down|off|cabin|car"):
        return 0.9
    if verb and thing:
        return 0.93
    if verb and re.search(r"\b(?:up|down)\b", reading.core) and (recent or relative.amount is not None):
        return 0.8
    if recent and relative.manner != "plain" and len(reading.core.split()) <= 5:
        return 0.75
    return 0.0


def recognise_fan(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    thing = reading.take(
        r"风量|风速|风扇|出风|(?<![暖热])风" if reading.zh else r"fan(?: speed)?|fans|blower|air ?flow|ventilation"
    )
    if thing is None and is_recent(context, FAN, 30_000):  # "set the speed to 60", of what was spoken of
        thing = reading.take("速度" if reading.zh else "speed")
    if thing is None or reading.has("挡风|风景|兜风" if reading.zh else r"sports? fans?|fan of|football"):
        return None
    verb = reading.take(
        r"调到|调成|调|设为|设|开到|开|关掉|关|打开|加|减"
        if reading.zh
        else r"set|turn|put|make|change|adjust|increase|decrease|raise|lower|reduce|crank|switch|give|boost|bump|drop|speed|strength"
    )
    percent = find_percent(reading.core, reading.locale)
    relative = find_relative(reading.core, reading.locale)
    reading.take("到|至" if reading.zh else r"to|at|speed|off|on|level|power|strength|max|maximum|minimum|low|high|medium")
    base = 0.93 if verb else 0.75
    if reading.has(r"关掉|关闭|关" if reading.zh else r"off"):
        return Match(FAN, reading.score(base), {"speed": 0}, {"speed": "关" if reading.zh else "off"})
    if percent is not None and not percent.vague:
        reading.slot(percent)
        return Match(FAN, reading.score(base), {"speed": round(percent.value)}, {"speed": percent.words})
    full = reading.take(
        r"最大|最强|拉满|开满|顶格" if reading.zh else r"full(?: blast| power| speed)?|max(?:imum)?|all the way up|highest"
    )
    if full is not None:
        return Match(FAN, reading.score(base), {"speed": 100}, {"speed": full.group()})
    least = reading.take(r"最小|最低|最弱" if reading.zh else r"min(?:imum)?|lowest|low")
    if least is not None:
        return Match(FAN, reading.score(base), {"speed": 20}, {"speed": least.group()})
    steps = find_temperatures(reading.core, reading.locale)
    if steps and relative is None:
        reading.slot(steps[0])
        question = "您是说百分之多少？" if reading.zh else "This car sets the fan in percent. How many percent?"
        return Match(FAN, reading.score(base), missing=("speed",), question=question)
    if relative is not None:
        reading.slot(relative)
        now = number(context.read, fan_speed("Row1", "Driver"))
        if now is None:
            question = (
                "我不知道现在的风量。要调到百分之多少？"
                if reading.zh
                else "I don't know the fan's speed now. How many percent would you like?"
            )
            return Match(FAN, reading.score(base), missing=("speed",), question=question)
        value = int(min(max(round(now) + relative.direction * FAN_STEP, 0), 100))
        return Match(FAN, reading.score(base), {"speed": value}, {"speed": relative.words})
    return None


_THINGS_EN = {
    "air_conditioning": r"air ?con(?:ditioning|ditioner)?|ac|aircon|climate(?: control)?|cooling",
    "recirculation": r"recirculation|recirculate|recirculating|recirc|inside air|fresh air|outside air|air recirculation",
    "rear_defroster": r"(?:rear|back)(?: window| screen| windshield| windscreen)? (?:defrost(?:er)?|defog(?:ger)?|demist(?:er)?|heater|heating)|(?:defrost(?:er)?|defog(?:ger)?|demist(?:er)?)(?: the| on the)? (?:rear|back)(?: window| screen| windshield| windscreen)?|heated rear window",
    "front_defroster": r"(?:front |windshield |windscreen )*(?:defrost(?:er|ing)?|defog(?:ger)?|demist(?:er)?)(?: the| on the)?(?: front)?(?: windshield| windscreen| window| glass)?|clear the (?:windshield|windscreen)|windshield is (?:fogged|foggy|misty)",
}
_THINGS_ZH = {
    "rear_defroster": r"后(?:风挡|挡风玻璃|挡|窗|面|玻璃)的?(?:玻璃)?(?:除雾|除霜|加热)(?:功能)?|(?:除雾|除霜)后(?:风挡|挡|窗)",
    "front_defroster": r"(?:前)?(?:风挡|挡风玻璃|挡|窗|玻璃)?的?(?:玻璃)?(?:除雾|除霜)(?:功能)?",
    "recirculation": r"内循环|外循环",
    "air_conditioning": r"空调|冷气|制冷|ac",
}


def recognise_switch(text: str, locale: str, context: Context) -> Match | None:
    reading = Reading(text, locale)
    if find_temperatures(reading.core, reading.locale):
        return None
    for thing, pattern in (_THINGS_ZH if reading.zh else _THINGS_EN).items():
        words = reading.take(pattern)
        if words is None:
            continue
        on = reading.take(
            r"打开|开启|启动|开(?!到|一)|切换到|切到|换成|使用|用"
            if reading.zh
            else r"on|start|activate|enable|use|engage|run|clear|is fogged|is foggy|need|blast"
        )
        off = reading.take(
            r"关闭|关掉|关上|关了|关|停掉|停止" if reading.zh else r"off|stop|deactivate|disable|kill|cut|shut off|end"
        )
        reading.take(r"" if reading.zh else r"turn|switch|put|power|shut|get|mode|function")
        if reading.zh and reading.has(r"高|低|度|大|小"):
            return None
        if (
            not reading.zh
            and on is None
            and off is None
            and re.match(r"(?:defrost|defog|demist|clear|recirculate)\b", reading.core)
        ):
            on = words
        if not reading.zh and (find_relative(reading.core, reading.locale) is not None) and on is None and off is None:
            return None
        if on is None and off is None:
            return None
        turn_on = off is None
        if words.group() in ("外循环", "fresh air", "outside air"):
            turn_on = not turn_on
        verb = (
            reading.zh
            or re.match(
                r"(?:turn|switch|put|start|activate|enable|use|stop|deactivate|disable|kill|cut|shut|defrost|defog|demist|clear|recirculate|power|run|get|blast|engage|ac|air|need|rear|front|end)\b",
                reading.core,
            )
            is not None
        )
        ground = (on or off or words).group()
        return Match(
            SWITCH, reading.score(0.93 if verb else 0.6), {"thing": thing, "on": turn_on}, {"thing": words.group(), "on": ground}
        )
    return None
