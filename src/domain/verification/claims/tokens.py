"""Content words and quantities of a sentence, and their alignment with those of another."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.terms import stem
from citeloom.domain.text.words import forms, words
from citeloom.domain.verification.claims.parsed_sentence import ParsedSentence
from citeloom.domain.verification.claims.synonyms import synonym_stem
from citeloom.domain.verification.quantities.units import in_base

# Single letters as names of samples, programs, statistics; "A" only with another one.
_LETTER: Final = re.compile(r"(?<![\w.'’])(?!I\b)[A-Z](?![\w'’])")
# Function words, and words that have checks of their own.
_IGNORED: Final = STOP_WORDS["en"] | frozenset(
    "although though whereas despite however therefore hence might could may respectively via "
    "among within upon et al".split()
)
# What stands before a word that does not begin a sentence or a quotation.
_WITHIN: Final = re.compile(r"[\w,;)’'-]\s*\Z")


class Token(NamedTuple):
    """A content word or quantity at ``start``, compared by ``key``."""

    start: int
    key: str


def content_tokens(sentence: ParsedSentence) -> list[Token]:
    """Content words and quantities in order."""
    in_quantity = {at for one in sentence.quantities for at in range(one.start, one.end)}
    tokens = []
    for word in words(sentence.text):
        capital = word.text[:1].isupper() and _WITHIN.search(sentence.text, 0, word.start)
        for part in forms(word.text).parts:
            if word.start in in_quantity or not any(char.isalpha() for char in part):
                continue
            if len(part) > 1 and (part not in _IGNORED or (capital and part.isalpha())):
                tokens.append(Token(word.start, synonym_stem(stem(part))))
    letters = [Token(one.start(), one[0]) for one in _LETTER.finditer(sentence.text)]
    tokens += letters if {one.key for one in letters} != {"A"} else []
    for quantity in sentence.quantities:
        value, unit = in_base(quantity.value, quantity.unit)
        tokens.append(Token(quantity.start, f"{value.normalize():f} {unit}"))
    return sorted(set(tokens))


def alignment_of(claim_tokens: Sequence[Token], source_tokens: Sequence[Token]) -> list[int]:
    """Indices in the evidence of the shared tokens, in the sentence's order; of repeated tokens
    the first index after the previous one."""
    alignment: list[int] = []
    source_keys = [token.key for token in source_tokens]
    for token in claim_tokens:
        places = [at for at, key in enumerate(source_keys) if key == token.key]
        after = [at for at in places if not alignment or at > alignment[-1]]
        if places:
            alignment.append(after[0] if after else places[-1])
    return alignment
