"""State of the indexes of models that are not in use."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import (
    UNSETTLED,
    Catalogue,
    IndexedDocument,
    StoredDocument,
)
from citeloom.domain.projects.project import ModelIndex, Project
from citeloom.domain.value import Value

# The citation in the passages is unknown: no digest.
_UNKNOWN = ""


class OtherModel(Value):
    """A model, not in use, of which a project has an index. ``ready`` documents are current in
    it; the others are embedded before a switch to the model."""

    name: str
    fingerprint: str
    collection: str
    ready: int
    documents: int
    unwanted: bool = False


def cited_digest(document: StoredDocument) -> str:
    """Digest of the citation and path in the passages of a document."""
    citation = document.citation.model_dump_json() if document.citation else None
    return hashlib.sha256(json.dumps([citation, document.path]).encode()).hexdigest()


def index_record(
    document: StoredDocument, fingerprints: "CurrentFingerprints", chunks: int
) -> IndexedDocument:
    """The record of a document just written with the fingerprints ``wanted``."""
    return IndexedDocument(
        document_id=document.document_id,
        chunks=chunks,
        conversion=document.conversion,
        chunking=fingerprints.chunking,
        embedding=fingerprints.embedding,
        cited=cited_digest(document),
    )


def records_in_use(documents: Sequence[StoredDocument]) -> Iterator[IndexedDocument]:
    """Records of the collection in use, for the time after a switch to another one."""
    for document in documents:
        unsettled = document.references_digest == UNSETTLED
        yield IndexedDocument(
            document_id=document.document_id,
            chunks=document.chunks,
            conversion=document.conversion,
            chunking=document.chunking,
            embedding=document.embedding,
            cited=_UNKNOWN if unsettled else cited_digest(document),
        )


class CurrentFingerprints(Value):
    """The current fingerprints of passages of a model."""

    chunking: str
    embedding: str

    @classmethod
    def of(
        cls, writer: PassageWriter, project: Project, index: ModelIndex
    ) -> "CurrentFingerprints":
        return cls(
            chunking=writer.chunking_fingerprint,
            embedding=writer.fingerprint_of(project, index.model),
        )

    def stages_match(self, document: StoredDocument, indexed: IndexedDocument | None) -> bool:
        """Whether the passages are current, apart from their citation."""
        return indexed is not None and (
            (indexed.conversion, indexed.chunking, indexed.embedding)
            == (document.conversion, self.chunking, self.embedding)
        )

    def is_current_for(self, document: StoredDocument, indexed: IndexedDocument | None) -> bool:
        return (
            self.stages_match(document, indexed)
            and indexed is not None
            and indexed.cited == cited_digest(document)
        )


def other_models(
    catalogue: Catalogue,
    writer: PassageWriter,
    project: Project,
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> tuple[OtherModel, ...]:
    """The state of the project's other models. With ``counts`` (passages by collection and
    document) a document is ready only if all its passages are in the index."""
    documents = catalogue.documents(project.id) if project.others else ()
    models = []
    for index in project.others:
        fingerprints = CurrentFingerprints.of(writer, project, index)
        indexed = catalogue.indexed(project.id, index.collection)
        if counts is not None:
            indexed = complete_records(indexed, counts.get(index.collection, {}))
        models.append(
            OtherModel(
                name=index.model.name,
                fingerprint=index.model.fingerprint,
                collection=index.collection,
                ready=sum(
                    fingerprints.is_current_for(d, indexed.get(d.document_id)) for d in documents
                ),
                documents=len(documents),
                unwanted=index.unwanted,
            )
        )
    return tuple(models)


def complete_records(
    indexed: Mapping[str, IndexedDocument], counts: Mapping[str, int]
) -> Mapping[str, IndexedDocument]:
    """The records of documents all of whose passages are in the index."""
    return {id: one for id, one in indexed.items() if counts.get(id, 0) == one.chunks}
