"""Content words of English text by stem."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from .words import STOP_WORDS, forms, words


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
            "ings ing ies ied ers er ors or ed ly al ic ous ive e y"
        ).split(),
        key=len,
        reverse=True,
    )
)
_SHORTEST: Final = 4
_NO_ADVERBS: Final = frozenset(
    "supply imply assembly family anomaly monopoly multiply comply butterfly".split()
)
# Participles whose ending is that of a noun of action, too: *upregulated*, *upregulation*.
_DERIVED: Final = ("ated", "ating", "ised", "ising", "ized", "izing")
_VOWELS: Final = frozenset("aeiouy")
# Irregular forms of English words, after their base form.
_IRREGULAR: Final = """
arise arose arisen
become became
begin began begun
bind bound
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
cost costs
deal dealt
do did done
draw drew drawn
drive drove driven
eat ate eaten
fall fell fallen
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
get got gotten
give gave given
go went gone
grow grew grown
hold held
keep kept
know knew known
lay laid
lead led
learn learnt
leave left
lend lent
lie lay lain
lose lost
make made
mean meant
meet met
pay paid
read reads
ride rode ridden
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
show shown
shrink shrank shrunk
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
strike struck
swim swam swum
take took taken
teach taught
tell told
think thought
throw threw thrown
understand understood
undergo underwent undergone
undertake undertook undertaken
use used uses using
wear wore worn
win won
write wrote written
analysis analyses
axis axes
basis bases
child children
criterion criteria
crisis crises
datum data
foot feet
half halves
hypothesis hypotheses
index indices indexes
life lives
man men
matrix matrices
medium media
mouse mice
person people
phenomenon phenomena
tooth teeth
woman women
"""
# The base form of each irregular form. A form of two words (*lay*) stands for the first.
_BASE_FORMS: Final[Mapping[str, str]] = {
    form: line.split()[0]
    for line in reversed(_IRREGULAR.strip().splitlines())
    for form in line.split()[1:]
}
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
    """The common stem of a word's inflected and derived forms."""
    word = _uninflected(_BASE_FORMS.get(word, word))
    shortest = 3 if len(word) < 6 else _SHORTEST
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            base = word[: -len(ending)]
            return base[:-1] if len(base) > _SHORTEST and base[-1] == base[-2] else base
    return word


def _uninflected(word: str) -> str:
    """Without the regular endings of plurals, third persons, past tenses and participles."""
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    if word.endswith("ly") and len(word) > _SHORTEST + 2 and word not in _NO_ADVERBS:
        word = f"{word[:-3]}y" if word.endswith("ily") else word[:-2]
    if word.endswith(_DERIVED):
        return word
    for ending in ("ed", "ing"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= _SHORTEST - 1 and not _VOWELS.isdisjoint(base):
            return base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
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
