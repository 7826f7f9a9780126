"""Sanitizing of arbitrary text for files that people open."""

import re
import unicodedata
from datetime import UTC, datetime
from urllib.parse import quote

# Invalid in XML 1.0 (section 2.2, "Char"), or control characters.
_NOT_DISPLAYABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85]")
# UAX #9, 3.1: embeddings and overrides end at PDF, isolates at PDI.
_CLOSING_OF = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"),
         **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}  # fmt: skip
# Schemes that a click may open: the web and Zotero.
_SAFE_LINK = re.compile(r"(?:https?|zotero)://[^\s/]", re.IGNORECASE)
# RFC 3986, 2.2 and 2.3: characters of a URI besides escapes.
_URI_CHARACTERS = ":/?#[]@!$&'()*+,;=-._~%"
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~$&])")


def sanitized(text: str) -> str:
    """Line ends become line feeds, characters that cannot be displayed U+FFFD; open changes of
    writing direction are closed at the end."""
    cleaned = _NOT_DISPLAYABLE.sub("\ufffd", _BREAKS.sub("\n", text))
    return cleaned + _closing(cleaned)


def line(text: str) -> str:
    """On one line."""
    return sanitized(" ".join(text.split()))


def plain(text: str) -> str:
    """On one line, with Markdown escaped."""
    return _MARKUP.sub(r"\\\1", line(text))


def safe_link(address: str | None) -> str | None:
    """``address`` as the target of a link; None for a scheme that a click should not open."""
    target = (address or "").strip()
    return quote(target, safe=_URI_CHARACTERS) if _SAFE_LINK.match(target) else None


def is_right_to_left(text: str) -> bool:
    """By its first letter with a direction (UAX #9, rules P2 and P3)."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def utc_text(at: datetime | None) -> str:
    """``2026-03-01 12:00 UTC``; empty for None. A time without a zone is UTC."""
    if at is None:
        return ""
    utc = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return f"{utc:%Y-%m-%d %H:%M} UTC"


def _closing(text: str) -> str:
    """The characters that close the directions left open in ``text``."""
    pending: list[str] = []
    for char in text:
        if char in _CLOSING_OF:
            pending.append(_CLOSING_OF[char])
        elif char in pending:
            # A PDI also ends the embeddings that were begun within its isolate.
            while pending.pop() != char:
                pass
        elif char == "\n":
            pending.clear()
    return "".join(reversed(pending))
