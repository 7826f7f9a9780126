"""Several reference files of a project."""

from pathlib import Path

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.domain.errors import InvalidRequest, ReferencesUnreadable

FIRST, SECOND = Path("/first.json"), Path("/second.json")


@pytest.fixture
def twice(world: World) -> World:
    """A project with two documents and two reference files, the second one added last."""
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.cite(an_item("ponds1", "10.5555/ponds"), path=FIRST)
    world.cite(an_item("grids2", "10.5555/grids"), path=SECOND)
    world.ingest(references=str(FIRST))
    world.ingest(references=(str(SECOND),))
    return world


def keys(world: World) -> set[str | None]:
    return {one.citation.citekey if one.citation else None for one in world.stored()}


def test_documents_are_cited_by_all_files_the_one_added_last_first(twice: World) -> None:
    assert keys(twice) == {"ponds1", "grids2"}
    assert twice.catalogue.project(HERE).reference_files == (SECOND, FIRST)
    twice.cite(
        an_item("grids2", "10.5555/grids"),
        an_item("ponds2", "10.5555/ponds", title="The paper ponds1"),
        path=SECOND,
    )
    result = twice.ingest()
    assert keys(twice) == {"ponds2", "grids2"}
    assert "first.json: 1 of 1 entry is in second.json too, which counts" in result.warnings
    assert twice.document("ponds1").citation is not None


def test_what_a_file_that_cannot_be_read_cites_stays(twice: World) -> None:
    twice.references._libraries.pop(FIRST)
    result = twice.ingest()
    assert any(one.startswith("citations stay as they are: first.json") for one in result.warnings)
    assert keys(twice) == {"ponds1", "grids2"}
    twice.write("reeds.md", "# Reeds\n\nThey stand in the water.\n")
    twice.ingest()
    assert keys(twice) == {"ponds1", "grids2", "anonndReeds"}


def test_a_file_is_dropped_by_the_end_of_its_path(twice: World) -> None:
    references = twice.projects.references
    assert references.drop(HERE, "first.json").reference_files == (SECOND,)
    twice.ingest()
    assert keys(twice) == {"anonndPonds", "grids2"}
    with pytest.raises(InvalidRequest, match=r"no reference files of .* it has /second.json"):
        references.drop(HERE, "first.json")
    assert references.drop(HERE, str(SECOND)).reference_files == ()


def test_only_a_readable_file_is_added(twice: World) -> None:
    with pytest.raises(ReferencesUnreadable):
        twice.projects.references.add(HERE, Path("/none.json"))
    again = twice.projects.references.add(HERE, FIRST)
    assert again.reference_files == (SECOND, FIRST)
