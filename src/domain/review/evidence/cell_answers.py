"""The spans of sentences that answer the question of a column, and how sure they are. English."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final, NamedTuple

from citeloom.domain.text.sentences import Span
from citeloom.domain.text.terms import Term, stem, terms
from citeloom.domain.verification.quantities.quantity import (
    Quantity,
    counted_plural,
    quantities,
)

from .column_questions import Asks, ColumnQuestion
from .known_names import BARE, GAZETTEERS, PROOFS, TIGHT
from .quotable_sentences import is_statement
from .statement_kinds import StatementKind, statement_kind


class SpanAnswer(NamedTuple):
    """``sentence[start:end]`` answers by ``fit``, 0..1; equal answers have equal ``value``."""

    start: int
    end: int
    fit: float
    value: str


class CellChoice(StrEnum):
    """The decision about the best answer."""

    SURE = "sure"
    CHECK = "check"
    NOT_STATED = "not stated"


# Weights of the fit, the covered words of the question, and the closeness of the sentence.
_FIT, _COVER, _CLOSE = 0.55, 0.3, 0.15
# The cosine of a sentence that could hardly be closer.
_CLOSEST: Final = 0.6
# Least fit and score of an answer, and of one that is sure.
_LEAST_FIT, _LEAST = 0.6, 0.6
_SURE_FIT, _SURE = 0.85, 0.8
# Another answer as near as this makes the best one uncertain.
_RIVAL: Final = 0.15
#: Of these nothing is sure: a clause may answer another question on the same subject.
_UNSURE: Final = frozenset({Asks.STATEMENT, Asks.FEEDBACK, Asks.AUDIENCE, Asks.COMPARED, Asks.NAME})
_FRONT: Final = re.compile(
    r"\A\W*(?:Submitted|Received|Accepted|Published|Editor|Reviewers?|DOI)\b.{0,12}:|"
    r"\b[Aa]uthors of papers? retain\b|\b[Tt]his (?:article|work|paper) is \w+ under\b|"
    r"\b[Pp]ermission to (?:make|copy)\b|"
    r"[¹²³⁴⁵⁶⁷⁸⁹⁰*†‡§,] ?[A-Z].*?[¹²³⁴⁵⁶⁷⁸⁹⁰].*?[¹²³⁴⁵⁶⁷⁸⁹⁰].*?[¹²³⁴⁵⁶⁷⁸⁹⁰]"
)


_THANKS: Final = re.compile(r"\A\W*(?:\w+ ){0,3}(?:thank|acknowledge|are grateful)\b", re.I)


def is_aside(sentence: str, asks: Asks) -> bool:
    """Whether a sentence is a list of authors, the dates or the licence of a publication, or, where
    it is not asked who paid, an acknowledgement."""
    return bool(_FRONT.search(sentence) or (asks is not Asks.FUNDER and _THANKS.match(sentence)))


_SUPPOSED: Final = re.compile(
    r"\b(?:for (?:example|comparison)|e\.g\.|suppose|assum\w+|if|consider|might|would|could)\b",
    re.I,
)
# So much less scores what another work found, and what is only expected or supposed.
_NOT_OWN: Final = 0.1


def score_of(answer: SpanAnswer, cover: float, closeness: float, kind: StatementKind) -> float:
    """How likely a span answers, 0..1; of its sentence the covered share of the question's words
    and the cosine."""
    score = _FIT * answer.fit + _COVER * cover + _CLOSE * min(1.0, closeness / _CLOSEST)
    return score if kind is StatementKind.OWN else score - _NOT_OWN


def kind_of(sentence: str, headings: Sequence[str]) -> StatementKind:
    """Like ``statement_kind``; suppositions count as expectations."""
    return (
        StatementKind.EXPECTED if _SUPPOSED.search(sentence) else statement_kind(sentence, headings)
    )


def chosen(asks: Asks, found: Sequence[tuple[SpanAnswer, float]]) -> CellChoice:
    """The decision about the first of ``found``, ordered by score."""
    if not found or found[0][0].fit < _LEAST_FIT or found[0][1] < _LEAST:
        return CellChoice.NOT_STATED
    best, score = found[0]
    has_rival = any(
        other > score - _RIVAL and one.fit >= _LEAST_FIT and one.value != best.value
        for one, other in found[1:]
    )
    is_sure = best.fit >= _SURE_FIT and score >= _SURE and not has_rival
    return CellChoice.SURE if is_sure and asks not in _UNSURE else CellChoice.CHECK


def answers_in(asked: ColumnQuestion, sentence: str) -> list[SpanAnswer]:
    """The spans of a sentence that may answer, in order."""
    return list(_READERS[asked.asks](asked, sentence))


# People are counted by many names; one of the first line is any of the second.
_ANYBODY: Final = frozenset(
    map(stem, "participants attendees people subjects persons individuals".split())
)
_PEOPLE: Final = _ANYBODY | frozenset(
    map(
        stem,
        "students learners respondents teachers users volunteers children pupils researchers "
        "undergraduates women men patients developers programmers instructors scientists graduates "
        "trainees educators engineers judges annotators workers players adults registrants "
        "librarians clinicians interviewees practitioners beginners professionals professors "
        "mathematicians audience instructor anyone readers scholars analysts members".split(),
    )
)
_STAFF: Final = frozenset(
    map(stem, "instructors educators developers professors judges annotators".split())
)
_OTHER_NAMES: Final = tuple(
    frozenset(map(stem, line.split()))
    for line in (
        "students learners pupils undergraduates",
        "teachers instructors educators lecturers",
        "workshops courses classes bootcamps tutorials trainings",
        "experiments studies trials",
        "papers articles publications",
        "machines servers nodes computers hosts workstations PCs",
        "lessons modules units chapters sessions",
        "universities institutions colleges schools",
    )
)
_WHOLE: Final = re.compile(
    r"\b(?:total|participated|attended|enrolled|took part|recruited|sample|consist\w*|compris\w*|"
    r"involved|included|cohort|registered|overall|altogether|all|taught|cluster\w*|testbed|"
    r"experiments?|ran|run|evaluat\w*)\b",
    re.I,
)
_PART: Final = re.compile(
    r"\A[^.;]{0,30}?\b(?:reported|said|answered|responded|agreed|indicated|rated|found|dropped|"
    r"who (?!participated|attended|took|enrolled)|failed|passed|each|per|preferred|left|did not|"
    r"at a time)\b",
    re.I,
)
_LEAD: Final = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|roughly|around|nearly|almost|over|more than|at least|"
    r"up to|fewer than|less than|some|a total of|only)\s|[~≈∼<>≥≤]\s?)+\Z",
    re.I,
)
_TO: Final = re.compile(r"(?<![\w.])\d[\d,]* (?:to|[-–]) \Z")
# What stands before a number that names something: *Lab 2*.
_NUMBERED: Final = re.compile(
    r"\b(?:labs?|weeks?|years?|parts?|steps?|days?|sessions?|groups?|levels?|units?|courses?|"
    r"tasks?|"
    r"problems?|questions?|class|rounds?|projects?|of the|each|every|per)\s\Z",
    re.I,
)
_ALSO: Final = re.compile(r"\b(?:\d+|one|two|three) (?:and|or) \Z", re.I)
_JOINED: Final = re.compile(r"[-\u2010\u2011](?P<noun>\w+)\b")
_N: Final = re.compile(r"\bn\s?=\s?\Z", re.I)


def _start(one: Quantity, sentence: str) -> int:
    """Where a quantity begins with *about*, *more than*, or with the other end of its range."""
    other = _TO.search(sentence[: one.start])
    start = other.start() if other else one.start
    lead = _LEAD.search(sentence[:start])
    return lead.start() if lead else start


def _counts(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    wanted, found = [one.stem for one in terms(asked.noun)], terms(sentence)
    for one in quantities(sentence):
        is_count = one.kind in ("number", "range") and not one.unit and _is_count(one)
        if not wanted or not is_count or _NUMBERED.search(sentence[: one.start]):
            continue
        plural = counted_plural(one, found, sentence)
        joined = _JOINED.match(sentence, one.end)  # *a 16-node cluster*
        noun = stem(joined["noun"].casefold()) if joined else ""
        if joined and (fit := _same_noun(wanted, noun, set())):
            end = joined.end()
        elif plural is None and _N.search(sentence[: one.start]) and wanted[-1] in _PEOPLE:
            fit, end = 0.7, one.end
        elif plural is None:
            continue
        else:
            named = {each.stem for each in found if one.end <= each.start <= plural.start}
            fit, end = _same_noun(wanted, plural.stem, named), plural.end
        if not fit:
            continue
        if _PART.match(sentence[end:]):
            fit -= 0.3
        elif re.match(r"an? ", one.text) or _ALSO.search(sentence[: one.start]):
            fit -= 0.15  # *a thousand machines* are any; *2 and 3 machines* are two counts
        elif _WHOLE.search(sentence):
            fit += 0.1
        start = _start(one, sentence)
        yield SpanAnswer(start, end, min(1.0, fit), sentence[start : one.end].casefold())


def _is_count(one: Quantity) -> bool:
    """Several, and whole."""
    return one.value > 1 and one.value % 1 == 0


def _same_noun(wanted: Sequence[str], counted: str, named: set[str]) -> float:
    """How well a counted noun matches the requested one."""
    *modifiers, head = wanted
    if head == counted:
        share = sum(one in named for one in modifiers) / len(modifiers) if modifiers else 1.0
        return 0.55 + 0.35 * share
    if head in _ANYBODY and counted in _PEOPLE - _STAFF:
        return 0.75
    return 0.75 if any({head, counted} <= group for group in _OTHER_NAMES) else 0.0


_TIMES: Final = frozenset("seconds minutes hours days weeks months years".split())
_TIME_WORDS: Final = re.compile(
    r"\b(?:(?:half|full|whole|one|single)[- ]day|(?:week|semester|term|year|month|day|hour|quarter)"
    r"[- ]long|(?:a|an|one|two|three|four|five|six|seven|eight|single|several|\d+)[- ](?:full[- ])?"
    r"(?:(?:online|weekly)\s)?(?:semesters?|terms?|quarters?|sessions?|afternoons?|mornings?|"
    r"evenings?|weekends?))\b",
    re.I,
)
_LASTS: Final = re.compile(
    r"\b(?:last\w*|ran|runs?|running|took|takes?|taking|span\w*|duration|over(?: the course of)?|"
    r"for|"
    r"during|within|long|length|requires?|spent|consist\w* of|compris\w*|is|was|in|schedul\w*|"
    r"extend\w*|cover\w*|divided into)\s(?:\w+\s){0,3}\Z",
    re.I,
)
_NO_DURATION: Final = re.compile(
    r"\A\s?(?:ago|old|of age|of (?:\w+ ){0,2}experience|later|before|after|earlier|prior)\b|"
    r"\A[- ]old\b|"
    r"\A (?:per|a|each|every|in (?:a|each)) (?:day|week|month|term|semester|year)\b|"
    r"\A (?:\w+ )?(?:paper|discussion|lecture|break|video)",
    re.I,
)
_EACH: Final = re.compile(r"\beach\b[^,;.]{0,25}\Z", re.I)
_RECENT: Final = re.compile(
    r"\b(?:past|last|every|previous|recent|next|each|per|after|grade|aged?|year)\s\Z|\d-\Z", re.I
)


def _durations(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    spans = [
        (_start(one, sentence), one.end, f"{one.value} {one.unit}")
        for one in quantities(sentence)
        if one.unit in _TIMES and one.kind in ("number", "range")
    ]
    for match in _TIME_WORDS.finditer(sentence):
        if not any(start < match.end() and match.start() < end for start, end, _ in spans):
            spans.append((*match.span(), match[0].casefold().replace("-", " ")))
    wanted, found = {one.stem for one in terms(asked.about)}, terms(sentence)
    for start, end, value in spans:
        if (
            _NO_DURATION.match(sentence[end:])
            or _RECENT.search(sentence[:start])
            or (asked.unit and asked.unit[:-1] not in value)
        ):
            continue
        after = [one.stem for one in found if end <= one.start < end + 40][:4]
        before = [one.stem for one in found if start - 60 <= one.start < start][-5:]
        if _EACH.search(sentence[:start]):
            fit = 0.4
        elif wanted & set(after[:2]) and sentence[end : end + 1] in (" ", "-", "\n", ")"):
            fit = 0.95
        elif wanted & set(before) and _LASTS.search(sentence[:start]):
            fit = 0.9
        elif _LASTS.search(sentence[:start]) or wanted & {*after, *before}:
            fit = 0.6
        else:
            fit = 0.4
        if "session" in value:
            fit = min(fit, 0.8)  # it may be said elsewhere how long one is
        yield SpanAnswer(start, end, fit, value)


_BYTES: Final = re.compile(r"\d[\d.,]*(?: ?[-–] ?\d[\d.,]*)? ?(?:[KMGT]i?B|[KMGT](?:b|Bytes?))\b")
_MEMORY: Final = re.compile(r"[\s-](?:\w+ ){0,3}?(?:memory|RAM|ram|DRAM)\b|[\w ]{0,8}memory")
_MEMORY_OF: Final = re.compile(r"\b(?:memory|RAM)(?: (?:of|is|was|:|size))* ?\(?\Z")


def _amounts(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    if asked.unit == "bytes":
        for match in _BYTES.finditer(sentence):
            of = _MEMORY_OF.search(sentence[: match.start()])
            is_memory = of or _MEMORY.match(sentence, match.end())
            fit = 0.95 if is_memory or asked.noun.casefold() not in ("memory", "ram") else 0.4
            yield _span(sentence, *match.span(), fit)
        return
    wanted, found = {one.stem for one in terms(asked.noun)}, terms(sentence)
    for one in quantities(sentence):
        if one.kind in ("year", "ordinal", "p-value") or (one.start == 0 and not one.unit):
            continue  # the number of a heading
        if asked.unit and not _has_unit(asked.unit, one):
            continue
        near = {term.stem for term in found if one.start - 60 <= term.start < one.end + 40}
        fit = 0.55 + (0.1 if one.unit else 0.0) + (0.1 if asked.unit else 0.0)
        if wanted:
            fit += 0.15 if wanted & near else -0.2
        plural = None if one.unit else counted_plural(one, found, sentence)
        end = plural.end if plural else one.end
        yield SpanAnswer(_start(one, sentence), end, min(1.0, fit), f"{one.value} {one.unit}")


def _has_unit(wanted: str, one: Quantity) -> bool:
    match wanted:
        case "money":
            return one.unit.isupper() and len(one.unit) == 3
        case "time":
            return one.unit in _TIMES or one.unit == "milliseconds"
        case "years":
            return one.unit == wanted or (not one.unit and 5 < one.value < 100)
    return one.unit == wanted


_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan\.|Feb\.|Mar\.|Apr\.|Aug\.|Sept?\.|Oct\.|Nov\.|Dec\.|[Ss]pring|[Ss]ummer|[Aa]utumn|"
    r"[Ff]all|"
    r"[Ww]inter)"
)
_YEAR: Final = r"(?:1[89]|20)\d\d"
_DATE: Final = re.compile(
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s?[-–]\s?\d{{1,2}})?\s)?\b{_MONTH}(?:\s(?:semester|"
    rf"term)(?: of)?)?"
    rf"(?:\s\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?,?)?\s(?:of\s)?{_YEAR}\b|"
    rf"\b{_YEAR}(?:\s?[-–/]\s?(?:{_YEAR}|\d\d))?\b(?! \w+s\b)"
)
_CITATION: Final = re.compile(
    rf"\([^()]*[A-Z][^()]*?,?\s{_YEAR}[a-z]?(?:[^()]*)\)|"
    rf"[A-Z][\w'’-]+(?: et al\.?)? \({_YEAR}[a-z]?\)|"
    rf"[A-Z][\w'’-]+(?:,? et al\.| and [A-Z]\w+),? {_YEAR}"
)
_LISTED: Final = re.compile(r"\s?(?:,|,? and|,? or|/|&)\s?(?:in )?")


def _dates(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    cited = [match.span() for match in _CITATION.finditer(sentence)]
    wanted = {one.stem for one in terms(asked.about)}
    for one in _known(sentence, _DATE, 0.6):
        if any(start <= one.start < end for start, end in cited):
            continue
        near = terms(sentence[max(0, one.start - 80) : one.end + 40])
        yield one._replace(fit=0.9 if wanted & {each.stem for each in near} else 0.6)


_NAME: Final = (
    r"[A-Z][\w’'&.-]*(?:\s(?:of|the|and|for|de|di|der|at|in)(?=\s[A-Z])|\s[A-Z0-9][\w’'&.-]*)*"
)
_INSTITUTION: Final = re.compile(
    r"(?:[A-Z][\w’'&-]*\s)*(?:University|College|School|Institute|Laboratory|Centre|Center|"
    r"Universidad|Université|Universität|UC)\b(?:\s(?:of|for|at|in|de)(?=\s(?:the\s)?[A-Z]))?"
    r"(?:\s(?:the\s)?[A-Z][\w’'&-]*)*(?:,\s[A-Z][\w-]+)*"
)
_AT: Final = re.compile(rf"\b(?:at|in|near|across)\s(?:the\s)?(?P<span>{_NAME}(?:,\s{_NAME})*)")


def _places(_: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    known = [match.span() for match in _INSTITUTION.finditer(sentence)]
    for start, end in known:
        fit = 0.85 if re.search(r"\b(?:at|in|from) (?:the )?\Z", sentence[:start]) else 0.5
        yield _span(sentence, start, end, fit)
    for match in _AT.finditer(sentence):
        start, end = match.span("span")
        if not any(one < end and start < other for one, other in known):
            yield _span(sentence, start, end, 0.0 if re.match(_MONTH, match["span"]) else 0.6)


_OTHERS: Final = re.compile(r"\b(?:most|many|other|such|existing|typical\w*|often|if)\b", re.I)


def _of_kind(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    proof = re.search(PROOFS[asked.asks], sentence, re.I)
    for one in _known(sentence, GAZETTEERS[asked.asks], 0.8 if proof else 0.4):
        name = sentence[one.start : one.end]
        is_bare = asked.asks is Asks.PROCESSOR and bool(BARE.search(name))
        is_tight = re.search(TIGHT[asked.asks], sentence[: one.start], re.I)
        if is_bare:
            yield one._replace(fit=min(one.fit, 0.65))
        elif proof and is_tight and not _OTHERS.search(sentence):
            yield one._replace(fit=0.95)
        else:
            yield one


def _known(sentence: str, known: re.Pattern[str], fit: float) -> Iterator[SpanAnswer]:
    """The matches; coordinated ones are one answer."""
    run: list[re.Match[str]] = []
    for match in known.finditer(sentence):
        if run and not _LISTED.fullmatch(sentence[run[-1].end() : match.start()]):
            yield _span(sentence, run[0].start(), run[-1].end(), fit)
            run = []
        run.append(match)
    if run:
        yield _span(sentence, run[0].start(), run[-1].end(), fit)


def _span(sentence: str, start: int, end: int, fit: float) -> SpanAnswer:
    """The span without spaces and punctuation at its end."""
    text = sentence[start:end].rstrip(" \n,;:.—–(-")
    value = re.sub(r"[\W_]+", " ", text).casefold().strip() or text
    return SpanAnswer(start, start + len(text), fit, value)


_COMMON: Final = frozenset(
    "The This We In It A An For Our These That They As To At Figure Table Section I Fig However "
    "And "
    "If When While There Each Although With From By On After Since All Most Many Some".split()
)
_LEADS_TO: Final = re.compile(
    r",?\s?(?:(?:\w+\s){0,3}?(?:called|named|is|was|are|were|such as|like|of|:|\(|“|"
    r"\")\s?(?:the\s)?)?"
)


def _names(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """Names beside the noun: *the MNIST dataset*, *a dataset called MNIST*."""
    wanted, found = [one.stem for one in terms(asked.noun)], terms(sentence)
    heads = zip(*(found[n:] for n in range(len(wanted))), strict=False)
    nouns = [run[0]._replace(end=run[-1].end) for run in heads if [t.stem for t in run] == wanted]
    for match in re.finditer(_NAME, sentence):
        words = match[0].split()
        rest = next((n for n, word in enumerate(words) if word not in _COMMON), None)
        if rest is None:
            continue
        start = match.start() + (match[0].index(words[rest]) if rest else 0)
        one = _span(sentence, start, match.end(), 0.4)
        yield one._replace(fit=max([0.4, *(_beside(one, noun, sentence) for noun in nouns)]))


def _beside(one: SpanAnswer, noun: Term, sentence: str) -> float:
    if one.end <= noun.start:
        between = sentence[one.end : noun.start]
        is_beside = len(between.split()) <= 2 and not re.search(r"[,;.:]", between)
    else:
        between = sentence[noun.end : one.start]
        is_beside = noun.end <= one.start and bool(_LEADS_TO.fullmatch(between))
    return 0.8 if is_beside else 0.55 if len(between) < 40 else 0.4


# A noun phrase with what is listed in it.
_PHRASE: Final = (
    r"(?P<span>[^.;:()]{3,160}?)"
    r"(?=[.;:()]|,? (?:who|which|that|to|in order|as|because|but|so|while|where)\b|\Z)"
)
# Words after which the answer comes, and how well it fits.
_CUES: Final = tuple(
    (asks, fit, re.compile(f"\\b(?:{words}) {_PHRASE}", re.I))
    for asks, fit, words in (
        (Asks.AUDIENCE, 0.95,
         r"(?:target(?:ed)?|intended|primary|main|broad|wide) "
         r"(?:audiences?|users?|groups?|learners)"
         r"(?: (?:of|for) \S+(?: \S+)?)?,? (?:is|are|was|were|includ\w+|consists? of|compris\w+)"),
        (Asks.AUDIENCE, 0.85,
         r"(?:aimed|targeted|targets|geared|directed|intended) (?:at|to|towards?|for)"),
        (Asks.AUDIENCE, 0.8,
         r"(?:designed|developed|meant|written|created|offered) "
         r"(?:to be (?:accessible|useful) to|for)|offered to|"
         r"(?:suitable|accessible|appropriate|tailored) (?:for|to)"),
        (Asks.AUDIENCE, 0.7,
         r"(?:useful|of interest) (?:for|to)|(?:introduction|course|workshop|tutorial) for"),
        (Asks.COMPARED, 0.9,
         r"compar(?:e|ed|es|ing|isons?)\b(?: \w+){0,6}? (?:with|to|against|versus|between)"),
        (Asks.COMPARED, 0.8,
         r"outperform\w*|versus|vs\.?|baselines?(?: \w+)?|(?:faster|better) than"),
        (Asks.FUNDER, 0.9,
         r"(?:funded|sponsored|financed|supported)(?: in part)?(?: \w+){0,3}? by(?: the| an?)?|"
         r"(?:funding|grants?|support) from(?: the)?"),
    )
)  # fmt: skip
_PRAISE: Final = re.compile(
    r"\b(?:positive\w*|negative\w*|appreciat\w+|enjoy\w*|satisf\w+|preferred|preference|liked|"
    r"disliked|(?:helpful|useful|valuable)(?! feedback)|rated|excellent|difficult|challenging|"
    r"informative|praised|"
    r"complain\w*|critici\w+|agreed|well received|enthusias\w+)\b|\d ?%",
    re.I,
)
_SAYING: Final = re.compile(
    r"\b(?:participants?|students?|attendees?|learners?|respondents?|users?|they) (?:\w+ ){0,3}"
    r"(?:appreciated|enjoyed|liked|disliked|found|rated|reported|preferred|agreed|felt|praised|"
    r"recommended|commented|said|stated|indicated)\b",
    re.I,
)


def _cued(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """The text after words that announce the answer."""
    for asks, fit, pattern in _CUES:
        for match in pattern.finditer(sentence) if asks is asked.asks else ():
            one = _span(sentence, *match.span("span"), fit)
            if _is_cued(asks, sentence[one.start : one.end]):
                yield one


def _is_cued(asks: Asks, phrase: str) -> bool:
    """Whether a phrase begins with people, or with a name."""
    first = " ".join(phrase.split()[:6])
    if asks is Asks.AUDIENCE:
        is_noun = not re.match(r"(?:help\w*|be|either|optimi\w+|not|\w+ing|use)\b", first, re.I)
        return is_noun and (any(t.stem in _PEOPLE for t in terms(first)) or first[:5] == "those")
    return bool(re.search(r"\b[A-Z]\w", " ".join(phrase.split()[:4])))


def _feedback(_: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    is_about_it = re.search(r"\bfeedback\b|\bsurvey", sentence, re.I)
    says = (is_about_it and _PRAISE.search(sentence)) or _SAYING.search(sentence)
    if says and "thank" not in sentence:
        start, end = _clause(sentence, lambda text: bool(_PRAISE.search(text)))
        yield _span(sentence, start, end, 0.9 if is_about_it else 0.7)


_CLAUSE_END: Final = re.compile(
    r"[;:—]\s|,\s(?=(?:but|which|while|whereas|where|although|because)\b)|\s\((?=[A-Z])"
)
# Shorter sentences are not cut, in characters.
_LONG: Final = 160


def _clauses(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """The sentence; of a long one the clause with most of the question's words."""
    if not is_statement(sentence):
        return
    wanted = {one.stem for one in terms(asked.about)}
    yield _span(
        sentence,
        *_clause(sentence, lambda text: len(wanted & {one.stem for one in terms(text)})),
        0.6,
    )


def _clause(sentence: str, worth: Callable[[str], int]) -> Span:
    if len(sentence) <= _LONG:
        return 0, len(sentence)
    edges = [0, *(match.end() for match in _CLAUSE_END.finditer(sentence)), len(sentence)]
    return max(pairwise(edges), key=lambda one: worth(sentence[slice(*one)]))


_Reader = Callable[[ColumnQuestion, str], Iterator[SpanAnswer]]
_READERS: Final[Mapping[Asks, _Reader]] = {
    Asks.COUNT: _counts,
    Asks.DURATION: _durations,
    Asks.AMOUNT: _amounts,
    Asks.DATE: _dates,
    Asks.PLACE: _places,
    Asks.NAME: _names,
    Asks.FEEDBACK: _feedback,
    Asks.STATEMENT: _clauses,
    **dict.fromkeys((Asks.LANGUAGE, Asks.LICENCE, Asks.PROCESSOR, Asks.HOST), _of_kind),
    **dict.fromkeys((Asks.AUDIENCE, Asks.COMPARED, Asks.FUNDER), _cued),
}
