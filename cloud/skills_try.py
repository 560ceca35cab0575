"""`ridealong skills try`: the skills with the router of a node, its tagger included."""

from __future__ import annotations

from ridealong.cloud.tagger import load_tagger
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.commands import try_command


def routes(registry: Registry) -> TaggedRouter:
    return TaggedRouter(Router(registry), load_tagger())


TRY = try_command(routes)
