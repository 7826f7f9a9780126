"""Folders that agents may have read."""

from pathlib import Path
from typing import Any

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.infrastructure.ingest.source_files import LocalFiles


def anywhere(catalogue: Any) -> FolderAccess:
    """Every file of this machine, for tests of something else."""
    return FolderAccess(
        files=LocalFiles(), catalogue=catalogue, configured=["/"], workspace=Path("/")
    )
