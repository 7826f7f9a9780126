"""A workspace served to agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citeloom.infrastructure.cli.shared.run import application, note
from citeloom.infrastructure.cli.shared.terminal import is_connected

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
            serve(opened)
            return
        from citeloom.infrastructure.mcp.http.serving import (
            DEFAULT_HOST,
            DEFAULT_PORT,
            serve_http,
        )

        serve_http(opened, host or DEFAULT_HOST, DEFAULT_PORT if port is None else port, note)
