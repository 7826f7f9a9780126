"""CiteKit's tools, commands and file types, row by row; ``specs/decisions/0020`` says what is
called otherwise here, and why."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import click
import typer
from support.cases import each
from support.paths import cases

from citeloom.application.ports.ingest import Converter
from citeloom.domain.maps.resource_map import Node, ResolvedEvidence, ResourceMap
from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.ingest.conversion.format_table import promised_format
from citeloom.infrastructure.maps.mappers.images import ImageMapper
from citeloom.infrastructure.maps.registry import DocumentMapper, all_mappers
from citeloom.infrastructure.mcp.tools import TOOLS
from citeloom_maps.infrastructure.recordings.recordings import AUDIO, VIDEO, RecordingMapper

CASES: dict[str, Any] = cases("citekit_mcp_cli")
# What a command of CiteKit's is here; None for its options that have no counterpart.
OURS: Mapping[str, tuple[str, Mapping[str, str | None]]] = {
    "ingest PATH": (
        "map",
        {"--type/-t": None, "--concurrency/-c 5": None, "--retries/-r 3": None,
         "--mapper/-m": None, "--mapper-config": None},
    ),
    "resolve NODE_ID": (
        "resolve", {"--resource/-res": "--resource/-res", "--virtual": "--virtual"},
    ),
    "structure RESOURCE_ID": ("structure", {}),
    "list [RESOURCE_ID]": ("list", {}),
    "inspect NODE_ID": ("resolve", {"--resource": "--resource"}),
    "check-map PATH": ("check-map", {}),
    "adapt INPUT --adapter/-a graphrag|llamaindex|generic|file.py --output/-o": (
        "adapt", {"--adapter/-a": "--adapter/-a", "--output/-o": "--output/-o"},
    ),
    "serve": ("mcp", {}),
}  # fmt: skip


class Promises:
    """A converter that is only asked what it would take."""

    def supports(self, source: Path) -> bool:
        return promised_format(source) is not None


def test_every_section_of_the_table_has_its_tests() -> None:
    assert set(CASES) == {
        "mcp_tools", "mcp_errors", "mcp_latency_targets_documented", "cli", "type_inference",
        "defects",
    }  # fmt: skip


@each("row", CASES["mcp_tools"], ids=lambda row: row["name"])
def test_tools_have_the_names_and_parameters(row: dict[str, Any]) -> None:
    schema = TOOLS[row["name"]].schema
    required = [name for name, rule in row["params"].items() if rule == "required"]
    assert schema.get("required", []) == required
    assert set(row["params"]) <= set(schema["properties"])
    if "virtual" in row["params"]:
        assert TOOLS[row["name"]].parameters.model_fields["virtual"].default is False


def test_what_the_tools_return_are_the_models_of_the_table() -> None:
    returned = {row["returns"] for row in CASES["mcp_tools"] if isinstance(row["returns"], str)}
    assert returned == {one.__name__ for one in (ResourceMap, Node, ResolvedEvidence)}


def test_deadlines_are_above_the_documented_times() -> None:
    documented = CASES["mcp_latency_targets_documented"]
    slowest = {"resolve": "resolve_virtual"}
    for name in ("listResources", "getStructure", "getNode", "resolve"):
        assert documented[slowest.get(name, name)]
        assert TOOLS[name].seconds >= 5


@each("row", CASES["cli"], ids=lambda row: row["cmd"])
def test_each_command_of_the_contract_has_its_options(row: dict[str, Any]) -> None:
    name, options = OURS[row["cmd"]]
    command = cast(click.Group, typer.main.get_command(app)).commands[name]
    there = {name for one in command.params for name in one.opts}
    if "options" in row:
        assert set(row["options"]) == set(options)
    wanted = "/".join(one for one in options.values() if one)
    assert set(wanted.split("/")) - {""} <= there


@each(("suffixes", "kind"), CASES["type_inference"].items())
def test_each_suffix_has_the_type_of_the_contract(suffixes: str, kind: str) -> None:
    if suffixes == "other":
        assert mapper_of(Path("a.strange")) is None
        return
    for suffix in suffixes.split():
        found = mapper_of(Path(f"a{suffix}"))
        shown = "text"
        if isinstance(found, RecordingMapper):
            shown = "video" if suffix in VIDEO else "audio"
            assert suffix in VIDEO | AUDIO
        elif isinstance(found, ImageMapper):
            shown = "image"
        elif isinstance(found, DocumentMapper):
            shown = "document"
        assert found is not None
        assert shown == kind


def mapper_of(path: Path) -> object:
    mappers = all_mappers(cast(Converter, Promises()), {}, lambda: None)
    return next((one for one in mappers if one.supports(path)), None)
