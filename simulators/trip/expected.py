"""The format of `expected.yaml`: what should come of each thing that was said on a trip. Pure: text in, values out.

Every mistake is a UserError that names the line, the key and the nearest name that would have been right. Times are seconds on
the trip's audio clock. Does not know how a run is judged (`judge.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import yaml

from ridealong.errors import UserError
from ridealong.proto.types import SignalValue
from ridealong.simulators.trip.lined_yaml import LinedReader, Where, nearest

MAX_YAML_BYTES = 1_000_000
MAX_EXPECTATIONS = 2_000
DEFAULT_WITHIN_S = 12.0


@dataclass(frozen=True, slots=True)
class SaidWords:
    start_s: float
    end_s: float
    text: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class SignalExpected:
    """The car's `path` reaches `value` (± tolerance) within `within_s` of the end of the words, and stays there a moment."""

    path: str
    value: SignalValue
    within_s: float = DEFAULT_WITHIN_S
    tolerance: float = 0.01


@dataclass(frozen=True, slots=True)
class NotSignal:
    """`path` does not change (or, with a value, does not become it) before `within_s` after the words."""

    path: str
    value: SignalValue | None = None
    within_s: float = DEFAULT_WITHIN_S


@dataclass(frozen=True, slots=True)
class ReplyExpected:
    contains_any: tuple[str, ...] = ()
    contains_all: tuple[str, ...] = ()
    heard: bool = False
    within_s: float = DEFAULT_WITHIN_S
    after: str = ""  # id of another expectation: the reply begins after those words


@dataclass(frozen=True, slots=True)
class Refused:
    reason: str = ""
    within_s: float = DEFAULT_WITHIN_S


@dataclass(frozen=True, slots=True)
class Asks:
    contains_any: tuple[str, ...] = ()
    within_s: float = DEFAULT_WITHIN_S


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class SilenceExpected:
    """`cut`: the reply must have been cut off; that it came to its end by itself in time is not enough."""

    within_ms: float
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Continues:
    pass


@dataclass(frozen=True, slots=True)
class WorkExpected:
    states: tuple[str, ...]
    capability: str = ""
    within_s: float = 60.0


Check = SignalExpected | NotSignal | ReplyExpected | Refused | Asks | Nothing | SilenceExpected | Continues | WorkExpected


@dataclass(frozen=True, slots=True)
class Expectation:
    id: str
    said: SaidWords
    checks: tuple[Check, ...]
    later: bool = False


@dataclass(frozen=True, slots=True)
class CarSetup:
    drive: str = "left"
    temperature_unit: str = "C"
    initial: dict[str, SignalValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expected:
    trip: str = ""
    locale: str = "en"
    car: CarSetup = field(default_factory=CarSetup)
    expect: tuple[Expectation, ...] = ()
    raw: dict[str, Any] = field(default_factory=dict)  # as read, for embedding in a trip file

    def paths(self) -> set[str]:
        """Every signal that is expected, or expected not, to change."""
        checks = (check for expectation in self.expect for check in expectation.checks)
        return {check.path for check in checks if isinstance(check, SignalExpected | NotSignal)}


REASONS = ("moving", "unknown_speed", "unknown_gear", "unknown_ignition", "stale_speed", "never", "confirmation", "provenance", "overheard", "seen",
           "no_vehicle", "disabled", "out_of_range", "expired")  # fmt: skip
WORK_STATES = (
    "queued", "running", "completed", "failed", "unknown", "cancelled", "superseded", "cancelling",
    "none", "pending", "delivering", "delivered", "expired", "withdrawn",
)  # fmt: skip
LOCALES = ("en", "zh", "mixed")
CHECK_KEYS = ("signal", "not_signal", "reply", "refused", "asks", "nothing", "silence", "continues", "work")


def parse(text: str, name: str = "expected.yaml", *, duration_s: float | None = None) -> Expected:
    """`expected.yaml` as a value. Raises UserError with the line of the first mistake. `duration_s`: times beyond are refused."""
    if len(text.encode()) > MAX_YAML_BYTES:
        raise UserError(f"{name} is larger than {MAX_YAML_BYTES // 1000} kB: split the trip.")
    reader = LinedReader(name)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise UserError(
            f"{name}{line}: this is not YAML ({getattr(error, 'problem', None) or str(error).splitlines()[0]})."
        ) from error
    except RecursionError as error:
        raise UserError(f"{name}: the file is nested too deeply.") from error
    raw = reader.read(node) if node is not None else {}
    return from_raw(raw, name, duration_s=duration_s, reader=reader)


def from_raw(
    raw: Any, name: str = "expected.yaml", *, duration_s: float | None = None, reader: LinedReader | None = None
) -> Expected:
    """The same from plain values, as embedded in a trip file."""
    return _Parser(reader or LinedReader(name), duration_s).expected(raw)


class _Parser:
    def __init__(self, reader: LinedReader, duration_s: float | None) -> None:
        self.reader, self.duration_s = reader, duration_s
        self.error = reader.error

    # --- pieces ---

    def mapping(self, raw: Any, where: Where, what: str, keys: tuple[str, ...], needed: tuple[str, ...] = ()) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise self.error(where, f"{what} must be a table of {', '.join(keys)}.")
        for key in raw:
            if key not in keys:
                raise self.error((*where, key), f"unknown key {key!r} in {what}; {nearest(str(key), keys)}")
        for key in needed:
            if key not in raw:
                raise self.error(where, f"{what} lacks {key!r}.")
        return raw

    def number(self, raw: Any, where: Where, what: str, low: float = 0.0, high: float = 1e6) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
            raise self.error(where, f"{what} must be a number, not {raw!r}.")
        if not low <= raw <= high:
            raise self.error(where, f"{what} must be between {low:g} and {high:g}, not {raw:g}.")
        return float(raw)

    def text(self, raw: Any, where: Where, what: str) -> str:
        if not isinstance(raw, str) or not raw.strip():
            raise self.error(where, f"{what} must be words, not {raw!r}.")
        return raw

    def texts(self, raw: Any, where: Where, what: str) -> tuple[str, ...]:
        items = raw if isinstance(raw, list) else [raw]
        if not items:
            raise self.error(where, f"{what} must not be empty.")
        return tuple(
            self.text(str(item) if isinstance(item, int | float) and not isinstance(item, bool) else item, (*where, index), what)
            for index, item in enumerate(items)
        )

    def choice(self, raw: Any, where: Where, what: str, known: tuple[str, ...]) -> str:
        if raw not in known:
            raise self.error(where, f"{what} {raw!r} is unknown; {nearest(str(raw), known)}")
        return str(raw)

    def true(self, raw: Any, where: Where, what: str) -> None:
        if raw is not True:
            raise self.error(where, f"{what} can only be true; leave the key out otherwise.")

    def value(self, raw: Any, where: Where, what: str) -> SignalValue:
        if not isinstance(raw, bool | int | float | str) or (isinstance(raw, float) and not math.isfinite(raw)):
            raise self.error(where, f"{what} must be a number, true, false or a word, not {raw!r}.")
        return raw

    def path(self, raw: Any, where: Where) -> str:
        path = self.text(raw, where, "path")
        if not path.startswith("Vehicle.") or " " in path:
            raise self.error(where, f"{path!r} is no VSS path; it must begin with 'Vehicle.'.")
        return path

    # --- the file ---

    def expected(self, raw: Any) -> Expected:
        top = self.mapping(raw, (), "the file", ("trip", "locale", "car", "expect"))
        rows = top.get("expect") or []
        if not isinstance(rows, list):
            raise self.error(("expect",), "'expect' must be a list of expectations.")
        if len(rows) > MAX_EXPECTATIONS:
            raise self.error(("expect",), f"more than {MAX_EXPECTATIONS} expectations.")
        expectations = tuple(self.expectation(row, ("expect", index)) for index, row in enumerate(rows))
        seen: set[str] = set()
        for index, item in enumerate(expectations):
            if item.id in seen:
                raise self.error(("expect", index, "id"), f"the id {item.id!r} is used twice.")
            seen.add(item.id)
        for index, item in enumerate(expectations):
            for check in item.checks:
                if isinstance(check, ReplyExpected) and check.after and (check.after not in seen or check.after == item.id):
                    raise self.error(
                        ("expect", index, "reply", "after"),
                        f"'after' names {check.after!r}; {nearest(check.after, seen - {item.id})}",
                    )
        return Expected(
            trip=self.text(top["trip"], ("trip",), "'trip'") if "trip" in top else "",
            locale=self.choice(top.get("locale", "en"), ("locale",), "the locale", LOCALES),
            car=self.car(top.get("car") or {}, ("car",)),
            expect=expectations,
            raw=top,
        )

    def car(self, raw: Any, where: Where) -> CarSetup:
        row = self.mapping(raw, where, "'car'", ("drive", "temperature_unit", "initial"))
        initial = row.get("initial") or {}
        if not isinstance(initial, dict):
            raise self.error((*where, "initial"), "'initial' must be a table of VSS path: value.")
        return CarSetup(
            drive=self.choice(row.get("drive", "left"), (*where, "drive"), "drive", ("left", "right")),
            temperature_unit=self.choice(
                row.get("temperature_unit", "C"), (*where, "temperature_unit"), "temperature_unit", ("C", "F")
            ),
            initial={
                self.path(path, (*where, "initial", path)): self.value(value, (*where, "initial", path), path)
                for path, value in initial.items()
            },
        )

    def expectation(self, raw: Any, where: Where) -> Expectation:
        row = self.mapping(raw, where, "an expectation", ("id", "said", *CHECK_KEYS, "status"), ("id", "said"))
        name = self.text(row["id"], (*where, "id"), "'id'")
        checks: list[Check] = []
        for key in CHECK_KEYS:
            if key in row:
                checks += self.checks(key, row[key], (*where, key))
        later = self.choice(row.get("status", "now"), (*where, "status"), "the status", ("now", "later")) == "later"
        if not checks:
            raise self.error(where, f"{name!r} expects nothing that can be checked; add one of {', '.join(CHECK_KEYS)}.")
        if any(isinstance(check, Nothing) for check in checks) and len(checks) > 1:
            raise self.error((*where, "nothing"), f"{name!r}: 'nothing' stands alone.")
        return Expectation(name, self.said(row["said"], (*where, "said")), tuple(checks), later)

    def said(self, raw: Any, where: Where) -> SaidWords:
        row = self.mapping(raw, where, "'said'", ("from", "to", "text", "by"), ("from", "to"))
        start_s = self.number(row["from"], (*where, "from"), "'from'")
        end_s = self.number(row["to"], (*where, "to"), "'to'")
        if end_s <= start_s:
            raise self.error((*where, "to"), f"'to' ({end_s:g} s) must come after 'from' ({start_s:g} s).")
        if self.duration_s is not None and end_s > self.duration_s + 0.5:
            raise self.error((*where, "to"), f"'to' ({end_s:g} s) lies after the end of the audio ({self.duration_s:.1f} s).")
        return SaidWords(
            start_s, end_s,
            text=self.text(row["text"], (*where, "text"), "'text'") if "text" in row else "",
            by=self.text(row["by"], (*where, "by"), "'by'") if "by" in row else "",
        )  # fmt: skip

    def within(self, row: dict[str, Any], where: Where, default: float = DEFAULT_WITHIN_S) -> float:
        return self.number(row.get("within_s", default), (*where, "within_s"), "'within_s'", 0.0, 3600.0)

    def checks(self, key: str, raw: Any, where: Where) -> list[Check]:
        match key:
            case "signal" | "not_signal":
                rows = raw if isinstance(raw, list) else [raw]
                if not rows:
                    raise self.error(where, f"'{key}' must not be an empty list.")
                read = self.signal if key == "signal" else self.not_signal
                return [read(row, (*where, index) if isinstance(raw, list) else where) for index, row in enumerate(rows)]
            case "reply":
                return [self.reply(raw, where)]
            case "refused":
                if raw is True:
                    return [Refused()]
                row = self.mapping(raw, where, "'refused'", ("reason", "within_s"))
                reason = self.text(row["reason"], (*where, "reason"), "'reason'") if "reason" in row else ""
                return [Refused(reason, self.within(row, where))]
            case "asks":
                if raw is True:
                    return [Asks()]
                row = self.mapping(raw, where, "'asks'", ("contains_any", "within_s"))
                words = (
                    self.texts(row["contains_any"], (*where, "contains_any"), "'contains_any'") if "contains_any" in row else ()
                )
                return [Asks(words, self.within(row, where))]
            case "nothing":
                self.true(raw, where, "'nothing'")
                return [Nothing()]
            case "continues":
                self.true(raw, where, "'continues'")
                return [Continues()]
            case "silence":
                row = self.mapping(raw, where, "'silence'", ("within_ms", "cut"), ("within_ms",))
                cut = row.get("cut", False)
                if not isinstance(cut, bool):
                    raise self.error((*where, "cut"), f"'cut' must be true or false, not {cut!r}.")
                return [SilenceExpected(self.number(row["within_ms"], (*where, "within_ms"), "'within_ms'", 1.0, 60_000.0), cut)]
            case _:
                return [self.work(raw, where)]

    def signal(self, raw: Any, where: Where) -> Check:
        row = self.mapping(raw, where, "'signal'", ("path", "value", "within_s", "tolerance"), ("path", "value"))
        return SignalExpected(
            self.path(row["path"], (*where, "path")),
            self.value(row["value"], (*where, "value"), "'value'"),
            self.within(row, where),
            self.number(row.get("tolerance", 0.01), (*where, "tolerance"), "'tolerance'"),
        )

    def not_signal(self, raw: Any, where: Where) -> Check:
        row = self.mapping(raw, where, "'not_signal'", ("path", "value", "within_s"), ("path",))
        value = self.value(row["value"], (*where, "value"), "'value'") if "value" in row else None
        return NotSignal(self.path(row["path"], (*where, "path")), value, self.within(row, where))

    def reply(self, raw: Any, where: Where) -> Check:
        if raw is True:
            return ReplyExpected()
        row = self.mapping(raw, where, "'reply'", ("contains_any", "contains_all", "heard", "within_s", "after"))
        heard = row.get("heard", False)
        if not isinstance(heard, bool):
            raise self.error((*where, "heard"), f"'heard' must be true or false, not {heard!r}.")
        return ReplyExpected(
            contains_any=self.texts(row["contains_any"], (*where, "contains_any"), "'contains_any'")
            if "contains_any" in row
            else (),
            contains_all=self.texts(row["contains_all"], (*where, "contains_all"), "'contains_all'")
            if "contains_all" in row
            else (),
            heard=heard,
            within_s=self.within(row, where),
            after=self.text(row["after"], (*where, "after"), "'after'") if "after" in row else "",
        )

    def work(self, raw: Any, where: Where) -> Check:
        if isinstance(raw, str | list):
            raw = {"states": raw}
            inner: Where = where
        else:
            inner = (*where, "states")
        row = self.mapping(raw, where, "'work'", ("states", "capability", "within_s"), ("states",))
        states = tuple(
            self.choice(state.casefold(), (*inner, index), "the work state", WORK_STATES)
            for index, state in enumerate(self.texts(row["states"], inner, "'states'"))
        )
        capability = self.text(row["capability"], (*where, "capability"), "'capability'") if "capability" in row else ""
        return WorkExpected(states, capability, self.within(row, where, 60.0))
