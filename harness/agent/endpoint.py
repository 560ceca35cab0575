"""The transport to an OpenAI-compatible chat endpoint: one JSON body out, one completion back, in bounded time and size.

Asking for a completion changes nothing, so transient faults (no connection, 408, 429, 5xx) are tried again: full jitter, `Retry-After` honoured,
given up when the wait would not leave time for an answer. What hung is not asked again. Redirects are refused (the key stays where it was
sent). What the endpoint says about its faults goes no further than this file: callers get a stable reason.
Does not know messages, tools, or what is done with the reply.
"""

from __future__ import annotations

import asyncio
import email.utils
import http.client
import json
import math
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Final

from ridealong.harness.observing import Observe, TriedAgain, unobserved
from ridealong.harness.retrying import wait_ms
from ridealong.harness.skill import Clock

MAX_BODY_BYTES: Final = 256 * 1024
TRANSIENT: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_BY_STATUS: Final = {401: "denied", 403: "denied", 402: "quota", 408: "unavailable", 429: "busy"}


class EndpointFault(Exception):
    """No usable answer. `reason`: no_key, denied, quota, busy, unreachable, unavailable, timeout, rejected, rubbish, too_big."""

    def __init__(self, reason: str, status: int = 0, retry_after_ms: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.retry_after_ms = reason, status, retry_after_ms

    @property
    def transient(self) -> bool:
        return self.reason == "unreachable" or (self.reason != "quota" and self.status in TRANSIENT)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where, and how long one request may take. The key is read from the environment at each request and kept nowhere."""

    base_url: str
    model: str
    api_key_env: str = ""
    request_ms: float = 12_000


@dataclass(slots=True)
class Transport:
    """For the work of `work_id`, where it is for one. `observe` is told of tries again."""

    endpoint: Endpoint
    executor: Executor | None = None
    observe: Observe = unobserved
    work_id: str = ""
    requests: int = 0

    async def complete(
        self, body: Mapping[str, object], clock: Clock, within_ms: float, random: Callable[[], float]
    ) -> Mapping[str, Any]:
        """The reply, a JSON object without NaN or infinity. Raises EndpointFault, after `within_ms` at the latest. `random` gives [0, 1): the
        jitter, seeded by whoever asks, so that a replay waits alike."""
        until_ms = clock.now_ms() + within_ms
        payload = json.dumps({"model": self.endpoint.model, **body}, ensure_ascii=False, allow_nan=False).encode()
        attempt = 0
        while True:
            left_ms = until_ms - clock.now_ms()
            if left_ms <= 0:
                raise EndpointFault("timeout")
            try:
                return await self._once(payload, min(left_ms, self.endpoint.request_ms))
            except EndpointFault as fault:
                attempt += 1
                pause_ms = (
                    wait_ms(attempt, random(), fault.retry_after_ms, until_ms - clock.now_ms()) if fault.transient else None
                )
                if pause_ms is None:
                    raise
                self.observe(TriedAgain("language_model", fault.reason, self.work_id))
            await clock.sleep_ms(pause_ms)

    async def _once(self, payload: bytes, within_ms: float) -> Mapping[str, Any]:
        exchange = _Exchange(self._request(payload), within_ms / 1000)
        self.requests += 1
        try:
            async with asyncio.timeout(within_ms / 1000):
                return _decoded(await asyncio.get_running_loop().run_in_executor(self.executor, exchange.run))
        except TimeoutError:
            raise EndpointFault("timeout") from None
        finally:
            exchange.abort()

    def _request(self, payload: bytes) -> urllib.request.Request:
        request = urllib.request.Request(
            f"{self.endpoint.base_url.rstrip('/')}/chat/completions", data=payload, headers={"Content-Type": "application/json"}
        )
        if self.endpoint.api_key_env:
            key = os.environ.get(self.endpoint.api_key_env, "")
            if not key:
                raise EndpointFault("no_key")
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        return request


@dataclass(slots=True)
class _Exchange:
    """One blocking request, in the executor's thread. `abort`, from the loop's, ends it where it hangs."""

    request: urllib.request.Request
    timeout_s: float
    _sockets: list[socket.socket] = field(default_factory=list)
    _aborted: bool = False

    def run(self) -> bytes:
        if self._aborted:
            raise EndpointFault("timeout")
        opener = urllib.request.build_opener(_NoRedirects, _http(self._sockets), _https(self._sockets))
        try:
            with opener.open(self.request, timeout=self.timeout_s) as response:
                body: bytes = response.read(MAX_BODY_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise _fault_of(error) from None
        except TimeoutError:
            raise EndpointFault("timeout") from None
        except (OSError, http.client.HTTPException) as error:
            late = isinstance(getattr(error, "reason", None), TimeoutError)
            raise EndpointFault("timeout" if late else "unreachable") from None
        if len(body) > MAX_BODY_BYTES:
            raise EndpointFault("too_big")
        return body

    def abort(self) -> None:
        self._aborted = True
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *details: Any) -> None:
        return None


def _kept(kind: Any, sockets: list[socket.socket]) -> Any:
    """The kind of connection, whose sockets are also put on the list."""

    class Kept(kind):  # type: ignore[misc]
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    return Kept


def _http(sockets: list[socket.socket]) -> urllib.request.HTTPHandler:
    class Handler(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(_kept(http.client.HTTPConnection, sockets), req)

    return Handler()


def _https(sockets: list[socket.socket]) -> urllib.request.HTTPSHandler:
    class Handler(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(_kept(http.client.HTTPSConnection, sockets), req)

    return Handler()


def _fault_of(error: urllib.error.HTTPError) -> EndpointFault:
    """429 for a spent quota is not one that passes; only the code of the body is looked at."""
    reason = _BY_STATUS.get(error.code, "unavailable" if error.code >= 500 else "rejected")
    if error.code == 429:
        with suppress(OSError, http.client.HTTPException):
            reason = "quota" if b"insufficient_quota" in error.read(16_384) else reason
    return EndpointFault(reason, error.code, retry_after_ms(error.headers))


def retry_after_ms(headers: Message | Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds, or as a date against the server's own `Date`; None where there is none that makes sense."""
    said = (headers.get("Retry-After") or "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            until, now = (email.utils.parsedate_to_datetime(text or "") for text in (said, headers.get("Date")))
            seconds = (until - now).total_seconds()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds * 1000) if math.isfinite(seconds) else None


def strict_json(text: str | bytes) -> Any:
    """JSON without NaN and without numbers that are none to us. Raises ValueError."""

    def number(written: str) -> float:
        value = float(written)
        if not math.isfinite(value):
            raise ValueError("a number beyond all bounds")
        return value

    def constant(written: str) -> float:
        raise ValueError(f"{written} is not JSON")

    try:
        return json.loads(text, parse_float=number, parse_constant=constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _decoded(body: bytes) -> Mapping[str, Any]:
    try:
        reply = strict_json(body)
    except ValueError:
        raise EndpointFault("rubbish") from None
    if not isinstance(reply, dict):
        raise EndpointFault("rubbish")
    return reply
