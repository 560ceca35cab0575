"""Joins the 9B model, the embedded listener and the session to a front-end.

The model's own modules need torch: they are imported when a checkpoint is opened, and whoever chose another front-end never pays for them.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ridealong.cloud.config import CloudConfig
from ridealong.cloud.frontends.base import FrontEnd
from ridealong.cloud.frontends.venus.apology import WORDS, Apology
from ridealong.cloud.frontends.venus.ears import DeviceEars, Ears, Listening
from ridealong.cloud.frontends.venus.frontend import VenusFrontEnd
from ridealong.cloud.model.plain_io import Hosted
from ridealong.errors import UserError
from ridealong.harness.observing import Observe

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ridealong.cloud.frontends.cascade.frontend import CascadeFrontEnd, Models
    from ridealong.cloud.frontends.mouth import Clip
    from ridealong.cloud.session import SessionActor
    from ridealong.harness.harness import Harness

NO_TORCH = "the venus front-end needs the package {name!r}: pip install 'ridealong[model]', or use --frontend cascade, the embedded default."


@dataclass(frozen=True, slots=True)
class EarsMaker:
    """`make`: a session's listener that speaks with another mouth; None: the device's voice activity is all there is.
    `clips`: the last words, by language."""

    make: Callable[..., CascadeFrontEnd] | None = None
    clips: dict[str, Future[Clip]] | None = None

    def ears(self, actor: SessionActor, harness: Harness, locale: str) -> Ears:
        make = self.make
        if make is None:
            return DeviceEars(locale)
        return Listening(lambda mouth: make(actor, harness, mouth), locale)

    def apology(self, locale: str) -> Apology:
        return Apology(locale, (self.clips or {}).get("zh" if locale.startswith("zh") else "en"))


def host(config: CloudConfig, tell: Callable[[str], None]) -> Hosted:
    """The model of the settings, loaded. Raises UserError."""
    venus = config.venus
    assert config.frontend.model is not None
    try:
        from ridealong.cloud.model.hosting import ModelSettings, open_model
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("ridealong"):
            raise
        raise UserError(NO_TORCH.format(name=error.name)) from None
    settings = ModelSettings(
        config.frontend.model, venus.device, venus.dtype, venus.slots, venus.window, venus.preset, venus.window_mode,
        None if venus.quantisation == "none" else venus.quantisation, venus.instructions,
    )  # fmt: skip
    return open_model(settings, tell)


def assemble_ears(
    config: CloudConfig, executor: Executor, load: Callable[[], tuple[Models, Callable[..., CascadeFrontEnd]]]
) -> tuple[Models | None, EarsMaker]:
    """The embedded models where the settings want them. Raises UserError where they are missing."""
    if not config.frontend.ears:
        return None, EarsMaker()
    models, make = load()
    return models, EarsMaker(make, {locale: executor.submit(models.voice.clip, text, locale) for locale, text in WORDS.items()})


def front_ends(model: Hosted, ears: EarsMaker, observe: Observe) -> Callable[[SessionActor, Harness], FrontEnd]:
    """What makes a session's front-end; it raises NoRoom. A session's draws follow from its name, so that it can be run again."""

    def make(actor: SessionActor, harness: Harness) -> FrontEnd:
        return VenusFrontEnd(
            model, ears.ears(actor, harness, actor.locale), actor.wake, asyncio.get_running_loop().time,
            zlib.crc32(actor.session_id.encode()), observe, ears.apology(actor.locale),
        )  # fmt: skip

    return make
