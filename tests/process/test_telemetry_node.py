"""A node's own telemetry from outside: its page is scraped over HTTP, its spans arrive at a collector, and neither holds a word that was said."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import socket
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from programs import refused, ridealong, running
from prometheus_client.parser import text_string_to_metric_families

from ridealong.device.link import Link, grpc_dialler
from ridealong.proto import types as t

pytestmark = pytest.mark.process

ISOLATED = Path(__file__).parents[1] / "data" / "isolated"
SCRIPT = '- {unit: 1, delegate: "set the temperature to 21 degrees"}\n- {unit: 4, delegate: "what is a xylophone"}\n'


@contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    got: list[bytes] = []

    class Takes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/traces"
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Takes)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()


def scrape(address: str) -> str:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as page:
        text: str = page.read().decode()
    return text


def transitions(text: str) -> Counter[tuple[str, ...]]:
    labels = ("machine", "before", "after", "cause", "capability")
    return Counter(
        {
            tuple(sample.labels[label] for label in labels): int(sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == "ridealong_transitions_total"
        }
    )


async def ride(node: str, address: str) -> str:
    """A device that sends silence and plays what it is told to; the page as it is when two items have been told."""

    def take(body: t.DownlinkBody) -> None:
        if isinstance(body, t.Speech) and body.last:
            played = body.offset + len(body.pcm16) // 2
            link.send(t.PlaybackAck(body.epoch, body.utterance, played, t.PlaybackState.FINISHED, t.Samples(16_000 * 30)))

    link = Link(grpc_dialler(node), t.Hello("car", "device-1", ("audio/pcm16",)), take, lambda state: None, random.Random(1))
    page = ""
    async with asyncio.timeout(40), asyncio.TaskGroup() as tasks:
        tasks.create_task(link.run())
        for index in range(200):
            link.send(t.UnitPart(t.UnitIndex(index // 5), index % 5, index % 5 == 4, t.Samples(index * 3200), 3200, bytes(6400)))
            await asyncio.sleep(0.1)
            page = await asyncio.to_thread(scrape, address)
            if sum(n for (_, _, after, _, _), n in transitions(page).items() if after == "delivered") == 2:
                break
        await link.close()
    return page


def test_a_scrape_and_spans_of_a_real_node(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(SCRIPT)
    with collector() as (endpoint, got):
        (tmp_path / "node.yaml").write_text(
            f"frontend: {{kind: scripted, script: {tmp_path}/script.yaml}}\nharness: {{journal: {tmp_path}/j.sqlite}}\n"
            f"server: {{address: '127.0.0.1:0'}}\ntelemetry: {{metrics_address: '127.0.0.1:0', otlp_endpoint: '{endpoint}'}}\n"
            f"skills: [{{module: unruly, path: '{ISOLATED}'}}]\n"
        )
        words = ["cloud", "serve", "--config", str(tmp_path / "node.yaml")]
        with running(words, r"serving on (127\.0\.0\.1:\d+)", tmp_path) as (program, ready):
            metrics = re.search(r"metrics on (127\.0\.0\.1:\d+)", (tmp_path / "cloud.log").read_text())
            assert metrics is not None
            page = asyncio.run(ride(ready[1], metrics[1]))
            program.send_signal(signal.SIGTERM)
            assert program.wait(20) == 0
    assert "Traceback" not in (tmp_path / "cloud.log").read_text()
    exported = ridealong("work", "export", "--journal", str(tmp_path / "j.sqlite"))
    rows = [json.loads(line) for line in exported.stdout.splitlines()]
    assert len(rows) >= 2, exported.stdout
    moved = transitions(page)
    assert moved[("execution", "queued", "running", "Start", "climate.set_temperature")] == 1, page
    assert sum(n for (_, _, after, _, _), n in moved.items() if after == "delivered") == 2, page
    assert 'outside_programs_total{change="started",kind="worker",name="unruly"} 1.0' in page, page
    for stage in ("done", "inserted", "played", "whole"):
        assert f'stage="{stage}"' in page
    spans = [
        span
        for body in got
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    names = {span.span_id: span.name for span in spans}
    assert Counter(names.values())["execution"] >= 2
    assert {(span.name, names.get(span.parent_span_id, "")) for span in spans} >= {
        ("request", ""), ("execution", "request"), ("delivery", "execution"),
    }  # fmt: skip
    for said in (b"xylophone", b"21 degrees"):
        assert said not in page.encode() and not [body for body in got if said in body]


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(SCRIPT)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (tmp_path / "node.yaml").write_text(
            f"frontend: {{kind: scripted, script: {tmp_path}/script.yaml}}\nharness: {{journal: {tmp_path}/j.sqlite}}\n"
            f"telemetry: {{metrics_address: '127.0.0.1:{taken.getsockname()[1]}'}}\n"
        )
        refused(
            ridealong("cloud", "serve", "--config", str(tmp_path / "node.yaml")),
            "cannot serve metrics",
            "telemetry.metrics_address",
        )
