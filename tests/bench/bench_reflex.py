"""How soon the device reacts to somebody who speaks while it does: a whole agent, echo canceller and room on, a sound device of 100 ms.

    python tests/bench/bench_reflex.py [--limit ONSETS] [--seed N] [--speech FOLDER] [--late-ms MS] [--json FILE]

Phrases of people begin at random offsets and levels over the assistant's own speech, in quiet and in car noise. Times are of the device
clock, at the speaker: from the annotated onset of the words until the sound is 18 dB lower (its ramp included), until it pauses, and from the
flush arriving at the device until silence (decay included). Onset: the first 10 ms that are within 20 dB of the phrase's loud frames.
Phrases are cut from WAV files (16 kHz, mono) of a folder; those that the assistant says are not said by the user.
`--late-ms`: how much of the 100 ms the sound device cannot take back; 70 is all that this device model allows.
Virtual time: what the code itself needs (about 1 ms a block) is not in the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import subprocess
import wave
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np
import soxr
from arguments import at_least, folder, new_file
from numpy.typing import NDArray

from ridealong.device.agent import Agent
from ridealong.device.config import DeviceConfig
from ridealong.device.microphone import SimulatedMicrophone
from ridealong.device.mixer import RAMP_FRAMES
from ridealong.device.observing import AgentEvent, Ducked, Held
from ridealong.device.speaker import Emitted, SimulatedSpeaker
from ridealong.device.voice_activity import level_db
from ridealong.proto.types import (  # fmt: skip
    CLOCK_HZ,
    SPEECH_HZ,
    DownlinkBody,
    Epoch,
    Flush,
    Hello,
    OverlapKind,
    Samples,
    Speech,
    Unduck,
    UplinkBody,
    UtteranceId,
)
from ridealong.simulators.room import EchoPath, Room
from ridealong.simulators.virtual_time import run_virtual

SPEECH = Path(__file__).parent.parent / "data" / "speech"
Sound = NDArray[np.int16]
LEAD = CLOCK_HZ * 60 // 1000
EVERY_S, RIDE_ONSETS, SETTLE_S = 5.0, 12, 4.0
LEVELS_DB, NOISES_DB, ECHOES_DB = (-18.0, -24.0, -30.0), (None, -50.0, -42.0), (-12.0, -20.0)
ASSISTANT_DB = -20.0


# --- phrases ------------------------------------------------------------------------------------------------------------


def frames_db(sound: Sound) -> NDArray[np.float64]:
    return np.array([level_db(sound[at : at + 160]) for at in range(0, len(sound) - 159, 160)])


def phrases(sound: Sound) -> list[Sound]:
    """Stretches of speech of 0.4 to 3 s with silence before them, from 60 ms before their onset."""
    levels = frames_db(sound)
    if len(levels) < 60:
        return []
    loud = levels > np.percentile(levels, 95) - 20
    found, k = [], 15
    while k < len(loud) - 40:
        if loud[k] and not loud[k - 15 : k].any() and loud[k : k + 8].sum() >= 5:
            end = k
            while end < len(loud) and loud[end : end + 15].any() and end - k < 300:
                end += 1
            if end - k >= 40:
                found.append(sound[160 * k - LEAD : 160 * end])
            k = end
        k += 1
    return found


def at_level(sound: Sound, wanted_db: float) -> Sound:
    gain = 10 ** ((wanted_db - level_db(sound[np.abs(sound) > 100])) / 20)
    return np.clip(sound * gain, -32_000, 32_000).astype(np.int16)


def load(folder: Path) -> list[Sound]:
    sounds = []
    for path in sorted(folder.rglob("*.wav")):
        try:
            file = wave.open(str(path))  # noqa: SIM115
        except wave.Error:  # not PCM
            continue
        with file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (CLOCK_HZ, 1, 2):
                sounds.append(np.frombuffer(file.readframes(file.getnframes()), "<i2"))
    return [phrase for sound in sounds for phrase in phrases(np.concatenate([np.zeros(4_000, np.int16), sound]))]


def noises(rng: random.Random) -> list[Sound]:
    """A minute each, nobody speaks: steady car noise, soft and loud; a ramp of 30 dB within 10 s, with clicks; a rougher road at once."""
    count = CLOCK_HZ * 60
    spectrum = np.fft.rfft(np.random.default_rng(rng.randrange(1_000)).standard_normal(count))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    pink = np.fft.irfft(spectrum, count)
    pink *= 32_768 / np.sqrt(np.mean(pink**2))
    t = np.arange(count) / CLOCK_HZ
    levels = [
        np.full(count, -42.0),
        np.full(count, -30.0),
        -50 + 30 * np.clip((t - 8) / 10, 0, 1),
        np.where(t < 10, -50.0, -34.0),
    ]
    sounds = [np.clip(pink * 10 ** (level / 20), -32_000, 32_000).astype(np.int16) for level in levels]
    for at_s in (10, 12, 14):
        sounds[2][CLOCK_HZ * at_s : CLOCK_HZ * at_s + 80] //= 2
        sounds[2][CLOCK_HZ * at_s : CLOCK_HZ * at_s + 80 : 8] = 12_000
    return sounds


# --- one ride ------------------------------------------------------------------------------------------------------------


class Link:
    def __init__(self, on_message: Callable[[DownlinkBody], None]) -> None:
        self.on_message, self.ended = on_message, asyncio.Event()

    def send(self, body: UplinkBody) -> None: ...

    async def run(self) -> None:
        await self.ended.wait()

    async def close(self) -> None:
        self.ended.set()


class Watched(SimulatedSpeaker):
    """Keeps what the device took."""

    def __init__(self, sink: Callable[[Samples, Sound], None], late_ms: float) -> None:
        super().__init__(sink, 100.0, late_ms)
        self.taken: list[Emitted] = []

    def heard(self, at: Samples) -> list[Emitted]:
        emitted = super().heard(at)
        self.taken += emitted
        return emitted


@dataclass
class Found:
    duck_ms: list[float] = field(default_factory=list)
    hold_ms: list[float] = field(default_factory=list)
    silence_ms: list[float] = field(default_factory=list)
    by_condition: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    onsets: int = 0
    missed: int = 0
    already: int = 0
    uncalled: int = 0
    seconds: float = 0.0
    resumed: int = 0
    lost_or_doubled: int = 0
    stale: int = 0
    ducked_at: list[float] = field(default_factory=list)
    noise: Found = field(init=False)


@dataclass
class Onset:
    at: int
    level_db: float
    flush: bool


def plan(user: list[Sound], rng: random.Random) -> tuple[Sound, list[Onset]]:
    """What the user says, and from when."""
    onsets: list[Onset] = []
    near = np.zeros(round(CLOCK_HZ * (SETTLE_S + EVERY_S * RIDE_ONSETS + 2)), np.int16)
    for k in range(RIDE_ONSETS):
        level = rng.choice(LEVELS_DB)
        phrase = at_level(rng.choice(user), level)[: CLOCK_HZ * 2]
        at = round((SETTLE_S + EVERY_S * k + rng.uniform(0, 0.5)) * CLOCK_HZ)
        near[at - LEAD : at - LEAD + len(phrase)] = phrase
        onsets.append(Onset(at, level, k % 2 == 1))
    return near, onsets


@dataclass(frozen=True)
class Surroundings:
    voice: Sound  # the assistant's, at 24 kHz
    noise_db: float | None
    echo_db: float
    late_ms: float


async def ride(near: Sound, onsets: list[Onset], around: Surroundings, rng: random.Random, found: Found) -> None:
    voice = around.voice
    path = EchoPath(around.echo_db, 60.0, 120.0, rng.randrange(1_000))
    room = Room(near, path, noise_dbfs=around.noise_db or -75.0, seed=rng.randrange(1_000))
    speaker = Watched(lambda at, block: room.speaker_sink(at, block.astype("<i2").tobytes()), around.late_ms)
    events: list[AgentEvent] = []
    flushes: list[tuple[float, int]] = []  # device time of the message, epoch
    links: list[Link] = []

    def hear(start: int, count: int) -> Sound:
        speaker.play_on(Samples(start + count))
        return room.microphone_source(Samples(start), count)

    def make_link(
        hello: Hello, on_message: Callable[[DownlinkBody], None], on_state: Callable[[Enum], None], now: Callable[[], Samples]
    ) -> Link:
        links.append(Link(on_message))
        return links[0]

    agent = Agent(DeviceConfig(), SimulatedMicrophone(hear), None, speaker, make_link, observers=[events.append])

    def speak(epoch: int) -> None:
        pcm, step = np.roll(voice, -rng.randrange(len(voice))), 4_800
        for number in range(len(voice) // step):
            body = Speech(Epoch(epoch), UtteranceId(epoch), number, False, SPEECH_HZ, pcm[number * step : (number + 1) * step].astype("<i2").tobytes(), offset=number * step)  # fmt: skip
            links[0].on_message(body)

    async def script() -> None:
        loop = asyncio.get_running_loop()
        began_s, epoch = loop.time(), 1

        async def until(at_s: float) -> None:
            await asyncio.sleep(max(0.0, began_s + at_s - loop.time()))

        await until(0.5)
        speak(epoch)
        for onset in onsets:
            await until(onset.at / CLOCK_HZ + rng.uniform(0.3 if onset.flush else 1.6, 2.4))  # the verdict
            if not onset.flush:
                links[0].on_message(Unduck(OverlapKind.BACKCHANNEL))
                continue
            flushes.append((agent.now(), epoch))
            links[0].on_message(Flush(Epoch(epoch)))
            epoch += 1
            await asyncio.sleep(0.2)
            speak(epoch)
        await until(len(near) / CLOCK_HZ)
        await agent.stop()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(agent.run())
        tasks.create_task(script())
    measure(found, onsets, flushes, events, speaker.taken, f"noise {around.noise_db or 'none'}")
    found.seconds += len(near) / CLOCK_HZ


def measure(found: Found, onsets: list[Onset], flushes: list[tuple[float, int]], events: list[AgentEvent], taken: list[Emitted], condition: str) -> None:  # fmt: skip
    low = 10 ** (DeviceConfig().sound.duck_db / 20) + 1e-6
    ducks = [event.at for event in events if isinstance(event.item, Ducked)]
    holds = [event.at for event in events if isinstance(event.item, Held)]
    called = 0
    for onset in onsets:
        found.onsets += 1
        mine = [at for at in ducks if onset.at - LEAD <= at < onset.at + CLOCK_HZ]
        called += sum(onset.at - LEAD <= at < onset.at + 3 * CLOCK_HZ for at in ducks)
        if not mine:
            quiet = [block.mixed.gain <= low for block in taken if block.at <= onset.at][-1]
            found.already += quiet
            found.missed += not quiet
            continue
        full = next(block for block in taken if block.at >= mine[0] and block.mixed.gain <= low)
        ms = (full.at - onset.at) * 1000 / CLOCK_HZ + 1000 * RAMP_FRAMES / SPEECH_HZ
        found.duck_ms.append(ms)
        found.by_condition[f"{onset.level_db:.0f} dBFS, {condition}"].append(ms)
        for held in [at for at in holds if mine[0] <= at < onset.at + 3 * CLOCK_HZ][:1]:
            before = [span_end(block) for block in taken if block.mixed.active and block.at <= held + CLOCK_HZ // 25]
            found.hold_ms.append((max(before) - onset.at) * 1000 / CLOCK_HZ)
    found.uncalled += len(ducks) - called
    for at, epoch in flushes:
        last = max(
            (span_end(block, epoch) for block in taken if any(span.epoch == epoch for span in block.mixed.spans)), default=0.0
        )
        found.silence_ms.append(max(0.0, last - at) * 1000 / CLOCK_HZ + 5)
        ms_after = [block.at - at for block in taken if any(span.epoch <= epoch for span in block.mixed.spans)]
        found.stale += sum(ms > 0.3 * CLOCK_HZ for ms in ms_after)
    place: dict[int, int] = {}
    for block in taken:
        for span in block.mixed.spans:
            found.lost_or_doubled += abs(span.first - place.get(span.utterance, 0))
            place[span.utterance] = span.first + span.frames
    found.resumed += len(holds)
    found.ducked_at += [at / CLOCK_HZ for at in ducks]


def span_end(block: Emitted, epoch: int | None = None) -> float:
    spans = [span for span in block.mixed.spans if epoch is None or span.epoch == epoch]
    return block.at + (spans[-1].offset + spans[-1].frames) * CLOCK_HZ / SPEECH_HZ


# --- figures --------------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=at_least(1), default=216, help="onsets, in rides of 12")
    parser.add_argument("--seed", type=at_least(0), default=0)
    parser.add_argument("--speech", type=folder, default=SPEECH, help="a folder of 16 kHz mono WAV files")
    parser.add_argument("--late-ms", type=float, default=20.0)
    parser.add_argument("--json", type=new_file)
    options = parser.parse_args()
    rng, found = random.Random(options.seed), Found()
    found.noise = Found()
    known = load(options.speech)
    rng.shuffle(known)
    half = len(known) // 2
    voice16 = np.concatenate([at_level(phrase[LEAD:], ASSISTANT_DB) for phrase in known[:half]])
    voice = np.asarray(soxr.resample(np.tile(voice16, 1 + 40 * CLOCK_HZ // len(voice16)), CLOCK_HZ, SPEECH_HZ), np.int16)
    print(f"{len(known)} phrases, {half} of them the assistant's")
    for number in range(max(1, options.limit // RIDE_ONSETS)):
        around = Surroundings(voice[: SPEECH_HZ * 40], NOISES_DB[number % 3], ECHOES_DB[number // 3 % 2], options.late_ms)
        run_virtual(ride(*plan(known[half:], rng), around, rng, found))
    for near in noises(rng):
        run_virtual(ride(near, [], Surroundings(voice[: SPEECH_HZ * 60], None, -14.0, options.late_ms), rng, found.noise))
    report(found, options.seed, options.late_ms, options.json)


def report(found: Found, seed: int, late_ms: float, path: Path | None) -> None:
    def share(values: list[float], q: float) -> float:
        return float(np.quantile(values, q)) if values else float("nan")

    rows = [
        ("duck_p50_ms", share(found.duck_ms, 0.5), "ms", len(found.duck_ms), None),
        ("duck_p95_ms", share(found.duck_ms, 0.95), "ms", len(found.duck_ms), 120.0),
        ("duck_missed", found.missed / max(1, found.onsets), "share", found.onsets, None),
        ("already_ducked", found.already / max(1, found.onsets), "share", found.onsets, None),
        ("ducks_uncalled_per_min", 60 * found.uncalled / max(1.0, found.seconds), "1/min", round(found.seconds), None),
        ("noise_ducks_per_min", 60 * found.noise.uncalled / found.noise.seconds, "1/min", round(found.noise.seconds), None),
        ("noise_holds_per_min", 60 * found.noise.resumed / found.noise.seconds, "1/min", round(found.noise.seconds), None),
        ("hold_p50_ms", share(found.hold_ms, 0.5), "ms", len(found.hold_ms), None),
        ("hold_p95_ms", share(found.hold_ms, 0.95), "ms", len(found.hold_ms), None),
        ("silence_from_verdict_p50_ms", share(found.silence_ms, 0.5), "ms", len(found.silence_ms), None),
        ("silence_from_verdict_p95_ms", share(found.silence_ms, 0.95), "ms", len(found.silence_ms), 300.0),
        ("stale_samples", found.stale, "blocks", len(found.silence_ms), 0.0),
        ("lost_or_doubled_samples", found.lost_or_doubled, "samples", found.resumed, 0.0),
    ]
    for name, value, unit, n, goal in rows:
        print(f"{name:<28} {value:9.2f} {unit:<8} n={n:<6} {'' if goal is None else f'goal {goal:g}'}")
    for condition, values in sorted(found.by_condition.items()):
        print(f"  {condition:<28} p50 {share(values, 0.5):6.1f}  p95 {share(values, 0.95):6.1f}  n={len(values)}")
    if path:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
        figures = [
            {"name": name, "value": value, "unit": unit, "n": n, "low": None, "high": None, "goal": goal}
            for name, value, unit, n, goal in rows
        ]
        report = {
            "command": f"bench_reflex --late-ms {late_ms:g}",
            "seed": seed,
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "commit": commit.strip(),
            "figures": figures,
        }
        path.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
