"""The commands ``zotero``: read-only views of a library."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.library.library_options import (
    CollectionOptions,
    ScopeOptions,
    SourceOptions,
)
from citeloom.infrastructure.cli.shared.option_groups import with_option_groups
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, note
from citeloom.infrastructure.cli.shared.terminal import print_line
from citeloom.infrastructure.cli.shell.command_group import CommandGroup

if TYPE_CHECKING:
    from citeloom.application.library.browse import ItemListing, LibraryBrowser, LibraryListing

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
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

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
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

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
