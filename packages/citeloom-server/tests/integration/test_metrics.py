"""``/metrics``: what it counts, in the format that Prometheus reads, and who may read it."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from prometheus_client.parser import text_string_to_metric_families
from support.http_client import client_at, request
from support.http_server import serving, serving_application
from support.served import ended
from support.world import GRIDS, HERE, PONDS, World

from citeloom.domain.errors import StorageFailed
from citeloom_server.infrastructure.operation import figures

TOKEN, METRICS_TOKEN = "t" * 40, "m" * 40
QUESTION = "cooling at one hundred metres"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("library"))
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


@pytest.fixture
def rest(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx2.Client]:
    monkeypatch.setattr(figures, "_KEPT_SECONDS", 0.0)
    with serving(world) as address, client_at(address) as client:
        yield client


Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(client: httpx2.Client) -> Figures:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def value(found: Figures, name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


def test_a_question_moves_requests_latency_lanes_and_stages(rest: httpx2.Client) -> None:
    before = read(rest)
    for _ in range(3):
        asked = rest.post("/api/v1/query", json={"project": "thesis", "text": QUESTION})
        assert asked.status_code == 200
    refused = rest.post("/api/v1/query", json={"project": "absent", "text": QUESTION})
    assert refused.status_code == 404
    after = read(rest)

    def moved(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    route = {"route": "/api/v1/query", "method": "POST"}
    assert moved("citeloom_http_requests_total", **route, status="200") == 3
    assert moved("citeloom_http_requests_total", **route, status="404") == 1
    assert moved("citeloom_http_request_seconds_count", **route) == 4
    assert moved("citeloom_http_request_seconds_bucket", **route, le="+Inf") == 4
    assert moved("citeloom_lane_begun_total", lane="http") == 4
    for stage in ("embed", "retrieve", "rank", "select"):
        assert moved("citeloom_stage_seconds_count", stage=stage) == 3
    assert moved("citeloom_http_requests_total", route="/metrics", method="GET", status="200") == 1


def test_the_library_the_build_and_the_process_are_told(rest: httpx2.Client, world: World) -> None:
    found = read(rest)
    assert value(found, "citeloom_catalogue_projects") == 1
    assert value(found, "citeloom_catalogue_documents") == 2
    assert value(found, "citeloom_catalogue_passages") == world.catalogue.passages(HERE)
    assert value(found, "citeloom_catalogue_up") == 1
    names = {name for name, _ in found}
    assert {
        "citeloom_build_info",
        "process_resident_memory_bytes",
        "citeloom_lane_workers",
    } <= names


def test_labels_hold_nothing_that_was_asked_or_is_anybodys(rest: httpx2.Client) -> None:
    """Neither do they grow with what is asked."""
    rest.get("/api/v1/projects/local/thesis/documents/secretkey2020")
    rest.get("/api/v1/projects/local/hidden-project", headers={"X-Request-ID": "request-17"})
    rest.get("/nowhere/at-all")
    rest.request("BREW", "/api/v1/projects")
    text = rest.get("/metrics").text
    for hidden in ("thesis", "secretkey", "hidden", "nowhere", "BREW", "request-17", "ponds"):
        assert hidden not in text, hidden
    assert 'route="/api/v1/projects/{namespace}/{name}"' in text
    assert 'route="other"' in text
    assert 'method="other"' in text


def test_calls_of_tools_and_jobs_are_counted(rest: httpx2.Client, world: World) -> None:
    async def call() -> None:
        async with Client(f"{rest.base_url}/mcp".replace("//mcp", "/mcp")) as agent:
            await agent.call_tool("query", {"project": "thesis", "text": QUESTION})
            await agent.call_tool("query", {"project": "absent", "text": QUESTION})

    anyio.run(call)
    path = world.write("shade.md", "# Shade\n\nTrees cool the street in the afternoon.\n")
    begun = rest.post("/api/v1/projects/local/thesis/ingests", json={"source": str(path)}).json()
    assert ended(rest, f"/api/v1/jobs/{begun['id']}")["status"] == "done"
    found = read(rest)
    counted = {k: v for k, v in found.items() if k[0] == "citeloom_mcp_calls_total"}
    calls = {dict(labels)["outcome"]: count for (_, labels), count in counted.items()}
    assert calls == {"done": 1, "INVALID_PROJECT": 1}
    assert value(found, "citeloom_jobs_ended_total", kind="ingest", state="done") == 1
    assert value(found, "citeloom_ingested_documents_total", outcome="stored") == 1
    assert value(found, "citeloom_ingested_passages_total") == 1


def test_a_catalogue_that_is_away_is_told_and_the_rest_with_it(
    rest: httpx2.Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise StorageFailed("gone")

    monkeypatch.setattr(world.catalogue, "amounts", fails)
    found = read(rest)
    assert value(found, "citeloom_catalogue_up") == 0
    assert value(found, "citeloom_lane_workers", lane="http") > 0


def test_with_a_token_figures_need_it_or_the_one_for_figures(tmp_path: Path) -> None:
    world = World(tmp_path, settings={"serve": {"metrics_token": METRICS_TOKEN}})
    with serving(world, TOKEN) as address:

        def status(token: str, path: str = "/metrics") -> int:
            shown = {"Authorization": f"Bearer {token}"} if token else {}
            return request("GET", f"{address}{path}", headers=shown).status_code

        assert status("") == 401
        assert status("x" * 40) == 401
        assert status(TOKEN) == status(METRICS_TOKEN) == 200
        assert status(METRICS_TOKEN, "/api/v1/projects") == 401
        assert status(METRICS_TOKEN, "/metrics/") == 401


def test_figures_are_not_for_other_host_names(world: World) -> None:
    with serving_application(world.application) as address:
        asked = request("GET", f"{address}/metrics", headers={"Host": "elsewhere.example"})
    assert asked.status_code == 421
