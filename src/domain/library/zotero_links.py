"""Zotero links: ``zotero://select`` for items, ``zotero://open-pdf`` for pages and marks."""

import re
from pathlib import PurePath

# Zotero stores a file in a folder named by its attachment's key.
_STORED = re.compile(r"(?:^|[/\\])storage[/\\]([A-Z0-9]{8})[/\\][^/\\]+$")
_KEY = re.compile(r"[A-Z0-9]{8}")
_GROUP = re.compile(r"(?:zotero\.org/|zotero://[\w-]+/)groups/(\d+)/")


def attachment_key(path: str) -> str | None:
    """The attachment key of a stored file (``…/storage/KEY/paper.pdf``)."""
    match = _STORED.search(path)
    return match.group(1) if match else None


def library_path(*addresses: object) -> str:
    """``library``, or ``groups/ID`` if one of an item's addresses is in a group."""
    for address in addresses:
        if isinstance(address, str) and (match := _GROUP.search(address)):
            return f"groups/{match.group(1)}"
    return "library"


def item_address(library: str, key: str) -> str:
    """``zotero://select/library/items/KEY``."""
    return f"zotero://select/{library}/items/{key}"


def zotero_link(
    item_key: str | None,
    source_path: str,
    page: int | None = None,
    *,
    library: str = "library",
    annotation: str | None = None,
) -> str | None:
    """``zotero://open-pdf/library/items/ATTACHMENT?page=5`` for a PDF that Zotero stores,
    ``zotero://select/library/items/ITEM`` where only the item is known; None without either.

    ``page`` counts the file's pages from 1, as Zotero's reader does; ``annotation`` is the key
    of a mark to show.
    """
    stored = attachment_key(source_path)
    if stored and PurePath(source_path.replace("\\", "/")).suffix.lower() == ".pdf":
        parameters = [f"page={page}"] if page else []
        parameters += [f"annotation={annotation}"] if annotation else []
        address = f"zotero://open-pdf/{library}/items/{stored}"
        return f"{address}?{'&'.join(parameters)}" if parameters else address
    key = item_key if item_key and _KEY.fullmatch(item_key) else stored
    return item_address(library, key) if key else None
