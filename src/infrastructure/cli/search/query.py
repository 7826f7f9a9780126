"""The command ``query``: its options and the request built from them."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.choices import ChunkKind, Mode
from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.infrastructure.cli.citation import StyleOption
from citeloom.infrastructure.cli.shared.options import JsonOption
from citeloom.infrastructure.cli.shared.output import print_json, print_json_lines, print_text
from citeloom.infrastructure.cli.shared.run import end_at_once, note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line
from citeloom.infrastructure.cli.shell import joined, offer_projects

if TYPE_CHECKING:
    from citeloom.domain.projects.project import ProjectId
    from citeloom.domain.search.request import QueryRequest, QueryResult
    from citeloom.infrastructure.composition.application import Application


class FormatOption(StrEnum):
    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    LATEX = "latex"
    TYPST = "typst"
    TEXT = "text"
    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"


@dataclass(frozen=True)
class SearchOptions:
    """What to search, and how."""

    project: Annotated[
        list[str] | None,
        typer.Option(
            "--project",
            "-p",
            autocompletion=offer_projects,
            help="Name of the project; repeatable, to search several. [default: the one in use]",
        ),
    ] = None
    top_k: Annotated[
        int | None, typer.Option("-k", "--top-k", help="Number of passages, 1 to 50.")
    ] = None
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="KEY=VALUE or KEY!=VALUE, repeatable: year=2015..2020, author=, citekey=, tag=, "
            "collection=, section=, type=, kind=, doc=, page=, lang=, marked=yes or a colour. "
            'Commas separate alternatives: author=Smith,"Jones, A", year=2019,2021..',
        ),
    ] = None
    every: Annotated[bool, typer.Option("--all-projects", help="Search all projects.")] = False
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="hybrid: meaning and words; dense: meaning; sparse: words. [default: hybrid]"
        ),
    ] = None
    kinds: Annotated[
        list[ChunkKind] | None,
        typer.Option(
            "--kind", help="Only passages of this kind, repeatable. annotation: a reader's marks."
        ),
    ] = None
    favour_marked: Annotated[
        bool,
        typer.Option("--favour-marked", help="Rank passages that a reader marked a little higher."),
    ] = False
    per_document: Annotated[
        int | None, typer.Option(help="Maximum number of passages from one document.")
    ] = None
    diverse: Annotated[
        bool, typer.Option("--diverse", help="Prefer passages that differ from those ranked above.")
    ] = False
    context: Annotated[
        int, typer.Option(help="Number of neighbouring passages to show on each side, 0 to 5.")
    ] = 0
    rerank: Annotated[
        bool | None,
        typer.Option(
            "--rerank/--no-rerank",
            help="Rerank the best hits with a cross-encoder. "
            "[default: query.rerank of the configuration]",
        ),
    ] = None

    def projects(self, opened: "Application") -> "list[ProjectId]":
        """The projects named, or all, or the default. Raises InvalidRequest, ProjectNotChosen,
        ProjectNotFound."""
        from citeloom.domain.projects.project import ProjectId

        if self.every and self.project:
            raise InvalidRequest(
                "name projects or ask for all of them, not both", parameter="project"
            )
        if self.project:
            return list(dict.fromkeys(map(ProjectId.parse, self.project)))
        ids = [one.id for one in opened.stores.catalogue.projects()] if self.every else []
        return ids or [opened.projects.choice(None)]

    def request(self, text: str, projects: "list[ProjectId]", top_k: int) -> "QueryRequest":
        """The request for a question; ``top_k`` is the default number of passages. Raises
        InvalidRequest."""
        from citeloom.domain.search.filters import Clause, Field, Filter, parse_clause
        from citeloom.domain.search.request import QueryRequest
        from citeloom.infrastructure.system.validated_request import build

        clauses = [parse_clause(each) for each in self.filters or ()]
        if self.kinds:
            clauses.append(Clause(field=Field.KIND, values=tuple(self.kinds)))
        first, *others = projects
        return build(
            QueryRequest,
            project_id=first,
            also=tuple(others),
            query_text=text,
            top_k=top_k if self.top_k is None else self.top_k,
            mode=self.mode,
            filter=Filter(clauses=tuple(clauses)),
            per_document=self.per_document,
            diverse=self.diverse,
            context=self.context,
            rerank=self.rerank,
            favour_marked=self.favour_marked,
        )


@dataclass(frozen=True)
class OutputOptions:
    """How the passages are printed."""

    output: Annotated[FormatOption, typer.Option("--format", help="Output format.")] = (
        FormatOption.TABLE
    )
    style: StyleOption = None
    bibliography: Annotated[
        bool,
        typer.Option(
            "--bibliography",
            help="List the works cited after the passages, in --style (table, markdown, text).",
        ),
    ] = False

    brief: Annotated[
        bool, typer.Option("--brief", help="One line a hit: citation and best sentence.")
    ] = False

    def check(self) -> None:
        """Raise InvalidRequest where a style, bibliography or short form has no place in the
        output."""
        if self.brief and self.output is not FormatOption.TABLE:
            raise InvalidRequest(
                f"--brief does not go with {self.output.value}; leave one of them out",
                parameter="brief",
            )

        text_formats = (FormatOption.TABLE, FormatOption.MARKDOWN, FormatOption.TEXT)
        if self.bibliography and self.output not in text_formats:
            raise InvalidRequest(
                f"--bibliography does not go with {self.output.value}; "
                "write the works with `citeloom export --query`",
                parameter="bibliography",
            )
        if self.style and not self.bibliography and self.output is not FormatOption.TEXT:
            raise InvalidRequest(
                "--style is for --format text and --bibliography", parameter="style"
            )


def query(
    opened: "Application",
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="QUESTION…",
            help='The question; its words are joined. A "phrase" in quotation marks must occur '
            'verbatim in each passage, -term and -"a phrase" must not; put single quotation '
            "marks around the whole question, so that the shell keeps them.",
        ),
    ],
    search: SearchOptions,
    shown: OutputOptions,
    as_json: JsonOption = False,
) -> None:
    """Search a project: passages with citation, printed page and section."""
    if as_json:
        shown = replace(shown, output=FormatOption.JSON)
    shown.check()
    projects, question = search.projects(opened), joined(text)
    if search.mode is not Mode.SPARSE:
        from citeloom.domain.search.fusion import is_one_word, parse_question

        # A search by meaning alone and a word are read again only on request.
        is_plain = search.mode is Mode.DENSE or is_one_word(parse_question(question).text)
        rerank = False if search.rerank is None and is_plain else search.rerank
        opened.search.load_ahead(projects[0], rerank=rerank)
    request = search.request(question, projects, opened.settings.query.top_k)
    result = opened.search.ask(request)
    _print(opened, result, shown)
    _remember(opened, result)
    end_at_once()


def _remember(opened: "Application", result: "QueryResult") -> None:
    """Keep the hits for ``open``. A workspace that cannot be written can still be asked."""
    try:
        opened.search.remember(result)
    except StorageFailed as error:
        note(f"the hits have no numbers for `citeloom open`: {error.message}")


def _print(opened: "Application", result: "QueryResult", options: OutputOptions) -> None:
    from . import hits_view

    output, style = options.output, options.style
    warn(result.warnings)
    if output is FormatOption.JSON:
        print_json(result)
    elif output is FormatOption.JSONL:
        print_json_lines(result.items)
    elif output in (FormatOption.CSL_JSON, FormatOption.BIBTEX):
        from citeloom.application.ports.citation import ReferenceFormat

        exported = opened.citation.export.found(result)
        text = opened.citation.export.write(exported, ReferenceFormat(output.value))
        print_text(text.removesuffix("\n"))
    elif not result.items:
        print_line(f"No results found for query: {result.query}")
    elif output is FormatOption.MARKDOWN:
        print_text(hits_view.as_markdown(result))
    elif output in (FormatOption.LATEX, FormatOption.TYPST, FormatOption.TEXT):
        print_text(hits_view.as_quotes(opened.citation.cite, result, output.value, style))
    elif options.brief:
        hits_view.print_brief(result)
    else:
        hits_view.print_papers(opened.search.readable(result))
    if options.bibliography and result.items:
        hits_view.print_bibliography(opened.citation.cite, result, output.value, style)
