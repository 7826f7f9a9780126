"""The command ``relations``: relations of a resource, as a list or a graph."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    DOCUMENT,
    AnyProjectOption,
    JsonOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note

if TYPE_CHECKING:
    from citeloom.application.places.relations import IdentifiedRelation, RelationGraph

_VERBS = {"parent": "contains", "link": "cites", "embed": "shows"}


class KindChoice(StrEnum):
    PARENT = "parent"
    LINK = "link"
    EMBED = "embed"
    MISC = "misc"


class FormatChoice(StrEnum):
    TABLE = "table"
    JSON = "json"
    GRAPHML = "graphml"
    SVG = "svg"


def relations(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[DOCUMENT|PROJECT|URI]",
            help=f"{DOCUMENT}; name of a project; or another knowledge URI. [default: the project]",
        ),
    ] = None,
    kind: Annotated[KindChoice | None, typer.Option(help="Only relations of this kind.")] = None,
    depth: Annotated[int, typer.Option(help="Maximum distance in relations, at most 10.")] = 1,
    format: Annotated[FormatChoice, typer.Option(help="Output format.")] = FormatChoice.TABLE,
    output: Annotated[Path | None, typer.Option(help="File to write.")] = None,
    project: AnyProjectOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List who cites whom around a document or in a project, then what contains what."""
    with application(workspace, as_json=as_json, owner="citeloom relations") as opened:
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.domain.resources.metadata import RelationKind
        from citeloom.domain.resources.uris import project_uri
        from citeloom.infrastructure.cli.shared.output import print_json, print_text

        chosen = ProjectId.parse(project) if project else None
        uri = (
            opened.resources.relations.start(name, chosen)
            if name is not None
            else str(project_uri(opened.projects.choice(project)))
        )
        graph = opened.resources.relations(uri, RelationKind(kind.value) if kind else None, depth)
        if output is not None:
            opened.save(output, _written(graph, format))
            note(f"wrote {output}")
        elif as_json or format is FormatChoice.JSON:
            print_json(graph)
        elif format is FormatChoice.TABLE:
            _print_table(graph)
        else:
            print_text(_written(graph, format))


def _written(graph: "RelationGraph", format: FormatChoice) -> str:
    """As a file: tables are for the terminal only, and become JSON."""
    from citeloom.infrastructure.cli.resources.relation_graph import graphml, svg

    if format is FormatChoice.GRAPHML:
        return graphml(graph)
    return svg(graph) if format is FormatChoice.SVG else graph.model_dump_json(indent=2)


def _print_table(graph: "RelationGraph") -> None:
    from citeloom.infrastructure.cli.shared.output import print_table

    names = {node.uri: node.name for node in graph.nodes}
    rows = [(names[one.ends[0]], _verb(one), names[one.ends[1]]) for one in graph.relations]
    if not rows:
        note("no relations were found")
        return
    print_table(None, ("From", "", "To"), rows)


def _verb(one: "IdentifiedRelation") -> str:
    if one.relation.kind == "misc":
        return one.relation.subkind.replace("_", " ")
    return _VERBS[one.relation.kind]
