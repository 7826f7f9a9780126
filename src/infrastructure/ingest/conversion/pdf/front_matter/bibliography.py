"""Title, authors and year of a document, judged by its first page and its metadata."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from citeloom.domain.documents.conversion import Block, BlockLabel
from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

from .people import has_unread_names, names_of_block, resolve_authors, stated_names
from .publication import publication_year, venue_of
from .stated import FileMetadata, StatedWork, stated_venue, xmp_values
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
    heads = "\n".join(furniture)
    ordered.update(dict.fromkeys([*find_dois(heads), *find_arxiv_ids(heads)]))
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
    the first page: a journal's name and volume beside its logo. ``unread``: among the names is
    something printed like one that was not taken for one."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    masthead: tuple[str, ...] = ()
    unread: bool = False


class FrontLines(NamedTuple):
    """Lines of the title and of the authors' block."""

    title: tuple[TextLine, ...] = ()
    authors: tuple[TextLine, ...] = ()

    @classmethod
    def of(cls, flow: Sequence[PlacedLine], block: TitleBlock) -> "FrontLines":
        authors = [flow[i] for i in block.authors]
        if len({placed.column for placed in authors}) > 1:  # a row of names across the columns
            authors.sort(key=lambda placed: (round(placed.line.base / 4), placed.line.x0))
        return cls(
            tuple(flow[i].line for i in block.title), tuple(placed.line for placed in authors)
        )

    def with_title(self, joined: str, masthead: Iterable[str]) -> FrontMatter:
        """The front matter; ``joined`` is the text of the title's lines."""
        names, unread = names_of_block(self.authors), has_unread_names(self.authors)
        return FrontMatter(joined or None, names, tuple(masthead), unread)


_MARKS = re.compile(
    "(?:(?<![A-Z])[*\u2217\u22c6]|[\u2020\u2021\u00a7\u00b6\u00b9\u00b2\u00b3\ufffd\u25af\ue000-\uf8ff]|"
    r"\s[*\u2217\u22c6])+\s*$"
)
_NOTE_NUMBER = re.compile(r"(?<=[^\W\d_]{4})\d$")
_CODES = re.compile(r"(?=\w*[A-Z]\w*\d)\w{8,}$")
_DAMAGED = "\ufffd"
_DAMAGED_WORD = re.compile("[^\\W\\d_]*\ufffd[^\\W\\d_\ufffd]*(?:\ufffd+[^\\W\\d_]+)*")
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
    text = _DAMAGED_WORD.sub(lambda match: _mended(match[0], known), text)
    coded = sum(_CODES.match(word) is not None for word in words)
    if not squash(text) or 2 * coded >= len(words) or _ADDRESS.search(text):
        return None
    return text


def _mended(word: str, known: Iterable[str]) -> str:
    """A word with letters that the font does not name, as the file's name or metadata spell it,
    if one of their words fits."""
    pattern = re.sub("\ufffd+", r"(\\w{1,3})", word.lower())
    fitting = [match for other in known if (match := re.fullmatch(pattern, other)) is not None]
    if len(fitting) != 1:
        return word
    letters = iter(fitting[0].groups())
    return re.sub("\ufffd+", lambda _: next(letters), word)


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
    """Whether the metadata's words correct misread ones."""
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
_NOTICE = re.compile(
    r"copyright (?=[\u00a9(\d]|[\w ]{1,40}\bc? ?\d{4}\b)|\bdate: |\u00a9|"
    r"(?<!\w)c (?=\d{4} [A-Z])|\d-?\w/\d\d/\d{2,4}",
    re.IGNORECASE,
)
# Lines from which on a block is about the paper itself.
_PERMISSION = re.compile(
    r"permission to (?:make|copy)|this (?:article|work|paper) is (?:published|licensed)|"
    r"\w+ reference format:|(?:\d+ )?Proceedings of |"
    r"(?-i:[A-Z][A-Za-z &/-]{8,80}),? Vol(?:\.|ume)? ?\d|"
    r"\d+ ?(?:st|nd|rd|th)\b.{0,40}?\b(?:Conference|Symposium|Workshop)\b|"
    r"(?-i:[A-Z][A-Za-z+&/-]*[A-Z]\s?(?:['\u2019\u2018]\d\d|(?:19|20)\d\d),\s)|"
    r"\W*(?:copyright (?=[\u00a9(\d]|c \d)|\u00a9|c (?=\d{4} [A-Z]))",
    re.IGNORECASE,
)
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
_MAIL = re.compile(r"\{([^{}]+)\}\s?@|([\w.+-]+)\s?@\s?\w")
# Agreement of a title with the metadata and the file's name that makes it sure.
_STATED, _NAMED = 0.8, 0.5
_LEAST_LETTERS = 10  # of a running head that repeats the title


def judge_bibliography(
    printed: FrontMatter,
    metadata: FileMetadata,
    text: str,
    blocks: Sequence[Block],
    furniture: Mapping[int, Sequence[str]],
    *,
    is_doubtful: bool = False,
) -> StatedWork:
    """The document's title, authors, year and venue; ``furniture`` are heads and feet by page.
    ``is_doubtful``: letters of the first page may be wrong, as after OCR, so names are uncertain.

    Metadata count as far as the first pages support them.
    """
    first = [b for b in blocks if b.lines and b.lines[0].page <= FIRST_PAGES]
    rows = [row for page in range(1, FIRST_PAGES + 1) for row in furniture.get(page, ())]
    opening = "\n".join([*(text[b.span.start : b.span.end] for b in first), *rows])
    words = title_words(opening)
    titles = [metadata.title, *xmp_values(metadata.xmp, "dc:title")]
    evidence = TitleEvidence.of(titles, metadata.file_stem)
    stated = stated_names([metadata.author or "", *xmp_values(metadata.xmp, "dc:creator")])
    mastheads = filter(_MASTHEAD.search, printed.masthead)  # other figures have years too
    subject = [metadata.subject] if metadata.subject else []
    own = [*rows, *mastheads, *_notes(text, first), *subject]
    found = publication_year(own, metadata.created)
    heads = (row for page in sorted(furniture) if page > FIRST_PAGES for row in furniture[page])
    printed_venue = venue_of([*own, *printed.masthead, *dict.fromkeys(heads)])
    venue = stated_venue(metadata.xmp).or_else(printed_venue)
    title = in_title_case(resolve_title(printed.title, evidence, words), text)
    authors = resolve_authors(printed.authors, stated, words)
    weak = {
        "title": not _is_sure_title(title, printed, evidence, rows),
        "authors": is_doubtful or not _are_sure_authors(authors, printed, stated, opening),
        "year": not found.sure and not (venue.year and venue.year == found.year),
        **dict.fromkeys(("container_title", "volume", "issue", "pages"), not venue.complete),
    }
    result = StatedWork(title, authors, found.year or venue.year, *venue[:4])
    return result._replace(
        uncertain=tuple(name for name, is_weak in weak.items() if is_weak and getattr(result, name))
    )


def _is_sure_title(
    title: str | None, printed: FrontMatter, evidence: TitleEvidence, rows: Sequence[str]
) -> bool:
    """Whether a second source has the title, or the names of its authors stand below it."""
    if title is None or _DAMAGED in title:
        return False
    letters = squash(title)
    repeated = any(
        len(head) >= _LEAST_LETTERS and head in letters
        for head in (squash(row).strip("0123456789") for row in rows)
    )
    named = evidence.by_file_name(title) >= _NAMED or evidence.by_metadata(title) >= _STATED
    return named or repeated or (printed.title is not None and bool(printed.authors))


def _are_sure_authors(
    authors: Sequence[str], printed: FrontMatter, stated: Sequence[str], opening: str
) -> bool:
    """Whether the metadata have the same names, or all that is printed like a name was read and
    there are no more mail addresses than authors."""
    if any(_DAMAGED in name for name in authors):
        return False
    if stated and {squash(n.split()[-1]) for n in stated} == {
        squash(n.split()[-1]) for n in authors
    }:
        return True
    mails = sum(len(match[1].split(",")) if match[1] else 1 for match in _MAIL.finditer(opening))
    return not printed.unread and bool(printed.authors) and mails <= len(authors)


def _notes(text: str, blocks: Sequence[Block]) -> list[str]:
    """Text above the title, on covers, and in copyright notices; no running text and no notes on
    other versions."""
    front = (BlockLabel.TITLE, BlockLabel.AUTHORS)
    end = max((at for at, block in enumerate(blocks) if block.label in front), default=0)
    start = min((b.lines[0].page for b in blocks if b.label == BlockLabel.TITLE), default=1)
    notes: list[str] = []
    for at, block in enumerate(blocks):
        content = " ".join(text[block.span.start : block.span.end].split())
        page = block.lines[0].page
        lines = [text[line.start : line.end] for line in block.lines if line.page == page]
        notice = next((n for n, line in enumerate(lines) if _PERMISSION.match(line)), None)
        if block.label == BlockLabel.AUTHORS or (block.aside and page == 1) or page < start:
            notes.extend(lines)
        elif notice is not None:
            notes.extend(lines[notice:])
        elif at < end and block.label == BlockLabel.TEXT and len(content.split()) <= _SHORT:
            notes.append(content)
        elif block.label == BlockLabel.FOOTNOTE and _VENUE.match(content):
            notes.append(content[:_VENUE_LENGTH])
        elif found := _NOTICE.search(content):
            notes.append(content[max(0, found.start() - _FEE_CODE_LENGTH) :][:_NOTICE_LENGTH])
    return notes
