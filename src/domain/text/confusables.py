"""Text as a reader takes it: look-alike letters, invisible characters and torn words put right."""

import re
import unicodedata
from typing import Final

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
