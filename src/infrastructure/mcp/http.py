"""MCP server over streamable HTTP.

A client can read every paper, so the server binds to the loopback by default, and requires a token
elsewhere. Web pages in a browser on this machine could reach it too: Host and Origin are checked
against the known names (DNS rebinding; MCP specification 2025-06-18, "Transports", security
warning).
"""

import hmac
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from citeloom.domain.errors import ConfigurationError, Unavailable
from citeloom.infrastructure.mcp.contract.parameters import MAX_DRAFT
from citeloom.infrastructure.mcp.server import Serving

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from citeloom.infrastructure.composition.application import Application

PATH: Final = "/mcp"
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8365
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
# A character of a draft takes at most six bytes of JSON (\\uXXXX).
_BODY_BYTES: Final = 6 * MAX_DRAFT + 100_000
# What calls may take that are answered when the server is told to end; streams never end.
_GRACE_SECONDS: Final = 1


def serve_http(
    application: "Application", host: str, port: int, listening: Callable[[str], None]
) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM). ``port`` 0 is any that is free;
    ``listening`` hears the address. Raises ConfigurationError where a token is missing,
    Unavailable where it cannot listen there."""
    import uvicorn

    wanted = application.settings.mcp
    token = wanted.token.get_secret_value()
    if not token and not is_loopback(host):
        raise ConfigurationError(
            f"mcp.token: whoever reaches {host} could read every paper; set a token "
            "(CITELOOM_MCP__TOKEN), or leave --host out to listen on this machine only"
        )
    serving = Serving(application)
    listener = listener_at(host, port)
    address = f"http://{_bracketed(host)}:{listener.getsockname()[1]}{PATH}"
    app = http_app(serving.server, _names(host, wanted.hosts), token, address)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=_GRACE_SECONDS
    )
    # The server handles both, and raises them once more when it has ended.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _go_on)
    serving.prepare()
    listening(address)
    uvicorn.Server(config).run(sockets=[listener])
    serving.end()


def http_app(server: Server[Any], names: Iterable[str], token: str, address: str) -> "Starlette":
    """The server at PATH, for requests to one of ``names`` or to loopback, from pages of these
    alone, with ``token`` where there is one."""
    known = list(dict.fromkeys(map(_bracketed, (*_LOOPBACK, *names))))
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in known]
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=_with_ports(known), allowed_origins=_with_ports(origins)
        ),
        # The SDK checks tokens only along with where they are from: nobody else issues them.
        auth=AuthSettings(issuer_url=AnyHttpUrl(address), resource_server_url=None)
        if token
        else None,
        token_verifier=_OneToken(token) if token else None,
    )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class _OneToken:
    """Accepts the configured token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        if not hmac.compare_digest(token.encode(), self._token):
            return None
        return AccessToken(token=token, client_id="citeloom", scopes=[])


def listener_at(host: str, port: int) -> socket.socket:
    """Raises Unavailable."""
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    try:
        return socket.create_server((bare, port), family=family)
    except OSError as error:
        raise Unavailable(
            f"{host}:{port}: cannot listen there: {error.strerror or error}; choose another "
            "--port or --host",
            host=host,
            port=port,
        ) from error


def _names(host: str, more: str) -> list[str]:
    """Under which clients may ask for it; where it listens on a network, also the machine's."""
    named = [name.strip() for name in more.split(",") if name.strip()]
    return [host, *named] if is_loopback(host) else [host, socket.gethostname(), *named]


def _bracketed(name: str) -> str:
    """As written in a URL: IPv6 in brackets."""
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def _with_ports(names: Iterable[str]) -> list[str]:
    """Each without port, behind a proxy, and with any."""
    return [form for name in names for form in (name, f"{name}:*")]


def _go_on(_signal: int, _frame: object) -> None: ...
