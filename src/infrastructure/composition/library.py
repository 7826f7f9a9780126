"""Reference libraries: the configured source, the one that a project follows, *watch*."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import LibraryUnavailable

from .ingest import IngestVerbs
from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from citeloom.application.library.browse import LibraryBrowser
    from citeloom.application.ports.library import Following, LibrarySource
    from citeloom.application.watch.jobs import OpenLibrary, Watch
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.library.api import ApiAccess
    from citeloom.infrastructure.settings.sections import ZoteroSettings

#: By the name of the source that a project follows: what the settings call it, and which of
#: them names its place.
_SETTINGS: Final = {
    "zotero.sqlite": ("database", "data_dir"),
    "local API": ("local-api", "local_url"),
    "web API": ("web-api", "web_url"),
}


class LibraryVerbs:
    """The verbs about the reference library of the settings' section ``zotero``."""

    def __init__(self, stores: Stores, ingest: IngestVerbs) -> None:
        self._stores = stores
        self._ingest = ingest

    @lazy
    def source(self) -> "LibrarySource":
        """The configured library. Raises LibraryUnavailable."""
        return self._opened(self._stores.settings.zotero)

    def followed(self, project_id: "ProjectId") -> "OpenLibrary | None":
        """Opens the library that a project follows, at the place of its last synchronisation,
        whatever the settings name; None if it follows none."""
        following = self._stores.followed.following(project_id)
        if following is None:
            return None
        settings = as_followed(self._stores.settings.zotero, following)
        opened: list[LibrarySource] = []

        def library() -> "LibrarySource":
            if not opened:
                opened.append(self._opened(settings))
            return opened[0]

        return library

    def _opened(self, settings: "ZoteroSettings") -> "LibrarySource":
        given = self._stores.overrides.library
        folder = self._stores.workspace.home / "zotero"
        return given or self._stores.closing(library_source(settings, folder))

    browse: "LibraryBrowser" = part("library.browse:LibraryBrowser")

    @lazy
    def watch(self) -> "Watch":
        from citeloom.application.watch.jobs import Watch
        from citeloom.application.watch.request import LibraryServices, WatchPace, WatchServices
        from citeloom.infrastructure.watch import FileWatcher

        stores, options = self._stores, self._stores.settings.watch
        return Watch(
            WatchServices(
                ingest=self._ingest.files,
                supports=self._ingest.converter.supports,
                library=LibraryServices(
                    sync=self._ingest.library,
                    followed=stores.followed,
                    database_files=library_files,
                ),
                catalogue=stores.catalogue,
                files=stores.files,
                watcher=stores.closing(FileWatcher(options.polling)),
                clock=stores.clock,
                pace=WatchPace(settle=options.settle_seconds, interval=options.interval_seconds),
            )
        )


def library_files(database: Path) -> list[Path]:
    """The files that change with a library: Zotero's database, Better BibTeX's, their logs."""
    from citeloom.infrastructure.library.better_bibtex import NAME
    from citeloom.infrastructure.library.database_copy import database_files

    return [file for name in (database, database.with_name(NAME)) for file in database_files(name)]


def as_followed(settings: "ZoteroSettings", following: "Following") -> "ZoteroSettings":
    """The settings, with the source and the place that a project follows; they stay as they
    are where they name several sources."""
    if settings.source in ("auto", "local-first", "web-first"):
        return settings
    source, place = _SETTINGS.get(following.source, (settings.source, None))
    return settings.model_copy(
        update={"source": source} | ({place: following.place} if place else {})
    )


def library_source(wanted: "ZoteroSettings", folder: Path) -> "LibrarySource":
    """The source that ``wanted`` names; ``folder`` keeps what the APIs were asked for. Raises
    LibraryUnavailable."""
    from citeloom.infrastructure.library.source import FallbackSource

    order = list(_ORDERS[wanted.source])
    if wanted.source == "auto" and not wanted.api_key.get_secret_value():
        order.remove("web-api")
    sources: list[LibrarySource] = []
    missing: list[LibraryUnavailable] = []
    for name in order:
        try:
            sources.append(_SOURCES[name](wanted, folder))
        except LibraryUnavailable as error:
            missing.append(error)
    if not sources:
        raise missing[0]
    if len(order) == 1:
        return sources[0]
    return FallbackSource(sources, [error.message for error in missing])


def _local_api(wanted: "ZoteroSettings", folder: Path) -> "LibrarySource":
    from citeloom.infrastructure.library.api import ZoteroLocalApi

    return ZoteroLocalApi(_access(wanted, folder), wanted.local_url)


def _web_api(wanted: "ZoteroSettings", folder: Path) -> "LibrarySource":
    from citeloom.infrastructure.library.api import ZoteroWebApi

    return ZoteroWebApi(
        _access(wanted, folder),
        api_key=wanted.api_key.get_secret_value(),
        user=wanted.user_id or None,
        place=wanted.web_url,
    )


def _access(wanted: "ZoteroSettings", folder: Path) -> "ApiAccess":
    from citeloom.infrastructure.library.api import ApiAccess
    from citeloom.infrastructure.library.better_bibtex import BetterBibTeX, addresses_beside

    rpc = BetterBibTeX(addresses_beside(wanted.better_bibtex)) if wanted.better_bibtex else None
    return ApiAccess(folder, rpc, wanted.timeout_seconds)


def _database(wanted: "ZoteroSettings", _: Path) -> "LibrarySource":
    from citeloom.infrastructure.library.database import ZoteroDatabase, find_zotero

    place = find_zotero(wanted.data_dir)
    if wanted.linked_files:
        base = Path(wanted.linked_files).expanduser()
        place = replace(place, files=replace(place.files, linked_base=base))
    return ZoteroDatabase(place)


_SOURCES: "Mapping[str, Callable[[ZoteroSettings, Path], LibrarySource]]" = {
    "database": _database,
    "local-api": _local_api,
    "web-api": _web_api,
}
_ORDERS = {name: (name,) for name in _SOURCES} | {
    "auto": ("database", "local-api", "web-api"),
    "local-first": ("database", "local-api", "web-api"),
    "web-first": ("web-api", "database", "local-api"),
}
