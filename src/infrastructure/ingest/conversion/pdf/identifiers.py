"""DOIs and arXiv ids of the document itself, from its metadata and first pages."""

import re
from collections.abc import Iterable, Sequence

from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois

_INTRODUCED = re.compile(r"\bdoi:?\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\S+)", re.I)
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")


def identifiers(metadata: Sequence[str], furniture: Iterable[str], text: str) -> tuple[str, ...]:
    """Most trustworthy first: metadata, heads and feet, then the text of the first pages.

    In the text a DOI counts only when it is introduced as the document's own, or is the
    only one: the others are those of cited works. So it is with arXiv ids.
    """
    ordered: dict[str, None] = {}
    for value in metadata:
        ordered.update(dict.fromkeys([*find_dois(value), *find_arxiv_ids(value)]))
    for row in furniture:
        ordered.update(dict.fromkeys([*find_dois(row), *find_arxiv_ids(row)]))
    if not ordered:
        for found in (find_dois(text), find_arxiv_ids(text)):
            if len(set(found)) == 1:
                ordered.update(dict.fromkeys(found))
    if not ordered:
        introduced = _INTRODUCED.search(text[:6000])
        if introduced is not None:
            ordered.update(dict.fromkeys(find_dois(introduced[1])))
    for doi in list(ordered):
        match = _ARXIV_DOI.match(doi)
        if match is not None:
            ordered.setdefault(f"arXiv:{match[1]}", None)
    return tuple(one for one in ordered if not _is_cut_off(one, ordered))


def _is_cut_off(one: str, found: Iterable[str]) -> bool:
    """Whether ``one`` is the beginning of another, broken at a line's end."""
    return any(other != one and other.startswith(one) for other in found)
