"""A language model behind an OpenAI-compatible endpoint, for chit-chat and general knowledge. Off unless configured.

One blocking request in the executor that is given; the key is read from the named environment variable at call time and is never
logged. Does not know skills or the car: what comes back is only ever spoken, and cannot call anything.
"""

from __future__ import annotations

import asyncio
import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

MAX_REPLY_BYTES = 64 * 1024
MAX_REPLY_CHARS = 400

_SYSTEM = {
    "en": "You answer a driver by voice. Earlier replies of yours stand as far as the driver heard them. Reply in at most two short spoken sentences, without markup. You cannot control the car, and never claim "
    "to have done anything. Say so when you do not know.",
    "zh": "你用语音回答司机。你之前的话只写到司机听到的地方。最多两句简短的口语，不用任何标记。你不能控制汽车，也不要声称做过什么。不知道就说不知道。",
}


class EndpointError(Exception):
    """The endpoint gave no usable answer. The text is a short cause without content."""


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    base_url: str
    model: str
    api_key_env: str = ""
    timeout_ms: int = 8_000


class ChatEndpoint:
    """`answer` raises EndpointError; the caller then says the honest sentence of a session without a model."""

    def __init__(self, config: EndpointConfig, executor: Executor | None = None) -> None:
        self._config, self._executor = config, executor

    async def answer(self, text: str, locale: str, talked: Sequence[tuple[str, str]] = ()) -> str:
        """A spoken answer, at most MAX_REPLY_CHARS long. `talked`: (role, words) of what was said before, oldest first."""
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, self._ask, text, "zh" if locale.startswith("zh") else "en", talked
        )

    def _ask(self, text: str, locale: str, talked: Sequence[tuple[str, str]]) -> str:
        body = {
            "model": self._config.model,
            "messages": [
                {"role": "system", "content": _SYSTEM[locale]},
                *({"role": role, "content": words} for role, words in talked),
                {"role": "user", "content": text},
            ],
            "max_tokens": 160,
            "temperature": 0.2,
        }
        request = urllib.request.Request(
            f"{self._config.base_url.rstrip('/')}/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        if self._config.api_key_env:
            key = os.environ.get(self._config.api_key_env, "")
            if not key:
                raise EndpointError(f"the environment variable {self._config.api_key_env} is empty")
            request.add_header("Authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request, timeout=self._config.timeout_ms / 1000) as response:
                reply: Any = json.loads(response.read(MAX_REPLY_BYTES))
            content = reply["choices"][0]["message"]["content"]
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            raise EndpointError(f"the endpoint cannot be reached ({type(error).__name__})") from error
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise EndpointError("the endpoint's reply is not a chat completion") from error
        if not isinstance(content, str) or not content.strip():
            raise EndpointError("the endpoint's reply is empty")
        return " ".join(content.split())[:MAX_REPLY_CHARS]
