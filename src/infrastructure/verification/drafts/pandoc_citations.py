"""Pandoc citations: ``[see @a, pp. 3-5; -@b]``, ``@a [p. 4]``, ``@{key with /}``.

After the pandoc manual, "Citation syntax".
"""

import re
from collections.abc import Callable

from citeloom.domain.citation.citation_locators import parse_locator
from citeloom.domain.verification.drafts.draft import CitedItem, InTextCitation
from citeloom.infrastructure.verification.drafts.mask import Mask

_KEY = r"(?P<minus>-)?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*))"
# Not an address (a@b) or an escaped sign.
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
    """Add the citations that ``is_prose`` accepts to the mask."""
    text = mask.text
    covered = bytearray(len(text))
    for group in _GROUP.finditer(text):
        if not is_prose(group.start()):
            continue
        items = _items(text, group.start() + 1, group.end() - 1)
        if items:
            mask.cite(InTextCitation(start=group.start(), end=group.end(), items=tuple(items)))
            covered[group.start() : group.end()] = b"\1" * len(group[0])
    for match in _CITE.finditer(text):
        at = match.start()
        if covered[at] or not is_prose(at):
            continue
        if _is_cross_reference(match):
            mask.inline(at, match.end())
            continue
        citation = _narrative(text, match)
        mask.cite(citation)
        length = citation.end - citation.start
        covered[citation.start : citation.end] = b"\1" * length


def _narrative(text: str, match: re.Match[str]) -> InTextCitation:
    locator_match = _LOCATOR_AFTER.match(text, match.end())
    locator, suffix, end = None, "", match.end()
    # "@key [link](url)" and "@key [@other]" have no locator.
    if locator_match and not text.startswith(("(", "["), locator_match.end()):
        locator, suffix = parse_locator(locator_match["locator"])
        end = locator_match.end()
    item = CitedItem(
        key=_key(match),
        start=match.start(),
        end=end,
        locator=locator,
        suffix=suffix,
        suppress_author=bool(match["minus"]),
    )
    return InTextCitation(start=match.start(), end=end, items=(item,), narrative=True)


def _items(text: str, start: int, end: int) -> list[CitedItem]:
    items = []
    for first, last in _pieces(text, start, end):
        match = _CITE.search(text, first, last)
        if match is None or _is_cross_reference(match):
            continue
        rest = text[match.end() : last]
        braced = _BRACED_LOCATOR.match(rest)
        if braced:
            locator, suffix_within = parse_locator(braced["locator"])
            suffix = " ".join(filter(None, (suffix_within, rest[braced.end() :].strip(" ,"))))
        else:
            locator, suffix = parse_locator(rest)
        items.append(
            CitedItem(
                key=_key(match),
                start=match.start(),
                end=match.start() + len(text[match.start() : last].rstrip()),
                locator=locator,
                prefix=text[first : match.start()].strip(),
                suffix=suffix,
                suppress_author=bool(match["minus"]),
            )
        )
    return items


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans between semicolons outside of braces."""
    pieces, depth, first = [], 0, start
    for at in range(start, end):
        depth += (text[at] == "{") - (text[at] == "}")
        if text[at] == ";" and depth <= 0:
            pieces.append((first, at))
            first = at + 1
    return [*pieces, (first, end)]


def _key(match: re.Match[str]) -> str:
    return match["braced"] or match["bare"]


def _is_cross_reference(match: re.Match[str]) -> bool:
    return bool(_CROSS_REFERENCE.match(_key(match)))
