"""Notes in the user's words: written down when asked, read back newest first, a few at once.

Kept in the same store as what is remembered (`Call.memory`). Does not know what a note is about, and does nothing that one says.
"""

from __future__ import annotations

import re
from typing import Final

from ridealong.harness.portions import more
from ridealong.harness.remembering import Kept, Kind
from ridealong.harness.skill import KEEPING, Call, Skill, Spoken, skill
from ridealong.harness.skills import memory_words
from ridealong.harness.skills.memory import (
    WITHIN_MS,
    barred,
    failed,
    kept_text,
    other_words,
    recogniser,
    sentence,
    spot_of,
    understanding,
    without_corrected,
)
from ridealong.harness.skills.memory_said import ago

AT_ONCE: Final = 2
MAX_LATER: Final = 30
_ASKS: Final = ("What shall I write down?", "要记什么？")
_LEAD: Final = re.compile(
    r"^\W*(?:(?:please|um|uh|can you|could you|just|hang on|wait|plus|also|and|then)\b[\s,]*)*(?:(?:make|take|jot|write|note|put|log|record|save|keep|add|do)\b[\s,]*)(?:(?:a|this|that|it|down|note|memo|of|record|to|in|my|notes|for|me)\b[\s,:]*)*|"
    r"[\s,]+(?:and )?(?:please )?(?:write|jot|note|log|take|put|make|save|keep)(?: (?:a|that|it|this|down|note|memo|of|record|in|my|the|notes|please|somewhere))*\W*$", re.IGNORECASE
)  # fmt: skip
_LEAD_ZH: Final = re.compile(r"^[\s，,]*(?:请|帮我|给我|把|嗯|另外|还有|顺便|再)*(?:记|写|备忘|笔记|记录)(?:一下|一笔|一条|下来?|录|个笔记|上|一条)*[，,：:\s]*|[，,\s]*(?:请|帮我|给我|你)*(?:记|写)(?:一下|下来|上|着)?[。.\s]*$")  # fmt: skip


def _bare(text: str, zh: bool) -> str:
    return (_LEAD_ZH if zh else _LEAD).sub("", text).strip(" ,.，。:：")


@skill(
    "note.take",
    description="Write down a note in the user's words.",
    group=KEEPING,
    recognise=recogniser(memory_words.TAKE, "text", _ASKS),
    understand=understanding(memory_words.TAKE, "text", _ASKS, _bare),
    changes=other_words(memory_words.TAKE, "text"),
    arguments_schema={"type": "object", "properties": {"text": {"type": "string", "description": "in the user's words"}}, "required": ["text"], "additionalProperties": False},
    examples={
        "en": ("Take a note: the boiler code is 4471.", "Jot down that we need new tyres.", "Note to self, call the plumber."),
        "zh": ("记一下，客户喜欢红色的。", "帮我记个笔记，车位在B2。", "写下来，灵感是做一个宠物店的应用。"),
    },
    timeout_ms=WITHIN_MS,
)  # fmt: skip
async def take(call: Call) -> Spoken:
    if (no := barred(call)) is not None or call.memory is None:
        return no or failed("no_memory", call.locale)
    text = kept_text(call)
    try:
        await call.memory.keep(Kind.NOTE, text, spot_of(call))
        await without_corrected(call, Kind.NOTE, text)
    except OSError:
        return failed("not_kept", call.locale)
    return Spoken(f"记下了：“{text}”。" if call.locale.startswith("zh") else f"Noted: “{text}”.")


@skill(
    "note.read",
    description="Read the notes out.",
    group=KEEPING,
    recognise=recogniser(memory_words.READ),
    arguments_schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    examples={"en": ("Read my notes.", "What's in my notes?", "Read back the last note."), "zh": ("读一下我的笔记。", "看看备忘录里有什么。", "我记了什么？")},
    timeout_ms=WITHIN_MS,
)  # fmt: skip
async def read(call: Call) -> Spoken:
    if (no := barred(call)) is not None or call.memory is None:
        return no or failed("no_memory", call.locale)
    try:
        notes = await call.memory.kept(Kind.NOTE)
    except OSError:
        return failed("unreadable", call.locale)
    zh = call.locale.startswith("zh")
    if not notes:
        return Spoken(sentence("no_notes", call.locale), reason="nothing")
    said = _told(notes[:AT_ONCE], zh)
    rest = _told(notes[AT_ONCE:MAX_LATER], zh)
    call.talk.keep(rest, call.locale)
    return Spoken(f"{said}{'' if zh else ' '}{more(call.locale)}" if rest else said)


def _told(notes: object, zh: bool) -> str:
    assert isinstance(notes, list | tuple)
    return ("" if zh else " ").join(_one(note, zh) for note in notes)


def _one(note: Kept, zh: bool) -> str:
    """One sentence a note, whatever stops it has inside."""
    text = re.sub(r"[.!?。！？]+(?=\s|$|[”\"])", ";", note.text).strip(" ;")
    return f"{ago(note.ago_s, True)}：“{text}”。" if zh else f"{ago(note.ago_s, False).capitalize()}: “{text}”."


SKILLS: tuple[Skill, ...] = (take, read)
