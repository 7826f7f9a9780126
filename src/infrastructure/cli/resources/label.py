"""The command ``label``."""

from typing import Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    DOCUMENT,
    AnyProjectOption,
    JsonOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note


def label(
    uri: Annotated[
        str,
        typer.Argument(
            metavar="DOCUMENT|URI",
            help=f"{DOCUMENT}; or another knowledge URI.",
        ),
    ],
    name: Annotated[str | None, typer.Argument(help="Name of the label to set.")] = None,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="VALUE…", help="Text of the label.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the label NAME.")] = False,
    project: AnyProjectOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List the labels of a resource, set one, or remove one."""
    with application(workspace, as_json=as_json, owner="citeloom label") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        chosen = ProjectId.parse(project) if project else None
        known = opened.stores.documents.uri_of(uri, chosen)
        if name is not None and remove and not values:
            opened.resources.label.remove(known, name)
            note(f"removed {name}")
        elif name is not None and values and not remove:
            opened.resources.label.put(known, name, values[0] if len(values) == 1 else values)
        elif name is not None or remove:
            raise InvalidRequest("write NAME VALUE to label, NAME --remove to take it away")
        labels = opened.resources.label(known)
        if as_json:
            print_json({"uri": known, "labels": labels})
            return
        rows = [
            (
                one.target,
                one.name,
                one.value if isinstance(one.value, str) else ", ".join(one.value),
            )
            for one in labels
        ]
        print_table(None, ("Of", "Label", "Value"), rows)
