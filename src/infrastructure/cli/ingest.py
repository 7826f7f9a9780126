"""The command ``ingest``."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from citeloom.domain.errors import InvalidSource
from citeloom.domain.messages import Action, NextStep, UserMessage, WarningCode, prefixed
from citeloom.domain.text.phrasing import counted
from citeloom.infrastructure.cli.shared.frame import Output
from citeloom.infrastructure.cli.shared.options import (
    DocumentsArgument,
    JsonOption,
    ModelOption,
    PasswordOption,
    ProjectOption,
    SentencesOption,
    SourcesArgument,
)
from citeloom.infrastructure.cli.shared.output import in_words, print_table
from citeloom.infrastructure.cli.shared.progress import progress_display
from citeloom.infrastructure.cli.shared.run import in_this_shell, note, project_to_fill, warn
from citeloom.infrastructure.cli.shared.terminal import is_interactive, print_line, quoted, wants

from .zotero import ScopeOptions, SourceOptions, ZoteroOption, require_one_kind

if TYPE_CHECKING:
    from citeloom.application.ports.ingest import Progress
    from citeloom.domain.ingest import DocumentReport, IngestRequest, IngestResult
    from citeloom.domain.library import SyncRequest
    from citeloom.domain.references.lookup import IdentifiedDocument, IdentifyResult
    from citeloom.infrastructure.composition.application import Application


#: What differs between two warnings of one kind.
_DETAILS: Final = re.compile(r"[‘“'\"].*?[’”'\"]|\d+(?:[-–, ]+\d+)*")


def show(result: "IngestResult", *, verbose: bool = False) -> None:
    """A table of changes and a line of counts; warnings of one kind are one line, unless
    ``verbose``."""
    from citeloom.domain.ingest import provisional_citations

    warn(result.warnings)
    _warnings(result, verbose=verbose)
    for document in result.documents:
        if document.error:
            note(f"failed: {in_words(document.error)}")
    counts = Counter(document.status.value for document in result.documents)
    rows = [
        (
            document.status.value,
            document.citekey or "-",
            str(document.pages) if document.pages else "-",
            str(document.chunks),
            Path(document.source).name,
        )
        for document in result.documents
        if document.status.value != "unchanged"
    ]
    if rows:
        cut = {"File": 12}
        print_table(None, ("Status", "Citation key", "Pages", "Passages", "File"), rows, cut)
    _also_cited(result, verbose=verbose)
    if unnamed := provisional_citations(result):
        warn([unnamed])
    summary = ", ".join(f"{n} {status}" for status, n in counts.items()) or "no files"
    removed = f", {result.documents_removed} removed" if result.documents_removed else ""
    print_line(
        f"{result.project}: {summary}{removed}{_cited_again(result)}; "
        f"{result.chunks_written} passages written, {result.chunks_total} in all; "
        f"{result.duration_seconds:.1f} s"
    )


def _cited_again(result: "IngestResult") -> str:
    if not result.citations_updated:
        return ""
    papers = counted(result.citations_updated, "paper has", "papers have")
    labels = result.page_labels_updated
    return f"; {papers} a new citation{f', {labels} with new page labels' if labels else ''}"


def _warnings(result: "IngestResult", *, verbose: bool) -> None:
    """Warnings about files that changed, or about all files outside a library; one line a kind. A
    line of its own says for all that items are missing."""
    kinds: dict[str, list[str]] = {}
    for document in result.documents:
        for warning in document.warnings:
            if isinstance(warning, UserMessage) and warning.code is WarningCode.NO_CITATION:
                continue
            if result.library is None or document.status.value != "unchanged":
                named = prefixed(f"{Path(document.source).name}: ", warning)
                kinds.setdefault(_DETAILS.sub("", warning), []).append(named)
    for of_kind in kinds.values():
        if verbose or len(of_kind) == 1:
            warn(of_kind)
        else:
            warn([prefixed(f"{len(of_kind)} papers, as ", of_kind[0])])
    if not verbose and any(of_kind[1:] for of_kind in kinds.values()):
        note("--verbose lists each paper")


def _also_cited(result: "IngestResult", *, verbose: bool) -> None:
    """Documents that could be cited as other items as well, and the rule that decided."""
    changed = [d for d in result.documents if d.alternatives and d.status.value != "unchanged"]
    lines = list(dict.fromkeys(map(_alternatives, changed)))
    for text in lines if verbose else lines[:1]:
        note(text)
    if lines[1:] and not verbose:
        note(f"{len(lines) - 1} more papers fit several items; --verbose lists them")
    if lines and result.library is not None and result.library.rule is not None:
        note(f"the rule: {result.library.rule}")


def _alternatives(document: "DocumentReport") -> str:
    others = ", ".join(f"{one.citekey} ({one.why})" for one in document.alternatives)
    return f"cited as {document.citekey}, not as {others}"


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
    result = _recorded(opened, request)
    if not as_json:
        show(result, verbose=verbose)
    looked_up: IdentifyResult | None = None
    if _is_looked_up(opened, result, look_up, as_json=as_json):
        looked_up = _look_up_all(opened, result.project)
    if as_json:
        document = result.model_dump(mode="json", context=in_words)
        if looked_up is not None:
            document |= {"identified": looked_up.counts, "looked_up": looked_up.documents}
        Output(document).print(as_json=True)
    elif looked_up is not None:
        replace(_identified(looked_up), code=0).print(as_json=False)
    if result.failed or (looked_up is not None and looked_up.failed):
        raise typer.Exit(1)


def _recorded(opened: "Application", request: "IngestRequest | SyncRequest") -> "IngestResult":
    """Servers of the workspace and questions see how far it is."""
    from citeloom.domain.ingest import IngestRequest
    from citeloom.infrastructure.serving.jobs.ingests import Wanted, run_recorded
    from citeloom.infrastructure.serving.jobs.queue import Recorder
    from citeloom.infrastructure.system.locks import new_process_name

    def work(wanted: Wanted, progress: "Progress") -> "IngestResult":
        if isinstance(wanted, IngestRequest):
            return opened.ingest.files(wanted, progress)
        return opened.ingest.library(opened.library.source, wanted, progress)

    recorder = Recorder(opened.stores.job_record, opened.stores.clock, new_process_name())
    with progress_display() as display:
        return run_recorded(request, work, display, recorder)


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
    from citeloom.domain.references.lookup import IdentifyRequest

    request = IdentifyRequest(project_id=opened.projects.choice(project), all=True)
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

    if one.found is None:
        return [f"{one.name}: {one.outcome.value}: {in_words(one.why)}"]
    how = f"{one.service}, by {one.by}: {one.agreement}"
    lines = [f"{one.name}: {one.outcome.value} ({how})", f"  {entry_line(one.found)}"]
    if one.outcome.value == "proposed":
        lines.append(
            f"  not taken: {one.why}; `citeloom identify {quoted(one.name)} --accept` takes it"
        )
    return [*lines, *(f"  {notice}" for notice in one.notices)]
