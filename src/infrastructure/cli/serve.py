"""``citeloom mcp`` and ``citeloom demo``."""

import typer

from citeloom.infrastructure.cli.options import WorkspaceOption
from citeloom.infrastructure.cli.session import application

# Less than the deadline of a question (8 s), so that the answer names who holds the index.
_WAIT_SECONDS = 6.0


def mcp(workspace: WorkspaceOption = None) -> None:
    """Serve this workspace to agents over the Model Context Protocol (stdio)."""
    flags = {"index": {"wait_seconds": _WAIT_SECONDS}}
    with application(workspace, flags, owner="citeloom mcp") as opened:
        from citeloom.infrastructure.mcp.server import serve

        serve(opened)


def demo(workspace: WorkspaceOption = None) -> None:
    """Ingest the sample library and ask it three questions."""
    from citeloom.infrastructure.cli.demo import sample_library, show_demo

    library = sample_library()
    if library is None:
        typer.echo(
            "citeloom: the sample library is not here; run this in a checkout of the project",
            err=True,
        )
        raise typer.Exit(4)
    with application(workspace or library.parent / ".demo", owner="citeloom demo") as opened:
        show_demo(opened, library)
