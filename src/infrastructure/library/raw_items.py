"""Attachments, notes and annotations from raw items of the web API."""

import hashlib
import html
import json
import re
from collections.abc import Mapping
from typing import Any

from citeloom.domain.library.snapshot import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryNote,
    LibraryRef,
)
from citeloom.infrastructure.library.annotations import kind_of, position_of
from citeloom.infrastructure.library.attachment_paths import (
    LINK_MODES,
    AttachmentFolders,
    file_name,
)
from citeloom.infrastructure.references.fields.plain_text import plain
from citeloom.infrastructure.references.formats.csl import labels

# Fields that change by syncing or saving while the content stays the same.
_VOLATILE = frozenset({"version", "synced", "dateModified", "clientDateModified", "mtime",
                    "lastModifiedByUser", "links", "meta", "library"})  # fmt: skip
_UNORDERED = frozenset({"tags", "relations", "collections"})
_BLOCK_END = re.compile(r"</(?:p|h[1-6]|li|div|blockquote|pre)\s*>|<br\s*/?>", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
_MAX_TITLE = 120  # as Zotero cuts the titles of notes


def tags_in(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Tag names, sorted: their order differs between sources."""
    return tuple(sorted(set(labels(raw.get("tags")))))


def collections_in(raw: Mapping[str, Any]) -> list[str]:
    """Keys of the collections that contain an entry directly."""
    keys = raw.get("collections")
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def version_of(raw: Mapping[str, Any]) -> int:
    version = raw.get("version")
    return version if isinstance(version, int) and version > 0 else 0


def digest_of(raw: Mapping[str, Any], *more: str) -> str:
    """SHA-256 over the content of an entry, and ``more``: without versions, timestamps, empty
    fields, and the order of unordered fields; so it is the same for each source."""
    content = {
        name: _canonical(name, value) if name in _UNORDERED else value
        for name, value in raw.items()
        if value and name not in _VOLATILE
    }
    text = json.dumps([content, *more], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(name: str, value: Any) -> Any:
    if name == "tags" and isinstance(value, list):
        return sorted(
            f"{tag.get('tag')}\0{tag.get('type') or 0}" if isinstance(tag, Mapping) else str(tag)
            for tag in value
        )
    if name == "relations" and isinstance(value, Mapping):
        return {
            predicate: sorted(map(str, targets if isinstance(targets, list) else [targets]))
            for predicate, targets in value.items()
            if targets
        }
    if name == "collections" and isinstance(value, list):
        return sorted(map(str, value))
    return value


def attachment_of(
    raw: Mapping[str, Any], library: LibraryRef, places: AttachmentFolders
) -> LibraryAttachment | None:
    """None for an unknown link mode: pictures within notes are not attachments."""
    mode = LINK_MODES.get(str(raw.get("linkMode")))
    if mode is None:
        return None
    return LibraryAttachment(
        key=raw["key"],
        library=library,
        item_key=_text(raw, "parentItem"),
        version=version_of(raw),
        title=plain(raw.get("title")),
        link_mode=mode,
        path=places.of(raw),
        file_name=file_name(raw),
        url=_text(raw, "url"),
        content_type=_text(raw, "contentType"),
        md5=_text(raw, "md5"),
    )


def note_of(raw: Mapping[str, Any], library: LibraryRef) -> LibraryNote:
    value = raw.get("note")
    content = value if isinstance(value, str) else ""
    return LibraryNote(
        key=raw["key"],
        library=library,
        item_key=_text(raw, "parentItem"),
        version=version_of(raw),
        title=note_title(content),
        html=content,
        tags=tags_in(raw),
        digest=digest_of(raw),
    )


def note_title(content: str) -> str:
    """The first non-empty line of a note, as Zotero titles it."""
    lines = _BLOCK_END.split(content[:20_000])
    texts = (" ".join(html.unescape(_MARKUP.sub("", line)).split()) for line in lines)
    return next((text for text in texts if text), "")[:_MAX_TITLE]


def annotation_of(raw: Mapping[str, Any], library: LibraryRef) -> LibraryAnnotation | None:
    """None for an unknown kind."""
    kind = kind_of(raw)
    if kind is None:
        return None
    position = position_of(raw)
    return LibraryAnnotation(
        key=raw["key"],
        attachment_key=str(raw.get("parentItem")),
        library=library,
        version=version_of(raw),
        kind=kind,
        text=_text(raw, "annotationText") or "",
        comment=_text(raw, "annotationComment") or "",
        color=_text(raw, "annotationColor"),
        page=position.page,
        page_label=_text(raw, "annotationPageLabel"),
        rects=position.rects,
        rects_next=position.rects_next,
        sort_index=_text(raw, "annotationSortIndex") or "",
        tags=tags_in(raw),
        author=_text(raw, "annotationAuthorName"),
        digest=digest_of(raw),
    )


def _text(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    return value.strip() or None if isinstance(value, str) else None
