"""Words that change what a sentence asserts: attribution, restriction, cause, quantifiers, hedges.

Own word lists for the English of papers; negations also of other large languages of science.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from citeloom.domain.text.scripts import without_powers

from .parsed_sentence import ParsedSentence, content_tokens
from .polarity import negations

WordsOf = Callable[[str], Mapping[str, str]]


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
whether
if
hypothes*, conjectur*, speculat*, postulat*, theorise, theorises, theorised, theoriz*
assum*, suppos*, presum*
aim*, goal*, objective*, intend*, plan to, plans to, planned, seek*, sought
ask*, wonder*
question, questions
argue, argues, argued, arguing, arguably, claim, claims, claimed, contend*, assert*, alleg*, \
purport*, believ*, thought, think, thinks, opinion*
perceiv*, perception*, feel, felt, felt that
propos*, recommend*, advocat*
expect*, anticipat*, predict*, forecast*
test, tests, tested, testing
attempt*, try to, tries to, tried to
will, shall
would
should, ought, must
able
can, could, may
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
simply
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
_CAUSES: Final = _groups(
    """
caus*, the reason, result in, results in, resulted in, lead to, leads to, led to, responsible for
determin*, driv*, drove
"""
)
_QUANTIFIERS: Final = _groups(
    """
any
all, every, always, entire*, complete*, universal*, invariabl*, fully
no, none, never, neither, nobody, nothing
each
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
prove*, proof*, establish*, conclusive*, undoubtedly, clearly, definitely, certainly
"""
)
_DUTIES: Final = _groups(
    """
required, requires, must, may not, mandatory, compulsory, obligatory, necessary, has to, have to, \
needs to
recommended, recommends, advised, advisable, encouraged, suggested, should
optional, optionally, voluntary
"""
)
_NO_DUTY: Final = re.compile(
    r"\bneed not\b|\b(?:not|n['’]t) (?:required|mandatory|compulsory|obligatory|necessary)\b", re.I
)
_NOT_ONLY: Final = re.compile(r"\bnot (?:only|merely|simply|solely)\b", re.IGNORECASE)
# These do not report what others do.
_THE_TESTS: Final = re.compile(r"\b(?:(?:the|of|these|those|each|all|unit) tests?\b|tests?-)", re.I)
# The month.
_IN_MAY: Final = re.compile(r"\bMay(?=,? \d)|(?<=[\w,)] )May\b")
# These say nothing of how many.
_RECIPROCAL: Final = re.compile(
    r"\beach other\b|\b(?:a|only) few\b|\bsome time\b|\babove all\b(?! other)", re.IGNORECASE
)
#: Words by which a sentence is less than sure.
HEDGE: Final = re.compile(
    r"\b(?:(?-i:may|(?<![\w,)] )May(?!,? \d))|might|could|possibl[ey]|perhaps|probabl[ey]|likely|"
    r"approximately|"
    r"(?:about|around)(?=\s[\d~]|\s(?:half|one|two|three|four|five|six|ten|a (?:third|quarter))\b)|"
    r"roughly|estimated|seems?|appears?(?!\s*[.,;:)]|\s*\Z)|suggest(?:s|ed)?|(?<!by )suggesting|"
    r"indicat(?:es?|ed|ing)|"
    r"potential(?:ly)?|presumably|seemingly|supposedly|reportedly|allegedly|anecdotally|unclear|uncertain|"
    r"tends? to|hypothesi[sz]e[sd]?|in (?:some|certain) cases)\b",
    re.IGNORECASE,
)
# Said of a number, these are compared with it.
_ROUGHLY: Final = re.compile(
    r"\b(?:about|around|approximately|roughly|an? estimated)\s(?=[\d~]|half|a\s|[a-z]+\b)", re.I
)
# Negations in other languages; English ones have rules of their own (polarity).
_NEGATIONS: Final = re.compile(
    r"\b(?:nicht|kein(?:e[nmrs]?)?|niemals|nie|weder|niemand|nichts|ohne|"
    r"ne|pas|aucune?|jamais|sans|rien|ni|nunca|jamás|sin|ning[uú]n[ao]?s?|nadie|nada|tampoco|"
    r"non(?!-)|mai|senza|nessun[ao]?|né|não|nenhuma?|sem|niet|geen|nooit|zonder|noch|"
    r"inte|ej|icke|aldrig|utan|ikke|aldri|uden|uten|не|нет|без|nie|bez|ei|eivät|hiç|değil)\b"
    r"|\bn['’](?=\w)",
    re.IGNORECASE,
)
# An underscore within a word is part of a name (*FAIR_Bioinfo*).
_MARKUP: Final = re.compile(r"[\[\]<>@`*#|\\${}^~]|(?<![^\W_])_|_(?![^\W_])|https?:|www\.|!\[")
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
    words = _groups_in(_IN_MAY.sub("", _THE_TESTS.sub("", text)), _ATTRIBUTION)
    return words | {"?": "?"} if text.rstrip("\"'”’)").endswith("?") else words


def restrictions(text: str) -> Mapping[str, str]:
    return _groups_in(_NOT_ONLY.sub("", text), _RESTRICTIONS)


def causal_words(text: str) -> Mapping[str, str]:
    return _groups_in(text, _CAUSES)


def changed_duty(claim: str, source: str) -> tuple[str, str] | None:
    """The words by which a claim demands, recommends or allows what its source does not: *required*
    for *recommended*."""
    mine, theirs = map(_duties, (claim, source))
    if not mine or not theirs or mine.keys() & theirs.keys():
        return None
    return next(iter(mine.values())), next(iter(theirs.values()))


def _duties(text: str) -> dict[str, str]:
    none = _NO_DUTY.search(text)
    return _groups_in(_NO_DUTY.sub("", text), _DUTIES) | ({"optional": none[0]} if none else {})


def quantifiers(text: str) -> Mapping[str, str]:
    """Quantifiers, and words of frequency and degree."""
    return _groups_in(_RECIPROCAL.sub("", _NAMED.sub("", text)), _QUANTIFIERS)


# *The MAJORITY function*.
_NAMED: Final = re.compile(r"(?<=\b[Tt]he )[A-Z]{3,}\b(?! of\b)")


def _universals(sentence: ParsedSentence) -> list[tuple[str, str, set[str]]]:
    """The groups *all* and *most*, their words, and the keys of the content words after each, one
    of which is meant."""
    tokens = content_tokens(sentence)
    found = []
    for group in ("all", "most"):
        for one in _QUANTIFIERS[group].finditer(sentence.text):
            after = [t for t in tokens if one.end() <= t.start < _comma(sentence, one)][:3]
            other = _HOW_MANY.search(sentence.text, after[0].start) if after else None
            is_meant = (t.key for t in after if not other or t.start < other.start())
            found.append((group, one[0], {*is_meant}))
    return found


_HOW_MANY: Final = re.compile(r"\b(?:all|every|most|some|several|many|few|no)\b", re.IGNORECASE)


def _comma(sentence: ParsedSentence, after: re.Match[str]) -> int:
    comma = sentence.text.find(",", after.end())
    return comma if comma >= 0 else len(sentence.text)


def widened(claim: ParsedSentence, source: ParsedSentence) -> Iterator[str]:
    """*All* of the claim that the source says of another thing: *every set* for *all tutorials and
    many sets*."""
    known = _universals(source)
    for group, word, meant in _universals(claim):
        same = [theirs for other, _, theirs in known if other == group]
        if same and meant and not any(meant & theirs for theirs in same):
            yield word


def other_reasons(claim: ParsedSentence, source: ParsedSentence) -> Iterator[tuple[str, bool]]:
    """The words for *because* or *so* of the claim whose reason has no word in a reason of the
    source, and whether the source has half of it, though not as a reason."""
    tokens = content_tokens(source)
    stated = [given for _, given in _reasons(source, _STATED)]
    for word, given in _reasons(claim, _REASON):
        if given.isdisjoint(set().union(*stated)) and (given or not stated):
            yield word, 2 * len(given & {one.key for one in tokens}) >= len(given)


def _reasons(sentence: ParsedSentence, because: re.Pattern[str]) -> Iterator[tuple[str, set[str]]]:
    """Each word for *because* with the keys of what follows, up to a comma in a claim and where it
    begins the sentence; and each for *so* with those of what stands before."""
    tokens, text = content_tokens(sentence), sentence.text
    for one in because.finditer(text):
        is_short = because is _REASON or not text[: one.start()].strip()
        stop = _comma(sentence, one) if is_short else len(text)
        yield one[0], {t.key for t in tokens if one.end() < t.start < stop}
    for one in _SO.finditer(text):
        yield one[0], {t.key for t in tokens if t.start < one.start()}


def hedges_dropped(sentence: str, evidence: str) -> bool:
    """Whether the sentence has fewer hedges than the evidence."""
    mine, theirs = (_ROUGHLY.sub("", text) for text in (sentence, evidence))
    return len(HEDGE.findall(mine)) < len(HEDGE.findall(theirs))


def count_negations(text: str) -> int:
    return max(len(negations(text)), len(_NEGATIONS.findall(text)))


def markup(text: str) -> Mapping[str, str]:
    """Characters of markup, citations and web addresses."""
    return {one: one for one in _MARKUP.findall(without_powers(text))}


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


# Left out of a sentence or added to it, these change nothing of what it says.
_EMPTY_IF_DROPPED: Final = frozenset(
    "question|previous*|state that|mention*|example|any|all|both|very|simply".split("|")
)
_EMPTY_IF_ADDED: Final = frozenset("some|any|when".split("|"))
# Left out or added, these may be put in other words; others make a sentence surer or wider than its
# source.
_HARMLESS_IF_DROPPED: Final = frozenset(
    "if|propos*|able|test|when|until|during|against|without|at least|no|each|many|more|"
    "significant|prove*|less".split("|")
)
_HARMLESS_IF_ADDED: Final = frozenset(
    "until|during|against|without|at least|no|each|many|both|almost|more|less|very".split("|")
)
# "Only 16 %": said of a number, it adds no restriction.
_JUST: Final = re.compile(
    r"\b(?:only|merely)(?=\s(?:\d|an? single\b|one\b|two\b|three\b|about\b))", re.I
)
# What gives a reason.
_REASON: Final = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to"
    r"|(?<!ever )since(?! (?:and|then|\d|\w+ (?:inception|start|release|launch)))"
    r"|(?<=, )as(?=\s(?:it|they|we|this|these|there|he|she)\b))\b",
    re.I,
)


# Of a source also *as its output*, *As it grows, …*; and what a reason stands before.
_STATED: Final = re.compile(
    rf"{_REASON.pattern}|\bas(?=\s(?:its?|their|they)\b)|(?:\A|(?<=,\s))as\b", re.I
)
_SO: Final = re.compile(
    r"(?:(?<=[,;] )|(?<=\band ))so\b(?!-| (?:far|as|many|much|few|on|forth)\b)"
    r"|\bso(?= (?:it|they|we|the|these|this)\b)"
    r"|\b(?:therefore|thus|hence|consequently|accordingly|as a result)\b",
    re.I,
)


class FunctionWord(NamedTuple):
    """A ``word`` of a group of function words that one of two sentences lacks. ``is_hard``: the
    sentence is surer, wider or says more than its source. ``is_shade``: if at all."""

    word: str
    is_hard: bool
    is_shade: bool = False


def _given(groups: Mapping[str, str]) -> frozenset[str]:
    """The groups of a sentence; *each* includes *every* and *all*, *every* includes *each*."""
    same = {"all"} if "each" in groups else set()
    if groups.get("all", "").casefold() == "every":
        same.add("each")
    return frozenset(groups) | same


def dropped(claim: str, source: str, words_of: WordsOf) -> list[FunctionWord]:
    """The words of the source's groups that ``claim`` lacks, the hard ones first."""
    given = _given(words_of(claim))
    found = [
        FunctionWord(word, name not in _HARMLESS_IF_DROPPED, _is_shade(name, word, source))
        for name, word in words_of(source).items()
        if name not in given and name not in _EMPTY_IF_DROPPED
    ]
    return sorted(found, key=lambda one: not one.is_hard)


def _is_shade(name: str, word: str, source: str) -> bool:
    """*Some* of an object, *can*, *will*, and whose view it is where the source says *we argue*."""
    is_own = name == "argue" and re.search(
        rf"\b(?:we|I) {re.escape(word)}\b", source, re.IGNORECASE
    )
    return word in ("some", "several", "certain", "can", "will") or bool(is_own)


def added(claim: str, source: str, words_of: WordsOf) -> list[FunctionWord]:
    """The words of the claim's groups that ``source`` lacks, the hard ones first."""
    given = _given(words_of(source))
    found = [
        FunctionWord(word, name not in _HARMLESS_IF_ADDED)
        for name, word in words_of(_JUST.sub("", claim)).items()
        if name not in given and name not in _EMPTY_IF_ADDED
    ]
    return sorted(found, key=lambda one: not one.is_hard)


def denies_necessity(sentence: str) -> bool:
    """Whether it denies only that something must be, or is always so."""
    return _UNNECESSARY.search(sentence) is not None


_CLAUSE_MARK: Final = re.compile(r"[,;:.]\s")


def governs(word: str, claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether the claim has a word of what follows a word of the source up to a comma: not of *the
    chords that we are attempting to classify, …*."""
    known = {one.key for one in content_tokens(claim)}
    for match in re.finditer(rf"\b{re.escape(word)}\b", source.text, re.IGNORECASE):
        end = _CLAUSE_MARK.search(source.text, match.end())
        limit = end.start() if end else len(source.text)
        tokens = (one for one in content_tokens(source) if match.end() <= one.start < limit)
        if any(one.key in known for one in tokens):
            return True
    return False
