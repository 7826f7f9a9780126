"""Better BibTeX's JSON-RPC, as far as the stand-in for Zotero has it.

See retorque.re/zotero-better-bibtex/exporting/json-rpc.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from support.zotero.account import Library

UNKNOWN_METHOD = -32601

CitationKeys = Mapping[tuple[int, str], str]
"""By the number of a library on this machine, and item key."""


def answer(body: Mapping[str, Any], libraries: Iterable[Library], keys: CitationKeys) -> Any:
    method = _METHODS.get(body["method"])
    if method is None:
        error = {"code": UNKNOWN_METHOD, "message": f"Method not found: {body['method']}"}
        return {"jsonrpc": "2.0", "error": error, "id": None}
    result = method(list(libraries), keys, *body.get("params", []))
    return {"jsonrpc": "2.0", "result": result, "id": body.get("id")}


def _ready(*_: object) -> dict[str, str]:
    return {"betterbibtex": "7.0.5", "zotero": "7.0.11"}


def _citation_keys(_: list[Library], keys: CitationKeys, asked: list[str]) -> dict[str, str | None]:
    found = {}
    for name in asked:
        library, _, item = name.rpartition(":")
        found[name] = keys.get((int(library or 1), item))
    return found


def _search(libraries: list[Library], keys: CitationKeys, terms: str) -> list[dict[str, Any]]:
    return [
        {"title": item.get("title"), "library": library.name,
         "citekey": keys.get((library.local_id, key))}
        for library in libraries
        for key, item in library.items.items()
        if terms.casefold() in str(item.get("title")).casefold()
    ]  # fmt: skip


def _groups(libraries: list[Library], _: CitationKeys) -> list[dict[str, Any]]:
    return [{"id": library.local_id, "name": library.name} for library in libraries]


_METHODS: dict[str, Callable[..., Any]] = {
    "api.ready": _ready,
    "item.citationkey": _citation_keys,
    "item.search": _search,
    "user.groups": _groups,
}
