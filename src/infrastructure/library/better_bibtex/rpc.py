"""Citation keys from Better BibTeX, asked over its JSON-RPC on this machine.

Documented at retorque.re/zotero-better-bibtex/exporting/json-rpc: POST to
``/better-bibtex/json-rpc`` beside Zotero's local API (port 23119; Juris-M 24119).
``item.citationkey`` takes item keys, those of other libraries as ``LIBRARY:KEY`` with the
number that the library has on this machine, which ``user.groups`` tells by name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from citeloom.domain.library.snapshot import LibraryKind, LibraryRef
from citeloom.infrastructure.library.http_client import (
    CourteousClient,
    NotAnswered,
    RetryPolicy,
    Time,
    on_this_machine,
)

PORTS = {"zotero": 23119, "juris-m": 24119}
_PATH = "/better-bibtex/json-rpc"
_AT_ONCE = 500
_UNKNOWN_METHOD = -32601


def addresses_beside(local_url: str) -> tuple[str, ...]:
    """Where Better BibTeX listens if Zotero's local API is at ``local_url``; Juris-M's port
    as well, where that is Zotero's usual one."""
    parts = urlsplit(local_url)
    ports = [parts.port or PORTS["zotero"]]
    ports += [PORTS["juris-m"]] if ports == [PORTS["zotero"]] else []
    host = parts.hostname or "localhost"
    return tuple(
        urlunsplit((parts.scheme or "http", f"{host}:{port}", _PATH, "", "")) for port in ports
    )


class BetterBibTeX:
    """``addresses`` are tried in their order until one answers; that one is kept to."""

    def __init__(
        self, addresses: Sequence[str], *, timeout: float = 5.0, clock: Time | None = None
    ) -> None:
        pace = RetryPolicy(timeout=timeout, attempts=1)
        self._client = CourteousClient(pace, clock or Time(), trust_env=False)
        self._addresses = list(addresses)

    @property
    def asks_network(self) -> bool:
        return not all(on_this_machine(address) for address in self._addresses)

    def ready(self) -> bool:
        """Whether it answers now."""
        for address in self._addresses:
            try:
                self._call(address, "api.ready")
            except NotAnswered:
                continue
            except _Refused as error:
                if not error.unknown_method:  # older versions do not know it
                    continue
            self._addresses = [address]
            return True
        return False

    def keys(self, items: Mapping[LibraryRef, Sequence[str]]) -> dict[LibraryRef, dict[str, str]]:
        """The citation keys of ``items`` (item keys by library), as far as there are any.
        Raises NotAnswered."""
        if not self.ready():
            raise NotAnswered("nobody answers there")
        address = self._addresses[0]
        try:
            prefixes = self._prefixes(address, items)
            wanted = {
                prefixes[library] + key: (library, key)
                for library, keys in items.items()
                if library in prefixes
                for key in keys
            }
            found: dict[LibraryRef, dict[str, str]] = {library: {} for library in items}
            waiting = iter(wanted)
            while batch := list(islice(waiting, _AT_ONCE)):
                told = self._call(address, "item.citationkey", batch)
                for name, key in told.items() if isinstance(told, dict) else ():
                    if name in wanted and isinstance(key, str) and key:
                        library, item = wanted[name]
                        found[library][item] = key
            return found
        except _Refused as error:
            raise NotAnswered(f"it says: {error}") from error

    def close(self) -> None:
        self._client.close()

    def _prefixes(self, address: str, libraries: Mapping[LibraryRef, Any]) -> dict[LibraryRef, str]:
        """What stands before the item keys of each library; of groups that share their name
        none can be told."""
        own = {library: "" for library in libraries if library.kind is LibraryKind.USER}
        groups = [library for library in libraries if library.kind is LibraryKind.GROUP]
        if not groups:
            return own
        told = self._call(address, "user.groups")
        listed = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
        times = Counter(one.get("name") for one in listed)
        numbers = {one.get("name"): one.get("id") for one in listed if times[one.get("name")] == 1}
        return own | {group: f"{numbers[group.name]}:" for group in groups if group.name in numbers}

    def _call(self, address: str, method: str, *params: Any) -> Any:
        body = {"jsonrpc": "2.0", "method": method, "params": list(params), "id": 1}
        answer = self._client.post(address, json=body)
        if answer.status_code != httpx2.codes.OK:
            raise NotAnswered(f"it answers {answer.status_code}")
        try:
            told = answer.json()
        except ValueError as error:
            raise NotAnswered("its answer is no JSON") from error
        if not isinstance(told, dict) or not {"result", "error"} & told.keys():
            raise NotAnswered("its answer is no JSON-RPC")
        if refused := told.get("error"):
            raise _Refused(refused)
        return told["result"]


class _Refused(Exception):
    """An error of JSON-RPC."""

    def __init__(self, error: Any) -> None:
        told = error if isinstance(error, dict) else {}
        super().__init__(str(told.get("message") or error))
        self.unknown_method = told.get("code") == _UNKNOWN_METHOD
