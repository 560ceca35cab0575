"""What words of reminders mean: what of, when, and what must be asked; times of day in both languages, said and read back."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.meant import Meant
from ridealong.harness.reminder_sentences import late, listed, said_when, yours
from ridealong.harness.reminder_words import lists, read
from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Context, LastSaid, Outcome, Provenance, Recent
from ridealong.harness.skills import reminder, timer
from ridealong.harness.slots.moment import due, find_moment, resolved
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.slots.time import clock_words, find_time
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit
ROUTER = Router(builtin_registry())
AFTERNOON = datetime(2026, 11, 30, 15, 0)
HOURS, MINUTES, LOCALES = st.integers(0, 23), st.integers(0, 59), st.sampled_from(["en", "zh"])


def decide(text: str, *recent: Recent, now: datetime | None = AFTERNOON, said: str = "") -> Decision:
    locale = "zh" if has_chinese(text) else "en"
    last = LastSaid(said, said, "", 100) if said else None
    return ROUTER.decide(text, locale, Context(recent, Provenance.DRIVER, local=now, said=last), Provenance.DRIVER)


def call(text: str, *recent: Recent, now: datetime | None = AFTERNOON, said: str = "") -> tuple[str, dict[str, object]]:
    decision = decide(text, *recent, now=now, said=said)
    assert isinstance(decision, Calls) and len(decision.matches) == 1, decision
    return decision.matches[0].capability, dict(decision.matches[0].arguments)


def asked(text: str, *recent: Recent) -> tuple[str, dict[str, object]]:
    decision = decide(text, *recent)
    assert isinstance(decision, AskBack) and decision.match is not None, decision
    assert decision.match.capability == "reminder.set"
    return decision.question, dict(decision.match.arguments)


@given(HOURS, MINUTES, LOCALES)
def test_a_time_that_is_said_is_read_as_that_time(hour: int, minute: int, locale: str) -> None:
    words = clock_words(hour, minute, locale)
    found = find_time(words if locale == "zh" else f"at {words}", locale)
    assert found is not None and (found.hour, found.minute, found.certain) == (hour, minute, True), words


@given(HOURS, MINUTES, st.sampled_from(["", "today", "tomorrow"]), LOCALES, HOURS, MINUTES)
def test_a_moment_that_is_said_is_the_one_that_is_kept(
    hour: int, minute: int, day: str, locale: str, now_h: int, now_m: int
) -> None:
    now = datetime(2026, 11, 30, now_h, now_m)
    words = said_when({"at": f"{hour:02}:{minute:02}", "day": day}, locale == "zh")
    moment = find_moment(f"提醒我{words}买牛奶" if locale == "zh" else f"remind me {words} to buy milk", locale)
    assert moment is not None
    at = resolved(moment, now)
    assert at is not None and at.at == f"{hour:02}:{minute:02}"
    kept = due(at.at, at.day, now)
    expected = now.replace(hour=hour, minute=minute)
    assert kept == expected + timedelta(days=1 if day == "tomorrow" or expected <= now else 0)


@given(st.integers(1, 12), MINUTES, HOURS, MINUTES)
def test_an_hour_without_a_part_of_the_day_is_the_next_one(hour: int, minute: int, now_h: int, now_m: int) -> None:
    now = datetime(2026, 11, 30, now_h, now_m)
    moment = find_moment(f"at {hour}:{minute:02}", "en")
    assert moment is not None
    at = resolved(moment, now)
    assert at is not None
    kept = due(at.at, at.day, now)
    assert (
        kept is not None
        and timedelta(0) < kept - now <= timedelta(hours=12)
        and (kept.hour % 12, kept.minute) == (hour % 12, minute)
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Remind me to call the bank at six.", {"text": "call the bank", "at": "18:00", "day": "today"}),
        ("Remind me at half past six to call Lucy's school", {"text": "call Lucy's school", "at": "18:30", "day": "today"}),
        ("Could you remind me tomorrow at eight to take the bins out?", {"text": "take the bins out", "at": "08:00", "day": "tomorrow"}),
        ("remind me tomorrow at three to call mum", {"text": "call mum", "at": "15:00", "day": "tomorrow"}),
        ("In half an hour tell me to move the car", {"text": "move the car", "in_s": 1800}),
        ("remind me in two days to water the plants", {"text": "water the plants", "in_s": 172800}),
        ("Don't let me forget the dentist at 9am", {"text": "the dentist", "at": "09:00", "day": "tomorrow"}),
        ("at 18:30 I have to pick up Nina, remind me", {"text": "pick up Nina", "at": "18:30", "day": "today"}),
        ("remind me at ten to to turn the heating off at the cabin", {"text": "turn the heating off at the cabin", "at": "22:00", "day": "today"}),
        ("明天早上八点提醒我开会", {"text": "开会", "at": "08:00", "day": "tomorrow"}),
        ("提醒我六点半接孩子", {"text": "接孩子", "at": "18:30", "day": "today"}),
        ("半小时后提醒我给手机充电。", {"text": "给手机充电", "in_s": 1800}),
        ("下午2:30提醒我去牙医那儿。", {"text": "去牙医那儿", "at": "14:30", "day": "tomorrow"}),
        ("呃提醒我七点,不对,七点半去接机", {"text": "去接机", "at": "19:30", "day": "today"}),
    ],
)  # fmt: skip
def test_what_of_and_when(words: str, expected: dict[str, object]) -> None:
    assert call(words) == ("reminder.set", expected)


def test_without_the_time_of_day_it_is_as_it_was_said() -> None:
    assert call("remind me to eat at six", now=None)[1] == {"text": "eat", "at": "06:00"}
    assert call("remind me to eat tomorrow at 6 pm", now=None)[1] == {"text": "eat", "at": "18:00", "day": "tomorrow"}


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("tomorrow morning remind me to take the bins out", "At what time tomorrow morning?"),
        ("remind me to ring Grandma", "When should I remind you?"),
        ("remind me at 2 pm today to eat", "It's already past 2 in the afternoon. When should I remind you instead?"),
        ("remind me to buy stamps when I get to the village", "I can only remind you at a time, not at a place or when something happens. At what time should it be?"),
        ("remind me to mow the lawn on Saturday", "I can only remind you today, tomorrow, or after some days, like in three days. When should it be?"),
        ("remind me every night at ten to eat", "I can remind you once, but not again and again. When should it be?"),
        ("remind me at seven", "What should I remind you of?"),
        ("remind me in ten days to eat", "I can remind you up to seven days ahead. When should it be?"),
        ("明天早上提醒我开会", "明天早上几点？"),
        ("到超市的时候提醒我买牛奶", "我只能按时间提醒，不能按地点或者事情提醒。几点提醒您？"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_asked(words: str, question: str) -> None:
    assert asked(words)[0] == question


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("seven", {"at": "19:00", "day": "today"}), ("half past six please", {"at": "18:30", "day": "today"}), ("in an hour", {"in_s": 3600}),
        ("tomorrow at eight", {"at": "08:00", "day": "tomorrow"}), ("下午三点半", {"at": "15:30", "day": "today"}),
    ],
)  # fmt: skip
def test_the_answer_to_our_question_completes_it(answer: str, expected: dict[str, object]) -> None:
    question = Recent("reminder.set", {"text": "eat"}, Outcome.ASKS, 2_000)
    assert call(answer, question) == ("reminder.set", {"text": "eat", **expected})


def test_the_part_of_the_day_that_we_asked_for_counts_in_the_answer() -> None:
    question = Recent("reminder.set", {"text": "eat", "day": "tomorrow"}, Outcome.ASKS, 2_000)
    assert call("at eight", question, said="At what time tomorrow evening?")[1]["at"] == "20:00"


def test_what_of_may_be_the_answer_and_a_command_is_none() -> None:
    question = Recent("reminder.set", {"at": "19:00", "day": "today"}, Outcome.ASKS, 2_000)
    assert call("to buy milk", question) == ("reminder.set", {"text": "buy milk", "at": "19:00", "day": "today"})
    assert call("open the window", question)[0] == "windows.set_position"
    late_answer = question._replace(asked_ms_ago=60_000)
    assert not isinstance(decide("to buy milk", late_answer), Calls)


@pytest.mark.parametrize("words", ["Remind me in ten minutes.", "十分钟后提醒我。", "set a timer for ten minutes"])
def test_a_span_and_nothing_else_is_a_timer(words: str) -> None:
    assert call(words) == ("timer.set", {"duration_s": 600})


def test_what_is_found_under_either_label_is_what_the_words_say() -> None:
    def meant(words: str) -> Meant:
        return Meant("", words, "en", Context(local=AFTERNOON), 0.9)

    for understand in (timer.understand, reminder.understand):
        assert [m.capability for m in understand(meant("remind me in ten minutes"))] == ["timer.set"]
        assert [m.capability for m in understand(meant("remind me in ten minutes to eat"))] == ["reminder.set"]


def test_a_command_within_what_to_be_reminded_of_is_not_done() -> None:
    assert call("Remind me at six to call Tom and close the window")[1]["text"] == "call Tom and close the window"
    both = decide("Remind me at six to call Tom. Open the window.")
    assert isinstance(both, Calls) and [one.capability for one in both.matches] == ["reminder.set", "windows.set_position"]


@pytest.mark.parametrize(
    "words",
    [
        "cancel the reminder about milk", "don't remind me", "that reminds me of the holidays", "remind me where I parked", "did you remind Tom", "tell me a joke",
        "tell me when we are below twenty percent", "mind the gap", "取消买牛奶的提醒", "别提醒我", "车速超过一百二就提醒我", "他提醒我六点开会", "叫我小王",
    ],
)  # fmt: skip
def test_other_words_are_no_reminder(words: str) -> None:
    decision = decide(words)
    assert not isinstance(decision, Calls) or decision.matches[0].capability != "reminder.set"
    assert not isinstance(decision, AskBack) or decision.match is None or decision.match.capability != "reminder.set"


@pytest.mark.parametrize(
    "words",
    ["What are my reminders?", "what did I want to be reminded of", "list my reminders", "我有什么提醒？", "念一下我的提醒"],
)
def test_what_there_is_can_be_asked(words: str) -> None:
    assert call(words) == ("reminder.list", {}) and lists(words, "en") and read(words, "en") is None


def test_the_users_words_are_turned_only_where_it_is_clear_who_is_meant() -> None:
    assert yours("call my sister and tell me", False) == "call your sister and tell you"
    assert yours("ask you for my keys", False) == "ask you for my keys"
    assert yours("给我妈打电话", True) == "给您妈打电话" and yours("我们开会", True) == "我们开会"


def test_a_list_says_when_each_is_due() -> None:
    soon, later = AFTERNOON + timedelta(hours=4), AFTERNOON + timedelta(days=1)
    assert listed([], AFTERNOON, False) == "You have no reminders."
    assert (
        listed([("buy milk", soon), ("call my sister", later)], AFTERNOON, False)
        == "You have two reminders: at 7 in the evening, buy milk; tomorrow at 3 in the afternoon, call your sister."
    )
    assert listed([("买牛奶", soon), ("开会", later)], AFTERNOON, True) == "有两个提醒：晚上七点，买牛奶；明天下午三点，开会。"
    assert late("买牛奶", soon - timedelta(days=1), AFTERNOON, True) == "这个提醒晚了，本来是昨天晚上七点的：买牛奶。"
