"""Library record of a document: role, citation key source, alternative items."""

from enum import StrEnum

from citeloom.domain.library.snapshot import KeySource
from citeloom.domain.value import Value


class DocumentRole(StrEnum):
    """Role of a document for its item. Each item has one main document, to which the item's
    citation key refers."""

    MAIN = "main"
    SUPPLEMENT = "supplement"
    NOTE = "note"


class AlternativeCitation(Value):
    """Another library item that a document may be cited as. ``address`` (``zotero://select/…``)
    and ``item_key`` are the item's; ``why`` is what they have in common."""

    citekey: str
    item_key: str
    address: str
    why: str


class LibraryRecord(Value):
    """``former_keys`` are earlier citation keys of the cited item. ``key_source`` is None if the
    document is cited as no item."""

    role: DocumentRole = DocumentRole.MAIN
    key_source: KeySource | None = None
    alternatives: tuple[AlternativeCitation, ...] = ()
    former_keys: tuple[str, ...] = ()
