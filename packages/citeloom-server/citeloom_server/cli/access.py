"""The commands ``access``: principals of a server, their tokens and roles."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, note
from citeloom.infrastructure.cli.shared.terminal import print_line, printable_line
from citeloom.infrastructure.cli.shell import CommandGroup

if TYPE_CHECKING:
    from citeloom_server.application.access.access import AccessControl, IssuedToken
    from citeloom_server.domain.access import Rights

app = typer.Typer(
    cls=CommandGroup, help="Let several people use a server, each its own.", no_args_is_help=True
)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Small letters a-z, digits, '.', '_' and '-'.")
]
ProjectArgument = Annotated[str, typer.Argument(metavar="PROJECT")]


@contextmanager
def _access(workspace: Path | None, *, as_json: bool) -> Iterator["AccessControl"]:
    with application(workspace, as_json=as_json, owner="citeloom access") as opened:
        from citeloom_server.infrastructure.principals.store import access_control

        yield access_control(opened)


class RoleChoice(StrEnum):
    READER = "reader"
    OWNER = "owner"


@app.command()
def add(
    name: NameArgument,
    administrator: Annotated[
        bool, typer.Option("--administrator", help="May do everything in all projects.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also one that was removed: it has its chats again.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Add a principal and print its token, once: only digests of it are stored.

    It owns the projects that it creates, named NAME/…; roles in others are granted.
    """
    with _access(workspace, as_json=as_json) as access:
        is_first = not access.all()
        issued = access.add(name, administrator=administrator, again=again)
        _issued(issued, as_json=as_json)
        if is_first:
            note(
                "from their next start on, servers of this workspace ask everybody for such a "
                "token; start those that run anew"
            )


@app.command(name="list")
def list_principals(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the principals and their roles."""
    with _access(workspace, as_json=as_json) as access:
        found = access.all()
        if as_json:
            from citeloom.infrastructure.cli.shared.output import print_json

            print_json({"principals": [_as_json(one) for one in found], "count": len(found)})
            return
        for one in found:
            print_line(_line(one))
        if not found:
            note("there are no principals; servers are as open as mcp.token says")


@app.command()
def grant(
    name: NameArgument,
    project: ProjectArgument,
    role: Annotated[RoleChoice, typer.Argument(help="reader: sees it; owner: also changes it.")],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Give a principal a role in a project, in place of the one it has."""
    with _access(workspace, as_json=as_json) as access:
        from citeloom.domain.projects.project import ProjectId
        from citeloom_server.domain.access import Role

        rights = access.grant(name, ProjectId.parse(project), Role(role))
        _told(rights, as_json=as_json)


@app.command()
def revoke(
    name: NameArgument,
    project: ProjectArgument,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take a principal's role in a project; running servers follow at once."""
    with _access(workspace, as_json=as_json) as access:
        from citeloom.domain.projects.project import ProjectId

        project_id = ProjectId.parse(project)
        if not access.revoke(name, project_id):
            note(f"{name} has no role in {project_id}")
        _told(access.show(name), as_json=as_json)


@app.command()
def renew(
    name: NameArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Print another token for a principal; the one before, and logins with it, end at once."""
    with _access(workspace, as_json=as_json) as access:
        _issued(access.renew(name), as_json=as_json)


@app.command()
def remove(
    name: NameArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """End a principal's token and roles at once; projects, chats and reviews stay."""
    with _access(workspace, as_json=as_json) as access:
        access.remove(name)
        if as_json:
            from citeloom.infrastructure.cli.shared.output import print_json

            print_json({"removed": name})
        else:
            print_line(f"{name}: removed")


def _issued(issued: "IssuedToken", *, as_json: bool) -> None:
    if as_json:
        from citeloom.infrastructure.cli.shared.output import print_json

        print_json(issued)
        return
    print_line(issued.token)
    note(
        f"the token of {issued.principal.name}, shown this once: for the login of the web page, "
        "and for agents and programs as the header `Authorization: Bearer TOKEN`"
    )


def _told(rights: "Rights", *, as_json: bool) -> None:
    if as_json:
        from citeloom.infrastructure.cli.shared.output import print_json

        print_json(_as_json(rights))
    else:
        print_line(_line(rights))


def _as_json(rights: "Rights") -> dict[str, Any]:
    return {**rights.principal.model_dump(mode="json"), "roles": rights.roles}


def _line(rights: "Rights") -> str:
    roles = ", ".join(f"{project} ({role})" for project, role in rights.roles.items())
    what = "administrator" if rights.is_administrator else roles or "no roles"
    return printable_line(f"{rights.name}: {what}")
