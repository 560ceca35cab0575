"""Where counters and spans go: a page for scrapes on a port of the node, and an OTLP collector. Opened and closed with the node.

An adapter. The libraries are in the extra `telemetry` and are imported only where one of the two is configured. A fault in observing is counted
and told once, and harms nothing else. Does not know what is observed.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ridealong.cloud.config import TelemetrySettings
from ridealong.cloud.telemetry.names import Names
from ridealong.errors import UserError, where
from ridealong.harness.observing import Observation
from ridealong.harness.reasons import REASONS
from ridealong.vehicle_skills.policy import RESULT_REASONS

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger("ridealong.cloud")
EXPORT_WITHIN_S: Final = 5
NEEDED: Final = {
    "telemetry.metrics_address": ("prometheus_client",),
    "telemetry.otlp_endpoint": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
}
"""setting -> the modules that it needs."""


@dataclass(slots=True)
class Telemetry:
    """`sinks`: who is told each observation. `address`: where the page really is ("" for none)."""

    sinks: list[Callable[[Observation], None]] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    address: str = ""
    faults: int = 0
    _closers: list[Callable[[], None]] = field(default_factory=list)

    def observe(self, observation: Observation) -> None:
        """Never raises. From any thread."""
        for sink in self.sinks:
            try:
                sink(observation)
            except Exception as error:  # telemetry must not cost anybody an answer
                self.faults += 1
                if self.faults == 1:
                    log.error("telemetry: an observation could not be taken: %s", where(error))

    def close(self) -> None:
        """Sends what is left (bounded) and stops serving the page. Blocks."""
        while self._closers:
            self._closers.pop()()


def open_telemetry(settings: TelemetrySettings) -> Telemetry:
    """Raises UserError where a library is missing, or the port can't be had."""
    chosen = {"telemetry.metrics_address": settings.metrics_address, "telemetry.otlp_endpoint": settings.otlp_endpoint}
    for setting, value in chosen.items():
        if value and not all(_installed(module) for module in NEEDED[setting]):
            raise UserError(
                f'{setting} needs packages that are not installed: pip install "ridealong[telemetry]", or leave the setting empty.'
            )
    telemetry = Telemetry()
    if settings.metrics_address:
        _serve(telemetry, settings.metrics_address)
    if settings.otlp_endpoint:
        _export(telemetry, settings)
    return telemetry


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a parent
        return False


def _serve(telemetry: Telemetry, address: str) -> None:
    from prometheus_client import start_http_server

    from ridealong.cloud.telemetry.metrics import Metrics

    metrics = Metrics(telemetry.names, REASONS | RESULT_REASONS)
    host, _, port = address.rpartition(":")
    try:
        server, thread = start_http_server(int(port), host.strip("[]"), metrics.registry)
    except (OSError, OverflowError) as error:
        raise UserError(
            f"cannot serve metrics on {address} ({getattr(error, 'strerror', None) or error}): choose another telemetry.metrics_address."
        ) from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join(EXPORT_WITHIN_S)

    telemetry.address = f"{host}:{server.server_port}"
    telemetry.sinks.append(metrics.on)
    telemetry._closers.append(stop)


def _export(telemetry: Telemetry, settings: TelemetrySettings) -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from ridealong.cloud.telemetry.spans import Spans

    exporter = OTLPSpanExporter(endpoint=f"{settings.otlp_endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_WITHIN_S)
    provider: TracerProvider = TracerProvider(resource=Resource.create({"service.name": "ridealong"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=EXPORT_WITHIN_S * 1000))
    spans = Spans(provider.get_tracer("ridealong"), telemetry.names, content=settings.content, reasons=REASONS | RESULT_REASONS)

    def stop() -> None:
        spans.close()
        provider.shutdown()

    telemetry.sinks.append(spans.on)
    telemetry._closers.append(stop)
