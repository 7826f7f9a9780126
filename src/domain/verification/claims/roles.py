"""Roles of words in a sentence: who does what to whom, what is compared with what.

Without a parser: the role of a content word is the preposition or conjunction that governs it,
and its side of the verb. A phrase may move and a verb may change its voice without a change of
roles; two words of the same role that exchange their places around a third may not.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Final

from citeloom.domain.verification.claims.contradictions import is_turned_round
from citeloom.domain.verification.claims.parsed_sentence import ParsedSentence
from citeloom.domain.verification.claims.tokens import Token

_GOVERNORS: Final = frozenset(
    "by of in on at for with within to into through via during among across between about as using "
    "like when while if because although though whereas where whose per than from "
    "without before after following against unlike except until since versus over under".split()
)
# "The tools that are presented": a relative clause belongs to its noun.
_RELATIVE: Final = frozenset({"that", "which", "who"})
# After these a clause goes on without the preposition before.
_RESET: Final = frozenset(
    "is are was were be been being has have had can could may might must shall should will would "
    "does do did we they it he she i you not".split()
)
_EVENT: Final = re.compile(r"[^\W_]+|[.;:()–—]")
_ADVERB: Final = re.compile(r"[^\W\d_]+ly\b")
_BY: Final = "by"


def governors(sentence: ParsedSentence, tokens: Sequence[Token]) -> list[str]:
    """For each token the word that governs it, "" for none; *using* governs itself."""
    starts = {token.start for token in tokens}
    places: list[int] = []
    governing: list[str] = []
    current, is_relative = "", False
    for event in _EVENT.finditer(sentence.text):
        word = event[0].casefold()
        if word in _RELATIVE:
            is_relative = True
        elif word in _GOVERNORS:
            current = word
        if event.start() in starts:
            is_relative = False
        elif (word in _RESET and not is_relative) or not word[0].isalnum():
            current = ""
        places.append(event.start())
        governing.append(current)
    at = (bisect_right(places, token.start) - 1 for token in tokens)
    return [governing[place] if place >= 0 else "" for place in at]


def exchanged_roles(
    claim: ParsedSentence,
    source: ParsedSentence,
    claim_tokens: Sequence[Token],
    source_tokens: Sequence[Token],
) -> bool:
    """Whether words that both sentences have once play each other's part in one of them."""
    mine = _unique(claim, claim_tokens)
    theirs = _unique(source, source_tokens)
    common = sorted(mine.keys() & theirs.keys(), key=lambda key: mine[key][0])
    if _agents_differ(mine, theirs, common) or _agents_differ(theirs, mine, common):
        return True
    for first, last in combinations(common, 2):
        before, after = mine[first][1], mine[last][1]
        if (theirs[last][1], theirs[first][1]) != (before, after):
            continue
        if before != after:
            if _BY not in (before, after) and not is_turned_round(claim, source):
                return True
        elif theirs[last][0] < theirs[first][0] and any(
            theirs[last][0] < theirs[middle][0] < theirs[first][0]
            for middle in common
            if mine[first][0] < mine[middle][0] < mine[last][0]
        ):
            return True
    return False


def _unique(sentence: ParsedSentence, tokens: Sequence[Token]) -> dict[str, tuple[int, str]]:
    """Position and governor of the tokens that occur once, by key; without adverbs, which stand
    anywhere."""
    keys = [token.key for token in tokens]
    governed = governors(sentence, tokens)
    return {
        token.key: (at, governor)
        for at, (token, governor) in enumerate(zip(tokens, governed, strict=True))
        if keys.count(token.key) == 1 and not _ADVERB.match(sentence.text, token.start)
    }


def _agents_differ(
    passive: dict[str, tuple[int, str]], active: dict[str, tuple[int, str]], common: Sequence[str]
) -> bool:
    """Whether the agent of a passive (*by*) comes after its verb in the other sentence."""
    order = sorted(common, key=lambda key: passive[key][0])
    for verb, agent in pairwise(order):
        is_agent = passive[agent][1] == _BY and passive[verb][1] != _BY
        if is_agent and active[agent][1] != _BY and active[verb][0] < active[agent][0]:
            return not active[agent][1]
    return False
