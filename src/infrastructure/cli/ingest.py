"""The command ``ingest``."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.views.ingest import show

from .shared.frame import Output
from .shared.options import (
    DocumentsArgument,
    JsonOption,
    ModelOption,
    PasswordOption,
    ProjectOption,
    SentencesOption,
    SourcesArgument,
)
from .shared.run import in_this_shell, note, project_to_fill
from .shared.terminal import is_interactive, print_line, quoted, wants
from .zotero import ScopeOptions, SourceOptions, ZoteroOption, require_one_kind

if TYPE_CHECKING:
    from citeloom.domain.ingest import IngestRequest, IngestResult
    from citeloom.domain.library import SyncRequest
    from citeloom.domain.references.lookup import IdentifiedDocument, IdentifyResult
    from citeloom.infrastructure.composition.application import Application

ReferencesOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="References exported from your library (BibTeX, RIS, CSL-JSON and others), detected "
        "by content; kept with the project, before earlier ones. Repeatable."
    ),
]


@dataclass(frozen=True)
class WorkerOptions:
    """How files are converted."""

    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of conversion processes. [default: ingest.jobs of the configuration]"
        ),
    ] = None

    @property
    def flags(self) -> Mapping[str, Mapping[str, Any]]:
        """The setting that this option sets."""
        return {} if self.jobs is None else {"ingest": {"jobs": self.jobs}}


EachWarningOption = Annotated[
    bool, typer.Option("--verbose", help="List each warning, not only each kind.")
]
PruneOption = Annotated[
    bool | None,
    typer.Option(
        "--prune/--no-prune",
        help="Remove documents whose files are gone; with --zotero also those of an earlier "
        "scope. --no-prune removes nothing. [default: with --zotero, what left the library "
        "or its scope]",
    ),
]


def ingest(
    opened: "Application",
    project: ProjectOption = None,
    source: SourcesArgument = None,
    references: ReferencesOption = None,
    zotero: ZoteroOption = False,
    model: ModelOption = None,
    _workers: WorkerOptions = WorkerOptions(),
    password: PasswordOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Convert and embed all documents again.")
    ] = False,
    prune: PruneOption = None,
    sentences: SentencesOption = None,
    scope: ScopeOptions = ScopeOptions(),
    library: SourceOptions = SourceOptions(),
    look_up: Annotated[
        bool | None,
        typer.Option(
            "--identify/--no-identify",
            help="Look up papers with a provisional citation at public services afterwards. "
            "[default: metadata.lookup of the configuration, which is off]",
        ),
    ] = None,
    verbose: EachWarningOption = False,
    as_json: JsonOption = False,
) -> None:
    """Ingest files, or with --zotero a Zotero library, into a project.

    Unchanged files are skipped. The Zotero library is only read."""
    from citeloom.domain.ingest import IngestRequest
    from citeloom.domain.library import SyncRequest
    from citeloom.infrastructure.system.validated_request import build

    narrowed = bool(library.flags["zotero"]) or scope.named_scope is not None
    require_one_kind(source, references, zotero=zotero, narrowed=narrowed)
    _refuse_works(source or ())
    values: dict[str, Any] = {
        "project_id": project_to_fill(opened, project, source, references, zotero=zotero),
        "model": model,
        "sentences": sentences,
        "force": force,
        "password": password,
        "passwords": opened.stores.passwords,
    }
    if sending := opened.models.sending(values["project_id"], model):
        note(sending)
    if zotero:
        request: IngestRequest | SyncRequest = build(
            SyncRequest, scope=scope.named_scope, prune=prune, **values
        )
    else:
        request = build(
            IngestRequest,
            sources=tuple(source or ()),
            references=tuple(map(str, references or ())),
            prune=prune is True,
            **values,
        )
    _bring_in(opened, request, look_up, as_json=as_json, verbose=verbose)


def _refuse_works(sources: Sequence[str]) -> None:
    """Raise InvalidSource for the identifier or address of a work in place of a file."""
    from citeloom.domain.errors import InvalidSource
    from citeloom.domain.messages import Action, NextStep
    from citeloom.domain.references.textless import identifier_of

    for source in sources:
        is_work = source.lower().startswith(("http://", "https://")) or identifier_of(source)
        if is_work and not source.isdecimal() and not os.path.lexists(source):
            step = NextStep(Action.ADD_WORK, path=source)
            raise InvalidSource(f"{source}: is not a file", step, source=source)


def _bring_in(
    opened: "Application",
    request: "IngestRequest | SyncRequest",
    look_up: bool | None,
    *,
    as_json: bool,
    verbose: bool,
) -> None:
    """Prints the result, in one JSON document with the look-ups; exits with 1 if a document or
    look-up failed."""
    from citeloom.domain.ingest import IngestRequest

    from .shared.progress import progress_display

    with progress_display() as progress:
        if isinstance(request, IngestRequest):
            result = opened.ingest.files(request, progress)
        else:
            result = opened.ingest.library(opened.library.source, request, progress)
    if not as_json:
        show(result, verbose=verbose)
    looked_up: IdentifyResult | None = None
    if _is_looked_up(opened, result, look_up, as_json=as_json):
        looked_up = _look_up_all(opened, result.project)
    if as_json:
        from .shared.output import in_words

        document = result.model_dump(mode="json", context=in_words)
        if looked_up is not None:
            document |= {"identified": looked_up.counts, "looked_up": looked_up.documents}
        Output(document).print(as_json=True)
    elif looked_up is not None:
        replace(_identified(looked_up), code=0).print(as_json=False)
    if result.failed or (looked_up is not None and looked_up.failed):
        raise typer.Exit(1)


def _is_looked_up(
    opened: "Application", result: "IngestResult", look_up: bool | None, *, as_json: bool
) -> bool:
    from citeloom.domain.ingest import provisional_citations
    from citeloom.domain.references.lookup import SERVICES

    if provisional_citations(result) is None:
        return False
    setting = opened.settings.metadata.lookup
    if look_up is not None or setting != "ask":
        return setting == "on" if look_up is None else look_up
    if as_json or not is_interactive():
        return False
    return wants(f"Look them up? Identifiers, titles and first authors go to {SERVICES}.")


def _look_up_all(opened: "Application", project: str) -> "IdentifyResult":
    from citeloom.domain.projects.project import ProjectId
    from citeloom.domain.references.lookup import IdentifyRequest

    request = IdentifyRequest(project_id=ProjectId.parse(project), all=True)
    return opened.projects.identify(request, _told)


def identify(
    opened: "Application",
    documents: DocumentsArgument = None,
    project: ProjectOption = None,
    all: Annotated[
        bool, typer.Option("--all", help="All papers with a provisional citation.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the proposed records of the named papers.")
    ] = False,
) -> Output:
    """Look up papers at public services: authors, journal, volume, pages, retractions.

    Their DOI, arXiv id, PMID or ISBN is sent, else title and first author, to doi.org, DataCite,
    PubMed, OpenLibrary, Crossref or OpenAlex. A record is taken if the paper supports it, else
    proposed."""
    from citeloom.domain.references.lookup import IdentifyRequest

    request = IdentifyRequest(
        project_id=opened.projects.choice(project),
        names=tuple(documents or ()),
        all=all,
        accept=accept,
    )
    return _identified(opened.projects.identify(request, _told))


def _told(one: "IdentifiedDocument", number: int, total: int) -> None:
    if total > 1:
        note(f"{number} of {total}: {one.name}: {one.outcome.value}")


def _identified(result: "IdentifyResult") -> Output:
    def show_documents() -> None:
        for one in result.documents:
            for line in _lines(one):
                print_line(in_this_shell(line))
        summary = ", ".join(f"{n} {outcome}" for outcome, n in result.counts.items())
        print_line(f"{result.project}: {summary or 'no paper has a provisional citation'}")

    notes = ["cancelled: the others were not looked up"] if result.cancelled else []
    return Output(result, show_documents, result.warnings, notes, code=1 if result.failed else 0)


def _lines(one: "IdentifiedDocument") -> list[str]:
    from citeloom.domain.references.lookup import entry_line

    from .shared.output import in_words

    if one.found is None:
        return [f"{one.name}: {one.outcome.value}: {in_words(one.why)}"]
    how = f"{one.service}, by {one.by}: {one.agreement}"
    lines = [f"{one.name}: {one.outcome.value} ({how})", f"  {entry_line(one.found)}"]
    if one.outcome.value == "proposed":
        lines.append(
            f"  not taken: {one.why}; `citeloom identify {quoted(one.name)} --accept` takes it"
        )
    return [*lines, *(f"  {notice}" for notice in one.notices)]
