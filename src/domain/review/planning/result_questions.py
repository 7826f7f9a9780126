"""Questions that ask for results, and a score for sentences that report results rather than
aims or methods.

Own word lists for the English of papers; in other languages all sentences score the same.
"""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.domain.review.evidence.quotable_sentences import asks_for_quantity, states_quantity
from citeloom.domain.review.planning.term_weights import question_words

_RESULT_QUESTION: Final = re.compile(
    r"\b(?:f(?:ind|inds|ound)|findings?|results?|effects?|effectiveness|effective|efficacy|impacts?|"
    r"influences?|outcomes?|evidence|conclu\w+|improve\w*|increase\w*|decrease\w*|reduce\w*|"
    r"affect\w*|help|helps|helped|depends?|differs?|differences?|better|worse|best|worst|"
    r"faster|slower|higher|lower|larger|smaller|more|less|fewer|than|versus|vs|compar\w+|correlat\w+|"
    r"associat\w+|predicts?|causes?|benefits?|success\w*|satisf\w+|perform(?:s|ed|ance)?)\b"
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
_RESULT: Final = re.compile(
    r"\b(?:f(?:ound|inds?)|findings?|observed|show(?:s|ed|n)?|demonstrat(?:es?|ed)|indicat(?:es?|ed)|"
    r"reveal(?:s|ed)|reported|resulted|results? (?:show|suggest|indicate|were|was|are|is)|"
    r"confirm(?:s|ed)|improved|improvements?|increased?|increases|decreas(?:ed?|es)|reduced|"
    r"reductions?|gained|gains|lost|rose|fell|falls|grew|declined|exceed(?:s|ed)|"
    r"outperform(?:s|ed)|recalled|achieved|scored|completed|rated|correlat(?:es?|ed)|"
    r"significant(?:ly)?|on average|median|mean of|most (?:students|participants|respondents)|"
    r"(?:was|were|is|are) (?:positive|negative|higher|lower|better|worse|best|worst|"
    r"well received))\b",
    re.I,
)
_COMPARISON: Final = re.compile(
    r"\b(?:more|less|fewer|higher|lower|better|worse|greater|smaller|larger|faster|slower|longer|"
    r"shorter|cooler|warmer|rather|other)\b[^.;]{0,60}?\bthan\b|"
    r"\bcompared (?:to|with)\b|\bversus\b|"
    r"\bas (?:many|much|large|high|low|good|well|often) as\b|\b(?:twice|half|halves|doubles?d?)\b|"
    r"\bno (?:difference|effect|change|improvement|evidence)\b|\bagainst \d",
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
    r"\b(?:we|I) (?:\w+ly |therefore |then |also |thus )?"
    r"(?:measured|used|chose|asked|selected|collected|recorded|compared|built|wrote)\b|"
    r"\b(?:was|were) (?:measured|collected|recorded|selected|drawn|installed|assigned|asked)\b",
    re.I,
)
_RESULT_HEADING: Final = re.compile(
    r"\b(?:results?|findings?|evaluation|outcomes?|discussion|conclusions?|concluding|"
    r"(?:teaching |usage )?experiences?|lessons learned|feedback|observations?|performance|"
    r"effects?|comparison)\b",
    re.I,
)
_OTHER_HEADING: Final = re.compile(
    r"\b(?:introduction|background|related work|previous work|literature review|methods?|"
    r"methodology|materials|procedure|design|data collection|sites?|measurements?|participants|"
    r"statement of need|motivation|aims?|objectives?|audience|availability|requirements|"
    r"installation|future work|outlook|theory|definitions?)\b",
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
    score = 0.0
    if _RESULT.search(sentence):
        score += 0.4
    if _COMPARISON.search(sentence):
        score += 0.3
    if states_quantity(sentence):
        score += 0.2
    if _AIM_OR_METHOD.search(sentence):
        score -= 0.8
    return max(-1.0, min(1.0, score + _heading_score(headings)))


def results_query(question: str) -> str:
    """An additional query: the words of the question with result vocabulary."""
    terms = " ".join(question_words(question))
    return f"{terms}: results showed, improved, increased, reduced, compared, significantly"


def _heading_score(headings: Sequence[str]) -> float:
    """By the innermost heading of a known kind."""
    for heading in reversed(headings):
        if _RESULT_HEADING.search(heading):
            return 0.3
        if _ABSTRACT.fullmatch(heading):
            return 0.1
        if _OTHER_HEADING.search(heading):
            return -0.3
    return 0.0
