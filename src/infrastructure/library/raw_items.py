"""Single entries of Zotero's web API as values: attachments, notes, annotations."""

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
from citeloom.infrastructure.library.attachment_paths import LINK_MODES, FilePlaces, file_name
from citeloom.infrastructure.references.fields.plain_text import plain
from citeloom.infrastructure.references.formats.csl import labels

# What changes by itself, by syncing or saving, without the item saying anything else.
_NOISE = frozenset({"version", "synced", "dateModified", "clientDateModified", "mtime",
                    "lastModifiedByUser", "links", "meta", "library"})  # fmt: skip
_UNORDERED = frozenset({"tags", "relations", "collections"})
_BLOCK_END = re.compile(r"</(?:p|h[1-6]|li|div|blockquote|pre)\s*>|<br\s*/?>", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
_LONGEST_TITLE = 120  # as Zotero cuts the titles of notes


def tags_in(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """By name: their order says nothing, and differs from source to source."""
    return tuple(sorted(set(labels(raw.get("tags")))))


def collections_in(raw: Mapping[str, Any]) -> list[str]:
    """Keys of the collections that an entry is in itself."""
    own = raw.get("collections")
    return [key for key in own if isinstance(key, str)] if isinstance(own, list) else []


def version_of(raw: Mapping[str, Any]) -> int:
    version = raw.get("version")
    return version if isinstance(version, int) and version > 0 else 0


def digest_of(raw: Mapping[str, Any], *more: str) -> str:
    """SHA-256 over what an entry says, and ``more``: without versions and times of saving,
    empty fields, and the order of what has none; so it is the same from each source."""
    said = {
        name: _canonical(name, value) if name in _UNORDERED else value
        for name, value in raw.items()
        if value and name not in _NOISE
    }
    content = json.dumps([said, *more], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(content.encode()).hexdigest()


def _canonical(name: str, value: Any) -> Any:
    if name == "tags" and isinstance(value, list):
        return sorted(
            f"{tag.get('tag')}\0{tag.get('type') or 0}" if isinstance(tag, Mapping) else str(tag)
            for tag in value
        )
    if name == "relations" and isinstance(value, Mapping):
        return {
            predicate: sorted(map(str, there if isinstance(there, list) else [there]))
            for predicate, there in value.items()
            if there
        }
    if name == "collections" and isinstance(value, list):
        return sorted(map(str, value))
    return value


def attachment_of(
    raw: Mapping[str, Any], library: LibraryRef, places: FilePlaces
) -> LibraryAttachment | None:
    """None for a link mode that is not known: pictures within notes are no attachments."""
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
    written = raw.get("note")
    content = written if isinstance(written, str) else ""
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
    """The first line of a note that says anything, as Zotero titles it."""
    lines = _BLOCK_END.split(content[:20_000])
    texts = (" ".join(html.unescape(_MARKUP.sub("", line)).split()) for line in lines)
    return next((text for text in texts if text), "")[:_LONGEST_TITLE]


def annotation_of(raw: Mapping[str, Any], library: LibraryRef) -> LibraryAnnotation | None:
    """None for a kind that is not known."""
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
