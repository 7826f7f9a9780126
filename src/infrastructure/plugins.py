"""The plugin interface: the entry-point group ``citeloom.plugins``.

An entry point names a subclass of ``Plugin``. A part is imported on request, so import little at
the top of its module. docs/plugins.md has an example.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from citeloom.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from citeloom.application.ports.citation import ReferenceFileFormat
    from citeloom.application.ports.index import Index
    from citeloom.application.ports.ingest import Converter, SourceCopies
    from citeloom.application.ports.maps import Cutter, EvidenceStore, Mapper, Refiner
    from citeloom.application.ports.system import ProcessLocks
    from citeloom.domain.maps.resource_map import ResourceType
    from citeloom.domain.projects.project import EmbeddingModel, IndexPlace

    from .composition.application import Application
    from .ingest.conversion.pool import ProcessConverter
    from .models.model_catalogue import ModelShare
    from .models.vectors import VectorCache
    from .settings.sections import IndexSettings, Settings
    from .storage.blobs import Blobs
    from .storage.database.database import Database

GROUP: Final = "citeloom.plugins"
_log: Final = logging.getLogger(__name__)
T = TypeVar("T")

#: Makes a converter of an ingest that runs elsewhere: the local pool, the settings, the folder of
#: models, the folder of bundles (None in an object store), the cache of vectors (None: none).
OpenScheduler = Callable[
    ["ProcessConverter", "Settings", Path, "Path | None", "VectorCache | None"], "Converter"
]


class CommandEntry(NamedTuple):
    """A command in the help: ``place`` is its module and what it is called there
    (``package.module:name``), a function or a ``typer.Typer``; ``sentence`` fits a line of 80
    columns."""

    place: str
    sentence: str


class IndexEngine(NamedTuple):
    """An engine of indexes outside the workspace. ``open`` makes the index at a place, with locks
    between all who write there; ``check`` raises IndexUnavailable unless the engine at a URL
    answers within two seconds."""

    open: Callable[["IndexPlace", "EmbeddingModel", "IndexSettings", "ProcessLocks"], "Index"]
    check: Callable[[str, "IndexSettings"], None]


class Connections(NamedTuple):
    """A connection pool: connections in use, and idle ones."""

    used: int
    idle: int


class DatabaseServer(NamedTuple):
    """A kind of database server, by URL: the database; the locks between all processes that use
    it, with a name of this one; the connections of this process."""

    database: Callable[[str], "Database"]
    locks: Callable[[str, str], "ProcessLocks"]
    connections: Callable[[str], Connections]


class SharedFiles(NamedTuple):
    """Files that machines share in a store; those with a local place hold up to a number of
    bytes there."""

    evidence: Callable[["EvidenceStore", "Blobs", int], "EvidenceStore"]
    models: Callable[["Blobs"], "ModelShare"]
    papers: Callable[["Blobs", Path, int], "SourceCopies"]


class Plugin:
    """Adds nothing; a plugin overrides what it adds."""

    def commands(self) -> Mapping[str, Mapping[str, CommandEntry]]:
        """Commands by section of the help and name."""
        return {}

    def mappers(self) -> "Sequence[Callable[[], Mapper]]":
        """Mappers of files, tried before those of the core."""
        return ()

    def cutters(self) -> "Mapping[ResourceType, Cutter]":
        """Cutters of evidence from files, by modality."""
        return {}

    def refiners(self) -> "Sequence[Callable[[Application], Refiner]]":
        """Titles and summaries of maps by a language model (``map --refine``); the first is
        used."""
        return ()

    def index_engines(self) -> Mapping[str, IndexEngine]:
        """By the scheme of their URLs (``index.url``, ``project move --to``)."""
        return {}

    def databases(self) -> Mapping[str, DatabaseServer]:
        """Databases by the scheme of their URLs (``catalogue.url``)."""
        return {}

    def blob_stores(self) -> "Mapping[str, Callable[[str], Blobs]]":
        """Stores of files at a URL, by its scheme (``storage.url``)."""
        return {}

    def shared_files(self) -> Sequence[SharedFiles]:
        """For a storage that machines share (``storage.url``); the first is used."""
        return ()

    def schedulers(self) -> Sequence[OpenScheduler]:
        """For ingests on a cluster (``ingest.scheduler``); the first is used."""
        return ()

    def reference_formats(self) -> "Sequence[ReferenceFileFormat]":
        """Formats of reference files, tried in their order after those of the core."""
        return ()

    def server(self) -> str:
        """The place of a ``ServerExtension`` (``package.module:Name``); empty for none."""
        return ""


@cache
def plugins() -> tuple[Plugin, ...]:
    """The installed plugins, in order of their names; each is made once. One that cannot be
    loaded is named in the log, and left out."""
    made = []
    # Most commands ask no plugin.
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            made.append(point.load()())
        except Exception as error:
            package = point.dist.name if point.dist else point.value
            _log.warning(
                "citeloom: the plugin %s of %s cannot be loaded (%s: %s); update or uninstall %s",
                *(point.name, package, type(error).__name__, error, package),
            )
    return tuple(made)


def of_scheme(offered: Callable[[Plugin], Mapping[str, T]], url: str, setting: str) -> T:
    """What a plugin offers for the scheme of ``url`` (``postgresql+psycopg`` is ``postgresql``).
    Raises ConfigurationError, which names ``setting``."""
    scheme = url.partition("://")[0].partition("+")[0]
    for plugin in plugins():
        if scheme in (of_plugin := offered(plugin)):
            return of_plugin[scheme]
    raise _absent(setting, f"{scheme}:// needs a package that is not installed")


def first_of(offered: Callable[[Plugin], Sequence[T]], setting: str, extra: str = "server") -> T:
    """The first that plugins offer. Raises ConfigurationError, which names ``setting`` and the
    ``extra`` that brings one."""
    for plugin in plugins():
        if of_plugin := offered(plugin):
            return of_plugin[0]
    raise _absent(setting, "it needs a package that is not installed", extra)


def install_line(extra: str) -> str:
    """The command that installs a part of CiteLoom."""
    return f'pip install "citeloom[{extra}]"'


def _absent(setting: str, reason: str, extra: str = "server") -> ConfigurationError:
    return ConfigurationError(
        f"{setting}: {reason}; run `{install_line(extra)}`, or leave the setting out",
        setting=setting,
    )
