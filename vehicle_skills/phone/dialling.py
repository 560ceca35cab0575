"""Placing a call: the interface, and a dialer of the integrator's, behind an HTTP endpoint or a command. Begun once, never tried again.

`POST` of `{"number", "name", "key"}`, where any 2xx says that the call is being placed; or a command with {number} and {name} among its arguments, no shell,
whose exit status 0 says so. No answer in time: not known. Does not know who is called, or whether anybody agreed.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ridealong.proto.types import ActuationResult, ActuationState

WITHIN_S: Final = 8.0


class Dialer(Protocol):
    async def dial(self, number: str, name: str, key: str) -> ActuationResult:
        """`number`: digits with an optional +. CONFIRMED: it is being placed. Never raises."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class HttpDialer:
    url: str
    executor: Executor | None = None
    within_s: float = WITHIN_S

    async def dial(self, number: str, name: str, key: str) -> ActuationResult:
        body = json.dumps({"number": number, "name": name, "key": key}, ensure_ascii=False).encode()
        request = urllib.request.Request(self.url, data=body, headers={"Content-Type": "application/json"}, method="POST")
        try:
            async with asyncio.timeout(self.within_s):
                status = await asyncio.get_running_loop().run_in_executor(self.executor, _post, request, self.within_s)
        except TimeoutError:
            return ActuationResult(key, ActuationState.TIMED_OUT, "no_answer")
        except urllib.error.URLError as error:  # nobody was reached, unless it was the answer that did not come
            sent = not isinstance(error.reason, ConnectionRefusedError)
            return ActuationResult(
                key, ActuationState.TIMED_OUT if sent else ActuationState.REFUSED, "no_answer" if sent else "unreachable"
            )
        except (OSError, http.client.HTTPException):
            return ActuationResult(key, ActuationState.TIMED_OUT, "no_answer")
        good = 200 <= status < 300
        return ActuationResult(key, ActuationState.CONFIRMED if good else ActuationState.REFUSED, "" if good else "rejected")


def _post(request: urllib.request.Request, within_s: float) -> int:
    try:
        with urllib.request.build_opener(_NoRedirects()).open(request, timeout=within_s) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@dataclass(frozen=True, slots=True)
class CommandDialer:
    command: tuple[str, ...]
    within_s: float = WITHIN_S

    async def dial(self, number: str, name: str, key: str) -> ActuationResult:
        words = [word.replace("{number}", number).replace("{name}", name) for word in self.command]
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
            )
        except (OSError, ValueError):
            return ActuationResult(key, ActuationState.REFUSED, "unavailable")
        try:
            async with asyncio.timeout(self.within_s):
                status = await process.wait()
        except TimeoutError:
            return ActuationResult(key, ActuationState.TIMED_OUT, "no_answer")
        finally:
            if process.returncode is None:
                process.kill()
        return ActuationResult(
            key, ActuationState.CONFIRMED if status == 0 else ActuationState.REFUSED, "" if status == 0 else "rejected"
        )


def dialer_of(url: str, command: Sequence[str], executor: Executor | None = None) -> Dialer | None:
    """None where neither is configured."""
    if url:
        return HttpDialer(url, executor)
    return CommandDialer(tuple(command)) if command else None
