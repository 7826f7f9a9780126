"""A document as Markdown for people: words as stored, a line where a page begins."""

from collections.abc import Iterator, Sequence

from citeloom.domain.documents.conversion import ConversionResult, PageEntry
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.resources.markdown import markdown_of


def whole(document: ConversionResult) -> CharSpan:
    return CharSpan(start=0, end=len(document.plain_text))


def as_read(document: ConversionResult, span: CharSpan) -> str:
    """The text in ``span``. A line names each page: ``[p. 440]``, ``[PDF p. 3]`` where no number is
    printed, and whether its text is uncertain. A paragraph is parted where its page ends."""
    pieces: list[str] = []
    page: int | None = None
    for start, end, entry in _pieces(document, span):
        if entry is not None and entry.page != page:
            page = entry.page
            pieces.append(_mark(document, entry))
        pieces.append(markdown_of(document, CharSpan(start=start, end=end)).strip())
    return "\n\n".join(filter(None, pieces))


def pages_as_read(document: ConversionResult, pages: Sequence[int]) -> str:
    """The text of whole pages, in their order."""
    pieces: list[str] = []
    for entry in (one for one in document.structure.page_map if one.page in pages):
        pieces.append(_mark(document, entry))
        pieces += [markdown_of(document, span).strip() for span in entry.spans]
    return "\n\n".join(filter(None, pieces))


def _pieces(
    document: ConversionResult, span: CharSpan
) -> Iterator[tuple[int, int, PageEntry | None]]:
    """The span, cut where pages begin; nothing of it is left out."""
    begins = sorted(
        (
            (one.start, entry)
            for entry in document.structure.page_map
            for one in entry.spans
            if one.start < span.end
        ),
        key=lambda begin: begin[0],
    )
    before = [entry for start, entry in begins if start <= span.start]
    at, current = span.start, before[-1] if before else None
    for start, entry in begins:
        if start > at and entry is not current:
            yield at, start, current
            at = start
        if start >= span.start:
            current = entry
    yield at, span.end, current


def _mark(document: ConversionResult, entry: PageEntry) -> str:
    name = f"p. {entry.label}" if entry.label else f"PDF p. {entry.page}"
    known = document.document_fidelity
    uncertain = known is not None and known.is_uncertain((entry.page,))
    return f"[{name}{'; the text of this page is uncertain' if uncertain else ''}]"
