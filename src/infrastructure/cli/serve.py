"""The commands ``serve``, ``lsp`` and ``demo``."""

from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.shared.options import ProjectOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import is_connected

if TYPE_CHECKING:
    from collections.abc import Callable

    from citeloom.infrastructure.composition.application import Application

# Less than the deadline of a question (8 s), so that the answer names who holds the index.
_WAIT_SECONDS = 6.0


def serve(
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Others need CITELOOM_MCP__TOKEN."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free port.")] = 8420,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Without the agents' tools that write or delete.")
    ] = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Serve this workspace over HTTP: a web page, a REST interface under /api/v1, and
    MCP for agents at /mcp, until the process is told to end."""
    flags: dict[str, dict[str, Any]] = {
        "index": {"wait_seconds": _WAIT_SECONDS},
        "mcp": {"read_only": True} if read_only else {},
    }
    with application(workspace, flags, owner="citeloom serve") as opened:
        from citeloom.infrastructure.cli.shared.run import note
        from citeloom.infrastructure.cli.shared.server_log import server_log
        from citeloom.infrastructure.http.serving import serve as serve_http

        log = server_log(opened.settings.log)

        def tell(told: str) -> None:
            log(told)
            if open_page:
                Thread(target=_open, args=(told.split()[1], note), daemon=True).start()

        serve_http(opened, host, port, tell)


def _open(url: str, note: "Callable[[str], None]") -> None:
    """Some browsers end only when they are closed: for a thread of its own."""
    import webbrowser

    if not webbrowser.open(url):
        note(f"no browser was found; open {url} in yours")


def lsp(
    project: ProjectOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Serve this workspace to an editor over the Language Server Protocol: citations for
    Markdown, Quarto, LaTeX and Typst."""
    from citeloom.domain.errors import InvalidRequest
    from citeloom.infrastructure.cli.shared.run import chosen_workspace, end_at_once, fail

    try:
        named = chosen_workspace(workspace)
        if not is_connected():
            raise InvalidRequest(
                "standard input or output is closed; an editor starts this command and talks to "
                "it there"
            )
    except InvalidRequest as error:
        fail(error, as_json=False)

    def open_workspace(other: Path | None, start: Path | None) -> "Application":
        from citeloom.infrastructure.composition.application import open_application

        flags: dict[str, dict[str, Any]] = {"index": {"wait_seconds": _WAIT_SECONDS}}
        return open_application(other or named, flags, owner="citeloom lsp", start=start)

    from citeloom.infrastructure.cli.shared.next_steps import in_words
    from citeloom.infrastructure.lsp.server import serve

    code = serve(open_workspace, project, in_words)
    end_at_once()
    raise typer.Exit(code)


def demo(workspace: WorkspaceOption = None) -> None:
    """Ingest the sample library that comes with CiteLoom, and ask it three questions."""
    from citeloom.infrastructure.cli.demo import demo_workspace, sample_library, show_demo

    with application(workspace, owner="citeloom demo", otherwise=demo_workspace()) as opened:
        show_demo(opened, sample_library())
