"""Hits for people: grouped by paper, with the paragraphs, tables and headings of their text."""

from collections.abc import Sequence

from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import StorageFailed
from citeloom.domain.search.paper_hits import PaperHits, hits_by_paper
from citeloom.domain.search.request import QueryResult, QueryResultItem


class ReadableHits:
    """Groups the hits of a result; the structure of their text is that of the stored
    conversions."""

    def __init__(self, bundles: BundleStore) -> None:
        self._bundles = bundles

    def __call__(self, result: QueryResult) -> tuple[PaperHits, ...]:
        """A hit whose conversion is missing, damaged or no longer that of the index stays as it
        is found."""
        of_document: dict[str, list[QueryResultItem]] = {}
        for item in result.items:
            of_document.setdefault(item.document_id, []).append(item)
        documents = {
            id: document
            for id, items in of_document.items()
            if (document := self._conversion(id, items)) is not None
        }
        return hits_by_paper(result.items, documents)

    def _conversion(self, id: str, items: Sequence[QueryResultItem]) -> ConversionResult | None:
        try:
            document = self._bundles.load(id)
        except StorageFailed:  # validate tells of it; the index holds what is to be shown
            return None
        if document is None or not all(_is_in(item, document) for item in items):
            return None
        return document


def _is_in(item: QueryResultItem, document: ConversionResult) -> bool:
    start, end = item.char_span
    near = all(document.plain_text[slice(*one.char_span)].startswith(one.text)
               for one in item.context)  # fmt: skip
    return near and document.plain_text[start:end].startswith(item.text)
