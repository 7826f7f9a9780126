"""The commands ``serve`` and ``demo``."""

import json
import os
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.cli.search.hits_view import print_papers
from citeloom.infrastructure.cli.shared.options import WorkspaceOption
from citeloom.infrastructure.cli.shared.output import print_text
from citeloom.infrastructure.cli.shared.progress import progress_display
from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import quoted
from citeloom.infrastructure.composition.application import Application

if TYPE_CHECKING:
    from collections.abc import Callable


_ANSWERS = 2


def demo_workspace() -> Path:
    """Where the demonstration is kept if no workspace is named."""
    return Path.cwd() / ".demo"


def show_demo(opened: Application, library: Path) -> None:
    """Ingest, then print each question with its best passages."""
    project = ProjectId.parse("demo")
    with progress_display() as progress:
        result = opened.ingest.files(
            IngestRequest(
                project_id=project,
                sources=(str(library / "papers"),),
                references=str(library / "library.csl.json"),
            ),
            progress,
        )
    print_text(
        f"{len(result.documents)} papers, {result.chunks_total} passages "
        f"({result.chunks_written} new) in {result.duration_seconds:.1f} s\n"
    )
    for entry in json.loads((library / "questions.json").read_text(encoding="utf-8")):
        question = entry["question"]
        print_text(f"? {question}\n")
        request = QueryRequest(project_id=project, query_text=question, top_k=_ANSWERS)
        print_papers(opened.search.readable(opened.search.query(request)))
    place = quoted(os.path.relpath(opened.workspace.root))
    print_text(f'Kept in {place}. Ask more: citeloom query "…" -p demo --workspace {place}')


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
        from citeloom.infrastructure.cli.shared.relay import answer
        from citeloom.infrastructure.cli.shared.run import note, server_log
        from citeloom.infrastructure.http.serving import serve as serve_http

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
    from citeloom.infrastructure.system.workspace import sample_library

    with application(workspace, owner="citeloom demo", otherwise=demo_workspace()) as opened:
        show_demo(opened, sample_library())
