"""The spans of sentences that answer the question of a column, and how sure they are. English."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
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

from .column_questions import Asks, ColumnQuestion, points_at
from .known_names import BARE, GAZETTEERS, LETTER
from .quotable_sentences import is_statement


class SpanAnswer(NamedTuple):
    """``sentence[start:end]`` answers by ``fit``, at most 1, clauses by 0.3 or less; equal answers
    have equal ``value``."""

    start: int
    end: int
    fit: float
    value: str


class CellChoice(StrEnum):
    """The decision about the best answer."""

    SURE = "sure"
    CHECK = "check"
    NOT_STATED = "not stated"


# What the fit of an answer weighs beside the log-odds that its sentence answers.
_FIT, _READ = 4.0, 0.8
# These log-odds where the sentence was not read: of one that is not close to the question, and
# what the greatest closeness adds.
_FAR, _CLOSE = -1.5, 2.5
# The cosine of a sentence that could hardly be closer.
_CLOSEST: Final = 0.6
# Less fit names and phrases answer less than the clause.
_LEAST_FIT: Final = 0.6
# Least score of an answer, and least fit and score of one that is sure.
_STATED, _SURE_FIT, _SURE = 1.5, 0.85, 3.0
# Another answer as near as this makes the best one uncertain.
_RIVAL: Final = 1.5
#: Of these nothing is sure: a clause may answer another question on the same subject.
_UNSURE: Final = frozenset({Asks.STATEMENT, Asks.AUDIENCE, Asks.COMPARED, Asks.NAME})
_OPEN: Final = frozenset({Asks.NAME, Asks.COMPARED, Asks.AUDIENCE, Asks.HOST})


def score_of(answer: SpanAnswer, odds: float) -> float:
    """How probably a span answers, of the log-odds that its sentence does."""
    return _FIT * answer.fit + _READ * odds


def expected_odds(closeness: float) -> float:
    """The log-odds of a sentence that no model read, of its cosine with the question."""
    return _FAR + _CLOSE * min(1.0, closeness / _CLOSEST)


def chosen(asks: Asks, found: Sequence[tuple[SpanAnswer, float]]) -> CellChoice:
    """The decision about the first of ``found``, ordered by score."""
    if not found or found[0][1] < _STATED:
        return CellChoice.NOT_STATED
    best, score = found[0]
    has_rival = any(other > score - _RIVAL and one.value != best.value for one, other in found[1:])
    is_sure = best.fit >= _SURE_FIT and score >= _SURE and not has_rival
    return CellChoice.SURE if is_sure and asks not in _UNSURE else CellChoice.CHECK


def answers_in(asked: ColumnQuestion, sentence: str) -> list[SpanAnswer]:
    """The spans of a sentence that may answer; where none is fit and any words may answer, the
    clause."""
    found = list(_READERS[asked.asks](asked, sentence))
    if asked.asks not in _OPEN:
        return found
    return [one for one in found if one.fit >= _LEAST_FIT] or list(_clauses(asked, sentence))


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
        "documents pages",
        "machines servers nodes computers hosts workstations PCs",
        "lessons lectures modules units chapters sessions sections parts",
        "universities institutions colleges schools",
    )
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
    r"tasks?|problems?|questions?|class|rounds?|projects?|of the|each|every|per)\s\Z",
    re.I,
)
_JOINED: Final = re.compile(r"[-\u2010\u2011](?P<noun>\w+)\b")
# What may stand between a number and its noun: *18 seventh and eighth grade teachers*, *one node*.
_NOUN_PHRASE: Final = re.compile(
    r"(?: (?!(?:of|in|on|to|for|with|by|from|at|the|an?|is|are|was|were|who|that|which)\b)"
    r"[a-z][\w’'-]*){1,7}"
)
_BEFORE: Final = re.compile(r"(\w+) \((?:\w+ )?\Z")  # *a set of servers (typically five)*
_MORE: Final = re.compile(r"\b(?:additional|extra|another|further|remaining|other)\s\Z", re.I)
_RATE: Final = re.compile(r"\bper \w+")
_N: Final = re.compile(r"\bn\s?=\s?\Z", re.I)
_VAGUE: Final = re.compile(
    r"\b(?:(?:a few|several|(?:a )?couple(?: of)?) (?:dozen|hundred|thousand|million)s?(?: of)?|"
    r"(?:ten|dozen|hundred|thousand)s of(?: (?:thousand|million)s of)?|a single)\b(?=\s[a-z])",
    re.I,
)


def _start(one: Quantity, sentence: str) -> int:
    """Where a quantity begins with the other end of its range, *about* or *more than*."""
    other = _TO.search(sentence[: one.start])
    return _led(other.start() if other else one.start, sentence)


def _led(start: int, sentence: str) -> int:
    lead = _LEAD.search(sentence[:start])
    return lead.start() if lead else start


def _counts(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    wanted, found = [one.stem for one in terms(asked.noun)], terms(sentence)
    rate = _RATE.search(asked.about)
    vague = [Quantity(*one.span(), one[0], Decimal(2)) for one in _VAGUE.finditer(sentence)]
    for one in (*quantities(sentence), *vague):
        is_whole = one.kind in ("number", "range") and not one.unit and one.value % 1 == 0
        if not is_whole or one.value <= 1 or _NUMBERED.search(sentence[: one.start]):
            continue
        fit, end = _counted(one, wanted, found, sentence) if wanted else (0.0, one.end)
        if rate and (match := re.match(rf"[^,.;]{{0,40}}\b{rate[0]}", sentence[one.end :])):
            fit, end = max(fit, 0.75), one.end + match.end()
        if not fit:
            continue
        if _PART.match(sentence[end:]) or _MORE.search(sentence[: one.start]):
            fit -= 0.3
        start = _start(one, sentence)
        yield SpanAnswer(start, end, fit, sentence[start : one.end].casefold())


def _counted(
    one: Quantity, wanted: Sequence[str], found: Sequence[Term], sentence: str
) -> tuple[float, int]:
    """How well a number counts the noun, and where the noun ends."""
    if joined := _JOINED.match(sentence, one.end):  # *a 16-node cluster*
        return _same_noun(wanted, stem(joined["noun"].casefold()), set()), joined.end()
    if _N.search(sentence[: one.start]) and wanted[-1] in _PEOPLE:
        return 0.7, one.end
    before = _BEFORE.search(sentence[: one.start])
    if before and stem(before[1].casefold()) == wanted[-1]:
        return 0.75, one.end
    phrase = _NOUN_PHRASE.match(sentence, one.end)
    near = [each for each in found if phrase and one.end <= each.start < phrase.end()]
    counted = [each for each in near if each.stem == wanted[-1]]
    if plural := counted_plural(one, found, sentence):
        counted.insert(0, plural)
    for noun in counted:
        named = {each.stem for each in found if one.end <= each.start <= noun.start}
        if fit := _same_noun(wanted, noun.stem, named):
            return fit, noun.end
    return 0.0, one.end


def _same_noun(wanted: Sequence[str], counted: str, named: set[str]) -> float:
    """How well a counted noun matches the requested one."""
    *modifiers, head = wanted
    if head == counted:
        share = sum(one in named for one in modifiers) / len(modifiers) if modifiers else 1.0
        return 0.55 + 0.35 * share
    if head in _ANYBODY and counted in _PEOPLE - _STAFF:
        return 0.75
    return 0.75 if any({head, counted} <= group for group in _OTHER_NAMES) else 0.0


_TIMES: Final = frozenset("milliseconds seconds minutes hours days weeks months years".split())
_TIME_WORDS: Final = re.compile(
    r"\b(?:(?:\d[\d.,]*|a few|tens of|a few hundred|hundreds of|several) ?(?:nano|micro|milli)?"
    r"(?:seconds|minutes|hours|days|weeks|months|years)\b|\d[\d.,]* ?[nµ]s\b|"
    r"(?:half|full|whole|one|single)[- ]day|(?:week|semester|term|year|month|day|hour|quarter)"
    r"[- ]long|(?:a|an|one|two|three|four|five|six|seven|eight|single|several|\d+)[- ](?:full[- ])?"
    r"(?:(?:online|weekly)\s)?(?:semesters?|terms?|quarters?|sessions?|afternoons?|mornings?|"
    r"evenings?|weekends?))\b",
    re.I,
)
_NO_DURATION: Final = re.compile(
    r"\A\s?(?:ago|old|of age|of (?:\w+ ){0,2}experience|later|before|after|earlier|prior)\b|"
    r"\A[- ]old\b|"
    r"\A (?:per|a|each|every|in (?:a|each)) (?:day|week|month|term|semester|year)\b|"
    r"\A (?:\w+ )?(?:paper|discussion|lecture|break|video)",
    re.I,
)
_LIGHT: Final = frozenset(map(stem, "take last run do use".split()))
_RECENT: Final = re.compile(
    r"\b(?:past|last|every|previous|recent|next|each|per|after|grade|aged?|year)\s\Z|\d-\Z|"
    r"\beach\b[^,;.]{0,25}\Z",
    re.I,
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
    wanted, found = {one.stem for one in terms(asked.about)} - _LIGHT, terms(sentence)
    for start, end, value in spans:
        after = [one.stem for one in found if end <= one.start < end + 40][:4]
        if (
            (_NO_DURATION.match(sentence[end:]) and not wanted & set(after))
            or _RECENT.search(sentence[:start])
            or (asked.unit and asked.unit[:-1] not in value)
        ):
            continue
        before = [one.stem for one in found if start - 60 <= one.start < start][-5:]
        if wanted & set(after[:2]) and sentence[end : end + 1] in (" ", "-", "\n", ")"):
            fit = 0.95
        else:
            fit = 0.9 if wanted & set(before) else 0.5
        if "session" in value:
            fit = min(fit, 0.8)  # it may be said elsewhere how long one is
        yield SpanAnswer(start, end, fit, value)


_BYTES: Final = re.compile(
    r"(?:\d[\d.,]*(?: ?[-–] ?\d[\d.,]*)?|(?:tens|dozens|hundreds|thousands|a few|several|multiple)"
    r"(?: of)?|(?:a|one|ten|several) (?:hundred|thousand)) ?"
    r"(?:[KMGTP](?: ?i?B|b|Bytes?)\b|(?:kilo|mega|giga|tera|peta)bytes?\b)"
)
_MEMORY: Final = re.compile(r"[\s-](?:\w+ ){0,3}?(?:memory|RAM|ram|DRAM)\b|[\w ]{0,8}memory")
_MEMORY_OF: Final = re.compile(r"\b(?:memory|RAM)(?: (?:of|is|was|:|size))* ?\(?\Z")


_FACTORS: Final = frozenset(map(stem, "factor speedup ratio".split()))
_FOLD: Final = re.compile(r"\b\d[\d.]*(?: ?x\b| times\b|[- ]?fold\b)")
_OF: Final = re.compile(r"\s?(?:of|is|was|are|were|[:=(])?\s?(?:about |only |over |up to )?")


def _amounts(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    if asked.unit == "bytes":
        for match in _BYTES.finditer(sentence):
            of = _MEMORY_OF.search(sentence[: match.start()])
            is_memory = of or _MEMORY.match(sentence, match.end())
            of_memory = asked.noun.casefold() in ("memory", "ram")
            fit = 0.8 if re.search(r"[GTP] ?i?B|giga|tera|peta", match[0], re.I) else 0.5
            fit = fit if not of_memory else 0.95 if is_memory else 0.4
            yield _span(sentence, _led(match.start(), sentence), match.end(), fit)
        return
    wanted, found = {one.stem for one in terms(asked.noun)}, terms(sentence)
    for match in _FOLD.finditer(sentence) if wanted & _FACTORS else ():
        yield _span(sentence, _led(match.start(), sentence), match.end(), 0.7)
    for one in quantities(sentence):
        if one.kind in ("year", "ordinal", "p-value") or (one.start == 0 and not one.unit):
            continue  # the number of a heading
        if asked.unit and not _has_unit(asked.unit, one):
            continue
        fit = 0.55 + (0.1 if one.unit else 0.0) + (0.1 if asked.unit else 0.0)
        is_beside = any(
            _OF.fullmatch(sentence, term.end, one.start)
            or (one.end <= term.start and sentence[one.end : term.start].isspace())
            for term in found
            if term.stem in wanted
        )
        fit += 0.3 if is_beside else 0.0
        plural = None if one.unit else counted_plural(one, found, sentence)
        end = plural.end if plural else one.end
        yield SpanAnswer(_start(one, sentence), end, min(1.0, fit), f"{one.value} {one.unit}")


def _has_unit(wanted: str, one: Quantity) -> bool:
    match wanted:
        case "money":
            return one.unit.isupper() and len(one.unit) == 3
        case "time":
            return one.unit in _TIMES
        case "share":
            return one.unit == "percent" or (not one.unit and 0 < one.value < 1)
        case "Hz":
            return one.unit.endswith(wanted) or not one.unit
        case "years":
            return one.unit == wanted or (not one.unit and 5 < one.value < 100)
    return one.unit == wanted


_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan\.|Feb\.|Mar\.|Apr\.|Aug\.|Sept?\.|Oct\.|Nov\.|Dec\.|[Ss]pring|[Ss]ummer|[Aa]utumn|"
    r"[Ff]all|[Ww]inter)"
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
    for one in _durations(asked, sentence) if "since" in asked.text.casefold() else ():
        if sentence[: one.start].endswith("for "):
            yield one._replace(fit=0.8)


_NAME: Final = (
    r"(?:[a-z]+(?=[A-Z]))?[A-Z][\w’'&.-]*"
    r"(?:\s(?:of|the|and|for|de|di|der|at|in)(?=\s[A-Z])|\s[A-Z0-9][\w’'&.-]*)*"
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
        fit = 0.85 if re.search(r"\b(?:at|in|from) (?:the |[\w-]+-)?\Z", sentence[:start]) else 0.5
        yield _span(sentence, start, end, fit)
    for match in _AT.finditer(sentence):
        start, end = match.span("span")
        if not any(one < end and start < other for one, other in known):
            yield _span(sentence, start, end, 0.0 if re.match(_MONTH, match["span"]) else 0.6)


def _of_kind(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    for one in _known(sentence, GAZETTEERS[asked.asks], 0.9):
        name = sentence[one.start : one.end]
        if len(name) == 1 and not LETTER.search(sentence[: one.start]):
            continue
        # A package is elsewhere than its code; of several languages one may be the answer.
        is_unsure = asked.asks is Asks.HOST or "," in name
        is_bare = asked.asks is Asks.PROCESSOR and bool(BARE.search(name))
        yield one._replace(fit=0.65 if is_bare else 0.8 if is_unsure else 0.9)


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
    "And If When While There Each Although With From By On After Since All Most Many Some".split()
)
_NAMES: Final = re.compile(rf"(?<![\w-])(?!(?:{'|'.join(_COMMON)})\b){_NAME}")
_NAMED_KINDS: Final = tuple(
    frozenset(" ".join(map(stem, name.split())) for name in line.split(","))
    for line in (
        "dataset,data set,corpus,corpora,collection,database,benchmark",
        "platform,environment,service,website,site,operating system",
        "software,tool,library,framework,package,toolkit",
        "application,product,project,service",
    )
)
_USED: Final = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|chose|employ\w*|on|via|with|such as|called|named) (?:the |a |an )?\Z"
)
_LEADS_TO: Final = re.compile(
    r",?\s?(?:(?:\w+\s){0,5}?(?:called|named|is|was|are|were|such as|like|of|includ\w+|namely|"
    r":|\(|“|\")\s?(?:the\s)?)?"
)


def _names(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """Names beside the noun: *the MNIST dataset*, *a dataset called MNIST*."""
    found = terms(sentence)
    nouns = list(_noun_places([one.stem for one in terms(asked.noun)], found))
    given = {one.stem for one in terms(asked.text)}
    is_on_it = bool(nouns or given & {one.stem for one in found})
    cited = [match.span() for match in _CITATION.finditer(sentence)]
    for one in _known(sentence, _NAMES, 0.4):
        name = sentence[one.start : one.end]
        is_given = {term.stem for term in terms(name)} <= given  # the question names it
        is_cited = any(start <= one.start < end for start, end in cited)
        if is_given or is_cited:
            continue
        fit = 0.65 if is_on_it and _USED.search(sentence[: one.start]) else 0.4
        if any(_is_beside(one, noun, sentence) for noun in nouns):
            fit = 0.8
        is_list = asked.noun.endswith("s") and "," in name
        yield one._replace(fit=fit + 0.15 if is_list else fit)


def _noun_places(wanted: Sequence[str], found: Sequence[Term]) -> Iterator[Term]:
    """Where a noun stands, its last word, or another name of its kind."""
    kinds = {" ".join(wanted), *wanted[-1:]}
    kinds = kinds.union(*(group for group in _NAMED_KINDS if kinds & group))
    for run in (*((one,) for one in found), *pairwise(found)):
        if " ".join(one.stem for one in run) in kinds:
            yield run[0]._replace(end=run[-1].end)


# *X (2019) is a large dataset*, *X, a dataset*.
_IS_A: Final = re.compile(
    r"(?:\.\w+)?(?:\s?[(\[][^()\[\]]*[)\]])?(?:,| is| are) (?:an?|the) (?:[\w-]+ ){0,3}"
)


def _is_beside(one: SpanAnswer, noun: Term, sentence: str) -> bool:
    if one.end <= noun.start:
        between = sentence[one.end : noun.start]
        is_next = len(between.split()) <= 2 and not re.search(r"[,;.:]", between)
        return is_next or bool(_IS_A.fullmatch(between))
    return noun.end <= one.start and bool(_LEADS_TO.fullmatch(sentence, noun.end, one.start))


# A noun phrase with what is listed in it.
_PHRASE: Final = (
    r"(?P<span>(?:[^.;:()]|\.(?=\d)){3,160}?(?:: (?:[^.;:()]|\.(?=\d)){3,160}?)?)"
    r"(?=[.;:()]|,? (?:who|which|that|to|in order|as|because|but|so|while|where)\b|\Z)"
)
# Words after which the answer comes, and how well it fits.
_CUES: Final = tuple(
    (asks, fit, re.compile(f"\\b(?:{words}) {_PHRASE}", re.I))
    for asks, fit, words in (
        (Asks.AUDIENCE, 0.95,
         r"(?:(?:target(?:ed)?|intended|primary|main|broad|wide) "
         r"(?:users?|groups?|learners)|audiences?)"
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
         r"funding(?: for [^.;]{1,80}?)? (?:from|by)(?: the)?|"
         r"(?:grants?|support) from(?: the)?"),
    )
)  # fmt: skip


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
    return bool(re.search(r"\b[A-Z]\w", first))


_CLAUSE_END: Final = re.compile(
    r"[;—]\s|,\s(?=(?:but(?! also)|which|while|whereas|where|although|because)\b)|"
    r"\s\((?=[A-Z][^()]*\)\W*\Z)"
)
# Shorter sentences are not cut, in characters.
_LONG: Final = 160


def _clauses(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """The sentence; of a long one the clause with most of the question's words. What is asked may
    show in its words: a limitation in *only*."""
    if not is_statement(sentence):
        return
    wanted = {one.stem for one in terms(asked.about)}
    fit = 0.0
    if asked.cue:
        fit = 0.3 if re.search(asked.cue, sentence, re.I) else -0.1
        fit += 0.2 if re.search(asked.theme, sentence, re.I) else 0.0
        fit -= 0.3 if points_at(sentence) else 0.0
    elif asked.asks is Asks.NAME:
        nouns = _noun_places([one.stem for one in terms(asked.noun)], terms(sentence))
        fit = 0.2 if any(nouns) else -0.1
    span = _clause(sentence, lambda text: len(wanted & {one.stem for one in terms(text)}))
    yield _span(sentence, *span, fit)


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
    Asks.STATEMENT: _clauses,
    **dict.fromkeys((Asks.LANGUAGE, Asks.LICENCE, Asks.PROCESSOR, Asks.HOST), _of_kind),
    **dict.fromkeys((Asks.AUDIENCE, Asks.COMPARED, Asks.FUNDER), _cued),
}
