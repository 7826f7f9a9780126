"""The cited page as a file to open."""

from citeloom_lsp.infrastructure.answers.lookups import citation_under
from citeloom_lsp.infrastructure.desk import Desk
from citeloom_lsp.infrastructure.open_drafts import OpenDraft


def page_uri(desk: Desk, draft: OpenDraft, offset: int) -> str | None:
    """The file of the work cited at an offset, at the page cited or that fits best (RFC 8118,
    "page"), with the words marked; None without a citation there, or without its file on this
    machine."""
    found = citation_under(desk, draft, offset)
    opened = desk.opened(desk.card(found.item, found.claim)) if found else None
    if opened is None:
        return None
    path, page = opened
    uri = path.resolve().as_uri()
    is_paged = page is not None and path.suffix.lower() == ".pdf"
    return f"{uri}#page={page}" if is_paged else uri
