"""Library sources over Zotero's local API and its web API."""

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

import orjson

from citeloom.application.ports.library import LibraryStatus
from citeloom.domain.library import LibraryAttachment, LibraryRef, LibraryScope
from citeloom.infrastructure.references.fields.plain_text import note_field
from citeloom.infrastructure.references.formats.zotero_json import is_work
from citeloom.infrastructure.system.http_client import (
    ClientClock,
    NotAnswered,
    RetryPolicy,
    on_this_machine,
)

from .api_client import Forbidden, NotFound, ZoteroAccount
from .api_reading import CachedLibrary, LibraryCache, LibraryReader, LibraryReading
from .attachment_files import FileStore, data_dir_in, local_file
from .better_bibtex import BetterBibTeX, CitationKeyCache
from .raw_items import AttachmentFolders
from .snapshot import Counts, RawLibrary, chosen_libraries, count
from .source import RawReading, RawSource

_CHILDREN = ("attachment", "note", "annotation")

Keys = Mapping[LibraryRef, Mapping[str, str]]


@dataclass(frozen=True)
class ApiAccess:
    """How a source reaches the API: ``folder`` has the cache and downloaded files;
    ``better_bibtex``, if any, is queried for citation keys. ``timeout`` in seconds is that of
    one attempt."""

    folder: Path
    better_bibtex: BetterBibTeX | None = None
    timeout: float = 30.0
    clock: ClientClock = field(default_factory=ClientClock)


class Session(NamedTuple):
    """The API that answers now. ``versioned``: each change increments the version of the
    library."""

    account: ZoteroAccount
    reader: LibraryReader
    versioned: bool


class _LibraryVersion(NamedTuple):
    """A library without its items: ``fingerprint`` changes whenever the library does; ``cached`` is
    the cached library, if that is up to date."""

    fingerprint: str
    version: int
    cached: CachedLibrary | None


class ZoteroApi(RawSource):
    """Common part of both APIs. Citation keys missing in Zotero are looked up in Better BibTeX."""

    def __init__(self, place: str, access: ApiAccess) -> None:
        self.place = place.rstrip("/")
        self._access = access

    def status(self) -> LibraryStatus:
        """For a library not read yet the numbers are the server's, which may include files and
        notes of items in the trash."""
        with self._translated_errors():
            session = self._session()
            versions, refused = _library_versions(session, _libraries(session))
            if refused and not versions:
                raise next(iter(refused.values()))
            counts = [_counts(session, one, current.cached) for one, current in versions.items()]
        keys, notice = self._citation_keys(session, _cached_libraries(versions))
        return LibraryStatus(
            name=self.name,
            place=self.place,
            state=_state(
                {one.path: current.fingerprint for one, current in versions.items()}, keys
            ),
            libraries=[_with_version(one, current.version) for one, current in versions.items()],
            items=sum(each.items for each in counts),
            attachments=sum(each.attachments for each in counts),
            notes=sum(each.notes for each in counts),
            annotations=sum(each.annotations for each in counts),
            notices=(
                *(f"{one.name}: {error}" for one, error in refused.items()),
                *((notice,) if notice else ()),
            ),
        )

    def _read(self, scope: LibraryScope) -> RawReading:
        with self._translated_errors():
            session = self._session()
            libraries = _libraries(session)
            readings, failures = _readings(session, chosen_libraries(libraries, scope))
            incomplete = [f"{one.name}: {error}" for one, error in failures.items()]
            incomplete += [
                f"{one.name}: {r.incomplete}" for one, r in readings.items() if r.incomplete
            ]
            others = [one for one in libraries if one not in readings and not incomplete]
            versions, _ = _library_versions(session, others)
        contents = {one: reading.content for one, reading in readings.items()}
        keys, notice = self._citation_keys(session, _cached_libraries(versions) | contents)
        fingerprints = {one: _fingerprint(session, cached) for one, cached in contents.items()}
        fingerprints |= {one: current.fingerprint for one, current in versions.items()}
        in_order = {one.path: fingerprints[one] for one in libraries if one in fingerprints}
        return RawReading(
            _state(in_order, keys),
            [_raw(one, cached, keys) for one, cached in contents.items()],
            incomplete,
            [notice] if notice else [],
        )

    def file(self, attachment: LibraryAttachment) -> Path | None:
        if path := super().file(attachment):
            return path
        with self._translated_errors():
            return self._fetch(self._session(), attachment)

    def close(self) -> None:
        if self._access.better_bibtex is not None:
            self._access.better_bibtex.close()

    @abstractmethod
    def _session(self) -> Session:
        """Raises NotAnswered."""

    @abstractmethod
    def _fetch(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        """The file, or None if it is not there. Raises NotAnswered."""

    @abstractmethod
    def _next_step(self, error: NotAnswered) -> str:
        """What the user can do about it."""

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except NotAnswered as error:
            raise self._unavailable(str(error), self._next_step(error)) from error

    def _citation_keys(
        self, session: Session, libraries: Mapping[LibraryRef, CachedLibrary]
    ) -> tuple[Keys, str | None]:
        """Better BibTeX's keys of works without a key in Zotero, and a notice if it is needed but
        does not answer."""
        works_without_key = {one: _works_without_key(content) for one, content in libraries.items()}
        better_bibtex = self._access.better_bibtex
        if better_bibtex is None or not any(works_without_key.values()):
            return {}, None
        name = f"{self.name.partition(' ')[0]}-{session.account.user}-citation-keys.json"
        key_cache = CitationKeyCache(better_bibtex, self._access.folder / name)
        keys, reason = key_cache.keys(
            {one: list(works) for one, works in works_without_key.items()}
        )
        if reason is None:
            return keys, None
        old_count = sum(len(found_keys) for found_keys in keys.values())
        unknown = sum(
            not in_extra
            for one, works in works_without_key.items()
            for key, in_extra in works.items()
            if key not in keys[one]
        )
        if not old_count and not unknown:
            return {}, None
        return keys, (
            f"Better BibTeX: {reason}; {old_count} items keep the citation keys that it gave them "
            f"before, the keys of {unknown} are unknown; start Zotero with Better BibTeX"
        )


def _libraries(session: Session) -> list[LibraryRef]:
    return [LibraryRef(), *session.account.groups()]


def _readings(
    session: Session, chosen: tuple[LibraryRef, ...]
) -> tuple[dict[LibraryRef, LibraryReading], dict[LibraryRef, NotAnswered]]:
    """The readings by library, and the errors of the others. Raises NotAnswered if all failed."""
    readings: dict[LibraryRef, LibraryReading] = {}
    failures: dict[LibraryRef, NotAnswered] = {}
    for library in chosen:
        try:
            readings[library] = session.reader.read(library)
        except NotAnswered as error:
            failures[library] = error
    if failures and not readings:
        raise next(iter(failures.values()))
    return readings, failures


def _library_versions(
    session: Session, libraries: Sequence[LibraryRef]
) -> tuple[dict[LibraryRef, _LibraryVersion], dict[LibraryRef, NotAnswered]]:
    """The readable libraries, and the errors of the others: a key may be limited to some
    libraries."""
    versions: dict[LibraryRef, _LibraryVersion] = {}
    refused: dict[LibraryRef, NotAnswered] = {}
    for library in libraries:
        try:
            versions[library] = _library_version(session, library)
        except (Forbidden, NotFound) as error:
            refused[library] = error
    return versions, refused


def _library_version(session: Session, library: LibraryRef) -> _LibraryVersion:
    if not session.versioned:
        reading = session.reader.read(library)
        if reading.incomplete:
            raise NotAnswered(reading.incomplete)
        content = reading.content
        return _LibraryVersion(_fingerprint(session, content), content.version, content)
    version = session.account.version(library)
    cached = session.reader.cached(library)
    return _LibraryVersion(
        str(version), version, cached if cached and cached.version == version else None
    )


def _cached_libraries(
    versions: Mapping[LibraryRef, _LibraryVersion],
) -> dict[LibraryRef, CachedLibrary]:
    return {one: current.cached for one, current in versions.items() if current.cached}


def _fingerprint(session: Session, content: CachedLibrary) -> str:
    if session.versioned:
        return str(content.version)
    return _digest([content.version, content.items, content.collections])


def _state(fingerprints: Mapping[str, str], keys: Keys) -> str:
    keys_by_library = {
        one.path: dict(library_keys) for one, library_keys in keys.items() if library_keys
    }
    parts = [f"{path}@{fingerprint}" for path, fingerprint in fingerprints.items()]
    return " ".join(parts + ([f"keys@{_digest(keys_by_library)}"] if keys_by_library else []))


def _digest(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _counts(session: Session, library: LibraryRef, cached: CachedLibrary | None) -> Counts:
    if cached:
        return count([RawLibrary(library, list(cached.items.values()))])
    request_count = session.account.count
    kinds = [request_count(library, itemType=kind) for kind in _CHILDREN]
    return Counts(request_count(library) - sum(kinds), *kinds)


def _works_without_key(content: CachedLibrary) -> dict[str, bool]:
    """The works without a citation key in Zotero; whether "extra" has one."""
    return {
        key: bool(note_field(item.get("extra"), "citation key"))
        for key, item in content.items.items()
        if is_work(item) and not item.get("deleted") and not item.get("citationKey")
    }


def _raw(library: LibraryRef, content: CachedLibrary, keys: Keys) -> RawLibrary:
    """Items in the order in which they were added, whatever the order of the responses."""
    items = sorted(
        content.items.values(), key=lambda item: (str(item.get("dateAdded") or ""), item["key"])
    )
    return RawLibrary(
        _with_version(library, content.version),
        items,
        list(content.collections.values()),
        keys.get(library, {}),
        AttachmentFolders(data_dir=data_dir_in(items)),
    )


def _with_version(library: LibraryRef, version: int) -> LibraryRef:
    return library.model_copy(update={"version": version})


_API = "/api"
LOCAL_URL = "http://localhost:23119" + _API
# There is no limit, but Zotero builds a whole page before it sends any of it.
_LOCAL_PAGE = 1000
_CURRENT_USER = 0


class ZoteroLocalApi(ZoteroApi):
    """Requests need no key and no pauses (Zotero's documentation, "Local API").

    Zotero 10 and later increment a version with each change and give their database an id
    (``Zotero-Server-ID``), so that only changes are read. Earlier ones report the versions of the
    last sync, which local changes do not increment; there everything is read each time.
    """

    name: ClassVar[str] = "local API"

    def __init__(self, access: ApiAccess, place: str = LOCAL_URL) -> None:
        has_path = bool(urlsplit(place).path.strip("/"))
        super().__init__(place if has_path else place.rstrip("/") + _API, access)
        self._account = ZoteroAccount(
            self.place,
            RetryPolicy(timeout=access.timeout),
            access.clock,
            local=True,
            user=_CURRENT_USER,
            page=_LOCAL_PAGE,
        )

    @property
    def asks_network(self) -> bool:
        rpc = self._access.better_bibtex
        return not on_this_machine(self.place) or (rpc is not None and rpc.asks_network)

    def close(self) -> None:
        super().close()
        self._account.close()

    def _session(self) -> Session:
        server = self._account.root("").headers.get("zotero-server-id")
        self._account.server = server
        cache = LibraryCache(self._access.folder, f"local {server}") if server else None
        reader = LibraryReader(self._account, cache, lists_deletions=False)
        return Session(self._account, reader, versioned=server is not None)

    def _fetch(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        return local_file(session.account, attachment)

    def _next_step(self, error: NotAnswered) -> str:
        if isinstance(error, Forbidden):
            return (
                "switch on Settings → Advanced → Allow other applications on this computer to "
                "communicate with Zotero"
            )
        return "start Zotero 7 or later, or read its database"


WEB_URL = "https://api.zotero.org"
_WEB_PAGE = 100  # maximum of the API
_SECONDS_BETWEEN_REQUESTS = 0.5
_KEYS_PAGE = "zotero.org/settings/keys"


class ZoteroWebApi(ZoteroApi):
    """Sends at most two requests per second, requests only the changes of a cached library, and
    downloads files on demand. ``user`` is the number of the account; by default that of the key."""

    name: ClassVar[str] = "web API"

    def __init__(
        self,
        access: ApiAccess,
        *,
        api_key: str = "",
        user: int | None = None,
        place: str = WEB_URL,
    ) -> None:
        super().__init__(place, access)
        self._api_key, self._user = api_key, user
        self._account: ZoteroAccount | None = None

    @property
    def asks_network(self) -> bool:
        return True

    def close(self) -> None:
        super().close()
        if self._account is not None:
            self._account.close()

    def _session(self) -> Session:
        account = self._account = self._account or self._sign_in()
        rights = hashlib.sha256(self._api_key.encode()).hexdigest()
        origin = f"web {account.user}\n{self.place}\n{rights}"
        cache = LibraryCache(self._access.folder, origin)
        return Session(account, LibraryReader(account, cache, lists_deletions=True), True)

    def _sign_in(self) -> ZoteroAccount:
        if not self._api_key and self._user is None:
            raise Forbidden("the owner of the library is unknown")
        account = ZoteroAccount(
            self.place,
            RetryPolicy(timeout=self._access.timeout, interval=_SECONDS_BETWEEN_REQUESTS),
            self._access.clock,
            local=False,
            user=self._user or 0,
            api_key=self._api_key or None,
            page=_WEB_PAGE,
        )
        if self._user is None:
            try:
                account.user = int(account.root("keys/current").json()["userID"])
            except (NotFound, KeyError, TypeError, ValueError) as error:
                raise Forbidden("it does not know the key") from error
        return account

    def _fetch(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        folder = self._access.folder / "files"
        return FileStore(session.account, folder).file(attachment)

    def _next_step(self, error: NotAnswered) -> str:
        if isinstance(error, Forbidden):
            return (
                f"check zotero.api_key and zotero.user_id, and what the key may read ({_KEYS_PAGE})"
            )
        host = urlsplit(self.place).hostname
        return f"check that {host} can be reached and try again later, or read from this machine"
