"""The verbs *inspect* and *list*: what a project holds, and its documents as works."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.index.collection import open_collection, require_index
from citeloom.application.ports.catalogue import UNFINISHED, Catalogue, StoredDocument
from citeloom.application.ports.citation import OwnRecords
from citeloom.application.ports.index import Collection, Index, Passage
from citeloom.application.ports.ingest import SourceCopies, SourceFiles
from citeloom.application.search.selection import result_item
from citeloom.domain.choices import SortKey
from citeloom.domain.citation.metadata import CitationSource
from citeloom.domain.citation.own import OwnMetadata, ReadingStatus
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity
from citeloom.domain.maps.address import short_id
from citeloom.domain.projects.project import Project, ProjectId, ServerCondition
from citeloom.domain.search.filters import (
    Field,
    Filter,
    Terms,
    author_terms,
    check_of_works,
    passes,
)
from citeloom.domain.search.request import QueryResultItem
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.value import Value

_RANKING = {"rank", "score"}


class TextFidelity(Value):
    """Fidelity of a document with pages; ``fidelity`` is None if unknown."""

    document: str
    document_id: str
    citekey: str | None = None
    fidelity: DocumentFidelity | None = None


class Inspection(Value):
    """Counts and settings of a project; ``samples`` are items without rank and score. ``fidelity``
    has the PDF documents, those with the least share of true or kept text first. ``server`` is
    None for an index in the workspace."""

    project: str
    collection: str
    model: str
    model_fingerprint: str
    sparse_model: str
    hybrid_enabled: bool
    references: str | None
    documents: int
    cited_documents: int
    pages: int
    chunks: int
    indexed_fields: tuple[str, ...]
    server: ServerCondition | None = None
    fidelity: tuple[TextFidelity, ...] = ()
    samples: tuple[dict[str, object], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    catalogue: Catalogue
    index: Index

    def __call__(self, project_id: ProjectId, samples: int | None = 0) -> Inspection:
        """``samples`` passages spread evenly over the project; all of them if None."""
        project = self.catalogue.project(project_id)
        documents = self.catalogue.documents(project_id)
        by_id = {document.document_id: document.fidelity for document in documents}
        chunks, fields = 0, tuple[str, ...]()
        picked: list[Passage] = []
        require_index(self.index, self.catalogue, project)
        if self.index.exists(project.collection):
            with open_collection(self.index, project) as collection:
                info = collection.info()
                chunks, fields = info.points, info.indexed_fields
                picked = _pick(collection, chunks, samples)
        return Inspection(
            project=project.id.value,
            collection=project.collection,
            model=project.embedding_model.name,
            model_fingerprint=project.embedding_model.fingerprint,
            sparse_model=project.sparse_model,
            hybrid_enabled=project.hybrid_enabled,
            references=project.named_references,
            documents=len(documents),
            cited_documents=sum(d.is_cited for d in documents),
            pages=sum(d.pages for d in documents),
            chunks=chunks,
            indexed_fields=fields,
            server=self.index.condition(project.collection),
            fidelity=_by_fidelity(documents),
            samples=tuple(
                _sample(project, passage, by_id.get(passage.chunk.doc_id)) for passage in picked
            ),
        )


def _pick(collection: Collection, total: int, samples: int | None) -> list[Passage]:
    if samples is None or samples >= total:
        return list(collection.passages())
    if samples == 0:
        return []
    step = total / samples
    numbers = {int(step * n) for n in range(samples)}
    return [p for n, p in enumerate(collection.passages()) if n in numbers]


def _by_fidelity(documents: Sequence[StoredDocument]) -> tuple[TextFidelity, ...]:
    found = [
        TextFidelity(
            document=document.path or document.document_id,
            document_id=document.document_id,
            citekey=document.citation.citekey if document.citation else None,
            fidelity=document.fidelity,
        )
        for document in documents
        if document.mime_type == PDF
    ]
    return tuple(sorted(found, key=lambda one: one.fidelity.least if one.fidelity else 0.0))


def _sample(
    project: Project, passage: Passage, fidelity: DocumentFidelity | None
) -> dict[str, object]:
    item: QueryResultItem = result_item(project, passage, rank=1, score=0.0, fidelity=fidelity)
    sample = item.model_dump(mode="json", exclude=_RANKING)
    # All of the text, and its slice: anyone who checks places needs both.
    sample["text"] = passage.chunk.text
    sample["char_span"] = [passage.chunk.char_span.start, passage.chunk.char_span.end]
    sample["kind"] = passage.chunk.kind.value
    sample["tokens"] = passage.chunk.tokens
    return sample


class PaperState(StrEnum):
    """What a document needs next: the first state that applies."""

    UNFINISHED = "unfinished"
    NO_TEXT = "no text"
    MISSING = "file missing"
    UNCERTAIN = "text uncertain"
    UNCITED = "no citation"
    PROVISIONAL = "provisional"
    COMPLETE = "complete"


class ListedPaper(Value):
    """A document of a project. Without a ``citekey``, title, authors and year are those that the
    file itself says. ``resource_id`` is the id of its map, ``type`` the CSL type of the work.
    ``own_tags``, ``note``, ``status`` and ``excluded_because`` are a person's own."""

    project: str
    document_id: str
    resource_id: str
    citekey: str | None
    citation_source: CitationSource | None
    authors: tuple[str, ...]
    year: int | None
    title: str | None
    pages: int
    passages: int
    type: str | None
    state: PaperState
    source_path: str | None
    tags: tuple[str, ...] = ()
    own_tags: tuple[str, ...] = ()
    note: str = ""
    status: ReadingStatus | None = None
    excluded_because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPapers:
    documents: DocumentFinder
    files: SourceFiles
    copies: SourceCopies
    own: OwnRecords

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
        ``doc=`` that is not a document.
        """
        check_of_works(filter)
        ids = [self.documents.catalogue.project(one).id for one in projects]
        filters = self.documents.with_ids(filter, ids)
        found = [
            document
            for project_id in ids
            for document in self.documents.catalogue.documents(project_id)
            if passes(filters[project_id], _terms(document)) and _has_words(document, words)
        ]
        there = self.files.stamps(document.path for document in found if document.path)
        away = {
            one.document_id for one in found if one.path and one.has_file and one.path not in there
        }
        gone = away - self.copies.ids() if away else away
        owned = {one: self.own.owned(one) for one in ids}
        listed = [
            (
                _listed(one, owned[one.project_id].get(one.document_id), one.document_id in gone),
                _first_author(one),
            )
            for one in found
        ]
        listed.sort(key=lambda one: (one[0].project, _order(one[0], one[1], sort)))
        return [paper for paper, _ in listed]


def _listed(document: StoredDocument, own: OwnMetadata | None, gone: bool) -> ListedPaper:
    cited, own = document.citation, own or OwnMetadata()
    return ListedPaper(
        project=document.project_id.value,
        document_id=document.document_id,
        resource_id=short_id(document.document_id),
        citekey=cited.citekey if cited else None,
        citation_source=cited.source if cited else None,
        authors=cited.authors if cited else document.authors,
        year=cited.year if cited else document.year,
        title=cited.title if cited else document.title,
        pages=document.pages,
        passages=document.chunks,
        type=cited.type if cited else None,
        state=_state(document, gone=gone),
        source_path=document.path if document.has_file else None,
        tags=cited.tags if cited else own.tags,
        own_tags=own.tags,
        note=own.note,
        status=own.status,
        excluded_because=own.excluded_because,
    )


def _state(document: StoredDocument, *, gone: bool) -> PaperState:
    if document.embedding == UNFINISHED:
        return PaperState.UNFINISHED
    if not document.has_file:
        return PaperState.NO_TEXT
    if gone:
        return PaperState.MISSING
    if document.fidelity is not None and document.fidelity.uncertain:
        return PaperState.UNCERTAIN
    if document.citation is None:
        return PaperState.UNCITED
    return PaperState.PROVISIONAL if document.citation.is_provisional else PaperState.COMPLETE


def _terms(document: StoredDocument) -> Terms:
    """The values that the clauses of a filter compare, as the index has them for passages."""
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
    """The sort key of the first author, folded: the family name, else the last word."""
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
