"""The commands ``list`` and ``map``, and those below ``map``."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from citeloom.domain.choices import SortKey
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.text.phrasing import counted, shortened
from citeloom.infrastructure.plugins import first_of

from .places.places import label
from .projects import inspect
from .shared.frame import Output, Table, group
from .shared.options import (
    DOCUMENT,
    AnyProjectOption,
    DocumentArgument,
    JsonOption,
    PasswordOption,
)
from .shared.output import in_words, json_bytes, print_json, print_table, print_text
from .shared.run import in_this_shell, note, warn
from .shared.terminal import print_line
from .shell import DefaultedGroup, offer_keys, offer_projects

if TYPE_CHECKING:
    from citeloom.application.documents.page_images import RenderedFigure
    from citeloom.application.maps.file_maps import ListedResource
    from citeloom.application.maps.prompt_index import ContextFormat
    from citeloom.application.projects.inspection import ListedPaper
    from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.composition.application import Application

FIGURES = "figures.json"


def render_page(
    opened: "Application",
    project: "ProjectId",
    document: str,
    page: str,
    output: Path | None,
    password: str | None,
) -> Output:
    drawn = opened.resources.pages.page(project, document, page, password)
    path = output or Path(f"{_file_name(drawn.document)}-page-{drawn.page}.png")
    opened.save(path, drawn.png)
    told = {
        "file": str(path),
        "page": drawn.page,
        "page_label": drawn.page_label,
        "page_label_source": drawn.page_label_source,
    }
    return Output(told, str(path))


def render_figures(
    opened: "Application", project: "ProjectId", document: str, folder: Path, password: str | None
) -> Output:
    """Each figure as ``page-3-figure-1.png``, with a JSON file of their metadata."""
    entries: list[dict[str, object]] = []
    for figure in opened.resources.pages.figures(project, document, password):
        folder.mkdir(parents=True, exist_ok=True)
        name = f"page-{figure.page}-figure-{figure.number}.png"
        opened.save(folder / name, figure.png)
        entries.append(_entry(name, figure))
    if entries:
        opened.save(folder / FIGURES, json_bytes(entries))
    told = f"{folder}: {len(entries)} figures" if entries else "no figures were found"
    return Output({"folder": str(folder), "figures": entries}, told)


def _entry(name: str, figure: "RenderedFigure") -> dict[str, object]:
    return {
        "file": name,
        "page": figure.page,
        "page_label": figure.page_label,
        "bbox": list(figure.region.bbox),
        "caption": figure.caption,
    }


def _file_name(document: str) -> str:
    """A citation key without characters that are invalid in file names."""
    return re.sub(r"[^\w.+-]", "_", document)


RefineOption = Annotated[
    bool,
    typer.Option(
        "--refine",
        help="Let the configured language model write titles and summaries; a message says "
        "what is sent to it.",
    ),
]


def map_document(
    opened: "Application",
    document: DocumentArgument,
    project: AnyProjectOption = None,
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
) -> Output:
    """Print the resource map of a document or file; or draw pages and figures of a document.

    A path needs no project: text, code, JSON, YAML, captions, pictures, recordings and
    documents are mapped in place, once for each content.
    """
    if render is not None and figures is not None:
        raise InvalidRequest("--render and --figures: use one of them")
    if refine and (render is not None or figures is not None):
        raise InvalidRequest("--refine: not with --render or --figures; run it by itself")
    if output is not None and render is None:
        raise InvalidRequest("--output: only with --render; name the page")
    choice = opened.projects.choice
    if render is not None:
        return render_page(opened, choice(project), document, render, output, password)
    if figures is not None:
        return render_figures(opened, choice(project), document, figures, password)
    resource_map = _mapped(opened, choice.named(project), document, password)
    return _map(_refined(opened, resource_map, password) if refine else resource_map)


def _refined(
    opened: "Application", resource_map: "ResourceMap", password: str | None
) -> "ResourceMap":
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
    opened: "Application", resource_id: DocumentArgument, project: AnyProjectOption = None
) -> Output:
    """Print the stored map of a resource or document, as `citeloom map` does."""
    return _map(opened.maps.structure.map(opened.projects.choice.named(project), resource_id))


def check_map(
    opened: "Application",
    path: Annotated[str, typer.Argument(help="A file, the JSON of a map, or a resource id.")],
) -> Output:
    """Check that a map is valid and its source unchanged; exit code 1 if not."""
    from citeloom.application.maps.file_maps import MapCheck

    if _holds_map(Path(path)):
        try:
            adapted = opened.maps.files.adapt(Path(path), opened.maps.json_maps, keep=False)
            checked = opened.maps.files.check_map(path, adapted)
        except InvalidRequest as error:
            checked = MapCheck(name=path, status="invalid", message=error.message)
    else:
        checked = opened.maps.files.check(path)
    counts = f" [{checked.resource_id}, {checked.nodes} nodes]" if checked.nodes else ""
    return Output(
        checked.model_dump(mode="json", exclude_none=True, context=in_words),
        f"{checked.name}: {checked.status}: {in_words(checked.message)}{counts}",
        code=0 if checked.status == "current" else 1,
    )


def _holds_map(path: Path) -> bool:
    """Whether a file is the JSON of a map, by its fields."""
    from citeloom.domain.maps.resource_map import MAX_BYTES

    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return False
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"resource_id", "nodes"} <= content.keys()


def _map(resource_map: "ResourceMap") -> Output:
    def shown() -> None:
        print_line(f"{resource_map.title}  ({resource_map.resource_id})")
        for node in resource_map.nodes:
            _print_node(node, 1)
        if resource_map.metadata and (hint := resource_map.metadata.get("note")):
            note(f"citeloom: {hint}")

    return Output(resource_map.model_dump(mode="json", exclude_none=True), shown)


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
        pages = format_pages(location.pages)
        return f"PDF {'p.' if pages.isdecimal() else 'pp.'} {pages}"
    if location.lines:
        first, last = location.lines
        return f"lines {first}–{last}" if last > first else f"line {first}"
    if location.start is not None and location.end is not None:
        return f"{location.start:g}–{location.end:g} s"
    if location.bbox:
        return f"box {', '.join(f'{one:.3g}' for one in location.bbox)}"
    place = location.virtual_address or ""
    return "" if place.startswith("virtual://") else place


_COLUMNS = ("Key", "Authors", "Year", "Title", "Pages", "State")
#: Columns that a narrow terminal cuts to so many cells, or leaves out in this order.
_CUT: Final = {"Note": 12, "Tags": 12, "State": 12, "Authors": 8, "Project": 12, "Title": 14}
_MOST_AUTHORS = 2
_MOST_NOTE = 40


class ListFormat(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"


WorkFilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="KEY=VALUE or KEY!=VALUE, repeatable: year=2015..2020, author=, citekey=, tag=, "
        "collection=, type=, doc=, item=, lang=, status=unread, reading, read or excluded.",
    ),
]


def list_papers(
    opened: "Application",
    document: Annotated[
        str | None,
        typer.Argument(
            autocompletion=offer_keys, help=f"List the parts of this document instead. {DOCUMENT}."
        ),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            "-p",
            autocompletion=offer_projects,
            help="Project: NAME or NAMESPACE/NAME. [default: that of `citeloom project use`, else "
            "all, and the files that are mapped outside of projects]",
        ),
    ] = None,
    filters: WorkFilterOption = None,
    sort: Annotated[SortKey, typer.Option(help="Sort the list by this.")] = SortKey.AUTHOR,
    reverse: Annotated[bool, typer.Option("--reverse", help="Reverse the order.")] = False,
    output: Annotated[ListFormat, typer.Option("--format", help="Output format.")] = (
        ListFormat.TABLE
    ),
    context: Annotated[
        bool,
        typer.Option(
            "--context", help="Print an index of all maps, for the prompt of a language model."
        ),
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option(help="With --context: maximum number of tokens. [default: 600 a map]", min=1),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List papers: key, authors, year, title, pages and state; or the parts of one document."""
    project_id = opened.projects.choice.named(project)
    if context:
        format: ContextFormat = "json" if as_json else "markdown"
        print_text(opened.maps.structure.agent_context(project_id, format, budget))
    elif document is not None:
        _nodes(opened.maps.structure.map(project_id, document)).print(as_json=as_json)
    else:
        asked = project_id or opened.projects.choice.default()
        papers = _papers(opened, asked, filters or (), sort, reverse=reverse)
        files = () if project_id or filters else opened.maps.files.list_files()
        if as_json:
            _print_json(opened, papers, files)
        elif output is ListFormat.CSV:
            _print_csv(papers)
        else:
            _print_papers(papers, files, filtered=bool(filters))


def _papers(
    opened: "Application",
    project_id: "ProjectId | None",
    filters: Sequence[str],
    sort: SortKey,
    *,
    reverse: bool,
) -> "Sequence[ListedPaper]":
    from citeloom.domain.search.filters import Filter, parse_clause

    projects = opened.stores.catalogue.projects()
    ids = [project_id] if project_id else [one.id for one in projects]
    filter = Filter(clauses=tuple(map(parse_clause, filters)))
    papers = opened.projects.papers(ids, filter, sort)
    return papers[::-1] if reverse else papers


def _print_papers(
    papers: "Sequence[ListedPaper]", files: "Sequence[ListedResource]", *, filtered: bool
) -> None:
    if papers:
        several = len({one.project for one in papers}) > 1
        own = [(name, told) for name, told in _OWN_COLUMNS if any(map(told, papers))]
        columns: tuple[str, ...] = (*_COLUMNS, *(name for name, _ in own))
        columns = ("Project", *columns) if several else columns
        rows = [(*_row(one), *(told(one) or "-" for _, told in own)) for one in papers]
        if several:
            rows = [(one.project, *row) for one, row in zip(papers, rows, strict=True)]
        print_table(None, columns, rows, _CUT)
        _print_states(papers)
    elif filtered:
        print_line("no document matches the filter")
    elif not files:
        print_line(in_this_shell("no papers yet; add some with `citeloom ingest FOLDER`"))
    if files:
        if papers:
            print_line("")
        found = [
            (
                one.resource_id,
                one.type or "-",
                one.title or "-",
                in_words(one.problem or one.source_path or "-"),
            )
            for one in files
        ]
        print_table(None, ("Mapped file", "Type", "Title", "Source"), found)


def _print_states(papers: "Sequence[ListedPaper]") -> None:
    """How many papers there are, and in which states."""
    counts = Counter(one.state.value for one in papers)
    states = ", ".join(f"{number} {state}" for state, number in counts.most_common())
    note(f"{counted(len(papers), 'paper')}: {states}")


def _row(paper: "ListedPaper") -> tuple[str, ...]:
    authors = "; ".join(paper.authors[:_MOST_AUTHORS])
    if len(paper.authors) > _MOST_AUTHORS:
        authors += " et al."
    return (
        paper.citekey or "-",
        authors or "-",
        str(paper.year or "-"),
        paper.title or paper.source_path or paper.document_id,
        str(paper.pages or "-"),
        paper.state.value,
    )


def _status(paper: "ListedPaper") -> str:
    """``excluded: wrong population``; empty without a status."""
    because = f": {paper.excluded_because}" if paper.excluded_because else ""
    return f"{paper.status.value}{because}" if paper.status else ""


#: Columns that a list has where any paper has a value.
_OWN_COLUMNS: Final[Sequence[tuple[str, Callable[["ListedPaper"], str]]]] = (
    ("Status", _status),
    ("Tags", lambda paper: "; ".join(paper.own_tags)),
    ("Note", lambda paper: shortened(paper.note, _MOST_NOTE)),
)


def _print_csv(papers: "Sequence[ListedPaper]") -> None:
    """One line a document, its values whole; several authors are separated by semicolons."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(("project", "key", "authors", "year", "title", "pages", "state", "id", "source",
                    "tags", "note", "status", "because"))  # fmt: skip
    for one in papers:
        authors = "; ".join(one.authors)
        table.writerow(
            (one.project, one.citekey or "", authors, one.year or "", one.title or "", one.pages,
             one.state.value, one.document_id, one.source_path or "", "; ".join(one.tags),
             one.note, one.status.value if one.status else "", one.excluded_because)
        )  # fmt: skip
    print_text(written.getvalue().removesuffix("\n"))


def _print_json(
    opened: "Application", papers: "Sequence[ListedPaper]", files: "Sequence[ListedResource]"
) -> None:
    from citeloom.domain.projects.project import ProjectId

    listed = opened.maps.files.listed
    resources: list[dict[str, Any]] = []
    for one in papers:
        mapped = listed(one.resource_id, ProjectId(value=one.project)).model_dump(mode="json")
        resources.append({**mapped, **one.model_dump(mode="json")})
    resources += [one.model_dump(mode="json") for one in files]
    print_json({"resources": resources, "count": len(resources)})


def _nodes(resource_map: "ResourceMap") -> Output:
    nodes = list(resource_map.walk())
    entries = [
        node.model_dump(mode="json", exclude={"children"}, exclude_none=True) for node in nodes
    ]
    rows = [(n.id, n.type, node_place(n.location), n.title or "") for n in nodes]
    return Output(
        {"resource_id": resource_map.resource_id, "nodes": entries, "count": len(nodes)},
        Table(("Node", "Type", "Place", "Title"), rows),
    )


app = group(
    "Print the map of a document or file: `citeloom map DOCUMENT`; check, label or inspect it.",
    kind=DefaultedGroup,
    document=map_document,
    check=check_map,
    label=label,
    inspect=inspect,
)
