"""The commands ``serve`` and ``demo``."""

from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.system.workspace import sample_library

from .shared.options import WorkspaceOption
from .shared.run import application, note, server_log

if TYPE_CHECKING:
    from collections.abc import Callable


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
    """Serve this workspace over HTTP: a web page, a REST interface under /api/v1, and MCP for
    agents at /mcp, until the process is stopped."""
    flags: dict[str, dict[str, Any]] = {
        "index": {"wait_seconds": _WAIT_SECONDS},
        "mcp": {"read_only": True} if read_only else {},
    }
    with application(workspace, flags, owner="citeloom serve") as opened:
        from citeloom.infrastructure.http.serving import serve as serve_http

        from .shared.relay import answer

        log = server_log(opened.settings.log)

        def tell(told: str) -> None:
            log(told)
            if open_page:
                Thread(target=_open, args=(told.split()[1], note), daemon=True).start()

        serve_http(opened, host, port, tell, lambda request: answer(opened, request))


def _open(url: str, note: "Callable[[str], None]") -> None:
    """Some browsers end only when they are closed, so this runs in a separate thread."""
    import webbrowser

    if not webbrowser.open(url):
        note(f"no browser was found; open {url} in yours")


def demo(workspace: WorkspaceOption = None) -> None:
    """Ingest the sample library that comes with CiteLoom, and ask it three questions."""
    from .views.demo import demo_workspace, show_demo

    with application(workspace, owner="citeloom demo", otherwise=demo_workspace()) as opened:
        show_demo(opened, sample_library())
