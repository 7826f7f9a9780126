"""DOIs and arXiv ids of the document itself, from its metadata and first pages."""

import re
from collections.abc import Iterable, Sequence

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>{}|\\^`\[\]]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\s*:\s*|\s*\.)\s*"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(r"\bdoi:?\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\S+)", re.I)
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")


def dois_in(text: str) -> list[str]:
    """DOIs in lower case, without the punctuation that follows them."""
    found = []
    for match in _DOI.finditer(text):
        doi = match[0].rstrip(".,;:*\u2020\u2021")
        while doi.endswith(")") and doi.count("(") < doi.count(")"):
            doi = doi[:-1].rstrip(".,;:")
        if len(doi.split("/", 1)[1]) >= 2:
            found.append(doi.lower())
    return found


def arxiv_ids_in(text: str) -> list[str]:
    return [f"arXiv:{match[1]}" for match in _ARXIV.finditer(text)]


def identifiers(metadata: Sequence[str], furniture: Iterable[str], text: str) -> tuple[str, ...]:
    """Most trustworthy first: metadata, heads and feet, then the text of the first pages.

    In the text a DOI counts only when it is introduced as the document's own, or is the
    only one: the others are those of cited works. So it is with arXiv ids.
    """
    ordered: dict[str, None] = {}
    for value in metadata:
        ordered.update(dict.fromkeys([*dois_in(value), *arxiv_ids_in(value)]))
    for row in furniture:
        ordered.update(dict.fromkeys([*dois_in(row), *arxiv_ids_in(row)]))
    if not ordered:
        for found in (dois_in(text), arxiv_ids_in(text)):
            if len(set(found)) == 1:
                ordered.update(dict.fromkeys(found))
    if not ordered:
        introduced = _INTRODUCED.search(text[:6000])
        if introduced is not None:
            ordered.update(dict.fromkeys(dois_in(introduced[1])))
    for doi in list(ordered):
        match = _ARXIV_DOI.match(doi)
        if match is not None:
            ordered.setdefault(f"arXiv:{match[1]}", None)
    return tuple(one for one in ordered if not _is_cut_off(one, ordered))


def _is_cut_off(one: str, found: Iterable[str]) -> bool:
    """Whether ``one`` is the beginning of another, broken at a line's end."""
    return any(other != one and other.startswith(one) for other in found)
