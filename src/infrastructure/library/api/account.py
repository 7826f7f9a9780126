"""One account's libraries over pyzotero: pages put together, at one version of a library."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
from pyzotero import errors as said
from pyzotero.zotero import Zotero

from citeloom.domain.library.snapshot import LibraryKind, LibraryRef
from citeloom.infrastructure.library.http_client import (
    CourteousClient,
    NotAnswered,
    RetryPolicy,
    Time,
)

LOCAL_FILE = "localFileUrl"
"""In a raw item: the ``file:`` address of a stored file, as the local API encloses it."""
_SINCE_HEADER = "If-Modified-Since-Version"
Raw = dict[str, Any]


class Forbidden(NotAnswered):
    """403 or 401: the key, or the settings of Zotero, do not let one in."""


class NotThere(NotAnswered):
    """404: no such library, file or endpoint."""


@dataclass
class Listing:
    """The objects of a listing by key, at ``version`` of the library. ``missing`` says in
    words why it is not the whole listing; ``moved``: another try may give the whole one,
    because the library changed meanwhile."""

    version: int
    objects: dict[str, Raw] = field(default_factory=dict)
    missing: str | None = None
    moved: bool = False


class ZoteroAccount:
    """``page`` objects are asked for at once. ``user`` is the number of the account: 0 for
    whoever uses Zotero on this machine. Methods raise NotAnswered or one of its kinds."""

    def __init__(
        self,
        address: str,
        pace: RetryPolicy,
        clock: Time,
        *,
        local: bool,
        user: int,
        api_key: str | None = None,
        page: int,
    ) -> None:
        self.client = CourteousClient(pace, clock, trust_env=not local)
        self.user = user
        self._page = page
        self._zotero = Zotero(user, "user", api_key, local=local, client=self.client)
        self._zotero.endpoint = address.rstrip("/")

    def root(self, path: str) -> httpx2.Response:
        """The answer to a request that belongs to no library, such as ``keys/current``."""
        zotero = self._zotero
        url = f"{zotero.endpoint}/{path}"
        with _in_words():
            response = self.client.get(url, headers=zotero.default_headers())
            refuse(response)
            return response

    def expect(self, server: str | None) -> None:
        """Let the local API refuse if it is not the ``server`` (its id) from now on."""
        self._zotero.server_id = server

    def at(self, path: str) -> str:
        return f"{self._zotero.endpoint}/{path}"

    def headers(self) -> dict[str, str]:
        """What the account's requests carry; for its own server only."""
        return self._zotero.default_headers()

    def groups(self) -> list[LibraryRef]:
        """The groups' libraries, by number; their versions are not known from here."""
        self._turn_to(LibraryRef())
        found: dict[int, LibraryRef] = {}
        start = 0
        while True:
            with _in_words():
                page = self._zotero.groups(limit=self._page, start=start)
                found |= {int(raw["id"]): _group(raw) for raw in page}
            start += len(page)
            if not page or not (self._zotero.links or {}).get("next"):
                return [found[number] for number in sorted(found)]

    def items(self, library: LibraryRef, *, since: int = 0) -> Listing:
        """All items, those in the bin included; with ``since`` those changed after that
        version, NotModified is raised if there is none."""
        zotero = self._zotero
        more = {"includeTrashed": 1, "sort": "dateAdded", "direction": "asc"}
        more |= {"since": since} if since else {}
        return self._read(library, zotero.items, more, unless=since)

    def collections(self, library: LibraryRef, *, since: int = 0) -> Listing:
        more = {"since": since} if since else {}
        return self._read(library, self._zotero.collections, more)

    def item_versions(self, library: LibraryRef) -> Listing:
        """The version of each item, those in the bin included, in one answer."""
        return self._versions(library, self._zotero.item_versions, includeTrashed=1)

    def collection_versions(self, library: LibraryRef) -> Listing:
        return self._versions(library, self._zotero.collection_versions)

    def deleted(self, library: LibraryRef, since: int) -> Listing:
        """Lists of keys by kind (``items``, ``collections``) that are gone for good."""
        self._turn_to(library)
        with _in_words():
            gone = self._zotero.deleted(since=since)
        return Listing(self._version(), {"deleted": dict(gone)})

    def version(self, library: LibraryRef) -> int:
        self._turn_to(library)
        with _in_words():
            return self._zotero.last_modified_version()

    def count(self, library: LibraryRef, **which: Any) -> int:
        """How many items there are, by the header of an answer with one of them."""
        self._turn_to(library)
        with _in_words():
            self._zotero.items(limit=1, **which)
        return self._total()

    def close(self) -> None:
        self.client.close()

    def _turn_to(self, library: LibraryRef) -> None:
        own = library.kind is LibraryKind.USER
        self._zotero.library_type = "users" if own else "groups"
        self._zotero.library_id = self.user if own else library.id
        # What a call that failed had asked for would go along with the next one.
        self._zotero.url_params = self._zotero.links = None

    def _versions(self, library: LibraryRef, ask: Callable[..., Any], **more: Any) -> Listing:
        self._turn_to(library)
        with _in_words():
            versions = ask(**more)
        return Listing(self._version(), {key: {"version": at} for key, at in versions.items()})

    def _read(
        self,
        library: LibraryRef,
        ask: Callable[..., Any],
        more: Mapping[str, Any],
        *,
        unless: int = 0,
    ) -> Listing:
        self._turn_to(library)
        pages: Listing | None = None
        start = 0
        while True:
            try:
                with _in_words(), self._if_modified_since(0 if pages else unless):
                    listed = ask(limit=self._page, start=start, **more)
                    found = {str(one["key"]): _data(one) for one in listed}
                version, total = self._version(), self._total()
            except NotAnswered as error:
                if pages is None:
                    raise
                pages.missing = f"page {start // self._page + 1}: {error}"
                return pages
            pages = pages or Listing(version)
            if version != pages.version:
                return replace(pages, missing="it changed while it was read", moved=True)
            pages.objects |= found
            start += len(listed)
            if not listed or (start >= total and not (self._zotero.links or {}).get("next")):
                break
        if len(pages.objects) != total:
            missing = f"{len(pages.objects)} came where it had said {total}"
            return replace(pages, missing=missing, moved=True)
        return pages

    def _version(self) -> int:
        return _number(self._zotero.request, "last-modified-version")

    def _total(self) -> int:
        return _number(self._zotero.request, "total-results")

    @contextmanager
    def _if_modified_since(self, version: int) -> Iterator[None]:
        if version:
            self.client.headers[_SINCE_HEADER] = str(version)
        try:
            yield
        finally:
            self.client.headers.pop(_SINCE_HEADER, None)


@contextmanager
def _in_words() -> Iterator[None]:
    """pyzotero's errors hold the address and the whole answer; what to say is shorter."""
    try:
        yield
    except said.UserNotAuthorisedError as error:
        raise Forbidden("it refuses (403)") from error
    except said.ResourceNotFoundError as error:
        raise NotThere("it knows of no such thing (404)") from error
    except said.ServerIDMismatchError as error:
        raise NotAnswered("another Zotero answers now than before") from error
    except said.PyZoteroError as error:
        lines = [line for line in str(error).splitlines() if line.startswith("Code:")]
        code = lines[0].removeprefix("Code:").strip() if lines else type(error).__name__
        raise NotAnswered(f"it answers {code}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise NotAnswered("its answer is none of Zotero's API") from error


def _data(raw: Mapping[str, Any]) -> Raw:
    """What an object says, and where the local API says that its file lies."""
    data = {**raw["data"], "key": str(raw["key"]), "version": int(raw["version"])}
    href = raw.get("links", {}).get("enclosure", {}).get("href")
    if isinstance(href, str) and href.startswith("file:"):
        data[LOCAL_FILE] = href
    return data


def _group(raw: Mapping[str, Any]) -> LibraryRef:
    number = int(raw["id"])
    name = str(raw["data"].get("name") or number)
    return LibraryRef(kind=LibraryKind.GROUP, id=number, name=name)


def refuse(response: httpx2.Response) -> None:
    """Raises NotAnswered, or one of its kinds, for any answer but a good one."""
    if response.status_code in (401, 403):
        raise Forbidden("it refuses (403)")
    if response.status_code == httpx2.codes.NOT_FOUND:
        raise NotThere("it knows of no such thing (404)")
    if not response.is_success:
        raise NotAnswered(f"it answers {response.status_code}")


def _number(response: httpx2.Response | None, header: str) -> int:
    value = "" if response is None else response.headers.get(header, "")
    if not value.isdecimal():
        raise NotAnswered("its answer is none of Zotero's API")
    return int(value)
