"""Title, authors and year of a document, judged by its first page and its metadata."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from html import unescape
from typing import NamedTuple

from citeloom.domain.documents.conversion import Block, BlockLabel
from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

from .people import names_of_block, resolve_authors, stated_names
from .title import (
    SERIES,
    TitleBlock,
    TitleEvidence,
    agreement,
    in_title_case,
    shared_words,
    title_words,
)

_INTRODUCED = re.compile(r"\bdoi:?\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\S+)", re.I)
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")


def pdf_identifiers(
    metadata: Sequence[str], furniture: Iterable[str], text: str
) -> tuple[str, ...]:
    """Most trustworthy first: metadata, heads and feet, then the text of the first pages.

    In the text a DOI or arXiv id counts only if it is the only one, or (DOIs) introduced as
    the document's own: others belong to cited works.
    """
    ordered: dict[str, None] = {}
    for value in metadata:
        ordered.update(dict.fromkeys([*find_dois(value), *find_arxiv_ids(value)]))
    for row in furniture:
        ordered.update(dict.fromkeys([*find_dois(row), *find_arxiv_ids(row)]))
    if not ordered:
        for names in (find_dois(text), find_arxiv_ids(text)):
            if len(set(names)) == 1:
                ordered.update(dict.fromkeys(names))
    if not ordered:
        introduced = _INTRODUCED.search(text[:6000])
        if introduced is not None:
            ordered.update(dict.fromkeys(find_dois(introduced[1])))
    for doi in list(ordered):
        match = _ARXIV_DOI.match(doi)
        if match is not None:
            ordered.setdefault(f"arXiv:{match[1]}", None)
    return tuple(name for name in ordered if not _is_cut_off(name, ordered))


def _is_cut_off(name: str, names: Iterable[str]) -> bool:
    """Whether ``name`` is the beginning of another, broken at a line's end."""
    return any(longer != name and longer.startswith(name) for longer in names)


class FrontMatter(NamedTuple):
    """Title and names of the authors as printed. ``masthead`` are the lines of text in figures of
    the first page: a journal's name and volume beside its logo."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    masthead: tuple[str, ...] = ()


class FrontLines(NamedTuple):
    """Lines of the title and of the authors' block."""

    title: tuple[TextLine, ...] = ()
    authors: tuple[TextLine, ...] = ()

    @classmethod
    def of(cls, flow: Sequence[PlacedLine], block: TitleBlock) -> "FrontLines":
        return cls(
            tuple(flow[i].line for i in block.title), tuple(flow[i].line for i in block.authors)
        )

    def with_title(self, joined: str, masthead: Iterable[str]) -> FrontMatter:
        """The front matter; ``joined`` is the text of the title's lines."""
        return FrontMatter(joined or None, names_of_block(self.authors), tuple(masthead))


_YEARS = r"(?:18[5-9]\d|19\d\d|20\d\d)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|fall|autumn|winter)"
)
_COPYRIGHT = re.compile(rf"(?:copyright|\u00a9|\(c\))[^\d\n]{{0,40}}({_YEARS})", re.IGNORECASE)
_PUBLISHED = re.compile(
    rf"\b(?:published|first published|publication date|appeared)\b[^\n]{{0,80}}?\b({_YEARS})\b",
    re.IGNORECASE,
)
# A head or foot that cites the paper: "Rokem, (2018). A short course about ...".
_CITED = re.compile(rf"^\D{{3,80}}\(({_YEARS})\)\.\s")
_ISSUE = re.compile(
    rf"\b(?:vol(?:ume)?|no|issue|number|proceedings|conference|symposium|workshop|journal|"
    rf"transactions|technical report|review)\b[^\n]{{0,120}}?\b({_YEARS})\b",
    re.IGNORECASE,
)
_BRIEF = re.compile(r"\b[A-Z][A-Za-z&/-]*[A-Z]\s?['\u2019\u2018](\d\d)\b|\b[A-Z]{3,8} ?(20\d\d)\b")
_DATE = re.compile(
    rf"\b{_MONTH}\b\.?,?(?:\s+\d{{1,2}}(?:\s?[\u2013-]\s?\d{{1,2}})?(?:st|nd|rd|th)?,?)?\s+({_YEARS})\b",
    re.IGNORECASE,
)
_ARXIV = re.compile(r"\barxiv:\S+.*?\b((?:19|20)\d\d)\b", re.IGNORECASE)
_ALONE = re.compile(rf"^\W*({_YEARS})\W*$")
# The fee code of the Copyright Clearance Center: ISSN or ISBN, year, article, page.
_FEE_CODE = re.compile(r"\b(?:\d{4}-\d{3}[\dXx]|\d-\d{5}-\d{3}-[\dXx])/(\d\d)/\d{2,4}\b")
_CENTURY = 100


def publication_year(rows: Sequence[str], made: int | None = None) -> int | None:
    """The year that the first page states; None if it states none.

    ``rows`` are its lines outside the running text: heads, feet, notes, the lines around the
    title. Evidence by descending weight: copyright line, fee code, "published", journal or
    conference line, date, arXiv stamp. ``made`` is the year in which the file was made: a later
    year is none of publication; it is no evidence by itself, since scans are made long after.
    """
    latest = made + 1 if made is not None else 2100
    for pattern in (
        _COPYRIGHT,
        _FEE_CODE,
        _PUBLISHED,
        _CITED,
        _ISSUE,
        _BRIEF,
        _DATE,
        _ALONE,
        _ARXIV,
    ):
        years = [
            year
            for row in rows
            for match in pattern.finditer(row)
            if (year := _full(next(filter(None, match.groups())), latest)) is not None
        ]
        if years:
            return max(years) if pattern is _COPYRIGHT else years[0]
    return None


def _full(digits: str, latest: int) -> int | None:
    year = int(digits)
    if year < _CENTURY:
        year += 2000 if 2000 + year <= latest and year < 50 else 1900
    return year if year <= latest else None


_MARKS = re.compile(
    "(?:(?<![A-Z])[*\u2217\u22c6]|[\u2020\u2021\u00a7\u00b6\u00b9\u00b2\u00b3\ufffd\u25af\ue000-\uf8ff]|"
    r"\s[*\u2217\u22c6])+\s*$"
)
_NOTE_NUMBER = re.compile(r"(?<=[^\W\d_]{4})\d$")
_CODES = re.compile(r"(?=\w*[A-Z]\w*\d)\w{8,}$")
_ADDRESS = re.compile(r"\S@\S|https?:|www\.")
# Shares of common words: of titles that are the same, and of a part of a title.
_SAME, _PART = 0.6, 0.6
_BEGINNING = 0.7  # similarity of half a title and the beginning of the whole one
# Share of a title's words that the page or the file name must have.
_SUPPORT = 0.6
_LONE = 0.75  # the same, where no title was found on the page
_NEAR = 0.6  # similarity of a word and its misreading
_SCANT = 30  # words of a page that cannot contradict a title


def resolve_title(
    printed: str | None, evidence: TitleEvidence, page_words: frozenset[str]
) -> str | None:
    """The document's title; None if neither page nor metadata have a credible one.

    The page's wording is kept unless a title of the metadata, supported by words of the first
    page or of the file name, completes it or corrects a misread word. A title of the metadata
    alone counts if the page has its words, or has no text.
    """
    own = clean_title(printed, evidence) if printed else None
    for title in evidence.titles:
        if own is None:
            if len(page_words) < _SCANT or _support(title, evidence, page_words) >= _LONE:
                return title
        elif (better := _better(own, title, evidence, page_words)) is not None:
            return better
    return own


def clean_title(printed: str, evidence: TitleEvidence) -> str | None:
    """A printed title without footnote marks and series number; None for character codes and
    addresses."""
    text = _MARKS.sub("", " ".join(printed.split()))
    text = SERIES.sub("", text).strip()
    words = text.split()
    known = evidence.file_words.union(*map(title_words, evidence.titles))
    if words and _NOTE_NUMBER.search(words[-1]) and squash(words[-1][:-1]) in known:
        text = text[:-1]
    coded = sum(_CODES.match(word) is not None for word in words)
    if not squash(text) or 2 * coded >= len(words) or _ADDRESS.search(text):
        return None
    return text


def _better(
    own: str, title: str, evidence: TitleEvidence, page_words: frozenset[str]
) -> str | None:
    """The metadata's title if it is to be preferred to the printed one."""
    mixed = title.upper() != title != title.lower()
    if squash(own) == squash(title):
        return title if mixed else None
    printed, stated = title_words(own), title_words(title)
    shared_printed = shared_words(printed, stated) / len(printed)
    shared_stated = shared_words(stated, printed) / len(stated)
    supported = _support(title, evidence, page_words) >= _SUPPORT
    if shared_stated == 1.0:
        return None  # without its subtitle
    if shared_printed >= _PART and len(printed) < len(stated) and _begins(own, title):
        return title if supported else None
    if min(shared_printed, shared_stated) >= _SAME:
        other = stated - printed
        borne_out = shared_words(other, page_words | evidence.file_words) == len(other)
        return title if borne_out or _corrects(printed - stated, other, evidence) else None
    named = evidence.by_file_name(title) >= _SUPPORT > 2 * evidence.by_file_name(own)
    return title if named and supported and agreement(own, title) < _SAME else None


def _begins(part: str, whole: str) -> bool:
    letters = squash(part)
    return SequenceMatcher(None, letters, squash(whole)[: len(letters)]).ratio() >= _BEGINNING


def _corrects(misread: frozenset[str], stated: frozenset[str], evidence: TitleEvidence) -> bool:
    """Whether the metadata's words stand for misread ones."""
    if shared_words(stated, evidence.file_words) and not shared_words(misread, evidence.file_words):
        return True
    return all(
        any(SequenceMatcher(None, word, other).ratio() >= _NEAR for other in stated)
        for word in misread
    )


def _support(title: str, evidence: TitleEvidence, page_words: frozenset[str]) -> float:
    words = title_words(title)
    return shared_words(words, page_words | evidence.file_words) / len(words)


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
    mastheads = filter(_MASTHEAD.search, printed.masthead)  # other figures have years too
    made = _YEAR.search(metadata.created or "")
    return Bibliography(
        in_title_case(resolve_title(printed.title, evidence, words), text),
        resolve_authors(printed.authors, stated, words),
        publication_year(
            [*rows, *mastheads, *_notes(text, first)],
            int(made[0]) if made is not None else None,
        ),
    )


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
