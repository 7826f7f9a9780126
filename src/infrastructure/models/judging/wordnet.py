"""Relations between English words by WordNet 3.0: ``data/wordnet.gz``, made by
``tools/training/claims/relations.py``. Its licence is in the file and in NOTICE."""

import gzip
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from citeloom.domain.verification.claims.alignment import Relation

_FILE: Final = Path(__file__).parent / "data" / "wordnet.gz"
# Endings and what stands for them in the base form, after WordNet's own rules (morphy).
_ENDINGS: Final = tuple(
    tuple(pair.split(":"))
    for pair in (
        "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y es:e es: ed:e ed: ing:e ing: er: er:e"
        " est: est:e"
    ).split()
)


class _Senses(NamedTuple):
    """Synsets of a word, of words derived from it or similar, and of its opposites."""

    own: frozenset[int] = frozenset()
    near: frozenset[int] = frozenset()
    opposed: frozenset[int] = frozenset()


class WordNet:
    """Loads with the first word."""

    def is_verb(self, word: str) -> bool:
        """Whether it is most often a verb or adverb."""
        own = "" if word.endswith("ed") else self._words.get(word, "")
        lines = [own] if own else [self._words.get(form, "") for form in _base_forms(word)]
        return any(line[:1] in ("v", "r") for line in lines)

    def relation(self, word: str, other: str) -> Relation:
        mine, theirs = self._senses(word), self._senses(other)
        if not mine.own or not theirs.own:
            return Relation.UNKNOWN
        if mine.opposed & theirs.own or theirs.opposed & mine.own:
            return Relation.OPPOSITE
        if mine.own & (theirs.own | theirs.near) or mine.near & theirs.own:
            return Relation.SAME
        if mine.own & self._above(theirs, 2):
            return Relation.BROADER
        if theirs.own & self._above(mine, 2):
            return Relation.NARROWER
        if self._above(mine, 1) & self._above(theirs, 1):
            return Relation.SISTER
        return Relation.NONE

    def _above(self, senses: _Senses, steps: int) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        level = senses.own
        for _ in range(steps):
            level = frozenset(above for one in level for above in self._hypernyms[one])
            found |= level
        return found

    @lru_cache(maxsize=8192)  # noqa: B019 (one instance a process)
    def _senses(self, word: str) -> _Senses:
        found = [self._entry(form) for form in {word, *_base_forms(word)}]
        own, near, opposed = (frozenset[int]().union(*part) for part in zip(*found, strict=True))
        return _Senses(own, near - own, opposed)

    def _entry(self, form: str) -> _Senses:
        line = self._words.get(form)
        if line is None:
            return _Senses()
        return _Senses(*(frozenset(map(int, part.split())) for part in line.split("\t")[1:]))

    @cached_property
    def _text(self) -> list[str]:
        return gzip.decompress(_FILE.read_bytes()).decode().split("\n%\n")

    @cached_property
    def _hypernyms(self) -> list[tuple[int, ...]]:
        return [tuple(map(int, line.split())) for line in self._text[1].split("\n")]

    @cached_property
    def _words(self) -> dict[str, str]:
        pairs = (line.partition("\t") for line in self._text[2].split("\n"))
        return {word: senses for word, _, senses in pairs}


def _base_forms(word: str) -> Iterator[str]:
    for ending, base in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            rest = word.removesuffix(ending)
            yield rest + base
            if not base and rest[-1:] == rest[-2:-1]:
                yield rest[:-1]  # planned
