"""Synonyms of the English of papers: words by stem, and phrases."""

import re
from collections.abc import Mapping
from typing import Final

from citeloom.domain.text.terms import stem

# Synonym groups of the English of papers, one a line; directions have axes of their own.
_SYNONYMS: Final = """
use utilize utilise employ apply application usage
method approach technique procedure
show demonstrate reveal find report observe indicate describe present
study paper article work research investigation
author researcher scholar investigator
participant subject respondent
child children
student pupil learner
teacher instructor educator
provide offer supply give
contain comprise include consist
create build construct develop
examine investigate explore analyze analyse assess evaluate
perform conduct
put place
address meet
occur happen arise
allow enable permit let
stay remain
wish want
choose select pick
whole entire
several multiple various
important crucial essential
main primary principal
goal aim objective purpose
result outcome
way manner
part portion
software program programme tool package
aid help assist support
require need
obtain get gain acquire
rapid fast quick
big large
purchase buy
start begin commence
end finish conclude
also additionally moreover furthermore
"""


def _synonym_stems() -> Mapping[str, str]:
    stems = {}
    for line in _SYNONYMS.strip().splitlines():
        first, *others = line.split()
        for word in (first, *others):
            base = word.removesuffix("e")
            for form in (word, f"{word}s", f"{word}d", f"{base}ed", f"{base}ing"):
                stems[stem(form)] = stem(first)
    return stems


_CANONICAL_STEMS: Final = _synonym_stems()


def synonym_stem(stemmed: str) -> str:
    """The canonical stem of a synonym group."""
    return _CANONICAL_STEMS.get(stemmed, stemmed)


# A plain wording, and phrases that say the same.
_PHRASES: Final = """
to: in order to, so as to
for example: for instance, e.g.
use: make use of
uses: makes use of
used: made use of
using: making use of, by means of
because of: due to, owing to, on account of
and: as well as
through: via
before: prior to
perform: carry out
performs: carries out
performed: carried out
performing: carrying out
each other: one another
without: with no
anyone: anybody
remains: is still
remain: are still
however: by contrast, in contrast, on the other hand, nevertheless, nonetheless
can: is able to, are able to
about: approximately, roughly
now: currently, at present
except: other than, apart from
"""
_PLAIN: Final = {
    phrase.strip(): plain
    for plain, _, phrases in (line.partition(": ") for line in _PHRASES.strip().splitlines())
    for phrase in phrases.split(",")
}
_PHRASE: Final = re.compile(
    rf"\b(?:{'|'.join(re.escape(one) for one in sorted(_PLAIN, key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)


# "by a factor of 5 to 10": 5 to 10 times.
_FACTOR: Final = re.compile(
    r"\bby (?:a factor|factors) of "
    r"((?:about |approximately )?\d[\d.,]*(?:\s?(?:to|–|-)\s?\d[\d.,]*)?)(?<![.,])",
    re.IGNORECASE,
)


def plain_phrases(text: str) -> str:
    """The text with each known phrase in its plain wording."""
    text = _FACTOR.sub(r"\1 times", text)
    return _PHRASE.sub(lambda match: _PLAIN[match[0].casefold()], text)
