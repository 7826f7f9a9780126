"""Repair: what is brought back without converting anything anew."""

from support.world import HERE, World

from citeloom.application.ports.ingest import SilentProgress


def test_repair_converts_nothing_and_keeps_citations(library: World) -> None:
    library.converter.seen.clear()
    repaired = library.projects.repair(HERE, SilentProgress())
    assert (repaired.documents, repaired.missing) == (2, ())
    assert repaired.chunks == len(library.chunk_ids())
    assert library.converter.seen == []
    assert {item.citekey for item in library.query("results").items} == {"ponds", "grids"}


def test_repair_names_documents_whose_conversion_is_gone(library: World) -> None:
    lost = library.stored()[0]
    library.bundles.delete(lost.document_id)
    repaired = library.projects.repair(HERE, SilentProgress())
    assert repaired.missing == (lost.sources[0].path,)
    assert repaired.documents == 1


def test_after_a_repair_the_next_ingest_has_nothing_to_do(library: World) -> None:
    library.projects.repair(HERE, SilentProgress())
    assert library.ingest().chunks_written == 0


def test_repair_brings_the_words_up_to_date_too(library: World) -> None:
    project = library.catalogue.project(HERE)
    library.catalogue.update_project(project.model_copy(update={"sparse_model": "bm25-v1:old"}))
    library.projects.repair(HERE, SilentProgress())
    assert library.catalogue.project(HERE).sparse_model == library.sparse.name
