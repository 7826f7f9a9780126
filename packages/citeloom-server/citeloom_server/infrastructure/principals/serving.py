"""A server with principals: owners of tokens and browsers, what each is served and sees."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import anyio.to_thread
from mcp.server.context import ServerRequestContext

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.domain.errors import NotPermitted
from citeloom.domain.jobs import RecordedJob
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.composition.ingest import IngestVerbs
from citeloom.infrastructure.composition.models import ModelVerbs
from citeloom.infrastructure.composition.research import ResearchVerbs
from citeloom.infrastructure.composition.search import SearchVerbs
from citeloom.infrastructure.composition.workspace import Overrides, lazy, made_once, verbs
from citeloom.infrastructure.http.browser_login import SessionCookies
from citeloom.infrastructure.serving.http import Caller, caller_in
from citeloom.infrastructure.serving.jobs.background import (
    Background,
    Visible,
    background,
    everything,
)
from citeloom.infrastructure.serving.jobs.job import AnyJob, AnyView, Asked, Job, JobView, Result
from citeloom.infrastructure.serving.jobs.queue import JobQueue, Joining, Make
from citeloom.infrastructure.serving.next_steps import JobNotFound
from citeloom.infrastructure.serving.served import Served, ServedParts
from citeloom.infrastructure.system.workspace import Workspace, upload_folder
from citeloom_server.application.access.access import AccessControl, browser_secret
from citeloom_server.application.access.current_rights import CurrentRights, JobSight
from citeloom_server.application.access.permitted.catalogue import PermittedCatalogue
from citeloom_server.application.access.permitted.research import (
    PermittedChatRecord,
    PermittedResearchRecord,
    PermittedUserRecord,
)
from citeloom_server.application.access.permitted.stores import (
    PermittedAnnotations,
    PermittedBundles,
    PermittedFiles,
    PermittedFollowedLibraries,
    PermittedIndex,
    PermittedLabels,
    PermittedLibrary,
    PermittedOwnRecords,
    PermittedTables,
)
from citeloom_server.application.access.ports import KnownToken
from citeloom_server.domain.access import Rights

from .store import access_control, principal_store

if TYPE_CHECKING:
    from citeloom.application.ports.index import Index
    from citeloom.domain.projects.project import EmbeddingModel, IndexPlace, ProjectId
    from citeloom_server.application.access.ports import PrincipalStore


class SeenJobs(Generic[Asked, Result]):
    """The queue ``shared``, within ``sight``. A new job is made by ``own``, a queue whose verbs
    work with the principal's rights, and waits in ``shared`` with the others."""

    def __init__(
        self, shared: JobQueue[Asked, Result], own: JobQueue[Asked, Result], sight: JobSight
    ) -> None:
        self.kind = shared.kind
        self.make = own.make
        self._shared = shared
        self._sight = sight

    def submit(
        self,
        asked: Asked,
        join: Joining[Asked] | None = None,
        owner: str = "",
        make: Make[Asked, Result] | None = None,
    ) -> JobView[Result]:
        return self._shared.submit(asked, join, owner or self._sight.name, make or self.make)

    def find(self, job_id: str) -> JobView[Result]:
        job = self._shared.find(job_id)
        if not is_seen(job, self._sight):
            raise JobNotFound(job_id, self.kind.tool)
        return job

    def own(self, job_id: str) -> Job[Asked, Result] | None:
        job = self._shared.own(job_id)
        return job if job is not None and is_seen(job, self._sight) else None

    def elsewhere(self, job: RecordedJob) -> JobView[Result]:
        return self._shared.elsewhere(job)

    def latest(self, wanted: Callable[[Job[Asked, Result]], bool]) -> Job[Asked, Result] | None:
        return self._shared.latest(lambda job: is_seen(job, self._sight) and wanted(job))

    def all(self) -> Sequence[Job[Asked, Result]]:
        return [job for job in self._shared.all() if is_seen(job, self._sight)]

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        self._shared.hear_ends(lambda job: listener(job) if is_seen(job, self._sight) else None)

    def stop(self, seconds: float) -> bool:
        return self._shared.stop(seconds)


class SeenBackground(Background):
    """The jobs of all kinds, within a sight."""

    sight: JobSight

    @classmethod
    def of(cls, shared: Background, own: Background, sight: JobSight) -> "SeenBackground":
        seen = cls(
            SeenJobs(shared.ingests, own.ingests, sight),
            SeenJobs(shared.checks, own.checks, sight),
            SeenJobs(shared.reviews, own.reviews, sight),
            SeenJobs(shared.validations, own.validations, sight),
            SeenJobs(shared.lookups, own.lookups, sight),
            SeenJobs(shared.answers, own.answers, sight),
            SeenJobs(shared.tables, own.tables, sight),
            shared.recorder,
        )
        seen.sight = sight
        return seen

    def sees(self, job: AnyView) -> bool:
        return is_seen(job, self.sight)

    def all(self, visible: Visible = everything) -> list[AnyView]:
        return super().all(lambda job: self.sees(job) and visible(job))

    def going_on(self, project: str) -> list[AnyView]:
        """Of a project that the principal may change all: they keep it from being removed."""
        changes = self.sight.may_change(project)
        return [job for job in super().going_on(project) if changes or self.sees(job)]

    def find(self, job_id: str, visible: Visible = everything) -> AnyView:
        return super().find(job_id, lambda job: self.sees(job) and visible(job))

    def cancel(self, job: AnyView) -> None:
        if not self.sight.may_cancel(job.project, job.owner):
            raise NotPermitted(
                f"{job.id}: {self.sight.name} may see this job, and not cancel it; who began it "
                "and the owners of its project may"
            )
        job.cancel()


def is_seen(job: AnyView, sight: JobSight) -> bool:
    return sight.sees(job.kind, job.project, job.owner)


V = TypeVar("V")


class PrincipalWorkspace(Workspace):
    """A workspace with a folder for what is made for one principal: evidence, findings about its
    drafts, its last question. ``stamp`` changes when something is to be forgotten."""

    def __init__(self, root: Path, name: str, stamp: str) -> None:
        super().__init__(root)
        self.all_own = self.home / "principals" / name
        self.own = self.all_own / stamp
        self.evidence = self.own / "evidence"
        self.shared_evidence = f"principals/{name}/{stamp}/evidence"
        self.last_question = self.own / "last_question.json"
        self.findings = self.own / "findings.jsonl"


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

    ingest: IngestVerbs = verbs("ingest:IngestVerbs", begun="_whole.ingest")

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


def principals_of(application: Application) -> "WorkspacePrincipals | None":
    """None without principals in the workspace. Raises StorageFailed."""
    access = access_control(application)
    return WorkspacePrincipals(application, access) if access.all() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalCaller(Caller):
    """A caller whose ``rights`` were read just now."""

    rights: Rights


class WorkspacePrincipals:
    """The principals of the workspace of ``whole``."""

    def __init__(self, whole: Application, access: AccessControl) -> None:
        self._whole = whole
        self._access = access

    async def tokens(self, shown: str) -> Caller | None:
        """Looked up with each request: a token that was renewed, or whose principal was removed,
        has ended."""
        known = await anyio.to_thread.run_sync(self._access.of_token, shown)
        return _caller(known) if known else None

    @property
    def sessions(self) -> "PrincipalSessions":
        return PrincipalSessions(self._access, time.time)

    def parts(self, whole: Served) -> "PrincipalParts":
        return PrincipalParts(whole, self._whole)


class PrincipalSessions:
    """Browser sessions of principals. The cookie holds a secret derived from the token and an
    expiry, signed with the token's stored digest. So a reader of the database cannot make one, and
    a client cannot extend one. It ends with the token. ``now``: seconds since 1970."""

    def __init__(self, access: AccessControl, now: Callable[[], float]) -> None:
        self._access = access
        self._now = now

    async def begin(self, token: str) -> str | None:
        known = await anyio.to_thread.run_sync(self._access.of_token, token)
        return f"{browser_secret(token)}.{self._cookies(known).new()}" if known else None

    async def caller(self, cookie: str) -> Caller | None:
        secret, _, told = cookie.partition(".")
        if not secret or not told:
            return None
        known = await anyio.to_thread.run_sync(self._access.of_browser_secret, secret)
        if known is None or not self._cookies(known).is_valid(told):
            return None
        return _caller(known)

    def _cookies(self, known: KnownToken) -> SessionCookies:
        return SessionCookies(known.digests.token, self._now)


class PrincipalParts(ServedParts):
    """For each principal the part of ``whole`` that it sees of ``application``; nothing for
    others."""

    def __init__(self, whole: Served, application: Application) -> None:
        super().__init__(whole)
        self._application = application
        self._parts = Views(self._part)

    def of(self, context: ServerRequestContext[Any]) -> Served:
        return self.of_caller(caller_in(context))

    def name_of(self, context: ServerRequestContext[Any]) -> str:
        return caller_in(context).name

    def of_caller(self, caller: Caller) -> Served:
        """Raises PermissionError for an unknown caller."""
        if not isinstance(caller, PrincipalCaller):
            raise PermissionError("a request without a principal was admitted")
        seen, served = self._parts.of(caller.rights)
        seen.rights.tell(caller.rights)
        return served

    def _part(self, rights: Rights) -> tuple[SeenApplication, Served]:
        root = self._application.workspace.root
        _forget_others(PrincipalWorkspace(root, rights.name, rights.stamp))
        seen = SeenApplication(self._application, principal_store(self._application), rights)
        own = background(seen, self.whole.models, self.whole.jobs.recorder)
        jobs = SeenBackground.of(self.whole.jobs, own, seen.jobs_seen)
        return seen, replace(self.whole, application=seen, jobs=jobs)


def _caller(known: KnownToken) -> PrincipalCaller:
    rights = known.rights
    return PrincipalCaller(rights.name, known.digests.token, rights.stamp, rights=rights)
