"""What integrators get wrong, each with a sentence that says what and where."""

from pathlib import Path

import pytest

from ridealong.errors import UserError
from ridealong.harness.skill import Call, ContractError, Motion, Risk, Spoken, skill
from ridealong.harness.worker.inside import _where
from ridealong.simulators.car.server import _credentials
from ridealong.simulators.talk import _no_words
from ridealong.vehicle_skills.broker import Access, KuksaBroker, certificates_in, token_in
from ridealong.vehicle_skills.outside import _named
from ridealong.vehicle_skills.vehicle_file import read_vehicle

pytestmark = pytest.mark.unit

TLS = Path(__file__).parents[1] / "data" / "tls"
JUNK = bytes(range(1, 256))


@pytest.fixture
def junk(tmp_path: Path) -> Path:
    (file := tmp_path / "junk.bin").write_bytes(JUNK)
    return file


def test_junk_is_no_token_and_no_certificate(junk: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no token"):
        token_in(junk)
    (tmp_path / "empty").write_text("\n", encoding="ascii")
    with pytest.raises(UserError, match="holds no token"):
        token_in(tmp_path / "empty")
    with pytest.raises(UserError, match="no PEM file of certificates"):
        certificates_in(junk)
    with pytest.raises(UserError, match="no key and its certificate in PEM"):
        _credentials(junk, junk)
    assert certificates_in(TLS / "certificate.pem").startswith(b"-----BEGIN CERTIFICATE-----")


@pytest.mark.parametrize("address", ["localhost:99999", "localhost:0", "localhost", ":55555", "localhost:kuksa"])
def test_an_address_that_can_be_none(address: str) -> None:
    with pytest.raises(UserError, match="give HOST:PORT"):
        KuksaBroker(address)


def test_junk_is_told_before_a_broker_is_called(junk: Path) -> None:
    with pytest.raises(UserError, match="holds no token"):
        KuksaBroker("localhost:55555", Access(junk))
    with pytest.raises(UserError, match="no PEM file"):
        KuksaBroker("localhost:55555", Access(ca=junk))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("signals: {Vehicle.Cabin.X: {type: uint8, kind: actuator, low: 50, high: 10, group: accessory}}", "can take no value"),
        ("signals: {Vehicle.Cabin.X: {type: uint8, kind: actuator, low: 5, high: 5, group: accessory}}", "can take no value"),
        ("signals: {Vehicle.Cabin.X: {type: uint8, kind: actuator, low: -5, high: 10, group: accessory}}", "can't be as low"),
        ("signals:\n  Vehicle.Cabin.X:\n    type: [uint8\n    kind: actuator\n", "no YAML, line 4"),
    ],
)
def test_a_vehicle_file(tmp_path: Path, text: str, told: str) -> None:
    (file := tmp_path / "vehicle.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        read_vehicle(file, None)


async def scent(call: Call) -> Spoken:
    return Spoken("Done.")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"motion": "anny"}, r"its motion is one of Motion\.ANY, Motion\.SLOW, Motion\.PARKED, not 'anny'"),
        ({"risk": "low"}, r"its risk is one of Risk\."),
        ({"confirmation": True}, r"its confirmation is one of Confirmation\."),
    ],
)
def test_a_contract_with_a_word_for_a_choice(given: dict[str, object], told: str) -> None:
    contract: dict[str, object] = {"risk": Risk.COMFORT, "motion": Motion.ANY} | given
    with pytest.raises(ContractError, match=told):
        skill("scent.set", description="d", group="accessory", examples={}, says={"en": ("scent",)}, **contract)(scent)  # type: ignore[arg-type]


def test_where_a_syntax_error_stands(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("a = 1\nb = (\n", str(tmp_path / "skill.py"), "exec")
    assert _where(caught.value) == " at skill.py:2"


def test_a_file_for_a_folder(junk: Path) -> None:
    with pytest.raises(UserError, match="is a file: --path takes the folder"):
        _named(None, junk)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("/foo bar", "There is no /foo: /send FILE sends a file, /quit leaves."),
        ("/send ", "Name the file: /send FILE"),
        ("  ", ""),
        ("/send picture.png", None),
        ("open the window", None),
        ("1/2 past three", None),
    ],
)
def test_a_typed_line(line: str, answer: str | None) -> None:
    assert _no_words(line) == answer
