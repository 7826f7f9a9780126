"""Masthead: journal, volume, DOI and licence above the title."""

import re
from collections.abc import Sequence

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine

_DETAIL = re.compile(
    r"\d|\b(?:journal|proceedings|volume|issue|issn|open access|copyright)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"[a-z]{3,}[.!?](?:\s|$)")
LONGEST = 30  # words


def without_masthead(drafts: Sequence[BlockDraft]) -> tuple[list[BlockDraft], list[TextLine]]:
    """The drafts without the masthead, and the lines of the masthead."""
    at = next((i for i, draft in enumerate(drafts) if draft.label == BlockLabel.TITLE), 0)
    size = max((line.size for line in drafts[at].lines), default=0.0) if drafts else 0.0
    masthead = [draft for draft in drafts[:at] if _is_masthead(draft, size)]
    without = [draft for draft in drafts if not any(draft is other for other in masthead)]
    return without, [line for draft in masthead for line in draft.lines]


def _is_masthead(draft: BlockDraft, title_size: float) -> bool:
    text = " ".join(line.text for line in draft.lines)
    return (
        draft.label == BlockLabel.TEXT
        and all(line.size < title_size for line in draft.lines)
        and len(text.split()) <= LONGEST
        and _DETAIL.search(text) is not None
        and _SENTENCE.search(text) is None
    )
