"""Which project a request means that names none."""

import pytest
from support.world import World

from citeloom.application.projects.projects import (
    DefaultProject,
    ProjectChoice,
    ProjectNotChosen,
    ProjectToFill,
)
from citeloom.domain.errors import InvalidRequest, ProjectNotFound
from citeloom.domain.messages import Action
from citeloom.domain.projects.project import ProjectId


def choice(world: World, *projects: str, default: str = "") -> ProjectChoice:
    for name in projects:
        world.application.projects.opener.create(ProjectId.parse(name))
    configured = DefaultProject(ProjectId.parse(default), "the file") if default else None
    return ProjectChoice(catalogue=world.catalogue, default=configured)


@pytest.mark.parametrize(
    ("projects", "default", "named", "meant"),
    [
        (["lit", "bio"], "bio", "lit", "local/lit"),
        (["lit", "bio"], "bio", None, "local/bio"),
        (["lit"], "", None, "local/lit"),
        (["lit"], "", "phd/other", "phd/other"),
    ],
)
def test_the_named_one_then_the_default_then_the_only_one(
    world: World, projects: list[str], default: str, named: str | None, meant: str
) -> None:
    choose = choice(world, *projects, default=default)
    assert choose(named).value == choose.to_fill(named, "papers").project_id.value == meant


def test_several_are_listed_where_none_is_the_default(world: World) -> None:
    choose = choice(world, "lit", "bio")
    assert choose.default() is None
    for ask in (lambda: choose(None), lambda: choose.to_fill(None, "papers")):
        with pytest.raises(ProjectNotChosen, match=r"local/bio, local/lit") as raised:
            ask()
        assert raised.value.next_step is not None
        assert raised.value.next_step.action is Action.CHOOSE_PROJECT


def test_an_empty_workspace_says_how_to_begin(world: World) -> None:
    with pytest.raises(ProjectNotChosen, match="no projects yet") as raised:
        choice(world)(None)
    assert raised.value.next_step is not None
    assert raised.value.next_step.action is Action.CREATE_PROJECT


@pytest.mark.parametrize(
    ("title", "called"),
    [
        ("papers", "local/papers"),
        ("My papers (2024)", "local/My-papers-2024"),
        ("Größe_und.Form", "local/Größe_und.Form"),
        ("...", "local/library"),
        ("", "local/library"),
        ("x" * 300, "local/library"),
    ],
)
def test_the_first_project_is_called_after_the_folder(
    world: World, title: str, called: str
) -> None:
    assert choice(world).to_fill(None, title) == ProjectToFill(ProjectId(value=called), True)


def test_a_default_that_is_not_there_yet_can_be_filled_but_not_asked(world: World) -> None:
    choose = choice(world, "lit", default="new")
    assert choose.to_fill(None, "papers") == ProjectToFill(ProjectId.parse("new"))
    with pytest.raises(ProjectNotFound, match=r"local/new \(the file\): no such project"):
        choose(None)


def test_what_is_no_name_is_refused(world: World) -> None:
    with pytest.raises(InvalidRequest, match="not a project id"):
        choice(world, "lit")("my papers")
