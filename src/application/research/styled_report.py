"""Citations of a report, formatted in a citation style and linked."""

import re
from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.ports.citation import CitationStyle, StyledCite
from citeloom.domain.citation.in_text import markdown_link
from citeloom.domain.citation.locators import labels_in, page_ranges
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.research.session import Claim
from citeloom.domain.text.inert_markdown import inert_markdown

# Citations as ``pandoc_citation`` writes them, separated by semicolons.
_GROUP = re.compile(r"(?<!\\)\[@[^\[\]]+\]")
_ITEM = re.compile(r"@(?:\{(?P<braced>[^{}]+)\}|(?P<bare>[^\s,;]+))(?:,\s*(?P<where>.+))?")
_PAGES = re.compile(r"pp?\.\s*")


def with_escaped_claims(report: str, claims: Iterable[Claim]) -> str:
    """``report`` with the text of its claims escaped for Markdown."""
    parts, at = [], 0
    for claim in sorted(claims, key=lambda claim: claim.position_start):
        start, end = claim.position_start, claim.position_end
        if start >= at and report[start:end] == claim.claim_text:
            parts += [report[at:start], inert_markdown(claim.claim_text)]
            at = end
    return "".join([*parts, report[at:]])


def style_citations(
    report: str,
    works: Sequence[CitationMeta],
    links: Mapping[str, str],
    style: CitationStyle,
) -> str:
    """``report`` with each ``[@key, p. 3]`` of ``works`` formatted in the style, and linked if
    ``links`` has its first citation text or key. A group with an unknown key stays as it is."""
    groups = [(match, _cites(match[0], works)) for match in _GROUP.finditer(report)]
    known = [(match, cites) for match, cites in groups if cites]
    styled = style.in_text(works, [cites for _, cites in known]) if known else ()
    parts, at = [], 0
    for (match, cites), text in zip(known, styled, strict=True):
        first = match[0].split(";")[0].rstrip("]") + "]"
        link = links.get(first) or links.get(cites[0].citekey)
        parts += [report[at : match.start()], markdown_link(text, link)]
        at = match.end()
    return "".join([*parts, report[at:]])


def styled_citations(
    citations: Sequence[str], works: Sequence[CitationMeta], style: CitationStyle
) -> dict[str, str]:
    """The formatted text of each of ``citations`` whose works are all among ``works``."""
    known = [(text, _cites(text, works)) for text in dict.fromkeys(citations)]
    known = [(text, cites) for text, cites in known if cites]
    styled = style.in_text(works, [cites for _, cites in known]) if known else ()
    return {text: made for (text, _), made in zip(known, styled, strict=True)}


def _cites(group: str, works: Sequence[CitationMeta]) -> list[StyledCite]:
    """The citations of a group; none if any of its keys is not among ``works``."""
    items = [_ITEM.fullmatch(part.strip()) for part in group.strip()[1:-1].split(";")]
    cites = [_cite(item) for item in items if item]
    keys = {work.citekey for work in works}
    whole = len(cites) == len(items) and all(cite.citekey in keys for cite in cites)
    return cites if whole else []


def _cite(item: "re.Match[str]") -> StyledCite:
    key, where = item["braced"] or item["bare"], (item["where"] or "").strip()
    if pages := _PAGES.match(where):
        labels = labels_in(where[pages.end() :])
        return StyledCite(citekey=key, pages=page_ranges(labels, dash="-") or None)
    return StyledCite(citekey=key, place=where or None)
