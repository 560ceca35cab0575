"""A local server that answers chat completions from a script, one step a request, and keeps what it was sent.

A step is a message (dict), or a function of the server's handler that answers as badly as it likes. Past the script's end it answers 500.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = dict[str, Any] | Callable[[BaseHTTPRequestHandler], None]


@dataclass
class FakeModel:
    """`asked`: the bodies, `headers`: the headers of every request so far."""

    script: list[Step]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def messages(self, number: int = -1) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.asked[number]["messages"]
        return found

    def offered(self, number: int = 0) -> set[str]:
        return {tool["function"]["name"] for tool in self.asked[number].get("tools", [])}


@contextmanager
def fake_model(*script: Step) -> Iterator[FakeModel]:
    model = FakeModel(list(script))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _answers(model))
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield model
    finally:
        model.done.set()
        server.shutdown()
        server.server_close()


def _answers(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            model.headers.append(dict(self.headers))
            step = model.script.pop(0) if model.script else status(500)
            if callable(step):
                step(self)
            else:
                send(self, 200, json.dumps({"choices": [{"message": step}]}).encode())

        def log_message(self, *words: object) -> None:
            pass

    return Answers


def send(server: BaseHTTPRequestHandler, code: int, body: bytes, headers: Sequence[tuple[str, str]] = ()) -> None:
    server.send_response(code)
    for name, value in headers:
        server.send_header(name, value)
    server.send_header("Content-Length", str(len(body)))
    server.end_headers()
    server.wfile.write(body)


def says(text: str) -> Step:
    return {"role": "assistant", "content": text}


def calls(*wanted: tuple[str, object], text: str = "") -> Step:
    """(tool, arguments) pairs; arguments that are no text are written as JSON."""
    made = [
        {"id": f"x{n}", "type": "function", "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)}}
        for n, (name, given) in enumerate(wanted)
    ]  # fmt: skip
    return {"role": "assistant", "content": text, "tool_calls": made}


def status(code: int, body: bytes = b'{"error": {"message": "the provider\'s own words"}}', *headers: tuple[str, str]) -> Step:
    return lambda server: send(server, code, body, headers)


def raw(body: bytes) -> Step:
    return lambda server: send(server, 200, body)


def hang(model_done: Callable[[], threading.Event], within_s: float = 30) -> Step:
    """Takes the request and never answers."""

    def step(server: BaseHTTPRequestHandler) -> None:
        model_done().wait(within_s)

    return step


def drop(server: BaseHTTPRequestHandler) -> None:
    """Closes the connection without an answer."""
    server.connection.shutdown(2)
