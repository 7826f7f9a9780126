"""What is shown over a citation: the work, the text that it points at, the state of its check."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from citeloom.domain.citation.in_text import markdown_link, markdown_text
from citeloom.domain.citation.metadata import CitationMeta, locator
from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.text.phrasing import on_one_line
from citeloom.domain.verification.drafts.findings import Finding
from citeloom.domain.verification.verdict import MEANINGS
from citeloom_lsp.infrastructure.answers.lookups import citation_under
from citeloom_lsp.infrastructure.desk import Desk
from citeloom_lsp.infrastructure.open_drafts import OpenDraft

if TYPE_CHECKING:
    from citeloom_lsp.application.citation_cards import CitationCard

_REASONS: Final = 3


def card_text(card: "CitationCard", finding: Finding | None) -> str:
    """Markdown."""
    return "\n\n".join(_parts(card, finding))


def _parts(card: "CitationCard", finding: Finding | None) -> Iterator[str]:
    if card.work is not None:
        yield _work(card.work)
    else:
        yield f"**{markdown_text(card.key)}**"
    if card.note:
        yield markdown_text(card.note)
    if card.quote is not None and card.mention is not None:
        where = locator(card.mention.labels) or card.mention.place or ""
        if not card.on_page:
            where = f"closest text, {where}" if where else "closest text"
        mark = uncertain_mark(card.quote.text_uncertain)
        yield f"> {markdown_text(on_one_line(card.quote.text))}\n>\n> ({where}{mark})"
    yield _state(finding)


def _work(work: CitationMeta) -> str:
    by = ", ".join(work.authors)
    lines = [
        f"**{markdown_text(work.title)}**",
        markdown_text(f"{by} ({work.year})" if work.year else by),
    ]
    if work.container_title:
        pages = f", {work.page}" if work.page else ""
        lines.append(f"*{markdown_text(work.container_title)}*{markdown_text(pages)}")
    if work.doi:
        lines.append(markdown_link(f"doi:{work.doi}", f"https://doi.org/{work.doi}"))
    return "  \n".join(lines)


def _state(finding: Finding | None) -> str:
    if finding is None:
        return "*Not checked yet.*"
    basis = "" if finding.basis is None else f", {finding.basis.value}"
    confidence = "" if finding.confidence is None else f" {finding.confidence:.2f}"
    told = f"**{finding.verdict.value}**{basis}{confidence}: {MEANINGS[finding.verdict][1]}"
    reasons = [markdown_text(on_one_line(one)) for one in finding.reasons[:_REASONS]]
    return "  \n".join([told, *reasons])


def hover(desk: Desk, draft: OpenDraft, offset: int, *, markdown: bool) -> types.Hover | None:
    found = citation_under(desk, draft, offset)
    if found is None:
        return None
    card = desk.card(found.item, found.claim)
    finding = found.finding.finding if found.finding else None
    text = card_text(card, finding)
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    content = types.MarkupContent(kind, text if markdown else _plain(text))
    return types.Hover(contents=content, range=draft.buffer.range(*found.span))


def _plain(markdown: str) -> str:
    """Our Markdown for a client that shows plain text only."""
    bare = re.sub(r"(?<!\\)\*{1,2}", "", re.sub(r"^> ?", "", markdown, flags=re.MULTILINE))
    return re.sub(r"\\([\\\[\]*_`<>])", r"\1", bare.replace("  \n", "\n"))
