"""Requests to a server: names, tokens, callers, and what is refused before one is read.

Web pages in a browser on this machine could reach the server, under a name of theirs that leads
here (DNS rebinding; MCP specification, "Transports", security warning): names are compared whole.
"""

import hmac
import ipaddress
import logging
import re
import secrets
import socket
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.domain.errors import ConfigurationError

MIN_LENGTH: Final = 32
_BYTES: Final = 32
# RFC 6750, section 2.1: b64token.
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_BEARER: Final = re.compile(rf"bearer +({_TOKEN.pattern}) *", re.IGNORECASE)
_MAKE_ONE: Final = "`citeloom mcp token` makes one"


def new_token() -> str:
    """256 random bits, in 43 characters."""
    return secrets.token_urlsafe(_BYTES)


def check_strength(token: str) -> None:
    """Raises ConfigurationError for a token that is short, or that no header can carry."""
    if not _TOKEN.fullmatch(token):
        raise ConfigurationError(
            f"mcp.token: has characters beside letters, digits and ._~+/-; {_MAKE_ONE}"
        )
    if len(token) < MIN_LENGTH:
        raise ConfigurationError(
            f"mcp.token: has {len(token)} characters, at least {MIN_LENGTH} are needed; {_MAKE_ONE}"
        )


def shown_token(authorization: str) -> str | None:
    """The token of a header ``Authorization``; None without one."""
    found = _BEARER.fullmatch(authorization)
    return found and found[1]


def is_token(shown: str, token: str) -> bool:
    """Compare in a time that does not depend on the difference."""
    return hmac.compare_digest(shown.encode(), token.encode())


_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:\[\]@/?#]+)(?::(\d{1,5}))?", re.IGNORECASE)
# Where it listens on all networks.
_ANY: Final = ("0.0.0.0", "::")


class ServerNames:
    """The names of a server: loopback's, ``names``, and the address that a request came to."""

    def __init__(self, names: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._names = frozenset(bare(name) for name in (*_LOOPBACK, *names))
        self.origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    def has_host(self, host: str, local: str) -> bool:
        """Whether a header ``Host`` names this server; ``local`` is the address that its
        connection came to, which no name of somebody else's can be."""
        found = _HOST.fullmatch(host)
        return found is not None and bare(found[1]) in {*self._names, bare(local)}

    def has_origin(self, origin: str, local: str) -> bool:
        """Whether a header ``Origin`` is of a page of this server, or of a configured origin."""
        if origin.lower() in self.origins:
            return True
        scheme, _, host = origin.partition("://")
        return scheme.lower() in ("http", "https") and self.has_host(host, local)


def bare(name: str) -> str:
    """A name for comparison: without the brackets of IPv6, in small letters; addresses in their
    shortest form."""
    text = name.strip().strip("[]").lower()
    try:
        return ipaddress.ip_address(text).compressed
    except ValueError:
        return text.removesuffix(".")


def bracketed(name: str) -> str:
    """The host as in a URL: IPv6 in brackets."""
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def names_of(host: str) -> list[str]:
    """Names under which clients may ask for a server that listens at ``host``; on a network also
    that of the machine."""
    return [host] if is_loopback(host) else [host, socket.gethostname()]


def addresses(host: str, port: int, path: str) -> list[str]:
    """The URLs that reach a server at ``host``; for one that listens on all networks, the URL of
    this machine and the URL for others."""
    if bare(host) not in _ANY:
        return [f"http://{bracketed(host)}:{port}{path}"]
    here, elsewhere = (
        ("::1", socket.gethostname())
        if ":" in host
        else ("127.0.0.1", _outward_address() or socket.gethostname())
    )
    return [f"http://{bracketed(name)}:{port}{path}" for name in dict.fromkeys((here, elsewhere))]


def _outward_address() -> str | None:
    """The address of this machine on its default route; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # RFC 5737: an address that nobody has
        except OSError:
            return None
        return str(probe.getsockname()[0])


def client_address(scope: Scope) -> str:
    """The address of the connection. Where a proxy on this machine connects, the last one that
    ``X-Forwarded-For`` names, which the proxy saw itself; nobody else is believed the header."""
    peer: str = (scope.get("client") or ("",))[0]
    told = Headers(scope=scope).getlist("x-forwarded-for")
    if not told or not is_loopback(peer):
        return peer
    try:
        return ipaddress.ip_address(told[-1].rpartition(",")[2].strip().strip("[]")).compressed
    except ValueError:
        return peer


MOST_ADDRESSES: Final = 1024
#: Answers to one address that may wait at once.
MOST_WAITING: Final = 16
_FIRST_SECONDS: Final = 0.25
_LONGEST_SECONDS: Final = 8.0
_FORGOTTEN_SECONDS: Final = 900.0
# A client with one address of a network of IPv6 has all of it.
_IPV6_NETWORK: Final = 64


@dataclass(slots=True)
class _Record:
    count: int = 0
    waiting: int = 0
    until: float = 0.0


class Failures:
    """Failures of the latest addresses. The wait doubles with each, up to eight seconds, and wrong
    answers to one address come one after the other. After a quarter of an hour it is forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def is_full(self, address: str) -> bool:
        """Whether so many answers wait that no more tokens of this address are read."""
        record = self._records.get(_network(address))
        return record is not None and record.waiting >= MOST_WAITING

    def begin(self, address: str) -> float:
        """Note a failure; the seconds until it may be answered. ``end`` is to follow."""
        now, network = self._clock(), _network(address)
        record = self._records.pop(network, None)
        if record is None or (not record.waiting and now > record.until + _FORGOTTEN_SECONDS):
            record = _Record()
        self._records[network] = record
        wait = min(_FIRST_SECONDS * 2 ** min(record.count, 10), _LONGEST_SECONDS)
        record.count += 1
        record.waiting += 1
        record.until = max(now, record.until) + wait
        self._forget()
        return record.until - now

    def end(self, address: str) -> None:
        """The failure is answered."""
        if record := self._records.get(_network(address)):
            record.waiting = max(0, record.waiting - 1)

    def _forget(self) -> None:
        while len(self._records) > MOST_ADDRESSES:
            self._records.popitem(last=False)


def _network(address: str) -> str:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _IPV6_NETWORK), strict=False))


@dataclass(frozen=True, slots=True)
class Caller:
    """``name`` is that of the principal; empty without principals, like the rest. ``key`` makes the
    secret of the principal's pages; it ends with its token. ``stamp`` changes when the principal
    loses a role, so cached data is not shown."""

    name: str = ""
    key: str = ""
    stamp: str = ""


#: Those who may ask a server without principals.
ANYBODY: Final = Caller()


class TokenCheck(Protocol):
    """Whose a token is."""

    async def __call__(self, shown: str) -> Caller | None:
        """None for a caller without a principal."""


class BrowserSessions(Protocol):
    """Cookies for browsers that have sent a token."""

    async def begin(self, token: str) -> str | None:
        """The value of a cookie; None for a wrong token."""

    async def caller(self, cookie: str) -> Caller | None:
        """Whose browser it is; None for a cookie that does not hold."""


class OneToken:
    """The one token of a server without principals."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def __call__(self, shown: str) -> Caller | None:
        return ANYBODY if is_token(shown, self._token) else None


def let_in(scope: Scope, caller: Caller) -> None:
    """``scope["state"]["principal"]`` is the name. A session of MCP is its principal's alone: the
    SDK compares ``scope["user"]``."""
    scope.setdefault("state", {}).update(principal=caller.name, caller=caller)
    if caller.name:
        token = AccessToken(token="", client_id=caller.name, scopes=[])
        scope["user"] = AuthenticatedUser(token)


def caller_of(scope: Scope) -> Caller:
    """Raises KeyError for a request that was not let in."""
    caller: Any = scope["state"]["caller"]
    assert isinstance(caller, Caller)
    return caller


def caller_in(context: ServerRequestContext[Any]) -> Caller:
    """The caller of a request of MCP. Over standard input and output, the user who started the
    process."""
    scope = getattr(context.request, "scope", None)
    return ANYBODY if scope is None else caller_of(scope)


@dataclass(eq=False)
class HttpMiddleware(ABC):
    """An ASGI application before ``app`` that handles its requests."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        handler = self.handle if scope["type"] == "http" else self.app
        await handler(scope, receive, send)

    @abstractmethod
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None: ...


@dataclass(eq=False)
class Interceptor(HttpMiddleware):
    """An ASGI application before ``app`` that answers some requests itself. (Starlette's
    ``BaseHTTPMiddleware`` runs ``app`` in a task of its own.)"""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self.answer(Request(scope, receive))
        await (response or self.app)(scope, receive, send)

    @abstractmethod
    async def answer(self, request: Request) -> Response | None:
        """None: ``app`` answers."""


_HEADERS: Final = ("mcp-session-id", "mcp-protocol-version", "www-authenticate")
_METHODS: Final = ("GET", "POST", "DELETE")
_LONGEST_NAME: Final = 100
# Refused names that are told in the log; a scanner must not fill it.
_MOST_TOLD: Final = 50

Sleep = Callable[[float], Awaitable[None]]

_log: Final = logging.getLogger(__name__)


@dataclass(eq=False)
class Gate(HttpMiddleware):
    """An ASGI application before another. Pages of the configured origins may call it from a
    browser (CORS). With ``tokens`` one is wanted: a wrong one is answered later each time; a right
    one always at once, and ``browsers`` answers requests that have no header ``Authorization``.
    The caller is entered in the scope."""

    names: ServerNames
    tokens: TokenCheck | None
    failures: Failures
    sleep: Sleep
    browsers: ASGIApp | None = None

    def __post_init__(self) -> None:
        self._told: set[str] = set()
        # Preflights show no token, so it is asked for behind them.
        self._answer: ASGIApp = (
            CORSMiddleware(
                self._with_token,
                allow_origins=sorted(self.names.origins),
                allow_methods=_METHODS,
                allow_headers=["*"],
                expose_headers=_HEADERS,
                allow_private_network=True,
            )
            if self.names.origins
            else self._with_token
        )

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope)
        await (refused or self._answer)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        local = (scope.get("server") or ("",))[0] or ""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.names.has_host(hosts[0], local):
            name = _shown(hosts)
            message = (
                f"{name}: not a name of this server; if it is one, list it in mcp.hosts "
                "(CITELOOM_MCP__HOSTS) and start the server again"
            )
            return self._told_once(message, 421)
        if origins and not (len(origins) == 1 and self.names.has_origin(origins[0], local)):
            name = _shown(origins)
            message = (
                f"{name}: web pages from there may not call this server; if they should, list it "
                "in mcp.origins (CITELOOM_MCP__ORIGINS) and start the server again"
            )
            return self._told_once(message, 403)
        return None

    def _told_once(self, message: str, status: int) -> Response:
        if message not in self._told and len(self._told) < _MOST_TOLD:
            self._told.add(message)
            _log.warning("citeloom mcp: %s", message)
        return PlainTextResponse(message + "\n", status_code=status)

    async def _with_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.tokens is None:
            let_in(scope, ANYBODY)
            await self.app(scope, receive, send)
            return
        authorization = Headers(scope=scope).get("authorization", "")
        if self.browsers is not None and not authorization:
            await self.browsers(scope, receive, send)
            return
        client = client_address(scope)
        if self.failures.is_full(client):
            busy = PlainTextResponse(
                "too many wrong tokens from this address; wait, then try again\n",
                status_code=429,
                headers={"Retry-After": "60"},
            )
            await busy(scope, receive, send)
            return
        shown = shown_token(authorization)
        caller = await self.tokens(shown) if shown is not None else None
        if caller is not None:
            let_in(scope, caller)
            await self.app(scope, receive, send)
            return
        if authorization:
            try:
                await self.sleep(self.failures.begin(client))
            finally:
                self.failures.end(client)
        await _unauthorized(wrong=bool(authorization))(scope, receive, send)


def _unauthorized(*, wrong: bool) -> Response:
    """RFC 6750, section 3: no error if no token was sent. No ``resource_metadata``: only the user
    issues tokens."""
    challenge = 'Bearer realm="citeloom"' + (', error="invalid_token"' if wrong else "")
    return PlainTextResponse(
        "this server needs its token: send the header `Authorization: Bearer TOKEN`\n",
        status_code=401,
        headers={"WWW-Authenticate": challenge},
    )


def _shown(values: list[str]) -> str:
    """Header values of others, printable and cut."""
    text = ", ".join(values) or "no host name"
    return text[:_LONGEST_NAME].encode("ascii", "backslashreplace").decode()
