"""``citeloom zotero``: looking around in your library; nothing is brought in or changed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.library.library_options import (
    CollectionOption,
    DataDirOption,
    ExcludeTagOption,
    GroupOption,
    OwnOption,
    SourceOption,
    TagOption,
    library_flags,
    scope_of,
)
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, note

if TYPE_CHECKING:
    from citeloom.application.library.browse import ItemListing, LibraryBrowser, LibraryListing

app = typer.Typer(
    help="Look around in your Zotero library; nothing is brought in or changed.",
    no_args_is_help=True,
)

LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="How many; 0 for all.")]


@app.command()
def status(
    source: SourceOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Whether the library can be read, where it is, and how much it holds."""
    with _looking(source, data_dir, workspace, as_json=as_json) as look:
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        found = look.status()
        if as_json:
            print_json({**found.model_dump(mode="json"), "asks_network": look.asks_network})
            return
        numbers = ("items", "attachments", "notes", "annotations")
        libraries = [
            (library.name, f"{library.path}, version {library.version}")
            for library in found.libraries
        ]
        rows = [("source", found.name), ("place", found.place), *libraries]
        print_table(None, ("", ""), [*rows, *((n, f"{getattr(found, n):,}") for n in numbers)])
        _notes(found.notices)


@app.command()
def collections(
    collection: CollectionOption = None,
    group: GroupOption = None,
    own: OwnOption = False,
    limit: LimitOption = 0,
    source: SourceOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Collections by path, with how many items lie in each itself."""
    with _looking(source, data_dir, workspace, as_json=as_json) as look:
        scope = scope_of(collection, None, None, group, own=own)
        found = look.collections(scope, limit or None)
        rows = [
            (entry.path, str(entry.items), entry.key, entry.library.name)
            for entry in found.collections
        ]
        _print(found, ("Collection", "Items", "Key", "Library"), rows, as_json=as_json)


@app.command()
def items(
    collection: CollectionOption = None,
    tag: TagOption = None,
    exclude_tag: ExcludeTagOption = None,
    group: GroupOption = None,
    own: OwnOption = False,
    limit: LimitOption = 50,
    source: SourceOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Items by title, with citation key, files and annotations."""
    with _looking(source, data_dir, workspace, as_json=as_json) as look:
        scope = scope_of(collection, tag, exclude_tag, group, own=own)
        _print_items(look.items(scope, limit or None), as_json=as_json)


@app.command()
def recent(
    collection: CollectionOption = None,
    tag: TagOption = None,
    exclude_tag: ExcludeTagOption = None,
    group: GroupOption = None,
    own: OwnOption = False,
    limit: LimitOption = 10,
    source: SourceOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Items that were added last."""
    with _looking(source, data_dir, workspace, as_json=as_json) as look:
        scope = scope_of(collection, tag, exclude_tag, group, own=own)
        _print_items(look.recent(scope, limit or None), as_json=as_json)


@app.command()
def tags(
    collection: CollectionOption = None,
    group: GroupOption = None,
    own: OwnOption = False,
    limit: LimitOption = 50,
    source: SourceOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Tags of items, the most used first."""
    with _looking(source, data_dir, workspace, as_json=as_json) as look:
        found = look.tags(scope_of(collection, None, None, group, own=own), limit or None)
        rows = [(entry.tag, str(entry.items)) for entry in found.tags]
        _print(found, ("Tag", "Items"), rows, as_json=as_json)


@contextmanager
def _looking(
    source: str | None, data_dir: str | None, workspace: Path | None, *, as_json: bool
) -> Iterator["LibraryBrowser"]:
    flags = library_flags(source, data_dir)
    with application(workspace, flags, as_json=as_json, owner="citeloom zotero") as opened:
        look = opened.library.browse
        if look.asks_network:
            note(f"asking the network: {look.source_name}")
        yield look


def _print_items(found: "ItemListing", *, as_json: bool) -> None:
    rows = [
        (
            item.citekey,
            "; ".join(item.authors[:3]) + ("; …" if len(item.authors) > 3 else ""),
            str(item.year or "-"),
            item.title,
            _counts(item.files, item.notes, item.annotations),
            (item.added or "-")[:10],
        )
        for item in found.items
    ]
    columns = ("Citation key", "Authors", "Year", "Title", "Has", "Added")
    _print(found, columns, rows, as_json=as_json)


def _counts(files: int, notes: int, annotations: int) -> str:
    named = ((files, "file"), (notes, "note"), (annotations, "mark"))
    return ", ".join(f"{n} {name}{'s' * (n > 1)}" for n, name in named if n) or "-"


def _print(
    found: "LibraryListing", columns: Sequence[str], rows: Sequence[Sequence[str]], *, as_json: bool
) -> None:
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

    if as_json:
        print_json(found)
        return
    shown = f"{found.total:,}" if len(rows) == found.total else f"{len(rows):,} of {found.total:,}"
    typer.echo(f"{', '.join(found.libraries)} ({found.source}): {shown}")
    if rows:
        print_table(None, columns, rows)
    _notes(found.warnings)


def _notes(lines: Iterable[str]) -> None:
    for line in lines:
        note(line)
