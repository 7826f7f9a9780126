"""What a library has to say on a question besides its words: the terms of what it finds at first
sight (pseudo-relevance feedback, by words and headings; nothing is learned).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.claims.terms import stem, terms
from citeloom.domain.language import STOP_WORDS
from citeloom.domain.values import Value
from citeloom.domain.words import words

_COMMON: Final = frozenset().union(*STOP_WORDS.values())
# Words that say what a text does, not what it is about, and headings that every paper has.
_FORMAL: Final = frozenset(
    """
    abstract acknowledgement acknowledgements acknowledgment acknowledgments additional appendix
    approach article aspects available background case chapter common conclusion conclusions
    content contents contribution doi contributions conflict different discussion et al etc example
    examples experience figure figures finally first following found future general however
    implications important including introduction interest large like limitations literature
    main many material materials method methodology methods need new number objectives
    percent percentage point points one outlook outline overview paper part parts particular present previous purpose questions
    recent references related research result results review second section sections set several
    show shown significant similar since specific statement story studies study summary table
    tables third three time two use used useful user using various well within without work works
    also based allow allows make makes made provide provides provided people way ways
    """.split()
)
_LONGEST: Final = 3
_HEADING_WORDS: Final = 6
_URL: Final = re.compile(r"https?://\S+|\S+@\S+|\b10\.\d{4,}/\S+")
_BETWEEN: Final = re.compile(r"[ \u00a0]")


class Seen(Value):
    """A passage that a question found at first sight. ``heading`` is the nearest one."""

    document_id: str
    heading: str | None = None
    text: str


class _Found(NamedTuple):
    documents: set[str]
    passages: set[int]
    shown: str


def facets(question: str, seen: Sequence[Seen], most: int) -> tuple[str, ...]:
    """At most ``most`` terms (of one to three words) that passages of several documents, or else
    several passages, speak of and the question does not; the most widespread first, no two with
    a word in common. Longer terms go before their parts."""
    asked = {term.stem for term in terms(question)}
    found: dict[tuple[str, ...], _Found] = {}
    for number, passage in enumerate(seen):
        for shown in _terms(passage):
            stems = tuple(stem(word.casefold()) for word in shown.split())
            one = found.setdefault(stems, _Found(set(), set(), shown))
            one.documents.add(passage.document_id)
            one.passages.add(number)
    known = len({passage.document_id for passage in seen})
    least = 2 if known > 1 else 1

    def weight(stems: tuple[str, ...]) -> float:
        one = found[stems]
        new = sum(part not in asked for part in stems)
        return (2 * len(one.documents) + len(one.passages)) * (1.0 if new == 1 else 1.5)

    fit = [
        stems
        for stems, one in found.items()
        if len(one.passages) > 1
        and len(one.documents) >= least
        and any(part not in asked for part in stems)
        and (len(stems) > 1 or len(one.documents) > 2)
    ]
    chosen: list[str] = []
    taken: set[str] = set()
    for stems in sorted(fit, key=lambda stems: -weight(stems)):
        if len(chosen) == most:
            break
        if taken.isdisjoint(set(stems) - asked):
            chosen.append(found[stems].shown)
            taken.update(stems)
    return tuple(chosen)


def _terms(passage: Seen) -> Iterator[str]:
    """Terms of a passage: its heading, if that is short, and runs of content words."""
    if passage.heading and len(passage.heading.split()) <= _HEADING_WORDS:
        yield from _runs(passage.heading)
    yield from _runs(_URL.sub(" . ", passage.text))


def _runs(text: str) -> Iterator[str]:
    run: list[str] = []
    before = 0
    for word in words(text):
        joined = bool(_BETWEEN.fullmatch(text[before : word.start]))
        before = word.end
        if not joined:
            run = []
        if not _tells(word.text):
            run = []
            continue
        run.append(word.text)
        for length in range(1, min(len(run), _LONGEST) + 1):
            yield " ".join(run[-length:])


def _tells(word: str) -> bool:
    folded = word.casefold()
    return (
        len(word) > 2
        and word[0].isalpha()
        and folded not in _COMMON
        and folded not in _FORMAL
        and not folded.endswith("ly")
    )
