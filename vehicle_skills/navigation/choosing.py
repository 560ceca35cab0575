"""From the settings to a geocoder. Does not know what is asked of it."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Final

from ridealong.errors import UserError
from ridealong.vehicle_skills.navigation.geocoder import DEMO, Geocoder
from ridealong.vehicle_skills.navigation.nominatim import Nominatim
from ridealong.vehicle_skills.navigation.towns import Towns, is_installed

AUTO: Final = "auto"
"""The offline gazetteer where it is installed, else the demonstration town."""
DEMO_NAME: Final = "demo"
OFFLINE: Final = "offline"


def fault(setting: str) -> str | None:
    """What is wrong with `navigation.geocoder`, in one sentence."""
    if setting in (AUTO, DEMO_NAME, OFFLINE) or setting.startswith(("http://", "https://")):
        return None
    return f"navigation.geocoder must be auto, demo, offline or the address of a geocoder (http…), not {setting!r}."


def geocoder_of(setting: str, executor: Executor | None = None) -> Geocoder:
    """Raises UserError where the setting is none, or the offline gazetteer is not installed."""
    if (wrong := fault(setting)) is not None:
        raise UserError(wrong)
    if setting == DEMO_NAME or (setting == AUTO and not is_installed()):
        return DEMO
    return Towns(executor) if setting in (AUTO, OFFLINE) else Nominatim(setting, executor)
