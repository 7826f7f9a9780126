"""Which jobs a principal sees, and which it may cancel."""

from citeloom.application.ports.catalogue import Catalogue
from citeloom.domain.projects.project_id import ProjectId
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.domain.access.rights import Rights

# Their states say nothing but what becomes of a project's documents; other jobs hold somebody's
# draft or question.
_OF_PROJECTS = frozenset({"ingest"})


class JobSight:
    """A principal sees its own jobs, and ingests into projects that it may read. A job of a
    project that may not be read any more is not seen. ``catalogue`` is that of the workspace."""

    def __init__(self, rights: CurrentRights, catalogue: Catalogue) -> None:
        self._rights = rights
        self._catalogue = catalogue

    @property
    def name(self) -> str:
        """The owner of new jobs."""
        return self._rights.name

    def sees(self, kind: str, project: str, owner: str) -> bool:
        rights = self._rights()
        if owner == rights.name:
            return not project or self._is_open(rights, ProjectId(value=project))
        if rights.is_administrator:
            return True
        return kind in _OF_PROJECTS and rights.may_read(ProjectId(value=project))

    def may_cancel(self, project: str, owner: str) -> bool:
        """Of one that is seen: its owner may, and the owners of its project."""
        rights = self._rights()
        if owner == rights.name or rights.is_administrator:
            return True
        return bool(project) and rights.may_change(ProjectId(value=project))

    def may_change(self, project: str) -> bool:
        """``project`` is any text that was asked for."""
        try:
            return self._rights().may_change(ProjectId(value=project))
        except ValueError:
            return False

    def _is_open(self, rights: Rights, project_id: ProjectId) -> bool:
        """Readable, or not there yet: the job creates it."""
        if rights.may_read(project_id):
            return True
        return all(one.id != project_id for one in self._catalogue.projects())
