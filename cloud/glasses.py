"""What the glasses' skills are given by a node: its eyes, the language model for pictures and for text, and the store of what is remembered.

Part of the composition root (main.py), which has no room for it. Does not know sessions, or what any of it is asked.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Executor, Future

from ridealong.cloud.config import CloudConfig, LanguageModel
from ridealong.harness.agent.agent import SPARE_MS
from ridealong.harness.agent.endpoint import Endpoint
from ridealong.harness.agent.seeing import Seeing
from ridealong.harness.agent.text_seen import TextModel
from ridealong.harness.daytime import Daytime
from ridealong.harness.journal_file import default_path
from ridealong.harness.memory_file import MemoryFile
from ridealong.harness.observing import Observe, unobserved
from ridealong.harness.skills.eyes import Eyes
from ridealong.harness.skills.seeing import Look
from ridealong.harness.skills.seeing_text import READ_WITHIN_MS, Sights
from ridealong.proto.types import CAMERA

log = logging.getLogger("ridealong.cloud")


def look_of(settings: LanguageModel, executor: Executor | None, observe: Observe = unobserved) -> Look | None:
    """What answers questions about pictures; None where no model is set, or none that takes pictures."""
    if not settings.base_url or not settings.images:
        return None
    endpoint = Endpoint(settings.base_url, settings.model, settings.api_key_env, settings.request_ms)
    return Look(Seeing(endpoint, executor, settings.answer_within_ms, observe).answer, settings.answer_within_ms + SPARE_MS)


def sights_of(
    settings: LanguageModel, eyes: Eyes, executor: Executor | None, observe: Observe = unobserved
) -> tuple[Look | None, Sights]:
    """What there is to look with: the packaged reader, and what the settings' language model can."""
    look = look_of(settings, executor, observe)
    if not settings.base_url:
        return look, Sights(look, eyes)
    endpoint = Endpoint(settings.base_url, settings.model, settings.api_key_env, settings.request_ms)
    model = TextModel(endpoint, executor, settings.answer_within_ms, settings.images, observe)
    return look, Sights(look, eyes, model, READ_WITHIN_MS + settings.answer_within_ms + SPARE_MS)


def memory_of(config: CloudConfig, executor: Executor, daytime: Daytime) -> MemoryFile | None:
    """What the node remembers for its devices; its file is made when it is first needed."""
    if not config.memory.keep:
        return None
    journal = config.harness.journal or default_path(os.environ)
    return MemoryFile(
        config.memory.file or journal.with_name("memory.sqlite"),
        lambda: daytime.epoch_s(daytime.now()),
        config.memory.days,
        executor,
    )


def forget_pictures(memory: MemoryFile | None, executor: Executor, source: str, device: str) -> None:
    """The device's camera may be used no more: the pictures that it was to remember go."""
    if source == CAMERA and memory is not None:
        executor.submit(memory.forget_pictures, device).add_done_callback(_log_failure)


def _log_failure(done: Future[int]) -> None:
    if done.exception() is not None:
        log.error("remembered pictures could not be erased: %s", type(done.exception()).__name__)
