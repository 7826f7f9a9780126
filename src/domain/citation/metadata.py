"""Citation keys, bibliographic metadata, and pandoc citations of passages."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, field_validator

from citeloom.domain.citation.locators import is_one_page, page_ranges
from citeloom.domain.documents.spans import PageSpan
from citeloom.domain.text.inert_markdown import is_active_link
from citeloom.domain.value import Value

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


class CitationMeta(Value):
    """Bibliographic metadata of a document.

    ``page`` is the item's printed page range. ``csl`` is the original CSL-JSON item.
    ``item_key`` is Zotero's key of the item where known.
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

    @field_validator("citekey")
    @classmethod
    def _valid_key(cls, value: str) -> str:
        return CiteKey(value=value).value

    @property
    def has_identifier(self) -> bool:
        return bool(self.doi or self.url)

    @property
    def completeness(self) -> int:
        """How much is known of the work: the main fields first, then the number of CSL fields."""
        fields = (self.year, self.doi, self.url, self.container_title, self.page, self.type)
        return sum(field is not None for field in fields) * 100 + len(self.csl)


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
    """The web address of a work with this CSL-JSON item, for a file that others open: empty where
    there is none, and for one that runs something."""
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


def pandoc_key(citekey: str) -> str:
    """A citation key as it follows ``@``: in braces where pandoc would not read all of it."""
    return citekey if _BARE_PANDOC_KEY.fullmatch(citekey) else f"{{{citekey}}}"


def labels_of(span: PageSpan | None, labels: Mapping[int, str | None]) -> tuple[str, ...]:
    """Printed labels of the pages of ``span``; none if any is unknown."""
    if span is None:
        return ()
    page_labels = [labels.get(page) for page in span.pages]
    return tuple(label for label in page_labels if label) if all(page_labels) else ()
