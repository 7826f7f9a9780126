"""Host names and web origins of requests.

Web pages in a browser on this machine could reach the server, under a name of theirs that leads
here (DNS rebinding; MCP specification, "Transports", security warning): names are compared whole.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import Final

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
        return found is not None and self._is_own(found[1], local)

    def has_origin(self, origin: str, local: str) -> bool:
        """Whether a header ``Origin`` is of a page of this server, or of a configured origin."""
        if origin.lower() in self.origins:
            return True
        scheme, _, host = origin.partition("://")
        return scheme.lower() in ("http", "https") and self.has_host(host, local)

    def _is_own(self, name: str, local: str) -> bool:
        return bare(name) in {*self._names, bare(local)}


def bare(name: str) -> str:
    """A name for comparison: without the brackets of IPv6, in small letters; addresses in their
    shortest form."""
    text = name.strip().strip("[]").lower()
    try:
        return ipaddress.ip_address(text).compressed
    except ValueError:
        return text.removesuffix(".")


def bracketed(name: str) -> str:
    """As written in a URL: IPv6 in brackets."""
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
    """The URLs that reach a server at ``host``: of one that listens on all networks that of this
    machine and that for others."""
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
