"""What the views of the library and of a paper show, and the form that edits a paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from citeloom.application.places.show import PageRequest
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.projects.inspection import ListedPaper, PaperState
from citeloom.domain.annotations import mark_of
from citeloom.domain.choices import SortKey
from citeloom.domain.citation.metadata import CitationSource, csl_item
from citeloom.domain.citation.own import OwnMetadata, ReadingStatus
from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.fields import TYPES, fields_of, name_parts, written_value
from citeloom.domain.references.provisional import NOTE
from citeloom.domain.resources.metadata import RelationKind
from citeloom.infrastructure.http.problems import in_words
from citeloom.infrastructure.http.routes.projects import filter_of

from .ask import Chip, Chips, Filtered, byline, chips
from .source import SourcePage, document_page, paper_url

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


_NAMES: Final[Mapping[str, str]] = {
    "issued": "Date", "container-title": "Journal or book", "page": "Pages",
    "collection-title": "Series", "publisher-place": "Place", "event-title": "Conference",
    "editor": "Editors (Family, Given; …)", "number-of-pages": "Number of pages",
}  # fmt: skip
_LONG: Final = frozenset({"title", "abstract"})


class FormField(NamedTuple):
    """``field`` is what a change names it; ``long`` values have several lines."""

    field: str
    name: str
    value: str
    long: bool = False


class EditForm(NamedTuple):
    """``authors`` are family and given names. ``entry`` says where the entry of the paper is,
    where it has one: a change of it is the person's own only by ``force``."""

    fields: Sequence[FormField]
    authors: Sequence[tuple[str, str]]
    key: str
    type: str
    types: Sequence[str]
    tags: str
    note: str
    status: str
    statuses: Sequence[str]
    because: str
    entry: str | None


def edit_form(application: "Application", stored: StoredDocument) -> EditForm | None:
    """None for a document without a citation."""
    work, base = stored.citation, stored.without_own.citation
    if work is None or base is None:
        return None
    own = application.stores.own_records.own(stored.project_id, stored.document_id)
    own = own or OwnMetadata()
    item = {name: value for name, value in csl_item(work).items() if value != NOTE}
    authors = item.get("author")
    project = application.stores.catalogue.project(stored.project_id)
    has_entry = base.source is CitationSource.REFERENCES
    return EditForm(
        fields=[
            FormField(name, _named(name), written_value(name, item.get(name)), name in _LONG)
            for name in fields_of(work.type or "document", item)
            if name != "author"
        ],
        authors=[name_parts(one) for one in authors] if isinstance(authors, list) else [],
        key=work.citekey,
        type=work.type or "document",
        types=sorted(TYPES),
        tags="; ".join(own.tags),
        note=own.note,
        status=own.status.value if own.status else "",
        statuses=list(ReadingStatus),
        because=own.excluded_because,
        entry=("Zotero" if stored.held else project.named_references) if has_entry else None,
    )


def last_edit(application: "Application", project_id: ProjectId) -> str | None:
    """What the last edit of a project changed, with the paper's key; None where there is none."""
    last = application.stores.own_records.last(project_id)
    if last is None:
        return None
    stored = application.stores.catalogue.document(project_id, last.document_id)
    key = stored.citation.citekey if stored and stored.citation else last.document_id[:16]
    return f"@{key}, {last.what}"


def _named(field: str) -> str:
    name = field.replace("-", " ").replace("_", " ")
    return _NAMES.get(field) or (name if name.isupper() else name.capitalize())


ROWS: Final = 200
RETRACTED: Final = "retracted"
_COLUMNS: Final = (
    ("Title", SortKey.TITLE),
    ("Authors", SortKey.AUTHOR),
    ("Year", SortKey.YEAR),
    ("Key", SortKey.KEY),
    ("Pages", SortKey.PAGES),
    ("State", SortKey.STATE),
)
_MEANINGS: Final[Mapping[str, str]] = {
    PaperState.UNFINISHED.value: "its ingest was interrupted; add the file again",
    PaperState.NO_TEXT.value: "it has no text yet: you can cite it, but not search it",
    PaperState.MISSING.value: "the file has moved; you can still search its text",
    PaperState.UNCERTAIN.value: "some pages may differ from print; compare before you quote",
    PaperState.UNCITED.value: "add the file again to give it a citation",
    PaperState.PROVISIONAL.value: "its citation comes from the paper itself and may be wrong, "
    "because it is not in the reference file",
    RETRACTED: "the work was retracted, or a concern was raised",
}


class LibraryAddress(NamedTuple):
    """What the URL of the view says; ``start`` counts from 0; ``state`` keeps papers about which
    there is something to do."""

    project: str
    words: str = ""
    filters: tuple[str, ...] = ()
    sort: SortKey = SortKey.AUTHOR
    descending: bool = False
    state: str = ""
    start: int = 0

    def url(self) -> str:
        named: list[tuple[str, object]] = [("project", self.project), ("words", self.words)]
        named += [("filter", one) for one in self.filters]
        named += [("sort", self.sort.value)] if self.sort is not SortKey.AUTHOR else []
        named += [("descending", "true")] if self.descending else []
        named += [("state", self.state), ("start", self.start)]
        return "/library?" + urlencode([(name, value) for name, value in named if value])

    def with_filters(self, filters: tuple[str, ...]) -> str:
        """The URL of the view with these filters."""
        return self._replace(filters=filters, start=0).url()


class SortColumn(NamedTuple):
    """``sorted`` is ``ascending``, ``descending`` or empty; the URL sorts by the column, the other
    way round where it is sorted already."""

    name: str
    sorted: str
    url: str


class PaperFlag(NamedTuple):
    """A state of a paper that its reader should know or act on, in a word and in a sentence."""

    name: str
    meaning: str


class Row(NamedTuple):
    """``title`` is that of the paper, without one the name of its file."""

    paper: ListedPaper
    title: str
    authors: str
    flags: Sequence[PaperFlag]
    url: str


class Papers(NamedTuple):
    """``states`` filter by what to do next, ``all`` is how many papers there are,
    ``provisional`` how many of those that are listed have a provisional citation, ``unsure`` their
    ids where others of the project have one as well; ``undo`` is the edit that can be taken
    back."""

    columns: Sequence[SortColumn]
    rows: Sequence[Row]
    chips: Chips
    states: Sequence[Chip]
    provisional: int
    unsure: Sequence[str]
    all: int
    total: int
    start: int
    before: str | None
    after: str | None
    undo: str | None


def listed(application: "Application", wanted: LibraryAddress) -> Papers:
    """Raises ProjectNotFound, and InvalidRequest for a filter."""
    project = ProjectId.parse(wanted.project)
    clauses = filter_of(wanted.filters)
    papers = application.projects.papers([project], clauses, wanted.sort, wanted.words)
    documents = application.stores.catalogue.documents(project)
    works = [one.citation for one in documents if one.citation]
    retracted = application.citation.retracted(works)
    rows = [_row(one, retracted.get(one.citekey or "")) for one in _ordered(papers, wanted)]
    counts = Counter(flag.name for row in rows for flag in row.flags)
    if wanted.state:
        rows = [row for row in rows if wanted.state in {flag.name for flag in row.flags}]
    after = wanted.start + ROWS
    unsure = [
        row.paper.resource_id
        for row in rows
        if row.paper.citation_source is CitationSource.DOCUMENT
    ]
    return Papers(
        columns=[_column(name, key, wanted) for name, key in _COLUMNS],
        rows=rows[wanted.start : after],
        chips=chips(
            documents,
            (),
            Filtered(wanted.filters, wanted.with_filters),
            application.stores.own_records.owned(project),
        ),
        states=[_state(name, count, wanted) for name, count in sorted(counts.items())],
        provisional=len(unsure),
        unsure=unsure if len(unsure) < sum(one.is_provisional for one in works) else (),
        all=len(documents),
        total=len(rows),
        start=wanted.start,
        before=wanted._replace(start=max(0, wanted.start - ROWS)).url() if wanted.start else None,
        after=wanted._replace(start=after).url() if after < len(rows) else None,
        undo=last_edit(application, project),
    )


def _ordered(papers: Sequence[ListedPaper], wanted: LibraryAddress) -> Sequence[ListedPaper]:
    """The other way round where that is wanted; those without a value stay last."""
    if not wanted.descending:
        return papers
    known = [one for one in papers if _has(one, wanted.sort)]
    return [*reversed(known), *(one for one in papers if not _has(one, wanted.sort))]


def _has(paper: ListedPaper, sort: SortKey) -> bool:
    return bool(
        {
            SortKey.AUTHOR: paper.authors,
            SortKey.KEY: paper.citekey,
            SortKey.PAGES: True,
            SortKey.STATE: True,
            SortKey.TITLE: paper.title,
            SortKey.YEAR: paper.year,
        }[sort]
    )


def _column(name: str, key: SortKey, wanted: LibraryAddress) -> SortColumn:
    is_sorted = key is wanted.sort
    # The newest papers are what a reader looks for first.
    descending = not wanted.descending if is_sorted else key is SortKey.YEAR
    state = ("descending" if wanted.descending else "ascending") if is_sorted else ""
    return SortColumn(name, state, wanted._replace(sort=key, descending=descending, start=0).url())


def _state(name: str, count: int, wanted: LibraryAddress) -> Chip:
    on = wanted.state == name
    return Chip(name, count, on, wanted._replace(state="" if on else name, start=0).url())


def _row(paper: ListedPaper, retracted: str | None) -> Row:
    flags = [PaperFlag(RETRACTED, retracted)] if retracted else []
    states = [] if paper.state is PaperState.COMPLETE else [paper.state]
    if paper.citation_source is CitationSource.DOCUMENT and PaperState.PROVISIONAL not in states:
        states.append(PaperState.PROVISIONAL)
    flags += [PaperFlag(state.value, _MEANINGS[state.value]) for state in states]
    return Row(
        paper=paper,
        title=paper.title or PurePath(paper.source_path or paper.resource_id).name,
        authors=byline(paper.authors),
        flags=flags,
        url=paper_url(paper.project, paper.document_id),
    )


_MOST_RELATED: Final = 20
_MOST_MARKS: Final = 200


class Part(NamedTuple):
    """A heading, figure or table; ``where`` names its pages of the file."""

    title: str
    kind: str
    where: str | None
    url: str | None
    parts: Sequence["Part"]


class Related(NamedTuple):
    """Papers of the project by how they are related; ``beyond`` are how many more there are."""

    name: str
    papers: Sequence[tuple[str, str]]
    beyond: int


class ReaderMark(NamedTuple):
    """An annotation of the reader; ``where`` names its page of the file."""

    quote: str
    comment: str
    color: str | None
    where: str | None
    url: str | None


class PaperView(NamedTuple):
    """``page`` is the page that is shown; a document without pages has its ``text``. ``related``
    is None where it was not asked for, ``form`` where there is no citation; ``reading`` is what the
    reader says of it; ``relate`` is the URL that asks. ``link`` opens the work in
    Zotero, by DOI or on the web."""

    project: str
    document: str
    title: str
    authors: str
    year: int | None
    citekey: str | None
    provisional: bool
    ask: str
    link: str | None
    notes: Sequence[str]
    parts: Sequence[Part]
    related: Sequence[Related] | None
    relate: str
    marks: Sequence[ReaderMark]
    form: EditForm | None
    reading: str
    page: SourcePage | None = None
    text: str = ""


def opened(
    application: "Application", project: str, document: str, page: int, *, related: bool = False
) -> PaperView:
    """Raises what ``open_page`` raises; InvalidRequest for a page that it does not have."""
    project_id = ProjectId.parse(project)
    stored = application.stores.documents.find(document, project_id)
    structure = application.maps.structure.map(project_id, stored.document_id)
    work = stored.citation
    told = application.citation.retracted([work]) if work else {}
    form = edit_form(application, stored)
    paper = PaperView(
        project=project_id.value,
        document=stored.document_id,
        title=(work.title if work else stored.title) or PurePath(stored.path or document).name,
        authors=", ".join(work.authors if work else stored.authors),
        year=work.year if work else stored.year,
        citekey=work.citekey if work else None,
        provisional=bool(work and work.is_provisional),
        ask="/ask?"
        + urlencode(
            {
                "project": project,
                "filter": f"citekey={work.citekey}" if work else f"doc={stored.document_id}",
            }
        ),
        link=application.citation.cite.place(project_id, stored.document_id).link if work else None,
        notes=list(told.values()),
        parts=[_part(node, project, stored.document_id) for node in structure.nodes],
        related=_related(application, stored) if related else None,
        relate=paper_url(project, stored.document_id, page) + "&related=true",
        marks=_marks(application, stored),
        form=form,
        reading=_reading(form) if form else "",
    )
    if not stored.has_file:
        return paper._replace(notes=[*paper.notes, _MEANINGS[PaperState.NO_TEXT.value]])
    whole = application.resources.show(PageRequest(place=document, project_id=project_id))
    if not whole.place.document.page_count:
        return paper._replace(text=whole.text.text)
    try:
        shown = document_page(
            application, whole, page, lambda one: paper_url(project, stored.document_id, one)
        )
    except (UnsupportedFormat, InvalidSource) as error:
        notes = [*paper.notes, in_words(error.message)]
        return paper._replace(notes=notes, text=whole.text.text)
    return paper._replace(page=shown)


def _reading(form: EditForm) -> str:
    """What the reader says of the paper: status, tags and note."""
    because = f": {form.because}" if form.because else ""
    return " · ".join(filter(None, (form.status + because, form.tags, form.note)))


def _related(application: "Application", stored: StoredDocument) -> Sequence[Related]:
    graph = application.resources.relations.of_document(
        stored.project_id, stored.document_id, citing=True
    )
    named = {
        one.uri: f"{one.title or one.name}{f' ({one.year})' if one.year else ''}"
        for one in graph.nodes
    }
    groups: dict[str, list[tuple[str, str]]] = {"Cites": [], "Cited by": [], "Same work": []}
    for one in graph.relations:
        source, target = one.ends
        other = target if source == graph.start else source
        if one.kind is not RelationKind.LINK:
            name = "Same work"
        else:
            name = "Cites" if source == graph.start else "Cited by"
        document = other.rsplit("/", 1)[-1]
        groups[name].append((named[other], paper_url(stored.project_id.value, document, 1)))
    return [
        Related(name, papers[:_MOST_RELATED], max(0, len(papers) - _MOST_RELATED))
        for name, papers in groups.items()
    ]


def _marks(application: "Application", stored: StoredDocument) -> Sequence[ReaderMark]:
    project_id, document = stored.project_id, stored.document_id
    noted = application.stores.annotations.annotations(project_id, document)
    marks = [mark_of(one, one.page) for one in noted]
    return [
        ReaderMark(
            quote=one.quote,
            comment=one.comment,
            color=one.color_name,
            where=f"PDF {one.page}" if one.page else None,
            url=paper_url(project_id.value, document, one.page) if one.page else None,
        )
        for one in marks[:_MOST_MARKS]
    ]


def _part(node: Node, project: str, document: str) -> Part:
    pages = node.location.pages
    where = None
    if pages:
        where = f"PDF {pages[0]}" if len(pages) == 1 else f"PDF {pages[0]}–{pages[-1]}"
    return Part(
        title=node.title or node.id,
        kind=node.type,
        where=where,
        url=paper_url(project, document, pages[0]) if pages else None,
        parts=[_part(one, project, document) for one in node.children],
    )
