"""The commands ``backup`` and ``restore``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .shared.options import JsonOption, WorkspaceOption
from .shared.run import application, note, warn
from .shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_MEGABYTE = 1_000_000


def backup(
    path: Annotated[
        Path | None,
        typer.Argument(help="File or folder. [default: .citeloom/backups of the workspace]"),
    ] = None,
    known: Annotated[
        bool, typer.Option("--list", help="List the backups in the workspace; make none.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Save the whole workspace in one verified file: catalogue, research, conversions, index.

    The catalogue is saved besides, on the first writing command of a day and before repairs:
    projects, citations, labels, sessions of research. Your papers and citeloom.toml are not
    in a backup.
    """
    with application(workspace, as_json=as_json, owner="citeloom backup") as opened:
        from .shared.output import print_json

        if known:
            _list(opened, as_json=as_json)
            return
        done = opened.backups.save(path.expanduser().absolute() if path else None, replace=force)
        if as_json:
            print_json(done)
            return
        print_line(f"{done.path}: {done.files} files, {done.size / _MEGABYTE:.1f} MB, verified")
        warn(done.notes)


def restore(
    path: Annotated[
        Path, typer.Argument(help="A backup: of a workspace (.zip) or a catalogue (.sqlite).")
    ],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put a backup in place, after it was verified. What was there before is kept beside it."""
    with application(workspace, as_json=as_json, owner="citeloom restore") as opened:
        from .shared.output import print_json

        done = opened.backups.restore(path.expanduser().absolute())
        if as_json:
            print_json(done)
            return
        what = "the catalogue" if done.catalogue_only else f"{done.files} files"
        print_line(f"{done.workspace}: {what} restored from {done.source}")
        if done.kept:
            note(f"what was there before is in {done.kept}")
        if done.catalogue_only:
            note("run `citeloom validate --repair`: conversions and index may be newer")


def _list(opened: "Application", *, as_json: bool) -> None:
    from .shared.output import print_json, print_table

    found = opened.backups.known()
    if as_json:
        print_json({"backups": found, "count": len(found)})
    elif not found:
        print_line("no backups yet: the first writing command of a day makes one")
    else:
        print_table(
            None,
            ("Backup", "Made", "MB"),
            [(str(one.path), one.reason, f"{one.size / _MEGABYTE:.1f}") for one in found],
        )
