"""Options that say which library is meant, and which part of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from citeloom.domain.library.snapshot import LibraryScope

CollectionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        "-c",
        help="Collection by name, path (Thesis/Chapter 2) or key, with those below it.",
    ),
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", "-t", help="Items with this tag; several: any of them.")
]
ExcludeTagOption = Annotated[
    list[str] | None, typer.Option("--exclude-tag", help="No items with this tag.")
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        "-g",
        help="Group library by name or number, or * for all, instead of your own.",
    ),
]
OwnOption = Annotated[bool, typer.Option("--own", help="Your own library besides the groups.")]
SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="What to ask: database, local-api, web-api, auto, local-first or web-first; "
        "else zotero.source of the settings.",
    ),
]
DataDirOption = Annotated[
    str | None,
    typer.Option("--data-dir", help="Zotero's data directory or database; else looked for."),
]


def scope_of(
    collections: Sequence[str] | None,
    tags: Sequence[str] | None,
    exclude_tags: Sequence[str] | None,
    groups: Sequence[str] | None,
    *,
    own: bool,
) -> "LibraryScope":
    """The part of the libraries that these options name."""
    from citeloom.domain.library.snapshot import LibraryScope

    return LibraryScope(
        collections=tuple(collections or ()),
        tags=tuple(tags or ()),
        exclude_tags=tuple(exclude_tags or ()),
        groups=tuple(groups or ()),
        user=own or not groups,
    )


def library_flags(source: str | None, data_dir: str | None) -> Mapping[str, Mapping[str, Any]]:
    """Settings that these options stand for."""
    flags = {"source": source, "data_dir": data_dir}
    return {"zotero": {name: value for name, value in flags.items() if value is not None}}
