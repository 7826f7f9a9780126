"""Repair: what is damaged is made again, and nothing else changes."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.in_memory.index import InMemoryIndex
from support.in_memory.stores import InMemoryBundleStore
from support.world import HERE, World

from citeloom.application.ingest.repair import Repaired, requests_of
from citeloom.application.ports.ingest import JournalEntry, SilentProgress
from citeloom.domain.errors import IndexUnavailable, StorageFailed
from citeloom.domain.messages import Action, NextStep


class DamagedIndex(InMemoryIndex):
    """The collection ``damaged`` cannot be opened until it is replaced."""

    damaged: str | None = None

    def open(self, collection, *, dimension, writing=False):
        if collection == self.damaged and self.exists(collection):
            raise IndexUnavailable(f"{collection}: damaged", NextStep(Action.REPAIR))
        return super().open(collection, dimension=dimension)

    def renewal(self, collection, *, dimension):
        renewal = super().renewal(collection, dimension=dimension)
        self.damaged = None
        return renewal


class DamagedBundles(InMemoryBundleStore):
    """Conversions of ``damaged`` documents cannot be read until they are saved again."""

    damaged: frozenset[str] = frozenset()

    def verify(self, document_id):
        return self.load(document_id) is not None

    def load(self, document_id, fingerprint=None):
        if document_id in self.damaged:
            raise StorageFailed(f"{document_id}: damaged")
        return super().load(document_id, fingerprint)

    def save(self, result, fingerprint):
        self.damaged = self.damaged - {result.doc_id}
        super().save(result, fingerprint)


def entry(project: str, **fields: object) -> JournalEntry:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    return JournalEntry(correlation_id="r", timestamp=when, project_id=project, **fields)


def test_a_lost_catalogue_is_asked_for_what_the_journal_stored() -> None:
    found = requests_of(
        [
            entry("local/a", source_path="/p/one.pdf", doc_id="1"),
            entry("local/a", source_path="/p/bad.pdf", errors=("damaged",)),
            entry("local/a", dense_model="old@3:ff", reference_files=("/p/old.bib",)),
            entry("local/b", dense_model="m@3:ff"),
            entry("local/a", source_path="/p/one.pdf", doc_id="2"),
            entry("local/a", source_path="/p/two.pdf", doc_id="3"),
            entry("local/a", dense_model="m@3:ff", reference_files=("/p/new.bib", "/p/old.bib")),
        ]
    )
    assert [one.model_dump(include={"sources", "references", "model"}) for one in found] == [
        {
            "sources": ("/p/one.pdf", "/p/two.pdf"),
            "references": ("/p/new.bib", "/p/old.bib"),
            "model": "m",
        }
    ]


def repair(world: World) -> Repaired:
    return world.application.ingest.repair(HERE, SilentProgress())


def contents(world: World) -> Mapping[str, Sequence[str]]:
    return {d.document_id: sorted(d.sources[0].path) for d in world.stored()}


def test_a_sound_project_is_left_alone(library: World) -> None:
    library.converter.seen.clear()
    embedded = library.embedded
    assert repair(library) == Repaired(project=str(HERE))
    assert (library.converter.seen, library.embedded) == ([], embedded)


def test_an_index_that_is_gone_is_built_from_the_conversions(library: World) -> None:
    before, stored = library.chunk_ids(), contents(library)
    library.converter.seen.clear()
    library.index.drop(library.catalogue.project(HERE).collection)
    repaired = repair(library)
    assert repaired.rebuilt
    assert (len(repaired.written), repaired.lost) == (2, ())
    assert (library.chunk_ids(), contents(library)) == (before, stored)
    assert library.converter.seen == []
    assert library.projects.validate(HERE, deep=True).ok
    assert library.ingest().chunks_written == 0
    assert {item.citekey for item in library.query("results").items} == {"ponds", "grids"}


def test_only_the_document_whose_passages_are_missing_is_written(library: World) -> None:
    lost, kept = library.stored()
    project = library.catalogue.project(HERE)
    with library.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        collection.delete_documents([lost.document_id])
    repaired = repair(library)
    assert (repaired.rebuilt, repaired.written) == (False, (lost.path,))
    assert library.projects.validate(HERE).ok
    assert kept in library.stored()


def test_a_damaged_conversion_is_made_from_the_file_and_the_index_stays(tmp_path: Path) -> None:
    bundles = DamagedBundles()
    world = World(tmp_path, bundles=bundles)
    world.write("a.md", "# A\n\nThe first paper has one result, which is small.\n")
    world.write("b.md", "# B\n\nThe second paper has another result, which is large.\n")
    world.ingest()
    before = world.chunk_ids()
    bundles.damaged = frozenset({world.stored()[0].document_id})
    path = world.stored()[0].path
    world.converter.seen.clear()
    repaired = repair(world)
    assert (repaired.rebuilt, repaired.converted, repaired.lost) == (False, (path,), ())
    assert world.converter.seen == [Path(str(path)).name]
    assert sorted(world.chunk_ids()) == sorted(before)
    assert world.projects.validate(HERE, deep=True).ok


def test_a_conversion_whose_file_is_gone_is_named_and_can_still_be_found(library: World) -> None:
    lost = library.stored()[0]
    library.bundles.delete(lost.document_id)
    Path(str(lost.path)).unlink()
    before = library.chunk_ids()
    repaired = repair(library)
    assert [one.document for one in repaired.lost] == [lost.path]
    assert library.chunk_ids() == before


def test_a_file_that_has_other_content_by_now_is_not_taken_for_the_lost_one(
    library: World,
) -> None:
    lost = library.stored()[0]
    library.bundles.delete(lost.document_id)
    library.write(Path(str(lost.path)).name, "# Another paper\n\nIt says something else.\n")
    repaired = repair(library)
    assert [one.document for one in repaired.lost] == [lost.path]
    assert lost.document_id in {d.document_id for d in library.stored()}


def test_a_bad_conversion_does_not_keep_a_damaged_index_from_the_other_papers(
    tmp_path: Path,
) -> None:
    bundles, index = DamagedBundles(), DamagedIndex()
    world = World(tmp_path, bundles=bundles, index=index)
    for name in "abc":
        world.write(f"{name}.md", f"# {name}\n\nPaper {name} has a result of its own.\n")
    world.ingest()
    bad = world.stored()[1]
    bundles.damaged, index.damaged = frozenset({bad.document_id}), HERE.collection
    Path(str(bad.path)).unlink()
    repaired = repair(world)
    assert repaired.rebuilt
    assert len(repaired.written) == 2
    assert [one.document for one in repaired.lost] == [bad.path]
    assert world.query("result").count == 2


def test_a_repair_that_fails_leaves_the_index_as_it_is(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = library.catalogue.project(HERE)
    renewal = library.index.renewal(project.collection, dimension=project.embedding_model.dimension)
    before = library.chunk_ids()
    with pytest.raises(RuntimeError), renewal:
        raise RuntimeError("killed")
    assert library.chunk_ids() == before


def test_a_map_that_is_gone_is_made_again(library: World) -> None:
    document = library.stored()[0]
    before = library.bundles.load_map(document.document_id)
    assert before is not None
    del library.bundles._maps[document.document_id[:16]]
    assert not library.projects.validate(HERE).ok
    assert repair(library).mapped == (document.path,)
    after = library.bundles.load_map(document.document_id)
    assert after is not None
    assert replace_time(after) == replace_time(before)


def replace_time(resource_map):
    return resource_map.model_copy(update={"created_at": None, "metadata": None})


def test_repair_brings_the_words_up_to_date_too(library: World) -> None:
    project = library.catalogue.project(HERE)
    library.catalogue.update_project(project.model_copy(update={"sparse_model": "bm25-v1:old"}))
    library.index.drop(project.collection)
    repair(library)
    assert library.catalogue.project(HERE).sparse_model == library.sparse.name


def test_the_damaged_index_of_a_model_not_in_use_is_deleted(tmp_path: Path) -> None:
    index = DamagedIndex()
    world = World(tmp_path, index=index)
    world.write("a.md", "# A\n\nThe first paper has one result, which is small.\n")
    world.ingest()
    world.projects.migration.migrate(HERE, world.embedder("other"), SilentProgress())
    [old] = world.catalogue.project(HERE).others
    index.damaged = old.collection
    assert not world.projects.validate(HERE).ok
    assert repair(world).dropped == (old.model.name,)
    assert world.projects.validate(HERE).ok
    assert world.query("result").count == 1


def test_passages_that_differ_from_their_document_are_written_again(library: World) -> None:
    project = library.catalogue.project(HERE)
    collection = library.index._collections[project.collection]
    point = next(iter(collection._points.values()))
    chunk = point.passage.chunk
    garbled = chunk.model_copy(update={"text": "x" * len(chunk.text)})
    point.passage = point.passage.model_copy(update={"chunk": garbled})
    check = next(c for c in library.projects.validate(HERE).checks if c.check == "index")
    assert "passages are not the text of the document" in check.message
    assert check.repairable
    assert len(repair(library).written) == 1
    assert library.projects.validate(HERE, deep=True).ok


def test_vectors_that_are_damaged_are_written_again(library: World) -> None:
    project = library.catalogue.project(HERE)
    collection = library.index._collections[project.collection]
    point = next(iter(collection._points.values()))
    point.dense = tuple(2 * value for value in point.dense)
    check = next(c for c in library.projects.validate(HERE).checks if c.check == "index")
    assert "vectors are damaged" in check.message
    assert len(repair(library).written) == 1
    assert library.projects.validate(HERE, deep=True).ok
