"""Checks of a project, and what each says when it fails."""

import pytest
from support.world import HERE, PONDS, World

from citeloom.application.ports.ingest import SilentProgress
from citeloom.application.validation.checks import Status
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.messages import Action, NextStep


def failing(world: World) -> dict[str, tuple[Status, str, str]]:
    """Check: (status, message, guidance) of all that does not pass."""
    return {
        check.check: (check.status, check.message, check.guidance)
        for check in world.projects.validate(HERE).checks
        if check.status is not Status.PASS
    }


def test_a_sound_project_passes_every_check(library: World) -> None:
    validation = library.projects.validate(HERE)
    assert validation.ok
    assert {check.status for check in validation.checks} == {Status.PASS}
    assert {"embedding model", "references", "bundles", "index", "citations"} <= {
        check.check for check in validation.checks
    }


def test_validate_without_projects_says_how_to_make_one(world: World) -> None:
    catalogue, check = world.projects.validate().checks
    assert catalogue.status is Status.PASS
    assert check.status is Status.WARN
    assert check.guidance.next_step == NextStep(Action.CREATE_PROJECT)
    with pytest.raises(ProjectNotFound):
        world.projects.validate(HERE)


def test_another_model_fails_and_names_the_migration(library: World) -> None:
    project = library.catalogue.project(HERE)
    changed = project.embedding_model.model_copy(update={"digest": "f" * 64})
    library.catalogue.update_project(project.model_copy(update={"embedding_model": changed}))
    status, _, guidance = failing(library)["embedding model"]
    assert status is Status.FAIL
    step = NextStep(Action.MIGRATE_MODEL, project=str(HERE), model=changed.name)
    assert guidance.next_step == step


def test_a_reference_file_that_is_gone_fails_and_the_other_checks_go_on(library: World) -> None:
    library.references._libraries.clear()
    found = failing(library)
    assert {check: status for check, (status, *_) in found.items()} == {"references": Status.FAIL}


def test_a_project_without_references_is_warned_about(world: World) -> None:
    world.write("ponds.md", PONDS)
    world.ingest()
    found = failing(world)
    assert set(found) == {"citations"}
    status, message, guidance = found["citations"]
    assert status is Status.WARN
    assert message == "1 of 1 document has a provisional citation: anonndPonds"
    assert guidance.next_step == NextStep(Action.IDENTIFY, str(HERE))
    assert world.projects.validate(HERE).ok


def test_a_missing_conversion_fails(library: World) -> None:
    library.bundles.delete(library.stored()[0].document_id)
    status, message, guidance = failing(library)["bundles"]
    assert status is Status.FAIL
    assert library.stored()[0].sources[0].path in message
    assert guidance.next_step == NextStep(Action.REPAIR, str(HERE))


def test_passages_that_are_missing_fail_and_repair_brings_them_back(library: World) -> None:
    before = library.chunk_ids()
    library.index.drop(library.catalogue.project(HERE).collection)
    status, message, guidance = failing(library)["index"]
    assert status is Status.FAIL
    assert "its index is gone: it should hold" in message
    assert guidance.next_step == NextStep(Action.REPAIR, str(HERE))
    library.application.ingest.repair(HERE, SilentProgress())
    assert library.chunk_ids() == before
    assert failing(library) == {}


def test_passages_of_no_document_fail_and_repair_removes_them(library: World) -> None:
    library.catalogue.remove_documents(HERE, [library.stored()[0].document_id])
    status, message, _ = failing(library)["index"]
    assert status is Status.FAIL
    assert "1 document in the index, but not in the catalogue" in message
    library.application.ingest.repair(HERE, SilentProgress())
    assert set(failing(library)) == {"items without files"}


def test_a_document_without_text_is_warned_about(world: World) -> None:
    world.write("empty.txt", "\n \n")
    world.ingest()
    status, _, guidance = failing(world)["text"]
    assert status is Status.WARN
    assert "OCR" in guidance
