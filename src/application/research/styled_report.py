"""The citations of a report, written out in a citation style and linked to their places."""

import re
from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.ports.citation import CitationStyle, StyledCite
from citeloom.domain.citation.in_text import markdown_link, markdown_text
from citeloom.domain.citation.locators import labels_in, page_ranges
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.research.session import Claim

# As ``pandoc_citation`` writes them; a semicolon parts several.
_GROUP = re.compile(r"(?<!\\)\[@[^\[\]]+\]")
_ITEM = re.compile(r"@(?:\{(?P<braced>[^{}]+)\}|(?P<bare>[^\s,;]+))(?:,\s*(?P<where>.+))?")
_PAGES = re.compile(r"pp?\.\s*")


def with_plain_claims(report: str, claims: Iterable[Claim]) -> str:
    """``report`` with the words of its claims as they are, whatever they would mean in
    Markdown."""
    parts, at = [], 0
    for claim in sorted(claims, key=lambda claim: claim.position_start):
        start, end = claim.position_start, claim.position_end
        if start >= at and report[start:end] == claim.claim_text:
            parts += [report[at:start], markdown_text(claim.claim_text)]
            at = end
    return "".join([*parts, report[at:]])


def written_out(
    report: str,
    works: Sequence[CitationMeta],
    links: Mapping[str, str],
    style: CitationStyle,
) -> str:
    """``report`` with each ``[@key, p. 3]`` of ``works`` as the style writes it, linked where
    ``links`` has an address for it (by the citation as it is written, else by its key). A group
    with a key that none of ``works`` has stays as it is."""
    groups = [(found, _cites(found[0], works)) for found in _GROUP.finditer(report)]
    known = [(found, cites) for found, cites in groups if cites]
    styled = style.in_text(works, [cites for _, cites in known]) if known else ()
    parts, at = [], 0
    for (found, cites), text in zip(known, styled, strict=True):
        first = found[0].split(";")[0].rstrip("]") + "]"
        link = links.get(first) or links.get(cites[0].citekey)
        parts += [report[at : found.start()], markdown_link(text, link)]
        at = found.end()
    return "".join([*parts, report[at:]])


def each_written_out(
    citations: Sequence[str], works: Sequence[CitationMeta], style: CitationStyle
) -> dict[str, str]:
    """Each of ``citations`` that names one of ``works``, as the style writes it."""
    known = [(text, _cites(text, works)) for text in dict.fromkeys(citations)]
    known = [(text, cites) for text, cites in known if cites]
    styled = style.in_text(works, [cites for _, cites in known]) if known else ()
    return {text: made for (text, _), made in zip(known, styled, strict=True)}


def _cites(group: str, works: Sequence[CitationMeta]) -> list[StyledCite]:
    """What a group cites; none if any of it is none of ``works``."""
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
