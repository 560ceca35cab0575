"""A number that is set, of something that has no temperature: "set the scent to 30", 座椅调到三十. Pure.

Does not know what else there is, or whether a skill has it.
"""

from __future__ import annotations

import re
from typing import Final

_BRIGHTNESS: Final = re.compile(r"\bbrightness\b|亮度")
_OF_ANOTHER: Final = re.compile(
    r"\b(?:scent|fragrance|perfume|massage|volume|screen|wipers?|mirrors?)\b|^(?:(?:please|can you|could you) )?(?:set|put|turn|move|adjust) (?:the|my) seats? (?:to|at)\b|"
    r"香氛|香薰|香味|按摩|音量|屏幕|雨刮|雨刷|后视镜|方向盘|^(?:请|帮我|把)*(?:我的?)?(?:座椅|座位|椅子)(?:调|设|开)"
)
_OF_WARMTH: Final = re.compile(
    r"\b(?:temp\w*|degrees?|warm\w*|cool\w*|heat\w*|hot|cold|ac|air|climate|celsius|fahrenheit)\b|温|度|空调|冷|热|暖|凉"
)


def of_another(form: str) -> bool:
    """Of words in the plain form: their number is no temperature."""
    return bool(_BRIGHTNESS.search(form) or (_OF_ANOTHER.search(form) and not _OF_WARMTH.search(form)))
