"""Case folding and removal of diacritics."""

import re
import unicodedata

# No character before these combines with another; passages are folded whole, so that it pays.
_PERHAPS_MARKS = re.compile(r"[\u0300-\U0010ffff]+")


def fold(text: str) -> str:
    """Case, accents and spacing do not count when text fields are compared."""
    if text.isascii():
        return " ".join(text.casefold().split())
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    folded = _PERHAPS_MARKS.sub(_without_marks, apart)
    # Folding may undo the normal form (and does for Greek iota subscripts).
    return " ".join(unicodedata.normalize("NFKC", folded).casefold().split())


def _without_marks(run: re.Match[str]) -> str:
    return "".join(char for char in run[0] if not unicodedata.combining(char))
