"""Windows: which units leave (properties), and what the cache holds then (the reference's numbers)."""

from __future__ import annotations

import pytest
import torch
from golden import Case, case, tiny_config, tiny_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.kv_rewrite import rewrite
from ridealong.cloud.model.kv_window import Basic, Change, Context, History, Live, Off, Unit, Window, plan
from ridealong.cloud.model.language import Language
from ridealong.cloud.model.rotary import moved

pytestmark = pytest.mark.model


def _tiny() -> Language:
    with torch.device("meta"):
        model = Language(tiny_config().language)
    model.load_state_dict(tiny_weights("llm."), assign=True)
    return model.eval().requires_grad_(False)


class _Session:
    """Slot 1 of 2, and the history of it. Feeds ids; logits are those of the last."""

    def __init__(self, model: Language, window: Window, prefix: list[int], suffix: list[int], marker: list[int]) -> None:
        self.model, self.window, self.cache = model, window, KvCache.empty(model.config, 2, 128)
        self.history = History(prefix=len(prefix), suffix=tuple(suffix), marker=tuple(marker))
        self.logits = self._feed(prefix + suffix, 0)

    def _feed(self, ids: list[int], start: int) -> Tensor:
        rows = self.model.embed(torch.tensor([ids]))
        states = self.model(rows, self.cache, torch.tensor([start]), torch.tensor([len(ids)]), slots=torch.tensor([1]))
        return self.model.logits(states[0, -1])  # [vocab]

    def unit(self, ids: list[int], said: tuple[int, ...] = (), at_ms: int = 0) -> Change | None:
        self.logits = self._feed(ids, self.history.rows)
        self.history = self.history.plus(Unit(rows=len(ids), at_ms=at_ms, said=said))
        change = plan(self.window, self.history, at_ms)
        if change is not None:
            rewrite(self.model, self.cache, 1, change)
            self.history = change.after
        assert int(self.cache.lengths[1]) == self.history.rows
        return change

    def probe(self) -> Tensor:
        return self._feed([7], self.history.rows)

    def keys(self, layer: int) -> Tensor:
        return self.cache.keys[1:, layer, : int(self.cache.lengths[1])].transpose(1, 2)

    def values(self, layer: int) -> Tensor:
        return self.cache.values[1:, layer, : int(self.cache.lengths[1])].transpose(1, 2)


def _as_a_fresh_run(session: _Session, ids: list[int]) -> None:
    """Keys of layer 0 know only ids and positions, so they must be those of a history that never was longer."""
    cache, count = KvCache.empty(session.model.config, 1, 128), torch.tensor([len(ids)])
    session.model(session.model.embed(torch.tensor([ids])), cache, torch.tensor([0]), count)
    want = cache.keys[:1, 0, : len(ids)].transpose(1, 2)
    torch.testing.assert_close(session.keys(0), want, atol=2e-5, rtol=0)


def _follow(golden: Case, session: _Session, units: list[tuple[list[int], tuple[int, ...]]], system: list[int]) -> None:
    first = 0
    for index, ((ids, said), log) in enumerate(zip(units, golden.facts["log"], strict=True)):
        assert session.history.rows + len(ids) == log["cache_before"]
        change = session.unit(ids, said)
        golden.near(session.logits, f"unit{index}.logits")
        first += len(change.dropped) if change else 0
        assert (change is not None) == log["dropped"]
        assert session.history.rows == log["cache_after"]
        assert list(range(first, index + 1)) == log["units_kept"]
        if "previous_token_ids" in log:
            assert list(session.history.previous) == log["previous_token_ids"]
            assert session.history.system == log["system_preserve_length"]
            sums = [[session.keys(layer).sum(), session.values(layer).sum()] for layer in range(2)]
            golden.near(torch.tensor(sums), f"unit{index}.kv_sums", 1e-3)
    kept = [token for ids, _ in units[first:] for token in ids]
    history = session.history
    _as_a_fresh_run(session, system[: history.prefix] + [*history.previous, *history.suffix] + kept)


def test_basic_as_the_reference() -> None:
    golden = case("window_basic")
    system = golden.facts["system_ids"]
    session = _Session(_tiny(), Basic(golden.facts["high"], golden.facts["low"]), system, [], [])
    _follow(golden, session, [(ids, ()) for ids in golden.facts["unit_ids"]], system)
    golden.near(session.probe(), "probe7.logits")
    golden.near(session.keys(0), "final.layer0_keys")
    golden.near(session.values(1), "final.layer1_values")


def test_context_as_the_reference() -> None:
    golden = case("window_context")
    facts, ordinary = golden.facts, range(384)
    window = Context(facts["max_units"], facts["previous_max_tokens"])
    session = _Session(_tiny(), window, facts["prefix_ids"], facts["suffix_ids"], facts["marker_ids"])
    units = [(unit["ids"], tuple(token for token in unit["generated"] if token in ordinary)) for unit in facts["units"]]
    _follow(golden, session, units, facts["prefix_ids"])
    golden.near(session.probe(), "probe7.logits")
    golden.near(session.keys(0), "final.layer0_keys")
    golden.near(session.keys(1), "final.layer1_keys")


def test_the_live_window_keeps_two_minutes() -> None:
    """Units of 3 rows, one every 10 s: at 120 s and more a unit is gone, to the millisecond."""
    ids = [[index * 7 % 384, 5, index] for index in range(20)]
    session = _Session(_tiny(), Live(slack_ms=0), [1, 2, 3], [], [])
    for index, unit in enumerate(ids):
        session.unit(unit, at_ms=index * 10_000)
    assert [unit.at_ms for unit in session.history.units] == [index * 10_000 for index in range(8, 20)]
    _as_a_fresh_run(session, [1, 2, 3] + [token for unit in ids[8:] for token in unit])


def test_slack_makes_moves_few_and_keys_true() -> None:
    """A unit a second of 80 rows: the worst of five minutes, in bfloat16."""
    made = torch.randn(8, 128, generator=torch.Generator().manual_seed(4)).bfloat16()
    for window, moves_at_most, off_at_most in ((Live(), 13, 0.01), (Live(slack_ms=0), 120, 0.08)):
        history, keys, turned_by = History(20), [made], 0
        for second in range(300):
            history = history.plus(Unit(80, second * 1_000))
            change = plan(window, history, second * 1_000)
            if change is None:
                continue
            history, by = change.after, change.to - change.start
            if history.units[0].at_ms <= 150_000 <= second * 1_000:  # follow the unit of second 150
                keys.append(moved(keys[-1], torch.tensor(by), 1e6))
                turned_by += by
        exact = moved(made.float(), torch.tensor(turned_by), 1e6)
        off = ((keys[-1].float() - exact).norm() / exact.norm()).item()
        assert 0 < len(keys) - 1 <= moves_at_most and off < off_at_most
        assert 120_000 <= 299_000 - history.units[0].at_ms + 1_000 <= 120_000 + window.slack_ms


def test_a_window_too_small_changes_nothing() -> None:
    session = _Session(_tiny(), Off(), [1, 2, 3], [], [])
    history = History(3, units=(Unit(1, said=tuple(range(200))), Unit(5)), marker=(9,))
    change = plan(Context(1, 500), history)
    assert change is not None and change.most_rows == 209
    before = session.cache.keys.clone()
    with pytest.raises(ValueError, match="209 rows can't stay in a window of 128"):
        rewrite(session.model, session.cache, 1, change)
    assert torch.equal(session.cache.keys, before)


@pytest.mark.parametrize(
    "wrong", [lambda: Basic(10, 11), lambda: Basic(10, 0), lambda: Context(0), lambda: Live(0), lambda: Live(1, -1)]
)
def test_windows_that_make_no_sense(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError):
        wrong()


UNITS = st.lists(st.tuples(st.integers(1, 90), st.integers(0, 5_000), st.lists(st.integers(0, 99), max_size=6)), max_size=30)
WINDOWS: st.SearchStrategy[Window] = st.one_of(
    st.just(Off()),
    st.integers(1, 400).flatmap(lambda low: st.builds(Basic, st.integers(low, low + 200), st.just(low))),
    st.builds(Context, st.integers(1, 8), st.integers(1, 20)),
    st.builds(Live, st.integers(1, 20_000), st.integers(0, 5_000)),
)


@given(UNITS, WINDOWS, st.integers(0, 40), st.integers(0, 4))
@settings(max_examples=150, deadline=None)
def test_whatever_leaves_the_rest_is_whole_and_in_order(
    made: list[tuple[int, int, list[int]]], window: Window, prefix: int, suffix: int
) -> None:
    history, every, now, said = History(prefix, tuple(range(suffix)), marker=(7, 7)), [], 0, []
    for rows, wait_ms, ids in made:
        now += wait_ms
        unit = Unit(rows, now, tuple(ids))
        every.append(unit)
        before = history = history.plus(unit)
        change = plan(window, history, now)
        if change is None:
            assert window == Off() or len(history.units) == 1 or _within(window, history, now)
            continue
        history = change.after
        said += [token for gone in change.dropped for token in gone.said]
        assert change.dropped and change.dropped + history.units == before.units
        assert history.units[-1] is unit  # the newest always stays
        assert (history.prefix, history.suffix) == (prefix, tuple(range(suffix)))
        assert change.stop - change.start == sum(kept.rows for kept in history.units)
        assert (change.start, change.stop) == (before.rows - sum(kept.rows for kept in history.units), before.rows)
        assert change.to == history.system and change.to + change.stop - change.start == history.rows
        assert bool(change.again) == (history.previous != before.previous)
        if isinstance(window, Context):
            assert history.previous == ((7, 7, *said[-window.max_previous :]) if said else ())
        else:
            assert history.previous == ()
        again = plan(window, history, now)
        assert again is None, "one look is enough"
    assert history.units == tuple(every[len(every) - len(history.units) :])


def _within(window: Window, history: History, now: int) -> bool:
    match window:
        case Basic():
            return history.rows <= window.high_rows
        case Context():
            return len(history.units) <= window.max_units
        case Live():
            return now - history.units[0].at_ms < window.keep_ms + window.slack_ms
        case _:
            return True
