"""Ids, titles and summaries of map nodes, taken from the text."""

import re
import unicodedata

from citeloom.domain.text.sentences import cut_at_sentence, sentence_spans

#: Maximum characters of a summary, and of a title taken from the text.
SUMMARY = 160
TITLE = 60
_SLUG_WORDS = 5

UsedNames = dict[str, int]
"""Names used among siblings, with the last number of each."""


def slug(title: str) -> str:
    """A short id of up to five words in the title's script, without section number, dots and
    white space."""
    plain = re.sub(r"^\W*(\d+(\.\d+)*|[IVXLC]+|[A-Z])[.):]?\s+(?=\w)", "", title)
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", plain or title).casefold())
    return "-".join(words[:_SLUG_WORDS]) or "section"


def name_id(name: str) -> str:
    """A name of code or data as part of an id; characters other than letters, digits, ``_``,
    ``-`` and ``$`` become ``-``."""
    return re.sub(r"[^\w$-]+", "-", unicodedata.normalize("NFKC", name)).strip("-") or "item"


def unique_name(name: str, used: UsedNames) -> str:
    """``name``, or ``name-2`` and so on if used; the result is added to ``used``."""
    number = used.get(name, 0) + 1
    unique = name if number == 1 else f"{name}-{number}"
    while unique in used:
        number += 1
        unique = f"{name}-{number}"
    used[name] = number
    used.setdefault(unique, 1)
    return unique


def first_sentence(text: str) -> str | None:
    """The first sentence with normalised white space, cut to ``SUMMARY`` characters; None of empty
    text."""
    spans = sentence_spans(text[: 8 * SUMMARY])
    if not spans:
        return None
    start, end = spans[0]
    return cut_at_sentence(" ".join(text[start:end].split()), SUMMARY)


def short_title(text: str) -> str | None:
    """``text`` on one line, cut to ``TITLE`` characters at white space; None of empty text."""
    line = " ".join(text.split())
    return cut_at_sentence(line, TITLE) if line else None
