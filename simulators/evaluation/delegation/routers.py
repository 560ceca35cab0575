"""The product's router over given skills, alone and with a language model behind it.

The one place of this folder that knows how it is put together; does not know utterances.
"""

from __future__ import annotations

from functools import cache

from ridealong.cloud.config import LanguageModel
from ridealong.cloud.tagger import Tagger, load_tagger
from ridealong.harness.dispatch import Routes
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.simulators.evaluation.calls.model import ModelRouting
from ridealong.simulators.evaluation.calls.routing import LocalRouting


def local_router(registry: Registry) -> Routes:
    """What a session of the embedded front-end has."""
    return TaggedRouter(Router(registry), _tags())


def local_routing(registry: Registry) -> LocalRouting:
    return LocalRouting(registry, _tags())


def model_routing(registry: Registry, settings: LanguageModel) -> ModelRouting:
    return ModelRouting(registry, settings, _tags())


@cache
def _tags() -> Tagger:
    return load_tagger()
