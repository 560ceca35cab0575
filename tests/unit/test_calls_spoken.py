"""Cases through speech: the sound has the ratio asked for, the ear gives each turn its words, words are routed, kept and compared by hand-worked counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ridealong.cloud.frontends.cascade.segment import FRAME, Audio, Text
from ridealong.errors import UserError
from ridealong.harness.tagged import untagged
from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.evaluation.calls.aloud import BEFORE_S, Delivery, check_delivery, sound_of, voices_named
from ridealong.simulators.evaluation.calls.cases import Case, Situation
from ridealong.simulators.evaluation.calls.error_rates import ErrorRate
from ridealong.simulators.evaluation.calls.hearing import Ear, Heard
from ridealong.simulators.evaluation.calls.kept import HeardBefore
from ridealong.simulators.evaluation.calls.matching import Made, Wanted
from ridealong.simulators.evaluation.calls.routing import LocalRouting
from ridealong.simulators.evaluation.calls.scores import answered, figures
from ridealong.simulators.evaluation.calls.spoken_figures import TurnHeard, beside, spoken_figures
from ridealong.simulators.scenarios.acoustics import decibels, rms
from ridealong.simulators.scenarios.speech import Syllables
from ridealong.simulators.scenarios.voices import BY_NAME
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit
TUNE = Delivery(voices_named(["tune"]))
CASE = Case("a", ("set it to twenty one degrees", "now open the driver's window"), ((),))


class Loud:
    """A voice detector: is this frame loud?"""

    def __call__(self, frame: Audio) -> float:
        return 1.0 if rms(frame) > 0.01 else 0.0

    def reset(self) -> None: ...


def ear(*words: Text) -> Ear:
    """Hears these, one an utterance."""
    left = iter(words)
    said: dict[int, Text] = {}

    def recognise(audio: Audio, locale: str) -> Text:
        at = round(float(np.abs(audio).sum()))  # the same sound, the same words
        return said.setdefault(at, next(left, words[-1]))

    return Ear(Loud, lambda audio: 0.99, recognise, lambda text, locale: True)


def test_the_speech_is_so_far_above_the_noise() -> None:
    quiet, loud = (sound_of(CASE, replace(TUNE, snr_db=snr_db), Syllables()) for snr_db in (40.0, 10.0))
    before = slice(0, round(BEFORE_S * CLOCK_HZ))
    assert decibels(rms(loud.samples[before]) / rms(quiet.samples[before])) == pytest.approx(30.0, abs=0.1)
    assert len(quiet.onsets) == 2 and quiet.onsets[0] == before.stop
    assert np.array_equal(loud.samples, sound_of(CASE, TUNE, Syllables()).samples)
    assert not np.array_equal(loud.samples, sound_of(CASE, replace(TUNE, seed=2), Syllables()).samples[: len(loud.samples)])


def test_a_passenger_speaks_from_elsewhere() -> None:
    there = replace(CASE, situation=Situation(speaker="passenger"))
    clear = replace(TUNE, snr_db=60.0)
    near, far = sound_of(CASE, clear, Syllables()).samples, sound_of(there, clear, Syllables()).samples
    assert not np.allclose(near[: len(far)], far[: len(near)], atol=1e-3)


def test_voices_are_named_or_refused() -> None:
    assert {BY_NAME[name].locale for name in TUNE.voices} == {"en", "zh"}
    assert not any("child" in name for name in TUNE.voices)
    with pytest.raises(UserError, match="--voices knows no 'bob'"):
        voices_named(["bob"])
    with pytest.raises(UserError, match="none that speaks zh"):
        check_delivery(Delivery(voices_named(["tune_en_emma"])), [replace(CASE, locale="zh")])
    with pytest.raises(UserError, match="--snr"):
        check_delivery(replace(TUNE, snr_db=200.0), [CASE])


def test_each_turn_gets_the_utterances_that_were_in_it() -> None:
    burst = (0.2 * np.sin(np.arange(CLOCK_HZ) * 0.3)).astype(np.float32)
    silence = np.zeros(FRAME * 100, np.float32)
    samples = np.concatenate([silence, burst, silence, 0.5 * burst, silence, 0.7 * burst, silence])
    second = len(silence) * 2 + len(burst)
    heard = ear(Text("open", "en", 1.0, 0.0), Text("开", "zh", 1.0, 0.0), Text("shut", "en", 1.0, 0.0))(
        samples, (len(silence), second)
    )
    assert heard == ((Heard("open", "en"),), (Heard("开", "zh"), Heard("shut", "en")))


def test_nothing_is_heard_of_silence_but_every_turn_is_told() -> None:
    assert ear(Text("no", "en", 1.0, 0.0))(np.zeros(CLOCK_HZ, np.float32), (0, 8_000)) == ((), ())


def test_what_was_heard_is_routed_utterance_by_utterance() -> None:
    routing = LocalRouting(builtin_registry(), untagged)
    case = Case("a", ("open the trunk", "set it to 21 degrees"), ((Wanted("climate.set_temperature", {"target": [21]}),),))
    asked = [[("打开后备箱", "zh")], [("open the driver's window", "en"), ("set the temperature to 21 degrees", "en")]]
    made = routing.calls(case, asked)
    assert [call.name for call in made] == ["windows.set_position", "climate.set_temperature"]
    assert routing.calls(case, [[], []]) == []
    assert [call.name for call in routing.calls(case)] == ["climate.set_temperature"]


def test_what_was_heard_is_kept_for_the_same_case_and_delivery(tmp_path: Path) -> None:
    path = tmp_path / "heard.jsonl"
    turns = ((Heard("调到二十二度", "zh"),), ())
    HeardBefore(path, TUNE).keep(CASE, turns)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"key": "torn')
    assert HeardBefore(path, TUNE).of(CASE) == turns
    assert HeardBefore(path, replace(TUNE, snr_db=5.0)).of(CASE) is None
    assert HeardBefore(path, TUNE).of(replace(CASE, turns=("other", "words"))) is None
    path.write_text("not ours\n\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 1"):
        HeardBefore(path, TUNE)


def test_error_rates_are_counted_with_numbers_spelt_out() -> None:
    assert ErrorRate.of([("Set it to 22.5 degrees!", "set it to twenty-two and a half degrees")], "en") == ErrorRate(0, 9)
    assert ErrorRate.of([("climate to twenty one", "Climate to 21.")], "en") == ErrorRate(0, 4)
    assert ErrorRate.of([("open the boot", "open the old boat")], "en") == ErrorRate(2, 3)
    assert ErrorRate.of([("温度调到22度", "温度掉到二十二度。")], "zh") == ErrorRate(1, 8)
    assert ErrorRate.of([("open it", "")], "en") == ErrorRate(2, 2)


def test_spoken_figures_have_the_texts_names_and_are_set_beside_them() -> None:
    case = Case("a", ("open the trunk",), ((Wanted("trunk.open", {}),),))
    text, spoken = [answered(case, [Made("trunk.open", {})], {})], [answered(case, [], {})]
    turns = [TurnHeard("open the trunk", "en", (Heard("open the", "en"), Heard("drunk", "en")))]
    found = {figure.name: figure.value for figure in spoken_figures(spoken, turns)}
    assert found["spoken.f1"] == 0.0 and found["spoken.pass_at_1"] == 0.0
    assert found["spoken.word_error_rate"] == pytest.approx(1 / 3)
    assert (found["spoken.cut"], found["spoken.unheard"], found["spoken.word_for_word"]) == (1.0, 0.0, 0.0)
    assert "spoken.character_error_rate" not in found
    rows = beside(figures(text), spoken_figures(spoken, turns)).rows
    assert rows[0][1:] == ("1.000", "0.000", "0.000")
