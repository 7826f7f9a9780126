"""Pages of a document's file, by the numbers that are printed on them."""

from collections.abc import Sequence

from citeloom.application.documents.lookup import load_conversion
from citeloom.application.documents.near_documents import short_name
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.citation.citation_locators import Locator, pages_of
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import format_pages
from citeloom.domain.resources.reading import pages_with


class PrintedPages:
    def __init__(self, bundles: BundleStore) -> None:
        self._bundles = bundles

    def __call__(self, document: StoredDocument, locator: Locator) -> Sequence[int]:
        """The pages of the file, from 1, in order.

        Raises StorageFailed, and InvalidRequest if the document has none of the pages, if its
        printed numbers are not known, or if a number is printed on several pages.
        """
        return pages_named(load_conversion(self._bundles, document), locator, short_name(document))

    def of_span(self, document: StoredDocument, span: CharSpan) -> Sequence[int]:
        """The pages with text of a span; none in a document without pages."""
        return pages_with(load_conversion(self._bundles, document), span)


def pages_named(document: ConversionResult, locator: Locator, name: str) -> Sequence[int]:
    """The same, of a conversion; ``name`` stands for it in messages."""
    if not locator.pages:
        raise _refused(f"{locator.text}: names no page; write p. 12, or PDF p. 3")
    if not document.structure.page_map:
        raise _refused(f"{name}: has no pages")
    pages = pages_of(document, locator)
    if pages is None:
        raise _refused(
            f"{name}: the printed numbers of its pages are not known; name a page of the file: "
            f"PDF p. {locator.pages[0][0]}"
        )
    if not pages:
        extent = _extent(document, locator)
        raise _refused(f"{name}: no page {locator.text}; its pages are {extent}")
    for label in locator.labels:
        printed_on = [
            entry.page
            for entry in document.structure.page_map
            if entry.label and entry.label.casefold() == label.casefold()
        ]
        if len(printed_on) > 1:
            raise _refused(
                f"{name}: {label} is printed on several pages; name one of PDF pp. "
                f"{format_pages(printed_on)}"
            )
    return sorted(pages)


def _extent(document: ConversionResult, locator: Locator) -> str:
    entries = document.structure.page_map
    labels = [str(one.page) if locator.physical else one.label for one in entries]
    known = [label for label in labels if label]
    return f"{'PDF pp. ' if locator.physical else ''}{known[0]} to {known[-1]}"


def _refused(message: str) -> InvalidRequest:
    return InvalidRequest(message, parameter="page")
