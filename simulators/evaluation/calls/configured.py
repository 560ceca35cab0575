"""The language model that an evaluation asks with `--router model`: the one of a node's settings.

Does not know what it is asked.
"""

from __future__ import annotations

import os
from pathlib import Path

from ridealong.cloud.config import LanguageModel, load_config
from ridealong.cloud.lacking import no_key
from ridealong.errors import UserError


def configured_model(config: Path | None) -> LanguageModel:
    """Raises UserError where the settings name no model, or its key is not set."""
    settings = load_config(config, dict(os.environ), {}).value.language_model
    if not settings.base_url:
        raise UserError(
            "--router model needs a language model: give --config a node's YAML with language_model.base_url and language_model.model."
        )
    if sentence := no_key(settings, os.environ):
        raise UserError(sentence)
    return settings
