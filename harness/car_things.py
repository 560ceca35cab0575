"""What cars have and people name, by the capability or group that it belongs to. Pure words: where they stand is for the callers to say.

Each name as a regular expression over the plain form, the longest first. Does not know skills: a name may be of a thing that this car has not.
"""

from __future__ import annotations

from typing import Final

NAMES_EN: Final = {
    "sunroof": r"sun ?roof|roof",
    "trunk": r"boot|trunk|tailgate",
    "windows": r"windows?",
    "locks": r"doors?|child locks?",
    "lights.ambient": r"(?:ambient|mood) (?:lights?|lighting)",
    "lights": r"(?:cabin|interior|inside|reading|dome|ambient|mood) (?:lights?|lighting)|lights?|brightness|screen|display",
    "wipers": r"(?:windscreen |windshield )?wipers?",
    "media": r"volume|music|radio",
    "seats": r"seat (?:heating|heaters?|heat|warmers?|cooling|ventilation)|heated seats?|seats?",
    "climate": (
        r"ac|a c|air ?con|air conditioning|air conditioner|heating|heater|fan|blower|temperature|temp|(?:heated )?steering wheel(?: heating| heater)?|"
        r"(?:windscreen |windshield )?(?:defrost(?:er)?|demister|defogger)|(?:air )?recirculation|recirc"
    ),
}
NAMES_ZH: Final = {
    "sunroof": r"天窗|遮阳[帘板]",
    "trunk": r"后备箱|尾门|后尾箱",
    "windows": r"车?窗户?|玻璃",
    "locks": r"儿童锁|车门|门锁|车锁",
    "lights.ambient": r"氛围灯",
    "lights": r"阅读灯|车内灯|顶灯|氛围灯|车灯|灯光?|亮度|屏幕",
    "wipers": r"雨刷器?|雨刮器?",
    "media": r"收音机|广播|电台|音乐|音量",
    "seats": r"(?:座椅|座位|坐垫)(?:加热|通风|制冷|按摩)|座椅",
    "climate": (r"空调|冷气|暖气|暖风|制冷|温度|风量|风扇|方向盘加热|(?:前|后)?(?:挡|挡风玻璃|风挡|窗)?(?:除雾|除霜)|[内外]循环"),
}
ANY_EN: Final = f"(?:{'|'.join(NAMES_EN.values())})"
ANY_ZH: Final = f"(?:{'|'.join(NAMES_ZH.values())})"


def names_of(capability: str, chinese: bool) -> str:
    """The names of what the capability is about; "" where it is about no thing of the car."""
    names = NAMES_ZH if chinese else NAMES_EN
    return names.get(capability) or names.get(capability.partition(".")[0], "")
