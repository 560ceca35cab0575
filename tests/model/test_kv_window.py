"""Windows: which units leave (properties), and what the cache holds then (the reference's numbers)."""

from __future__ import annotations

import pytest
import torch
from golden import Case, case, tiny_config, tiny_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ridealong.cloud.model.kv_cache import NEVER, KvCache
from ridealong.cloud.model.kv_places import Places
from ridealong.cloud.model.kv_rewrite import Front, rewrite
from ridealong.cloud.model.kv_window import Basic, Change, Context, History, Live, Off, Unit, Window, fitted, plan
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

    def __init__(
        self,
        model: Language,
        window: Window,
        prefix: list[int],
        suffix: list[int],
        marker: list[int],
        *,
        rows: int = 128,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.model, self.window, self.cache = model, window, KvCache.empty(model.config, 2, rows, dtype=dtype)
        self.places = Places(rows)
        self.history = History(prefix=len(prefix), suffix=tuple(suffix), marker=tuple(marker))
        self.logits = self._feed(prefix + suffix)
        self.front = Front.of(self.cache.keys[1, :, : self.history.rows].clone())

    def _feed(self, ids: list[int]) -> Tensor:
        starts, at = torch.tensor([self.places.end]), torch.tensor([self.places.take(len(ids))])
        rows, counts = self.model.embed(torch.tensor([ids])), torch.tensor([len(ids)])
        states = self.model(rows, self.cache, starts, counts, slots=torch.tensor([1]), at=at, span=self.places.top)
        return self.model.logits(states[0, -1])  # [vocab]

    def unit(self, ids: list[int], said: tuple[int, ...] = (), at_ms: int = 0) -> Change | None:
        self.logits = self._feed(ids)
        self.history = self.history.plus(Unit(rows=len(ids), at_ms=at_ms, said=said))
        change = plan(self.window, self.history, at_ms)
        if change is not None:
            self.front = rewrite(self.model, self.cache, 1, self.places, change, self.front)
            self.history = change.after
        assert len(self.places) == self.history.rows and int(self.cache.ends[1]) == self.places.end
        return change

    def probe(self) -> Tensor:
        return self._feed([7])

    def keys(self, layer: int) -> Tensor:
        """[1, kv_heads, rows, head_dim], in order, turned back by what has left: the reference turns its units back at every drop."""
        kept = self.cache.keys[1:, layer, self.places.rows()]
        return moved(kept, torch.tensor(-self.places.base), self.model.config.rope_theta).transpose(1, 2)

    def values(self, layer: int) -> Tensor:
        return self.cache.values[1:, layer, self.places.rows()].transpose(1, 2)


def _as_a_fresh_run(session: _Session, ids: list[int]) -> None:
    """Keys of layer 0 know only ids and positions, so they must be those of a history that never was longer, but for the turn common to all."""
    cache, count = KvCache.empty(session.model.config, 1, session.cache.window), torch.tensor([len(ids)])
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


def test_a_window_too_small_changes_nothing() -> None:
    session = _Session(_tiny(), Off(), [1, 2, 3], [], [])
    history = History(3, units=(Unit(1, said=tuple(range(200))), Unit(5)), marker=(9,))
    change = plan(Context(1, 500), history)
    assert change is not None and change.after.rows == 209
    before, places = session.cache.keys.clone(), session.places.rows()
    with pytest.raises(ValueError, match="209 rows can't stay in a window of 128"):
        rewrite(session.model, session.cache, 1, session.places, change, session.front)
    assert torch.equal(session.cache.keys, before) and session.places.rows() == places


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
        assert change.stop == before.rows - sum(kept.rows for kept in history.units)
        assert change.start == (before.system if history.previous == before.previous else prefix)
        assert change.again == (() if history.previous == before.previous else history.previous + history.suffix)
        assert before.rows - (change.stop - change.start) + len(change.again) == history.rows
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


# -- rows that stay where they are --------------------------------------------------------------------------------------


def _stays(session: _Session, gone: int) -> tuple[Tensor, Tensor, Tensor]:
    """Keys, values and positions of the units behind the first `gone` rows of units."""
    rows = session.places.rows(session.history.system + gone)
    return session.cache.keys[1][:, rows], session.cache.values[1][:, rows], session.cache.positions[1, rows]


@pytest.mark.parametrize("window", [Basic(40, 25), Context(4, 6), Context(4, 60), Live(3_000, 0)], ids=str)
def test_a_drop_changes_no_byte_of_what_stays(window: Window) -> None:
    session, drops = _Session(_tiny(), window, [1, 2, 3], [4, 5], [9]), 0
    for index in range(12):
        ids = [index + 10 + step for step in range(5 + index % 3)]
        session.window = Off()
        session.unit(ids, tuple(ids[:2]), at_ms=1_000 * index)
        change = plan(window, session.history, 1_000 * index)
        if change is None:
            continue
        before = _stays(session, sum(unit.rows for unit in change.dropped))
        session.front = rewrite(session.model, session.cache, 1, session.places, change, session.front)
        session.history, drops = change.after, drops + 1
        for was, now in zip(before, _stays(session, 0), strict=True):
            assert torch.equal(was, now)
    assert drops >= 2


def test_120_drops_round_once() -> None:
    """A drop a second for two minutes in bfloat16. Turned at every drop, as it used to be, the same keys are far off."""
    model = _tiny().bfloat16()
    session = _Session(model, Live(5_000, 0), [1, 2, 3, 4], [], [], dtype=torch.bfloat16)
    theta, made = model.config.rope_theta, session.front.keys
    again, drops = made, 0
    for second in range(125):
        change = session.unit([second % 300, 7, second % 11], at_ms=1_000 * second)
        if change is not None:
            drops += 1
            again = moved(again, torch.tensor(change.stop - change.start), theta)
    exact = moved(made.float(), torch.tensor(session.places.base), theta)

    def off(keys: Tensor) -> float:
        return ((keys.float() - exact).norm() / exact.norm()).item()

    now = session.cache.keys[1][:, session.places.rows(0, 4)]
    assert drops == 120 and session.places.base == 360
    once, often = off(now), off(again)
    assert once < 0.003 and often > 0.02, (once, often)
    assert torch.equal(session.front.keys, made), "the original is kept"


def test_a_unit_in_two_pieces_of_memory() -> None:
    """The same rows in a slot where they lie in order give the same states."""
    session = _Session(_tiny(), Live(3_000, 0), [1, 2, 3], [], [], rows=22)
    for index, length in enumerate((5, 3, 4, 4, 3, 4, 6, 1)):
        session.unit([20 + index] * length, at_ms=1_000 * index)
    rows, ids = session.places.rows(), [30, 31, 32, 33, 34, 35]
    ordered = KvCache.empty(session.model.config, 1, 22)
    for mine, theirs in ((ordered.keys, session.cache.keys), (ordered.values, session.cache.values)):
        mine[0, :, : len(rows)] = theirs[1][:, rows]
    ordered.positions[0, : len(rows)] = session.cache.positions[1, rows]
    at = torch.arange(len(rows), len(rows) + len(ids))[None]
    fed, starts, count = session.model.embed(torch.tensor([ids])), torch.tensor([session.places.end]), torch.tensor([len(ids)])
    want = session.model.logits(session.model(fed, ordered, starts, count, at=at)[0, -1])
    got = session._feed(ids)
    taken = session.places.rows(len(rows))
    assert any(after != before + 1 for before, after in zip(taken, taken[1:], strict=False)), taken
    assert rows != sorted(rows)
    torch.testing.assert_close(got, want, atol=2e-5, rtol=0)


@pytest.mark.parametrize("late", [40_800, 1_000_000_000])
def test_positions_beyond_those_of_the_config(late: int) -> None:
    """Ten minutes, and a hundred days: positions grow, and differences stay what they are."""
    model, made = _tiny(), []
    for base in (0, late):
        session = _Session(model, Live(4_000, 0), [1, 2, 3], [4], [])
        change = Change(session.history, 4, 4, (), ())
        session.places.base = base
        session.cache.ends[1] = session.places.end
        session.front = rewrite(model, session.cache, 1, session.places, change, session.front)
        units = [[index % 200, 5, index % 7, 9] * 4 for index in range(40)]
        for index, unit in enumerate(units):
            session.unit(unit, at_ms=1_000 * index)
        assert session.places.base > base + 500
        _as_a_fresh_run(session, [1, 2, 3, 4] + [token for unit in units[-4:] for token in unit])
        made.append(session.probe())
    assert session.places.base > model.config.max_positions
    torch.testing.assert_close(made[0], made[1], atol=2e-5, rtol=0)


MADE = st.lists(
    st.tuples(st.lists(st.integers(0, 383), min_size=1, max_size=9), st.integers(0, 4), st.integers(0, 3_000)), max_size=14
)
SMALL: st.SearchStrategy[Window] = st.one_of(
    st.integers(8, 60).flatmap(lambda low: st.builds(Basic, st.integers(low, low + 20), st.just(low))),
    st.builds(Context, st.integers(1, 5), st.integers(1, 12)),
    st.builds(Live, st.integers(1, 6_000), st.integers(0, 2_000)),
)


@given(MADE, st.lists(SMALL, min_size=1, max_size=3), st.integers(1, 5), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_whatever_is_dropped_the_rest_is_a_fresh_run(
    made: list[tuple[list[int], int, int]], windows: list[Window], prefix: int, suffix: int
) -> None:
    """The mode changes from unit to unit."""
    first, last = list(range(50, 50 + prefix)), list(range(60, 60 + suffix))
    session, every, now = _Session(_tiny(), Off(), first, last, [9, 9]), [], 0
    for index, (ids, said, wait_ms) in enumerate(made):
        now += wait_ms
        session.window = windows[index % len(windows)]
        session.unit(ids, tuple(ids[:said]), at_ms=now)
        every.append(ids)
        history = session.history
        kept = [token for unit in every[len(every) - len(history.units) :] for token in unit]
        _as_a_fresh_run(session, [*first, *history.previous, *history.suffix, *kept])
        rows = session.places.rows()
        assert session.cache.positions[1, rows].tolist() == list(range(session.places.base, session.places.end))
        assert int((session.cache.positions[1, :-1] != NEVER).sum()) == len(rows)


def test_words_of_units_that_had_to_leave_stay_in_context_mode_as_far_as_they_fit() -> None:
    units = tuple(Unit(20, said=(100 + number, 200 + number)) for number in range(9))
    history = History(prefix=10, suffix=(1, 2), units=units, marker=(7, 8))
    change = fitted(history, 160, Context(max_previous=6))
    assert change is not None
    said = [token for unit in change.dropped for token in unit.said]
    assert len(change.dropped) == 4 and change.after.previous == (7, 8, *said[-6:])
    assert change.after.rows <= 160
    without = fitted(history, 160)
    assert without is not None and without.after.previous == ()


@pytest.mark.parametrize("room", range(33, 200, 7))
def test_what_is_fitted_fits(room: int) -> None:
    units = tuple(Unit(20, said=tuple(range(number * 5, number * 5 + 5))) for number in range(12))
    history = History(prefix=10, suffix=(1, 2), previous=(7, 8, 9, 9), units=units, marker=(7, 8))
    change = fitted(history, room, Context(max_previous=500))
    assert change is not None and change.after.rows <= room
    assert change.after.previous == () or change.after.previous[:2] == (7, 8)
