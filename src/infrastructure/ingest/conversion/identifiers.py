"""Identifiers of a document, from its metadata and first page: DOI, arXiv id, PMID, ISBN."""

import re
from collections.abc import Iterable

from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois

#: Characters from the beginning of the text that are searched: later ones are citations.
SEARCHED_CHARACTERS = 3000

_REFERENCES = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references|bibliography|works cited|literature cited|"
    r"references and notes|literature|r[ée]f[ée]rences|bibliographie|literatur|"
    r"literaturverzeichnis|referencias|bibliograf[íi]a|referências|riferimenti|"
    r"bibliografia|список литературы|литература|参考文献|参考文獻)\W*$",
    re.IGNORECASE,
)


def is_reference_heading(title: str) -> bool:
    """Whether a heading begins a list of references."""
    return bool(_REFERENCES.match(title.strip()))


def identifiers_of(
    metadata: Iterable[str], text: str, references_start: int | None
) -> tuple[str, ...]:
    """DOIs and arXiv ids of a document: those in its metadata, then those on its first page; then
    ``pmid:`` and ``isbn:`` ones, of its metadata only, since a page may name those of other works.

    ``references_start`` is the offset of the reference list in ``text``, None without one.
    """
    first = text[
        : min(SEARCHED_CHARACTERS, len(text) if references_start is None else references_start)
    ]
    metadata = tuple(metadata)
    names = [
        name for value in (*metadata, first) for name in (*find_dois(value), *find_arxiv_ids(value))
    ]
    others = (name for value in metadata if (name := _pmid_or_isbn(value)) is not None)
    return tuple(dict.fromkeys([*names, *others]))


_PMID = re.compile(r"pmid:\s*(\d{1,8})", re.IGNORECASE)
_ISBN = re.compile(r"(?:urn:)?isbn:?\s*([\d -]{9,16}[\dX])", re.IGNORECASE)


def _pmid_or_isbn(text: str) -> str | None:
    """``pmid:123`` or ``isbn:9780306406157`` if all of ``text`` is such an identifier. An ISBN of
    ten digits becomes one of 13 (ISBN Users' Manual, section 5)."""
    if match := _PMID.fullmatch(text.strip()):
        return f"pmid:{match[1]}"
    match = _ISBN.fullmatch(text.strip())
    digits = re.sub(r"[ -]", "", match[1]).upper() if match else ""
    if len(digits) == 10 and _sum(digits, range(10, 0, -1)) % 11 == 0:
        digits = f"978{digits[:9]}"
        digits += str(-_sum(digits, _WEIGHTS) % 10)
    is_valid = len(digits) == 13 and digits.isdigit() and _sum(digits, _WEIGHTS) % 10 == 0
    return f"isbn:{digits}" if is_valid else None


_WEIGHTS = (1, 3) * 6 + (1,)


def _sum(digits: str, weights: Iterable[int]) -> int:
    pairs = zip(digits, weights, strict=False)
    return sum((10 if digit == "X" else int(digit)) * weight for digit, weight in pairs)
