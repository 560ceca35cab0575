"""From judged sounds to figures: shares with intervals, percentiles, counts. Pure. Names as in the command's contract.

    Scores (overlaps, turns, strays, silences) -> figures(scores)

Latencies have a value only where computing was charged or real (`timed`). Does not know rides or how figures are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ridealong.simulators.evaluation import endpointing, scoring
from ridealong.simulators.evaluation.facts import Facts, TurnPoint
from ridealong.simulators.evaluation.scoring import Overlap, Strays, Turn
from ridealong.simulators.evaluation.statistics import Share, percentile
from ridealong.simulators.replay.figures import Figure

RESUMING = ("backchannel", "other_directed", "background", "noise")
INTENTS = ("stop", "correct", "redirect", "follow_up")
BY_THE_USER = ("interruption", "backchannel", "other_directed")
STAGES = {
    "endpoint": "end of turn decided", "text": "words known", "result": "result ready", "out": "first sample out of the cloud",
    "speaker": "first sample at the speaker",
}  # fmt: skip
SHARE_GOAL, DUCK_GOAL_MS, SILENCE_GOAL_MS, P50_GOAL_MS, P95_GOAL_MS = ">= 0.95", "<= 120", "<= 300", "<= 1000", "<= 1600"


@dataclass(slots=True)
class Scores:
    """Everything that was judged. `silent`, `talking`: rides in which nobody spoke to the assistant, while it was silent or talked."""

    overlaps: list[Overlap] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    turn_points: list[tuple[TurnPoint, ...]] = field(default_factory=list)
    silent: list[Strays] = field(default_factory=list)
    talking: list[Strays] = field(default_factory=list)
    all: list[Strays] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    timed: bool = False

    @property
    def judged(self) -> list[Overlap]:
        return [overlap for overlap in self.overlaps if overlap.judgeable]


def scores_of(rides: Iterable[Facts]) -> Scores:
    scores = Scores()
    for facts in rides:
        if facts.broken:
            scores.broken.append((facts.id, facts.broken))
            continue
        scores.timed = scores.timed or facts.timed
        stray = scoring.strays(facts)
        scores.all.append(stray)
        match facts.suite:
            case "overlaps":
                scores.overlaps += scoring.overlaps(facts)
            case "turns":
                scores.turns += scoring.turns(facts)
                if facts.turn_points:
                    scores.turn_points.append(facts.turn_points)
            case "noise":
                scores.silent.append(stray)
            case "self":
                scores.talking.append(stray)
    return scores


def figures(scores: Scores) -> list[Figure]:
    return [
        *_overlap_shares(scores.judged),
        *_overlap_times(scores),
        *_turn_figures(scores),
        *_endpointing(scores.turn_points),
        *_strays(scores),
        Figure("broken_rides", float(len(scores.broken)), "", len(scores.all) + len(scores.broken), label="rides that failed"),
    ]


def share_figure(name: str, share: Share, goal: str = "", label: str = "") -> Figure:
    low, high = share.interval or (None, None)
    return Figure(name, share.value, "share", share.n, low, high, goal, label)


def noise_level(snr_db: float | None) -> str:
    return "clean" if snr_db is None else f"{snr_db:g} dB"


def classes(overlaps: Sequence[Overlap]) -> list[tuple[str, str, list[Overlap]]]:
    """(figure's stem, class, its overlaps), in a fixed order."""
    return [
        (f"{'respond' if kind == 'interruption' else 'resume'}.{kind}", kind, [one for one in overlaps if one.kind == kind])
        for kind in ("interruption", *RESUMING)
    ]


def _overlap_shares(judged: Sequence[Overlap]) -> list[Figure]:
    rows: list[Figure] = []
    for stem, kind, found in classes(judged):
        label = f"{kind.replace('_', ' ')}: {'responds' if kind == 'interruption' else 'goes on'}"
        rows.append(share_figure(stem, Share.of(one.right for one in found), SHARE_GOAL, label))
        rows.append(share_figure(f"{stem}.lenient", Share.of(one.right_lenient for one in found), "", f"{label} (lenient)"))
        groups: list[tuple[str, Callable[[Overlap], object]]] = [
            ("noise", lambda one: noise_level(one.snr_db).replace(" ", "")), ("language", lambda one: one.locale),
            ("intent", lambda one: one.intent), ("person", lambda one: "person" if one.person else ""),
        ]  # fmt: skip
        for _, key in groups:
            for value in sorted({str(key(one)) for one in found} - {""}):
                rows.append(share_figure(f"{stem}@{value}", Share.of(one.right for one in found if str(key(one)) == value)))
    return rows


def _overlap_times(scores: Scores) -> list[Figure]:
    judged, timed = scores.judged, scores.timed
    near = [one for one in judged if one.kind in BY_THE_USER]
    ducks = [one.duck_ms for one in near if one.duck_ms is not None]
    stopped = [one for one in judged if one.kind == "interruption" and one.stopped]
    onset = [one.silence_from_onset_ms for one in stopped if one.silence_from_onset_ms is not None]
    verdict = [one.silence_from_verdict_ms for one in stopped if one.silence_from_verdict_ms is not None]
    verdicts = [one.verdict_ms for one in judged if one.kind == "interruption" and one.verdict_ms is not None]
    held = [one.held_ms for one in judged if one.kind in RESUMING and not one.stopped]
    return [
        share_figure("ducked", Share(len(ducks), len(near)), "", "user's sounds at which speech became softer"),
        *_percentiles("duck", ducks, True, DUCK_GOAL_MS, "softer at the speaker, from the user's onset"),
        *_percentiles("silence_from_onset", onset, timed, "", "silent, from the onset of an interruption"),
        *_percentiles("silence_from_verdict", verdict, True, SILENCE_GOAL_MS, "silent, from the verdict"),
        *_percentiles("verdict", verdicts, timed, "", "verdict, from the onset of an interruption"),
        *_percentiles("held", held, timed, "", "how long speech stood still where it went on"),
    ]


def _turn_figures(scores: Scores) -> list[Figure]:
    turns, timed = scores.turns, scores.timed
    hesitant = [turn for turn in turns if turn.pauses]
    whole = [turn for turn in turns if not turn.cut_in]
    answers = [turn.response_ms for turn in whole if turn.response_ms is not None]
    ends = [turn.endpoint_ms for turn in whole if turn.endpoint_ms is not None]
    stages = [
        figure
        for stage, label in STAGES.items()
        for figure in _percentiles(f"response.{stage}", _stage(whole, stage), timed, "", f"… of it: {label}")
    ]
    return [
        *_percentiles("response", answers, timed, P50_GOAL_MS, "first sample of the answer at the speaker, from the last word", P95_GOAL_MS),
        *stages,
        *_percentiles("endpoint", ends, timed, "", "the turn known to be over and its words, from the last word"),
        share_figure("answered", Share.of(turn.response_ms is not None for turn in turns), "", "requests that were answered"),
        share_figure("understood", Share.of(turn.understood for turn in turns), "", "requests taken to be for the assistant"),
        share_figure("false_cut_in", Share.of(turn.cut_in for turn in hesitant), "", "hesitant requests taken for finished in the middle"),
        share_figure("false_cut_in.plain", Share.of(turn.cut_in for turn in turns if not turn.pauses), "", "plain requests cut in two"),
        share_figure("spoke_over", Share.of(turn.spoke_over for turn in turns), "", "requests that the assistant spoke over"),
    ]  # fmt: skip


def _stage(turns: Sequence[Turn], stage: str) -> list[float]:
    return [
        float(getattr(turn.timing, f"{stage}_ms")) for turn in turns if turn.timing is not None and turn.response_ms is not None
    ]


def _endpointing(turns: Sequence[tuple[TurnPoint, ...]]) -> list[Figure]:
    points = endpointing.sweep(turns)
    n = len(turns)
    return [
        Figure("cut_in_at_300ms", endpointing.cut_in_at(points, 300), "share", n, label="turn model alone: cut-ins at 300 ms of dead air"),
        Figure("cut_in_at_600ms", endpointing.cut_in_at(points, 600), "share", n, label="turn model alone: cut-ins at 600 ms of dead air"),
        Figure("dead_air_at_5pct_ms", endpointing.dead_air_at(points, 0.05), "ms", n, label="turn model alone: dead air at 5 % cut-ins"),
        Figure("dead_air_at_10pct_ms", endpointing.dead_air_at(points, 0.10), "ms", n, label="turn model alone: dead air at 10 % cut-ins"),
    ]  # fmt: skip


def _strays(scores: Scores) -> list[Figure]:
    others = [one for one in scores.judged if one.kind != "interruption"]
    noisy = [one for one in others if one.kind == "noise"]
    silent_s = sum(stray.duration_s for stray in scores.silent)
    talking_s = sum(stray.speech_s for stray in scores.talking)
    return [
        Figure("stale_samples", float(sum(stray.stale_samples for stray in scores.all)), "", len(scores.all), goal="0", label="samples of flushed speech that still sounded"),
        Figure("self_triggered_turns", _count(scores.talking, lambda stray: stray.turns), "", len(scores.talking), goal="0", label=f"turns triggered by its own voice in {talking_s / 60:.1f} min of speech"),
        Figure("self_triggered_cuts", _count(scores.talking, lambda stray: stray.cuts), "", len(scores.talking), goal="0", label="times its own voice cut it off"),
        Figure("noise_turns", _count(scores.silent, lambda stray: stray.turns), "", len(scores.silent), goal="0", label=f"turns in {silent_s / 60:.1f} min of noise alone"),
        share_figure("false_stops", Share.of(one.stopped for one in others), "", "sounds that were no interruption and cut speech off"),
        share_figure("false_stops.noise", Share.of(one.stopped for one in noisy), "", "noises that cut speech off"),
        Figure("false_stops_per_h", _per_hour(scores, others), "", len(others), label="false stops per hour of the assistant's speech (one disturbance every few seconds)"),
    ]  # fmt: skip


def _per_hour(scores: Scores, others: Sequence[Overlap]) -> float | None:
    rides = {one.scenario for one in others}
    speech_s = sum(stray.speech_s for stray in scores.all) - sum(stray.speech_s for stray in scores.talking + scores.silent)
    return sum(one.stopped for one in others) * 3600 / speech_s if rides and speech_s else None


def _count(strays: Sequence[Strays], of: Callable[[Strays], int]) -> float | None:
    return float(sum(map(of, strays))) if strays else None


def _percentiles(name: str, values: list[float], measured: bool, goal50: str, label: str, goal95: str = "") -> list[Figure]:
    """With one goal, it is the 95 % one's."""
    shown = values if measured else []
    first, second = (goal50, goal95) if goal95 else ("", goal50)
    return [
        Figure(f"{name}_p50_ms", percentile(shown, 0.5), "ms", len(shown), goal=first, label=f"{label} (p50)"),
        Figure(f"{name}_p95_ms", percentile(shown, 0.95), "ms", len(shown), goal=second, label=f"{label} (p95)"),
    ]
