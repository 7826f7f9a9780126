"""The address of who asks, also behind a proxy on this machine."""

import ipaddress

from starlette.datastructures import Headers
from starlette.types import Scope

from citeloom.infrastructure.serving.http.names import is_loopback


def client_address(scope: Scope) -> str:
    """That of the connection. Where a proxy on this machine connects, the last one that
    ``X-Forwarded-For`` names, which the proxy saw itself; nobody else is believed the header."""
    peer: str = (scope.get("client") or ("",))[0]
    told = Headers(scope=scope).getlist("x-forwarded-for")
    if not told or not is_loopback(peer):
        return peer
    try:
        return ipaddress.ip_address(told[-1].rpartition(",")[2].strip().strip("[]")).compressed
    except ValueError:
        return peer
