"""English requests in other words than the skills' own examples, and what must not count as one."""

from __future__ import annotations

import pytest

from ridealong.harness.interjections import is_backchannel, is_stop
from ridealong.harness.skill import Outcome, Provenance

from .understanding import ROUTER, addressed, brief, context, decide, recent

pytestmark = pytest.mark.unit

T, W, N = "climate.set_temperature", "windows.set_position", "navigation.set_destination"


def temperature(value: float, zone: str = "row1.driver") -> tuple[str, dict[str, object]]:
    return (T, {"target": value, "zone": zone})


def window(position: int, zone: str = "row1.driver") -> tuple[str, dict[str, object]]:
    return (W, {"position": position, "zone": zone})


def go(place: str) -> tuple[str, dict[str, object]]:
    return (N, {"place": place})


REQUESTS = [
    ("twenty-two and a half please", temperature(22.5)),
    ("Twenty-two and a half, please.", temperature(22.5)),
    ("Could you set the temperature to 22.5 degrees?", temperature(22.5)),
    ("Set it to nineteen.", temperature(19)),
    ("I'd like it to be 21 degrees in here.", temperature(21)),
    ("Turn the heat up to twenty four.", temperature(24)),
    ("Make it eighteen and a half degrees on the passenger side.", temperature(18.5, "row1.passenger")),
    ("Can you please put the climate control at twenty?", temperature(20)),
    ("Hey Ridealong, temperature twenty three.", temperature(23)),
    ("Change the cabin temperature to 20.5°C, thanks.", temperature(20.5)),
    ("Bring it down to seventeen degrees.", temperature(17)),
    ("Set the driver's temperature to 22 and a half.", temperature(22.5)),
    ("Set both sides to 21 degrees.", temperature(21, "row1")),
    ("Set the temperature two twenty three.", temperature(23)),
    ("Um, could you turn the AC to, uh, 19 degrees?", temperature(19)),
    ("Open the front left window halfway.", window(50)),
    ("Open the rear left window half way.", window(50, "row2.driver")),
    ("Roll down the passenger window a third.", window(33, "row1.passenger")),
    ("Roll the back right window down to thirty percent, please.", window(30, "row2.passenger")),
    ("Put my window down a bit.", window(20)),
    ("Could you lower the rear passenger-side window by a quarter?", window(25, "row2.passenger")),
    ("Would you mind opening the driver's window?", window(100)),
    ("Close the window.", window(0)),
    ("Shut all the windows please.", window(0, "all")),
    ("Wind up the front passenger window.", window(0, "row1.passenger")),
    ("Open the winder on the passenger side halfway.", window(50, "row1.passenger")),
    ("Crack the driver's window.", window(10)),
    ("Let's have the rear windows open halfway.", window(50, "row2")),
    ("Rear right window, 40 percent.", window(40, "row2.passenger")),
    ("Open the rare left window half weigh.", window(50, "row2.driver")),
    ("Take me to the airport, please.", go("airport")),
    ("Navigate to the nearest charging station.", go("nearest charging station")),
    ("I want to go to the central station.", go("central station")),
    ("Give me directions to the hospital.", go("hospital")),
    ("Drive me home.", go("home")),
    ("Set a course for city hall.", go("city hall")),
    ("Could you get me to the nearest petrol station?", go("nearest petrol station")),
    ("How do I get to the museum?", go("museum")),
    ("Start navigation to the football stadium.", go("football stadium")),
    ("Can you navigate us to Blackwood Castle?", go("blackwood castle")),
    ("Open the boot.", ("trunk.open", {"confirmed": False})),
    ("Open the boat.", ("trunk.open", {"confirmed": False})),
    ("Could you pop the trunk for me?", ("trunk.open", {"confirmed": False})),
    ("Please close the tailgate.", ("trunk.close", {"confirmed": False})),
    ("Open the truck.", ("trunk.open", {"confirmed": False})),
    ("Switch the air conditioning off.", ("climate.switch", {"thing": "air_conditioning", "on": False})),
    ("Could you turn the A/C on?", ("climate.switch", {"thing": "air_conditioning", "on": True})),
    ("Defrost the rear window.", ("climate.switch", {"thing": "rear_defroster", "on": True})),
    ("Turn the fan up to sixty percent.", ("climate.set_fan", {"speed": 60})),
    ("I'm freezing.", ("climate.change_temperature", {"delta": 1.5, "zone": "row1.driver"})),
    ("It's a bit too warm in here.", ("climate.change_temperature", {"delta": -1.5, "zone": "row1.driver"})),
    ("Make it a little cooler for the passenger.", ("climate.change_temperature", {"delta": -1.0, "zone": "row1.passenger"})),
    ("Turn it up by two degrees.", ("climate.change_temperature", {"delta": 2.0, "zone": "row1.driver"})),
    ("Two degrees colder, please.", ("climate.change_temperature", {"delta": -2.0, "zone": "row1.driver"})),
    ("What speed are we doing?", ("status.speed", {})),
    ("How fast am I driving right now?", ("status.speed", {})),
    ("How much charge do we have left?", ("status.energy", {})),
    ("What's the battery at?", ("status.energy", {})),
    ("How many kilometres can we still drive?", ("status.range", {})),
    ("How far can we go on this charge?", ("status.range", {})),
    ("Is it cold outside?", ("status.outside_temperature", {})),
    ("What is the outside temperature?", ("status.outside_temperature", {})),
    ("How hot is it in the car?", ("status.cabin_temperature", {})),
    ("What's the climate set to?", ("status.temperature_setting", {"zone": "row1.driver"})),
    ("Is the rear left window open?", ("status.windows", {"zone": "row2.driver"})),
    ("Did I leave any windows open?", ("status.windows", {"zone": "all"})),
    ("Are all the doors shut?", ("status.doors", {"zone": "all"})),
    ("Is the trunk closed?", ("status.trunk", {})),
    ("Where are we heading?", ("status.destination", {})),
    ("Tell me the tire pressure.", ("status.tyres", {})),
    ("Are the tyres okay?", ("status.tyres", {})),
    ("What did that sign say?", ("recall.seen", {})),
    ("What was that shop we passed?", ("recall.seen", {})),
    ("Search for the cheapest charging stations along the way.", ("navigation.charging_search", {"prefer": "cheapest"})),
    ("Can you find the fastest charger on our route?", ("navigation.charging_search", {"prefer": "fastest"})),
    ("Where is the closest charging point?", ("navigation.charging_search", {"prefer": "nearest"})),
    ("Set a ten minute timer.", ("timer.set", {"duration_s": 600})),
]


@pytest.mark.parametrize(("text", "expected"), REQUESTS, ids=[text for text, _ in REQUESTS])
def test_a_request_in_other_words(text: str, expected: tuple[str, dict[str, object]]) -> None:
    assert brief(decide(text, "en")) == [expected]
    assert addressed(text, "en") >= 0.55


SEVERAL = [
    ("set it to 21 and open my window", [temperature(21), window(100)]),
    ("Close the driver's window and the passenger's window.", [window(0), window(0, "row1.passenger")]),
    ("Open the boot, then navigate home.", [("trunk.open", {"confirmed": False}), go("home")]),
    (
        "Set the temperature to twenty-two and a half and open the rear left window halfway.",
        [temperature(22.5), window(50, "row2.driver")],
    ),
    ("Turn on the AC and take me to work", [("climate.switch", {"thing": "air_conditioning", "on": True}), go("work")]),
]


@pytest.mark.parametrize(("text", "expected"), SEVERAL, ids=[text for text, _ in SEVERAL])
def test_several_requests_in_one_sentence(text: str, expected: list[tuple[str, dict[str, object]]]) -> None:
    assert brief(decide(text, "en")) == expected


SET_21 = recent(T, target=21.0, zone="row1.driver")
LEFT_HALF = recent(W, position=50, zone="row1.driver")
CORRECTIONS = [
    ("No, make it twenty.", SET_21, temperature(20)),
    ("no twenty", SET_21, temperature(20)),
    ("Actually, twenty three and a half.", SET_21, temperature(23.5)),
    ("sorry, I meant nineteen degrees", SET_21, temperature(19)),
    ("Wait, no, make that eighteen.", SET_21, temperature(18)),
    ("No, for the passenger, 20.", SET_21, temperature(20, "row1.passenger")),
    ("I meant the right one", LEFT_HALF, window(50, "row1.passenger")),
    ("No, the rear left one.", LEFT_HALF, window(50, "row2.driver")),
    ("no, thirty percent", LEFT_HALF, window(30)),
    ("not the left one, the right one", LEFT_HALF, window(50, "row1.passenger")),
    ("a bit warmer", SET_21, ("climate.change_temperature", {"delta": 1.0, "zone": "row1.driver"})),
    ("close it again", LEFT_HALF, window(0)),
    ("open it a bit more", LEFT_HALF, ("windows.move", {"delta": 20, "zone": "row1.driver"})),
    ("no, to the airport", recent(N, place="museum"), go("airport")),
]


@pytest.mark.parametrize(("text", "before", "expected"), CORRECTIONS, ids=[c[0] for c in CORRECTIONS])
def test_a_correction_of_the_last_request(text: str, before: object, expected: tuple[str, dict[str, object]]) -> None:
    assert brief(decide(text, "en", before)) == [expected]  # type: ignore[arg-type]


def test_a_temperature_correction_needs_no_context_when_it_says_what_it_is() -> None:
    assert brief(decide("no, make it twenty", "en")) == [temperature(20)]


ASKS = [
    ("set 72", {}, "Fahrenheit"),
    ("Set the temperature to 68.", {}, "Fahrenheit"),
    ("Set it to 40 degrees.", {}, "14 to 30"),
    ("minus five degrees please", {}, "14 to 30"),
    ("Set the temperature.", {}, "What temperature"),
    ("Start navigation.", {}, "Where to"),
    ("Set a timer.", {}, "how long"),
]


@pytest.mark.parametrize(("text", "values", "question"), ASKS, ids=[a[0] for a in ASKS])
def test_it_asks_instead_of_guessing(text: str, values: dict[str, str], question: str) -> None:
    decision = brief(decide(text, "en", **values))
    assert decision.startswith("asks") and question in decision


def test_the_unit_of_the_car_decides_what_72_is() -> None:
    fahrenheit = {"Vehicle__Cabin__Infotainment__HMI__TemperatureUnit": "F"}
    assert brief(decide("set it to 72", "en", **fahrenheit)) == [temperature(22.2)]
    assert brief(decide("set it to 22", "en", **fahrenheit)).startswith("asks")
    assert brief(decide("set it to 72 degrees fahrenheit", "en")) == [temperature(22.0)]


def test_left_and_right_follow_the_drive_side() -> None:
    rhd = {"Vehicle__Cabin__DriverPosition": "RIGHT"}
    assert brief(decide("open the left window halfway", "en", **rhd)) == [window(50, "row1.passenger")]
    unknown = {"Vehicle__Cabin__DriverPosition": "MIDDLE"}
    assert brief(decide("open the left window halfway", "en", **unknown)).startswith("asks")


def test_my_window_is_the_speakers() -> None:
    passenger = ROUTER.decide("open my window", "en", context(), Provenance.PASSENGER)
    assert brief(passenger) == [window(100, "row1.passenger")]


def test_a_yes_belongs_to_our_own_question_and_expires() -> None:
    asked = recent("trunk.open", Outcome.ASKS, 6_000, confirmed=False)
    assert brief(decide("yes please", "en", asked)) == [("trunk.open", {"confirmed": True})]
    assert brief(decide("no", "en", asked)) == "nothing: declined"
    late = recent("trunk.open", Outcome.ASKS, 15_001, confirmed=False)
    assert brief(decide("yes", "en", late)) == "nothing: backchannel"
    assert brief(decide("yes", "en", recent("trunk.open", Outcome.COMPLETED, 3_000, confirmed=False))) == "nothing: backchannel"
    assert brief(decide("yes", "en", recent("trunk.close", Outcome.ASKS, 3_000, confirmed=False))) == [
        ("trunk.close", {"confirmed": True})
    ]


QUESTIONS_NEVER_ACTUATE = [
    "is the window open?", "Is the light on?", "is the boot open", "Are the windows closed?", "is the air conditioning on?",
    "Did you open the window?", "have you closed the boot", "what happens if I open the boot?", "why is the window open?",
    "is it 22 degrees in here?", "do you open windows?", "Was the window open all night?", "how do I open the boot?", "should I close the window?",
    "Is the temperature set to 22?", "are we navigating to the airport?",
]  # fmt: skip


@pytest.mark.parametrize("text", QUESTIONS_NEVER_ACTUATE)
def test_a_question_never_actuates(text: str) -> None:
    decision = brief(decide(text, "en"))
    if isinstance(decision, list):
        assert all(name.startswith(("status.", "recall.")) for name, _ in decision), decision


NOTHING = [
    # negated, reported, quoted
    "Don't open the window.", "do not open the boot", "Please don't set it to twenty.", "Never open the windows while I sleep.", "Leave the window closed.",
    "She said open the window.", "He told me to set it to twenty.", "Say after me: open the boot.", "The sign says open the window.", 'He shouted "open the boot" at me.',
    "Repeat after me, navigate to the airport.", "Mum asked him to close the window.", "no need to open the window", "Tell him to open the boot.",
    # to somebody else
    "Mum, open the window.", "Anna, could you open your window?", "Honey, can you pass me the water?", "Dad, what time is it?", "Can you hold my bag, sweetie?",
    "Close the window, Peter.", "Hey guys, shall we stop for coffee?",
    # people talking
    "Did you see the game last night?", "I told him it was a bad idea.", "What do you want for dinner?", "Where did you put my keys?", "How was school today?",
    "She never calls me back.", "I think we should leave earlier tomorrow.", "You know what he said to her?", "My sister is moving to Berlin in May.",
    "We had such a lovely time at the lake.", "Do you remember when we got lost in Spain?", "That was twenty years ago.", "He is twenty two and a half years old.",
    "I can't believe they cancelled the show.", "Are you hungry yet?", "Did you turn off the oven?", "I left the window open last night.", "They opened a new shop downtown.",
    "We were doing a hundred and twenty.", "It costs about twenty two dollars.", "I don't think it'll rain.", "Have you called your mother?", "The kids are asleep in the back.",
    # radio, books
    "The government announced new measures on Tuesday.", "Temperatures will reach twenty two degrees in the north tomorrow.", "Police closed the road to the airport this morning.",
    "Shares fell by thirty percent after the announcement.", "And now the weather, with sunny spells and highs of twenty-one degrees.", "The minister opened the new station on Monday.",
    "Traffic is slow between exits twelve and fourteen.", "You're listening to the morning show.", "Coming up next, the news at seven.",
    # novels
    "He opened the window and looked out at the rain.", "She closed the window, and the room grew dark.", "The family of Dashwood had long been settled in Sussex.",
    "He was not an ill-disposed young man, unless to be rather cold hearted is to be ill-disposed.", "It was a bright cold day in April, and the clocks were striking thirteen.",
    "The window stood half open and the curtain moved in the wind.", "His wife had something still of her former beauty.", "Their mother had nothing, and their father only seven thousand pounds.",
    "She turned to the window and wept.", "The carriage was at the door, and the trunk was already strapped behind.", "Call me whatever you like, said the old man.",
    "By a former marriage, Mr. Henry Dashwood had one son.", "There was no moon that night, and the road was empty.",
]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_request_does_nothing_and_is_not_addressed(text: str) -> None:
    decision = brief(decide(text, "en"))
    assert isinstance(decision, str) and decision.startswith("nothing"), decision
    assert addressed(text, "en") < 0.5


@pytest.mark.parametrize("provenance", [Provenance.OVERHEARD, Provenance.SEEN])
def test_overheard_and_seen_words_are_evidence_never_commands(provenance: Provenance) -> None:
    assert brief(ROUTER.decide("open the window", "en", context(), provenance)).startswith("nothing")


@pytest.mark.parametrize(
    "text", ["mm-hm", "yeah", "okay", "Uh-huh.", "I see.", "right", "oh really?", "Mmm.", "yeah, yeah", "sure"]
)
def test_backchannels(text: str) -> None:
    assert is_backchannel(text, "en")
    assert brief(decide(text, "en")) == "nothing: backchannel"
    assert addressed(text, "en") < 0.3


@pytest.mark.parametrize(
    "text", ["no, make it twenty", "wait, listen", "stop", "okay open the window", "yes please open the boot"]
)
def test_no_backchannels(text: str) -> None:
    assert not is_backchannel(text, "en")


@pytest.mark.parametrize("text", ["stop", "Stop talking.", "be quiet", "wait", "Jarvis, stop!", "hold on", "never mind"])
def test_stop(text: str) -> None:
    assert is_stop(text, "en") and brief(decide(text, "en")) == "nothing: stop"


CHITCHAT = [
    ("Hello Jarvis.", "greeting"), ("Thank you.", "thanks"), ("What's the capital of France?", "general"), ("Who wrote Hamlet?", "general"),
    ("Tell me a joke.", "general"), ("Play some jazz.", "unsupported"), ("Hey Ridealong, what's the meaning of life?", "general"),
    ("How tall is the Eiffel Tower?", "general"), ("What's the weather like tomorrow?", "general"), ("Send the dentist an email.", "unsupported"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), CHITCHAT)
def test_what_no_skill_can_do_gets_an_honest_kind(text: str, kind: str) -> None:
    assert brief(decide(text, "en")) == f"chitchat: {kind}"


def test_an_answer_completes_our_question() -> None:
    fahrenheit = recent(T, Outcome.ASKS, 3_000, zone="row1.driver", target=22.0)
    assert brief(decide("yes", "en", fahrenheit)) == [temperature(22.0)]
    assert brief(decide("twenty one", "en", recent(T, Outcome.ASKS, 3_000))) == [temperature(21)]
    which_side = recent(W, Outcome.ASKS, 3_000, position=50)
    assert brief(decide("the driver's side", "en", which_side)) == [window(50)]


PLACES = [
    ("Where is the nearest petrol station?", "nearest petrol station"),
    ("How far is the airport?", "airport"),
    ("Where's the hospital?", "hospital"),
]


@pytest.mark.parametrize(("text", "place"), PLACES)
def test_where_is_a_question(text: str, place: str) -> None:
    assert brief(decide(text, "en")) == [("navigation.where_is", {"place": place})]
