"""``citeloom ingest --zotero``: what of a library is meant, and bringing it in."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.ingest.summary import show
from citeloom.infrastructure.cli.library.library_options import scope_of

if TYPE_CHECKING:
    from citeloom.domain.library.snapshot import LibraryScope
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


def named_scope(
    collections: Sequence[str] | None,
    tags: Sequence[str] | None,
    exclude_tags: Sequence[str] | None,
    groups: Sequence[str] | None,
    *,
    own: bool,
) -> "LibraryScope | None":
    """None where nothing is named: what the project remembers is meant then."""
    if not (collections or tags or exclude_tags or groups or own):
        return None
    return scope_of(collections, tags, exclude_tags, groups, own=own)


def require_one_kind(
    files: Sequence[str] | None, references: Path | None, *, zotero: bool, matching_candidates: bool
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
    require_library(zotero=zotero, matching_candidates=matching_candidates)


def require_library(*, zotero: bool, matching_candidates: bool) -> None:
    """Raises InvalidRequest for options that only narrow a library without one."""
    from citeloom.domain.errors import InvalidRequest

    if matching_candidates and not zotero:
        raise InvalidRequest(
            "--collection, --tag, --exclude-tag, --group, --own, --source and --data-dir say "
            "which library is meant, and what of it; add --zotero",
            parameter="zotero",
        )


def bring_in(opened: "Application", request: "SyncRequest", *, as_json: bool) -> None:
    """Brings the library in and prints what was done; exits with 1 if a document failed."""
    from citeloom.infrastructure.cli.shared.progress import progress_display

    with progress_display() as progress:
        result = opened.ingest.library(opened.library.source, request, progress)
    show(result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)
