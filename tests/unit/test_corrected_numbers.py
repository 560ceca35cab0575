"""A value corrected within a sentence belongs to what the sentence names: "turn the volume to 30 no wait 20"."""

import pytest

from ridealong.harness.corrected import corrected
from ridealong.harness.registry import Registry
from ridealong.harness.router import Calls, Router
from ridealong.harness.skill import Context, Provenance
from ridealong.harness.tagged import Stretch
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.pretended import RecordingPort, car_at

pytestmark = pytest.mark.unit

REGISTRY: Registry = builtin_registry()
READ = RecordingPort(car_at(0), Provenance.DRIVER).read


class Deaf:
    """A tagger that hears nothing."""

    capabilities = frozenset(skill.name for skill in REGISTRY)

    def __call__(self, text: str) -> tuple[Stretch, ...]:
        return ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("turn the volume to 30 no wait 20", "turn the volume to 20"),
        ("turn the volume up to 30, no, wait, 20", "turn the volume up to 20"),
        ("turn the volume up to 30, no wait, 20", "turn the volume up to 20"),
        ("volume 30 no 20 no 25", "volume 25"),
        ("set the fan to 3 no 18", "set the fan to 18"),
        ("dim the ambient light to 30% no wait 22", "dim the ambient light to 22 percent"),
        ("open the windows halfway, no, 20", "open the windows to 20"),
        ("open the window, set the volume to 30 no wait 20", "open the window, set the volume to 20"),
        ("set it to 22 no wait 20 degrees", "set it to 20 degrees"),
        ("set a timer for 5 minutes no wait 10", "set a timer for 10 minutes"),
        ("打开车窗到三十，不对，二十", "打开车窗到二十"),
        ("风量三十，不，二十", "风量二十"),
        ("move the passenger seat back a bit, I mean forward", "move the passenger seat forward a bit"),
        ("driver's seat heat to 3, I mean the passenger's", "passenger seat heat to 3"),
        ("set the fan to three, no, make it five", "set the fan to five"),
        ("set the fan to three no make it five", "set the fan to five"),
    ],
)
def test_the_last_value_stands_in_the_place_of_the_one_it_corrects(text: str, meant: str) -> None:
    assert corrected(text, "en") == meant


@pytest.mark.parametrize(
    "text",
    [
        "no wait 20",
        "20 no 30",
        "actually 22",
        "is it 20 no 30?",
        "tell Anna 20 no 30",
        "wake me at 7:30 no wait 8",
        "set the fan to 30, wait 20 seconds",
        "open the left window, no, the right one",
        "close the window no open it",
        "不对，二十",
        "是十四，不是四十",
        "风速改成二十五",
        "二十度零五，不是，二十点五",
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert corrected(text, "en") == text


@pytest.mark.parametrize(
    ("text", "capability", "argument", "value"),
    [
        ("turn the volume to 30 no wait 20", "media.set_volume", "level", 20),
        ("turn the volume up to 30, no, wait, 20", "media.set_volume", "level", 20),
        ("set the fan to 30 percent no wait 50", "climate.set_fan", "speed", 50),
        ("temperature 24 no wait 22", "climate.set_temperature", "target", 22),
    ],
)
def test_no_other_thing_takes_the_corrected_number(text: str, capability: str, argument: str, value: float) -> None:
    decision = TaggedRouter(Router(REGISTRY), Deaf()).decide(
        text, "en", Context(provenance=Provenance.TYPED, read=READ), Provenance.TYPED
    )
    assert isinstance(decision, Calls)
    assert [(one.capability, one.arguments[argument]) for one in decision.matches] == [(capability, value)]
