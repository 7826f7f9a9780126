"""Look-alike, invisible and hidden characters of a text.

Characters that a reader does not see, and a program does. They hide a text of their own (tags, runs
of variation selectors), turn what is around them (bidirectional controls), or part words (Unicode
Technical Report 36, sections 2.5 and 3).
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]{1,18}")
# Cyrillic, Greek, Armenian and Latin letters that look like Latin ones, after NFKD and case
# folding (Unicode Technical Standard 39, confusables.txt; single letters only).
_LOOKALIKES: Final = str.maketrans(
    {
        alike: latin
        for latin, letters in {
            "a": "\u0430\u03b1\u0251\u1d00",
            "b": "\u044c\u03b2\u0253\u0432",
            "c": "\u0441\u03f2\u1d04",
            "d": "\u0501\u1d05",
            "e": "\u0435\u03b5\u0454\u1d07\u212e",
            "f": "\u017f\ua730",
            "g": "\u0261\u0581\u0262\u050d",
            "h": "\u04bb\u0570\u029c\u043d",
            "i": "\u0456\u03b9\u0131\u0269\u026a\u04cf",
            "j": "\u0458\u03f3\u1d0a",
            "k": "\u043a\u03ba\u1d0b",
            "l": "\u029f\u217c",
            "m": "\u043c\u1d0d",
            "n": "\u0578\u03b7\u0274\u043f",
            "o": "\u043e\u03bf\u0585\u03c3\u1d0f",
            "p": "\u0440\u03c1\u1d18",
            "q": "\u051b\u0566",
            "r": "\u0433\u0280",
            "s": "\u0455\ua731",
            "t": "\u0442\u03c4\u1d1b",
            "u": "\u057d\u03c5\u028b\u1d1c",
            "v": "\u0475\u03bd\u1d20",
            "w": "\u051d\u0461\u03c9\u1d21",
            "x": "\u0445\u03c7",
            "y": "\u0443\u04af\u03b3\u028f",
            "z": "\u1d22\u0290",
        }.items()
        for alike in letters
    }
)
# Format characters (soft hyphens, joiners, marks of direction, tags) and variation selectors.
_INVISIBLE: Final = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_TORN: Final = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011]\s+(?=[^\W\d_])")
# i g n o r e, i.g.n.o.r.e, i-g-n-o-r-e: four letters or more, each by itself.
_SPACED: Final = re.compile(r"(?<!\w)(?:[^\W\d_][ .\-_*]){3,}[^\W\d_](?!\w)")
# Digits and signs for letters, within a word that has letters (1gnor3, pr0mpt).
_FIGURES: Final = str.maketrans("013457@$", "oieastas")
_MIXED_WORD: Final = re.compile(r"(?<!\w)(?=[\w@$]*[a-z])(?=[\w@$]*[013457@$])[\w@$]{4,}")


def plainly(text: str) -> str:
    """Lower case without accents, look-alikes as Latin letters, words joined that a hyphen or
    spaces between their letters tore; on one line."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    folded = unicodedata.normalize("NFKD", visible.casefold()).translate(_LOOKALIKES)
    bare = "".join(char for char in folded if not unicodedata.combining(char))
    joined = _SPACED.sub(lambda found: re.sub(r"[ .\-_*]", "", found[0]), _TORN.sub("", bare))
    spelt = _MIXED_WORD.sub(lambda found: found[0].translate(_FIGURES), joined)
    return " ".join(spelt.split())


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


def whole_number(text: str) -> int | None:
    """The number that ``text`` is, of ASCII digits alone; None for anything else, and for more than
    18 digits: Python refuses to read thousands."""
    return int(text) if _NUMBER.fullmatch(text) else None


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
