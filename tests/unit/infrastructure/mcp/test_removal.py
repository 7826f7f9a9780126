"""remove: what would go is told first; who agrees is the user, where she can be asked."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.types import ElicitResult
from support.mcp_server import served_world
from support.recorders import a_kind, a_recorder
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.resources.uris import passage_text_uri
from citeloom.infrastructure.serving.jobs.background import Background
from citeloom.infrastructure.serving.jobs.job import Advance, Job
from citeloom.infrastructure.serving.jobs.queue import Jobs

Ask = Callable[[Any, Any], Awaitable[ElicitResult]]

# The handshake of earlier revisions asks in between, later ones in the result of the call.
MODES = ["legacy", "2026-07-28"]


class StillJob(Job[str, str]):
    """Runs until it is cancelled."""

    kind = "still"

    def work(self) -> str:
        self._cancelling.wait(30)
        return "done"

    def advance(self) -> Advance:
        return Advance(0.0)

    @property
    def project(self) -> str:
        return self.asked


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(references=world.cite(an_item("grids", "10.5555/grids")))
    return world


@pytest.fixture
def server(world: World) -> Iterator[Server[Any]]:
    with served_world(world) as server:
        yield server


def call(server: Server[Any], mode: str = "auto", ask: Ask | None = None, **arguments: Any) -> Any:
    async def asked() -> Any:
        async with Client(server, mode=mode, elicitation_callback=ask) as client:
            return await client.call_tool("remove", {"project": "thesis", **arguments})

    return anyio.run(asked).structured_content


def names(world: World) -> list[str]:
    return sorted(Path(one.sources[0].path).name for one in world.catalogue.documents(HERE))


def test_a_document_goes_with_its_passages_once_that_is_confirmed(
    world: World, server: Server[Any]
) -> None:
    told = call(server, documents=["@grids"])
    assert (told["status"], told["documents_removed"]) == ("to be confirmed", 1)
    assert told["documents"] == ["@grids The paper grids"]
    assert names(world) == ["grids.md", "ponds.md"]

    done = call(server, documents=["@grids"], confirm=told["confirm"])
    assert done["status"] == "removed"
    assert names(world) == ["ponds.md"]
    found = world.query("square grid smallest error", top_k=20, mode="dense").items
    assert {one.citekey for one in found} == {"anonndPonds"}
    assert (world.folder / "grids.md").exists()


def test_what_was_confirmed_is_what_goes(world: World, server: Server[Any]) -> None:
    one = call(server, documents=["grids.md"])["confirm"]
    assert call(server, documents=["ponds.md"], confirm=one)["error"]["code"] == "INVALID_PARAMETER"
    assert call(server, confirm=one)["error"]["code"] == "INVALID_PARAMETER"
    assert call(server, confirm="local/thesis")["error"]["code"] == "INVALID_PARAMETER"
    every = call(server)["confirm"]
    world.write("more.md", PONDS + "\nMore.\n")
    world.ingest()
    assert call(server, confirm=every)["error"]["code"] == "INVALID_PARAMETER"
    assert len(names(world)) == 3


def test_a_project_goes_with_its_documents(world: World, server: Server[Any]) -> None:
    done = call(server, confirm=call(server)["confirm"])
    assert (done["documents_removed"], done["status"]) == (2, "removed")
    assert world.catalogue.projects() == []
    assert call(server)["error"]["code"] == "INVALID_PROJECT"


@pytest.mark.parametrize("name", ["@grids", "grids.md", "The paper grids", "id", "address", "uri"])
def test_a_document_is_named_as_everywhere(world: World, server: Server[Any], name: str) -> None:
    stored = next(one for one in world.catalogue.documents(HERE) if one.citation is not None)
    names_of_it = {
        "id": stored.document_id,
        "address": f"doc://{stored.document_id[:16]}#pages=1",
        "uri": passage_text_uri(HERE, stored.document_id, CharSpan(start=0, end=5)),
    }
    told = call(server, documents=names_of_it.get(name, name))
    assert told["documents"] == ["@grids The paper grids"]


@pytest.mark.parametrize("documents", [["nowhere.md"], [""], "", ["@"]])
def test_a_name_that_is_none_removes_nothing(
    world: World, server: Server[Any], documents: Any
) -> None:
    assert "error" in call(server, documents=documents)
    assert len(names(world)) == 2


def test_nothing_goes_from_under_a_job(world: World) -> None:
    recorder = a_recorder()
    queues: list[Any] = [Jobs(a_kind(name), StillJob, recorder) for name in Background._fields[:-1]]
    with served_world(world, jobs=Background(*queues, recorder)) as server:
        confirm = call(server)["confirm"]
        for queue in queues:
            job = queue.submit("local/thesis")
            refused = call(server, confirm=confirm)["error"]
            assert (refused["code"], refused["details"]["job_id"]) == ("PROJECT_BUSY", job.id)
            ended = threading.Event()
            job.join(ended.set)
            job.cancel()
            assert ended.wait(30)
        assert call(server, confirm=confirm)["status"] == "removed"


@pytest.mark.parametrize("mode", MODES)
def test_the_user_is_asked_where_the_client_can(
    world: World, server: Server[Any], mode: str
) -> None:
    questions: list[str] = []

    async def agree(_context: Any, params: Any) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action="accept", content={"agree": True})

    done = call(server, mode, agree, documents=["grids"])
    assert done["status"] == "removed"
    assert names(world) == ["ponds.md"]
    assert "@grids The paper grids" in questions[0]
    assert len(questions) == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "answer",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"agree": False}),
    ],
    ids=["declined", "cancelled", "not agreed"],
)
def test_without_the_users_consent_nothing_goes_whatever_the_model_says(
    world: World, server: Server[Any], mode: str, answer: ElicitResult
) -> None:
    confirm = call(server)["confirm"]

    async def refuse(_context: Any, _params: Any) -> ElicitResult:
        return answer

    told = call(server, mode, refuse, confirm=confirm)
    assert told["error"]["code"] == "NOT_CONFIRMED"
    assert names(world) == ["grids.md", "ponds.md"]
