"""The commands ``access``: principals of a server, their tokens and roles."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.shared.frame import Output, group
from citeloom.infrastructure.cli.shared.run import note
from citeloom.infrastructure.cli.shared.terminal import print_line, printable_line
from citeloom.infrastructure.cli.shell import offer_projects

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application
    from citeloom_server.application.access.access import AccessControl, IssuedToken
    from citeloom_server.domain.access import Rights

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Small letters a-z, digits, '.', '_' and '-'.")
]
ProjectArgument = Annotated[str, typer.Argument(metavar="PROJECT", autocompletion=offer_projects)]


def _access(opened: "Application") -> "AccessControl":
    from citeloom_server.infrastructure.principals.store import access_control

    return access_control(opened)


class RoleChoice(StrEnum):
    READER = "reader"
    OWNER = "owner"


def add(
    opened: "Application",
    name: NameArgument,
    administrator: Annotated[
        bool, typer.Option("--administrator", help="May do everything in all projects.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also restore a removed one, with its chats.")
    ] = False,
) -> Output:
    """Add a principal and print its token, once: only digests of it are stored.

    It owns the projects that it creates, named NAME/…; roles in others are granted.
    """
    access = _access(opened)
    is_first = not access.all()
    issued = access.add(name, administrator=administrator, again=again)
    if is_first:
        note("restart the servers of this workspace: from then on they ask everybody for a token")
    return _issued(issued)


def list_principals(opened: "Application") -> Output:
    """List the principals and their roles."""
    found = _access(opened).all()

    def shown() -> None:
        for one in found:
            print_line(_line(one))

    none = "no principals yet; mcp.token alone decides who may use a server"
    document = {"principals": [_as_json(one) for one in found], "count": len(found)}
    return Output(document, shown, notes=() if found else [none])


def grant(
    opened: "Application",
    name: NameArgument,
    project: ProjectArgument,
    role: Annotated[RoleChoice, typer.Argument(help="reader: sees it; owner: also changes it.")],
) -> Output:
    """Give a principal a role in a project, in place of the one it has."""
    from citeloom_server.domain.access import Role

    return _told(_access(opened).grant(name, opened.projects.choice(project), Role(role)))


def revoke(opened: "Application", name: NameArgument, project: ProjectArgument) -> Output:
    """Take a principal's role in a project; running servers follow at once."""
    access, project_id = _access(opened), opened.projects.choice(project)
    if not access.revoke(name, project_id):
        note(f"{name} has no role in {project_id}")
    return _told(access.show(name))


def renew(opened: "Application", name: NameArgument) -> Output:
    """Print another token for a principal; the one before, and logins with it, end at once."""
    return _issued(_access(opened).renew(name))


def remove(opened: "Application", name: NameArgument) -> Output:
    """End a principal's token and roles at once; projects, chats and reviews stay."""
    _access(opened).remove(name)
    return Output({"removed": name}, f"{name}: removed")


def _issued(issued: "IssuedToken") -> Output:
    told = (
        f"the token of {issued.principal.name}, shown only once: log in to the web page with it; "
        "agents and programs send the header `Authorization: Bearer TOKEN`"
    )
    return Output(issued, issued.token, notes=[told])


def _told(rights: "Rights") -> Output:
    return Output(_as_json(rights), _line(rights))


def _as_json(rights: "Rights") -> dict[str, Any]:
    return {**rights.principal.model_dump(mode="json"), "roles": rights.roles}


def _line(rights: "Rights") -> str:
    roles = ", ".join(f"{project} ({role})" for project, role in rights.roles.items())
    what = "administrator" if rights.is_administrator else roles or "no roles"
    return printable_line(f"{rights.name}: {what}")


app = group(
    "Let several people use a server, each with a library.",
    add=add,
    list=list_principals,
    grant=grant,
    revoke=revoke,
    renew=renew,
    remove=remove,
)
