"""Exact names of documents: citation keys, paths, identifiers."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import PurePath
from urllib.parse import urlsplit

from citeloom.domain.references.identifiers import find_dois, normalise_doi


class NameKind(StrEnum):
    """``LABEL`` is a citation key without regard to case, present or former; ``FILE`` a file
    name, likewise."""

    CITEKEY = "citekey"
    PATH = "path"
    DOI = "doi"
    ARXIV = "arxiv"
    URL = "url"
    ITEM = "item"
    LABEL = "label"
    FILE = "file"


Name = tuple[NameKind, str]

#: Kinds of names that a document has of its files.
OF_SOURCES = (NameKind.PATH, NameKind.FILE)
#: Kinds of names that a text may mention without being theirs.
IDENTIFIERS = frozenset({NameKind.DOI, NameKind.ARXIV, NameKind.URL})

# Old and new identifiers: https://info.arxiv.org/help/arxiv_identifier.html
_ARXIV = re.compile(
    r"(?:arxiv:\s*|https?://arxiv\.org/(?:abs|pdf|html)/|"
    r"(?:https?://doi\.org/|doi:\s*)?10\.48550/arxiv\.)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
# Zotero's links, and those of its early versions (``items/LIBRARY_KEY``).
_ITEM = re.compile(r"(?:zotero://select/(?:(?:library|groups/\d+)/)?items/(?:\d+_)?)?([A-Z0-9]{8})")


def citation_key(key: str) -> Name:
    return NameKind.CITEKEY, nfc(key)


def label(key: str) -> Name:
    return NameKind.LABEL, nfc(key).casefold()


def path_name(path: str) -> Name:
    return NameKind.PATH, nfc(path)


def file_name(path: str) -> Name:
    return NameKind.FILE, nfc(PurePath(path).name).casefold()


def source_names(paths: Iterable[str]) -> frozenset[Name]:
    """The names of a document with these source files."""
    return frozenset(name for path in paths for name in (path_name(path), file_name(path)))


def identifiers_in(text: str) -> Iterator[Name]:
    """What the whole of ``text`` may identify: a DOI, an arXiv id (without version), a Zotero
    item, a URL."""
    text = text.strip()
    if doi := normalise_doi(text) or next(iter(find_dois(text) if _is_url(text) else ()), None):
        yield NameKind.DOI, doi
    if match := _ARXIV.fullmatch(text):
        yield NameKind.ARXIV, match[1].lower()
    if match := _ITEM.fullmatch(text):
        yield NameKind.ITEM, match[1]
    if _is_url(text):
        parts = urlsplit(text)
        query = f"?{parts.query}" if parts.query else ""
        yield NameKind.URL, f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
