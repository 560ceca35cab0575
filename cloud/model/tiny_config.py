"""Sizes of small checkpoints with random weights, and the configuration files that say them (spec: model.md 5.1).

`TINY` keeps each structural rule of the released model at a size for tests on a CPU; `SMALL` has about 0.1 billion values and the
released model's positions, picture tokens and code rates, for benches. Knows no tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

NOTE: Final = "Random weights: it has the structure of a duplex model and its words mean nothing."


@dataclass(frozen=True, slots=True)
class Stack:
    """A transformer: its width, layers, the width inside, and heads."""

    hidden: int
    layers: int
    ffn: int
    heads: int


@dataclass(frozen=True, slots=True)
class Size:
    """`spare_layer`: config.json tells of one vision layer more than the files hold, and says that it is dropped."""

    language: Stack
    kv_heads: int
    head_dim: int
    positions: int
    vision: Stack
    spare_layer: bool
    image: int
    scale: int
    queries: int
    audio: Stack
    audio_positions: int
    talker: Stack
    codes: int  # the end code among them
    flow: Stack
    up_layers: int
    dit: Stack
    wave: int
    pitch: int
    shards: int = 3


TINY: Final = Size(
    language=Stack(256, 2, 128, 4),  # the resampler has hidden / 128 heads, and 1 head would not show a mistake
    kv_heads=2,
    head_dim=16,
    positions=512,
    vision=Stack(48, 2, 96, 4),
    spare_layer=True,
    image=140,
    scale=56,
    queries=4,
    audio=Stack(32, 2, 128, 4),
    audio_positions=200,
    talker=Stack(32, 2, 64, 4),
    codes=66,
    flow=Stack(32, 1, 64, 4),
    up_layers=1,
    dit=Stack(32, 2, 64, 4),
    wave=32,
    pitch=12,
)
SMALL: Final = Size(
    language=Stack(640, 14, 1920, 10),
    kv_heads=2,
    head_dim=64,
    positions=40_960,
    vision=Stack(288, 6, 1072, 4),
    spare_layer=False,
    image=980,
    scale=448,
    queries=64,
    audio=Stack(384, 6, 1536, 6),
    audio_positions=1500,
    talker=Stack(384, 6, 1536, 6),
    codes=6562,
    flow=Stack(256, 3, 1024, 4),
    up_layers=2,
    dit=Stack(256, 6, 1024, 4),
    wave=128,
    pitch=128,
)
FULL: Final = Size(
    language=Stack(4096, 36, 12_288, 32),
    kv_heads=8,
    head_dim=128,
    positions=40_960,
    vision=Stack(1152, 27, 4304, 16),
    spare_layer=False,
    image=980,
    scale=448,
    queries=64,
    audio=Stack(1024, 24, 4096, 16),
    audio_positions=1500,
    talker=Stack(768, 20, 3072, 12),
    codes=6562,
    flow=Stack(512, 6, 2048, 8),
    up_layers=4,
    dit=Stack(512, 16, 2048, 8),
    wave=512,
    pitch=512,
)
"""The released model's (model.md 1), for random weights on a device; never written to a file."""
FULL_VOCAB: Final = 151_748
FULL_TEXT_ROWS: Final = 152_064
SIZES: Final = {"tiny": TINY, "0.1b": SMALL}

FLOW_CODES: Final = 6561
"""The real number at every size: the code of silence (4218), which turns begin with, is one of them."""
MEL_BINS: Final = 80
SPEAKER: Final = 192


def config_values(size: Size, vocab: int, named: dict[str, int]) -> dict[str, Any]:
    """The object of config.json, with the released files' fields. named: ids of the tokenizer's added names."""
    language, talker = size.language, size.talker
    return {
        "architectures": ["MiniCPMO"],
        "model_type": "minicpmo",
        "version": "4.5",
        "note": NOTE,
        "vocab_size": vocab,
        "hidden_size": language.hidden,
        "intermediate_size": language.ffn,
        "num_hidden_layers": language.layers,
        "num_attention_heads": language.heads,
        "num_key_value_heads": size.kv_heads,
        "head_dim": size.head_dim,
        "hidden_act": "silu",
        "max_position_embeddings": size.positions,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1_000_000.0,
        "rope_scaling": None,
        "attention_bias": False,
        "tie_word_embeddings": False,
        "bos_token_id": named["<|im_start|>"],
        "eos_token_id": named["<|im_end|>"],
        "pad_token_id": named["<|endoftext|>"],
        "torch_dtype": "bfloat16",
        "query_num": size.queries,
        "image_size": size.scale,
        "drop_vision_last_layer": size.spare_layer,
        "batch_vision_input": True,
        "use_image_id": True,
        "vision_batch_size": 16,
        "audio_pool_step": 5,
        "audio_chunk_length": 1.0,
        "stream_input": True,
        "listen_speak_type": "asr",
        "init_vision": True,
        "init_audio": True,
        "init_tts": True,
        "slice_config": {"patch_size": 14, "max_slice_nums": 1, "scale_resolution": size.scale},
        "vision_config": {
            "model_type": "siglip_vision_model",
            "hidden_size": size.vision.hidden,
            "intermediate_size": size.vision.ffn,
            "num_hidden_layers": size.vision.layers + size.spare_layer,
            "num_attention_heads": size.vision.heads,
            "num_channels": 3,
            "image_size": size.image,
            "patch_size": 14,
            "hidden_act": "gelu_pytorch_tanh",
            "layer_norm_eps": 1e-6,
        },
        "audio_config": {
            "model_type": "whisper",
            "d_model": size.audio.hidden,
            "encoder_layers": size.audio.layers,
            "encoder_attention_heads": size.audio.heads,
            "encoder_ffn_dim": size.audio.ffn,
            "num_mel_bins": MEL_BINS,
            "max_source_positions": size.audio_positions,
            "activation_function": "gelu",
        },
        "tts_config": {
            "model_type": "minicpmtts",
            "llm_dim": language.hidden,
            "hidden_size": talker.hidden,
            "intermediate_size": talker.ffn,
            "num_attention_heads": talker.heads,
            "num_key_value_heads": talker.heads,
            "num_hidden_layers": talker.layers,
            "max_position_embeddings": 4096,
            "num_audio_tokens": size.codes,
            "num_text_tokens": vocab + 16,
            "num_vq": 1,
            "audio_bos_token_id": named["<focus>"],
            "text_eos_token_id": named["</perception>"],
            "condition_type": "hidden_text_merge",
            "normalize_projected_hidden": True,
            "attention_type": "full_attention",
            "audio_tokenizer_type": "s3tokenizer_step_audio",
        },
    }


def processor_values(size: Size) -> dict[str, Any]:
    """The object of preprocessor_config.json: what is read of the released one."""
    return {"max_slice_nums": 9, "patch_size": 14, "scale_resolution": size.scale}


def speech_values(size: Size) -> dict[str, Any]:
    """The object of token2wav.json: the flow and the original vocoder."""
    flow, dit = size.flow, size.dit
    return {
        "note": NOTE,
        "flow": {
            "input_size": flow.hidden,
            "output_size": MEL_BINS,
            "spk_embed_dim": SPEAKER,
            "vocab_size": FLOW_CODES,
            "pre_lookahead_len": 3,
            "up_stride": 2,
            "encoder": {
                "output_size": flow.hidden,
                "num_blocks": flow.layers,
                "num_up_blocks": size.up_layers,
                "attention_heads": flow.heads,
                "linear_units": flow.ffn,
                "pos_enc_layer_type": "rel_pos_espnet",
                "selfattention_layer_type": "rel_selfattn",
                "activation_type": "swish",
                "key_bias": True,
                "normalize_before": True,
                "input_layer": "linear",
            },
            "decoder": {
                "inference_cfg_rate": 0.7,
                "estimator": {
                    "in_channels": 4 * MEL_BINS,
                    "out_channels": MEL_BINS,
                    "mlp_ratio": dit.ffn / dit.hidden,
                    "depth": dit.layers,
                    "num_heads": dit.heads,
                    "head_dim": dit.hidden // dit.heads,
                    "hidden_size": dit.hidden,
                },
            },
        },
        "hift": {
            "in_channels": MEL_BINS,
            "base_channels": size.wave,
            "nb_harmonics": 8,
            "sampling_rate": 24_000,
            "nsf_alpha": 0.1,
            "nsf_sigma": 0.003,
            "nsf_voiced_threshold": 10,
            "upsample_rates": [8, 5, 3],
            "upsample_kernel_sizes": [16, 11, 7],
            "lrelu_slope": 0.1,
            "audio_limit": 0.99,
            "f0_predictor": {"num_class": 1, "in_channels": MEL_BINS, "cond_channels": size.pitch},
        },
    }
