"""What a question wants, and whether a text has it. English only: questions in other languages
want no certain thing.

A number, a definition, a reason, a way, a finding, a difficulty: each has words by which questions
ask for it, and words by which sentences give it. Search marks the sentence of a passage that has
what is wanted; a review prefers sentences with a number where one is asked for.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from citeloom.domain.text.terms import stem, terms


class Want(StrEnum):
    """The main thing that a question wants; OTHER: a name, a place, a topic."""

    NUMBER = "number"
    DEFINITION = "definition"
    REASON = "reason"
    DIFFICULTY = "difficulty"
    METHOD = "method"
    FINDING = "finding"
    OTHER = "other"


_REASON: Final = re.compile(
    r"\bwhy\b|\bwhat (?:makes?|causes?|explains?|hinders?|prevents?)\b|\breasons? (?:for|why)\b",
    re.I,
)
_CAUSES: Final = re.compile(
    r"\b(?:because|since|due to|owing to|reasons?|causes?d?|therefore|thus|hence|so that|"
    r"as a result|results? in|leads? to|led to|explain\w*|account\w* for|stems? from|depend\w*)\b",
    re.I,
)
_DIFFICULTY: Final = re.compile(
    r"\b(?:hard|difficult\w*|challeng\w+|problems?|obstacles?|barriers?|drawbacks?|disadvantages?|"
    r"limitations?|hinders?|prevents?|fails?|risks?|wrong with|why not|(?:leave|left) out|"
    r"(?:lack|miss)\w*|criticis\w+)\b",
    re.I,
)
_DIFFICULT: Final = re.compile(
    r"\b(?:hard|difficult\w*|challeng\w+|obstacles?|barriers?|drawbacks?|limits?|limitations?|"
    r"hinder\w*|nontrivial|not|nor|cannot|lack\w*|struggl\w+|gaps?|unfortunately|requires?|need|"
    r"tedious|rarely|hardly|scarc\w+|fail\w*|confus\w+|costly|expensive|time-consuming|steep|"
    r"inhomogeneous)\b(?! limited to)",
    re.I,
)
_QUANTITY: Final = re.compile(
    r"\bhow (?:many|much|often|large|big|small|long|short|high|low|strong|weak|fast|slow|far|deep|"
    r"old|common|frequent\w*|accurate\w*)\b|\b(?:number|amount|percentage|share|proportion|"
    r"fraction|size|rate|extent|magnitude|cost|costs) of\b|\b(?:what|which) (?:number|amount|"
    r"percentage|share|proportion|fraction)\b",
    re.I,
)
# What is measured, as it is asked for in few words.
_MEASURE: Final = re.compile(
    r"\b(?:scores?|accuracy|precision|recall|F1|BLEU|mAP|AUC|temperature|emissions?|speed-?ups?|fees?|"
    r"prices?|half-life|efficiency|latenc(?:y|ies)|throughput|(?:[a-z]+ )?rate|time|speed|storage|"
    r"CPU load|point) (?:of|for|between)\b|\b(?:average|median|mean|maximum|minimum)\b|"
    r"\b(?:per (?:second|day|week|year|hour)|a day)\b|\btime-?outs?\b|"
    r"\b(?:what|which) (?:[\w-]+ )?size\b|"
    r"\bin (?:[MGkT]?eV|[MGkT]?B(?:/s)?|seconds|minutes|hours|days|years|per ?cent|kelvin|euros?|"
    r"dollars?)\b",
    re.I,
)
#: A measure may be asked about without asking for its value.
NO_NUMBER: Final = re.compile(
    r"\W*(?:why|how (?:do|does|did|is|are|was|were|can|could|should|to)|"
    r"do|does|did|is|are|was|were|can|could|should)\b",
    re.I,
)
_YEAR: Final = re.compile(
    r"\A\W*(?:when (?:did|was|were)\b|(?:in )?(?:what|which) year\b|year of\b)", re.I
)
_YEARS: Final = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_RESULT: Final = re.compile(
    r"\b(?:f(?:ind|inds|ound)|findings?|results?|effects?|effectiveness|effective|efficacy|impacts?|"
    r"influences?|outcomes?|evidence|conclu\w+|improve\w*|increase\w*|decrease\w*|reduce\w*|"
    r"affect\w*|help|helps|helped|depends?|differs?|differences?|better|worse|best|worst|"
    r"faster|slower|higher|lower|larger|smaller|more|less|fewer|than|versus|vs|compar\w+|correlat\w+|"
    r"associat\w+|\w{2,}est|changes?|changed|like|prefer|rated?|grow|predicts?|causes?|benefits?|success\w*|satisf\w+|perform(?:s|ed|ance)?)\b"
    r"|\A\W*(?:do|does|did|is|are|was|were|has|have)\s",
    re.I,
)
_NO_RESULT: Final = re.compile(
    r"\A\W*(?:what (?:is|are|was|were) (?:an? |the )?(?:(?!effects?|impacts?|results?|evidence|"
    r"findings?|outcomes?|influences?|benefits?|differences?|best|most)[\w–-]+ ?){1,4}\W*\Z|"
    r"(?:is|are|was|were) there\b|who\b|where\b|when\b)"
    r"|\bdefin(?:e[sd]?|ition)\b|\bwhat (?:does .+ mean|is meant)\b",
    re.I,
)
_DEFINITION: Final = re.compile(
    r"\bdefin(?:e[sd]?|ition)\b|\bwhat (?:do(?:es)? .+ mean|is meant)\b|\bmeaning of\b|"
    r"\A\W*what (?:is|are) (?:an? |the )?(?:[\w–'’-]+ ?){1,4}\W*\Z|"
    r"\A\W*what (?:is|are) (?:an? |the )?[\w–'’-]+(?: [\w–'’-]+)? (?:in|for|of)\b|"
    r"\A\W*what makes (?:an? )?[\w–-]+(?: [\w–-]+)? (?:an? )?[\w–-]+\W*\Z|"
    r"\A\W*(?:[\w–-]+ ){1,3}meaning\W*\Z|\bstands? for\b|\bwhat (?:is|are) (?:it|they)\b|"
    r"\A(?!how|why|when|where|who|does|is|are)\W*[\w–-]+(?: [\w–-]+){0,2}\W*\Z",
    re.I,
)
_METHOD: Final = re.compile(
    r"\A\W*how (?:do|does|did|is|are|was|were|can|could|should|to|one)\b|"
    r"\b(?:by what|in what|which|what) (?:means|way|method|procedure|algorithm|technique)s?\b",
    re.I,
)

# Written right behind a number: 180TB, 300ms, 2.4x.
_UNIT: Final = r"(?:[kMGTPE]i?[Bb]?|[nµμmck]?[ms]|[kMG]?(?:Hz|eV|W)|µ?[gl]|min|h|x)"
#: A number, in figures or words; not that of a citation, figure or section.
NUMBER: Final = re.compile(
    rf"(?<![\w\[.])(?:\d[\d.,]*\d|\d){_UNIT}?(?![\w\]])(?:\s?%)?|\b(?:two|three|four|five|six|seven|eight|"
    r"nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundreds?|thousands?|millions?|billions?|"
    r"half|halves|thirds?|quarters?|twice|doubled?|tenfold|dozens?|one in|orders? of magnitude)\b",
    re.I,
)
_NUMBER: Final = rf"(?:{NUMBER.pattern})"
_SHARE: Final = re.compile(
    r"\b(?:percent\w*|per cent|share|proportion|fraction|rates?|accura\w+)\b", re.I
)
_SHARES: Final = re.compile(
    r"\d\s?(?:%|per ?cent)|\b0?\.\d+|\b(?:half|third|quarter|fifth|one in|out of)\b", re.I
)
_TIME: Final = re.compile(r"\bhow (?:long|old|often|soon)\b|\b(?:duration|time|latency)\b", re.I)
_TIMES: Final = re.compile(
    rf"(?<!\d)\d{{1,3}}(?:[nµμm]?s|min|h)\b|{_NUMBER}[\s-]{{0,2}}(?:[\w-]+\s)?(?:[nµμm]s|s|sec\w*|min\w*|h|hours?|days?|weeks?|months?|"
    r"years?|semesters?|sessions?|times)\b|\b(?:about|after|almost|for|lasts?|lasted|"
    r"nearly|only|over|roughly|takes?|took|than|under|within) (?:an?|one) "
    r"(?:hour|day|week|month|year|semester)\b",
    re.I,
)
_OFTEN: Final = re.compile(
    rf"{_TIMES.pattern}|\b(?:once|daily|weekly|monthly|yearly|annual\w*)\b", re.I
)
# Not a degree: *how much longer*.
_COUNTED: Final = re.compile(
    r"\bhow (?:many|much)\b(?! (?:more|less|better|worse|longer|shorter|faster|slower|quicker|"
    r"larger|bigger|smaller|higher|lower|greater|cheaper|easier|harder|stronger|weaker|later|"
    r"earlier|older|younger)\b)|\b(?:number|amount) of\b",
    re.I,
)
# What ends the name of what is counted: chains *of* primes.
_HEAD: Final = re.compile(
    r"\b(?:of|in|on|for|with|did|do|does|have|has|had|is|are|was|were|can|could|will)\b", re.I
)
# So many words may stand between a number and what it counts.
_BESIDE: Final = r"(?:[\s-]+[^\s.;]+){0,4}?[\s-]+"
_WAY: Final = re.compile(
    r"\b(?:by (?:\w+ )?\w+ing|using|via|through|first(?:ly)?|then|steps?|algorithms?|procedures?|"
    r"methods?|approach|techniques?|we (?:use|used|apply|applied|compute|computed|train|trained|"
    r"measure|measured|assign|assigned|select|selected|collect|collected|sample|sampled)|"
    r"(?:is|are|was|were) (?:\w+ly )?\w+ed)\b",
    re.I,
)
_MORE: Final = re.compile(
    r"\b(?:show\w*|found|find|finds|observ\w+|conclu\w+|result\w*|significant\w*|increas\w+|"
    r"decreas\w+|reduc\w+|improv\w+|higher|lower|better|worse|more|less|fewer|faster|slower|than|"
    r"no (?:difference|effect|evidence)|associat\w+|correlat\w+|outperform\w*|suggest\w*)\b|%",
    re.I,
)
_GOOD: Final = re.compile(
    r"\b(?:benefi\w+|advantage\w*|improv\w+|gains?|helps?|helpful|better|strengths?|success\w*|"
    r"positive\w*|protect\w+|useful|enabl\w+)\b",
    re.I,
)
_BAD: Final = re.compile(
    r"\b(?:harm\w*|disadvantage\w*|drawbacks?|worse\w*|hurts?|weakness\w*|fail\w*|negative\w*|"
    r"risks?|impair\w*|damag\w+|costs?|problems?|limitations?|adverse\w*|degrad\w+|danger\w*|"
    r"difficult\w*|criticism\w*|shortcomings?|downsides?|suffer\w*)\b",
    re.I,
)


def asks_for_quantity(question: str) -> bool:
    return bool(_QUANTITY.search(question))


def stems_of_asking(question: str) -> set[str]:
    """The stems of *many*, *long* … in *how many*, *how long*: answers do not repeat them."""
    asking = (one[0].casefold().split() for one in _QUANTITY.finditer(question))
    return {stem(word) for first, word in asking if first == "how"}


def asks_for_results(question: str) -> bool:
    """Whether a question asks for results; not for a definition, method, person or place."""
    if asks_for_quantity(question):
        return True
    return bool(_RESULT.search(question)) and not _NO_RESULT.search(question)


class Wanted(NamedTuple):
    """What a question wants. ``has`` finds it in a sentence. If a sentence has the second of
    ``contrary`` (the wanted and its opposite), it must have the first too."""

    want: Want
    has: re.Pattern[str] | None
    contrary: tuple[re.Pattern[str], re.Pattern[str]] | None = None

    def is_in(self, sentence: str) -> bool:
        return self.has is not None and bool(self.has.search(sentence))

    def is_contrary(self, sentence: str) -> bool:
        """Whether a sentence says only the opposite of what is asked."""
        if self.contrary is None:
            return False
        asked_for, opposite = self.contrary
        return bool(opposite.search(sentence)) and not asked_for.search(sentence)


@lru_cache(maxsize=64)
def wanted(question: str) -> Wanted:
    """The wants of a question, by the first matching kind of question."""
    good, bad = _GOOD.search(question), _BAD.search(question)
    contrary = None if bool(good) == bool(bad) else (_GOOD, _BAD) if good else (_BAD, _GOOD)
    return Wanted(*_want_of(question), contrary)


def _want_of(question: str) -> tuple[Want, re.Pattern[str] | None]:
    if _YEAR.search(question):
        return Want.NUMBER, _YEARS
    is_measure = _MEASURE.search(question) and not NO_NUMBER.match(question)
    if asks_for_quantity(question) or is_measure:
        return Want.NUMBER, _number_of(question)
    if _DIFFICULTY.search(question):
        return Want.DIFFICULTY, _DIFFICULT
    if _REASON.search(question) and not _DEFINITION.search(question):
        return Want.REASON, _CAUSES
    if _DEFINITION.search(question) and not _RESULT.search(question):
        return Want.DEFINITION, _definition_of(question)
    if _METHOD.search(question):
        return Want.METHOD, _WAY
    if asks_for_results(question):
        return Want.FINDING, _MORE
    return Want.OTHER, None


def _number_of(question: str) -> re.Pattern[str]:
    """A number of the asked unit, or beside the asked noun."""
    if _SHARE.search(question):
        return _SHARES
    if time := _TIME.search(question):
        return _OFTEN if "often" in time[0].casefold() else _TIMES
    counted = _COUNTED.search(question)
    if counted is None:
        return NUMBER
    rest = question[counted.end() :]
    nouns = [one.stem for one in (terms(_HEAD.split(rest)[0]) or terms(rest))[:3]]
    if not nouns:
        return NUMBER
    noun = rf"(?:{'|'.join(map(re.escape, nouns))})\w*"
    return re.compile(rf"{_NUMBER}{_BESIDE}{noun}|\b{noun}{_BESIDE}{_NUMBER}", re.I)


def _definition_of(question: str) -> re.Pattern[str]:
    """A sentence that defines the asked term."""
    asked = [one for one in terms(question) if one.stem not in _DEFINING][:4]
    if not asked:
        return re.compile(r"\b(?:is|are) (?:an?|the)\b|\bdefin\w+|\bcalled\b", re.I)
    term = rf"\b(?:{'|'.join(re.escape(one.stem) for one in asked)})\w*"
    return re.compile(
        rf"{term}\W{{0,3}}(?:\([^)]*\)\W{{0,3}})?(?:\w+ly )?(?:is|are|refers? to|means?|denotes?|"
        rf"consists? of|can be (?:seen|defined|described|thought))\b"
        rf"(?! (?:used|shown|given|not)\b)|{term}[”\"’')]{{0,2}}(?::| [–—-]) (?=[^\W\d_])|"
        rf"\b(?:defin\w+|called?|known as|termed|refer(?:red)? to as|meant by|notion of|"
        rf"so-called)\b.{{0,30}}?{term}|{term}[^.]{{0,40}}\bdefined\b",
        re.I,
    )


_DEFINING: Final = frozenset(map(stem, "define definition mean meaning make called".split()))
