"""What a chat completion says: text, and the tools that it asks for. Pure; whatever the JSON holds, it comes out typed or not at all.

Does not know which tools there are, or whether their arguments fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ridealong.harness.agent.endpoint import EndpointFault, strict_json

MAX_TOOL_CALLS: Final = 16
"""More than this in one message is no request but a fault; the rest is not looked at."""
MAX_ARGUMENT_CHARS: Final = 8_000
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`arguments` None: what was written there is no JSON object. `written`: them as JSON text, to be said back to the model."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    written: str = "{}"


@dataclass(frozen=True, slots=True)
class Answered:
    """The model's message."""

    text: str = ""
    calls: tuple[ToolCall, ...] = field(default=())


def read_completion(reply: Mapping[str, Any]) -> Answered:
    """Raises EndpointFault("rubbish") for what is not a completion, or an empty one."""
    try:
        message = reply["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        content = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise EndpointFault("rubbish") from None
    if not isinstance(calls, list):
        raise EndpointFault("rubbish")
    found = tuple(_call(call, number) for number, call in enumerate(calls[:MAX_TOOL_CALLS]))
    text = _THOUGHT.sub(" ", _text(content)).strip()
    if not found and not text:
        raise EndpointFault("rubbish")
    return Answered(text, found)


def _text(content: Any) -> str:
    """Text, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return " ".join(part for part in parts if isinstance(part, str))
    return ""


def _call(raw: Any, number: int) -> ToolCall:
    function = raw.get("function") if isinstance(raw, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return ToolCall(f"call_{number}", "", None)
    id, written = raw.get("id"), function.get("arguments")
    arguments = _arguments(written)
    kept = written if isinstance(written, str) and arguments is not None and written else "{}"
    return ToolCall(id if isinstance(id, str) and id else f"call_{number}", function["name"], arguments, kept)


def _arguments(written: Any) -> Mapping[str, Any] | None:
    """An object, also where a server forgets to write it as a string; nothing at all is an empty one."""
    if isinstance(written, dict):
        return written
    if written is None or written == "":
        return {}
    if not isinstance(written, str) or len(written) > MAX_ARGUMENT_CHARS:
        return None
    try:
        read = strict_json(written)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None
