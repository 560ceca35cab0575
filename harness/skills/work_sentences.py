"""What is said about work: how it stands, how long is left, what came of a cancel. English and Chinese. Pure.

Every sentence is read from items as they stand (doing.Doing): "cancelled" only of one that stopped with nothing done, "done" only of one
that completed. Does not know how an item got there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ridealong.harness.choosing import Which
from ridealong.harness.doing import Doing, Stage
from ridealong.harness.skill import Outcome
from ridealong.harness.slots.duration import duration_words

MOST_NAMED = 4


def _say(english: str, chinese: str, locale: str) -> str:
    return chinese if locale.startswith("zh") else english


def joined(sentences: Iterable[str], locale: str) -> str:
    """Sentences one after the other."""
    return _say(" ", "", locale).join(sentence for sentence in sentences if sentence)


def _listed(names: Sequence[str], locale: str) -> str:
    if locale.startswith("zh"):
        return "、".join(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]


def which(choice: Which, locale: str) -> str:
    """All are named, or it is said how many there are."""
    names = [one.name(locale) for one in choice.items]
    if len(names) == 2 and names[0] == names[1]:
        names = [_say(f"{names[0]}, the older one", f"较早的{names[0]}", locale), _say("the newer one", "较新的", locale)]
    if len(names) > MOST_NAMED or len(set(names)) < len(names):
        many = len(names)
        return _say(
            f"There are {many} of those. Do you mean the first, the last, or all of them?",
            f"一共有{many}个，是第一个、最后一个，还是全部？",
            locale,
        )
    return _say(f"Do you mean {', '.join(names[:-1])}, or {names[-1]}?", f"是{'、'.join(names[:-1])}，还是{names[-1]}？", locale)


def nothing(locale: str) -> str:
    return _say("There is nothing like that under way.", "没有正在进行的这件事。", locale)


def not_yours(locale: str) -> str:
    return _say("Sorry, I can't take that from you.", "抱歉，这个我不能听您的。", locale)


def unchanged(locale: str) -> str:
    return _say("Sorry, I can't work that in. I haven't changed anything.", "抱歉，这个我改不了，什么都没有变。", locale)


def about(left_ms: float, locale: str) -> str:
    """How long, to the precision in which it is still true when it has been said."""
    seconds = max(1, round(left_ms / 1000))
    step = 1 if seconds < 20 else 5 if seconds < 120 else 10 if seconds < 600 else 60
    return duration_words(step * round(seconds / step), locale)


def left(one: Doing, locale: str) -> str:
    name = one.name(locale)
    if one.left_ms is None:
        if not one.stage.under_way:
            return state(one, locale)
        return _say(f"I can't say how long {name} still takes.", f"{name}还要多久，我说不准。", locale)
    much = about(one.left_ms, locale)
    return _say(f"About {much} left on {name}.", f"{name}还剩大约{much}。", locale)


def overview(doings: Sequence[Doing], watched: Sequence[str], locale: str) -> str:
    """ "What are you doing?" """
    busy = [one for one in doings if one.stage.under_way]
    said: list[str] = []
    if busy:
        names = [_with_left(one, locale) for one in busy[:MOST_NAMED]]
        more = len(busy) - len(names)
        names += [_say(f"{more} more", f"另外{more}件", locale)] if more else []
        said.append(_say(f"I'm busy with {_listed(names, locale)}.", f"正在进行的有：{_listed(names, locale)}。", locale))
    else:
        said.append(_at_rest(next((one for one in doings if one.stage.unsaid), None), locale))
    if watched:
        said.append(
            _say(
                f"And I'll tell you when {', or when '.join(watched)}.",
                f"另外我会在这些时候告诉您：{'；'.join(watched)}。",
                locale,
            )
        )
    return joined(said, locale)


def _at_rest(ready: Doing | None, locale: str) -> str:
    """Nothing is under way. `ready`: over, and not told yet."""
    match ready.outcome if ready is not None else None:
        case Outcome.COMPLETED if ready is not None:
            return _say(
                f"Nothing at the moment: {ready.english} is done.", f"现在没有在做什么，{ready.chinese}刚刚完成。", locale
            )
        case Outcome.ASKS:
            return _say("Nothing at the moment: I've asked you something.", "现在没有在做什么，我刚才问了您。", locale)
        case _:  # how it ended is told by its own reply
            return _say("Nothing at the moment.", "现在没有在做什么。", locale)


def _with_left(one: Doing, locale: str) -> str:
    name = one.name(locale)
    if one.left_ms is None:
        return name
    much = about(one.left_ms, locale)
    return _say(f"{name}, about {much} left", f"{name}（还剩大约{much}）", locale)


def state(one: Doing, locale: str) -> str:
    """How one item stands."""
    name = one.name(locale)
    match one.stage:
        case Stage.WAITING:
            return _say(f"Not yet: {name} hasn't begun.", f"还没有，{name}还没开始。", locale)
        case Stage.STOPPING:
            return _say(
                f"I've told {name} to stop, and it hasn't confirmed yet.", f"我已经让{name}停下，还没有得到确认。", locale
            )
        case Stage.RUNNING if one.on_its_way:
            return _say("It's on its way to the car, and the car hasn't answered yet.", "已经发给车了，车还没有回应。", locale)
        case Stage.RUNNING if one.left_ms is not None:
            return left(one, locale)
        case Stage.RUNNING:
            return _say(f"Not yet: I'm still busy with {name}.", f"还没有，{name}还在进行。", locale)
        case Stage.READY | Stage.TELLING:  # what it says is still to come
            return _ended(one, locale, "")
        case _:
            return _ended(one, locale, one.reply)


def _ended(one: Doing, locale: str, reply: str) -> str:
    match one.outcome:
        case None if one.halted:
            return one.reply
        case None:
            return _say(
                f"No: {one.name(locale)} was cancelled, and nothing was done.",
                f"没有，{one.name(locale)}取消了，什么都没有做。",
                locale,
            )
        case Outcome.COMPLETED:
            return _say(f"Yes, that's done. {reply}".strip(), f"已经好了。{reply}", locale)
        case Outcome.ASKS:
            return _say(f"Not yet, I asked you something. {reply}".strip(), f"还没有，我刚才问了您。{reply}", locale)
        case Outcome.REFUSED | Outcome.FAILED:
            return _say(f"No, that wasn't done. {reply}".strip(), f"没有做成。{reply}", locale)
        case Outcome.UNKNOWN if one.partly:
            return one.reply
        case _:
            return _say("I can't tell whether that was done. Please check.", "我不能确定做了没有，请您确认一下。", locale)


def result(one: Doing, locale: str) -> str:
    if one.stage.unsaid:
        return state(one, locale)
    return one.reply or _ended(one, locale, "")


# --- after a cancel ----------------------------------------------------------------------------------------------------


def cancelled(pairs: Sequence[tuple[Doing, Doing]], locale: str) -> str:
    """Of each item as it stood before the cancel and as it stands after it."""
    stopped = [after for before, after in pairs if _stopped(before, after)]
    said = []
    if stopped:
        names = [one.name(locale) for one in stopped[:MOST_NAMED]]
        more = len(stopped) - len(names)
        names += [_say(f"{more} more", f"另外{more}件", locale)] if more else []
        said.append(_say(f"Okay, I've cancelled {_listed(names, locale)}.", f"好的，已经取消{_listed(names, locale)}。", locale))
    said += [_not_stopped(before, after, locale) for before, after in pairs if not _stopped(before, after)]
    return joined(said, locale)


def _stopped(before: Doing, after: Doing) -> bool:
    return before.stage.under_way and after.stage is Stage.SILENT and after.outcome is None and not after.halted


def _not_stopped(before: Doing, after: Doing, locale: str) -> str:
    if after.stage.under_way:
        if after.on_its_way:
            if after.moves:
                return _say(
                    "I've told it to stop, and the car hasn't confirmed that yet.", "我已经让它停下，车还没有确认。", locale
                )
            return _say(
                "That can't be stopped: it's already on its way to the car. I'll tell you what comes of it.",
                "这个已经发给车了，停不下来，结果出来我告诉您。",
                locale,
            )
        return _say(
            f"I've told {after.name(locale)} to stop, and it hasn't confirmed yet.",
            f"我已经让{after.name(locale)}停下，还没有得到确认。",
            locale,
        )
    match after.outcome:
        case None if after.halted:
            return after.reply
        case None:
            return _say("That was cancelled already.", "那个已经取消过了。", locale)
        case Outcome.ASKS:
            return _say("Okay, I won't ask any more.", "好的，我不问了。", locale)
        case Outcome.COMPLETED if after.acts and before.moves:
            return _say(f"Too late to stop it. {after.reply}", f"来不及停了。{after.reply}", locale)
        case Outcome.COMPLETED if after.acts:
            return _say(f"It was already done. {after.reply}", f"已经做完了。{after.reply}", locale)
        case Outcome.COMPLETED if before.stage is Stage.TOLD:
            return _say("That's already finished, and I've told you.", "那个已经结束了，也告诉过您了。", locale)
        case Outcome.COMPLETED:
            return _say("That had just finished, so I'll say no more about it.", "那个刚刚结束，我就不再说了。", locale)
        case Outcome.REFUSED | Outcome.FAILED:
            return _say("That hadn't been done anyway.", "那个本来就没有做成。", locale)
        case Outcome.UNKNOWN if after.partly:
            return after.reply
        case _:
            return _say("I can't tell whether that was done. Please check.", "我不能确定做了没有，请您确认一下。", locale)
