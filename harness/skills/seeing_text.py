"""What stands written before the camera: read out whole, summed up, translated; codes told; the scene described as far as anything here can.

Reading is the packaged reader's. The gist and a translation are a language model's, and where none is set up that is said, with what can be done instead. What is read is quoted: somebody else's
words, which ask for nothing here. Long texts are said in parts. Does not know pictures, models, or which words asked (seeing_words.py).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ridealong.harness.changes import Another, Arguments, Changes
from ridealong.harness.interjections import answer
from ridealong.harness.meant import FRAGMENT, Meant, Understand
from ridealong.harness.portions import said_in_parts
from ridealong.harness.skill import ANSWER_WITHIN_MS, QUOTING, Call, Context, Match, Outcome, Recognise, Skill, Spoken, skill
from ridealong.harness.skills import seeing_words
from ridealong.harness.skills.eyes import Code, Eyes, Now, pictures, read_now
from ridealong.harness.skills.seeing import SCORE, SEEING, Look, unseen
from ridealong.harness.skills.seeing_codes import told
from ridealong.harness.skills.seeing_words import GIST, OTHER, WHOLE

READ_WITHIN_MS: Final = 15_000
LANGUAGES: Final = ("en", "zh", "fr", "de", "es", "it", "ja", "ko", "ru", "pt")
MAX_BESIDE_CHARS: Final = 120
_SENTENCES: Final = {
    "no_text": ("I see no text there.", "我没有看到文字。"),
    "blurred": ("There is text, but I can't make it out. Hold it closer, or stiller.", "那里有字，但我看不清。请靠近一点，或者拿稳一点。"),
    "no_reader": ("I can't read text: the models for it are not installed here.", "我读不了文字：这里没有安装识字的模型。"),
    "no_gist": ("I can't sum it up: no language model is set up. Shall I read it out?", "我总结不了：没有配置语言模型。要我念出来吗？"),
    "no_translator": ("I can't translate: no language model is set up.", "我翻译不了：没有配置语言模型。"),
    "no_code": ("I see no code that I can read. Hold it closer, and in good light.", "我没有看到能读的码。请靠近一点，光线亮一点。"),
}  # fmt: skip
_ASKS_LANGUAGE: Final = ("I can't translate into that language. Into which other one?", "我不会翻译成这种语言，要翻成哪一种？")


class TextModel(Protocol):
    async def gist(self, call: Call, text: str) -> Spoken: ...

    async def translation(self, call: Call, language: str, text: str, jpeg: bytes) -> str | Spoken: ...

    @property
    def images(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Sights:
    """What there is to look with. `look`: a model that takes pictures; `eyes`: the packaged reader; `text_model`: a language model for text."""

    look: Look | None = None
    eyes: Eyes | None = None
    text_model: TextModel | None = None
    within_ms: int = READ_WITHIN_MS


def nothing(reason: str, locale: str) -> Spoken:
    """Why there is no text to tell."""
    if reason not in _SENTENCES:
        return unseen(reason, locale)
    english, chinese = _SENTENCES[reason]
    outcome = Outcome.REFUSED if reason.startswith("no_") and reason not in ("no_text", "no_code") else Outcome.COMPLETED
    return Spoken(chinese if locale.startswith("zh") else english, outcome, reason)


def _in_parts(call: Call, text: str, lead: str, after: str = "") -> Spoken:
    said, rest = said_in_parts(text, call.locale, lead)
    call.talk.keep(rest, call.locale)
    return Spoken(said if rest else f"{said}{after}")


async def read(call: Call, sights: Sights) -> Spoken:
    now, zh = await read_now(call, sights.eyes), call.locale.startswith("zh")
    if now.reason == "no_reader" and sights.look is not None:  # a model that takes pictures reads, too
        return await sights.look.answer(call)
    if now.reason:
        return nothing(now.reason, call.locale)
    if call.arguments.get("how") == GIST:
        if sights.text_model is None:
            return Spoken(_SENTENCES["no_gist"][zh], Outcome.ASKS, "no_model")
        return await sights.text_model.gist(call, now.text)
    return _in_parts(call, now.text, "上面写着：" if zh else "It says: ", _unclear(now, zh))


def _unclear(now: Now, zh: bool) -> str:
    if not now.unclear:
        return ""
    stop = "" if now.text[-1] in ".!?。！？" else "。" if zh else "."
    return stop + ("有一部分看不清。" if zh else " Part of it I can't make out.")


async def translate(call: Call, sights: Sights) -> Spoken:
    zh, model = call.locale.startswith("zh"), sights.text_model
    if model is None:
        return nothing("no_translator", call.locale)
    now = await read_now(call, sights.eyes)
    frames, reason = pictures(call)
    if reason or (not now.text and not model.images):
        return nothing(reason or now.reason, call.locale)
    language = str(call.arguments.get("language") or ("zh" if zh else "en"))
    found = await model.translation(call, language, now.text, frames[0].jpeg)
    if isinstance(found, Spoken):
        return found
    return _in_parts(call, found, "意思是：" if zh else "It says: ", _unclear(now, zh) if now.text else "")


async def scan(call: Call, sights: Sights) -> Spoken:
    frames, reason = pictures(call)
    if reason:
        return nothing(reason, call.locale)
    if sights.eyes is None:
        return nothing("no_reader", call.locale)
    found: dict[Code, None] = {}
    for frame in frames:
        found |= dict.fromkeys(await sights.eyes.codes(frame.jpeg))
        if found:
            break
    return Spoken(told(list(found), call.locale.startswith("zh"))) if found else nothing("no_code", call.locale)


async def describe(call: Call, sights: Sights) -> Spoken:
    if sights.look is not None:
        return await sights.look.answer(call)
    none, zh = unseen("no_vision", call.locale), call.locale.startswith("zh")
    now = await read_now(call, sights.eyes)
    if not now.text:
        return none if now.reason in ("no_reader", "no_text", "blurred") else nothing(now.reason, call.locale)
    text = re.sub(r"[.!?]+(?=\s)|[。！？]+", ";", now.text)  # one sentence, quoted as a whole
    text = text if len(text) <= MAX_BESIDE_CHARS else text[:MAX_BESIDE_CHARS].rstrip() + "…"
    return Spoken(
        f"{none.text}不过我能读到：“{text}”。" if zh else f"{none.text} But I can read: “{text}”.", none.outcome, none.reason
    )


# --- words ---------------------------------------------------------------------------------------------------------------


def _recogniser(capability: str) -> Recognise:
    def recognise(text: str, locale: str, context: Context) -> Match | None:
        last = context.recent[0] if context.recent else None
        pending = last is not None and last.capability == capability and last.outcome is Outcome.ASKS and last.asked_ms_ago <= ANSWER_WITHIN_MS  # fmt: skip
        if pending and capability == seeing_words.READ and answer(text, locale) is True:
            return Match(capability, 1.0, {"how": WHOLE}, {"how": "context:asked"})
        if pending and capability == seeing_words.TRANSLATE and (named := seeing_words.language_alone(text, locale)):
            return Match(capability, 1.0, {"language": seeing_words.LANGUAGES[named]}, {"language": named})
        wanted = seeing_words.asked(text, locale)
        return _match(wanted, SCORE, text) if wanted is not None and wanted.capability == capability else None

    return recognise


def _match(wanted: seeing_words.Sight, score: float, text: str) -> Match:
    if wanted.capability == seeing_words.READ:
        return Match(wanted.capability, score, {"how": wanted.how}, {"how": f"default:{wanted.how}"})
    if wanted.capability == seeing_words.TRANSLATE and wanted.language == OTHER:
        return Match(wanted.capability, score, missing=("language",), question=_ASKS_LANGUAGE[any(c > "\u3400" for c in text)])
    if wanted.language:
        return Match(wanted.capability, score, {"language": wanted.language}, {"language": wanted.named})
    return Match(wanted.capability, score)


def _understanding(capability: str) -> Understand:
    def understand(meant: Meant) -> tuple[Match, ...]:
        if meant.variant == FRAGMENT:
            return ()
        language, named = seeing_words.into(meant.form, "zh" if meant.zh else "en")
        how = meant.variant if meant.variant in (WHOLE, GIST) else WHOLE
        return (_match(seeing_words.Sight(capability, how, language, named), meant.share, meant.text),)

    return understand


def _other_language(arguments: Arguments, words: str, zh: bool) -> Another | None:
    """ "Spanish", and nothing else."""
    language = seeing_words.LANGUAGES.get(re.sub(r"^(?:in|into|to) |^(?:翻)?(?:成|译成)", "", words))
    return ("seeing.translate", {"language": language}) if language and language != arguments.get("language") else None


_NONE: Final = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
_HOW: Final = {"type": "object", "properties": {"how": {"type": "string", "enum": [WHOLE, GIST]}}, "required": ["how"], "additionalProperties": False}  # fmt: skip
_LANGUAGE: Final = {"type": "object", "properties": {"language": {"type": "string", "enum": list(LANGUAGES), "description": "into which; left out: the speaker's own"}}, "required": [], "additionalProperties": False}  # fmt: skip


def text_skills(sights: Sights) -> tuple[Skill, ...]:
    def running(one: Skill, run: Callable[[Call, Sights], Awaitable[Spoken]]) -> Skill:
        async def runs(call: Call) -> Spoken:
            return await run(call, sights)

        return replace(one, run=runs, timeout_ms=sights.within_ms, usual_ms=2_000)

    return (running(_read, read), running(_translate, translate), running(_scan, scan), running(_describe, describe))


@skill(
    "seeing.read",
    description="Read out the text that the camera sees now: whole, or the gist.",
    group=QUOTING,
    recognise=_recogniser(seeing_words.READ),
    understand=_understanding(seeing_words.READ),
    arguments_schema=_HOW,
    examples={
        "en": ("Read this to me.", "What does that sign say?", "What's the gist of this letter?"),
        "zh": ("念念这个。", "这块牌子写的是什么？", "这封信大概说什么？"),
    },
    timeout_ms=READ_WITHIN_MS,
)
async def _read(call: Call) -> Spoken:
    return await read(call, Sights())


@skill(
    "seeing.translate",
    description="Translate the text that the camera sees now.",
    group=QUOTING,
    recognise=_recogniser(seeing_words.TRANSLATE),
    understand=_understanding(seeing_words.TRANSLATE),
    changes=Changes(chosen=_other_language),
    arguments_schema=_LANGUAGE,
    examples={
        "en": ("Translate this sign.", "What does that say in English?", "Translate this menu into Chinese."),
        "zh": ("翻译一下这个牌子。", "把菜单翻成中文。", "这个英文什么意思？"),
    },
    timeout_ms=READ_WITHIN_MS,
)
async def _translate(call: Call) -> Spoken:
    return await translate(call, Sights())


@skill(
    "seeing.scan_code",
    description="Read a QR code or barcode in front of the camera.",
    group=QUOTING,
    recognise=_recogniser(seeing_words.SCAN),
    understand=_understanding(seeing_words.SCAN),
    arguments_schema=_NONE,
    examples={"en": ("Scan this QR code.", "What's in that barcode?"), "zh": ("扫一下这个二维码。", "扫码。")},
    timeout_ms=READ_WITHIN_MS,
)
async def _scan(call: Call) -> Spoken:
    return await scan(call, Sights())


@skill(
    "seeing.describe",
    description="Describe what is in front of the camera.",
    group=SEEING,
    recognise=_recogniser(seeing_words.DESCRIBE),
    understand=_understanding(seeing_words.DESCRIBE),
    arguments_schema=_NONE,
    examples={"en": ("Describe the scene.", "What do you see?"), "zh": ("描述一下眼前。", "你看到什么？")},
    timeout_ms=READ_WITHIN_MS,
)
async def _describe(call: Call) -> Spoken:
    return await describe(call, Sights())
