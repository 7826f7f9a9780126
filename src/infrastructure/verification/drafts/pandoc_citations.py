"""Citations in pandoc's form: ``[see @a, pp. 3-5; -@b]``, ``@a [p. 4]``, ``@{key with /}``.

After the pandoc manual, "Citation syntax".
"""

import re
from collections.abc import Callable

from citeloom.domain.verification.drafts.citation_locators import read_locator
from citeloom.domain.verification.drafts.draft import CitedItem, InTextCitation
from citeloom.infrastructure.verification.drafts.mask import Mask

_KEY = r"(?P<minus>-)?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*))"
# No citation: an address (a@b), an escaped sign.
_CITE = re.compile(rf"(?<![\w@\\.]){_KEY}")
_GROUP = re.compile(
    r"(?<![\\!\]])\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*@(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]"
)
_LOCATOR_AFTER = re.compile(r"\s*\[(?P<locator>[^\[\]@]*)\]")
_BRACED_LOCATOR = re.compile(r",?\s*\{(?P<locator>[^{}]*)\}")

# Cross-references of Quarto and of pandoc-crossref look like citations.
_CROSS_REFERENCE = re.compile(
    r"(?:(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau)-"
    r"|(?:fig|tbl|sec|eq|lst):)"
)


def find_citations(mask: Mask, is_prose: Callable[[int], bool]) -> None:
    """Put the citations of the text that stand in prose into the mask."""
    text = mask.text
    taken = bytearray(len(text))
    for group in _GROUP.finditer(text):
        if not is_prose(group.start()):
            continue
        items = _items(text, group.start() + 1, group.end() - 1)
        if items:
            mask.cite(InTextCitation(start=group.start(), end=group.end(), items=tuple(items)))
            taken[group.start() : group.end()] = b"\1" * len(group[0])
    for found in _CITE.finditer(text):
        at = found.start()
        if taken[at] or not is_prose(at):
            continue
        if _crosses(found):
            mask.inline(at, found.end())
            continue
        citation = _narrative(text, found)
        mask.cite(citation)
        length = citation.end - citation.start
        taken[citation.start : citation.end] = b"\1" * length


def _narrative(text: str, found: re.Match[str]) -> InTextCitation:
    after = _LOCATOR_AFTER.match(text, found.end())
    locator, suffix, end = None, "", found.end()
    # "@key [link](url)" and "@key [@other]" have no locator.
    if after and not text.startswith(("(", "["), after.end()):
        locator, suffix = read_locator(after["locator"])
        end = after.end()
    item = CitedItem(
        key=_key(found),
        start=found.start(),
        end=end,
        locator=locator,
        suffix=suffix,
        suppress_author=bool(found["minus"]),
    )
    return InTextCitation(start=found.start(), end=end, items=(item,), narrative=True)


def _items(text: str, start: int, end: int) -> list[CitedItem]:
    items = []
    for first, last in _pieces(text, start, end):
        found = _CITE.search(text, first, last)
        if found is None or _crosses(found):
            continue
        rest = text[found.end() : last]
        braced = _BRACED_LOCATOR.match(rest)
        if braced:
            locator, left = read_locator(braced["locator"])
            suffix = " ".join(filter(None, (left, rest[braced.end() :].strip(" ,"))))
        else:
            locator, suffix = read_locator(rest)
        items.append(
            CitedItem(
                key=_key(found),
                start=found.start(),
                end=found.start() + len(text[found.start() : last].rstrip()),
                locator=locator,
                prefix=text[first : found.start()].strip(),
                suffix=suffix,
                suppress_author=bool(found["minus"]),
            )
        )
    return items


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Between semicolons that are in no braces."""
    pieces, depth, first = [], 0, start
    for at in range(start, end):
        depth += (text[at] == "{") - (text[at] == "}")
        if text[at] == ";" and depth <= 0:
            pieces.append((first, at))
            first = at + 1
    return [*pieces, (first, end)]


def _key(found: re.Match[str]) -> str:
    return found["braced"] or found["bare"]


def _crosses(found: re.Match[str]) -> bool:
    return bool(_CROSS_REFERENCE.match(_key(found)))
