"""Noun phrases (*decay length*) told from sentence fragments (*students reflecting*, *papers
retain*) by the contexts of their words in the given texts, without a part-of-speech tagger.

For English; in other languages hardly anything is rejected.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS

_TOKEN: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\s\w]")
_STOPS: Final = STOP_WORDS["en"]
# Left contexts of verbs, and right contexts of transitive ones.
_BEFORE_VERB: Final = frozenset(
    "to can could will would may might must should shall we they you i who that which not it he "
    "she students users authors people learners participants readers".split()
)
_AFTER_VERB: Final = frozenset(
    "the a an their its our your his her my this these those them us it him themselves itself how "
    "what why when where whether".split()
)
_BEFORE_NOUN: Final = frozenset(
    "of in for with by from on and or into through about via between during".split()
)
_DETERMINERS: Final = frozenset(
    "the a an this these those our their its each every no any some both all two three".split()
)
# Minimum share of verb contexts of a verb.
_VERB_SHARE: Final = 0.34
_SINGULAR_ENDINGS: Final = re.compile(r"(?:ss|us|is|ics|ous|ws)$")


class Usage(NamedTuple):
    """Occurrences of a word, and how many of them are in verb and noun contexts."""

    total: int = 0
    as_verb: int = 0
    as_noun: int = 0


def word_usage(texts: Sequence[str]) -> Mapping[str, Usage]:
    """Usage by casefolded word."""
    totals, verbs, nouns = Counter[str](), Counter[str](), Counter[str]()
    for text in texts:
        tokens = ["", *(token.casefold() for token in _TOKEN.findall(text)), ""]
        for (before, word), (_, after) in pairwise(pairwise(tokens)):
            if not word[:1].isalpha():
                continue
            totals[word] += 1
            verbs[word] += before in _BEFORE_VERB or after in _AFTER_VERB
            ends_phrase = not after[:1].isalpha() or (after in _STOPS and after not in _AFTER_VERB)
            nouns[word] += before in _DETERMINERS or (before in _BEFORE_NOUN and ends_phrase)
    return {word: Usage(count, verbs[word], nouns[word]) for word, count in totals.items()}


def is_noun_phrase(words: Sequence[str], usage: Mapping[str, Usage]) -> bool:
    """Whether consecutive words are a noun phrase: none is used as a verb, and only the last is
    plural."""
    folded = [word.casefold() for word in words]
    *modifiers, head = folded
    if any(one.endswith("s") and not _SINGULAR_ENDINGS.search(one) for one in modifiers):
        return False
    if head.endswith("ed") or folded[0].endswith("ed"):
        return False
    # Gerunds used as nouns (*machine learning*), not participles (*helping students*).
    if any(one.endswith("ing") and not usage.get(one, Usage()).as_noun for one in modifiers):
        return False
    return not any(_is_verb(one, usage.get(one, Usage())) for one in folded)


def _is_verb(word: str, usage: Usage) -> bool:
    if word.endswith("ing"):
        return False
    return usage.total > 0 and usage.as_verb / usage.total >= _VERB_SHARE
