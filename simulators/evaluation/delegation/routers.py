"""The product's router over given skills, alone and with a language model behind it.

The one place of this folder that knows how it is put together; does not know utterances.
"""

from __future__ import annotations

from ridealong.cloud.config import LanguageModel
from ridealong.harness.dispatch import Routes
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.simulators.evaluation.calls.model import ModelRouting
from ridealong.simulators.evaluation.calls.routing import LocalRouting


def local_router(registry: Registry) -> Routes:
    """What a session of the embedded front-end has."""
    return Router(registry)


def local_routing(registry: Registry) -> LocalRouting:
    return LocalRouting(registry)


def model_routing(registry: Registry, settings: LanguageModel) -> ModelRouting:
    return ModelRouting(registry, settings)
