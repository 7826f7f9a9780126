"""Libraries of the account that stands behind the Zotero of the tests."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_KEY_LETTERS = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"


class Library:
    """One library: objects by key with their versions, what was deleted and when."""

    def __init__(self, kind: str, number: int, name: str, local_id: int) -> None:
        self.kind, self.number, self.name, self.local_id = kind, number, name, local_id
        self.version = 0
        self.items: dict[str, dict[str, Any]] = {}
        self.collections: dict[str, dict[str, Any]] = {}
        self.deleted: dict[str, dict[str, int]] = {"items": {}, "collections": {}}
        self.files: dict[str, tuple[bytes, bool]] = {}
        self.paths: dict[str, Path] = {}

    def put(self, *items: Mapping[str, Any], synced: bool = True) -> int:
        """New or changed items, each with ``key`` and ``itemType``; the library's version
        after it. Not ``synced``: as Zotero before 10 shows changes that it did not send yet,
        with the versions of before."""
        return self._put(self.items, items, synced)

    def put_collections(self, *collections: Mapping[str, Any]) -> int:
        return self._put(self.collections, collections, True)

    def _put(
        self, objects: dict[str, dict[str, Any]], given: Iterable[Mapping[str, Any]], synced: bool
    ) -> int:
        self.version += synced
        for one in given:
            before = objects.get(one["key"], {}).get("version", 0)
            objects[one["key"]] = dict(one) | {"version": self.version if synced else before}
        return self.version

    def change(self, key: str, **fields: Any) -> int:
        return self.put(self.items[key] | fields)

    def trash(self, *keys: str) -> int:
        return self.put(*(self.items[key] | {"deleted": 1} for key in keys))

    def delete(self, *keys: str) -> int:
        self.version += 1
        for key in keys:
            kind = "items" if key in self.items else "collections"
            getattr(self, kind).pop(key)
            self.deleted[kind][key] = self.version
        return self.version

    def store(self, key: str, content: bytes, *, zipped: bool = False) -> None:
        """The file of an attachment: in the storage, for the web API."""
        self.files[key] = (content, zipped)
        self.put(self.items[key] | {"md5": hashlib.md5(content).hexdigest()})

    def hold(
        self,
        items: Iterable[Mapping[str, Any]],
        collections: Iterable[Mapping[str, Any]],
        version: int,
    ) -> None:
        """Become a library of these objects: the first time at ``version``, then by changes
        from what it was."""
        if not self.version:
            self.version = version
            self.items = {one["key"]: {"version": version, **one} for one in items}
            self.collections = {one["key"]: {"version": version, **one} for one in collections}
            return
        for kind, given in (("items", items), ("collections", collections)):
            known: dict[str, dict[str, Any]] = getattr(self, kind)
            there = {one["key"]: one for one in given}
            if gone := known.keys() - there.keys():
                self.delete(*gone)
            if changed := [one for key, one in there.items() if not _same(known.get(key), one)]:
                self._put(known, changed, True)

    @property
    def prefix(self) -> str:
        return f"{self.kind}s/{self.number}"


def _same(known: Mapping[str, Any] | None, given: Mapping[str, Any]) -> bool:
    return known is not None and {**known, "version": 0} == {**given, "version": 0}


def key_of(number: int) -> str:
    """A key as Zotero makes them: ``22222223`` for 1."""
    letters = ""
    for _ in range(8):
        number, rest = divmod(number, len(_KEY_LETTERS))
        letters = _KEY_LETTERS[rest] + letters
    return letters


def articles(count: int, start: int = 1, **fields: Any) -> list[dict[str, Any]]:
    """So many journal articles, each with a title of its own."""
    return [
        {"key": key_of(number), "itemType": "journalArticle", "title": f"Ponds, part {number}",
         "creators": [{"creatorType": "author", "firstName": "Ann", "lastName": "Smith"}],
         "date": "2020", "tags": [], "collections": [], "relations": {},
         "dateAdded": "2024-01-01T00:00:00Z", "dateModified": "2024-01-01T00:00:00Z"} | fields
        for number in range(start, start + count)
    ]  # fmt: skip


def attachment(key: str, parent: str | None, name: str, **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "key": key, "itemType": "attachment", "linkMode": "imported_file", "title": name,
        "filename": name, "contentType": "application/pdf", "tags": [], "relations": {},
        "dateAdded": "2024-01-01T00:00:00Z", "dateModified": "2024-01-01T00:00:00Z",
    }  # fmt: skip
    return given | ({"parentItem": parent} if parent else {}) | fields
