"""The loss: what counts, what it costs, and what it reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import training
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.mel import StreamingMel
from ridealong.cloud.model.model import LoadedModel
from ridealong.cloud.model.training.layout import Voice
from ridealong.cloud.model.training.lessons import Lessons, Weights, batch, order
from ridealong.cloud.model.training.loss import batch_loss, chunked_loss, plain_loss, states_of
from ridealong.cloud.model.training.records import SoundAt, read_records
from ridealong.cloud.model.training.run import Plan, open_model, prepared
from ridealong.cloud.model.training.senses import Senses, Undecodable
from ridealong.cloud.model.training.senses import _samples as samples_of
from ridealong.errors import UserError

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training.written(tmp_path_factory.mktemp("records") / "written")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return open_model(training.tiny(tmp_path_factory.mktemp("model") / "tiny"), "cpu")


@pytest.fixture(scope="module")
def lessons(model: LoadedModel, folder: Path) -> Lessons:
    return prepared(model, folder, Plan(steps=1))


def gradients(model: LoadedModel, loss: Tensor) -> dict[str, Tensor]:
    model.module.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    found = {name: value.grad.clone() for name, value in model.module.named_parameters() if value.grad is not None}
    model.module.zero_grad()
    return found


def everything(lessons: Lessons) -> Any:
    return batch([lessons.lesson(number) for number in range(len(lessons))], len(lessons))


def test_chunks_change_neither_loss_nor_gradients(model: LoadedModel, lessons: Lessons) -> None:
    whole, language = everything(lessons), model.module.llm
    assert len(whole.targets) > 20
    plain = plain_loss(language, states_of(language, whole), whole.targets, whole.shares)
    wanted = gradients(model, plain)
    for rows, recompute in ((1, False), (7, False), (7, True), (1000, False)):
        loss = batch_loss(language, whole, recompute=recompute, chunk_rows=rows)
        assert loss.item() == pytest.approx(plain.item(), rel=1e-6)
        found = gradients(model, loss)
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            torch.testing.assert_close(found[name], value, rtol=1e-4, atol=1e-7)


class _Rows(TorchDispatchMode):
    """The most rows that any tensor of logits had; the head's own weights, turned, look like `hidden` rows."""

    def __init__(self, vocab: int, hidden: int) -> None:
        super().__init__()
        self.vocab, self.hidden, self.most = vocab, hidden, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for one in out if isinstance(out, tuple | list) else (out,):
            if isinstance(one, Tensor) and one.ndim and one.shape[-1] == self.vocab and one.shape[0] != self.hidden:
                self.most = max(self.most, one.numel() // self.vocab)
        return out


def test_the_whole_logits_are_never_there(model: LoadedModel, lessons: Lessons) -> None:
    language, whole = model.module.llm, everything(lessons)
    states = states_of(language, whole).detach().requires_grad_()
    kept: list[int] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor.numel() // language.config.vocab if tensor.shape[-1:] == (language.config.vocab,) else 0)
        return tensor

    for chunked, most in ((True, 4), (False, len(whole.targets))):
        kept.clear()
        with (
            _Rows(language.config.vocab, language.config.hidden) as seen,
            torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor),
        ):
            if chunked:
                loss = chunked_loss(language, states, whole.targets, whole.shares, 4)
                assert max(kept) == 0  # nothing of the head's is kept for the way back
            else:
                loss = plain_loss(language, states, whole.targets, whole.shares)
            loss.backward()  # type: ignore[no-untyped-call]
        assert seen.most == most
    model.module.zero_grad()


def test_gradients_reach_the_thinker_alone(model: LoadedModel, lessons: Lessons) -> None:
    found = gradients(model, batch_loss(model.module.llm, everything(lessons)))
    assert found.keys() == {f"llm.{name}" for name, _ in model.module.llm.named_parameters()}
    assert all(value.abs().sum() > 0 for value in found.values())
    assert not any(value.requires_grad for name, value in model.module.named_parameters() if not name.startswith("llm."))


def test_each_sample_counts_alike_however_much_it_says(model: LoadedModel, lessons: Lessons) -> None:
    """Weighted, divided by the sample's own weight, then the mean (venus.md G5); parts of a step sum up to it."""
    language = model.module.llm
    each = [batch([lessons.lesson(number)], 1) for number in range(len(lessons))]
    alone = [batch_loss(language, one).item() for one in each]
    assert len({len(one.targets) for one in each}) > 1
    assert batch_loss(language, everything(lessons)).item() == pytest.approx(sum(alone) / len(alone), rel=1e-5)
    parts = [batch_loss(language, batch([lessons.lesson(number)], len(lessons))).item() for number in range(len(lessons))]
    assert sum(parts) == pytest.approx(sum(alone) / len(alone), rel=1e-5)


def test_weights_are_of_kinds_of_ids(model: LoadedModel, folder: Path) -> None:
    heavy = prepared(model, folder, Plan(steps=1, weights=Weights(control=3.0, delegate=0.5))).lesson(0)
    assert sorted(set(heavy.weights.tolist())) == [0.5, 1.0, 3.0]
    shares = batch([heavy], 1).shares
    assert shares.sum().item() == pytest.approx(1.0)
    assert (shares[0] / shares[-2]).item() == pytest.approx(3.0)  # listen, and the last word


def test_training_and_a_session_compute_the_same(model: LoadedModel, lessons: Lessons) -> None:
    language, whole = model.module.llm, everything(lessons)
    with torch.no_grad():
        rows = language.embed(whole.ids).index_put(whole.media_at, whole.media)
        together = language.whole(rows)
        for number in range(len(lessons)):
            count = len(lessons.lesson(number).ids)
            cache = KvCache.empty(language.config, 1, 640)
            zero, counts = torch.zeros(1, dtype=torch.long), torch.tensor([count])
            alone = language(rows[number : number + 1, :count], cache, zero, counts)
            torch.testing.assert_close(together[number, :count], alone[0], rtol=1e-4, atol=1e-5)


def test_what_is_asked_is_the_row_before_what_is_said(lessons: Lessons) -> None:
    lesson = lessons.lesson(0)
    assert (lesson.ids[lesson.says + 1] == lesson.targets).all()
    assert not set(lesson.places.tolist()) & set((lesson.says + 1).tolist())
    assert len(lesson.places) == len(lesson.media) == 40


def test_a_session_is_heard_as_it_is_live(model: LoadedModel, folder: Path) -> None:
    senses, ear = Senses(model, folder), model.module.ear
    media = [SoundAt("sounds/noise.wav", unit * 16_000) for unit in range(4)]
    heard = senses.rows("x", media)
    stream, cache = StreamingMel(), ear.cache(1)
    mels = stream.push(torch.from_numpy(samples_of(folder / "sounds/noise.wav")))
    live = [ear.units([mel], [0], cache)[0] for mel in mels]
    assert len(live) == 4 - 1  # a stream keeps the last 80 samples waiting
    for ours, theirs in zip(heard, live, strict=False):
        assert ours.shape == theirs.shape == (senses.rows_of(media[0]), 128)
    assert len(senses.rows("y", [Voice("sounds/noise.wav")])[0]) == senses.rows_of(Voice("sounds/noise.wav")) == 40


def test_rows_are_kept_within_a_bound(model: LoadedModel, folder: Path) -> None:
    media = [SoundAt("sounds/noise.wav", 0)]
    senses = Senses(model, folder, kept_bytes=2 * 10 * 128 * 4)
    first = senses.rows("a", media)
    assert senses.rows("a", media) is first
    senses.rows("b", media), senses.rows("c", media)
    assert senses.dropped == 1 and senses.rows("a", media) is not first


def test_what_cannot_be_decoded_or_is_too_long_is_dropped(model: LoadedModel, tmp_path: Path) -> None:
    folder = training.written(tmp_path / "records")
    lessons = Lessons.prepare(read_records(folder), model.tokens, Senses(model, folder), 90)
    assert [(one.id, "rows, there is room for 90" in one.why) for one in lessons.dropped] == [("asked", True), ("talk", True)]
    (folder / "sounds/noise.wav").write_bytes(b"RIFF")
    with pytest.raises(UserError, match="No record is left to train on: asked: noise.wav is no WAV"):
        prepared(model, folder, Plan(steps=1))
    with pytest.raises(Undecodable):
        Senses(model, folder).rows_of(SoundAt("sounds/noise.wav", 0))


def test_the_order_is_a_function_of_the_seed() -> None:
    steps = list(order(5, 3, seed=1, steps=10))
    assert steps == list(order(5, 3, seed=1, steps=10)) != list(order(5, 3, seed=2, steps=10))
    flat = [number for step in steps for number in step]
    assert all(sorted(flat[at : at + 5]) == [0, 1, 2, 3, 4] for at in range(0, 30, 5))
    assert list(order(5, 3, seed=1, steps=4)) == steps[:4]
