"""Sentences that every skill shares which acts: why not, and how an actuation ended. Rendered from what was observed.

    told(result, call.locale, DOING, done={"en": …, "zh": …})     what became of it, in one sentence
    shown(result, path)                                           what the car's own sensor showed when it answered

"Done" is said only of what the sensor confirmed. Does not know any signal or slot.
"""

from __future__ import annotations

from collections.abc import Mapping

from ridealong.harness.doing import HALTED
from ridealong.harness.skill import Outcome, Spoken
from ridealong.proto.types import ActuationResult, ActuationState, SignalValue

Sentence = Mapping[str, str]
"""locale ("en", "zh") -> words."""

CANT_NOTE_EN = "I can't write down what I do just now, so I won't {doing}."
CANT_NOTE_ZH = "我现在没法记录操作，所以没有{doing}。"
"""The journal's disk, or the device's, takes nothing: it is not the car that refuses."""

# reason -> (English, Chinese); {doing} is "open the boot" / "打开后备箱"
_REFUSALS: dict[str, tuple[str, str]] = {
    "moving": ("I can't {doing} while we're moving.", "行驶中不能{doing}。"),
    "too_fast": ("I can't {doing} at this speed.", "这个车速下不能{doing}。"),
    "not_parked": ("I can only {doing} when we're parked.", "停好车之后才能{doing}。"),
    "unknown_speed": ("I can't {doing}: I don't know how fast we're going.", "我不知道现在的车速，不能{doing}。"),
    "stale_speed": ("I can't {doing}: I don't know how fast we're going.", "我不知道现在的车速，不能{doing}。"),
    "unknown_gear": ("I can't {doing}: I don't know which gear we're in.", "我不知道现在的挡位，不能{doing}。"),
    "stale_gear": ("I can't {doing}: I don't know which gear we're in.", "我不知道现在的挡位，不能{doing}。"),
    "unknown_ignition": ("I can't {doing}: I don't know whether the car is on.", "我不知道车辆是否启动，不能{doing}。"),
    "stale_ignition": ("I can't {doing}: I don't know whether the car is on.", "我不知道车辆是否启动，不能{doing}。"),
    "ignition_off": ("I can't {doing} while the car is off.", "车辆没有启动，不能{doing}。"),
    "unknown_occupants": ("I can't {doing}: I can't tell whether anybody is in the driver's seat.", "我不知道驾驶座上有没有人，不能{doing}。"),
    "nobody_there": ("I won't {doing} while nobody is in the driver's seat.", "驾驶座上没有人，不能{doing}。"),
    "child_lock": ("I can't {doing}: the child lock is on.", "儿童锁开着，不能{doing}。"),
    "not_allowed_speaker": ("Only the driver can ask me to {doing}.", "只有司机可以让我{doing}。"),
    "not_addressed": ("I can't tell who asked, so I won't {doing}.", "我不确定是谁说的，所以不会{doing}。"),
    "no_vehicle": ("I can't {doing}: no car is connected.", "没有连接车辆，不能{doing}。"),
    "expired": ("I didn't {doing}: the request reached the car too late.", "请求到车上太晚了，没有{doing}。"),
    "precondition": ("I didn't {doing}: the car had changed in the meantime.", "车辆状态变了，没有{doing}。"),
    "busy": ("I can't {doing} just now: the car is busy with another request.", "车辆正在处理别的请求，现在不能{doing}。"),
    "unavailable": ("I can't {doing}: nothing in this car offers that.", "这辆车没有可以{doing}的设备。"),
    "no_provider": ("I can't {doing}: nothing in this car offers that.", "这辆车没有可以{doing}的设备。"),
    "not_found": ("I can't {doing}: this car doesn't have that.", "这辆车没有这个功能，不能{doing}。"),
    "unknown_signal": ("I can't {doing}: this car doesn't have that.", "这辆车没有这个功能，不能{doing}。"),
    "never": ("That's something I never do.", "这件事我不能做。"),
    "needs_confirmation": ("I need your confirmation before I {doing}.", "需要您先确认，我才能{doing}。"),
    "journal": (CANT_NOTE_EN, CANT_NOTE_ZH),
    "not_durable": (CANT_NOTE_EN, CANT_NOTE_ZH),
    "link_lost": ("I can't reach the car right now.", "现在连不上车辆。"),
    "offline": ("I can't reach the car right now.", "现在连不上车辆。"),
}  # fmt: skip


def refused(reason: str, doing_en: str, doing_zh: str, locale: str) -> Spoken:
    """A spoken reason; an unknown code is said to be a refusal without one."""
    zh = locale.startswith("zh")
    english, chinese = _REFUSALS.get(reason, ("The car won't let me {doing}.", "车辆不允许我{doing}。"))
    return Spoken((chinese if zh else english).format(doing=doing_zh if zh else doing_en), Outcome.REFUSED, reason)


def shown(result: ActuationResult, path: str) -> SignalValue | None:
    """The value that the car reported with its answer; None where it showed none."""
    return next((seen.value for seen in result.observed if seen.path == path), None)


def told(result: ActuationResult, locale: str, doing: Sentence, *, done: Sentence, shows: str = "") -> Spoken:
    """The sentence for how an actuation ended. `doing` finishes "I can't …" ("set the scent"); `done` is a whole sentence from the observed value, used
    only when confirmed; `shows`: what the car shows, where it is otherwise."""
    return concluded(
        result, done=worded(done, locale), asked=worded({"en": "that", "zh": worded(doing, "zh")}, locale), shows=shows,
        doing_en=worded(doing, "en"), doing_zh=worded(doing, "zh"), locale=locale,
    )  # fmt: skip


def worded(sentence: Sentence, locale: str) -> str:
    """In the language asked for; in any there is, where that one is missing."""
    return sentence.get("zh" if locale.startswith("zh") else "en") or next(iter(sentence.values()), "")


def concluded(
    result: ActuationResult,
    *,
    done: str,
    asked: str,
    shows: str,
    doing_en: str,
    doing_zh: str,
    locale: str,
    unmet: str = "",
    halted: str = "",
) -> Spoken:
    """The sentence for how an actuation ended.

    `done`: a whole sentence from the observed value, used only when confirmed. `asked`: what was asked for ("22.5 degrees").
    `shows`: what the car shows now, empty when it shows nothing. `unmet`: a whole sentence for a precondition that did not hold, or could
    not be judged, as the car would have acted. `halted`: one for what was stopped on its way, from the observed value."""
    zh = locale.startswith("zh")
    seen = (f"，现在显示{shows}" if zh else f"; it shows {shows}") if shows else ("，也没有读数" if zh else " and shows no value")
    match result.state:
        case ActuationState.CONFIRMED:
            return Spoken(done)
        case ActuationState.REFUSED:
            if unmet and result.reason == "precondition":
                return Spoken(unmet, Outcome.REFUSED, result.reason)
            return refused(result.reason, doing_en, doing_zh, locale)
        case ActuationState.CONTRADICTED if result.reason == HALTED:
            text = f"我让它中途停下了{seen}。" if zh else f"I've stopped that on its way{seen}."
            return Spoken(halted or text, Outcome.FAILED, HALTED)
        case ActuationState.CONTRADICTED:
            text = (
                f"我请求了{asked}，但车辆没有照做{seen}。"
                if zh
                else f"I asked for {asked}, but the car did something else{seen}."
            )
            return Spoken(text, Outcome.FAILED, "contradicted")
        case _:
            text = (
                f"我请求了{asked}，但车辆还没有确认{seen}。"
                if zh
                else f"I asked for {asked}, but the car hasn't confirmed it{seen}."
            )
            return Spoken(text, Outcome.UNKNOWN, result.reason or "unconfirmed")


def ask(english: str, chinese: str, locale: str, reason: str = "question") -> Spoken:
    return Spoken(chinese if locale.startswith("zh") else english, Outcome.ASKS, reason)


def say(english: str, chinese: str, locale: str) -> str:
    return chinese if locale.startswith("zh") else english
