"""The verb *list*: the documents of projects as works, with what is known of them."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import UNFINISHED, StoredDocument
from citeloom.application.ports.ingest import SourceCopies, SourceFiles
from citeloom.domain.maps.address import short_id
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.projects.sort_key import SortKey
from citeloom.domain.search.filters import Field, Filter, author_terms
from citeloom.domain.search.work_filter import Terms, check_of_works, passes
from citeloom.domain.text.folding import fold
from citeloom.domain.value import Value


class PaperState(StrEnum):
    """What is to be done about a document; the first that holds."""

    UNFINISHED = "unfinished"
    MISSING = "file missing"
    UNCERTAIN = "text uncertain"
    UNCITED = "no citation"
    COMPLETE = "complete"


class ListedPaper(Value):
    """A document of a project. Without a ``citekey``, title, authors and year are those that the
    file itself says. ``resource_id`` is the id of its map, ``type`` the CSL type of the work."""

    project: str
    document_id: str
    resource_id: str
    citekey: str | None
    authors: tuple[str, ...]
    year: int | None
    title: str | None
    pages: int
    passages: int
    type: str | None
    state: PaperState
    source_path: str | None


class ListPapers:
    def __init__(
        self, *, documents: DocumentFinder, files: SourceFiles, copies: SourceCopies
    ) -> None:
        self._documents = documents
        self._files = files
        self._copies = copies

    def __call__(
        self,
        projects: Sequence[ProjectId],
        filter: Filter,
        sort: SortKey = SortKey.AUTHOR,
        words: str = "",
    ) -> Sequence[ListedPaper]:
        """The documents of each project that pass, sorted; those without a value come last.
        ``words`` must all be in key, title, authors or year, or begin a word there.

        Raises ProjectNotFound, InvalidRequest for a clause on passages, DocumentNotFound for a
        ``doc=`` that is no document.
        """
        check_of_works(filter)
        ids = [self._documents.catalogue.project(one).id for one in projects]
        filters = self._documents.with_ids(filter, ids)
        found = [
            document
            for project_id in ids
            for document in self._documents.catalogue.documents(project_id)
            if passes(filters[project_id], _terms(document)) and _has_words(document, words)
        ]
        there = self._files.stamps(document.path for document in found if document.path)
        away = {one.document_id for one in found if one.path and one.path not in there}
        gone = away - self._copies.ids() if away else away
        listed = [(_listed(one, gone=one.document_id in gone), _first_author(one)) for one in found]
        listed.sort(key=lambda one: (one[0].project, _order(one[0], one[1], sort)))
        return [paper for paper, _ in listed]


def _listed(document: StoredDocument, *, gone: bool) -> ListedPaper:
    cited = document.citation
    return ListedPaper(
        project=document.project_id.value,
        document_id=document.document_id,
        resource_id=short_id(document.document_id),
        citekey=cited.citekey if cited else None,
        authors=cited.authors if cited else document.authors,
        year=cited.year if cited else document.year,
        title=cited.title if cited else document.title,
        pages=document.pages,
        passages=document.chunks,
        type=cited.type if cited else None,
        state=_state(document, gone=gone),
        source_path=document.path,
    )


def _state(document: StoredDocument, *, gone: bool) -> PaperState:
    if document.embedding == UNFINISHED:
        return PaperState.UNFINISHED
    if gone:
        return PaperState.MISSING
    if document.fidelity is not None and document.fidelity.uncertain:
        return PaperState.UNCERTAIN
    return PaperState.COMPLETE if document.citation else PaperState.UNCITED


def _terms(document: StoredDocument) -> Terms:
    """What the clauses of a filter are held against, as the index has it of passages."""
    terms: dict[Field, Iterable[str | int | None]] = {
        Field.DOC: [document.document_id],
        Field.LANG: [document.language],
    }
    if cited := document.citation:
        terms |= {
            Field.YEAR: [cited.year],
            Field.AUTHOR: author_terms(cited.authors),
            Field.CITEKEY: [cited.citekey],
            Field.TAG: map(fold, cited.tags),
            Field.COLLECTION: map(fold, cited.collections),
            Field.TYPE: [fold(cited.type) if cited.type else None],
            Field.ITEM: [cited.item_key],
        }
    return {
        field: frozenset(value for value in values if value is not None)
        for field, values in terms.items()
    }


def _has_words(document: StoredDocument, words: str) -> bool:
    cited = document.citation
    known: list[object] = [document.title, *document.authors, document.year]
    if cited:
        known = [cited.citekey, cited.title, *cited.authors, cited.year]
    told = fold(" ".join(str(one) for one in known if one))
    return all(re.search(rf"\b{re.escape(word)}", told) for word in fold(words).split())


def _first_author(document: StoredDocument) -> str:
    """What the first author is sorted by, folded: the family name, else the last word."""
    cited = document.citation
    people = cited.csl.get("author") if cited else None
    person = people[0] if isinstance(people, list) and people else None
    if isinstance(person, dict):
        return fold(str(person.get("family") or person.get("literal") or ""))
    names = cited.authors if cited else document.authors
    return fold(names[0]).rpartition(" ")[2] if names else ""


def _order(
    paper: ListedPaper, author: str, sort: SortKey
) -> tuple[bool, str | int, bool, str, int, str]:
    """By the key, then by first author and year; missing values last."""
    value: str | int | None = {
        SortKey.AUTHOR: author,
        SortKey.KEY: paper.citekey and fold(paper.citekey),
        SortKey.PAGES: paper.pages,
        SortKey.STATE: list(PaperState).index(paper.state),
        SortKey.TITLE: paper.title and fold(paper.title),
        SortKey.YEAR: paper.year,
    }[sort]
    missing = value is None or value == ""
    return (
        missing,
        0 if missing else value or 0,
        not author,
        author,
        paper.year or 0,
        paper.document_id,
    )
