"""The reference library of the server's machine: for its administrators."""

from collections.abc import Callable
from pathlib import Path

from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.domain.library.snapshot import LibraryAttachment, LibraryScope, LibrarySnapshot
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.domain.access.rights import only_administrators


class PermittedLibrary:
    """The library that ``open_library`` opens; NotPermitted for those who are no administrators."""

    def __init__(self, open_library: Callable[[], LibrarySource], rights: CurrentRights) -> None:
        self._open = open_library
        self._rights = rights

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def asks_network(self) -> bool:
        return self._source.asks_network

    def status(self) -> LibraryStatus:
        return self._source.status()

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        return self._source.snapshot(scope)

    def file(self, attachment: LibraryAttachment) -> Path | None:
        return self._source.file(attachment)

    @property
    def _source(self) -> LibrarySource:
        if not self._rights.is_administrator:
            raise only_administrators(
                "zotero: the library of the server's machine is", "send the papers as files"
            )
        return self._open()

    def close(self) -> None:
        """Others use it too."""
