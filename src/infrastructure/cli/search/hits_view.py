"""Hits as a person reads them, and results as text with citations and addresses."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from citeloom.application.ports.citation import CitationMarkup
from citeloom.domain.annotations import Mark
from citeloom.domain.citation.in_text import InText, latex_text, typst_text
from citeloom.domain.citation.metadata import file_pages, locator, provisional_mark
from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.fidelity import disputed_note, uncertain_mark
from citeloom.domain.documents.spans import CharSpan, ChunkKind, PageSpan
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.search.hits import HitBlock, PaperHits, PassageHit, key_sentence
from citeloom.domain.search.request import QueryResult, QueryResultItem
from citeloom.domain.text.phrasing import inert_lines, inert_markdown
from citeloom.domain.text.tables import cells_of
from citeloom.infrastructure.cli.shared.output import (
    console,
    print_padded,
    print_styled,
    print_text,
    styled_text,
)

if TYPE_CHECKING:
    from rich.text import Text

    from citeloom.application.citation.cite import Citations

HEADING = "## References"


def mark_lines(item: QueryResultItem) -> list[str]:
    """A reader's marks in the passage, or the annotation that it is, one per line."""
    annotations = [item.annotation] if item.annotation else []
    return [_mark_line(mark) for mark in (*annotations, *item.marks)]


def _mark_line(mark: Mark) -> str:
    """``yellow highlight: "quote" — comment [tags] zotero://…``, with the parts that exist."""
    label = " ".join(filter(None, (mark.color_name, mark.kind.value)))
    quote, comment = " ".join(mark.quote.split()), " ".join(mark.comment.split())
    text = " — ".join(filter(None, (f"“{quote}”" if quote else "", comment)))
    tags = f"[{', '.join(mark.tags)}]" if mark.tags else ""
    return f"{label}: " + "  ".join(filter(None, (text, tags, mark.uri)))


def place_line(item: QueryResultItem) -> str:
    """``(citekey, pp. x–y, section)``, with the known parts. Without a citation key, title, authors
    and year of the file replace it, named as such, or else the name of the file. ``(text
    uncertain)`` follows if it is."""
    named = item.citekey or own_reference(item)
    parts = (named, pages(item), section(item))
    known = ", ".join(part for part in parts if part) or PurePath(item.source_path).name
    return f"({known}){_marks(item)}"


def own_reference(item: QueryResultItem) -> str:
    """``Title, First Author et al. 1994, from the PDF``; empty without a title."""
    if not item.title:
        return ""
    first, *others = item.authors or ("",)
    names = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
    origin = "PDF" if item.source_path.lower().endswith(".pdf") else "file"
    made = " ".join(filter(None, (names, str(item.year or ""))))
    return ", ".join(filter(None, (item.title, made, f"from the {origin}")))


def pages(item: QueryResultItem) -> str:
    """Printed pages if certain, else pages of the file, marked as such."""
    if printed := locator(item.page_labels):
        return printed
    if item.page_span is None:
        return ""
    return file_pages(PageSpan(start=item.page_span[0], end=item.page_span[1]))


def section(item: QueryResultItem) -> str:
    """The section, or the title if no heading is known."""
    known = item.section or " > ".join(item.section_path)
    return "" if letters_and_digits(known) == letters_and_digits(item.title or "") else known


def as_markdown(result: QueryResult) -> str:
    """Quotations with citations, ready for a manuscript."""
    quotes = []
    for item in result.items:
        quote = "\n".join(f"> {line}".rstrip() for line in inert_lines(item.text))
        mark = uncertain_mark(item.text_uncertain)
        place = item.citation + mark if item.citation else inert_markdown(place_line(item))
        quotes.append(f"{quote}\n>\n> {place}")
    return "\n\n".join(quotes)


def as_quotes(citations: "Citations", result: QueryResult, language: str, style: str | None) -> str:
    """Quotations with citations in the language of a manuscript (``latex``, ``typst``, or ``text``
    in a citation style); uncited passages name their file."""
    form = InText(language)
    cited = citations.each(citations.places(result), form, style)
    write = _QUOTES[form]
    return "\n\n".join(
        write(
            item.text,
            citation + uncertain_mark(item.text_uncertain) if citation else "",
            "" if citation else place_line(item),
        )
        for item, citation in zip(result.items, cited, strict=True)
    )


def _latex_quote(text: str, citation: str, source: str) -> str:
    body = "\n\n".join(latex_text(paragraph) for paragraph in text.split("\n\n"))
    where = citation or latex_text(source)
    return f"\\begin{{quote}}\n{body}\n{where}\n\\end{{quote}}"


def _typst_quote(text: str, citation: str, source: str) -> str:
    return (
        f"#quote(block: true, attribution: [{citation or typst_text(source)}])[{typst_text(text)}]"
    )


def _text_quote(text: str, citation: str, source: str) -> str:
    return f"“{' '.join(text.split())}” {citation or source}"


_QUOTES = {
    InText.LATEX: _latex_quote,
    InText.TYPST: _typst_quote,
    InText.TEXT: _text_quote,
}


def print_bibliography(
    citations: "Citations", result: QueryResult, output: str, style: str | None
) -> None:
    """The works of the results, each once, in the order of the style, under a heading."""
    markup = CitationMarkup.MARKDOWN if output == "markdown" else CitationMarkup.PLAIN
    entries = citations.bibliography(citations.places(result), style, markup)
    heading = f"\n{HEADING}" if markup is CitationMarkup.MARKDOWN else "\nReferences"
    text = "\n\n".join(entry.text for entry in entries)
    print_text(f"{heading}\n\n{text}" if entries else f"{heading}\n\nnone of them is cited")


_CITATION = "bold cyan"
_INDENT = 4
_LISTED = frozenset({BlockLabel.LIST_ITEM, BlockLabel.REFERENCE, BlockLabel.FIGURE_TEXT})
_BETWEEN_CELLS = "   "
_MOST_AUTHORS = 3


def print_papers(papers: Sequence[PaperHits]) -> None:
    """Each paper once, with title, authors and year, and below it its hits, each under its
    citation and with the number that ``open`` takes."""
    out = console()
    several = len({paper.first.project for paper in papers}) > 1
    for paper in papers:
        project = f"  {paper.first.project}" if several else ""
        print_styled(out, (work_line(paper.first), "underline"), (project, "dim"))
        for hit in paper.hits:
            _print_hit(out, hit)
        out.print()


def print_brief(result: QueryResult) -> None:
    """One line a hit: number, citation, best sentence. Passages that overlap and have the same
    best sentence are one line."""
    out = console()
    rows: list[tuple[list[str], QueryResultItem, str]] = []
    for item in result.items:
        sentence = " ".join(key_sentence(item).split())
        same = next(
            (row for row in rows if row[2] == sentence and _overlap(row[1], item)),
            None,
        )
        if same is not None:
            same[0].append(str(item.rank))
        else:
            rows.append(([str(item.rank)], item, sentence))
    for ranks, item, sentence in rows:
        place = (item.citation + _marks(item) if item.citation else place_line(item), _CITATION)
        out.print(
            styled_text((f"{', '.join(ranks)}  ", "bold"), place, (f"  {sentence}", "")),
            soft_wrap=not out.is_terminal,
        )


def _overlap(one: QueryResultItem, other: QueryResultItem) -> bool:
    """Whether two passages have text of their document in common."""
    (start, end), (low, high) = one.char_span, other.char_span
    of_one = (one.project, one.document_id) == (other.project, other.document_id)
    return of_one and max(start, low) < min(end, high)


def work_line(item: QueryResultItem) -> str:
    """``Title · Authors · 1994``; ``from the PDF`` without a reference. Without a title, the name
    of the file."""
    authors = "; ".join(item.authors[:_MOST_AUTHORS])
    if len(item.authors) > _MOST_AUTHORS:
        authors += " et al."
    source = PurePath(item.source_path)
    own = "" if item.citekey else f"from the {'PDF' if source.suffix.lower() == '.pdf' else 'file'}"
    year = str(item.year or "")
    parts = (item.title, authors, year, own) if item.title else (source.name,)
    return " · ".join(" ".join(part.split()) for part in parts if part)


def place_of(item: QueryResultItem) -> str:
    """The citation, else the place in the document, else the file."""
    named = item.citation or pages(item) or item.place or PurePath(item.source_path).name
    return named + _marks(item)


def _marks(item: QueryResultItem) -> str:
    return provisional_mark(item.citation_source) + uncertain_mark(item.text_uncertain)


def _print_hit(out: Any, hit: PassageHit) -> None:
    item = hit.item
    heading = section(item)
    print_styled(
        out,
        (f"{', '.join(map(str, hit.ranks))}  ", "bold"),
        (place_of(item), _CITATION),
        (f"  {heading}" if heading else "", "italic"),
        (f"  {item.score:.2f}", "dim"),
    )
    before: HitBlock | None = None
    for block in hit.blocks:
        if before and not (before.label == block.label and block.label in _LISTED):
            out.print()
        if not block.follows:
            print_styled(out, ("⋯", "dim"), indent=_INDENT)
        for line in _lines(block, item, out.width - _INDENT):
            print_padded(out, line, indent=_INDENT)
        before = block
    for mark in mark_lines(item):
        print_styled(out, (mark, "yellow"), indent=_INDENT)
    for sentence in item.disputed:
        print_styled(out, (disputed_note(sentence), "yellow"), indent=_INDENT)
    if item.picture:
        shown = f"as printed, PDF p. {item.picture.page}: citeloom open {hit.ranks[0]}"
        print_styled(out, (shown, "dim"), indent=_INDENT)
    if item.copies:
        print_styled(out, (f"the same in {', '.join(item.copies)}", "dim"), indent=_INDENT)
    address = (item.address, f"dim{_link(item)}")
    path = "" if item.citation else f"{item.source_path}  "
    print_styled(
        out, (path, "dim"), address, (f"  {item.zotero_link or ''}", "dim"), indent=_INDENT
    )
    out.print()


def _link(item: QueryResultItem) -> str:
    """The style of a hyperlink to the file, for terminals that support it; none if the file does
    not exist here."""
    path = Path(item.source_path)
    return f" link {path.as_uri()}" if path.is_absolute() else ""


def _lines(block: HitBlock, item: QueryResultItem, width: int) -> "Iterator[Text]":
    """The paragraphs to print: one, or the lines of a table or of code; the labels in a figure in
    one line, below its caption."""
    if block.label is BlockLabel.TABLE:
        yield from _table(block, item, width)
    elif block.label is BlockLabel.FIGURE_TEXT:
        if header := _header(block, item):
            yield styled_text((" ".join(header.split()), "bold"))
        yield styled_text((" · ".join(block.text.split("\n")), "dim"))
    elif block.label is BlockLabel.CODE:
        for match in re.finditer(r"[^\n]+", block.text):
            yield _styled(block, item, *match.span())
    else:
        yield _styled(block, item, 0, len(block.text))


def _styled(block: HitBlock, item: QueryResultItem, start: int, end: int) -> "Text":
    """``block.text[start:end]`` on one line: best sentence bold, neighbours dim, words of the
    question underlined, headings in italics."""
    plain = "italic bold" if block.is_heading else ""
    marks = [*((span, "bold") for span in block.best), *((span, "dim") for span in block.beside)]
    edges = {start, end, *(edge for span, _ in marks for edge in (span.start, span.end))}
    inside = sorted(edge for edge in edges if start <= edge <= end)
    parts = [
        (re.sub(r"\s+", " ", block.text[a:b]), _style_at(a, marks) or plain)
        for a, b in pairwise(inside)
    ]
    text = styled_text(*parts)
    for word in item.matched:
        spoken = re.escape(" ".join(word.split()))
        text.highlight_regex(rf"(?<!\w)(?i:{spoken})(?!\w)", "underline")
    return text


def _style_at(offset: int, marks: Sequence[tuple[CharSpan, str]]) -> str:
    return next((style for span, style in marks if span.start <= offset < span.end), "")


def _table(block: HitBlock, item: QueryResultItem, width: int) -> "Iterator[Text]":
    """The rows, their cells below each other where the width allows it."""
    rows = [match.span() for match in re.finditer(r"[^\n]+", block.text)]
    cells = [cells_of(block.text[start:end]) for start, end in rows]
    if (header := _header(block, item)) and header not in block.text:
        heads = [cells_of(line) for line in header.split("\n")]
        rows, cells = [(0, 0)] * len(heads) + rows, heads + cells
    widths = [
        max((len(row[n]) for row in cells if n < len(row)), default=0)
        for n in range(max(map(len, cells), default=0))
    ]
    fits = sum(widths) + len(_BETWEEN_CELLS) * len(widths) <= width
    for (start, end), row in zip(rows, cells, strict=True):
        if fits or start == end:
            padded = (cell.ljust(wide) for cell, wide in zip(row, widths, strict=False))
            text = _BETWEEN_CELLS.join(padded if fits else row).rstrip()
            yield styled_text((text, _row_style(block, start, end)))
        else:
            yield _styled(block, item, start, end)


def _header(block: HitBlock, item: QueryResultItem) -> str | None:
    """The heads of a table or the caption of a figure; none for a neighbour of the hit."""
    beside = sum(span.end - span.start for span in block.beside)
    in_figure = block.label is BlockLabel.FIGURE_TEXT
    known = beside < len(block.text) and in_figure is (item.kind is ChunkKind.FIGURE)
    return item.header if known else None


def _row_style(block: HitBlock, start: int, end: int) -> str:
    """Bold where a part of the row is in the best sentence."""
    if any(span.start < end and start < span.end for span in block.best):
        return "bold"
    return "dim" if any(span.start <= start and end <= span.end for span in block.beside) else ""
