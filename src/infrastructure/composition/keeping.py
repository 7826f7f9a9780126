"""Watching, wired: what a project is kept in step with."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.application.watch.request import WatchPace, WatchParts
from citeloom.application.watch.watch import Watch
from citeloom.infrastructure.composition.libraries import library_source
from citeloom.infrastructure.library.better_bibtex.store import NAME as STORE
from citeloom.infrastructure.library.database_copy import beside
from citeloom.infrastructure.system.clock import SystemClock

if TYPE_CHECKING:
    from citeloom.application.ports.library import Following, LibrarySource
    from citeloom.application.watch.followed_library import OpenLibrary
    from citeloom.domain.projects.project_id import ProjectId
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.settings.sections import ZoteroSettings

#: By the name of the source that a project follows: what the settings call it, and which of
#: them names its place.
_SETTINGS: Final = {
    "zotero.sqlite": ("database", "data_dir"),
    "local API": ("local-api", "local_url"),
    "web API": ("web-api", "web_url"),
}


def watch(application: "Application") -> Watch:
    wanted = application.settings.watch
    return Watch(
        WatchParts(
            ingest=application.ingest,
            sync=application.library_sync,
            supports=application.converter.supports,
            library_files=library_files,
            catalogue=application.catalogue,
            followed=application.followed,
            files=application.files,
            watcher=application.watcher,
            clock=SystemClock(),
            pace=WatchPace(settle=wanted.settle_seconds, interval=wanted.interval_seconds),
        )
    )


def library_files(database: Path) -> list[Path]:
    """The files that change with a library: Zotero's database, Better BibTeX's, their logs."""
    return [file for name in (database, database.with_name(STORE)) for file in beside(name)]


def followed_library(application: "Application", project_id: "ProjectId") -> "OpenLibrary | None":
    """Opens the library that a project follows, where it was the last time: another one that
    the settings may name by now would take its place."""
    following = application.followed.following(project_id)
    if following is None:
        return None
    wanted = as_followed(application.settings.zotero, following)

    def library() -> "LibrarySource":
        made = application.made
        if "library" not in made:
            made["library"] = library_source(wanted, application.workspace.home / "zotero")
        source: LibrarySource = made["library"]
        return source

    return library


def as_followed(settings: "ZoteroSettings", following: "Following") -> "ZoteroSettings":
    """The settings, with the source and the place that a project follows; they stay as they
    are where they name several sources."""
    if settings.source in ("auto", "local-first", "web-first"):
        return settings
    source, place = _SETTINGS.get(following.source, (settings.source, None))
    return settings.model_copy(
        update={"source": source} | ({place: following.place} if place else {})
    )
