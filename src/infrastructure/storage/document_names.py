"""Names that identify a document: citation keys, paths, identifiers, labels."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import PurePath
from urllib.parse import urlsplit

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.maps.address import short_id


class NameKind(StrEnum):
    CITEKEY = "citekey"
    PATH = "path"
    DOI = "doi"
    ARXIV = "arxiv"
    URL = "url"
    ITEM = "item"
    LABEL = "label"
    FILE = "file"


Name = tuple[NameKind, str]

OF_SOURCES = (NameKind.PATH, NameKind.FILE)

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
# Old and new identifiers: https://info.arxiv.org/help/arxiv_identifier.html
_ARXIV = re.compile(
    r"(?:arxiv:\s*|https?://arxiv\.org/(?:abs|pdf)/|(?:https?://doi\.org/)?10\.48550/arxiv\.)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
# Zotero's links, and those of its early versions (``items/LIBRARY_KEY``).
_ITEM = re.compile(r"(?:zotero://select/(?:(?:library|groups/\d+)/)?items/(?:\d+_)?)?([A-Z0-9]{8})")
_SAFE_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_ID_PREFIX = re.compile(r"[0-9a-f]{6,64}")


def names_of(document: StoredDocument) -> frozenset[Name]:
    """The names of ``document``, besides its id."""
    texts = list(document.identifiers)
    names: set[Name] = set(names_of_sources([source.path for source in document.sources]))
    if citation := document.citation:
        texts += [text for text in (citation.doi, citation.url) if text]
        names.add((NameKind.CITEKEY, _nfc(citation.citekey)))
        names.add((NameKind.LABEL, _nfc(citation.citekey).casefold()))
        if citation.item_key:
            names.add((NameKind.ITEM, citation.item_key))
    if record := document.held:
        keys = [*record.former_keys, *(alternative.citekey for alternative in record.alternatives)]
        names.update((NameKind.LABEL, _nfc(key).casefold()) for key in keys)
        names.update((NameKind.ITEM, alternative.item_key) for alternative in record.alternatives)
    for text in texts:
        names.update(name for name in _identifiers(text) if name[0] is not NameKind.ITEM)
    return frozenset(names)


def names_of_sources(paths: Sequence[str]) -> frozenset[Name]:
    exact = {(NameKind.PATH, _nfc(path)) for path in paths}
    files = {(NameKind.FILE, _nfc(PurePath(path).name).casefold()) for path in paths}
    return frozenset(exact | files)


def readings(text: str) -> tuple[tuple[Name, ...], ...]:
    """Interpretations of ``text``, the most exact first: the next ones apply only if nothing has
    one of the first names."""
    text = _nfc(text.strip())
    key = text.removeprefix("zotero://select/items/").removeprefix("@")
    return (
        ((NameKind.CITEKEY, key), (NameKind.PATH, text)),
        tuple(_identifiers(text)),
        ((NameKind.LABEL, key.casefold()), (NameKind.FILE, text.casefold())),
    )


def id_prefix(text: str) -> str | None:
    """``text`` as the prefix of a document id, if it is a valid one."""
    folded = text.strip().lower()
    return folded if _ID_PREFIX.fullmatch(folded) else None


def safe_id(document_id: str) -> str:
    """``document_id``, if it is a safe file name; ValueError if not."""
    if not _SAFE_ID.fullmatch(document_id):
        raise ValueError(f"{document_id!r} is no document id")
    return document_id


def is_safe_id(name: str) -> bool:
    return _SAFE_ID.fullmatch(name) is not None


def map_name(name: str) -> str:
    """File name of a map: the short form of a document id, any other id unchanged. ValueError if it
    is not a safe file name."""
    return short_id(name) if _DIGEST.fullmatch(name) else safe_id(name)


def _identifiers(text: str) -> Iterator[Name]:
    text = text.strip()
    if match := _DOI.fullmatch(text):
        yield NameKind.DOI, match[1].lower()
    if match := _ARXIV.fullmatch(text):
        yield NameKind.ARXIV, match[1].lower()
    if match := _ITEM.fullmatch(text):
        yield NameKind.ITEM, match[1]
    if text.lower().startswith(("http://", "https://")):
        parts = urlsplit(text)
        query = f"?{parts.query}" if parts.query else ""
        yield NameKind.URL, f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
