"""The command ``ingest``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.infrastructure.cli.views.ingest import show

from .shared.options import (
    JsonOption,
    ModelOption,
    PasswordOption,
    ProjectOption,
    SentencesOption,
    SourcesArgument,
    WorkspaceOption,
    with_option_groups,
)
from .shared.run import application, note, project_to_fill
from .zotero import ScopeOptions, SourceOptions, ZoteroOption, bring_in, require_one_kind

ReferencesOption = Annotated[
    Path | None,
    typer.Option(
        help="References exported from your library (BibTeX, RIS, CSL-JSON and others), detected "
        "by content; stored with the project."
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        help="Number of conversion processes. [default: ingest.jobs of the configuration]"
    ),
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


@with_option_groups
def ingest(
    project: ProjectOption = None,
    source: SourcesArgument = None,
    references: ReferencesOption = None,
    model: ModelOption = None,
    jobs: JobsOption = None,
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
    workspace: WorkspaceOption = None,
) -> None:
    """Ingest files, or with --zotero a Zotero library, into a project.

    Unchanged files are skipped. The Zotero library is only read."""
    flags: dict[str, Mapping[str, Any]] = dict(library.flags)
    if jobs is not None:
        flags["ingest"] = {"jobs": jobs}
    with application(workspace, flags, as_json=as_json, owner="citeloom ingest") as opened:
        from citeloom.domain.ingest import IngestRequest
        from citeloom.domain.library import SyncRequest
        from citeloom.infrastructure.system.validated_request import build

        from .shared.progress import progress_display

        named_scope = scope.named_scope
        narrowed = bool(flags["zotero"]) or named_scope is not None
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
            bring_in(opened, build(SyncRequest, scope=named_scope, prune=prune, **values), as_json)
            return
        request = build(
            IngestRequest,
            sources=tuple(source or ()),
            references=str(references) if references else None,
            prune=prune is True,
            **values,
        )
        with progress_display() as progress:
            result = opened.ingest.files(request, progress)
        show(result, as_json=as_json)
        if result.failed:
            raise typer.Exit(1)
