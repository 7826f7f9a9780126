"""The command ``mcp clients``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.infrastructure.cli.mcp.install import (
    ServerNameOption,
    check_name,
    files_of_this_machine,
)
from citeloom.infrastructure.cli.shared.options import JsonOption
from citeloom.infrastructure.cli.shared.run import fail, note
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.infrastructure.mcp.clients.installation import Standing


def clients(name: ServerNameOption = "citeloom", as_json: JsonOption = False) -> None:
    """List the MCP clients that are known, which are on this machine, and which of them have
    CiteLoom."""
    from citeloom.domain.errors import CiteLoomError
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

    try:
        check_name(name)
        standings = files_of_this_machine().standings(name)
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
