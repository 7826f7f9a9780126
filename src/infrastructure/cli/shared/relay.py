"""A question of the command line that a server of the same workspace answers.

``citeloom query`` takes most of its time to start. Where ``citeloom serve`` runs for the workspace,
from the same installation and with the same settings, the command line is sent there; the server
runs the command in the shell of the sender and returns what it prints. What a server does not
answer with success, the command does itself. This module is imported before all others, so it
imports little.
"""

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .terminal import OutputFailed, Shell, open_streams, print_kept, printing_to, this_shell

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

#: Commands that change nothing but the numbers of the hits shown.
RELAYED: Final = frozenset({"query"})
_OPTION: Final = "--workspace"
# The server has another current folder, to which relative paths of documents and styles would
# belong; and a help is not printed for the sender.
_NOT_RELAYED: Final = re.compile(r"doc.*=|^(?:--style|--help|-h)", re.I)
_CONNECT_SECONDS: Final = 0.5
# A server that runs sends the head of its answer at once, a stopped one never does.
_HEAD_SECONDS: Final = 1.5
_ANSWER_SECONDS: Final = 20.0
_OK: Final = 200


def main() -> None:
    """The program."""
    try:
        kept = _answered(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
    if kept is None:
        from citeloom.infrastructure.cli.app import main as run

        return run()
    open_streams()
    try:
        print_kept(kept)
    except OutputFailed as failed:
        from citeloom.infrastructure.cli.app import without_output

        sys.exit(without_output(failed.error))


def _answered(arguments: Sequence[str]) -> list[tuple[int, bytes]] | None:
    """What the server prints, by stream; None where this process is to do it."""
    if not _is_relayed(arguments) or (shell := this_shell()) is None:
        return None
    from citeloom.infrastructure.system.serve_file import answers_as, server_of
    from citeloom.infrastructure.system.workspace import WORKSPACE_VARIABLE, find_workspace

    named = _workspaces(arguments) or [os.environ.get(WORKSPACE_VARIABLE, "")]
    try:
        home = find_workspace(Path.cwd(), Path(named[0]) if named[0] else None).home
        server = server_of(home) or {}
        is_same = server.get("answers_as") and server["answers_as"] == answers_as(home)
    except Exception:  # of a path; the command names what is wrong
        return None
    if len(named) > 1 or not server.get("secret") or not is_same:
        return None
    return _sent(server, requested(arguments, shell))


def requested(arguments: Sequence[str], shell: Shell) -> bytes:
    """A command line and its shell, for ``answer``."""
    return json.dumps({"arguments": list(arguments), "shell": shell._asdict()}).encode()


def _is_relayed(arguments: Sequence[str]) -> bool:
    """Whether a server can run the command as well."""
    words = list(arguments)
    while words and words[0].startswith(_OPTION):
        del words[: 1 if "=" in words[0] else 2]
    is_asking = bool(words) and words[0] in RELAYED
    return is_asking and not any(map(_NOT_RELAYED.search, words))


def _workspaces(arguments: Sequence[str]) -> list[str]:
    after = [word for at, word in enumerate(arguments) if at and arguments[at - 1] == _OPTION]
    return after + [one.partition("=")[2] for one in arguments if one.startswith(f"{_OPTION}=")]


def _sent(server: dict[str, Any], request: bytes) -> list[tuple[int, bytes]] | None:
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    where = urlsplit(str(server["url"]))
    connection = HTTPConnection(str(where.hostname), where.port, timeout=_CONNECT_SECONDS)
    headers = {"X-CiteLoom-Secret": str(server["secret"]), "Content-Type": "application/json"}
    try:
        connection.connect()
        socket = connection.sock
        socket.settimeout(_HEAD_SECONDS)
        connection.request("POST", "/command", request, headers)
        response = connection.getresponse()
        socket.settimeout(_ANSWER_SECONDS)
        if response.status != _OK:
            return None
        kept = json.loads(response.read())
        return [(number, content.encode("latin-1")) for number, content in kept]
    except (OSError, ValueError, TypeError, HTTPException):
        return None
    finally:
        connection.close()


def answer(opened: "Application", request: bytes) -> bytes | None:
    """What a command prints, as ``requested``; None where it fails, or is not one to relay."""
    import typer
    from typer._click.exceptions import ClickException

    from citeloom.infrastructure.cli.app import app

    from .run import serving

    try:
        told = json.loads(request)
        arguments, shell = list(told["arguments"]), Shell(**told["shell"])
        if not _is_relayed(arguments):
            return None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    command = typer.main.get_command(app)
    with serving(opened), printing_to(shell) as kept:
        try:
            code = command.main(arguments, prog_name="citeloom", standalone_mode=False)
        except (ClickException, typer.Abort):
            return None
    if code:
        return None
    return json.dumps([(number, content.decode("latin-1")) for number, content in kept]).encode()
