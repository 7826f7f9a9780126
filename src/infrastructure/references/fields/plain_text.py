"""Plain text of fields of reference managers."""

import html
import re
import unicodedata
from typing import Any

# The rich text that Zotero and CSL allow in fields (CSL 1.0.2, appendix "Rich text").
_TAG = re.compile(
    r"</?(?:i|b|em|strong|sub|sup|sc|span|p|br|div|u|q)\s*/?>|<(?:span|p|div)\s[^<>]*>",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b\ufeff]")
# Better BibTeX's line in the Extra field; some exports have all lines in one.
_CITATION_KEY = re.compile(
    r"(?:^|(?<=\s))(?:\{:)?citation[ -]?key[ \t]*:[ \t]*\S+[ \t]*(?:\n|$)?",
    re.IGNORECASE | re.MULTILINE,
)


def plain(value: Any) -> str:
    """The text of a field: without markup, entities and control characters, on one line, in NFC.

    Numbers become text; of a list the first entry counts; anything else is empty.
    """
    if value is None:
        return ""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, str) and _is_plain(value):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = _TAG.sub("", str(value))
    if "&" in text:
        text = html.unescape(html.unescape(text))  # publishers' "&amp;nbsp;" is common
    return unicodedata.normalize("NFC", " ".join(_CONTROL.sub(" ", text).split()))


def _is_plain(text: str) -> bool:
    if not text.isprintable() or "<" in text or "&" in text or "  " in text:
        return False
    return text.isascii() or unicodedata.is_normalized("NFC", text)


def without_citation_key(note: str) -> str:
    """A note without Better BibTeX's line ``Citation Key: name``, which is not a note."""
    return _CITATION_KEY.sub("", note).strip()


def note_field(note: Any, name: str) -> str | None:
    """The value of a line ``name: value`` in Zotero's Extra field, in any case.

    Also reads the older ``{:name: value}``. Hyphen and space in ``name`` are equivalent.
    """
    if not isinstance(note, str) or ":" not in note:
        return None
    label = re.sub(r"[ -]", "[ -]?", name)
    match = re.search(
        rf"^[ \t]*(?:{{:)?{label}[ \t]*:[ \t]*(\S[^\n]*?)}}?[ \t]*$",
        note,
        re.IGNORECASE | re.MULTILINE,
    )
    return match.group(1).strip() if match else None


def without_surrogates(value: Any) -> Any:
    """``value`` with lone surrogates (from broken ``\\ud83d`` escapes) replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [without_surrogates(entry) for entry in value]
    if isinstance(value, dict):
        return {without_surrogates(k): without_surrogates(v) for k, v in value.items()}
    return value
