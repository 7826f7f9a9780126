"""The command ``adapt``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.frame import Output

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


def adapt(
    opened: "Application",
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="Output file of the other tool.")],
    adapter: Annotated[
        str,
        typer.Option(
            "--adapter",
            "-a",
            metavar="NAME|FILE.py",
            help="graphrag, llamaindex, generic; or a Python file with adapt(path), which is run "
            "with your rights.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the map. [default: kept in the workspace]"),
    ] = None,
) -> Output:
    """Convert the output of another tool to a resource map."""
    from citeloom_maps.infrastructure.adapters import adapter_of

    resource_map = opened.maps.files.adapt(source, adapter_of(adapter), keep=output is None)
    if output is not None:
        text = resource_map.model_dump_json(exclude_none=True, indent=2)
        opened.save(output, f"{text}\n")
    nodes = len(resource_map.list_node_ids())
    document = {
        "resource_id": resource_map.resource_id,
        "type": resource_map.type,
        "nodes": nodes,
        "output": str(output) if output else None,
    }
    destination = f"written to {output}" if output else "kept in the workspace"
    return Output(document, f"{resource_map.resource_id}: {nodes} nodes, {destination}")
