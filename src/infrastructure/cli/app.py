"""Entry point of ``citeloom``; commands import what they need when they run."""

import errno
import gc
import os
import sys
from typing import Annotated

import typer

from .command_table import Commands
from .shared.options import WorkspaceOption
from .shared.run import ends_at_once, set_workspace
from .shared.terminal import OutputFailed, flush, open_streams, print_line

# As a shell reports a program that SIGPIPE ended, and that of domain.errors.Unavailable.
_ENDED_BY_PIPE = 141
_UNAVAILABLE = 4

app = typer.Typer(
    name="citeloom",
    cls=Commands,
    help="Quotable evidence from your own library: passages with citation key and printed page.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from citeloom import __version__

        print_line(f"citeloom {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    workspace: WorkspaceOption = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    set_workspace(workspace)
    if context.invoked_subcommand is None:
        from .doctor import print_next_step

        print_next_step()


def main() -> None:
    open_streams()
    # What is imported stays: to look through it for garbage again and again takes a tenth of a
    # query's time.
    gc.set_threshold(200_000)
    # Looking for plugins of pydantic's reads what all installed packages say of themselves.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        _run()
    except OutputFailed as failed:
        sys.exit(without_output(failed.error))


def _run() -> None:
    try:
        app()
    except SystemExit as end:
        flush()
        if not end.code and ends_at_once():
            os._exit(0)
        raise


def without_output(error: OSError) -> int:
    """Tell that the result cannot be printed; the exit code."""
    if isinstance(error, BrokenPipeError):  # anyone who reads the output has had enough of it
        return _ENDED_BY_PIPE
    reason = "it is closed" if error.errno == errno.EBADF else (error.strerror or "").lower()
    print_line(
        f"citeloom: standard output cannot be written ({reason}); what was stored is kept",
        stderr=True,
    )
    return _UNAVAILABLE
