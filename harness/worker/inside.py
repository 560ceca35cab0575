"""The program that a worker runs: confine itself, import one package, tell its contracts, run its skills, one call at a time.

    python -I -B -u -c '…' ROOT     (hosted.py starts it; ROOT is where the node's own `ridealong` lies)

Messages go over descriptors that are moved away from 0 and 1 first, so that what the package prints is no message. Everything that the
package does wrong is told by its kind alone: its texts may hold what a user said. Does not know the car, sessions, or other workers.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import ridealong
from ridealong.harness.patterns import PatternError
from ridealong.harness.skill import ContractError, Skill, Spoken, Transient
from ridealong.harness.worker.confinement import confine
from ridealong.harness.worker.contract import contracts_of, import_skills
from ridealong.harness.worker.frames import FrameError, Message, decode, encode
from ridealong.harness.worker.remote import Asking, call_from_data
from ridealong.harness.worker.results import spoken_as_data


class Pipe:
    """The two descriptors to the node."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(2, 1)  # what is printed goes where errors go
        os.close(nowhere)
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Raises FrameError for what can't be sent, and ends the process when nobody listens."""
        piece = encode(message)
        with self._lock:
            try:
                while piece:
                    piece = piece[os.write(self._out, piece) :]
            except OSError:
                os._exit(0)

    def receive(self) -> Message | None:
        """The next message; None when the node has closed the pipe."""
        head = self._exactly(4)
        body = self._exactly(struct.unpack(">I", head)[0]) if head is not None else None
        return decode(body) if body is not None else None

    def _exactly(self, count: int) -> bytes | None:
        got = b""
        while len(got) < count:
            piece = os.read(self._in, count - len(got))
            if not piece:
                return None
            got += piece
        return got


class NotSpoken(TypeError):
    """What a skill's function has returned is no `Spoken`."""


def main() -> None:
    pipe = Pipe()
    begin = pipe.receive()
    if begin is None:
        return
    path = Path(str(begin["path"])).resolve() if begin.get("path") else None
    try:
        held = confine(path, int(str(begin["memory_mb"])), begin.get("network") is True)
    except (OSError, ValueError) as error:
        return pipe.send({"is": "unfit", "sentence": f"its worker can't be confined ({_kind(error)})."})
    pipe.send({"is": "confined", "held": held.as_data()})
    try:
        skills = _import(str(begin["module"]), path)
        contracts = contracts_of(skills)
        pipe.send({"is": "ready", "contracts": contracts})
    except (ContractError, PatternError) as error:  # both speak of the package's own declarations
        return pipe.send({"is": "unfit", "sentence": str(error)})
    except FrameError:
        return pipe.send({"is": "unfit", "sentence": "its contracts are too long, or hold something that is no JSON."})
    except BaseException as error:  # SystemExit too: nothing of the package's ends this without being told
        return pipe.send({"is": "unfit", "sentence": f"its import raised {_kind(error)}{_where(error)}."})
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(pipe, {skill.name: skill for skill in skills}))
    os._exit(0)  # the package's threads are no reason to stay


def _import(module: str, path: Path | None) -> tuple[Skill, ...]:
    if path is not None:
        sys.path.append(str(path))
    imported, skills = import_skills(module)
    origin = getattr(imported, "__file__", None)
    if path is not None and (origin is None or not Path(origin).resolve().is_relative_to(path)):
        raise ContractError(
            f"there is another module {module} that Python finds before the one in its path; give it another name."
        )
    return skills


async def _serve(pipe: Pipe, skills: dict[str, Skill]) -> None:
    loop = asyncio.get_running_loop()
    asking, gone = Asking(pipe.send), asyncio.Event()
    running: dict[object, asyncio.Task[None]] = {}

    def take(message: Message) -> None:
        match message.get("do"):
            case "call":
                id = message["id"]
                task = loop.create_task(_run(pipe.send, asking, skills, message))
                running[id] = task
                task.add_done_callback(lambda _: running.pop(id, None))
            case "cancel" if (task_to_stop := running.get(message.get("id"))) is not None:
                task_to_stop.cancel()
            case _:
                pass

    def listen() -> None:
        while True:
            message = pipe.receive()
            if message is None:
                os._exit(0)
            if "to" in message:
                asking.answered(message)
            else:
                loop.call_soon_threadsafe(take, message)

    threading.Thread(target=listen, daemon=True, name="messages").start()
    await gone.wait()


async def _run(send: Callable[[Message], None], asking: Asking, skills: dict[str, Skill], message: Message) -> None:
    """One call, to the one message that ends it."""
    id = message["id"]
    try:
        data = message["call"]
        assert isinstance(data, dict)
        spoken = await skills[str(message["skill"])].run(call_from_data(data, asking))
        if not isinstance(spoken, Spoken):
            raise NotSpoken
        return send({"is": "spoke", "id": id, **spoken_as_data(spoken)})
    except asyncio.CancelledError:
        return send({"is": "cancelled", "id": id})
    except FrameError:
        return send({"is": "raised", "id": id, "kind": "FrameError"})
    except Transient as fault:
        return send({"is": "transient", "id": id, "retry_after_ms": fault.retry_after_ms})
    except MemoryError:
        return send({"is": "raised", "id": id, "kind": "MemoryError"})
    except BaseException as error:
        return send({"is": "raised", "id": id, "kind": _kind(error) + _where(error)})


def _kind(error: BaseException) -> str:
    """The exception's class, which is all that leaves the worker, beside its place."""
    name = type(error).__name__
    return name if name.isidentifier() and name.isascii() and len(name) <= 64 else "Exception"


def _where(error: BaseException) -> str:
    """ " at file:line", the innermost one of the package's."""
    if isinstance(error, SyntaxError) and error.filename is not None:  # where it stands, not where it was imported
        name = Path(error.filename).name
        return f" at {name}:{error.lineno}" if re.fullmatch(r"[\w.-]{1,64}", name, re.ASCII) else ""
    try:
        frames = [one for one in traceback.extract_tb(error.__traceback__, limit=-32) if _theirs(Path(one.filename))]
    except Exception:  # no memory for it
        return ""
    name = Path(frames[-1].filename).name if frames else ""
    return f" at {name}:{frames[-1].lineno}" if re.fullmatch(r"[\w.-]{1,64}", name, re.ASCII) else ""


def _theirs(file: Path) -> bool:
    return file.is_absolute() and not any(
        file.is_relative_to(ours) for ours in (Path(ridealong.__file__).parent, sys.base_prefix)
    )


if __name__ == "__main__":
    main()
