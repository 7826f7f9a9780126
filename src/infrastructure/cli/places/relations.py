"""The command ``relations``: relations of a resource, as a list or a graph (GraphML, SVG)."""

import math
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from xml.sax.saxutils import escape, quoteattr

import typer

from citeloom.domain.choices import RelationKind
from citeloom.infrastructure.cli.shared.options import (
    DOCUMENT,
    AnyProjectOption,
    JsonOption,
)
from citeloom.infrastructure.cli.shared.output import print_json, print_table, print_text
from citeloom.infrastructure.cli.shared.run import note
from citeloom.infrastructure.cli.shell import offer_keys

if TYPE_CHECKING:
    from citeloom.application.places.relations import GraphNode, IdentifiedRelation, RelationGraph
    from citeloom.infrastructure.composition.application import Application

_VERBS = {"parent": "contains", "link": "cites", "embed": "shows"}
# http://graphml.graphdrawing.org/specification.html
_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_KEYS = (
    ("name", "node", "string"),
    ("title", "node", "string"),
    ("year", "node", "int"),
    ("kind", "edge", "string"),
)
_SPACING = 90.0
"""Between neighbours on the circle, in SVG's units."""
_LEAST_RADIUS = 140.0
_MARGIN = 240.0
_DOT = 6.0
_COLOURS = {"link": "#1f4e79", "parent": "#999999", "embed": "#8a5a00", "misc": "#4a7a2c"}


class FormatChoice(StrEnum):
    TABLE = "table"
    JSON = "json"
    GRAPHML = "graphml"
    SVG = "svg"


def relations(
    opened: "Application",
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[DOCUMENT|PROJECT|URI]",
            autocompletion=offer_keys,
            help=f"{DOCUMENT}; name of a project; or another knowledge URI. [default: the project]",
        ),
    ] = None,
    kind: Annotated[RelationKind | None, typer.Option(help="Only relations of this kind.")] = None,
    depth: Annotated[int, typer.Option(help="Maximum distance in relations, at most 10.")] = 1,
    format: Annotated[FormatChoice, typer.Option(help="Output format.")] = FormatChoice.TABLE,
    output: Annotated[Path | None, typer.Option(help="File to write.")] = None,
    project: AnyProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """List who cites whom around a document or in a project, then what contains what."""
    from citeloom.domain.resources.uris import project_uri

    choice = opened.projects.choice
    uri = (
        opened.resources.relations.start(name, choice.named(project))
        if name is not None
        else str(project_uri(choice(project)))
    )
    graph = opened.resources.relations(uri, kind, depth)
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
    if format is FormatChoice.GRAPHML:
        return graphml(graph)
    return svg(graph) if format is FormatChoice.SVG else graph.model_dump_json(indent=2)


def _print_table(graph: "RelationGraph") -> None:
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


def graphml(graph: "RelationGraph") -> str:
    """Nodes by URI, edges by relation id, directed from source to target."""
    return "\n".join(_graphml(graph)) + "\n"


def svg(graph: "RelationGraph") -> str:
    """Nodes on a circle by year, arrows from source to target. Titles are tooltips."""
    return "\n".join(_svg(graph)) + "\n"


def _graphml(graph: "RelationGraph") -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<graphml xmlns="{_GRAPHML}">'
    for name, domain, type in _KEYS:
        yield f'<key id="{name}" for="{domain}" attr.name="{name}" attr.type="{type}"/>'
    yield '<graph id="relations" edgedefault="directed">'
    for node in graph.nodes:
        yield f"<node id={_quoted(node.uri)}>"
        for name in ("name", "title", "year"):
            if (value := getattr(node, name)) is not None:
                yield f'<data key="{name}">{_plain(str(value))}</data>'
        yield "</node>"
    for one in graph.relations:
        source, target = one.ends
        yield f"<edge id={_quoted(one.id)} source={_quoted(source)} target={_quoted(target)}>"
        yield f'<data key="kind">{one.kind}</data>'
        yield "</edge>"
    yield "</graph>"
    yield "</graphml>"


def _svg(graph: "RelationGraph") -> Iterator[str]:
    nodes = sorted(graph.nodes, key=lambda node: (node.year or 0, node.name, node.uri))
    radius = max(_LEAST_RADIUS, len(nodes) * _SPACING / (2 * math.pi))
    middle = radius + _MARGIN
    angles = {
        node.uri: 2 * math.pi * at / max(1, len(nodes)) - math.pi / 2
        for at, node in enumerate(nodes)
    }
    size = f"{2 * middle:.0f}"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}">'
    yield "<defs>"
    for kind, colour in _COLOURS.items():
        yield (
            f'<marker id="{kind}" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" fill="{colour}"/></marker>'
        )
    yield "</defs>"
    for one in graph.relations:
        (x1, y1), (x2, y2) = (_at(angles[end], radius, middle) for end in one.ends)
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        x2, y2 = x2 - (x2 - x1) / length * _DOT, y2 - (y2 - y1) / length * _DOT
        yield (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{_COLOURS[one.kind]}" marker-end="url(#{one.kind})"/>'
        )
    for node in nodes:
        yield from _drawn(node, angles[node.uri], radius, middle)
    yield "</svg>"


def _drawn(node: "GraphNode", angle: float, radius: float, middle: float) -> Iterator[str]:
    x, y = _at(angle, radius, middle)
    label_x, label_y = _at(angle, radius + 2 * _DOT, middle)
    anchor = "middle" if abs(math.cos(angle)) < 0.2 else "start" if math.cos(angle) > 0 else "end"
    year = f" ({node.year})" if node.year else ""
    yield f"<g><title>{_plain((node.title or node.name) + year)}</title>"
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT:g}"/>'
    yield (
        f'<text x="{label_x:.1f}" y="{label_y + 4:.1f}" font-size="12" '
        f'font-family="sans-serif" text-anchor="{anchor}">{_plain(node.name)}</text></g>'
    )


def _at(angle: float, radius: float, middle: float) -> tuple[float, float]:
    return middle + radius * math.cos(angle), middle + radius * math.sin(angle)


def _plain(text: str) -> str:
    return escape(_writable(text))


def _quoted(text: str) -> str:
    return quoteattr(_writable(text))


def _writable(text: str) -> str:
    """The text without characters that are invalid in XML."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
