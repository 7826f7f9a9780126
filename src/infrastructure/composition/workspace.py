"""Stores of one workspace: databases, index, files; the only module that knows their paths."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import signature
from operator import attrgetter
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, overload

from citeloom.infrastructure.plugins import SharedFiles, first_of, of_scheme
from citeloom.infrastructure.system.files import release_if_full

if TYPE_CHECKING:
    from citeloom.application.documents.finder import DocumentFinder
    from citeloom.application.documents.stores import DocumentStores
    from citeloom.application.index.placed_index import PlacedIndex
    from citeloom.application.ports.catalogue import Catalogue
    from citeloom.application.ports.citation import (
        Downloads,
        OwnRecords,
        ReferenceReader,
        WorkLookup,
    )
    from citeloom.application.ports.index import Index
    from citeloom.application.ports.ingest import (
        BundleStore,
        Chunker,
        Converter,
        IngestJournal,
        SourceCopies,
        SourceFiles,
    )
    from citeloom.application.ports.jobs import JobRecord
    from citeloom.application.ports.library import AnnotationStore, FollowedLibraries, LibrarySource
    from citeloom.application.ports.maps import LabelStore, ShownHitStore
    from citeloom.application.ports.models import (
        AnswerReader,
        Embedder,
        Reranker,
        SparseEmbedder,
    )
    from citeloom.application.ports.research import (
        ChatRecord,
        ResearchRecord,
        TableStore,
        UserRecord,
    )
    from citeloom.application.ports.system import Clock, ProcessLocks, Trash
    from citeloom.application.ports.verification import EntailmentModel
    from citeloom.domain.projects.project import EmbeddingModel, IndexPlace
    from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options
    from citeloom.infrastructure.models.vectors import VectorCache
    from citeloom.infrastructure.search.edge.index import EdgeIndex
    from citeloom.infrastructure.settings.sections import Settings
    from citeloom.infrastructure.storage.blobs import Blobs
    from citeloom.infrastructure.system.workspace import Workspace

_T = TypeVar("_T")
_Owner = TypeVar("_Owner")
# Held while anything is made: a part is made once, whichever thread asks first.
_MAKING = RLock()


class lazy(Generic[_Owner, _T]):  # noqa: N801 (used as a decorator, like ``property``)
    """A property that is made on first use and kept in the instance, once for all threads."""

    def __init__(self, make: Callable[[_Owner], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: _Owner, owner: type) -> _T: ...
    def __get__(self, instance: _Owner | None, owner: type) -> Self | _T:
        if instance is None:
            return self
        with _MAKING:
            parts = vars(instance)
            if self._name not in parts:
                parts[self._name] = self._make(instance)
            made: _T = parts[self._name]
            return made


def part(path: str, layer: str = "application", /, **named: str) -> Any:
    """A ``lazy`` part of the class at ``path``, as ``module:Class`` below a layer, which is
    imported on first use. Its required parameters are the attributes of these names of
    the workspace's stores, else of the owner. ``named`` gives those that have another name, or are
    a function or an object of a class below ``citeloom.infrastructure``."""

    def make(owner: Any) -> Any:
        kind = _found(layer, path)
        required = (
            name for name, one in signature(kind).parameters.items() if one.default is one.empty
        )
        given = {
            name: _adapted(one) if ":" in one else attrgetter(one)(owner)
            for name, one in named.items()
        }
        stores = getattr(owner, "_stores", owner)
        for name in required:
            if name not in given:
                source = stores if hasattr(type(stores), name) else owner
                given[name] = getattr(source, name)
        return kind(**given)

    return lazy(make)


def verbs(path: str, **named: str) -> Any:
    """A ``part`` that is a class of verbs of this folder."""
    return part(path, "infrastructure.composition", **named)


def made_once(make: Callable[..., _T]) -> Callable[..., _T]:
    """``make``, called once for equal arguments, whichever thread asks first."""
    cached = cache(make)

    def locked(*arguments: Any) -> _T:
        with _MAKING:
            return cached(*arguments)

    return locked


def _found(layer: str, path: str) -> Any:
    """The class or function at ``path``, as ``module:name`` below a layer."""
    module, _, name = path.partition(":")
    return getattr(import_module(f"citeloom.{layer}.{module}"), name)


def _adapted(path: str) -> Any:
    """The function below ``citeloom.infrastructure``, or an object of the class."""
    found = _found("infrastructure", path)
    return found() if isinstance(found, type) else found


def _adapter(path: str, *arguments: str) -> Any:
    """An adapter of the workspace: the override of this name, else one of the class at ``path``,
    as ``module:Class`` below ``citeloom.infrastructure``, made with these attributes of the
    workspace's stores and closed with them."""

    def make(stores: "Stores") -> Any:
        if override := getattr(stores.overrides, adapter._name):
            return override
        made = _found("infrastructure", path)(*(attrgetter(one)(stores) for one in arguments))
        return stores.closing(made) if hasattr(made, "close") else made

    adapter = lazy(make)
    return adapter


def _records(path: str) -> Any:
    """Records in the catalogue's database."""
    return _adapter(f"storage.{path}", "catalogue_url")


ServerIndexes = Callable[["IndexPlace", "EmbeddingModel"], "Index"]


@dataclass(frozen=True)
class Overrides:
    """Adapters used in place of the configured ones; None takes the configured one."""

    catalogue: "Catalogue | None" = None
    local_index: "Index | None" = None
    server_index: "ServerIndexes | None" = None
    bundles: "BundleStore | None" = None
    annotations: "AnnotationStore | None" = None
    labels: "LabelStore | None" = None
    own_records: "OwnRecords | None" = None
    tables: "TableStore | None" = None
    lookup: "WorkLookup | None" = None
    downloads: "Downloads | None" = None
    shown_hits: "ShownHitStore | None" = None
    followed: "FollowedLibraries | None" = None
    research_record: "ResearchRecord | None" = None
    user_record: "UserRecord | None" = None
    chat_record: "ChatRecord | None" = None
    job_record: "JobRecord | None" = None
    journal: "IngestJournal | None" = None
    references: "ReferenceReader | None" = None
    files: "SourceFiles | None" = None
    trash: "Trash | None" = None
    converter: "Converter | None" = None
    chunker: "Chunker | None" = None
    clock: "Clock | None" = None
    embedder: "Callable[[str], Embedder] | None" = None
    sparse: "SparseEmbedder | None" = None
    reranker: "Reranker | None" = None
    answer_reader: "AnswerReader | None" = None
    entailment: "EntailmentModel | None" = None
    library: "LibrarySource | None" = None
    #: Those of packages that plug in, by name.
    others: Mapping[str, Any] = field(default_factory=dict)


class _Closable(Protocol):
    def close(self) -> None: ...


_C = TypeVar("_C", bound=_Closable)


class Stores:
    """Catalogue, index, converted documents and records of one workspace, made when they are
    asked for. ``owner`` names this process to others that wait for a lock. Relative paths of
    documents begin in ``folder``."""

    def __init__(
        self,
        workspace: "Workspace",
        settings: "Settings",
        *,
        owner: str = "citeloom",
        overrides: Overrides = Overrides(),
        folder: "Path | None" = None,
    ) -> None:
        self.workspace = workspace
        self.settings = settings
        self.overrides = overrides
        self._owner = owner
        self._folder = folder
        self._others = dict(overrides.others)
        self._closed_at_end = ExitStack()
        release_if_full(workspace.home)

    def closing(self, part: _C) -> _C:
        """``part``, which ``close`` closes."""
        self._closed_at_end.callback(part.close)
        return part

    def at_end(self, call: Callable[[], None]) -> None:
        """Call this when all is closed."""
        self._closed_at_end.callback(call)

    def close(self) -> None:
        """Close what was made, in reverse order."""
        self._closed_at_end.close()

    @property
    def passwords(self) -> Mapping[str, str]:
        """Passwords of PDFs by the name or path of the file."""
        secrets = self.settings.pdf.passwords
        return {name: secret.get_secret_value() for name, secret in secrets.items()}

    @property
    def catalogue_url(self) -> str:
        """The database of the catalogue and of the research record."""
        return self.settings.catalogue.url or self.workspace.catalogue_url

    catalogue: "Catalogue" = _records("catalogue:SqlCatalogue")
    labels: "LabelStore" = _records("stores:SqlLabelStore")
    own_records: "OwnRecords" = _records("stores:SqlOwnRecords")
    tables: "TableStore" = _records("research.record:SqlTableStore")
    followed: "FollowedLibraries" = _records("stores:SqlFollowedLibraries")
    annotations: "AnnotationStore" = _records("stores:SqlAnnotationStore")
    research_record: "ResearchRecord" = _records("research.record:SqlResearchRecord")
    user_record: "UserRecord" = _records("research.record:SqlUserRecord")
    chat_record: "ChatRecord" = _records("research.record:SqlChatRecord")
    job_record: "JobRecord" = _records("jobs:SqlJobRecord")

    clock: "Clock" = _adapter("system.clock:SystemClock")
    files: "SourceFiles" = _adapter("ingest.source_files:LocalFiles")
    trash: "Trash" = _adapter("system.trash:DesktopTrash")
    chunker: "Chunker" = _adapter("ingest.chunking.structural:StructuralChunker")
    journal: "IngestJournal" = _adapter(
        "ingest.bundles:FileIngestJournal", "workspace.ingest_journal"
    )
    shown_hits: "ShownHitStore" = _adapter(
        "storage.small_files:FileShownHitStore", "workspace.last_question"
    )

    @lazy
    def locks(self) -> "ProcessLocks":
        """Locks between all who use the catalogue: on this machine, or of the server's."""
        if self.catalogue_is_on_server:
            url = self.catalogue_url
            server = of_scheme(lambda plugin: plugin.databases(), url, "catalogue.url")
            return self.closing(server.locks(url, self._owner))
        from citeloom.infrastructure.system.locks import FileLocks

        return self.closing(FileLocks(self.workspace.locks, self._owner))

    documents: "DocumentFinder" = part(
        "documents.finder:DocumentFinder", base="_folder", own="own_records"
    )
    document_stores: "DocumentStores" = part(
        "documents.stores:DocumentStores", copies="source_copies", own="own_records"
    )

    def back_up_catalogue(self) -> None:
        """A snapshot before a repair; a server's own backups are for that there."""
        if self.overrides.catalogue is None and self.catalogue_is_here:
            from citeloom.infrastructure.storage.database.sqlite import Reason, take_snapshot

            take_snapshot(self.workspace.catalogue, Reason.REPAIR)

    @property
    def catalogue_is_here(self) -> bool:
        """Whether the catalogue is a file of the workspace, and not on a server."""
        return self.catalogue_url == self.workspace.catalogue_url

    @property
    def catalogue_is_on_server(self) -> bool:
        return not self.catalogue_url.startswith("sqlite")

    @lazy
    def lookup(self) -> "WorkLookup":
        """Public services; nothing is asked before a verb does."""
        from citeloom import __version__
        from citeloom.infrastructure.references.lookup.services import WorkServices

        metadata = self.settings.metadata
        return self.overrides.lookup or self.closing(
            WorkServices(
                self.workspace.lookups,
                version=__version__,
                contact=metadata.contact,
                timeout=metadata.timeout_seconds,
            )
        )

    @lazy
    def downloads(self) -> "Downloads":
        from citeloom import __version__
        from citeloom.infrastructure.references.lookup.downloads import HttpDownloads

        metadata = self.settings.metadata
        return self.overrides.downloads or HttpDownloads(
            version=__version__, contact=metadata.contact, timeout=metadata.timeout_seconds
        )

    def other(self, name: str, make: Callable[[str], _C]) -> _C:
        """The adapter ``name`` of a package that plugs in: made once, from the address of the
        catalogue, and closed at the end."""
        with _MAKING:
            if name not in self._others:
                self._others[name] = self.closing(make(self.catalogue_url))
            other: _C = self._others[name]
            return other

    @property
    def has_principals(self) -> bool:
        """Whether the workspace has principals, also if their package is not installed: it must
        then not be served to everybody."""
        from citeloom.infrastructure.storage.stores import has_principals

        return has_principals(self.catalogue_url)

    @lazy
    def bundles(self) -> "BundleStore":
        from citeloom.infrastructure.ingest.bundles import FileBundleStore

        bundles = self.overrides.bundles
        return bundles or FileBundleStore(self.blobs("bundles"), self.blobs("maps"))

    @property
    def bundle_folder(self) -> Path | None:
        """The folder of the bundles; None where they are in an object store."""
        return None if self.overrides.bundles else self._storage_folder("bundles")

    def blobs(self, name: str) -> "Blobs":
        """Files of the workspace, or those that several machines share."""
        if folder := self._storage_folder(name):
            from citeloom.infrastructure.storage.blobs import FolderBlobs

            return FolderBlobs(folder)
        url = self.settings.storage.url
        return of_scheme(lambda plugin: plugin.blob_stores(), url, "storage.url")(f"{url}/{name}")

    @property
    def storage_place(self) -> "Path | Blobs":
        """Where files are written: a folder, or the object store."""
        if "://" not in self.settings.storage.url:
            return Path(self.settings.storage.url or self.workspace.home)
        return self.blobs("bundles")

    def _storage_folder(self, name: str) -> Path | None:
        url = self.settings.storage.url
        if "://" in url:
            return None
        return (Path(url) if url else self.workspace.home) / name

    @property
    def upload_root(self) -> Path:
        """Where files that are sent are kept: with others' files, if those are in a folder."""
        url = self.settings.storage.url
        return Path(url) if url and "://" not in url else self.workspace.root

    @lazy
    def source_copies(self) -> "SourceCopies":
        from citeloom.infrastructure.storage import small_files as source_copies

        if self.settings.storage.papers:
            folder, most = self.workspace.papers, self.settings.evidence.max_bytes
            return self.shared_files.papers(self.blobs("papers"), folder, most)
        is_shared = self.settings.storage.url or self.catalogue_is_on_server
        absence = source_copies.NOT_SHARED if is_shared else source_copies.ALONE
        return source_copies.NoCopies(absence)

    @property
    def shared_files(self) -> SharedFiles:
        """Raises ConfigurationError if no plugin shares files."""
        return first_of(lambda plugin: plugin.shared_files(), "storage.url")

    @lazy
    def vector_cache(self) -> "VectorCache":
        from citeloom.infrastructure.models.vectors import VectorCache

        most = self.settings.embedding.vector_cache_mb * 2**20
        return self.closing(VectorCache(self.workspace.vector_cache, max_bytes=most))

    @lazy
    def references(self) -> "ReferenceReader":
        from citeloom.infrastructure.ingest.sent_references import SentFileReader
        from citeloom.infrastructure.system.workspace import UPLOADS

        return self.overrides.references or SentFileReader(
            self.upload_root / UPLOADS, self._conversion_bounds
        )

    def _conversion_bounds(self) -> "tuple[Options, Limits]":
        from .ingest import conversion_limits, conversion_options

        return conversion_options(self.settings), conversion_limits(self.settings)

    @lazy
    def index(self) -> "PlacedIndex":
        from citeloom.application.index.placed_index import PlacedIndex

        index = PlacedIndex(
            catalogue=self.catalogue,
            local=self.overrides.local_index or self.edge_index,
            server=self.overrides.server_index or made_once(self._server_index),
        )
        return self.closing(index)

    edge_index: "EdgeIndex" = part(
        "search.edge.index:EdgeIndex",
        "infrastructure",
        root="workspace.index",
        owner="_owner",
        exact_up_to="settings.index.exact_up_to",
        wait_seconds="settings.index.wait_seconds",
    )

    def _server_index(self, place: "IndexPlace", model: "EmbeddingModel") -> "Index":
        engine = of_scheme(lambda plugin: plugin.index_engines(), place.url, "index.url")
        return engine.open(place, model, self.settings.index, self.locks)
