"""Addresses of fragments, in their one canonical form.

``doc://ID#pages=3-5`` (a single page is ``pages=5``), ``virtual://ID#…``; and Nandam's
knowledge URIs, ``ndk://realm/subrealm/path/$chunk/NN``.
"""

from collections.abc import Iterable

ID_LENGTH = 16


def short_id(document_id: str) -> str:
    """The resource id of a document: the first 16 hex digits of its sha256."""
    return document_id[:ID_LENGTH]


def pages_fragment(pages: Iterable[int]) -> str:
    """``3-5``, ``5`` or ``1,3-4``: sorted, without repeats, runs collapsed."""
    parts: list[tuple[int, int]] = []
    for page in sorted(set(pages)):
        if parts and parts[-1][1] == page - 1:
            parts[-1] = (parts[-1][0], page)
        else:
            parts.append((page, page))
    if not parts:
        raise ValueError("Pages list cannot be empty")
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def document_address(document_id: str, pages: Iterable[int]) -> str:
    return f"doc://{short_id(document_id)}#pages={pages_fragment(pages)}"


def chunk_address(document_id: str, pages: Iterable[int] | None, chunk_idx: int) -> str:
    """Where a chunk can be opened: its pages, or in formats without pages its number."""
    if pages is not None:
        return document_address(document_id, pages)
    return f"virtual://{short_id(document_id)}#chunk={chunk_idx}"


def chunk_uri(collection: str, document_id: str, chunk_idx: int) -> str:
    """The knowledge URI of a chunk; the subrealm is the project's collection name."""
    subrealm = collection.replace("~", "_")
    return f"ndk://file/{subrealm}/{short_id(document_id)}/$chunk/{chunk_idx:02d}"
