"""The project of a request: the one named, else the default, else the only one there is."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.application.ports.catalogue import Catalogue
from citeloom.domain.errors import ProjectNotFound, UsageError
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project_id import ProjectId


class ProjectNotChosen(UsageError):
    """A request names no project, none is configured, and there is not exactly one."""

    code = "MISSING_PARAMETER"

    def __init__(self, available_projects: Sequence[str]) -> None:
        known = ", ".join(available_projects)
        super().__init__(
            f"which project? there are {known}" if known else "there are no projects yet",
            NextStep(Action.CHOOSE_PROJECT if known else Action.CREATE_PROJECT),
            parameter="project",
            available_projects=list(available_projects),
        )


class DefaultProject(NamedTuple):
    """The configured project; ``origin`` says which setting names it, for messages."""

    project_id: ProjectId
    origin: str


class ProjectToFill(NamedTuple):
    """Where documents go. ``made_up``: the first project, which nobody has named."""

    project_id: ProjectId
    made_up: bool = False


class ProjectChoice:
    def __init__(self, *, catalogue: Catalogue, default: DefaultProject | None = None) -> None:
        self._catalogue = catalogue
        self._default = default

    def __call__(self, named: str | None) -> ProjectId:
        """``named`` is what the user wrote. Raises InvalidRequest; where it is None,
        ProjectNotChosen, and ProjectNotFound for a default that is gone."""
        if named is not None:
            return ProjectId.parse(named)
        chosen = self.default()
        if chosen is None:
            raise ProjectNotChosen(self._known())
        return chosen

    def default(self) -> ProjectId | None:
        """The configured project, else the only one; None where there are several or none.
        Raises ProjectNotFound."""
        known = self._known()
        if self._default is not None:
            project_id, origin = self._default
            if project_id.value not in known:
                raise ProjectNotFound(project_id.value, known, named_by=origin)
            return project_id
        return ProjectId(value=known[0]) if len(known) == 1 else None

    def to_fill(self, named: str | None, title: str) -> ProjectToFill:
        """The project that documents are added to; it need not exist. In a workspace without
        projects it is called after ``title``. Raises InvalidRequest, ProjectNotChosen."""
        if named is not None:
            return ProjectToFill(ProjectId.parse(named))
        if self._default is not None:
            return ProjectToFill(self._default.project_id)
        match self._known():
            case []:
                return ProjectToFill(ProjectId.from_title(title), made_up=True)
            case [only]:
                return ProjectToFill(ProjectId(value=only))
            case known:
                raise ProjectNotChosen(known)

    def _known(self) -> list[str]:
        return sorted(project.id.value for project in self._catalogue.projects())
