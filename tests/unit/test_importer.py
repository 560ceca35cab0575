"""Trips from elsewhere: any WAV, video by time stamps, signal tables, GPX; and a sentence for every bad file."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from ridealong.cli import main
from ridealong.errors import UserError
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.trip.importer import ImportPlan, build_trip
from ridealong.simulators.trip.loading import load_trip
from ridealong.simulators.trip.sources import Fix, gps_offset, parse_gpx, read_audio
from ridealong.vehicle_skills.signals import SPEED

pytestmark = pytest.mark.unit


def write_wav(path: Path, samples: np.ndarray, rate: int) -> Path:
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(samples.astype("<i2").tobytes())
    return path


def tone(hz: float, seconds: float, rate: int) -> np.ndarray:
    return np.rint(8000 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(np.int16)


def pitch(samples: np.ndarray, rate: int = CLOCK_HZ) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * rate / len(samples))


def write_video(path: Path, seconds: int = 4, fps: int = 10, size: tuple[int, int] = (960, 540)) -> Path:
    import cv2

    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, size)
    for index in range(seconds * fps):
        video.write(np.full((size[1], size[0], 3), index * 255 // (seconds * fps), dtype=np.uint8))
    video.release()
    return path


GPX = """<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
<trkpt lat="48.1" lon="11.5"><time>2026-05-01T10:00:00Z</time></trkpt>
<trkpt lat="48.1001" lon="11.5"><time>2026-05-01T10:00:01Z</time></trkpt>
<trkpt lat="48.1000" lon="11.5"><time>2026-05-01T09:59:59Z</time></trkpt>
<trkpt lat="48.1003" lon="11.5"><time>2026-05-01T10:00:02+00:00</time></trkpt>
</trkseg></trk></gpx>"""


@pytest.mark.parametrize("rate", [8000, 16_000, 22_050, 44_100, 48_000])
def test_any_rate_keeps_length_and_pitch(tmp_path: Path, rate: int) -> None:
    samples, found, channels = read_audio(write_wav(tmp_path / "a.wav", tone(440, 2.0, rate), rate))
    assert (found, channels) == (rate, 1)
    assert abs(len(samples) - 2 * CLOCK_HZ) <= 2
    assert pitch(samples) == pytest.approx(440, abs=1)


def test_stereo_takes_the_left_channel(tmp_path: Path) -> None:
    both = np.stack([tone(300, 1.0, 48_000), tone(1000, 1.0, 48_000)], axis=1)
    samples, _, channels = read_audio(write_wav(tmp_path / "a.wav", both, 48_000))
    assert channels == 2 and pitch(samples) == pytest.approx(300, abs=2)


def test_a_whole_trip_goes_in_and_comes_out(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        "time_s,path,value\n0,Vehicle.Speed,0\n2.5,Vehicle.Speed,50\n1,Vehicle.Cabin.Door.Row1.DriverSide.Window.Position,10\n99,Vehicle.Speed,1\n"
    )
    (tmp_path / "t.gpx").write_text(GPX)
    (tmp_path / "e.yaml").write_text("trip: monday\nlocale: zh\nexpect:\n  - {id: a, said: {from: 0.5, to: 1}, nothing: true}\n")
    plan = ImportPlan(
        write_wav(tmp_path / "a.wav", tone(440, 3.0, 44_100), 44_100), write_video(tmp_path / "v.mp4"), tmp_path / "s.csv", tmp_path / "t.gpx",
        tmp_path / "e.yaml",
    )  # fmt: skip
    summary = build_trip(plan, tmp_path / "t.mcap")
    assert (summary.name, summary.frames, summary.signals, summary.fixes, summary.expectations) == ("monday", 6, 3, 3, 1)
    assert any("1 signal rows after the end" in note for note in summary.notes)
    trip = load_trip(tmp_path / "t.mcap")
    assert trip.name == "monday" and trip.duration_s == pytest.approx(3.0, abs=0.001)
    assert np.array_equal(trip.microphone, read_audio(plan.audio)[0])
    assert [frame.at / CLOCK_HZ for frame in trip.frames] == pytest.approx([0, 0.5, 1.0, 1.5, 2.0, 2.5], abs=0.01)
    assert (trip.frames[0].width, trip.frames[0].height) == (640, 360)
    assert [(sample.at / CLOCK_HZ, sample.value) for sample in trip.signals] == [(0, 0.0), (1, 10), (2.5, 50.0)]
    assert trip.meta["gpx_offset_source"] == "assumed" and trip.meta["gpx_uncertainty_s"] == 60.0
    assert [item.id for item in trip.expected.expect] == ["a"] and trip.expected.locale == "zh"
    assert not list(tmp_path.glob(".*part"))


def test_gps_steps_back_are_dropped_and_speed_is_derived() -> None:
    fixes = parse_gpx(GPX, "t.gpx")
    assert [fix.at_s for fix in fixes] == [0, 1, 2]
    assert fixes[1].speed_kmh == pytest.approx(11.12 * 3.6, rel=0.01)
    assert fixes[1].heading_deg == pytest.approx(0, abs=1)


def test_the_gps_offset_is_found_by_the_cars_own_speed() -> None:
    from ridealong.simulators.car.plant import SignalSample

    curve = [40 + 30 * np.sin(at / 9) + 15 * np.sin(at / 3.1) for at in range(200)]
    car = [SignalSample(float(at), SPEED, float(value)) for at, value in enumerate(curve)]
    fixes = [Fix(float(at), 48, 11, float(curve[at + 25]), 0) for at in range(120)]
    assert gps_offset(fixes, car) == 25
    assert gps_offset([Fix(float(at), 48, 11, float(at % 3), 0) for at in range(120)], car) is None


BAD = [
    (["--audio", "missing.wav"], "there is no such audio file"),
    (["--audio", "."], "is a folder"),
    (["--audio", "text.txt"], "is not a sound file"),
    (["--audio", "short.wav"], "less than a tenth of a second"),
    (["--audio", "v.mp4"], "is not a sound file"),
    (["--audio", "a.wav", "--video", "text.txt"], "is not a video"),
    (["--audio", "a.wav", "--video", "a.wav"], "holds no whole picture"),
    (["--audio", "a.wav", "--signals", "header.csv"], "time_s,path,value"),
    (["--audio", "a.wav", "--signals", "row.csv"], "line 3"),
    (["--audio", "a.wav", "--signals", "value.csv"], "line 2"),
    (["--audio", "a.wav", "--signals", "outside.csv"], "after the end of the sound"),
    (["--audio", "a.wav", "--signals", "missing.csv"], "no such signal table"),
    (["--audio", "a.wav", "--gpx", "text.txt"], "this is not GPX"),
    (["--audio", "a.wav", "--gpx", "bomb.gpx"], "document type"),
    (["--audio", "a.wav", "--gpx", "t.gpx", "--gpx-offset", "500"], "no fix falls within"),
    (["--audio", "a.wav", "--expect", "key.yaml"], "did you mean 'reply'?"),
    (["--audio", "a.wav", "--expect", "late.yaml"], "after the end of the audio"),
    (["--audio", "a.wav", "--video", "v.mp4", "--video-offset", "100"], "no picture falls within"),
    (["--audio", "a.wav", "--out", "nowhere/t.mcap"], "is no folder"),
]


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "text.txt").write_text("hello, this is text")
    write_wav(folder / "a.wav", tone(440, 2.0, 16_000), 16_000)
    write_wav(folder / "short.wav", tone(440, 0.01, 16_000), 16_000)
    write_video(folder / "v.mp4", seconds=1)
    (folder / "header.csv").write_text("when,what,how\n1,2,3\n")
    (folder / "row.csv").write_text("time_s,path,value\n0,Vehicle.Speed,1\n1,Vehicle.Speed\n")
    (folder / "value.csv").write_text("time_s,path,value\n0,Vehicle.Cabin.Door.Row1.DriverSide.Window.Position,400\n")
    (folder / "outside.csv").write_text("time_s,path,value\n100,Vehicle.Speed,1\n")
    (folder / "t.gpx").write_text(GPX)
    (folder / "bomb.gpx").write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><gpx>&a;</gpx>')
    (folder / "key.yaml").write_text("expect:\n  - {id: a, said: {from: 0, to: 1}, repli: {heard: true}}\n")
    (folder / "late.yaml").write_text("expect:\n  - {id: a, said: {from: 0, to: 100}, nothing: true}\n")
    return folder


@pytest.mark.parametrize(("options", "words"), BAD)
def test_every_bad_source_is_one_sentence_and_leaves_nothing(
    bad_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    monkeypatch.chdir(bad_files)
    assert main(["trip", "import", *([] if "--out" in options else ["-o", "out.mcap"]), *options]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (bad_files / "out.mcap").exists() and not list(bad_files.glob(".*part"))


def test_a_cut_off_wav_gives_what_there_is(tmp_path: Path) -> None:
    whole = write_wav(tmp_path / "a.wav", tone(440, 2.0, 16_000), 16_000).read_bytes()
    (tmp_path / "cut.wav").write_bytes(whole[: len(whole) // 2])
    samples, _, _ = read_audio(tmp_path / "cut.wav")
    assert 0.9 * CLOCK_HZ < len(samples) <= CLOCK_HZ


def test_info_and_a_damaged_trip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_trip(ImportPlan(write_wav(tmp_path / "a.wav", tone(440, 2.0, 16_000), 16_000)), tmp_path / "t.mcap")
    assert main(["trip", "info", str(tmp_path / "t.mcap"), "--json", str(tmp_path / "i.json")]) == 0
    assert "10 MicBlock" in capsys.readouterr().out and '"duration_s": 2.0' in (tmp_path / "i.json").read_text()
    content = (tmp_path / "t.mcap").read_bytes()
    (tmp_path / "bad.mcap").write_bytes(content[: len(content) // 2])
    assert main(["trip", "info", str(tmp_path / "bad.mcap")]) == 2
    assert main(["trip", "info", str(tmp_path / "a.wav")]) == 2
    with pytest.raises(UserError, match="is not a trip"):
        load_trip(tmp_path / "a.wav")


def test_a_misspelt_path_is_noted_with_the_nearest() -> None:
    from ridealong.simulators.trip.importer import unknown_paths

    (note,) = unknown_paths({"Vehicle.Speed", "Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperatur"})
    assert note.endswith("did you mean Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature?")
    assert unknown_paths({"Vehicle.Speed"}) == []
