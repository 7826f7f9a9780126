"""Relocation of a project's index to another place, without new embeddings.

Documents are copied one by one while the project stays in use. Then the old index is held
open, later changes are copied, both copies are compared, and one transaction of the catalogue
switches the place. The same command resumes an interrupted move.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Collection, EmbeddedPassage
from citeloom.application.ports.ingest import Progress
from citeloom.domain.errors import IndexUnavailable, InvalidRequest, ProjectExists
from citeloom.domain.ingest import DocumentReport, DocumentStatus
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import IndexLayout, IndexPlace, Project, ProjectId, server_url
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Scored
from citeloom.domain.value import Value

from .collection import optimize_as_well, require_index
from .placed_index import PlacedIndex

# Sample queries (vectors of passages) and the depth to which both places must agree.
SAMPLES = 10
DEPTH = 10
# Vectors are read back to three digits or more. The IDF counts removed passages until they are
# compacted, up to a twentieth of all.
DENSE_TOLERANCE = 0.005
SPARSE_TOLERANCE = 0.05
# Approximate search of a server misses some hits; a wrong copy misses far more.
AGREEMENT = 0.95
LOCAL = "local"


class Moved(Value):
    """``index`` is the place of the project now: ``local`` or a URL. ``copied`` counts the
    documents written by this run; ``dropped`` are the places whose copy was deleted, ``kept``
    those that still have one."""

    project: str
    index: str
    documents: int
    passages: int
    copied: int
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class IndexMover:
    """Copies an index to another place, compares both, and switches the project."""

    def __init__(self, *, catalogue: Catalogue, index: PlacedIndex) -> None:
        self._catalogue = catalogue
        self._index = index

    def __call__(
        self,
        project_id: ProjectId,
        to: IndexPlace | None,
        progress: Progress,
        *,
        drop_old: bool = False,
        replace: bool = False,
    ) -> Moved:
        """``to`` None is the workspace. ``replace`` removes documents at the new place that do
        not belong to the project.

        Raises ProjectNotFound, InvalidRequest (vectors of several models), ProjectExists (other
        documents at the new place), IndexUnavailable, ShardBusy; the place is unchanged then.
        """
        project = self._catalogue.project(project_id)
        copied = 0
        if project.retrieval.place != to:
            require_index(self._index, self._catalogue, project)
            _require_one_model(project)
            copied = self._copy(project, to, progress, replace=replace)
            moved = self._catalogue.project(project_id)
            optimize_as_well(self._index, moved, progress)
        dropped = self.drop_copies(project_id) if drop_old else ()
        project = self._catalogue.project(project_id)
        with self._open(project, project.retrieval.place) as collection:
            info = collection.info()
        return Moved(
            project=project.id.value,
            index=place_name(project.retrieval.place),
            documents=info.documents,
            passages=info.points,
            copied=copied,
            dropped=dropped,
            kept=tuple(map(place_name, project.retrieval.copies)),
        )

    def drop_copies(self, project_id: ProjectId) -> tuple[str, ...]:
        """Delete the copies that earlier moves left; returns the names of their places."""
        dropped = []
        project = self._catalogue.project(project_id)
        for place in project.retrieval.copies:
            self._index.at(place, project.embedding_model).drop(project.collection)
            dropped.append(place_name(place))
            now = self._catalogue.project(project_id)
            rest = tuple(each for each in now.retrieval.copies if each != place)
            retrieval = now.retrieval.model_copy(update={"copies": rest})
            self._catalogue.update_project(now.model_copy(update={"retrieval": retrieval}))
        return tuple(dropped)

    def _copy(
        self, project: Project, to: IndexPlace | None, progress: Progress, *, replace: bool
    ) -> int:
        old = project.retrieval.place
        with self._open(project, old) as source:
            documents = sorted(source.counts())
        progress.begin(len(documents))
        stamps: dict[str, bytes] = {}
        copied = 0
        with self._open(project, to, writing=True) as target:
            target_counts = target.counts()
            if not replace and (others := sorted(set(target_counts) - set(documents))):
                raise ProjectExists(
                    f"{place_name(to)}: {project.collection} is there with {len(others)} documents "
                    f"that {project.id} has not; they may be another library's",
                    NextStep(Action.REPLACE),
                    project_id=project.id.value,
                )
            for document_id in documents:
                with self._open(project, old) as source:
                    stamps[document_id] = _stamp(source, document_id)
                    passages = list(source.export(document_id))
                changed = target_counts.get(document_id) != len(passages) or not _alike(
                    passages, list(target.export(document_id))
                )
                if changed:
                    target.replace_document(document_id, passages)
                    copied += 1
                progress.done(_report(document_id, passages, copied=changed))
            with self._open(project, old, writing=True) as source:
                self._unchanged(project)
                copied += _catch_up(source, target, stamps)
                one_statistic = not any(self._shards(project, place) > 1 for place in (old, to))
                _compare(source, target, place_name(to), words=one_statistic)
                target.flush()
                self._switch(project, to)
        return copied

    def _shards(self, project: Project, place: IndexPlace | None) -> int:
        found = self._index.at(place, project.embedding_model).condition(project.collection)
        return found.shards if found else 1

    def _switch(self, project: Project, to: IndexPlace | None) -> None:
        """Record the new place: the one transaction that moves the project."""
        now = self._unchanged(project)
        old = now.retrieval.place
        copies = tuple(each for each in now.retrieval.copies if each not in (old, to))
        retrieval = now.retrieval.model_copy(update={"place": to, "copies": (*copies, old)})
        self._catalogue.update_project(now.model_copy(update={"retrieval": retrieval}))

    def _unchanged(self, project: Project) -> Project:
        """The project as it is now. Raises InvalidRequest if its model, place or BM25 lengths
        changed since the copy began; no passage would show that."""
        now = self._catalogue.project(project.id)
        if (
            now.retrieval.place != project.retrieval.place
            or now.embedding_model != project.embedding_model
            or now.retrieval.lengths != project.retrieval.lengths
        ):
            raise InvalidRequest(
                f"{project.id}: another process moved, migrated or reweighted it; try again",
                parameter="project",
            )
        return now

    def _open(
        self, project: Project, place: IndexPlace | None, *, writing: bool = False
    ) -> AbstractContextManager[Collection]:
        return self._index.at(place, project.embedding_model).open(
            project.collection, dimension=project.embedding_model.dimension, writing=writing
        )


def _require_one_model(project: Project) -> None:
    """Only vectors in use are moved; those of other models would be left behind unused."""
    if project.others:
        names = ", ".join(other.model.name for other in project.others)
        raise InvalidRequest(
            f"{project.id}: has vectors of other models too ({names})",
            NextStep(Action.DROP_MODEL, project=project.id.value),
            parameter="to",
        )


def place_name(place: IndexPlace | None) -> str:
    """The name in commands and results: ``local`` or the URL."""
    return LOCAL if place is None else place.url


def place_of(text: str, layout: IndexLayout) -> IndexPlace | None:
    """The inverse of ``place_name``. Raises InvalidRequest."""
    if text.strip() == LOCAL:
        return None
    try:
        return IndexPlace(url=server_url(text), layout=layout)
    except ValueError as error:
        raise InvalidRequest(f"{text}: {error}; or write {LOCAL}", parameter="to") from None


def _catch_up(source: Collection, target: Collection, stamps: Mapping[str, bytes]) -> int:
    """Copy the documents that changed since they were copied; returns their number."""
    counts = source.counts()
    target.delete_documents(sorted(set(target.counts()) - set(counts)))
    changed = [one for one in sorted(counts) if stamps.get(one) != _stamp(source, one)]
    for document_id in changed:
        target.replace_document(document_id, list(source.export(document_id)))
    return len(changed)


def _compare(source: Collection, target: Collection, name: str, *, words: bool) -> None:
    """``words``: scores by words too, which several shards count each by its own passages."""
    counts, target_counts = source.counts(), target.counts()
    if dict(counts) != dict(target_counts):
        wrong = sorted(one for one in counts if counts[one] != target_counts.get(one))
        raise IndexUnavailable(
            f"{name}: {sum(target_counts.values())} passages arrived of {sum(counts.values())} "
            f"({', '.join(one[:12] for one in wrong[:3])}); nothing was switched, try again"
        )
    agreed = list(_agreements(source, target, words=words))
    if agreed and sum(agreed) < AGREEMENT * len(agreed):
        raise IndexUnavailable(
            f"{name}: the copy finds {sum(agreed)} of {len(agreed)} best hits that the original "
            "finds; nothing was switched. Drop the copy on the server and try again"
        )


def _agreements(source: Collection, target: Collection, *, words: bool) -> Iterator[bool]:
    """Whether sample documents have the same passages and vectors at both places, and for the best
    hits of sample queries at either: whether the other has them too."""
    scores = (("dense", DENSE_TOLERANCE), *((("sparse", SPARSE_TOLERANCE),) if words else ()))
    for sample in _samples(source):
        document_id = sample.passage.chunk.doc_id
        yield _alike(*(list(each.export(document_id)) for each in (source, target)))
        answers = [
            place.search(dense=sample.dense, sparse=sample.sparse, filter=Filter(), limit=DEPTH)
            for place in (source, target)
        ]
        for score, tolerance in scores:
            best = [_best(answer, score) for answer in answers]
            for one, other in (best, best[::-1]):
                for id in _clear(one, tolerance):
                    yield id in other and math.isclose(
                        one[id], other[id], rel_tol=tolerance, abs_tol=tolerance
                    )


def _samples(source: Collection) -> Iterator[EmbeddedPassage]:
    """The middle passage of documents spread evenly over all."""
    documents = sorted(source.counts())
    step = max(1, len(documents) // SAMPLES)
    for document_id in documents[::step][:SAMPLES]:
        passages = list(source.export(document_id))
        yield passages[len(passages) // 2]


def _best(candidates: Sequence[Scored], score: str) -> Mapping[str, float]:
    scored = [(getattr(each, score), each.id) for each in candidates]
    top = sorted(((s, id) for s, id in scored if s is not None), reverse=True)[:DEPTH]
    return {id: s for s, id in top}


def _clear(best: Mapping[str, float], tolerance: float) -> list[str]:
    """The hits whose score exceeds the lowest by more than the tolerance; all of them if
    there are fewer than ``DEPTH``."""
    last = min(best.values(), default=0.0)
    margin = tolerance * (1 + abs(last))
    return [id for id, s in best.items() if len(best) < DEPTH or s > last + margin]


def _stamp(collection: Collection, document_id: str) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for passage in collection.passages(document_id):
        digest.update(passage.model_dump_json().encode())
        digest.update(b"\n")
    return digest.digest()


def _alike(one: Sequence[EmbeddedPassage], other: Sequence[EmbeddedPassage]) -> bool:
    return len(one) == len(other) and all(
        a.passage == b.passage
        and _close(a.dense, b.dense)
        and list(a.sparse.indices) == list(b.sparse.indices)
        and _close(a.sparse.values, b.sparse.values)
        and len(a.sentences) == len(b.sentences)
        and all(map(_close, a.sentences, b.sentences))
        for a, b in zip(one, other, strict=True)
    )


def _close(one: Sequence[float], other: Sequence[float]) -> bool:
    return len(one) == len(other) and all(
        abs(a - b) <= DENSE_TOLERANCE for a, b in zip(one, other, strict=True)
    )


def _report(
    document_id: str, passages: Sequence[EmbeddedPassage], *, copied: bool
) -> DocumentReport:
    return DocumentReport(
        source=passages[0].passage.source_path if passages else document_id,
        status=DocumentStatus.ADDED if copied else DocumentStatus.UNCHANGED,
        chunks=len(passages),
    )
