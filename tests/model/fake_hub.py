"""A hub on this machine: one repository at one commit, served over HTTP; it can cut, damage, refuse and note what it was asked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

REPO, COMMIT = "someone/Realtime-Tiny", "0123456789abcdef0123456789abcdef01234567"
LARGE = 50_000  # bytes from which a file is listed with its sha256, and sent from the store


@dataclass(slots=True)
class Hub:
    """`cuts`: name -> how often its connection ends after `cut_at` bytes. `damaged`: names that come with one byte changed.
    `busy`: how often to answer 503. `asked`: name, range, authorization, of each file's request."""

    files: dict[str, bytes]
    cuts: dict[str, int] = field(default_factory=dict)
    cut_at: int = 40_000
    damaged: set[str] = field(default_factory=set)
    busy: int = 0
    ranges: bool = True
    sha: str = COMMIT
    asked: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    endpoint: str = ""

    def listing(self) -> dict[str, Any]:
        return {
            "id": REPO,
            "sha": self.sha,
            "tags": ["license:apache-2.0"],
            "cardData": {"license": "apache-2.0"},
            "siblings": [_entry(name, content) for name, content in self.files.items()],
        }


def _entry(name: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    entry: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
    if len(content) >= LARGE:
        entry["lfs"] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "pointerSize": 130}
    return entry


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@contextlib.contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            if path.startswith("/api/models/"):
                return self._listing(path)
            for start in (f"/{REPO}/resolve/{hub.sha}/", "/store/"):
                if path.startswith(start):
                    return self._file(path.removeprefix(start), start == "/store/")
            return self._plain(404, b"no such page")

        def _listing(self, path: str) -> None:
            if not path.startswith(f"/api/models/{REPO}"):
                return self._plain(404, b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"})
            if not path.endswith(f"/revision/{COMMIT}"):
                return self._plain(404, b'{"error": "Invalid rev id"}', {"X-Error-Code": "RevisionNotFound"})
            return self._plain(200, json.dumps(hub.listing()).encode(), {"Content-Type": "application/json"})

        def _file(self, name: str, from_store: bool) -> None:
            content = hub.files[name]
            if len(content) >= LARGE and not from_store:
                return self._plain(302, b"", {"Location": f"{hub.endpoint}/store/{name}"})
            hub.asked.append((name, self.headers.get("Range"), self.headers.get("Authorization")))
            if hub.busy:
                hub.busy -= 1
                return self._plain(503, b"busy")
            if name in hub.damaged:
                content = bytes([content[0] ^ 1]) + content[1:]
            begin = 0
            if hub.ranges and (wanted := self.headers.get("Range")):
                begin = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(content) - begin))
            self.end_headers()
            if hub.cuts.get(name):
                hub.cuts[name] -= 1
                self.wfile.write(content[begin : begin + hub.cut_at])
                self.close_connection = True
                return None
            self.wfile.write(content[begin:])
            return None

        def _plain(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
