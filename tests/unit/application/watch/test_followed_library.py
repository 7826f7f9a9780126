"""A project that is kept in step with a reader's library."""

from pathlib import Path

import pytest
from support.watches import INTERVAL, SETTLE, Watched
from support.world import World
from support.zotero.library import key
from support.zotero.shelves import Reader

from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.application.watch.request import Outcome
from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryScope, SyncRequest


@pytest.fixture
def watched(world: World, tmp_path: Path) -> Watched:
    reader = Reader(world, tmp_path / "Zotero")
    reader.paper(1, citationKey="ice")
    reader.shelve()
    return Watched(world, reader)


def reader_of(watched: Watched) -> Reader:
    assert watched.reader is not None
    return watched.reader


def moments(watched: Watched) -> list[float]:
    return [moment for moment, _ in watched.runs]


def test_a_library_that_tells_nothing_is_asked_and_read_when_it_is_otherwise(
    watched: Watched,
) -> None:
    reader = reader_of(watched)

    def adds() -> None:
        reader.paper(2, citationKey="mud")
        reader.shelve()

    def renames() -> None:
        reader.change(key(1, "W"), citationKey="frost")
        reader.shelve()

    def removes() -> None:
        reader.raw.pop(key(2, "W"))
        reader.raw.pop(key(2, "F"))
        reader.shelve()

    watched.at(40, adds)
    watched.at(100, renames)
    watched.at(160, removes)
    told = watched.watch()
    assert told == [
        "added 1.md → ice, 1 passage",
        "added 2.md → mud, 1 passage",
        "key changed ice → frost",
        "removed 2.md (mud)",
    ]
    assert moments(watched) == [0, 60, 120, 180]
    (where,) = [one for one in watched.told if one.outcome is Outcome.WATCHING]
    assert where.detail == f"asked every {INTERVAL:g} s"


def test_what_does_not_answer_is_told_once_and_asked_again(watched: Watched) -> None:
    library = reader_of(watched).library

    def opens() -> LibrarySource:
        if watched.clock.passed < 30 or 200 <= watched.clock.passed < 300:
            raise LibraryUnavailable("local API: no answer; start Zotero")
        return library

    watched.opens = opens
    unanswered = "failed library: local API: no answer; start Zotero; trying again in 5 s"
    assert watched.watch(until=400) == [unanswered, "added 1.md → ice, 1 passage", unanswered]
    assert moments(watched) == [35]


def test_what_did_not_come_whole_is_asked_for_again(watched: Watched) -> None:
    library = reader_of(watched).library
    library.broken = True
    watched.at(12, lambda: setattr(library, "broken", False))
    told = watched.watch(until=400)
    assert "the library was not read completely; nothing was removed" in told
    assert moments(watched) == [0, 5, 15]


def test_a_scope_that_is_named_is_meant_each_time(watched: Watched) -> None:
    reader = reader_of(watched)
    scope = LibraryScope(exclude_tags=("none",))
    watched.at(40, lambda: reader.paper(2) or reader.shelve())
    watched.watch(scope=scope)
    requests = [request for _, request in watched.runs]
    assert len(requests) == 2
    assert {one.scope for one in requests if isinstance(one, SyncRequest)} == {scope}


class Database:
    """A library whose place is a file."""

    name = "zotero.sqlite"
    asks_network = False

    def __init__(self, watched: Watched, place: Path) -> None:
        self._reader, self._place = reader_of(watched), place
        self.snapshot, self.file = self._reader.library.snapshot, self._reader.library.file
        self.asked = 0

    def status(self) -> LibraryStatus:
        self.asked += 1
        found = self._reader.library.status()
        return found.model_copy(update={"name": self.name, "place": str(self._place)})

    def close(self) -> None: ...


def test_a_database_is_read_when_its_files_have_come_to_rest(
    watched: Watched, tmp_path: Path
) -> None:
    reader, place = reader_of(watched), tmp_path / "zotero.sqlite"
    log = tmp_path / "zotero.sqlite-wal"
    place.write_bytes(b"database")
    watched.library_files = (place, log)
    database = Database(watched, place)
    watched.opens = lambda: database

    def writes(content: bytes) -> Path:
        reader.paper(2, citationKey="mud")
        reader.shelve()
        log.write_bytes(content)
        return log

    watched.at(10, lambda: writes(b"a transaction"))
    watched.at(11, lambda: writes(b"a transaction, and one more"))
    watched.at(50, lambda: log)
    told = watched.watch()
    assert told == ["added 1.md → ice, 1 passage", "added 2.md → mud, 1 passage"]
    assert moments(watched) == [0, 11 + SETTLE]


def test_a_database_that_never_rests_is_read_nevertheless(watched: Watched, tmp_path: Path) -> None:
    place = tmp_path / "zotero.sqlite"
    place.write_bytes(b"")
    watched.library_files = (place,)
    database = Database(watched, place)
    watched.opens = lambda: database

    def writes() -> Path:
        place.write_bytes(place.read_bytes() + b"more")
        return place

    for second in range(10, 70):
        watched.at(second, writes)
    watched.watch()
    assert moments(watched) == [0, 40, 71]
