"""Requests of a Zotero account, and listings at one version of a library."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2

from citeloom.domain.library import LibraryKind, LibraryRef
from citeloom.domain.text.characters import whole_number
from citeloom.infrastructure.system.http_client import (
    ClientClock,
    NotAnswered,
    RateLimitedClient,
    RetryPolicy,
)

LOCAL_FILE = "localFileUrl"
"""In a raw item: the ``file:`` URL of a stored file, from the enclosure link of the local API."""
_API_VERSION = "3"
_VERSION, _TOTAL = "last-modified-version", "total-results"
Raw = dict[str, Any]


class Forbidden(NotAnswered):
    """403 or 401: the key, or the settings of Zotero, deny access."""


class NotFound(NotAnswered):
    """404: no such library, file or endpoint."""


@dataclass
class Listing:
    """Objects of a listing by key, at ``version`` of the library. ``incomplete`` is the reason if
    it is not whole; ``changed`` says that the library changed meanwhile, so that another attempt
    may be complete."""

    version: int
    objects: dict[str, Raw] = field(default_factory=dict)
    incomplete: str | None = None
    changed: bool = False


class ZoteroAccount:
    """``page`` objects are requested at once. ``user`` is the number of the account, 0 for the user
    of Zotero on this machine. ``server``, if set, is the id of the local database: the local API
    refuses to read another one. Methods raise NotAnswered or one of its subclasses."""

    def __init__(
        self,
        address: str,
        pace: RetryPolicy,
        clock: ClientClock,
        *,
        local: bool,
        user: int,
        api_key: str | None = None,
        page: int,
    ) -> None:
        self.client = RateLimitedClient(pace, clock, trust_env=not local)
        self.user = user
        self.server: str | None = None
        self._address = address.rstrip("/")
        self._api_key = api_key
        self._page = page

    def headers(self) -> dict[str, str]:
        """Headers of the account's requests; only for its own server."""
        key = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        return {"Zotero-API-Version": _API_VERSION, **key}

    def url_of(self, library: LibraryRef, path: str) -> str:
        is_user = library.kind is LibraryKind.USER
        prefix = f"users/{self.user}" if is_user else f"groups/{library.id}"
        return f"{self._address}/{prefix}/{path}"

    def root(self, path: str) -> httpx2.Response:
        """The response to a request outside any library, such as ``keys/current``."""
        response = self.client.get(f"{self._address}/{path}", headers=self.headers())
        raise_for_status(response)
        return response

    def groups(self) -> list[LibraryRef]:
        """The groups' libraries, by number; their versions are unknown."""
        by_number: dict[int, LibraryRef] = {}
        start, more = 0, True
        while more:
            url = self.url_of(LibraryRef(), "groups")
            response = self._get(url, limit=self._page, start=start)
            with _api_answer():
                page = response.json()
                by_number |= {int(raw["id"]): _group(raw) for raw in page}
            start += len(page)
            more = bool(page) and "next" in response.links
        return [by_number[number] for number in sorted(by_number)]

    def items(self, library: LibraryRef, *, since: int = 0) -> Listing:
        """All items, including the trash; with ``since`` those changed after that version. Raises
        NotModified if there are none."""
        order = {"includeTrashed": 1, "sort": "dateAdded", "direction": "asc"}
        condition = {"If-Modified-Since-Version": str(since)} if since else {}
        return self._read(self.url_of(library, "items"), since, condition, **order)

    def collections(self, library: LibraryRef, *, since: int = 0) -> Listing:
        return self._read(self.url_of(library, "collections"), since, {})

    def item_versions(self, library: LibraryRef) -> Listing:
        """The version of each item, including the trash, in one response."""
        return self._versions(self.url_of(library, "items"), includeTrashed=1)

    def collection_versions(self, library: LibraryRef) -> Listing:
        return self._versions(self.url_of(library, "collections"))

    def deleted(self, library: LibraryRef, since: int) -> Listing:
        """Keys by kind (``items``, ``collections``) of permanently deleted objects."""
        response = self._get(self.url_of(library, "deleted"), since=since)
        with _api_answer():
            return Listing(_number(response, _VERSION), {"deleted": dict(response.json())})

    def version(self, library: LibraryRef) -> int:
        return _number(self._get(self.url_of(library, "items"), limit=1), _VERSION)

    def count(self, library: LibraryRef, **parameters: Any) -> int:
        """Number of items, from a response header."""
        return _number(self._get(self.url_of(library, "items"), limit=1, **parameters), _TOTAL)

    def close(self) -> None:
        self.client.close()

    def _get(
        self, url: str, condition: Mapping[str, str] | None = None, **parameters: Any
    ) -> httpx2.Response:
        server = {"Zotero-Server-ID": self.server} if self.server else {}
        headers = {**self.headers(), **server, **(condition or {})}
        parameters.setdefault("format", "json")
        response = self.client.get(url, params=parameters, headers=headers)
        if response.status_code == httpx2.codes.PRECONDITION_FAILED and self.server:
            raise NotAnswered("a different Zotero answers now")
        raise_for_status(response)
        return response

    def _versions(self, url: str, **parameters: Any) -> Listing:
        response = self._get(url, format="versions", **parameters)
        with _api_answer():
            versions = {key: {"version": version} for key, version in response.json().items()}
        return Listing(_number(response, _VERSION), versions)

    def _read(
        self, url: str, since: int, condition: Mapping[str, str], **parameters: Any
    ) -> Listing:
        """All pages; the first is requested under ``condition``."""
        parameters |= {"since": since} if since else {}
        pages: Listing | None = None
        start = 0
        while True:
            try:
                response = self._get(
                    url, None if pages else condition, limit=self._page, start=start, **parameters
                )
                with _api_answer():
                    objects = response.json()
                    by_key = {str(one["key"]): _data(one) for one in objects}
                version, total = _number(response, _VERSION), _number(response, _TOTAL)
            except NotAnswered as error:
                if pages is None:
                    raise
                return replace(pages, incomplete=f"page {start // self._page + 1}: {error}")
            pages = pages or Listing(version)
            if version != pages.version:
                return replace(pages, incomplete="it changed while it was read", changed=True)
            pages.objects |= by_key
            start += len(objects)
            if not objects or (start >= total and "next" not in response.links):
                break
        if len(pages.objects) != total:
            reason = f"{len(pages.objects)} came where it had said {total}"
            return replace(pages, incomplete=reason, changed=True)
        return pages


@contextmanager
def _api_answer() -> Iterator[None]:
    """Raises NotAnswered where an answer is read that has another shape than Zotero's."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotAnswered("the response is not from Zotero's API") from error


def _data(raw: Mapping[str, Any]) -> Raw:
    """The data of an object, with the location of its file where the local API states it."""
    data = {**raw["data"], "key": str(raw["key"]), "version": int(raw["version"])}
    href = raw.get("links", {}).get("enclosure", {}).get("href")
    if isinstance(href, str) and href.startswith("file:"):
        data[LOCAL_FILE] = href
    return data


def _group(raw: Mapping[str, Any]) -> LibraryRef:
    number = int(raw["id"])
    name = str(raw["data"].get("name") or number)
    return LibraryRef(kind=LibraryKind.GROUP, id=number, name=name)


def raise_for_status(response: httpx2.Response) -> None:
    """Raises NotAnswered, or one of its subclasses, unless the response is a success."""
    if response.status_code in (401, 403):
        raise Forbidden("it refuses (403)")
    if response.status_code == httpx2.codes.NOT_FOUND:
        raise NotFound("not found (404)")
    if not response.is_success:
        raise NotAnswered(f"it answers {response.status_code}")


def _number(response: httpx2.Response, header: str) -> int:
    value = response.headers.get(header, "")
    if (number := whole_number(value)) is None:
        raise NotAnswered("the response is not from Zotero's API")
    return number
