"""`eval delegation`: decisions put into ways, figures worked by hand, and refusals that say what to do."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.harness.registry import Registry
from ridealong.harness.router import AskBack, Calls, ChitChat, Decision, Nothing
from ridealong.harness.skill import Context, Match
from ridealong.simulators.evaluation.calls.routing import LocalRouting
from ridealong.simulators.evaluation.delegation.deciding import Decided, Way, decided
from ridealong.simulators.evaluation.delegation.main import DELEGATION
from ridealong.simulators.evaluation.delegation.routers import local_routing
from ridealong.simulators.evaluation.delegation.scores import figures, recall, specificity, tables, wrong
from ridealong.simulators.evaluation.delegation.utterances import Utterance
from ridealong.simulators.evaluation.tables import as_text
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort
from tests.unit.fake_model import calls, fake_model, says

pytestmark = pytest.mark.unit


def said(kind: str, text: str = "words", locale: str = "en", asks: bool = False) -> Utterance:
    return Utterance(text, locale, kind, asks, text)


class Told(LocalRouting):
    """A routing whose decision is told to it."""

    def __init__(self, decision: Decision) -> None:
        self.registry, self._told = builtin_registry(), decision

    def decision(self, words: str, locale: str, context: Context, port: RecordingPort) -> Decision:
        return self._told


@pytest.mark.parametrize(
    ("decision", "way", "acts"),
    [
        (Calls((Match("windows.set_position", 0.9),)), Way.CALLED, True),
        (Calls((Match("status.speed", 0.9),)), Way.CALLED, False),
        (Calls((Match("status.speed", 0.9), Match("trunk.open", 0.9))), Way.CALLED, True),
        (Calls((Match("talk.repeat", 0.9),)), Way.DIRECT, False),
        (AskBack("Which one?", Match("windows.set_position", 0.9)), Way.ASKED, False),
        (AskBack("Which one?"), Way.ASKED, False),
        (ChitChat("general"), Way.HANDED_ON, False),
        (ChitChat("unsupported"), Way.HANDED_ON, False),
        (ChitChat("greeting"), Way.DIRECT, False),
        (ChitChat("thanks"), Way.DIRECT, False),
        (Nothing("not_a_request"), Way.NOTHING, False),
    ],
)
def test_every_decision_is_one_of_five_ways(decision: Decision, way: Way, acts: bool) -> None:
    external, routine = (decided(said(kind), Told(decision)) for kind in ("climate", "feelings"))
    assert external.way is routine.way is way and external.acts is acts
    assert external.right is way.delegated and routine.right is not way.delegated


def test_what_a_language_model_was_asked_and_answered_itself_is_not_delegated() -> None:
    one = decided(said("feelings"), Told(ChitChat("general")), modelled=True)
    assert one.way is Way.DIRECT and one.right


def row(kind: str, way: Way, locale: str = "en", asks: bool = False, acts: bool = False) -> Decided:
    return Decided(said(kind, locale=locale, asks=asks), way, "", acts)


ROWS = [
    row("climate", Way.CALLED), row("climate", Way.NOTHING), row("look_up", Way.HANDED_ON, "zh"), row("timers", Way.ASKED, "zh"),
    row("greeting", Way.DIRECT), row("feelings", Way.NOTHING), row("quoted", Way.CALLED, "zh", asks=True, acts=True),
    row("to_passenger", Way.NOTHING, "zh", asks=True), row("to_passenger", Way.HANDED_ON), row("negation", Way.NOTHING),
]  # fmt: skip


def test_figures_worked_by_hand() -> None:
    """External: 3 of 4 are delegated. Routine: 4 of 6 are not."""
    assert (recall(ROWS).good, recall(ROWS).n) == (3, 4) and (specificity(ROWS).good, specificity(ROWS).n) == (4, 6)
    found = {figure.name: figure for figure in figures(ROWS)}
    assert found["external_recall"].value == 0.75 and found["external_recall"].n == 4
    assert found["external_recall"].low == pytest.approx(0.3006, abs=1e-3)
    assert found["external_recall"].high == pytest.approx(0.9544, abs=1e-3)
    assert found["routine_specificity"].value == pytest.approx(4 / 6)
    assert found["external_recall@en"].value == 0.5 and found["external_recall@zh"].value == 1.0
    assert found["routine_specificity@en"].value == 0.75 and found["routine_specificity@zh"].value == 0.5
    assert found["skill_found"].value == 0.5
    assert (found["questions_bound_to_acts"].value, found["questions_bound_to_acts"].n) == (1.0, 2)


def test_a_half_that_is_not_there_has_no_figure() -> None:
    found = {figure.name: figure for figure in figures([row("climate", Way.CALLED)])}
    assert found["routine_specificity"].value is None and found["routine_specificity"].n == 0


def test_the_confusion_table_adds_up_and_the_list_holds_what_was_wrong() -> None:
    confusion = tables(ROWS)[2]
    assert confusion.rows == (("external", "1", "1", "1", "0", "1", "4"), ("routine", "1", "0", "1", "1", "3", "6"))
    assert [line[0] for line in wrong(ROWS).rows] == ["climate", "quoted", "to_passenger"]
    assert "look_up" in as_text(tables(ROWS))


def test_the_products_own_router_decides() -> None:
    routing = local_routing(builtin_registry())
    assert decided(said("climate", "set the temperature to 21 degrees"), routing).way is Way.CALLED
    assert decided(said("repeat", "repeat that"), routing).way is Way.DIRECT
    assert decided(said("negation", "don't open the window"), routing).way is Way.NOTHING
    assert decided(said("openings", "open the boot"), local_routing(Registry())).way is not Way.CALLED


# --- the command -----------------------------------------------------------------------------------------------------


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    DELEGATION.configure(parser)
    return DELEGATION.run(parser.parse_args(list(words)))


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--limit", "1"], "at least 2"),
        (["--limit", "0"], "at least 2"),
        (["--seed", "-1"], "not be negative"),
        (["--config", "node.yaml"], "--router model"),
        (["--router", "model", "--only", "honesty"], "leave --router out"),
        (["--router", "model", "--only", "decisions"], "give --config"),
        (["--wrong"], "--split develop"),
        (["--json", "/nowhere/at/all.json"], "give another --json"),
        (["--json", "/"], "name of a file"),
    ],
)
def test_bad_input_is_refused_with_the_remedy(words: list[str], remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RIDEALONG_LANGUAGE_MODEL_BASE_URL", raising=False)
    with pytest.raises(UserError, match=remedy):
        command(*words)


def test_a_model_whose_key_is_not_set_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEY_OF_THIS_TEST", raising=False)
    config = tmp_path / "node.yaml"
    config.write_text("language_model: {base_url: http://127.0.0.1:1/v1, model: m, api_key_env: KEY_OF_THIS_TEST}\n")
    with pytest.raises(UserError, match="KEY_OF_THIS_TEST"):
        command("--router", "model", "--only", "decisions", "--config", str(config))


def test_decisions_are_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "figures.json"
    assert command("--split", "develop", "--only", "decisions", "--limit", "24", "--wrong", "--json", str(target)) == 0
    written = json.loads(target.read_text())
    names = {figure["name"]: figure for figure in written["figures"]}
    assert written["command"] == "eval delegation" and names["external_recall"]["n"] == names["routine_specificity"]["n"] == 12
    shown = capsys.readouterr().out
    assert "external recall" in shown and "What became of them" in shown and "Not right" in shown


def test_a_language_model_is_asked_for_what_the_router_hands_on(tmp_path: Path) -> None:
    """It calls a tool for the first request, and answers the others itself: those are not delegated any more."""

    def recalled(*words: str) -> int:
        target = tmp_path / "figures.json"
        assert command("--only", "decisions", "--limit", "80", "--json", str(target), *words) == 0
        found = {figure["name"]: figure for figure in json.loads(target.read_text())["figures"]}
        return round(found["external_recall"]["value"] * 40)

    alone = recalled()
    with fake_model(calls(("status_speed", {})), *(says("I am well.") for _ in range(80))) as model:
        config = tmp_path / "node.yaml"
        config.write_text(f"language_model: {{base_url: '{model.url}', model: m, api_key_env: ''}}\n")
        with_model = recalled("--router", "model", "--config", str(config))
    assert model.asked and with_model < alone
