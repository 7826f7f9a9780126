"""remove: what goes, what stays, and files that go to the trash."""

from pathlib import Path

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.projects.projects import Removal
from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.domain.library import DocumentRole, LibraryRecord
from citeloom.domain.projects.project import ProjectId


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(references=[world.cite(an_item("ponds", "10.5555/ponds"))])
    return world


def plan(world: World, *names: str) -> Removal:
    return world.projects.remove.plan(HERE, names)


def paths(world: World) -> set[str]:
    return {Path(one.path).name for one in world.stored() if one.path}


def test_a_removed_paper_leaves_its_file_which_the_next_ingest_reads(library: World) -> None:
    removal = plan(library, "ponds")
    remove = library.projects.remove
    assert remove.returning(removal) == [library.folder / "ponds.md"]
    remove(removal, removal.name)
    assert paths(library) == {"grids.md"}
    assert (library.folder / "ponds.md").exists()
    library.ingest()
    assert paths(library) == {"grids.md", "ponds.md"}


def test_its_file_goes_to_the_trash_where_that_is_wanted(library: World) -> None:
    removal, remove = plan(library, "ponds"), library.projects.remove
    remove(removal, removal.name, remove.sources(removal))
    assert paths(library) == {"grids.md"}
    assert library.trash.files == {library.folder / "ponds.md": PONDS.encode()}
    library.ingest()
    assert paths(library) == {"grids.md"}


def test_without_a_trash_nothing_is_removed(library: World) -> None:
    library.trash.full = "there is no trash"
    with pytest.raises(StorageFailed, match="no trash"):
        library.projects.remove.sources(plan(library, "ponds"))
    assert paths(library) == {"grids.md", "ponds.md"}


def test_files_of_a_library_and_of_other_projects_stay(library: World) -> None:
    library.ingest(str(library.folder / "grids.md"), project_id=ProjectId.parse("other"))
    remove = library.projects.remove
    (grids,) = [one for one in library.stored() if one.path and one.path.endswith("grids.md")]
    with pytest.raises(InvalidRequest, match="another project"):
        remove.sources(plan(library, grids.document_id))
    held = LibraryRecord(role=DocumentRole.MAIN)
    library.catalogue.put_document(library.document("ponds").model_copy(update={"held": held}))
    with pytest.raises(InvalidRequest, match="Zotero"):
        remove.sources(plan(library, "ponds"))
