"""Words that look misread in the text layer of a scan."""

import re
from collections.abc import Mapping, Sequence

from citeloom.domain.text.phrasing import numbered_pages

MANY = 0.01  # share of words: text that was never scanned has 0.005 at most
_EDGES = re.compile(r"^\W+|\W+$")
_DIGIT_INSIDE = re.compile(r"[^\W\d_]\d+[^\W\d_]|\d[^\W\d_]+\d")
_SIGN_INSIDE = re.compile(r"[^\W\d_][^\w\s'\u2019.\-\u2010-\u2014/&@,:()\[\]+*\u00ad]+[^\W\d_]")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_ADDRESS = re.compile(r"://|www\.|@")


def is_implausible(word: str) -> bool:
    """Whether a word looks misread: a digit between letters, a letter between digits, a sign
    within the word, or four Latin letters and more without a vowel that are no abbreviation."""
    bare = _EDGES.sub("", word)
    if len(bare) < 3 or _ADDRESS.search(bare):
        return False
    if _SIGN_INSIDE.search(bare) or (len(bare) >= 4 and _DIGIT_INSIDE.search(bare)):
        return True
    is_latin = len(bare) >= 4 and bare.isascii() and bare.isalpha()
    return is_latin and not bare.removesuffix("s").isupper() and not _VOWEL.search(bare)


def text_layer_warnings(pages: Mapping[int, Sequence[str]]) -> list[str]:
    """How many words look misread where another program read scans. ``pages`` holds the words
    of each scanned page, by its number from 1."""
    counts = {page: sum(map(is_implausible, words)) for page, words in sorted(pages.items())}
    misread, total = sum(counts.values()), sum(map(len, pages.values()))
    if not misread:
        return []
    one = len(counts) == 1
    text = (
        f"{numbered_pages([*counts])} {'is a scan' if one else 'are scans'} with a text layer: "
        f"{misread} of {total:,} words {'looks' if misread == 1 else 'look'} misread"
    )
    many = [page for page, count in counts.items() if count > MANY * len(pages[page])]
    if many and not one:
        text += f", most on {numbered_pages(many)}"
    return [f"{text}; check quotes against the page"]
