"""A library behind Zotero's API, whichever of the two it is."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple

import orjson

from citeloom.application.ports.library import LibraryStatus
from citeloom.domain.errors import InvalidRequest, LibraryUnavailable
from citeloom.domain.library.snapshot import (
    LibraryAttachment,
    LibraryRef,
    LibraryScope,
    LibrarySnapshot,
)
from citeloom.infrastructure.library.api.account import Forbidden, NotThere, ZoteroAccount
from citeloom.infrastructure.library.api.attachment_files import data_dir_in
from citeloom.infrastructure.library.api.cache import CachedLibrary
from citeloom.infrastructure.library.api.snapshot import LibraryReader, LibraryReading
from citeloom.infrastructure.library.atomic_writer import Whole
from citeloom.infrastructure.library.attachment_paths import FilePlaces
from citeloom.infrastructure.library.better_bibtex.key_cache import RememberedKeys
from citeloom.infrastructure.library.better_bibtex.rpc import BetterBibTeX
from citeloom.infrastructure.library.http_client import NotAnswered, Time
from citeloom.infrastructure.library.scope import chosen_libraries
from citeloom.infrastructure.library.snapshot import Counts, RawLibrary, assemble, count
from citeloom.infrastructure.references.fields.plain_text import note_field
from citeloom.infrastructure.references.formats.zotero_json import is_work

_CHILDREN = ("attachment", "note", "annotation")

Keys = Mapping[LibraryRef, Mapping[str, str]]


@dataclass(frozen=True)
class Means:
    """What a source works with: ``folder`` keeps what was read and fetched, written by
    ``whole``; ``better_bibtex`` is asked for citation keys, if there is one. ``timeout`` in
    seconds is that of one attempt at a request."""

    folder: Path
    whole: Whole
    better_bibtex: BetterBibTeX | None = None
    timeout: float = 30.0
    clock: Time = field(default_factory=Time)


class Session(NamedTuple):
    """Who answers now. ``versioned``: each change counts the library's version up."""

    account: ZoteroAccount
    reader: LibraryReader
    versioned: bool


class _Glance(NamedTuple):
    """A library without its items being asked for: ``mark`` is the same while it does not
    change, ``held`` what is known of it, if that is what it holds now."""

    mark: str
    version: int
    held: CachedLibrary | None


class ZoteroApi(ABC):
    """What the two have in common. Works that have no citation key in Zotero itself are
    looked up in Better BibTeX."""

    name: ClassVar[str]

    def __init__(self, place: str, means: Means) -> None:
        self.place = place.rstrip("/")
        self._means = means

    def status(self) -> LibraryStatus:
        """Of a library that was not read yet the numbers are the server's, which may count
        files and notes of items that are in the bin."""
        with self._told():
            session = self._session()
            glances, refused = _glances(session, _libraries(session))
            if refused and not glances:
                raise next(iter(refused.values()))
            counts = [_counts(session, one, glance.held) for one, glance in glances.items()]
        keys, notice = self._citation_keys(session, _held(glances))
        return LibraryStatus(
            name=self.name,
            place=self.place,
            state=_state({one.path: glance.mark for one, glance in glances.items()}, keys),
            libraries=[_at(one, glance.version) for one, glance in glances.items()],
            items=sum(each.items for each in counts),
            attachments=sum(each.attachments for each in counts),
            notes=sum(each.notes for each in counts),
            annotations=sum(each.annotations for each in counts),
            notices=(
                *(f"{one.name}: {error}" for one, error in refused.items()),
                *((notice,) if notice else ()),
            ),
        )

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        with self._told():
            session = self._session()
            libraries = _libraries(session)
            chosen = chosen_libraries(libraries, scope)
            readings, lost = _readings(session, chosen)
            broken = [f"{one.name}: {error}" for one, error in lost.items()]
            broken += [f"{one.name}: {r.incomplete}" for one, r in readings.items() if r.incomplete]
            others = [one for one in libraries if one not in readings and not broken]
            glances, _ = _glances(session, others)
        holdings = {one: reading.holding for one, reading in readings.items()}
        keys, notice = self._citation_keys(session, _held(glances) | holdings)
        try:
            found = assemble([_raw(one, held, keys) for one, held in holdings.items()], scope)
        except InvalidRequest as error:
            if broken:  # what is named may be in the part that did not come
                raise self._unavailable("; ".join(broken)) from error
            raise
        warnings = [f"{self.name}: not read whole: {reason}" for reason in broken]
        warnings += [notice] if notice else []
        marks = {one: _mark(session, held) for one, held in holdings.items()}
        marks |= {one: glance.mark for one, glance in glances.items()}
        in_order = {one.path: marks[one] for one in libraries if one in marks}
        return LibrarySnapshot(
            source=self.name,
            state=_state(in_order, keys) + (" incomplete" if broken else ""),
            scope=scope,
            complete=not broken,
            libraries=tuple(_at(one, held.version) for one, held in holdings.items()),
            **{**found._asdict(), "warnings": (*warnings, *found.warnings)},
        )

    def file(self, attachment: LibraryAttachment) -> Path | None:
        if attachment.path and (path := Path(attachment.path)).is_file():
            return path
        with self._told():
            return self._fetched(self._session(), attachment)

    def close(self) -> None:
        if self._means.better_bibtex is not None:
            self._means.better_bibtex.close()

    @abstractmethod
    def _session(self) -> Session:
        """Raises NotAnswered."""

    @abstractmethod
    def _fetched(self, session: Session, attachment: LibraryAttachment) -> Path | None:
        """The file, or None if it is not there. Raises NotAnswered."""

    @abstractmethod
    def _next_step(self, error: NotAnswered) -> str:
        """What a person can do about it."""

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except NotAnswered as error:
            raise self._unavailable(str(error), self._next_step(error)) from error

    def _unavailable(self, reason: str, step: str = "try again") -> LibraryUnavailable:
        return LibraryUnavailable(
            f"Zotero's {self.name} ({self.place}): {reason}; {step}", source=self.name
        )

    def _citation_keys(
        self, session: Session, libraries: Mapping[LibraryRef, CachedLibrary]
    ) -> tuple[Keys, str | None]:
        """Better BibTeX's keys of works that have none of Zotero's own, and a notice if it
        does not answer though it is needed."""
        wanted = {one: _keyless(holding) for one, holding in libraries.items()}
        asked = self._means.better_bibtex
        if asked is None or not any(wanted.values()):
            return {}, None
        name = f"{self.name.partition(' ')[0]}-{session.account.user}-citation-keys.json"
        remembered = RememberedKeys(asked, self._means.folder / name, self._means.whole)
        keys, reason = remembered.keys({one: list(works) for one, works in wanted.items()})
        if reason is None:
            return keys, None
        old = sum(len(found) for found in keys.values())
        without = sum(
            not in_extra
            for one, works in wanted.items()
            for key, in_extra in works.items()
            if key not in keys[one]
        )
        if not old and not without:
            return {}, None
        return keys, (
            f"Better BibTeX: {reason}; {old} items keep the citation keys that it gave them "
            f"before, {without} may have one that it does not tell: start Zotero with it"
        )


def _libraries(session: Session) -> list[LibraryRef]:
    return [LibraryRef(), *session.account.groups()]


def _readings(
    session: Session, chosen: tuple[LibraryRef, ...]
) -> tuple[dict[LibraryRef, LibraryReading], dict[LibraryRef, NotAnswered]]:
    """What came of each library, and why nothing came of others. Raises NotAnswered if
    nothing came at all."""
    readings: dict[LibraryRef, LibraryReading] = {}
    lost: dict[LibraryRef, NotAnswered] = {}
    for library in chosen:
        try:
            readings[library] = session.reader.read(library)
        except NotAnswered as error:
            lost[library] = error
    if lost and not readings:
        raise next(iter(lost.values()))
    return readings, lost


def _glances(
    session: Session, libraries: Sequence[LibraryRef]
) -> tuple[dict[LibraryRef, _Glance], dict[LibraryRef, NotAnswered]]:
    """Those that may be read, and why others may not: a key may be for some libraries only."""
    glances: dict[LibraryRef, _Glance] = {}
    refused: dict[LibraryRef, NotAnswered] = {}
    for library in libraries:
        try:
            glances[library] = _glance(session, library)
        except (Forbidden, NotThere) as error:
            refused[library] = error
    return glances, refused


def _glance(session: Session, library: LibraryRef) -> _Glance:
    if not session.versioned:
        reading = session.reader.read(library)
        if reading.incomplete:
            raise NotAnswered(reading.incomplete)
        holding = reading.holding
        return _Glance(_mark(session, holding), holding.version, holding)
    version = session.account.version(library)
    held = session.reader.held(library)
    return _Glance(str(version), version, held if held and held.version == version else None)


def _held(glances: Mapping[LibraryRef, _Glance]) -> dict[LibraryRef, CachedLibrary]:
    return {one: glance.held for one, glance in glances.items() if glance.held}


def _mark(session: Session, holding: CachedLibrary) -> str:
    if session.versioned:
        return str(holding.version)
    return _digest([holding.version, holding.items, holding.collections])


def _state(marks: Mapping[str, str], keys: Keys) -> str:
    told = {one.path: dict(found) for one, found in keys.items() if found}
    parts = [f"{path}@{mark}" for path, mark in marks.items()]
    return " ".join(parts + ([f"keys@{_digest(told)}"] if told else []))


def _digest(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _counts(session: Session, library: LibraryRef, held: CachedLibrary | None) -> Counts:
    if held:
        return count([RawLibrary(library, list(held.items.values()))])
    ask = session.account.count
    kinds = [ask(library, itemType=kind) for kind in _CHILDREN]
    return Counts(ask(library) - sum(kinds), *kinds)


def _keyless(holding: CachedLibrary) -> dict[str, bool]:
    """The works without a citation key of Zotero's own; whether there is one in "extra"."""
    return {
        key: bool(note_field(item.get("extra"), "citation key"))
        for key, item in holding.items.items()
        if is_work(item) and not item.get("deleted") and not item.get("citationKey")
    }


def _raw(library: LibraryRef, holding: CachedLibrary, keys: Keys) -> RawLibrary:
    """In the order in which they were added, however they came."""
    items = sorted(
        holding.items.values(), key=lambda item: (str(item.get("dateAdded") or ""), item["key"])
    )
    return RawLibrary(
        _at(library, holding.version),
        items,
        list(holding.collections.values()),
        keys.get(library, {}),
        FilePlaces(data_dir=data_dir_in(items)),
    )


def _at(library: LibraryRef, version: int) -> LibraryRef:
    return library.model_copy(update={"version": version})
