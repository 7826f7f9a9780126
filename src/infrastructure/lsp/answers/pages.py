"""The cited page as a file to open."""

from pathlib import Path

from citeloom.infrastructure.lsp.answers.lookups import citation_under
from citeloom.infrastructure.lsp.desk import Desk
from citeloom.infrastructure.lsp.open_drafts import OpenDraft


def page_uri(desk: Desk, draft: OpenDraft, offset: int) -> str | None:
    """The file of the work cited at an offset, at the page cited or that fits best (RFC 8118,
    "page"); None without a citation there, or without its file on this machine."""
    found = citation_under(desk, draft, offset)
    if found is None:
        return None
    card = desk.card(found.item, found.claim)
    path = Path(card.source) if card.source else None
    if path is None or not path.is_file():
        return None
    uri = path.resolve().as_uri()
    is_paged = card.file_page is not None and path.suffix.lower() == ".pdf"
    return f"{uri}#page={card.file_page}" if is_paged else uri
