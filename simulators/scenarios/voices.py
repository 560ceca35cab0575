"""Who speaks in scenarios: voices made from Kokoro's style vectors, none of them the assistant's, none in both splits.

A style has two halves: the first 128 numbers colour the sound (timbre), the last 128 drive melody and rhythm (prosody). A voice is a
blend of timbres, a blend of prosodies, a pace, and a shift: synthesised at 1/shift of the pace and played `shift` times as fast, which
moves pitch and formants together, as a shorter or longer vocal tract does. All of it is fixed; nothing is drawn.

English: every base belongs to one split. Chinese: timbres come from the split's own bases; there are only two Chinese prosodies
(zm_yunxi, zf_xiaoxiao), so both splits blend them, never in the same proportion. The assistant's own af_heart is in no voice, and of
zf_xiaoxiao only prosody below a share of 0.75.

Does not know: the model that speaks, texts, or what a scenario is.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from ridealong.simulators.scenarios.scenario import Split

STYLE_SHAPE = (510, 1, 256)
TIMBRE = 128
ASSISTANT = ("af_heart", "zf_xiaoxiao")
HERE = ("af_bella", "am_puck")
BASES = {
    Split.TUNE: ("am_michael", "bf_emma"),
    Split.REPORT: ("af_bella", "am_puck", "bm_george", "zm_yunxi"),
}
"""Whose timbre a split may use."""

Blend = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """`shift` above 1: a smaller speaker, higher. `pace`: of speech as heard, 1 is Kokoro's own."""

    name: str
    split: Split
    locale: str
    timbre: Blend
    prosody: Blend
    shift: float = 1.0
    pace: float = 1.0

    def style(self) -> NDArray[np.float32]:
        """[510, 1, 256]"""
        made = blended(self.timbre)
        made[..., TIMBRE:] = blended(self.prosody)[..., TIMBRE:]
        return made

    @property
    def synthesis_speed(self) -> float:
        return self.pace / self.shift

    def fingerprint(self) -> str:
        """Changes with everything that can be heard."""
        digest = hashlib.sha256(self.style().tobytes())
        digest.update(f"{self.shift:.4f} {self.pace:.4f}".encode())
        return digest.hexdigest()[:16]


def blended(blend: Blend) -> NDArray[np.float32]:
    total = sum(share for _, share in blend)
    made = np.zeros(STYLE_SHAPE, dtype=np.float64)
    for base, share in blend:
        made += base_style(base) * (share / total)
    return made.astype(np.float32)


@cache
def base_style(name: str) -> NDArray[np.float32]:
    package = f"{__package__}.styles" if name in HERE else "ridealong.cloud.frontends.cascade.voices"
    raw = resources.files(package).joinpath(f"{name}.bin").read_bytes()
    return np.frombuffer(raw, dtype="<f4").reshape(STYLE_SHAPE)


def _voice(name: str, split: Split, timbre: dict[str, float], prosody: dict[str, float], shift: float, pace: float) -> Voice:
    locale = "zh" if name.startswith("zh") else "en"
    return Voice(f"{split.value}_{name}", split, locale, tuple(timbre.items()), tuple(prosody.items()), shift, pace)


def _mixed(name: str, split: Split, blend: dict[str, float], shift: float = 1.0, pace: float = 1.0) -> Voice:
    return _voice(name, split, blend, blend, shift, pace)


def chinese_value(
    name: str, split: Split, timbre: dict[str, float], woman: float, shift: float = 1.0, pace: float = 1.0
) -> Voice:
    """`woman`: the share of zf_xiaoxiao's prosody beside zm_yunxi's."""
    return _voice(name, split, timbre, {"zm_yunxi": 1 - woman, "zf_xiaoxiao": woman}, shift, pace)


TUNE, REPORT = Split.TUNE, Split.REPORT
VOICES: tuple[Voice, ...] = (
    _mixed("en_emma", TUNE, {"bf_emma": 1.0}),
    _mixed("en_michael", TUNE, {"am_michael": 1.0}, pace=1.05),
    _mixed("en_between", TUNE, {"bf_emma": 0.55, "am_michael": 0.45}, shift=0.97),
    _mixed("en_deep", TUNE, {"am_michael": 0.85, "bf_emma": 0.15}, shift=0.91, pace=0.95),
    _mixed("en_child", TUNE, {"bf_emma": 0.8, "am_michael": 0.2}, shift=1.2, pace=1.05),
    _mixed("en_bella", REPORT, {"af_bella": 1.0}),
    _mixed("en_puck", REPORT, {"am_puck": 1.0}),
    _mixed("en_george", REPORT, {"bm_george": 1.0}, pace=1.05),
    _mixed("en_between", REPORT, {"af_bella": 0.5, "bm_george": 0.5}, shift=1.04),
    _mixed("en_deep", REPORT, {"bm_george": 0.6, "am_puck": 0.4}, shift=0.92),
    _mixed("en_child", REPORT, {"af_bella": 0.75, "am_puck": 0.25}, shift=1.22),
    chinese_value("zh_man", TUNE, {"am_michael": 1.0}, 0.1),
    chinese_value("zh_between", TUNE, {"am_michael": 0.5, "bf_emma": 0.5}, 0.5),
    chinese_value("zh_woman", TUNE, {"bf_emma": 0.8, "am_michael": 0.2}, 0.7),
    chinese_value("zh_child", TUNE, {"bf_emma": 1.0}, 0.62, shift=1.16),
    chinese_value("zh_man", REPORT, {"zm_yunxi": 0.7, "am_puck": 0.3}, 0.0),
    chinese_value("zh_deep", REPORT, {"bm_george": 0.7, "zm_yunxi": 0.3}, 0.05, shift=0.93),
    chinese_value("zh_between", REPORT, {"am_puck": 0.4, "af_bella": 0.6}, 0.4),
    chinese_value("zh_woman", REPORT, {"af_bella": 0.8, "zm_yunxi": 0.2}, 0.6, shift=1.03),
    chinese_value("zh_child", REPORT, {"af_bella": 0.6, "am_puck": 0.4}, 0.55, shift=1.18),
)
BY_NAME = {voice.name: voice for voice in VOICES}


def voices_of(split: Split, locale: str) -> tuple[Voice, ...]:
    return tuple(voice for voice in VOICES if voice.split is split and voice.locale == locale)


def grown(split: Split, locale: str) -> tuple[Voice, ...]:
    """Who may drive."""
    return tuple(voice for voice in voices_of(split, locale) if "child" not in voice.name)
