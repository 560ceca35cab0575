"""Two requests in one sentence are what each is alone, whatever joins them and in either order: pairs of a grid, the same ones each time."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from random import Random

import pytest

from ridealong.harness.router import Calls
from tests.unit.car_words import decide

pytestmark = pytest.mark.unit
ASKED = {
    "zh": (
        "打开天窗", "打开主驾车窗", "关上所有车窗", "把温度调到23度", "温度调高一点", "打开座椅加热", "副驾座椅加热开到高档", "打开除雾", "打开内循环", "音量调到30",
        "声音小一点", "下一首", "播放音乐", "导航去机场", "还有多远", "电量还有多少", "打电话给妈妈", "阅读灯打开", "氛围灯调成蓝色", "雨刷开快一点", "车里现在多少度",
        "锁车门", "打开后备箱", "关掉空调", "胎压正常吗", "风量四十", "主驾二十一度",
    ),
    "en": (
        "open the sunroof", "open my window", "close all the windows", "set the temperature to 23", "make it a bit warmer", "set the fan to 40 percent", "turn on my seat heating",
        "set the passenger's seat heating to high", "turn on the defroster", "turn on recirculation", "set the volume to 30", "turn the music down", "next song",
        "play some music", "navigate to the airport", "how much range do we have", "call mum", "turn on the reading light", "make the ambient light blue",
        "wipers faster", "what's the temperature in here", "lock the doors", "open the boot", "turn off the AC", "is the tyre pressure okay", "fan at fifty", "make it nineteen degrees please",
    ),
}  # fmt: skip
JOINERS = {"zh": ("，", "然后", "，再", "，顺便"), "en": (" and ", ", ", " and then ", ", also ")}
SHARE = 160
"""So many pairs of a language are tried."""
RATHER = frozenset({"next song", "下一首"})
"""Beside a change of the volume it may be said what is to be heard instead."""

Made = frozenset[tuple[str, tuple[tuple[str, str], ...]]]


@lru_cache(maxsize=1024)
def made(text: str) -> Made:
    decision = decide(text)
    assert isinstance(decision, Calls), text
    return frozenset(
        (one.capability, tuple(sorted((name, str(value)) for name, value in one.arguments.items()))) for one in decision.matches
    )


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_two_requests_are_what_each_is_alone(locale: str) -> None:
    pairs = [(one, other, joiner) for one, other in permutations(ASKED[locale], 2) for joiner in JOINERS[locale]]
    wrong = []
    for one, other, joiner in Random(1).sample(pairs, SHARE):
        wanted = made(one) | made(other)
        told = [capability for part in (one, other) for capability, _ in made(part)]
        if len(set(told)) < len(told) or (RATHER & {one, other} and "media.change_volume" in told):
            continue  # the second value may stand for the first
        if made(one + joiner + other) != wanted:
            wrong.append((one + joiner + other, sorted(made(one + joiner + other) ^ wanted)))
    assert not wrong


@pytest.mark.parametrize(
    ("text", "capabilities"),
    [
        ("open the window and make it nineteen degrees please", ["windows.set_position", "climate.set_temperature"]),
        ("can you open the left rear window, and fan to 30", ["windows.set_position", "climate.set_fan"]),
        ("AC关掉然后打开车窗", ["climate.switch", "windows.set_position"]),
        ("离杭州多远。前后的窗全打开透透气", ["navigation.where_is", "windows.set_position"]),
        ("turn on recirculation and then how much range do we have", ["climate.switch", "status.range"]),
        ("下一首，打开天窗", ["media.transport", "sunroof.set"]),
        ("hey assistant, open my window, open the sunroof", ["windows.set_position", "sunroof.set"]),
        ("切成外循环，再锁车门", ["climate.switch", "locks.lock"]),
    ],
)
def test_neither_part_is_lost_to_the_other(text: str, capabilities: list[str]) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls) and [one.capability for one in decision.matches] == capabilities
    places = [one.arguments["place"] for one in decision.matches if "place" in one.arguments]
    assert places in ([], ["杭州"])
    assert not any(one.arguments.get("action") == "previous" for one in decision.matches)


@pytest.mark.parametrize(
    "text",
    ["remind me in 10 minutes to call mum and set a timer for 5 minutes", "set a timer for 5 minutes and remind me in 10 minutes to call mum"],
)  # fmt: skip
def test_a_reminder_beside_a_timer_is_no_second_timer(text: str) -> None:
    decision = decide(text)
    assert isinstance(decision, Calls)
    assert sorted((one.capability, one.arguments.get("duration_s") or one.arguments.get("in_s")) for one in decision.matches) == [
        ("reminder.set", 600),
        ("timer.set", 300),
    ]
