"""A language model that only talks: chit-chat and general knowledge, where it is offered no tools. Off unless configured.

Does not know skills, the car, or how the endpoint is reached (agent/endpoint.py): what comes back is only ever spoken, and cannot call
anything.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from ridealong.harness.agent.endpoint import EndpointFault, Transport
from ridealong.harness.skill import Clock

MAX_REPLY_CHARS = 400

_SYSTEM = {
    "en": "You answer a driver by voice. Earlier replies of yours stand as far as the driver heard them. Reply in at most two short spoken sentences, without markup. You cannot control the car, and never claim "
    "to have done anything. Say so when you do not know.",
    "zh": "你用语音回答司机。你之前的话只写到司机听到的地方。最多两句简短的口语，不用任何标记。你不能控制汽车，也不要声称做过什么。不知道就说不知道。",
}


class ChatEndpoint:
    """`answer` raises EndpointFault; the caller then says the honest sentence of a session without a model."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport, self._clock = transport, clock

    async def answer(self, text: str, locale: str, talked: Sequence[tuple[str, str]] = ()) -> str:
        """A spoken answer, at most MAX_REPLY_CHARS long. `talked`: (role, words) of what was said before, oldest first."""
        body = {
            "messages": [
                {"role": "system", "content": _SYSTEM["zh" if locale.startswith("zh") else "en"]},
                *({"role": role, "content": words} for role, words in talked),
                {"role": "user", "content": text},
            ],
            "max_tokens": 160,
            "temperature": 0.2,
        }
        reply = await self._transport.complete(body, self._clock, self._transport.endpoint.request_ms, random.random)
        try:
            content = reply["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise EndpointFault("rubbish") from None
        if not isinstance(content, str) or not content.strip():
            raise EndpointFault("rubbish")
        return " ".join(content.split())[:MAX_REPLY_CHARS]
