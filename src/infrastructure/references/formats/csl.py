"""Citation metadata from CSL-JSON items."""

import re
from collections.abc import Mapping
from typing import Any

from citeloom.domain.citation.metadata import CitationMeta, CiteKey
from citeloom.domain.references.dates import year_of
from citeloom.domain.references.identifiers import find_dois, normalise_doi
from citeloom.infrastructure.references.fields.names import authors_of
from citeloom.infrastructure.references.fields.plain_text import note_field, plain

UNTITLED = "[no title]"
# Item keys in Zotero's addresses: zotero.org, zotero://select, "library/KEY".
_ITEM_KEY = re.compile(r"(?:/items?/|^\d+[/_])([A-Z0-9]{8})(?![A-Za-z0-9])")
_BARE_ITEM_KEY = re.compile(r"[A-Z0-9]{8}")


def given_key(item: Mapping[str, Any]) -> str | None:
    """The citation key of an item, or None if it has no usable one.

    In order: ``citation-key``, ``Citation Key:`` in the note, then the id, unless that is a URL or
    Zotero's internal key.
    """
    note = note_field(item.get("note"), "citation key")
    for key in (item.get("citation-key"), item.get("citationKey"), note):
        if isinstance(key, str) and CiteKey.is_valid(key.strip()):
            return key.strip()
    identity = item.get("id")
    if isinstance(identity, int) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or "://" in identity or _ITEM_KEY.search(identity):
        return None
    return identity.strip() if CiteKey.is_valid(identity.strip()) else None


def title_of(item: Mapping[str, Any]) -> str:
    """The title, else the short title, else the container title; may be empty."""
    names = ("title", "title-short", "shortTitle", "container-title")
    return next((title for name in names if (title := plain(item.get(name)))), "")


def meta_from_csl(
    item: Mapping[str, Any],
    citekey: str,
    *,
    item_key: str | None = None,
    tags: tuple[str, ...] = (),
    collections: tuple[str, ...] = (),
) -> CitationMeta:
    """``item`` as citation metadata under ``citekey``; the item itself is kept as ``csl``."""
    note = item.get("note")
    issued = year_of(item.get("issued"))
    return CitationMeta(
        citekey=citekey,
        title=title_of(item) or UNTITLED,
        authors=authors_of(item),
        year=issued if issued is not None else year_of(note_field(note, "issued")),
        doi=_doi(item),
        url=plain(item.get("URL")) or plain(item.get("url")) or None,
        tags=tuple(dict.fromkeys((*tags, *labels(item.get("tags")), *_keywords(item)))),
        collections=tuple(dict.fromkeys((*collections, *labels(item.get("collections"))))),
        type=plain(item.get("type")) or None,
        container_title=plain(item.get("container-title")) or None,
        page=plain(item.get("page")) or None,
        item_key=item_key or zotero_key(item),
        csl=dict(item),
    )


def _doi(item: Mapping[str, Any]) -> str | None:
    for field in ("DOI", "doi"):
        value = plain(item.get(field))
        if doi := normalise_doi(value) or next(iter(find_dois(value)), None):
            return doi
    url = plain(item.get("URL")) or plain(item.get("url"))
    if doi := normalise_doi(url) or next(iter(find_dois(url)), None):
        return doi
    return normalise_doi(note_field(item.get("note"), "doi") or "")


def zotero_key(item: Mapping[str, Any]) -> str | None:
    """Zotero's 8-character key of an item, from its fields or the URL in its id."""
    for field in ("itemKey", "key", "zotero-key"):
        value = item.get(field)
        if isinstance(value, str) and _BARE_ITEM_KEY.fullmatch(value):
            return value
    for field in ("id", "uri", "select"):
        value = item.get(field)
        if isinstance(value, str) and (match := _ITEM_KEY.search(value)):
            return match.group(1)
    return None


def labels(value: Any) -> tuple[str, ...]:
    """Tags or collections: a list of names or of ``{"tag": name}``, or one text with ``;``."""
    if isinstance(value, str):
        value = value.split(";")
    if not isinstance(value, list):
        return ()
    names = (
        plain(entry.get("tag") or entry.get("name")) if isinstance(entry, Mapping) else plain(entry)
        for entry in value
    )
    return tuple(name for name in names if name)


def _keywords(item: Mapping[str, Any]) -> tuple[str, ...]:
    """CSL's ``keyword``: Better BibTeX separates by comma, others by semicolon."""
    value = item.get("keyword")
    if isinstance(value, str) and ";" not in value:
        value = value.replace(",", ";")
    return labels(value)
