"""The command ``adapt``."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import print_line


def adapt(
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
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Convert the output of another tool to a resource map."""
    with application(workspace, as_json=as_json, owner="citeloom adapt") as opened:
        from citeloom.infrastructure.cli.shared.output import print_json
        from citeloom_maps.infrastructure.adapters import adapter_of

        resource_map = opened.maps.files.adapt(source, adapter_of(adapter), keep=output is None)
        if output is not None:
            text = resource_map.model_dump_json(exclude_none=True, indent=2)
            opened.save(output, f"{text}\n")
        nodes = len(resource_map.list_node_ids())
        if as_json:
            print_json(
                {
                    "resource_id": resource_map.resource_id,
                    "type": resource_map.type,
                    "nodes": nodes,
                    "output": str(output) if output else None,
                }
            )
        else:
            destination = f"written to {output}" if output else "kept in the workspace"
            print_line(f"{resource_map.resource_id}: {nodes} nodes, {destination}")
