"""What a node's settings count on and this machine lacks: a key that is not set, a package that is not installed, a server's program.

Told by `cloud serve --print-config`, and at the start of whatever uses the settings, not only when somebody asks for it. Looks, and starts or
imports nothing. Does not know whether what is there works.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import Final

from ridealong.cloud.config import CloudConfig, FrontEndKind, LanguageModel, SkillPackage
from ridealong.errors import UserError
from ridealong.harness.mcp.servers import McpServers
from ridealong.harness.registry import Registry
from ridealong.harness.worker.contract import NOT_THERE

MODEL_PACKAGES: Final = ("torch", "safetensors", "tokenizers", "PIL")


def lacking(config: CloudConfig, environ: Mapping[str, str]) -> list[str]:
    """One sentence each."""
    found = [no_key(config.language_model, environ)]
    try:
        McpServers(config.mcp_servers, Registry(()), environ).check()
    except UserError as error:
        found.append(str(error))
    found += model_lacks(config)
    found += [f"the skills of {package.module}: {NOT_THERE}" for package in config.packages if not _there(package)]
    return [sentence for sentence in found if sentence]


def model_lacks(config: CloudConfig) -> list[str]:
    """What the 9B front-end misses, without loading anything of it."""
    if config.frontend.kind is not FrontEndKind.VENUS:
        return []
    found = [
        f"the venus front-end needs the package {name!r}: pip install 'ridealong[model]'"
        for name in MODEL_PACKAGES
        if find_spec(name) is None
    ]
    if config.frontend.model is not None and not config.frontend.model.is_dir():
        found.append(
            f"there is no folder {config.frontend.model}: name the folder of a checkpoint, or get one with `ridealong model fetch`."
        )
    return found


def no_key(model: LanguageModel, environ: Mapping[str, str]) -> str:
    """Empty where there is one, or none is needed."""
    if not model.base_url or not model.api_key_env or environ.get(model.api_key_env):
        return ""
    return (
        f"the language model can't be asked: the environment variable {model.api_key_env} is not set; set it, or give "
        "language_model.api_key_env the empty text '' where the endpoint needs no key."
    )


def _there(package: SkillPackage) -> bool:
    """Found without importing it or its parents, which may be anybody's code."""
    places: Sequence[str] | None = [*sys.path, str(package.path)] if package.path is not None else sys.path
    parts = package.module.split(".")
    for length in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:length]), places)
        if spec is None:
            return False
        places = spec.submodule_search_locations or []
    return True
