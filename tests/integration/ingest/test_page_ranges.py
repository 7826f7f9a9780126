"""Another page range reaches the stores on disk, also after a kill between two writes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.paged import DOI, labels_in_the_index, paper, titles_in_the_map
from support.world import World, an_item

from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.search.edge.collection import EdgeCollection
from citeloom.infrastructure.search.edge.index import EdgeIndex
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom.infrastructure.storage.catalogue import SqlCatalogue


def stores(root: Path) -> dict[str, Any]:
    return {
        "catalogue": SqlCatalogue(f"sqlite:///{root / 'catalogue.db'}"),
        "bundles": FileBundleStore(FolderBlobs(root / "bundles"), FolderBlobs(root / "maps")),
        "index": EdgeIndex(root / "index"),
    }


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    (tmp_path / "papers").mkdir()
    made = World(
        tmp_path / "papers",
        chunker=StructuralChunker(max_tokens=12, overlap_tokens=0),
        **stores(tmp_path),
    )
    paper(made)
    yield made
    close(made)


def close(world: World) -> None:
    world.index.close()
    world.catalogue.close()


def cite(world: World, page: str) -> str:
    return world.cite(an_item("szelkuti2022", DOI, page=page))


def reopened(world: World, root: Path) -> World:
    """What another process finds."""
    close(world)
    for name, store in stores(root).items():
        setattr(world, name, store)
    return world


def test_labels_change_on_disk_and_back_again(world: World, tmp_path: Path) -> None:
    world.ingest(references=cite(world, "127-129"))
    bundles = {path: path.read_bytes() for path in (tmp_path / "bundles").rglob("*.gz")}
    embedded = world.embedded
    for first in (301, 127):
        cite(world, f"{first}-{first + 2}")
        assert world.ingest().page_labels_updated == 1
        reopened(world, tmp_path)
        found = labels_in_the_index(world)
        assert found == {page: (str(first + page - 1),) for page in (1, 2, 3)}
        assert titles_in_the_map(world) == [f"Page {first + n}" for n in range(3)]
        (item, *_) = world.query("ponds", "page=1").items
        assert item.citation == f"[@szelkuti2022, p. {first}]"
    assert world.embedded == embedded
    assert {path: path.read_bytes() for path in bundles} == bundles


@pytest.mark.parametrize("page", ["301-303", "127-129"])
def test_a_kill_after_the_index_was_written_is_made_good(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    class Killed(BaseException):
        pass

    def killed(collection: EdgeCollection) -> None:
        raise Killed

    world.ingest(references=cite(world, "127-129"))
    cite(world, "301-303")
    with monkeypatch.context() as patched:
        patched.setattr(EdgeCollection, "flush", killed)
        with pytest.raises(Killed):
            world.ingest()
    reopened(world, tmp_path)
    cite(world, page)
    world.ingest()
    first = int(page[:3])
    assert labels_in_the_index(world) == {n: (str(first + n - 1),) for n in (1, 2, 3)}
    assert titles_in_the_map(world) == [f"Page {first + n}" for n in range(3)]
