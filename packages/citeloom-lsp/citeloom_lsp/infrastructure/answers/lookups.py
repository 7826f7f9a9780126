"""What stands at a place of an open draft: the citation, and stored findings."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from lsprotocol import types

from citeloom.domain.verification.drafts.draft import CitedItem
from citeloom.domain.verification.drafts.findings import Verification
from citeloom.domain.writing.placed_findings import PlacedFinding
from citeloom_lsp.domain.at_position import cited_at
from citeloom_lsp.domain.paragraphs import paragraph_at
from citeloom_lsp.infrastructure.answers.diagnostics import claim_diagnostics
from citeloom_lsp.infrastructure.buffers import Buffer, Encoding, markup_of
from citeloom_lsp.infrastructure.desk import Desk, paragraph_of
from citeloom_lsp.infrastructure.open_drafts import OpenDraft

LookUp = Callable[[Desk, OpenDraft], tuple[PlacedFinding, ...]]

# More characters than this are looked up with the next save.
_MOST_TOUCHED: Final = 40_000


class CitationUnder(NamedTuple):
    """A cited work at a place: ``span`` of its citation in the buffer, the plain claim (or
    empty), and the finding on it."""

    item: CitedItem
    span: tuple[int, int]
    claim: str
    finding: PlacedFinding | None


def citation_under(desk: Desk, draft: OpenDraft, offset: int) -> CitationUnder | None:
    """By its key in the paragraph; a citation by authors and year or by number as a finding has
    resolved it."""
    paragraph = paragraph_of(draft.buffer, offset)
    parsed = desk.draft(paragraph.text, draft.buffer.markup)
    found = cited_at(parsed, offset - paragraph.start)
    if found is None or found.item.key in parsed.works:
        return _resolved(draft, offset)
    start, end = found.citation.start + paragraph.start, found.citation.end + paragraph.start
    at = found.item.start + paragraph.start
    key, locator = found.item.key, found.item.locator
    finding = next(
        (
            one
            for one in draft.findings
            if one.covers(at, at)
            and one.finding.key == key
            and one.finding.locator == (locator.text if locator else None)
        ),
        None,
    )
    return CitationUnder(found.item, (start, end), found.claim.text if found.claim else "", finding)


def _resolved(draft: OpenDraft, offset: int) -> CitationUnder | None:
    for placed in draft.findings:
        if placed.cited and placed.cited[0] <= offset <= placed.cited[1] and placed.item:
            return CitationUnder(placed.item, placed.cited, placed.finding.claim.text, placed)
    return None


def of_text(desk: Desk, draft: OpenDraft) -> tuple[PlacedFinding, ...]:
    """The stored findings of a whole draft."""
    return desk.findings(draft.buffer.text, draft.buffer.markup)


def of_touched(desk: Desk, draft: OpenDraft) -> tuple[PlacedFinding, ...]:
    """The findings of a draft, looked up again in the paragraphs that have changed."""
    if draft.touched is None:
        return draft.findings
    text, markup = draft.buffer.text, draft.buffer.markup
    start = paragraph_at(text, draft.touched[0], markup.value).start
    end = paragraph_at(text, draft.touched[1], markup.value).end
    if end - start > _MOST_TOUCHED:
        return draft.findings
    found = (one.moved(start) for one in desk.findings(text[start:end], markup))
    # What authors and a year or a number mean is not to be seen in a paragraph.
    kept = (
        one
        for one in draft.findings
        if one.end < start or one.start > end or one.finding.written is not None
    )
    return tuple(sorted((*kept, *found), key=lambda one: one.start))


def of_included_files(
    result: Verification, encoding: Encoding
) -> list[tuple[Buffer, list[types.Diagnostic]]]:
    """Diagnostics of the files that a draft includes, as they are on the disk."""
    files = dict.fromkeys(one.claim.file for one in result.findings if one.claim.file)
    parts = []
    for file in files:
        path = Path(file)
        uri = path.resolve().as_uri()
        markup = markup_of(uri, "")
        if markup is not None and path.is_file():
            text = path.read_bytes().decode("utf-8-sig", "replace")
            part = Buffer(uri, text, None, markup, encoding)
            findings = [one for one in result.findings if one.claim.file == file]
            parts.append((part, claim_diagnostics(part, findings)))
    return parts
