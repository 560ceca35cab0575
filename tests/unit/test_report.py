"""The report: self-contained, escapes everything, strikes out what was not heard, shows at most sixty pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridealong.simulators.replay.figures import Figure, figures, first_sounds, percentile, to_json, wilson
from ridealong.simulators.replay.report import Report, render, struck
from ridealong.simulators.trip.expected import parse
from ridealong.simulators.trip.judge import judge
from ridealong.simulators.trip.record import (
    ActuationFact,
    CaptionFact,
    ControlFact,
    FrameFact,
    NoticeFact,
    RunRecord,
    SignalChange,
    Sound,
    TimingFact,
    UtteranceFact,
    WorkFact,
)

pytestmark = pytest.mark.unit

EVIL = "<script>alert('x')</script>\"&"


def sample(text: str = "It is warm.", heard: str = "It is") -> RunRecord:
    return RunRecord(
        duration_s=30,
        real_time=True,
        signals=[
            SignalChange(0, "Vehicle.Speed", 0.0),
            SignalChange(9, "Vehicle.Speed", 50.0),
            SignalChange(3, "Vehicle.A", text),
        ],
        actuations=[ActuationFact(5, 4.8, "k", "climate", (("Vehicle.Cabin." + text, text),), "refused", text)],
        utterances=[UtteranceFact(1, 0, 5.0, 5.5, 7.0, text, heard, "flushed", 48_000, 24_000, 24_000, "w")],
        captions=[CaptionFact(4.9, "user", text, 2.0, 4.8, "assistant"), CaptionFact(9, "user", text, 8, 9, "other")],
        work=[WorkFact(4.9, "w", "running", "none", text, text), WorkFact(6, "w", "completed", "pending")],
        controls=[ControlFact(1, 0, "listen"), ControlFact(6, 5, "speak")],
        frames=[FrameFact(at, at, at % 3 == 0, "similar", True) for at in range(30)]
        + [FrameFact(1, 99, True, text, False, not_sent_because=text)],
        sounds=[Sound(5.5, 7)],
        notices=[NoticeFact(1, text, text)],
    )


def whole(text: str = "It is warm.", pictures: int = 30) -> str:
    record = sample(text, text[:5])
    expected = parse("expect:\n  - id: a\n    said: {from: 2, to: 4.8, text: warm}\n    reply: {contains_any: [warm]}\n").expect
    outcomes = judge(expected, record)
    jpegs = dict.fromkeys([*range(pictures), 99], b"\xff\xd8")
    return render(Report(text, record, expected, outcomes, figures(expected, record, outcomes), jpegs, [0.5] * 300, [text]))


class Balance(HTMLParser):
    VOID = frozenset(("meta", "img", "br", "rect", "line", "circle", "polygon", "polyline"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in self.VOID or (
            tag in ("rect", "circle", "polyline") and not (self.get_starttag_text() or "").endswith("/>")
        ):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


@pytest.mark.parametrize("text", ["It is warm.", EVIL, "车窗<b>打开</b>", ""])
def test_well_formed_self_contained_and_escaped(text: str) -> None:
    page = whole(text)
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert "script" not in parser.seen and "b>打开" not in re.sub("&lt;b&gt;", "", page)
    assert not re.findall(r"""(?:src|href)=["']?(?!data:)[^"'\s>]""", page)
    assert "http" not in page and "url(" not in page


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30))
def test_any_text_can_be_shown(text: str) -> None:
    parser = Balance()
    parser.feed(whole(text, pictures=2))
    assert parser.open == []


def test_what_was_not_heard_is_struck_out() -> None:
    fact = sample("It is warm outside.", "It is warm").utterances[0]
    assert struck(fact) == "It is warm<del> outside.</del>"
    assert struck(sample("Done.", "Done.").utterances[0]) == "Done."


def test_at_most_sixty_pictures() -> None:
    record = RunRecord(duration_s=300, frames=[FrameFact(at, at, True, "changed", True) for at in range(300)])
    page = render(Report("t", record, pictures=dict.fromkeys(range(300), b"x")))
    assert page.count("<img") == 60


def test_a_run_in_which_nothing_happened_still_has_a_report() -> None:
    page = render(Report("quiet", RunRecord(duration_s=5)))
    assert "Nobody spoke." in page and "Nothing was asked of the car." in page


def test_every_table_is_in_order_of_time() -> None:
    """Facts come in as the node learns them, and people order what they expect as they like."""
    expected = parse(
        """\
expect:
  - {id: b, said: {from: 10, to: 12}, reply: true}
  - {id: a, said: {from: 1, to: 2}, reply: true}
"""
    ).expect
    record = RunRecord(
        real_time=True,
        duration_s=60,
        timings=[TimingFact(9, 2, "", 8.0, 1, 1, 1, 1, 1), TimingFact(30, 1, "w", 3.0, 1, 1, 1, 1, 1)],
        actuations=[ActuationFact(20, 19, "k", "g", (("Vehicle.A", 1),)), ActuationFact(18, 4, "l", "g", (("Vehicle.A", 1),))],
    )
    page = render(Report("t", record, expected, judge(expected, record)))
    tables = re.findall(r"<table>.*?</table>", page, re.DOTALL)
    times = [re.findall(r'<td class="t">([\d:.]+)</td>', table) for table in tables]
    assert [len(column) for column in times if column] == [2, 2, 2]
    assert all(column == sorted(column) for column in times)


def test_first_sound_is_measured_from_the_annotated_end_and_only_in_real_time() -> None:
    expected = parse(
        """\
expect:
  - {id: a, said: {from: 1, to: 2}, reply: true}
  - {id: b, said: {from: 10, to: 12}, reply: true}
  - {id: c, said: {from: 20, to: 21}, reply: true}
  - {id: d, said: {from: 25, to: 26}, nothing: true}
"""
    ).expect
    record = RunRecord(real_time=True, duration_s=60)
    for started_s in (3.25, 13.0, 14.0, 26.5):
        record.utterances.append(UtteranceFact(1, 0, started_s, started_s, started_s + 1, "x", "x", "finished"))
    assert [sound.ms for sound in first_sounds(expected, record)] == [1250.0, 1000.0, 5500.0]
    unanswered = replace(record, utterances=[item for item in record.utterances if item.started_s != 3.25])
    assert [sound.ms for sound in first_sounds(expected, unanswered)] == [1000.0, 5500.0]  # b's answer is not a late one of a
    by_name = {figure.name: figure for figure in figures(expected, record, [])}
    assert by_name["first_sound_p50_ms"].value == 1250.0 and by_name["first_sound_p95_ms"].value == 5500.0
    record.real_time = False
    by_name = {figure.name: figure for figure in figures(expected, record, [])}
    assert by_name["first_sound_p50_ms"].value is None and by_name["first_sound_p50_ms"].shown() == "not measured"
    assert '"value": null' in to_json("trip replay", 1, list(by_name.values()))


def test_percentiles_and_intervals() -> None:
    assert percentile([], 0.5) is None and percentile([3.0, 1.0, 2.0], 0.5) == 2.0 and percentile([1.0, 2.0], 0.95) == 2.0
    low, high = wilson(9, 10)
    assert 0.59 < low < 0.60 and 0.98 < high < 0.99  # published value: 0.596, 0.982
    assert Figure("x", 1234.0, "bytes", 1).shown() == "1,234 bytes" and Figure("x", 7_340_112.0, "bytes", 1).shown() == "7.3 MB"


def test_the_outcomes_and_the_talk_give_one_time_for_the_same_words() -> None:
    said = "expect:\n  - id: a\n    said: {from: 12.9, to: 15.0, text: warmer please}\n    reply: {contains_any: [x]}\n"
    expected = parse(said).expect
    record = RunRecord(
        duration_s=30,
        captions=[
            CaptionFact(12.95, "user", "radio", 10.0, 12.95, "other"),
            CaptionFact(15.5, "user", "warmer please", 13.02, 15.1, "assistant"),
        ],
    )
    page = render(Report("t", record, expected, judge(expected, record)))
    outcomes, talk = page.split("The talk")
    assert '<td class="t">0:13</td>' in outcomes and '<div class="at">0:13</div>' in talk
    alone = render(Report("t", RunRecord(duration_s=30), expected, judge(expected, RunRecord())))
    assert '<td class="t">0:12</td>' in alone


def test_the_table_of_times_says_which_rows_the_figures_count() -> None:
    expected = parse(
        """\
expect:
  - {id: window, said: {from: 1, to: 2}, reply: true}
  - {id: speed, said: {from: 20, to: 21}, reply: true}
"""
    ).expect
    record = RunRecord(real_time=True, duration_s=60)
    for utterance, words_s, started_s in ((1, 2.1, 3.0), (2, 2.1, 6.0), (3, 21.1, 22.0), (4, 40.0, 41.0)):
        record.utterances.append(UtteranceFact(utterance, 0, started_s, started_s, started_s + 1, "x", "x", "finished"))
        record.timings.append(TimingFact(started_s, utterance, "", words_s, 1, 1, 1, 1, 1))
    page = render(Report("t", record, expected, (), figures(expected, record, [])))
    assert "4 rows, one a reply; the figures of time to first sound count one a request: 2" in page
    assert "1 a later reply to the same words" in page and "1 not an answer to an expected request" in page
    assert "first sound: window" in page and "first sound: speed" in page and "have no row" not in page
    del record.timings[2]
    assert "1 of the figures’ first sounds have no row" in render(Report("t", record, expected))
