"""Suggestions, cards and stored findings over the library in memory."""

from pathlib import Path

import pytest
from support.world import HERE, PONDS, World, an_item

from citeloom.application.ports.verification import DraftText
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.composition.application import Application

CLAIM = "The cooling falls with distance and is gone at one hundred metres."
DRAFT = DraftText(text=f"{CLAIM[:-1]} [@ponds]. Other words stand here [@nobody].\n")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    references = world.cite(an_item("ponds", "10.5555/ponds"), an_item("unread", "10.5555/unread"))
    world.ingest(references=references)
    return world


@pytest.fixture
def application(world: World) -> Application:
    return world.application


def test_findings_come_from_the_cache_alone(application: Application) -> None:
    stored = application.writing.findings
    assert stored.of(HERE, DRAFT) == ()
    checked = application.verification.verify(VerifyRequest(project_id=HERE, draft=DRAFT))
    found = stored.of(HERE, DRAFT)
    assert [one.finding.verdict for one in found] == [one.verdict for one in checked.findings]
    assert all(one.finding.cached for one in found)
    changed = DraftText(text=DRAFT.text.replace("Other", "New"))
    assert [one.finding.key for one in stored.of(HERE, changed)] == ["ponds"]


def test_a_check_that_is_stopped_keeps_what_it_has_found(application: Application) -> None:
    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        application.verification.verify(VerifyRequest(project_id=HERE, draft=DRAFT), stop)
    (first,) = application.writing.findings.of(HERE, DRAFT)
    assert first.finding.key == "ponds"
    assert first.finding.verdict is Verdict.SUPPORTED


def test_the_library_is_looked_at_again_when_asked(world: World, application: Application) -> None:
    views = application.writing.views
    before = views.view(HERE)
    assert views.refresh(HERE) is before
    world.write("more.md", PONDS.replace("Ponds", "More ponds").replace("ponds\n", "more\n"))
    world.ingest()
    assert views.view(HERE) is before
    assert views.refresh(HERE) is not before
    with pytest.raises(ProjectNotFound):
        views.view(ProjectId.parse("nowhere"))
