"""The tools, answers and errors of CiteLoom's original, row by row, through a client; ``ours`` says
what is otherwise here, and ``specs/decisions/0045`` why."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.in_process import without_processes
from support.paths import cases

from citeloom.domain.errors import (
    CiteLoomError,
    EmbeddingModelMismatch,
    HybridNotSupported,
    IndexUnavailable,
    InvalidSource,
    LibraryUnavailable,
    NoDocuments,
    OperationTimeout,
    ProjectNotFound,
)
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.mcp.answers import contents as passages
from citeloom.infrastructure.mcp.answers import contents as refusal
from citeloom.infrastructure.mcp.contract.parameters import Filters, IngestOptions
from citeloom.infrastructure.mcp.server import mcp_server
from citeloom.infrastructure.mcp.tools import LISTED, TOOLS
from citeloom.infrastructure.serving.next_steps import (
    IngestionFailed,
    MissingParameter,
    UnknownTool,
)
from citeloom.infrastructure.serving.serving import Serving

CASES: dict[str, Any] = cases("citeloom_mcp")
TABLE: Mapping[str, Mapping[str, Any]] = {row["name"]: row for row in CASES["tools_v3"]}
FIELDS: list[str] = [field.split()[0] for field in CASES["item_fields"]]
CODES: Mapping[str, Any] = CASES["error_codes"]
LONGEST = int(re.findall(r"\((\d+)\)", CASES["rules"][1])[0])
WEFT = "The weft crosses the warp under and over, and the shuttle carries it through the shed. "
PROJECT = {"project": "test/project"}
ERRORS: tuple[CiteLoomError, ...] = (
    ProjectNotFound("local/p", ["local/q"]),
    EmbeddingModelMismatch("local/p", "one@3:x", "two@4:y"),
    HybridNotSupported("local/p", "made without it"),
    IndexUnavailable("index: in use"),
    OperationTimeout("query", 8),
    MissingParameter("text"),
    InvalidSource("/no: no such path"),
    NoDocuments("/papers: no documents"),
    IngestionFailed(1, [{"message": "a.pdf: broken"}]),
    UnknownTool("nope", TOOLS),
    CiteLoomError("query: unexpected KeyError"),
    LibraryUnavailable("zotero: no such library"),
)


@dataclass(frozen=True)
class Agent:
    """A client of a server in this process, which has two projects, one without words, and none."""

    portal: BlockingPortal
    clients: Mapping[bool, Client]
    folder: Path

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, projects: bool = True
    ) -> dict[str, Any]:
        try:
            result = self.portal.call(self.clients[projects].call_tool, tool, dict(arguments))
        except MCPError as error:
            answer: dict[str, Any] = error.error.data
        else:
            answer = result.structured_content
            assert result.is_error == ("error" in answer)
        assert answer["correlation_id"]
        return answer

    def ingest(self, project: str, source: Path) -> dict[str, Any]:
        """The result, asked for until it is there."""
        answer = self.call("ingest_from_source", {"project": project, "source": str(source)})
        while answer.get("status") in ("queued", "running"):
            answer = self.call("ingest_status", {"job_id": answer["job_id"], "wait_seconds": 14})
        return answer


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    folder, bare = tmp_path_factory.mktemp("projects"), tmp_path_factory.mktemp("bare")
    (folder / "looms").mkdir()
    (folder / "looms" / "looms.md").write_text(f"# Looms\n\n{WEFT * 60}\n", encoding="utf-8")
    (folder / "felt.md").write_text("# Felt\n\nFelt is wool that was pressed.\n", encoding="utf-8")
    applications = [open_application(folder), open_application(bare)]
    applications[0].projects.opener.create(ProjectId.parse("test/project-no-hybrid"), hybrid=False)
    servings = [Serving(application) for application in applications]
    servers = [mcp_server(serving) for serving in servings]
    with (
        without_processes(),
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(servers[0])) as first,
        portal.wrap_async_context_manager(Client(servers[1])) as second,
    ):
        agent = Agent(portal, {True: first, False: second}, folder)
        agent.ingest("test/other", folder / "felt.md")
        yield agent
    for serving, application in zip(servings, applications, strict=True):
        assert serving.stop(20)
        application.close()


@pytest.fixture(scope="module")
def ingested(agent: Agent) -> dict[str, Any]:
    """What the ingest of the first project has answered."""
    return agent.ingest(PROJECT["project"], agent.folder / "looms")


def test_every_section_of_the_table_has_its_tests() -> None:
    assert set(CASES) == {
        "about", "tools_v3", "tools_v2", "item_fields", "error_shape", "error_codes", "rules",
        "cases", "trim",
    }  # fmt: skip
    assert len(CASES["rules"]) == 4


@pytest.mark.parametrize("name", TABLE)
def test_tools_keep_names_parameters_and_deadlines(name: str) -> None:
    row, tool = TABLE[name], LISTED[name]
    told, taken = tool.schema["properties"], tool.parameters.model_fields
    assert tool.schema.get("required", []) == row["required"]
    for option, rule in row.get("optional", {}).items():
        kind, _, inner = option.partition(".")
        assert kind in (taken if kind in row.get("ours", {}) else told)
        assert not inner or inner in IngestOptions.model_fields
        if bounds := re.search(r"(\d+)\.\.(\d+) default (\d+)", rule):
            least, most, default = map(int, bounds.groups())
            field = taken[option]
            limits = {type(one).__name__: one for one in field.metadata}
            assert (limits["Ge"].ge, limits["Le"].le, field.default) == (least, most, default)
    if row["timeout_s"]:
        assert tool.seconds == row["timeout_s"]


def test_the_filters_of_the_table_are_taken() -> None:
    named = set(re.findall(r"(\w+)[:,}]", TABLE["query"]["optional"]["filters"]))
    assert named >= {"tags", "year", "section_prefix", "zotero_item_key"}
    assert named <= set(Filters.model_fields)


REFUSED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "filters.zotero_attachment_key": (
        "query",
        {"text": "x", "filters": {"zotero_attachment_key": "ABCD2345"}},
    ),
    "options.zotero_config": (
        "ingest_from_source",
        {"source": "zotero", "options": {"collection_key": "Looms", "zotero_config": {"a": "b"}}},
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_refused_by_name(agent: Agent, name: str) -> None:
    tool, arguments = REFUSED[name]
    assert TABLE[tool]["ours"][name].startswith("refused: ")
    answer = agent.call(tool, {**PROJECT, **arguments})
    assert answer["error"]["details"] == {"parameter": name}


def test_tools_of_the_second_generation_are_those_of_the_third(agent: Agent) -> None:
    for row in CASES["tools_v2"]:
        assert row.get("ours", row["name"]) in TABLE
        if "ours" in row:
            assert agent.call(row["name"], {})["error"]["code"] == "UNKNOWN_TOOL"


ASKED = PROJECT | {"text": "What crosses the warp?", "details": True}
CALLS: Mapping[str, Mapping[str, Any]] = {
    "query": ASKED,
    "query_hybrid": ASKED,
    "inspect_collection": PROJECT | {"sample": 1},
    "list_projects": {},
}


@pytest.mark.parametrize("name", TABLE)
def test_tools_return_the_fields_of_the_table(
    agent: Agent, ingested: dict[str, Any], name: str
) -> None:
    answer = ingested if name == "ingest_from_source" else agent.call(name, CALLS[name])
    for field in TABLE[name]["returns"]:
        outer, inner = [*re.split(r"[\[{=]", field, maxsplit=1), ""][:2]
        assert answer[outer] is not None
        if "=" in field:
            assert answer[outer] == inner or outer in TABLE[name]["ours"]
        elif inner:
            parts = answer[outer] if isinstance(answer[outer], list) else [answer[outer]]
            assert parts
            assert all(set(re.findall(r"\w+", inner)) <= set(part) for part in parts)


def test_items_have_their_fields_and_no_text_is_longer_than_allowed(
    agent: Agent, ingested: dict[str, Any]
) -> None:
    samples = agent.call("inspect_collection", CALLS["inspect_collection"])["sample_payloads"]
    items = [one for name in ("query", "query_hybrid") for one in agent.call(name, ASKED)["items"]]
    assert items
    assert samples
    assert all(set(FIELDS) <= set(item) for item in items)
    assert all(set(FIELDS) - set(one) == {"score"} for one in samples)
    lengths = [len(one["render_text"]) for one in (*items, *samples)]
    assert LONGEST // 2 < max(lengths) <= LONGEST


def test_no_filter_and_no_address_leads_out_of_the_project(
    agent: Agent, ingested: dict[str, Any]
) -> None:
    wool = PROJECT | {"text": "wool that was pressed"}
    for tool in ("query", "query_hybrid"):
        found = agent.call(tool, wool)["items"]
        assert found
        assert not any("Felt" in item["render_text"] for item in found)
        other = agent.call(tool, wool | {"project": "test/other"})["items"]
        assert [item["render_text"] for item in other if "Felt" in item["render_text"]]
        widened = agent.call(tool, wool | {"filters": {"project": "test/other"}})
        assert widened["error"]["code"] == "INVALID_PARAMETER"
        assert not agent.call(tool, wool | {"filters": {"doc": "felt"}}).get("items")


def test_errors_have_the_codes_and_details_of_the_table() -> None:
    told = {error.code: refusal.refused(error)["error"] for error in ERRORS}
    documented = {code: row for code, row in CODES.items() if isinstance(row, dict)}
    ours = documented.pop("ours")
    for code, row in documented.items():
        assert set(row.get("details", [])) <= set(told[code]["details"])
    renamed = {code: ours.get(code, code) for code in CODES["code_only_undocumented"]}
    assert renamed.pop("INGEST_ERROR") == "the code of the error itself"
    assert set(renamed.values()) <= set(told)
    assert {*documented, *renamed.values()} == set(told)


@pytest.mark.parametrize(
    "row", CASES["cases"], ids=lambda row: f"{row['tool']}-{row.get('expect_code', 'answer')}"
)
def test_calls_are_answered_as_the_table_says(agent: Agent, row: dict[str, Any]) -> None:
    projects = row.get("setup") != "no projects configured"
    answer = agent.call(row["tool"], row["args"], projects=projects)
    if "expect" in row:
        assert {name: answer[name] for name in row["expect"]} == row["expect"]
        return
    shape = CASES["error_shape"]
    assert set(answer) == set(shape)
    assert set(answer["error"]) == set(shape["error"])
    if "expect_code" in row:
        assert answer["error"]["code"] == row["expect_code"]
    else:
        assert answer["error"]["details"] == {"parameter": "text"}


@pytest.mark.parametrize("row", CASES["trim"], ids=lambda row: f"{row['text']}-{row['max']}")
def test_a_text_is_cut_so_that_the_ellipsis_counts(
    row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passages, "MAX_TEXT", row["max"])
    marks = ("annotation", "marks", "text_uncertain", "disputed")
    item = dict.fromkeys((*passages.CITED, *passages.MORE, *marks))
    cut = passages.full_passage(item | {"text": row["text"]})["render_text"]
    assert cut == row.get("ours", row["out"])
    assert len(cut) <= row["max"]
