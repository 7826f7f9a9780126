"""Request of an ingest."""

from collections.abc import Mapping

from pydantic import Field

from citeloom.domain.documents.readable_folders import ReadableFolders
from citeloom.domain.projects import ProjectId
from citeloom.domain.value import Value


class IngestRequest(Value):
    """Sources to ingest into a project.

    ``sources`` may be empty to reread the references only. ``prune`` removes documents whose
    files are gone from the given folders; ``gone`` are absolute paths of deleted files or
    folders, which are pruned too; ``force`` redoes all. ``sentences`` turns sentence vectors of
    the project on or off (None: unchanged). ``passwords`` are by file name or pattern
    (``smith*.pdf``), ``password`` is tried on all others. With ``within`` files that lie
    elsewhere are left out, links followed.
    """

    project_id: ProjectId
    sources: tuple[str, ...]
    references: str | None = None
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool = False
    gone: tuple[str, ...] = ()
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)
    within: ReadableFolders | None = None
