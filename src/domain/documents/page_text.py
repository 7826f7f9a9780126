"""Whether a quotation stands on a page, as a plain reading of the page has it.

Letters and digits are compared alone: case, accents, ligatures, hyphens and line breaks make no
difference.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

#: With fewer letters a page has no text that could be compared: it is a picture.
FEWEST: Final = 40


def letters_of(text: str) -> str:
    """The letters and digits of a text, folded, ligatures taken apart."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in folded if char.isalnum())


def stands_on(quote: str, pages: Sequence[str]) -> bool | None:
    """Whether ``quote`` stands in one of the readings of consecutive ``pages``, or across two,
    in one piece on each; None if a page has no text to compare with."""
    read = [letters_of(page) for page in pages]
    if not read or any(len(page) < FEWEST for page in read):
        return None
    wanted = letters_of(quote)
    if any(wanted in page for page in read):
        return True
    return any(
        wanted[:cut] in first and wanted[cut:] in second
        for first, second in pairwise(read)
        for cut in range(1, len(wanted))
    )
