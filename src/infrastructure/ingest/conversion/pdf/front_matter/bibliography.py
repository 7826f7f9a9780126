"""Title, authors and year of a document, judged by its first page and its metadata."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import NamedTuple

from citeloom.domain.documents.conversion import Block, BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.authors import resolve_authors
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import stated_names
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.printed import FrontMatter
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.publication_year import (
    publication_year,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_evidence import (
    TitleEvidence,
    title_words,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_text import resolve_title

FIRST_PAGES = 2  # a cover may come first
_NOTICE = re.compile(r"copyright (?=[\u00a9(\d])|\u00a9|\d-?\w/\d\d/\d{2,4}", re.IGNORECASE)
# Footnotes that say where the paper appeared; others cite other papers.
_VENUE = re.compile(
    r"\W*(?:\d+ ?(?:st|nd|rd|th)\b|this (?:paper|article|work) (?:is|was|appear|has)|"
    r"(?:to )?appear(?:s|ed)?\b|published|(?:in )?proceedings|[A-Z]{3,} ?['\u2019](?=\d\d\b))",
    re.IGNORECASE,
)
_VENUE_LENGTH = 160  # characters
_MASTHEAD = re.compile(r"\b(?:volume|vol\.|issue|no\.)\s*\d", re.IGNORECASE)
_NOTICE_LENGTH, _FEE_CODE_LENGTH = 80, 14  # characters
_SHORT = 40  # words of a block that may be a note, date or heading
# Dublin Core properties in an XMP packet (ISO 16684-1).
_PROPERTY = r"<dc:{name}\b[^>]*>(.*?)</dc:{name}\s*>"
_ITEM = re.compile(r"<rdf:li\b[^>]*>(.*?)</rdf:li\s*>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_YEAR = re.compile(r"(?:19|20)\d\d")


class FileMetadata(NamedTuple):
    """Info /Title, /Author and /CreationDate, the XMP packet, and the file's name."""

    title: str | None = None
    author: str | None = None
    created: str | None = None
    xmp: str | None = None
    file_stem: str = ""


class Bibliography(NamedTuple):
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None


def judge_bibliography(
    printed: FrontMatter,
    metadata: FileMetadata,
    text: str,
    blocks: Sequence[Block],
    furniture: Mapping[int, Sequence[str]],
) -> Bibliography:
    """The document's title, authors and year; ``furniture`` are heads and feet by page.

    Metadata count as far as the first pages bear them out.
    """
    first = [b for b in blocks if b.lines and b.lines[0].page <= FIRST_PAGES]
    rows = [row for page in range(1, FIRST_PAGES + 1) for row in furniture.get(page, ())]
    words = title_words("\n".join([*(text[b.span.start : b.span.end] for b in first), *rows]))
    evidence = TitleEvidence.of(
        [metadata.title, *xmp_values(metadata.xmp, "title")], metadata.file_stem
    )
    stated = stated_names([metadata.author or "", *xmp_values(metadata.xmp, "creator")])
    made = _YEAR.search(metadata.created or "")
    return Bibliography(
        resolve_title(printed.title, evidence, words),
        resolve_authors(printed.authors, stated, words),
        publication_year(
            [*rows, *_mastheads(printed.masthead), *_notes(text, first)],
            int(made[0]) if made is not None else None,
        ),
    )


def _mastheads(lines: Sequence[str]) -> list[str]:
    """Lines of a journal's masthead; other figures have years too."""
    return [line for line in lines if _MASTHEAD.search(line)]


def _notes(text: str, blocks: Sequence[Block]) -> list[str]:
    """What stands above the text, and copyright notices; no running text and no notes on other
    versions."""
    front = (BlockLabel.TITLE, BlockLabel.AUTHORS)
    end = max((at for at, block in enumerate(blocks) if block.label in front), default=0)
    notes: list[str] = []
    for at, block in enumerate(blocks):
        content = " ".join(text[block.span.start : block.span.end].split())
        if block.label == BlockLabel.AUTHORS or (block.aside and block.lines[0].page == 1):
            notes.extend(text[line.start : line.end] for line in block.lines)
        elif at < end and block.label == BlockLabel.TEXT and len(content.split()) <= _SHORT:
            notes.append(content)
        elif block.label == BlockLabel.FOOTNOTE and _VENUE.match(content):
            notes.append(content[:_VENUE_LENGTH])
        elif notice := _NOTICE.search(content):
            notes.append(content[max(0, notice.start() - _FEE_CODE_LENGTH) :][:_NOTICE_LENGTH])
    return notes


def xmp_values(packet: str | None, name: str) -> tuple[str, ...]:
    """Values of the Dublin Core property ``name`` (``title``, ``creator``), in order."""
    values = []
    for match in re.finditer(_PROPERTY.format(name=re.escape(name)), packet or "", re.DOTALL):
        for item in _ITEM.findall(match[1]) or [match[1]]:
            text = " ".join(unescape(_TAG.sub("", item)).split())
            if text:
                values.append(text)
    return tuple(dict.fromkeys(values))
