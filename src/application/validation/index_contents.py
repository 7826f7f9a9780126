"""Checks of what an index holds, against catalogue and conversions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

from citeloom.application.index.collection import is_damage, open_collection, require_index
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Collection, EmbeddedPassage, Index
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.validation.checks import Check, failed, named, passed
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import IndexUnavailable, StorageFailed
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects import Project
from citeloom.domain.search.filters import Filter
from citeloom.domain.text.phrasing import counted, listed

# Documents whose passages are all read in a quick check.
_SAMPLE: Final = 4
_NAMED: Final = 3
# Vectors have length 1; those of sentences are stored to about three digits.
_LENGTH_TOLERANCE: Final = 0.02
_EVERYTHING: Final = Filter()


@dataclass(frozen=True, slots=True)
class IndexFindings:
    """``damage`` is why the collection as a whole cannot be used; ``wrong`` has reasons by
    document id, ``orphans`` are ids of documents that the catalogue has not."""

    passages: int = 0
    damage: str | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)
    orphans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexContents:
    """Reads collections. ``wait_seconds`` bounds the wait for a busy one."""

    catalogue: Catalogue
    index: Index
    bundles: BundleStore
    wait_seconds: float

    def examine(
        self, project: Project, documents: Sequence[StoredDocument], *, deep: bool = False
    ) -> IndexFindings:
        """Count all passages and read those of some documents, or of all if ``deep``, as well as
        all files. Raises ShardBusy, StorageFailed, and IndexUnavailable for a server that does
        not answer."""
        try:
            require_index(self.index, self.catalogue, project)
            if not self.index.exists(project.collection):
                return IndexFindings()
            if deep and (damage := self._damaged_files(project)):
                return IndexFindings(damage=damage)
            with open_collection(self.index, project, self.wait_seconds) as collection:
                return self._contents(collection, documents, deep=deep)
        except IndexUnavailable as error:
            if not is_damage(error):
                raise
            return IndexFindings(damage=str(error.message))

    def _damaged_files(self, project: Project) -> str | None:
        bad = self.index.damaged_files(project.collection, wait_seconds=self.wait_seconds)
        if not bad:
            return None
        names = listed(bad[:_NAMED])
        return f"{project.collection}: {counted(len(bad), 'file')} changed or gone: {names}"

    def _contents(
        self, collection: Collection, documents: Sequence[StoredDocument], *, deep: bool
    ) -> IndexFindings:
        counts, total = collection.counts(), collection.count()
        if sum(counts.values()) != total:
            damage = f"{total:,} passages, {sum(counts.values()):,} of them by document"
            return IndexFindings(passages=total, damage=damage)
        wrong = {
            d.document_id: f"{counts.get(d.document_id, 0)} of {d.chunks} passages"
            for d in documents
            if counts.get(d.document_id, 0) != d.chunks
        }
        read = [d for d in documents if d.document_id not in wrong and d.chunks]
        for document in read if deep else _spread(read):
            checkpoint()
            if reason := self._problem(collection, document):
                wrong[document.document_id] = reason
        orphans = tuple(sorted(set(counts) - {d.document_id for d in documents}))
        return IndexFindings(passages=total, wrong=wrong, orphans=orphans)

    def _problem(self, collection: Collection, document: StoredDocument) -> str | None:
        """What is wrong with the passages of a document; None if all is well."""
        passages = list(collection.export(document.document_id))
        if len(passages) != document.chunks:
            return f"{len(passages)} of {document.chunks} passages can be read"
        for passage in passages:
            if not _is_sound(passage):
                return "vectors are damaged"
        try:
            conversion = self.bundles.load(document.document_id)
        except StorageFailed:  # another check tells of it
            conversion = None
        if conversion and not all(_quotes(passage, conversion) for passage in passages):
            return "passages are not the text of the document"
        if not all(_is_found(collection, passage) for passage in (passages[0], passages[-1])):
            return "passages are not found by their vectors"
        return None


def index_contents(
    project: Project, documents: Sequence[StoredDocument], contents: IndexContents, *, deep: bool
) -> Iterator[Check]:
    found = contents.examine(project, documents, deep=deep)
    repair = UserMessage("", NextStep(Action.REPAIR, project=project.id.value))
    if found.damage:
        yield failed(project, "index", found.damage, repair)
    if found.wrong:
        bad = [d for d in documents if d.document_id in found.wrong]
        shown = listed([f"{named(d)} ({found.wrong[d.document_id]})" for d in bad])
        message = f"{counted(len(bad), 'document')} not wholly in the index: {shown}"
        yield failed(project, "index", message, repair, items=tuple(map(named, bad)))
    if found.orphans:
        number = counted(len(found.orphans), "document")
        message = f"{number} in the index, but not in the catalogue"
        yield failed(project, "index", message, repair, items=found.orphans)
    if not (found.damage or found.wrong or found.orphans):
        yield passed(project, "index", counted(found.passages, "passage"))


def _spread(documents: Sequence[StoredDocument]) -> Sequence[StoredDocument]:
    """A few documents, spread evenly."""
    step = max(1.0, len(documents) / _SAMPLE)
    return [documents[int(n * step)] for n in range(min(_SAMPLE, len(documents)))]


def _is_sound(embedded: EmbeddedPassage) -> bool:
    sentences = embedded.passage.sentences
    vectors = (embedded.dense, *embedded.sentences)
    return len(embedded.sentences) in (0, len(sentences)) and all(map(_is_unit, vectors))


def _is_unit(vector: Sequence[float]) -> bool:
    length = sqrt(sum(value * value for value in vector))
    return length == 0 or abs(length - 1) <= _LENGTH_TOLERANCE


def _quotes(embedded: EmbeddedPassage, conversion: ConversionResult) -> bool:
    """Whether a passage is a part of the document's text; annotations have texts of their own."""
    chunk = embedded.passage.chunk
    if embedded.passage.annotation is not None:
        return True
    return chunk.text == conversion.plain_text[chunk.char_span.start : chunk.char_span.end]


def _is_found(collection: Collection, embedded: EmbeddedPassage) -> bool:
    """Whether the search finds a passage by its own vectors, with a score of each kind."""
    id = embedded.passage.chunk.id
    found = collection.search(
        dense=embedded.dense, sparse=embedded.sparse, filter=_EVERYTHING, limit=1, among={id}
    )
    if [one.id for one in found] != [id]:
        return False
    words_lost = len(embedded.sparse.indices) > 0 and found[0].sparse is None
    sentences_lost = bool(embedded.sentences) and found[0].sentence is None
    return not words_lost and not sentences_lost
