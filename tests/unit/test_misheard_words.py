"""What surely is another word of the car is put back before anything else is made of it; what may well be meant stays."""

from __future__ import annotations

import pytest

from ridealong.harness.misheard import as_meant
from ridealong.harness.router import Router
from ridealong.harness.skill import Context, Provenance
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from tests.unit.understanding import brief

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("步驾窗户再下来两场。", "副驾窗户再下来两成。"), ("附假窗打开一点", "副驾窗打开一点"), ("富家那边太热了", "副驾那边太热了"), ("主架的车床关上", "主驾的车窗关上"),
        ("后排床全部打开", "后排窗全部打开"), ("不要空调,八窗全打开", "不要空调,把窗全打开"), ("导航出公司。", "导航去公司。"), ("右后窗网上提百分之三十。", "右后窗往上提百分之三十。"),
        ("副驾窗匠一点。", "副驾窗降一点。"), ("给将两度", "给降两度"), ("空条掉到二十二度", "空调调到二十二度"), ("把音亮调大一点", "把音量调大一点"), ("打开分围灯", "打开氛围灯"),
        ("座以加热开到三当", "座椅加热开到三档"), ("下一手", "下一首"), ("后窗出雾打开", "后窗除雾打开"), ("阅读等关掉", "阅读灯关掉"), ("车门都所上", "车门都锁上"),
        ("开内寻环", "开内循环"), ("窗户都给我要下来", "窗户都给我摇下来"), ("打开天床", "打开天窗"), ("把后备香打开", "把后备箱打开"), ("站停播放", "暂停播放"),
        ("It's awfully stuffy and here.", "It's awfully stuffy in here."), ("Make a 23 in here.", "Make it 23 in here."), ("Set it to 20-2 degrees.", "Set it to 22 degrees."),
        ("后排床前逛。", "后排窗全关。"), ("请把前面的厨物打开", "请把前面的除雾打开"), ("后备箱但一下", "后备箱弹一下"), ("把窗开个三层散散味", "把窗开个三成散散味"), ("Passage your window 80% down.", "passenger window 80% down."),
        ("Open the passenger winter.", "Open the passenger window."),
    ],
)  # fmt: skip
def test_what_is_surely_meant(heard: str, meant: str) -> None:
    assert as_meant(heard, "zh") == meant
    assert as_meant(meant, "zh") == meant


@pytest.mark.parametrize(
    "said",
    [
        "爸爸把车窗打开", "副驾十九度", "主驾十八度", "导航取消", "四小时后提醒我", "窗户要开条缝才不困", "前胸贴后背想吃碗面", "油价又涨了", "有门没关吗", "附加费是多少", "这附近有加油站吗", "请将温度调到二十二度",
        "跳到第二首", "将就一点吧", "做一个梦", "我妈的床太软了", "等一下", "打开，等会儿再关", "储物箱在哪", "我出门的时候", "把八个窗户都关上", "导航出错了", "服务区加油", "一手资料", "床前明月光", "前面出事了",
        "Make a 20 minute timer.", "It's hot and humid.", "Put a 30 in the box.", "Winter is cold.", "I paid 20-2 for it",
    ],
)  # fmt: skip
def test_what_may_well_be_meant_stays(said: str) -> None:
    assert as_meant(said, "zh") == said


def test_words_that_were_typed_stay_as_they_are() -> None:
    router = TaggedRouter(Router(builtin_registry()), untagged)
    spoken, typed = (brief(router.decide("导航出公司", "zh", Context(), by)) for by in (Provenance.DRIVER, Provenance.TYPED))
    assert spoken == [("navigation.set_destination", {"place": "公司"})] != typed
