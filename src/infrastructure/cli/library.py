"""``citeloom ingest --zotero``: the options that say which library, and what of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.ingested import show

if TYPE_CHECKING:
    from citeloom.domain.library import LibraryScope
    from citeloom.domain.retrieval import SyncRequest
    from citeloom.infrastructure.bootstrap import Application

ZoteroOption = Annotated[
    bool,
    typer.Option(
        "--zotero",
        help="Bring in a Zotero library, and keep in step with it: the project remembers what "
        "of it is meant.",
    ),
]
ZoteroSourceOption = Annotated[
    str | None,
    typer.Option(
        "--zotero-source", help="database, local-api or web-api; else zotero.source is asked."
    ),
]
ZoteroDataOption = Annotated[
    Path | None,
    typer.Option("--zotero-data", help="Zotero's data directory; else it is looked for."),
]
CollectionOption = Annotated[
    list[str] | None,
    typer.Option("--collection", help="Name, path or key; those below it as well. Repeatable."),
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", help="Items with one of these tags. Repeatable.")
]
ExcludeTagOption = Annotated[
    list[str] | None, typer.Option("--exclude-tag", help="But none of these. Repeatable.")
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option("--group", help="Group library by name or number, * for all. Repeatable."),
]
OwnOption = Annotated[
    bool, typer.Option("--own", help="Beside groups her own library too (alone it is meant).")
]


def scope_of(
    collections: Sequence[str] | None,
    tags: Sequence[str] | None,
    exclude_tags: Sequence[str] | None,
    groups: Sequence[str] | None,
    *,
    own: bool,
) -> "LibraryScope | None":
    """None where nothing is named: what the project remembers is meant then."""
    from citeloom.domain.library import LibraryScope

    if not (collections or tags or exclude_tags or groups or own):
        return None
    return LibraryScope(
        collections=tuple(collections or ()),
        tags=tuple(tags or ()),
        exclude_tags=tuple(exclude_tags or ()),
        groups=tuple(groups or ()),
        user=own or not groups,
    )


def require_one_kind(
    sources: Sequence[str] | None,
    references: Path | None,
    scope: "LibraryScope | None",
    *,
    zotero: bool,
) -> None:
    """Raises InvalidRequest for files beside a library, and for a scope without one."""
    from citeloom.domain.errors import InvalidRequest

    if zotero and (sources or references):
        raise InvalidRequest(
            "--zotero brings in what the library holds, cited as its items; ingest files, and "
            "name reference files, in a run of their own",
            parameter="zotero",
        )
    if scope is not None and not zotero:
        raise InvalidRequest(
            "--collection, --tag, --exclude-tag, --group and --own say what of a library is "
            "meant; add --zotero",
            parameter="zotero",
        )


def bring_in(
    opened: "Application",
    request: "SyncRequest",
    source: str | None,
    data: Path | None,
    *,
    as_json: bool,
) -> None:
    """Brings the library in and prints what was done; exits with 1 if a document failed."""
    from citeloom.infrastructure.cli.progress import progress_display

    library = opened.library(source, data)
    try:
        with progress_display() as progress:
            result = opened.library_sync(library, request, progress)
    finally:
        library.close()
    show(result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)
