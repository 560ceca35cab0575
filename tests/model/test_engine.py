"""The engine on a tiny checkpoint: sessions of their own, whoever shares the batch; speech, requests, answers, windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from PIL import Image
from torch import Tensor

from ridealong.cloud.model.decoding import VENUS
from ridealong.cloud.model.engine import Engine, EngineError, EngineSettings
from ridealong.cloud.model.images import Cut, cut
from ridealong.cloud.model.kv_window import Basic, Context, Live, Off, Window
from ridealong.cloud.model.model import LoadedModel, load_model
from ridealong.cloud.model.sampling import Drawn
from ridealong.cloud.model.tiny import write_tiny
from ridealong.cloud.model.tiny_config import TINY
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput, UnitOutput
from ridealong.cloud.model.vocoder import SpeechSettings

pytestmark = pytest.mark.model
SETTINGS = SessionSettings(decoding=replace(VENUS, cap=8), window=Off())
SPEECH = SpeechSettings(steps=2, silence=42)


@lru_cache(maxsize=1)
def loaded() -> LoadedModel:
    with TemporaryDirectory() as folder:
        write_tiny(Path(folder) / "tiny", TINY)
        return load_model(Path(folder) / "tiny", dtype=torch.float32)


def engine(slots: int = 2, window: int = 512) -> Engine:
    return Engine(loaded(), EngineSettings(slots=slots, window=window, speech=SPEECH))


def sound(seed: int, second: int) -> Tensor:
    return torch.randn(16_000, generator=torch.Generator().manual_seed(1000 * seed + second)) * 0.1


def picture(seed: int) -> Cut:
    pixels = torch.randint(0, 255, (40, 60, 3), generator=torch.Generator().manual_seed(seed), dtype=torch.uint8)
    return cut(Image.fromarray(pixels.numpy()), loaded().config.image)


def unit(seed: int, second: int, **more: Any) -> UnitInput:
    pictures = (picture(seed + second),) if second % 2 else ()
    return UnitInput(sound(seed, second), **{"pictures": pictures, "at_ms": 1000 * second, **more})


def alone(seed: int, seconds: int, slot: int = 0, made: Engine | None = None) -> list[UnitOutput]:
    made = made or engine()
    made.open(slot, replace(SETTINGS, seed=seed))
    out = [made.run({slot: unit(seed, second)})[slot] for second in range(seconds)]
    made.close(slot)
    return out


def same(one: UnitOutput, other: UnitOutput) -> None:
    assert replace(one, sound=None, stages_ms={}) == replace(other, sound=None, stages_ms={})
    assert (one.sound is None) == (other.sound is None)
    if one.sound is not None and other.sound is not None:
        torch.testing.assert_close(one.sound, other.sound, atol=1e-4, rtol=0)


class Scripted:
    """In the sampler's place: each slot draws what is written for it, then stops."""

    def __init__(self, made: Engine, scripts: Mapping[int, Sequence[int]]) -> None:
        self._sampler = made.thinking._sampler
        self._scripts = {slot: list(script) for slot, script in scripts.items()}
        self._end = made.tokens.ids.chunk_eos
        self._active: Tensor | None = None
        made.thinking._draw = self.draw  # type: ignore[method-assign]

    def draw(self, logits: Tensor, chance: Tensor, draws: Tensor) -> Tensor:
        out = torch.full((len(logits),), self._end)
        for slot, script in self._scripts.items():
            if draws[slot] and script:
                out[slot] = script.pop(0)
        return out


def test_it_speaks_and_its_speech_is_a_second_a_unit() -> None:
    units = alone(1, 4)
    spoken = [one for one in units if one.sound is not None]
    assert spoken and all(len(one.sound) >= 24_000 for one in spoken if one.sound is not None)
    assert all(bool(torch.isfinite(one.sound).all()) for one in spoken if one.sound is not None)
    assert any(one.codes == 25 for one in spoken)


def test_a_batch_is_its_sessions_alone() -> None:
    made = engine(slots=3)
    for slot, seed in ((0, 5), (2, 6)):
        made.open(slot, replace(SETTINGS, seed=seed))
    together: dict[int, list[UnitOutput]] = {0: [], 2: []}
    for second in range(4):
        units = {0: unit(5, second), 2: unit(6, second)}
        if second == 2:  # one of them comes alone
            for slot in (2, 0):
                together[slot].append(made.run({slot: units[slot]})[slot])
            continue
        for slot, one in made.run(units).items():
            together[slot].append(one)
    for slot, seed in ((0, 5), (2, 6)):
        for got, want in zip(together[slot], alone(seed, 4), strict=True):
            same(got, want)


def test_a_slot_used_again_knows_nothing_of_the_last_session() -> None:
    made = engine()
    alone(7, 3, made=made)
    for got, want in zip(alone(8, 3, made=made), alone(8, 3), strict=True):
        same(got, want)


def test_a_session_that_copies_its_prompt_is_one_that_read_it() -> None:
    made = engine()
    first, second = alone(9, 2, 0, made), alone(9, 2, 1, made)
    assert len(made.thinking._prompts) == 1
    for got, want in zip(second, first, strict=True):
        same(got, want)


def test_an_interruption_ends_the_turn_and_the_next_begins_anew() -> None:
    made = engine()
    made.open(0, SETTINGS)
    ids = made.tokens.ids
    word = made.tokens.encode("a")[0]
    Scripted(made, {0: [ids.speak, word, word, ids.chunk_eos, ids.speak, word, ids.chunk_eos]})
    assert made.run({0: unit(1, 0)})[0].words == "aa"
    assert made.turn_open(0)
    out = made.run({0: unit(1, 1, force_listen=True)})[0]
    assert (out.listens, out.interrupted, out.sound) == (True, True, None)
    assert not made.turn_open(0)
    assert int(made.speaking.cache.lengths[0]) == 0
    out = made.run({0: unit(1, 2)})[0]
    assert out.words == "a" and out.sound is not None


def test_a_request_is_given_out_and_never_said() -> None:
    made = engine()
    made.open(0, SETTINGS)
    ids, names = made.tokens.ids, made.tokens.needed_delegation()
    words = made.tokens.encode("hi")
    assert len(words) == 2
    Scripted(made, {0: [ids.speak, made.tokens.encode("a")[0], names.delegate_open, words[0], ids.chunk_eos,
                        words[1], names.delegate_close, ids.turn_eos, ids.chunk_eos]})  # fmt: skip
    first = made.run({0: unit(2, 0)})[0]
    assert (first.words, first.delegates) == ("a", ())
    second = made.run({0: unit(2, 1)})[0]
    assert (second.words, second.delegates, second.end_of_turn) == ("", ("hi",), True)


def test_an_answer_is_brought_in_and_not_while_a_turn_is_open() -> None:
    made = engine()
    made.open(0, SETTINGS)
    ids = made.tokens.ids
    Scripted(made, {0: [ids.listen, ids.speak, ids.chunk_eos]})
    made.run({0: unit(3, 0)})
    rows = made.thinking.cache.ends[0].item()
    made.run({0: unit(3, 1, answer="It is <delegate>open.")})
    assert made.thinking.cache.ends[0].item() > rows
    with pytest.raises(EngineError, match="while a turn is open"):
        made.run({0: unit(3, 2, answer="And so on.")})


@pytest.mark.parametrize("window", [Off(), Basic(150, 120), Context(3, 20), Live(3_000, 0)], ids=lambda one: type(one).__name__)
def test_the_context_never_overflows(window: Window) -> None:
    """Forty seconds of sight and sound in 200 rows."""
    made = engine(slots=1, window=200)
    made.open(0, replace(SETTINGS, window=window))
    dropped = forced = 0
    for second in range(40):
        out = made.run({0: unit(4, second)})[0]
        assert 0 <= out.headroom_rows <= 200
        assert len(made.thinking.places[0]) + 2 == 200 - out.headroom_rows
        dropped += out.dropped
        forced += out.forced
    assert dropped
    assert (forced > 0) == isinstance(window, Off)


def test_half_a_character_waits_for_the_other_half() -> None:
    made = engine()
    made.open(0, SETTINGS)
    ids = made.tokens.ids
    halves = made.tokens.encode("好")
    assert len(halves) == 3
    Scripted(made, {0: [ids.speak, *halves[:2], ids.chunk_eos, halves[2], ids.chunk_eos]})
    assert made.run({0: unit(5, 0)})[0].words == ""
    assert made.run({0: unit(5, 1)})[0].words == "好"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"sound": torch.zeros(15_999)}, "a unit has 16000 samples"),
        ({"sound": torch.full((16_000,), float("nan"))}, "holds NaN"),
        ({"sound": None, "pictures": ()}, "must have a picture, a sound or a text"),
        ({"answer": "<backend>"}, "must have words"),
    ],
)
def test_units_that_cannot_be_change_nothing(wrong: dict[str, Any], why: str) -> None:
    made = engine()
    for slot in (0, 1):
        made.open(slot, SETTINGS)
    with pytest.raises(EngineError, match=why):
        made.run({0: unit(6, 0), 1: replace(unit(6, 0), **wrong)})
    made.close(1)
    got = [made.run({0: unit(6, second)})[0] for second in range(2)]
    fresh = engine()
    fresh.open(0, SETTINGS)
    for one, want in zip(got, [fresh.run({0: unit(6, second)})[0] for second in range(2)], strict=True):
        same(one, want)


def test_slots_that_cannot_be() -> None:
    made = engine()
    made.open(0, SETTINGS)
    for slot, why in ((0, "has a session"), (2, "slot must be 0 to 1"), (-1, "slot must be")):
        with pytest.raises(EngineError, match=why):
            made.open(slot, SETTINGS)
    with pytest.raises(EngineError, match="has no session"):
        made.run({1: unit(1, 0)})
    made.close(1)


def test_thinking_may_go_on_while_the_last_unit_is_spoken() -> None:
    """A unit's thought is spoken after the next one was thought: the same as in order."""
    made = engine()
    made.open(0, replace(SETTINGS, seed=11))
    thoughts = made.think({0: unit(11, 0)})
    out = []
    for second in range(1, 4):
        after = made.think({0: unit(11, second)})
        out.append(made.speak(thoughts)[0])
        thoughts = after
    for got, want in zip(out, alone(11, 3), strict=True):
        same(got, want)


def test_stages_are_measured_when_asked() -> None:
    made = Engine(loaded(), EngineSettings(slots=1, window=1024, speech=SPEECH, measure=True))
    made.open(0, SETTINGS)
    out = made.run({0: unit(1, 1)})[0]
    assert set(out.stages_ms) == {"vision", "audio", "window", "prefill", "decode", "talker", "vocoder"}
    assert all(ms >= 0 for ms in out.stages_ms.values())


def test_drawn_is_what_the_sampler_gives() -> None:
    """The lanes that don't draw keep their history."""
    made = engine()
    before = made.thinking._drawn.clone()
    logits = torch.randn(2, loaded().config.language.vocab, generator=torch.Generator().manual_seed(2))
    made.thinking._draw(logits, torch.zeros(2, 2), torch.tensor([True, False]))
    assert torch.equal(made.thinking._drawn[1], before[1])
    assert isinstance(made.thinking._sampler.draw(logits, before, torch.zeros(2, 2), made.thinking._knobs), Drawn)


def test_warming_up_changes_no_session() -> None:
    """On a CPU nothing is captured, but the same steps run."""
    made = engine()
    made.open(0, replace(SETTINGS, seed=13))
    out = [made.run({0: unit(13, second)})[0] for second in range(2)]
    with torch.inference_mode():
        made.thinking.warm()
    made.speaking.warm()
    made.warm()
    out += [made.run({0: unit(13, second)})[0] for second in range(2, 4)]
    for got, want in zip(out, alone(13, 4), strict=True):
        same(got, want)
