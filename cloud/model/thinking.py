"""The language model's half of a tick: units of many sessions go in together, and words, requests and thoughts come out.

    close of the last unit, this unit's rows -> one prefill -> { draw -> rules -> feed } until every session's unit is closed

All slots are lanes of fixed tensors, whether they take part or not, so a decode step can be captured as a graph. One small read from the
device a step: the ids that were drawn. Source: spec model.md 3.3, 3.4, 6. Knows no talker, no clock and no deadline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

import torch
from torch import Tensor

from ridealong.cloud.model.decoding import VENUS, Close, Draw, Effect, Feed, Outcome, UnitRules
from ridealong.cloud.model.graphs import Graphs
from ridealong.cloud.model.kv_cache import KvCache, sent
from ridealong.cloud.model.kv_places import Places
from ridealong.cloud.model.kv_rewrite import Front, rewrite
from ridealong.cloud.model.kv_window import Change, History, Unit, fitted, plan
from ridealong.cloud.model.language import Language, RunLayer
from ridealong.cloud.model.mel import StreamingMel
from ridealong.cloud.model.mind import Mind, Rows, Thought
from ridealong.cloud.model.sampling import Chance, Knobs, Sampler, empty_history
from ridealong.cloud.model.serialization import Ids, Item, Serializer, deciding_row, rows_of
from ridealong.cloud.model.stages import Stages
from ridealong.cloud.model.tokens import Tokens
from ridealong.cloud.model.unit_io import SessionSettings

SPANS = (512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768)
"""Lengths of context that steps are made for; a step looks at no more than the next of them. Two minutes that see need 11,000."""
PROMPTS_KEPT = 8
LEAST_UNIT = 16
"""Rows that a session must have room for in any unit: markers and a second of sound."""
REQUEST_CHARS = 4_000
"""Longer requests are none (venus.md B3)."""


class Thinking:
    """Owns the language model's cache. Calls never overlap."""

    def __init__(
        self,
        model: Language,
        tokens: Tokens,
        slots: int,
        window: int,
        *,
        image_rows: int,
        graphs: bool,
        stages: Stages,
        dtype: torch.dtype,
        run: RunLayer | None = None,
    ) -> None:
        """run: how the model's layers are run (`language.compiled`)."""
        self._device = model.lm_head.weight.device
        self._model, self._tokens, self._run = model, tokens, run
        self.layout = Serializer.of(tokens, image_rows)
        self.cache = KvCache.empty(model.config, slots, window, device=self._device, dtype=dtype)
        self._sampler = Sampler(tokens.ids, tokens.banned, model.config.vocab, self._device)
        self._drawn = empty_history(slots, max(1, VENUS.penalty_window), self._device)  # [slots, width]
        self._knobs = Knobs.of([VENUS] * slots, self._device)
        self._settings = [VENUS] * slots
        self._graphs = Graphs(graph=graphs and self._device.type == "cuda")
        self._stages = stages
        self.places = [Places(window) for _ in range(slots)]
        self._prompts: dict[tuple[object, ...], tuple[Tensor, Tensor, Tensor | None]] = {}

    # -- sessions -------------------------------------------------------------------------------------------------

    def open(self, slot: int, settings: SessionSettings, voice: Tensor | None, mel: StreamingMel) -> Mind:
        """Begins a session: its system prompt is fed, or copied from an earlier one. voice: rows [n, hidden] of the reference voice.

        Raises `ValueError` where the window has no room for the prompt and a unit."""
        rows = 0 if voice is None else len(voice)
        items = self.layout.system(settings.prompt, rows, settings.instructions)
        count = rows_of(items)
        self.check_room(count, settings.decoding.cap)
        if settings.decoding.penalty_window > self._drawn.shape[1]:
            raise ValueError(f"penalty_window can be {self._drawn.shape[1]} here; it is {settings.decoding.penalty_window}")
        self.close(slot)
        key = (settings.prompt, settings.instructions, None if voice is None else (voice.data_ptr(), rows))
        if key in self._prompts:
            keys, values, _ = self._prompts[key]
            self.cache.begin(slot, keys, values)
            self.places[slot].take(count)
        else:
            self._prefill({slot: self._embedded(items, {0: voice} if voice is not None else {})})
            keys = self._keep_prompt(key, slot, count, voice)
        self._settings[slot] = settings.decoding
        self._set_knobs()
        suffix = items[-1]
        assert isinstance(suffix, Ids)
        history = History(count - len(suffix.ids), suffix.ids, marker=self.layout.marker())
        rules = UnitRules(self._tokens.ids, self._tokens.delegation, settings.decoding, self._tokens.decode)
        return Mind(settings, rules, mel, Chance(settings.seed), history, Front.of(keys))

    def _keep_prompt(self, key: tuple[object, ...], slot: int, count: int, voice: Tensor | None) -> Tensor:
        """Together they never have more rows than one session. The voice is kept, too: its address is part of the key. Returns the keys
        [layers, count, kv_heads, head_dim]."""
        keys, values = self.cache.keys[slot, :, :count].clone(), self.cache.values[slot, :, :count].clone()
        self._prompts[key] = keys, values, voice
        while (
            len(self._prompts) > PROMPTS_KEPT or sum(keys.shape[1] for keys, _, _ in self._prompts.values()) > self.cache.window
        ):
            del self._prompts[next(iter(self._prompts))]
        return keys

    def close(self, slot: int) -> None:
        """Nothing of the session stays."""
        self.cache.clear(slot)
        self.places[slot] = Places(self.cache.window)
        self._drawn[slot] = -1

    def _set_knobs(self) -> None:
        """Into the tensors that are there, for captured steps read these; a step is captured for one `most`."""
        new = Knobs.of(self._settings, self._device)
        for field_ in fields(Knobs):
            if field_.name != "most":
                getattr(self._knobs, field_.name).copy_(getattr(new, field_.name))
        self._knobs = replace(self._knobs, most=new.most)

    def check_room(self, system_rows: int, cap: int) -> None:
        """Raises `ValueError` where the prompt would take more than half of the window, or leaves none for what may be said."""
        if 2 * system_rows > self.cache.window:
            raise ValueError(f"the system prompt has {system_rows} rows, more than half of the window of {self.cache.window}")
        if system_rows + cap + LEAST_UNIT > self.cache.window:
            raise ValueError(
                f"beside {system_rows} rows of prompt and {cap} to say (cap), a window of {self.cache.window} has no room to hear"
            )

    def check_unit(self, mind: Mind, items: Sequence[Item]) -> None:
        """Raises `ValueError` for a unit that would not fit into the window even if all earlier ones left it."""
        need = rows_of(items) + mind.settings.decoding.cap + 2
        most = self.cache.window - mind.history.prefix - len(mind.history.suffix)
        if need > most:
            raise ValueError(
                f"a unit of {rows_of(items)} rows is {need - most} rows too long for this window: "
                f"beside the system prompt and what may be said there is room for {most - need + rows_of(items)}"
            )

    def embed(self, ids: Sequence[int]) -> Tensor:  # -> [ids, hidden]
        return self._model.embed(sent(list(ids), self._device)).to(self.cache.keys.dtype)

    def embed_all(self, pieces: Sequence[Sequence[int]]) -> list[Tensor]:
        """As `embed` of each piece, with one way to the device for them all."""
        return list(self.embed([token for piece in pieces for token in piece]).split([len(piece) for piece in pieces]))

    # -- a tick ---------------------------------------------------------------------------------------------------

    @torch.inference_mode()
    def think(self, minds: Mapping[int, Mind], units: Mapping[int, Rows]) -> dict[int, Thought]:
        """One unit for each slot of `units`. minds: of those slots. Where it raises, these sessions are as before, or `lost`."""
        with self._stages.stage("window"):
            room = self._make_room(minds, units)
        before, drawn = {slot: minds[slot].copy() for slot in units}, self._drawn.clone()
        try:
            return self._think(minds, units, room)
        except BaseException:
            for slot, mind in before.items():
                minds[slot].become(mind)
                self._unfeed(slot, mind)
                self._drawn[slot] = drawn[slot]
            raise

    def _think(
        self, minds: Mapping[int, Mind], units: Mapping[int, Rows], room: Mapping[int, tuple[int, bool]]
    ) -> dict[int, Thought]:
        with self._stages.stage("prefill"):
            closes = self.embed_all([() if (one := minds[slot].pending) is None else one.ids for slot in units])
            fed = {}
            for (slot, rows), close in zip(units.items(), closes, strict=True):
                fed[slot] = torch.cat((close, rows.embeds)) if len(close) else rows.embeds
                self._settle(minds[slot])
            states = self._prefill(fed)
            deciding = {
                slot: len(fed[slot])
                - len(units[slot].embeds)
                + deciding_row(units[slot].items, reference_parity=minds[slot].settings.decoding.reference_parity)
                for slot in units
            }
            first = torch.stack([states[slot][row] for slot, row in deciding.items()])  # [units, hidden]
        with self._stages.stage("decode"):
            hidden = self._decode(minds, units, first)
        return {slot: self._thought(slot, minds[slot], units[slot], hidden[slot], *room[slot]) for slot in units}

    def _unfeed(self, slot: int, mind: Mind) -> None:
        """What the slot holds beyond what `mind` says was fed goes."""
        self.cache.forget(slot, self.places[slot].cut(mind.fed))
        self.cache.ends[slot] = self.places[slot].end

    def _make_room(self, minds: Mapping[int, Mind], units: Mapping[int, Rows]) -> dict[int, tuple[int, bool]]:
        """Drops what each session's window says, and more where its slot would overflow: how many units, and whether by force."""
        planned = {slot: self._planned(minds[slot], rows) for slot, rows in units.items()}
        changes = {slot: change for slot, (change, _) in planned.items() if change is not None}
        closing = {slot: self.embed(one.ids) for slot in changes if (one := minds[slot].pending) is not None}
        if closing:  # units end before older ones leave, and see them
            try:
                self._prefill(closing)
            except BaseException:
                for slot in closing:
                    self._unfeed(slot, minds[slot])
                raise
        for slot in changes:
            self._settle(minds[slot])
        for slot, change in changes.items():
            mind = minds[slot]
            mind.lost = True  # until it is done
            mind.front = rewrite(self._model, self.cache, slot, self.places[slot], change, mind.front)
            mind.history, mind.lost = change.after, False
        return {slot: (len(change.dropped) if change else 0, forced) for slot, (change, forced) in planned.items()}

    def _planned(self, mind: Mind, rows: Rows) -> tuple[Change | None, bool]:
        after = mind.history
        if mind.pending is not None:
            after = after.plus(Unit(mind.pending_rows, mind.pending_at_ms, mind.pending_said))
        need = rows_of(rows.items) + mind.settings.decoding.cap + 2
        change = plan(mind.settings.window, after, rows.at_ms)
        if (after if change is None else change.after).rows + need <= self.cache.window:
            return change, False
        return fitted(after, self.cache.window - need, mind.settings.window), True

    def _settle(self, mind: Mind) -> None:
        """What closes the last unit is fed now: it counts as history."""
        if mind.pending is not None:
            mind.history = mind.history.plus(Unit(mind.pending_rows, mind.pending_at_ms, mind.pending_said))
        mind.pending, mind.pending_said = None, ()

    def _prefill(self, fed: Mapping[int, Tensor]) -> dict[int, Tensor]:
        """Rows [n, hidden] of several slots in one pass -> their states, each [n, hidden]."""
        slots = sorted(fed)
        counts = [len(fed[slot]) for slot in slots]
        longest = max(counts)
        in_a_row = slots[-1] - slots[0] + 1 == len(slots)
        rows = torch.zeros(len(slots), longest, self._model.config.hidden, device=self._device, dtype=self.cache.keys.dtype)
        for place, slot in enumerate(slots):
            rows[place, : counts[place]] = fed[slot]
        which, starts, many = sent([slots, [self.places[slot].end for slot in slots], counts], self._device)
        taken = [self.places[slot].take(count) for slot, count in zip(slots, counts, strict=True)]
        at = sent([rows + [0] * (longest - len(rows)) for rows in taken], self._device)
        span = self._span(self.places[slot].top for slot in slots)
        first = slots[0] if in_a_row else which
        states = self._model(rows, self.cache, starts, many, slots=first, at=at, span=span, run=self._run)
        return {slot: states[place, : counts[place]] for place, slot in enumerate(slots)}

    def _span(self, tops: Iterable[int]) -> int:
        """How much of the window a step looks at that must see the rows below these."""
        most = max(tops)
        return min(next((span for span in SPANS if span >= most), self.cache.window), self.cache.window)

    def _decode(self, minds: Mapping[int, Mind], units: Mapping[int, Rows], first: Tensor) -> dict[int, list[Tensor]]:
        """Draws and feeds until all units are closed. first: [units, hidden], the deciding states. -> states of the spoken ids."""
        slots = self.cache.slots
        todo: dict[int, list[Effect]] = {slot: minds[slot].rules.begin(units[slot].force_listen) for slot in units}
        hidden: dict[int, list[Tensor]] = {slot: [] for slot in units}  # a step's states are kept once, for all slots
        fed_rows = dict.fromkeys(units, 0)
        cap = max(minds[slot].settings.decoding.cap for slot in units)
        chances = torch.zeros(slots, cap + 1, 2)
        for slot in units:
            chances[slot, : minds[slot].settings.decoding.cap + 1] = minds[slot].chance.take(
                minds[slot].settings.decoding.cap + 1
            )
        chances = chances.to(self._device, non_blocking=True)
        span = self._span(self.places[slot].reach(cap + 1) for slot in units)
        logits = torch.zeros(slots, self._model.config.vocab, device=self._device, dtype=torch.float32)
        logits[list(units)] = self._model.logits(first).float()
        draws = [any(isinstance(one, Draw) for one in todo.get(slot, ())) for slot in range(slots)]
        feeds = {slot: one for slot, effects in todo.items() if isinstance(one := effects[0], Feed)}
        tokens: Tensor | None = None
        if any(draws):
            tokens = self._draw(logits, chances[:, 0], sent(draws, self._device).bool())
        for step in range(1, cap + 2):
            drawn = tokens.tolist() if tokens is not None else []
            for slot in units:
                if draws[slot] and drawn[slot] < 0:
                    minds[slot].lost, hidden[slot] = True, []
                    todo[slot] = minds[slot].rules.give_up()
                elif draws[slot]:
                    todo[slot] = minds[slot].rules.drew(drawn[slot])
                    if isinstance(one := todo[slot][0], Feed):
                        feeds[slot] = one
            draws = [slot in feeds and any(isinstance(one, Draw) for one in todo[slot]) for slot in range(slots)]
            if not feeds:
                break
            states, tokens = self._step(feeds, draws, chances[:, min(step, cap)], span)
            kept = states.clone() if any(feed.spoken for feed in feeds.values()) else states
            for slot, feed in feeds.items():
                fed_rows[slot] += 1
                if feed.spoken:
                    hidden[slot].append(kept[slot])
            feeds = {}
        for slot in units:
            close = todo[slot][-1]
            assert isinstance(close, Close)
            mind = minds[slot]
            mind.pending = self.layout.close(close.terminator)
            mind.pending_rows = rows_of(units[slot].items) + fed_rows[slot] + len(mind.pending.ids)
            mind.pending_at_ms = units[slot].at_ms
        return hidden

    def _draw(self, logits: Tensor, chance: Tensor, draws: Tensor) -> Tensor:
        """logits: [slots, vocab]; chance: [slots, 2]; draws: [slots] bool -> ids [slots], rubbish where nobody draws."""
        before = self._drawn.clone()
        tokens = self._sampler.draw(logits, self._drawn, chance, self._knobs).tokens
        self._drawn.copy_(torch.where(draws[:, None], self._drawn, before))
        return tokens

    def _step(self, feeds: Mapping[int, Feed], draws: Sequence[bool], chance: Tensor, span: int) -> tuple[Tensor, Tensor]:
        """Feeds one id to each of `feeds` and draws where `draws`. -> states [slots, hidden], ids [slots]."""
        slots = self.cache.slots
        ids = [feeds[slot].token if slot in feeds else 0 for slot in range(slots)]
        counts = [int(slot in feeds) for slot in range(slots)]
        at = [self.places[slot].take(1)[0] if slot in feeds else 0 for slot in range(slots)]
        orders = sent([ids, counts, at, [int(one) for one in draws]], self._device)  # [4, slots]: one way to the device

        def step(orders: Tensor, chance: Tensor) -> tuple[Tensor, ...]:
            ids, counts, at, draws = orders
            rows = self._model.embed(ids)[:, None].to(self.cache.keys.dtype)
            ends = self.cache.ends
            states = self._model(rows, self.cache, ends, counts, at=at[:, None], span=span, run=self._run)[:, 0]
            return states, self._draw(self._model.logits(states).float(), chance, draws.bool())

        states, tokens = self._graphs.run((span, self._knobs.most), step, (orders, chance), (self.cache.ends, self._drawn))
        return states, tokens

    def warm(self) -> None:
        """Every step that can come is captured now, not while somebody waits. Changes no session."""
        slots, chance = self.cache.slots, torch.zeros(self.cache.slots, 2, device=self._device)
        for span in sorted({min(span, self.cache.window) for span in (*SPANS, self.cache.window)}):
            self._step({}, [False] * slots, chance, span)

    # -- after it -------------------------------------------------------------------------------------------------

    def _embedded(self, items: Sequence[Item], given: Mapping[int, Tensor]) -> Tensor:
        """Rows of a prompt: ids embedded, sounds as given. -> [rows, hidden]"""
        return torch.cat(
            [self.embed(item.ids) if isinstance(item, Ids) else given[0].to(self.cache.keys.dtype) for item in items]
        )

    def _thought(self, slot: int, mind: Mind, rows: Rows, hidden: list[Tensor], dropped: int, forced: bool) -> Thought:
        outcome = mind.rules.outcome()
        mind.pending_said = self._tokens.ordinary(outcome.words)
        words = self._new_words(mind, outcome)
        kept = mind.history.rows + mind.pending_rows
        states = torch.stack(hidden) if hidden else torch.zeros(0, self._model.config.hidden, device=self._device)
        requests = [self._tokens.decode(span).strip() for span in outcome.delegates]
        delegates = tuple(text for text in requests if 0 < len(text) <= REQUEST_CHARS)
        return Thought(
            mind=mind,
            outcome=outcome,
            words=words,
            delegates=delegates,
            spoken=outcome.talker,
            hidden=states,
            headroom_rows=self.cache.window - kept,
            dropped=dropped,
            forced=forced,
            refused=outcome.refused + len(requests) - len(delegates),
            lost=mind.lost,
        )

    def _new_words(self, mind: Mind, outcome: Outcome) -> str:
        """Text since the last unit. Half a character waits for its other half, at most to the turn's end."""
        mind.turn_ids += outcome.words
        text = self._tokens.decode(mind.turn_ids)
        whole = text.rstrip("\ufffd")
        over = outcome.end_of_turn or outcome.interrupted
        new = whole[mind.turn_shown :]
        mind.turn_shown = len(whole)
        if over:
            mind.turn_ids, mind.turn_shown = [], 0
        return new
