"""The composition root of reference libraries: which source is asked, and what looks at it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import LibraryUnavailable
from citeloom.infrastructure.composition.resources import Resources
from citeloom.infrastructure.composition.wiring import Wired

if TYPE_CHECKING:
    from citeloom.application.library.browse import LibraryLook
    from citeloom.application.ports.library import LibrarySource
    from citeloom.application.ports.system import Watcher
    from citeloom.infrastructure.library.api.source import Means
    from citeloom.infrastructure.settings.sections import ZoteroSettings


class Libraries(Resources):
    """The reader's own library, as ``[zotero]`` of the settings has it."""

    @Wired
    def library(self) -> "LibrarySource":
        """Raises LibraryUnavailable if there is none."""
        return library_source(self.settings.zotero, self.workspace.home / "zotero")

    @Wired
    def library_look(self) -> "LibraryLook":
        from citeloom.application.library.browse import LibraryLook

        return LibraryLook(self.library)

    @Wired
    def watcher(self) -> "Watcher":
        from citeloom.infrastructure.watch.file_watcher import FileWatcher

        return FileWatcher(self.settings.watch.polling)

    def close(self) -> None:
        super().close()
        for name in ("watcher", "library"):
            if name in self.made:
                self.made[name].close()


def library_source(wanted: "ZoteroSettings", folder: Path) -> "LibrarySource":
    """The source that ``wanted`` names; ``folder`` keeps what the APIs were asked for. Raises
    LibraryUnavailable."""
    from citeloom.infrastructure.library.fallback_source import FirstThatAnswers

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
    return FirstThatAnswers(sources, [error.message for error in missing])


def _local_api(wanted: "ZoteroSettings", folder: Path) -> "LibrarySource":
    from citeloom.infrastructure.library.api.local import ZoteroLocalApi

    return ZoteroLocalApi(_means(wanted, folder), wanted.local_url)


def _web_api(wanted: "ZoteroSettings", folder: Path) -> "LibrarySource":
    from citeloom.infrastructure.library.api.web import ZoteroWebApi

    return ZoteroWebApi(
        _means(wanted, folder),
        api_key=wanted.api_key.get_secret_value(),
        user=wanted.user_id or None,
        place=wanted.web_url,
    )


def _means(wanted: "ZoteroSettings", folder: Path) -> "Means":
    from citeloom.infrastructure.library.api.source import Means
    from citeloom.infrastructure.library.better_bibtex.rpc import BetterBibTeX, addresses_beside

    rpc = BetterBibTeX(addresses_beside(wanted.better_bibtex)) if wanted.better_bibtex else None
    return Means(folder, kept_whole, rpc, wanted.timeout_seconds)


@contextmanager
def kept_whole(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` where the block ends well, in a folder that
    is made if need be. Raises StorageFailed."""
    from citeloom.infrastructure.system.atomic_files import atomic_path, remove_leftovers
    from citeloom.infrastructure.system.workspace import make_folder

    remove_leftovers(make_folder(path.parent))
    with atomic_path(path) as temporary:
        yield temporary


def _database(wanted: "ZoteroSettings", _: Path) -> "LibrarySource":
    from citeloom.infrastructure.library.database.locations import find_zotero
    from citeloom.infrastructure.library.database.source import ZoteroDatabase

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
