"""Word groups that change the meaning of a sentence: attribution, restriction, cause, quantifiers,
hedges, negation.

Own word lists for the English of papers; negations also of other large languages of science,
where a missing word goes unnoticed.
"""

import re
from collections.abc import Mapping
from typing import Final

from citeloom.domain.verification.claims.polarity import negations


def _groups(table: str) -> dict[str, re.Pattern[str]]:
    """A pattern of all words and phrases of each line, by the first word of the line."""
    patterns = {}
    for line in table.strip().splitlines():
        phrases = [phrase.strip() for phrase in line.split(",")]
        pattern = "|".join(re.escape(one).replace(r"\*", r"\w*") for one in phrases)
        patterns[phrases[0]] = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    return patterns


# The evidence does not assert what follows these.
_ATTRIBUTION: Final = _groups(
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
can, could, able, may
want, wants, wanted, wish*, hope*
previous*, prior, earlier work
myth*, misconception*, contrary to, false, wrong, incorrect, untrue, disprov*, refut*, doubt*
state that, states that, stated that, write that, writes that, wrote that
mention*, respond that, responded that, reply that, replied that
say, says, said, saying, deny, denies, denied, reject*
example, for instance, e.g
"""
)
# Restrictions that a sentence must keep.
_RESTRICTIONS: Final = _groups(
    """
only, solely, exclusively, merely
not only
unless, except, excluding, apart from, other than
provided that, providing that, as long as
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
_CONNECTIVES: Final = _groups(
    """
because, since, due to, owing to, thanks to
therefore, thus, hence, consequently, accordingly, as a result, so
although, though, despite, in spite of, nevertheless, nonetheless, while, but, however, whereas
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
# These say nothing of how many.
_RECIPROCAL: Final = re.compile(r"\beach other\b", re.IGNORECASE)
#: Words by which a sentence is less than sure.
HEDGE: Final = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|probabl[ey]|likely|approximately|"
    r"(?:about|around)(?=\s[\d~]|\s(?:half|one|two|three|four|five|six|ten|a (?:third|quarter))\b)|"
    r"roughly|estimated|appears? to|seems? to|appears?|seems?|suggest(?:s|ed|ing)?|"
    r"indicat(?:es?|ed|ing)|"
    r"potential(?:ly)?|presumably|reportedly|allegedly|unclear|uncertain|tends? to|"
    r"hypothesi[sz]e[sd]?|in (?:some|certain) cases)\b",
    re.IGNORECASE,
)
# Negations in other languages; English ones have rules of their own (polarity).
_NEGATIONS: Final = re.compile(
    r"\b(?:nicht|kein(?:e[nmrs]?)?|niemals|nie|weder|niemand|nichts|ohne|"
    r"ne|pas|aucune?|jamais|sans|rien|ni|nunca|jamás|sin|ning[uú]n[ao]?s?|nadie|nada|tampoco|"
    r"non|mai|senza|nessun[ao]?|né|não|nenhuma?|sem|niet|geen|nooit|zonder|noch|"
    r"inte|ej|icke|aldrig|utan|ikke|aldri|uden|uten|не|нет|без|nie|bez|ei|eivät|hiç|değil)\b"
    r"|\bn['’](?=\w)",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"[\[\]<>@`*_#|\\${}^~]|https?:|www\.|!\[")
# Self-reference and anaphora, which change meaning outside their text.
_CONTEXT_DEPENDENT: Final = re.compile(
    r"\b(?:we|us|ours?|ourselves|I|my|me|wir|uns|unsere?[nmrs]?|nous|notre|nos|nosotros|nuestr[oa]s?)\b"
    r"|\b(?:this|the present|our|the current) (?:paper|study|section|chapter|thesis|article|review|"
    r"work|report|survey|experiment|figure|table)\b"
    r"|\b(?:above|below|aforementioned|(?:as|already) mentioned|"
    r"the (?:former|latter))\b"
    r"|\A\W*(?:it|they|he|she|its|their|his|her|this|these|those|that|such|both|here|there|then|"
    r"so|another|others?|one|instead|otherwise|er|sie|es|diese[nmrs]?|il|elles?|ils|cette|ces)\b",
    re.IGNORECASE,
)


def attribution_words(text: str) -> Mapping[str, str]:
    """Markers of a question, wish, conjecture or another's opinion. This and the following map
    the group to the word in the text."""
    words = _groups_in(text, _ATTRIBUTION)
    return words | {"?": "?"} if text.rstrip("\"'”’)").endswith("?") else words


def restrictions(text: str) -> Mapping[str, str]:
    return _groups_in(text, _RESTRICTIONS)


def connectives(text: str) -> Mapping[str, str]:
    """Connectives of reason, contrast and comparison."""
    return _groups_in(text, _CONNECTIVES)


def causal_words(text: str) -> Mapping[str, str]:
    return _groups_in(text, _CAUSES)


def quantifiers(text: str) -> Mapping[str, str]:
    """Quantifiers, and words of frequency and degree."""
    return _groups_in(_RECIPROCAL.sub("", text), _QUANTIFIERS)


def hedges_dropped(sentence: str, evidence: str) -> bool:
    """Whether the sentence has fewer hedges than the evidence."""
    return len(HEDGE.findall(sentence)) < len(HEDGE.findall(evidence))


def count_negations(text: str) -> int:
    return max(len(negations(text)), len(_NEGATIONS.findall(text)))


def markup(text: str) -> Mapping[str, str]:
    """Characters of markup, citations and web addresses."""
    return {one: one for one in _MARKUP.findall(text)}


def context_dependent(text: str) -> str | None:
    """The first self-referential or anaphoric word; None without one."""
    match = _CONTEXT_DEPENDENT.search(text)
    return match[0].strip() if match else None


def _groups_in(text: str, groups: Mapping[str, re.Pattern[str]]) -> dict[str, str]:
    return {name: found[0] for name, one in groups.items() if (found := one.search(text))}


# "Need not be" is not denied by "is".
_UNNECESSARY: Final = re.compile(
    r"\b(?:need(?:s)? not|needn['’]t|(?:do|does|did)(?: not|n['’]t) (?:need|have) to|"
    r"not (?:necessarily|always|all|every|only|solely|merely|entirely))\b",
    re.IGNORECASE,
)


def denies_necessity(sentence: str) -> bool:
    """Whether it denies only that something must be, or is always so."""
    return _UNNECESSARY.search(sentence) is not None
