"""Records from the scenario generator: the right tokens at the right units, the same for the same seed. No tensors."""

from __future__ import annotations

import json
import wave
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from scenario_material import studio

from ridealong.cli import main
from ridealong.cloud.model.training.records import Chat, Duplex, Token, Unit, Words, read_records
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.delegation.utterances import Split as Develop
from ridealong.simulators.evaluation.delegation.utterances import generate
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import Plan, Source
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Split
from ridealong.simulators.training.materialise import Order, materialise
from ridealong.simulators.training.pacing import Score, acts_on, paced
from ridealong.simulators.training.sessions import Session, requested, ridden

pytestmark = pytest.mark.unit
FLAGS = ["--count", "10", "--voices", "syllables"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return studio(tmp_path_factory.mktemp("texts"), Split.TUNE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, made: Studio) -> Path:
    folder = tmp_path_factory.mktemp("records") / "new"
    told: list[int] = []
    assert materialise(folder, made, Order(20, seed=5), told.append) == Counter(request=8, ride=6, chat=6)
    assert told == list(range(1, 21))
    return folder


def names(unit: Unit) -> list[str]:
    return [part.name if isinstance(part, Token) else "words" for part in unit.drawn]


def test_the_same_seed_gives_the_same_bytes(folder: Path, made: Studio, tmp_path: Path) -> None:
    materialise(tmp_path / "again", made, Order(20, seed=5))
    materialise(tmp_path / "other", made, Order(2, seed=4))
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(files) > 20 and any(path.suffix == ".jpg" for path in files)
    for path in files:
        assert (folder / path).read_bytes() == (tmp_path / "again" / path).read_bytes(), path
    assert (tmp_path / "other/records.jsonl").read_text() not in (folder / "records.jsonl").read_text()


def test_sessions_are_whole_seconds_and_their_turns_end(folder: Path) -> None:
    for record in read_records(folder):
        if isinstance(record, Duplex):
            sound = record.units[0].sound
            assert sound is not None
            with wave.open(str(folder / sound.file)) as file:
                assert file.getnframes() == len(record.units) * CLOCK_HZ
            assert record.units[0].end == record.units[-1].end == "listen"
            assert [unit.sound.start for unit in record.units if unit.sound] == [n * CLOCK_HZ for n in range(len(record.units))]


def test_a_request_is_handed_over_and_its_answer_said_again(folder: Path) -> None:
    sessions = [one for one in read_records(folder) if isinstance(one, Duplex) and one.id.startswith("request")]
    handed = [one for one in sessions if any("delegate_open" in names(unit) for unit in one.units)]
    silent = [one for one in sessions if all(unit.end == "listen" for unit in one.units)]
    assert handed and silent and len(handed) + len(silent) < len(sessions)
    for record in handed:
        at = next(number for number, unit in enumerate(record.units) if "delegate_open" in names(unit))
        assert names(record.units[at]) == ["speak", "delegate_open", "words", "delegate_close"]
        assert names(record.units[at + 1]) == ["speak", "turn_eos"]
        back = next(number for number, unit in enumerate(record.units) if unit.backend)
        assert back >= at + 2 and all(unit.end == "listen" for unit in record.units[at + 2 : back])
        said = "".join(part.text for unit in record.units[back:] for part in unit.drawn if isinstance(part, Words))
        assert said == record.units[back].backend and names(record.units[back])[0] == "speak"


def rides(made: Studio, kind: Kind, intent: Intent | None) -> list[tuple[Plan, int]]:
    plans = made.plans(5, 8)
    return [(plan, line.turn) for plan in plans for line in plan.lines if line.kind is kind and line.intent is intent][:3]


def spoken(session: Session) -> list[Unit]:
    return list(session.score.written("x.wav"))


@pytest.mark.parametrize("kind", [Kind.BACKCHANNEL, Kind.OTHER_DIRECTED, Kind.BACKGROUND])
def test_it_goes_on_over_what_is_not_for_it(made: Studio, kind: Kind) -> None:
    for plan, turn in rides(made, kind, None):
        units = spoken(ridden(made, plan, turn))
        said = "".join(part.text for unit in units for part in unit.drawn if isinstance(part, Words))
        assert said == plan.replies[turn] == units[1].backend
        assert sum("turn_eos" in names(unit) for unit in units) == 1


@pytest.mark.parametrize("intent", [Intent.STOP, Intent.CORRECT, Intent.REDIRECT])
def test_it_yields_to_who_takes_the_floor(made: Studio, intent: Intent) -> None:
    cut = 0
    for plan, turn in rides(made, Kind.INTERRUPTION, intent):
        line = next(one for one in plan.lines if one.turn == turn and one.cue is not Cue.CLOCK)
        units = spoken(ridden(made, plan, turn))
        handed = [number for number, unit in enumerate(units) if "delegate_open" in names(unit)]
        ended = next(number for number, unit in enumerate(units) if "turn_eos" in names(unit))
        said = "".join(part.text for unit in units[:ended] for part in unit.drawn if isinstance(part, Words))
        assert plan.replies[turn].startswith(said)
        cut += said != plan.replies[turn]
        if intent is Intent.STOP:
            assert not handed
        else:
            assert len(handed) == 1 and handed[0] > ended and units[handed[0]].drawn[2] == Words(line.text)
    assert cut


def test_a_recorded_persons_request_is_said_by_a_voice(made: Studio) -> None:
    plan = made.plans(1, 0, locales=["en"], requests=1)[0]
    person = replace(plan, user="person.flac", lines=(replace(plan.lines[0], source=Source.RECORDING, who="person.flac"),))
    utterance = next(one for one in generate(Develop.DEVELOP, 1) if one.locale == "en" and one.kind == "timers")
    assert requested(made, person, utterance, Random(1)).score.backend


def test_chats_end_with_an_answer(folder: Path) -> None:
    chats = [one for one in read_records(folder) if isinstance(one, Chat)]
    assert len(chats) == 6 and {len(one.messages) for one in chats} == {3, 5}


def test_words_go_where_they_begin_a_second_ahead() -> None:
    assert paced("one two three", "en", 2 * CLOCK_HZ, 2 * CLOCK_HZ) == {1: "one two", 2: " three"}
    assert paced("你好，我在。", "zh", CLOCK_HZ, CLOCK_HZ) == {0: "你好，我在。"}
    assert acts_on(CLOCK_HZ - 1) == 1 and acts_on(CLOCK_HZ // 2) == 0


def test_a_unit_says_one_thing() -> None:
    score = Score(2)
    assert score.say({1: "a", 3: "b"}) == 4
    assert [names(unit) for unit in score.written("x.wav")] == [
        [], ["speak", "words"], ["speak"], ["speak", "words"], ["speak", "turn_eos"], [],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="unit 3 already"):
        score.delegate(3, "c")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "materialise", "--out", str(tmp_path / "new"), *FLAGS, "--mix", "1:0:1", "--locale", "en"]) == 0
    assert "5 requests, 0 rides, 5 chats" in capsys.readouterr().out
    assert (
        main(["train", "materialise", "--out", str(tmp_path / "zh"), "--voices", "syllables", "--count", "2", "--mix", "1:0:0"])
        == 0
    )
    found = read_records(tmp_path / "new")
    assert len(found) == 10 and all(json.dumps(one.id) for one in found)
    for words, message in (
        (["--out", str(tmp_path / "new")], "is not empty"),
        (["--out", str(tmp_path / "x"), "--mix", "1:2"], "must be three numbers"),
        (["--out", str(tmp_path / "x"), "--count", "0"], "--count must be at least 1"),
    ):
        assert main(["train", "materialise", "--voices", "syllables", *words]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["train", "--help"])
    assert stopped.value.code == 0 and "train materialise" in capsys.readouterr().out
