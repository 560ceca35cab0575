"""Chinese requests in other words than the skills' own examples, homophones as recognisers write them, and what must not count."""

from __future__ import annotations

import pytest

from ridealong.harness.interjections import is_backchannel, is_stop
from ridealong.harness.skill import Outcome
from ridealong.harness.sound import repair

from .understanding import addressed, brief, decide, recent

pytestmark = pytest.mark.unit

T, W, N = "climate.set_temperature", "windows.set_position", "navigation.set_destination"


def temperature(value: float, zone: str = "row1.driver") -> tuple[str, dict[str, object]]:
    return (T, {"target": value, "zone": zone})


def window(position: int, zone: str = "row1.driver") -> tuple[str, dict[str, object]]:
    return (W, {"position": position, "zone": zone})


def go(place: str) -> tuple[str, dict[str, object]]:
    return (N, {"place": place})


def change(delta: float) -> tuple[str, dict[str, object]]:
    return ("climate.change_temperature", {"delta": delta, "zone": "row1.driver"})


REQUESTS = [
    ("把温度调到二十二度半", temperature(22.5)),
    ("请把空调调到22.5度。", temperature(22.5)),
    ("空調調到22度", temperature(22)),
    ("温度设成二十一度", temperature(21)),
    ("调到二十二度五", temperature(22.5)),
    ("麻烦帮我把副驾驶的温度调成二十三度", temperature(23, "row1.passenger")),
    ("能不能把温度降到十九度?", temperature(19)),
    ("空调开到廿五度吧", temperature(25)),
    ("小助手，把温度升到二十四度", temperature(24)),
    ("我想要二十度", temperature(20)),
    ("二十二度半，谢谢", temperature(22.5)),
    ("把空調掉到22度", temperature(22)),
    ("把恐条调到二十二度", temperature(22)),
    ("前排都设为二十一度", temperature(21, "row1")),
    ("温度调高两度", change(2.0)),
    ("太热了", change(-1.5)),
    ("车里有点冷", change(1.5)),
    ("空调调低一点", change(-1.0)),
    ("再暖和一点", change(1.0)),
    ("打开左后车窗一半", window(50, "row2.driver")),
    ("大开左后车窗一半", window(50, "row2.driver")),
    ("把我这边的窗户打开", window(100)),
    ("副驾驶的车窗开百分之三十", window(30, "row1.passenger")),
    ("把右前车窗降到三分之一", window(33, "row1.passenger")),
    ("关闭所有车窗", window(0, "all")),
    ("把窗户都关上", window(0, "all")),
    ("请把后排车窗关好", window(0, "row2")),
    ("主驾车窗开一条缝", window(10)),
    ("可以把右后边的窗户打开一点吗", window(20, "row2.passenger")),
    ("打开车窗", window(100)),
    ("打开后备箱", ("trunk.open", {"confirmed": False})),
    ("帮我开一下后备厢", ("trunk.open", {"confirmed": False})),
    ("把尾门关上吧", ("trunk.close", {"confirmed": False})),
    ("打开后被箱", ("trunk.open", {"confirmed": False})),
    ("倒行到最近的充电站", go("最近的充电站")),
    ("导航去机场", go("机场")),
    ("带我去火车站", go("火车站")),
    ("我们去市中心吧", go("市中心")),
    ("导航回家", go("家")),
    ("目的地改成医院", go("医院")),
    ("导航到三里屯", go("三里屯")),
    ("请带我们到最近的加油站", go("最近的加油站")),
    ("打开空调", ("climate.switch", {"thing": "air_conditioning", "on": True})),
    ("把空调关了", ("climate.switch", {"thing": "air_conditioning", "on": False})),
    ("打开前挡风玻璃除雾", ("climate.switch", {"thing": "front_defroster", "on": True})),
    ("风量调到百分之六十", ("climate.set_fan", {"speed": 60})),
    ("现在车速是多少", ("status.speed", {})),
    ("我们现在开得有多快", ("status.speed", {})),
    ("还剩多少电", ("status.energy", {})),
    ("电量还有多少?", ("status.energy", {})),
    ("还能跑多少公里", ("status.range", {})),
    ("续航里程还有多少", ("status.range", {})),
    ("外面现在几度", ("status.outside_temperature", {})),
    ("车里温度多少", ("status.cabin_temperature", {})),
    ("左后车窗开着吗", ("status.windows", {"zone": "row2.driver"})),
    ("窗户都关好了吗", ("status.windows", {"zone": "all"})),
    ("后备箱关了没", ("status.trunk", {})),
    ("车门都关好了吗", ("status.doors", {"zone": "all"})),
    ("胎压怎么样", ("status.tyres", {})),
    ("我们要去哪里", ("status.destination", {})),
    ("刚才的路牌写的是什么", ("recall.seen", {})),
    ("帮我找一下沿途最便宜的充电站", ("navigation.charging_search", {"prefer": "cheapest"})),
    ("附近哪里有最快的充电桩", ("navigation.charging_search", {"prefer": "fastest"})),
    ("定个十分钟的计时器", ("timer.set", {"duration_s": 600})),
]


@pytest.mark.parametrize(("text", "expected"), REQUESTS, ids=[text for text, _ in REQUESTS])
def test_a_request_in_other_words(text: str, expected: tuple[str, dict[str, object]]) -> None:
    assert brief(decide(text, "zh")) == [expected]
    assert addressed(text, "zh") >= 0.55


SEVERAL = [
    ("把温度调到21度，然后打开我这边的车窗", [temperature(21), window(100)]),
    ("关上所有车窗，再把空调打开", [window(0, "all"), ("climate.switch", {"thing": "air_conditioning", "on": True})]),
]


@pytest.mark.parametrize(("text", "expected"), SEVERAL, ids=[text for text, _ in SEVERAL])
def test_several_requests_in_one_sentence(text: str, expected: list[tuple[str, dict[str, object]]]) -> None:
    assert brief(decide(text, "zh")) == expected


SET_21 = recent(T, target=21.0, zone="row1.driver")
LEFT_HALF = recent(W, position=50, zone="row1.driver")
CORRECTIONS = [
    ("不对，改成二十度", SET_21, temperature(20)),
    ("不，二十度", SET_21, temperature(20)),
    ("我是说二十三度半", SET_21, temperature(23.5)),
    ("还是十九度吧", SET_21, temperature(19)),
    ("不是，副驾驶二十度", SET_21, temperature(20, "row1.passenger")),
    ("我说的是右边的", LEFT_HALF, window(50, "row1.passenger")),
    ("不对，左后的", LEFT_HALF, window(50, "row2.driver")),
    ("不对，百分之三十", LEFT_HALF, window(30)),
    ("不对，去机场", recent(N, place="博物馆"), go("机场")),
]


@pytest.mark.parametrize(("text", "before", "expected"), CORRECTIONS, ids=[c[0] for c in CORRECTIONS])
def test_a_correction_of_the_last_request(text: str, before: object, expected: tuple[str, dict[str, object]]) -> None:
    assert brief(decide(text, "zh", before)) == [expected]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "question"), [("零下五度", "14到30"), ("空调调到七十二度", "华氏"), ("把温度调到四十度", "14到30")]
)
def test_it_asks_instead_of_guessing(text: str, question: str) -> None:
    decision = brief(decide(text, "zh"))
    assert decision.startswith("asks") and question in decision


def test_a_yes_belongs_to_our_own_question() -> None:
    asked = recent("trunk.open", Outcome.ASKS, 5_000, confirmed=False)
    assert brief(decide("好的，打开吧", "zh", asked)) == [("trunk.open", {"confirmed": True})]
    assert brief(decide("不用了", "zh", asked)) == "nothing: declined"
    assert brief(decide("好的", "zh")) == "nothing: backchannel"


@pytest.mark.parametrize(
    "text",
    ["车窗开着吗", "后备箱是开着的吗", "空调开了吗", "你打开车窗了吗", "窗户是不是没关", "为什么打开车窗？", "后备箱怎么打开？"],
)
def test_a_question_never_actuates(text: str) -> None:
    decision = brief(decide(text, "zh"))
    if isinstance(decision, list):
        assert all(name.startswith(("status.", "recall.")) for name, _ in decision), decision


NOTHING = [
    "不要打开车窗", "别开窗", "先别关空调", "不用导航了", "千万别打开后备箱", "没有打开后备箱",
    "她说打开车窗", "他让我把空调关了", "跟我说打开后备箱", "牌子上写着请关闭车窗", "妈妈说把窗户关上", "老师让我们打开窗户",
    "妈妈，把窗户打开", "老公，帮我拿一下水", "小王，你把车窗关一下", "爸爸我们什么时候到",
    "你昨天看比赛了吗", "我跟他说过这个主意不行", "晚饭想吃什么", "我昨天忘了关窗户", "他们在市中心开了一家新店", "她今年二十二岁半", "你作业写完了吗",
    "我觉得明天应该早点出发", "这件衣服花了二百块", "孩子在后排睡着了", "那天的雨下得真大",
    "据报道，今天最高气温二十二度", "记者今天上午从市政府获悉", "股价下跌了百分之三十", "警方封闭了通往机场的道路", "欢迎收听今天的新闻",
    "他打开窗户，望着外面的雨", "从前有一个国王住在城堡里", "她关上车门，转身走了", "那是一个寒冷的冬天", "老人慢慢地推开了窗",
]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_request_does_nothing_and_is_not_addressed(text: str) -> None:
    decision = brief(decide(text, "zh"))
    assert isinstance(decision, str) and decision.startswith("nothing"), decision
    assert addressed(text, "zh") < 0.5


@pytest.mark.parametrize("text", ["嗯", "好的", "嗯嗯", "对", "是吗", "哦，这样啊", "好", "明白了"])
def test_backchannels(text: str) -> None:
    assert is_backchannel(text, "zh")
    assert brief(decide(text, "zh")) == "nothing: backchannel"


@pytest.mark.parametrize("text", ["停", "别说了", "停下", "等一下", "闭嘴"])
def test_stop(text: str) -> None:
    assert is_stop(text, "zh") and brief(decide(text, "zh")) == "nothing: stop"


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("大开左后车窗", "打开左后车窗"),
        ("掉到22度", "调到22度"),
        ("倒行到最近的充电站", "导航到最近的充电站"),
        ("副家驶", "副驾驶"),
        ("打开后被箱", "打开后备箱"),
    ],
)
def test_homophones_are_put_back(heard: str, meant: str) -> None:
    assert repair(heard, "zh") == meant


@pytest.mark.parametrize("text", ["打开左后车窗", "导航到三里屯", "今天天气不错", "把空调调到二十二度"])
def test_right_words_are_left_alone(text: str) -> None:
    assert repair(text, "zh") is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("你好", "greeting"),
        ("谢谢你", "thanks"),
        ("法国的首都是哪里", "general"),
        ("放一首爵士乐", "unsupported"),
        ("讲个笑话", "unsupported"),
    ],
)
def test_what_no_skill_can_do_gets_an_honest_kind(text: str, kind: str) -> None:
    assert brief(decide(text, "zh")) == f"chitchat: {kind}"
