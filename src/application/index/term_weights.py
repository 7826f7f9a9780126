"""Term weights: BM25 sparse vectors of a project, kept current with its average passage length.

BM25 normalises term weights by passage length against the mean of the project. The mean is
measured again when the project has grown or shrunk by half, so that the total cost stays linear
in the passages ingested. If it drifted by a tenth, all sparse vectors are recomputed from the
stored text, without conversion or dense vectors.

The catalogue records the recomputation before the first passage changes and after the last: an
interrupted run is completed by the next.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from citeloom.application.index.collection import open_collection
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index, Passage
from citeloom.application.ports.models import SparseEmbedder, SparseText
from citeloom.domain.projects.embedding_model import Lengths
from citeloom.domain.projects.project import Project

# Separates the parts of a document's embedding fingerprint: dense model, sparse model, payload.
SEPARATOR: Final = "|"
_GROWTH: Final = 1.5
_DRIFT: Final = 0.1
_BATCH: Final = 500


def sparse_text(passage: Passage) -> SparseText:
    """The BM25 fields of a passage. Title and headings at the beginning of the text are
    removed from the body, so that they are not counted twice."""
    chunk, title = passage.chunk, passage.title or ""
    body = passage.searched or chunk.text
    for heading in (title, *chunk.section_path):
        after = body.removeprefix(heading)
        if after != body and (not after or after[0].isspace()):
            body = after.lstrip()
    nearest = chunk.section_path[-chunk.context_headings :] if chunk.context_headings else ()
    headings = [heading for heading in nearest if heading != title]
    return SparseText(
        body=f"{chunk.table_header}\n{body}" if chunk.table_header else body,
        headings="\n".join(headings),
        title=title,
    )


class TermWeights:
    """Recomputes the sparse vectors of a project when that is due."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        sparse: SparseEmbedder,
        wait_seconds: float,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._sparse = sparse
        self._wait = wait_seconds

    def recompute_stale(self, project: Project, fingerprint: str) -> Project:
        """Recompute the sparse vectors of documents whose embedding fingerprint differs from
        ``fingerprint``, the current one, only in the sparse model. Returns the project as it is
        now."""
        documents = self._catalogue.documents(project.id)
        stale = [d for d in documents if _other_words_only(d.embedding, fingerprint)]
        for part in _parts(stale if self._index.exists(project.collection) else []):
            self._recompute(project, part)
            for document in part:
                renewed = document.model_copy(update={"embedding": fingerprint})
                self._catalogue.put_document(renewed, project.collection)
        name = self._sparse.name
        others = [d for d in documents if d not in stale and name not in _split(d.embedding)]
        if project.sparse_model != name and not others:
            project = project.model_copy(update={"sparse_model": name})
            self._catalogue.update_project(project)
        return project

    def update_average(self, used: Project) -> bool:
        """After a run that wrote with the average length of ``used``: measure the mean and
        recompute the sparse vectors, if due. Returns whether they were recomputed."""
        project = self._catalogue.project(used.id)
        if not self._index.exists(project.collection):
            return False
        lengths = project.retrieval.lengths
        documents = self._catalogue.documents(project.id)
        if lengths.settled and _is_due(sum(d.chunks for d in documents), lengths.measured):
            lengths = self._measured(project, documents)
            project = self._save(project, lengths)
        if lengths.settled and lengths.average == used.retrieval.lengths.average:
            return False
        # Also where another run changed the average while this one wrote with the old one.
        project = self._save(project, lengths.model_copy(update={"settled": False}))
        for part in _parts(documents):
            self._recompute(project, part)
        self._save(project, lengths.model_copy(update={"settled": True}))
        return True

    def _measured(self, project: Project, documents: Sequence[StoredDocument]) -> Lengths:
        total = count = 0
        for part in _parts(documents):
            with open_collection(self._index, project, self._wait) as collection:
                for document in part:
                    for passage in collection.passages(document.document_id):
                        body = sparse_text(passage).body
                        total += self._sparse.length(body, passage.language)
                        count += 1
        before = project.retrieval.lengths
        mean = max(1.0, total / count) if count else before.average
        drifted = abs(mean - before.average) > _DRIFT * before.average
        return Lengths(
            average=round(mean, 1) if drifted else before.average,
            measured=sum(d.chunks for d in documents),
            settled=not drifted,
        )

    def _save(self, project: Project, lengths: Lengths) -> Project:
        if lengths == project.retrieval.lengths:
            return project
        retrieval = project.retrieval.model_copy(update={"lengths": lengths})
        project = project.model_copy(update={"retrieval": retrieval})
        self._catalogue.update_project(project)
        return project

    def _recompute(self, project: Project, documents: Sequence[StoredDocument]) -> None:
        average = project.retrieval.lengths.average
        with open_collection(self._index, project, self._wait, writing=True) as collection:
            for document in documents:
                vectors = {}
                for passage in collection.passages(document.document_id):
                    text = sparse_text(passage)
                    (vector,) = self._sparse.embed([text], passage.language, average)
                    vectors[passage.chunk.id] = vector
                collection.set_sparse(vectors)
            collection.flush()


def _parts(documents: Sequence[StoredDocument]) -> Iterator[list[StoredDocument]]:
    """Batches of documents; between them the index is released for other processes."""
    part: list[StoredDocument] = []
    for document in documents:
        part.append(document)
        if sum(d.chunks for d in part) >= _BATCH:
            yield part
            part = []
    if part:
        yield part


def _is_due(passages: int, measured: int) -> bool:
    return passages > _GROWTH * measured or _GROWTH * passages < measured


def _other_words_only(stored: str, today: str) -> bool:
    before, now = _split(stored), _split(today)
    return before != now and before[:1] + before[2:] == now[:1] + now[2:]


def _split(fingerprint: str) -> list[str]:
    return fingerprint.split(SEPARATOR)
