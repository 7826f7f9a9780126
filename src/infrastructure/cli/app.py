"""Entry point of ``citeloom``; commands import what they need when they run."""

import gc
import io
import os
import sys
from typing import Annotated

import typer

from citeloom.infrastructure.cli.command_table import Commands
from citeloom.infrastructure.cli.shared.options import WorkspaceOption
from citeloom.infrastructure.cli.shared.run import ends_at_once, set_workspace

app = typer.Typer(
    name="citeloom",
    cls=Commands,
    help="Quotable evidence from your own library: passages with citation key and printed page.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from citeloom import __version__

        typer.echo(f"citeloom {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    workspace: WorkspaceOption = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    set_workspace(workspace)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a letter that a terminal lacks is no crash
            stream.reconfigure(errors="replace")
    # What is imported stays: to look through it for garbage again and again takes a tenth of a
    # query's time.
    gc.set_threshold(50_000)
    # Looking for plugins of pydantic's reads what all installed packages say of themselves.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        app()
    except SystemExit as end:
        if not end.code and ends_at_once() and _is_written():
            os._exit(0)
        raise


def _is_written() -> bool:
    """Whether all output was written; where it cannot be, the interpreter reports it."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return False
    return True
