"""The facade: the verbs of one workspace, by capability."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.settings.settings import load_configuration
from citeloom.infrastructure.system.files import public_mode, write_atomic
from citeloom.infrastructure.system.workspace import SETTINGS, find_workspace

from .models import ModelVerbs
from .search import SearchVerbs
from .workspace import Overrides, Stores, lazy, verbs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from citeloom.application.documents.folder_access import FolderAccess
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.backup import WorkspaceBackups
    from citeloom.infrastructure.settings.settings import Configuration
    from citeloom.infrastructure.system.workspace import Workspace

    from .citation import CitationVerbs
    from .ingest import IngestVerbs
    from .library import LibraryVerbs
    from .maps import MapVerbs, ResourceVerbs
    from .projects import ProjectVerbs
    from .research import ResearchVerbs
    from .verification import VerificationVerbs, WritingVerbs


class Application:
    """The verbs of one workspace. A capability is imported when it is first asked for, so that
    a query never loads what only an ingest needs. ``owner`` names this process to others that
    wait for a lock. Relative paths of documents begin in ``folder``."""

    def __init__(
        self,
        workspace: "Workspace",
        configuration: "Configuration",
        *,
        owner: str = "citeloom",
        overrides: Overrides = Overrides(),
        folder: Path | None = None,
    ) -> None:
        self.workspace = workspace
        self.configuration = configuration
        self.settings = configuration.settings
        self.stores = Stores(
            workspace, self.settings, owner=owner, overrides=overrides, folder=folder
        )
        self.models = ModelVerbs(self.stores)
        self.search = SearchVerbs(self.stores, self.models)

    projects: "ProjectVerbs" = verbs("projects:ProjectVerbs")
    ingest: "IngestVerbs" = verbs("ingest:IngestVerbs")
    library: "LibraryVerbs" = verbs("library:LibraryVerbs")
    citation: "CitationVerbs" = verbs("citation:CitationVerbs")
    maps: "MapVerbs" = verbs("maps:MapVerbs")
    resources: "ResourceVerbs" = verbs("maps:ResourceVerbs")
    verification: "VerificationVerbs" = verbs("verification:VerificationVerbs")
    writing: "WritingVerbs" = verbs("verification:WritingVerbs")

    @lazy
    def research(self) -> "ResearchVerbs":
        from .research import ResearchVerbs

        return ResearchVerbs(
            self.stores, self.models, self.search, self.citation, lambda: self.verification
        )

    def check_filling(self, project_id: "ProjectId") -> None:
        """Raises NotPermitted where the caller may not add documents to a project."""

    @lazy
    def folders(self) -> "FolderAccess":
        """The folders that agents may have read."""
        from citeloom.application.documents.folder_access import FolderAccess

        return FolderAccess(
            files=self.stores.files,
            catalogue=self.stores.catalogue,
            configured=self.settings.mcp.folders,
            workspace=self.workspace.root,
        )

    @lazy
    def backups(self) -> "WorkspaceBackups":
        from citeloom.infrastructure.backup import WorkspaceBackups

        return WorkspaceBackups(
            self.workspace,
            self.stores.edge_index,
            catalogue_is_here=self.stores.catalogue_is_here,
            shared_files=self.settings.storage.url,
            projects=self.stores.catalogue.projects,
        )

    def save(self, path: Path, content: str | bytes, *, replace: bool = True) -> None:
        """Write a file whole or not at all. Raises StorageFailed, and InvalidRequest where the
        path is not a file, or exists and is not to be replaced."""
        if path.exists() and not path.is_file():
            raise InvalidRequest(f"{path}: is not a file; choose another path", parameter="output")
        if not replace and os.path.lexists(path):
            raise InvalidRequest(f"{path}: exists; --force replaces it", parameter="output")
        data = content.encode("utf-8") if isinstance(content, str) else content
        write_atomic(path, data, mode=public_mode())

    def close(self) -> None:
        """Give up shards and connections."""
        self.stores.close()


def open_application(
    workspace: Path | None = None,
    flags: "Mapping[str, Mapping[str, Any]] | None" = None,
    *,
    owner: str = "citeloom",
    start: Path | None = None,
    overrides: Overrides = Overrides(),
) -> Application:
    """The application of the workspace named, or of the one found from ``start``, by default
    the current folder.

    Raises ConfigurationError.
    """
    folder = start or Path.cwd()
    place = find_workspace(folder, workspace)
    configuration = load_configuration(place.root / SETTINGS, flags)
    return Application(place, configuration, owner=owner, overrides=overrides, folder=folder)
