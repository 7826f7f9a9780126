"""Reassignment of citation metadata to documents already stored."""

from collections.abc import Callable

from citeloom.application.citation.assignment import CitationAssigner, _labels, warnings_of
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import UNSETTLED, Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import Unavailable
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import Project
from citeloom.domain.value import Value


class ReassignedCitation(Value):
    """The document after reassignment; ``relabelled``: its page labels changed too."""

    document: StoredDocument
    changed: bool = False
    relabelled: bool = False


class CitationReassigner:
    """Reassigns citations of stored documents: payloads change, nothing is converted or
    embedded.

    The catalogue marks a document ``UNSETTLED`` first and records its citation last: an
    interrupted reassignment is repeated by the next run, also with another reference file.
    """

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        writer: PassageWriter,
        assigner: CitationAssigner,
        bundles: BundleStore,
        warn: Callable[[str], None],
    ) -> None:
        self._catalogue = catalogue
        self._writer = writer
        self.assigner = assigner
        self._bundles = bundles
        self._warn = warn

    def reassign(self, project: Project, stored: StoredDocument) -> ReassignedCitation:
        if self.assigner.is_current(stored):
            return ReassignedCitation(document=stored)
        path = stored.sources[0].path
        document = self._load(stored.document_id)
        if document is None:
            step = NextStep(Action.INGEST_AGAIN, project=project.id.value)
            self._warn(UserMessage(f"{path}: not cited anew, its bundle is missing", step))
            return ReassignedCitation(document=stored)
        cited = self.assigner.cite(document, path)
        unsettled = stored.references_digest == UNSETTLED
        changed = unsettled or cited.citation != stored.citation
        relabelled = _labels(document, cited.citation) != _labels(document, stored.citation)
        if changed:
            mark_unsettled(self._catalogue, project, stored)
            relabelled |= self._writer.cite(
                project,
                document,
                stored.sources[0],
                cited.citation,
                relabel=unsettled or relabelled,
            )
        after = stored.model_copy(
            update={
                "citation": cited.citation,
                "citation_how": cited.how,
                "references_digest": cited.digest,
                "held": cited.held,
                "warnings": warnings_of(document, stored.chunks) + cited.warnings(),
            }
        )
        self._catalogue.put_document(after, project.collection)
        return ReassignedCitation(document=after, changed=changed, relabelled=relabelled)

    def _load(self, document_id: str) -> ConversionResult | None:
        """The stored conversion, current or not; None if it is missing or unreadable."""
        try:
            return self._bundles.load(document_id)
        except Unavailable as error:
            self._warn(error.message)
            return None


def mark_unsettled(catalogue: Catalogue, project: Project, stored: StoredDocument) -> None:
    """Mark in the catalogue that the citation in the index is about to change."""
    unsettled = stored.model_copy(update={"references_digest": UNSETTLED})
    catalogue.put_document(unsettled, project.collection)
