"""What a skill may ask of the session's standing requests, and how what was waited for is put into words.

`Watches` is the port: a session that can watch (cloud/watching) gives one to its harness; without one a skill says so. The sentences
repeat the user's own phrase, never text that was read or heard. Does not know cars: what a signal shows is put into words there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ridealong.harness.conditions import Condition, PhraseHeard, PhraseSeen, SignalIs, SoundHeard, SoundShape
from ridealong.harness.skill import Provenance
from ridealong.harness.slots.duration import duration_words


@dataclass(frozen=True, slots=True)
class Wanted:
    """A standing request as it was understood. `subject` finishes the sentence "I'll tell you when …"."""

    condition: Condition
    subject: str
    request: str
    locale: str
    every_time: bool = False
    lasts_ms: int | None = None
    provenance: Provenance = Provenance.UNKNOWN


@dataclass(frozen=True, slots=True)
class Kept:
    """One that is being watched for. `subject` in the language of the request."""

    subject: str
    locale: str
    every_time: bool
    left_ms: float


class Watches(Protocol):
    def start(self, wanted: Wanted, met: bool = False) -> str:
        """ "" when it is watched for from now on, else why not: full, no_eyes, not_consented, no_camera."""

    def kept(self) -> tuple[Kept, ...]: ...

    def stop(self) -> int:
        """Ends all; how many there were."""

    def wrong(self) -> str | None:
        """The user calls the last alert a false one: its subject, or None where there was none within the last minute."""


def subject_of(condition: Condition, locale: str) -> str:
    """What is waited for, as a clause. Signals are described by whoever knows them."""
    zh = locale.startswith("zh")
    match condition:
        case PhraseHeard(phrase=phrase):
            return f"有人说到{phrase}" if zh else f"somebody says {phrase}"
        case PhraseSeen(phrase=phrase):
            return f"看到写着{phrase}的字" if zh else f"I can read {phrase} somewhere"
        case SoundHeard(shape=shape):
            return f"听到{sound_name(shape, locale)}" if zh else f"I hear {sound_name(shape, locale)}"
        case SignalIs():
            return "车况变化" if zh else "that happens"


def sound_name(shape: SoundShape, locale: str) -> str:
    english, chinese = {
        SoundShape.ANY: ("something loud", "很响的声音"),
        SoundShape.BANG: ("a loud bang", "一声巨响"),
        SoundShape.LASTING: ("a loud noise that lasts", "持续的很响的声音"),
    }[shape]
    return chinese if locale.startswith("zh") else english


def evidence_of(condition: Condition, locale: str, ago_ms: float) -> str:
    """The alert: one short sentence with the evidence."""
    zh = locale.startswith("zh")
    ago = ago_words(ago_ms, locale)
    match condition:
        case PhraseHeard(phrase=phrase):
            return f"{ago}有人说到{phrase}。" if zh else f"{ago or 'Just now '}somebody said {phrase}."
        case PhraseSeen(phrase=phrase):
            if ago:
                return f"{ago}看到了写着{phrase}的牌子。" if zh else f"{ago}I saw a sign: {phrase}."
            return f"看到牌子了：{phrase}。" if zh else f"I can see a sign: {phrase}."
        case SoundHeard(shape=shape):
            name = sound_name(shape, locale)
            return f"{ago}听到{name}。" if zh else f"{ago}I heard {name}."
        case SignalIs():
            return "您让我留意的事发生了。" if zh else "What you asked me to watch for has happened."


def ago_words(ago_ms: float, locale: str) -> str:
    """ "20 seconds ago " where it is worth saying, else ""."""
    if ago_ms < 8_000:
        return ""
    seconds = round(ago_ms / 1000)
    said = duration_words(seconds if seconds < 90 else 60 * round(seconds / 60), locale)
    return f"{said}前" if locale.startswith("zh") else f"{said[0].upper()}{said[1:]} ago "


def ended_sentence(kept_subject: str, locale: str) -> str:
    """Its time is up and it did not happen."""
    if locale.startswith("zh"):
        return f"时间到了，我不再留意：{kept_subject}。"
    return f"Time's up: I've stopped watching whether {kept_subject}."


def muted_sentence(wait_ms: float, locale: str) -> str:
    said = duration_words(60 * max(1, round(wait_ms / 60_000)), locale)
    if locale.startswith("zh"):
        return f"这一小时的提醒次数用完了，接下来{said}我先不出声。"
    return f"I've used up this hour's alerts, so I'll keep quiet for {said}."


def careful_sentence(wait_ms: float, locale: str) -> str:
    said = duration_words(60 * max(1, round(wait_ms / 60_000)), locale)
    if locale.startswith("zh"):
        return f"我这一小时报错得太多，接下来{said}只有很确定才会说。"
    return f"I've been wrong too often this hour: for {said} I'll only speak up when I'm nearly certain."
