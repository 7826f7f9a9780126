"""Traces of requests: the request, its operation, the stages; and that none is sent unasked."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from support.command_line import environment
from support.http_client import request
from support.http_server import running
from support.world import PONDS, World

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.http.serving import http_app
from citeloom.infrastructure.serving.http import ServerNames
from citeloom.infrastructure.serving.serving import Serving
from citeloom_server.infrastructure.operation import tracing
from citeloom_server.infrastructure.operation.tracing import Tracing
from citeloom_server.infrastructure.server import GroupServer

QUESTION = "cooling at one hundred metres"
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def spans(tmp_path: Path) -> dict[str, Any]:
    """By name, of one question that continues a trace of its client."""
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest()
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    application = world.application
    extension = GroupServer(application, Tracing(provider))
    app = http_app(application, Serving(application), ServerNames(), "", None, extension)
    with running(app) as address:
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "X-Request-ID": "r-1"}
        asked = {"project": "thesis", "text": QUESTION}
        assert request("POST", f"{address}/api/v1/query", json=asked, headers=headers).is_success
        absent = {"project": "absent", "text": QUESTION}
        request("POST", f"{address}/api/v1/query", json=absent, headers=headers)
    finished = exporter.get_finished_spans()
    assert "hundred" not in "".join(one.to_json() for one in finished)

    return {one.name: one for one in reversed(finished)}


def test_a_question_is_a_trace_of_request_operation_and_stages(spans: dict[str, Any]) -> None:
    whole, verb = spans["POST /api/v1/query"], spans["query"]
    assert f"{whole.context.trace_id:032x}" == TRACE
    assert whole.parent.span_id == 0xB7AD6B7169203331
    assert whole.attributes["http.response.status_code"] == 200
    assert whole.attributes["http.route"] == "/api/v1/query"
    assert whole.attributes["citeloom.request_id"] == "r-1"
    assert verb.parent.span_id == whole.context.span_id
    for stage in ("embed", "retrieve", "rank", "select"):
        assert spans[stage].parent.span_id == verb.context.span_id


def test_without_the_setting_no_sdk_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from citeloom.infrastructure.http import serving; "
        "print(sorted(n for n in sys.modules if n.startswith('opentelemetry.sdk') "
        "or n.startswith('opentelemetry.exporter')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", env=environment(),
        check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


def test_a_missing_extra_is_told_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(ConfigurationError, match=r"citeloom\[otel\]"):
        tracing.start_tracing()
