"""The report of a run as one HTML file that needs nothing else: for a field tester, without a debugger. Pure: values in, text out.

Everything that came from a trip or from speech is escaped. Does not judge (it is given the outcomes) and measures nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from ridealong import __version__
from ridealong.proto.types import SignalValue
from ridealong.simulators.replay.figures import Figure, first_sounds
from ridealong.simulators.replay.picture import clock, short, timeline
from ridealong.simulators.trip.expected import Expectation, SaidWords
from ridealong.simulators.trip.judge import OutcomeResult
from ridealong.simulators.trip.record import CaptionFact, FrameFact, RunRecord, TimingFact, UtteranceFact

MAX_PICTURES = 60
MAX_ROWS = 400
GATE_WORDS = {
    "first": "first frame", "resized": "another size", "new_scene": "new scene", "refresh": "refreshed after a while", "changed": "changed",
    "local_change": "something small changed", "wide_change": "much changed", "drop_limit": "enough dropped in a row", "similar": "like the last kept one",
}  # fmt: skip
MARKS = {"passed": "✓ held", "failed": "✗ failed", "later": "not yet"}


@dataclass(frozen=True, slots=True)
class Report:
    """What a report is made of. `pictures`: frame id -> JPEG. `loudness`: 0..1 per tenth of a second of the microphone."""

    title: str
    record: RunRecord
    expectations: tuple[Expectation, ...] = ()
    outcomes: Sequence[OutcomeResult] = ()
    figures: Sequence[Figure] = ()
    pictures: dict[int, bytes] = field(default_factory=dict)
    loudness: Sequence[float] = ()
    notes: Sequence[str] = ()  # how it was replayed: front-end, network, seed


def render(report: Report) -> str:
    css = files("ridealong.simulators.replay").joinpath("report.css").read_text(encoding="utf-8")
    sections = [
        _banner(report), _summary(report), _cards(report), _section("What happened, second by second", _timeline(report)),
        _outcomes(report), _section("The talk", _talk(report)), _car(report), _pictures(report), _figures(report), _timings(report), _notices(report),
    ]  # fmt: skip
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)} — trip report</title><style>{css}</style></head><body><main>"
        f'<h1>{escape(report.title)}</h1><div class="soft">Trip report · {escape(" · ".join(report.notes) or "one run")}</div>'
        f"{''.join(sections)}"
        f'<p class="soft">Written by ridealong {escape(__version__)}. Times are minutes and seconds from the start of the trip, on the device’s own clock.</p>'
        "</main></body></html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def _plural(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _banner(report: Report) -> str:
    counted = [outcome for outcome in report.outcomes if outcome.status != "later"]
    if not counted:
        return ""
    held = sum(outcome.status == "passed" for outcome in counted)
    later = len(report.outcomes) - len(counted)
    good = held == len(counted)
    words = (
        "Everything that was expected happened."
        if good
        else f"{_plural(len(counted) - held, 'expected outcome')} did not happen."
    )
    more = f" {_plural(later, 'thing')} listed as not yet possible." if later else ""
    return f'<div class="banner{"" if good else " bad"}"><span class="big">{held}/{len(counted)}</span><span><b>{words}</b>{more}</span></div>'


def _summary(report: Report) -> str:
    record = report.record
    spoken = [utterance for utterance in record.utterances if utterance.started_s is not None]
    cut = [utterance for utterance in spoken if utterance.state == "flushed"]
    changed = [request for request in record.actuations if request.state == "confirmed"]
    refused = [request for request in record.actuations if request.state == "refused"]
    others = [caption for caption in record.captions if caption.who == "user" and caption.addressee in ("other", "nobody")]
    sentences = [
        f"The trip lasted {int(record.duration_s) // 60} min {int(record.duration_s) % 60} s. "
        f"The assistant spoke {_plural(len(spoken), 'time')}"
        + (f" and was cut off {_plural(len(cut), 'time')}; what was not heard is struck out below." if cut else "."),
        f"It changed the car {_plural(len(changed), 'time')}"
        + (f" and the car’s own rules refused {_plural(len(refused), 'request')}." if refused else "."),
    ]
    if record.holes:
        longest_s = max(hole.length_s for hole in record.holes)
        sentences.append(
            f"Its speech was torn apart {_plural(len(record.holes), 'time')}, for {longest_s:.2f} s at the longest: what was to follow was not there in time."
        )
    if others:
        sentences.append(f"It heard {_plural(len(others), 'utterance')} that it took as not meant for it, and left them alone.")
    if not record.real_time:
        sentences.append("This run was on virtual time: what happened is as in real time, but waiting times are not measured.")
    return f"<section><h2>In short</h2>{''.join(f'<p>{escape(sentence)}</p>' for sentence in sentences)}</section>"


CARDS = ("first_sound_p50_ms", "first_sound_p95_ms", "acks", "skills_run", "frames_archived", "uplink_bytes")


def _cards(report: Report) -> str:
    by_name = {figure.name: figure for figure in report.figures}
    cards = "".join(
        f'<div class="card"><div class="n">{escape(by_name[name].shown())}</div><div class="l">{escape(by_name[name].label or name)}</div></div>'
        for name in CARDS
        if name in by_name
    )
    return f'<div class="cards">{cards}</div>' if cards else ""


def _timeline(report: Report) -> str:
    legend = "".join(
        f'<span><i style="background:var(--{colour})"></i>{words}</span>'
        for colour, words in (
            ("user", "said to the assistant"), ("other", "said to others, radio, noise"), ("voice", "assistant, as heard"),
            ("cut", "planned but cut off"), ("work", "work (pale: done, not yet told)"), ("car", "the car"), ("bad", "refused by the car’s rules; in speech: a hole, what was to follow came late"),
            ("accent", "frame worth keeping"),
        )
    )  # fmt: skip
    return timeline(report.record, report.expectations, report.loudness) + f'<div class="legend">{legend}</div>'


def _outcomes(report: Report) -> str:
    if not report.outcomes:
        return _section("Expected outcomes", '<p class="soft">Nothing was expected of this trip, so nothing is judged.</p>')
    by_id = {item.id: item for item in report.expectations}
    rows = []
    for outcome in sorted(report.outcomes, key=lambda one: by_id[one.id].said.start_s if one.id in by_id else float("inf")):
        item = by_id.get(outcome.id)
        at = f'<td class="t">{clock(_in_the_talk(item.said, report.record))}</td>' if item else '<td class="t"></td>'
        words = f"“{escape(item.said.text)}”" if item and item.said.text else ""
        by = f' <span class="soft">{escape(item.said.by)}</span>' if item and item.said.by else ""
        rows.append(
            f'<tr>{at}<td><span class="tag {outcome.status}">{MARKS[outcome.status]}</span></td>'
            f'<td><b>{escape(outcome.id)}</b><br>{words}{by}</td><td>{escape(outcome.why)}</td></tr>'
        )  # fmt: skip
    head = "<tr><th>at</th><th></th><th>what was said</th><th>what came of it</th></tr>"
    return _section("Expected outcomes", f"<table>{head}{''.join(rows)}</table>")


def _in_the_talk(said: SaidWords, record: RunRecord) -> float:
    """When these words began, by the same account as in the talk; as annotated, where nothing was understood of them."""

    def shared_s(caption: CaptionFact) -> float:
        return min(caption.end_s, said.end_s) - max(caption.start_s, said.start_s)

    understood = [caption for caption in record.captions if caption.who == "user" and shared_s(caption) > 0]
    return max(understood, key=shared_s).start_s if understood else said.start_s


def _talk(report: Report) -> str:
    record = report.record
    rows: list[tuple[float, str]] = []
    for caption in record.captions:
        if caption.who != "user":
            continue
        ours = caption.addressee in ("assistant", "")
        who = "user" if ours else "other"
        name = "user" if ours else "not to us"
        text = escape(caption.text) if ours else f'<span class="aside">{escape(caption.text) or "(no words)"}</span>'
        rows.append((caption.start_s, _said(caption.start_s, who, name, text)))
    for utterance in record.utterances:
        at_s = utterance.started_s if utterance.started_s is not None else utterance.received_s
        rows.append((at_s, _said(at_s, "assistant", "assistant", struck(utterance))))
    for notice in record.notices:
        if notice.code == "heard":
            rows.append(
                (notice.at_s, _said(notice.at_s, "assistant", "cut", f'<span class="aside">{escape(notice.text)}</span>'))
            )
    rows.sort(key=lambda row: row[0])
    more = f'<p class="soft">… and {len(rows) - MAX_ROWS} more.</p>' if len(rows) > MAX_ROWS else ""
    return (
        f'<div class="talk">{"".join(row for _, row in rows[:MAX_ROWS])}</div>{more}'
        if rows
        else '<p class="soft">Nobody spoke.</p>'
    )


def _said(at_s: float, who: str, name: str, html: str) -> str:
    return f'<div class="at">{clock(at_s)}</div><div class="who {who}">{escape(name)}</div><div>{html}</div>'


def struck(utterance: UtteranceFact) -> str:
    """The text with what was not heard struck out. HTML."""
    heard, text = utterance.heard, utterance.text
    if text.startswith(heard):
        rest = text[len(heard) :]
        return escape(heard) + (f"<del>{escape(rest)}</del>" if rest.strip() else escape(rest))
    return f"{escape(heard)} <del>{escape(text)}</del>"


def _value(value: SignalValue) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _car(report: Report) -> str:
    requests = "".join(
        f'<tr><td class="t">{clock(request.at_s)}</td><td>{escape(", ".join(f"{short(path)} = {_value(value)}" for path, value in request.writes))}</td>'
        f'<td><span class="tag {"passed" if request.state == "confirmed" else "failed" if request.state else "dim"}">{escape(request.state or "no result")}</span></td>'
        f"<td>{escape(request.reason)}</td></tr>"
        for request in sorted(report.record.actuations, key=lambda request: request.at_s)[:MAX_ROWS]
    )
    if not requests:
        return _section("The car", '<p class="soft">Nothing was asked of the car.</p>')
    head = "<tr><th>at</th><th>asked of the car</th><th>result</th><th>reason</th></tr>"
    return _section(
        "The car",
        f'<table>{head}{requests}</table><p class="soft">Confirmed means that the car’s own sensor showed the value.</p>',
    )


def _pictures(report: Report) -> str:
    shown = _spread([frame for frame in report.record.frames if frame.frame in report.pictures], MAX_PICTURES)
    if not report.record.frames:
        return ""
    figures = "".join(_picture(frame, report.pictures[frame.frame]) for frame in shown)
    kept = sum(frame.kept for frame in report.record.frames)
    words = f"{kept} of {len(report.record.frames)} frames were worth keeping; {len(shown)} are shown. Pale ones were like what was kept already."
    return _section("What the camera saw", f'<p class="soft">{words}</p><div class="pictures">{figures}</div>')


def _picture(frame: FrameFact, jpeg: bytes) -> str:
    source = base64.b64encode(jpeg).decode()
    reason = GATE_WORDS.get(frame.reason, frame.reason)
    sent = "sent" if frame.sent else f"not sent{f' ({frame.not_sent_because})' if frame.not_sent_because else ''}"
    return (
        f'<figure{"" if frame.kept else " class=drop"}><img loading="lazy" alt="camera at {clock(frame.at_s)}" src="data:image/jpeg;base64,{source}">'
        f"<figcaption><b>{clock(frame.at_s)}</b> {'kept' if frame.kept else 'not kept'}: {escape(reason)}, {escape(sent)}<br>"
        f'<span class="soft">cost {frame.cost:.3f} · residual {frame.residual_q99:.3f} · changed {frame.changed_share * 100:.0f} %</span></figcaption></figure>'
    )


def _spread(frames: list[FrameFact], count: int) -> list[FrameFact]:
    """At most `count`, evenly over the trip."""
    if len(frames) <= count:
        return frames
    return [frames[round(index * (len(frames) - 1) / (count - 1))] for index in range(count)]


def _figures(report: Report) -> str:
    rows = "".join(
        f'<tr><td>{escape(figure.label or figure.name)}</td><td class="mono">{escape(figure.shown())}</td><td class="soft">{_of(figure)}</td>'
        f'<td class="mono soft">{escape(figure.name)}</td></tr>'
        for figure in report.figures
    )
    return _section("Figures", f"<table>{rows}</table>") if rows else ""


def _of(figure: Figure) -> str:
    if figure.low is not None and figure.high is not None:
        return f"n = {figure.n}, 95 % interval {figure.low:.2f} to {figure.high:.2f}"
    return f"n = {figure.n}"


def _timings(report: Report) -> str:
    """Only of real time: on virtual time computing takes none."""
    if not report.record.real_time:
        return ""
    head = "".join(
        f"<th>{name}</th>"
        for name in ("words ended", "endpoint", "text", "result", "out of the cloud", "at the speaker", "in all", "")
    )
    facts = sorted(report.record.timings, key=lambda fact: (fact.words_end_s, fact.at_s))
    first = first_sounds(report.expectations, report.record)
    kinds = [
        _kind_of_answer(fact, facts[:index], {sound.utterance: sound.id for sound in first}) for index, fact in enumerate(facts)
    ]
    rows = "".join(
        f'<tr><td class="t">{clock(fact.words_end_s)}</td>'
        + "".join(
            f'<td class="mono">{ms:,} ms</td>'
            for ms in (fact.endpoint_ms, fact.text_ms, fact.result_ms, fact.out_ms, fact.speaker_ms, fact.total_ms)
        )
        + f'<td class="soft">{escape(kind)}</td></tr>'
        for fact, kind in list(zip(facts, kinds, strict=True))[:MAX_ROWS]
    )
    if not rows:
        return ""
    words = _counted(len(first), {sound.utterance for sound in first}, facts, kinds) if report.expectations else ""
    return _section("Where the time of the answers went", f"<table><tr>{head}</tr>{rows}</table>{words}")


LATER = "a later reply to the same words"
OTHER = "not an answer to an expected request"


def _kind_of_answer(fact: TimingFact, earlier: Sequence[TimingFact], first: dict[int, str]) -> str:
    if fact.utterance in first:
        return f"first sound: {first[fact.utterance]}"
    return LATER if any(one.words_end_s == fact.words_end_s for one in earlier) else OTHER


def _counted(requests: int, first: set[int], facts: Sequence[TimingFact], kinds: Sequence[str]) -> str:
    """Which rows the figures of time to first sound count, and what is in only one of the two."""
    here = first & {fact.utterance for fact in facts}
    more = [(kinds.count(LATER), LATER + ", such as a result after “One moment.”"), (kinds.count(OTHER), OTHER)]
    left_out = "; ".join(f"{count} {words}" for count, words in more if count)
    missing = (
        f" {len(first - here)} of the figures’ first sounds have no row: the cloud had no timing of them." if first - here else ""
    )
    return (
        f'<p class="soft">{_plural(len(facts), "row")}, one a reply; the figures of time to first sound count one a request: {requests}, each from the end of '
        f"its words as annotated (here: as the cloud heard it).{f' Not counted there: {left_out}.' if left_out else ''}{missing}</p>"
    )


def _notices(report: Report) -> str:
    rows = "".join(
        f'<tr><td class="t">{clock(notice.at_s)}</td><td class="mono">{escape(notice.code)}</td><td>{escape(notice.text)}</td></tr>'
        for notice in [notice for notice in report.record.notices if notice.code != "heard"][:MAX_ROWS]
    )
    return _section("Notices", f"<table>{rows}</table>") if rows else ""
