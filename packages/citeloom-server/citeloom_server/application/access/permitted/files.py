"""The files of the server's machine as a principal may know of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from citeloom.application.ports.catalogue import Catalogue, SourceStamp
from citeloom.application.ports.ingest import FoundFiles, SourceFiles
from citeloom.domain.documents.readable_folders import ReadableFolders
from citeloom.domain.naming import path_name
from citeloom.domain.projects.project import ProjectId
from citeloom_server.application.access.current_rights import CurrentRights


class PermittedFiles:
    """``files``; except for administrators, one that lies outside the folders of the projects in
    ``catalogue`` (which is that of the principal) and their ``uploads``, and that is not a file of
    a document there, is as one that does not exist: a path in a sent reference file cannot ask
    what the machine has."""

    def __init__(
        self,
        files: SourceFiles,
        catalogue: Catalogue,
        uploads: Callable[[ProjectId], Path],
        rights: CurrentRights,
    ) -> None:
        self._files = files
        self._catalogue = catalogue
        self._uploads = uploads
        self._rights = rights

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        return self._files.find(sources, accepts)

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        return self._files.stamps(paths)

    def sha256(self, path: Path) -> str:
        return self._files.sha256(path)

    def exists(self, path: str) -> bool:
        known = self._rights.is_administrator or self._is_in_a_project(path)
        return known and self._files.exists(path)

    def resolved(self, path: Path) -> Path:
        return self._files.resolved(path)

    def _is_in_a_project(self, path: str) -> bool:
        projects = self._catalogue.projects()
        named = [folder for one in projects for folder in (*one.folders, self._uploads(one.id))]
        if not ReadableFolders(folders=tuple(named)).admits(Path(path)):
            name = path_name(path)
            return any(
                source.path == path
                for one in projects
                for document in self._catalogue.find_documents(one.id, [name])
                for source in document.sources
            )
        real = tuple(self._files.resolved(folder) for folder in named)
        return ReadableFolders(folders=real).admits(self._files.resolved(Path(path)))
