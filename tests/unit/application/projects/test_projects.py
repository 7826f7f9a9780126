"""Projects: made once, listed with their counts, deleted without a rest."""

from datetime import datetime

import pytest
from support.world import HERE, World

from citeloom.domain.errors import ProjectExists, ProjectNotFound
from citeloom.domain.projects.project import ProjectId

OTHER = ProjectId.parse("other")


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
