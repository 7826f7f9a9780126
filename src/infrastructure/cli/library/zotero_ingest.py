"""The command ``ingest --zotero``: synchronization with a library."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.ingest.summary import show

if TYPE_CHECKING:
    from citeloom.domain.library.sync import SyncRequest
    from citeloom.infrastructure.composition.application import Application

ZoteroOption = Annotated[
    bool,
    typer.Option(
        "--zotero",
        help="Bring in your Zotero library (all, or what --collection, --tag, --group name) "
        "and keep in step with it; the project remembers which part.",
    ),
]


def require_one_kind(
    files: Sequence[str] | None, references: Path | None, *, zotero: bool, narrowed: bool
) -> None:
    """Raises InvalidRequest for files beside a library, and for options that only narrow a
    library without one."""
    from citeloom.domain.errors import InvalidRequest

    if zotero and (files or references):
        raise InvalidRequest(
            "--zotero brings in what the library holds, cited as its items; ingest files, and "
            "name reference files, in a run of their own",
            parameter="zotero",
        )
    require_library(zotero=zotero, narrowed=narrowed)


def require_library(*, zotero: bool, narrowed: bool) -> None:
    """Raises InvalidRequest for options that only narrow a library without one."""
    from citeloom.domain.errors import InvalidRequest

    if narrowed and not zotero:
        raise InvalidRequest(
            "--collection, --tag, --exclude-tag, --group, --own, --source and --data-dir say "
            "which library is meant, and what of it; add --zotero",
            parameter="zotero",
        )


def bring_in(opened: "Application", request: "SyncRequest", as_json: bool) -> None:
    """Brings the library in and prints what was done; exits with 1 if a document failed."""
    from citeloom.infrastructure.cli.shared.progress import progress_display

    with progress_display() as progress:
        result = opened.ingest.library(opened.library.source, request, progress)
    show(result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)
