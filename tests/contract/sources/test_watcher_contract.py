"""What every watcher does."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from support.in_memory.watcher import ElapsedTime, InMemoryWatcher

from citeloom.application.ports.system import Watcher
from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.watch import FileWatcher

PATIENCE = 20.0


class Happening(Protocol):
    """Something happens to files; returns what is told of it, up to ``path``."""

    def __call__(self, does: Callable[[], object], path: Path) -> set[Path]: ...


def told_of(watcher: Watcher, path: Path) -> set[Path]:
    """Changes may come in several parts."""
    told: set[Path] = set()
    for _ in range(20):
        changed = watcher.wait(PATIENCE)
        assert changed, f"{path} is not told, but {told}"
        told |= changed
        if path in told:
            break
    return told


@pytest.fixture(params=["memory", "notices", "polling"])
def watcher(request: pytest.FixtureRequest) -> Iterator[Watcher]:
    if request.param == "memory":
        yield InMemoryWatcher(ElapsedTime())
        return
    polls = request.param == "polling"
    real = FileWatcher("always" if polls else "never", poll_seconds=0.1)
    yield real
    real.close()


@pytest.fixture
def happens(watcher: Watcher) -> Happening:
    def do(does: Callable[[], object], path: Path) -> set[Path]:
        def happened() -> list[Path]:
            does()
            return [path]

        if isinstance(watcher, InMemoryWatcher):
            watcher.at(0, happened)
        else:
            does()
        return told_of(watcher, path)

    return do


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "papers"
    (found / "deep").mkdir(parents=True)
    return found


def test_what_comes_changes_and_goes_below_a_folder_is_told(
    watcher: Watcher, happens: Happening, folder: Path
) -> None:
    path = folder / "deep" / "a.md"
    watcher.folder(folder)
    assert path in happens(lambda: path.write_text("one"), path)
    assert path in happens(lambda: path.write_text("longer"), path)
    assert path in happens(lambda: path.unlink(), path)


def test_a_file_that_is_replaced_is_told_and_its_neighbours_are_not(
    watcher: Watcher, happens: Happening, folder: Path
) -> None:
    path, other = folder / "library.bib", folder / "other.bib"
    watcher.file(path)
    happens(lambda: path.write_text("one"), path)

    def replaces() -> None:
        other.write_text("another one")
        other.replace(path)

    assert happens(replaces, path) == {path}


def test_waiting_ends_without_changes_at_the_timeout(watcher: Watcher, folder: Path) -> None:
    watcher.folder(folder)
    assert watcher.wait(0.0) == frozenset()


def test_a_folder_that_was_away_can_be_watched_again(
    watcher: Watcher, happens: Happening, folder: Path, tmp_path: Path
) -> None:
    watcher.folder(folder)
    assert watcher.is_there(folder)
    away = folder.rename(tmp_path / "away")
    assert not watcher.is_there(folder)
    away.rename(folder)
    assert watcher.is_there(folder)
    watcher.folder(folder)
    path = folder / "a.md"
    assert path in happens(lambda: path.write_text("one"), path)


def test_an_older_file_in_the_place_of_another_is_told(
    watcher: Watcher, happens: Happening, folder: Path
) -> None:
    path, older = folder / "a.md", folder.parent / "older.md"
    older.write_text("one")
    os.utime(older, ns=(1, 1))
    path.write_text("two")
    watcher.folder(folder)
    assert path in happens(lambda: older.replace(path), path)


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    watcher = FileWatcher()
    with pytest.raises(StorageFailed, match="cannot be watched"):
        watcher.folder(tmp_path / "none")


def test_folders_on_a_network_are_looked_at_again_and_again(folder: Path) -> None:
    asked: list[Path] = []
    watcher = FileWatcher(poll_seconds=0.1, remote=lambda path: not asked.append(path))
    watcher.folder(folder)
    path = folder / "a.md"
    path.write_text("one")
    assert path in told_of(watcher, path)
    assert asked == [folder]
    watcher.close()
