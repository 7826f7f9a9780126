"""Every tool on a real workspace: what it answers is what it declares, and what it writes is what
its annotations say."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from support.declared_answers import assert_declared
from support.in_process import without_processes
from support.paths import LIBRARY, ROOT

from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.mcp.server import mcp_server
from citeloom.infrastructure.mcp.tools import TOOLS
from citeloom.infrastructure.search.edge.checksums import sum_of
from citeloom.infrastructure.serving.serving import Serving

NOTES = """# Notes on looms

## Threads

The weft crosses the warp under and over. A shuttle carries the weft through the shed.
"""
POND = "szelkutiEveningCoolingSmall2022"
DRAFT = f"""At 5 m from the shore the air was on average 1.74 K cooler than in the reference street
[@{POND}, p. 1]. At 5 m from the shore the air was on average 2.95 K cooler than in the reference
street [@{POND}, p. 1]. Nobody was there [@nobody2020].
"""
DOCUMENTED = (ROOT / "docs" / "mcp.md").read_text("utf-8")
#: What is made again from the documents when it is gone, and what only tells what was done.
CACHES = ("cache/", "verified/")
# What was asked, how far it is, and who did it: kept for a while.
RECORDED_IN = ("jobs", "job_events", "workers", "audit_events")
RECORDED_ROWS = tuple(f'INSERT INTO "{table}"' for table in RECORDED_IN)
RECORDS = ("logs/",)
#: Changed by opening a file, not by writing to it.
ASIDE = ("-shm", "-wal", ".lock", "/lock", "holder.json")

Arguments = Mapping[str, Any]
IN_PROJECT = {"project": "test/papers"}
SPARE = {"project": "test/spare"}
ASKED = IN_PROJECT | {"text": "How do ponds cool the air?"}
GOOD: Mapping[str, list[Arguments]] = {
    "list_projects": [{}],
    "inspect_collection": [IN_PROJECT | {"sample": 2}],
    "query_hybrid": [
        ASKED,
        ASKED | {"more": ["What crosses the warp?"], "context": 1, "filters": {"year": "2022"}},
        ASKED | {"details": True, "context": 2},
    ],
    "query": [ASKED, ASKED | {"details": True, "rerank": True}],
    "open_page": [
        {"place": f"[@{POND}, p. 1]", "image": True, "quote": "1.74 K cooler"},
        {"place": "looms.md"},
    ],
    "list_documents": [{}, IN_PROJECT | {"limit": 1}],
    "cite": [IN_PROJECT | {"works": [POND], "bibliography": True}, IN_PROJECT],
    "verify": [IN_PROJECT | {"text": DRAFT, "uncited": True}],
    "ask": [IN_PROJECT | {"question": "How much do ponds cool the air?"}],
    "table": [IN_PROJECT | {"questions": ["How many ponds were measured?"]}],
    "review": [IN_PROJECT | {"question": "How much do ponds cool the air?", "depth": "light"}],
    "jobs": [{}],
    "remove": [SPARE, SPARE | {"documents": "looms.md"}],
    "listResources": [{}, {"budget": 300}],
    "getStructure": [{"resource_id": POND}],
    "get_structure": [{"resource_id": POND}, {"resource_id": POND, "node_id": "results"}],
    "getNode": [{"resource_id": POND, "node_id": "abstract"}],
    "resolve": [
        {"resource_id": POND, "node_id": "abstract"},
        {"resource_id": f"[@{POND}, p. 3]", "virtual": True},
    ],
}
NOWHERE = {"project": "no/such"}
BAD: Mapping[str, list[Arguments]] = {
    "list_projects": [{"all": True}],
    "inspect_collection": [NOWHERE, {}, IN_PROJECT | {"sample": 9}],
    "query_hybrid": [{"text": "x"}, NOWHERE | {"text": "x"}, ASKED | {"top_k": 0}, IN_PROJECT],
    "query": [NOWHERE | {"text": "x"}, ASKED | {"filters": {"year": "soon"}}],
    "open_page": [
        {"place": "nobody2020"},
        {"place": POND, "pages": "99"},
        {"place": "doc://none#pages=1"},
        {"place": "ndk://file/proj-test-papers/"},
        {"place": "ndk://file/proj-test-papers/0000000000000000/$body"},
    ],
    "list_documents": [NOWHERE, {"cursor": "none"}],
    "cite": [IN_PROJECT | {"works": ["nobody2020"]}, {"form": "handwriting"}],
    "verify": [IN_PROJECT | {"text": "Nothing cited."}, IN_PROJECT | {"path": "/no/such.md"}],
    "ask": [NOWHERE | {"question": "x"}, {}],
    "table": [NOWHERE | {"questions": ["x"]}, IN_PROJECT | {"drop": ["9"]}],
    "review": [NOWHERE | {"question": "x"}, {"job_id": "0" * 32}],
    "jobs": [{"job_id": "0" * 32}],
    "remove": [NOWHERE, {}, IN_PROJECT | {"documents": "nobody2020"}, SPARE | {"confirm": "yes"}],
    "ingest_status": [{"job_id": "0" * 32}, {}],
    "ingest_from_source": [IN_PROJECT | {"source": "/no/such"}, IN_PROJECT | {"source": "zotero"}],
    "listResources": [NOWHERE],
    "getStructure": [{"resource_id": "nobody2020"}],
    "get_structure": [{"resource_id": "nobody2020"}],
    "getNode": [{"resource_id": POND, "node_id": "nowhere"}],
    "resolve": [{"resource_id": POND}, {"resource_id": POND, "node_id": "nowhere"}],
}


def _a_new_paper(agent: "Agent") -> Arguments:
    (agent.papers() / "felt.md").write_text("# Felt\n\nFelt is wool that was pressed.\n")
    return IN_PROJECT | {"source": str(agent.papers())}


#: Calls that write something when they are made for the first time.
WRITING: Mapping[str, Callable[["Agent"], Arguments]] = {
    "ingest_from_source": _a_new_paper,
    "table": lambda _: IN_PROJECT | {"questions": ["How many threads cross the warp?"]},
    "review": lambda _: IN_PROJECT | {"question": "What crosses the warp?", "depth": "light"},
    "resolve": lambda _: {"resource_id": f"[@{POND}, p. 2]"},
    "remove": lambda agent: SPARE | {"confirm": agent.call("remove", SPARE)["confirm"]},
}


class Agent:
    """A client of a server in this process."""

    def __init__(self, portal: BlockingPortal, client: Client, folder: Path) -> None:
        self._portal, self._client = portal, client
        self.folder = folder

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """The answer, or that of the job; every one is as declared."""
        answer = self._answer(tool, arguments)
        while answer.get("status") in ("queued", "running"):
            answer = self._answer("jobs", {"job_id": answer["job_id"], "wait_seconds": 14})
        return answer

    def _answer(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        result = self._portal.call(self._client.call_tool, tool, dict(arguments))
        answer: dict[str, Any] = result.structured_content
        assert_declared(tool, answer)
        assert result.is_error == ("error" in answer)
        return answer

    def papers(self) -> Path:
        return self.folder / "papers"

    def content(self) -> dict[str, str]:
        """What the workspace and the user's folder hold: digests of files, rows of databases."""
        held = dict[str, str]()
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix().removeprefix(".citeloom/")
            if not path.is_file() or name.endswith(ASIDE) or name.startswith(CACHES + RECORDS):
                continue
            if path.suffix == ".sqlite":
                held |= {f"{name}: {row}": "" for row in _rows(path)}
            else:
                held[name] = f"{path.stat().st_size} {sum_of(path)}"
        return held


def _rows(database: Path) -> list[str]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = [line for line in connection.iterdump() if line.startswith("INSERT")]
    return [row for row in rows if not row.startswith(RECORDED_ROWS)]


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("tools")
    papers = folder / "papers"
    papers.mkdir()
    (papers / "looms.md").write_text(NOTES, encoding="utf-8")
    shutil.copy(LIBRARY / "papers" / "pond-cooling.pdf", papers)
    shutil.copy(LIBRARY / "library.csl.json", papers)
    application = open_application(folder)
    with without_processes():
        yield application
    application.close()


@pytest.fixture(scope="module")
def agent(application: Application) -> Iterator[Agent]:
    serving = Serving(application)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(mcp_server(serving))) as client,
    ):
        agent = Agent(portal, client, application.workspace.root)
        ingest = {"source": str(agent.papers())}
        references = {"references": str(agent.papers() / "library.csl.json")}
        agent.call("ingest_from_source", IN_PROJECT | ingest | {"options": references})
        agent.call("ingest_from_source", SPARE | ingest)
        yield agent
    assert serving.stop(20)


def calls(agent: Agent, tool: str) -> list[Arguments]:
    """Good calls of a tool, that are the same every time."""
    if tool == "ingest_from_source":
        return [IN_PROJECT | {"source": str(agent.papers())}]
    if tool == "ingest_status":
        jobs = agent.call("jobs", {})["jobs"]
        return [{"job_id": next(job["job_id"] for job in jobs if job["kind"] == "ingest")}]
    return GOOD[tool]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_answers_what_it_declares(agent: Agent, tool: str) -> None:
    for arguments in calls(agent, tool):
        assert "error" not in agent.call(tool, arguments), arguments


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_refuses_as_all_do(agent: Agent, tool: str) -> None:
    for arguments in BAD[tool]:
        answer = agent.call(tool, arguments)
        assert "error" in answer, arguments
        assert f"`{answer['error']['code']}`" in DOCUMENTED


def test_the_result_of_any_job_is_declared_by_jobs(agent: Agent) -> None:
    for tool in ("verify", "ask", "table", "review"):
        agent.call(tool, calls(agent, tool)[0])
    kinds = set()
    for job in agent.call("jobs", {})["jobs"]:
        result = agent.call("jobs", {"job_id": job["job_id"]})
        assert ("error" in result) == (job["status"] == "failed")
        kinds.add(job["kind"])
    assert kinds == {"ingest", "verify", "ask", "table", "review"}


def test_what_only_reads_changes_nothing_but_caches(agent: Agent) -> None:
    before = agent.content()
    for tool in TOOLS:
        if TOOLS[tool].read_only:
            for arguments in calls(agent, tool):
                agent.call(tool, arguments)
    assert agent.content() == before


def test_every_writing_tool_is_tried() -> None:
    """But for ``jobs``, which writes only when it cancels one."""
    assert {*WRITING, "jobs"} == {name for name, tool in TOOLS.items() if not tool.read_only}


@pytest.mark.parametrize("tool", WRITING)
def test_what_writes_is_as_idempotent_and_destructive_as_it_declares(
    agent: Agent, tool: str
) -> None:
    arguments = WRITING[tool](agent)
    documents, before = agent.call("list_documents", {})["total"], agent.content()
    agent.call(tool, arguments)
    once = agent.content()
    agent.call(tool, arguments)

    assert once != before
    assert (agent.content() == once) == TOOLS[tool].idempotent
    left = agent.call("list_documents", {})["total"]
    assert (left < documents) == TOOLS[tool].destructive
    assert {name: once[name] for name in once if name.startswith("papers/")} == {
        name: before[name] for name in before if name.startswith("papers/")
    }
