"""Fidelity of the stored text: pages that differ from another reading, documents not compared."""

from collections.abc import Iterator, Sequence

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.validation.checks import Check, named, passed, warned
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity, PageFidelity
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import counted, listed

_CHECK = "text fidelity"


def text_fidelity(project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
    """Checks of the documents with pages. One without a comparison is unknown, not right."""
    paged = [document for document in documents if document.mime_type == PDF and document.chunks]
    compared = [(document, document.fidelity) for document in paged if document.fidelity]
    uncertain = [
        f"{named(document)} ({_pages(fidelity)})"
        for document, fidelity in compared
        if fidelity.uncertain
    ]
    unknown = [named(document) for document in paged if not document.fidelity]
    if uncertain:
        yield warned(
            project,
            _CHECK,
            f"{counted(len(uncertain), 'document has', 'documents have')} uncertain text",
            "check quotations from them against the page",
            uncertain,
        )
    if unknown:
        yield warned(
            project,
            _CHECK,
            f"of {counted(len(unknown), 'document')} it is not known whether the text is right",
            UserMessage("", NextStep(Action.INGEST_AGAIN, project.id.value)),
            unknown,
        )
    if compared and not uncertain:
        yield passed(project, _CHECK, counted(len(compared), "document"))


def _pages(fidelity: DocumentFidelity) -> str:
    """The worst of the uncertain pages with what they keep, and how many there are."""
    uncertain = set(fidelity.uncertain)
    worst = [_shares(page) for page in fidelity.worst if page.page in uncertain]
    others = len(uncertain) - len(worst)
    return "; ".join([listed(worst), *([f"{others} more"] if others else [])])


def _shares(page: PageFidelity) -> str:
    kept, true, pairs = (
        f"{100 * share:.0f} %" for share in (page.words_kept, page.words_true, page.pairs_true)
    )
    undecodable = f", {100 * page.undecodable:.0f} % undecodable" if page.undecodable else ""
    return f"page {page.page}: {kept} kept, {true} true, {pairs} in order{undecodable}"
