"""A geocoder over HTTP that speaks as Nominatim does (`GET …/search?q=…&format=jsonv2`): addresses, streets and businesses of OpenStreetMap.

One request a search, in bounded time and size, and never tried again; redirects are refused. What was asked for and where the car is go to that server: it
is the integrator's to choose. Data © OpenStreetMap contributors, ODbL. Does not know who asks, or what is done with the answer.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import Executor
from typing import Any, Final

import ridealong
from ridealong.vehicle_skills.navigation.geocoder import Found, Located, Place, Position, Remembered, fold, sane

WITHIN_S: Final = 4.0
MAX_BODY_BYTES: Final = 256 * 1024
MAX_HITS: Final = 8
AROUND_DEGREES: Final = 0.5
"""Half the side of the box in which places are preferred."""
MAX_NAME_CHARS: Final = 80


class Nominatim:
    """`address`: what stands before `/search`. `within_s`: for the whole of one request."""

    instant = False

    def __init__(self, address: str, executor: Executor | None = None, within_s: float = WITHIN_S) -> None:
        self._address, self._executor, self._within_s = address.rstrip("/"), executor, within_s
        self._found = Remembered()

    async def search(self, name: str, locale: str, near: Position | None) -> Found:
        request = urllib.request.Request(
            f"{self._address}/search?{urllib.parse.urlencode(_asked(name, near))}",
            headers={
                "User-Agent": f"ridealong/{ridealong.__version__}",
                "Accept": "application/json",
                "Accept-Language": "zh-CN,zh" if locale.startswith("zh") else "en",
            },
        )
        given_up = threading.Event()
        try:
            async with asyncio.timeout(self._within_s):
                loop = asyncio.get_running_loop()
                body = await loop.run_in_executor(self._executor, _get, request, self._within_s, given_up)
            hits = hits_of(json.loads(body))
        except TimeoutError:
            return Found(fault="timeout")
        except (OSError, http.client.HTTPException):
            return Found(fault="unreachable")
        except (ValueError, RecursionError):
            return Found(fault="rubbish")
        finally:
            given_up.set()
        self._found.keep(hits)
        return Found(hits)

    def named(self, latitude: float, longitude: float) -> Located | None:
        return self._found.named(latitude, longitude)


def _asked(name: str, near: Position | None) -> dict[str, str]:
    asked = {"q": name[:MAX_NAME_CHARS], "format": "jsonv2", "limit": str(MAX_HITS), "addressdetails": "1"}
    if near is not None:
        north, east = near
        west_edge, east_edge = max(east - AROUND_DEGREES, -180.0), min(east + AROUND_DEGREES, 180.0)
        south_edge, north_edge = max(north - AROUND_DEGREES, -90.0), min(north + AROUND_DEGREES, 90.0)
        asked["viewbox"] = f"{west_edge:.2f},{south_edge:.2f},{east_edge:.2f},{north_edge:.2f}"
    return asked


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _get(request: urllib.request.Request, within_s: float, given_up: threading.Event) -> bytes:
    """In the executor's thread, which a server that trickles does not keep."""
    body = b""
    with urllib.request.build_opener(_NoRedirects()).open(request, timeout=within_s) as response:
        while chunk := response.read1(8192):
            body += chunk
            if given_up.is_set():
                raise TimeoutError
            if len(body) > MAX_BODY_BYTES:
                raise ValueError("too big")
    return body


def hits_of(answer: object) -> tuple[Place, ...]:
    """Raises ValueError for anything but a list; an entry that is no place is left out."""
    if not isinstance(answer, list):
        raise ValueError("no list")
    return tuple(place for entry in answer[:MAX_HITS] if (place := _place(entry)) is not None)


def _place(entry: object) -> Place | None:
    if not isinstance(entry, dict):
        return None
    try:
        latitude, longitude = float(entry["lat"]), float(entry["lon"])
        size = float(entry.get("importance") or 0.0)
    except (KeyError, TypeError, ValueError):
        return None
    whole = entry.get("display_name")
    name = entry.get("name") or (whole.partition(",")[0] if isinstance(whole, str) else "")
    if not isinstance(name, str) or not fold(name) or not sane(latitude, longitude):
        return None
    address = entry.get("address")
    parts = address if isinstance(address, dict) else {}
    region = next((str(parts[key]) for key in ("city", "town", "village", "county", "state") if parts.get(key)), "")
    country = str(parts.get("country") or "")
    region = "" if fold(region) == fold(name) else region
    return Place(name, name, latitude, longitude, country, country, region or str(parts.get("state") or ""), size)
