"""Scenarios: the same for the same seed, balanced, levels as planned, labels on the sound; and the records made of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scenario_material import studio

from ridealong.proto.types import CLOCK_HZ
from ridealong.simulators.scenarios.acoustics import active_level_db, decibels, frame_levels, rms
from ridealong.simulators.scenarios.align import Record, recorded
from ridealong.simulators.scenarios.generate import Studio
from ridealong.simulators.scenarios.plan import OVERLAPS, Line, Plan, Source
from ridealong.simulators.scenarios.planner import LOCALES, SNRS_DB
from ridealong.simulators.scenarios.scenario import Cue, Intent, Kind, Scenario, Split
from ridealong.simulators.scenarios.voices import BY_NAME, grown

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return studio(tmp_path_factory.mktemp("texts"))


@pytest.fixture(scope="module")
def plans(made: Studio) -> list[Plan]:
    return made.plans(3, 32, requests=16, noise_only=2, assistant_only=2)


def tagged(plans: list[Plan], tag: str) -> list[Plan]:
    return [plan for plan in plans if tag in plan.tags]


def over(plans: list[Plan], kind: Kind) -> list[tuple[Plan, Line]]:
    return [
        (plan, line)
        for plan in tagged(plans, "overlap")
        for line in plan.lines
        if line.kind is kind and line.cue is not Cue.CLOCK
    ]


def floats(pcm16: np.ndarray) -> np.ndarray:
    return pcm16.astype(np.float32) / np.float32(32768)


def same(first: Scenario, second: Scenario) -> bool:
    sounds = all(np.array_equal(a.pcm16, b.pcm16) and a.at == b.at for a, b in zip(first.sounds, second.sounds, strict=True))
    return sounds and np.array_equal(first.bed, second.bed) and (first.id, first.echo) == (second.id, second.echo)


def test_the_seed_decides_everything(made: Studio, tmp_path: Path) -> None:
    again = studio(tmp_path)
    plans = made.plans(3, 8, requests=4, noise_only=1)
    assert plans == again.plans(3, 8, requests=4, noise_only=1)
    assert all(same(made.scenario(plan), again.scenario(plan)) for plan in plans[::5])
    other = made.plans(4, 8, requests=4, noise_only=1)
    assert not any(a == b for a, b in zip(plans, other, strict=True))


def test_asking_for_more_changes_nothing_of_what_was_there(made: Studio) -> None:
    few = made.plans(3, 8)
    many = {plan.id: plan for plan in made.plans(3, 24)}
    assert few and all(many[plan.id] == plan for plan in few)


def test_every_class_is_balanced_over_language_noise_and_intent(plans: list[Plan]) -> None:
    for kind in OVERLAPS:
        turns = {(plan.id, line.turn): (plan.locale, plan.snr_db) for plan, line in over(plans, kind)}
        cells = Counter(turns.values())
        assert len(cells) == 2 * len(SNRS_DB) and min(cells.values()) >= 4
        if kind is not Kind.BACKCHANNEL:
            assert set(cells.values()) == {4}
    intents = Counter((plan.locale, line.intent, plan.snr_db) for plan, line in over(plans, Kind.INTERRUPTION))
    assert set(intents.values()) == {1} and len(intents) == 2 * len(Intent) * len(SNRS_DB)
    noises = Counter((plan.locale, plan.snr_db) for plan, _ in over(plans, Kind.NOISE))
    assert set(noises.values()) == {2} and len(noises) == 2 * len(SNRS_DB)
    assert len({plan.id for plan in plans}) == len(plans)


def test_every_beginning_of_the_rides_is_nearly_balanced(plans: list[Plan]) -> None:
    for count in (8, 13, 27):
        intents = Counter(line.intent for _, line in over(plans[:count], Kind.INTERRUPTION))
        locales = Counter(plan.locale for plan in plans[:count])
        assert max(intents.values()) - min(intents.values()) <= 2 and len(intents) == len(Intent)
        assert max(locales.values()) - min(locales.values()) <= 1


def test_every_voice_drives_at_every_noise_level_and_with_every_intent(made: Studio) -> None:
    rides = made.plans(3, 160)
    for locale in LOCALES:
        voices = len(grown(Split.REPORT, locale))
        levels = Counter((plan.user, plan.snr_db) for plan in rides if plan.locale == locale)
        assert len(levels) == voices * len(SNRS_DB) and max(levels.values()) - min(levels.values()) <= 2
        intents = Counter((plan.user, line.intent) for plan, line in over(rides, Kind.INTERRUPTION) if plan.locale == locale)
        assert len(intents) == voices * len(Intent) and max(intents.values()) - min(intents.values()) <= 4


def test_the_clips_of_one_seed_serve_the_next(made: Studio) -> None:
    def clips(seed: int) -> set[tuple[str, str]]:
        return {(line.who, line.text) for plan in made.plans(seed, 160) for line in plan.lines if line.source is Source.SYNTHESIS}

    assert len(clips(1) | clips(2)) < 1.1 * len(clips(1))


def test_a_ride_begins_with_a_request_and_every_reply_has_something_over_it(plans: list[Plan]) -> None:
    orders = set()
    for plan in tagged(plans, "overlap"):
        opening, *rest = plan.lines
        assert (opening.kind, opening.cue, opening.who) == (Kind.REQUEST, Cue.CLOCK, plan.user)
        assert {line.turn for line in rest} == set(range(len(plan.replies))) and 4 <= len(plan.replies) <= 6
        mine = [line for line in rest if line.source is Source.SYNTHESIS and line.kind is not Kind.BACKGROUND]
        assert {line.who for line in mine} == {plan.user}
        assert plan.user not in {line.who for line in rest if line.kind is Kind.BACKGROUND}
        orders.add(tuple(line.kind for line in rest))
    assert len(orders) > 8
    twice = [
        plan
        for plan in tagged(plans, "overlap")
        for turn in range(6)
        if sum(line.turn == turn and line.kind is Kind.BACKCHANNEL for line in plan.lines) == 2
    ]
    assert twice


def test_other_voices_are_softer_than_the_user(plans: list[Plan]) -> None:
    for plan in tagged(plans, "overlap"):
        user_db = plan.lines[0].level_db
        for line in plan.lines[1:]:
            if line.kind is Kind.BACKGROUND:
                assert 3 <= user_db - line.level_db <= 21
            if line.kind in (Kind.INTERRUPTION, Kind.OTHER_DIRECTED):
                assert 0 <= user_db - line.level_db <= 3


def test_a_radio_is_on_before_the_reply_and_goes_on(plans: list[Plan], made: Studio) -> None:
    radios = [plan for plan, line in over(plans, Kind.BACKGROUND) if line.cue is Cue.ASKED]
    assert radios
    for plan in radios:
        sounds = [sound for sound in made.scenario(plan).sounds if sound.cue is Cue.ASKED]
        assert len(sounds) == 3 and len({sound.turn for sound in sounds}) == 1
        assert all(b.at + b.onset > a.at + a.end for a, b in pairwise(sounds))


def test_an_interruption_that_needs_its_reply_gets_it(plans: list[Plan]) -> None:
    spoken_over = {line.text: plan.replies[line.turn] for plan, line in over(plans, Kind.INTERRUPTION)}
    assert any("spare" in text for text in spoken_over) and any("who built" in text for text in spoken_over)
    assert all("Tyre" in reply for text, reply in spoken_over.items() if "spare" in text)
    assert all("bridge" in reply for text, reply in spoken_over.items() if "who built" in text)


def test_all_texts_have_their_turn(plans: list[Plan], made: Studio) -> None:
    said = {line.text for _, line in over(plans, Kind.OTHER_DIRECTED)}
    assert said == {text for texts in made.material.texts.values() for text in texts.other_directed}


def test_speech_has_its_signal_to_noise_ratio(plans: list[Plan], made: Studio) -> None:
    for plan in plans[:16]:
        scenario = made.scenario(plan)
        level = active_level_db(floats(scenario.sounds[0].pcm16))
        noise = decibels(rms(floats(scenario.bed)))
        if scenario.snr_db is None:
            assert level - noise > 40
        else:
            assert level - noise == pytest.approx(scenario.snr_db, abs=0.5)


def test_labels_sit_on_the_words(plans: list[Plan], made: Studio) -> None:
    for plan in plans[::3]:
        for sound in made.scenario(plan).sounds:
            whole = floats(sound.pcm16)
            words = active_level_db(whole)
            assert 0 <= sound.onset < sound.end <= len(whole)
            assert decibels(rms(whole[: sound.onset])) < words - (12 if sound.person else 25)  # people were recorded in rooms
            assert decibels(float(frame_levels(whole[sound.onset : sound.onset + CLOCK_HZ // 20]).max())) > words - 30
            assert decibels(float(frame_levels(whole[max(0, sound.end - CLOCK_HZ // 20) : sound.end]).max())) > words - 30


def test_words_begin_when_planned(plans: list[Plan], made: Studio) -> None:
    for plan in plans[::3]:
        for line, sound in zip(plan.lines, made.scenario(plan).sounds, strict=True):
            if line.after_ms is None:
                assert sound.at + sound.onset == line.onset_ms * CLOCK_HZ // 1000
            if sound.cue is Cue.REPLY:
                assert sound.at >= 0


def test_an_answer_comes_from_another_voice_after_its_gap(made: Studio) -> None:
    plans = made.plans(3, 64, locales=["zh"])
    answered = [
        (plan, line.turn) for plan, line in over(plans, Kind.BACKGROUND) if line.cue is Cue.REPLY and line.after_ms is not None
    ]
    assert answered
    for plan, turn in answered:
        asking, answering = [line for line in plan.lines if line.turn == turn and line.kind is Kind.BACKGROUND]
        assert asking.who != answering.who
        first, second = [sound for sound in made.scenario(plan).sounds if sound.turn == turn and sound.kind is Kind.BACKGROUND]
        assert second.at + second.onset - first.at - first.end == int(answering.after_ms * CLOCK_HZ // 1000)  # type: ignore[operator]


def test_hesitations_are_silences_of_the_planned_length(plans: list[Plan], made: Studio) -> None:
    hesitant = tagged(plans, "hesitant")
    assert len(hesitant) == 8
    for plan in hesitant:
        (sound,) = made.scenario(plan).sounds
        planned = plan.lines[0].pauses_ms
        assert planned and all(400 <= ms <= 1_200 for ms in planned)
        assert [(b - a) * 1000 // CLOCK_HZ for a, b in sound.pauses[len(sound.pauses) - len(planned) :]] == list(planned)
        whole = floats(sound.pcm16)
        for start, end in sound.pauses:
            assert sound.onset < start < end < sound.end
            assert decibels(rms(whole[end - CLOCK_HZ // 50 : end])) < active_level_db(whole) - 30
        assert all(a[1] < b[0] for a, b in pairwise(sound.pauses))


def test_finished_requests_have_no_marked_pauses(plans: list[Plan], made: Studio) -> None:
    finished = [plan for plan in tagged(plans, "request") if "hesitant" not in plan.tags]
    assert len(finished) == 8 and all(not sound.pauses for plan in finished for sound in made.scenario(plan).sounds)


def test_nobody_speaks_in_a_stretch_of_noise(plans: list[Plan], made: Studio) -> None:
    for plan in tagged(plans, "noise_only"):
        scenario = made.scenario(plan)
        assert scenario.length == 60 * CLOCK_HZ and scenario.replies == ()
        assert scenario.sounds and {sound.kind for sound in scenario.sounds} == {Kind.NOISE}


def test_alone_the_assistant_is_louder_than_otherwise(plans: list[Plan]) -> None:
    alone = tagged(plans, "assistant_only")
    assert len(alone) == 2 and all(len(plan.replies) == 6 and not plan.lines for plan in alone)
    assert all(10_000 < plan.length_ms < 120_000 for plan in alone)
    assert min(plan.echo.level_db for plan in alone if plan.device_kind == "car") > -15


def test_people_are_marked(made: Studio) -> None:
    plans = made.plans(3, 24, locales=["en"])
    people = [sound for plan in plans for sound in made.scenario(plan).sounds if sound.person]
    assert people and all(sound.voice.endswith(".flac") for sound in people)
    synthesised = [line for plan in plans for line in plan.lines if line.source is Source.SYNTHESIS]
    assert all(BY_NAME[line.who].split is Split.REPORT for line in synthesised)


def offline(made: Studio, plan: Plan) -> tuple[Scenario, Record]:
    scenario = made.scenario(plan)
    said = (6_000 * np.sin(np.arange(8 * CLOCK_HZ) * 0.1)).astype(np.int16)
    answer = said[: 2 * CLOCK_HZ] if scenario.sounds else None
    return scenario, recorded(
        scenario, [said] * len(scenario.replies), answer, response_gap_ms=600, between_ms=1_500, yields_after_ms=500
    )


def test_a_record_answers_the_request_and_then_yields_to_interruptions_only(made: Studio, plans: list[Plan]) -> None:
    for plan in plans[:8]:
        scenario, record = offline(made, plan)
        (first, *replies) = record.spoken
        assert first[0] == record.labels[0].end + 600 * CLOCK_HZ // 1000 and first[1] - first[0] == 2 * CLOCK_HZ
        for turn, (begins, ends) in enumerate(replies):
            sounds = [sound for sound in scenario.sounds if sound.cue is not Cue.CLOCK and sound.turn == turn]
            labels = [label for label in record.labels if label.onset in {begins + sound.at + sound.onset for sound in sounds}]
            assert len(labels) == len(sounds)
            cut = [label.onset + CLOCK_HZ // 2 for label in labels if label.kind is Kind.INTERRUPTION]
            assert ends == (cut[0] if cut else begins + 8 * CLOCK_HZ)
            assert {label.target for label in labels} <= (
                {"stop"} if Intent.STOP in {s.intent for s in sounds} else {"yield"} if cut else {"continue"}
            )
        assert all(b[0] - a[1] >= 1.5 * CLOCK_HZ for a, b in pairwise(record.spoken))
        silent = np.ones(len(record.assistant), dtype=bool)
        for begins, ends in record.spoken:
            silent[begins:ends] = False
            assert record.assistant[begins + 100 : begins + 500].any()
        assert not record.assistant[silent].any()
        assert len(record.user) == len(record.assistant) == len(record.microphone)


def test_the_microphone_hears_the_assistant_at_the_level_of_the_echo(made: Studio, plans: list[Plan]) -> None:
    for plan in tagged(plans, "assistant_only"):
        scenario, record = offline(made, plan)
        (begins, _), *_ = record.spoken
        echo = floats(record.microphone) - floats(record.user)
        assert not echo[:begins].any() and echo.any() and scenario.echo is not None
        steady = slice(begins + CLOCK_HZ, begins + 7 * CLOCK_HZ)
        assert decibels(rms(echo[steady])) - decibels(rms(floats(record.assistant)[steady])) < scenario.echo.level_db + 12


def test_a_record_wants_every_reply(made: Studio, plans: list[Plan]) -> None:
    with pytest.raises(ValueError, match="replies"):
        recorded(made.scenario(plans[0]), [])
