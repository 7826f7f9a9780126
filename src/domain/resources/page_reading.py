"""A document as Markdown for people: words as stored, a line where a page begins."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.documents.conversion import ConversionResult, PageEntry
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.resources.markdown import markdown_of

_PARTED: Final = "\n\n"


def whole(document: ConversionResult) -> CharSpan:
    return CharSpan(start=0, end=len(document.plain_text))


def pages_with(document: ConversionResult, span: CharSpan) -> tuple[int, ...]:
    """The pages of the file, from 1, with text of ``span``; none in a document without pages."""
    return tuple(
        entry.page
        for entry in document.structure.page_map
        if any(one.start < span.end and span.start < one.end for one in entry.spans)
    )


class PagedText(NamedTuple):
    """Text as it is read; ``begins`` has the offset in it where each page of the file (from 1)
    begins, in order."""

    text: str
    begins: tuple[tuple[int, int], ...] = ()

    def pages_within(self, start: int, end: int) -> tuple[int, ...]:
        """The pages of which something is in ``text[start:end]``."""
        ends = [offset for offset, _ in self.begins[1:]] + [len(self.text)]
        return tuple(
            page
            for (offset, page), after in zip(self.begins, ends, strict=False)
            if offset < end and start < after
        )


def as_read(document: ConversionResult, span: CharSpan) -> PagedText:
    """The text in ``span``. A line names each page: ``[p. 440]``, ``[PDF p. 3]`` where no number is
    printed, and whether its text is uncertain. A paragraph is parted where its page ends."""
    return _joined(
        document,
        ((entry, CharSpan(start=start, end=end)) for start, end, entry in _pieces(document, span)),
    )


def pages_as_read(document: ConversionResult, pages: Sequence[int]) -> PagedText:
    """The text of whole pages, in their order; of a page without text its line."""
    entries = (one for one in document.structure.page_map if one.page in pages)
    nothing = CharSpan(start=0, end=0)
    return _joined(
        document, ((entry, span) for entry in entries for span in entry.spans or (nothing,))
    )


def _joined(
    document: ConversionResult, parts: Iterable[tuple[PageEntry | None, CharSpan]]
) -> PagedText:
    pieces, begins, at, page = list[str](), list[tuple[int, int]](), 0, None
    for entry, span in parts:
        if entry is not None and entry.page != page:
            page = entry.page
            begins.append((at, page))
            pieces.append(_mark(document, entry))
            at += len(pieces[-1]) + len(_PARTED)
        if piece := markdown_of(document, span).strip() if len(span) else "":
            pieces.append(piece)
            at += len(piece) + len(_PARTED)
    return PagedText(_PARTED.join(pieces), tuple(begins))


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
