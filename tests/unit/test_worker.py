"""Isolated skills without a process: messages, contracts, back-off, and the filter of system calls evaluated as the kernel does."""

from __future__ import annotations

import contextlib
import errno
import signal
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridealong.harness.holds import ALWAYS
from ridealong.harness.patterns import patterns
from ridealong.harness.skill import Call, Holds, Near, Outcome, Skill, Spoken, Still
from ridealong.harness.worker.backoff import LONGEST_MS, Backoff
from ridealong.harness.worker.contract import ContractError, as_data, read_contracts
from ridealong.harness.worker.frames import MAX_FRAME_BYTES, Decoder, FrameError, Message, encode
from ridealong.harness.worker.results import UnfitResult, spoken_as_data, spoken_from_data
from ridealong.harness.worker.seccomp import program, program_for_family
from ridealong.proto.types import Precondition

pytestmark = pytest.mark.unit

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
messages = st.dictionaries(st.text(alphabet=st.characters(codec="utf-8")), values, max_size=4)


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers() | st.text(alphabet=st.characters(codec="utf-8"))), max_size=5),
    st.data(),
)
def test_messages_arrive_however_they_are_cut(sent: list[Message], data: st.DataObject) -> None:
    stream = b"".join(map(encode, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    decoder, got = Decoder(), []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[begin:end])
    assert got == sent


@given(st.binary(max_size=64))
def test_rubbish_is_refused_or_waited_for_and_nothing_else(piece: bytes) -> None:
    try:
        for message in Decoder().feed(piece):
            assert isinstance(message, dict)
    except FrameError:
        pass


@pytest.mark.parametrize(
    "body", [b"NaN", b'{"a": NaN}', b'{"a": Infinity}', b"[1]", b"\xff", b"", b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}"]
)
def test_what_is_no_object_of_json_is_refused(body: bytes) -> None:
    with pytest.raises(FrameError):
        Decoder().feed(struct.pack(">I", len(body)) + body)


def test_what_is_too_long_is_refused_before_it_is_read() -> None:
    with pytest.raises(FrameError, match="too long"):
        Decoder().feed(struct.pack(">I", MAX_FRAME_BYTES + 1))
    for message in ({"a": "x" * MAX_FRAME_BYTES}, {"a": float("nan")}, {"a": b"x"}, {"a": "\ud800"}):
        with pytest.raises(FrameError):
            encode(message)


# --- contracts ---------------------------------------------------------------------------------------------------------


async def _run(call: Call) -> Spoken:
    return Spoken("x")


SKILL = Skill(
    "scent.set", "sets the scent", _run, patterns("scent.set", en=("more scent",)), "climate",
    {"type": "object", "properties": {}, "additionalProperties": False}, {"en": ("more scent",)}, actuates=("Vehicle.A.*.B",),
)  # fmt: skip


def test_a_contract_travels_whole() -> None:
    (read,) = read_contracts([as_data(SKILL)])
    assert as_data(read.skill) == as_data(SKILL) and not read.skill.rehearsable
    (reader,) = read_contracts([as_data(replace(SKILL, actuates=(), idempotent=True))])
    assert reader.skill.idempotent
    (finder,) = read_contracts([as_data(replace(SKILL, actuates=(), gives=("place",), renewable=True))])
    assert finder.skill.gives == ("place",) and finder.skill.renewable


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": "../x"}, "small letters"), ({"name": 3}, "small letters"), ({"description": ""}, "description"), ({"description": "a\x1b[2J"}, "description"),
        ({"group": "talk"}, "not open"), ({"group": "watching"}, "not open"), ({"group": None}, "group"), ({"arguments_schema": []}, "must be an object"),
        ({"arguments_schema": {"type": "object", "additionalProperties": False, "properties": {"a": {"type": ["string"]}}}}, "can't be read"),
        ({"examples": {"fr": []}}, "examples"), ({"examples": {"en": [1]}}, "examples"), ({"actuates": ["*"]}, "VSS"), ({"reads": "Vehicle.A"}, "VSS"),
        ({"timeout_ms": 0}, "timeout_ms"), ({"timeout_ms": True}, "timeout_ms"), ({"timeout_ms": 10**9}, "timeout_ms"), ({"confirmation": "maybe"}, "confirmation"),
        ({"patterns": None}, "patterns"), ({"patterns": patterns("other.name", en=("x",)).as_data()}, "other.name"), ({"usual_ms": -1}, "usual_ms"),
        ({"idempotent": True}, "begun once"), ({"idempotent": 1}, "idempotent"), ({"renewable": True}, "done twice"), ({"renewable": "no"}, "renewable"),
        ({"gives": "place"}, "names of results"), ({"gives": ["Place One"]}, "names of results"), ({"gives": ["a"] * 9}, "names of results"),
    ],
)  # fmt: skip
def test_a_contract_that_does_not_fit_is_refused_with_its_reason(change: dict[str, object], says: str) -> None:
    with pytest.raises(ContractError, match=says):
        read_contracts([as_data(SKILL) | change])


@given(st.recursive(values, lambda inner: st.dictionaries(st.sampled_from(list(as_data(SKILL))), inner, max_size=12)))
def test_contracts_of_a_strangers_are_refused_in_one_way(data: object) -> None:
    for given_ in (data, [data], [as_data(SKILL), data], [as_data(SKILL), as_data(SKILL)]):
        with pytest.raises(ContractError):
            read_contracts(given_)


# --- results -----------------------------------------------------------------------------------------------------------

FINDER = replace(SKILL, actuates=(), reads=("Vehicle.Speed", "Vehicle.L.*"), gives=("place", "free"))
signal_values = st.booleans() | st.integers(-1000, 1000) | st.floats(-1e6, 1e6) | st.text(max_size=20)
paths = st.sampled_from(["Vehicle.Speed", "Vehicle.L.A", "Vehicle.L.B"])
some_holds = st.builds(
    Holds,
    st.lists(
        st.builds(Precondition, paths, st.none(), signal_values) | st.builds(Precondition, paths, signal_values), max_size=3
    ).map(tuple),
    st.lists(st.builds(Still, paths, st.none() | signal_values, st.floats(0, 1e6), st.booleans()), max_size=3).map(tuple),
    st.none() | st.integers(0, 3_600_000),
    st.lists(st.builds(Near, paths, paths, st.floats(-90, 90), st.floats(-180, 180), st.floats(0, 1e5)), max_size=3).map(tuple),
)
given_values = st.fixed_dictionaries(
    {}, optional={"place": st.from_regex(r"[a-z ]{1,30}", fullmatch=True), "free": st.integers(-9, 9) | st.booleans()}
)


@given(some_holds, given_values, st.sampled_from(Outcome))
def test_a_result_travels_whole(holds: Holds, gives: dict[str, object], outcome: Outcome) -> None:
    said = Spoken("Here.", outcome, "found", holds, gives)
    (read,) = Decoder().feed(encode(spoken_as_data(said)))
    assert spoken_from_data(read, FINDER) == said


@given(st.dictionaries(st.sampled_from(["text", "outcome", "reason", "holds", "gives"]), values, max_size=5))
def test_what_is_no_result_is_refused_in_one_way(data: dict[str, object]) -> None:
    with contextlib.suppress(UnfitResult):
        spoken = spoken_from_data({"text": "Here.", "outcome": "completed", "reason": ""} | data, FINDER)
        assert set(spoken.gives) <= {"place", "free"} and spoken.holds == ALWAYS


STILL = {"path": "Vehicle.Speed", "value": 1.0, "slack": 0.0, "read": False}
NEAR = {"latitude_path": "Vehicle.L.A", "longitude_path": "Vehicle.L.B", "latitude": 0.0, "longitude": 0.0, "within_m": 5.0}


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"gives": {"other": 1}}, "does not declare"), ({"gives": {"place": ["a"]}}, "texts, numbers"), ({"gives": {"place": {"a": 1}}}, "texts, numbers"),
        ({"gives": {"place": None}}, "texts, numbers"), ({"gives": {"place": "x" * 301}}, "texts, numbers"), ({"gives": {"place": "a\nb"}}, "texts, numbers"),
        ({"gives": {"place": ""}}, "texts, numbers"), ({"gives": {"place": 10**40}}, "texts, numbers"), ({"gives": []}, "gives"), ({"holds": []}, "holds"),
        ({"holds": {"until": 1}}, "holds"), ({"holds": {"still": [STILL] * 33}}, "32 are allowed"), ({"holds": {"near": [NEAR] * 5}}, "4 are allowed"),
        ({"holds": {"still": [STILL | {"path": "Vehicle.Secret"}]}}, "does not declare"), ({"holds": {"still": [STILL | {"slack": -1}]}}, "holds.still"),
        ({"holds": {"still": [STILL | {"value": []}]}}, "holds.still"), ({"holds": {"still": [STILL | {"slack": True}]}}, "holds.still"),
        ({"holds": {"still": ["x"]}}, "holds.still"), ({"holds": {"for_ms": -1}}, "for_ms"), ({"holds": {"for_ms": 1.5}}, "for_ms"), ({"holds": {"for_ms": True}}, "for_ms"),
        ({"holds": {"for_ms": 10**12}}, "for_ms"), ({"holds": {"conditions": [{"path": "Vehicle.Speed"}]}}, "conditions"),
        ({"holds": {"conditions": [{"path": "Vehicle.Secret", "equals": 1}]}}, "does not declare"), ({"holds": {"near": [NEAR | {"latitude": 91}]}}, "holds.near"),
        ({"holds": {"near": [NEAR | {"latitude_path": "Vehicle.X"}]}}, "does not declare"), ({"holds": {"near": [NEAR | {"within_m": "far"}]}}, "holds.near"),
    ],
)  # fmt: skip
def test_a_result_that_does_not_fit_is_refused_with_the_part(part: dict[str, object], says: str) -> None:
    with pytest.raises(UnfitResult, match=says):
        spoken_from_data({"text": "Here.", "outcome": "completed", "reason": "", **part}, FINDER)


# --- back-off ----------------------------------------------------------------------------------------------------------


def test_the_first_death_costs_no_time_and_each_more_twice_as_much() -> None:
    backoff, waits = Backoff(), []
    for _ in range(12):
        backoff.died(1_000.0)
        waits.append(backoff.wait_ms(1_000.0))
    assert waits[:5] == [0, 500, 1_000, 2_000, 4_000] and waits[-1] == LONGEST_MS
    assert backoff.wait_ms(1_000.0 + LONGEST_MS) == 0
    backoff.worked()
    backoff.died(2_000.0)
    assert backoff.wait_ms(2_000.0) == 0


# --- the filter --------------------------------------------------------------------------------------------------------

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {"read": 0, "mmap": 9, "socket": 41, "socketpair": 53, "clone": 56, "fork": 57, "execve": 59, "kill": 62, "ptrace": 101, "futex": 202,
               "tgkill": 234, "rt_sigaction": 13, "prlimit64": 302, "setrlimit": 160, "clone3": 435, "io_uring_setup": 425,
               "memfd_create": 319, "memfd_secret": 447},
    "aarch64": {"read": 63, "mmap": 222, "socket": 198, "socketpair": 199, "clone": 220, "execve": 221, "kill": 129, "ptrace": 117, "futex": 98,
                "tgkill": 131, "rt_sigaction": 134, "prlimit64": 261, "setrlimit": 164, "clone3": 435, "io_uring_setup": 425,
                "memfd_create": 279, "memfd_secret": 447},
}  # fmt: skip
PID, THREAD = 4_242, 0x3D0F00


def verdict(code: bytes, audit: int, number: int, *arguments: int) -> int | str:
    """Classic BPF over `struct seccomp_data`: "allow", "kill" or the error number."""
    six = [*arguments, *[0] * (6 - len(arguments))]
    record = struct.pack("=IIQ6Q", number, audit, 0, *six)
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at, register = 0, 0
    while True:
        what, yes, no, k = steps[at]
        at += 1
        match what:
            case 0x20:
                (register,) = struct.unpack_from("=I", record, k)
            case 0x15 | 0x35 | 0x45:
                at += yes if {0x15: register == k, 0x35: register >= k, 0x45: bool(register & k)}[what] else no
            case 0x06:
                return {0x7FFF0000: "allow", 0x80000000: "kill"}.get(k, k & 0xFFFF)
            case _:
                raise AssertionError(what)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("network", [False, True])
def test_the_filter_lets_computing_through_and_nothing_that_reaches_others(machine: str, network: bool) -> None:
    code = program(network, PID, machine)
    assert code is not None
    number = NUMBERS[machine]

    def judged(name: str, *arguments: int) -> int | str:
        return verdict(code, ARCHITECTURES[machine], number[name], *arguments)

    assert {judged(name) for name in ("read", "mmap", "futex", "socketpair")} == {"allow"}
    assert judged("socket", 2, 1) == ("allow" if network else errno.EPERM)
    refused = [
        name
        for name in ("fork", "execve", "ptrace", "setrlimit", "io_uring_setup", "memfd_create", "memfd_secret")
        if name in number
    ]
    assert {judged(name) for name in refused} == {errno.EPERM}
    assert judged("clone", THREAD) == "allow" and judged("clone", signal.SIGCHLD) == errno.EPERM
    assert judged("clone3") == errno.ENOSYS
    for name in ("kill", "tgkill"):
        assert judged(name, PID) == "allow"
        assert {judged(name, other) for other in (1, PID + 1, 0, 0xFFFFFFFF)} == {errno.EPERM}
    assert judged("rt_sigaction", signal.SIGXCPU, 0x7F0000001000) == errno.EPERM
    assert judged("rt_sigaction", signal.SIGXCPU, 0) == "allow" and judged("rt_sigaction", signal.SIGTERM, 0x1000) == "allow"
    assert judged("prlimit64", 0, 7, 0, 0x1000) == "allow"
    assert judged("prlimit64", 0, 7, 0x7F0000001000) == errno.EPERM and judged("prlimit64", 0, 7, 0x100000000) == errno.EPERM
    assert verdict(code, 0x1234, number["read"]) == "kill"
    if machine == "x86_64":
        assert verdict(code, ARCHITECTURES[machine], 0x40000000 + number["socket"]) == errno.EPERM


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("network", [False, True])
def test_the_filter_of_a_program_that_starts_others_keeps_it_to_itself(machine: str, network: bool) -> None:
    code = program_for_family(network, machine)
    assert code is not None
    number = NUMBERS[machine]

    def judged(name: str, *arguments: int) -> int | str:
        return verdict(code, ARCHITECTURES[machine], number[name], *arguments)

    free = (
        "read",
        "mmap",
        "futex",
        "socketpair",
        "clone",
        "clone3",
        "execve",
        "kill",
        "tgkill",
        "memfd_create",
        "setrlimit",
        *(("fork",) if "fork" in number else ()),
    )
    assert {judged(name) for name in free} == {"allow"}
    assert {judged(name) for name in ("ptrace", "io_uring_setup")} == {errno.EPERM}
    assert {judged("socket", family, 1) for family in (1, 2, 10)} == {"allow" if network else errno.EPERM}
    assert (
        judged("prlimit64", 0, 7, 0x7F0000001000) == "allow" and judged("prlimit64", PID, 7, 0) == "allow"
    )  # its own, and only looking
    assert judged("prlimit64", PID, 7, 0x7F0000001000) == errno.EPERM and judged("prlimit64", PID, 7, 0x100000000) == errno.EPERM
    assert verdict(code, 0x1234, number["read"]) == "kill"
    if machine == "x86_64":
        assert verdict(code, ARCHITECTURES[machine], 0x40000000 + number["socket"]) == errno.EPERM


def test_another_machine_has_no_filter() -> None:
    assert program(False, PID, "riscv64") is None and program_for_family(False, "riscv64") is None
