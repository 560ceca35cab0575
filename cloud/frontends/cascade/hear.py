"""Speech to text: Whisper base on an encoder window as short as the utterance, English and Chinese.

The short window makes the encoder's work follow the length of the utterance instead of always being 30 s. Timestamp tokens stay
on: without them the decoder loops on short windows. What comes back doubtful (low probability, repetition, no speech) is
decoded again on the stock 30 s window, and the better answer counts. Several hearings are asked for: which one it was is decided by how people put
things (`phrasing.py`), of Chinese also with which characters of the same sound (`spelling.py`). Chinese is heard by the same model with our own changes
(`tuned_hearing.py`). Where it is unsure which language it was, both are decoded.

Does not know: where an utterance begins or ends (`vad.py`), who spoke, or what the words mean.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats
from ridealong.cloud.frontends.cascade.mel import FRAMES_PER_S, RATE_HZ, log_mel
from ridealong.cloud.frontends.cascade.ngrams import load_ngrams
from ridealong.cloud.frontends.cascade.phrasing import Phrasing
from ridealong.cloud.frontends.cascade.spelling import Hearing, Spelling
from ridealong.cloud.frontends.cascade.tuned_hearing import TUNED, tuned_files
from ridealong.cloud.frontends.cascade.written import (
    FULL_WIDTH,
    PROMPTS,
    collapse_repeats,
    echoes,
    shrinks,
    without_prompt,
    without_stray_digit,
    worded,
)

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
LOOSE_ENDS = " ,:;，：；、"
HINT_WEIGHT = 4.0
"""How much likelier the hinted language is taken to be than the other, before listening."""
UNSURE = 3.0
"""Both languages are decoded where one is less likely than so by the sound alone: nats of their ratio."""
STILL_UNSURE, BADLY_HEARD = 8.0, -0.3
"""So where it is less likely than so, and what was heard in the likelier one has fewer nats a token: the words do not fit the sound."""
PER_TOKEN = 10.0
"""How much a nat of the mean over a decoding's tokens counts besides for its language. Of 146 utterances in a car's noise, heard in both, the right one had more in all with words of both."""
AGAINST_CHINESE = 0.5
"""So many nats too few the model gives to short Chinese in a car's noise: it was taken for English, never the other way round."""
BEAMS = 6
"""As many hearings."""
SURELY_NOBODY = 0.9
"""What a tuned model, which has learnt it of noise, says of no speech is believed alone."""
TUNED_SURE = -0.2
"""A tuned model that is less sure, in nats a token, is not believed alone: somebody speaks otherwise than it has learnt."""
HALF_CHARACTER = "\ufffd"
TOKENS_PER_S = {"en": 6, "zh": 9}
TOKENS_SPARE = 14


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
    """One per process; safe to share between threads (CTranslate2 queues the calls). `tuned`: the languages that are heard by a model with our changes."""

    def __init__(self, folder: Path, threads: int = 2, tuned: Sequence[str] = TUNED) -> None:
        import ctranslate2
        import opencc
        from tokenizers import Tokenizer

        self._views: Any = ctranslate2.StorageView
        self._model: Any = ctranslate2.models.Whisper(str(folder), **_on_cpu(threads))
        self._tuned: dict[str, Any] = {
            locale: ctranslate2.models.Whisper(f"tuned to {locale}", files=tuned_files(folder, locale), **_on_cpu(threads))
            for locale in tuned
        }
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
        duration_s = len(samples) / RATE_HZ
        locale, best = self._likelier(samples, hint)
        no_speech = best.no_speech
        if locale in self._tuned and no_speech > SURELY_NOBODY:
            return Transcript("", locale, math.exp(best.log_probability), no_speech)
        if best.doubtful:
            encoded = self._encode(self._model, samples, STOCK_FRAMES)
            again = self._decode(self._model, encoded, locale, duration_s)
            if echoes(again.text, PROMPTS[locale]):
                plain = self._decode(self._model, encoded, locale, duration_s, prompted=False)
                again = plain if shrinks(again.text, plain.text) else again
            no_speech = max(no_speech, again.no_speech)
            best = max(best, again, key=lambda one: one.rank)
        silent = no_speech > NO_SPEECH and best.log_probability < SILENT_LOG_PROBABILITY
        if silent or best.log_probability < WORTHLESS_LOG_PROBABILITY:
            return Transcript("", locale, math.exp(best.log_probability), no_speech)
        return Transcript(best.text, locale, math.exp(best.log_probability), no_speech)

    def _likelier(self, samples: Floats, hint: str | None) -> tuple[str, Decoding]:
        """The language and what was heard in it."""
        frames = min(STOCK_FRAMES, -(-(len(samples) // 160 + TAIL_FRAMES) // FRAME_STEP) * FRAME_STEP)
        encoded = self._encode(self._model, samples, frames)
        shares = {name.strip("<|>"): share for name, share in self._model.detect_language(encoded)[0]}

        def heard_in(locale: str) -> Decoding:
            return self._heard(samples, encoded, frames, locale)

        chinese = lead_of_chinese(shares, hint)
        locale, other = ("zh", "en") if chinese > 0 else ("en", "zh")
        heard = {locale: heard_in(locale)}
        bound = STILL_UNSURE if heard[locale].log_probability < BADLY_HEARD else UNSURE
        if abs(chinese) < bound and heard[locale].text:
            heard[other] = heard_in(other)
            locale = of_both(chinese, heard["zh"], heard["en"])
        return locale, heard[locale]

    def _heard(self, samples: Floats, encoded: Any, frames: int, locale: str) -> Decoding:
        """By the model that was tuned to the language, where there is one; without a prompt, which it has no need of. Where that is unsure, the published
        model's hearings count beside its own."""
        duration_s, found = len(samples) / RATE_HZ, list[Decoding]()
        if tuned := self._tuned.get(locale):
            found = self._hearings(tuned, self._encode(tuned, samples, frames), locale, duration_s, prompted=False)
            if found[0].log_probability >= TUNED_SURE:
                return self._said(found, locale)
        best = self._said([*found, *self._hearings(self._model, encoded, locale, duration_s)], locale)
        best = replace(best, no_speech=found[0].no_speech) if found else best
        if echoes(best.text, PROMPTS[locale]):
            plain = self._decode(self._model, encoded, locale, duration_s, prompted=False)
            return plain if shrinks(best.text, plain.text) else best
        return best

    def _encode(self, model: Any, samples: Floats, frames: int) -> Any:
        features = np.ascontiguousarray(log_mel(samples, frames)[None])
        return model.encode(self._views.from_array(features))

    def _decode(self, model: Any, encoded: Any, locale: str, duration_s: float, prompted: bool = True) -> Decoding:
        return self._said(self._hearings(model, encoded, locale, duration_s, prompted), locale)

    def _hearings(self, model: Any, encoded: Any, locale: str, duration_s: float, prompted: bool = True) -> list[Decoding]:
        """The likeliest first."""
        prompt = (
            []
            if not prompted
            else [self._id("<|startofprev|>"), *self._tokens.encode(" " + PROMPTS[locale], add_special_tokens=False).ids]
        )
        prompt += [self._id(token) for token in ("<|startoftranscript|>", f"<|{locale}|>", "<|transcribe|>")]
        cap = int(duration_s * TOKENS_PER_S[locale]) + TOKENS_SPARE
        result = model.generate(
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
        return [
            self._read(ids, score, result.no_speech_prob, locale, duration_s)
            for ids, score in zip(result.sequences_ids, result.scores, strict=True)
        ]

    def _read(self, ids: list[int], score: float, no_speech: float, locale: str, duration_s: float) -> Decoding:
        text = self._tokens.decode(self._spoken(ids, duration_s), skip_special_tokens=True).replace(HALF_CHARACTER, "").strip()
        if locale == "zh":
            text = without_stray_digit(without_prompt(self._simplified.convert(text).translate(FULL_WIDTH)))
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


def _on_cpu(threads: int) -> dict[str, Any]:
    return {"device": "cpu", "compute_type": "int8", "inter_threads": 1, "intra_threads": threads}
