"""Characters that a reader does not see, and a program does.

They hide a text of their own (tags, runs of variation selectors), turn what is around them
(bidirectional controls), or part words (Unicode Technical Report 36, sections 2.5 and 3).
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

# Format characters but the soft hyphen; fillers; selectors; tags; controls but tab and line ends;
# halves of surrogate pairs. Line and paragraph separators stay: they part lines.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)
_JOINERS: Final = "\u200c\u200d"
_SELECTOR: Final = re.compile("[\ufe00-\ufe0f\u180b-\u180d\u180f\U000e0100-\U000e01ef]")
_TAG: Final = re.compile("[\U000e0020-\U000e007f]")
# Flags of countries' parts: a black flag, two letters or more, the cancel tag (UTS 51, ED-14a).
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
_VIRAMA: Final = 9  # Unicode's combining class
# Blocks of scripts in which a joiner changes letters: Arabic to Thaana and N'Ko, Indic scripts,
# Sinhala, Tibetan, Myanmar, Khmer, Mongolian, Balinese to Lepcha, and their supplements.
_JOINING: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1c4f\ua800-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010aff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)


def without_hidden(text: str) -> str:
    """The text as a reader sees it. Joiners stay where a script or an emoji needs them, one
    selector stays with its character."""
    return replace_hidden(text, lambda _: "")


def replace_hidden(text: str, shown: Callable[[str], str]) -> str:
    """The text with ``shown(character)`` for each hidden character."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: found[0] if _is_needed(found, text) else shown(found[0]), text)


def _is_needed(found: re.Match[str], text: str) -> bool:
    at, character = found.start(), found[0]
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if not before:
        return False
    if character in _JOINERS:
        return _joins(before, after)
    if _SELECTOR.match(character):
        return unicodedata.category(before)[0] in "LSNP"
    return bool(_TAG.match(character)) and _is_of_flag(text, at)


def _joins(before: str, after: str) -> bool:
    if unicodedata.combining(before) == _VIRAMA or unicodedata.bidirectional(before) == "AL":
        return True
    if not after:
        return False
    if _JOINING.match(before):
        return bool(_JOINING.match(after))
    return _is_emoji(before) and _is_emoji(after)


def _is_emoji(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk") or character == "\ufe0f"


def _is_of_flag(text: str, at: int) -> bool:
    start = text.rfind("\U0001f3f4", max(0, at - 7), at)
    found = _FLAG.match(text, start) if start >= 0 else None
    return found is not None and at < found.end()
