"""DOIs and arXiv ids of a document, from its metadata and first page."""

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
    """DOIs and arXiv ids of a document: those in its metadata, then those on its first page.

    ``references_start`` is the offset of the reference list in ``text``, None without one.
    """
    first = text[
        : min(SEARCHED_CHARACTERS, len(text) if references_start is None else references_start)
    ]
    names = [
        name for value in (*metadata, first) for name in (*find_dois(value), *find_arxiv_ids(value))
    ]
    return tuple(dict.fromkeys(names))
