"""Paths that an agent names, held to the folders that it may read."""

import os.path
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import SourceFiles
from citeloom.domain.documents.readable_folders import OutsideFolders, ReadableFolders
from citeloom.domain.errors import InvalidRequest, NotPermitted
from citeloom.domain.naming import path_name


class AdmittedPath(NamedTuple):
    """A path with links resolved, to be opened as it is. ``within`` checks its contents and the
    targets of links in it."""

    path: Path
    within: ReadableFolders


class FolderAccess:
    """Admits paths in ``configured`` folders; without these, in the workspace and in the folders
    that its projects were ingested from, and files that they have already. ``allowed``: whether
    who asks may name any path at all."""

    def __init__(
        self,
        *,
        files: SourceFiles,
        catalogue: Catalogue,
        configured: Sequence[str],
        workspace: Path,
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._allowed = allowed
        self._files = files
        self._catalogue = catalogue
        self._configured = tuple(
            Path(os.path.abspath(Path(one).expanduser())) for one in configured
        )
        self._workspace = workspace

    @property
    def folders(self) -> Sequence[Path]:
        """As they are written in the settings, or are by default."""
        if self._configured:
            return self._configured
        known = (folder for project in self._catalogue.projects() for folder in project.folders)
        return tuple(dict.fromkeys((self._workspace, *known)))

    def source(self, name: str, parameter: str) -> AdmittedPath:
        """A file or folder to ingest, or a reference file: also one that a project has already.

        Raises as ``draft``.
        """
        path = self._named(name, parameter)
        if not self._configured and self._is_known(path):
            real = self._files.resolved(path)
            return AdmittedPath(real, self._within().with_files([real]))
        return self._admitted(path, name)

    def draft(self, name: str, parameter: str) -> AdmittedPath:
        """A file that may be read. Raises OutsideFolders, whether or not the file exists,
        InvalidRequest for an invalid path, NotPermitted if the caller may name no path."""
        return self._admitted(self._named(name, parameter), name)

    def _named(self, name: str, parameter: str) -> Path:
        if not self._allowed():
            raise NotPermitted(
                f"{parameter}: files and folders of the server's machine are for administrators "
                "of this server; send the file itself, over HTTP or on the web page"
            )
        return _absolute(name, parameter)

    def _admitted(self, path: Path, name: str) -> AdmittedPath:
        within = self._within()
        # As it is written first: the file system is not asked about what lies elsewhere (on
        # Windows a share of another machine would be sent the user's credentials).
        written = ReadableFolders(folders=(*self.folders, *within.folders))
        if written.admits(path):
            real = self._files.resolved(path)
            if within.admits(real):
                return AdmittedPath(real, within)
        raise OutsideFolders(name, [str(folder) for folder in self.folders])

    def _within(self) -> ReadableFolders:
        return ReadableFolders(
            folders=tuple(self._files.resolved(folder) for folder in self.folders)
        )

    def _is_known(self, path: Path) -> bool:
        name = path_name(str(path))
        return any(
            path in project.reference_files
            or any(
                source.path == str(path)
                for document in self._catalogue.find_documents(project.id, [name])
                for source in document.sources
            )
            for project in self._catalogue.projects()
        )


def _absolute(name: str, parameter: str) -> Path:
    """Without ``.`` and ``..``; links are not looked at."""
    if "\0" in name or not _is_encodable(name):
        raise InvalidRequest(f"{parameter}: is not a path", parameter=parameter)
    try:
        return Path(os.path.abspath(Path(name).expanduser()))
    except RuntimeError:  # ~ of a user that there is not
        raise InvalidRequest(f"{parameter}: is not a path", parameter=parameter) from None


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
