"""Inspect, validate, repair, projects: what is stored, whether it fits, how it is mended."""

from datetime import datetime

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.ports.ingest import Silent
from citeloom.application.validation.checks import Status
from citeloom.domain.errors import ProjectExists, ProjectNotFound
from citeloom.domain.projects.project_id import ProjectId

OTHER = ProjectId.parse("other")


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(
        references=world.cite(an_item("ponds", "10.5555/ponds"), an_item("grids", "10.5555/grids"))
    )
    return world


def failing(world: World) -> dict[str, tuple[Status, str, str]]:
    """Check: (status, message, guidance) of all that does not pass."""
    return {
        check.check: (check.status, check.message, check.guidance)
        for check in world.projects.validate(HERE).checks
        if check.status is not Status.PASS
    }


# Inspect


def test_inspect_counts_what_is_there(library: World) -> None:
    seen = library.projects.inspect(HERE)
    assert (seen.documents, seen.cited_documents) == (2, 2)
    assert seen.chunks == len(library.chunk_ids())
    assert seen.model == "hashing"
    assert seen.references == "/library.json"
    assert {"year", "citekey", "section"} <= set(seen.indexed_fields)
    assert seen.samples == ()


@pytest.mark.parametrize("wanted", [0, 1, 2, 3, 99, None])
def test_inspect_shows_as_many_samples_as_asked_for(library: World, wanted: int | None) -> None:
    total = len(library.chunk_ids())
    samples = library.projects.inspect(HERE, wanted).samples
    assert len(samples) == (total if wanted is None else min(wanted, total))
    assert len({sample["chunk_id"] for sample in samples}) == len(samples)


def test_samples_are_whole_and_carry_their_slice(library: World) -> None:
    for sample in library.projects.inspect(HERE, None).samples:
        start, end = sample["char_span"]
        assert library.conversion(sample["document_id"]).plain_text[start:end] == sample["text"]
        assert not {"rank", "score"} & set(sample)


def test_inspect_of_an_empty_project_counts_nothing(world: World) -> None:
    world.projects.opener.create(HERE)
    assert (
        world.projects.inspect(HERE, None).chunks,
        world.projects.inspect(HERE, None).samples,
    ) == (0, ())
    with pytest.raises(ProjectNotFound):
        world.projects.inspect(OTHER)


# Validate


def test_a_sound_project_passes_every_check(library: World) -> None:
    validation = library.projects.validate(HERE)
    assert validation.ok
    assert {check.status for check in validation.checks} == {Status.PASS}
    assert {"embedding model", "references", "bundles", "index", "citations"} <= {
        check.check for check in validation.checks
    }


def test_validate_without_projects_says_how_to_make_one(world: World) -> None:
    (check,) = world.projects.validate().checks
    assert check.status is Status.WARN
    assert "citeloom ingest" in check.guidance
    with pytest.raises(ProjectNotFound):
        world.projects.validate(HERE)


def test_another_model_fails_and_names_the_migration(library: World) -> None:
    project = library.catalogue.project(HERE)
    changed = project.embedding_model.model_copy(update={"digest": "f" * 64})
    library.catalogue.update_project(project.model_copy(update={"embedding_model": changed}))
    status, _, guidance = failing(library)["embedding model"]
    assert status is Status.FAIL
    assert "project migrate" in guidance


def test_a_reference_file_that_is_gone_fails_and_the_other_checks_go_on(library: World) -> None:
    library.references._libraries.clear()
    found = failing(library)
    assert {check: status for check, (status, *_) in found.items()} == {"references": Status.FAIL}


def test_a_project_without_references_is_warned_about(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    found = failing(world)
    assert set(found) == {"references", "citations"}
    assert {status for status, *_ in found.values()} == {Status.WARN}
    assert "--references" in found["references"][2]
    assert "ponds.md" in found["citations"][1]
    assert world.projects.validate(HERE).ok


def test_a_missing_conversion_fails(library: World) -> None:
    library.bundles.delete(library.stored()[0].document_id)
    status, message, guidance = failing(library)["bundles"]
    assert status is Status.FAIL
    assert library.stored()[0].sources[0].path in message
    assert "--force" in guidance


def test_passages_that_are_missing_fail_and_repair_brings_them_back(library: World) -> None:
    before = library.chunk_ids()
    library.index.drop(library.catalogue.project(HERE).collection)
    status, message, guidance = failing(library)["index"]
    assert status is Status.FAIL
    assert "2 documents are not wholly in the index" in message
    assert "--repair" in guidance
    library.projects.repair(HERE, Silent())
    assert library.chunk_ids() == before
    assert failing(library) == {}


def test_passages_of_no_document_fail_and_repair_removes_them(library: World) -> None:
    library.catalogue.remove_documents(HERE, [library.stored()[0].document_id])
    status, message, _ = failing(library)["index"]
    assert status is Status.FAIL
    assert "1 documents in the index are not in the catalogue" in message
    library.projects.repair(HERE, Silent())
    assert set(failing(library)) == {"items without files"}


def test_a_document_without_text_is_warned_about(world: World) -> None:
    world.write("empty.txt", "\n \n")
    world.ingest()
    status, _, guidance = failing(world)["text"]
    assert status is Status.WARN
    assert "OCR" in guidance


# Repair


def test_repair_converts_nothing_and_keeps_citations(library: World) -> None:
    library.converter.seen.clear()
    repaired = library.projects.repair(HERE, Silent())
    assert (repaired.documents, repaired.missing) == (2, ())
    assert repaired.chunks == len(library.chunk_ids())
    assert library.converter.seen == []
    assert {item.citekey for item in library.query("results").items} == {"ponds", "grids"}


def test_repair_names_documents_whose_conversion_is_gone(library: World) -> None:
    lost = library.stored()[0]
    library.bundles.delete(lost.document_id)
    repaired = library.projects.repair(HERE, Silent())
    assert repaired.missing == (lost.sources[0].path,)
    assert repaired.documents == 1


def test_after_a_repair_the_next_ingest_has_nothing_to_do(library: World) -> None:
    library.projects.repair(HERE, Silent())
    assert library.ingest().chunks_written == 0


# Projects


def test_projects_are_listed_and_shown_with_their_counts(library: World) -> None:
    library.projects.opener.create(OTHER)
    listed = library.projects.projects.list()
    assert [project.id for project in listed] == ["local/other", "local/thesis"]
    assert (listed[1].documents, listed[1].chunks) == (2, len(library.chunk_ids()))
    assert library.projects.projects.show(HERE) == listed[1]
    assert isinstance(listed[0].created_at, datetime)


def test_a_project_is_created_once(world: World) -> None:
    world.projects.opener.create(HERE)
    with pytest.raises(ProjectExists):
        world.projects.opener.create(HERE)


def test_a_deleted_project_leaves_nothing_behind(library: World) -> None:
    ids = [document.document_id for document in library.stored()]
    collection = library.catalogue.project(HERE).collection
    assert library.projects.projects.delete(HERE).documents == 2
    assert not library.index.exists(collection)
    assert [library.bundles.load(one) for one in ids] == [None, None]
    with pytest.raises(ProjectNotFound):
        library.projects.projects.show(HERE)


def test_what_another_project_holds_too_stays(library: World) -> None:
    library.ingest(library.folder / "ponds.md", project_id=OTHER)
    library.projects.projects.delete(HERE)
    (document,) = library.catalogue.documents(OTHER)
    assert library.bundles.load(document.document_id) is not None
    assert library.query("ponds", project_id=OTHER).count > 0


def test_citations_of_the_catalogue_are_those_of_the_index(library: World) -> None:
    stored = {d.document_id: d.citation and d.citation.citekey for d in library.stored()}
    shown = {s["document_id"]: s["citekey"] for s in library.projects.inspect(HERE, None).samples}
    assert shown == stored
    assert set(stored.values()) == {"ponds", "grids"}


def test_repair_brings_the_words_up_to_date_too(library: World) -> None:
    project = library.catalogue.project(HERE)
    library.catalogue.update_project(project.model_copy(update={"sparse_model": "bm25-v1:old"}))
    library.projects.repair(HERE, Silent())
    assert library.catalogue.project(HERE).sparse_model == library.sparse.name
