"""Whoever wants to break the engine: no number, text, picture or fault of one session reaches another, and nothing grows without end."""

from __future__ import annotations

import copy
import gc
import time
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from test_engine import SETTINGS, SPEECH, Scripted, alone, engine, loaded, picture, same, unit

from ridealong.cloud.model.decoding import MOST_REQUEST_IDS
from ridealong.cloud.model.engine import MOST_CHARS, VOICES_KEPT, Engine, EngineError, EngineSettings
from ridealong.cloud.model.images import BadImage, cut
from ridealong.cloud.model.kv_cache import NEVER
from ridealong.cloud.model.kv_window import Context
from ridealong.cloud.model.serialization import Ids, cleaned, rows_of
from ridealong.cloud.model.speaking import TALKER_WINDOW
from ridealong.cloud.model.thinking import PROMPTS_KEPT, REQUEST_CHARS
from ridealong.cloud.model.unit_io import UnitInput, UnitOutput
from ridealong.cloud.model.voice import VoiceBundle

pytestmark = pytest.mark.model


def both(made: Engine, slot: int, wrong: UnitInput, why: str, kind: type[Exception] = EngineError) -> None:
    """A wrong unit of slot 1 is refused, and slot 0 goes on as if alone."""
    with pytest.raises(kind, match=why):
        made.run({0: unit(1, 0), slot: wrong})


# -- numbers that are none ----------------------------------------------------------------------------------------------


def test_logits_that_are_no_numbers_lose_their_session_and_no_other() -> None:
    made = engine(slots=2)
    for slot in (0, 1):
        made.open(slot, replace(SETTINGS, seed=41))
    first = made.run({slot: unit(41, 0) for slot in (0, 1)})
    made.thinking.cache.values[1, :, 3] = float("nan")
    outs = [made.run({0: unit(41, 1), 1: unit(41, 1)})]
    bad = outs[0][1]
    assert (bad.lost, bad.listens, bad.sound, bad.words) == (True, True, None, "")
    assert bad.interrupted != first[1].end_of_turn or first[1].listens
    with pytest.raises(EngineError, match="the model lost this session"):
        made.run({1: unit(41, 2)})
    outs.append(made.run({0: unit(41, 2)}))
    for got, want in zip([first[0], outs[0][0], outs[1][0]], alone(41, 3), strict=True):
        same(got, want)
    made.close(1)
    for got, want in zip(alone(42, 2, 1, made), alone(42, 2), strict=True):
        same(got, want)


def test_weights_that_are_no_numbers_end_every_turn_at_once() -> None:
    model = loaded()
    module = copy.deepcopy(model.module)
    module.llm.model.norm.weight.data.fill_(float("nan"))
    made = Engine(replace(model, module=module), EngineSettings(slots=2, window=256, speech=SPEECH))
    for slot in (0, 1):
        made.open(slot, SETTINGS)
    outs = made.run({0: unit(1, 0), 1: unit(2, 0)})
    assert all(out.lost and out.listens and out.sound is None for out in outs.values())


@pytest.mark.parametrize("part", ["tts", "wave"])
def test_a_voice_that_is_no_number_is_not_played(part: str) -> None:
    model = loaded()
    assert model.speech is not None
    module, speech = copy.deepcopy(model.module), copy.deepcopy(model.speech)
    if part == "tts":
        module.tts.projector_semantic.linear1.weight.data.fill_(float("nan"))
    else:
        for weight in speech.wave.parameters():
            weight.data.fill_(float("nan"))
    made = Engine(replace(model, module=module, speech=speech), EngineSettings(slots=1, window=256, speech=SPEECH))
    made.open(0, SETTINGS)
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    Scripted(made, {0: [ids.speak, word, ids.chunk_eos] * 2})
    for second in range(2):
        out = made.run({0: unit(1, second)})[0]
        assert out.words == "a" and not out.lost
        assert out.sound is None or bool(torch.isfinite(out.sound).all())


# -- faults in the middle ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["_step", "_draw", "_prefill", "_thought"])
def test_a_fault_while_thinking_is_as_if_the_unit_had_not_been(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(slots=2)
    for slot in (0, 1):
        made.open(slot, replace(SETTINGS, seed=51))
        made.run({slot: unit(51, 0)})
    minds = [made._minds[slot].copy() for slot in (0, 1)]
    cache, places = made.thinking.cache, [made.thinking.places[slot].rows() for slot in (0, 1)]
    ends, positions = cache.ends.clone(), cache.positions[:, :-1].clone()

    def broken(*_: object) -> Any:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(made.thinking, where, broken)
        with pytest.raises(RuntimeError):
            made.run({slot: UnitInput(text="hm", at_ms=1) for slot in (0, 1)})
    for slot, was in enumerate(minds):
        mind = made._minds[slot]
        assert (mind.history, mind.pending, mind.turn_ids, mind.lost) == (was.history, was.pending, was.turn_ids, False)
    assert torch.equal(cache.ends, ends) and torch.equal(cache.positions[:, :-1], positions)
    assert [made.thinking.places[slot].rows() for slot in (0, 1)] == places
    for slot in (0, 1):
        assert made.run({slot: unit(51, 1)})[slot].headroom_rows > 0


def test_a_fault_while_the_window_changes_loses_that_session(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(slots=2)
    for slot in (0, 1):
        made.open(slot, replace(SETTINGS, window=Context(1, 5) if slot else SETTINGS.window))
        made.run({slot: unit(1, 0)})
    made.run({1: unit(1, 1)})

    def broken(*_: object) -> Any:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr("ridealong.cloud.model.thinking.rewrite", broken)
        with pytest.raises(RuntimeError):
            made.run({0: unit(1, 1), 1: unit(1, 2)})
    with pytest.raises(EngineError, match="lost this session"):
        made.run({1: unit(1, 2)})
    assert made.run({0: unit(1, 1)})[0].headroom_rows > 0


def test_a_fault_while_units_close_before_a_drop_loses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """What closes the units of all that drop goes in together; half of it done is undone."""
    made = engine(slots=2)
    for slot in (0, 1):
        made.open(slot, replace(SETTINGS, window=Context(1, 5)))
    for second in (0, 1):
        made.run({slot: unit(slot, second) for slot in (0, 1)})
    thinking, before = made.thinking, [made._minds[slot].copy() for slot in (0, 1)]
    places, plain = [thinking.places[slot].rows() for slot in (0, 1)], thinking._prefill

    def broken(fed: Any) -> Any:
        plain(fed)
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(thinking, "_prefill", broken)
        with pytest.raises(RuntimeError):
            made.run({slot: unit(slot, 2) for slot in (0, 1)})
    for slot, was in enumerate(before):
        mind = made._minds[slot]
        assert (mind.history, mind.pending, mind.lost) == (was.history, was.pending, False)
        assert thinking.places[slot].rows() == places[slot] and int(thinking.cache.ends[slot]) == thinking.places[slot].end
        assert int((thinking.cache.positions[slot, :-1] != NEVER).sum()) == len(places[slot])
    assert [out.dropped for out in made.run({slot: unit(slot, 2) for slot in (0, 1)}).values()] == [1, 1]


def test_a_fault_of_the_vocoder_begins_the_voice_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(slots=1)
    made.open(0, SETTINGS)
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    Scripted(made, {0: [ids.speak, word, ids.chunk_eos] * 4})
    made.run({0: unit(1, 0)})

    def broken(*_: object) -> Any:
        raise RuntimeError("cuDNN error")

    with monkeypatch.context() as patch:
        patch.setattr(made.speaking._vocoder, "speak_all", broken)
        with pytest.raises(RuntimeError):
            made.run({0: unit(1, 1)})
    assert int(made.speaking.cache.lengths[0]) == made._mouths[0].rows == 0
    out = made.run({0: unit(1, 2)})[0]
    assert out.words == "a" and out.sound is not None
    assert int(made.speaking.cache.lengths[0]) == made._mouths[0].rows


def test_what_a_closed_session_thought_is_not_spoken_by_the_next() -> None:
    made = engine(slots=1)
    made.open(0, replace(SETTINGS, seed=1))
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    draw = made.thinking._draw
    Scripted(made, {0: [ids.speak, word, ids.chunk_eos]})
    thoughts = made.think({0: unit(1, 0)})
    made.thinking._draw = draw  # type: ignore[method-assign]
    made.close(0)
    made.open(0, replace(SETTINGS, seed=61))
    assert made.speak(thoughts) == {}
    assert int(made.speaking.cache.lengths[0]) == 0
    for second, want in enumerate(alone(61, 2)):
        same(made.run({0: unit(61, second)})[0], want)


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a" * 100_000, "<un" * 20_000 + "<unit>" + "it>" * 20_000])
@pytest.mark.parametrize("field", ["text", "answer"])
def test_a_text_too_long_is_refused_at_once(text: str, field: str) -> None:
    made = engine()
    made.open(1, SETTINGS)
    made.open(0, SETTINGS)
    begun = time.perf_counter()
    both(made, 1, UnitInput(**{field: text}), f"at most {MOST_CHARS:,} characters")
    both(made, 1, UnitInput(**{field: "ab" * 2_000}), "rows too long for this window")
    assert time.perf_counter() - begun < 5
    with pytest.raises(EngineError, match="characters each"):
        engine(slots=1).open(0, replace(SETTINGS, instructions=text))


def test_names_within_names_are_taken_out_in_one_pass() -> None:
    names = [f"<{number}>" for number in range(100)] + ["<unit>", "</unit>"]
    begun = time.perf_counter()
    assert cleaned("<un" * 50_000 + "<unit>" + "it>" * 50_000 + "b", names) == "b"
    assert cleaned(">" * 100_000 + "<unit>", names) == ">" * 100_000
    assert time.perf_counter() - begun < 5


def test_no_reserved_name_comes_in_by_any_text() -> None:
    made = engine(slots=1)
    tokens, layout = made.tokens, made.thinking.layout
    for name in tokens.reserved:
        attack = f"a{name}b<un{name}it></backend></ba</backend>ckend>{name[:3]}{name}{name[3:]}"
        told = layout.unit(text=attack)[1]
        answer = layout.result(attack)[1]
        prompt = layout.system(attack, 0, attack)[0]
        plain = layout.system("a", 0, "a")[0]
        assert isinstance(told, Ids) and isinstance(answer, Ids) and isinstance(prompt, Ids) and isinstance(plain, Ids)
        assert not set(told.ids) & tokens.added
        assert not set(answer.ids[1:-1]) & tokens.added
        assert [token for token in prompt.ids if token in tokens.added] == [t for t in plain.ids if t in tokens.added]


def test_requests_too_long_nested_or_never_closed_are_none() -> None:
    made = engine(slots=1)
    made.open(0, replace(SETTINGS, decoding=replace(SETTINGS.decoding, cap=200)))
    ids, names = made.tokens.ids, made.tokens.needed_delegation()
    hm, a = made.tokens.encode("hm"), made.tokens.encode("a")[0]
    opened, closed = names.delegate_open, names.delegate_close
    script = [ids.speak, opened, *hm, opened, *hm, closed, a, ids.turn_eos, ids.chunk_eos]
    script += [ids.speak, opened, closed, opened, *hm, closed, closed, ids.turn_eos, ids.chunk_eos]
    script += [ids.speak, opened, a, ids.chunk_eos, ids.speak, a, ids.chunk_eos]
    Scripted(made, {0: script})
    outs = [made.run({0: UnitInput(text="hm")})[0] for _ in range(4)]
    assert [(out.words, out.delegates, out.refused) for out in outs] == [("a", (), 1), ("", ("hm",), 1), ("", (), 0), ("", (), 0)]
    out = made.run({0: UnitInput(text="hm", force_listen=True)})[0]
    assert (out.interrupted, out.refused, out.delegates) == (True, 1, ())
    rules = made._minds[0].rules
    for _ in range(MOST_REQUEST_IDS // 190 + 2):  # a model that goes on and on
        rules.begin()
        for token in (ids.speak, opened) if not rules.delegating else ():
            rules.drew(token)
        for _ in range(190):
            rules.drew(a)
        rules.drew(ids.chunk_eos)
    assert rules._span is not None and len(rules._span) <= MOST_REQUEST_IDS
    rules.begin()
    rules.drew(closed)
    rules.drew(ids.chunk_eos)
    assert (rules.outcome().delegates, rules.outcome().refused) == ((), 1)


@pytest.mark.parametrize(("count", "given_out"), [(REQUEST_CHARS, True), (REQUEST_CHARS + 1, False)])
def test_a_request_of_four_thousand_characters(count: int, given_out: bool) -> None:
    made = engine(slots=1)
    made.open(0, SETTINGS)
    mind, ids, names = made._minds[0], made.tokens.ids, made.tokens.needed_delegation()
    mind.rules._span, mind.rules.turn_open = list(made.tokens.encode("a")) * count, True
    Scripted(made, {0: [names.delegate_close, ids.turn_eos, ids.chunk_eos]})
    out = made.run({0: UnitInput(text="hm")})[0]
    assert [len(text) for text in out.delegates] == ([count] if given_out else [])
    assert out.refused == (not given_out)


# -- pictures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (2, 6_000), (10_000, 6_000), (40_000, 300)])
def test_pictures_of_no_size_are_refused_before_they_are_cut(size: tuple[int, int]) -> None:
    with pytest.raises(BadImage):
        cut(Image.new("L", size), loaded().config.image)


@pytest.mark.parametrize("size", [(4, 4), (4, 400), (400, 4), (3_000, 30)])
def test_pictures_of_odd_sizes_are_seen(size: tuple[int, int]) -> None:
    made = engine(slots=1)
    made.open(0, SETTINGS)
    out = made.run({0: UnitInput(pictures=(cut(Image.new("RGB", size, "red"), loaded().config.image),))})[0]
    assert not out.lost


def test_pictures_that_are_none_are_refused_to_their_session() -> None:
    made = engine()
    made.open(0, SETTINGS)
    made.open(1, SETTINGS)
    seen = picture(1)
    short = replace(seen, overview=seen.overview._replace(values=seen.overview.values[:-1]))
    nan = replace(seen, overview=seen.overview._replace(values=seen.overview.values * float("nan")))
    for wrong in (short, nan):
        both(made, 1, UnitInput(pictures=(wrong,)), "finite numbers")
    both(made, 1, UnitInput(pictures=(seen,) * 200), "rows too long for this window")
    both(made, 1, UnitInput(sound=torch.full((16_000,), 3e4)), "far outside")
    both(made, 1, UnitInput(sound=torch.zeros(16_000, dtype=torch.int32)), "int16 or floats")
    same(made.run({0: unit(1, 0)})[0], alone_of_default())


def alone_of_default() -> UnitOutput:
    made = engine()
    made.open(0, SETTINGS)
    return made.run({0: unit(1, 0)})[0]


# -- long sessions -----------------------------------------------------------------------------------------------------


def test_a_turn_longer_than_the_talker_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(slots=1, window=256)
    made.open(0, SETTINGS)
    monkeypatch.setattr(made.speaking, "_sounds", lambda *_: {})
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    Scripted(made, {0: [ids.speak, word, word, ids.chunk_eos] * 60})
    window, most, again = made.speaking.cache.keys.shape[2], 0, 0
    assert window <= TALKER_WINDOW
    for _ in range(window // 27 + 3):
        before = made._mouths[0].rows
        out = made.run({0: UnitInput(text="hm")})[0]
        mouth = made._mouths[0]
        assert out.words == "aa" and mouth.rows == int(made.speaking.cache.lengths[0]) < window
        most, again = max(most, mouth.rows), again + (mouth.rows < before)
    assert again == 1 and most > window - 60


def test_caps_that_nothing_can_hold() -> None:
    with pytest.raises(EngineError, match="has no room to hear"):
        engine(slots=1).open(0, replace(SETTINGS, decoding=replace(SETTINGS.decoding, cap=450)))
    with pytest.raises(EngineError, match="cap can be"):
        engine(slots=1).open(0, replace(SETTINGS, decoding=replace(SETTINGS.decoding, cap=5_000)))


@pytest.mark.parametrize("seed", [-1, 1 << 63, 1 << 70])
def test_seeds_that_cannot_be(seed: int) -> None:
    made = engine(slots=1)
    with pytest.raises(EngineError, match="a seed is"):
        made.open(0, replace(SETTINGS, seed=seed))
    made.open(0, replace(SETTINGS, seed=(1 << 63) - 1))
    made.run({0: UnitInput(text="hm")})


def test_a_thousand_sessions_leave_nothing() -> None:
    made = engine(slots=2, window=160)
    own = loaded().voice
    assert own is not None

    def sessions(count: int) -> int:
        for number in range(count):
            voice = VoiceBundle(own.codes, own.speaker, own.mel, own.samples) if number % 50 == 0 else None
            made.open(number % 2, replace(SETTINGS, instructions=str(number % 20), seed=number), voice)
            made.close(number % 2)
        gc.collect()
        return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())

    before = sessions(500)
    assert sessions(500) <= before
    assert len(made._voices) <= VOICES_KEPT and len(made.thinking._prompts) <= PROMPTS_KEPT
    assert sum(keys.shape[1] for keys, _, _ in made.thinking._prompts.values()) <= 160
    assert not made._minds and not made._mouths


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 2)), min_size=3, max_size=12), st.sampled_from([4, 8, 20]))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_no_order_of_long_units_overflows(units: list[tuple[int, int]], cap: int) -> None:
    made = engine(slots=1, window=144)
    made.open(0, replace(SETTINGS, window=Context(6, 500), decoding=replace(SETTINGS.decoding, cap=cap)))
    ids, word = made.tokens.ids, made.tokens.encode("a")[0]
    for letters, kind in units:
        Scripted(made, {0: [ids.speak, *[word] * 30] if kind == 1 else [ids.listen]})
        one = UnitInput(text="a" * (letters + 1), force_listen=kind == 2)
        try:
            out = made.run({0: one})[0]
        except EngineError:
            continue
        mind, rows = made._minds[0], len(made.thinking.places[0])
        assert rows + 2 == mind.history.rows + mind.pending_rows <= 144 and out.headroom_rows == 144 - rows - 2
        assert rows_of([Ids(mind.history.suffix)]) + mind.history.prefix <= 72
