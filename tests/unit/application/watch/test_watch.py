"""A project that is kept in step with files and references."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.watches import INTERVAL, SETTLE, Watched, export
from support.world import GRIDS, PONDS, World, an_item

from citeloom.application.watch.request import Outcome
from citeloom.domain.errors import (
    CiteLoomError,
    InvalidRequest,
    InvalidSource,
    ReferencesUnreadable,
    ShardBusy,
)

REEDS = "# Reeds\n\nWhat lives in the reeds of a pond.\n"


@pytest.fixture
def watched(world: World) -> Watched:
    return Watched(world)


def removes(path: Path) -> Callable[[], Path]:
    def happens() -> Path:
        path.unlink()
        return path

    return happens


def times(watched: Watched) -> list[float]:
    return [moment for moment, _ in watched.runs]


def test_what_happens_to_files_is_done_and_told_a_line_each(watched: Watched) -> None:
    world, folder = watched.world, watched.world.folder
    first = world.write("grids.md", GRIDS)
    watched.at(10, lambda: world.write("ponds.md", PONDS))
    watched.at(20, lambda: world.write("ponds.md", PONDS + "\nAnd one more line.\n"))
    watched.at(30, lambda: [folder / "ponds.md", (folder / "ponds.md").rename(folder / "new.md")])
    watched.at(40, removes(first))
    told = watched.watch(folder)
    assert told == [
        "added grids.md → anonndGrid, 2 passages",
        "added ponds.md → anonndPonds, 3 passages",
        "updated ponds.md → anonndPonds, 3 passages",
        "moved ponds.md → new.md",
        "removed grids.md (anonndGrid)",
    ]
    assert times(watched) == [0, 10 + SETTLE, 20 + SETTLE, 30 + SETTLE, 40 + SETTLE]
    assert [Path(s.path).name for d in world.stored() for s in d.sources] == ["new.md"]
    assert world.query("cooling of ponds").items[0].source_path == str(folder / "new.md")


def test_only_what_changed_is_ingested(watched: Watched) -> None:
    world = watched.world
    world.write("grids.md", GRIDS)
    watched.at(10, lambda: world.write("ponds.md", PONDS))
    watched.watch(world.folder)
    (_, request) = watched.runs[-1]
    assert request.sources == (str(world.folder / "ponds.md"),)  # type: ignore[union-attr]


def test_a_file_that_is_being_written_is_left_until_it_rests(watched: Watched) -> None:
    world = watched.world
    watched.at(10, lambda: world.write("ponds.md", PONDS[:40]))
    watched.at(11, lambda: world.write("ponds.md", PONDS[:80]))

    def unnoticed() -> None:
        world.write("ponds.md", PONDS)

    watched.at(12.5, unnoticed)
    told = watched.watch(world.folder)
    assert told == ["added ponds.md → anonndPonds, 3 passages"]
    assert times(watched) == [11 + SETTLE + SETTLE]


def test_changes_during_a_run_are_taken_in_the_next(watched: Watched) -> None:
    world = watched.world
    world.write("ponds.md", PONDS)

    def meanwhile() -> None:
        watched.fails = lambda: None
        watched.at(watched.clock.passed, lambda: world.write("reeds.md", REEDS))
        watched.at(watched.clock.passed, lambda: world.write("grids.md", GRIDS))

    watched.fails = meanwhile
    watched.watch(world.folder)
    assert len(watched.runs) == 2
    assert len(world.stored()) == 3


def test_an_index_that_is_busy_is_told_once_and_asked_again_less_and_less_often(
    watched: Watched,
) -> None:
    world = watched.world
    watched.at(10, lambda: world.write("ponds.md", PONDS))

    def busy() -> None:
        if len(watched.runs) <= 3:
            raise ShardBusy("thesis: citeloom mcp holds the index; wait")

    watched.fails = busy
    told = watched.watch(world.folder)
    assert told == [
        "failed files: thesis: citeloom mcp holds the index; wait; trying again in 5 s",
        "added ponds.md → anonndPonds, 3 passages",
    ]
    assert times(watched) == [12, 17, 27, 47]


@pytest.mark.parametrize("error", [ReferencesUnreadable("bad"), InvalidSource("gone")])
def test_what_is_wrong_at_the_start_ends_it(watched: Watched, error: CiteLoomError) -> None:
    watched.world.write("ponds.md", PONDS)

    def fails() -> None:
        raise error

    watched.fails = fails
    with pytest.raises(type(error)):
        watched.watch(watched.world.folder)


def test_without_sources_the_ingested_folders_are_watched(watched: Watched) -> None:
    world = watched.world
    world.write("grids.md", GRIDS)
    world.ingest()
    watched.at(10, lambda: world.write("ponds.md", PONDS))
    assert watched.watch() == ["added ponds.md → anonndPonds, 3 passages"]


def test_what_is_not_there_or_nothing_at_all_cannot_be_watched(watched: Watched) -> None:
    with pytest.raises(InvalidRequest, match="nothing to watch"):
        watched.watch()
    with pytest.raises(InvalidSource):
        watched.watch(watched.world.folder / "none")
    with pytest.raises(InvalidSource):
        watched.watch(watched.world.folder, references="/none.bib")


def test_hidden_files_and_those_of_other_kinds_are_passed_over(watched: Watched) -> None:
    world = watched.world
    for name in (".hidden.md", "~$open.md", ".git/notes.md", "music.xyz"):
        watched.at(10, lambda name=name: world.write(name, PONDS))  # type: ignore[misc]
    assert watched.watch(world.folder) == []
    assert watched.runs == []


def test_a_file_that_was_only_looked_at_costs_nothing(watched: Watched) -> None:
    path = watched.world.write("ponds.md", PONDS)
    watched.at(10, lambda: path)
    watched.watch(watched.world.folder)
    assert len(watched.runs) == 1


def test_a_file_that_cannot_be_read_is_told_once_and_read_when_it_changes(
    watched: Watched,
) -> None:
    world = watched.world
    path = world.folder / "ponds.md"
    watched.at(10, lambda: world.write("ponds.md", ""))
    watched.at(20, lambda: path)
    watched.at(30, lambda: world.write("ponds.md", PONDS))
    told = watched.watch(world.folder)
    assert [one.split()[0] for one in told] == ["failed", "project", "added"]
    assert "was not kept" in told[1]
    assert times(watched) == [12, 32]


def test_a_folder_that_comes_or_goes_at_once_is_looked_through(
    watched: Watched, tmp_path: Path
) -> None:
    world, folder = watched.world, watched.world.folder
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ponds.md").write_text(PONDS)
    watched.at(10, lambda: outside.rename(folder / "in"))
    watched.at(20, lambda: [folder / "in", (folder / "in").rename(folder / "on")])
    watched.at(30, lambda: shutil.rmtree(folder / "on") or folder / "on")
    told = watched.watch(folder)
    assert told == [
        "added ponds.md → anonndPonds, 3 passages",
        f"moved {folder}/in/ponds.md → {folder}/on/ponds.md",
        "removed ponds.md (anonndPonds)",
    ]
    assert world.converter.seen == ["ponds.md"]


def test_of_a_folder_that_is_away_nothing_is_removed(watched: Watched, tmp_path: Path) -> None:
    world, folder = watched.world, watched.world.folder
    path = world.write("ponds.md", PONDS)
    unplugged = tmp_path / "unplugged"

    def unplug() -> list[Path]:
        folder.rename(unplugged)
        return [folder, path]

    def plug() -> None:
        unplugged.rename(folder)
        world.write("reeds.md", REEDS)

    watched.at(10, unplug)
    watched.at(50, plug)
    told = watched.watch(folder)
    assert told[1:] == [
        f"failed {folder.name}: the folder is missing; its papers stay, and it is checked "
        f"again; trying again in {INTERVAL:g} s",
        "added reeds.md → anonndReeds, 1 passage",
    ]
    assert len(world.stored()) == 2


def test_of_another_disk_in_a_folders_place_nothing_is_removed(watched: Watched) -> None:
    folder = watched.world.folder
    path = watched.world.write("ponds.md", PONDS)

    def unmount() -> Path:
        path.unlink()
        watched.watcher.away.add(folder)
        return path

    watched.at(10, unmount)
    watched.watch(folder, until=20)
    assert len(watched.world.stored()) == 1


def test_what_went_while_nobody_watched_leaves_unless_all_of_it_did(watched: Watched) -> None:
    world, folder = watched.world, watched.world.folder
    gone, last = world.write("ponds.md", PONDS), world.write("grids.md", GRIDS)
    world.ingest()
    gone.unlink()
    assert watched.watch(folder, until=5) == ["removed ponds.md (anonndPonds)"]
    last.unlink()
    again = Watched(world)
    assert again.watch(folder, until=5) == []
    assert len(world.stored()) == 1


def test_a_file_that_was_named_is_followed_and_its_document_stays(watched: Watched) -> None:
    world = watched.world
    path = world.write("ponds.md", PONDS)
    watched.at(10, lambda: world.write("grids.md", GRIDS))
    watched.at(20, removes(path))
    told = watched.watch(path)
    assert told[1:] == ["failed ponds.md: the file is gone; its document stays"]
    assert len(world.stored()) == 1


def test_references_are_followed_and_a_changed_key_is_told(watched: Watched) -> None:
    world = watched.world
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    path = export(world, an_item("weir", "10.5555/ponds"))
    watched.at(10, lambda: export(world, an_item("wier2020", "10.5555/ponds")))
    watched.at(
        20,
        lambda: export(
            world, an_item("wier2020", "10.5555/ponds"), an_item("quill", "10.5555/grids")
        ),
    )
    told = watched.watch(world.folder, references=str(path))
    assert told == [
        "added grids.md → anonndGrid, 2 passages",
        "added ponds.md → weir, 3 passages",
        "key changed weir → wier2020",
        "key changed anonndGrid → quill",
    ]
    assert len(world.converter.seen) == 2


def test_remembered_references_are_watched_without_being_named(watched: Watched) -> None:
    world = watched.world
    world.write("ponds.md", PONDS)
    path = export(world, an_item("weir", "10.5555/ponds"))
    world.ingest(references=str(path))
    watched.at(10, lambda: export(world, an_item("other", "10.5555/ponds")))
    assert watched.watch() == ["key changed weir → other"]
    told = [one.what for one in watched.told if one.outcome is Outcome.WATCHING]
    assert told == [str(path), str(world.folder)]


def test_references_that_are_half_written_hold_up_nothing_and_are_read_again(
    watched: Watched,
) -> None:
    world = watched.world
    path = export(world, an_item("weir", "10.5555/ponds"))
    world.write("ponds.md", PONDS)

    def breaks() -> Path:
        watched.fails = fails
        return world.write("../library.json", "[{").resolve()

    def fails() -> None:
        if watched.runs[-1][1].references:  # type: ignore[union-attr]
            raise ReferencesUnreadable(f"{path}: line 3: cut short; export it again")

    def mends() -> Path:
        watched.fails = lambda: None
        return export(world, an_item("other", "10.5555/ponds"))

    watched.at(10, breaks)
    watched.at(11, lambda: world.write("reeds.md", REEDS))
    watched.at(100, mends)
    told = watched.watch(world.folder, references=str(path))
    assert told[1:] == [
        f"failed library.json: {path}: line 3: cut short; export it again; trying again in 5 s",
        "added reeds.md → anonndReeds, 1 passage",
        "key changed weir → other",
    ]
    assert times(watched)[-1] == 100 + SETTLE


def test_references_that_are_gone_leave_citations_as_they_are(watched: Watched) -> None:
    world = watched.world
    world.write("ponds.md", PONDS)
    path = export(world, an_item("weir", "10.5555/ponds"))
    watched.at(10, removes(path))
    told = watched.watch(world.folder, references=str(path))
    assert told[1:] == ["failed library.json: the file is gone; citations stay as they are"]
    assert [d.citation.citekey for d in world.stored() if d.citation] == ["weir"]


def test_references_that_come_back_with_their_folder_are_read_again(watched: Watched) -> None:
    world = watched.world
    world.write("ponds.md", PONDS)
    path = export(world, an_item("weir", "10.5555/ponds"))
    watched.at(10, removes(path))

    def comes_back() -> None:
        export(world, an_item("other", "10.5555/ponds"))

    watched.at(20, comes_back)
    told = watched.watch(world.folder, references=str(path))
    assert told[2:] == ["key changed weir → other"]
    assert times(watched)[-1] == 12 + INTERVAL + SETTLE
