"""Small words that change what a sentence says, in groups of the same meaning.

Word lists of our own, for the English of papers; what denies, in the larger languages of
science, for there a missing word goes unnoticed.
"""

import re
from collections.abc import Mapping
from typing import Final

from citeloom.domain.text.terms import stem
from citeloom.domain.verification.claims.polarity import negations


def _groups(written: str) -> dict[str, re.Pattern[str]]:
    """By the first word of a line: what finds any of its words and phrases."""
    found = {}
    for line in written.strip().splitlines():
        phrases = [phrase.strip() for phrase in line.split(",")]
        pattern = "|".join(re.escape(one).replace(r"\*", r"\w*") for one in phrases)
        found[phrases[0]] = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    return found


# Evidence with these does not say itself what follows them.
_FRAMES: Final = _groups(
    """
whether, if
hypothes*, conjectur*, speculat*
assum*, suppos*, presum*
aim*, goal*, objective*, purpose*, intend*, plan to, plans to, planned, seek*, sought
ask*, question, questions, wonder*
claim, claims, claimed, alleg*, purport*
believ*, thought, think, thinks, opinion*, perceiv*, perception*, feel, felt, felt that
argu*, contend*, assert*
propos*, recommend*, advocat*
expect*, anticipat*, predict*, forecast*
test, tests, tested, testing
attempt*, try, tries, tried
will, shall
would
should, ought, must
can, could, able
want, wants, wanted, wish*, hope*
previous*, prior, earlier work
myth*, misconception*, contrary to, false, wrong, incorrect, untrue, disprov*, refut*, doubt*
state that, states that, stated that, write that, writes that, wrote that
mention*, respond that, responded that, reply that, replied that
say, says, said, saying, deny, denies, denied, reject*
example, for instance, e.g
"""
)
# What evidence restricts with these, a sentence without them does not.
_LIMITS: Final = _groups(
    """
only, solely, exclusively, merely
not only
unless, except, excluding, apart from, other than
provided, providing, as long as
when, whenever, once
until, till
at least, at most
during
against
without
in vitro, in vivo, ex vivo
mice, mouse, murine, rat, rats, animal*
simulat*, synthetic
pilot, preliminar*, exploratory
subset, subgroup
women, female*
men, male*
child*, adolescent*, older adults
"""
)
_LINKS: Final = _groups(
    """
because, since, as a result, due to, owing to, thanks to
therefore, thus, hence, consequently, accordingly, so that
although, despite, in spite of, even though, nevertheless, nonetheless
than, compared, versus, relative to
first, the first
unlike, in contrast, conversely
"""
)
_CAUSES: Final = _groups(
    """
caus*, result in, results in, resulted in, lead to, leads to, led to, bring about, responsible for
determin*, driv*, drove
"""
)
_QUANTIFIERS: Final = _groups(
    """
all, every, each, always, any, entire*, complete*, universal*, invariabl*, fully
no, none, never, neither, nobody, nothing
most, majority, mostly, mainly, primarily, predominantly
some, several, sometimes, certain
few, rarely, seldom
many, numerous, often, frequent*
half, a third, a quarter
both
almost, nearly
more
less, fewer
very, highly, extremely, strongly
significant, significantly
prove*, proof, establish*, conclusive*, undoubtedly, clearly, definitely, certainly
"""
)
# Denials of other languages than English, whose negations have their own rules.
_DENIALS: Final = re.compile(
    r"\b(?:nicht|kein(?:e[nmrs]?)?|niemals|nie|weder|niemand|nichts|ohne|"
    r"ne|pas|aucune?|jamais|sans|rien|ni|nunca|jamás|sin|ning[uú]n[ao]?s?|nadie|nada|tampoco|"
    r"non|mai|senza|nessun[ao]?|né|não|nenhuma?|sem|niet|geen|nooit|zonder|noch|"
    r"inte|ej|icke|aldrig|utan|ikke|aldri|uden|uten|не|нет|без|nie|bez|ei|eivät|hiç|değil)\b"
    r"|\bn['’](?=\w)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[\[\]<>@`*_#|\\${}^~]|https?:|www\.|!\[")
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s(?:\w+ly\s)?(?:not\s)?\w+(?:ed|en|wn|un|ght|ld|id|de)\s"
    r"(?:\w+\s){0,3}?by\b",
    re.IGNORECASE,
)
# What a sentence says of its own authors and text, or takes from the sentence before, is another
# thing in another text.
_PLACED: Final = re.compile(
    r"\b(?:we|us|ours?|ourselves|I|my|me|wir|uns|unsere?[nmrs]?|nous|notre|nos|nosotros|nuestr[oa]s?)\b"
    r"|\b(?:this|the present|our|the current) (?:paper|study|section|chapter|thesis|article|review|"
    r"work|report|survey|experiment|figure|table)\b"
    r"|\b(?:above|below|aforementioned|(?:as|already) mentioned|"
    r"the (?:former|latter))\b"
    r"|\A\W*(?:it|they|he|she|its|their|his|her|this|these|those|that|such|both|here|there|then|"
    r"so|another|others?|one|instead|otherwise|er|sie|es|diese[nmrs]?|il|elles?|ils|cette|ces)\b",
    re.IGNORECASE,
)
# Words for the same in the English of papers, a line each; directions have axes of their own.
_ALIKE: Final = """
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
examine investigate explore analyze analyse
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


def _alike() -> Mapping[str, str]:
    found = {}
    for line in _ALIKE.strip().splitlines():
        first, *others = line.split()
        for word in (first, *others):
            base = word.removesuffix("e")
            for form in (word, f"{word}s", f"{word}d", f"{base}ed", f"{base}ing"):
                found[stem(form)] = stem(first)
    return found


_FIRSTS: Final = _alike()


def alike(stemmed: str) -> str:
    """One stem for all words of the same meaning."""
    return _FIRSTS.get(stemmed, stemmed)


def frames(text: str) -> Mapping[str, str]:
    """What makes of a statement a question, a wish, a guess or another's opinion. These and
    the following are by group, with the word that is in the text."""
    found = _in(text, _FRAMES)
    return found | {"?": "?"} if text.rstrip("\"'”’)").endswith("?") else found


def limits(text: str) -> Mapping[str, str]:
    """What restricts a statement."""
    return _in(text, _LIMITS)


def links(text: str) -> Mapping[str, str]:
    """What joins two statements to a third: a reason, a contrast, a comparison."""
    return _in(text, _LINKS)


def causes(text: str) -> Mapping[str, str]:
    """What says that one thing makes another."""
    return _in(text, _CAUSES)


def quantifiers(text: str) -> Mapping[str, str]:
    """What says of how many, how often or how much something holds."""
    return _in(text, _QUANTIFIERS)


def denials(text: str) -> int:
    """How often a text denies something."""
    return max(len(negations(text)), len(_DENIALS.findall(text)))


def marks(text: str) -> Mapping[str, str]:
    """Characters of markup, of citations and of web addresses."""
    return {one: one for one in _MARKS.findall(text)}


def placed(text: str) -> str | None:
    """A word that means something else in another text; None without any."""
    found = _PLACED.search(text)
    return found[0].strip() if found else None


def is_passive(text: str) -> bool:
    """Whether something is done *by* someone."""
    return _PASSIVE.search(text) is not None


def _in(text: str, groups: Mapping[str, re.Pattern[str]]) -> dict[str, str]:
    return {name: found[0] for name, one in groups.items() if (found := one.search(text))}
