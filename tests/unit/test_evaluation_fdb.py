"""Full-Duplex-Bench's rules on hand-worked cases, and the reader on good and bad folders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from ridealong.errors import UserError
from ridealong.simulators.evaluation import fdb
from ridealong.simulators.evaluation.fdb import Behaviour, Label, Segment, Word
from ridealong.simulators.evaluation.fdb_data import read_folder
from ridealong.simulators.evaluation.statistics import Share, jensen_shannon

pytestmark = pytest.mark.unit


def words(text: str, start: float, end: float) -> list[Word]:
    """Evenly spread."""
    parts = text.split()
    step = (end - start) / max(1, len(parts))
    return [Word(part, start + i * step, start + (i + 1) * step) for i, part in enumerate(parts)]


# --- v1.0: take-over and latency ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "start", "end", "taken"),
    [
        ("", 0.0, 0.0, False),  # no words
        ("mm hm yes", 2.0, 2.9, False),  # under a second, three words
        ("mm hm", 2.0, 3.0, True),  # exactly a second is no longer short
        ("one two three four", 2.0, 2.9, True),  # four words in under a second
        ("okay", 2.0, 3.5, True),  # one long word
    ],
)
def test_a_take_over_is_more_than_a_second_or_three_words(said: str, start: float, end: float, taken: bool) -> None:
    assert fdb.takes_over(words(said, start, end)) is taken


def test_the_span_runs_from_the_first_start_to_the_last_end_across_silence() -> None:
    assert fdb.takes_over([Word("yes", 1.0, 1.2), Word("yes", 8.0, 8.2)])


def test_turn_latency_counts_from_the_start_of_the_marker_and_is_never_negative() -> None:
    assert fdb.turn_latency_s(words("well I think so too", 5.5, 7.5), 5.0) == pytest.approx(0.5)
    assert fdb.turn_latency_s(words("well I think so too", 4.0, 7.5), 5.0) == 0.0
    assert fdb.turn_latency_s(words("yes", 5.5, 5.8), 5.0) is None  # no take-over, no latency


def test_only_what_follows_the_interruption_counts_for_it() -> None:
    before, after = words("the first of these is very old", 1.0, 6.0), words("okay let us see then", 8.4, 10.0)
    assert fdb.interruption_latency_s([*before, *after], 8.0) == pytest.approx(0.4)
    assert fdb.interruption_latency_s(before, 8.0) is None
    assert not fdb.takes_over(fdb.after(before, 8.0))


# --- v1.0: backchannels ------------------------------------------------------------------------------------------------


def test_a_short_segment_of_two_words_is_a_backchannel() -> None:
    found = fdb.backchannels([Segment(1.0, 1.6), Segment(4.0, 4.9)], [Word("mm", 1.1, 1.4), *words("oh yes", 4.1, 4.8)], 10.0)
    assert not found.take_over and len(found.segments) == 2 and found.per_s == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("segment", "said"),
    [
        (Segment(2.0, 5.5), "mm"),  # over three seconds
        (Segment(2.0, 2.9), "one two three four"),  # more than three words
        (Segment(2.0, 3.2), "yes"),  # a second or more
        (Segment(2.0, 2.9), "one two three"),  # three words
    ],
)
def test_anything_longer_takes_over(segment: Segment, said: str) -> None:
    found = fdb.backchannels([segment], words(said, segment.start, segment.end), 10.0)
    assert found.take_over and found.last_decides and not found.segments


def test_the_published_convention_lets_the_last_segment_decide_ours_does_not() -> None:
    said = [*words("one two three four", 1.0, 2.5), Word("mm", 5.1, 5.4)]
    found = fdb.backchannels([Segment(1.0, 2.5), Segment(5.0, 5.5)], said, 10.0)
    assert found.take_over and not found.last_decides
    assert len(found.segments) == 1
    long_one = fdb.backchannels([Segment(1.0, 4.5), Segment(5.0, 5.5)], said, 10.0)
    assert long_one.take_over and long_one.last_decides  # over three seconds is one wherever it stands


def test_silence_is_no_take_over_and_diverges_wholly() -> None:
    found = fdb.backchannels([], [], 10.0)
    assert not found.take_over and not found.last_decides and found.per_s == 0.0
    assert fdb.backchannel_divergence(found, [0.5, 0.5]) == 1.0


def test_divergence_compares_bins_of_a_fifth_of_a_second() -> None:
    found = fdb.backchannels([Segment(0.2, 0.5), Segment(0.65, 0.9)], [], 0.8)  # bins 1 and 3 of four
    assert fdb.backchannel_divergence(found, [0, 1, 0, 1]) == pytest.approx(0.0)
    assert fdb.backchannel_divergence(found, [1, 0, 1, 0]) == pytest.approx(1.0)
    assert fdb.backchannel_divergence(found, [0, 1, 0, 0]) == pytest.approx(jensen_shannon([0, 1, 0, 1], [0, 1, 0, 0]))


def test_a_distribution_is_stretched_linearly() -> None:
    assert fdb.stretched([0.0, 1.0], 5) == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert fdb.stretched([2.0], 3) == [2.0, 2.0, 2.0]
    assert fdb.stretched([0.0, 1.0, 0.0], 3) == pytest.approx([0.0, 1.0, 0.0])


def test_jensen_shannon_by_hand() -> None:
    # p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4): (log2(4/3) + (log2(2/3) + log2(2)) / 2) / 2
    assert jensen_shannon([2, 0], [1, 1]) == pytest.approx(0.311278, abs=1e-6)
    with pytest.raises(ValueError, match="same bins"):
        jensen_shannon([1], [1, 1])


# --- v1.5: timing ------------------------------------------------------------------------------------------------------


def test_gaps_merge_up_to_and_with_the_limit() -> None:
    assert fdb.merged([Segment(0, 1), Segment(1.6, 2)], 0.6) == [Segment(0, 2)]
    assert len(fdb.merged([Segment(0, 1), Segment(1.61, 2)], 0.6)) == 2
    assert fdb.merged([Segment(2, 3), Segment(0, 5)], 0.0) == [Segment(0, 5)]


def test_stop_latency_is_how_long_both_speak() -> None:
    assert fdb.stops([Segment(5.0, 8.0)], [Segment(1.0, 6.2)]) == pytest.approx([1.2])
    assert fdb.stops([Segment(5.0, 8.0)], [Segment(1.0, 4.0)]) == []
    # the user's gap of 0.6 s merges, the model's of 0.6 s does not
    assert fdb.stops([Segment(5.0, 6.0), Segment(6.6, 8.0)], [Segment(1.0, 5.5), Segment(6.1, 7.0)]) == pytest.approx([0.5, 0.9])


def test_of_overlaps_that_end_together_the_shortest_is_kept() -> None:
    together = [Segment(1.0, 5.0), Segment(4.2, 5.0004), Segment(2.0, 5.0), Segment(0.0, 3.0)]
    assert fdb.shortest_per_end(together) == [Segment(0.0, 3.0), Segment(4.2, 5.0004)]


def test_response_latency_takes_the_next_start_and_the_latest_end() -> None:
    assert fdb.responses([Segment(0.0, 2.0), Segment(4.0, 5.0)], [Segment(5.7, 8.0)]) == pytest.approx([0.7])
    assert fdb.responses([Segment(0.0, 2.0)], [Segment(1.0, 6.0)]) == []  # began before the end
    assert fdb.responses([Segment(0.0, 2.0), Segment(6.0, 7.0)], [Segment(2.5, 4.0), Segment(7.9, 9.0)]) == pytest.approx(
        [0.5, 0.9]
    )


# --- v1.5: behaviour ---------------------------------------------------------------------------------------------------

STORY = "the old bridge was built by a rich family and it carried corn and coal to the harbour every day"


def behaviour(*, model: list[tuple[str, float, float]], said: str = "can you tell me the price instead") -> Behaviour:
    spoken = [word for text, start, end in model for word in words(text, start, end)]
    segments = tuple(Segment(start, end) for _, start, end in model)
    return Behaviour(Segment(5.0, 7.0), said, segments, tuple(spoken), tuple(words(STORY, 1.0, 9.0)))


def test_talking_on_is_unknown_when_strict_and_resume_when_lenient() -> None:
    case = behaviour(model=[(STORY, 1.0, 9.0)])
    assert fdb.label(case, strict=True) is Label.UNKNOWN
    assert fdb.label(case, strict=False) is Label.RESUME


def test_falling_silent_is_unknown_either_way() -> None:
    case = behaviour(model=[("the old bridge was built", 1.0, 5.6)])
    assert fdb.label(case, strict=True) is fdb.label(case, strict=False) is Label.UNKNOWN


def test_going_on_with_the_answer_after_a_pause_is_resume() -> None:
    case = behaviour(model=[("the old bridge was built by", 1.0, 5.3), ("a rich family and it carried corn", 7.8, 10.0)])
    assert fdb.label(case, strict=True) is fdb.label(case, strict=False) is Label.RESUME


def test_an_answer_to_what_was_said_is_respond() -> None:
    case = behaviour(model=[("the old bridge was", 1.0, 5.3), ("the price is four hundred pounds", 8.0, 10.0)])
    assert fdb.label(case, strict=True) is fdb.label(case, strict=False) is Label.RESPOND


def test_something_else_entirely_is_respond_only_when_lenient() -> None:
    case = behaviour(model=[("the old bridge was", 1.0, 5.3), ("penguins live near cold water", 8.0, 10.0)])
    assert fdb.label(case, strict=True) is Label.UNKNOWN
    assert fdb.label(case, strict=False) is Label.RESPOND


def test_asking_back_is_uncertain_handling() -> None:
    case = behaviour(model=[("the old bridge was", 1.0, 5.3), ("sorry I didn't catch that", 8.0, 10.0)])
    assert fdb.label(case, strict=True) is fdb.label(case, strict=False) is Label.UNCERTAIN


def test_a_refusal_reacts_to_what_was_said() -> None:
    case = behaviour(model=[("the old bridge was", 1.0, 5.3), ("I can't answer that without a language model", 8.0, 10.0)])
    assert fdb.label(case, strict=True) is Label.RESPOND


def test_a_segment_that_began_before_the_overlap_is_not_new() -> None:
    case = behaviour(model=[("the price is four hundred pounds", 4.9, 8.0)])
    assert fdb.label(case, strict=True) is Label.UNKNOWN


# --- shares ------------------------------------------------------------------------------------------------------------


def test_an_empty_share_has_no_value() -> None:
    assert Share(0, 0).value is None and Share(0, 0).interval is None and Share(0, 0).shown() == "–"
    low, high = Share(190, 200).interval or (0, 0)
    assert (round(low, 3), round(high, 3)) == (0.910, 0.973)  # Wilson, by hand


# --- the reader --------------------------------------------------------------------------------------------------------


def write_wav(path: Path, seconds: float = 1.0, rate: int = 16_000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(str(path), np.zeros(int(seconds * rate), np.float32), rate, subtype="FLOAT")


def v1_5_item(folder: Path, name: str = "1") -> Path:
    item = folder / "v1_5" / "user_backchannel" / name
    for wav in ("input.wav", "clean_input.wav"):
        write_wav(item / wav)
    (item / "metadata.json").write_text(json.dumps({"context_text": "a", "current_turn_text": "mm-hm", "timestamps": [0.2, 0.6]}))
    return item


def test_both_versions_are_read(tmp_path: Path) -> None:
    v1_5_item(tmp_path)
    turn = tmp_path / "v1_0" / "candor_turn_taking" / "7"
    write_wav(turn / "input.wav", rate=24_000)
    (turn / "turn_taking.json").write_text('[{"text": "[TURN-TAKING]", "timestamp": [0.5, 0.7]}]')
    listener = tmp_path / "v1_0" / "icc_backchannel" / "3_a"
    write_wav(listener / "input.wav")
    (listener.parent / "icc_gt_distribution.json").write_text('{"3": [0.5, 0.25, 0.25]}')
    found = read_folder(tmp_path)
    assert {item.id for item in found.items} == {
        "v1.0/candor_turn_taking/7", "v1.0/icc_backchannel/3_a", "v1.5/user_backchannel/1"
    } and not found.broken  # fmt: skip
    by_id = {item.id: item for item in found.items}
    assert by_id["v1.0/candor_turn_taking/7"].marker == (0.5, 0.7)
    assert by_id["v1.0/icc_backchannel/3_a"].reference == (0.5, 0.25, 0.25)
    assert by_id["v1.5/user_backchannel/1"].overlap == "mm-hm"


def test_a_folder_of_one_version_or_limited_is_read_too(tmp_path: Path) -> None:
    for name in "123":
        v1_5_item(tmp_path, name)
    assert len(read_folder(tmp_path / "v1_5", limit=2).items) == 2


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda item: (item / "metadata.json").unlink(), "metadata.json is missing"),
        (lambda item: (item / "metadata.json").write_text("{"), "metadata.json is not JSON"),
        (lambda item: (item / "metadata.json").write_text("[]"), "metadata.json is no object"),
        (lambda item: (item / "metadata.json").write_bytes(b"\xff\xfe\x00"), "metadata.json is not JSON"),
        (lambda item: (item / "metadata.json").write_text('{"timestamps": [3, 1]}'), "no timestamp"),
        (lambda item: (item / "metadata.json").write_text('{"timestamps": [NaN, 1]}'), "no timestamp"),
        (lambda item: (item / "metadata.json").write_text('{"timestamps": "soon"}'), "no timestamp"),
        (lambda item: (item / "metadata.json").write_text('{"timestamps": [1, 1' + "0" * 400 + "]}"), "no timestamp"),
        (lambda item: (item / "metadata.json").write_text("[" * 100_000), "metadata.json is not JSON"),
        (lambda item: write_wav(item / "input.wav", 100, 1), "claims 1 samples a second"),
        (lambda item: write_wav(item / "input.wav", 1e-6, 2_000_000_000), "claims 2000000000 samples a second"),
        (lambda item: (item / "clean_input.wav").unlink(), "clean_input.wav is missing"),
        (lambda item: (item / "input.wav").write_text("no sound"), "input.wav is no sound file"),
        (lambda item: write_wav(item / "input.wav", 0), "input.wav holds no samples"),
    ],
)  # fmt: skip
def test_a_broken_item_is_named_and_the_others_are_read(tmp_path: Path, spoil: object, why: str) -> None:
    v1_5_item(tmp_path, "good")
    assert callable(spoil)
    spoil(v1_5_item(tmp_path, "bad"))
    found = read_folder(tmp_path)
    assert [item.name for item in found.items] == ["good"]
    assert len(found.broken) == 1 and found.broken[0][0] == "v1.5/user_backchannel/bad" and why in found.broken[0][1]


def test_a_folder_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "music").mkdir()
    (tmp_path / "v1_5" / "user_backchannel" / "1").mkdir(parents=True)
    for path, words_ in [
        (tmp_path / "none", "there is no folder"), (tmp_path / "file", "there is no folder"), (tmp_path / "music", "does not look like"),
        (tmp_path, "no item that can be used"),
    ]:  # fmt: skip
        with pytest.raises(UserError, match=words_):
            read_folder(path)
