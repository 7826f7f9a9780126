"""Synonym groups of the English of papers, by stem."""

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
perform conduct carry
put place
allow enable permit let
stay remain
wish want
choose select pick
happen occur
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
