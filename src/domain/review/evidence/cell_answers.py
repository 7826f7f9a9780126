"""What a column of a table asks for, and the spans of sentences that answer it. English."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from citeloom.domain.text.terms import Term, stem, terms
from citeloom.domain.verification.quantities.quantity import (
    Quantity,
    counted_plural,
    quantities,
)


class Asks(StrEnum):
    """What fills the cells of a column: a count, a duration, an amount with its unit, a date, a
    place, a name (of a language, a licence, a tool …), or a clause."""

    COUNT = "count"
    DURATION = "duration"
    AMOUNT = "amount"
    DATE = "date"
    PLACE = "place"
    NAME = "name"
    STATEMENT = "statement"


class ColumnQuestion(NamedTuple):
    """``noun`` is what is counted, measured or named, ``about`` the rest of the question, ``unit``
    that of the answer, where the question says it."""

    text: str
    asks: Asks
    noun: str
    about: str
    unit: str = ""


class SpanAnswer(NamedTuple):
    """``sentence[start:end]`` answers by ``fit``, 0..1; equal answers have equal ``value``."""

    start: int
    end: int
    fit: float
    value: str


class CellChoice(StrEnum):
    """What becomes of the best answer."""

    SURE = "sure"
    CHECK = "check"
    NOT_STATED = "not stated"


# Weights of the fit, the covered words of the question, and the closeness of the sentence.
_FIT, _COVER, _CLOSE = 0.5, 0.3, 0.2
# The cosine of a sentence that could hardly be closer.
_CLOSEST: Final = 0.6
# Least fit and score of an answer, by what is asked for; and of one that is sure.
_LEAST_FIT: Final = 0.6
_LEAST: Final = 0.62
_SURE_FIT: Final = 0.85
_SURE: Final = 0.8
# Another answer as near as this makes the best one uncertain.
_RIVAL: Final = 0.12
_FRONT: Final = re.compile(
    r"\A\W*(?:Submitted|Received|Accepted|Published|Editor|Reviewers?|DOI)\b.{0,12}:|[¹²³⁴⁵⁶⁷⁸⁹⁰*†‡§,] ?[A-Z].*?"
    r"[¹²³⁴⁵⁶⁷⁸⁹⁰].*?[¹²³⁴⁵⁶⁷⁸⁹⁰].*?[¹²³⁴⁵⁶⁷⁸⁹⁰]"
)
_OF_THE_PAPER: Final = re.compile(
    r"\bauthors of papers? retain\b|\bpermission to (?:make|copy)\b", re.I
)


def is_front_matter(sentence: str) -> bool:
    """Whether a sentence is a list of authors or the dates of a publication."""
    return bool(_FRONT.search(sentence))


def score_of(
    asked: ColumnQuestion, answer: SpanAnswer, sentence: str, cover: float, closeness: float
) -> float:
    """How likely a span answers, 0..1; of ``sentence`` the covered share of the question's words
    and the cosine."""
    score = _FIT * answer.fit + _COVER * cover + _CLOSE * min(1.0, closeness / _CLOSEST)
    return score - 0.15 if _OF_THE_PAPER.search(sentence) else score


def chosen(asked: ColumnQuestion, found: Sequence[tuple[SpanAnswer, float]]) -> CellChoice:
    """What becomes of the first of ``found``, the best first with their scores."""
    if not found:
        return CellChoice.NOT_STATED
    best, score = found[0]
    if best.fit < _LEAST_FIT or score < _LEAST:
        return CellChoice.NOT_STATED
    rivals = [
        one
        for one, other in found[1:]
        if other > score - _RIVAL and one.fit >= _LEAST_FIT and one.value != best.value
    ]
    is_sure = best.fit >= _SURE_FIT and score >= _SURE and not rivals
    return CellChoice.SURE if is_sure and asked.asks is not Asks.STATEMENT else CellChoice.CHECK


_DURATION_UNITS: Final = frozenset("minutes hours days weeks months years decades seconds".split())
_END_OF_NOUN: Final = (
    r"(?:were|was|are|is|did|do|does|have|has|had|can|could|will|would|took|take|takes|of|in|for|"
    r"at|on|from|with|by|per|who|that|which|there|the|a|an|it|they|to)\b"
)
_NOUN: Final = rf"(?P<noun>(?:(?!{_END_OF_NOUN})[\w'’+#-]+\s?){{1,4}})"
_HOW_MANY: Final = re.compile(rf"\bhow many (?:(?:of )?the )?{_NOUN}", re.I)
_NUMBER_OF: Final = re.compile(rf"\bnumber of (?:the )?{_NOUN}", re.I)
_SAMPLE: Final = re.compile(
    r"\b(?:sample|group|class|cohort|audience) size\b|\bsize of the sample\b", re.I
)
_HOW_LONG: Final = re.compile(
    r"\bhow (?:long|much time)\b|\b(?:duration|length|time span)\b|"
    r"\bhow many (?P<unit>seconds|minutes|hours|days|weeks|months|years|semesters|sessions)\b",
    re.I,
)
_WHEN: Final = re.compile(
    r"\A\W*(?:since )?when\b|\b(?:which|what) (?:year|date|month|term|semester)\b", re.I
)
_WHERE: Final = re.compile(
    r"\A\W*where\b|\b(?:which|what) (?:country|countries|city|university|universities|institutions?"
    r"|place|location|schools?|college)\b|\b(?:country|location|venue) of\b",
    re.I,
)
_AMOUNT: Final = re.compile(
    r"\bhow (?P<how>much|large|big|high|old|fast|accurate|often|small|far|expensive|deep|wide)\b|"
    r"\b(?:what|which)\b.*?\b(?P<noun>percentage|percent|share|proportion|fraction|rate|accuracy|score|"
    r"size|cost|price|budget|mean|median|average|throughput|latency|speed|speedup|bandwidth|"
    r"overhead|age|precision|recall|error|capacity|factor|ratio|frequency|threshold|"
    r"probability|length|weight|grade)\b",
    re.I,
)
_UNIT_OF: Final = {
    **dict.fromkeys(("percentage", "percent", "share", "proportion", "fraction"), "percent"),
    **dict.fromkeys(("cost", "price", "budget", "expensive"), "money"),
    **dict.fromkeys(("old", "age"), "years"),
    "latency": "time",
}
_DETERMINED: Final = re.compile(
    rf"\b(?:which|what) (?!(?:is|are|was|were|do|does|did|has|have|can|kind|type|sort)\b){_NOUN}",
    re.I,
)
_KIND_OF: Final = re.compile(rf"\b(?:which|what) (?:kind|type|sort)s? of {_NOUN}", re.I)
_WHAT_IS_THE: Final = re.compile(
    rf"\b(?:what|which) (?:is|are|was|were) (?:the |its |their )?(?:name of the )?{_NOUN}", re.I
)
# Nouns whose answers are names, also where a question asks "what is the …".
_NAMED: Final = re.compile(
    r"\b(?:languages?|licen[sc]es?|datasets?|data sets?|corpus|corpora|software|tools?|frameworks?|"
    r"librar(?:y|ies)|platforms?|databases?|packages?|systems?|instruments?|"
    r"funders?|agenc(?:y|ies)|company|companies|environments?|names?|repositor(?:y|ies)|"
    r"compilers?|journals?|operating systems?|titles?)\Z",
    re.I,
)
_WHO: Final = re.compile(r"\A\W*(?:by )?who(?:m|se)?\b", re.I)


def column_question(text: str) -> ColumnQuestion:
    """What a question asks for. One that names a unit of time asks for a duration."""

    def made(
        asks: Asks, match: re.Match[str] | None, noun: str = "", unit: str = ""
    ) -> ColumnQuestion:
        about = f"{text[: match.start()]} {text[match.end() :]}" if match else text
        return ColumnQuestion(text, asks, noun.strip(" ?"), about, unit)

    if match := _HOW_LONG.search(text):
        return made(Asks.DURATION, match, unit=(match["unit"] or "").casefold())
    if match := _SAMPLE.search(text):
        return made(Asks.COUNT, match, "participants")
    if match := _HOW_MANY.search(text) or _NUMBER_OF.search(text):
        noun = _up_to_plural(match["noun"])
        rest = match["noun"][len(noun) :]
        asked = made(Asks.COUNT, match, noun)
        return asked._replace(about=f"{rest} {asked.about}")
    if match := _WHEN.search(text):
        return made(Asks.DATE, match)
    if match := _WHERE.search(text):
        return made(Asks.PLACE, match)
    if match := _AMOUNT.search(text):
        noun = (match["noun"] or match["how"] or "").casefold()
        kept = "" if match["how"] or _UNIT_OF.get(noun) == "percent" else noun
        asked = made(Asks.AMOUNT, match, kept, _UNIT_OF.get(noun, ""))
        return asked._replace(about=f"{_between(text, match)} {asked.about}")
    if match := _KIND_OF.search(text) or _DETERMINED.search(text):
        return made(Asks.NAME, match, match["noun"])
    if (match := _WHAT_IS_THE.search(text)) and _NAMED.search(match["noun"].strip(" ?")):
        return made(Asks.NAME, match, match["noun"])
    return ColumnQuestion(text, Asks.STATEMENT, "", text)


def _between(text: str, match: re.Match[str]) -> str:
    """The words of a match before its noun: *what share of students*: none."""
    return text[match.start() : match.start("noun")] if match["noun"] else ""


_PLURAL: Final = re.compile(
    r"(?!\S*(?:ss|us|is)\Z)\S+s\Z|people\Z|(?:wo)?men\Z|children\Z|data\Z", re.I
)


def _up_to_plural(words: str) -> str:
    """The counted noun: up to the first plural."""
    for match in re.finditer(r"\S+", words):
        if _PLURAL.match(match[0]):
            return words[: match.end()]
    return words


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
        "librarians clinicians interviewees postdocs employees".split(),
    )
)
_OTHER_NAMES: Final = tuple(
    frozenset(map(stem, line.split()))
    for line in (
        "students learners pupils undergraduates",
        "teachers instructors educators lecturers",
        "workshops courses classes bootcamps tutorials trainings events",
        "experiments studies trials",
        "papers articles publications",
        "machines servers nodes computers hosts",
        "lessons modules units chapters sessions",
        "universities institutions colleges schools",
    )
)
_WHOLE: Final = re.compile(
    r"\b(?:total|participated|attended|enrolled|took part|recruited|sample|consist\w*|compris\w*|"
    r"involved|included|cohort|registered|signed up|overall|altogether|all|taught)\b",
    re.I,
)
_PART: Final = re.compile(
    r"\A[^.;]{0,30}?\b(?:reported|said|answered|responded|agreed|indicated|rated|who|found|dropped|"
    r"failed|passed|each|per|preferred|left|did not|at a time)\b",
    re.I,
)
_BEFORE: Final = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|roughly|around|nearly|almost|over|more than|at least|"
    r"up to|fewer than|less than|some|a total of|between|just|only|under|circa)\s|[~≈∼<>≥≤]\s?)+\Z",
    re.I,
)
_N: Final = re.compile(r"\bn\s?=\s?\Z", re.I)
_COUNT_BEFORE: Final = re.compile(
    r"(?:\b(?:was|were|is|are|of|to|reached|totall?ed)\s|[:(=]\s?)\Z", re.I
)


def answers_in(asked: ColumnQuestion, sentence: str) -> list[SpanAnswer]:
    """The spans of a sentence that may answer, in order."""
    match asked.asks:
        case Asks.COUNT:
            return list(_counts(asked, sentence))
        case Asks.DURATION:
            return list(_durations(asked, sentence))
        case Asks.AMOUNT:
            return list(_amounts(asked, sentence))
        case Asks.DATE:
            return list(_dates(asked, sentence))
        case Asks.PLACE:
            return list(_places(sentence))
        case Asks.NAME:
            return list(_names(asked, sentence))
        case Asks.STATEMENT:
            return list(_clauses(asked, sentence))


def _counts(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    wanted = [one.stem for one in terms(asked.noun)] or [stem(asked.noun.casefold())]
    found = terms(sentence)
    for one in quantities(sentence):
        if (
            one.kind not in ("number", "range")
            or one.unit
            or one.value != one.value.to_integral_value()
        ):
            continue
        start = one.start - len((m := _BEFORE.search(sentence[: one.start])) and m[0] or "")
        plural = counted_plural(one, found, sentence)
        if plural is not None:
            named = _phrase_stems(found, one.end, plural)
            fit = _same_noun(wanted, plural.stem, named)
            end = plural.end
        elif _N.search(sentence[: one.start]) and wanted[-1] in _PEOPLE:
            fit, end, start = 0.7, one.end, start
        elif _COUNT_BEFORE.search(sentence[:start]) and _named_before(wanted, found, start):
            fit, end = 0.7, one.end
        else:
            continue
        if not fit:
            continue
        if _PART.match(sentence[end:]) or re.search(
            r"\b(?:of the|each|every|per)\s\Z", sentence[:start]
        ):
            fit -= 0.3
        elif _WHOLE.search(sentence):
            fit += 0.1
        yield SpanAnswer(start, end, min(1.0, fit), str(one.value))


def _phrase_stems(found: tuple[Term, ...], start: int, plural: Term) -> set[str]:
    return {one.stem for one in found if start <= one.start <= plural.start}


def _same_noun(wanted: list[str], counted: str, named: set[str]) -> float:
    """How well the counted noun is the one that is asked for."""
    head = wanted[-1]
    if head == counted:
        modifiers = wanted[:-1]
        share = sum(one in named for one in modifiers) / len(modifiers) if modifiers else 1.0
        return 0.55 + 0.35 * share
    if head in _ANYBODY and counted in _PEOPLE:
        return 0.75
    if any({head, counted} <= group for group in _OTHER_NAMES):
        return 0.65
    return 0.0


def _named_before(wanted: list[str], found: tuple[Term, ...], start: int) -> bool:
    """Whether the noun stands a few words before: *the number of students was 12*."""
    near = [one.stem for one in found if start - 40 <= one.start < start]
    return wanted[-1] in near[-3:]


_TIME_WORDS: Final = re.compile(
    r"\b(?:(?:half|full|whole|one|single)[- ]day|(?:week|semester|term|year|month|day|hour|quarter)"
    r"[- ]long|(?:a|an|one|two|three|four|single|several|\d+)[- ](?:full[- ])?"
    r"(?:semesters?|terms?|quarters?|sessions?|afternoons?|mornings?|evenings?|weekends?))\b",
    re.I,
)
_LASTS: Final = re.compile(
    r"\b(?:last\w*|ran|runs?|running|took|takes?|taking|span\w*|duration|over(?: the course of)?|for|"
    r"during|within|long|length|requires?|spent|consist\w* of|is|was|in|schedul\w*|extend\w*|cover\w*)"
    r"\s(?:\w+\s){0,3}\Z",
    re.I,
)
_NO_DURATION: Final = re.compile(
    r"\A\s?(?:ago|old|of age|of (?:\w+ ){0,2}experience|later|before|after|earlier|prior)\b|\A[- ]old\b",
    re.I,
)
_RECENT: Final = re.compile(
    r"\b(?:past|last|every|previous|recent|next|each|per|after|grade|age\w*|year)\s\Z", re.I
)


def _durations(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    spans: list[tuple[int, int, str, str]] = []
    for one in quantities(sentence):
        if one.unit in _DURATION_UNITS and one.kind in ("number", "range"):
            spans.append((one.start, one.end, f"{one.value} {one.unit}", one.unit))
    for match in _TIME_WORDS.finditer(sentence):
        if not any(s < match.end() and match.start() < e for s, e, *_ in spans):
            spans.append((match.start(), match.end(), match[0].casefold().replace("-", " "), ""))
    wanted = {one.stem for one in terms(asked.about)}
    found = terms(sentence)
    for start, end, value, unit in spans:
        if _NO_DURATION.match(sentence[end:]) or _RECENT.search(sentence[:start]):
            continue
        if asked.unit and unit != asked.unit and asked.unit[:-1] not in value:
            continue
        after = [one.stem for one in found if end <= one.start < end + 40][:4]
        before = [one.stem for one in found if start - 60 <= one.start < start][-5:]
        fit = 0.4
        if wanted & set(after[:2]) and sentence[end : end + 1] in (" ", "-", "\n"):
            fit = 0.95
        elif wanted & set(before) and _LASTS.search(sentence[:start]):
            fit = 0.9
        elif _LASTS.search(sentence[:start]) or wanted & set(after + before):
            fit = 0.6
        lead = _BEFORE.search(sentence[:start])
        yield SpanAnswer(start - len(lead[0] if lead else ""), end, fit, value)


def _amounts(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    wanted = {one.stem for one in terms(asked.noun)}
    found = terms(sentence)
    for one in quantities(sentence):
        if one.kind in ("year", "ordinal", "p-value"):
            continue
        if asked.unit and not _has_unit(asked.unit, one):
            continue
        near = {term.stem for term in found if one.start - 60 <= term.start < one.end + 40}
        fit = 0.55 + (0.1 if one.unit else 0.0) + (0.2 if asked.unit else 0.0)
        if wanted:
            fit += 0.2 if wanted & near else -0.15
        lead = _BEFORE.search(sentence[: one.start])
        plural = None if one.unit else counted_plural(one, found, sentence)
        end = plural.end if plural else one.end
        yield SpanAnswer(
            one.start - len(lead[0] if lead else ""), end, min(1.0, fit), f"{one.value} {one.unit}"
        )


def _has_unit(wanted: str, one: Quantity) -> bool:
    if wanted == "money":
        return one.unit.isupper() and len(one.unit) == 3
    if wanted == "time":
        return one.unit in _DURATION_UNITS or one.unit == "milliseconds"
    return one.unit == wanted or (wanted == "years" and not one.unit and 5 < one.value < 100)


_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan\.|Feb\.|Mar\.|Apr\.|Aug\.|Sept?\.|Oct\.|Nov\.|Dec\.|[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)"
)
_YEAR: Final = r"(?:1[89]|20)\d\d"
_DATE: Final = re.compile(
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s?[-–]\s?\d{{1,2}})?\s)?\b{_MONTH}(?:\s(?:semester|term)(?: of)?)?"
    rf"(?:\s\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?,?)?\s(?:of\s)?{_YEAR}\b|\b{_YEAR}(?:\s?[-–/]\s?(?:{_YEAR}|\d\d))?\b"
)
_CITATION: Final = re.compile(
    rf"\([^()]*[A-Z][^()]*?,?\s{_YEAR}[a-z]?(?:[^()]*)\)|[A-Z][\w'’-]+(?: et al\.?)? \({_YEAR}[a-z]?\)|"
    rf"[A-Z][\w'’-]+(?:,? et al\.| and [A-Z]\w+),? {_YEAR}"
)


def _dates(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    cited = [match.span() for match in _CITATION.finditer(sentence)]
    wanted = {one.stem for one in terms(asked.about)}
    found = terms(sentence)
    for match in _DATE.finditer(sentence):
        if any(start <= match.start() < end for start, end in cited):
            continue
        near = {one.stem for one in found if match.start() - 80 <= one.start < match.end() + 40}
        fit = 0.6 + 0.3 * (bool(wanted & near))
        yield SpanAnswer(*match.span(), fit, re.sub(r"\W+", " ", match[0]).casefold())


_NAME: Final = (
    r"[A-Z][\w’'&.-]*(?:\s(?:of|the|and|for|de|di|der|at|in)(?=\s[A-Z])|\s[A-Z0-9][\w’'&.-]*)*"
)
_INSTITUTION: Final = re.compile(
    r"(?:[A-Z][\w’'&-]*\s)*(?:University|College|School|Institute|Academy|Laboratory|Centre|Center|Universidad|"
    r"Université|Universität|UC)\b(?:\s(?:of|for|at|in|de)(?=\s(?:the\s)?[A-Z]))?(?:\s(?:the\s)?[A-Z][\w’'&-]*)*(?:,\s[A-Z][\w-]+)*"
)
_AT: Final = re.compile(
    rf"\b(?:at|in|from|near|across)\s(?:the\s)?(?P<name>{_NAME}(?:,\s{_NAME})*)"
)


def _places(sentence: str) -> Iterator[SpanAnswer]:
    spans = [match.span() for match in _INSTITUTION.finditer(sentence)]
    for start, end in spans:
        fit = 0.85 if re.search(r"\b(?:at|in|from) (?:the )?\Z", sentence[:start]) else 0.5
        yield SpanAnswer(start, end, fit, sentence[start:end].casefold())
    for match in _AT.finditer(sentence):
        start, end = match.span("name")
        if not any(s < end and start < e for s, e in spans) and not re.match(_MONTH, match["name"]):
            yield SpanAnswer(start, end, 0.6, match["name"].casefold())


_LANGUAGES: Final = re.compile(
    r"(?<![\w-])(?:Python|JavaScript|Java|C\+\+|C#|Fortran|MATLAB|Matlab|Julia|Ruby|Perl|PHP|Haskell|OCaml|"
    r"Scala|Kotlin|Swift|Rust|Erlang|Clojure|Scheme|Racket|PLT Scheme|Common Lisp|Lisp|LISP|Smalltalk|"
    r"Squeak|Standard ML|SML|Objective-C|TypeScript|Pascal|Ada|Prolog|COBOL|ALGOL(?: \d\d)?|BASIC|"
    r"Mathematica|Octave|Stata|SAS|Bash|SQL|NetLogo|Scratch|Lua|Tcl|TLA\+|CUDA|OpenCL|Elixir|F#|"
    r"(?:R|C|Go|D)(?=[ ,;.)/](?!\.)(?![A-Z]\.)))(?![\w+#-])(?:\s?\d(?:\.\w+)?(?=\W))?"
)
_LICENCES: Final = re.compile(
    r"\b(?:(?:Creative Commons|CC)[- ]?(?:Attribution|BY|Zero|0|CC0)[\w .-]*?(?:\s?\d\.\d)?(?:\s(?:International|Generic|Unported))?"
    r"(?:\s(?:Public )?Licen[sc]e)?(?:\s?\(CC[- ]BY[^)]*\))?(?=[\s.,;)]|\Z)|"
    r"(?:GNU )?(?:Lesser |Affero )?(?:General Public Licen[sc]e|L?A?GPL)(?:\s?[Vv]?(?:ersion )?\d(?:\.\d)?\+?)?|"
    r"(?:\w+ )?MIT(?: Licen[sc]e)?\b|(?:\d-[Cc]lause |[Mm]odified |[Rr]evised |Berkeley |New )?BSD(?:[- ]\d(?:-[Cc]lause)?)?(?: Licen[sc]e)?|"
    r"Apache(?: [Ss]oftware)? [Ll]icen[sc]e(?:,? (?:[Vv]ersion )?\d(?:\.\d)?)?|Apache[- ]2(?:\.0)?|"
    r"Mozilla Public Licen[sc]e(?: \d(?:\.\d)?)?|CC[- ]?BY(?:-\w\w)*(?:[- ]\d\.\d)?|CC0(?: \d\.\d)?|public domain)"
)
_LICENSED: Final = re.compile(
    r"\blicen[sc]\w*|\breleased? under|\bavailable under|\bopen[- ]source", re.I
)
_IN_LANGUAGE: Final = re.compile(
    r"\b(?:written|implement\w*|program\w*|cod(?:ed|ing)|develop\w*|scripts?|languages?|taught|using|uses?|"
    r"learn\w*)\b",
    re.I,
)
_LISTED: Final = re.compile(r"\s?(?:,|,? and|,? or|/|&)\s?(?:in )?")
_COMMON_NAMES: Final = frozenset(
    "The This We In It A An For Our These That They As To At Figure Table Section I Fig However And "
    "If When While There Each Although With From By On After Since All Most Many Some".split()
)


def _names(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    noun = asked.noun.casefold()
    if re.search(r"licen[sc]e", noun):
        yield from _listed(sentence, _LICENCES, 0.9 if _LICENSED.search(sentence) else 0.3)
    elif re.search(r"\blanguages?\Z", noun) and re.search(
        r"program|script|implement|coding", asked.text, re.I
    ):
        yield from _listed(sentence, _LANGUAGES, 0.85 if _IN_LANGUAGE.search(sentence) else 0.4)
    else:
        yield from _beside(asked, sentence)


def _listed(sentence: str, known: re.Pattern[str], fit: float) -> Iterator[SpanAnswer]:
    """Names of a kind; such as are coordinated are one answer."""
    run: list[re.Match[str]] = []
    for match in known.finditer(sentence):
        if run and not _LISTED.fullmatch(sentence[run[-1].end() : match.start()]):
            yield _answer_of(sentence, run, fit)
            run = []
        run.append(match)
    if run:
        yield _answer_of(sentence, run, fit)


def _answer_of(sentence: str, run: list[re.Match[str]], fit: float) -> SpanAnswer:
    start, end = run[0].start(), run[-1].end()
    end -= len(sentence[start:end]) - len(sentence[start:end].rstrip(" .,-"))
    value = ",".join(sorted(re.sub(r"[\W_]+", "", one[0]).casefold() or one[0] for one in run))
    return SpanAnswer(start, end, fit, value)


def _beside(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """Names that stand beside the noun: *the MNIST dataset*, *a dataset called MNIST*."""
    head = stem(asked.noun.split()[-1].casefold()) if asked.noun else ""
    nouns = [one for one in terms(sentence) if one.stem == head]
    for match in re.finditer(_NAME, sentence):
        name = match[0].rstrip(".,'’-")
        words = name.split()
        while words and words[0] in _COMMON_NAMES:
            words = words[1:]
        if not words:
            continue
        start = match.start() + name.index(words[0])
        end = match.start() + len(name)
        if start == 0 and len(words) == 1 and words[0][1:].islower():
            fit = 0.3
        else:
            fit = 0.4
        for one in nouns:
            between = sentence[end : one.start] if one.start >= end else sentence[one.end : start]
            if one.start >= end and len(between.split()) <= 2 and not re.search(r"[,;.:]", between):
                fit = max(fit, 0.85)
            elif one.end <= start and re.fullmatch(
                r"(?:,)?\s?(?:(?:\w+\s){0,3}?(?:called|named|is|was|are|were|such as|like|of|:|\(|“|\")\s?(?:the\s)?)?",
                between,
            ):
                fit = max(fit, 0.85)
            elif len(between) < 40:
                fit = max(fit, 0.55)
        yield SpanAnswer(start, end, fit, re.sub(r"\W+", "", name).casefold())


_CLAUSE_END: Final = re.compile(
    r"[;:—]\s|,\s(?=(?:and|but|which|while|whereas|where|although|so|because)\b)|\s\((?=[A-Z])"
)
_LONG: Final = 160


def _clauses(asked: ColumnQuestion, sentence: str) -> Iterator[SpanAnswer]:
    """The sentence; of a long one the clause with most of the question's words."""
    if len(sentence) <= _LONG:
        yield SpanAnswer(0, len(sentence), 0.6, sentence.casefold())
        return
    wanted = {one.stem for one in terms(asked.about)}
    edges = [0, *(match.end() for match in _CLAUSE_END.finditer(sentence)), len(sentence)]
    clauses = [(a, b) for a, b in zip(edges, edges[1:], strict=False) if b - a > 30] or [
        (0, len(sentence))
    ]

    def shared(clause: tuple[int, int]) -> int:
        return len(wanted & {one.stem for one in terms(sentence[slice(*clause)])})

    start, end = max(clauses, key=shared)
    end -= len(sentence[start:end]) - len(sentence[start:end].rstrip(" ,;:—("))
    yield SpanAnswer(start, end, 0.6, sentence[start:end].casefold())
