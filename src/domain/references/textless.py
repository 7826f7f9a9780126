"""Works without text: their names, and the documents that represent them in a project.

A work without a file is a document without passages. Its id is the sha256 over the work's
identifiers, its path an address that no file has. A file of the work takes its place.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from citeloom.domain.citation.metadata import NOBODY, CitationMeta
from citeloom.domain.documents.conversion import ConversionResult, Structure
from citeloom.domain.library import WORK_TYPE
from citeloom.domain.maps.address import short_id

from .first_page import people_of
from .identifiers import letters_and_digits, normalise_arxiv, normalise_doi, same_title
from .lookup import numbered
from .work_versions import identifiers_of, is_same_publication

#: In place of a converter's fingerprint.
CONVERTER: Final = "work 1"

_PUBMED = re.compile(
    r"https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|www\.ncbi\.nlm\.nih\.gov/pubmed)/(\d+)/?"
)
_PMID = re.compile(r"\d{1,8}")
_ISBN = re.compile(r"(?:isbn(?:-1[03])?[\s:]*)?([\d -]{9,16}[\dXx])", re.IGNORECASE)
_LONGEST_NAME: Final = 150
"""Bytes of a file name without its suffix."""


def identifier_of(text: str) -> str | None:
    """The identifier that ``text`` is, as it is looked up: an arXiv id, a DOI, ``pmid:1234`` (also
    a number of up to eight digits, or an address of PubMed) or ``isbn:…`` with a right check
    digit. None for anything else."""
    text = text.strip()
    if address := _PUBMED.fullmatch(text):
        return f"pmid:{address[1]}"
    if _PMID.fullmatch(text):
        return f"pmid:{text}"
    if found := normalise_arxiv(text) or normalise_doi(text):
        return found
    if book := _ISBN.fullmatch(text):
        digits = re.sub(r"[ -]", "", book[1]).upper()
        return f"isbn:{digits}" if _is_isbn(digits) else None
    pmid = numbered(re.sub(r"^pmid[\s:]+", "pmid:", text, flags=re.IGNORECASE))
    return f"pmid:{pmid[1]}" if pmid and pmid[0] == "pmid" else None


def _is_isbn(digits: str) -> bool:
    """Whether the check digit is right (ISO 2108)."""
    if re.fullmatch(r"97[89]\d{10}", digits):
        return sum(int(one) * (3 if at % 2 else 1) for at, one in enumerate(digits)) % 10 == 0
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = (10 if one == "X" else int(one) for one in digits)
        return sum(value * (10 - at) for at, value in enumerate(values)) % 11 == 0
    return False


def work_document(work: CitationMeta) -> ConversionResult:
    """The document without text that represents a work."""
    first = next(iter(people_of(work)), ("", ""))[0]
    parts = [letters_and_digits(work.title), letters_and_digits(first), work.year]
    identity = json.dumps([CONVERTER, *sorted(identifiers_of(work)), *parts])
    csl = work.csl
    return ConversionResult(
        doc_id=hashlib.sha256(identity.encode()).hexdigest(),
        structure=Structure(heading_tree=(), page_map=()),
        plain_text="",
        title=work.title,
        authors=tuple(one for one in work.authors if one != NOBODY),
        year=work.year,
        container_title=work.container_title,
        volume=str(csl["volume"]) if csl.get("volume") else None,
        issue=str(csl["issue"]) if csl.get("issue") else None,
        pages=work.page,
        identifiers=tuple(_identifiers(work)),
        mime_type=WORK_TYPE,
        converter=CONVERTER,
    )


def work_address(document_id: str) -> str:
    """The path that represents a work without a file."""
    return f"work:{short_id(document_id)}"


def _identifiers(work: CitationMeta) -> Iterator[str]:
    yield from identifiers_of(work)
    for kind in ("PMID", "ISBN"):
        if found := numbered(f"{kind}:{work.csl.get(kind, '')}"):
            yield ":".join(found)


class WorksByName:
    """Works of a project with what they are the works of, by identifier and title."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[tuple[CitationMeta, str]]] = {}

    def put(self, work: CitationMeta, document_id: str) -> None:
        for name in _names(work):
            self._by_name.setdefault(name, []).append((work, document_id))

    def same(self, work: CitationMeta) -> str | None:
        """The document of the same publication; None if there is none."""
        for name in _names(work):
            for other, document_id in self._by_name.get(name, ()):
                if is_same_publication(work, other) or _is_provisional_of(other, work):
                    return document_id
        return None


def _names(work: CitationMeta) -> Iterable[str]:
    return dict.fromkeys([*_identifiers(work), letters_and_digits(work.title)])


def _is_provisional_of(other: CitationMeta, work: CitationMeta) -> bool:
    """Whether a provisional citation, whose type is a guess, may be of ``work``: title, first
    author and year are the same, and no identifier contradicts."""
    if not other.is_provisional or not same_title(other.title, work.title):
        return False
    families = {
        letters_and_digits(family) for one in (other, work) for family, _ in people_of(one)[:1]
    }
    return len(families) == 1 and other.year == work.year and not (other.doi and work.doi)


def readable_name(work: CitationMeta, suffix: str) -> str:
    """``Weir 2020 - Ponds cool the street.pdf``: a name that every file system takes."""
    family = next(iter(people_of(work)), ("", ""))[0]
    head = " ".join(filter(None, (family, str(work.year or ""))))
    return file_name(f"{head} - {work.title}" if head else work.title, suffix)


def file_name(text: str, suffix: str) -> str:
    """``text`` without separators, controls and what Windows refuses, cut at 150 bytes."""
    bare = re.sub(r"<[^<>]{1,9}>", "", unicodedata.normalize("NFC", text))
    kept = "".join(
        char if char.isprintable() and char not in '<>:"/\\|?*' else " " for char in bare
    )
    name = " ".join(kept.split()).encode()[:_LONGEST_NAME].decode(errors="ignore")
    return (name.strip(" .~") or "paper") + suffix
