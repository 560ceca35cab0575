"""Contracts: schema subset, validation, grounding; the endpoint's failures."""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ridealong.harness.agent.endpoint import Endpoint, EndpointFault, Transport
from ridealong.harness.openai_compatible import ChatEndpoint
from ridealong.harness.registry import RegistrationError, Registry, argument_problems, grounding_problems, schema_problems
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, Context, Match, Skill, Spoken

pytestmark = pytest.mark.unit

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "number", "minimum": 14, "maximum": 30},
        "z": {"type": "string", "enum": ["a", "b"]},
        "on": {"type": "boolean"},
    },
    "required": ["n"],
    "additionalProperties": False,
}


def skill(name: str, schema: dict[str, object] | None = None) -> Skill:
    async def run(call: Call) -> Spoken:
        return Spoken("")

    def recognise(text: str, locale: str, context: Context) -> Match | None:
        return None

    return Skill(name, "Does.", run, recognise, "status", SCHEMA if schema is None else schema, {})


def test_a_name_is_registered_once() -> None:
    registry = Registry([skill("a.b")])
    with pytest.raises(RegistrationError, match="already"):
        registry.register(skill("a.b"))
    assert len(registry) == 1 and "a.b" in registry and registry.get("x") is None
    assert registry.contracts()[0].read_only


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "object", "properties": {"a": {"type": "array"}}, "additionalProperties": False},
                                    {"type": "object", "properties": {}, "required": ["x"], "additionalProperties": False},
                                    {"type": "object", "properties": {"a": {"type": "string", "pattern": "x"}}, "additionalProperties": False},
                                    {"type": "object", "properties": {"a": {"type": "number", "default": None}}, "additionalProperties": False},
                                    {"type": "object", "properties": {"a": {"type": "number", "default": float("nan")}}, "additionalProperties": False}])  # fmt: skip
def test_a_loose_schema_is_refused(schema: dict[str, object]) -> None:
    assert schema_problems(schema)
    with pytest.raises(RegistrationError):
        Registry([skill("a", schema)])


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [({"n": 22.5}, True), ({"n": 22, "z": "a", "on": True}, True), ({}, False), ({"n": 13}, False), ({"n": 31.0}, False), ({"n": True}, False),
     ({"n": "22"}, False), ({"n": float("nan")}, False), ({"n": 20, "z": "c"}, False), ({"n": 20, "on": 1}, False), ({"n": 20, "x": 1}, False), ({"n": None}, False)],
)  # fmt: skip
def test_arguments(arguments: dict[str, object], fits: bool) -> None:
    assert (argument_problems(SCHEMA, arguments) == []) is fits


def test_every_value_needs_a_ground_in_the_words() -> None:
    words = "Set it to twenty-two and a half, please."
    assert grounding_problems({"n": 22.5}, {"n": "twenty two and a half"}, words, "en") == []
    assert grounding_problems({"n": 22.5}, {}, words, "en") == ["n has no ground"]
    assert grounding_problems({"n": 23}, {"n": "twenty three"}, words, "en") == ["n is not in the words that were said"]
    assert grounding_problems({"z": "a"}, {"z": "default:a"}, words, "en") == []
    assert grounding_problems({"place": ""}, {"place": " "}, words, "en") == ["place has no ground"]
    assert grounding_problems({"place": "，"}, {"place": "，"}, "送我回家，有多远", "zh") == ["place has no ground"]
    assert grounding_problems({"place": "最近的充电站"}, {"place": "最近的充电站"}, "倒行到最近的充电站", "zh") == []


def chat(endpoint: Endpoint) -> ChatEndpoint:
    return ChatEndpoint(Transport(endpoint), LoopClock())


def test_the_endpoint_answers_and_its_failures_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [json.dumps({"choices": [{"message": {"content": " Paris.\n "}}]}), "not json", json.dumps({"choices": []})]
    seen: list[str] = []

    class Peer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.headers.get("Authorization", ""))
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(replies.pop(0).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Peer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        monkeypatch.setenv("RIDEALONG_TEST_KEY", "k")
        endpoint = chat(Endpoint(f"http://127.0.0.1:{server.server_port}/v1", "m", "RIDEALONG_TEST_KEY"))
        assert asyncio.run(endpoint.answer("capital of France?", "en")) == "Paris."
        assert seen == ["Bearer k"]
        for _ in range(2):
            with pytest.raises(EndpointFault, match="rubbish"):
                asyncio.run(endpoint.answer("x", "en"))
        keyless = chat(Endpoint("http://127.0.0.1:9", "m", "RIDEALONG_NO_SUCH_KEY"))
        with pytest.raises(EndpointFault, match="no_key"):
            asyncio.run(keyless.answer("x", "en"))
    finally:
        server.shutdown()
        server.server_close()
    with pytest.raises(EndpointFault, match="unreachable"):
        asyncio.run(chat(Endpoint(f"http://127.0.0.1:{server.server_port}", "m", request_ms=500)).answer("x", "en"))
