"""Phone: whom words name, which number that is, how it is said; and that a call is placed once, after a yes to exactly it."""

from __future__ import annotations

import asyncio
import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.harness.meant import Meant
from ridealong.harness.router import AskBack, Calls, Decision, Router
from ridealong.harness.skill import Call, Confirmation, Context, Outcome, Provenance, Recent, Spoken
from ridealong.harness.slots.text import has_chinese
from ridealong.harness.tagged import untagged
from ridealong.harness.tagged_router import TaggedRouter
from ridealong.proto.types import ActuationResult, ActuationState
from ridealong.vehicle_skills.builtin import builtin_registry
from ridealong.vehicle_skills.phone import plan
from ridealong.vehicle_skills.phone.contacts import ContactList, read_contacts
from ridealong.vehicle_skills.phone.dialling import CommandDialer, HttpDialer
from ridealong.vehicle_skills.phone.skill import Phone
from ridealong.vehicle_skills.pretended import NoWaiting, RecordingPort, car_at

pytestmark = pytest.mark.unit

FILE = """
- name: Anna Berg
  zh: 安娜
  aliases: [sis]
  numbers: {mobile: "+49 170 5550101", work: "089 5550102"}
- name: Anna Kowalski
  numbers: {mobile: "0170 5550103"}
- name: Margaret
  zh: 妈妈
  numbers: {home: "0161 496 0345"}
- name: Ben
  numbers: {mobile: "0170 5550104"}
"""


@pytest.fixture
def contacts(tmp_path: Path) -> ContactList:
    file = tmp_path / "contacts.yaml"
    file.write_text(FILE, encoding="utf-8")
    return read_contacts(file)


class Line:
    """A dialer that notes what it is asked for."""

    def __init__(self, state: ActuationState = ActuationState.CONFIRMED) -> None:
        self.state, self.dialled = state, list[tuple[str, str]]()

    async def dial(self, number: str, name: str, key: str) -> ActuationResult:
        self.dialled.append((number, name))
        return ActuationResult(key, self.state, "" if self.state is ActuationState.CONFIRMED else "rejected")


class Talk:
    """Turns of one conversation, with the router and the guard of a session."""

    def __init__(self, contacts: ContactList, dialer: Line | None = None, by: Provenance = Provenance.DRIVER) -> None:
        self.registry = builtin_registry(phone=Phone(contacts, dialer))
        self.router, self.by = TaggedRouter(Router(self.registry), untagged), by
        self.port, self.recent = RecordingPort(car_at(0), by), ()  # type: tuple[RecordingPort, tuple[Recent, ...]]

    def decide(self, text: str) -> Decision:
        return self.router.decide(text, locale(text), Context(self.recent, self.by, self.port.read), self.by)

    def say(self, text: str) -> Spoken:
        decision = self.decide(text)
        if isinstance(decision, AskBack):
            return Spoken(decision.question, Outcome.ASKS)
        assert isinstance(decision, Calls), decision
        (match,) = decision.matches
        skill = self.registry.get(match.capability)
        assert skill is not None
        asked = self.recent[0] if self.recent and self.recent[0].outcome is Outcome.ASKS else None
        yes = asked is not None and text.casefold().rstrip(".!") in ("yes", "yes please", "是的", "好的")
        call = Call(
            "w", text, text, locale(text), self.by, match.arguments, self.port, NoWaiting(), effects=Effects(yes), recent=self.recent,
            confirmation=Confirmation.EXPLICIT if yes else Confirmation.NONE, agreed_to=asked.arguments if yes and asked else None,
        )  # fmt: skip
        spoken = asyncio.run(skill.run(call))
        self.recent = (Recent(match.capability, match.arguments, spoken.outcome, 1_000.0), *self.recent)
        return spoken


class Effects:
    def __init__(self, confirmed: bool) -> None:
        self.confirmed = confirmed

    async def perform(self, what: str, detail: str, do: Callable[[str], object]) -> ActuationResult:
        if not self.confirmed or what != "phone:dial":
            return ActuationResult("", ActuationState.REFUSED, "needs_confirmation")
        result = await do("k")  # type: ignore[misc]
        assert isinstance(result, ActuationResult)
        return result


def locale(text: str) -> str:
    return "zh" if has_chinese(text) else "en"


def test_a_call_is_placed_after_a_yes_to_this_contact_and_number(contacts: ContactList) -> None:
    line = Line()
    talk = Talk(contacts, line)
    asks = talk.say("call mum")
    assert (asks.outcome, asks.text) == (Outcome.ASKS, "Shall I call Margaret, home number 0 1 6 1, 4 9 6, 0 3 4 5?")
    assert line.dialled == []
    assert talk.say("yes").text.startswith("Calling Margaret")
    assert line.dialled == [("01614960345", "Margaret")]


def test_in_chinese(contacts: ContactList) -> None:
    line = Line()
    talk = Talk(contacts, line)
    assert talk.say("给妈妈打个电话").text == "要打给妈妈，家里号码零一六一，四九六，零三四五吗？"
    assert talk.say("是的").text.startswith("正在打给妈妈") and len(line.dialled) == 1


def test_which_of_two_and_which_number_are_asked(contacts: ContactList) -> None:
    line = Line()
    talk = Talk(contacts, line)
    assert talk.say("call Anna").text == "Do you mean Anna Berg or Anna Kowalski?"
    assert talk.say("Anna Berg").text == "Anna Berg has several numbers: mobile and work. Which one?"
    assert talk.say("the work number").text == "Shall I call Anna Berg, work number 0 8 9, 5 5 5 0 1 0 2?"
    talk.say("yes")
    assert line.dialled == [("0895550102", "Anna Berg")]


@pytest.mark.parametrize(
    ("state", "outcome", "words"),
    [
        (ActuationState.REFUSED, Outcome.FAILED, "didn't take the call"),
        (ActuationState.TIMED_OUT, Outcome.UNKNOWN, "don't know whether"),
    ],
)
def test_a_call_that_is_not_known_to_be_placed_is_not_said_to_be(
    contacts: ContactList, state: ActuationState, outcome: Outcome, words: str
) -> None:
    talk = Talk(contacts, Line(state))
    talk.say("call Ben")
    spoken = talk.say("yes")
    assert spoken.outcome is outcome and words in spoken.text and "Calling" not in spoken.text


def test_without_a_dialer_it_is_said_that_no_call_can_be_placed(contacts: ContactList) -> None:
    spoken = Talk(contacts).say("call Ben")
    assert (spoken.outcome, spoken.reason) == (Outcome.REFUSED, "no_dialer")
    assert spoken.text == "I can't place calls from here. Ben, mobile: 0 1 7 0, 5 5 5 0 1 0 4."


@pytest.mark.parametrize("text", ["dial 911", "call the police", "call an ambulance please", "打110", "呼叫紧急电话"])
def test_emergency_calls_are_never_placed(contacts: ContactList, text: str) -> None:
    line = Line()
    talk = Talk(contacts, line)
    decision = talk.decide(text)
    if isinstance(decision, Calls):  # "call an ambulance" is left to the tagger
        assert talk.say(text).reason == "emergency"
    assert line.dialled == []


def test_nobody_of_that_name_is_said(contacts: ContactList) -> None:
    assert Talk(contacts, Line()).say("call Zacharias").text == "I have nobody called zacharias in the contacts."


@pytest.mark.parametrize("by", [Provenance.UNKNOWN])
def test_a_voice_that_nobody_knows_places_no_call_and_hears_no_number(contacts: ContactList, by: Provenance) -> None:
    for text in ("call Ben", "what's Ben's number?"):
        spoken = Talk(contacts, Line(), by).say(text)
        assert spoken.outcome is Outcome.REFUSED and "5" not in spoken.text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("what's Ben's number?", "Ben, mobile: 0 1 7 0, 5 5 5 0 1 0 4."),
        ("what's mom's number?", "Margaret, home: 0 1 6 1, 4 9 6, 0 3 4 5."),
        ("妈妈的电话是多少", "妈妈的家里号码是零一六一，四九六，零三四五。"),
        ("安娜的电话是多少", "安娜：手机加四九，一七零，五五五零一零一；办公零八九，五五五零一零二。"),
    ],
)
def test_numbers_are_read_digit_by_digit(contacts: ContactList, text: str, sentence: str) -> None:
    assert Talk(contacts).say(text).text == sentence


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("five five five oh one double nine", "5550199"), ("0161 496 0345", "01614960345"), ("triple zero", "000"), ("plus four nine one", "+491"),
        ("幺三八零零", "13800"), ("my mother", ""), ("one of them", ""),
    ],
)  # fmt: skip
def test_digits_as_people_say_them(words: str, digits: str) -> None:
    assert plan.digits_said(words) == digits


@pytest.mark.parametrize(
    ("label", "text", "contact"),
    [
        ("phone.lookup", "What's Anna's number?", "Anna"), ("phone.lookup", "tell me mum's mobile number", "mum mobile"), ("phone.call", "shoot Emily a call", "Emily"),
        ("phone.call", "I need to speak to Ben", "Ben"), ("phone.call", "给我老公打电话问问他到哪了", "老公"), ("phone.call", "redial", None), ("phone.call", "重拨", None),
    ],
)  # fmt: skip
def test_whom_words_name_where_the_tagger_has_found_a_call(label: str, text: str, contact: str | None) -> None:
    understand = {"phone.call": plan.call, "phone.lookup": plan.lookup}[label]
    (match,) = understand(Meant("", text, locale(text), Context(), 0.9))
    assert match.arguments.get("contact") == contact and bool(match.missing) is (contact is None)


@pytest.mark.parametrize(
    "text",
    ["call it a day", "call me when we arrive", "call that off", "dial the heat back a bit", "ring the bell", "打电话叫外卖"],
)
def test_what_is_no_call(contacts: ContactList, text: str) -> None:
    decision = Talk(contacts, Line()).decide(text)
    assert not isinstance(decision, Calls) or all(match.capability != "phone.call" for match in decision.matches)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("- numbers: {mobile: '1234'}", "has no name"),
        ("- name: A\n  numbers: {fax: '1234'}", "not 'fax'"),
        ("- name: A\n  numbers: {mobile: 01705550101}", "digits in quotes"),
        ("- name: A\n  numbers: {mobile: 'call me'}", "digits in quotes"),
        ("- name: A", "has no numbers"),
        ("name: A", "list of at most"),
        ("- name: [", "not valid YAML"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str, wrong: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=wrong):
        read_contacts(file)
    with pytest.raises(UserError, match="can't be read"):
        read_contacts(tmp_path / "none.yaml")


# --- dialers ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def exchange() -> Iterator[tuple[str, list[dict[str, str]]]]:
    got: list[dict[str, str]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(202 if self.path == "/dial" else 500)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            return None

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()


def test_the_http_dialer_asks_once_and_believes_only_a_2xx(exchange: tuple[str, list[dict[str, str]]]) -> None:
    address, got = exchange
    assert asyncio.run(HttpDialer(f"{address}/dial").dial("+491", "Anna", "k1")).state is ActuationState.CONFIRMED
    assert asyncio.run(HttpDialer(f"{address}/no").dial("+492", "Ben", "k2")).state is ActuationState.REFUSED
    assert got == [{"number": "+491", "name": "Anna", "key": "k1"}, {"number": "+492", "name": "Ben", "key": "k2"}]


def test_where_nobody_listens_nothing_was_dialled() -> None:
    assert asyncio.run(HttpDialer("http://127.0.0.1:9/dial", within_s=5).dial("1", "", "k")).state is ActuationState.REFUSED


def test_the_command_dialer_is_no_shell_and_its_status_counts(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = "import sys; open(sys.argv[1], 'w').write('|'.join(sys.argv[2:])); sys.exit(int(sys.argv[4]))"
    for status, state in (("0", ActuationState.CONFIRMED), ("3", ActuationState.REFUSED)):
        dialer = CommandDialer((sys.executable, "-c", code, str(out), "{number}", "{name}", status), within_s=60)
        assert asyncio.run(dialer.dial("+491", "; rm x", "k")).state is state
        assert out.read_text() == f"+491|; rm x|{status}"
    assert asyncio.run(CommandDialer(("/nowhere/dial", "{number}")).dial("1", "", "k")).reason == "unavailable"
