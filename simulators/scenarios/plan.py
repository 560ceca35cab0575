"""Stage 1: what will happen, as plain values. Setting, people, to whom, who has the floor when, whether the request stands, how loud.

    texts + voices + settings + seed  ->  [Plan]

The classes are balanced over locale and SNR, interruptions over their intents too; what is planned for one cell does not depend on how
many others are asked for. A plan is a value: it can be kept, compared and printed.

Does not know: samples, models, or how long a text really takes to say.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from ridealong.simulators.room import EchoPath
from ridealong.simulators.scenarios.acoustics import Seat
from ridealong.simulators.scenarios.noises import Event
from ridealong.simulators.scenarios.recordings import Ambience, Recording
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Split
from ridealong.simulators.scenarios.settings import CARS, GLASSES, Setting
from ridealong.simulators.scenarios.texts import GAP, Texts
from ridealong.simulators.scenarios.voices import Voice, grown, voices_of

SNRS_DB: tuple[float | None, ...] = (None, 10.0, 5.0, 0.0)
LOCALES = ("en", "zh")
OVERLAPS = (Kind.BACKCHANNEL, Kind.OTHER_DIRECTED, Kind.BACKGROUND, Kind.NOISE, Kind.INTERRUPTION)
KEEPS_REQUEST = {Intent.STOP: False, Intent.CORRECT: False, Intent.REDIRECT: False, Intent.FOLLOW_UP: True}
"""After this interruption, does the request that is being answered still stand?"""
ADDRESSEES = {
    Kind.REQUEST: "assistant",
    Kind.INTERRUPTION: "assistant",
    Kind.BACKCHANNEL: "assistant",
    Kind.OTHER_DIRECTED: "somebody else",
    Kind.BACKGROUND: "somebody else",
    Kind.NOISE: "nobody",
}
SPEECH_PER_S = {"en": 14.5, "zh": 4.3}  # characters, with pauses
VOICES_PER_TEXT = 3
"""A text is only ever said by so many voices: clips are dear."""
LEAD_MS = 1_500
TAIL_MS = 1_500
NOISE_ONLY_S = 60
LOUDER_DB = 8.0
QUIET_DB = -72.0
NEARBY_ROAD_KMH = (30,)
GLASSES_SHARE = 0.2
SECOND_SPEAKER = 0.4
PERSON_SHARE = 0.3
REPAIR_SHARE = 0.15
USER_DB = (-28.0, -23.0)
OTHERS_DB = {
    Seat.PASSENGER: (-33.0, -27.0),
    Seat.REAR: (-37.0, -30.0),
    Seat.BYSTANDER: (-38.0, -30.0),
    Seat.LOUDSPEAKER: (-40.0, -32.0),
}
EVENTS_DB = {
    Event.INDICATOR: (-42.0, -34.0),
    Event.DOOR: (-24.0, -16.0),
    Event.COUGH: (-28.0, -20.0),
    Event.HORN: (-34.0, -24.0),
    Event.WIPERS: (-40.0, -32.0),
    Event.RAIN: (-36.0, -28.0),
}
ENOUGH_SEEDS = 1 << 30

T = TypeVar("T")


class Source(Enum):
    SYNTHESIS = "synthesis"
    RECORDING = "recording"
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class Line:
    """One contribution. `who`: name of a voice or an event, or a recording's file; `onset_ms`: of the words, after the cue; `level_db`: active
    level in dBFS at the microphone; `pauses_ms`: one for each gap in the text; `repair`: the speaker begins again after the first word;
    `after_ms`: begins so long after the line before has ended, whatever `onset_ms` says (below 0: before it has)."""

    kind: Kind
    source: Source
    who: str
    seat: Seat
    level_db: float
    cue: Cue
    onset_ms: int
    text: str = ""
    locale: str = ""
    intent: Intent | None = None
    pauses_ms: tuple[int, ...] = ()
    repair: bool = False
    after_ms: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Bed:
    """`speed_kmh` on the road, or the name of an ambience. `level_db`: RMS in dBFS."""

    name: str
    level_db: float
    seed: int
    speed_kmh: int = 0
    rain: bool = False
    ambience: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`kind` None: nobody says anything. `user`: the voice of who drives or wears. `keeps_request`: the intent behind the running reply is kept."""

    id: str
    split: Split
    locale: str
    seed: int
    kind: Kind | None
    intent: Intent | None
    setting: str
    device_kind: str
    user: str
    addressee: str
    keeps_request: bool
    snr_db: float | None
    bed: Bed
    echo: EchoPath
    lines: tuple[Line, ...]
    reply: str
    length_ms: int
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Material:
    """What plans of one split are made from."""

    split: Split
    texts: Mapping[str, Texts]
    people: Sequence[Recording] = ()
    ambiences: Sequence[Ambience] = ()

    def persons(self, locale: str, use: Kind) -> list[Recording]:
        return [one for one in self.people if one.split is self.split and one.locale == locale and use in one.uses]


def plan(
    material: Material,
    seed: int,
    per_class: int,
    *,
    locales: Sequence[str] = LOCALES,
    snrs_db: Sequence[float | None] = SNRS_DB,
    kinds: Sequence[Kind] = OVERLAPS,
    requests: int = 0,
    noise_only: int = 0,
    assistant_only: int = 0,
) -> list[Plan]:
    """At least `per_class` overlaps of each kind, so many requests (half of them with hesitations), minutes of noise, long replies.

    Ordered so that every beginning of the list is nearly balanced."""
    planners = [
        _Planner(material, seed, locale, snr, number, snr_at, locale_at, len(snrs_db))
        for number in range(-(-max(per_class, requests, noise_only, assistant_only) // (len(snrs_db) * len(locales))))
        for snr_at, snr in enumerate(snrs_db)
        for locale_at, locale in enumerate(locales)
    ]
    cells = len(snrs_db) * len(locales)
    made = [planner.overlap(kind) for planner in planners[: -(-per_class // cells) * cells] for kind in kinds]
    made += [planner.request(hesitant) for planner in planners[: -(-requests // 2)] for hesitant in (False, True)][:requests]
    made += [planner.noise_only() for planner in planners[:noise_only]]
    return made + [planner.assistant_only() for planner in planners[:assistant_only]]


def spoken_ms(text: str, locale: str) -> int:
    """How long this takes to say, roughly."""
    return round(1000 * len(text) / SPEECH_PER_S[locale])


class _Planner:
    """Plans for number `round` of one cell (a locale at an SNR)."""

    def __init__(
        self, material: Material, seed: int, locale: str, snr_db: float | None, round: int, snr_at: int, locale_at: int, snrs: int
    ) -> None:
        self.material, self.seed, self.locale, self.snr_db, self.round = material, seed, locale, snr_db, round
        self.texts = material.texts[locale]
        self.turn = round * snrs + snr_at  # of this locale, counted over all SNRs
        self.intent = list(Intent)[(round + snr_at + 2 * locale_at) % len(Intent)]
        self.random: Generator = np.random.default_rng(0)

    def overlap(self, kind: Kind) -> Plan:
        self._begin(kind.value)
        setting, user_db = self._setting(), self._between(USER_DB)
        onset_ms = int(self.random.integers(500, 4_001))
        intent = self.intent if kind is Kind.INTERRUPTION else None
        reply = self._chosen(self.texts.replies, f"{kind.value} reply", self.turn)
        user = self._one_of(grown(self.material.split, self.locale)).name
        tags = {"overlap"}
        if kind is Kind.NOISE:
            lines: tuple[Line, ...] = (self._event(setting, Cue.REPLY, onset_ms),)
        elif kind is Kind.BACKGROUND:
            lines = self._background(setting, onset_ms)
            user = self._one_of(
                [one for one in grown(self.material.split, self.locale) if one.name not in {line.who for line in lines}]
            ).name
            tags |= {"second_speaker"} if len(lines) > 1 else set()
        else:
            if intent is None:
                texts = self.texts.backchannels if kind is Kind.BACKCHANNEL else self.texts.other_directed
                text, user = self._said(texts, kind.value, self.turn)
            else:
                over = {one.text: one for one in self.texts.interruptions[intent]}
                text, user = self._said(list(over), intent.value, self.round)
                reply = self.texts.reply(over[text].reply) if over[text].reply else reply
            lines = (
                Line(
                    kind,
                    Source.SYNTHESIS,
                    user,
                    setting.user,
                    user_db,
                    Cue.REPLY,
                    onset_ms,
                    text,
                    self.locale,
                    intent,
                    seed=self._seed(),
                ),
            )
        said_ms = onset_ms + sum(spoken_ms(line.text, self.locale) for line in lines)
        length_ms = LEAD_MS + max(spoken_ms(reply.text, self.locale), said_ms) + TAIL_MS
        return self._plan(kind, intent, setting, user, user_db, lines, reply.text, length_ms, tags)

    def request(self, hesitant: bool) -> Plan:
        """A finished command or question while the assistant is silent; hesitant: with pauses inside."""
        self._begin("hesitation" if hesitant else "request")
        setting, user_db = self._setting(), self._between(USER_DB)
        persons = self.material.persons(self.locale, Kind.REQUEST)
        at_ms = LEAD_MS + int(self.random.integers(0, 1_000))
        if not hesitant and persons and self.random.random() < PERSON_SHARE / 2:
            person = self._one_of(persons)
            line = Line(
                Kind.REQUEST,
                Source.RECORDING,
                person.path.name,
                setting.user,
                user_db,
                Cue.CLOCK,
                at_ms,
                person.text,
                self.locale,
            )
        else:
            texts = self.texts.hesitations if hesitant else self.texts.requests
            text, user = self._said(texts, "hesitation" if hesitant else "request", self.turn)
            gaps = len(pieces(text)) - 1
            pauses_ms = tuple(int(ms) for ms in self.random.integers(400, 1_201, gaps))
            repair = hesitant and self.random.random() < REPAIR_SHARE
            line = Line(
                Kind.REQUEST, Source.SYNTHESIS, user, setting.user, user_db, Cue.CLOCK, at_ms, text, self.locale,
                pauses_ms=pauses_ms, repair=repair,
            )  # fmt: skip
        line = replace(line, seed=self._seed())
        length_ms = at_ms + spoken_ms(line.text, self.locale) + sum(line.pauses_ms) + TAIL_MS
        tags = {"request", *({"hesitant"} if hesitant else ()), *({"repair"} if line.repair else ())}
        return self._plan(Kind.REQUEST, None, setting, line.who, user_db, (line,), "", length_ms, tags)

    def noise_only(self) -> Plan:
        """A minute in which nobody speaks: the bed, and a noise every few seconds."""
        self._begin("noise_only")
        setting, user_db = self._setting(), self._between(USER_DB)
        lines, at_ms = [], 2_000
        while at_ms < NOISE_ONLY_S * 1000 - 5_000:
            lines.append(self._event(setting, Cue.CLOCK, at_ms))
            at_ms += int(self.random.integers(4_500, 12_000))
        return self._plan(None, None, setting, "", user_db, tuple(lines), "", NOISE_ONLY_S * 1000, {"noise_only"})

    def assistant_only(self) -> Plan:
        """The assistant talks, at loud volume, and nobody else does."""
        self._begin("assistant_only")
        setting, user_db = self._setting(), self._between(USER_DB)
        reply = self._chosen(self.texts.replies, "alone", self.turn)
        length_ms = LEAD_MS + spoken_ms(reply.text, self.locale) + TAIL_MS
        made = self._plan(None, None, setting, "", user_db, (), reply.text, length_ms, {"assistant_only"})
        return replace(made, echo=replace(made.echo, level_db=round(made.echo.level_db + LOUDER_DB, 1)))

    def _begin(self, what: str) -> None:
        snr = "clean" if self.snr_db is None else f"{self.snr_db:g}db"
        self.id = f"{self.material.split.value}-{what}-{self.locale}-{snr}-{self.round:03d}"
        self.random = np.random.default_rng([self.seed, zlib.crc32(self.id.encode())])

    def _plan(
        self, kind: Kind | None, intent: Intent | None, setting: Setting, user: str, user_db: float, lines: tuple[Line, ...], reply: str,
        length_ms: int, tags: set[str],
    ) -> Plan:  # fmt: skip
        tags = tags | ({"person"} if any(line.source is Source.RECORDING for line in lines) else set())
        return Plan(
            self.id, self.material.split, self.locale, self.seed, kind, intent, setting.name, setting.device_kind, user,
            ADDRESSEES[kind] if kind is not None else "nobody", KEEPS_REQUEST[intent] if intent is not None else True,
            self.snr_db, self._bed(setting, user_db), self._echo(setting), lines, reply, length_ms, frozenset(tags),
        )  # fmt: skip

    def _setting(self) -> Setting:
        return self._one_of(GLASSES if self.random.random() < GLASSES_SHARE else CARS)

    def _bed(self, setting: Setting, user_db: float) -> Bed:
        seed = self._seed()
        if self.snr_db is None:
            return Bed("quiet", QUIET_DB, seed)
        level_db = user_db - self.snr_db
        places = [one for one in self.material.ambiences if one.split is self.material.split and one.where == setting.place]
        if places:
            name = self._one_of(places).name
            return Bed(name, level_db, seed, ambience=name)
        speed_kmh = self._one_of(setting.speeds_kmh or NEARBY_ROAD_KMH)
        return Bed(f"road {speed_kmh} km/h{', rain' if setting.rain else ''}", level_db, seed, speed_kmh, setting.rain)

    def _echo(self, setting: Setting) -> EchoPath:
        level, delay, tail = (round(self._between(pair), 1) for pair in (setting.echo_db, setting.delay_ms, setting.tail_ms))
        return EchoPath(level, delay, tail, self._seed())

    def _background(self, setting: Setting, onset_ms: int) -> tuple[Line, ...]:
        """Somebody else, from another seat; sometimes a second one answers."""
        seat, persons = self._one_of(setting.others), self.material.persons(self.locale, Kind.BACKGROUND)
        text, who = self._said(self.texts.background, "background", self.turn, voices_of(self.material.split, self.locale))
        source = Source.SYNTHESIS
        if persons and self.random.random() < PERSON_SHARE:
            person = self._one_of(persons)
            text, who, source = person.text, person.path.name, Source.RECORDING
        first = Line(
            Kind.BACKGROUND,
            source,
            who,
            seat,
            self._between(OTHERS_DB[seat]),
            Cue.REPLY,
            onset_ms,
            text,
            self.locale,
            seed=self._seed(),
        )
        if self.random.random() >= SECOND_SPEAKER or len(self.texts.background) < 2:
            return (first,)
        texts = [text for text in self.texts.background if text != first.text]
        text, who = self._said(
            texts, "answer", self.turn, [one for one in voices_of(self.material.split, self.locale) if one.name != who]
        )
        gap_ms, level_db = int(self.random.integers(-250, 500)), first.level_db + self._between((-3.0, 3.0))
        answer = replace(
            first, source=Source.SYNTHESIS, who=who, text=text, level_db=level_db, after_ms=gap_ms, seed=self._seed()
        )
        return (first, answer)

    def _event(self, setting: Setting, cue: Cue, at_ms: int) -> Line:
        event = self._one_of(setting.events)
        seat = setting.user if event is Event.COUGH else Seat.PASSENGER
        return Line(Kind.NOISE, Source.EVENT, event.value, seat, self._between(EVENTS_DB[event]), cue, at_ms, seed=self._seed())

    def _chosen(self, items: Sequence[T], what: str, turn: int) -> T:
        """All of `items` have their turn before one comes again."""
        order = np.random.default_rng([self.seed, zlib.crc32(f"{what} {self.locale}".encode())]).permutation(len(items))
        return items[int(order[turn % len(items)])]

    def _said(self, texts: Sequence[str], what: str, turn: int, voices: Sequence[Voice] = ()) -> tuple[str, str]:
        """A text and the voice that says it: one of the few of this text, another each time round."""
        text, voices = self._chosen(texts, what, turn), voices or grown(self.material.split, self.locale)
        at = zlib.crc32(text.encode()) + (turn // len(texts)) % VOICES_PER_TEXT
        return text, voices[at % len(voices)].name

    def _one_of(self, items: Sequence[T]) -> T:
        return items[int(self.random.integers(len(items)))]

    def _between(self, pair: tuple[float, float]) -> float:
        return float(self.random.uniform(*pair))

    def _seed(self) -> int:
        return int(self.random.integers(ENOUGH_SEEDS))


def pieces(text: str) -> list[str]:
    """What is said between the gaps."""
    return [piece.strip() for piece in text.split(GAP) if any(char.isalnum() for char in piece)]
