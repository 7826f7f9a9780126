"""What is known of a citation in a draft: the work, and the text that it points at."""

from collections.abc import Sequence

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.verification.cited_documents import Sentence
from citeloom.application.verification.cited_pages import quotations
from citeloom.application.writing import LibraryView, LibraryViews
from citeloom.domain.citation.in_text import Mention
from citeloom.domain.citation.locators import pages_of
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.maps.address import document_address
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import CitedItem, EvidenceQuote

from .suggestions import mentioned


class CitationCard(Value):
    """A cited work (None for an unknown key) and, if its text is there, the sentence that fits the
    claim best; ``on_page``: it is on the cited page. ``note`` says what is missing. ``target`` is
    what to open (an address or document id), ``source`` the file and ``file_page`` its page."""

    key: str
    work: CitationMeta | None = None
    locator: str | None = None
    quote: EvidenceQuote | None = None
    mention: Mention | None = None
    on_page: bool = False
    note: str | None = None
    target: str | None = None
    source: str | None = None
    file_page: int | None = None


class CitationCards:
    """Makes cards from the index, without a judge."""

    def __init__(self, views: LibraryViews) -> None:
        self._views = views

    def card(self, project_id: ProjectId, item: CitedItem, claim: str) -> CitationCard:
        """The card of a cited item; ``claim`` is the plain text that it is cited for, or empty.
        Raises what a search raises."""
        view = self._views.view(project_id)
        document = view.sources.document(item.key)
        locator = item.locator.text if item.locator else None
        if document is None:
            return _without_document(view, item, locator)
        card = CitationCard(
            key=item.key,
            work=document.citation,
            locator=locator,
            target=document.document_id,
            source=document.path,
        )
        if not document.chunks:
            return card.model_copy(update={"note": "The library does not have its text."})
        return card.model_copy(update=_text(view, document, item, claim))


def _without_document(view: LibraryView, item: CitedItem, locator: str | None) -> CitationCard:
    if work := view.sources.works.get(item.key):
        return CitationCard(
            key=item.key, work=work, locator=locator, note="The library does not have its text."
        )
    close = view.sources.close_keys(item.key)
    hint = f" Close to it: {', '.join(close)}." if close else ""
    return CitationCard(
        key=item.key,
        locator=locator,
        note=f"No work with the key {item.key} in {view.project.id}.{hint}",
    )


def _text(
    view: LibraryView, document: StoredDocument, item: CitedItem, claim: str
) -> dict[str, object]:
    """The changed fields of a card for a document with text."""
    id, evidence = document.document_id, view.evidence
    pages = pages_of(view.sources.conversion(id), item.locator) if item.locator else None
    note = None
    if pages is not None and not pages:
        return {"note": f"The document has no {item.locator.text if item.locator else ''}."}
    if item.locator and item.locator.pages and pages is None:
        note = "Its printed pages are not known."
    quoted = _quoted(view, id, claim)
    if quoted and pages:
        quoted = [one for one in quoted if not pages.isdisjoint(evidence.pages(one))]
    found: Sequence[Sentence] = quoted
    if not found and claim:
        on_pages = evidence.on_pages(claim, id, pages) if pages else []
        found = sorted(on_pages or _anywhere(view, id, claim, pages), key=lambda s: -s.relevance)
    if not found:
        page = min(pages) if pages else 1
        return {"note": note, "target": document_address(id, [page]), "file_page": page}
    best = found[0]
    quote = evidence.quote(best)
    return {
        "quote": quote,
        "mention": mentioned(evidence, item.key, best),
        "on_page": bool(pages),
        "note": note,
        "target": quote.address,
        "file_page": min(pages) if pages else quote.page,
    }


def _anywhere(
    view: LibraryView, document_id: str, claim: str, pages: set[int] | None
) -> list[Sentence]:
    return view.evidence.of_document(claim, document_id) if pages is None else []


def _quoted(view: LibraryView, document_id: str, claim: str) -> list[Sentence]:
    """The places of the document that have a quotation of the claim word for word."""
    found = (view.sources.quoted_from(document_id).locate(quote) for quote in quotations(claim))
    return [
        view.evidence.around(document_id, CharSpan(start=one.start, end=one.end))
        for one in found
        if one.exact
    ]
