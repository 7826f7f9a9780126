"""The group ``mcp``; without a command of its own it serves."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from citeloom.infrastructure.cli.mcp.clients import ReadOnlyOption, clients, install
from citeloom.infrastructure.cli.shared.options import WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, chosen_workspace, note
from citeloom.infrastructure.cli.shared.terminal import is_connected, print_line
from citeloom.infrastructure.cli.shell import CommandGroup

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_DEFAULT_HOST: Final = "127.0.0.1"
_DEFAULT_PORT: Final = 8365
# Less than the deadline of a question (8 s), so that the answer names who holds the index.
_WAIT_SECONDS = 6.0

app = typer.Typer(
    cls=CommandGroup,
    invoke_without_command=True,
    help="Serve this workspace to agents over the Model Context Protocol: over standard input and "
    "output, or HTTP.",
)
app.command("install")(install)
app.command("clients")(clients)


@app.callback()
def serve(
    context: typer.Context,
    http: Annotated[
        bool,
        typer.Option(
            "--http", help="Serve over streamable HTTP instead of standard input and output."
        ),
    ] = False,
    host: Annotated[
        str | None,
        typer.Option(
            help="Address to listen on. [default: 127.0.0.1; others need CITELOOM_MCP__TOKEN]"
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0: any free port. [default: 8365]")
    ] = None,
    folder: Annotated[
        list[str] | None,
        typer.Option(
            help="Folder that tools may read files from; can be repeated. [default: mcp.folders, "
            "else the workspace and what the projects were ingested from]"
        ),
    ] = None,
    read_only: ReadOnlyOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    if context.invoked_subcommand is None:
        named = {"folders": folder, "read_only": read_only}
        limits = {name: value for name, value in named.items() if value}
        _serve_workspace(workspace, limits, http=http, host=host, port=port)
    elif http or read_only or any(one is not None for one in (host, port, folder, workspace)):
        raise typer.BadParameter(f"options go behind the word {context.invoked_subcommand}")


@app.command("token")
def make_token() -> None:
    """Print a new token for `citeloom mcp --http`. It is stored nowhere."""
    from citeloom.infrastructure.serving.http import new_token

    print_line(new_token())
    note(
        "for the server: CITELOOM_MCP__TOKEN in its environment (or token under [mcp] of a "
        "citeloom.toml that only you can read); for clients: the header "
        "`Authorization: Bearer TOKEN`"
    )


def _serve_workspace(
    workspace: Path | None,
    limits: Mapping[str, Any],
    *,
    http: bool,
    host: str | None,
    port: int | None,
) -> None:
    """Serve until the input ends, or over HTTP until the process is told to end. ``limits`` are
    settings of ``mcp``."""
    flags = {"index": {"wait_seconds": _WAIT_SECONDS}, "mcp": limits}
    with application(workspace, flags, owner="citeloom mcp") as opened:
        from citeloom.infrastructure.system.workspace import served_workspace

        served_workspace(chosen_workspace(workspace))
        if not http:
            from citeloom.domain.errors import InvalidRequest
            from citeloom.infrastructure.mcp.server import serve

            for name, given in (("--host", host), ("--port", port)):
                if given is not None:
                    raise InvalidRequest(f"{name}: goes with --http", parameter=name[2:])
            if not is_connected():
                raise InvalidRequest(
                    "standard input or output is closed; an MCP client starts this command and "
                    "talks to it there, --http serves without them"
                )
            note(_told(opened))
            serve(opened)
            return
        from citeloom.infrastructure.cli.shared.run import server_log
        from citeloom.infrastructure.http.serving import serve_agents

        tell = server_log(opened.settings.log)

        def tell_both(addresses: str) -> None:
            tell(addresses)
            tell(_told(opened))

        serve_agents(
            opened, host or _DEFAULT_HOST, _DEFAULT_PORT if port is None else port, tell_both
        )


def _told(opened: "Application") -> str:
    """The workspace that is served and what is in it, for the log that clients keep."""
    projects = opened.projects.projects.standings()
    where = f"workspace {opened.workspace.root}"
    if not projects:
        return (
            f"{where}: no projects yet; ingest papers there, or name another one with --workspace"
        )
    documents = sum(project.documents for project in projects)
    return (
        f"{where}: {len(projects)} project{'s' * (len(projects) != 1)}, {documents} "
        f"document{'s' * (documents != 1)}"
    )
