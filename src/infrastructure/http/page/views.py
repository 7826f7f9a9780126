"""Views of the web page."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeVar
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.projects.projects import ProjectSummary
from citeloom.domain.choices import SortKey
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.lookup import (
    SERVICES,
    IdentifiedDocument,
    IdentifyOutcome,
    IdentifyResult,
    entry_line,
)
from citeloom.domain.review.answer import WrittenAnswer
from citeloom.domain.review.report.table import PaperTable, TableRequest, counts
from citeloom.domain.verification.drafts.draft import EvidenceQuote
from citeloom.infrastructure.http.access import Access, Verbs
from citeloom.infrastructure.http.problems import Problem, in_words, status_of
from citeloom.infrastructure.http.reports import TEMPLATES
from citeloom.infrastructure.http.routes.checks import result_of
from citeloom.infrastructure.serving.jobs.checks import written_so_far

from .ask import AskAddress, Chips, Filtered, ShownAnswer, answered, chips
from .history import HistoryAddress, HistoryView, KeptChat, kept_questions, remembered
from .library import LibraryAddress, Papers, listed, opened
from .review import (
    CheckedDraft,
    DraftAddress,
    ReviewAddress,
    ReviewView,
    checked,
    draft_text,
    reviewed,
)
from .source import STYLES, paper_url, picture_url

if TYPE_CHECKING:
    from citeloom.application.ports.models import LanguageModel
    from citeloom.infrastructure.composition.application import Application


class LookedUp(NamedTuple):
    """A looked-up document: ``own`` is its own data, ``found`` the record as one line, ``how`` the
    source, the search and how well it agrees."""

    document: str
    name: str
    url: str
    own: str
    found: str
    how: str
    why: str
    notices: Sequence[str]


class LookupView(NamedTuple):
    """``proposed`` are those that still have a provisional citation; ``rest`` are outcomes with
    their documents."""

    summary: str
    proposed: Sequence[LookedUp]
    rest: Sequence[tuple[str, Sequence[LookedUp]]]


_NAMES = {
    IdentifyOutcome.TAKEN: "taken",
    IdentifyOutcome.PROPOSED: "to accept or leave",
    IdentifyOutcome.NOTHING: "not found",
    IdentifyOutcome.FAILED: "not answered",
    IdentifyOutcome.KEPT: "with an entry of their own",
}


def looked_up(application: "Application", result: IdentifyResult) -> LookupView:
    """Raises ProjectNotFound."""
    groups: dict[IdentifyOutcome, list[LookedUp]] = {one: [] for one in _NAMES}
    for one in result.documents:
        stored = application.stores.catalogue.document(
            ProjectId.parse(result.project), one.document_id
        )
        if stored is None:  # it was removed since
            continue
        outcome = one.outcome
        if outcome is IdentifyOutcome.PROPOSED and stored.is_cited:
            outcome = IdentifyOutcome.TAKEN
        base = stored.without_own.citation
        own = [stored.title or "no title", ", ".join(stored.authors), str(stored.year or "")]
        if base is not None and base.doi:
            own.append(f"doi:{base.doi}")
        groups[outcome].append(_shown(one, result.project, ". ".join(filter(None, own))))
    counts = [f"{len(found)} {_NAMES[one]}" for one, found in groups.items() if found]
    return LookupView(
        summary=", ".join(counts) or "no paper",
        proposed=groups.pop(IdentifyOutcome.PROPOSED),
        rest=[(_NAMES[one], found) for one, found in groups.items() if found],
    )


def _shown(one: IdentifiedDocument, project: str, own: str) -> LookedUp:
    how = f"{one.service}, by {one.by}: {one.agreement}" if one.found else ""
    return LookedUp(
        document=one.document_id,
        name=one.name,
        url=paper_url(project, one.document_id),
        own=own,
        found=entry_line(one.found) if one.found else "",
        how=how,
        why=in_words(one.why),
        notices=one.notices,
    )


TEMPLATES.globals["picture_url"] = picture_url


def rendered(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A view as HTML; never kept by caches, as it says what is in the library now."""
    text = TEMPLATES.get_template(f"{template}.html").render(values)
    return HTMLResponse(text, status, {"Cache-Control": "no-store"})


def problem_page(problem: Problem, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """A problem as a page: of a path without a view, or of what a view does not explain."""
    access = {"secret": None, "login": False}
    page = rendered("problem", problem.status, view="", access=access, project="", problem=problem)
    page.headers.update(headers or {})
    return page


router: Final = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Text = Annotated[str, Query(max_length=4000)]
Clauses = Annotated[list[str] | None, Query(max_length=50)]
Page = Annotated[int | None, Query(ge=1)]
Style = Annotated[str, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$")]

_View = TypeVar("_View")
_Empty = TypeVar("_Empty")

#: Kept questions that the view *Ask* lists.
_KEPT: Final = 8


class Shown(NamedTuple):
    """The data of the view *Ask* besides its URL; ``kept`` are the project's kept questions, shown
    without a question."""

    chips: Chips
    answer: ShownAnswer | None
    kept: Sequence[KeptChat] = ()


@router.get("/")
async def home() -> RedirectResponse:
    return RedirectResponse("/ask", 307)


@router.get("/login")
async def login() -> RedirectResponse:
    """The login for callers that need none; others were asked for the token before."""
    return RedirectResponse("/ask", 303)


@router.get("/ask")
async def ask(
    verbs: Verbs,
    project: Text = "",
    q: Text = "",
    filter: Clauses = None,
    hit: Annotated[int, Query(ge=1, le=100)] = 1,
    page: Page = None,
    style: Style = DEFAULT_STYLE,
) -> HTMLResponse:
    """A question, its passages by paper, and the page of one of them."""
    projects, chosen = await _projects(verbs, project)
    asked = AskAddress(chosen, q.strip(), tuple(filter or ()), hit, page, style)
    shown, error, status = Shown(Chips((), ()), None), None, 200
    if chosen:
        shown, error, status = await _tried(verbs, "ask", _answer(verbs, asked), shown)
    return rendered(
        "ask", status, view="ask", access=verbs, projects=projects, project=chosen,
        asked=asked, shown=shown, styles=STYLES, error=error, model=_model(verbs),
    )  # fmt: skip


@router.get("/answer")
async def answer(verbs: Verbs, job: Text) -> HTMLResponse:
    """A part of the view *Ask*: the answer so far."""
    found, error, status = await _tried(verbs, "answer", lambda: _written(verbs, job), (None, True))
    written, ended = found

    def paper(quote: EvidenceQuote) -> str:
        return paper_url(written.project if written else "", quote.document_id, quote.page)

    return rendered(
        "answer", status, answer=written, ended=ended, error=error, paper=paper,
        warnings=[in_words(one) for one in written.warnings] if written else (),
    )  # fmt: skip


@router.get("/library")
async def library(
    verbs: Verbs,
    project: Text = "",
    words: Text = "",
    filter: Clauses = None,
    sort: SortKey = SortKey.AUTHOR,
    descending: bool = False,
    state: Text = "",
    start: Annotated[int, Query(ge=0)] = 0,
    lookup: Text = "",
) -> HTMLResponse:
    """The papers of a project, and what the look-up that ``lookup`` is the job of has found."""
    projects, chosen = await _projects(verbs, project)
    filters = tuple(filter or ())
    wanted = LibraryAddress(chosen, words.strip(), filters, sort, descending, state, start)
    jobs = await verbs.run("jobs", lambda: verbs.jobs.going_on(chosen)) if chosen else []
    papers: Papers | None = None
    error, status = None, 200
    found: LookupView | None = None
    if chosen:
        papers, error, status = await _tried(
            verbs, "library", lambda: listed(verbs.application, wanted), None
        )
    if lookup and papers:
        found, error, status = await _tried(
            verbs,
            "lookup",
            lambda: looked_up(verbs.application, result_of(verbs.jobs.lookups.find(lookup))),
            None,
        )
    return rendered(
        "library", status, view="library", access=verbs, projects=projects, project=chosen,
        wanted=wanted, papers=papers, jobs=jobs, error=error, lookup=found, services=SERVICES,
        contact=verbs.application.settings.metadata.contact,
    )  # fmt: skip


@router.get("/paper")
async def paper(
    verbs: Verbs, project: Text, document: Text, page: Page = None, related: bool = False
) -> HTMLResponse:
    """The contents of a paper, marks, and a page of it; with ``related`` papers of the project."""
    shown, error, status = await _tried(
        verbs,
        "paper",
        lambda: opened(verbs.application, project, document, page or 1, related=related),
        None,
    )
    return rendered(
        "paper", status, view="library", access=verbs, project=project, paper=shown, error=error,
        services=SERVICES, contact=verbs.application.settings.metadata.contact,
    )  # fmt: skip


@router.get("/draft")
async def draft(
    verbs: Verbs,
    project: Text = "",
    job: Text = "",
    finding: Annotated[int, Query(ge=1)] = 1,
    page: Page = None,
) -> HTMLResponse:
    """A draft with the verdicts on its claims, and the source of one of them."""
    projects, chosen = await _projects(verbs, project)
    asked = DraftAddress(chosen, job, finding, page)
    shown: CheckedDraft | None = None
    error, status, running, text = None, 200, False, ""
    if job:
        try:
            check = await verbs.run("draft", lambda: verbs.jobs.checks.find(job))
            text = await verbs.run("draft", lambda: draft_text(check))
            running = not check.has_ended
            if not running:
                shown = await verbs.run("draft", lambda: checked(verbs.application, asked, check))
        except CiteLoomError as failed:
            error, status = in_words(failed.message), status_of(failed)
    return rendered(
        "draft", status, view="draft", access=verbs, projects=projects, project=chosen,
        job=job, running=running, text=text, shown=shown, error=error,
    )  # fmt: skip


@router.get("/review")
async def review(
    verbs: Verbs,
    project: Text = "",
    session: Text = "",
    other: Text = "",
    statement: Annotated[int, Query(ge=1)] = 1,
    page: Page = None,
) -> HTMLResponse:
    """A review: its report, the statements with their sources, and another beside it."""
    projects, chosen = await _projects(verbs, project)
    asked = ReviewAddress(session, other, statement, page)
    shown, error, status = await _tried(
        verbs, "review", lambda: reviewed(verbs.application, asked), ReviewView()
    )
    if shown.review and not project:  # the next question is for the same papers
        chosen = shown.review.recorded.session.project_id
    return rendered(
        "review", status, view="review", access=verbs, projects=projects, project=chosen,
        asked=asked, shown=shown, error=error,
    )  # fmt: skip


@router.get("/table")
async def table(verbs: Verbs, project: Text = "", job: Text = "") -> HTMLResponse:
    """The kept table of a project; ``job`` is one that reads papers for it."""
    projects, chosen = await _projects(verbs, project)
    shown, error, status = None, None, 200
    if chosen:
        shown, error, status = await _tried(verbs, "table", lambda: _kept(verbs, chosen), None)
    return rendered(
        "table", status, view="table", access=verbs, projects=projects, project=chosen, job=job,
        shown=shown, counts=counts(shown) if shown else {}, error=error,
    )  # fmt: skip


@router.get("/history")
async def history(
    verbs: Verbs,
    project: Text = "",
    chat: UUID | None = None,
    passage: Annotated[int, Query(ge=1)] = 1,
    page: Page = None,
    start: Annotated[int, Query(ge=0)] = 0,
) -> HTMLResponse:
    """Questions that were kept and reviews, or the questions of one chat with their passages."""
    asked = HistoryAddress(chat, passage, page, start)
    shown, error, status = await _tried(
        verbs, "history", lambda: remembered(verbs.application, asked), HistoryView()
    )
    return rendered(
        "history", status, view="history", access=verbs, project=project, shown=shown, error=error
    )


def _model(verbs: Access) -> "LanguageModel | None":
    """The language model for answers, if one is configured."""
    models = verbs.application.models
    with suppress(CiteLoomError):
        return models.language_model if models.has_language_model else None
    return None


def _written(verbs: Access, job: str) -> tuple[WrittenAnswer | None, bool]:
    found = verbs.jobs.answers.find(job)
    return written_so_far(found), found.has_ended


def _kept(verbs: Access, project: str) -> PaperTable:
    wanted = TableRequest(
        project_id=ProjectId.parse(project),
        writer=verbs.application.settings.review.writer,
        kept=True,
    )
    return verbs.application.research.table(wanted)


async def _tried(
    verbs: Access, name: str, call: Callable[[], _View], empty: _Empty
) -> tuple[_View | _Empty, str | None, int]:
    """What the call shows, no error and status 200; ``empty``, the error and its status if it
    fails."""
    try:
        return await verbs.run(name, call), None, 200
    except CiteLoomError as failed:
        return empty, in_words(failed.message), status_of(failed)


async def _projects(verbs: Access, wanted: str) -> tuple[Sequence[ProjectSummary], str]:
    """All projects, and the one that is wanted: named, or the first."""
    projects = await verbs.run("list projects", verbs.application.projects.projects.list)
    if not wanted:
        return projects, projects[0].id if projects else ""
    with suppress(CiteLoomError):  # it is told with the view
        wanted = ProjectId.parse(wanted).value
    return projects, wanted


def _answer(verbs: Access, asked: AskAddress) -> Callable[[], Shown]:
    application = verbs.application

    def work() -> Shown:
        catalogue = application.stores.catalogue
        project = catalogue.project(ProjectId.parse(asked.project))
        answer = answered(application, asked) if asked.question else None
        hits = answer.result.items if answer else ()
        view = Filtered(asked.filters, asked.with_filters)
        kept = () if answer else kept_questions(application, project.id.value, _KEPT)
        own = application.stores.own_records.owned(project.id)
        documents = catalogue.documents(project.id)
        return Shown(chips(documents, hits, view, own), answer, kept)

    return work
