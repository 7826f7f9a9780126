"""The audit trail of a server: what was done over each interface, by whom, and how it ended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from support.group_server import GRANTS, group_server
from support.http_client import client_at, request
from support.http_server import serving
from support.in_memory.server.audit_trail import InMemoryAuditTrail
from support.served import ended
from support.world import GRIDS, PONDS, World

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.mcp.tools import TOOLS
from citeloom_server.application.audit.ports import AuditEvent, AuditFilter, AuditOrigin, AuditTrail
from citeloom_server.infrastructure.operation.audited_calls import CHANGES
from citeloom_server.infrastructure.operation.verbs import OperationVerbs

TOKEN = "t" * 40
QUESTION = "cooling at one hundred metres"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


@pytest.fixture
def rest(world: World) -> Iterator[httpx2.Client]:
    with serving(world) as address, client_at(address) as client:
        yield client


def told(trail: AuditTrail, **wanted: Any) -> list[tuple[str, str, str, str]]:
    events = trail.latest(AuditFilter(**wanted), 100)
    return [(one.origin.value, one.action, one.project, one.outcome) for one in events]


def the_event(trail: AuditTrail, action: str) -> AuditEvent:
    (event,) = trail.latest(AuditFilter(action=action), 2)
    return event


def test_changes_over_rest_are_events_with_project_object_and_request(
    rest: httpx2.Client, world: World
) -> None:
    headers = {"X-Request-ID": "r-17"}
    made = rest.post("/api/v1/projects", json={"name": "new"}, headers=headers)
    assert made.status_code == 201
    event = the_event(world.audit_trail, "create_project")
    assert (event.project, event.outcome, event.request_id) == ("local/new", "done", "r-17")
    document = world.document("ponds.md").document_id
    rest.delete(f"/api/v1/projects/local/thesis/documents/{document}")
    event = the_event(world.audit_trail, "remove_document")
    assert (event.project, event.object, event.outcome) == ("local/thesis", document, "done")


def test_refused_changes_are_told_by_their_code(rest: httpx2.Client, world: World) -> None:
    assert rest.delete("/api/v1/projects/local/nowhere").status_code == 404
    assert rest.post("/api/v1/projects", json={"nome": "x"}).status_code == 400
    assert told(world.audit_trail) == [
        ("rest", "remove_project", "local/nowhere", "INVALID_PROJECT"),
        ("rest", "create_project", "", "INVALID_PARAMETER"),
    ]


def test_a_job_has_an_event_when_it_begins_and_when_it_ends(
    rest: httpx2.Client, world: World
) -> None:
    path = world.write("shade.md", "# Shade\n\nTrees cool the street in the afternoon.\n")
    begun = rest.post("/api/v1/projects/local/thesis/ingests", json={"source": str(path)}).json()
    assert ended(rest, f"/api/v1/jobs/{begun['id']}")["status"] == "done"
    while len(events := world.audit_trail.latest(AuditFilter(), 10)) < 2:
        pass
    assert [one.object for one in events] == [begun["id"]] * 2
    assert events[0].request_id == events[1].request_id
    assert told(world.audit_trail) == [
        ("rest", "begin_ingest", "local/thesis", "done"),
        ("job", "ingest", "local/thesis", "done"),
    ]


def test_changes_by_tools_are_events_and_questions_are_none(
    rest: httpx2.Client, world: World
) -> None:
    async def call() -> None:
        async with Client(str(rest.base_url.join("/mcp"))) as agent:
            await agent.call_tool("query", {"project": "thesis", "text": QUESTION})
            await agent.call_tool("jobs", {})
            plan = await agent.call_tool("remove", {"project": "thesis", "documents": ["ponds.md"]})
            assert plan.structured_content is not None
            confirmed = {"confirm": plan.structured_content["confirm"]}
            asked = {"project": "thesis", "documents": ["ponds.md"]} | confirmed
            assert not (await agent.call_tool("remove", asked)).is_error
            await agent.call_tool("ingest_from_source", {"project": "thesis", "source": "/nowhere"})

    anyio.run(call)
    removed, refused = world.audit_trail.latest(AuditFilter(), 10)
    assert (removed.origin, removed.action, removed.outcome) == (AuditOrigin.MCP, "remove", "done")
    assert (removed.project, removed.object) == ("local/thesis", "ponds.md")
    assert refused.action == "ingest_from_source"
    assert refused.outcome not in ("done", "begun")
    assert removed.request_id


def test_every_tool_that_is_no_reader_says_when_it_changes_something() -> None:
    assert {name for name, tool in TOOLS.items() if not tool.read_only} == set(CHANGES)


def test_reading_is_recorded_where_that_is_wanted_and_never_its_words(world: World) -> None:
    world.settings["audit"] = {"reads": True}
    with serving(world) as address, client_at(address) as client:
        client.post("/api/v1/query", json={"project": "thesis", "text": QUESTION})
        client.get("/ask", params={"project": "thesis", "q": QUESTION})
        client.get("/static/citeloom.css")
        client.get("/health/ready")

        async def call() -> None:
            async with Client(f"{address}/mcp") as agent:
                await agent.call_tool("query", {"project": "thesis", "text": QUESTION})

        anyio.run(call)
    assert told(world.audit_trail) == [
        ("rest", "query_passages", "local/thesis", "done"),
        ("rest", "ask", "local/thesis", "done"),
        ("mcp", "query", "local/thesis", "done"),
    ]
    events = world.audit_trail.latest(AuditFilter(), 10)
    assert not any("hundred" in one.model_dump_json() for one in events)


class Failing(InMemoryAuditTrail):
    """Fails when asked to; ``settles`` is whether outcomes can be written."""

    appends = settles = True

    def append(self, event: AuditEvent) -> None:
        if not self.appends:
            raise StorageFailed("the disk is full")
        super().append(event)

    def settle(self, event: AuditEvent) -> None:
        if not self.settles:
            raise StorageFailed("the disk is full")
        super().settle(event)


def test_what_cannot_be_recorded_is_not_done(world: World) -> None:
    trail = world.audit_trail = Failing()
    trail.appends = False
    with serving(world) as address, client_at(address) as client:
        answer = client.delete("/api/v1/projects/local/thesis")
        assert (answer.status_code, answer.json()["code"]) == (503, "STORAGE_FAILED")
        assert client.get("/api/v1/projects/local/thesis").status_code == 200

        async def call() -> Any:
            async with Client(f"{address}/mcp") as agent:
                asked = {"project": "thesis", "source": str(world.folder)}
                return await agent.call_tool("ingest_from_source", asked)

        assert anyio.run(call).structured_content["error"]["code"] == "STORAGE_FAILED"
        assert client.get("/api/v1/jobs").json()["total"] == 0


def test_what_was_done_is_answered_and_its_event_says_that_it_began(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    trail = world.audit_trail = Failing()
    trail.settles = False
    with serving(world) as address:
        answer = request("DELETE", f"{address}/api/v1/projects/local/thesis")
    assert answer.status_code == 200
    assert told(trail) == [("rest", "remove_project", "local/thesis", "begun")]
    assert "outcome" in caplog.text


def test_what_was_read_and_cannot_be_recorded_is_not_answered(world: World) -> None:
    world.settings["audit"] = {"reads": True}
    trail = world.audit_trail = Failing()
    trail.appends = False
    with serving(world) as address:
        answer = request("GET", f"{address}/api/v1/projects")
    assert answer.status_code == 503
    assert "thesis" not in answer.text


def test_a_request_sent_again_with_its_key_is_one_event(rest: httpx2.Client, world: World) -> None:
    for _ in range(3):
        rest.post("/api/v1/projects", json={"name": "new"}, headers={"Idempotency-Key": "k1"})
    assert len(told(world.audit_trail)) == 1


def test_logins_and_refusals_are_events_and_guesses_are_one_a_minute(world: World) -> None:
    with serving(world, TOKEN) as address, client_at(address) as client:
        for number in range(12):
            wrong = {"Authorization": f"Bearer {number:040}"} if number < 2 else {}
            assert client.get("/api/v1/projects", headers=wrong).status_code == 401
        form = {"token": TOKEN, "next": "/ask"}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        content = "&".join(f"{name}={value}" for name, value in form.items())
        assert client.post("/login", content=content, headers=headers).status_code == 303
        assert client.post("/logout").status_code == 303
        while len(told(world.audit_trail)) < 3:
            pass
    events = world.audit_trail.latest(AuditFilter(), 50)
    assert [(one.action, one.outcome) for one in events] == [
        ("refuse", "401"), ("log_in", "done"), ("log_out", "done"),
    ]  # fmt: skip
    assert {one.object for one in events} == {"127.0.0.1"}
    assert not any(TOKEN in one.model_dump_json() for one in events)


def test_events_over_each_interface_name_the_principal(tmp_path: Path) -> None:
    """A view of a principal writes the trail of the whole server."""
    with group_server(tmp_path) as group:
        reader = next(iter(GRANTS))
        (project, *_) = GRANTS[reader]

        async def call() -> None:
            shown = {"Authorization": f"Bearer {group.tokens['root']}"}
            async with (
                httpx2.AsyncClient(headers=shown) as client,
                Client(streamable_http_client(f"{group.address}/mcp", http_client=client)) as agent,
            ):
                asked = {"project": project, "source": "/nowhere"}
                await agent.call_tool("ingest_from_source", asked)

        anyio.run(call)
        group.client("root").post("/api/v1/projects", json={"name": "fresh"})
        group.client(reader).post("/api/v1/projects", json={"name": "other", "nome": "x"})
        events = OperationVerbs(group.application.stores).audit_trail.latest(AuditFilter(), 10)
    made = [(one.origin.value, one.action, one.principal) for one in events]
    assert ("mcp", "ingest_from_source", "root") in made
    assert ("rest", "create_project", "root") in made
    assert ("rest", "create_project", reader) in made
