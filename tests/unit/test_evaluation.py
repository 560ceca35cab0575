"""The evaluation's machinery without models: cues in the room, the conductor, rides with the scripted front-end, results, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from ridealong.cli import main
from ridealong.errors import UserError
from ridealong.harness.polish import polish
from ridealong.proto.types import CLOCK_HZ, Samples, samples_from_ms
from ridealong.simulators.evaluation.conducting import Ask, Conductor, End, Look
from ridealong.simulators.evaluation.facts import Facts, from_raw, to_raw
from ridealong.simulators.evaluation.fdb_riding import STAND_IN
from ridealong.simulators.evaluation.figures import figures, scores_of
from ridealong.simulators.evaluation.hearing import speech_segments, spread
from ridealong.simulators.evaluation.placing import ScenarioRoom
from ridealong.simulators.evaluation.report import confusion, tables
from ridealong.simulators.evaluation.results import Results, fresh_folder, prepare
from ridealong.simulators.evaluation.riding import Riding
from ridealong.simulators.evaluation.saying import asked, saying
from ridealong.simulators.evaluation.scoring import Overlap, overlaps, strays
from ridealong.simulators.evaluation.tables import Table, as_markdown, as_text
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind
from tests.unit.evaluation_scenes import REPLY, scenario, scripted, sound, tone

pytestmark = pytest.mark.unit


def s(seconds: float) -> Samples:
    return Samples(round(seconds * CLOCK_HZ))


# --- the room ----------------------------------------------------------------------------------------------------------


def play(room: ScenarioRoom, at: Samples, samples: np.ndarray) -> None:
    room.speaker_sink(at, samples.astype("<i2").tobytes())


def test_a_cued_sound_begins_so_long_after_the_first_sample_of_its_reply() -> None:
    room = ScenarioRoom(
        scenario(
            sound(Kind.BACKCHANNEL, 500, 100),
            sound(Kind.NOISE, 250, 100, turn=1),
            sound(Kind.BACKGROUND, 100, 100, cue=Cue.ASKED, turn=1),
            replies=("a", "b"),
        )
    )
    play(room, s(1), np.full(480, 5_000))  # heard before anything was asked for
    assert not room.replies_at and not room.microphone_source(s(1), CLOCK_HZ).any()
    room.expect(s(2.5))
    quiet_then_loud = np.concatenate([np.full(240, 20), np.full(240, -5_000)])
    play(room, s(3), quiet_then_loud)
    play(room, s(3.02), np.full(480, 5_000))
    begins = s(3) + 160
    assert room.replies_at == [begins]
    heard = room.microphone_source(s(3), CLOCK_HZ)
    assert not heard[: 160 + s(0.5)].any() and heard[160 + s(0.5) :][:1600].any() and not heard[160 + s(0.6) :].any()
    room.expect(s(7.5))
    play(room, s(8), np.full(480, 5_000))
    assert [(label.kind, label.onset, label.reply) for label in room.placed()] == [
        ("backchannel", begins + s(0.5), 0), ("background", s(7.6), 1), ("noise", s(8.25), 1)
    ]  # fmt: skip


def test_however_the_microphone_is_read_it_hears_the_same() -> None:
    room = ScenarioRoom(scenario(sound(Kind.REQUEST, 333, 200, cue=Cue.CLOCK), bed=tone(70, 90, 50), replies=()))
    whole = room.microphone_source(Samples(0), CLOCK_HZ)
    pieces = [room.microphone_source(Samples(at), 320) for at in range(0, CLOCK_HZ, 320)]
    assert np.array_equal(whole, np.concatenate(pieces))
    assert np.array_equal(whole[:1120], tone(70, 90, 50)) and np.array_equal(whole[1120:2240], whole[:1120])


# --- the conductor -----------------------------------------------------------------------------------------------------


def conducted(conductor: Conductor, until_s: float, busy: list[tuple[float, float]], replies: list[float], spoken_from: float = 1e9, understood_s: float = 0) -> list[tuple[float, object]]:  # fmt: skip
    orders: list[tuple[float, object]] = []
    for step in range(round(until_s * 4)):
        now = step / 4
        heard = tuple(s(at) for at in replies if at <= now)
        is_busy = any(start <= now < end for start, end in busy)
        orders += [(now, order) for order in conductor.on(Look(s(now), is_busy, heard, now >= spoken_from, s(understood_s)))]
        if orders and isinstance(orders[-1][1], End):
            break
    return orders


def test_texts_come_one_after_the_other_when_it_has_been_quiet() -> None:
    conductor = Conductor(scenario(sound(Kind.BACKCHANNEL, 1_000), sound(Kind.NOISE, 1_000, turn=1), replies=("a", "b")))
    orders = conducted(conductor, 60, [(1, 11), (13, 20)], [2.0, 14.0])
    assert orders[:2] == [(0.5, Ask(0)), (12.25, Ask(1))] and orders[2] == (22.75, End())


def test_an_interruption_is_given_time_for_its_answer() -> None:
    conductor = Conductor(scenario(sound(Kind.INTERRUPTION, 1_000, 1_000, intent=Intent.STOP), replies=("a", "b")))
    orders = conducted(conductor, 30, [(1, 4.5)], [2.0], understood_s=4.0)
    assert orders[1] == (8.0, Ask(1))  # four seconds after its last word
    conductor = Conductor(scenario(sound(Kind.INTERRUPTION, 1_000, 1_000, intent=Intent.STOP), replies=("a", "b")))
    assert conducted(conductor, 30, [(1, 4.5)], [2.0])[1] == (12.0, Ask(1))  # its words never came


def test_the_users_own_request_comes_first() -> None:
    request = sound(Kind.REQUEST, 1_000, 1_000, cue=Cue.CLOCK)
    unanswered = conducted(Conductor(scenario(request)), 20, [], [])
    assert unanswered[0] == (10.0, Ask(0))
    answered = conducted(Conductor(scenario(request)), 20, [(3, 5)], [], spoken_from=3)
    assert answered[0] == (6.25, Ask(0))


def test_a_text_that_is_never_heard_and_one_that_never_ends_end_the_ride() -> None:
    assert conducted(Conductor(scenario()), 60, [], [])[-1] == (25.75, End())
    assert conducted(Conductor(scenario()), 200, [(0, 500)], [1.0])[-1] == (91.0, End())
    assert conducted(Conductor(scenario(replies=(), length_ms=3_000)), 20, [], []) == [(6.0, End())]


# --- rides -------------------------------------------------------------------------------------------------------------


def test_a_ride_shows_a_cut_at_an_interruption_and_none_at_a_backchannel(tmp_path: Path) -> None:
    sounds = (sound(Kind.BACKCHANNEL, 1_500), sound(Kind.INTERRUPTION, 1_000, intent=Intent.STOP, turn=1))
    told = scenario(*sounds, replies=(REPLY, REPLY))
    system = scripted(tmp_path, "{unit: 9, interrupt: true}")
    facts = Riding(told, "overlaps").run(system)
    assert not facts.broken and len(facts.replies_at) == 2
    first, second = overlaps(facts)
    assert first.judgeable and first.right and not first.stopped
    assert second.stopped and second.verdict == "interruption"
    assert second.silence_from_verdict_ms is not None and second.silence_from_verdict_ms <= 200  # network and sound device
    assert strays(facts).stale_samples == 0
    assert replace(Riding(told, "overlaps").run(system), timed=facts.timed) == facts  # the same again


def test_a_sound_is_placed_on_the_sample_and_the_recording_is_in_step(tmp_path: Path) -> None:
    riding = Riding(scenario(sound(Kind.NOISE, 700)), "overlaps")
    riding.watch.keep_sound = True
    facts = riding.run(scripted(tmp_path))
    assert facts.sounds[0].onset == facts.replies_at[0] + samples_from_ms(700)
    played = riding.watch.sound(facts.duration)
    first = int(np.flatnonzero(np.abs(played) >= 100)[0]) * 2 // 3
    assert abs(first - facts.replies_at[0]) <= 1


def test_a_reply_that_is_never_said_makes_a_broken_ride(tmp_path: Path) -> None:
    facts = Riding(scenario(sound(Kind.NOISE, 700), replies=("**",)), "overlaps", skills=(saying({asked("en"): ""}),)).run(
        scripted(tmp_path)
    )
    assert facts.broken == "reply 1 was never heard"
    scores = scores_of([facts])
    assert scores.broken == [("s", "reply 1 was never heard")] and not scores.overlaps


def test_texts_that_speech_would_shorten_are_refused() -> None:
    with pytest.raises(UserError, match="at most three plain sentences"):
        saying({"x": "One. Two. Three. Four."})
    assert all(polish(text) == text for text in STAND_IN.values())


# --- figures and tables ------------------------------------------------------------------------------------------------


def overlap(kind: str, verdict: str, right: bool, snr: float | None = None, intent: str = "", locale: str = "en") -> Overlap:
    responds = kind == "interruption"
    stopped = right is responds
    return Overlap("x", kind, intent, locale, snr, False, True, stopped, False, stopped, False, not stopped, verdict)


def test_figures_carry_the_contracts_names_and_intervals() -> None:
    scores = scores_of([])
    scores.overlaps = [overlap("interruption", "interruption:stop", True, 5.0, "stop") for _ in range(19)]
    scores.overlaps += [overlap("interruption", "backchannel", False, None, "stop"), overlap("background", "background", True)]
    by_name = {row.name: row for row in figures(scores)}
    wanted = {
        "respond.interruption", "resume.backchannel", "resume.other_directed", "resume.background", "duck_p95_ms",
        "silence_from_verdict_p95_ms", "silence_from_onset_p95_ms", "stale_samples", "self_triggered_turns", "noise_turns", "response_p50_ms",
        "response_p95_ms",
    }  # fmt: skip
    assert wanted <= set(by_name)
    row = by_name["respond.interruption"]
    assert row.value == pytest.approx(0.95) and row.n == 20 and row.low is not None and row.low < 0.95 < (row.high or 0)
    assert by_name["respond.interruption@5dB"].value == 1.0 and by_name["respond.interruption@clean"].value == 0.0
    assert (
        by_name["noise_turns"].value is None and by_name["response_p50_ms"].value is None
    )  # nothing was ridden: no zero is claimed


def test_latency_of_untimed_rides_is_not_measured() -> None:
    scores = scores_of([])
    scores.overlaps = [replace(overlap("interruption", "interruption", True), silence_from_onset_ms=400.0)]
    assert {row.name: row.value for row in figures(scores)}["silence_from_onset_p95_ms"] is None
    scores.timed = True
    assert {row.name: row.value for row in figures(scores)}["silence_from_onset_p95_ms"] == 400.0


def test_a_confusion_matrix_counts_every_sound_once() -> None:
    judged = [
        overlap("interruption", "interruption:stop", True, intent="stop"), overlap("interruption", "", False, intent="correct"),
        overlap("noise", "noise", True), overlap("noise", "interruption:stop", False), overlap("noise", "noise", True, snr=0.0),
    ]  # fmt: skip
    table = confusion(judged, "clean")
    assert table is not None
    cells = {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}
    assert cells["noise"]["noise"] == "1" and cells["noise"]["interruption: stop"] == "1"
    assert cells["interruption: correct"]["no verdict"] == "1"
    assert sum(int(cell) for row in table.rows for cell in row[1:] if cell != "·") == 4
    assert confusion(judged, "5 dB") is None


def test_tables_print_and_paste() -> None:
    table = Table("T", ("", "值"), (("a|b", "1"), ("长", "22")), "note")
    assert as_text([table]).splitlines()[1:4] == ["       值", "  a|b   1", "  长   22"]
    assert "| a\\|b | 1 |" in as_markdown([table]) and as_markdown([table]).startswith("## T\n\n|  | 值 |\n|---|---:|\n")
    assert tables(scores_of([]), real_time=False)[0].title == "Figures"


# --- hearing -----------------------------------------------------------------------------------------------------------


def test_words_are_spread_over_their_segment() -> None:
    found = spread("Hello, 你好 you.", 2.0, 4.0)
    assert [word.text for word in found] == ["Hello,", "你", "好", "you."]
    assert found[0].start == 2.0 and found[-1].end == pytest.approx(4.0)
    assert spread(" .。", 0, 1) == []


def test_segments_bridge_short_silence_and_leave_out_clicks() -> None:
    frames = [0.0] * 10 + [0.9] * 10 + [0.1] * 2 + [0.9] * 10 + [0.0] * 20 + [0.9] * 3 + [0.0] * 10
    (found,) = speech_segments(frames, len(frames) * 0.032)
    assert found.start == pytest.approx(0.32 - 0.03) and found.end == pytest.approx(32 * 0.032 + 0.03)
    assert len(speech_segments([0.9] * 20, 0.64)) == 1  # speech to the end


# --- results and command -----------------------------------------------------------------------------------------------


def test_a_run_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "rides.jsonl"
    first, second = Facts("a", "turns", "en"), Facts("b", "turns", "zh")
    with Results(path, to_raw, from_raw) as results:
        results.add(first)
        results.add(second)
    path.write_text(path.read_text()[:-20])  # cut off in the middle of a line
    with Results(path, to_raw, from_raw) as results:
        assert results.items == [first]
        results.add(second)
    with Results(path, to_raw, from_raw) as results:
        assert results.items == [first, second]
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(UserError, match="line 1"):
        Results(path, to_raw, from_raw)


def test_wherever_a_line_was_cut_off_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "rides.jsonl"
    kept, cut = (Facts("a", "turns", "zh", noise="路上\u2028\u0085\r车"), Facts("b", "turns", "zh", noise="打开车窗"))
    with Results(path, to_raw, from_raw) as results:
        results.add(kept)
        first = path.stat().st_size
        results.add(cut)
    whole = path.read_bytes()
    for size in range(first, len(whole) + 1):  # also within a character, and before the line feed alone
        path.write_bytes(whole[:size])
        done = [kept] if size < len(whole) else [kept, cut]
        with Results(path, to_raw, from_raw) as results:
            assert results.items == done
            results.add(cut)
        with Results(path, to_raw, from_raw) as results:
            assert results.items == [*done, cut]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence_and_the_ride_is_made_again(tmp_path: Path) -> None:
    with Results(tmp_path / "rides.jsonl", to_raw, from_raw) as results:
        results._file.close()
        results._file = Path("/dev/full").open("a")  # noqa: SIM115 (closed by `results`)
        with pytest.raises(UserError, match="go on with the same --out"):
            results.add(Facts("a", "turns", "en"))
        assert not results.items


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    prepare(tmp_path / "a", {"seed": 1})
    prepare(tmp_path / "a", {"seed": 1})
    with pytest.raises(UserError, match="begun with seed 1, not 2"):
        prepare(tmp_path / "a", {"seed": 2})
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "letters.txt").write_text("")
    with pytest.raises(UserError, match="something else"):
        prepare(tmp_path / "b", {})
    (tmp_path / "a" / "run.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read"):
        prepare(tmp_path / "a", {"seed": 1})
    (tmp_path / "a" / "run.json").write_text("[]")
    with pytest.raises(UserError, match="cannot be read"):
        prepare(tmp_path / "a", {"seed": 1})
    for name in ("eval-duplex-007", "eval-duplex-009-old", "eval-duplex-1 copy"):
        (tmp_path / name).mkdir()
    assert fresh_folder(tmp_path).name == "eval-duplex-008"


def benchmark(folder: Path) -> Path:
    for name in ("1", "2"):
        item = folder / "candor_turn_taking" / name
        item.mkdir(parents=True)
        soundfile.write(str(item / "input.wav"), np.zeros(2 * 8_000, np.float32), 8_000)
        (item / "turn_taking.json").write_text('[{"text": "[TURN-TAKING]", "timestamp": [0.5, 0.7]}]')
    (folder / "candor_turn_taking" / "2" / "turn_taking.json").write_text("no")
    return folder


def test_a_benchmark_folder_is_ridden_once_and_its_outputs_are_as_long_as_its_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script.yaml").write_text("- {unit: 0, say: one two three four}\n")
    config = tmp_path / "node.yaml"
    config.write_text(f"frontend: {{kind: scripted, script: {tmp_path / 'script.yaml'}}}\n")
    options = [
        "eval",
        "duplex",
        "--fdb",
        str(benchmark(tmp_path / "fdb")),
        "--config",
        str(config),
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*options, "--json", str(tmp_path / "f.json"), "--markdown", str(tmp_path / "f.md")]) == 0
    printed = capsys.readouterr()
    assert "turn_taking.json is not JSON" in printed.out and "1 of 1 rides" in printed.err
    output, rate = soundfile.read(str(tmp_path / "out" / "v1.0" / "candor_turn_taking" / "1" / "output.wav"))
    assert rate == 16_000 and len(output) == 2 * 16_000 and np.abs(output).max() > 0.1
    report = json.loads((tmp_path / "f.json").read_text())
    assert report["command"] == "eval duplex" and {row["name"] for row in report["figures"]} >= {"fdb1.candor_turn_taking.tor"}
    assert "| candor_turn_taking: take-over (higher is better) |" in (tmp_path / "f.md").read_text()
    assert main(options) == 0 and "rides" not in capsys.readouterr().err  # nothing was left to do
    config.write_text(f"{config.read_text()}# otherwise\n")
    assert main(options) == 2 and "was begun with config" in capsys.readouterr().err
    elsewhere = [str(benchmark(tmp_path / "other")) if option == str(tmp_path / "fdb") else option for option in options]
    assert main(elsewhere) == 2 and "was begun with fdb" in capsys.readouterr().err


def test_mistakes_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, words in [
        (["--fdb", str(tmp_path / "none")], "there is no folder"), (["--fdb", str(tmp_path)], "does not look like"), (["--limit", "0"], "--limit"),
        (["--jobs", "0"], "--jobs"), (["--json", str(tmp_path / "no" / "f.json")], "is no folder"),
        (["--json", str(tmp_path)], "is a folder"), (["--markdown", str(tmp_path)], "is a folder"), (["--seed", "-1"], "--seed"),
    ]:  # fmt: skip
        assert main(["eval", "duplex", *options, "--out", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        assert words in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()
