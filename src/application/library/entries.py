"""Entry keys and digests of items, attachments, notes and annotations of a library."""

import hashlib
from collections.abc import Iterable, Sequence

from citeloom.domain.library.snapshot import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryItem,
    LibraryNote,
    LibraryRef,
    LibraryScope,
)


def entry_key(library: LibraryRef, key: str) -> str:
    """The key of an entry: ``library/ABCD2345``, ``groups/4355231/ABCD2345``."""
    return f"{library.path}/{key}"


def key_of(thing: LibraryItem | LibraryAttachment | LibraryNote) -> str:
    return entry_key(thing.library, thing.key)


def item_of(thing: LibraryAttachment | LibraryNote) -> str | None:
    """The entry key of the parent item; None without one."""
    return entry_key(thing.library, thing.item_key) if thing.item_key else None


def digest_of(thing: LibraryItem | LibraryAttachment | LibraryNote) -> str:
    """A digest of the content in the library."""
    if isinstance(thing, LibraryItem):
        return thing.digest
    if isinstance(thing, LibraryNote):
        return thing.digest or _sha256([thing.item_key or "", thing.title, thing.html])
    names = (thing.path, thing.file_name, thing.url, thing.content_type, thing.md5)
    fields = [thing.item_key, str(thing.version), str(int(thing.link_mode)), *names]
    return _sha256([text or "" for text in fields])


def annotation_versions_digest(annotations: Sequence[LibraryAnnotation]) -> str:
    """A digest of the annotations of one attachment; empty without any."""
    if not annotations:
        return ""
    return _sha256(sorted(f"{one.key} {one.version} {one.digest}" for one in annotations))


def scope_name(scope: LibraryScope) -> str:
    """A canonical text of a scope."""
    return scope.model_dump_json(exclude_defaults=True)


def _sha256(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
