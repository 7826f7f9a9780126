"""Content words of English text by stem."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.words import forms, words


class DocumentFrequencies(NamedTuple):
    """Number of ``passages`` of a library, and for each word (as asked) how many contain it."""

    passages: int
    counts: Mapping[str, int]


# Endings of English inflection and derivation, longest first. Stems are only compared with each
# other and need not be words; a minimum length keeps short words apart.
_ENDINGS: Final = tuple(
    sorted(
        (
            "ization isation ational ations ation ative ements ement ments ment nesses ness "
            "ities ity ically ical ances ance ences ence ables able ibles ible ingly edly fully "
            "ating ated ates ate ators ator ising izing ised ized ises izes ise ize ions ion "
            "ings ing ies ied ers er ors or ed es ly al ic ous ive s e y"
        ).split(),
        key=len,
        reverse=True,
    )
)
_SHORTEST: Final = 4
# Words of reporting, without a subject of their own.
_FORMAL: Final = frozenset(
    "also however therefore thus hence may might could would should can study studies result "
    "results show shows showed shown find finds found finding findings suggest suggests suggested "
    "demonstrate demonstrates demonstrated report reports reported paper author authors et al "
    "respectively significant significantly using used use via among within based".split()
)
_NAMING: Final = re.compile(r"[^\W\d_]*(?:\d|[A-Z]\w*[A-Z]|^[A-Z]{2,})")


class Term(NamedTuple):
    """A content word at ``text[start:end]`` with its stem; ``is_name``: written as a name or
    abbreviation (*IL-6*, *mRNA*, *Bayes* within a sentence)."""

    start: int
    end: int
    stem: str
    is_name: bool


def terms(text: str) -> tuple[Term, ...]:
    """The content words of an English text, in order."""
    return tuple(_terms(text))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The common stem of a word's inflected forms."""
    shortest = 3 if len(word) < 6 else _SHORTEST
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                return word
            base = word[: -len(ending)]
            return base[:-1] if len(base) > _SHORTEST and base[-1] == base[-2] else base
    return word


def _terms(text: str) -> Iterator[Term]:
    ignored = STOP_WORDS["en"] | _FORMAL
    for word in words(text):
        capital = word.text[:1].isupper() and bool(re.search(r"\w", text[: word.start]))
        is_name = capital or bool(_NAMING.match(word.text))
        for part in forms(word.text).parts:
            if len(part) < 2 or part in ignored or not any(c.isalpha() for c in part):
                continue
            yield Term(word.start, word.end, stem(part), is_name)
