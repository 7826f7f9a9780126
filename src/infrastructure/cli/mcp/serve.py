"""A workspace served to agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citeloom.infrastructure.cli.shared.run import application, chosen_workspace, note
from citeloom.infrastructure.cli.shared.terminal import is_connected

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8365
# Less than the deadline of a question (8 s), so that the answer names who holds the index.
_WAIT_SECONDS = 6.0


def serve_workspace(
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
        from citeloom.infrastructure.cli.shared.server_log import server_log
        from citeloom.infrastructure.http.serving import serve_agents

        tell = server_log(opened.settings.log)

        def tell_both(addresses: str) -> None:
            tell(addresses)
            tell(_told(opened))

        serve_agents(
            opened, host or DEFAULT_HOST, DEFAULT_PORT if port is None else port, tell_both
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
