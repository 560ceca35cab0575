"""Stage 1: texts, voices, places and a seed become plans.

The classes are balanced over locale and SNR, interruptions over their intents too; what is planned for one ride does not depend on how
many others are asked for. Pure. Does not know: samples, models, or how long a text really takes to say.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from ridealong.simulators.room import EchoPath
from ridealong.simulators.scenarios.acoustics import Seat
from ridealong.simulators.scenarios.noises import Event
from ridealong.simulators.scenarios.plan import OVERLAPS, Bed, Line, Plan, Source, pieces, spoken_ms
from ridealong.simulators.scenarios.recordings import Ambience, Recording
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Split
from ridealong.simulators.scenarios.settings import CARS, GLASSES, Setting
from ridealong.simulators.scenarios.texts import Texts
from ridealong.simulators.scenarios.voices import grown, voices_of

SNRS_DB: tuple[float | None, ...] = (None, 10.0, 5.0, 0.0)
LOCALES = ("en", "zh")
TWICE = None
"""In place of a kind: a reply with two backchannels."""
OPENERS = {
    "en": ("window", "temperature", "degrees", "range is", "volume", "the fan", "seat heating"),
    "zh": ("车窗", "空调", "温度", "电量", "续航", "音量", "风量", "座椅加热"),
}
"""A ride begins with a request about one of these, so that the system has met the user's voice."""
BETWEEN_MS = 2_000
OPENED_MS = 700
BEFORE_MS = 1_000
NOISE_ONLY_S = 60
REPLIES_ALONE = 6
LOUDER_DB = 8.0
QUIET_DB = -72.0
NEARBY_ROAD_KMH = (30,)

GLASSES_SHARE = 0.2
SECOND_SPEAKER = 0.25
RADIO_SHARE = 0.2
RADIO_LINES = 3
PERSON_SHARE = 0.3
REPAIR_SHARE = 0.15
MAY_REPAIR = (Intent.REDIRECT, Intent.FOLLOW_UP)
TWO_BACKCHANNELS = 0.25
TURNED_AWAY_DB = -3.0

USER_DB = (-27.5, -24.5)
BELOW_USER_DB = {
    Seat.PASSENGER: (-11.0, -6.0),
    Seat.REAR: (-14.0, -7.0),
    Seat.BYSTANDER: (-15.0, -7.0),
    Seat.LOUDSPEAKER: (-18.0, -9.0),
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
    requests: int = 0,
    noise_only: int = 0,
    assistant_only: int = 0,
) -> list[Plan]:
    """Rides with at least `per_class` overlaps of each kind but noise (half as many); requests, half of them with hesitations; minutes of
    noise; and rides in which only the assistant speaks (six replies each).

    Ordered so that every beginning of each of the four parts is nearly balanced."""
    cells = len(snrs_db) * len(locales)
    planners = [
        _Planner(material, seed, locale, snr, number, snr_at, locale_at, len(snrs_db))
        for number in range(-(-max(per_class, requests, noise_only, assistant_only) // cells))
        for snr_at, snr in enumerate(snrs_db)
        for locale_at, locale in enumerate(locales)
    ]
    made = [planner.ride() for planner in planners[: -(-per_class // cells) * cells]]
    made += [planner.request(hesitant) for planner in planners[: -(-requests // 2)] for hesitant in (False, True)][:requests]
    made += [planner.noise_only() for planner in planners[:noise_only]]
    return made + [planner.assistant_only() for planner in planners[:assistant_only]]


class _Planner:
    """Plans for number `round` of one cell (a locale at an SNR)."""

    def __init__(
        self, material: Material, seed: int, locale: str, snr_db: float | None, round: int, snr_at: int, locale_at: int, snrs: int
    ) -> None:
        self.material, self.seed, self.locale, self.snr_db, self.round = material, seed, locale, snr_db, round
        self.texts = material.texts[locale]
        self.snr_at, self.locale_at, self.snrs = snr_at, locale_at, snrs
        self.turn = round * snrs + snr_at  # of this locale, counted over all SNRs
        self.intent = self._intent_at(self.turn)
        self.random: Generator = np.random.default_rng(0)

    def ride(self) -> Plan:
        """A request of the user; then replies of the assistant, each with something over it."""
        self._begin("ride")
        setting, user_db, user = self._setting(), self._between(USER_DB), self._user()
        opening = self._chosen(_openers(self.texts.requests, self.locale), "opening", self.turn)
        lines = [self._line(Kind.REQUEST, user, setting.user, user_db, Cue.CLOCK, OPENED_MS, opening)]
        kinds: list[Kind | None] = [
            *OVERLAPS,
            *([Kind.NOISE] if (self.round + self.snr_at) % 2 else []),
            *([TWICE] if self.random.random() < TWO_BACKCHANNELS else []),
        ]
        replies: list[str] = []
        over = {one.text: one for one in self.texts.interruptions[self.intent]}
        interruption = self._mine(list(over), self.intent.value, intent=self.intent)
        needed = self.texts.reply(over[interruption].reply).text if over[interruption].reply else ""
        found = self._replies(len(kinds) + 1)
        others = cycle([text for text in found if text != needed] or found)
        for turn, at in enumerate(self.random.permutation(len(kinds))):
            kind, onset_ms = kinds[int(at)], int(self.random.integers(500, 4_001))
            replies.append(needed if needed and kind is Kind.INTERRUPTION else next(others))
            match kind:
                case Kind.NOISE:
                    here = [self._event(setting, Cue.REPLY, onset_ms)]
                case Kind.BACKGROUND:
                    here = self._background(setting, user, user_db, onset_ms)
                case Kind.INTERRUPTION:
                    line = self._line(kind, user, setting.user, user_db, Cue.REPLY, onset_ms, interruption, self.intent)
                    here = [replace(line, repair=self.intent in MAY_REPAIR and self.random.random() < REPAIR_SHARE)]
                case Kind.OTHER_DIRECTED:
                    level_db = user_db + self._one_of((0.0, TURNED_AWAY_DB))
                    text = self._mine(self.texts.other_directed, kind.value)
                    here = [self._line(kind, user, setting.user, level_db, Cue.REPLY, onset_ms, text)]
                case _:
                    here = self._backchannels(setting, user, user_db, onset_ms, 2 if kind is TWICE else 1)
            lines += [replace(line, turn=turn) for line in here]
        return self._plan(setting, user, user_db, lines, replies, {"overlap"})

    def request(self, hesitant: bool) -> Plan:
        """A finished command or question while the assistant is silent; hesitant: with pauses inside."""
        self._begin("hesitation" if hesitant else "request")
        setting, user_db, user = self._setting(), self._between(USER_DB), self._user()
        persons = self.material.persons(self.locale, Kind.REQUEST)
        at_ms = BEFORE_MS + int(self.random.integers(0, 1_000))
        if not hesitant and persons and self.random.random() < PERSON_SHARE / 2:
            person = self._one_of(persons)
            line = self._line(Kind.REQUEST, person.path.name, setting.user, user_db, Cue.CLOCK, at_ms, person.text)
            line = replace(line, source=Source.RECORDING)
        else:
            texts = self.texts.hesitations if hesitant else self.texts.requests
            text = self._mine(texts, "hesitation" if hesitant else "request")
            line = self._line(Kind.REQUEST, user, setting.user, user_db, Cue.CLOCK, at_ms, text)
            pauses_ms = tuple(int(ms) for ms in self.random.integers(400, 1_201, len(pieces(text)) - 1))
            line = replace(line, pauses_ms=pauses_ms, repair=hesitant and self.random.random() < REPAIR_SHARE)
        tags = {"request", *({"hesitant"} if hesitant else ()), *({"repair"} if line.repair else ())}
        return self._plan(setting, line.who, user_db, [line], [], tags)

    def noise_only(self) -> Plan:
        """A minute in which nobody speaks: the bed, and a noise every few seconds."""
        self._begin("noise_only")
        setting, user_db = self._setting(), self._between(USER_DB)
        lines, at_ms = [], 2_000
        while at_ms < NOISE_ONLY_S * 1000 - 5_000:
            lines.append(self._event(setting, Cue.CLOCK, at_ms))
            at_ms += int(self.random.integers(4_500, 12_000))
        return replace(
            self._plan(setting, "", user_db, lines, [], {"noise_only"}),
            length_ms=NOISE_ONLY_S * 1000,
            lasts_ms=NOISE_ONLY_S * 1000,
        )

    def assistant_only(self) -> Plan:
        """The assistant talks, at loud volume, and nobody else does."""
        self._begin("assistant_only")
        made = self._plan(self._setting(), "", self._between(USER_DB), [], self._replies(REPLIES_ALONE), {"assistant_only"})
        return replace(made, echo=replace(made.echo, level_db=round(made.echo.level_db + LOUDER_DB, 1)))

    def _begin(self, what: str) -> None:
        snr = "clean" if self.snr_db is None else f"{self.snr_db:g}db"
        self.id = f"{self.material.split.value}-{what}-{self.locale}-{snr}-{self.round:03d}"
        self.random = np.random.default_rng([self.seed, zlib.crc32(self.id.encode())])

    def _plan(
        self, setting: Setting, user: str, user_db: float, lines: Sequence[Line], replies: Sequence[str], tags: set[str]
    ) -> Plan:
        tags = tags | ({"person"} if any(line.source is Source.RECORDING for line in lines) else set())
        said = [*replies, *(line.text for line in lines if line.cue is Cue.CLOCK)]
        length_ms = sum(spoken_ms(text, self.locale) + BETWEEN_MS for text in said)
        return Plan(
            self.id, self.material.split, self.locale, self.seed, setting.name, setting.device_kind, user, self.snr_db,
            self._bed(setting, user_db), self._echo(setting), tuple(lines), tuple(replies), length_ms, 0, frozenset(tags),
        )  # fmt: skip

    def _line(
        self, kind: Kind, who: str, seat: Seat, level_db: float, cue: Cue, onset_ms: int, text: str, intent: Intent | None = None
    ) -> Line:
        return Line(kind, Source.SYNTHESIS, who, seat, level_db, cue, onset_ms, text, self.locale, intent, seed=self._seed())

    def _user(self) -> str:
        """Voices take turns, so that each meets every SNR and every intent."""
        return grown(self.material.split, self.locale)[self._voice_at(self.turn)].name

    def _voice_at(self, turn: int) -> int:
        round, snr_at = divmod(turn, self.snrs)
        return (round + 3 * (round // len(Intent)) + snr_at) % len(grown(self.material.split, self.locale))

    def _intent_at(self, turn: int) -> Intent:
        round, snr_at = divmod(turn, self.snrs)
        return list(Intent)[(round + snr_at + 2 * self.locale_at) % len(Intent)]

    def _mine(self, texts: Sequence[T], what: str, *, voices_each: int = 1, intent: Intent | None = None) -> T:
        """One of the texts that are this user's voice's: each is said by `voices_each` voices only, because clips are dear. All of them
        have their turn before one comes again (with this intent)."""
        voices, voice = len(grown(self.material.split, self.locale)), self._voice_at(self.turn)
        share = [text for at, text in enumerate(texts) if (voice - at) % voices < voices_each] or list(texts)
        before = [turn for turn in range(self.turn) if self._voice_at(turn) == voice]
        count = sum(intent is None or self._intent_at(turn) is intent for turn in before)
        return self._chosen(share, f"{what} {voice}", count)

    def _replies(self, count: int) -> list[str]:
        """All have their turn before one comes again; never the same twice in a ride."""
        replies = self.texts.replies
        found = [self._chosen(replies, "reply", self.turn * REPLIES_ALONE + number).text for number in range(len(replies))]
        return [found[number % len(found)] for number in range(count)]

    def _backchannels(self, setting: Setting, user: str, user_db: float, onset_ms: int, count: int) -> list[Line]:
        texts = [self._mine(self.texts.backchannels, f"backchannel {number + count}", voices_each=2) for number in range(count)]
        first = [onset_ms, onset_ms + int(self.random.integers(1_500, 3_500))]
        return [
            self._line(Kind.BACKCHANNEL, user, setting.user, user_db + self._between((-4.0, 0.0)), Cue.REPLY, at_ms, text)
            for at_ms, text in zip(first, texts, strict=False)
        ]

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

    def _background(self, setting: Setting, user: str, user_db: float, onset_ms: int) -> list[Line]:
        """Somebody else, from another seat: a sentence; or one and an answer; or a radio that is on before the reply begins."""
        texts = self.texts.background
        voices = [voice.name for voice in voices_of(self.material.split, self.locale) if voice.name != user]
        adults = [name for name in voices if any(name == voice.name for voice in grown(self.material.split, self.locale))]
        persons = self.material.persons(self.locale, Kind.BACKGROUND)
        shape = self.random.random()
        radio, answered = shape < RADIO_SHARE, RADIO_SHARE <= shape < RADIO_SHARE + SECOND_SPEAKER
        seat = Seat.LOUDSPEAKER if radio else self._one_of(setting.others)
        level_db, who = user_db + self._between(BELOW_USER_DB[seat]), self._one_of(adults if radio else voices)
        cue, at_ms = (Cue.ASKED, int(self.random.integers(0, 300))) if radio else (Cue.REPLY, onset_ms)
        said = [self._from_others(texts, who, number) for number in range(RADIO_LINES if radio else 1)]
        lines = [self._line(Kind.BACKGROUND, who, seat, level_db, cue, at_ms, text) for text in said]
        if persons and self.random.random() < PERSON_SHARE:
            spoken = [persons[int(at)] for at in self.random.permutation(len(persons))]
            lines = [
                replace(line, source=Source.RECORDING, who=person.path.name, text=person.text)
                for line, person in zip(lines, spoken, strict=False)
            ]
        elif answered:
            who = self._one_of([name for name in voices if name != who])
            level_db += self._between((-3.0, 3.0))
            lines.append(self._line(Kind.BACKGROUND, who, seat, level_db, cue, at_ms, self._from_others(texts, who, 1)))
        gap_ms = (150, 500) if radio else (-250, 500)
        return [lines[0], *(replace(line, after_ms=int(self.random.integers(*gap_ms))) for line in lines[1:])]

    def _from_others(self, texts: Sequence[str], who: str, number: int) -> str:
        """One of the texts that are this voice's when it is in the background."""
        voices = [voice.name for voice in voices_of(self.material.split, self.locale)]
        share = texts[voices.index(who) :: len(voices)] or texts
        return self._chosen(share, f"background {who}", self.turn + number)

    def _event(self, setting: Setting, cue: Cue, at_ms: int) -> Line:
        event = self._one_of(setting.events)
        seat = setting.user if event is Event.COUGH else Seat.PASSENGER
        return Line(Kind.NOISE, Source.EVENT, event.value, seat, self._between(EVENTS_DB[event]), cue, at_ms, seed=self._seed())

    def _chosen(self, items: Sequence[T], what: str, turn: int) -> T:
        """All of `items` have their turn before one comes again."""
        order = np.random.default_rng([self.seed, zlib.crc32(f"{what} {self.locale}".encode())]).permutation(len(items))
        return items[int(order[turn % len(items)])]

    def _one_of(self, items: Sequence[T]) -> T:
        return items[int(self.random.integers(len(items)))]

    def _between(self, pair: tuple[float, float]) -> float:
        return float(self.random.uniform(*pair))

    def _seed(self) -> int:
        return int(self.random.integers(ENOUGH_SEEDS))


def _openers(requests: Sequence[str], locale: str) -> list[str]:
    found = [text for text in requests if any(word in text.casefold() for word in OPENERS[locale])]
    return found or list(requests)
