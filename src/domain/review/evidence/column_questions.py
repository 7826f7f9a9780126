"""The kind of answer for a column of a table. English."""

import re
from enum import StrEnum
from typing import Final, NamedTuple


class Asks(StrEnum):
    """The kind of answer in a column: a count, a duration, an amount with its unit, a date, a
    place, a host of code, names, the audience, a comparison, the funder, or a clause."""

    COUNT = "count"
    DURATION = "duration"
    AMOUNT = "amount"
    DATE = "date"
    PLACE = "place"
    LANGUAGE = "language"
    LICENCE = "licence"
    PROCESSOR = "processor"
    HOST = "host"
    NAME = "name"
    AUDIENCE = "audience"
    COMPARED = "compared"
    FUNDER = "funder"
    STATEMENT = "statement"


class ColumnQuestion(NamedTuple):
    """``noun`` is counted, measured or named, ``about`` is the rest of the question, ``unit`` that
    of the answer: a unit of quantities, or ``money``, ``time``, ``bytes``. ``cue`` is a pattern of
    words that a clause has if it answers, ``theme`` one of words that name what is asked for."""

    text: str
    asks: Asks
    about: str
    noun: str = ""
    unit: str = ""
    cue: str = ""
    theme: str = ""


# What ends a noun phrase.
_END: Final = (
    r"(?:were|was|are|is|did|do|does|have|has|had|can|could|will|would|took|take|takes|of|in|for|"
    r"at|on|from|with|by|per|who|that|which|there|the|a|an|it|they|to|each|every|or)\b"
)
_NOUN: Final = rf"(?P<noun>(?:(?!{_END})[\w'’+#-]+\s?){{1,4}})"
_BYTES: Final = r"memory|RAM|storage|data|disk(?: space)?"
# Questions by what they ask for; what matches is not what the question is about.
_QUESTIONS: Final[tuple[tuple[Asks, re.Pattern[str]], ...]] = tuple(
    (asks, re.compile(pattern, re.I))
    for asks, pattern in (
        (Asks.DURATION,
         r"\bhow (?:long|much time)\b|\bhow many "
         r"(?P<unit>seconds|minutes|hours|days|weeks|months|years|semesters)\b"),
        (Asks.COUNT,
         r"\b(?:sample|group|class|cohort|audience) size\b|\bsize of the sample\b|"
         r"\bhow (?:large|big) (?:is|was) the (?:sample|group|class|cohort)\b"),
        (Asks.COUNT, rf"\b(?:how many|number of) (?:(?:of )?the )?{_NOUN}"),
        (Asks.LANGUAGE,
         r"\b(?:program\w*|script\w*|implement\w*) languages?\b|"
         r"(?<!markup )\blanguages?\b(?=.*\b(?:written|implemented|programmed|coded)\b)"),
        (Asks.LICENCE, r"\blicen[sc]e[sd]?\b"),
        (Asks.HOST,
         r"\bwhere (?:is|are|can|was|were) (?:the |its |their )?"
         r"(?:(?:source|program|course|teaching) )?"
         r"(?:code|software|materials?|data|notebooks?|files|it|tutorial|package|tool)\b"
         r"(?=\W*\Z|.*\b(?:host|kept\b|stor|availab|publish|found\b|shar|deposit|archiv|"
         r"download|obtain|access|releas|had\b))"),
        (Asks.PROCESSOR, r"\b(?:processors?|CPUs?|GPUs?|hardware)\b"),
        (Asks.AUDIENCE,
         r"\b(?:target(?:ed)?|intended|primary) (?:audiences?|users?|groups?|learners|readers)"
         r"\b|\baudiences?\b|\bfor whom\b|\b(?:aimed|targeted) at\b"),
        (Asks.COMPARED, r"\bcompar(?:ed|es?|isons?)\b|\bbaselines?\b"),
        (Asks.FUNDER, r"\bfund(?:ed|ers?|ing)\b|\bsponsor\w*|\bgrants?\b|\bwho paid\b"),
        (Asks.DURATION, r"\b(?:duration|length|time span|period)\b"),
        (Asks.DATE, r"\A\W*(?:since )?when\b|\b(?:which|what) (?:year|date|month|term)\b"),
        (Asks.PLACE,
         r"\A\W*where\b|\b(?:which|what) (?:country|countries|city|universit(?:y|ies)|"
         r"institutions?|place|location|schools?|college)\b|\b(?:country|location|venue) of\b"),
        (Asks.AMOUNT,
         rf"\bhow much (?P<noun>{_BYTES})\b|\bhow (?P<how>much|large|big|high|old|fast|accurate|"
         r"often|small|far|expensive)\b|\b(?:what|which)\b.*?\b(?P<measure>percentage|percent|"
         r"share|proportion|fraction|rate|accuracy|score|size|cost|price|budget|mean|median|"
         r"average|throughput|latency|speed|speedup|bandwidth|overhead|age|precision|recall|"
         r"capacity|factor|ratio|frequency|threshold|probability|weight|grade)\b"),
        (Asks.NAME, rf"\b(?:which|what (?:kind|type|sort)s? of) (?:(?:kind|type)s? of )?{_NOUN}"),
        (Asks.NAME,
         r"\bwhat (?:(?:is|are|was|were) (?:the |its |their )?(?:name of the )?)?(?P<noun>"
         r"(?:[\w-]+ )?(?:languages?|datasets?|data sets?|corpus|corpora|software|tools?|"
         r"frameworks?|librar(?:y|ies)|platforms?|databases?|packages?|instruments?|"
         r"environments?|compilers?|journals?|operating systems?|titles?))\b"
         r"(?!.*\bused for\W*\Z)"),
    )
)  # fmt: skip
_UNITS: Final = {
    **dict.fromkeys(("percentage", "percent", "share", "proportion", "fraction"), "percent"),
    **dict.fromkeys(("cost", "price", "budget", "expensive"), "money"),
    **dict.fromkeys(("old", "age"), "years"),
    **dict.fromkeys(("memory", "ram", "storage", "data", "disk", "disk space"), "bytes"),
    **dict.fromkeys(("accuracy", "precision", "recall", "accurate"), "share"),
    "latency": "time",
    "frequency": "Hz",
}
# Anybody who is counted has taken part.
_TOOK_PART: Final = re.compile(r"\b(?:took part|participated|attended|were there|enrolled)\b", re.I)
_PLURAL: Final = re.compile(r"(?!\S*(?:ss|us|is)\b)\S+s\b|people\b|(?:wo)?men\b|children\b", re.I)


_GENERIC: Final = re.compile(
    r"\b(?:main|primary|key|most|important|paper|study|studies|work|authors?|report\w*|mention\w*|"
    r"name|named|state|stated|know|have|there)\b",
    re.I,
)
_FLAWS: Final = r"limitations?|limits?|weakness\w*|drawbacks?|disadvantages?|threats?"
_PROBLEMS: Final = r"shortcomings?|problems?|gaps?|difficult(?:y|ies)|challenges?|needs?|issues?"
_LACKS: Final = (
    r"limit\w*|weakness\w*|drawbacks?|shortcomings?|hinder\w*|restrict\w*|cannot|unable|only|"
    r"(?:does|do|did|could) not|not (?:\w+ )?enough|threats?|bias\w*|unfortunately|fails?"
)
_PEOPLE: Final = (
    r"participants?|subjects|respondents?|volunteers?|attendees|students?|learners?|teachers?|"
    r"\w*graduates?|researchers?|users?|people|children|patients|developers?|engineers?"
)
# Themes of questions: words of clauses on them, and words that name the theme.
_THEMES: Final = tuple(
    (asked, *(rf"\b(?:{words})\b" for words in others))
    for asked, *others in (
        (r"\b(?:prerequisites?|beforehand|prior|already know|required)\b",
         r"prerequisit\w+|prior|previous|assum\w+|background|familiar\w*|foundational|"
         r"should (?:have|know)|(?:basic|some|no) (?:\w+ ){0,2}(?:experience|knowledge|skills|"
         r"understanding)",
         r"pre-?requisites?|prior|assumption|required"),
        (r".*\b(?:feedback|opinions?|reactions?|satisf\w+|think)\b.*",
         r"positive\w*|negative\w*|appreciat\w+|enjoy\w*|satisf\w+|preferred|liked|disliked|rated|"
         r"(?:students?|participants?|users?|they) (?:\w+ ){0,3}(?:found|felt|reported|agreed|"
         r"praised|recommended|commented|said|stated|indicated)",
         r"feedback (?!from|to)"),
        (r"\b(?:plan(?:s|ned)?|future|next|further work|remains? to be)\b",
         r"future|plan(?:s|ned)?|planning|will|would like|next step|intend|further|hope|remains?",
         r"future (?:work|research|directions?)|in (?:the )?(?:near )?future|plan(?:s|ned)? (?:to|"
         r"for)|would like to|further work|we (?:intend|hope) to"),
        (r"\A\W*how (?:is|was|were|are|did|do|does)\b.*\b(?:evaluat|assess|test|validat|verif|"
         r"check)\w*",
         r"evaluat\w+|assess\w*|survey\w*|questionnaires?|interview\w*|experiment\w*|compar\w+|"
         r"benchmark\w*|measur\w+|respon\w+|case stud(?:y|ies)|simulat\w+|feedback|trials?|tested",
         r"(?:we|I|study|experiments?) (?:\w+ )?(?:evaluat|assess|measur|compar|test|survey|"
         r"interview)\w*|were (?:evaluated|surveyed|asked)|surveys?|questionnaires?|to evaluate"),
        (r"\A\W*who\b.*\b(?:took part|participat\w+|attended|enrolled|participants?|subjects?)\b",
         _PEOPLE,
         rf"\d[\d,]* (?:[\w-]+ ){{0,3}}(?:{_PEOPLE})|participated|took part|were recruited"),
        (rf"\b(?:{_FLAWS})\b", _LACKS, rf"{_FLAWS}|shortcomings?"),
        (rf"\b(?:{_PROBLEMS})\b",
         _LACKS + r"|lack\w*|problem\w*|difficult\w*|challeng\w*|scarc\w+|barriers?|however|few|"
         r"insufficient|inadequate|tedious|time[- ]consuming|expensive|costly|gaps?|needs?|without|"
         r"rarely|no|not|hard|issues?|too",
         r"problem\w*|difficult\w*|shortcomings?|drawbacks?|limited|limiting|limitations?|lack|"
         r"hindered|unfortunately|challeng\w+|scarcity|inadequate\w*|however"),
    )
)  # fmt: skip
_COMPARES: Final = r"\b(?:compar\w+|versus|baselines?|outperform\w*|unlike)\b"
# Not a name: *which shortcoming*.
_ABSTRACT: Final = re.compile(
    rf"\A\W*(?:which|what)\b(?: \S+){{0,3}}? (?:{_FLAWS}|{_PROBLEMS}|benefits?|advantages?|"
    r"purpose|goals?|aims?|objectives?|reasons?|improvements?|feedback|prerequisites?)\b",
    re.I,
)


def column_question(text: str) -> ColumnQuestion:
    """The kind of answer that a question asks for."""
    for asks, pattern in () if _ABSTRACT.search(text) else _QUESTIONS:
        if match := pattern.search(text):
            return _question(text, asks, match)
    for asked, *theme in _THEMES:
        if re.search(asked, text, re.I):
            about = _GENERIC.sub("", re.sub(asked, " ", text, flags=re.I))
            return ColumnQuestion(text, Asks.STATEMENT, about, "", "", *theme)
    return ColumnQuestion(text, Asks.STATEMENT, text)


def _question(text: str, asks: Asks, match: re.Match[str]) -> ColumnQuestion:
    parts = match.groupdict()
    noun = (parts.get("noun") or parts.get("measure") or "").strip(" ?")
    start, end = match.span("measure" if parts.get("measure") else 0)
    about = f"{text[:start]} {text[end:]}"
    unit = (parts.get("unit") or "").casefold()
    if asks in (Asks.COUNT, Asks.NAME) and (plural := _PLURAL.search(noun)):
        # *students attended*: what follows is a verb
        about, noun = f"{noun[plural.end() :]} {about}", noun[: plural.end()]
    if asks is Asks.COUNT:
        noun = noun or "participants"
        about = _TOOK_PART.sub("", about)
    elif asks is Asks.AMOUNT:
        unit = _UNITS.get((noun or parts["how"]).casefold(), "")
        if unit == "percent":
            noun = ""
    elif asks is Asks.COMPARED:
        return ColumnQuestion(text, asks, "evaluation performance", "", "", _COMPARES, _COMPARES)
    elif asks in (Asks.FUNDER, Asks.AUDIENCE, Asks.HOST):
        about = ""  # the words of the answer say so themselves
    return ColumnQuestion(text, asks, about, noun, unit)


# What is asked for is in another sentence: *it solves these issues*, *it has several drawbacks*.
_POINTS_BACK: Final = re.compile(
    r"\b(?:address|solv|overc[oa]m|fill|remed|resolv|alleviat|mitigat)\w* (?:all of |some of |both "
    r"of )?(?:this|these|those|such|that)\b|\bsolutions? (?:to|for|of) (?:this|these|that|those)\b",
    re.I,
)
_POINTS_ON: Final = re.compile(
    r"\b(?:several|some|a few|various|two|three|four|many|(?:a )?number of) (?:[\w-]+ ){0,2}"
    r"(?:limitations|drawbacks|shortcomings|weaknesses|problems|challenges|issues|difficulties|gaps|"
    r"directions|improvements|ways|experiments)\b|\bin (?:later|the next) sections?\b|:\W*\Z",
    re.I,
)


def points_at(sentence: str) -> int:
    """-1 where what is asked for stands in the sentence before, 1 where in the next, else 0."""
    return -1 if _POINTS_BACK.search(sentence) else 1 if _POINTS_ON.search(sentence) else 0
