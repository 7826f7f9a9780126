"""Changes at random, watched, add up to what a fresh ingest of the folder gives."""

import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.watches import Watched, export
from support.world import HERE, World, an_item

FOLDERS = ("", "in", "in/deep", "out")
SUBJECTS = ("ponds", "grids", "reeds", "eels", "weirs")


class Someone:
    """Writes, copies, renames and deletes files and folders, and cites them by new keys."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._random = random.Random(seed)
        self._made = 0

    def acts(self) -> list[Path]:
        """The paths that the system would tell."""
        act = self._random.choice(
            [self.writes, self.writes, self.copies, self.renames, self.deletes, self.moves,
             self.drops, self.cites]
        )  # fmt: skip
        return [path for path in act() if path]

    def pauses(self) -> float:
        return self._random.choice([0.0, 0.5, 1.5, 3.0, 10.0])

    def writes(self) -> Iterable[Path]:
        subject = self._random.choice(SUBJECTS)
        text = f"# On {subject} {self._made}\n\ndoi:10.5555/{subject}\n\nOf {subject} there.\n"
        return [self._world.write(str(self._place().relative_to(self._world.folder)), text)]

    def copies(self) -> Iterable[Path]:
        if (path := self._file()) is None:
            return []
        if (place := self._place()) == path:
            return []
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
        return [place]

    def renames(self) -> Iterable[Path]:
        if (path := self._file()) is None:
            return []
        place = self._place()
        place.parent.mkdir(parents=True, exist_ok=True)
        return [path, path.replace(place)]

    def deletes(self) -> Iterable[Path]:
        if (path := self._file()) is None:
            return []
        path.unlink()
        return [path]

    def moves(self) -> Iterable[Path]:
        if (folder := self._folder()) is None:
            return []
        self._made += 1
        return [folder, folder.rename(self._world.folder / f"moved {self._made}")]

    def drops(self) -> Iterable[Path]:
        if (folder := self._folder()) is None:
            return []
        shutil.rmtree(folder)
        return [folder]

    def cites(self) -> Iterable[Path]:
        self._made += 1
        subjects = self._random.sample(SUBJECTS, 3)
        items = [an_item(f"{one}{self._made}", f"10.5555/{one}") for one in subjects]
        return [export(self._world, *items)]

    def _place(self) -> Path:
        self._made += 1
        name = f"{self._random.randrange(6)}.md"
        return self._world.folder / self._random.choice(FOLDERS) / name

    def _file(self) -> Path | None:
        found = sorted(self._world.folder.rglob("[0-9].md"))
        return self._random.choice(found) if found else None

    def _folder(self) -> Path | None:
        found = sorted(one for one in self._world.folder.iterdir() if one.is_dir())
        return self._random.choice(found) if found else None


def held(world: World) -> set[tuple[str, str, str | None]]:
    """Content, path and citation key; a provisional key depends on the order of the documents."""
    return {
        (
            document.document_id,
            source.path,
            document.citation.citekey if document.citation and document.is_cited else None,
        )
        for document in world.stored()
        for source in document.sources
    }


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_the_project_is_in_step(world: World, seed: int) -> None:
    watched, someone = Watched(world), Someone(world, seed)
    path = export(world, an_item("first", "10.5555/ponds"))
    (world.folder / "stays.md").write_text("# Stays\n\nOf what stays there.\n")
    moment = 1.0
    for _ in range(60):
        watched.at(moment, someone.acts)
        moment += someone.pauses()
    watched.watch(world.folder, until=moment + 100, references=str(path))
    fresh = World(world.folder, references=world.references)
    fresh.ingest(references=str(path))
    assert held(world) == held(fresh)
    assert sorted(world.chunk_ids()) == sorted(fresh.chunk_ids())
    project = world.catalogue.project(HERE)
    with world.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        shown = {passage.source_path for passage in collection.passages()}
    assert shown <= {path for _, path, _ in held(world)}
    assert len(watched.runs) < 60
