"""A whole session of the reference: layout, cache, rules and sampler together, on rows of sound and sight that the cases give."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from golden import case, tiny_config, tiny_weights
from PIL import Image
from plain_encoders import picture
from test_serialization import _tiny as tiny_layout
from torch import Tensor

from ridealong.cloud.model.decoding import DEMO, Close, Draw, Effect, Feed, UnitRules, replace
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.language import Language
from ridealong.cloud.model.sampling import Knobs, Sampler, empty_history
from ridealong.cloud.model.serialization import AudioRows, Ids, Item, Picture

pytestmark = pytest.mark.model
# As the reference ran. Its cap is not written down; both of its spoken units end at six ids.
SETTINGS = replace(DEMO, greedy=True, force_listen_units=0, max_chars=None, cap=6, reference_parity=True)


def _seen() -> Tensor:  # [64, hidden]
    shown = Image.fromarray(case("duplex_sequence").tensors["image_u8"].numpy()).resize((448, 448), Image.Resampling.BICUBIC)
    pixels = torch.from_numpy(np.array(shown)).permute(2, 0, 1).float() / 127.5 - 1  # [3, 448, 448]
    cut = pixels.unflatten(1, (32, 14)).transpose(1, 2).unflatten(-1, (32, 14))  # [3, 14, 32 rows, 32 columns, 14]
    return picture(tiny_weights(""), cut.flatten(2), 32, 32)


class _Session:
    """Feeds items in as many calls as there are, or in one."""

    def __init__(self, *, one_call: bool) -> None:
        with torch.device("meta"):
            self.model = Language(tiny_config().language)
        self.model.load_state_dict(tiny_weights("llm."), assign=True)
        self.model.requires_grad_(False)
        self.cache = KvCache.empty(self.model.config, 1, 256)
        self.one_call, self.seen, self.states = one_call, _seen(), torch.empty(0)

    def _rows(self, item: Item, heard: Tensor) -> Tensor:  # [rows, hidden]
        if isinstance(item, Ids):
            return self.model.embed(torch.tensor(item.ids))
        rows = heard if isinstance(item, AudioRows) else self.seen
        assert len(rows) == item.rows
        return rows

    def feed(self, items: list[Item], heard: Tensor) -> None:
        calls = [self._rows(item, heard) for item in items]
        for rows in [torch.cat(calls)] if self.one_call else calls:
            start, count = self.cache.ends.clone(), torch.tensor([len(rows)])
            self.states = self.model(rows[None], self.cache, start, count)[0]

    def logits(self) -> Tensor:  # [vocab]
        return self.model.logits(self.states[-1])


@pytest.mark.parametrize("one_call", [False, True], ids=["calls of the reference", "one prefill"])
def test_as_the_reference(one_call: bool) -> None:
    golden, heard, layout = case("duplex_sequence"), case("audio_encoder_stream").tensors, tiny_layout()
    ids, session, texts = layout.ids, _Session(one_call=one_call), case("duplex_unit_rules").facts["token_text"]
    rules = UnitRules(ids, None, SETTINGS, lambda tokens: "".join(texts.get(str(token), "?") for token in tokens))
    sampler, knobs = Sampler(ids, case("token_ids").facts["bad_token_ids_tiny"], 512), Knobs.of([SETTINGS])
    history = empty_history(1)
    session.feed(layout.system(voice_rows=12), golden.tensors["ref_audio_features"])
    rest: list[Item] = []  # what ends a unit goes with the beginning of the next
    for unit in golden.facts["units"]:
        number, drawn, hidden = unit["unit"], [], []
        items = rest + layout.unit([Picture()] if unit["has_image"] else [], 10)
        session.feed(items, heard[f"unit{number}.features"])
        logits = session.logits()
        golden.near(logits, f"unit{number}.pending_logits")
        if number == 1:
            logits[ids.speak] = 30.0
        todo: list[Effect] = rules.begin(force_listen=unit["force_listen"])
        while todo:
            match todo.pop(0):
                case Feed(token, spoken):
                    session.feed([layout.drawn(token)], torch.empty(0))
                    drawn.append(token)
                    hidden += [session.states[-1]] if spoken else []
                    logits = session.logits()
                case Draw():
                    todo = rules.drew(int(sampler.draw(logits[None], history, torch.zeros(1, 2), knobs).tokens))
                case Close(terminator):
                    rest = [layout.close(terminator)]
                    drawn += [terminator, ids.unit_close]
        outcome = rules.outcome()
        assert drawn == unit["ids"]
        assert list(outcome.talker) == unit["talker_ids"]
        assert (outcome.is_listen, outcome.end_of_turn) == (unit["is_listen"], unit["end_of_turn"])
        if hidden:
            golden.near(torch.stack(hidden), f"unit{number}.talker_hidden")
        if not one_call:
            session.feed(rest, torch.empty(0))
            rest = []
            assert int(session.cache.ends[0]) == unit["cache_len"]
