"""The group ``mcp``; without a command of its own it serves."""

from typing import Annotated

import typer

from citeloom.infrastructure.cli.mcp.clients import ReadOnlyOption, clients, install
from citeloom.infrastructure.cli.mcp.token import make_token
from citeloom.infrastructure.cli.shared.options import WorkspaceOption
from citeloom.infrastructure.cli.shell.command_group import CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    invoke_without_command=True,
    help="Serve this workspace to agents over the Model Context Protocol: over standard input and "
    "output, or HTTP.",
)
app.command("install")(install)
app.command("clients")(clients)
app.command("token")(make_token)


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
        from citeloom.infrastructure.cli.mcp.serve import serve_workspace

        named = {"folders": folder, "read_only": read_only}
        limits = {name: value for name, value in named.items() if value}
        serve_workspace(workspace, limits, http=http, host=host, port=port)
    elif http or read_only or any(one is not None for one in (host, port, folder, workspace)):
        raise typer.BadParameter(f"options go behind the word {context.invoked_subcommand}")
