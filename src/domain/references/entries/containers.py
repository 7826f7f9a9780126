"""Container and pages of a reference entry: what follows the title."""

import re

from citeloom.domain.references.entries.dates import MONTH, YEAR
from citeloom.domain.references.entries.sentence_ends import UPPER, sentence_end

_SMALL = r"(?:of|on|the|and|in|for|de|des|der|für|et|to|with|&|a|an)"
_JOURNAL = (
    rf"(?!(?:Part|Version|Chapter|Level|Section)\b){UPPER}[\w.&’':/-]*"
    rf"(?:\s(?:{UPPER}[\w.&’':/()-]*|\({UPPER}[\w.]*\)|{_SMALL})){{0,9}}"
)
_VOLUME = r",?\s(?:[Vv]ol(?:ume|\.)?\s?|n[or]\.\s?)?\(?\d"
_PUBLISHER = (
    r"(?:[^,.]{2,50}\s)?(?:Press|Publish\w+|Verlag|University|Univ\.|Springer\S*|Wiley|Elsevier"
    r"|Prentice|Addison|McGraw|North.?Holland|Morgan Kaufmann|O.Reilly|Academic|Kluwer|Birkh\S+"
    r"|Inc\b|Co\.|Corp\.|Company|Laborator\w+|Labs?\b|Institut\w*|Inst\.|Cent(?:er|re)|Division"
    r"|Corporation|Dep(?:t\.|artment))"
)
_WORK = (
    rf"(?:(?:{UPPER}[\w.]*\s){{0,3}}(?:Tech(?:\.|nical)|Research|Working|Internal)\s(?:Rep|Paper|Memo)"
    r"|(?:Ph\.?\s?D\.?|Doctoral|Master\S*|M\.?S\.?c?\.?|Diploma|Bachelor\S*)\s.{0,20}"
    r"(?:[Tt]hesis|[Dd]issertation)|Tech(?:\.|nical)\s|Rep(?:\.|orts?)\s|TR\b|Memo(?:\.|randum)"
    r"|RFC\s|(?:[Uu]npublished|[Pp]rivate|[Pp]ersonal)\s|[Tt]o appear|[Ss]ubmitted"
    r"|[Ii]n preparation|[Ee]dited by|Preprint|Manuscript|CoRR|arXiv)"
)
# What follows a title at a comma, if no full stop ends it.
_BEGINS_AFTER_COMMA = re.compile(
    rf",\s(?=[Ii]n:?\s(?:{UPPER}|\d|[“\"]|the\s|an?\s)|Proc\b|Proceedings|Trans(?:\.|actions)\b"
    rf"|\d+(?:st|nd|rd|th)\s|{_WORK}|{_PUBLISHER}|{_JOURNAL}{_VOLUME}"
    r"|(?:[A-Z]\w+\s){0,2}(?:Journal|Transactions|Annals)\s(?:of|on|for)\s"
    rf"|(?:{MONTH}\s?,?\s?)?\(?{YEAR}\b|pp?\.\s?\d|[Pp]ages\s|[Vv]ol(?:\.|ume)\s|http"
    r"|Lecture Notes)"
)
_PLAINLY_AFTER_COMMA = re.compile(
    rf",\s(?=(?:[Ii]n:?\s)?Proc(?:\.|eedings)\s|(?:IEEE|ACM)\sTrans|(?:{MONTH}\s?)?{YEAR}\W*$"
    r"|Ph\.?\s?D\b)"
)
_IN = re.compile(r"[Ii]n:?\s+")
# ``Croft W B and van Rijsbergen C J (eds)``, ``A. Weir, editor,`` before a book's title.
_EDITED = re.compile(
    r"(?:(?!Proc|Conf|Journal|Symp|Workshop).){3,150}?[\s(](?:[Ee]ds?|[Ee]ditors?)\b\.?\)?[.,:]?\s"
    r"(?!by\b)\W*"
)
_CONTAINER_END = re.compile(
    rf"\s?[,;:]?\s?(?:\b[Vv]ol(?:\.|umes?)\s?\S|\b[Nn]o\.\s?\d|\bpp?\.?\s?\d|\b[Pp]ages?\s?\d"
    rf"|(?<!\w)\(?(?:{MONTH}[\s,]*)?(?:\d{{1,2}},\s?)?{YEAR}|(?<![\w#-])\(?\d+\s?[(,:;.)]"
    rf"|(?<![\w#-])\d+$|\s\d+,\s\d|\s\d+\s{MONTH}|,\s{MONTH}\b|\([^)]*(?:{YEAR}|,|{MONTH})|\bdoi\b|\bhttps?:|\bissue\b|\beds?\."
    r"|,\s(?:series|chapter|article)\b|,\s?ACM\b"
    rf"|(?P<published>,\s{_PUBLISHER}|,\s[A-Z]{{2}}:\s))"
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b|(?:19|20)\d\d\s")
_NOT_CONTAINER = re.compile(rf"{_WORK}|https?:|doi\b|www\.|\W*{YEAR}|{_PUBLISHER}(?!\s(?:of|on)\b)")
_RANGE = r"[A-Za-z]?\d{1,6}\s?[-–—−]{1,2}\s?[A-Za-z]?\d{1,6}"
_PAGES = (
    re.compile(rf"\b(?:pp?|[Pp]ages?|S)\.?\s?(?P<pages>{_RANGE}(?:,\s?{_RANGE}|,\s?\d+(?=\W*$))*)"),
    re.compile(rf"\d\)?\s?[:,]\s?(?:pp?\.\s?)?(?P<pages>{_RANGE}(?:,\s?\d+(?=\W*$))?)(?![\d:/])"),
    re.compile(rf"\)[,.:]?\s(?P<pages>{_RANGE}(?:,\s?\d+(?=\W*$))?)(?![\d:/])"),
    re.compile(r"\bpp?\.\s?(?P<pages>\d{1,6})\b(?!\s?[-–—−])"),
)


def before_container(text: str) -> str | None:
    """The title at the start of ``text`` that ends at a comma before its container, publisher or
    date; None if none of these follows."""
    match = _BEGINS_AFTER_COMMA.search(text)
    return text[: match.start()] if match else None


def without_container(title: str) -> str:
    """A sentence without the proceedings, transactions or date after its last comma."""
    return _PLAINLY_AFTER_COMMA.split(title, maxsplit=1)[0]


def container_of(text: str, title: str) -> str | None:
    """The journal, proceedings or book that the entry ``text`` names after its ``title``."""
    _, found, rest = text.partition(title)
    if not found:
        return None
    rest = rest.lstrip("”“\"’',.;:?! ")
    within = _IN.match(rest)
    if within:
        rest = rest[within.end() :]
        if edited := _EDITED.match(rest):
            rest = rest[edited.end() :]
    ordinal = _ORDINAL.match(rest)
    begin = ordinal.end() if ordinal else 0
    ends = [len(rest)]
    if match := _CONTAINER_END.search(rest, begin):
        if match["published"] and not within:
            return None
        ends.append(match.start())
    # An abbreviation in the name of a journal is no end of a sentence: ``Comm. ACM 10``.
    if len(ends) == 1 or within:
        ends += [end - 1] if (end := sentence_end(rest)) else []
    name = rest[: min(ends)].strip(' ,;:(“”"')
    letters = sum(map(str.isalpha, name))
    if letters < 2 or len(name) > 200 or _NOT_CONTAINER.match(name):
        return None
    return name if within or name[0].isupper() or name[0].isdigit() else None


def page_range_of(text: str) -> str | None:
    """The pages of a work in its container, as ``793-799, 803``."""
    for pattern in _PAGES:
        for match in pattern.finditer(text):
            pages = re.sub(r"\s?[-–—−]{1,2}\s?", "-", match["pages"])
            if not re.fullmatch(rf"{YEAR}-{YEAR}", pages):
                return pages
    return None
