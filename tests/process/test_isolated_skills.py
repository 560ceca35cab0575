"""Skills from outside in real workers: whatever one does, its own item fails with a plain sentence, and everything else goes on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.harness_scene import TEMPERATURE, Scene

import ridealong
from ridealong.cli import main
from ridealong.cloud.config import SkillPackage, load_config
from ridealong.cloud.outside import outside_skills
from ridealong.harness.observing import Change, Observation, Outside
from ridealong.harness.runner import LoopClock
from ridealong.harness.sentences import sentence
from ridealong.harness.skill import Call, NoSignals, Outcome, Provenance, Skill, Spoken, Transient
from ridealong.harness.work import Execution, WorkItem
from ridealong.harness.worker.frames import encode
from ridealong.harness.worker.hosted import (
    Package,
    RubbishResult,
    SkillRaised,
    WorkerDied,
    WorkerFault,
    WorkerOverran,
    WorkerUnfit,
)
from ridealong.harness.worker.pool import Pool
from ridealong.proto.types import ActuationState

pytestmark = [pytest.mark.process, pytest.mark.skipif(sys.platform != "linux", reason="workers need Linux")]

FOLDER = Path(__file__).parents[1] / "data" / "isolated"
GOOD = """
from ridealong.harness.patterns import patterns
from ridealong.harness.skill import Call, Spoken, skill

@skill("good.day", description="says the day", group="status", recognise=patterns("good.day", en=("what a day",)),
       arguments_schema={"type": "object", "properties": {}, "additionalProperties": False}, examples={"en": ("what a day",)})
async def day(call: Call) -> Spoken:
    return Spoken("A good day.")
"""

BOAST = """
from ridealong.proto.types import SignalWrite

PATH = "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature"

@skill("good.boast", description="says more than it did", group="climate", recognise=patterns("good.boast", en=("show off",)), actuates=(PATH,), timeout_ms=60_000,
       arguments_schema={"type": "object", "properties": {}, "additionalProperties": False}, examples={"en": ("show off",)})
async def boast(call: Call) -> Spoken:
    for value in (21.0, 22.0) if call.request.endswith("write") else ():
        await call.signals.actuate([SignalWrite(PATH, value)], group="climate")
    return Spoken("It is warm. I've opened the window.")
"""


def call(request: str = "", words: str = "words") -> Call:
    return Call("w", request, words, "en", Provenance.DRIVER, {}, NoSignals(), LoopClock())


async def until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 - it is another process that is waited for
        await asyncio.sleep(0.02)


async def opened(package: Package) -> tuple[Pool, dict[str, Skill]]:
    pool = Pool(package, first_pause_ms=0)
    return pool, {skill.name: skill for skill in await pool.open()}


def with_package(
    script: Callable[[Pool, dict[str, Skill]], Awaitable[None]], *, cpu_s: int = 10, network: bool = False, memory_mb: int = 512
) -> None:
    async def play() -> None:
        pool, skills = await opened(Package("unruly", FOLDER, memory_mb=memory_mb, cpu_s=cpu_s, network=network))
        try:
            await script(pool, skills)
        finally:
            await pool.close()

    asyncio.run(play())


# --- the five kinds, through the whole harness -------------------------------------------------------------------------


class TwoPackages(Scene):
    """A session whose skills are those of two packages in workers of their own, on real time."""

    def ride(self, folder: Path, *requests: str, cpu_s: int = 10, package: str = GOOD) -> list[WorkItem]:
        """Ask all at once, and the good skill last; the items when all are over."""
        (folder / "good.py").write_text(package)

        async def play() -> None:
            pools = [
                Pool(Package("unruly", FOLDER, memory_mb=512, cpu_s=cpu_s), first_pause_ms=0),
                Pool(Package("good", folder, memory_mb=256), first_pause_ms=0),
            ]
            for pool in pools:
                self.skills.known.update({skill.name: skill for skill in await pool.open()})
            async with asyncio.TaskGroup() as group:
                group.create_task(self.harness.run())
                await asyncio.sleep(0)
                for request in (*requests, "good.day: now"):
                    self.ask(request)
                await until(lambda: all(item.execution.over for item in self.harness.items.values()))
                await self.harness.close()
            for pool in pools:
                await pool.close()

        try:
            asyncio.run(play())
        finally:
            self.journal.close()
        return list(self.harness.items.values())


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("unruly.spin: on", "timeout"),
        ("unruly.allocate: on", "failed"),
        ("unruly.leave: on", "failed"),
        ("unruly.rubbish_bytes: on", "failed"),
        ("unruly.rubbish_type: on", "failed"),
        ("unruly.crash: on", "failed"),
    ],
)
def test_its_own_item_fails_plainly_and_another_skill_answers(tmp_path: Path, request_: str, reply: str) -> None:
    bad, good = TwoPackages(tmp_path).ride(tmp_path, request_)
    assert bad.execution is Execution.FAILED and bad.reply == sentence(reply, "en")
    assert good.execution is Execution.COMPLETED and good.reply == "A good day."


def test_an_item_beside_it_in_the_same_package_is_not_harmed(tmp_path: Path) -> None:
    spun, well, good = TwoPackages(tmp_path).ride(tmp_path, "unruly.spin: on", "unruly.well: on")
    assert [spun.execution, well.execution, good.execution] == [Execution.FAILED, Execution.COMPLETED, Execution.COMPLETED]
    assert well.reply == "Well, unruly.well: on."


def test_an_open_socket_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        async def script(pool: Pool, skills: dict[str, Skill]) -> None:
            assert pool.held is not None and pool.held.network != ("python",), pool.held
            assert (await skills["unruly.connect"].run(call(str(port)))).text == "PermissionError refused"

        with_package(script)


def test_a_package_that_may_use_the_network_does() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        async def script(pool: Pool, skills: dict[str, Skill]) -> None:
            assert pool.held is not None and pool.held.network == ("allowed",)
            assert (await skills["unruly.connect"].run(call(str(port)))).text == "open open"

        with_package(script, network=True)


def test_an_effect_that_was_under_way_when_the_worker_died_is_unknown(tmp_path: Path) -> None:
    scene = TwoPackages(tmp_path)
    scene.car.delay_ms = 1_000
    left, _ = scene.ride(tmp_path, "unruly.leave_after_writing: on")
    assert left.execution is Execution.UNKNOWN and left.reply == sentence("unknown", "en") and len(scene.car.sent) == 1


def test_the_car_is_reached_through_the_nodes_guards_only(tmp_path: Path) -> None:
    scene = TwoPackages(tmp_path)
    scene.car.values = {TEMPERATURE: 21.0, "Vehicle.Speed": 50.0}
    scene.car.answers = [ActuationState.CONFIRMED]
    acted, _ = scene.ride(tmp_path, "unruly.act: on")
    assert acted.reply == "undeclared wrong_group confirmed AskRefused 21.0"
    assert [[(write.path, write.value) for write in writes] for _, writes in scene.car.sent] == [[(TEMPERATURE, 21.0)]]


def test_what_a_package_claims_must_be_confirmed(tmp_path: Path) -> None:
    scene = TwoPackages(tmp_path)
    scene.car.answers = [ActuationState.REFUSED, ActuationState.CONFIRMED]
    boasted, half, _ = scene.ride(tmp_path, "good.boast: on", "good.boast: write", package=GOOD + BOAST)
    assert boasted.execution is Execution.FAILED and boasted.reply == "It is warm."
    assert half.execution is Execution.UNKNOWN and half.reply == sentence("partly_done", "en")


# --- one worker at a time ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("allocate", SkillRaised("MemoryError")), ("leave", WorkerDied("it ended with status 1")), ("crash", WorkerDied("it ended with status -11")),
        ("rubbish_type", RubbishResult('no Spoken: its function must return one, such as Spoken("Done.")')), ("rubbish_field", SkillRaised("FrameError")), ("rubbish_long", RubbishResult("a result that is none, by its text")),
        ("rubbish_longer", RubbishResult("a result that is none, by its text")), ("rubbish_reason", RubbishResult("a result that is none, by its reason")),
        ("rubbish_bytes", RubbishResult("a message of 4294967295 bytes is too long")), ("recurse", SkillRaised("RecursionError")),
        ("threads", SkillRaised("RuntimeError")), ("raise", SkillRaised("ValueError")), ("exit", SkillRaised("SystemExit")),
        ("ask_too_much", RubbishResult("too many questions")), ("burn", WorkerOverran("more than 1 s of processor time")),
    ],
)  # fmt: skip
def test_what_becomes_of_a_call_and_the_next_one_is_well(name: str, fault: WorkerFault) -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        with pytest.raises(type(fault)) as caught:
            await skills[f"unruly.{name}"].run(call())
        assert str(caught.value).partition(" at ")[0] == str(fault)
        assert await skills["unruly.well"].run(call()) == Spoken("Well, words.")

    with_package(script, cpu_s=1 if name == "burn" else 20)


def test_what_was_in_the_way_for_a_moment_is_told_as_such_and_the_worker_is_kept() -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        assert skills["unruly.transient"].idempotent and not skills["unruly.well"].idempotent
        with pytest.raises(Transient) as caught:
            await skills["unruly.transient"].run(call())
        assert caught.value.retry_after_ms == 5 and pool.deaths == 0
        assert await skills["unruly.well"].run(call()) == Spoken("Well, words.")

    with_package(script)


def test_a_recursion_without_a_limit_ends_in_one_way_or_another() -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        with pytest.raises(WorkerFault):
            await skills["unruly.deep"].run(call())
        assert (await skills["unruly.well"].run(call())).outcome is Outcome.COMPLETED

    with_package(script, cpu_s=3, memory_mb=256)


def test_noise_is_no_message_and_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        assert await skills["unruly.noise"].run(call()) == Spoken("Quiet.")
        assert pool.deaths == 0

    with_package(script)
    assert capfd.readouterr() == ("", "")


def test_no_new_processes_no_signals_to_others_no_limits_of_its_own() -> None:
    got: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))

    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        assert pool.held is not None and pool.held.processes, "this machine has no filter of system calls"
        assert (await skills["unruly.fork"].run(call())).text == " ".join(["PermissionError"] * 4)
        assert (await skills["unruly.kill"].run(call())).text == "PermissionError PermissionError"
        assert (await skills["unruly.limits"].run(call())).text == "ValueError ValueError PermissionError"

    try:
        with_package(script)
    finally:
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    assert not got


def test_nothing_of_the_node_is_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH_SECRET", "secret")
    file = tmp_path / "journal"
    file.write_text("secret")
    os.set_inheritable(descriptor := os.open(file, os.O_RDONLY), True)

    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        assert pool.held is not None and pool.held.files, "this machine has no Landlock"
        text = (await skills["unruly.look"].run(call(str(file)))).text
        assert text.startswith("[] PermissionError PermissionError PermissionError PermissionError"), text
        assert str(tmp_path) not in text

    try:
        with_package(script)
    finally:
        os.close(descriptor)
    assert file.read_text() == "secret"


def test_cancelling_is_acknowledged_or_enforced() -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        for name in ("tidy", "stubborn"):
            task = asyncio.ensure_future(skills[f"unruly.{name}"].run(call()))
            await until(lambda: bool(pool._busy))
            await asyncio.sleep(0.3)  # the skill itself has begun
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert pool.deaths == (0 if name == "tidy" else 1)
        assert (await skills["unruly.well"].run(call())).text == "Well, words."

    with_package(script)


def test_what_was_told_to_stop_changes_nothing_any_more() -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        task = asyncio.ensure_future(skills["unruly.late"].run(call()))
        await until(lambda: bool(pool._busy))
        await asyncio.sleep(0.5)
        task.cancel()
        assert (await task).text == "refused cancelled"

    with_package(script)


NODE = """
import asyncio, os, signal, sys
from pathlib import Path
from ridealong.harness.runner import LoopClock
from ridealong.harness.skill import Call, NoSignals, Provenance
from ridealong.harness.worker.hosted import Package
from ridealong.harness.worker.pool import Pool

async def main():
    pool = Pool(Package("unruly", Path(sys.argv[1])))
    skills = {skill.name: skill for skill in await pool.open()}
    print(pool._idle[0].pid, flush=True)
    call = Call("w", "", "", "en", Provenance.DRIVER, {}, NoSignals(), LoopClock())
    spin = asyncio.ensure_future(skills["unruly.spin"].run(call))
    await asyncio.sleep(0.3)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_a_worker_does_not_outlive_its_node() -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(ridealong.__file__).parent.parent)}
    found = subprocess.run(
        [sys.executable, "-c", NODE, str(FOLDER)], capture_output=True, text=True, env=environment, check=False
    )
    assert found.returncode == -signal.SIGKILL, found.stderr
    status = Path(f"/proc/{int(found.stdout)}/stat")

    def gone() -> bool:
        try:
            return status.read_text().rpartition(")")[2].split()[0] in "ZX"
        except FileNotFoundError:
            return True

    asyncio.run(asyncio.wait_for(until(gone), 60))


def test_a_thread_that_spins_on_costs_no_other_item() -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        assert (await skills["unruly.spin_later"].run(call())).text == "Spinning on."
        worker = pool._idle[0]
        await until(lambda: not worker.fit())  # it has used up what an idle worker may
        assert (await skills["unruly.well"].run(call())).text == "Well, words."
        assert pool.deaths == 1 and not worker.alive

    with_package(script)


def test_a_thread_that_asks_on_and_on_is_not_listened_to() -> None:
    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        with contextlib.suppress(WorkerFault):  # it may begin before the call is over
            await skills["unruly.flood_later"].run(call())
        await until(lambda: not any(worker.alive for worker in pool._idle) or pool.deaths > 0)
        assert (await skills["unruly.well"].run(call())).text == "Well, words."

    with_package(script)


def test_a_package_that_keeps_dying_is_said_to_be_unavailable_and_comes_back() -> None:
    async def play() -> None:
        pool = Pool(Package("unruly", FOLDER), first_pause_ms=2_000)
        skills = {skill.name: skill for skill in await pool.open()}
        try:
            for _ in range(2):
                with pytest.raises(WorkerDied):
                    await skills["unruly.leave"].run(call())
            spoken = await skills["unruly.well"].run(call())
            assert spoken == Spoken(sentence("unavailable", "en"), Outcome.FAILED, "restarting")
            assert pool._warming is not None
            await pool._warming
            assert (await skills["unruly.well"].run(call())).text == "Well, words."
        finally:
            await pool.close()

    asyncio.run(play())


def test_starts_and_failures_are_told() -> None:
    told: list[Observation] = []

    async def play() -> None:
        pool = Pool(Package("unruly", FOLDER, workers=1), first_pause_ms=0, observe=told.append)
        skills = {skill.name: skill for skill in await pool.open()}
        try:
            with pytest.raises(WorkerDied):
                await skills["unruly.leave"].run(call())
            assert (await skills["unruly.well"].run(call())).text == "Well, words."
        finally:
            await pool.close()

    asyncio.run(play())
    assert told == [Outside("worker", "unruly", change) for change in (Change.STARTED, Change.FAILED, Change.STARTED)]


def test_closing_leaves_no_process() -> None:
    pids: list[int] = []

    async def script(pool: Pool, skills: dict[str, Skill]) -> None:
        await asyncio.gather(*(skills["unruly.well"].run(call()) for _ in range(2)))
        pids.extend(worker.pid for worker in pool._idle)

    with_package(script)
    assert pids and not any(Path(f"/proc/{pid}").exists() for pid in pids)


# --- packages that can't be used ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise RuntimeError('secret')", "its import raised RuntimeError."),
        ("import nowhere_at_all", "its import raised ModuleNotFoundError."),
        ("import given.inner", "its import raised ModuleNotFoundError."),
        ("import os; os._exit(7)", "its import ended the process (it ended with status 7)."),
        ("import sys; sys.exit()", "its import raised SystemExit."),
        ("while True: pass", "its import took more than 1 s; raise `import_within_ms`."),
        ("import time; time.sleep(100)", "its import took more than 1 s; raise `import_within_ms`."),
        ("x = bytearray(2 * 1024 ** 3)", "its import raised MemoryError."),
        ("def f(n): return f(n + 1)\nf(0)", "its import raised RecursionError."),
        ("", "the module has no skill: declare one with @skill, or list them as SKILLS."),
        (GOOD.replace('patterns("good.day", en=("what a day",))', "lambda text, locale, context: None"),
         "good.day recognises words with code, which would have to run in the node; give `recognise=patterns(…)`."),
        (GOOD.replace('"status"', '"talk"'), "good.day is of the group talk, which is not open to skills from outside."),
        (GOOD.replace('"status"', '"speech"'), "good.day is of the group speech, which is not open to skills from outside."),
        (GOOD.replace('"good.day", desc', '"day", desc'), "a skill's name must be small letters with a dot, such as scent.set."),
    ],
)  # fmt: skip
def test_a_package_that_cant_be_used_says_why_and_leaves_nothing(tmp_path: Path, code: str, says: str) -> None:
    (tmp_path / "given.py").write_text(textwrap.dedent(code))

    async def play() -> None:
        within_ms = 1_000 if "1 s" in says else 20_000
        with pytest.raises(WorkerUnfit) as caught:
            await Pool(Package("given", tmp_path, import_within_ms=within_ms)).open()
        assert re.sub(r" at [\w.]+:\d+", "", str(caught.value)) == says

    asyncio.run(play())


def test_a_package_cant_say_for_itself_how_it_is_confined(tmp_path: Path) -> None:
    forged = encode({"is": "confined", "held": {"network": ["forged"], "processes": True, "files": True}})
    (tmp_path / "given.py").write_text(
        f"import os\nfor n in range(3, 20):\n    try: os.write(n, {forged!r})\n    except OSError: pass\n" + GOOD
    )

    async def play() -> None:
        with pytest.raises(WorkerUnfit):
            await Pool(Package("given", tmp_path)).open()

    asyncio.run(play())


def test_little_memory_is_enough_to_start(tmp_path: Path) -> None:
    (tmp_path / "given.py").write_text(GOOD)

    async def play() -> Spoken:
        pool = Pool(Package("given", tmp_path, memory_mb=64))
        (day,) = await pool.open()
        try:
            return await day.run(call())
        finally:
            await pool.close()

    assert asyncio.run(play()).text == "A good day."


def test_what_it_prints_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "given.py").write_text("print('hello')\n" + GOOD)

    async def play() -> None:
        pool = Pool(Package("given", tmp_path, output=tmp_path / "out.log"))
        await pool.open()
        await pool.close()

    asyncio.run(play())
    assert (tmp_path / "out.log").read_text() == "hello\n"


def test_a_name_that_python_finds_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text(GOOD)

    async def play() -> None:
        with pytest.raises(WorkerUnfit, match="another module json"):
            await Pool(Package("json", tmp_path)).open()

    asyncio.run(play())


# --- a machine without the layers ---------------------------------------------------------------------------------------

BARE = """
import sys, socket
sys.path.insert(0, sys.argv[1])
from ridealong.harness.worker import confinement, landlock, seccomp
confinement._unshare = lambda spaces: False
if sys.argv[2] == "nothing":
    seccomp.install = lambda network: False
    landlock.restrict = lambda *paths, **how: False
held = confinement.confine(None, 512, False)
try:
    socket.create_connection(("127.0.0.1", 9))
except BaseException as error:
    print(type(error).__name__, held.network)
print(*held.gaps, sep="\\n")
"""


def bare(machine: str) -> list[str]:
    root = str(Path(ridealong.__file__).parent.parent)
    found = subprocess.run([sys.executable, "-I", "-c", BARE, root, machine], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


def test_where_no_layer_holds_sockets_are_barred_in_python_and_it_is_said() -> None:
    lines = bare("nothing")
    assert lines[0] == "PermissionError ('python',)"
    assert ["Python only" in lines[1], "start processes" in lines[2], "every file" in lines[3]] == [True] * 3


def test_without_name_spaces_the_filter_bars_sockets_and_nothing_is_missing() -> None:
    assert bare("no name spaces") == ["PermissionError ('filter',)", ""]


# --- through the node and the commands ----------------------------------------------------------------------------------


def guide_example(folder: Path) -> None:
    """The package of docs/guides/skills_isolated.md."""
    text = (Path(__file__).parents[2] / "docs" / "guides" / "skills_isolated.md").read_text()
    (folder / "parking.py").write_text(text.split("```python\n", 1)[1].split("```", 1)[0])


def test_the_node_takes_what_can_be_used_and_names_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide_example(tmp_path)
    (tmp_path / "broken.py").write_text("raise RuntimeError('secret')")
    (tmp_path / "thief.py").write_text(GOOD.replace("good.day", "climate.set_temperature"))
    file = tmp_path / "node.yaml"
    file.write_text(
        "skills:\n" + "".join(f"  - module: {name}\n    path: {tmp_path}\n" for name in ("broken", "thief", "parking"))
    )
    packages = load_config(file, {}, {}).value.skills

    async def play() -> list[str]:
        async with outside_skills(packages, ["climate.set_temperature"]) as skills:
            (fee,) = skills
            said = [await fee.run(replace(call(), arguments={"hours": hours}, locale="zh")) for hours in (1, 2.5)]
            return [spoken.text for spoken in said]

    assert asyncio.run(play()) == ["停车费是2欧元。", "停车费是5欧元。"]
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "ridealong cloud: without the skills of broken: its import raised RuntimeError at broken.py:1.",
        "ridealong cloud: without the skills of thief: a skill named 'climate.set_temperature' is already registered",
    ]


def test_a_trusted_package_runs_in_the_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "trusted_for_test.py").write_text(GOOD + "import os; PID = os.getpid()\n")

    async def play() -> list[str]:
        async with outside_skills((SkillPackage("trusted_for_test", tmp_path, isolated=False),), []) as skills:
            return [(await skill.run(call())).text for skill in skills]

    assert asyncio.run(play()) == ["A good day."]
    assert os.getpid() == sys.modules.pop("trusted_for_test").PID


def test_the_guides_package_passes_the_check_and_can_be_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide_example(tmp_path)
    package = ["--module", "parking", "--path", str(tmp_path)]
    assert main(["skills", "check", *package]) == 0
    assert main(["skills", "try", "what does parking cost for two hours", *package]) == 0
    assert main(["skills", "try", "what does parking cost", *package]) == 0
    out = capsys.readouterr().out
    assert "0 problems" in out and "That is 4 euros." in out and "For how many hours?" in out


def test_the_check_names_what_an_example_does_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "given.py").write_text(GOOD.replace('return Spoken("A good day.")', "raise ValueError"))
    assert main(["skills", "check", "--module", "given", "--path", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "good.day: has no example in zh" in out and "ends in SkillRaised (ValueError at given.py:8)" in out
    (tmp_path / "given.py").write_text("x = 1")
    assert main(["skills", "check", "--module", "given", "--path", str(tmp_path)]) == 2
    assert "can't be used: the module has no skill" in capsys.readouterr().err
