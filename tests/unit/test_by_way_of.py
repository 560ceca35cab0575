"""Two places, one after the other: the second is where to, the first a stop on the way. Neither takes the other's place."""

import pytest

from ridealong.harness.by_way_of import by_way_of
from ridealong.harness.misheard import as_meant
from ridealong.harness.router import Calls
from tests.unit.car_words import decide
from tests.unit.test_found_by_a_stranger import calls

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "to", "via"),
    [
        ("先去加油站再去机场", "机场", "加油站"),
        ("先去加油站，再去机场", "机场", "加油站"),
        ("先去趟银行再回公司", "公司", "银行"),
        ("先到超市然后回家", "家", "超市"),
        ("go to the petrol station first and then to the airport", "airport", "the petrol station"),
        ("take me to the pharmacy and then home", "home", "the pharmacy"),
        ("Take me to Leeds, then to Bradford please.", "Bradford", "Leeds"),
        ("first go to the bakery, then the office", "office", "the bakery"),
        ("take me home via the pharmacy", "home", "the pharmacy"),
    ],
)
def test_both_are_kept(text: str, to: str, via: str) -> None:
    assert calls(text) == [("navigation.set_destination", {"place": to}), ("navigation.add_stop", {"place": via})]


@pytest.mark.parametrize(
    "text",
    [
        "take me to Leeds and then open the window",
        "take me home and then call mum",
        "go to the shop then call mum",
        "先去接孩子，再去公司",
        "先关窗再去公司",
        "take me to York",
        "去公司",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert by_way_of(text, "zh" if "去" in text else "en") == text


def test_an_order_is_no_place() -> None:
    decision = decide("take me home and turn on the heating")
    assert isinstance(decision, Calls)
    assert [one.arguments.get("place") for one in decision.matches if one.capability.startswith("navigation")] == ["home"]


@pytest.mark.parametrize("text", ["途经银行", "去公司，途经银行", "已经静音了"])
def test_an_ordinary_word_is_cut_by_none_of_ours(text: str) -> None:
    assert as_meant(text, "zh") == text
