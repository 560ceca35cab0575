"""A folder of records from a seed: sessions and chats in a fixed mix. The same arguments, voices and texts give the same bytes.

Knows what is made, not how a session is laid out (`sessions`) nor what a record's file looks like (`cloud.model.training.writing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from ridealong.cloud.model.training.records import Chat, Duplex, Heard, Message, Shown, Words
from ridealong.cloud.model.training.writing import RecordFolder
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.delegation import utterances as spoken
from ridealong.simulators.evaluation.redteam.cases import Seen
from ridealong.simulators.evaluation.redteam.pictures import jpeg, picture, street
from ridealong.simulators.scenarios.acoustics import pcm16
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import Plan
from ridealong.simulators.scenarios.planner import LOCALES
from ridealong.simulators.scenarios.scenario import Cue
from ridealong.simulators.scenarios.voices import BY_NAME, grown
from ridealong.simulators.training.answers import ASKS, ITSELF, SIGNS
from ridealong.simulators.training.sessions import Session, requested, ridden

KINDS: Final = ("request", "ride", "chat")


MORE: Final = 2 * len(LOCALES)
"""Plans beyond what is needed, so that every language has one."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to make. `mix`: so many requests, rides and chats in turn. `seen`: the share of sessions with a frame a second."""

    count: int
    seed: int = 0
    mix: tuple[int, int, int] = (4, 3, 3)
    seen: float = 0.25
    locales: tuple[str, ...] = LOCALES


def materialise(folder: Path, studio: Studio, order: Order, told: Callable[[int], None] = lambda _: None) -> Counter[str]:
    """Writes the records; returns how many of each kind. told: how many are done. Raises `UserError`."""
    target = RecordFolder(folder)
    maker = _Maker(target, studio, order)
    turns = [kind for kind, times in zip(KINDS, order.mix, strict=True) for _ in range(times)]
    made: Counter[str] = Counter()
    for number in range(order.count):
        kind = turns[number * len(turns) // order.count] if order.count < len(turns) else turns[number % len(turns)]
        maker.make(number, kind, made[kind])
        made[kind] += 1
        told(number + 1)
    target.close()
    return made


class _Maker:
    def __init__(self, target: RecordFolder, studio: Studio, order: Order) -> None:
        self._target, self._studio, self._order = target, studio, order
        share = order.count // max(1, sum(order.mix)) + 1
        said = spoken.generate(spoken.Split.DEVELOP, order.seed)
        self._utterances = [one for one in said if one.locale in order.locales]
        Random(f"utterances {order.seed}").shuffle(self._utterances)
        self._requests = self._by_locale(studio.plans(order.seed, 0, locales=order.locales, requests=order.mix[0] * share + MORE))
        rides = studio.plans(order.seed, order.mix[1] * share, locales=order.locales) if order.mix[1] else []
        self._rides = [(ride, turn) for ride in rides for turn in range(len(ride.replies)) if _over(ride, turn)]
        Random(f"rides {order.seed}").shuffle(self._rides)

    def _by_locale(self, plans: list[Plan]) -> dict[str, list[Plan]]:
        return {locale: [plan for plan in plans if plan.locale == locale] for locale in self._order.locales}

    def make(self, number: int, kind: str, of_kind: int) -> None:
        name, random = f"{kind}-{number:06d}", Random(f"{self._order.seed} {number}")
        if kind == "chat":
            self._target.add(self._chat(name, of_kind, random))
            return
        if kind == "request":
            utterance = self._utterances[of_kind % len(self._utterances)]
            plans = self._requests[utterance.locale]
            session = requested(self._studio, plans[of_kind % len(plans)], utterance, random)
        else:
            session = ridden(self._studio, *self._rides[of_kind % len(self._rides)])
        self._target.add(self._duplex(name, session, random))

    def _duplex(self, name: str, session: Session, random: Random) -> Duplex:
        frames = []
        if random.random() < self._order.seen:
            drive = random.randrange(1 << 20)
            frames = [
                self._target.frame(f"{name}-{unit:03d}.jpg", jpeg(street(drive + unit))) for unit in range(session.score.units)
            ]
        return Duplex(name, session.score.written(self._target.sound(name, session.microphone), frames))

    def _chat(self, name: str, of_kind: int, random: Random) -> Chat:
        locale = self._order.locales[of_kind // 3 % len(self._order.locales)]
        asks = ASKS[locale]
        system = Message("system", (Words(asks["system"]),))
        if of_kind % 3 == 0:
            utterance = random.choice([one for one in self._utterances if one.locale == locale])
            voice = BY_NAME[random.choice(grown(self._studio.material.split, locale)).name]
            clip = self._studio.speech.say(utterance.text, voice)[: 30 * CLOCK_HZ]
            heard = Heard(self._target.sound(name, pcm16(clip)))
            user = Message("user", (heard, Words(asks["heard"])))
            return Chat(name, (system, user, Message("assistant", (Words(utterance.text),))))
        if of_kind % 3 == 1:
            sign = random.choice(SIGNS[locale])
            board = jpeg(picture(Seen.SIGN, sign, random.randrange(1 << 20)))
            shown = Shown(self._target.frame(f"{name}.jpg", board))
            return Chat(name, (system, Message("user", (shown, Words(asks["sign"]))), Message("assistant", (Words(sign),))))
        turns = [one for one in self._utterances if one.locale == locale and one.kind in ITSELF[locale]]
        messages = [system]
        for one in random.sample(turns, 2):
            messages += [Message("user", (Words(one.text),)), Message("assistant", (Words(ITSELF[locale][one.kind]),))]
        return Chat(name, tuple(messages))


def _over(plan: Plan, turn: int) -> bool:
    """Something is said or heard over this reply."""
    return any(line.cue is not Cue.CLOCK and line.turn == turn for line in plan.lines)
