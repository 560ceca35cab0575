"""The timeline of a run as an SVG picture: one lane each for who spoke, what was heard, work, the car, the camera. Pure.

Text is escaped here; colours come from the style sheet of the report. Does not know what was expected to happen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from ridealong.simulators.trip.expected import Expectation
from ridealong.simulators.trip.record import RunRecord, WorkFact

LANE_PX = 34
GAP_PX = 8
TOP_PX = 22
MAX_WORK_ROWS = 5
CAR_LINES = 4
ENDED = ("completed", "failed", "unknown", "cancelled", "superseded")


@dataclass(slots=True)
class _Lanes:
    """Grows downwards; remembers the label of each lane."""

    width: int
    shapes: list[str]
    labels: list[str]
    y: float = TOP_PX

    def lane(self, label: str, height: int = LANE_PX) -> float:
        top = self.y
        self.shapes.append(f'<rect class="lane" x="0" y="{top:g}" width="{self.width}" height="{height}" rx="5"/>')
        if label:
            self.labels.append(f'<text x="0" y="{top + height / 2 + 4:g}">{escape(label)}</text>')
        self.y += height + GAP_PX
        return top


def timeline(record: RunRecord, expectations: Sequence[Expectation], loudness: Sequence[float] = ()) -> str:
    """HTML: fixed lane names at the left, the picture in a box that scrolls. `loudness`: 0..1 per tenth of a second."""
    scale = max(5.0, min(24.0, 940 / max(record.duration_s, 1.0)))
    width = round(record.duration_s * scale) + 1
    lanes = _Lanes(width, [], [])

    def x(at_s: float) -> float:
        return round(at_s * scale, 1)

    _microphone(lanes, loudness, x)
    _asked(lanes, expectations, x)
    _understood(lanes, record, x)
    _spoken(lanes, record, x)
    _control(lanes, record, x)
    _work(lanes, record, x)
    _car(lanes, record, x)
    _camera(lanes, record, x)

    height = lanes.y
    grid = []
    step = 15 if scale < 6 else 10 if scale < 14 else 5
    for at in range(0, max(1, int(record.duration_s) - step // 3), step):
        grid.append(f'<line class="grid" x1="{x(at):g}" x2="{x(at):g}" y1="{TOP_PX - 4}" y2="{height:g}"/>')
        grid.append(f'<text x="{x(at) + 3:g}" y="13">{clock(at)}</text>')
    return (
        '<div class="timeline"><div class="lanes">'
        f'<svg width="150" height="{height:g}" role="img" aria-label="names of the lanes">{"".join(lanes.labels)}</svg></div>'
        f'<div class="scroll"><svg width="{width}" height="{height:g}" role="img" aria-label="timeline of the trip">'
        f"{_ordered(lanes.shapes, grid)}</svg></div></div>"
    )


def _ordered(shapes: list[str], grid: list[str]) -> str:
    """Lanes first, then the grid, then everything on top."""
    ground = [shape for shape in shapes if 'class="lane"' in shape]
    rest = [shape for shape in shapes if 'class="lane"' not in shape]
    return "".join([*ground, *grid, *rest])


def clock(at_s: float) -> str:
    return f"{int(at_s) // 60}:{int(at_s) % 60:02d}"


def _bar(x0: float, x1: float, y: float, height: float, colour: str, title: str, extra: str = "") -> str:
    return (
        f'<rect x="{x0:g}" y="{y:g}" width="{max(2.0, x1 - x0):g}" height="{height:g}" rx="3" fill="var(--{colour})" {extra}>'
        f"<title>{escape(title)}</title></rect>"
    )


def _caption(x0: float, x1: float, y: float, text: str, colour: str = "#fff") -> str:
    """As much of the text as fits into the bar."""
    room = int((x1 - x0 - 8) / 6.6)
    if room < 3:
        return ""
    wide = sum(2 if ord(character) > 0x2E7F else 1 for character in text)
    cut = text if wide <= room else text[: max(1, room - 1 if wide == len(text) else room // 2 - 1)] + "…"
    return f'<text x="{x0 + 5:g}" y="{y:g}" style="fill:{colour}">{escape(cut)}</text>'


def _microphone(lanes: _Lanes, loudness: Sequence[float], x: Callable[[float], float]) -> None:
    top = lanes.lane("microphone")
    middle = top + LANE_PX / 2
    points = [f"{x(index / 10):g},{middle - value * (LANE_PX / 2 - 2):.1f}" for index, value in enumerate(loudness)]
    mirror = [f"{x(index / 10):g},{middle + value * (LANE_PX / 2 - 2):.1f}" for index, value in enumerate(loudness)][::-1]
    if points:
        lanes.shapes.append(f'<polygon points="{" ".join(points + mirror)}" fill="var(--other)"/>')


def _asked(lanes: _Lanes, expectations: Sequence[Expectation], x: Callable[[float], float]) -> None:
    if not expectations:
        return
    top = lanes.lane("really said")
    for item in expectations:
        quiet = item.said.by not in ("", "driver", "passenger")
        words = item.said.text or f"({item.said.by or item.id})"
        x0, x1 = x(item.said.start_s), x(item.said.end_s)
        title = f"{item.id}: {words}" + (f" — {item.said.by}" if item.said.by else "")
        lanes.shapes.append(_bar(x0, x1, top + 5, LANE_PX - 10, "other" if quiet else "user", title, 'fill-opacity="0.45"'))
        lanes.shapes.append(_caption(x0, x1, top + 21, words, "var(--ink)"))


def _understood(lanes: _Lanes, record: RunRecord, x: Callable[[float], float]) -> None:
    top = lanes.lane("understood")
    for caption in record.captions:
        if caption.who != "user":
            continue
        ours = caption.addressee in ("assistant", "")
        x0, x1 = x(caption.start_s), x(caption.end_s)
        title = f"{clock(caption.start_s)} “{caption.text}” — taken as said to: {caption.addressee or 'unknown'}"
        lanes.shapes.append(_bar(x0, x1, top + 5, LANE_PX - 10, "user" if ours else "other", title))
        lanes.shapes.append(_caption(x0, x1, top + 21, caption.text))


def _spoken(lanes: _Lanes, record: RunRecord, x: Callable[[float], float]) -> None:
    top = lanes.lane("assistant")
    for utterance in record.utterances:
        if utterance.started_s is None:
            continue
        planned_s = utterance.started_s + utterance.samples / max(1, utterance.rate)
        end_s = utterance.ended_s if utterance.ended_s is not None else min(planned_s, record.duration_s)
        x0, x1, x2 = x(utterance.started_s), x(end_s), x(max(planned_s, end_s))
        if utterance.state == "flushed" and x2 > x1 + 1:
            lanes.shapes.append(_bar(x0, x2, top + 5, LANE_PX - 10, "cut", f"planned: {utterance.text}", 'fill-opacity="0.35"'))
        lanes.shapes.append(
            _bar(x0, x1, top + 5, LANE_PX - 10, "voice", f"{clock(utterance.started_s)} heard: {utterance.heard}")
        )
        lanes.shapes.append(_caption(x0, x1, top + 21, utterance.heard))
    for hole in record.holes:
        title = f"{clock(hole.at_s)} a hole of {hole.length_s:.2f} s: what was to follow was not there in time"
        lanes.shapes.append(_bar(x(hole.at_s), x(hole.at_s + hole.length_s), top + 5, LANE_PX - 10, "bad", title))
    for sound in record.sounds:
        lanes.shapes.append(
            _bar(x(sound.start_s), x(sound.end_s), top + LANE_PX - 4, 3, "voice", "the speaker was audible", 'fill-opacity="0.9"')
        )


def _control(lanes: _Lanes, record: RunRecord, x: Callable[[float], float]) -> None:
    if not record.controls:
        return
    top = lanes.lane("each second", 14)
    colours = {"listen": "other", "speak": "voice", "turn_eos": "voice"}
    for control in record.controls:
        at_s = float(control.unit)
        title = f"second {control.unit}: {control.token}"
        lanes.shapes.append(_bar(x(at_s) + 1, x(at_s + 1) - 1, top + 4, 6, colours.get(control.token, "other"), title))


def _work(lanes: _Lanes, record: RunRecord, x: Callable[[float], float]) -> None:
    items: dict[str, list[WorkFact]] = {}
    for fact in record.work:
        items.setdefault(fact.work_id, []).append(fact)
    if not items:
        return
    rows: list[float] = []  # where each row is free again
    placed: list[tuple[int, list[WorkFact]]] = []
    for facts in items.values():
        free = next((index for index, until in enumerate(rows) if until <= facts[0].at_s), None)
        if free is None:
            free = len(rows) if len(rows) < MAX_WORK_ROWS else min(range(len(rows)), key=rows.__getitem__)
            rows += [0.0] if free == len(rows) else []
        name = next((fact.capability for fact in facts if fact.capability), "work")
        rows[free] = max(facts[-1].at_s, facts[0].at_s) + (len(name) * 6.2 + 16) / x(1.0)
        placed.append((free, facts))
    height = 20 * len(rows) + 8
    top = lanes.lane("work", height)
    for row, facts in placed:
        y = top + 4 + 20 * row
        done_s = next((fact.at_s for fact in facts if fact.execution.casefold() in ENDED), facts[-1].at_s)
        name = next((fact.capability for fact in facts if fact.capability), "work")
        steps = ", ".join(f"{clock(fact.at_s)} {fact.execution}/{fact.delivery}" for fact in facts)
        x0, x1, x2 = x(facts[0].at_s), x(done_s), x(max(facts[-1].at_s, done_s))
        lanes.shapes.append(_bar(x0, max(x2, x0 + 4), y, 16, "work", f"{name}: {steps}", 'fill-opacity="0.35"'))
        lanes.shapes.append(_bar(x0, x1, y, 16, "work", f"{name}: {steps}"))
        lanes.shapes.append(f'<text x="{max(x2, x0 + 4) + 4:g}" y="{y + 12:g}">{escape(name)}</text>')


def _car(lanes: _Lanes, record: RunRecord, x: Callable[[float], float]) -> None:
    paths: dict[str, list[tuple[float, float]]] = {}
    for change in record.signals:
        if isinstance(change.value, bool | int | float):
            paths.setdefault(change.path, []).append((change.at_s, float(change.value)))
    moved = {path: rows for path, rows in paths.items() if len(rows) > 1 and max(v for _, v in rows) > min(v for _, v in rows)}
    asked = {path for request in record.actuations for path, _ in request.writes}
    order = sorted(moved, key=lambda path: (path != "Vehicle.Speed", path not in asked, moved[path][1][0]))[:CAR_LINES]
    for path in order:
        rows = moved[path]
        low, high = min(value for _, value in rows), max(value for _, value in rows)
        name = " ".join(path.split(".")[-2:]).removeprefix("Vehicle ")
        top = lanes.lane(name if len(name) <= 20 else path.rpartition(".")[2][:20], 28)

        def y(value: float, top: float = top, low: float = low, high: float = high) -> float:
            return round(top + 24 - 20 * (value - low) / (high - low), 1)

        points = [f"{x(rows[0][0]):g},{y(rows[0][1]):g}"]
        for (_, before), (at_s, value) in zip(rows, rows[1:], strict=False):
            points += [f"{x(at_s):g},{y(before):g}", f"{x(at_s):g},{y(value):g}"]
        points.append(f"{x(record.duration_s):g},{y(rows[-1][1]):g}")
        lanes.shapes.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="var(--car)" stroke-width="1.6"><title>{escape(path)}: {low:g} to {high:g}</title></polyline>'
        )
        lanes.shapes.append(f'<text x="4" y="{top + 11:g}">{high:g}</text><text x="4" y="{top + 25:g}">{low:g}</text>')
    if not record.actuations:
        return
    top = lanes.lane("asked of the car", 22)
    for request in record.actuations:
        what = ", ".join(f"{short(path)} = {value}" for path, value in request.writes)
        colour = "bad" if request.state == "refused" else "car"
        title = escape(f"{what}: {request.state or 'no result'} {request.reason}")
        lanes.shapes.append(
            f'<circle cx="{x(request.at_s):g}" cy="{top + 11:g}" r="5" fill="var(--{colour})"><title>{title}</title></circle>'
        )


def short(path: str) -> str:
    """A VSS path by its telling end: Row1.Driver.Temperature, Window.Position …"""
    parts = [
        part
        for part in path.split(".")
        if part not in ("Vehicle", "Cabin", "HVAC", "Station", "Infotainment", "Body", "Powertrain")
    ]
    return ".".join(parts[-4:])


def _camera(lanes: _Lanes, record: RunRecord, x: Callable[[float], float]) -> None:
    if not record.frames:
        return
    top = lanes.lane("camera", 22)
    for frame in record.frames:
        height = 16 if frame.kept else 7
        title = (
            f"{clock(frame.at_s)} {'kept' if frame.kept else 'not kept'} ({frame.reason}), {'sent' if frame.sent else 'not sent'}"
        )
        lanes.shapes.append(
            _bar(x(frame.at_s), x(frame.at_s) + 2.4, top + 19 - height, height, "accent" if frame.kept else "other", title)
        )
