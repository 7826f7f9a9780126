"""A document as people read it: Markdown with its words unchanged, a line where a page begins,
and descriptions that are taken from the text."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Figure,
    PageEntry,
)
from citeloom.domain.documents.fidelity import disputed_note
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.phrasing import on_one_line
from citeloom.domain.text.sentences import cut_at_sentence, sentence_spans
from citeloom.domain.text.tables import cells_of

LONGEST = 160
"""Characters of a description."""

_ABSTRACTS = frozenset({"abstract", "summary", "zusammenfassung", "résumé", "resumen", "摘要"})
_HEADINGS = 3
_BULLET = re.compile(r"[•◦▪‣·∙●○■–]\s+")
_DEEPEST = 6
# A link, and punctuation that may follow it.
_LINK = re.compile(r"(?:https?://|doi:\s?(?=10\.)|zotero://select/)[^\s<>\"]+", re.IGNORECASE)
_CLOSING = ".,;:!?'\"*…’”»"
_MOST_LINKS = 500
"""Maximum number of links looked up in one part."""
_PARTED: Final = "\n\n"


def describe_document(document: ConversionResult) -> str | None:
    """The first sentence of the abstract, else of the text."""
    for heading in document.structure.headings():
        if heading.title.strip(" .:").casefold() in _ABSTRACTS:
            sentence = first_sentence(document, heading.span)
            if sentence:
                return sentence
    whole = CharSpan(start=0, end=len(document.plain_text))
    return first_sentence(document, whole)


def describe_part(document: ConversionResult, span: CharSpan) -> str | None:
    """The first headings within ``span``, and its first sentence."""
    titles = [
        " ".join(heading.title.split())
        for heading in document.structure.headings()
        if span.start <= heading.span.start < span.end
    ]
    more = "; …" if len(titles) > _HEADINGS else ""
    shown = cut_at_sentence("; ".join(titles[:_HEADINGS]) + more, LONGEST) if titles else ""
    return ": ".join(part for part in (shown, first_sentence(document, span)) if part) or None


def describe_figure(figure: Figure, number: int) -> str:
    """The whole caption, as text alternative of the picture."""
    caption = " ".join((figure.caption or "").split())
    return caption or f"Figure {number} of the document, on page {figure.page}, without a caption"


def first_sentence(document: ConversionResult, span: CharSpan) -> str | None:
    """The first sentence of the first prose block in ``span``, which may be a cut-off one."""
    for block in document.blocks:
        start, end = max(block.span.start, span.start), min(block.span.end, span.end)
        if not block.is_prose or start >= end:
            continue
        text = document.plain_text[start:end]
        for begin, stop in sentence_spans(text)[:1]:
            return cut_at_sentence(" ".join(text[begin:stop].split()), LONGEST)
    return None


def markdown_of(
    document: ConversionResult,
    span: CharSpan,
    pictures: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> str:
    """``plain_text[span]`` with Markdown for headings, lists, tables, code, and text in figures
    (quoted lines).

    ``pictures`` are the addresses of figures by index in ``document.figures``, placed above
    their captions. ``notes`` are inserted after the character at their offset. Blocks cut off
    by the span stay plain.
    """
    if not document.blocks:
        return document.text_of(span)
    return "\n\n".join(_marked(document, span, pictures or {}, notes or {}))


def replace_links(text: str, known: Callable[[str], str | None]) -> str:
    """``text`` with each link that ``known`` resolves replaced by the URI."""
    links: dict[str, str | None] = {}

    def replaced(found: re.Match[str]) -> str:
        link = found.group().rstrip(_CLOSING)
        while link.endswith((")", "]")) and not _balanced(link):
            link = link[:-1].rstrip(_CLOSING)
        if link not in links and len(links) < _MOST_LINKS:
            links[link] = known(link)
        uri = links.get(link)
        return uri + found.group()[len(link) :] if uri else found.group()

    return _LINK.sub(replaced, text)


def _balanced(link: str) -> bool:
    return all(link.count(a) >= link.count(b) for a, b in ("()", "[]"))


def _marked(
    document: ConversionResult,
    span: CharSpan,
    pictures: Mapping[int, str],
    notes: Mapping[int, str],
) -> Iterator[str]:
    for block in document.blocks:
        start, end = max(block.span.start, span.start), min(block.span.end, span.end)
        if start >= end:
            continue
        if (start, end) != (block.span.start, block.span.end):
            yield document.plain_text[start:end]
            continue
        text = document.text_of(block.span)
        for offset in sorted((at for at in notes if start < at <= end), reverse=True):
            text = f"{text[: offset - start]}{notes[offset]}{text[offset - start :]}"
        if block.label is BlockLabel.CAPTION:
            for at, uri in pictures.items():
                if _same(document.figures[at], text):
                    yield f"![]({uri})"
        yield _mark(block, text)


def _mark(block: Block, text: str) -> str:
    if block.label is BlockLabel.TITLE:
        return f"# {on_one_line(text)}"
    if block.label is BlockLabel.SECTION_HEADER:
        return f"{'#' * min(block.level or 1, _DEEPEST)} {on_one_line(text)}"
    if block.label is BlockLabel.LIST_ITEM:
        return _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
    if block.label is BlockLabel.CODE:
        fence = "````" if "```" in text else "```"
        return f"{fence}\n{text}\n{fence}"
    if block.label is BlockLabel.TABLE:
        return _table(text)
    if block.label is BlockLabel.FIGURE_TEXT:
        return "\n".join(f"> {line}" for line in text.split("\n"))
    return text


def _table(text: str) -> str:
    rows = [cells_of(row) for row in text.split("\n")]
    width = max(len(row) for row in rows)
    if width < 2:
        return text
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _same(figure: Figure, caption: str) -> bool:
    return bool(figure.caption) and on_one_line(figure.caption or "") == on_one_line(caption)


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
    """Text as read; ``begins`` has the offset in it of each page of the file (from 1), in order."""

    text: str
    begins: tuple[tuple[int, int], ...] = ()

    def pages_within(self, start: int, end: int) -> tuple[int, ...]:
        """The pages that ``text[start:end]`` touches."""
        ends = [offset for offset, _ in self.begins[1:]] + [len(self.text)]
        return tuple(
            page
            for (offset, page), after in zip(self.begins, ends, strict=False)
            if offset < end and start < after
        )


def as_read(document: ConversionResult, span: CharSpan) -> PagedText:
    """The text in ``span``. A line names each page: ``[p. 440]``, ``[PDF p. 3]`` where no number is
    printed, and whether its text is uncertain. A paragraph is split where its page ends."""
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
            pieces.append(_page_mark(document, entry))
            at += len(pieces[-1]) + len(_PARTED)
        if piece := markdown_of(document, span).strip() if len(span) else "":
            pieces.append(piece)
            at += len(piece) + len(_PARTED)
    return PagedText(_PARTED.join(pieces), tuple(begins))


def _pieces(
    document: ConversionResult, span: CharSpan
) -> Iterator[tuple[int, int, PageEntry | None]]:
    """The span, cut completely at the beginnings of pages."""
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


def _page_mark(document: ConversionResult, entry: PageEntry) -> str:
    name = f"p. {entry.label}" if entry.label else f"PDF p. {entry.page}"
    known = document.document_fidelity
    if known is None:
        return f"[{name}]"
    marks = ["; the text of this page is uncertain"] if known.is_uncertain((entry.page,)) else []
    disputed = dict.fromkeys(one for span in entry.spans for one in known.disputed_in(span))
    if disputed:
        marks.append(f"; {disputed_note(*map(document.text_of, disputed))}")
    return f"[{name}{''.join(marks)}]"
