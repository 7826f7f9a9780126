"""Better BibTeX client: citation keys over JSON-RPC.

Documented at retorque.re/zotero-better-bibtex/exporting/json-rpc: POST to
``/better-bibtex/json-rpc`` beside Zotero's local API (port 23119; Juris-M 24119).
``item.citationkey`` takes item keys; those of other libraries are ``LIBRARY:KEY`` with the local
number of the library, which ``user.groups`` lists by name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2

from citeloom.domain.library.snapshot import LibraryKind, LibraryRef
from citeloom.infrastructure.library.http_client import (
    ClientClock,
    NotAnswered,
    RateLimitedClient,
    RetryPolicy,
    on_this_machine,
)

PORTS = {"zotero": 23119, "juris-m": 24119}
_PATH = "/better-bibtex/json-rpc"
_BATCH = 500
_UNKNOWN_METHOD = -32601


def addresses_beside(local_url: str) -> tuple[str, ...]:
    """Addresses of Better BibTeX for a local API at ``local_url``; Juris-M's port too, where that
    is Zotero's default port."""
    parts = urlsplit(local_url)
    ports = [parts.port or PORTS["zotero"]]
    ports += [PORTS["juris-m"]] if ports == [PORTS["zotero"]] else []
    host = parts.hostname or "localhost"
    return tuple(
        urlunsplit((parts.scheme or "http", f"{host}:{port}", _PATH, "", "")) for port in ports
    )


class BetterBibTeX:
    """``addresses`` are tried in order until one answers; that one is used from then on."""

    def __init__(
        self, addresses: Sequence[str], *, timeout: float = 5.0, clock: ClientClock | None = None
    ) -> None:
        pace = RetryPolicy(timeout=timeout, attempts=1)
        self._client = RateLimitedClient(pace, clock or ClientClock(), trust_env=False)
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
            except _RpcError as error:
                if not error.unknown_method:  # older versions do not know it
                    continue
            self._addresses = [address]
            return True
        return False

    def keys(self, items: Mapping[LibraryRef, Sequence[str]]) -> dict[LibraryRef, dict[str, str]]:
        """The citation keys of ``items`` (item keys by library), where they exist. Raises
        NotAnswered."""
        if not self.ready():
            raise NotAnswered("nobody answers there")
        address = self._addresses[0]
        try:
            prefixes = self._prefixes(address, items)
            requested = {
                prefixes[library] + key: (library, key)
                for library, keys in items.items()
                if library in prefixes
                for key in keys
            }
            keys_found: dict[LibraryRef, dict[str, str]] = {library: {} for library in items}
            remaining = iter(requested)
            while batch := list(islice(remaining, _BATCH)):
                result = self._call(address, "item.citationkey", batch)
                for name, key in result.items() if isinstance(result, dict) else ():
                    if name in requested and isinstance(key, str) and key:
                        library, item = requested[name]
                        keys_found[library][item] = key
            return keys_found
        except _RpcError as error:
            raise NotAnswered(f"it says: {error}") from error

    def close(self) -> None:
        self._client.close()

    def _prefixes(self, address: str, libraries: Mapping[LibraryRef, Any]) -> dict[LibraryRef, str]:
        """Prefix of the item keys of each library; groups that share a name have none."""
        prefixes = {library: "" for library in libraries if library.kind is LibraryKind.USER}
        groups = [library for library in libraries if library.kind is LibraryKind.GROUP]
        if not groups:
            return prefixes
        result = self._call(address, "user.groups")
        known_groups = (
            [one for one in result if isinstance(one, dict)] if isinstance(result, list) else []
        )
        name_counts = Counter(one.get("name") for one in known_groups)
        numbers = {
            one.get("name"): one.get("id")
            for one in known_groups
            if name_counts[one.get("name")] == 1
        }
        return prefixes | {
            group: f"{numbers[group.name]}:" for group in groups if group.name in numbers
        }

    def _call(self, address: str, method: str, *params: Any) -> Any:
        body = {"jsonrpc": "2.0", "method": method, "params": list(params), "id": 1}
        response = self._client.post(address, json=body)
        if response.status_code != httpx2.codes.OK:
            raise NotAnswered(f"it answers {response.status_code}")
        try:
            message = response.json()
        except ValueError as error:
            raise NotAnswered("its answer is no JSON") from error
        if not isinstance(message, dict) or not {"result", "error"} & message.keys():
            raise NotAnswered("its answer is no JSON-RPC")
        if rpc_error := message.get("error"):
            raise _RpcError(rpc_error)
        return message["result"]


class _RpcError(Exception):
    """A JSON-RPC error."""

    def __init__(self, error: Any) -> None:
        details = error if isinstance(error, dict) else {}
        super().__init__(str(details.get("message") or error))
        self.unknown_method = details.get("code") == _UNKNOWN_METHOD
