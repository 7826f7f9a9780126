"""Messages about a library: its scope, and warnings of a snapshot."""

from collections.abc import Iterable, Iterator, Sequence

from citeloom.application.library.attachments import AttachmentFile, FileState
from citeloom.domain.library.snapshot import KeySource, LibraryItem, LibraryScope, LibrarySnapshot
from citeloom.domain.text.phrasing import counted, listed


def scope_text(scope: LibraryScope) -> str:
    """``collections Thesis; tags ponds; groups Lab``, or ``your own library``."""
    groups = (
        ("collections", scope.collections),
        ("tags", scope.tags),
        ("without tags", scope.exclude_tags),
        ("groups", scope.groups),
    )
    parts = [f"{name} {', '.join(values)}" for name, values in groups if values]
    if scope.groups and scope.user:
        parts.append("your own library")
    return "; ".join(parts) or "your own library"


def warnings_of(snapshot: LibrarySnapshot, attachments: Sequence[AttachmentFile]) -> Iterator[str]:
    """Warnings about a snapshot, one for each kind of problem, with its count."""
    yield from snapshot.warnings
    if not snapshot.complete:
        yield "the library was not read wholly: nothing is removed this time"
    missing = [
        one.problem for one in attachments if one.state in (FileState.MISSING, FileState.REFUSED)
    ]
    if missing:
        yield (
            f"{counted(len(missing), 'attachment')} not on this machine: {listed(missing)}; "
            "they are read as soon as they are there"
        )
    others = [one for one in attachments if one.state is FileState.OTHER_KIND]
    if others:
        names = [one.attachment.file_name or one.attachment.path or one.key for one in others]
        yield f"{counted(len(others), 'attachment')} of kinds that nothing is read of: " + (
            listed(names)
        )
    generated = [i.citation.citekey for i in snapshot.items if _is_generated(i)]
    if generated:
        yield (
            f"{counted(len(generated), 'item')} without citation key: keys were generated "
            f"({listed(generated)}); give them keys in Zotero, or with Better BibTeX"
        )


def generated_keys(items: Iterable[LibraryItem]) -> int:
    return sum(map(_is_generated, items))


def _is_generated(item: LibraryItem) -> bool:
    return item.key_source is KeySource.GENERATED
