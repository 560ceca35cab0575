"""Case files are read or refused by name and line; the local router is asked turn by turn; figures are counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ridealong.errors import UserError
from ridealong.simulators.evaluation.calls.cases import Case, Situation, check_tools, read_cases
from ridealong.simulators.evaluation.calls.matching import Made, Wanted
from ridealong.simulators.evaluation.calls.routing import LocalRouting, car_of
from ridealong.simulators.evaluation.calls.scores import answered, arguments_right, f1, figures, passed, tables, wrong
from ridealong.vehicle_skills.builtin import builtin_registry

pytestmark = pytest.mark.unit
ROW: dict[str, Any] = {
    "id": "a",
    "question": [[{"role": "system", "content": "You are a car."}, {"role": "user", "content": "set it to twenty-one"}]],
    "ground_truth": [{"climate.set_temperature": {"target": [21], "zone": ["row1", "row1.driver"]}}],
}


def written(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_a_case_of_the_leaderboards_format(tmp_path: Path) -> None:
    (case,) = read_cases(written(tmp_path / "cases.jsonl", ROW, ""))
    assert case == Case(
        "a", ("set it to twenty-one",), ((Wanted("climate.set_temperature", {"target": [21], "zone": ["row1", "row1.driver"]}),),)
    )


def test_an_answer_that_no_tool_could_give_is_refused(tmp_path: Path) -> None:
    def check(row: dict[str, Any]) -> None:
        path = written(tmp_path / "cases.jsonl", row)
        check_tools(path, read_cases(path), [skill.name for skill in builtin_registry()])

    check(ROW)
    check(ROW | {"ground_truth": []})
    with pytest.raises(
        UserError,
        match=r"cases.jsonl, case 'a': .*'climate.set_temprature', which is no skill; did you mean 'climate.set_temperature'",
    ):
        check(ROW | {"ground_truth": [{"climate.set_temprature": {}}]})
    with pytest.raises(UserError, match="'espresso', which is no skill; `ridealong skills list` shows"):
        check(ROW | {"alternatives": [[{"espresso": {}}]]})
    own = ROW | {"function": [{"name": "brew", "parameters": {}}], "ground_truth": [{"brew": {"cups": [2]}}]}
    check(own)
    with pytest.raises(UserError, match="'brw', which is none of its own functions; did you mean 'brew'"):
        check(own | {"ground_truth": [{"brw": {"cups": [2]}}]})


def test_answers_may_lie_beside(tmp_path: Path) -> None:
    (tmp_path / "possible_answer").mkdir()
    question = {key: value for key, value in ROW.items() if key != "ground_truth"}
    written(tmp_path / "possible_answer" / "BFCL_v3_simple.json", {"id": "a", "ground_truth": ROW["ground_truth"]})
    (case,) = read_cases(written(tmp_path / "BFCL_v3_simple.json", question))
    assert case.answers[0][0].name == "climate.set_temperature"
    (quiet,) = read_cases(written(tmp_path / "BFCL_v3_irrelevance.json", question))
    assert quiet.answers == ((),)
    with pytest.raises(UserError, match="possible_answer"):
        read_cases(written(tmp_path / "BFCL_v3_multiple.json", question))


def test_alternatives_and_the_situation(tmp_path: Path) -> None:
    row = ROW | {
        "locale": "zh",
        "category": "zone",
        "alternatives": [[]],
        "situation": {"speed_kmh": 60, "speaker": "passenger", "windows": {"row2.driver": 50}},
    }
    (case,) = read_cases(written(tmp_path / "cases.jsonl", row))
    assert case.answers[1] == () and case.locale == "zh"
    assert case.situation == Situation(60, "passenger", {}, {"row2.driver": 50}, False)
    assert car_of(case.situation)["Vehicle.Cabin.Door.Row2.DriverSide.Window.Position"] == 50


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "not a JSON object"),
        ({"ground_truth": []}, "is missing"),
        (ROW | {"id": 3}, "id must be text"),
        (ROW | {"question": []}, "no turn"),
        (ROW | {"question": [[{"role": "system", "content": "x"}]]}, "no words of the user"),
        (ROW | {"question": "turn it up"}, "not a case"),
        (ROW | {"ground_truth": {}}, "must be a list"),
        (ROW | {"ground_truth": [{"x": {"a": 1}}]}, "list of accepted values"),
        (ROW | {"ground_truth": [{"x": {"a": []}}]}, "list of accepted values"),
        (ROW | {"locale": "fr"}, "en or zh"),
        (ROW | {"situation": {"colour": "red"}}, "knows no colour"),
        (ROW | {"situation": {"speaker": "dog"}}, "speaker must be"),
        (ROW | {"situation": {"speed_kmh": "fast"}}, "must be a number"),
        (ROW | {"situation": {"windows": {"row1.driver": "open"}}}, "numbers by zone"),
    ],
)
def test_what_is_no_case_is_named(tmp_path: Path, row: object, told: str) -> None:
    with pytest.raises(UserError, match=told) as caught:
        read_cases(written(tmp_path / "cases.jsonl", row))
    assert str(tmp_path / "cases.jsonl") in str(caught.value)


def test_no_file_no_case_and_one_id_twice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="holds no case"):
        read_cases(written(tmp_path / "empty.jsonl", ""))
    with pytest.raises(UserError, match="line 2: the id 'a' is there twice"):
        read_cases(written(tmp_path / "twice.jsonl", ROW, ROW))
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="UTF-8"):
        read_cases(tmp_path / "latin.jsonl")


def test_the_local_router_sees_earlier_turns_and_the_car() -> None:
    routing = LocalRouting(builtin_registry())
    first = Case("a", ("Set the temperature to 20 degrees.",), ((),))
    then = Case("b", ("Set the temperature to 20 degrees.", "No, make it twenty-two."), ((),))
    assert [call.arguments["target"] for call in routing.calls(first)] == [20]
    assert [(call.name, call.arguments["target"]) for call in routing.calls(then)] == [("climate.set_temperature", 22)]
    assert routing.calls(Case("c", ("Anna, did you pack your swimming things?",), ((),))) == []


def test_tools_of_a_cases_own_need_a_language_model() -> None:
    with pytest.raises(UserError, match="language model"):
        LocalRouting(builtin_registry()).calls(Case("a", ("What is 5!?",), ((),), functions={"factorial": {}}))


def test_a_zone_that_no_car_has() -> None:
    with pytest.raises(UserError, match=r"row9.roof"):
        car_of(Situation(windows={"row9.roof": 3}))


def test_figures_by_hand() -> None:
    one = Wanted("say", {"text": ["a"], "loud": ["", True]})
    cases = [
        (Case("1", ("x",), ((one,),), "en", "plain"), [Made("say", {"text": "a"})]),  # right: 2 of 2 arguments
        (Case("2", ("x",), ((one,),), "en", "plain"), [Made("say", {"text": "b", "loud": True})]),  # 1 of 2 arguments
        (Case("3", ("x",), ((one,), ()), "zh", "nothing"), []),  # right by the alternative
        (Case("4", ("x",), ((),), "zh", "nothing"), [Made("say", {"text": "a"})]),  # called where nothing must be
        (Case("5", ("x",), ((one,),), "zh"), []),  # missed
    ]
    rows = [answered(case, made, {}) for case, made in cases]
    assert f1(rows) == pytest.approx(2 * 2 / (3 + 3))
    assert (arguments_right(rows).good, arguments_right(rows).n) == (3, 4)
    assert (passed(rows).good, passed(rows).n) == (2, 5)
    by_name = {figure.name: figure for figure in figures(rows)}
    assert by_name["nothing_specificity"].value == 0.5 and by_name["nothing_specificity"].n == 2
    assert [row[0] for row in wrong(rows).rows] == ["2", "4", "5"]
    overall, by_category = tables(rows)
    assert [row[:2] for row in overall.rows] == [("all", "5"), ("en", "2"), ("zh", "3")]
    assert [row[0] for row in by_category.rows] == ["nothing", "plain", "–"]
    assert f1([]) is None
