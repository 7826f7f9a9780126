"""The weights of words follow the mean length of passages, whatever interrupts."""

from itertools import count
from pathlib import Path

import pytest
from support.in_memory.index import InMemoryCollection
from support.world import GRIDS, HERE, PONDS, World

from citeloom.application.index.passage_writer import sparse_text
from citeloom.application.ports.index import SparseVector
from citeloom.domain.projects.project import Lengths


@pytest.fixture
def here(tmp_path: Path) -> World:
    return World(tmp_path)


def lengths(here: World) -> Lengths:
    return here.catalogue.project(HERE).retrieval.lengths


def vectors(here: World) -> dict[str, dict[int, float]]:
    project = here.catalogue.project(HERE)
    with here.index.open(project.collection, dimension=64) as collection:
        return {id: dict(point.sparse) for id, point in collection._points.items()}


def expected(here: World, average: float) -> dict[str, dict[int, float]]:
    project = here.catalogue.project(HERE)
    with here.index.open(project.collection, dimension=64) as collection:
        passages = list(collection.passages())
    found = {}
    for each in passages:
        (vector,) = here.sparse.embed([sparse_text(each)], each.language, average)
        found[each.chunk.id] = dict(zip(vector.indices, vector.values, strict=True))
    return found


def test_the_first_ingest_measures_and_all_are_weighed_by_it(here: World) -> None:
    here.write("ponds.md", PONDS)
    here.ingest()
    assert lengths(here).settled
    assert 1 <= lengths(here).average < 60
    assert lengths(here).measured == sum(d.chunks for d in here.stored())
    assert vectors(here) == expected(here, lengths(here).average)


def test_growth_is_measured_and_small_growth_is_not(here: World, monkeypatch) -> None:
    here.write("ponds.md", PONDS)
    here.ingest()
    first = lengths(here)
    for n in range(6):
        long = "Evening temperatures fell beside every measured pond. " * 40
        here.write(f"long{n}.md", f"# Long {n}\n\n{n} {long}")
    here.ingest()
    second = lengths(here)
    assert second.average > 1.1 * first.average
    assert vectors(here) == expected(here, second.average)
    monkeypatch.setattr(
        here.sparse, "length", lambda *_: pytest.fail("measured without need"), raising=True
    )
    here.write("grids.md", GRIDS)
    here.ingest()
    assert lengths(here) == second
    assert vectors(here) == expected(here, second.average)


def test_measuring_is_linear_in_what_is_ingested(here: World, monkeypatch) -> None:
    measured = count()
    length = here.sparse.length
    monkeypatch.setattr(
        here.sparse, "length", lambda *args: (next(measured), length(*args))[1], raising=True
    )
    passages = 0
    for n in range(40):
        here.write(f"{n}.md", f"# Number {n}\n\nA pond, number {n}, was measured there.")
        here.ingest()
        passages = sum(d.chunks for d in here.stored())
    assert next(measured) <= 4 * passages


@pytest.mark.parametrize("killed_at", [0, 1, 2])
def test_an_interrupted_weighing_is_completed_by_the_next_run(
    here: World, monkeypatch, killed_at: int
) -> None:
    here.write("ponds.md", PONDS)
    here.write("grids.md", GRIDS)
    here.write("other.md", "# Other\n\nSomething quite different was found in the soil.")
    calls = count()
    write = InMemoryCollection.set_sparse

    def killed(collection: InMemoryCollection, new: dict[str, SparseVector]) -> None:
        if next(calls) == killed_at:
            raise KeyboardInterrupt
        write(collection, new)

    with monkeypatch.context() as patched:
        patched.setattr(InMemoryCollection, "set_sparse", killed)
        with pytest.raises(KeyboardInterrupt):
            here.ingest()
    assert not lengths(here).settled
    here.ingest()
    assert lengths(here).settled
    assert vectors(here) == expected(here, lengths(here).average)


def test_another_run_that_changed_the_average_meanwhile(here: World) -> None:
    here.write("ponds.md", PONDS)
    here.ingest()
    project = here.catalogue.project(HERE)
    changed = lengths(here).model_copy(update={"average": 77.0})
    retrieval = project.retrieval.model_copy(update={"lengths": changed})
    here.catalogue.update_project(project.model_copy(update={"retrieval": retrieval}))
    assert here.projects.term_weights.update_average(project), "it wrote with the old average"
    assert vectors(here) == expected(here, 77.0)
    assert not here.projects.term_weights.update_average(here.catalogue.project(HERE))


def test_words_of_an_earlier_version_are_renewed_without_embedding(here: World) -> None:
    here.write("ponds.md", PONDS)
    here.ingest()
    project, [document] = here.catalogue.project(HERE), here.stored()
    dense, words, *rest = document.embedding.split("|")
    old = document.model_copy(update={"embedding": "|".join([dense, "bm25-v1:old", *rest])})
    here.catalogue.put_document(old)
    here.catalogue.update_project(project.model_copy(update={"sparse_model": "bm25-v1:old"}))
    true = vectors(here)
    with here.index.open(project.collection, dimension=64) as collection:
        collection.set_sparse({id: SparseVector([1], [1.0]) for id in true})
    asked = here.query("cooling")
    assert any("earlier version" in warning for warning in asked.warnings)
    before, converted = here.embedded, list(here.converter.seen)
    [report] = here.ingest().documents
    assert report.status == "unchanged"
    assert (here.embedded, here.converter.seen) == (before, converted)
    assert vectors(here) == true
    assert here.stored()[0].embedding.split("|")[1] == words
    assert here.catalogue.project(HERE).sparse_model == words
    assert not here.query("cooling").warnings


def test_title_and_headings_are_fields_and_counted_once(here: World) -> None:
    here.write("ponds.md", PONDS)
    here.ingest()
    project = here.catalogue.project(HERE)
    with here.index.open(project.collection, dimension=64) as collection:
        texts = [sparse_text(passage) for passage in collection.passages()]
    assert {text.title for text in texts} == {"Ponds cool the street"}
    assert not any(text.body.startswith(("Ponds cool", "Methods", "Results")) for text in texts)
    assert any("Results" in text.headings for text in texts)
    assert not any("Ponds cool" in text.headings for text in texts)
