"""The kind of answer for a column of a table. English."""

import re
from enum import StrEnum
from typing import Final, NamedTuple


class Asks(StrEnum):
    """The kind of answer in a column: a count, a duration, an amount with its unit, a date, a
    place, a host of code, names, the audience, a comparison, the funder, feedback, or a clause."""

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
    FEEDBACK = "feedback"
    STATEMENT = "statement"


class ColumnQuestion(NamedTuple):
    """``noun`` is counted, measured or named, ``about`` the rest of the question, ``unit`` that of
    the answer: a unit of quantities, or ``money``, ``time``, ``bytes``."""

    text: str
    asks: Asks
    about: str
    noun: str = ""
    unit: str = ""

    @property
    def alternatives(self) -> tuple[str, ...]:
        """``about`` with each of two words that *or* joins, of which one is enough, and with other
        names of machines."""
        if match := _OR.search(self.about):
            before, after = self.about[: match.start()], self.about[match.end() :]
            return tuple(f"{before}{match[part]}{after}" for part in ("one", "other"))
        machines = (_MACHINES.sub(name, self.about) for name in _MACHINE_NAMES)
        return tuple(dict.fromkeys((self.about, *machines)))


_MACHINE_NAMES: Final = ("node", "server", "test system", "CPU", "processor", "workstation")
_MACHINES: Final = re.compile(r"\b(?:machines?|computers?)\b", re.I)
_OR: Final = re.compile(r"(?P<one>[\w-]+) or (?P<other>[\w-]+)")
# What ends a noun phrase.
_END: Final = (
    r"(?:were|was|are|is|did|do|does|have|has|had|can|could|will|would|took|take|takes|of|in|for|"
    r"at|on|from|with|by|per|who|that|which|there|the|a|an|it|they|to|each|every)\b"
)
_NOUN: Final = rf"(?P<noun>(?:(?!{_END})[\w'’+#-]+\s?){{1,4}})"
_BYTES: Final = r"memory|RAM|storage|disk(?: space)?"
# Questions by what they ask for; what matches is not what the question is about.
_QUESTIONS: Final[tuple[tuple[Asks, re.Pattern[str]], ...]] = tuple(
    (asks, re.compile(pattern, re.I))
    for asks, pattern in (
        (Asks.LANGUAGE, r"\b(?:program\w*|script\w*|implement\w*) languages?\b"),
        (Asks.LICENCE, r"\blicen[sc]e[sd]?\b"),
        (
            Asks.HOST,
            r"\bwhere (?:is|are|can|was|were) (?:the |its |their )?(?:source |course |teaching )?"
            r"(?:code|software|materials?|data|notebooks?|files)\b(?=\W*\Z|.*\b(?:host|kept\b|stor|"
            r"availab|publish|found\b|shar|deposit|archiv|download|obtain|access|releas))",
        ),
        (Asks.PROCESSOR, r"\b(?:processors?|CPUs?|GPUs?)\b"),
        (
            Asks.AUDIENCE,
            r"\b(?:target(?:ed)?|intended|primary) (?:audiences?|users?|groups?|learners|readers)"
            r"\b|\baudiences?\b|\bfor whom\b|\b(?:aimed|targeted) at\b",
        ),
        (Asks.COMPARED, r"\bcompar(?:ed|es?|isons?)\b|\bbaselines?\b"),
        (Asks.FUNDER, r"\bfund(?:ed|ers?|ing)\b|\bsponsor\w*|\bgrants?\b"),
        (
            Asks.FEEDBACK,
            r"\b(?:feedback|opinions?|reactions?|evaluations? by|satisf\w+)\b|"
            r"\bwhat did \w+ think\b",
        ),
        (
            Asks.DURATION,
            r"\bhow (?:long|much time)\b|\b(?:duration|length|time span)\b|\bhow many "
            r"(?P<unit>seconds|minutes|hours|days|weeks|months|years|semesters)\b",
        ),
        (Asks.COUNT, r"\b(?:sample|group|class|cohort|audience) size\b|\bsize of the sample\b"),
        (Asks.COUNT, rf"\b(?:how many|number of) (?:(?:of )?the )?{_NOUN}"),
        (Asks.DATE, r"\A\W*(?:since )?when\b|\b(?:which|what) (?:year|date|month|term)\b"),
        (
            Asks.PLACE,
            r"\A\W*where\b|\b(?:which|what) (?:country|countries|city|universit(?:y|ies)|"
            r"institutions?|place|location|schools?|college)\b|\b(?:country|location|venue) of\b",
        ),
        (
            Asks.AMOUNT,
            rf"\bhow much (?P<noun>{_BYTES})\b|\bhow (?P<how>much|large|big|high|old|fast|accurate|"
            r"often|small|far|expensive)\b|\b(?:what|which)\b.*?\b(?P<measure>percentage|percent|"
            r"share|proportion|fraction|rate|accuracy|score|size|cost|price|budget|mean|median|"
            r"average|throughput|latency|speed|speedup|bandwidth|overhead|age|precision|recall|"
            r"capacity|factor|ratio|frequency|threshold|probability|weight|grade)\b",
        ),
        (Asks.NAME, rf"\b(?:which|what (?:kind|type|sort)s? of) (?:(?:kind|type)s? of )?{_NOUN}"),
        (
            Asks.NAME,
            r"\bwhat (?:(?:is|are|was|were) (?:the |its |their )?(?:name of the )?)?(?P<noun>"
            r"(?:[\w-]+ )?(?:languages?|datasets?|data sets?|corpus|corpora|software|tools?|"
            r"frameworks?|librar(?:y|ies)|platforms?|databases?|packages?|instruments?|"
            r"environments?|compilers?|journals?|operating systems?|titles?))\b",
        ),
    )
)
_UNITS: Final = {
    **dict.fromkeys(("percentage", "percent", "share", "proportion", "fraction"), "percent"),
    **dict.fromkeys(("cost", "price", "budget", "expensive"), "money"),
    **dict.fromkeys(("old", "age"), "years"),
    **dict.fromkeys(("memory", "ram", "storage", "disk", "disk space"), "bytes"),
    "latency": "time",
}
# Anybody who is counted has taken part.
_TOOK_PART: Final = re.compile(r"\b(?:took part|participated|attended|were there|enrolled)\b", re.I)
_PLURAL: Final = re.compile(r"(?!\S*(?:ss|us|is)\b)\S+s\b|people\b|(?:wo)?men\b|children\b", re.I)


def column_question(text: str) -> ColumnQuestion:
    """The kind of answer that a question asks for."""
    for asks, pattern in _QUESTIONS:
        if match := pattern.search(text):
            return _question(text, asks, match)
    return ColumnQuestion(text, Asks.STATEMENT, text)


def _question(text: str, asks: Asks, match: re.Match[str]) -> ColumnQuestion:
    parts = match.groupdict()
    noun = (parts.get("noun") or parts.get("measure") or "").strip(" ?")
    about = f"{text[: match.start()]} {text[match.end() :]}"
    unit = (parts.get("unit") or "").casefold()
    if asks is Asks.COUNT:
        noun = noun or "participants"
        if plural := _PLURAL.search(noun):  # *students attended*: what follows is a verb
            about, noun = f"{noun[plural.end() :]} {about}", noun[: plural.end()]
        about = _TOOK_PART.sub("", about)
    elif asks is Asks.AMOUNT:
        unit = _UNITS.get((noun or parts["how"]).casefold(), "")
        if unit == "percent":
            noun = ""
    elif asks is Asks.COMPARED:
        about = "evaluation performance"
    elif asks in (Asks.FEEDBACK, Asks.FUNDER, Asks.AUDIENCE, Asks.HOST):
        about = ""  # the words of the answer say so themselves
    return ColumnQuestion(text, asks, about, noun, unit)
