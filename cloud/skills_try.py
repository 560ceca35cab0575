"""`ridealong skills try`: the skills with the router of a node, its tagger included."""

from __future__ import annotations

from ridealong.cloud.requests import load_requests
from ridealong.harness.registry import Registry
from ridealong.harness.router import Router
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.commands import try_command


def routes(registry: Registry) -> TaggedRouter:
    return TaggedRouter(Router(registry), registry, load_requests())


TRY = try_command(routes)
