"""The commands ``zotero``, read-only views of a library, and the options of ``ingest --zotero``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.views.ingest import show

from .shared.options import JsonOption, WorkspaceOption, with_option_groups
from .shared.run import application, note
from .shared.terminal import print_line
from .shell import CommandGroup

if TYPE_CHECKING:
    from citeloom.application.library.browse import ItemListing, LibraryBrowser, LibraryListing
    from citeloom.domain.library import LibraryScope, SyncRequest
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
        """None where nothing is named: the scope that the project remembers."""
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
    from .shared.progress import progress_display

    with progress_display() as progress:
        result = opened.ingest.library(opened.library.source, request, progress)
    show(result, as_json=as_json)
    if result.failed:
        raise typer.Exit(1)


app = typer.Typer(
    cls=CommandGroup,
    help="Look around in your Zotero library; nothing is brought in or changed.",
    no_args_is_help=True,
)

LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="How many; 0 for all.")]


@app.command()
@with_option_groups
def status(
    source: SourceOptions,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Show whether the library can be read, where it is, and how much it holds."""
    with _library(source, workspace, as_json=as_json) as library:
        from .shared.output import print_json, print_table

        state = library.status()
        if as_json:
            print_json({**state.model_dump(mode="json"), "asks_network": library.asks_network})
            return
        numbers = ("items", "attachments", "notes", "annotations")
        libraries = [
            (library.name, f"{library.path}, version {library.version}")
            for library in state.libraries
        ]
        rows = [("source", state.name), ("place", state.place), *libraries]
        print_table(None, ("", ""), [*rows, *((n, f"{getattr(state, n):,}") for n in numbers)])
        _notes(state.notices)


@app.command()
@with_option_groups
def collections(
    within: CollectionOptions,
    source: SourceOptions,
    limit: LimitOption = 0,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List collections by path, with the number of items directly in each."""
    with _library(source, workspace, as_json=as_json) as library:
        seen = library.collections(within.scope, limit or None)
        rows = [
            (entry.path, str(entry.items), entry.key, entry.library.name)
            for entry in seen.collections
        ]
        _print(seen, ("Collection", "Items", "Key", "Library"), rows, as_json=as_json)


@app.command()
@with_option_groups
def items(
    within: ScopeOptions,
    source: SourceOptions,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List items by title, with citation key, files and annotations."""
    with _library(source, workspace, as_json=as_json) as library:
        _print_items(library.items(within.scope, limit or None), as_json=as_json)


@app.command()
@with_option_groups
def recent(
    within: ScopeOptions,
    source: SourceOptions,
    limit: LimitOption = 10,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List the items added last."""
    with _library(source, workspace, as_json=as_json) as library:
        _print_items(library.recent(within.scope, limit or None), as_json=as_json)


@app.command()
@with_option_groups
def tags(
    within: CollectionOptions,
    source: SourceOptions,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List tags of items, the most used first."""
    with _library(source, workspace, as_json=as_json) as library:
        seen = library.tags(within.scope, limit or None)
        rows = [(entry.tag, str(entry.items)) for entry in seen.tags]
        _print(seen, ("Tag", "Items"), rows, as_json=as_json)


@contextmanager
def _library(
    source: SourceOptions, workspace: Path | None, *, as_json: bool
) -> Iterator["LibraryBrowser"]:
    with application(workspace, source.flags, as_json=as_json, owner="citeloom zotero") as opened:
        library = opened.library.browse
        if library.asks_network:
            note(f"asking the network: {library.source_name}")
        yield library


def _print_items(listing: "ItemListing", *, as_json: bool) -> None:
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
    columns = ("Citation key", "Authors", "Year", "Title", "Has", "Added")
    _print(listing, columns, rows, as_json=as_json)


def _counts(files: int, notes: int, annotations: int) -> str:
    labelled = ((files, "file"), (notes, "note"), (annotations, "mark"))
    return ", ".join(f"{n} {name}{'s' * (n > 1)}" for n, name in labelled if n) or "-"


def _print(
    listing: "LibraryListing",
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    as_json: bool,
) -> None:
    from .shared.output import print_json, print_table

    if as_json:
        print_json(listing)
        return
    counts = (
        f"{listing.total:,}"
        if len(rows) == listing.total
        else f"{len(rows):,} of {listing.total:,}"
    )
    print_line(f"{', '.join(listing.libraries)} ({listing.source}): {counts}")
    if rows:
        print_table(None, columns, rows)
    _notes(listing.warnings)


def _notes(lines: Iterable[str]) -> None:
    for line in lines:
        note(line)
