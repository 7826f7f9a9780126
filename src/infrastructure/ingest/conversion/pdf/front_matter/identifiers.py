"""DOIs and arXiv ids of a PDF, from its metadata and first pages."""

import re
from collections.abc import Iterable, Sequence

from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois

_INTRODUCED = re.compile(r"\bdoi:?\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\S+)", re.I)
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")


def pdf_identifiers(
    metadata: Sequence[str], furniture: Iterable[str], text: str
) -> tuple[str, ...]:
    """Most trustworthy first: metadata, heads and feet, then the text of the first pages.

    In the text a DOI or arXiv id counts only if it is the only one, or (DOIs) introduced as
    the document's own: others belong to cited works.
    """
    ordered: dict[str, None] = {}
    for value in metadata:
        ordered.update(dict.fromkeys([*find_dois(value), *find_arxiv_ids(value)]))
    for row in furniture:
        ordered.update(dict.fromkeys([*find_dois(row), *find_arxiv_ids(row)]))
    if not ordered:
        for names in (find_dois(text), find_arxiv_ids(text)):
            if len(set(names)) == 1:
                ordered.update(dict.fromkeys(names))
    if not ordered:
        introduced = _INTRODUCED.search(text[:6000])
        if introduced is not None:
            ordered.update(dict.fromkeys(find_dois(introduced[1])))
    for doi in list(ordered):
        match = _ARXIV_DOI.match(doi)
        if match is not None:
            ordered.setdefault(f"arXiv:{match[1]}", None)
    return tuple(name for name in ordered if not _is_cut_off(name, ordered))


def _is_cut_off(name: str, names: Iterable[str]) -> bool:
    """Whether ``name`` is the beginning of another, broken at a line's end."""
    return any(longer != name and longer.startswith(name) for longer in names)
