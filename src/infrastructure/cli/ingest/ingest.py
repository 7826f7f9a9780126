"""``citeloom ingest``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.infrastructure.cli.ingest.summary import show
from citeloom.infrastructure.cli.library.library_options import (
    CollectionOption,
    DataDirOption,
    ExcludeTagOption,
    GroupOption,
    OwnOption,
    SourceOption,
    TagOption,
    library_flags,
)
from citeloom.infrastructure.cli.library.zotero_ingest import (
    ZoteroOption,
    bring_in,
    named_scope,
    require_one_kind,
)
from citeloom.infrastructure.cli.shared.options import (
    JsonOption,
    PasswordOption,
    ProjectOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application


def ingest(
    project: ProjectOption,
    source: Annotated[
        list[str] | None, typer.Argument(help="Files and folders (searched below).")
    ] = None,
    references: Annotated[
        Path | None,
        typer.Option(
            help="BibTeX, BibLaTeX, CSL-JSON, CSL-YAML, RIS or Better BibTeX JSON, told by the "
            "content; the project remembers it."
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Embedding model of a new project.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Conversion processes.")] = None,
    password: PasswordOption = None,
    force: Annotated[bool, typer.Option("--force", help="Convert and embed all anew.")] = False,
    prune: Annotated[
        bool | None,
        typer.Option(
            "--prune/--no-prune",
            help="Remove documents whose files are gone. With --zotero: also those of an earlier "
            "scope; --no-prune keeps all. [default: what left the library or its scope]",
        ),
    ] = None,
    sentences: Annotated[
        bool | None,
        typer.Option(
            "--sentences/--no-sentences",
            help="Embed each sentence too (better answers, about twice the time); "
            "the project remembers it. [default: as it is; yes for a new project]",
        ),
    ] = None,
    zotero: ZoteroOption = False,
    collection: CollectionOption = None,
    tag: TagOption = None,
    exclude_tag: ExcludeTagOption = None,
    group: GroupOption = None,
    own: OwnOption = False,
    library: SourceOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read papers into a project, or with --zotero what a Zotero library holds, which is only
    read. What did not change since the last time costs nothing."""
    flags: dict[str, Mapping[str, Any]] = dict(library_flags(library, data_dir))
    matching_candidates = bool(flags["zotero"])
    if jobs is not None:
        flags["ingest"] = {"jobs": jobs}
    with application(workspace, flags, as_json=as_json, owner="citeloom ingest") as opened:
        from citeloom.domain.ingest.request import IngestRequest
        from citeloom.domain.library.sync import SyncRequest
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.progress import progress_display
        from citeloom.infrastructure.system.validated_request import build

        scope = named_scope(collection, tag, exclude_tag, group, own=own)
        matching_candidates = matching_candidates or scope is not None
        require_one_kind(source, references, zotero=zotero, matching_candidates=matching_candidates)
        if zotero:
            wanted = build(
                SyncRequest,
                project_id=ProjectId.parse(project),
                scope=scope,
                model=model,
                sentences=sentences,
                force=force,
                prune=prune,
                password=password,
                passwords=opened.stores.passwords,
            )
            bring_in(opened, wanted, as_json=as_json)
            return
        request = build(
            IngestRequest,
            project_id=ProjectId.parse(project),
            sources=tuple(source or ()),
            references=str(references) if references else None,
            model=model,
            sentences=sentences,
            force=force,
            prune=prune is True,
            password=password,
            passwords=opened.stores.passwords,
        )
        with progress_display() as progress:
            result = opened.ingest.files(request, progress)
        show(result, as_json=as_json)
        if result.failed:
            raise typer.Exit(1)
