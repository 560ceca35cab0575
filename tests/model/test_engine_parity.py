"""The engine as a whole against the reference's numbers, and against itself: batches, slots, windows, streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from golden import case
from golden_engine import golden_model
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from speech import SILENCE
from test_duplex_session import SETTINGS as AS_THE_REFERENCE
from test_engine import SETTINGS, Scripted, alone, engine, same, sound, unit
from torch import Tensor

from ridealong.cloud.model.engine import Engine, EngineError, EngineSettings
from ridealong.cloud.model.images import cut
from ridealong.cloud.model.kv_cache import NEVER, KvCache
from ridealong.cloud.model.kv_window import Basic, Context, Live, Off, Window
from ridealong.cloud.model.rotary import moved
from ridealong.cloud.model.serialization import Ids, rows_of
from ridealong.cloud.model.unit_io import SessionSettings, UnitInput, UnitOutput
from ridealong.cloud.model.vocoder import SpeechSettings

pytestmark = pytest.mark.model
HEARD = case("audio_mel_stream").tensors["waveform_i16"].float() / 32768


def golden_engine() -> Engine:
    settings = EngineSettings(slots=1, window=256, speech=SpeechSettings(steps=2, silence=SILENCE), greedy_codes=True)
    return Engine(golden_model(parity=True), settings)


def test_the_reference_s_session_through_the_engine() -> None:
    """One prefill a unit, where the reference makes up to six calls."""
    golden, made = case("duplex_sequence"), golden_engine()
    llm, ids = made.thinking._model, made.tokens.ids
    first: list[Tensor] = []  # logits of each unit's deciding row
    plain = llm.logits

    def logits(states: Tensor) -> Tensor:
        out = plain(states)
        if states.shape == (1, llm.config.hidden) and fresh:
            fresh.clear()
            first.append(out[0].clone())
            if len(first) == 2:
                out[0, ids.speak] = 30.0
        return out

    llm.logits = logits  # type: ignore[method-assign]
    try:
        shown = cut(Image.fromarray(golden.tensors["image_u8"].numpy()), made.config.image)
        made.open(0, SessionSettings(AS_THE_REFERENCE, Off()))
        golden.near(made._heard_voice(made._voice)[0] + 0.0, "ref_audio_features")  # type: ignore[operator]
        for facts in golden.facts["units"]:
            number, fresh = facts["unit"], [True]
            heard = HEARD[16_000 * number : 16_000 * (number + 1)]
            pictures = (shown,) if facts["has_image"] else ()
            thought = made.think({0: UnitInput(heard, pictures, force_listen=facts["force_listen"])})[0]
            golden.near(first[-1], f"unit{number}.pending_logits")
            pending = made._minds[0].pending
            assert pending is not None and list(pending.ids) == facts["ids"][-2:]
            assert int(made.thinking.cache.ends[0]) + 2 == facts["cache_len"]
            assert list(thought.spoken) == facts["talker_ids"]
            if facts["talker_ids"]:
                golden.near(thought.hidden, f"unit{number}.talker_hidden")
            out = made.speak({0: thought})[0]
            assert (out.listens, out.end_of_turn) == (facts["is_listen"], facts["end_of_turn"])
            assert bool(out.codes) == bool(facts["talker_ids"])
    finally:
        del llm.logits


def test_a_stream_is_heard_as_the_reference_hears_it() -> None:
    """Five units; the cache is thrown away at the fourth. And as a whole clip up to there."""
    golden, made = case("audio_encoder_stream"), golden_engine()
    made.open(0, SessionSettings(AS_THE_REFERENCE))
    rows = []
    for number, kept in enumerate(golden.facts["kv_length_after"]):
        rows.append(made._hear({0: HEARD[16_000 * number : 16_000 * (number + 1)]})[0])
        golden.near(rows[-1], f"unit{number}.features", 1e-4)  # the mel's own tolerance goes in
        assert int(made._audio.lengths[0]) == kept
    mels = [case("audio_mel_stream").tensors[f"unit{number}.mel"][0] for number in range(3)]
    whole = torch.cat([mels[0], *(mel[:, 4:] for mel in mels[1:])], 1)  # [80, 302]
    golden_whole = made._ear.clips([whole])[0]
    torch.testing.assert_close(torch.cat(rows[:3]), golden_whole, atol=1e-4, rtol=0)


class _Ids:
    """A session of typed words in slot 1, whose rows are all known as ids."""

    def __init__(self, window: Window, rows: int = 512) -> None:
        self.made = engine(slots=2, window=rows)
        self.made.open(1, replace(SETTINGS, window=window))
        mind = self.made._minds[1]
        self.prefix = mind.history.prefix
        self.units: list[tuple[tuple[int, ...], tuple[int, ...]]] = []  # ids, and those of them that were said

    def unit(self, text: str, said: Sequence[int], at_ms: int) -> UnitOutput:
        ids = self.made.tokens.ids
        Scripted(self.made, {1: [ids.speak, *said, ids.turn_eos, ids.chunk_eos]})
        out = self.made.run({1: UnitInput(text=text, at_ms=at_ms)})[1]
        typed = [token for item in self.made.thinking.layout.unit(text=text) if isinstance(item, Ids) for token in item.ids]
        self.units.append(((*typed, ids.speak, *said, ids.turn_eos, ids.chunk_eos, ids.unit_close), tuple(said)))
        return out

    def check(self) -> None:
        """Keys of layer 0 are those of a session that never held more, turned by as many rows as have left."""
        made, mind = self.made, self.made._minds[1]
        places, held = made.thinking.places[1], made.thinking.cache
        rows = len(places)
        kept = self.units[len(self.units) - 1 - len(mind.history.units) :]
        behind = [*mind.history.previous, *mind.history.suffix, *(token for ids, _ in kept for token in ids)][:-2]
        assert rows == self.prefix + len(behind)
        cache, count = KvCache.empty(made.config.language, 1, 512), torch.tensor([rows])
        prompt, _, _ = next(iter(made.thinking._prompts.values()))
        cache.begin(0, prompt, prompt)
        model, fed = made.thinking._model, made.thinking.embed(behind)[None]
        model(fed, cache, torch.tensor([self.prefix]), count - self.prefix)
        got = moved(held.keys[1, 0, places.rows()], torch.tensor(-places.base), made.config.language.rope_theta)
        torch.testing.assert_close(got, cache.keys[0, 0, :rows], atol=1e-5, rtol=0)
        assert held.positions[1, places.rows()].tolist() == list(range(places.base, int(held.ends[1])))
        assert int((held.positions[1, :-1] != NEVER).sum()) == rows
        assert not bool(held.keys[0, :, :-1].any()), "the other slot is touched"


@pytest.mark.parametrize(
    ("window", "rows"), [(Basic(110, 80), 512), (Context(3, 6), 512), (Live(3_000, 0), 512), (Off(), 112), (Context(8, 500), 112)]
)
def test_a_drop_within_the_engine_is_exact(window: Window, rows: int) -> None:
    session = _Ids(window, rows)
    words = session.made.tokens.encode("hm")
    dropped = 0
    for second in range(10):
        dropped += session.unit("open the roof"[second:], words * (second % 3), 1_000 * second).dropped
        session.check()
    assert dropped >= 3
    previous = session.made._minds[1].history.previous
    assert bool(previous) == (isinstance(window, Context) and window.max_previous == 6) or rows == 112


def test_a_slot_used_again_is_bit_for_bit_a_fresh_one() -> None:
    made = engine()
    made.open(0, replace(SETTINGS, seed=3))
    for second in range(6):
        loud = torch.randn(16_000, generator=torch.Generator().manual_seed(second)).clamp(-1, 1)
        made.run({0: UnitInput(loud, unit(3, 1).pictures, "roof", at_ms=1_000 * second)})
    made.close(0)
    for state in (made.thinking.cache.keys[0], made.thinking.cache.values[0], made.speaking.cache.keys[:, 0]):
        assert not bool(state.any())
    for got, want in zip(alone(4, 4, made=made), alone(4, 4), strict=True):
        assert replace(got, sound=None, stages_ms={}) == replace(want, sound=None, stages_ms={})
        assert (got.sound is None) == (want.sound is None)
        assert got.sound is None or want.sound is None or torch.equal(got.sound, want.sound)


@given(st.integers(1, 4), st.lists(st.integers(1, 15), min_size=2, max_size=4), st.integers(0, 99))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_a_batch_is_its_sessions_alone_whoever_comes_when(count: int, ticks: list[int], seed: int) -> None:
    """ticks: which of the sessions bring a unit, as bits."""
    made = engine(slots=4)
    for slot in range(count):
        made.open(slot, replace(SETTINGS, seed=seed + slot))
    got: dict[int, list[UnitOutput]] = {slot: [] for slot in range(count)}
    for tick in ticks:
        come = [slot for slot in range(count) if tick & (1 << slot)]
        for slot, out in made.run({slot: unit(seed + slot, len(got[slot])) for slot in come}).items():
            got[slot].append(out)
    for slot, outs in got.items():
        for one, want in zip(outs, alone(seed + slot, len(outs)), strict=True):
            same(one, want)


def test_sessions_that_drop_together_are_as_alone() -> None:
    """Each drops at its own units, by its own rule, and lies in its own rows."""
    windows = [Live(2_000, 0), Context(2, 6), Basic(130, 90), Off()]

    def sessions(slots: Sequence[int]) -> dict[int, list[UnitOutput]]:
        made, got = engine(slots=4, window=160), {slot: list[UnitOutput]() for slot in slots}
        for slot in slots:
            made.open(slot, replace(SETTINGS, seed=slot, window=windows[slot]))
        for second in range(9):
            for slot, out in made.run({slot: unit(slot, second) for slot in slots}).items():
                got[slot].append(out)
        return got

    together = sessions(range(4))
    for slot in range(4):
        assert sum(out.dropped for out in together[slot]) >= 2
        for one, want in zip(together[slot], sessions([slot])[slot], strict=True):
            same(one, want)


def test_sessions_share_one_original_of_their_prompt_and_none_writes_into_it() -> None:
    made = engine(slots=3)
    for slot in (0, 1):
        made.open(slot, replace(SETTINGS, window=Context(1, 5) if slot else Live(1_000, 0)))
    one, two = (made._minds[slot].front.keys for slot in (0, 1))
    assert one.data_ptr() == two.data_ptr()
    before = one.clone()
    dropped = [0, 0]
    for second in range(4):
        for slot, out in made.run({slot: unit(9, second) for slot in (0, 1)}).items():
            dropped[slot] += out.dropped
    made.open(2, SETTINGS)
    assert min(dropped) >= 2 and torch.equal(one, before)
    assert torch.equal(made.thinking.cache.keys[2, :, : before.shape[1]], before)


def test_the_same_seed_is_the_same_on_another_slot() -> None:
    made = engine(slots=3)
    first = alone(12, 3, 0, made)
    for slot in (2, 1):
        for got, want in zip(alone(12, 3, slot, made), first, strict=True):
            same(got, want)
    assert any(
        replace(one, sound=None) != replace(two, sound=None) for one, two in zip(alone(13, 3, 0, made), first, strict=True)
    )


def test_minutes_without_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed words alone: the stream of sound hasn't moved, and then begins as at the start."""
    made, fresh = engine(slots=1), engine(slots=1)
    monkeypatch.setattr(made.speaking, "_sounds", lambda *_: {})
    for one in (made, fresh):
        one.open(0, replace(SETTINGS, window=Live(5_000, 0)))
    for second in range(90):
        made.run({0: UnitInput(text="hm", force_listen=True, at_ms=1_000 * second)})
    assert int(made._audio.lengths[0]) == 0
    heard = [one._hear({0: sound(5, 0)})[0] for one in (made, fresh)]
    assert torch.equal(*heard)


@pytest.mark.parametrize("missing", [0, 1])
def test_the_window_exactly_full(missing: int) -> None:
    """A unit that just fits drops nothing; with one row less of room, the oldest goes."""
    probe = _Ids(Off())
    for second in range(5):
        probe.unit("hm, and so on", (), second)
    mind, layout = probe.made._minds[1], probe.made.thinking.layout
    need = rows_of(layout.unit(text="hm, and so on")) + SETTINGS.decoding.cap + 2
    session = _Ids(Off(), mind.history.rows + mind.pending_rows + need - missing)
    dropped = [session.unit("hm, and so on", (), second).dropped for second in range(6)]
    session.check()
    assert dropped[:5] == [0] * 5 and bool(dropped[5]) == bool(missing)


def test_a_unit_that_fills_the_window_takes_the_place_of_all_others() -> None:
    session = _Ids(Context(8, 500), 200)
    layout, words = session.made.thinking.layout, session.made.tokens.encode("hm")
    for second in range(6):
        session.unit("hm", words * 2, second)
    room = 200 - session.prefix - 2 - SETTINGS.decoding.cap - 2
    text = "a" * (room - rows_of(layout.unit(text="a")) + 1)
    assert rows_of(layout.unit(text=text)) == room
    with pytest.raises(EngineError, match="1 rows too long for this window"):
        session.made.run({1: UnitInput(text=text + "a")})
    out = session.unit(text, (), 6)
    assert out.forced and out.dropped >= 5
    session.check()
    assert session.unit(text, (), 7).dropped == 1
    session.check()
