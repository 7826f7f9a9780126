"""Rule-based research plan: questions, the weights of their terms, reflection after each step.

IDF weights of a question's terms, and the weighted coverage of them by a text. Inverse document
frequency (Spärck Jones 1972) in the form of BM25 (Robertson & Zaragoza 2009, eq. 3.3), over the
passages of a library; generic words (*effects*, *challenges*) get less.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.research.events import Reflection
from citeloom.domain.research.session import Depth
from citeloom.domain.review.report.report import Plan, SubQuestion
from citeloom.domain.text.phrasing import counted
from citeloom.domain.text.terms import DocumentFrequencies, stem, terms
from citeloom.domain.text.words import COMMON_WORDS, forms, words
from citeloom.domain.value import Value

from .questions import QuestionPart, split_question

# Words of questions on any subject.
_GENERIC_STEMS: Final = frozenset(
    stem(word)
    for word in """
    effect effects impact impacts influence influences outcome outcomes result results finding
    findings find finds found evidence challenge challenges problem problems difficulty difficulties
    advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks limitation
    limitations strength strengths weakness weaknesses risk risks role importance relevance
    difference differences similarity similarities reason reasons cause causes way ways kind kinds
    type types example examples approach approaches strategy strategies aspect aspects factor
    factors literature paper papers study studies author authors article articles research known
    say says said report reports describe described discuss discussed argue happen depend depends
    affect affects improve improves improved help helps helped better best worse good bad more less
    part use used uses using make makes take took work works different important main current
    versus compare compared comparison
    percentage percent share number amount extent average
    """.split()
)
_GENERIC_WEIGHT: Final = 0.3
# Lower bound of a document frequency: a word may be in one passage by chance.
_MIN_FREQUENCY: Final = 2
# A word that no passage has weighs as much as one that so large a share has.
_ABSENT_SHARE: Final = 0.05
# Words of at least 8 letters match by their first 7.
_LONG_WORD, _PREFIX = 8, 7
_SHORTEST_ACRONYM, _LONGEST_ACRONYM = 3, 5
_ACRONYM: Final = re.compile(rf"[A-Z]{{{_SHORTEST_ACRONYM},{_LONGEST_ACRONYM}}}s?")
_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in """
    taught:teach learnt:learn built:build chosen:choose chose:choose written:write wrote:write
    grown:grow grew:grow fell:fall fallen:fall rose:rise risen:rise kept:keep held:hold led:lead
    lost:lose spent:spend drawn:draw drew:draw driven:drive drove:drive broken:break broke:break
    thought:think understood:understand bought:buy brought:bring began:begin begun:begin
    slept:sleep fed:feed won:win met:meet paid:pay shown:show seen:see gave:give given:give
    children:child women:woman men:man mice:mouse people:person feet:foot teeth:tooth
    satisfaction:satisfy criteria:criterion phenomena:phenomenon data:datum
    """.split()
)


class QuestionTerms(NamedTuple):
    """The weighted terms of a question. ``weights`` and match ``keys`` are by stem; ``acronyms``
    are the initials of consecutive words, with their stems; ``absent`` are words that no passage
    has, as written."""

    weights: Mapping[str, float]
    keys: Mapping[str, frozenset[str]]
    acronyms: Mapping[str, frozenset[str]]
    absent: tuple[str, ...]

    def stems_in(self, text: str) -> frozenset[str]:
        """The stems that ``text`` has, as a word or within an acronym."""
        keys_in_text = _match_keys_in(text)
        stems = {stem for stem, keys in self.keys.items() if not keys.isdisjoint(keys_in_text)}
        for acronym in _ACRONYM.findall(text):
            stems |= self.acronyms.get(acronym.removesuffix("s"), frozenset()) & self.weights.keys()
        acronyms = [stem for stem in self.weights if stem.isupper()]
        if acronyms:
            initials = "".join(part[0] for part in _parts(text) if part[0].isalpha())
            stems.update(stem for stem in acronyms if stem.casefold() in initials)
        return frozenset(stems)

    def stems_of(self, word: str) -> frozenset[str]:
        """The stems of a word that are weighted."""
        return frozenset({word, *map(_stem, _parts(word))}) & self.weights.keys()

    def share(self, text: str) -> float:
        """Weighted share of the stems that a text has, 0..1."""
        total = sum(self.weights.values())
        return sum(self.weights[stem] for stem in self.stems_in(text)) / total if total else 0.0


def question_words(question: str) -> tuple[str, ...]:
    """The distinct content words of a question as written, generic ones last."""
    content = dict.fromkeys(question[term.start : term.end] for term in terms(question))
    return tuple(sorted(content, key=_is_generic))


def question_terms(question: str, frequencies: DocumentFrequencies | None = None) -> QuestionTerms:
    """``frequencies`` are of the ``question_words``; None for equal weights."""
    weights: dict[str, float] = {}
    keys: dict[str, frozenset[str]] = {}
    absent = []
    for word in question_words(question):
        frequency = frequencies.counts.get(word, 0) if frequencies else 1
        weight = _weight(word, frequencies)
        if not frequency and not _is_generic(word):
            absent.append(word)
        for part in _parts(word):
            key = word if _ACRONYM.fullmatch(word) else _stem(part)
            weights[key] = max(weight, weights.get(key, 0.0))
            keys[key] = keys.get(key, frozenset()) | _match_keys(part)
    return QuestionTerms(weights, keys, _acronyms(question), tuple(absent))


def acronyms_in(question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Acronyms of the question's words that the texts use and the question does not."""
    known = _acronyms(question)
    used = {one.removesuffix("s") for text in texts for one in _ACRONYM.findall(text)}
    in_question = {one.removesuffix("s") for one in _ACRONYM.findall(question)}
    return tuple(one for one in known if one in used and one not in in_question)


def _weight(word: str, frequencies: DocumentFrequencies | None) -> float:
    weight = 1.0
    if frequencies is not None and frequencies.passages:
        frequency = min(frequencies.passages, max(_MIN_FREQUENCY, frequencies.counts.get(word, 0)))
        if word in frequencies.counts and not frequencies.counts[word]:
            frequency = max(frequency, round(_ABSENT_SHARE * frequencies.passages))
        weight = math.log(1 + (frequencies.passages - frequency + 0.5) / (frequency + 0.5))
    return weight * (_GENERIC_WEIGHT if _is_generic(word) else 1.0)


def _is_generic(word: str) -> bool:
    return stem(word.casefold()) in _GENERIC_STEMS


def _acronyms(text: str) -> Mapping[str, frozenset[str]]:
    """Stems of consecutive words by their initials."""
    parts = [part for part in _parts(text) if part[0].isalpha()]
    acronyms: dict[str, frozenset[str]] = {}
    for start in range(len(parts)):
        for length in range(_SHORTEST_ACRONYM, _LONGEST_ACRONYM + 1):
            run = parts[start : start + length]
            if len(run) == length:
                initials = "".join(part[0] for part in run).upper()
                acronyms.setdefault(initials, frozenset(map(_stem, run)))
    return acronyms


def _match_keys_in(text: str) -> set[str]:
    return {key for part in _parts(text) for key in _match_keys(part)}


def _match_keys(part: str) -> frozenset[str]:
    stemmed = _stem(part)
    return (
        frozenset({stemmed, f"{part[:_PREFIX]}…"})
        if len(part) >= _LONG_WORD
        else frozenset({stemmed})
    )


def _stem(part: str) -> str:
    return part if part[0].isdigit() else stem(_IRREGULAR.get(part, part))


def _parts(text: str) -> Iterator[str]:
    """Parts of compound words, casefolded, without prefixes (*re-*) and stop words."""
    for word in words(text):
        parts = forms(word.text).parts
        for part in parts:
            is_prefix = len(parts) > 1 and len(part) < 3 and part.isalpha()
            if part not in COMMON_WORDS and not is_prefix:
                yield part


class InitialPassage(Value):
    """A passage of the question's first search. ``heading`` is the nearest one."""

    document_id: str
    heading: str | None = None
    text: str


class ResearchExtent(NamedTuple):
    """Limits of a plan: at most ``steps``; at most ``quotes`` a step, from ``passages`` of each
    of its queries."""

    steps: int
    quotes: int
    passages: int


EXTENTS: Final[Mapping[Depth, ResearchExtent]] = {
    Depth.LIGHT: ResearchExtent(steps=2, quotes=6, passages=24),
    Depth.MEDIUM: ResearchExtent(steps=4, quotes=8, passages=48),
    Depth.EXTENDED: ResearchExtent(steps=8, quotes=10, passages=96),
}


def extent_of(plan: Plan) -> ResearchExtent:
    return EXTENTS[plan.depth]


def plan_of(question: str, depth: Depth, initial_passages: Sequence[InitialPassage]) -> Plan:
    """One step a sub-question. ``AUTO`` is medium, or extended for many sub-questions."""
    parts = split_question(question)
    resolved = _resolved_depth(depth, parts)
    texts = [one.text for one in initial_passages]
    steps = [_step(part, texts) for part in parts]
    kept, dropped = steps[: EXTENTS[resolved].steps], steps[EXTENTS[resolved].steps :]
    warnings = tuple(f"not asked at this depth: {one.title}" for one in dropped)
    return Plan(question=question, depth=resolved, steps=tuple(kept), warnings=warnings)


def _resolved_depth(depth: Depth, parts: Sequence[QuestionPart]) -> Depth:
    if depth is not Depth.AUTO:
        return depth
    return Depth.MEDIUM if len(parts) <= EXTENTS[Depth.MEDIUM].steps else Depth.EXTENDED


def _step(part: QuestionPart, texts: Sequence[str]) -> SubQuestion:
    """A query for each aspect, with acronyms of its words that ``texts`` use."""
    return SubQuestion(
        title=part.text,
        queries=tuple(" ".join([one, *acronyms_in(one, texts)]) for one in part.aspects),
        aspects=part.aspects,
        compared=part.compared,
    )


#: After so many consecutive steps without new quotes, facet steps are dropped.
MAX_DRY_STEPS: Final = 2


class ReflectionOutcome(NamedTuple):
    decision: Reflection
    reason: str


def reflect(
    plan: Plan, step: int, *, new_quotes: int, dry_steps: int, found: bool
) -> ReflectionOutcome:
    """The decision after a step with ``new_quotes`` quotes. ``dry_steps`` counts consecutive
    steps without new quotes, this one included. ``found``: a step has quotes."""
    remaining = plan.steps[step + 1 :]
    if not remaining:
        return ReflectionOutcome(Reflection.COMPLETE, "All steps of the plan are done.")
    if not found and not any(one.asked for one in remaining):
        return ReflectionOutcome(
            Reflection.COMPLETE,
            "Nothing was found on the question, so the search ends here.",
        )
    if dry_steps >= MAX_DRY_STEPS and not any(one.asked for one in remaining):
        return ReflectionOutcome(
            Reflection.COMPLETE,
            f"The last {dry_steps} steps found nothing new, and the rest was not asked for.",
        )
    amount = counted(new_quotes, "new quotation") if new_quotes else "Nothing new"
    return ReflectionOutcome(Reflection.CONTINUE, f"{amount}; {len(remaining)} of the steps left.")
