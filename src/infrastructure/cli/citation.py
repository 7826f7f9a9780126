"""The commands *cite* and *export*."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.choices import InText
from citeloom.domain.errors import InvalidRequest

from .shared.frame import Output
from .shared.options import DOCUMENT, JsonOption, ProjectOption
from .shared.output import print_text
from .shared.run import note
from .shared.terminal import confirm, is_interactive
from .shell import offer_keys, offer_styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citeloom.application.citation.cite import CitedPlace
    from citeloom.application.citation.export import Selection
    from citeloom.domain.projects.project import ProjectId
    from citeloom.domain.search.request import QueryResult
    from citeloom.infrastructure.composition.application import Application

StyleOption = Annotated[
    str | None,
    typer.Option(
        "--style",
        metavar="NAME|FILE",
        autocompletion=offer_styles,
        help="Citation style of text: apa, chicago, ieee, nature, vancouver, or a .csl file. "
        "[default: apa]",
    ),
]


KeysArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY…",
        autocompletion=offer_keys,
        help=f"{DOCUMENT}; several make one citation.",
    ),
]


def cite(
    opened: "Application",
    keys: KeysArgument,
    project: ProjectOption = None,
    page: Annotated[
        list[str] | None,
        typer.Option(
            "--page",
            metavar="LABEL",
            help="Printed page or pages: 12, xii-xv or 'S3, S7'. Repeatable; the first belongs to "
            "the first key.",
        ),
    ] = None,
    output: Annotated[
        InText | None,
        typer.Option(
            "--format",
            help="Markup language of the citation. [default: pandoc, or text with --style]",
        ),
    ] = None,
    style: StyleOption = None,
    bibliography: Annotated[
        bool, typer.Option("--bibliography", help="Print bibliography entries in --style instead.")
    ] = False,
) -> Output:
    """Print a citation of one or several works, to paste into a manuscript."""
    from citeloom.application.ports.citation import CitationMarkup

    places = _places(opened, project, keys, page or [])
    told = [warning for place in places for warning in place.warnings]
    markup = CitationMarkup.MARKDOWN if output is InText.MARKDOWN else CitationMarkup.PLAIN
    entries = opened.citation.cite.bibliography(places, style, markup) if bibliography else ()
    text = opened.citation.cite.together(places, output, style)
    links = {place.work.citekey: place.link for place in places}
    shown = "\n\n".join(entry.text for entry in entries) if bibliography else text
    return Output(
        {"citation": text, "links": links, "bibliography": entries, "warnings": told},
        lambda: print_text(shown),
        told,
    )


def _places(
    opened: "Application", project: str | None, keys: list[str], pages: list[str]
) -> "list[CitedPlace]":
    """The works of ``keys``, the first ones at ``pages``."""
    if len(pages) > len(keys):
        raise InvalidRequest("more pages than keys; give one --page for each", parameter="page")
    project_id = opened.projects.choice(project)
    padded = [*pages, *[None] * (len(keys) - len(pages))]
    return [
        opened.citation.cite.place(project_id, key, where)
        for key, where in zip(keys, padded, strict=True)
    ]


class ExportFormat(StrEnum):
    BIBTEX = "bibtex"
    BIBLATEX = "biblatex"
    CSL_JSON = "csl-json"
    RIS = "ris"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


DocumentsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DOCUMENT]…",
        autocompletion=offer_keys,
        help="Citation keys (also of works without a file), document ids, DOIs or paths. "
        "[default: all documents]",
    ),
]
FormatOption = Annotated[
    ExportFormat,
    typer.Option(
        "--format",
        help="bibtex, biblatex, csl-json, ris: a file for reference managers. markdown: a "
        "bibliography in --style. jsonl: one document (with --query one passage) a line.",
    ),
]


def export(
    opened: "Application",
    documents: DocumentsArgument = None,
    *,
    project: ProjectOption = None,
    format: FormatOption = ExportFormat.BIBTEX,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (atomically).")
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Only works with passages that answer this question."),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("-k", "--top-k", help="With --query: number of passages, 1 to 50.")
    ] = None,
    style: StyleOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of -o without asking.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Export the works of a project for reference managers and other programs.

    --json prints the works as one JSON document, or, with -o, what was written."""
    project_id = opened.projects.choice(project)
    result, chosen = _chosen(opened, project_id, documents or (), query, top_k)
    if as_json and file is None:
        Output({"works": chosen.exported(), "count": len(chosen.works)}).print(as_json=True)
        return
    text = _written(opened, chosen, result, format, style)
    left_out = chosen.uncited if format is not ExportFormat.JSONL else 0
    if left_out and not as_json:
        count = len(chosen.documents)
        note(f"{left_out} of {count} papers were left out, because they have no citation")
    if file is None:
        print_text(text.removesuffix("\n"))
        return
    opened.save(file, text, replace=force or _may_replace(file, as_json=as_json))
    written = {"file": str(file), "works": len(chosen.works), "left_out": left_out}
    Output(written, notes=[str(file)]).print(as_json=as_json)


def _chosen(
    opened: "Application",
    project_id: "ProjectId",
    documents: "Sequence[str]",
    query: str | None,
    top_k: int | None,
) -> "tuple[QueryResult | None, Selection]":
    if query is None:
        return None, opened.citation.export.named(project_id, documents)
    if documents:
        raise InvalidRequest("name documents or ask a question, not both", parameter="query")
    result = _ask(opened, project_id, query, top_k)
    return result, opened.citation.export.found(result)


def _may_replace(file: Path, *, as_json: bool) -> bool:
    """Whether a person at the terminal agrees; otherwise ends the command."""
    if not file.is_file() or as_json or not is_interactive():
        return False
    confirm(f"{file} exists; replace it?")
    return True


def _ask(
    opened: "Application", project_id: "ProjectId", text: str, top_k: int | None
) -> "QueryResult":
    from citeloom.domain.search.request import QueryRequest
    from citeloom.infrastructure.system.validated_request import build

    return opened.search.query(
        build(
            QueryRequest,
            project_id=project_id,
            query_text=text,
            top_k=top_k if top_k is not None else opened.settings.query.top_k,
        )
    )


def _written(
    opened: "Application",
    chosen: "Selection",
    result: "QueryResult | None",
    output: ExportFormat,
    style: str | None,
) -> str:
    from citeloom.application.ports.citation import CitationMarkup, ReferenceFormat

    from .search import hits_view as result_view

    if output is ExportFormat.JSONL:
        lines = result.items if result is not None else chosen.exported()
        return "".join(line.model_dump_json() + "\n" for line in lines)
    if output is ExportFormat.MARKDOWN:
        entries = opened.citation.cite.works_bibliography(
            chosen.works, style, CitationMarkup.MARKDOWN
        )
        text = "\n\n".join(entry.text for entry in entries) + "\n"
        if result is None:
            return text
        return f"{result_view.as_markdown(result)}\n\n{result_view.HEADING}\n\n{text}"
    return opened.citation.export.write(chosen, ReferenceFormat(output.value))
