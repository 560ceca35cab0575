"""The node's configuration: one frozen value, loaded once from YAML < environment (RIDEALONG_CLOUD__…) < flags."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from ridealong.harness.journal import KEEP_ITEMS
from ridealong.harness.mcp.config import McpServer, check_all
from ridealong.harness.worker.hosted import Package
from ridealong.harness.worker.packages import each, installed
from ridealong.settings import Loaded, load
from ridealong.vehicle_skills.navigation.choosing import AUTO
from ridealong.vehicle_skills.navigation.choosing import fault as geocoder_fault


class FrontEndKind(Enum):
    CASCADE = "cascade"
    VENUS = "venus"
    SCRIPTED = "scripted"


@dataclass(frozen=True, slots=True)
class Server:
    address: str = "127.0.0.1:50051"
    max_sessions: int = 8
    drain_ms: int = 10_000
    workers: int = 4
    """Threads for front-ends; one session uses one at a time."""

    def check(self) -> str | None:
        if ":" not in self.address or not self.address.rsplit(":", 1)[1].isdigit():
            return f"server.address must read HOST:PORT, not {self.address!r}."
        if not 1 <= self.max_sessions <= 1_000:
            return "server.max_sessions must lie between 1 and 1000."
        if not 1 <= self.workers <= 64:
            return "server.workers must lie between 1 and 64."
        return None


@dataclass(frozen=True, slots=True)
class FrontEnd:
    kind: FrontEndKind = FrontEndKind.CASCADE
    model: Path | None = None
    """The 9B checkpoint (venus)."""
    script: Path | None = None
    """YAML list of lines (scripted)."""
    models_folder: Path | None = None
    """Where `ridealong models fetch` put the embedded models; default: the user's cache."""
    locale: str = ""
    """"en", "zh", or "" to decide for each utterance."""
    voice_en: str = "af_heart"
    voice_zh: str = "zf_xiaoxiao"
    model_threads: int = 2
    voice_identity: bool = True
    """Learn the user's voice from use, for the length of a session, to tell it from others; false: never."""
    ears: bool = True
    """venus: the embedded listener beside the model tells who spoke and who cut in; false: only the device's voice activity does."""

    def check(self) -> str | None:
        if self.locale not in ("", "en", "zh"):
            return f"frontend.locale must be en, zh or empty, not {self.locale!r}."
        if self.kind is FrontEndKind.SCRIPTED and self.script is None:
            return "the scripted front-end needs frontend.script, a YAML file of lines."
        if self.kind is FrontEndKind.VENUS and self.model is None:
            return "the venus front-end needs frontend.model (--model), the folder of a checkpoint."
        return None


@dataclass(frozen=True, slots=True)
class Venus:
    """How the 9B model runs (docs/guides/venus.md). Needs the extra `model`."""

    device: str = "cuda"
    """cpu, cuda or cuda:N."""
    dtype: str = "auto"
    """auto: as the files have it; bfloat16, float16, float32."""
    quantisation: str = "none"
    slots: int = 4
    """Sessions at a time; the memory of their context is taken at the start."""
    window: int = 8_192
    """Rows of context a session: a second of sound has about 13, a frame 66 more."""
    window_mode: str = "live"
    """live: the last two minutes; basic: as many rows as there are; context: 24 s, and the words before them; off: until it is full."""
    preset: str = "venus"
    """How it draws: hub, demo or venus."""
    instructions: str = ""
    """Added to the model's own system prompt."""

    def check(self) -> str | None:
        for name, value, allowed in (
            ("dtype", self.dtype, ("auto", "bfloat16", "float16", "float32")),
            ("quantisation", self.quantisation, ("none", "int8", "fp8")),
            ("window_mode", self.window_mode, ("live", "basic", "context", "off")),
            ("preset", self.preset, ("hub", "demo", "venus")),
        ):
            if value not in allowed:
                return f"venus.{name} must be {' or '.join(allowed)}, not {value!r}."
        if self.device != "cpu" and self.device != "cuda" and not self.device.removeprefix("cuda:").isdigit():
            return f"venus.device must be cpu, cuda or cuda:N, not {self.device!r}."
        if not 1 <= self.slots <= 256:
            return f"venus.slots must lie between 1 and 256, not {self.slots}."
        if not 256 <= self.window <= 40_960:
            return f"venus.window must lie between 256 and 40960, not {self.window}."
        return None


@dataclass(frozen=True, slots=True)
class HarnessSettings:
    journal: Path | None = None
    """SQLite file of the work journal; default: the user's state folder."""
    journal_items: int = KEEP_ITEMS
    """So many work items are kept; of more, the oldest that are over are removed. 1,000 items need about 1 MB."""
    audit: Path | None = None
    """Where a row for every quick verdict of the policy goes (docs/guides/vehicle.md); None: nowhere."""

    def check(self) -> str | None:
        if self.journal_items < 1_000:
            return "harness.journal_items must be at least 1000."
        return None


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What users ask to be remembered, and their notes (docs/guides/glasses.md)."""

    keep: bool = True
    """false: nothing is kept, and it is said."""
    file: Path | None = None
    """SQLite file; default: memory.sqlite beside the work journal."""
    days: int = 180
    """So long something is kept."""

    def check(self) -> str | None:
        return None if 1 <= self.days <= 3_650 else "memory.days must lie between 1 and 3650."


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """An OpenAI-compatible endpoint, asked where the local router finds nothing; without one the assistant says that it can't."""

    base_url: str = ""
    model: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    tools: bool = True
    """Offer it the skills as tools; false: it only talks."""
    images: bool = False
    """The model takes pictures: a few of the camera's newest are sent with a question about what is seen."""
    request_ms: int = 12_000
    answer_within_ms: int = 20_000
    """For all that one request of the user's leads to: rounds, tools, and tries after a fault."""

    def check(self) -> str | None:
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            return f"language_model.base_url must begin with http:// or https://, not {self.base_url!r}."
        if bool(self.base_url) != bool(self.model):
            return "language_model needs both base_url and model, or neither."
        if not 500 <= self.request_ms <= 120_000 or not 500 <= self.answer_within_ms <= 300_000:
            return "language_model.request_ms must lie between 500 and 120000, answer_within_ms between 500 and 300000."
        return None


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """What the node tells of itself (docs/guides/operations.md). Needs the extra `telemetry`."""

    metrics_address: str = ""
    """HOST:PORT of a page for Prometheus; "": none."""
    otlp_endpoint: str = ""
    """Where spans are sent (OTLP over HTTP), without /v1/traces; "": nowhere."""
    content: bool = False
    """Spans may hold what was said. Metrics never do."""

    def check(self) -> str | None:
        if self.metrics_address and not (":" in self.metrics_address and self.metrics_address.rsplit(":", 1)[1].isdigit()):
            return f"telemetry.metrics_address must read HOST:PORT, not {self.metrics_address!r}."
        if self.otlp_endpoint and not self.otlp_endpoint.startswith(("http://", "https://")):
            return f"telemetry.otlp_endpoint must begin with http:// or https://, not {self.otlp_endpoint!r}."
        return None


@dataclass(frozen=True, slots=True)
class SkillPackage(Package):
    """A package of skills from outside (docs/guides/skills_isolated.md)."""

    isolated: bool = True
    """In worker processes of its own; false: in the node itself, without any limit. For code that you trust as the node's own."""

    def check(self) -> str | None:
        if not self.module:
            if self.path is None:
                return "skills: name a module, or the path of a folder of modules."
            return None if self.path.is_dir() else f"skills: there is no folder {self.path}."
        if not all(part.isidentifier() for part in self.module.split(".")):
            return f"skills: module must be the name of a Python module, not {self.module!r}."
        if not 64 <= self.memory_mb <= 65_536:
            return f"skills: memory_mb of {self.module} must lie between 64 and 65536."
        if not 1 <= self.cpu_s <= 3_600:
            return f"skills: cpu_s of {self.module} must lie between 1 and 3600."
        if not 1 <= self.workers <= 16:
            return f"skills: workers of {self.module} must lie between 1 and 16."
        if not 100 <= self.import_within_ms <= 600_000:
            return f"skills: import_within_ms of {self.module} must lie between 100 and 600000."
        if self.path is not None and not self.path.is_dir():
            return f"skills: there is no folder {self.path}, the path of {self.module}."
        return None


@dataclass(frozen=True, slots=True)
class NavigationSettings:
    """Where places are looked up (docs/guides/navigation.md)."""

    geocoder: str = AUTO
    """auto: offline where its extra is installed, else demo; demo: an invented town; offline: GeoNames towns (extra `gazetteer`); http…: a geocoder that speaks as Nominatim does."""

    def check(self) -> str | None:
        return geocoder_fault(self.geocoder)


@dataclass(frozen=True, slots=True)
class PhoneSettings:
    """Who can be called, and what places the call (docs/guides/phone.md)."""

    contacts: Path | None = None
    """YAML file; None: nobody is known."""
    dial_url: str = ""
    """An address that takes `{"number", "name", "key"}` and places the call."""
    dial_command: tuple[str, ...] = ()
    """Or a command, with {number} and {name} among its arguments."""

    def check(self) -> str | None:
        if self.dial_url and self.dial_command:
            return "phone needs dial_url or dial_command, not both."
        if self.dial_url and not self.dial_url.startswith(("http://", "https://")):
            return f"phone.dial_url must begin with http:// or https://, not {self.dial_url!r}."
        if self.dial_command and not any("{number}" in word for word in self.dial_command):
            return "phone.dial_command must have {number} among its arguments."
        return None


@dataclass(frozen=True, slots=True)
class CloudConfig:
    server: Server = field(default_factory=Server)
    frontend: FrontEnd = field(default_factory=FrontEnd)
    venus: Venus = field(default_factory=Venus)
    harness: HarnessSettings = field(default_factory=HarnessSettings)
    language_model: LanguageModel = field(default_factory=LanguageModel)
    memory: MemorySettings = field(default_factory=MemorySettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    navigation: NavigationSettings = field(default_factory=NavigationSettings)
    phone: PhoneSettings = field(default_factory=PhoneSettings)
    mcp_servers: tuple[McpServer, ...] = ()
    """Programs and addresses whose tools become skills."""
    skills: tuple[SkillPackage, ...] = ()
    installed_skills: bool = True
    """The packages that installed distributions offer, too (the entry points `ridealong.skills`), each isolated."""
    vehicle_file: Path | None = None
    """What is particular about the model of car: signals that an integrator adds (docs/guides/vehicle.md)."""

    @property
    def packages(self) -> tuple[SkillPackage, ...]:
        """Every package of skills from outside, one a module."""
        named = tuple(one for package in self.skills for one in each(package))
        taken = {package.module for package in named}
        offered = installed(SkillPackage) if self.installed_skills else ()
        return (*named, *(package for package in offered if package.module not in taken))

    def check(self) -> str | None:
        return check_all(self.mcp_servers)


def load_config(file: Path | None, environ: dict[str, str], flags: dict[str, object]) -> Loaded[CloudConfig]:
    """Raises UserError with the key, the place and the nearest valid key."""
    return load(CloudConfig, file, "RIDEALONG_CLOUD", environ, flags)
