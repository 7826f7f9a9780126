"""Comparison of author names as citations and as libraries write them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.identifiers import letters_and_digits

_ROLES = ("author", "editor", "translator", "director", "composer")
_PARTICLES = ("non-dropping-particle", "dropping-particle")
# Letters that have no accent to remove, and two spellings of umlauts.
_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"})
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue",
                          "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"})  # fmt: skip


class PersonName:
    """The spellings under which a person, or an organisation, is cited."""

    def __init__(self, family: str, given: str = "", particles: tuple[str, ...] = ()) -> None:
        self.short = " ".join(filter(None, (*particles, family)))
        self._given = given.replace(".", " ").replace("-", " ").split()
        whole = letters_of(self.short)
        bare = letters_of(family)
        lower = family.split()
        while len(lower) > 1 and lower[0].islower():  # a particle in the family name
            lower = lower[1:]
        self._families = whole | bare | letters_of(" ".join(lower))
        self._initials = "".join(word[0] for word in family.split() if word[0].isupper())

    def is_written(self, name: str) -> bool:
        """Whether ``name`` is the family name, with or without particles and given names, or the
        initials of an organisation."""
        if letters_of(name) & self._families:
            return True
        if not self._given:
            known = letters_of(name.removeprefix("The "))
            return bool(known & self._families) or (
                len(self._initials) > 2 and name == self._initials
            )
        words = name.split()
        return any(
            letters_of(" ".join(words[at:])) & self._families
            and all(map(self._is_given, words[:at]))
            for at in range(1, len(words))
        )

    def _is_given(self, word: str) -> bool:
        bare = word.strip(".")
        return any(
            letters_of(bare) & letters_of(one) or (len(bare) == 1 and one[:1] == bare)
            for one in self._given
        )


def names_of(work: CitationMeta) -> tuple[PersonName, ...]:
    """The people that a citation of ``work`` names: its authors, else its editors. None for
    *[no author]*."""
    for role in _ROLES:
        people = work.csl.get(role)
        if isinstance(people, list) and (names := tuple(_read(people))):
            return names
    return tuple(_displayed(author) for author in work.authors if not author.startswith("["))


def short_citation(work: CitationMeta) -> str:
    """``Barba & Forsyth, 2018``, ``Smith et al., 2019``."""
    names = [name.short for name in names_of(work)] or [work.title]
    people = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    return f"{people}, {work.year or 'n.d.'}"


@lru_cache(maxsize=4096)
def letters_of(name: str) -> frozenset[str]:
    """The letters of a name, without accents; of one with umlauts in both spellings."""
    spellings = (name.translate(_PLAIN), name.translate(_SPELLED))
    return frozenset(letters for one in spellings if (letters := letters_and_digits(one)))


def _read(people: list[Any]) -> Iterator[PersonName]:
    for person in people:
        if not isinstance(person, Mapping):
            continue
        family, given = str(person.get("family") or ""), str(person.get("given") or "")
        literal = str(person.get("literal") or person.get("name") or "")
        if family:
            particles = tuple(str(person[name]) for name in _PARTICLES if person.get(name))
            yield PersonName(family, given, particles)
        elif literal:
            yield PersonName(literal)


def _displayed(author: str) -> PersonName:
    """A display name, with the family name last."""
    given, _, family = author.partition(",")[0].rpartition(" ")
    return PersonName(family, given)
