"""Paragraphs joined across columns, pages and floating blocks."""

from collections.abc import Sequence

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft, breaks_word
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    REFERENCE_LABEL,
    SENTENCE_END,
)

_JOINABLE = (BlockLabel.TEXT, BlockLabel.LIST_ITEM, BlockLabel.REFERENCE)


def join_paragraphs(drafts: Sequence[BlockDraft]) -> list[BlockDraft]:
    """Paragraphs joined with their continuation in the next column or page; floating blocks
    between (footnotes, captions, tables) follow the joined paragraph."""
    joined: list[BlockDraft] = []
    open_at: int | None = None
    for draft in drafts:
        if draft.floating:
            joined.append(draft)
            continue
        before = joined[open_at] if open_at is not None else None
        parted = open_at is not None and len(joined) - 1 > open_at
        if before is not None and open_at is not None and _continues(before, draft, parted):
            joined[open_at] = before._replace(
                lines=before.lines + draft.lines,
                column=draft.column,
                ends_short=draft.ends_short,
            )
            continue
        joined.append(draft)
        open_at = len(joined) - 1
    return joined


def _continues(before: BlockDraft, after: BlockDraft, parted: bool) -> bool:
    """Whether ``after`` continues ``before``. ``parted``: a floating block is between them."""
    if before.label not in _JOINABLE:
        return False
    last, first = before.lines[-1], after.lines[0]
    if abs(last.size - first.size) > 0.1 * max(last.size, first.size):
        return False
    text = first.text.lstrip("\"'(\u201c\u2018[")
    lower = text[:1].islower()
    if breaks_word(last, first):
        return after.label in (before.label, BlockLabel.TEXT, BlockLabel.FORMULA)
    if before.column == after.column and not parted:
        return False
    if after.label != before.label and after.label != BlockLabel.TEXT:
        return False
    if before.column == after.column:
        return lower and not (before.ends_short or SENTENCE_END.search(last.text))
    if before.label == BlockLabel.REFERENCE:
        return not REFERENCE_LABEL.match(first.text) and (
            lower or not SENTENCE_END.search(last.text)
        )
    if before.label == BlockLabel.LIST_ITEM and _hangs_on(before, after):
        return True
    if SENTENCE_END.search(last.text):
        return (
            not before.ends_short
            and not after.begins_indented
            and (
                before.label == after.label == BlockLabel.TEXT
                and len(before.lines) > 1
                and len(after.lines) > 1
                and not last.text.endswith(":")
            )
        )
    return lower or not (before.ends_short and after.begins_indented)


def _hangs_on(item: BlockDraft, after: BlockDraft) -> bool:
    """Whether a paragraph at the top of a column has the hanging indent of a list item."""
    return (
        after.label == BlockLabel.TEXT
        and item.hang is not None
        and item.hang > item.indent + 3.0
        and abs(after.indent - item.hang) < 2.0
        and not item.ends_short
    )
