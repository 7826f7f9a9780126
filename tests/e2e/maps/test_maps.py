"""Maps of files in no project, through the installed command; and over MCP's verbs."""

import json
from pathlib import Path

import pytest
from support.command_line import Done, inside
from support.paths import LIBRARY
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.mcp.contract.parameters import (
    NodeParameters,
    ResourcesParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.handlers import maps as maps_handlers
from citeloom.infrastructure.serving.served import Served

NOTES = "# Notes\n\nOn ponds. And looms.\n\n## Warp\n\nThreads.\n"
GRAPH = [{"name": "Big Corp", "description": "d", "id": "7"}]


def run(*arguments: str | Path, workspace: Path) -> Done:
    """The command in this process: what is tried here starts no worker."""
    done = CliRunner().invoke(app, [*map(str, arguments), "--workspace", str(workspace)])
    return Done(done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("maps")


@pytest.fixture(scope="module")
def notes(workspace: Path) -> Path:
    path = workspace / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def mapped(workspace: Path, notes: Path) -> str:
    """The resource id of the notes."""
    done = inside("map", notes.name, "--json", workspace=workspace, cwd=workspace)
    assert done.code == 0, done.err
    assert done.json["source_path"] == str(notes)
    assert done.json["nodes"][0]["children"][0]["location"] == {"modality": "text", "lines": [5, 7]}
    return str(done.json["resource_id"])


def test_what_was_mapped_is_shown_by_its_id(workspace: Path, mapped: str) -> None:
    shown = run("structure", mapped, workspace=workspace)
    assert shown.out.splitlines() == [
        f"Notes  ({mapped})",
        "  Notes  lines 1–7  [notes]",
        "    Warp  lines 5–7  [notes.warp]",
    ]
    listed = run("list", mapped[:8], "--json", workspace=workspace).json
    assert [node["id"] for node in listed["nodes"]] == ["notes", "notes.warp"]
    everything = run("list", "--json", workspace=workspace).json
    assert mapped in [one["resource_id"] for one in everything["resources"]]


def test_mcp_tools_give_the_map_that_the_command_made(workspace: Path, mapped: str) -> None:
    opened = open_application(workspace)
    served = Served(opened, None, None, patience=1)  # type: ignore[arg-type]
    assert mapped in maps_handlers.list_resources(served, ResourcesParameters())["resources"]
    assert (
        maps_handlers.get_structure(served, StructureParameters(resource_id=mapped))["type"]
        == "text"
    )
    node = maps_handlers.get_node(served, NodeParameters(resource_id=mapped, node_id="notes.warp"))
    assert node["title"] == "Warp"
    opened.close()


def test_a_changed_file_is_told(workspace: Path) -> None:
    path = workspace / "changing.txt"
    path.write_text("one\n", encoding="utf-8")
    assert run("check-map", path, workspace=workspace).code == 1
    assert run("map", path, workspace=workspace).code == 0
    assert run("check-map", path, workspace=workspace).code == 0
    path.write_text("two\n", encoding="utf-8")
    done = run("check-map", path, "--json", workspace=workspace)
    assert (done.code, done.json["status"]) == (1, "stale")


def test_the_output_of_another_tool_becomes_a_map(workspace: Path) -> None:
    graph, out = workspace / "graph.json", workspace / "map.json"
    graph.write_text(json.dumps(GRAPH), encoding="utf-8")
    done = run("adapt", graph, "-a", "graphrag", "-o", out, "--json", workspace=workspace)
    assert (done.code, done.json["nodes"]) == (0, 1), done.err
    assert json.loads(out.read_bytes())["nodes"][0]["location"] == {
        "modality": "virtual",
        "virtual_address": "graph://7",
    }
    assert run("check-map", out, workspace=workspace).code == 0
    out.write_text(out.read_text("utf-8").replace('"virtual"', '"film"'), encoding="utf-8")
    broken = run("check-map", out, "--json", workspace=workspace)
    assert (broken.code, broken.json["status"]) == (1, "invalid")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["map", "gone.md"], 3, "gone.md: no such document"),
        (["map", "."], 2, "a folder; name a file"),
        (["map", "what.xyz"], 1, "Could not infer type"),
        (["map", "nobody1999"], 3, "nobody1999: no such document"),
        (["structure", "nobody1999"], 3, "nobody1999: no such document"),
        (["check-map", "nobody1999"], 3, "nobody1999: no such document"),
        (["adapt", "what.xyz", "-a", "nope"], 2, "graphrag, llamaindex, generic"),
        (["adapt", "what.xyz", "-a", "generic"], 2, "not readable as JSON"),
        (["map", "nobody1999", "--render", "1"], 2, "there are no projects yet"),
    ],
)
def test_errors_say_what_is_wrong(
    workspace: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(workspace)
    (workspace / "what.xyz").write_text("?", encoding="utf-8")
    done = run(*arguments, "--json", workspace=workspace)
    assert (done.code, message in done.json["error"]["message"]) == (code, True), done.err


def test_a_document_of_a_project_is_found_without_naming_it(samples: Path) -> None:
    paper = next((LIBRARY / "papers").glob("*.pdf"))
    by_path = run("map", paper, "--json", workspace=samples)
    assert by_path.code == 0, by_path.err
    by_id = run("structure", by_path.json["resource_id"], "--json", workspace=samples)
    assert by_id.json == by_path.json
    assert "mapper" not in by_path.json["metadata"]
