"""Speech to text: Whisper base on an encoder window as short as the utterance, English and Chinese.

The short window makes the encoder's work follow the length of the utterance instead of always being 30 s. Timestamp tokens stay
on: without them the decoder loops on short windows. What comes back doubtful (low probability, repetition, no speech) is
decoded again on the stock 30 s window, and the better answer counts. Several hearings are asked for: which one it was is decided by how people put
things (`phrasing.py`), of Chinese also with which characters of the same sound (`spelling.py`). Where it is unsure which language it was, both are decoded.

Does not know: where an utterance begins or ends (`vad.py`), who spoke, or what the words mean.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.cloud.frontends.cascade.mel import FRAMES_PER_S, RATE_HZ, log_mel
from ridealong.cloud.frontends.cascade.ngrams import load_ngrams
from ridealong.cloud.frontends.cascade.phrasing import Phrasing
from ridealong.cloud.frontends.cascade.spelling import Hearing, Spelling

MAX_PIECE_S = 27
STOCK_FRAMES = 30 * FRAMES_PER_S
TAIL_FRAMES = 300
"""Silence after the utterance in the short window: less than 2 s of it and the decoder runs on."""
FRAME_STEP = 50
TIMESTAMP_S = 0.02
DOUBTFUL_LOG_PROBABILITY = -0.75
SILENT_LOG_PROBABILITY = -0.45
"""With `NO_SPEECH`: nothing was said. Real speech had no_speech below 0.3; silence and prompt together gave 0.78 and -0.54."""
WORTHLESS_LOG_PROBABILITY = -1.2
NO_SPEECH = 0.6
ECHO_UNITS = 3
"""A clause of so many words (or Chinese characters), all of them a run of the domain prompt, may be an echo of it."""
KEPT_SHARE = 0.75
LOOSE_ENDS = " ,:;，：；、"
HINT_WEIGHT = 4.0
"""How much likelier the hinted language is taken to be than the other, before listening."""
UNSURE = 3.0
"""Both languages are decoded where one is less likely than so by the sound alone: nats of their ratio."""
PER_TOKEN = 4.0
"""How much a nat of the mean over a decoding's tokens counts besides for its language."""
AGAINST_CHINESE = 0.5
"""So many nats too few the model gives to short Chinese in a car's noise: it was taken for English, never the other way round."""
BEAMS = 6
"""As many hearings."""
TOKENS_PER_S = {"en": 6, "zh": 9}
TOKENS_SPARE = 14

PROMPTS = {
    "en": "Temperature 22.5 degrees, fan, rear left window halfway, boot, trunk, navigate to the charging station.",
    "zh": "空调调到二十二度半，主驾，副驾，风量百分之四十，左后车窗开一半，天窗，除雾，后备箱，导航到最近的充电站，续航。",
}


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard. `confidence` is the mean token probability, 0 to 1; `text` is empty when nothing was said."""

    text: str
    locale: str
    confidence: float
    no_speech: float


@dataclass(frozen=True, slots=True)
class Decoding:
    text: str
    log_probability: float
    no_speech: float
    repeated: bool
    tokens: int

    @property
    def doubtful(self) -> bool:
        return self.repeated or not self.text or self.log_probability < DOUBTFUL_LOG_PROBABILITY or self.no_speech > NO_SPEECH

    @property
    def rank(self) -> tuple[bool, float]:
        return (bool(self.text) and not self.repeated, self.log_probability)


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|(?<=[?!])(?=[\u4e00-\u9fff])")
_FULL_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_TOKEN = r"[\w'-]+(?:\.\d+)?"
_LOOPS = (
    re.compile(rf"\b({_TOKEN})(?:[\s,]+\1\b){{3,}}", re.IGNORECASE),
    re.compile(rf"\b((?:{_TOKEN}[\s,]+){{2,}}{_TOKEN})(?:[\s,]+\1\b)+", re.IGNORECASE),
    re.compile(r"([\u4e00-\u9fff]{1,3})(?:[，、\s]*\1){3,}"),
    re.compile(r"([\u4e00-\u9fff]{4,})(?:[，、：:\d\s]*\1)+"),
    re.compile(r"([\u4e00-\u9fff]{3,})(?:[，、：:\d\s]+\1)+"),
)


def collapse_repeats(text: str) -> tuple[str, bool]:
    """The text without what a decoder says again, and whether it was in a loop.

    A sentence said twice in a row is kept once, and a last sentence that breaks off while it repeats the one before is dropped. A phrase of three or more words (four characters), or one word four times on
    end, is a loop; "no, no, no" and 很好很好 stay as they are.
    """
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        if not sentence or (kept and _repeats(sentence, kept[-1])):
            continue
        kept.append(sentence)
    joined = (" " if text.isascii() else "").join(kept)
    shorter = joined
    for loop in _LOOPS:
        shorter = loop.sub(r"\1", shorter)
    return shorter, shorter != joined


def without_stray_digit(text: str) -> str:
    """Chinese without a digit behind its end (去机场4, 二十三度半4) or for a pause (胎压4把温度…): not a number of theirs.

    A number that can be meant stays: 调到4, 23度5, 百分之5."""
    return _STRAY_DIGIT.sub("", _STRAY_PAUSE.sub("，", _STRAY_BETWEEN.sub("，", text)))


_NOT_BEFORE = r"(?<![到成为至是第度点百之十开调要号加减高低升降半分上下左右前后零一二两三四五六七八九])"
_STRAY_DIGIT = re.compile(rf"(?<=[\u4e00-\u9fff]){_NOT_BEFORE}\d$|(?<=度半)\d$")
_STRAY_BETWEEN = re.compile(rf"(?<=[\u4e00-\u9fff]){_NOT_BEFORE}\d(?=把|请|再|然后|打开|关上|关闭|告诉|调)")
_STRAY_PAUSE = re.compile(
    rf"(?<=[\u4e00-\u9fff]){_NOT_BEFORE}4(?=[\u4e00-\u9fff])(?![度档挡级格号个点分秒小公千米年月日天次首条位层路楼块元岁成倍环线座排扇种样杯圈桶人位辆])"
)
"""A pause is written as 4 more than as any other digit, whatever is said behind it; a number would have its measure there."""


def worded(text: str) -> str:
    """The text, or nothing where it is dots and signs alone: there would be no word in it to be unlikely."""
    return text if _UNITS.search(text.casefold()) else ""


def without_prompt(text: str) -> str:
    """Chinese without a colon and the prompt's own words behind it: the decoder went on with the prompt instead of ending."""
    said, colon, rest = text.partition("：")
    given = "".join(_UNITS.findall(PROMPTS["zh"]))
    return said if colon and said and given.startswith("".join(_UNITS.findall(rest.casefold()))) else text


def _repeats(sentence: str, before: str) -> bool:
    units, said = _UNITS.findall(sentence.casefold()), _UNITS.findall(before.casefold())
    begun = bool(units) and len(units) <= len(said) and " ".join(said).startswith(" ".join(units))
    broken_off = begun and sentence[-1] not in ".!?。！？"
    return units == said or broken_off


def echoes(text: str, prompt: str) -> bool:
    """Is a whole clause of the text a run of the prompt's own words? Then the decoder may have copied instead of listened."""
    given = " ".join(_UNITS.findall(prompt.casefold()))
    clauses = (_UNITS.findall(clause) for clause in _CLAUSE_END.split(text.casefold()))
    return any(len(units) >= ECHO_UNITS and " ".join(units) in given for units in clauses)


def shrinks(prompted: str, plain: str) -> bool:
    """Did much of the text go away with the prompt? What was really said is also heard without it, if spelt otherwise."""
    return len(_UNITS.findall(plain.casefold())) < KEPT_SHARE * len(_UNITS.findall(prompted.casefold()))


_CLAUSE_END = re.compile(r"[,.!?:;](?=\s|$)|[，。！？：；、]")
_UNITS = re.compile(r"[\u4e00-\u9fff]|[a-z0-9']+")


def lead_of_chinese(shares: Mapping[str, float], hint: str | None) -> float:
    """By how many nats Chinese is likelier than English, by the sound and what was likelier beforehand."""
    weighed = {locale: max(shares.get(locale, 0.0), 1e-9) * (HINT_WEIGHT if locale == hint else 1.0) for locale in PROMPTS}
    return math.log(weighed["zh"] / weighed["en"])


def of_both(chinese: float, zh: Decoding, en: Decoding) -> str:
    """The language of two decodings of one sound. `chinese`: its lead. Words without a character of the language are not in it."""
    in_script = bool(_HAN.search(zh.text)), bool(_LATIN.search(en.text))
    if in_script[0] != in_script[1]:
        return "zh" if in_script[0] else "en"
    by_words = PER_TOKEN * (zh.log_probability - en.log_probability)
    return "zh" if chinese + AGAINST_CHINESE + by_words > 0 else "en"


_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9]")


class Recogniser:
    """One per process; safe to share between threads (CTranslate2 queues the calls)."""

    def __init__(self, folder: Path, threads: int = 2) -> None:
        import ctranslate2
        import opencc
        from tokenizers import Tokenizer

        self._views: Any = ctranslate2.StorageView
        self._model: Any = ctranslate2.models.Whisper(
            str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
        )
        self._tokens: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._simplified: Any = opencc.OpenCC("t2s")
        self._spelling = Spelling(load_ngrams("zh"))
        self._phrasing = Phrasing(load_ngrams("en"))
        self._first_timestamp = self._id("<|notimestamps|>") + 1
        self._end = self._id("<|endoftext|>")

    def transcribe(self, samples: Floats, hint: str | None = None) -> Transcript:
        """One utterance, 16 kHz. `hint`: the locale that is likelier beforehand. Longer than 27 s is heard in pieces."""
        piece_samples = MAX_PIECE_S * RATE_HZ
        pieces = [samples[at : at + piece_samples] for at in range(0, max(len(samples), 1), piece_samples)]
        heard = [self._piece(piece, hint) for piece in pieces]
        spoken = [one for one in heard if one.text]
        if not spoken:
            return heard[0]
        locale = spoken[0].locale
        text = ("" if locale == "zh" else " ").join(one.text for one in spoken)
        return Transcript(text, locale, min(o.confidence for o in spoken), max(o.no_speech for o in spoken))

    def _piece(self, samples: Floats, hint: str | None) -> Transcript:
        frames = min(STOCK_FRAMES, -(-(len(samples) // 160 + TAIL_FRAMES) // FRAME_STEP) * FRAME_STEP)
        encoded = self._encode(samples, frames)
        duration_s = len(samples) / RATE_HZ
        locale, best = self._likelier(encoded, hint, duration_s)
        no_speech = best.no_speech
        if best.doubtful:
            encoded = self._encode(samples, STOCK_FRAMES)
            again = self._decode(encoded, locale, duration_s)
            no_speech = max(no_speech, again.no_speech)
            best = max(best, again, key=lambda one: one.rank)
        if echoes(best.text, PROMPTS[locale]):
            plain = self._decode(encoded, locale, duration_s, prompted=False)
            best = plain if shrinks(best.text, plain.text) else best
        silent = no_speech > NO_SPEECH and best.log_probability < SILENT_LOG_PROBABILITY
        if silent or best.log_probability < WORTHLESS_LOG_PROBABILITY:
            return Transcript("", locale, math.exp(best.log_probability), no_speech)
        return Transcript(best.text, locale, math.exp(best.log_probability), no_speech)

    def _encode(self, samples: Floats, frames: int) -> Any:
        features = np.ascontiguousarray(log_mel(samples, frames)[None])
        return self._model.encode(self._views.from_array(features))

    def _likelier(self, encoded: Any, hint: str | None, duration_s: float) -> tuple[str, Decoding]:
        """The language and what was heard in it."""
        shares = {name.strip("<|>"): share for name, share in self._model.detect_language(encoded)[0]}
        chinese = lead_of_chinese(shares, hint)
        locale, other = ("zh", "en") if chinese > 0 else ("en", "zh")
        heard = {locale: self._decode(encoded, locale, duration_s)}
        if abs(chinese) < UNSURE and heard[locale].text:
            heard[other] = self._decode(encoded, other, duration_s)
            locale = of_both(chinese, heard["zh"], heard["en"])
        return locale, heard[locale]

    def _decode(self, encoded: Any, locale: str, duration_s: float, prompted: bool = True) -> Decoding:
        prompt = (
            []
            if not prompted
            else [self._id("<|startofprev|>"), *self._tokens.encode(" " + PROMPTS[locale], add_special_tokens=False).ids]
        )
        prompt += [self._id(token) for token in ("<|startoftranscript|>", f"<|{locale}|>", "<|transcribe|>")]
        cap = int(duration_s * TOKENS_PER_S[locale]) + TOKENS_SPARE
        result = self._model.generate(
            encoded,
            [prompt],
            beam_size=BEAMS,
            num_hypotheses=BEAMS,
            max_length=min(448, len(prompt) + cap),
            suppress_blank=True,
            max_initial_timestamp_index=50,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        found = [
            self._read(ids, score, result.no_speech_prob, locale, duration_s)
            for ids, score in zip(result.sequences_ids, result.scores, strict=True)
        ]
        return self._said(found, locale)

    def _read(self, ids: list[int], score: float, no_speech: float, locale: str, duration_s: float) -> Decoding:
        text = self._tokens.decode(self._spoken(ids, duration_s), skip_special_tokens=True).strip()
        if locale == "zh":
            text = without_stray_digit(without_prompt(self._simplified.convert(text).translate(_FULL_WIDTH)))
        text, repeated = collapse_repeats(worded(text.strip(LOOSE_ENDS)))
        return Decoding(text, score * len(ids) / (len(ids) + 1), no_speech, repeated, len(ids))

    def _said(self, found: list[Decoding], locale: str) -> Decoding:
        """Of the hearings of one sound the likeliest, as it is written."""
        spoken = [one for one in found if one.text]
        if not spoken:
            return found[0]
        hearings = [Hearing(one.text, one.log_probability * one.tokens, one.tokens, one.repeated) for one in spoken]
        if locale == "en":
            return spoken[self._phrasing.best(hearings)] if found[0].text else found[0]
        number, text = self._spelling.best(hearings)
        return replace(spoken[number], text=text)

    def _spoken(self, ids: list[int], duration_s: float) -> list[int]:
        """The text tokens of the segments that lie within the utterance: what is 'heard' behind its end is a loop."""
        spoken: list[int] = []
        segment: list[int] = []
        for token in ids:
            if token >= self._first_timestamp:
                if not segment:
                    if (token - self._first_timestamp) * TIMESTAMP_S > duration_s + 0.2:
                        break
                    continue
                spoken += segment
                segment = []
                if (token - self._first_timestamp) * TIMESTAMP_S >= duration_s - 0.35:
                    break
            elif token < self._end:
                segment.append(token)
        return spoken + segment

    def _id(self, token: str) -> int:
        found = self._tokens.token_to_id(token)
        if found is None:
            raise ValueError(f"the Whisper tokenizer has no token {token}")
        return int(found)
