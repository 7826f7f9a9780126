"""Handlers over fakes: how long they wait, what they refuse, which project they look in."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.folders import anywhere
from support.in_memory.stores import InMemoryCatalogue
from support.pending_answers import answered
from support.recorders import a_recorder

from citeloom.application.ports.ingest import Progress
from citeloom.application.projects.projects import ProjectChoice, ProjectNotChosen
from citeloom.domain.errors import CiteLoomError, NoDocuments
from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestRequest, IngestResult
from citeloom.domain.library import LibraryScope, SyncRequest
from citeloom.domain.projects.project import DEFAULT_POLICY, EmbeddingModel, Project, ProjectId
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.mcp.contract.parameters import (
    IngestOptions,
    IngestParameters,
    ListProjectsParameters,
    QueryParameters,
    StatusParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.handlers import jobs as ingest_handlers
from citeloom.infrastructure.mcp.handlers import maps as maps_handlers
from citeloom.infrastructure.mcp.handlers import projects as project_handlers
from citeloom.infrastructure.mcp.handlers import projects as search_handlers
from citeloom.infrastructure.serving.jobs.background import background
from citeloom.infrastructure.serving.jobs.pending import WarmModels
from citeloom.infrastructure.serving.served import Served
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.system.workspace import Workspace

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class FakeApplication:
    """One project; an ingest waits until it is let go."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.catalogue = InMemoryCatalogue()
        passwords = {"a.pdf": "secret"}
        self.stores = SimpleNamespace(catalogue=self.catalogue, passwords=passwords)
        self.folders = anywhere(self.catalogue)
        self.check_filling = lambda project_id: None
        self.maps = SimpleNamespace(structure=SimpleNamespace(map=self._map))
        self.projects = SimpleNamespace(choice=ProjectChoice(catalogue=self.catalogue))
        searcher = SimpleNamespace(policy=lambda project: DEFAULT_POLICY)
        self.search = SimpleNamespace(searcher=searcher, query=self.query)
        self.ingest = SimpleNamespace(files=self.ingest_files, library=self.library_sync)
        self.asked: list[QueryRequest] = []
        self.requests: list[IngestRequest] = []
        self.library = SimpleNamespace(source=object())
        self.synced: list[SyncRequest] = []
        self.go = threading.Event()
        self.add_project("local/p")

    def add_project(self, name: str) -> None:
        project_id = ProjectId.parse(name)
        model = EmbeddingModel(name="m", dimension=3, digest="d", max_tokens=9)
        self.catalogue.add_project(
            Project(
                id=project_id,
                collection=project_id.collection,
                embedding_model=model,
                sparse_model="bm25",
                created_at=NOW,
            )
        )

    def query(self, request: QueryRequest) -> QueryResult:
        self.asked.append(request)
        return QueryResult(
            project="local/p", query="q", mode=request.mode, model="m", count=0, items=()
        )

    def library_sync(
        self, library: object, request: SyncRequest, progress: Progress
    ) -> IngestResult:
        assert library is self.library.source
        self.synced.append(request)
        return self._ingested(progress)

    def ingest_files(self, request: IngestRequest, progress: Progress) -> IngestResult:
        self.requests.append(request)
        if request.sources[0].endswith("/empty"):
            raise NoDocuments("empty: nothing here")
        return self._ingested(progress)

    def _ingested(self, progress: Progress) -> IngestResult:
        progress.begin(1)
        assert self.go.wait(10)
        report = DocumentReport(source="/a.pdf", status=DocumentStatus.ADDED)
        return IngestResult(
            project="local/p",
            documents=(report,),
            documents_processed=1,
            chunks_written=1,
            chunks_total=1,
            duration_seconds=0.1,
            embed_model="m",
            correlation_id="run",
        )

    def _map(self, project_id: ProjectId | None, name: str) -> Any:
        found = {"project": project_id.value if project_id else None, "name": name}
        return SimpleNamespace(model_dump=lambda **_: found, nodes=())


@pytest.fixture
def fake() -> FakeApplication:
    return FakeApplication()


@pytest.fixture
def served(fake: FakeApplication) -> Iterator[Served]:
    application = cast(Application, fake)
    embedder = cast(Any, lambda _: SimpleNamespace(tokens=_Silent(), embed_query=lambda _: [1.0]))
    models = WarmModels(embedder)
    jobs = background(application, models, a_recorder())
    yield Served(application, jobs, models, patience=0.05)
    fake.go.set()
    assert jobs.stop(10)


class _Silent:
    def count(self, _text: str) -> int:
        return 1


def ingest(source: str = "/papers", **options: Any) -> IngestParameters:
    return IngestParameters(project="p", source=source, options=IngestOptions(**options))


def ingest_from_source(served: Served, parameters: IngestParameters) -> dict[str, Any]:
    return answered(ingest_handlers.ingest_from_source(served, parameters))


def ingest_status(served: Served, parameters: StatusParameters) -> dict[str, Any]:
    return answered(ingest_handlers.ingest_status(served, parameters))


def test_an_ingest_that_outlasts_the_patience_gives_a_job_that_can_be_asked(
    served: Served, fake: FakeApplication
) -> None:
    told = ingest_from_source(served, ingest())

    assert (told["status"], told["documents_done"]) == ("running", 0)
    asked = StatusParameters(job_id=told["job_id"])
    assert ingest_status(served, asked)["status"] == "running"
    fake.go.set()
    done = ingest_status(served, StatusParameters(job_id=told["job_id"], wait_seconds=10))
    assert (done["status"], done["job_id"]) == ("done", told["job_id"])
    assert (done["chunks_written"], done["correlation_id"]) == (1, "run")
    assert ingest_status(served, asked) == done


def test_a_job_that_failed_raises_its_error_and_names_itself(served: Served) -> None:
    ingest_from_source(served, ingest())  # runs, so that the next one waits
    told = ingest_from_source(served, ingest("empty"))
    assert told["status"] == "queued"

    cast(Any, served.application).go.set()
    with pytest.raises(NoDocuments) as raised:
        ingest_status(served, StatusParameters(job_id=told["job_id"], wait_seconds=10))

    assert raised.value.details["job_id"] == told["job_id"]


def test_options_and_passwords_reach_the_ingest(served: Served, fake: FakeApplication) -> None:
    fake.go.set()

    ingest_from_source(served, ingest(force_rebuild=True, references="/library.json"))

    request = fake.requests[0]
    assert (request.force, request.references) == (True, ("/library.json",))
    assert request.sources == ("/papers",)
    assert request.passwords == {"a.pdf": "secret"}


def test_an_option_that_changes_nothing_is_told(served: Served) -> None:
    told = ingest_from_source(served, ingest(ocr_languages=["eng"]))

    assert told["warnings"][0].startswith("options.ocr_languages: ")


@pytest.mark.parametrize(
    ("source", "options", "code", "named"),
    [
        ("zotero", {}, "MISSING_PARAMETER", "options.collection_key"),
        ("zotero", {"collection_key": "K", "references": "/r"}, "INVALID_PARAMETER", "references"),
        (
            "zotero",
            {"collection_key": "K", "zotero_config": {"api_key": "x"}},
            "INVALID_PARAMETER",
            "under .zotero. say it",
        ),
        ("/p", {"collection_key": "K"}, "INVALID_PARAMETER", "options.collection_key"),
        ("/p", {"include_tags": ["a"]}, "INVALID_PARAMETER", "options.include_tags"),
        ("/p", {"exclude_tags": ["a"]}, "INVALID_PARAMETER", "options.exclude_tags"),
        ("/p", {"zotero_config": {"a": 1}}, "INVALID_PARAMETER", "options.zotero_config"),
    ],
)
def test_what_is_zoteros_is_refused_by_name(
    served: Served,
    fake: FakeApplication,
    source: str,
    options: dict[str, Any],
    code: str,
    named: str,
) -> None:
    with pytest.raises(CiteLoomError, match=named) as raised:
        ingest_from_source(served, ingest(source, **options))

    assert raised.value.code == code
    assert fake.requests == []


def test_a_zotero_collection_is_brought_in_as_the_options_narrow_it_down(
    served: Served, fake: FakeApplication
) -> None:
    fake.go.set()
    options = {"collection_key": "K", "include_tags": ["a"], "exclude_tags": ["b"]}

    told = ingest_from_source(served, ingest("zotero", **options, force_rebuild=True))

    (request,) = fake.synced
    assert request.scope == LibraryScope(collections=("K",), tags=("a",), exclude_tags=("b",))
    assert (request.force, request.passwords) == (True, {"a.pdf": "secret"})
    assert told["chunks_written"] == 1
    assert fake.requests == []


def test_the_two_query_tools_differ_in_the_mode(served: Served, fake: FakeApplication) -> None:
    wanted = QueryParameters(project="p", text="t", top_k=3, details=True)

    assert search_handlers.query(served, wanted)["model"] == "m"
    assert search_handlers.query_hybrid(served, wanted)["fusion"] == DEFAULT_POLICY.summary

    assert [request.mode for request in fake.asked] == [Mode.DENSE, Mode.HYBRID]
    assert {request.top_k for request in fake.asked} == {3}
    short = search_handlers.query_hybrid(served, QueryParameters(project="p", text="t"))
    assert short == {"items": [], "count": 0}


def test_a_query_that_names_no_project_is_of_the_only_one_and_says_so(
    served: Served, fake: FakeApplication
) -> None:
    answer = search_handlers.query_hybrid(served, QueryParameters(text="t"))
    assert answer == {"project": "local/p", "items": [], "count": 0}

    fake.add_project("local/q")
    with pytest.raises(ProjectNotChosen, match="there are local/p, local/q") as several:
        search_handlers.query(served, QueryParameters(text="t"))
    assert several.value.code == "MISSING_PARAMETER"
    assert several.value.details["available_projects"] == ["local/p", "local/q"]


def test_each_further_question_is_asked_once(served: Served, fake: FakeApplication) -> None:
    wanted = QueryParameters(project="p", text="a", more=["b", "a", "b"], top_k=3)

    answer = search_handlers.query_hybrid(served, wanted)

    assert [request.query_text for request in fake.asked] == ["a", "b"]
    assert len(answer["more"]) == 1


def test_what_is_asked_reaches_the_query(served: Served, fake: FakeApplication) -> None:
    fake.add_project("local/q")
    search_handlers.query_hybrid(
        served,
        QueryParameters(
            project=["p", "q", "local/p"],
            text="t",
            rerank=True,
            per_document=2,
            diverse=True,
            context=1,
        ),
    )
    search_handlers.query(served, QueryParameters(project="p", text="t"))
    one, other = fake.asked
    assert (one.project_id.value, [p.value for p in one.also]) == ("local/p", ["local/q"])
    assert (one.rerank, one.per_document, one.diverse, one.context) == (True, 2, True, 1)
    assert (other.also, other.rerank, other.per_document) == ((), None, None)


def test_a_structure_is_asked_of_the_project_named_or_of_all(served: Served) -> None:
    for project in (None, "p"):
        wanted = StructureParameters(resource_id="smith2020", project=project)
        assert maps_handlers.get_structure(served, wanted) == {
            "project": project and f"local/{project}",
            "name": "smith2020",
            "nodes": [],
        }


def test_an_empty_list_of_projects_says_where_it_was_looked(tmp_path: Path) -> None:
    """In a client's configuration another folder is the commonest mistake."""
    projects = SimpleNamespace(projects=SimpleNamespace(list=list))
    application = SimpleNamespace(projects=projects, workspace=Workspace(tmp_path))
    served = Served(cast(Application, application), cast(Any, None), cast(Any, None), patience=0)
    told = project_handlers.list_projects(served, ListProjectsParameters())
    assert (told["projects"], told["count"], told["workspace"]) == ([], 0, str(tmp_path))
    (warning,) = told["warnings"]
    assert warning.startswith(f"{tmp_path}: no projects in this workspace")
    assert warning.endswith("; add documents with ingest_from_source")
