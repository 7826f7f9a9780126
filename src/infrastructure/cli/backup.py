"""The commands ``backup`` and ``restore``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .shared.frame import Output, Table

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_MEGABYTE = 1_000_000


def backup(
    opened: "Application",
    path: Annotated[
        Path | None,
        typer.Argument(help="File or folder. [default: .citeloom/backups of the workspace]"),
    ] = None,
    known: Annotated[
        bool, typer.Option("--list", help="List the backups in the workspace; make none.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> Output:
    """Save the whole workspace in one verified file: catalogue, research, conversions, index.

    The catalogue is also copied after each command that writes, and before repairs:
    projects, citations, labels, sessions of research. Your papers and citeloom.toml are not
    in a backup.
    """
    if known:
        return _list(opened)
    done = opened.backups.save(path.expanduser().absolute() if path else None, replace=force)
    told = f"{done.path}: {done.files} files, {done.size / _MEGABYTE:.1f} MB, verified"
    return Output(done, told, done.notes)


def restore(
    opened: "Application",
    path: Annotated[
        Path, typer.Argument(help="A backup: of a workspace (.zip) or a catalogue (.sqlite).")
    ],
) -> Output:
    """Put a backup in place, after it was verified. What was there before is kept beside it."""
    done = opened.backups.restore(path.expanduser().absolute())
    what = "the catalogue" if done.catalogue_only else f"{done.files} files"
    notes = [f"the previous content is in {done.kept}"] if done.kept else []
    if done.catalogue_only:
        notes.append("run `citeloom validate --repair`: conversions and index may be newer")
    return Output(done, f"{done.workspace}: {what} restored from {done.source}", notes=notes)


def _list(opened: "Application") -> Output:
    found = opened.backups.known()
    rows = [(str(one.path), one.reason, f"{one.size / _MEGABYTE:.1f}") for one in found]
    empty = "no backups yet: each command that writes makes one"
    return Output(
        {"backups": found, "count": len(found)}, Table(("Backup", "Made", "MB"), rows, empty)
    )
