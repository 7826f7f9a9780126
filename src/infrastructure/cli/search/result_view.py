"""Search results as text: passages with citations and addresses."""

from pathlib import PurePath
from typing import TYPE_CHECKING

from citeloom.application.ports.citation import CitationMarkup
from citeloom.domain.annotations.annotation import Mark
from citeloom.domain.citation.in_text import InText, latex_text, typst_text
from citeloom.domain.citation.metadata import file_pages, locator
from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.documents.spans import PageSpan
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.search.request import QueryResult, QueryResultItem
from citeloom.domain.text.inert_markdown import inert_lines, inert_markdown
from citeloom.infrastructure.cli.shared.output import print_text

if TYPE_CHECKING:
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
    """``(citekey, pp. x–y, section)``, with the known parts. Without a citation key, title,
    authors and year of the file stand for it, named as such; where nothing is known, the name
    of the file. ``(text uncertain)`` follows where it is."""
    named = item.citekey or own_reference(item)
    parts = (named, pages(item), section(item))
    known = ", ".join(part for part in parts if part) or PurePath(item.source_path).name
    return f"({known}){uncertain_mark(item.text_uncertain)}"


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
    """Printed pages where they are certain, else those of the file, marked as such."""
    if printed := locator(item.page_labels):
        return printed
    if item.page_span is None:
        return ""
    return file_pages(PageSpan(start=item.page_span[0], end=item.page_span[1]))


def section(item: QueryResultItem) -> str:
    """The section, unless the title stands for it where no heading is known."""
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
