"""An MCP server that takes all it can get, as its tools are called: `python mcp_greedy.py` with the flags of mcp_server.py."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mcp_server

NOTHING, TEXT = mcp_server.NOTHING, mcp_server.TEXT
TOOLS = {
    "echo": TEXT, "spin": NOTHING, "allocate": NOTHING, "family": NOTHING, "leave": NOTHING, "connect": TEXT, "bomb": NOTHING, "threads": NOTHING, "orphan": NOTHING,
    "mutter": NOTHING, "blank": NOTHING, "chatter": NOTHING, "endless": NOTHING, "reach": TEXT, "limit": NOTHING,
}  # fmt: skip


def tried(attempt: Callable[[], object]) -> str:
    try:
        return str(attempt())
    except BaseException as error:
        return type(error).__name__


def connected(family: int, address: Any) -> str:
    with socket.socket(family) as one:
        one.settimeout(2)
        one.connect(address)
    return "open"


class Greedy(mcp_server.Server):
    def called(self, message: dict[str, Any]) -> None:
        text = str((message["params"].get("arguments") or {}).get("text", ""))
        match message["params"]["name"]:
            case "echo":
                self.text(message, f"echo: {text}")
            case "spin":
                while True:
                    pass
            case "allocate":
                self.text(message, tried(lambda: len(bytearray(2 * 1024**3))))
            case "family":
                for _ in range(4):
                    if os.fork() == 0:
                        held = bytearray(os.urandom(1024)) * (100 * 1024)
                        time.sleep(600)
                        del held
                        os._exit(0)
            case "leave":
                os._exit(1)
            case "connect":
                port = int(text)
                code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('open')"
                child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout.strip()
                own = tried(lambda: connected(socket.AF_INET, ("127.0.0.1", port)))
                self.text(message, f"{own} {child or 'refused'} {tried(lambda: socket.socket(socket.AF_UNIX) and 'open')}")
            case "bomb":
                while True:
                    with contextlib.suppress(OSError):
                        os.fork()
            case "threads":
                over, made = threading.Event(), 0
                with contextlib.suppress(RuntimeError):
                    while made < 200:
                        threading.Thread(target=over.wait, daemon=True).start()
                        made += 1
                over.set()
                self.text(message, f"{made} threads")
            case "orphan":
                if os.fork() == 0:
                    os.setsid()
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    if os.fork() == 0:
                        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", self.options.log])
                    os._exit(0)
                self.text(message, "Left alone.")
            case "mutter":
                for _ in range(1_000):
                    sys.stderr.write("x" * 65_536)
                self.text(message, "Said.")
            case "blank":
                while True:
                    self.send("")
            case "chatter":
                while True:
                    self.send('{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}')
            case "endless":
                while True:
                    sys.stdout.write("x" * 65_536)
            case "reach":
                kill = tried(lambda: os.kill(int(text), 0))
                self.text(message, f"{kill} {tried(lambda: os.close(os.open(f'/proc/{text}/mem', os.O_RDONLY)))}")
            case "limit":
                import resource

                self.text(message, tried(lambda: resource.setrlimit(resource.RLIMIT_DATA, (2**40, 2**40))))


if __name__ == "__main__":
    mcp_server.TOOLS.clear()
    mcp_server.TOOLS.update(TOOLS)
    mcp_server.Server = Greedy  # type: ignore[misc]
    if "--deaf" in sys.argv:
        sys.argv.remove("--deaf")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    mcp_server.main()
