"""Text to speech: Kokoro-82M on ONNX Runtime, English and Chinese, with estimated word times.

One call makes one piece of text into samples; a caller that wants the first sound soon takes `clauses(text, locale)` and
synthesises them one after the other. Does not know utterance numbers, epochs or what was played.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ridealong.cloud.frontends.cascade.audio import Floats, Pcm16, pcm16_from_floats, with_headroom
from ridealong.cloud.frontends.cascade.lexicon import Lexicon
from ridealong.cloud.frontends.cascade.utterance import Run, clauses, runs
from ridealong.errors import UserError
from ridealong.proto.types import SPEECH_HZ, WordTime

__all__ = ["DEFAULT_VOICES", "VOICES", "Synthesised", "Synthesiser", "clauses", "text_up_to"]

VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george", "zf_xiaoxiao", "zm_yunxi")
"""First letter: accent (a American, b British, z Mandarin); second: female or male."""
DEFAULT_VOICES = {"en": "af_heart", "zh": "zf_xiaoxiao"}
PARTNERS = {("zh", "f"): "zf_xiaoxiao", ("zh", "m"): "zm_yunxi", ("en", "f"): "af_heart", ("en", "m"): "am_michael"}

MAX_TOKENS = 510
STYLE_SHAPE = (510, 1, 256)
EDGE_MS = 50
QUIET = 0.01
"""Below a hundredth of full scale (-40 dBFS) the edges are silence."""
RUN_GAP_MS = 30
PAUSE_MS = {
    ",": 140,
    "，": 140,
    "、": 100,
    ";": 200,
    "；": 200,
    ":": 200,
    "：": 200,
    ".": 300,
    "。": 300,
    "!": 300,
    "！": 300,
    "?": 300,
    "？": 300,
}
KEPT_CLAUSES = 128


@dataclass(frozen=True, slots=True)
class Synthesised:
    """Mono samples at 24 kHz; `words` as written, with their first and last+1 sample."""

    pcm: Pcm16
    words: tuple[WordTime, ...]
    rate: int = SPEECH_HZ

    @property
    def duration_ms(self) -> float:
        return len(self.pcm) * 1000 / self.rate


def text_up_to(text: str, words: Sequence[WordTime], played_samples: int) -> str:
    """The beginning of `text` whose words were played to their end."""
    at = 0
    for word in words:
        if word.end > played_samples:
            break
        found = text.find(word.word, at)
        at = found + len(word.word) if found >= 0 else at
    return text[:at].strip()


def voice_names(voice: str, locale: str) -> str:
    """The voice that says text of `locale` beside `voice`: itself, or its partner in the other language."""
    if voice not in VOICES:
        raise UserError(f"There is no voice {voice!r}: choose one of {', '.join(VOICES)}.")
    speaks = "zh" if voice[0] == "z" else "en"
    return voice if speaks == locale else PARTNERS[locale, voice[1]]


def gains() -> dict[str, float]:
    """What brings each of our voices to the same loudness: one factor a voice, as measured by tools/voice_levels.py (levels.json)."""
    levels = json.loads(resources.files(f"{__package__}.voices").joinpath("levels.json").read_text(encoding="utf-8"))
    return {name: 10 ** ((levels["target_lufs"] - levels["measured_lufs"][name]) / 20) for name in VOICES}


class Synthesiser:
    """One per process. Our voices are equally loud; one that was taught is as loud as the model makes it. The session is safe to share; the clause cache has a lock of its own."""

    def __init__(self, model: Path, vocabulary: Path, lexicon: Lexicon, threads: int = 2) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._ids: dict[str, int] = json.loads(vocabulary.read_text(encoding="utf-8"))["vocab"]
        self._lexicon = lexicon
        self._styles = {name: _style(name) for name in VOICES}
        self._gains = gains()
        self._taught: set[str] = set()
        self._kept: OrderedDict[tuple[str, str, str, float], Synthesised] = OrderedDict()
        self._lock = Lock()
        self.dropped_symbols = 0

    def teach(self, name: str, style: Floats) -> None:
        """Another voice ([510, 1, 256]) under a name of its own; it speaks both languages. Call before the voice is used."""
        if name in VOICES or style.shape != STYLE_SHAPE:
            raise ValueError(f"{name!r} must not be one of our voices, and its style must be {STYLE_SHAPE}, not {style.shape}")
        self._styles[name] = np.asarray(style, dtype=np.float32)
        self._taught.add(name)

    def synthesise(
        self, text: str, locale: str, voice: str | None = None, speed: float = 1.0, tail_pause: bool = False
    ) -> Synthesised:
        """All of `text`, clause by clause with pauses between them; `tail_pause`: one behind the last, too.

        `voice` says its own language; words of the other are said by its partner. Text with nothing to say gives no samples.
        """
        chosen = voice if voice is not None else DEFAULT_VOICES["zh" if locale == "zh" else "en"]
        if chosen not in self._taught:
            voice_names(chosen, "en")
        pieces: list[Pcm16] = []
        words: list[WordTime] = []
        at = 0
        parts = clauses(text, locale)
        for number, clause in enumerate(parts, start=1):
            said = self._clause(clause, locale, chosen, speed)
            words += [WordTime(word.word, word.start + at, word.end + at) for word in said.words]
            pause = PAUSE_MS.get(clause.rstrip("\"'”’)）")[-1:], 60) if number < len(parts) or tail_pause else 0
            pieces += [said.pcm, np.zeros(pause * SPEECH_HZ // 1000, dtype=np.int16)]
            at += len(pieces[-2]) + len(pieces[-1])
        return Synthesised(np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int16), tuple(words))

    def forget(self) -> None:
        """Empty the clause cache: what was said before is synthesised again."""
        with self._lock:
            self._kept.clear()

    def _clause(self, clause: str, locale: str, voice: str, speed: float) -> Synthesised:
        key = (clause, locale, voice, speed)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._make(clause, locale, voice, speed)
        with self._lock:
            self._kept[key] = made
            if len(self._kept) > KEPT_CLAUSES:
                self._kept.popitem(last=False)
        return made

    def _make(self, clause: str, locale: str, voice: str, speed: float) -> Synthesised:
        pieces: list[Floats] = []
        words: list[WordTime] = []
        at = 0
        for run in runs(clause, locale, self._lexicon):
            if pieces:
                pieces.append(np.zeros(RUN_GAP_MS * SPEECH_HZ // 1000, dtype=np.float32))
                at += len(pieces[-1])
            speaker = voice if voice in self._taught else voice_names(voice, run.locale)
            samples = self._voice(run, speaker, speed) * np.float32(self._gains.get(speaker, 1.0))
            pieces.append(samples)
            words += _word_times(run, at, at + len(samples))
            at += len(samples)
        if not pieces:
            return Synthesised(np.zeros(0, dtype=np.int16), ())
        return Synthesised(pcm16_from_floats(with_headroom(np.concatenate(pieces))), tuple(words))

    def _voice(self, run: Run, voice: str, speed: float) -> Floats:
        ids = [self._ids[symbol] for symbol in run.sounds if symbol in self._ids]
        self.dropped_symbols += len(run.sounds) - len(ids)
        made = [self._infer(ids[at : at + MAX_TOKENS], voice, speed) for at in range(0, len(ids), MAX_TOKENS)]
        return np.concatenate(made) if made else np.zeros(0, dtype=np.float32)

    def _infer(self, ids: list[int], voice: str, speed: float) -> Floats:
        style = self._styles[voice][min(len(ids), STYLE_SHAPE[0] - 1)]
        tokens = np.array([[0, *ids, 0]], dtype=np.int64)
        (audio,) = self._session.run(None, {"tokens": tokens, "style": style, "speed": np.array([speed], dtype=np.float32)})
        return trimmed(np.asarray(audio, dtype=np.float32).reshape(-1))


def trimmed(samples: Floats, rate: int = SPEECH_HZ) -> Floats:
    """Without the silence at both edges, but for 50 ms."""
    loud = np.flatnonzero(np.abs(samples) > QUIET)
    if len(loud) == 0:
        return samples[:0]
    edge = EDGE_MS * rate // 1000
    return samples[max(0, loud[0] - edge) : loud[-1] + 1 + edge]


def _word_times(run: Run, start: int, end: int) -> list[WordTime]:
    """The run's samples shared out by weight: an estimate, right to about a syllable."""
    edge = min(EDGE_MS * SPEECH_HZ // 1000, (end - start) // 4)
    total = sum(word.weight for word in run.words)
    times: list[WordTime] = []
    passed = 0.0
    first = start + edge
    for word in run.words:
        passed += word.weight
        last = start + edge + round((end - start - 2 * edge) * passed / total)
        times.append(WordTime(word.written, first, last))
        first = last
    return times


def _style(name: str) -> Floats:
    """[510, 1, 256]"""
    raw = resources.files(f"{__package__}.voices").joinpath(f"{name}.bin").read_bytes()
    return np.frombuffer(raw, dtype="<f4").reshape(STYLE_SHAPE)
