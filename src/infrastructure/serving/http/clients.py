"""Addresses of clients, and how long each waits after wrong tokens."""

import ipaddress
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

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


MOST_ADDRESSES: Final = 1024
#: Answers to one address that may wait at once.
MOST_WAITING: Final = 16
_FIRST_SECONDS: Final = 0.25
_LONGEST_SECONDS: Final = 8.0
_FORGOTTEN_SECONDS: Final = 900.0
# Whoever has one address of a network of IPv6 has all of it.
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
