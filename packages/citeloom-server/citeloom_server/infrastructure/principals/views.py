"""A workspace as its principals see it: the application over stores within their rights."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.composition.ingest import IngestVerbs
from citeloom.infrastructure.composition.models import ModelVerbs
from citeloom.infrastructure.composition.research import ResearchVerbs
from citeloom.infrastructure.composition.search import SearchVerbs
from citeloom.infrastructure.composition.workspace import Overrides, lazy, made_once
from citeloom.infrastructure.system.workspace import Workspace, upload_folder
from citeloom_server.application.access.current_rights import CurrentRights, JobSight
from citeloom_server.application.access.permitted.catalogue import PermittedCatalogue
from citeloom_server.application.access.permitted.files import PermittedFiles
from citeloom_server.application.access.permitted.research import (
    PermittedChatRecord,
    PermittedResearchRecord,
    PermittedUserRecord,
)
from citeloom_server.application.access.permitted.stores import (
    PermittedAnnotations,
    PermittedBundles,
    PermittedFollowedLibraries,
    PermittedIndex,
    PermittedLabels,
    PermittedLibrary,
    PermittedOwnRecords,
    PermittedTables,
)

if TYPE_CHECKING:
    from citeloom.application.ports.index import Index
    from citeloom.domain.projects.project import EmbeddingModel, IndexPlace, ProjectId
    from citeloom_server.application.access.ports import PrincipalStore
    from citeloom_server.domain.access import Rights

V = TypeVar("V")


class PrincipalWorkspace(Workspace):
    """A workspace with a folder for what is made for one principal: evidence, findings about its
    drafts, its last question. ``stamp`` changes when something is to be forgotten."""

    def __init__(self, root: Path, name: str, stamp: str) -> None:
        super().__init__(root)
        self.all_own = self.home / "principals" / name
        self.own = self.all_own / stamp
        self._shared = f"principals/{name}/{stamp}/evidence"

    @property
    def evidence(self) -> Path:
        return self.own / "evidence"

    @property
    def shared_evidence(self) -> str:
        return self._shared

    @property
    def last_question(self) -> Path:
        return self.own / "last_question.json"

    @property
    def findings(self) -> Path:
        return self.own / "findings.jsonl"


class SeenApplication(Application):
    """The verbs of ``whole`` over what a principal may read and change. Models, connections,
    converters and open shards are those of ``whole``; nothing else is shared. What concerns the
    whole workspace (backups, moves of the catalogue, evaluation) is not for views."""

    def __init__(self, whole: Application, store: "PrincipalStore", rights: "Rights") -> None:
        self.rights = CurrentRights(store, whole.stores.clock, rights)
        workspace = PrincipalWorkspace(whole.workspace.root, rights.name, rights.stamp)
        self._catalogue = PermittedCatalogue(whole.stores.catalogue, self.rights, store)
        super().__init__(
            workspace,
            whole.configuration,
            overrides=_permitted(whole, self._catalogue, self.rights),
        )
        self._whole = whole
        self.models = ModelVerbs(self.stores, whole.models)
        self.search = SearchVerbs(self.stores, self.models)
        self.jobs_seen = JobSight(self.rights, whole.stores.catalogue)

    @lazy
    def ingest(self) -> IngestVerbs:
        return IngestVerbs(self.stores, self.projects, self.models, self._whole.ingest)

    @lazy
    def research(self) -> ResearchVerbs:
        return ResearchVerbs(
            self.stores,
            self.models,
            self.search,
            self.citation,
            lambda: self.verification,
            self.rights.name,
        )

    @lazy
    def folders(self) -> FolderAccess:
        return FolderAccess(
            files=self.stores.files,
            catalogue=self.stores.catalogue,
            configured=self.settings.mcp.folders,
            workspace=self.workspace.root,
            allowed=lambda: self.rights.is_administrator,
        )

    def check_filling(self, project_id: "ProjectId") -> None:
        self._catalogue.check_filling(project_id)


class Views(Generic[V]):
    """One view a principal, made once; when a role was taken from it another one, so that nothing
    that is kept in the former is shown."""

    def __init__(self, make: Callable[["Rights"], V]) -> None:
        self._make = make
        self._lock = Lock()
        self._views: dict[str, tuple[str, V]] = {}

    def of(self, rights: "Rights") -> V:
        with self._lock:
            stamp, view = self._views.get(rights.name, ("", None))
            if view is None or stamp != rights.stamp:
                view = self._make(rights)
                self._views[rights.name] = rights.stamp, view
            return view


class PrincipalViews:
    """The views of ``whole``."""

    def __init__(self, whole: Application, store: "PrincipalStore") -> None:
        self._whole = whole
        self._store = store
        self._views = Views(self._view)

    def of(self, rights: "Rights") -> SeenApplication:
        """``rights`` were read just now."""
        view = self._views.of(rights)
        view.rights.tell(rights)
        return view

    def _view(self, rights: "Rights") -> SeenApplication:
        root = self._whole.workspace.root
        _forget_others(PrincipalWorkspace(root, rights.name, rights.stamp))
        return SeenApplication(self._whole, self._store, rights)


def _forget_others(workspace: PrincipalWorkspace) -> None:
    """What was made for the principal before a role was taken from it."""
    if workspace.all_own.is_dir():
        for folder in workspace.all_own.iterdir():
            if folder != workspace.own:
                shutil.rmtree(folder, ignore_errors=True)


def _permitted(
    whole: Application, catalogue: PermittedCatalogue, rights: CurrentRights
) -> Overrides:
    stores = whole.stores
    local = stores.overrides.local_index or stores.edge_index

    def server(place: "IndexPlace", model: "EmbeddingModel") -> "Index":
        return PermittedIndex(stores.index.at(place, model), stores.catalogue, rights)

    chats = PermittedChatRecord(stores.chat_record, stores.research_record, rights)
    return Overrides(
        catalogue=catalogue,
        local_index=PermittedIndex(local, stores.catalogue, rights),
        server_index=made_once(server),
        bundles=PermittedBundles(stores.bundles, catalogue, rights),
        annotations=PermittedAnnotations(stores.annotations, rights),
        labels=PermittedLabels(stores.labels, rights),
        own_records=PermittedOwnRecords(stores.own_records, rights),
        tables=PermittedTables(stores.tables, rights),
        followed=PermittedFollowedLibraries(stores.followed, rights),
        research_record=PermittedResearchRecord(stores.research_record, rights),
        user_record=PermittedUserRecord(stores.user_record, chats, rights),
        chat_record=chats,
        job_record=stores.job_record,
        journal=stores.journal,
        references=stores.references,
        files=PermittedFiles(
            stores.files, catalogue, partial(upload_folder, stores.upload_root), rights
        ),
        chunker=stores.overrides.chunker,
        clock=stores.clock,
        library=PermittedLibrary(lambda: whole.library.source, rights),
    )
