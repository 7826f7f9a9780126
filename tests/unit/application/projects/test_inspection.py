"""Counts and samples of a project."""

import pytest
from support.world import HERE, World

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project import ProjectId

OTHER = ProjectId.parse("other")


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


def test_citations_of_the_catalogue_are_those_of_the_index(library: World) -> None:
    stored = {d.document_id: d.citation and d.citation.citekey for d in library.stored()}
    shown = {s["document_id"]: s["citekey"] for s in library.projects.inspect(HERE, None).samples}
    assert shown == stored
    assert set(stored.values()) == {"ponds", "grids"}
