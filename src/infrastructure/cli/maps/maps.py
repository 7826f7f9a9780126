"""The commands ``map``, ``structure`` and ``check-map`` of resource maps."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    DocumentArgument,
    JsonOption,
    PasswordOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line
from citeloom.infrastructure.cli.shell import offer_projects

if TYPE_CHECKING:
    from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
    from citeloom.domain.projects import ProjectId
    from citeloom.infrastructure.composition.application import Application

MapProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        autocompletion=offer_projects,
        help="Project of the document. [default: all projects]",
    ),
]

RefineOption = Annotated[
    bool,
    typer.Option(
        "--refine",
        help="Let the configured language model write titles and summaries; a message says "
        "what is sent to it.",
    ),
]


def map_document(
    document: DocumentArgument,
    project: MapProjectOption = None,
    render: Annotated[
        str | None,
        typer.Option(
            metavar="PAGE",
            help="Draw a page (PDF page from 1, or label:xii) with its blocks, as PNG.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="File for --render. [default: KEY-page-N.png in the current folder]"),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write each figure as PNG, and figures.json, into this folder."
        ),
    ] = None,
    refine: RefineOption = False,
    password: PasswordOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print the resource map of a document or file; or draw pages and figures of a document.

    A path needs no project: text, code, JSON, YAML, captions, pictures, recordings and
    documents are mapped in place, once for each content.
    """
    with application(workspace, as_json=as_json, owner="citeloom map") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.projects import ProjectId
        from citeloom.infrastructure.cli.maps.page_images import render_figures, render_page

        project_id = ProjectId.parse(project) if project else None
        if render is not None and figures is not None:
            raise InvalidRequest("--render and --figures: ask for one of them")
        if refine and (render is not None or figures is not None):
            raise InvalidRequest("--refine: not with --render or --figures; run it by itself")
        if output is not None and render is None:
            raise InvalidRequest("--output: only with --render; name the page")
        if render is not None or figures is not None:
            project_id = opened.projects.choice(project)
            if render is not None:
                render_page(opened, project_id, document, render, output, password, as_json=as_json)
            elif figures is not None:
                render_figures(opened, project_id, document, figures, password, as_json=as_json)
            return
        resource_map = _mapped(opened, project_id, document, password)
        if refine:
            resource_map = _refined(opened, resource_map, password)
        _print_map(resource_map, as_json=as_json)


def _refined(
    opened: "Application", resource_map: "ResourceMap", password: str | None
) -> "ResourceMap":
    from citeloom.infrastructure.plugins import first_of

    refine = first_of(lambda plugin: plugin.refiners(), "--refine", "maps")(opened)
    result = refine(resource_map, password, lambda message: note(f"citeloom: {message}"))
    warn(result.warnings)
    note(
        f"citeloom: of {result.asked} parts {result.titles} titles and {result.summaries} "
        "summaries were taken; the others stay as they were"
    )
    return result.map


def _mapped(
    opened: "Application", project_id: "ProjectId | None", name: str, password: str | None
) -> "ResourceMap":
    """A document of the project; without one the file at this path, else the resource of this
    name."""
    path, structure = Path(name).expanduser(), opened.maps.structure
    if project_id is None and path.exists() and (path.is_file() or not structure.known(None, name)):
        return opened.maps.files.map(path, password)
    return structure.map(project_id, name)


def structure(
    resource_id: DocumentArgument,
    project: MapProjectOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print the stored map of a resource or document."""
    with application(workspace, as_json=as_json, owner="citeloom structure") as opened:
        from citeloom.domain.projects import ProjectId

        project_id = ProjectId.parse(project) if project else None
        _print_map(opened.maps.structure.map(project_id, resource_id), as_json=as_json)


def check_map(
    path: Annotated[str, typer.Argument(help="A file, the JSON of a map, or a resource id.")],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Check that a map is valid and its source unchanged; exit code 1 if not."""
    with application(workspace, as_json=as_json, owner="citeloom check-map") as opened:
        from citeloom.application.maps.file_maps import MapCheck
        from citeloom.domain.errors import InvalidRequest
        from citeloom.infrastructure.cli.shared.output import in_words, print_json

        if _holds_map(Path(path)):
            try:
                adapted = opened.maps.files.adapt(Path(path), opened.maps.json_maps, keep=False)
                checked = opened.maps.files.check_map(path, adapted)
            except InvalidRequest as error:
                checked = MapCheck(name=path, status="invalid", message=error.message)
        else:
            checked = opened.maps.files.check(path)
        if as_json:
            print_json(checked.model_dump(mode="json", exclude_none=True, context=in_words))
        else:
            counts = f" [{checked.resource_id}, {checked.nodes} nodes]" if checked.nodes else ""
            print_line(f"{checked.name}: {checked.status}: {in_words(checked.message)}{counts}")
        if checked.status != "current":
            raise typer.Exit(1)


def _holds_map(path: Path) -> bool:
    """Whether a file is the JSON of a map, by its fields."""
    from citeloom.domain.maps.untrusted_map import MAX_BYTES

    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return False
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"resource_id", "nodes"} <= content.keys()


def _print_map(resource_map: "ResourceMap", *, as_json: bool) -> None:
    from citeloom.infrastructure.cli.shared.output import print_json

    if as_json:
        print_json(resource_map.model_dump(mode="json", exclude_none=True))
        return
    print_line(f"{resource_map.title}  ({resource_map.resource_id})")
    for node in resource_map.nodes:
        _print_node(node, 1)
    if resource_map.metadata and (hint := resource_map.metadata.get("note")):
        note(f"citeloom: {hint}")


def _print_node(node: "Node", depth: int) -> None:
    place = node_place(node.location)
    location = f"  {place}" if place else ""
    print_line(f"{'  ' * depth}{node.title or node.id}{location}  [{node.id}]")
    for child in node.children:
        _print_node(child, depth + 1)


def node_place(location: "Location") -> str:
    """Location of a node, as text; empty if it is in no file."""
    from citeloom.domain.maps.address import format_pages

    if location.pages:
        return f"PDF pages {format_pages(location.pages)}"
    if location.lines:
        first, last = location.lines
        return f"lines {first}–{last}" if last > first else f"line {first}"
    if location.start is not None and location.end is not None:
        return f"{location.start:g}–{location.end:g} s"
    if location.bbox:
        return f"box {', '.join(f'{one:.3g}' for one in location.bbox)}"
    place = location.virtual_address or ""
    return "" if place.startswith("virtual://") else place
