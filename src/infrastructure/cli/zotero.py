"""The commands ``zotero``, read-only views of a library, and the options of ``ingest --zotero``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.domain.errors import InvalidRequest

from .shared.frame import Output, facts, group
from .shared.output import print_table
from .shared.run import note
from .shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.application.library.browse import ItemListing, LibraryBrowser, LibraryListing
    from citeloom.domain.library import LibraryScope
    from citeloom.infrastructure.composition.application import Application

CollectionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        "-c",
        help="Collection by name, path (Thesis/Chapter 2) or key, subcollections included.",
    ),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", "-t", help="Only items with this tag; repeatable, any of them."),
]
ExcludeTagOption = Annotated[
    list[str] | None, typer.Option("--exclude-tag", help="Leave out items with this tag.")
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        "-g",
        help="Group library by name or number, or * for all, instead of your own.",
    ),
]
OwnOption = Annotated[
    bool, typer.Option("--own", help="Your own library, in addition to the groups.")
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="Source to read: database, local-api, web-api, auto, local-first or web-first. "
        "[default: zotero.source of the configuration]",
    ),
]
DataDirOption = Annotated[
    str | None,
    typer.Option(
        "--data-dir", help="Zotero's data directory or database. [default: found by its profile]"
    ),
]


@dataclass(frozen=True)
class CollectionOptions:
    """Collections, in the user's own library or in groups."""

    collection: CollectionOption = None
    group: GroupOption = None
    own: OwnOption = False

    @property
    def scope(self) -> "LibraryScope":
        """The part of the libraries that these options name."""
        from citeloom.domain.library import LibraryScope

        return LibraryScope(
            collections=tuple(self.collection or ()),
            groups=tuple(self.group or ()),
            user=self.own or not self.group,
        )


@dataclass(frozen=True)
class ScopeOptions(CollectionOptions):
    """Collections and tags."""

    tag: TagOption = None
    exclude_tag: ExcludeTagOption = None

    @property
    def scope(self) -> "LibraryScope":
        tags, exclude_tags = tuple(self.tag or ()), tuple(self.exclude_tag or ())
        return super().scope.model_copy(update={"tags": tags, "exclude_tags": exclude_tags})

    @property
    def named_scope(self) -> "LibraryScope | None":
        """None without a named scope: the project remembers one."""
        named = self.collection or self.group or self.own or self.tag or self.exclude_tag
        return self.scope if named else None


@dataclass(frozen=True)
class SourceOptions:
    """Which source of the library is read, and where it is."""

    library: SourceOption = None
    data_dir: DataDirOption = None

    @property
    def flags(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings that these options set."""
        flags = {"source": self.library, "data_dir": self.data_dir}
        return {"zotero": {name: value for name, value in flags.items() if value is not None}}


ZoteroOption = Annotated[
    bool,
    typer.Option(
        "--zotero",
        help="Ingest your Zotero library (all, or the part that --collection, --tag, --group name) "
        "and follow its changes; the project remembers the part.",
    ),
]


def require_one_kind(
    files: Sequence[str] | None, references: Sequence[Path] | None, *, zotero: bool, narrowed: bool
) -> None:
    """Raises InvalidRequest for files together with a library, and for options of a library without
    one."""
    if zotero and (files or references):
        raise InvalidRequest(
            "--zotero ingests the library only; ingest files and reference files in another run",
            parameter="zotero",
        )
    require_library(zotero=zotero, narrowed=narrowed)


def require_library(*, zotero: bool, narrowed: bool) -> None:
    """Raises InvalidRequest for options that only narrow a library without one."""
    if narrowed and not zotero:
        raise InvalidRequest(
            "--collection, --tag, --exclude-tag, --group, --own, --source and --data-dir say "
            "which library is meant, and what of it; add --zotero",
            parameter="zotero",
        )


LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Maximum number; 0: all.")]


def status(opened: "Application", _source: SourceOptions) -> Output:
    """Show whether the library can be read, where it is, and how much it holds."""
    library = _library(opened)
    state = library.status()
    document = {**state.model_dump(mode="json"), "asks_network": library.asks_network}
    libraries = [(one.name, f"{one.path}, version {one.version}") for one in state.libraries]
    rows = [("source", state.name), ("place", state.place), *libraries]
    numbers = ("items", "attachments", "notes", "annotations")
    rows += [(name, f"{getattr(state, name):,}") for name in numbers]
    return Output(document, facts(rows), notes=state.notices)


def collections(
    opened: "Application", within: CollectionOptions, _source: SourceOptions, limit: LimitOption = 0
) -> Output:
    """List collections by path, with the number of items directly in each."""
    seen = _library(opened).collections(within.scope, limit or None)
    rows = [(one.path, str(one.items), one.key, one.library.name) for one in seen.collections]
    return _listing(seen, ("Collection", "Items", "Key", "Library"), rows)


def items(
    opened: "Application", within: ScopeOptions, _source: SourceOptions, limit: LimitOption = 50
) -> Output:
    """List items by title, with citation key, files and annotations."""
    return _items(_library(opened).items(within.scope, limit or None))


def recent(
    opened: "Application", within: ScopeOptions, _source: SourceOptions, limit: LimitOption = 10
) -> Output:
    """List the items added last."""
    return _items(_library(opened).recent(within.scope, limit or None))


def tags(
    opened: "Application",
    within: CollectionOptions,
    _source: SourceOptions,
    limit: LimitOption = 50,
) -> Output:
    """List tags of items, the most used first."""
    seen = _library(opened).tags(within.scope, limit or None)
    return _listing(seen, ("Tag", "Items"), [(one.tag, str(one.items)) for one in seen.tags])


def _library(opened: "Application") -> "LibraryBrowser":
    library = opened.library.browse
    if library.asks_network:
        note(f"using the network: {library.source_name}")
    return library


def _items(listing: "ItemListing") -> Output:
    rows = [
        (
            item.citekey,
            "; ".join(item.authors[:3]) + ("; …" if len(item.authors) > 3 else ""),
            str(item.year or "-"),
            item.title,
            _counts(item.files, item.notes, item.annotations),
            (item.added or "-")[:10],
        )
        for item in listing.items
    ]
    return _listing(listing, ("Citation key", "Authors", "Year", "Title", "Has", "Added"), rows)


def _counts(files: int, notes: int, annotations: int) -> str:
    labelled = ((files, "file"), (notes, "note"), (annotations, "mark"))
    return ", ".join(f"{n} {name}{'s' * (n > 1)}" for n, name in labelled if n) or "-"


def _listing(
    listing: "LibraryListing", columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> Output:
    counts = (
        f"{listing.total:,}"
        if len(rows) == listing.total
        else f"{len(rows):,} of {listing.total:,}"
    )
    title = f"{', '.join(listing.libraries)} ({listing.source}): {counts}"

    def shown() -> None:
        print_line(title)
        if rows:
            print_table(None, columns, rows)

    return Output(listing, shown, notes=listing.warnings)


app = group(
    "Browse your Zotero library; nothing is ingested or changed.",
    unlisted=("status",),
    status=status,
    collections=collections,
    items=items,
    recent=recent,
    tags=tags,
)
