"""The commands ``mcp install`` and ``mcp clients``."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import chosen_workspace, fail, note
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.infrastructure.mcp.clients.catalogue import Client, Launch, Remote
    from citeloom.infrastructure.mcp.clients.installation import Change, ClientFiles, Standing

ServerNameOption = Annotated[
    str, typer.Option("--name", help="What the server is called in the client.")
]
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
            autocompletion=offer_clients, help="The client: one that `citeloom mcp clients` lists."
        ),
    ],
    name: ServerNameOption = "citeloom",
    project_level: Annotated[
        bool,
        typer.Option(
            "--project-level", help="Into the client's file of this folder, not of the user."
        ),
    ] = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print what belongs into the file; change nothing.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again.")] = False,
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
    """Enter this workspace in the configuration of an MCP client. What else is in its file stays
    there, and a backup is beside it."""
    from citeloom.domain.errors import CiteLoomError
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
    """List the MCP clients that are known, which are on this machine, and which of them have
    CiteLoom."""
    from citeloom.domain.errors import CiteLoomError
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

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
    from citeloom.domain.errors import InvalidRequest

    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        raise InvalidRequest(f"--name {name}: letters, digits, - and _ only", parameter="name")


def _files_of_this_machine() -> "ClientFiles":
    """Raises ConfigurationError where there is no home."""
    from citeloom.infrastructure.mcp.clients.catalogue import Places
    from citeloom.infrastructure.mcp.clients.installation import ClientFiles
    from citeloom.infrastructure.system.workspace import home_folder

    return ClientFiles(Places(home_folder(), sys.platform, os.environ), Path.cwd())


def _server(
    http: str | None,
    token_variable: str | None,
    workspace: Path | None,
    *,
    uvx: bool,
    read_only: bool,
) -> "Launch | Remote":
    from citeloom.domain.errors import InvalidRequest
    from citeloom.infrastructure.mcp.clients.catalogue import (
        Remote,
        launch,
        running_program,
        uvx_program,
    )
    from citeloom.infrastructure.system.workspace import find_workspace, served_workspace

    if http is None:
        if token_variable:
            raise InvalidRequest("--token-variable: goes with --http", parameter="token_variable")
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
    from citeloom.infrastructure.cli.shared.output import print_json, print_text
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
        from citeloom.infrastructure.cli.shared.output import print_json

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
        print_line(f"what it was before is in {change.backup}")
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
