"""The command ``ingest``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.views.ingest import show

from .shared.options import (
    JsonOption,
    ModelOption,
    PasswordOption,
    ProjectOption,
    SentencesOption,
    SourcesArgument,
)
from .shared.run import note, project_to_fill
from .zotero import ScopeOptions, SourceOptions, ZoteroOption, require_one_kind

if TYPE_CHECKING:
    from citeloom.domain.ingest import IngestRequest
    from citeloom.domain.library import SyncRequest
    from citeloom.infrastructure.composition.application import Application

ReferencesOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="References exported from your library (BibTeX, RIS, CSL-JSON and others), detected "
        "by content; stored with the project, before those it has. Repeatable."
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
    model: ModelOption = None,
    _workers: WorkerOptions = WorkerOptions(),
    password: PasswordOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Convert and embed all documents again.")
    ] = False,
    prune: PruneOption = None,
    sentences: SentencesOption = None,
    zotero: ZoteroOption = False,
    scope: ScopeOptions = ScopeOptions(),
    library: SourceOptions = SourceOptions(),
    as_json: JsonOption = False,
) -> None:
    """Ingest files, or with --zotero a Zotero library, into a project.

    Unchanged files are skipped. The Zotero library is only read."""
    from citeloom.domain.ingest import IngestRequest
    from citeloom.domain.library import SyncRequest
    from citeloom.infrastructure.system.validated_request import build

    named_scope = scope.named_scope
    narrowed = bool(library.flags["zotero"]) or named_scope is not None
    require_one_kind(source, references, zotero=zotero, narrowed=narrowed)
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
            SyncRequest, scope=named_scope, prune=prune, **values
        )
    else:
        request = build(
            IngestRequest,
            sources=tuple(source or ()),
            references=tuple(map(str, references or ())),
            prune=prune is True,
            **values,
        )
    _bring_in(opened, request, as_json=as_json)


def _bring_in(
    opened: "Application", request: "IngestRequest | SyncRequest", *, as_json: bool
) -> None:
    """Prints what was done; exits with 1 if a document failed."""
    from citeloom.domain.ingest import IngestRequest

    from .shared.progress import progress_display

    with progress_display() as progress:
        if isinstance(request, IngestRequest):
            result = opened.ingest.files(request, progress)
        else:
            result = opened.ingest.library(opened.library.source, request, progress)
    show(result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)
