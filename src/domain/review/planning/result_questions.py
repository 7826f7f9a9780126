"""Questions that ask for results, and a score for sentences that report results rather than
aims or methods.

Own word lists for the English of papers; in other languages all sentences score the same.
"""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.domain.review.evidence.quotable_sentences import asks_for_quantity, states_quantity

_RESULT_QUESTION: Final = re.compile(
    r"\b(?:f(?:ind|inds|ound)|findings?|results?|effects?|effectiveness|effective|efficacy|impacts?|"
    r"influences?|outcomes?|evidence|conclu\w+|improve\w*|increase\w*|decrease\w*|reduce\w*|"
    r"affect\w*|help|helps|helped|depends?|differs?|differences?|better|worse|best|worst|"
    r"faster|slower|higher|lower|larger|smaller|more|less|fewer|than|versus|vs|compar\w+|correlat\w+|"
    r"associat\w+|\w{2,}est|changes?|changed|like|prefer|rated?|grow|predicts?|causes?|benefits?|success\w*|satisf\w+|perform(?:s|ed|ance)?)\b"
    r"|\A\W*(?:do|does|did|is|are|was|were|has|have)\s",
    re.I,
)
_OTHER_QUESTION: Final = re.compile(
    r"\A\W*(?:what (?:is|are|was|were) (?:an? |the )?(?:(?!effects?|impacts?|results?|evidence|"
    r"findings?|outcomes?|influences?|benefits?|differences?|best|most)[\w–-]+ ?){1,4}\W*\Z|"
    r"(?:is|are|was|were) there\b|who\b|where\b|when\b)"
    r"|\bdefin(?:e[sd]?|ition)\b|\bwhat (?:does .+ mean|is meant)\b",
    re.I,
)
_COMPARISON: Final = re.compile(
    r"\b(?:more|less|fewer|higher|lower|better|worse|greater|smaller|larger|faster|slower|longer|"
    r"shorter|cooler|warmer|rather|other)\b[^.;]{0,60}?\bthan\b|"
    r"\bcompared (?:to|with)\b|\bversus\b|"
    r"\bas (?:many|much|large|high|low|good|well|often) as\b|\b(?:twice|half|halves|doubles?d?)\b|"
    r"\bno (?:difference|effect|change|improvement|evidence|advantage|benefit|association|"
    r"influence|gain)\b|\bagainst \d",
    re.I,
)
_AIM_OR_METHOD: Final = re.compile(
    r"\b(?:we|I|this (?:paper|study|work|article|course|project|software|package|note)|"
    r"the (?:aim|goal|purpose|objective)s?)\b[^.;]{0,40}?\b(?:aim\w*|present\w*|propos\w+|"
    r"describ\w+|introduc\w+|reports?|asked|suspect\w*|seek\w*|sought|want\w*|wish\w*|hope\w*|"
    r"plan\w*|intend\w*|believe\w*|recommend\w*|is to|was to|were to|are to)\b"
    r"|\b(?:is|are|was|were|been) (?:designed|intended|meant|expected|structured|developed|"
    r"recommended|assumed|encouraged) (?:to|for|that|so)\b"
    r"|\b(?:is|are|was|were|been) (?:\w+ )?(?:said|told|advised|thought|believed|assumed|hoped)\b"
    r"|\b(?:should|would|will|may|might|could)\b|\bin order to\b|\b(?:aims?|goals?|objectives?) "
    r"(?:is|are|was|were|of)\b|\bmotivat\w+|\b(?:need|needs|needed|requires?) (?:for|to|of)\b|"
    # "we" with any verb but those of finding and of opinion
    r"\b(?:we|I) (?:\w+ly |therefore |then |also |thus )?(?!found|find|show|observ|conclud|report|"
    r"saw|see|detect|identif|demonstrat|confirm|recommend|suggest|estimat|believe|suspect|think|"
    r"can|could|cannot|do|did|have|had|are|were|need|know|mean|taught|reached)\w+\b|"
    r"\b(?:is|are|was|remains?|little is) (?:still )?(?:unknown|unclear|known about)\b|"
    r"\bto be elucidated\b|"
    r"\b(?:primary|main|secondary) (?:\w+ )?(?:end-?points?|outcomes?|measures?) (?:was|were)\b|"
    r"\b(?:was|were) (?:measured|collected|recorded|selected|drawn|installed|assigned|asked)\b",
    re.I,
)
_RESULT_HEADING: Final = re.compile(
    r"\b(?:results?|findings?|evaluation|outcomes|discussion|interpretation|conclusions?|concluding|"
    r"(?:teaching |usage )?experiences?|lessons learned|feedback|observations?|performance|"
    r"effects?|comparison)\b",
    re.I,
)
_OTHER_HEADING: Final = re.compile(
    r"\b(?:introduction|background|context|related work|previous work|literature review|"
    r"statement of need|motivation|aims?|objectives?|audience|availability|requirements|"
    r"installation|future work|outlook|theory|definitions?)\b",
    re.I,
)
_METHOD_HEADING: Final = re.compile(
    r"\b(?:methods?|methodology|materials?|procedures?|design|setting|data (?:collection|sources?|"
    r"extraction)|sites?|measure(?:ment)?s?|outcome measures?|analysis|participants|patients|"
    r"interventions?|eligibility|protocols?|schedules?)\b",
    re.I,
)
_ABSTRACT: Final = re.compile(r"\W*(?:abstract|summary|key points|highlights)\W*", re.I)


def asks_for_results(question: str) -> bool:
    """Whether a question asks for results; not for a definition, method, person or place."""
    if asks_for_quantity(question):
        return True
    return bool(_RESULT_QUESTION.search(question)) and not _OTHER_QUESTION.search(question)


def result_score(sentence: str, headings: Sequence[str]) -> float:
    """From -1 (aim or method) to 1 (a quantitative result in a results section). ``headings`` are
    those above the sentence, outermost first."""
    score = 0.3
    if _COMPARISON.search(sentence):
        score += 0.3
    if states_quantity(sentence):
        score += 0.2
    if _AIM_OR_METHOD.search(sentence):
        score -= 0.9
    return max(-1.0, min(1.0, score + _heading_score(headings)))


def _heading_score(headings: Sequence[str]) -> float:
    """By the innermost heading of a known kind."""
    for heading in reversed(headings):
        if _RESULT_HEADING.search(heading):
            return 0.3
        if _ABSTRACT.fullmatch(heading):
            return 0.1
        if _METHOD_HEADING.search(heading):
            return -0.8
        if _OTHER_HEADING.search(heading):
            return -0.3
    return 0.0
