"""``citeloom mcp`` as an agent meets it: the official client over stdio."""

import base64
import html
import io
import json
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from PIL import Image
from support.command_line import environment, inside
from support.declared_answers import assert_declared
from support.paths import LIBRARY
from support.zotero.library import work, write_database

from citeloom.domain.library import LibraryRef
from citeloom.domain.maps.resource_map import Node, ResourceMap
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.library.snapshot import RawLibrary
from citeloom.infrastructure.mcp.tools import LISTED

NOTES = """# Notes on looms

## Threads

The weft crosses the warp under and over. A shuttle carries the weft through the shed.

## Patterns, borders and edges

Twill shifts each row by one thread. The diagonal that this makes is strong and drapes well.
"""
LATE = """# Late notes

Felt is made without a loom: wool is wetted, rolled and pressed until its scales interlock.
"""
ITEM = {
    "render_text",
    "score",
    "citekey",
    "section",
    "page_span",
    "section_path",
    "doi",
    "full_text",
}
POND = "szelkutiEveningCoolingSmall2022"
DRAFT = rf"""At 5 m from the shore the air was on average 1.74 K cooler than in the reference
street \cite[1]{{{POND}}}. At 5 m from the shore the air was on average 2.95 K cooler than in the
reference street \cite[1]{{{POND}}}.

Sensors were compared in a shelter before and after the season \cite[3]{{{POND}}}.
"""


def squeezed(text: str) -> str:
    return "".join(text.split())


class Agent:
    """A client of one server; calls may come from several threads."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def read(self, uri: str) -> Any:
        return self._portal.call(self.client.read_resource, uri)

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self._portal.call(self.client.list_tools).tools}

    def answer(self, tool: str, /, **arguments: Any) -> tuple[bool, dict[str, Any]]:
        result = self._portal.call(self.client.call_tool, tool, arguments)
        # What follows the text are pictures, and links to files.
        assert {block.type for block in result.content[1:]} <= {"image", "resource_link"}
        assert json.loads(result.content[0].text) == result.structured_content
        assert result.structured_content["correlation_id"]
        assert_declared(tool, result.structured_content)
        return result.is_error, result.structured_content

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        failed, content = self.answer(tool, **arguments)
        assert not failed, content
        return content

    def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        failed, content = self.answer(tool, **arguments)
        assert failed, content
        assert set(content) == {"error", "correlation_id"}
        assert set(content["error"]) == {"code", "message", "details"}
        error: dict[str, Any] = content["error"]
        return error

    def ingest(self, project: str, source: Path, **options: Any) -> dict[str, Any]:
        return self.ingested(project=project, source=str(source), options=options)

    def ingested(self, **asked: Any) -> dict[str, Any]:
        """The result of an ingest, asked for until it is there."""
        told = self.call("ingest_from_source", **asked)
        for _ in range(20):
            if "chunks_written" in told:
                return told
            assert told["status"] in ("queued", "running")
            told = self.call("ingest_status", job_id=told["job_id"], wait_seconds=14)
        raise AssertionError(told)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp")


@pytest.fixture(scope="module")
def agent(workspace: Path) -> Iterator[Agent]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "citeloom", "mcp", "--workspace", str(workspace)],
        env=environment(
            CITELOOM_ZOTERO__DATA_DIR=str(workspace / "Zotero"),
            CITELOOM_MCP__FOLDERS=json.dumps([str(workspace.parent), str(LIBRARY)]),
        ),
    )
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server)) as client,
    ):
        yield Agent(portal, client)


@pytest.fixture(scope="module")
def nothing(agent: Agent) -> dict[str, Any]:
    """What ``list_projects`` says before there are any."""
    return agent.call("list_projects")


@pytest.fixture(scope="module")
def papers(workspace: Path) -> Path:
    folder = workspace / "papers"
    folder.mkdir()
    (folder / "looms.md").write_text(NOTES, encoding="utf-8")
    shutil.copy(LIBRARY / "papers" / "pond-cooling.pdf", folder)
    return folder


@pytest.fixture(scope="module")
def ingested(agent: Agent, papers: Path, nothing: dict[str, Any]) -> dict[str, Any]:
    return agent.ingest("test/papers", papers, references=str(LIBRARY / "library.csl.json"))


@pytest.fixture(scope="module")
def library(agent: Agent, ingested: dict[str, Any]) -> Agent:
    """The agent, once its project holds a PDF and some notes."""
    return agent


@pytest.fixture(scope="module")
def without_hybrid(workspace: Path, ingested: dict[str, Any]) -> str:
    """A project that is made in the same workspace, by another process's means."""
    name = "test/project-no-hybrid"
    opened = open_application(workspace)
    opened.projects.opener.create(ProjectId.parse(name), hybrid=False)
    opened.close()
    return name


def test_a_client_has_the_schemas_and_annotations_of_the_tools(agent: Agent) -> None:
    listed = agent.tools()
    assert list(listed) == list(LISTED)
    for name, described in listed.items():
        tool = LISTED[name]
        assert (described.input_schema, described.output_schema) == (tool.schema, tool.output)
        assert described.title == tool.title
        hints = described.annotations
        assert (hints.read_only_hint, hints.destructive_hint) == (tool.read_only, tool.destructive)
        assert (hints.idempotent_hint, hints.open_world_hint) == (tool.idempotent, tool.open_world)


def test_a_zotero_collection_is_brought_in(agent: Agent, workspace: Path) -> None:
    options = {"collection_key": "CLOOMS22"}
    asked = {"project": "test/zotero", "source": "zotero", "options": options}
    assert agent.refused("ingest_from_source", **asked)["code"] == "LIBRARY_UNAVAILABLE"
    inside: dict[str, Any] = {"collections": ["CLOOMS22"]}
    raw = [
        work(1, citationKey="weft2016", abstractNote="The weft crosses the warp.", **inside),
        work(2, citationKey="felt2019", abstractNote="Felt is made of wool."),
    ]
    collections = [{"key": "CLOOMS22", "name": "Looms", "parentCollection": False}]
    folder = workspace / "Zotero"
    folder.mkdir()
    write_database(folder / "zotero.sqlite", [RawLibrary(LibraryRef(), raw, collections)])
    told = agent.ingested(**asked)
    assert (told["documents"], told["project"]) == ({"added": 1}, "test/zotero")
    found = agent.call("query_hybrid", project="test/zotero", text="What crosses the warp?")
    assert [document["citekey"] for document in found["documents"]] == ["weft2016"]
    lost = {**asked, "options": {"collection_key": "CLOST222"}}
    assert "Looms" in agent.refused("ingest_from_source", **lost)["message"]


def test_a_tool_that_is_none_is_an_error_of_the_protocol(agent: Agent) -> None:
    with pytest.raises(MCPError) as unknown:
        agent.answer("nope")
    assert unknown.value.error.code == INVALID_PARAMS
    assert unknown.value.error.data["error"]["code"] == "UNKNOWN_TOOL"


def test_a_page_is_shown_with_the_passage_marked(library: Agent) -> None:
    place = f"[@{POND}, p. 1]"
    page = library.call("open_page", place=place, image=True, quote="1.74 K cooler")
    assert page["document"]["citekey"] == POND
    assert page["pages"] == [{"pdf": 1, "printed": "1"}]
    assert page["images"] == [{"pdf": 1, "marked": True}]
    assert "1.74 K cooler" in squeezed_lines(page["text"])
    uri = f"ndk://file/proj-test-papers/{page['address'][6:22]}/page/1.png"
    (picture,) = library.read(uri).contents
    image = Image.open(io.BytesIO(base64.b64decode(picture.blob)))
    assert image.format == "PNG"
    assert max(image.size) <= 1600
    cited = library.call("cite", project="test/papers", works=[POND], bibliography=True)
    assert [one["key"] for one in cited["bibliography"]] == [POND]
    rows = library.call("list_documents", project="test/papers")["documents"]
    assert POND in [row.get("key") for row in rows]


def squeezed_lines(text: str) -> str:
    return " ".join(text.split())


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("query", {"project": "nonexistent/project", "text": "x"}, "INVALID_PROJECT"),
    ("ingest_from_source", {"project": "test/x", "source": "/no/such/path"}, "INVALID_SOURCE"),
    ("ingest_from_source", {"project": "test/x", "source": "zotero"}, "MISSING_PARAMETER"),
    (
        "ingest_from_source",
        {
            "project": "test/x",
            "source": "zotero",
            "options": {"collection_key": "ABCD", "zotero_config": {"library_id": "1"}},
        },
        "INVALID_PARAMETER",
    ),
    (
        "ingest_from_source",
        {"project": "test/x", "source": "/tmp", "options": {"include_tags": ["a"]}},
        "INVALID_PARAMETER",
    ),
    ("query", {"project": "test/papers"}, "MISSING_PARAMETER"),
    ("query", {"project": "a b", "text": "x"}, "INVALID_PARAMETER"),
    ("inspect_collection", {"project": "nonexistent/project"}, "INVALID_PROJECT"),
    ("listResources", {"project": "nonexistent/project"}, "INVALID_PROJECT"),
    ("getStructure", {"resource_id": "nobody2020"}, "DOCUMENT_NOT_FOUND"),
    ("getStructure", {"resource_id": POND, "project": "no/such"}, "INVALID_PROJECT"),
    ("getNode", {"resource_id": POND, "node_id": "nowhere"}, "NODE_NOT_FOUND"),
    ("resolve", {"resource_id": POND, "node_id": "nowhere"}, "NODE_NOT_FOUND"),
    ("resolve", {"resource_id": POND}, "MISSING_PARAMETER"),
    ("resolve", {"resource_id": "nobody2020", "node_id": "x"}, "DOCUMENT_NOT_FOUND"),
    ("resolve", {"resource_id": "../../etc", "node_id": "x"}, "DOCUMENT_NOT_FOUND"),
    ("ingest_status", {"job_id": "0" * 32}, "JOB_NOT_FOUND"),
    ("verify", {"project": "nonexistent/project", "text": "x"}, "INVALID_PROJECT"),
    ("verify", {"project": "test/papers"}, "MISSING_PARAMETER"),
    ("verify", {"project": "test/papers", "path": "/no/such.md"}, "INVALID_SOURCE"),
    ("verify", {"project": "test/papers", "path": "/etc/hostname"}, "INVALID_SOURCE"),
    ("verify", {"project": "test/papers", "text": "x", "format": "word"}, "INVALID_PARAMETER"),
    ("verify", {"job_id": "0" * 32}, "JOB_NOT_FOUND"),
    ("review", {"project": "nonexistent/project", "question": "x"}, "INVALID_PROJECT"),
    ("review", {"project": "test/papers", "question": "x", "depth": "a"}, "INVALID_PARAMETER"),
    ("review", {"job_id": "0" * 32}, "JOB_NOT_FOUND"),
]


@pytest.mark.parametrize(("tool", "arguments", "code"), REFUSED)
def test_what_cannot_be_done_is_refused_with_the_code_of_the_contract(
    library: Agent, tool: str, arguments: dict[str, Any], code: str
) -> None:
    assert library.refused(tool, **arguments)["code"] == code


def test_a_missing_parameter_is_named(agent: Agent) -> None:
    error = agent.refused("query", project="test/project")

    assert error["details"] == {"parameter": "text"}
    assert "text" in error["message"]


def test_an_unknown_project_is_told_which_there_are(library: Agent) -> None:
    details = library.refused("query", project="nonexistent/project", text="x")["details"]

    assert details["project_id"] == "nonexistent/project"
    assert "test/papers" in details["available_projects"]


def test_a_refused_ingest_makes_no_project(library: Agent, tmp_path: Path) -> None:
    assert library.refused("ingest_from_source", project="x", source=str(tmp_path))["code"] == (
        "NO_DOCUMENTS"
    )
    assert "local/x" not in [p["id"] for p in library.call("list_projects")["projects"]]


def test_an_ingest_tells_what_it_did(ingested: dict[str, Any]) -> None:
    assert ingested["project"] == "test/papers"
    assert ingested["documents_processed"] == 2
    assert ingested["documents"] == {"added": 2}
    assert ingested["chunks_written"] > 5
    assert ingested["dense_model"] == "all-MiniLM-L6-v2"
    assert ingested["sparse_model"]
    assert ingested["duration_seconds"] > 0
    assert any(warning.startswith("looms.md: ") for warning in ingested["warnings"])


def test_an_ingest_of_what_is_there_already_does_nothing(library: Agent, papers: Path) -> None:
    again = library.call("ingest_from_source", project="test/papers", source=str(papers))

    assert again["documents"] == {"unchanged": 2}
    assert again["chunks_written"] == 0


def test_a_query_gives_passages_ready_to_cite(library: Agent) -> None:
    asked = {"project": "test/papers", "text": "How do ponds cool the air?"}
    short = library.call("query", **asked)
    told = library.call("query", **asked, details=True)

    assert set(short) - {"warnings"} == {"items", "count", "documents", "correlation_id"}
    assert short["items"][0]["address"] == told["items"][0]["knowledge_uri"]
    assert short["documents"][0]["citekey"] == POND
    assert set(told) - {"warnings"} == {"items", "count", "model", "correlation_id"}
    assert told["count"] == len(told["items"]) == 6
    best = told["items"][0]
    assert set(best) >= ITEM
    assert best["citekey"] == POND
    assert best["citation"].startswith(f"[@{POND}, p")
    assert best["page_labels"]
    assert best["page_span"][0] >= 1
    assert best["address"].startswith("doc://")
    assert best["knowledge_uri"].startswith("ndk://file/")
    assert best["year"] == 2022
    assert best["full_text"] is None
    assert all(0 < len(item["render_text"]) <= 1800 for item in told["items"])


def test_the_address_of_a_hit_is_a_resource(library: Agent) -> None:
    (best,) = library.call("query", project="test/papers", text="How do ponds cool?", top_k=1)[
        "items"
    ]
    (words,) = library.read(best["address"]).contents
    assert squeezed(best["render_text"]) in squeezed(html.unescape(words.text))


def test_a_hybrid_query_tells_how_it_was_done(library: Agent) -> None:
    told = library.call(
        "query_hybrid", project="test/papers", text="shuttle weft", top_k=1, details=True
    )

    assert set(told) - {"warnings"} == {
        "items",
        "count",
        "hybrid_enabled",
        "dense_model",
        "sparse_model",
        "fusion",
        "correlation_id",
    }
    assert told["fusion"] == "convex 0.25/0.35/0.4 (passage/sentence/words)"
    assert told["items"][0]["title"] == "Notes on looms"
    assert told["items"][0]["citekey"] == "anonndNotes"


def test_a_project_without_hybrid_search_answers_dense_queries_only(
    agent: Agent, without_hybrid: str
) -> None:
    error = agent.refused("query_hybrid", project=without_hybrid, text="x")

    assert error["code"] == "HYBRID_NOT_SUPPORTED"
    assert agent.call("query", project=without_hybrid, text="x")["items"] == []


FOUND: list[tuple[dict[str, Any], set[str]]] = [  # filters, titles of what is found
    ({"citekey": POND}, {"Evening Cooling"}),
    ({"year": "2020..2022", "author": "Szélkuti"}, {"Evening Cooling"}),
    ({"section_prefix": "Patterns, borders and edges"}, {"Notes on looms"}),
    ({"doc": ["looms.md", POND]}, {"Evening Cooling", "Notes on looms"}),
    ({"year": 1999}, set()),
    ({"tags": ["no such tag"]}, set()),
]


@pytest.mark.parametrize(("filters", "titles"), FOUND)
def test_filters_of_a_query_choose_documents(
    library: Agent, filters: dict[str, Any], titles: set[str]
) -> None:
    told = library.call(
        "query_hybrid", project="test/papers", text="threads", top_k=20, filters=filters
    )

    found = {one["title"].partition(" beside")[0] for one in told.get("documents", ())}
    assert found == titles
    if not found:
        (name,) = filters
        assert f"the filter {name.removesuffix('s')}=" in told["warnings"][0]


def test_an_inspection_shows_samples(library: Agent) -> None:
    told = library.call("inspect_collection", project="test/papers", sample=2)

    assert told["size"] > 5
    assert told["documents"] == 2
    assert len(told["sample_payloads"]) == 2
    assert {"citekey", "section_prefix"} <= set(told["indexes"]["keyword"])
    assert told["embedding_model"]["dense_model"] == told["dense_model"] == "all-MiniLM-L6-v2"


def test_the_list_tells_models(library: Agent) -> None:
    told = library.call("list_projects")

    assert told["count"] == len(told["projects"])
    project = next(p for p in told["projects"] if p["id"] == "test/papers")
    assert project["collection"] == "proj-test-papers"
    assert project["hybrid_enabled"] is True
    assert project["documents"] == 2


def test_a_structure_is_found_by_id_and_by_citation_key(library: Agent) -> None:
    by_key = library.call("getStructure", resource_id=POND)
    by_key.pop("correlation_id")
    resource = ResourceMap.model_validate(by_key)

    assert resource.resource_id in library.call("listResources")["resources"]
    assert library.call("listResources", project="test/papers")["resources"]
    by_id = library.call("getStructure", resource_id=resource.resource_id, project="test/papers")
    by_id.pop("correlation_id")
    assert by_id == by_key


def test_a_node_is_that_of_the_structure(library: Agent) -> None:
    structure = library.call("getStructure", resource_id=POND)
    structure.pop("correlation_id")
    wanted = ResourceMap.model_validate(structure).list_node_ids()[1]

    told = library.call("getNode", resource_id=POND, node_id=wanted)

    told.pop("correlation_id")
    assert Node.model_validate(told).id == wanted
    assert told["location"]["pages"]


def test_a_node_is_resolved_virtually_and_to_a_file(library: Agent, workspace: Path) -> None:
    structure = library.call("getStructure", resource_id=POND)
    structure.pop("correlation_id")
    node = next(ResourceMap.model_validate(structure).walk())

    where = library.call("resolve", resource_id=POND, node_id=node.id, virtual=True)
    cut = library.call("resolve", resource_id=POND, node_id=node.id)

    assert set(where) == {
        "correlation_id", "output_path", "modality", "address", "node", "resource_id"
    }  # fmt: skip
    assert where["output_path"] is None
    assert Node.model_validate(where["node"]).id == node.id
    path = Path(cut["output_path"])
    assert path.parent == workspace / ".citeloom" / "evidence"
    assert path.read_bytes().startswith(b"%PDF")
    for one in (where, cut):
        del one["correlation_id"], one["output_path"]
    assert cut == where


def test_a_draft_is_verified_as_text_and_as_a_file(library: Agent, tmp_path: Path) -> None:
    draft = tmp_path / "draft.tex"
    draft.write_text(DRAFT, encoding="utf-8")

    as_text = library.call("verify", project="test/papers", text=DRAFT, format="latex")
    as_file = library.call("verify", project="test/papers", path=str(draft))

    assert as_text["counts"] == {"SUPPORTED": 1, "CONTRADICTED": 1, "WRONG_PAGE": 1}
    (right,) = as_text["supported"]
    assert right.startswith(f"1: @{POND}, 1 ")
    wrong, elsewhere = as_text["findings"]
    assert "1.74 K cooler" in wrong["evidence"]["quote"]
    assert wrong["evidence"]["citation"] == f"[@{POND}, p. 1]"
    assert elsewhere["right_pages"] == ["2"]
    for one in (as_text, as_file):
        del one["correlation_id"], one["job_id"]
    assert as_file == as_text


def test_a_review_is_a_report_and_a_resource(library: Agent) -> None:
    question = "How much do ponds cool the air?"
    told = library.call("review", project="test/papers", question=question, depth="light")
    while told["status"] in ("queued", "running"):
        told = library.call("review", job_id=told["job_id"])

    assert told["status"] == "done"
    assert f"[@{POND}, p. " in told["report"]
    assert told["verification"]["supported"] == told["verification"]["total_claims"] > 0
    (report,) = library.read(told["report_uri"]).contents
    assert report.text == told["report"]
    again = library.call("review", job_id=told["session_id"])
    assert again["report"] == told["report"]


def test_calls_at_the_same_time_are_all_answered(library: Agent) -> None:
    def ask(n: int) -> int:
        told = library.call("query", project="test/papers", text=f"thread {n}", top_k=1)
        return int(told["count"])

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(16))) == [1] * 16


def test_the_server_gives_its_shard_up_within_two_seconds(library: Agent, workspace: Path) -> None:
    library.call("query", project="test/papers", text="threads")  # it keeps the shard warm now
    opened = open_application(workspace)

    asked = time.monotonic()
    with opened.stores.index.open("proj-test-papers", dimension=384):
        waited = time.monotonic() - asked
    opened.close()

    assert waited < 2
    assert library.call("query", project="test/papers", text="threads")["count"] == 6


def test_what_another_process_ingests_is_found_by_the_next_call(
    library: Agent, workspace: Path, tmp_path: Path
) -> None:
    late = tmp_path / "late.md"
    late.write_text(LATE, encoding="utf-8")
    before = library.call("query", project="test/papers", text="felt from wool", top_k=1)

    done = inside("ingest", late, "-p", "test/papers", workspace=workspace)

    assert done.code == 0, done.err
    after = library.call("query", project="test/papers", text="felt from wool", top_k=1)
    assert before["documents"][0]["title"] != "Late notes"
    assert after["documents"][0]["title"] == "Late notes"
