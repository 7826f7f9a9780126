"""Text that may hold anything, made fit for a file that people open."""

import re
import unicodedata
from datetime import UTC, datetime
from urllib.parse import quote

# Not among the characters of XML 1.0 (section 2.2, "Char"), or a control character that no
# program shows.
_UNSHOWN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85]")
# UAX #9, 3.1: embeddings and overrides end at PDF, isolates at PDI.
_OPEN = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"),
         **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}  # fmt: skip
# What a link may begin with that a reader's click opens: the web, and Zotero's own.
_OPENED = re.compile(r"(?:https?|zotero)://[^\s/]", re.IGNORECASE)
# RFC 3986, 2.2 and 2.3: what a URI may hold besides escapes.
_KEPT = ":/?#[]@!$&'()*+,;=-._~%"
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~$&])")


def shown(text: str) -> str:
    """Lines end with a line feed; characters that cannot be shown become U+FFFD, and whatever
    changes the direction of writing ends with the text."""
    cleaned = _UNSHOWN.sub("\ufffd", _BREAKS.sub("\n", text))
    return cleaned + _closing(cleaned)


def line(text: str) -> str:
    """In one line."""
    return shown(" ".join(text.split()))


def plain(text: str) -> str:
    """In one line, without meaning for Markdown."""
    return _MARKUP.sub(r"\\\1", line(text))


def opened(address: str | None) -> str | None:
    """``address`` as a link may have it; None for what a click should not open."""
    found = (address or "").strip()
    return quote(found, safe=_KEPT) if _OPENED.match(found) else None


def is_right_to_left(text: str) -> bool:
    """By its first letter with a direction (UAX #9, rules P2 and P3)."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def moment(at: datetime | None) -> str:
    """``2026-03-01 12:00 UTC``; empty where there is none. What names no zone is UTC."""
    if at is None:
        return ""
    there = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return f"{there:%Y-%m-%d %H:%M} UTC"


def _closing(text: str) -> str:
    """What ends the directions that ``text`` leaves open."""
    waiting: list[str] = []
    for char in text:
        if char in _OPEN:
            waiting.append(_OPEN[char])
        elif char in waiting:
            # A PDI also ends the embeddings that were begun within its isolate.
            while waiting.pop() != char:
                pass
        elif char == "\n":
            waiting.clear()
    return "".join(reversed(waiting))
