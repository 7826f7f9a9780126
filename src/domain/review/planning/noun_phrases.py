"""Which runs of words are names of things (*decay length*), and which are pieces of sentences
(*students reflecting*, *papers retain*): told by how the words stand in the texts at hand, for
there is no tagger of parts of speech here.

For English; in other languages hardly anything is left out.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS

_TOKEN: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\s\w]")
_STOPS: Final = STOP_WORDS["en"]
# What stands before a verb, and what follows one that has an object.
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
# As often as this a word has to be used as a verb, to be one.
_VERBAL: Final = 0.34
_PLURALS: Final = re.compile(r"(?:ss|us|is|ics|ous|ws)$")


class Use(NamedTuple):
    """How often a word stands in the texts, and how often as verbs and as nouns do."""

    times: int = 0
    as_verb: int = 0
    as_noun: int = 0


def uses_of(texts: Sequence[str]) -> Mapping[str, Use]:
    """By the word in small letters."""
    times, verbs, nouns = Counter[str](), Counter[str](), Counter[str]()
    for text in texts:
        tokens = ["", *(token.casefold() for token in _TOKEN.findall(text)), ""]
        for (before, word), (_, after) in pairwise(pairwise(tokens)):
            if not word[:1].isalpha():
                continue
            times[word] += 1
            verbs[word] += before in _BEFORE_VERB or after in _AFTER_VERB
            ends = not after[:1].isalpha() or (after in _STOPS and after not in _AFTER_VERB)
            nouns[word] += before in _DETERMINERS or (before in _BEFORE_NOUN and ends)
    return {word: Use(count, verbs[word], nouns[word]) for word, count in times.items()}


def is_term(words: Sequence[str], uses: Mapping[str, Use]) -> bool:
    """Whether words that follow each other name one thing: none of them is used as a verb, and
    none but the last is in the plural."""
    folded = [word.casefold() for word in words]
    *modifiers, head = folded
    if any(one.endswith("s") and not _PLURALS.search(one) for one in modifiers):
        return False
    if head.endswith("ed") or folded[0].endswith("ed"):
        return False
    # What is done (*machine learning*) is a thing; who does it (*helping students*) is none.
    if any(one.endswith("ing") and not uses.get(one, Use()).as_noun for one in modifiers):
        return False
    return not any(_is_verb(one, uses.get(one, Use())) for one in folded)


def _is_verb(word: str, use: Use) -> bool:
    if word.endswith("ing"):
        return False
    return use.times > 0 and use.as_verb / use.times >= _VERBAL
