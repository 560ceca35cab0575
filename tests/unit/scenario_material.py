"""A handful of texts for scenarios, and a studio that speaks them without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.scenario import Split
from ridealong.simulators.scenarios.speech import Syllables


def english(mark: str) -> dict[str, Any]:
    return {
        "replies": [
            {"id": "tyres", "text": f"Tyre pressure {mark} should be checked once a month. Do it while the tyres are cold."},
            {
                "id": "bridge",
                "text": f"The bridge {mark} was opened in eighteen ninety. It took eleven years and cost twice the estimate.",
            },
        ],
        "backchannels": [f"mm-hm {mark}", f"right {mark}", f"okay {mark}"],
        "other_directed": [
            f"Anna, put your seat belt on {mark}",
            f"no, the blue one {mark}",
            f"give that to your brother {mark}",
        ],
        "background": [f"and now the weather {mark}", f"turn left in two hundred metres {mark}", f"are we there yet {mark}"],
        "interruptions": {
            "stop": [f"stop {mark}", f"that's enough {mark}"],
            "correct": [{"reply": "tyres", "text": f"no, I meant the spare one {mark}"}, f"not that {mark}"],
            "redirect": [{"text": f"take me home instead {mark}"}],
            "follow_up": [{"reply": "bridge", "text": f"who built it {mark}"}],
        },
        "requests": [f"close the window {mark}", f"how warm is it outside {mark}"],
        "hesitations": [f"turn on the … um … the heating {mark}", f"call … my sister {mark}"],
    }


def chinese(mark: str) -> dict[str, Any]:
    return {
        "replies": [{"id": "桥", "text": f"这座桥{mark}建成于一八九〇年，花了十一年，费用是预算的两倍。"}],
        "backchannels": [f"嗯{mark}", f"好{mark}"],
        "other_directed": [f"小明把安全带系好{mark}", f"妈妈一会儿就到{mark}"],
        "background": [f"下面播报天气{mark}", f"前方两百米左转{mark}"],
        "interruptions": {
            "stop": [f"别说了{mark}"],
            "correct": [f"不对我说的是明天{mark}"],
            "redirect": [f"还是先回家吧{mark}"],
            "follow_up": [f"是谁建的{mark}"],
        },
        "requests": [f"把车窗关上{mark}"],
        "hesitations": [f"打开那个…呃…空调{mark}"],
    }


def written(folder: Path) -> Path:
    """The texts of both splits as files."""
    for split, mark in ((Split.TUNE, "one"), (Split.REPORT, "two")):
        for locale, texts in (("en", english(mark)), ("zh", chinese({"one": "甲", "two": "乙"}[mark]))):
            path = folder / split.value / f"{locale}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(yaml.safe_dump(texts, allow_unicode=True), encoding="utf-8")
    return folder


def studio(folder: Path, split: Split = Split.REPORT) -> Studio:
    return Studio.of(split, Syllables(), texts=written(folder))
