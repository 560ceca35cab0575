"""The transport to a language model against a real local server: what is tried again, what is not, and what is never let in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ridealong.harness.agent.endpoint import MAX_BODY_BYTES, Endpoint, EndpointFault, Transport, retry_after_ms, strict_json
from ridealong.harness.agent.reply import read_completion
from tests.unit.fake_model import FakeModel, drop, fake_model, hang, raw, status

pytestmark = pytest.mark.unit
OK = {"role": "assistant", "content": "Paris."}


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now_ms(self) -> float:
        return sum(self.slept)

    async def sleep_ms(self, duration_ms: float) -> None:
        self.slept.append(duration_ms)


def ask(
    model: FakeModel | str,
    clock: Clock,
    *,
    within_ms: float = 20_000,
    request_ms: float = 5_000,
    key: str = "",
    random: Callable[[], float] = lambda: 0.5,
) -> str:
    url = model if isinstance(model, str) else model.url

    async def run() -> str:
        with ThreadPoolExecutor(1) as pool:
            transport = Transport(Endpoint(url, "m", key, request_ms), pool)
            reply = await transport.complete({"messages": [{"role": "user", "content": "温度"}]}, clock, within_ms, random)
            return read_completion(reply).text

    return asyncio.run(run())


def fault(model: FakeModel | str, clock: Clock | None = None, **how: Any) -> str:
    with pytest.raises(EndpointFault) as caught:
        ask(model, clock or Clock(), **how)
    return caught.value.reason


def test_an_answer_with_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIDEALONG_TEST_KEY", "k")
    with fake_model(OK) as model:
        assert ask(model, Clock(), key="RIDEALONG_TEST_KEY") == "Paris."
        assert model.headers[0]["Authorization"] == "Bearer k"
        assert model.asked[0]["model"] == "m" and model.messages()[0]["content"] == "温度"
        monkeypatch.delenv("RIDEALONG_TEST_KEY")
        assert fault(model, key="RIDEALONG_TEST_KEY") == "no_key"
        assert len(model.asked) == 1


def test_retry_after_is_waited_for() -> None:
    clock = Clock()
    with fake_model(status(429, b"{}", ("Retry-After", "3")), status(503), OK) as model:
        assert ask(model, clock) == "Paris."
        assert len(model.asked) == 3
    assert clock.slept == [3_000, 500]  # what the server asks for; then half of twice the base


def test_the_wait_is_jittered_and_grows() -> None:
    waits = []
    for chance in (0.0, 0.999):
        clock = Clock()
        with fake_model(status(500), status(502), OK) as model:
            ask(model, clock, random=lambda chance=chance: chance)  # type: ignore[misc]
        waits.append(clock.slept)
    assert waits[0] == [0, 0] and 499 < waits[1][0] < 500 and 998 < waits[1][1] < 1_000


def test_three_attempts_and_no_more() -> None:
    with fake_model(*[status(500)] * 5) as model:
        assert fault(model) == "unavailable"
        assert len(model.asked) == 3


def test_a_wait_that_leaves_no_time_is_not_waited() -> None:
    clock = Clock()
    with fake_model(status(429, b"{}", ("Retry-After", "60")), OK) as model:
        assert fault(model, clock) == "busy"
        assert len(model.asked) == 1 and clock.slept == []


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (status(400), "rejected"),
        (status(401), "denied"),
        (status(403), "denied"),
        (status(404), "rejected"),
        (status(429, b'{"error": {"code": "insufficient_quota"}}'), "quota"),
        (status(302, b"", ("Location", "http://127.0.0.1:9/elsewhere")), "rejected"),
        (raw(b"not json"), "rubbish"),
        (raw(b"[]"), "rubbish"),
        (raw(b"\xff\xfe\x00"), "rubbish"),
        (raw(b'{"choices": []}'), "rubbish"),
        (raw(b'{"choices": [{"message": {"content": null}}]}'), "rubbish"),
        (raw(b'{"choices": [{"message": {"content": "hm", "tool_calls": 3}}]}'), "rubbish"),
        (raw(b'{"choices": [{"message": {"content": "x"}}], "n": NaN}'), "rubbish"),
        (raw(b'{"choices": [{"message": {"content": "x"}}], "n": 1e999}'), "rubbish"),
        (raw(b"[" * 100_000), "rubbish"),
        (raw(b'{"a": "' + b"x" * MAX_BODY_BYTES + b'"}'), "too_big"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(step: Any, reason: str) -> None:
    with fake_model(step, OK) as model:
        assert fault(model) == reason
        assert len(model.asked) == 1


def test_a_dropped_connection_is_tried_again_and_a_hang_is_not() -> None:
    with fake_model(drop, OK) as model:
        assert ask(model, Clock()) == "Paris."
        assert len(model.asked) == 2
    with fake_model(hang(lambda: model.done), OK) as model:
        assert fault(model, request_ms=300) == "timeout"
        assert len(model.asked) == 1


def test_a_body_that_drips_ends_at_the_limit() -> None:
    def drip(server: Any) -> None:
        server.send_response(200)
        server.send_header("Content-Length", "100000")
        server.end_headers()
        while not model.done.wait(0.05):
            try:
                server.wfile.write(b" ")
            except OSError:
                return

    with fake_model(drip, OK) as model:
        assert fault(model, request_ms=400) == "timeout"


def test_a_request_that_is_cancelled_frees_its_thread() -> None:
    """Otherwise leaving the pool would wait for the time limit, which lies beyond the test's own."""
    with fake_model() as model:
        model.script.append(hang(lambda: model.done, within_s=600))

        async def run() -> None:
            with ThreadPoolExecutor(1) as pool:
                transport = Transport(Endpoint(model.url, "m", request_ms=600_000), pool)
                asking = asyncio.create_task(transport.complete({}, Clock(), 600_000, lambda: 0.0))
                while not model.asked:  # noqa: ASYNC110  (a thread sets it)
                    await asyncio.sleep(0.01)
                asking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asking

        asyncio.run(run())


def test_nobody_there() -> None:
    with fake_model() as model:
        url = model.url
    clock = Clock()
    assert fault(url, clock) == "unreachable"
    assert len(clock.slept) == 2


def test_a_redirect_never_takes_the_key_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIDEALONG_TEST_KEY", "k")
    with fake_model(OK) as other, fake_model(status(307, b"", ("Location", other.url))) as model:
        assert fault(model, key="RIDEALONG_TEST_KEY") == "rejected"
        assert other.asked == []


def test_retry_after_as_a_date_counts_from_the_servers_own_clock() -> None:
    dates = {"Retry-After": "Wed, 21 Oct 2026 07:28:05 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"}
    assert retry_after_ms(dates) == 5_000
    for odd in ({}, {"Retry-After": "soon"}, {"Retry-After": "nan"}, {"Retry-After": dates["Retry-After"]}):
        assert retry_after_ms(odd) is None
    assert retry_after_ms({"Retry-After": "-4"}) == 0


def test_tool_calls_are_read_whatever_the_server_forgets() -> None:
    odd = [
        {"id": "a", "type": "function", "function": {"name": "one", "arguments": '{"n": 1}'}},
        {"function": {"name": "two", "arguments": {"n": 2}}},
        {"id": 7, "function": {"name": "three", "arguments": "{"}},
        {"function": {"name": "four", "arguments": '{"n": NaN}'}},
        {"function": {"name": "five", "arguments": ""}},
        {"function": "six"},
        "seven",
    ]
    read = read_completion({"choices": [{"message": {"content": "<think>hm</think>", "tool_calls": odd}}]})
    found = [(call.name, call.arguments) for call in read.calls]
    assert found == [("one", {"n": 1}), ("two", {"n": 2}), ("three", None), ("four", None), ("five", {}), ("", None), ("", None)]
    assert read.text == "" and json.loads(read.calls[2].written) == {}
    parts = [{"type": "text", "text": "It is"}, {"type": "image_url"}, {"type": "text", "text": "red."}]
    assert read_completion({"choices": [{"message": {"content": parts}}]}).text == "It is red."


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "[" * 100_000, "{"])
def test_strict_json(text: str) -> None:
    with pytest.raises(ValueError):
        strict_json(text)
