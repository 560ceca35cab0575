"""How long an answer takes: from the annotated end of the words to the first sample at the device's speaker.

    make bench-latency ARGS="[--limit N] [--seed N] [--json FILE] [--real-time] [--snr DB] [--cpu-share X] [--verbose]"

200 scripted turns (latency_turns.yaml: 100 requests, two voices each) are ridden through the whole system: device agent, link with a
round trip of 60 ms, node with the embedded front-end, simulated car, a sound device that needs 100 ms. Default: virtual time on
which each call of front-end and models takes as long as it took to compute on this machine, one call of each kind at a time.
`--real-time`: real gRPC on loopback and the wall clock; it takes as long as the talk. First sound counts whatever is said first,
first content only the answer itself. Charged is the smaller of elapsed and
processor time; on a machine that others use too the latter counts every core, so `--cpu-share 0.6` charges less of it (on two idle cores
synthesis took 0.5, recognition 1.0 of its processor time). `--snr`: road noise so far below the voice.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml
from arguments import at_least, new_file
from numpy.typing import NDArray

from ridealong.cloud.config import CloudConfig
from ridealong.cloud.frontends.cascade.assembly import assemble
from ridealong.cloud.frontends.cascade.audio import floats_from_pcm16, resample
from ridealong.cloud.frontends.cascade.speech_models import SpeechModels, load
from ridealong.proto.trip_records import SignalSample
from ridealong.proto.types import (
    CLOCK_HZ,
    Caption,
    DownlinkBody,
    PlaybackAck,
    PlaybackState,
    ReplyTiming,
    Samples,
    SignalValue,
    Speech,
    UplinkBody,
    UtteranceId,
)
from ridealong.simulators.network import preset
from ridealong.simulators.replay.assemble import Ride, cloud_config, ride
from ridealong.simulators.replay.figures import Figure, percentile, to_json, wilson
from ridealong.simulators.trip.loading import Trip
from ridealong.simulators.virtual_time import Stopwatch, VirtualTimeLoop
from ridealong.vehicle_skills.signals import IS_MOVING, SELECTED_GEAR, SPEED

VOICES = {"en": ("am_michael", "bf_emma", "bm_george"), "zh": ("zm_yunxi", "zf_xiaoxiao")}
SPEEDS = (1.0, 1.1, 0.92)
LEAD_S = 3.0
GAP_S = 9.0
LEVEL_DB = -24.0
FLOOR_DB = -68.0
EARLY_S = 0.3
STAGES = ("endpoint", "text", "result", "out", "speaker")
GOALS = {"response_p50_ms": "<= 1000", "response_p95_ms": "<= 1600"}


@dataclass(frozen=True, slots=True)
class Turn:
    kind: str
    text: str
    locale: str
    voice: str
    speed: float
    moving: bool


@dataclass(slots=True)
class Said:
    """A turn on the trip's clock, and what came of it."""

    turn: Turn
    start_s: float
    end_s: float
    heard: str = ""
    reply: str = ""
    sound_ms: float | None = None
    content_ms: float | None = None
    barged: bool = False  # the assistant was still speaking at the onset: another kind of turn
    stages: tuple[int, ...] = ()


@dataclass(slots=True)
class Observer:
    """Keeps what is needed of a run."""

    captions: list[Caption] = field(default_factory=list)
    speech: dict[int, tuple[str, str]] = field(default_factory=dict)  # utterance -> (work id, text)
    started: dict[int, float] = field(default_factory=dict)
    ended: dict[int, float] = field(default_factory=dict)
    timings: dict[int, ReplyTiming] = field(default_factory=dict)

    def sent(self, at: Samples, body: UplinkBody) -> None:
        if isinstance(body, PlaybackAck):
            self.started.setdefault(body.utterance, body.at / CLOCK_HZ)
            if body.state in (PlaybackState.FINISHED, PlaybackState.FLUSHED):
                self.ended[body.utterance] = body.at / CLOCK_HZ

    def received(self, at: Samples, body: DownlinkBody) -> None:
        match body:
            case Caption() if body.final and body.who == "user":
                self.captions.append(body)
            case Speech():
                work_id, text = self.speech.get(body.utterance, (body.work_id, ""))
                self.speech[body.utterance] = (work_id, f"{text} {body.text}".strip())
            case ReplyTiming():
                self.timings[body.utterance] = body
            case _:
                pass

    def rendered(self, at: Samples, pcm24k: bytes) -> None:
        pass

    def hole(self, at: Samples, utterance: UtteranceId, samples: int) -> None:
        pass

    def signal(self, at: Samples, path: str, value: SignalValue) -> None:
        pass


def turns(limit: int, seed: int) -> list[list[Turn]]:
    """Scenes of turns with one state of the car, one language and one voice each; `limit` takes some of each scene."""
    raw = yaml.safe_load(Path(__file__).with_name("latency_turns.yaml").read_text(encoding="utf-8"))
    scenes: list[list[Turn]] = []
    for state, by_locale in raw.items():
        for locale, rows in by_locale.items():
            for again in range(2):
                scene = []
                for number, (kind, text) in enumerate(rows):
                    voice = VOICES[locale][(number + again) % len(VOICES[locale])]
                    scene.append(Turn(kind, text, locale, voice, SPEEDS[(number + 2 * again) % 3], state == "moving"))
                scenes.append(scene)
    total = sum(map(len, scenes))
    if limit >= total:
        return scenes
    random.Random(seed).shuffle(scenes)
    scenes = scenes[: max(1, min(len(scenes), -(-limit // 5)))]
    share = -(-limit // len(scenes))
    return [scene[(at := (index * 7) % (len(scene) - share + 1)) : at + share] for index, scene in enumerate(scenes)]


def spoken(turn: Turn, models: SpeechModels) -> tuple[NDArray[np.float32], int]:
    """At the microphone's level, and the sample behind its last audible one."""
    made = models.synthesiser.synthesise(turn.text, turn.locale, turn.voice, turn.speed)
    clip = resample(floats_from_pcm16(made.pcm.tobytes()), made.rate, CLOCK_HZ)
    blocks = clip[: len(clip) // 320 * 320].reshape(-1, 320)
    power = (blocks**2).mean(axis=1)
    active_db = 10 * np.log10(power[power > power.max() * 10**-3.5].mean())
    last = int(np.flatnonzero(np.abs(clip) > 0.01)[-1]) + 1
    return (clip * 10 ** ((LEVEL_DB - active_db) / 20)).astype(np.float32), last


def road(samples: int, level_db: float, seed: int) -> NDArray[np.float32]:
    """Noise as of tyres and wind: falls with frequency from 60 Hz, slowly swelling."""
    random_numbers = np.random.default_rng(seed)
    spectrum = np.fft.rfft(random_numbers.standard_normal(samples))
    hz = np.fft.rfftfreq(samples, 1 / CLOCK_HZ)
    shape = np.where(hz < 60, (hz / 60) ** 2, (60 / np.maximum(hz, 60)) ** 0.9)
    noise = np.fft.irfft(spectrum * shape, samples)
    swell = 1 + 0.3 * np.sin(2 * np.pi * 0.13 * np.arange(samples) / CLOCK_HZ + seed)
    noise *= swell
    return (noise / np.sqrt((noise**2).mean()) * 10 ** (level_db / 20)).astype(np.float32)


def compose(scene: list[Turn], models: SpeechModels, snr_db: float | None, seed: int) -> tuple[Trip, list[Said]]:
    clips = [spoken(turn, models) for turn in scene]
    total = round(LEAD_S * CLOCK_HZ) + sum(len(clip) + round(GAP_S * CLOCK_HZ) for clip, _ in clips)
    mixed = road(total, FLOOR_DB if snr_db is None else LEVEL_DB - snr_db, seed)
    at = round(LEAD_S * CLOCK_HZ)
    said = []
    for turn, (clip, last) in zip(scene, clips, strict=True):
        mixed[at : at + len(clip)] += clip
        said.append(Said(turn, at / CLOCK_HZ, (at + last) / CLOCK_HZ))
        at += len(clip) + round(GAP_S * CLOCK_HZ)
    trip = Trip("latency", {}, (np.clip(mixed, -1, 1) * 32767).astype(np.int16))
    if scene[0].moving:
        for path, value in ((SPEED, 62.0), (SELECTED_GEAR, 127), (IS_MOVING, True)):
            trip.signals.append(SignalSample(Samples(0), path, value, "trip"))
    return trip, said


def run_scene(trip: Trip, models: SpeechModels, real_time: bool, seed: int, folder: Path) -> Observer:
    models.synthesiser.forget()  # no scene may have from an earlier one what was said there
    observer = Observer()
    how = Ride(
        cloud_config(CloudConfig(), folder),
        not real_time,
        seed,
        preset("rtt60"),
        charged=True,
        speaker_latency_ms=100.0,
        assemble=lambda settings, router: assemble(settings, router, models),
    )
    with asyncio.Runner(loop_factory=None if real_time else VirtualTimeLoop) as runner:
        runner.run(ride(trip, how, observer))
    return observer


def judge(said: list[Said], seen: Observer) -> None:
    for number, one in enumerate(said):
        next_s = said[number + 1].start_s if number + 1 < len(said) else one.end_s + GAP_S + 3
        one.heard = " / ".join(c.text for c in seen.captions if one.start_s - 0.5 <= c.end / CLOCK_HZ < next_s)
        one.barged = any(s <= one.start_s < seen.ended.get(u, 1e9) for u, s in seen.started.items())
        answers = sorted((s, u) for u, s in seen.started.items() if one.end_s - EARLY_S <= s < next_s)
        if not answers:
            continue
        one.sound_ms = (answers[0][0] - one.end_s) * 1000
        one.reply = " | ".join(seen.speech.get(u, ("", ""))[1] for _, u in answers)
        if (timing := seen.timings.get(answers[0][1])) is not None:
            one.stages = (timing.endpoint_ms, timing.text_ms, timing.result_ms, timing.out_ms, timing.speaker_ms)
            # the listener's idea of the end is not the annotated one
            one.stages = (one.stages[0] + round(timing.words_end / CLOCK_HZ * 1000 - one.end_s * 1000), *one.stages[1:])
        content = next(((s, u) for s, u in answers if seen.speech.get(u, ("", ""))[0]), None)
        if content is not None:
            one.content_ms = (content[0] - one.end_s) * 1000


def show(name: str, values: list[float]) -> None:
    p50, p95 = percentile(values, 0.5), percentile(values, 0.95)
    print(f"{name:<22} {p50 or 0:7.0f} {p95 or 0:7.0f}   n={len(values)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(1), default=1_000, help="about so many turns")
    parser.add_argument("--seed", type=at_least(0), default=1)
    parser.add_argument("--json", type=new_file)
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--snr", type=float, metavar="DB", help="road noise so far below the voice (default: a quiet room)")
    parser.add_argument(
        "--cpu-share", type=float, metavar="X", help="charge X times the processor time where that is less than the elapsed time"
    )
    parser.add_argument("--verbose", action="store_true", help="every turn")
    options = parser.parse_args()
    if options.cpu_share is not None:
        Stopwatch.processor_share = options.cpu_share
    models = load()
    models.check()
    models.warm()
    everything: list[Said] = []
    for number, scene in enumerate(turns(options.limit, options.seed)):
        trip, said = compose(scene, models, options.snr, options.seed + number)
        with tempfile.TemporaryDirectory(prefix="ridealong-latency-") as folder:
            judge(said, run_scene(trip, models, options.real_time, options.seed, Path(folder)))
        everything += said
        for one in said if options.verbose else ():
            shown = "  none" if one.sound_ms is None else f"{one.sound_ms:6.0f}"
            content = "" if one.content_ms is None or one.content_ms == one.sound_ms else f" content {one.content_ms:.0f}"
            print(
                f"{shown} {one.turn.kind:<8} {one.turn.text} [{one.heard}] -> {one.reply} {one.stages}{content}{' BARGED' if one.barged else ''}",
                flush=True,
            )
    report(everything, options)


def report(everything: list[Said], options: argparse.Namespace) -> None:
    counted = [one for one in everything if not one.barged]
    answered = [one for one in counted if one.sound_ms is not None]
    sounds = [one.sound_ms for one in answered if one.sound_ms is not None]
    contents = [one.content_ms for one in answered if one.content_ms is not None]
    way = "real time over gRPC" if options.real_time else "virtual time with charged computing"
    way += f" ({options.cpu_share:g} x processor time)" if options.cpu_share is not None else ""
    print(
        f"\n{len(everything)} turns, {way}, round trip 60 ms, sound device 100 ms"
        + (f", road noise at {options.snr:g} dB" if options.snr is not None else "")
    )
    print(f"{'ms':<22} {'p50':>7} {'p95':>7}")
    show("first sound", sounds)
    show("first content", contents)
    for locale in ("en", "zh"):
        show(
            f"  first sound, {locale}",
            [one.sound_ms for one in answered if one.turn.locale == locale and one.sound_ms is not None],
        )
    by_kind: dict[str, list[float]] = defaultdict(list)
    for one in answered:
        by_kind[one.turn.kind].append(one.sound_ms or 0.0)
    for kind in sorted(by_kind):
        show(f"  first sound, {kind}", by_kind[kind])
    print("stages of the first sound")
    staged = [one.stages for one in answered if one.stages]
    for index, name in enumerate(STAGES):
        show(f"  {name}", [float(row[index]) for row in staged])
    low, high = wilson(len(answered), len(counted))
    print(
        f"answered {len(answered)} of {len(counted)}; begun while the assistant spoke (not counted): {len(everything) - len(counted)}"
    )
    rows = [
        Figure("response_p50_ms", percentile(sounds, 0.5), "ms", len(sounds), goal="<= 1000"),
        Figure("response_p95_ms", percentile(sounds, 0.95), "ms", len(sounds), goal="<= 1600"),
        Figure("content_p50_ms", percentile(contents, 0.5), "ms", len(contents)),
        Figure("content_p95_ms", percentile(contents, 0.95), "ms", len(contents)),
        Figure("answered", len(answered) / max(1, len(counted)), "share", len(counted), low, high),
    ]
    for index, name in enumerate(STAGES):
        for share in (0.5, 0.95):
            value = percentile([float(row[index]) for row in staged], share)
            rows.append(Figure(f"stage.{name}_p{round(share * 100)}_ms", value, "ms", len(staged)))
    if options.json is not None:
        options.json.write_text(to_json("bench latency", options.seed, rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
