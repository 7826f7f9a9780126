"""Citation keys, bibliographic metadata, and printed page labels derived from it."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from pydantic import Field, field_validator

from citeloom.domain.documents.conversion import (
    ConversionResult,
    LabelSource,
    PageEntry,
    page_labels_in,
)
from citeloom.domain.documents.spans import Chunk, PageSpan
from citeloom.domain.text.phrasing import is_active_link
from citeloom.domain.value import Value

from .locators import is_one_page, page_ranges

# What BibTeX, Better BibTeX and pandoc all forbid in a key, and TeX's ^^5c, which is a backslash.
_FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\"#%'(),;={}~\\@\[\]]|\^\^")
# pandoc manual, "Citation syntax": a bare key starts with a letter, digit or _, and holds
# single internal punctuation characters; any other key stands in braces.
_BARE_PANDOC_KEY = re.compile(r"\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*")

# Nor raw HTML, code or TeX.
_NOT_IN_A_LOCATOR = str.maketrans("[];<>`\\", "(),‹›’/")


class CiteKey(Value):
    """A citation key in the syntax of Better BibTeX (including ``:`` ``.`` ``+`` ``/`` and
    letters of any script). A label, not an identity: it may change."""

    value: str = Field(min_length=1, max_length=200)

    @field_validator("value")
    @classmethod
    def _shaped(cls, value: str) -> str:
        if found := _FORBIDDEN.search(value):
            raise ValueError(f"citation key {value!r} holds {found.group()!r}")
        return value

    @classmethod
    def is_valid(cls, text: str) -> bool:
        return 0 < len(text) <= 200 and not _FORBIDDEN.search(text)

    def __str__(self) -> str:
        return self.value


#: Stands for the authors of a work that names none.
NOBODY = "[no author]"


class CitationSource(StrEnum):
    """Where the metadata of a work come from: an item of a reference file or library, the
    document itself, whose citation is provisional, a look-up, or a person's edits."""

    REFERENCES = "references"
    DOCUMENT = "document"
    LOOKUP = "lookup"
    EDITED = "edited"


class CitationMeta(Value):
    """Bibliographic metadata of a document.

    ``page`` is the item's printed page range. ``csl`` is the original CSL-JSON item.
    ``item_key`` is Zotero's key of the item where known. ``uncertain`` names the fields of a
    provisional citation that the document does not state clearly. ``former_keys`` are earlier
    citation keys of the document, the oldest first; for a work of a followed library
    ``LibraryRecord`` has them.
    """

    citekey: str
    title: str
    authors: tuple[str, ...] = Field(min_length=1)
    year: int | None = Field(default=None, ge=1)
    doi: str | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    type: str | None = None
    container_title: str | None = None
    page: str | None = None
    item_key: str | None = None
    csl: Mapping[str, Any] = Field(default_factory=dict)
    source: CitationSource = CitationSource.REFERENCES
    uncertain: tuple[str, ...] = ()
    former_keys: tuple[str, ...] = ()

    @field_validator("citekey")
    @classmethod
    def _valid_key(cls, value: str) -> str:
        return CiteKey(value=value).value

    @property
    def is_provisional(self) -> bool:
        return self.source is CitationSource.DOCUMENT

    @property
    def has_identifier(self) -> bool:
        return bool(self.doi or self.url)

    @property
    def completeness(self) -> int:
        """How much is known of the work: the main fields first, then the number of CSL fields."""
        fields = (self.year, self.doi, self.url, self.container_title, self.page, self.type)
        return sum(field is not None for field in fields) * 100 + len(self.csl)


def provisional_mark(source: CitationSource | None) -> str:
    """The mark after a provisional citation; empty for others."""
    return " (provisional)" if source is CitationSource.DOCUMENT else ""


def csl_item(work: CitationMeta) -> dict[str, Any]:
    """The CSL-JSON item of ``work`` under its citation key; without an original item, one made
    from the metadata."""
    if work.csl:
        return {**work.csl, "id": work.citekey}
    item: dict[str, Any] = {"id": work.citekey, "type": work.type or "document"}
    stated = {
        "title": work.title, "author": [{"literal": author} for author in work.authors],
        "issued": {"date-parts": [[work.year]]} if work.year else None, "DOI": work.doi,
        "URL": work.url, "container-title": work.container_title, "page": work.page,
    }  # fmt: skip
    return item | {name: value for name, value in stated.items() if value}


def web_address(work: CitationMeta, item: Mapping[str, Any]) -> str:
    """The web address of a work with this CSL-JSON item, for a file that others open; empty if
    there is none, or if opening it could run code."""
    stated = item.get("URL")
    address = stated if isinstance(stated, str) and stated.strip() else work.url or ""
    return "" if is_active_link(address) else address


def locator(labels: Sequence[str]) -> str | None:
    """``p. 127``, ``pp. 127–128`` or ``pp. xii–xiii, 1`` for the printed labels of consecutive
    pages, never shortened, since a shortened range cannot be expanded."""
    if not labels:
        return None
    return f"{'p.' if is_one_page(labels) else 'pp.'} {page_ranges(labels)}"


def file_pages(span: PageSpan) -> str:
    """``PDF p. 5`` or ``PDF pp. 5–6``: pages of the file, where no printed ones are certain."""
    if span.start == span.end:
        return f"PDF p. {span.start}"
    return f"PDF pp. {span.start}–{span.end}"


def pandoc_citation(citekey: str, labels: Sequence[str], *, place: str | None = None) -> str:
    """``[@key, p. 127]``, ready to paste; without pages ``place`` is the locator.

    In the locator brackets become parentheses and semicolons commas, which would end or divide
    the citation, and other markup its look-alikes.
    """
    key = pandoc_key(citekey)
    where = (locator(labels) or place or "").translate(_NOT_IN_A_LOCATOR)
    return f"[@{key}, {where}]" if where else f"[@{key}]"


def section_locator(heading: str) -> str:
    """A heading as a locator, without characters that would end the citation."""
    plain = heading.replace("[", "(").replace("]", ")").replace('"', "'")
    return f'sec. "{plain}"'


def pandoc_key(citekey: str) -> str:
    """A citation key after ``@``: in braces if pandoc would not read all of it."""
    return citekey if _BARE_PANDOC_KEY.fullmatch(citekey) else f"{{{citekey}}}"


def labels_of(span: PageSpan | None, labels: Mapping[int, str | None]) -> tuple[str, ...]:
    """Printed labels of the pages of ``span``; none if any is unknown."""
    if span is None:
        return ()
    known = [label for page in span.pages if (label := labels.get(page))]
    if len(known) < len(span.pages):
        return ()
    return tuple(one for label in known for one in page_labels_in(label))


_RANGE = re.compile(
    r"^(?:pp?\.\s*)?(?P<prefix>[A-Za-z]?)(?P<first>\d{1,6})\s*(?:-{1,3}|[\u2010-\u2015])\s*"
    r"(?P=prefix)(?P<last>\d{1,6})$"
)


def page_range(csl_page: str | None) -> tuple[str, int, int] | None:
    """Prefix, first and last page of a CSL ``page``; None for an article number or a list.

    The last page may be shortened: 127-30 is 127 to 130 (CSL 1.0.2, page-range-format).
    """
    match = _RANGE.match((csl_page or "").strip())
    if match is None:
        return None
    first, last = match["first"], match["last"]
    last = first[: len(first) - len(last)] + last
    if int(last) < int(first):
        return None
    return match["prefix"], int(first), int(last)


_READ = (LabelSource.PRINTED, LabelSource.COUNTED)


def confirm_labels(page_map: Sequence[PageEntry], csl_page: str | None) -> tuple[PageEntry, ...]:
    """The page map with the labels that the item's page range implies.

    Pages get labels of source CSL if no page has one and the range is as long as the document,
    or if the extrapolated printed numbers begin or end with the range. Known labels are never
    changed.
    """
    entries = tuple(page_map)
    csl_range = page_range(csl_page)
    if csl_range is None or all(entry.label for entry in entries):
        return entries
    prefix, first, last = csl_range
    known = [entry for entry in entries if entry.label]
    if any(entry.label_source not in _READ for entry in known):
        return entries
    offsets = {_offset(entry, prefix) for entry in known}
    fits = first - 1 in offsets or last - len(entries) in offsets
    if not known and last - first + 1 == len(entries):
        offset = first - 1
    elif len(offsets) == 1 and fits:
        offset = first - 1 if first - 1 in offsets else last - len(entries)
    else:
        return entries
    return tuple(
        entry
        if entry.label or not first <= entry.page + offset <= last
        else entry.model_copy(
            update={"label": f"{prefix}{entry.page + offset}", "label_source": LabelSource.CSL}
        )
        for entry in entries
    )


def _offset(entry: PageEntry, prefix: str) -> int | None:
    """Printed number minus page number; None for a label that is not a number."""
    number = (entry.label or "").removeprefix(prefix)
    return int(number) - entry.page if re.fullmatch(r"\d{1,18}", number) else None


def with_confirmed_labels(
    document: ConversionResult, citation: CitationMeta | None
) -> ConversionResult:
    """The document with labels of ``confirm_labels``; itself if none is new.

    ``document`` is the stored conversion: derived labels are never stored with it, so that they
    depend on the current item only.
    """
    stated = citation.page if citation and not citation.is_provisional else None
    entries = confirm_labels(document.structure.page_map, stated)
    if entries == document.structure.page_map:
        return document
    structure = document.structure.model_copy(update={"page_map": entries})
    return document.model_copy(update={"structure": structure})


def relabelled(chunk: Chunk, labels: Mapping[int, str | None]) -> Chunk:
    """The chunk with the labels of its pages; itself if unchanged."""
    page_labels = labels_of(chunk.page_span, labels)
    return (
        chunk
        if page_labels == chunk.page_labels
        else chunk.model_copy(update={"page_labels": page_labels})
    )
