"""Whether passages that another model made are in step with the documents of a project."""

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

# No digest: passages of which it is not known what they show.
_UNKNOWN = ""


class OtherModel(Value):
    """A model that a project has passages of beside those in use. ``ready`` documents are in
    step with the project; the others would be embedded before the model is used."""

    name: str
    fingerprint: str
    collection: str
    ready: int
    documents: int
    unwanted: bool = False


def cited_digest(document: StoredDocument) -> str:
    """Names what the passages of a document show of its citation and path."""
    citation = document.citation.model_dump_json() if document.citation else None
    return hashlib.sha256(json.dumps([citation, document.path]).encode()).hexdigest()


def noted(document: StoredDocument, wanted: "Wanted", chunks: int) -> IndexedDocument:
    """What to note of a document that has just been written as ``wanted``."""
    return IndexedDocument(
        document_id=document.document_id,
        chunks=chunks,
        conversion=document.conversion,
        chunking=wanted.chunking,
        embedding=wanted.embedding,
        cited=cited_digest(document),
    )


def left_behind(documents: Sequence[StoredDocument]) -> Iterator[IndexedDocument]:
    """What the collection in use holds of these documents, to be noted when it no longer is."""
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


class Wanted(Value):
    """The fingerprints that passages of a model should have today."""

    chunking: str
    embedding: str

    @classmethod
    def of(cls, writer: PassageWriter, project: Project, index: ModelIndex) -> "Wanted":
        return cls(
            chunking=writer.chunking_fingerprint,
            embedding=writer.fingerprint_of(project, index.model),
        )

    def made(self, document: StoredDocument, there: IndexedDocument | None) -> bool:
        """Whether the passages are those of today, whatever citation they show."""
        return there is not None and (
            (there.conversion, there.chunking, there.embedding)
            == (document.conversion, self.chunking, self.embedding)
        )

    def in_step(self, document: StoredDocument, there: IndexedDocument | None) -> bool:
        return (
            self.made(document, there)
            and there is not None
            and there.cited == cited_digest(document)
        )


def other_models(
    catalogue: Catalogue,
    writer: PassageWriter,
    project: Project,
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> tuple[OtherModel, ...]:
    """How the project's other models stand. With ``counts`` (passages by collection and
    document) only those documents are ready that are wholly in the index."""
    documents = catalogue.documents(project.id) if project.others else ()
    found = []
    for index in project.others:
        wanted = Wanted.of(writer, project, index)
        there = catalogue.indexed(project.id, index.collection)
        if counts is not None:
            there = whole(there, counts.get(index.collection, {}))
        found.append(
            OtherModel(
                name=index.model.name,
                fingerprint=index.model.fingerprint,
                collection=index.collection,
                ready=sum(wanted.in_step(d, there.get(d.document_id)) for d in documents),
                documents=len(documents),
                unwanted=index.unwanted,
            )
        )
    return tuple(found)


def whole(
    there: Mapping[str, IndexedDocument], counts: Mapping[str, int]
) -> Mapping[str, IndexedDocument]:
    """Those of which the index holds as many passages as were written."""
    return {id: one for id, one in there.items() if counts.get(id, 0) == one.chunks}
