"""The commands ``mcp``: serve, install, clients, token."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from citeloom.domain.errors import CiteLoomError, InvalidRequest
from citeloom.infrastructure.system.workspace import find_workspace, home_folder, served_workspace

from .shared.options import JsonOption, WorkspaceOption
from .shared.output import print_json, print_table, print_text
from .shared.run import application, chosen_workspace, fail, note, server_log
from .shared.terminal import is_connected, print_line
from .shell import CommandGroup

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.mcp.clients.catalogue import Client, Launch, Remote
    from citeloom.infrastructure.mcp.clients.installation import Change, ClientFiles, Standing

ServerNameOption = Annotated[str, typer.Option("--name", help="Name of the server in the client.")]
ReadOnlyOption = Annotated[
    bool, typer.Option("--read-only", help="Without the tools that write or delete.")
]


def offer_clients(incomplete: str) -> list[tuple[str, str]]:
    """The clients that are known."""
    from citeloom.infrastructure.mcp.clients.catalogue import CLIENTS

    return [(one.name, one.title) for one in CLIENTS.values() if one.name.startswith(incomplete)]


def install(
    client: Annotated[
        str,
        typer.Option(
            autocompletion=offer_clients,
            help="Name of the client, as `citeloom mcp clients` lists it.",
        ),
    ],
    name: ServerNameOption = "citeloom",
    project_level: Annotated[
        bool,
        typer.Option(
            "--project-level", help="Write the client's file of this folder, not of the user."
        ),
    ] = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the entry; change nothing.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the entry.")] = False,
    http: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Connect to a server over HTTP instead of starting one."),
    ] = None,
    token_variable: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE",
            help="With --http: the environment variable from which the client takes the token.",
        ),
    ] = None,
    uvx: Annotated[
        bool, typer.Option("--uvx", help="Start it with uvx, which installs it when needed.")
    ] = False,
    read_only: ReadOnlyOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Add this workspace to the configuration of an MCP client. The rest of its file stays."""
    from citeloom.infrastructure.mcp.clients.catalogue import client_named
    from citeloom.infrastructure.mcp.clients.installation import EditByHand

    try:
        chosen, files = client_named(client), _files_of_this_machine()
        _check_name(name)
        path, entry = files.path(chosen, of_project=project_level), None
        if remove:
            change = files.remove(chosen, name, of_project=project_level)
        else:
            server = _server(http, token_variable, workspace, uvx=uvx, read_only=read_only)
            entry = chosen.entry(server)
            if only_print:
                _print(chosen, name, entry, path, of_project=project_level, as_json=as_json)
                return
            change = files.install(chosen, name, entry, of_project=project_level)
    except CiteLoomError as error:
        if isinstance(error, EditByHand) and entry and not as_json:
            _print(chosen, name, entry, path, of_project=project_level)
        fail(error, as_json=as_json)
    _tell(chosen, name, change, entry, as_json=as_json)


def clients(name: ServerNameOption = "citeloom", as_json: JsonOption = False) -> None:
    """List the known MCP clients, those on this machine, and those that have CiteLoom."""
    try:
        _check_name(name)
        standings = _files_of_this_machine().standings(name)
    except CiteLoomError as error:
        fail(error, as_json=as_json)
    if as_json:
        print_json({"name": name, "clients": [_document(one) for one in standings]})
        return
    rows = [(one.client.name, _state(one), _shown(one.file)) for one in standings]
    print_table(None, ("Client", "State", "File"), rows)
    served = [
        (one.client.name, one.workspace or one.address or "")
        for one in standings
        if one.is_installed
    ]
    if served:
        print_line("")
        print_table(None, ("Client", "Serves"), served)
    for one in standings:
        if one.problem:
            note(f"warning: {one.client.name}: {one.problem}")


def _check_name(name: str) -> None:
    """Clients make the names of tools of it. Raises InvalidRequest."""
    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        raise InvalidRequest(f"--name {name}: letters, digits, - and _ only", parameter="name")


def _files_of_this_machine() -> "ClientFiles":
    """Raises ConfigurationError if there is no home folder."""
    from citeloom.infrastructure.mcp.clients.catalogue import Places
    from citeloom.infrastructure.mcp.clients.installation import ClientFiles

    return ClientFiles(Places(home_folder(), sys.platform, os.environ), Path.cwd())


def _server(
    http: str | None,
    token_variable: str | None,
    workspace: Path | None,
    *,
    uvx: bool,
    read_only: bool,
) -> "Launch | Remote":
    from citeloom.infrastructure.mcp.clients.catalogue import (
        Remote,
        launch,
        running_program,
        uvx_program,
    )

    if http is None:
        if token_variable:
            raise InvalidRequest("--token-variable: only with --http", parameter="token_variable")
        named = served_workspace(chosen_workspace(workspace))
        root = find_workspace(Path.cwd(), named).root
        program = uvx_program() if uvx else running_program(sys.argv[0])
        return launch(program, root, ["--read-only"] if read_only else [])
    if workspace or uvx or read_only:
        raise InvalidRequest(
            "--http: that server has its own workspace; leave --workspace, --uvx and --read-only "
            "out",
            parameter="http",
        )
    if not http.startswith(("http://", "https://")):
        raise InvalidRequest(
            f"{http}: not an address; write http://HOST:PORT/mcp", parameter="http"
        )
    return Remote(http, token_variable)


def _print(
    client: "Client",
    name: str,
    entry: dict[str, Any],
    path: Path,
    *,
    of_project: bool,
    as_json: bool = False,
) -> None:
    from citeloom.infrastructure.mcp.clients.entries import as_command_line, snippet

    if as_json:
        print_json({"client": client.name, "file": str(path), "key": client.key, name: entry})
        return
    note(f"{client.title} reads {path}:")
    print_text(snippet(client, name, entry))
    if not of_project and (line := as_command_line(client, name, entry)):
        note(f"or run: {line}")


def _tell(
    client: "Client", name: str, change: "Change", entry: dict[str, Any] | None, *, as_json: bool
) -> None:
    if as_json:
        print_json(
            {
                "client": client.name,
                "action": change.action.value,
                "file": str(change.file),
                "backup": str(change.backup) if change.backup else None,
                "name": name,
                "entry": entry,
            }
        )
        return
    words = {
        "added": f"added {name} to {change.file}",
        "changed": f"changed {name} in {change.file}",
        "unchanged": f"{name} is in {change.file} already",
        "removed": f"removed {name} from {change.file}",
        "absent": f"{name} is not in {change.file}",
    }
    print_line(words[change.action])
    if change.backup:
        print_line(f"the previous file is {change.backup}")
    if change.action in ("added", "changed"):
        print_line(f"next: {client.restart}")
    elif change.action == "removed":
        print_line(f"next: restart {client.title}")


def _state(one: "Standing") -> str:
    if one.is_installed:
        return "has CiteLoom"
    return "is here" if one.is_found else "-"


def _shown(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _document(one: "Standing") -> dict[str, Any]:
    return {
        "client": one.client.name,
        "title": one.client.title,
        "documentation": one.client.documentation,
        "file": str(one.file),
        "found": one.is_found,
        "installed": one.is_installed,
        "address": one.address,
        "workspace": one.workspace,
        "problem": one.problem,
    }


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
        raise typer.BadParameter(f"put options after the word {context.invoked_subcommand}")


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
    """Serve until the input ends, or over HTTP until the process is stopped. ``limits`` are
    settings of ``mcp``."""
    flags = {"index": {"wait_seconds": _WAIT_SECONDS}, "mcp": limits}
    with application(workspace, flags, owner="citeloom mcp") as opened:
        served_workspace(chosen_workspace(workspace))
        if not http:
            for name, given in (("--host", host), ("--port", port)):
                if given is not None:
                    raise InvalidRequest(f"{name}: only with --http", parameter=name[2:])
            if not is_connected():
                raise InvalidRequest(
                    "standard input or output is closed; an MCP client starts this command and "
                    "talks to it there, --http serves without them"
                )
            from citeloom.infrastructure.mcp.server import serve

            note(_told(opened))
            serve(opened)
            return
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
