"""The folders of a project that were ingested."""

from collections.abc import Sequence
from pathlib import Path

from citeloom.application.ports.catalogue import Catalogue
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project_id import ProjectId


def known_folders(catalogue: Catalogue, project_id: ProjectId) -> Sequence[Path]:
    """The folders of a project that were ingested; none of one that does not exist."""
    try:
        return catalogue.project(project_id).folders
    except ProjectNotFound:
        return ()
