"""The verb *inspect*: counts and settings of a project, with sample passages."""

from collections.abc import Sequence

from citeloom.application.index.collection import open_collection, require_index
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Collection, Index, Passage
from citeloom.application.search.result_items import result_item
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.projects.server_condition import ServerCondition
from citeloom.domain.search.request import QueryResultItem
from citeloom.domain.value import Value

_RANKING = {"rank", "score"}


class TextFidelity(Value):
    """Fidelity of a document with pages; ``fidelity`` is None where nothing is known of it."""

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


class Inspect:
    def __init__(self, *, catalogue: Catalogue, index: Index, wait_seconds: float = 30.0) -> None:
        self._catalogue = catalogue
        self._index = index
        self._wait = wait_seconds

    def __call__(self, project_id: ProjectId, samples: int | None = 0) -> Inspection:
        """``samples`` passages spread evenly over the project; all of them if None."""
        project = self._catalogue.project(project_id)
        documents = self._catalogue.documents(project_id)
        by_id = {document.document_id: document.fidelity for document in documents}
        chunks, fields = 0, tuple[str, ...]()
        picked: list[Passage] = []
        require_index(self._index, self._catalogue, project)
        if self._index.exists(project.collection):
            with open_collection(self._index, project, self._wait) as collection:
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
            references=str(project.references_json) if project.references_json else None,
            documents=len(documents),
            cited_documents=sum(1 for d in documents if d.citation),
            pages=sum(d.pages for d in documents),
            chunks=chunks,
            indexed_fields=fields,
            server=self._index.condition(project.collection),
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
    # All of the text, and its slice: whoever checks places needs both.
    sample["text"] = passage.chunk.text
    sample["char_span"] = [passage.chunk.char_span.start, passage.chunk.char_span.end]
    sample["kind"] = passage.chunk.kind.value
    sample["tokens"] = passage.chunk.tokens
    return sample
