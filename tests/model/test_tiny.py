"""Small checkpoints: the same bytes for the same seed, every structural rule kept, and all of it runs."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from checkpoints import SHARDS, tiny_folder
from tokenizers import Tokenizer

from ridealong.cloud.model import tiny_words
from ridealong.cloud.model.config import read_config
from ridealong.cloud.model.eye import look
from ridealong.cloud.model.kv_cache import KvCache
from ridealong.cloud.model.loader import MANIFEST, open_checkpoint
from ridealong.cloud.model.model import LoadedModel, load_model
from ridealong.cloud.model.talker import TalkerCache, TalkerRules
from ridealong.cloud.model.tiny import UNUSED_ROWS, write_tiny
from ridealong.cloud.model.tiny_config import NOTE, SMALL, TINY, config_values
from ridealong.cloud.model.vision import Grid, Patches
from ridealong.cloud.model.vocoder import UNIT_SAMPLES, Vocoder
from ridealong.errors import UserError

pytestmark = pytest.mark.model


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    size = write_tiny(tmp_path / "a", TINY, 0)
    first, again = bytes_of(tmp_path / "a"), bytes_of(tiny_folder())
    assert first == again
    assert size == sum(map(len, first.values())) < 6_000_000
    write_tiny(tmp_path / "b", TINY, 1)
    other = bytes_of(tmp_path / "b")
    assert {name for name in first if first[name] == other[name]} == {
        "config.json",
        "preprocessor_config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "model.safetensors.index.json",
        "assets/token2wav/token2wav.json",
    }


def test_it_says_that_its_words_mean_nothing() -> None:
    assert "words mean nothing" in NOTE
    assert NOTE in (tiny_folder() / "README.md").read_text(encoding="utf-8")
    assert NOTE in (tiny_folder() / "config.json").read_text(encoding="utf-8")


def test_its_manifest_is_one_of_sha256sum() -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", MANIFEST], cwd=tiny_folder(), check=True)


def test_the_structural_rules() -> None:
    config = read_config(tiny_folder())
    checkpoint = open_checkpoint(tiny_folder())
    language, talker, audio = config.language, config.talker, config.audio
    assert language.heads > language.kv_heads and language.head_dim * language.heads != language.hidden
    assert language.rope_theta == 1e6 and language.vocab == 512 + 105 + 4 and talker.text_rows == language.vocab + 16
    assert config.vision is not None and config.vision.positions_side == 10
    assert config.vision.hidden.bit_count() > 1, "a power of two would hide a wrong width"
    assert config.resampler is not None and config.resampler.heads > 1 and config.resampler.queries == 4
    assert 150 + 52 >= audio.max_positions > 100 + 52, "the cache is thrown away at the fourth unit"
    assert (talker.end_code, talker.heads) == (65, 4)
    assert {entry.file for entry in checkpoint.entries.values()} == set(SHARDS)
    assert {entry.dtype for entry in checkpoint.entries.values()} == {"BF16"}
    assert checkpoint.entries["tts.model.embed_tokens.weight"].shape == (UNUSED_ROWS, talker.hidden)
    assert checkpoint.layers("vpm.encoder.layers.") == config.vision.layers - 1 == 2 and config.vision.drop_last_layer


def test_the_tokenizer_reads_any_text_and_knows_the_names() -> None:
    tokenizer = Tokenizer.from_file(str(tiny_folder() / "tokenizer.json"))
    for text in ("Please, the window!", "把车窗关上好吗？", "🚗 22.5 °C\n\n", "Grüße  an\talle"):
        assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False).ids) == text
    assert len(tokenizer.encode("conversation").ids) < len("conversation")
    names = tiny_words.numbered()
    assert len(tiny_words.ADDED) == 105 and len(names) == 109
    for name, number in names.items():
        assert tokenizer.encode(name).ids == [number] and number >= tiny_words.PIECES
    assert tokenizer.token_to_id("<unk>") == 511
    settings = json.loads((tiny_folder() / "tokenizer_config.json").read_text(encoding="utf-8"))
    banned = settings["bad_token_ids"]
    assert banned and max(banned) < 512 and tokenizer.token_to_id("(") in banned
    plain = {name for entry in settings["added_tokens_decoder"].values() if not entry["special"] for name in [entry["content"]]}
    assert plain == {name for name in names if any(word in name for word in ("tool_", "think", "fim_", "repo_name", "file_sep"))}


def test_the_names_are_those_of_the_reference() -> None:
    from golden import case

    real = {name: number for name, number in case("token_ids").facts["real"].items() if name != "<unk>"}
    ours = {name: number - tiny_words.PIECES + 151_643 for name, number in tiny_words.numbered(venus=False).items()}
    assert ours == real


def loaded() -> LoadedModel:
    return load_model(tiny_folder(), "cpu", torch.float32)


@torch.no_grad()
def test_every_module_runs() -> None:
    model = loaded()
    module, config = model.module, model.config
    assert module.vpm is not None and module.resampler is not None and config.vision is not None
    ids = torch.tensor([model.tokens.encode("<|im_start|>system\nplease<|im_end|>")])
    seen = look(module.vpm, module.resampler, [Patches(torch.rand(12, 588) * 2 - 1, Grid(3, 4))], 16)  # [1, 4, hidden]
    heard = module.ear.clips([torch.randn(80, 100)])[0][None]  # [1, 10, hidden]
    rows = torch.cat([module.llm.embed(ids), seen, heard], dim=1)
    cache = KvCache.empty(config.language, 1, 64)
    states = module.llm(rows, cache, torch.tensor([0]), torch.tensor([rows.shape[1]]))
    logits = module.llm.logits(states)
    assert logits.shape == (1, rows.shape[1], config.language.vocab) and bool(torch.isfinite(logits).all())
    assert len(set(logits[0].argmax(-1).tolist())) > 3, "it doesn't say the same whatever it is given"
    condition = torch.cat([module.tts.condition(ids, states[:, : ids.shape[1]]), module.tts.audio_bos()[None, None]], dim=1)
    codes, valid = module.tts.chunk(
        condition,
        torch.tensor([condition.shape[1]]),
        TalkerCache.empty(config.talker, 1, 128),
        may_end=torch.tensor([True]),
        rules=TalkerRules(),
        uniforms=torch.rand(1, 26, generator=torch.Generator().manual_seed(0)),
    )
    assert valid.item() == 25 and len(set(codes[0].tolist())) > 5
    assert model.speech is not None and model.voice is not None
    vocoder = Vocoder(model.speech.flow, model.speech.wave)
    samples, _ = vocoder.speak(codes[0].tolist(), vocoder.begin(model.voice))
    assert samples.shape == (UNIT_SAMPLES,) and bool(torch.isfinite(samples).all()) and samples.std() > 1e-4


@torch.no_grad()
def test_it_listens_or_speaks_after_sound_and_ends_its_units() -> None:
    model = loaded()
    module, ids, sounds = model.module, model.tokens.ids, 24
    noise = torch.Generator().manual_seed(0)
    heard = torch.stack(module.ear.clips([torch.randn(80, 100, generator=noise) * (0.2 + 0.1 * n) for n in range(sounds)]))
    opening = torch.tensor([model.tokens.encode("<|im_start|>system\nplease<|im_end|><unit>")]).expand(sounds, -1)
    rows = torch.cat([module.llm.embed(opening), heard], dim=1)
    cache = KvCache.empty(model.config.language, sounds, 64)

    def chances(rows: torch.Tensor) -> torch.Tensor:
        states = module.llm(rows, cache, cache.ends.clone(), torch.full((sounds,), rows.shape[1]))
        return module.llm.logits(states[:, -1]).softmax(-1)

    first = chances(rows)
    assert (first[:, ids.listen] + first[:, ids.speak]).min() > 0.95
    assert 0.2 < first[:, ids.listen].mean() < 0.8 and first[:, ids.listen].std() > 0.01, "it depends on what it hears"
    ends, token = [], torch.full((sounds,), ids.speak)
    for _ in range(8):
        then = chances(module.llm.embed(token)[:, None])
        assert (then[:, ids.listen] + then[:, ids.speak]).max() < 1e-3
        assert then[:, tiny_words.PIECES :].sum(-1).max() < 1.0 - 1e-3, "there are words"
        ends.append(then[:, ids.chunk_eos].mean().item())
        token = then[:, : tiny_words.PIECES].multinomial(1, generator=noise)[:, 0]
    assert 0.05 < sum(ends) / len(ends) < 0.5


@torch.no_grad()
def test_the_talker_seldom_ends_by_itself() -> None:
    talker = loaded().module.tts
    hidden = torch.randn(200, 3, 256, generator=torch.Generator().manual_seed(1))
    ids = torch.randint(0, 600, (200, 3), generator=torch.Generator().manual_seed(2))
    rows = torch.cat([talker.condition(ids, hidden), talker.audio_bos().expand(200, 1, -1)], dim=1)
    chances: list[torch.Tensor] = []
    talker.chunk(
        rows,
        torch.full((200,), 4),
        TalkerCache.empty(talker.config, 200, 32),
        may_end=torch.ones(200, dtype=torch.bool),
        rules=TalkerRules(),
        draws=4,
        seen=chances,
    )
    assert torch.stack(chances)[..., -1].max() < 1e-3


def test_an_audio_checkpoint_of_a_base_model(tmp_path: Path) -> None:
    write_tiny(tmp_path / "a", TINY, sees=False, venus=False)
    model = load_model(tmp_path / "a")
    assert model.module.vpm is None and model.module.resampler is None and model.tokens.delegation is None
    assert model.config.language.vocab == 512 + 105


def test_the_size_for_benches_has_a_tenth_of_a_billion_values() -> None:
    from ridealong.cloud.model.config import parse_config
    from ridealong.cloud.model.model import made

    config = parse_config(config_values(SMALL, 621, tiny_words.numbered()), "c")
    values = sum(value.numel() for value in made(config).state_dict().values())
    assert 0.09e9 < values < 0.12e9
    assert config.talker.codes == 6562 and config.audio.max_positions == 1500 and config.language.max_positions == 40_960


def test_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(UserError, match="is not empty"):
        write_tiny(tmp_path, TINY)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(UserError, match="can't be written"):
        write_tiny(tmp_path / "mine.txt", TINY)


def test_another_number_of_shards(tmp_path: Path) -> None:
    write_tiny(tmp_path / "a", replace(TINY, shards=2))
    assert len({entry.file for entry in open_checkpoint(tmp_path / "a").entries.values()}) == 2
