"""Request of an ingest."""

from collections.abc import Mapping

from pydantic import Field

from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class IngestRequest(Value):
    """What to ingest, into which project.

    ``sources`` may be empty when only the references are to be read again. ``prune``
    removes documents whose files are gone from the given folders; ``force`` redoes all.
    ``gone`` are absolute paths of files or folders where, and below which, the same is done.
    ``sentences`` says whether the project has vectors of sentences from now on (None: as it is).
    ``passwords`` are by file name or pattern (``smith*.pdf``), ``password`` is tried on all
    others.
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
