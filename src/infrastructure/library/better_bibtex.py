"""Citation keys of Better BibTeX: over JSON-RPC, from a cache of its answers, or its store.

The RPC is documented at retorque.re/zotero-better-bibtex/exporting/json-rpc: POST to
``/better-bibtex/json-rpc`` beside Zotero's local API (port 23119; Juris-M 24119).
``item.citationkey`` takes item keys; those of other libraries are ``LIBRARY:KEY`` with the local
number of the library, which ``user.groups`` lists by name.

Better BibTeX for Zotero 8 moved the keys into Zotero's own field and renamed its store to
``better-bibtex.migrated``. Before, they were in ``better-bibtex.sqlite``: in a table
``citationkey``, earlier as JSON in a table ``better-bibtex``.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import httpx2
import orjson

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryKind, LibraryRef
from citeloom.infrastructure.system.http_client import (
    ClientClock,
    NotAnswered,
    RateLimitedClient,
    RetryPolicy,
    on_this_machine,
)

from .api_reading import cached_file
from .database_copy import open_copy

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
            raise NotAnswered("no response")
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
            raise NotAnswered("the response is not JSON") from error
        if not isinstance(message, dict) or not {"result", "error"} & message.keys():
            raise NotAnswered("the response is not JSON-RPC")
        if rpc_error := message.get("error"):
            raise _RpcError(rpc_error)
        return message["result"]


class _RpcError(Exception):
    """A JSON-RPC error."""

    def __init__(self, error: Any) -> None:
        details = error if isinstance(error, dict) else {}
        super().__init__(str(details.get("message") or error))
        self.unknown_method = details.get("code") == _UNKNOWN_METHOD


_FORMAT = 1

Keys = dict[LibraryRef, dict[str, str]]


@dataclass(frozen=True)
class CitationKeyCache:
    """``path`` has the last answer of ``source``, by library and item."""

    source: BetterBibTeX
    path: Path

    def keys(self, items: Mapping[LibraryRef, Sequence[str]]) -> tuple[Keys, NotAnswered | None]:
        """Current keys of ``items``; if Better BibTeX does not answer, the cached keys and the
        error. Raises StorageFailed."""
        cached = self._load()
        try:
            current = self.source.keys(items)
        except NotAnswered as error:
            return {
                library: {
                    key: cached[library.path][key]
                    for key in item_keys
                    if key in cached.get(library.path, {})
                }
                for library, item_keys in items.items()
            }, error
        updated = cached | {library.path: keys for library, keys in current.items()}
        if updated != cached:
            content = orjson.dumps({"format": _FORMAT, "keys": updated})
            with cached_file(self.path) as temporary:
                temporary.write_bytes(content)
        return current, None

    def _load(self) -> dict[str, dict[str, str]]:
        try:
            content = orjson.loads(self.path.read_bytes())
            return dict(content["keys"]) if content["format"] == _FORMAT else {}
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            return {}


NAME = "better-bibtex.sqlite"


class StoredKeys(NamedTuple):
    """Citation keys by item key, by the library's number in Zotero's database."""

    keys: dict[int, dict[str, str]]
    state: str


def stored_keys(data_dir: Path) -> StoredKeys:
    """The keys in ``data_dir``; none if there is no store.

    Raises LibraryUnavailable if it cannot be read: without the store every item would get another
    key.
    """
    path = data_dir / NAME
    if not path.is_file():
        return StoredKeys({}, "")
    keys: dict[int, dict[str, str]] = {}
    try:
        with open_copy(path, "Better BibTeX") as copy:
            for library, item, key in _rows(copy.connection):
                if isinstance(library, int) and isinstance(item, str) and isinstance(key, str):
                    keys.setdefault(library, {})[item] = key
            return StoredKeys(keys, copy.state)
    except LibraryUnavailable as error:
        raise LibraryUnavailable(
            f"{error.message}; or move {path} away: its citation keys are then not used",
            **error.details,
        ) from error


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, Any, Any]]:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if "citationkey" in tables:
        yield from connection.execute("SELECT libraryID, itemKey, citationKey FROM citationkey")
    elif "better-bibtex" in tables:
        query = "SELECT data FROM \"better-bibtex\" WHERE name = 'better-bibtex.citekey'"
        for (text,) in connection.execute(query):
            yield from _from_json(text)


def _from_json(text: Any) -> Iterator[tuple[Any, Any, Any]]:
    try:
        rows = json.loads(text)["data"]
    except (ValueError, TypeError, KeyError):
        return
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield row.get("libraryID"), row.get("itemKey"), row.get("citekey")
