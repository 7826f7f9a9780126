"""Whether anything that was found fits its question.

Measured on ten papers with the default model: the best passage of 45 questions that they do not
answer has a relevance of 0.06 to 0.39 (42 below 0.35), that of 39 questions that they answer one
of 0.40 to 0.75; by meaning alone 0.11 to 0.38 and 0.41 to 0.88. BM25 alone does not tell the two
apart (0.29 to 0.47 and 0.34 to 0.67).
"""

from typing import Final

from citeloom.domain.search.exact_terms import ParsedQuestion, is_one_word
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryResultItem

#: Least relevance of a passage that fits.
FITTING: Final = 0.35


def fits(item: QueryResultItem, wording: ParsedQuestion, mode: Mode) -> bool:
    """Whether a hit may answer the question. One that was found by its words does: by a phrase,
    by the only word of the question, or by words alone."""
    if mode is Mode.SPARSE or wording.phrases or item.score >= FITTING:
        return True
    return is_one_word(wording.text) and bool(item.matched)


def nothing_fits(best: QueryResultItem) -> str:
    """What is said where the best hit does not fit."""
    return (
        f"nothing fits the question well: the best passage scores {best.score:.2f}, "
        "answers mostly 0.40 and more; they may not be here"
    )
