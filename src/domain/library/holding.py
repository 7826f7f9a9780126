"""How a reader's library holds a document: as whose file, and what else it is cited as."""

from enum import StrEnum

from citeloom.domain.library.snapshot import KeySource
from citeloom.domain.value import Value


class DocumentRole(StrEnum):
    """What a document is to the item that it is cited as. Of all that an item has, one
    document is its main one: that is meant where the item is named."""

    MAIN = "main"
    SUPPLEMENT = "supplement"
    NOTE = "note"


class AlternativeCitation(Value):
    """Another item of the library that a document may be cited as. ``address`` is the item's
    (``zotero://select/…``), ``item_key`` its key; ``why`` says what they have in common."""

    citekey: str
    item_key: str
    address: str
    why: str


class LibraryRecord(Value):
    """What a library says of a document beside its citation.

    ``former_keys`` are citation keys that the cited item had before. ``key_source`` is None
    where the document is cited as no item.
    """

    role: DocumentRole = DocumentRole.MAIN
    key_source: KeySource | None = None
    alternatives: tuple[AlternativeCitation, ...] = ()
    former_keys: tuple[str, ...] = ()
