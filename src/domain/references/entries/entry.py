"""Parsing of one reference list entry: label, DOI, arXiv id, year, authors, title, container.

By the patterns of the common styles: APA (also by pandoc), Chicago, Harvard, Vancouver, IEEE, LNCS,
BibTeX's *plain* and *alpha*, and those of old journals (CACM, ACM). A field that fits no pattern
well is None: a wrong title is worse than none.
"""

import re
from urllib.parse import unquote

from pydantic import Field

from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois, normalise_arxiv
from citeloom.domain.value import Value

from .authors import (
    DATED,
    FAMILY_FIRST,
    LITERAL,
    MONTH,
    PLAIN_YEAR,
    UNDATED,
    UPPER,
    VANCOUVER,
    YEAR,
    YEAR_AFTER_AUTHORS,
    AuthorList,
    author_list,
    author_of,
    first_sentence,
    is_title_of,
    names_before_title,
    sentence_end,
    year_of,
)

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
    # An abbreviation in the name of a journal is not an end of a sentence: ``Comm. ACM 10``.
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


_LNCS_END = re.compile(rf"(?:{UPPER}\.|et al\.|\((?:eds?|hrsg)\.\)):\s")
_OPENING = '“„«"‟'
_QUOTED = re.compile(r"[“„«\"](?P<title>.{6,400}?)(?P<stop>[.,?!]?)[”“»\"](?P<after>.?)", re.DOTALL)
# After a title: edition, medium, editors, year, volume and pages.
_TAIL = re.compile(
    r"\s*[(\[](?:\d+(?:st|nd|rd|th)\s+ed|rev(?:ised|\.)|vol|version|v\.?\s?\d|pp?\.|nos?\b|report"
    r"|tech|computer|software|data|master|doctoral|phd|unpublished|publication)[^()\[\]]*[)\]]$"
    r"|\s*\([^()]*\b(?:eds?|pp|vol)\b[^()]*\)$"
    r"|\s*\[[^\[\]]{3,150}\]$"
    r"|,\s(?:1[5-9]|20)\d{2}[a-z]?$"
    r"|\s\((?:1[5-9]|20)\d{2}[a-z]?\)$"
    r"|\s\d{1,4}(?:\(\d+\))?,\s?\d[\d-]*$",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"https?:|\bdoi\b|\barxiv\b|^in[:\s]|^proc(?:\.|eedings of)|^\W*\d+\W*$|\bpp\.|\bvol\."
    r"|^(?:and|&|et)\s|^(?:inc|ltd|corp|co|gmbh)\.?$|^(?:untitled|unpublished|private|personal|verbal)\s(?:comm|manus|memo|note|work)",
    re.IGNORECASE,
)

# Family names alone, before a title: ``Bar-Noy, and Reischuk. Title``.
_NAMES_AHEAD = re.compile(
    rf"(?:{UPPER}[\w’'-]+,\s)+(?:(?:and|&)\s)?{UPPER}[\w’'-]+\.\s|{UPPER}\.\s{UPPER}[\w’'-]+,\s"
)
_DATE_APART = 25
"""Letters between the authors and a date that is not theirs."""


def title_of(text: str) -> str | None:
    """The title of an entry without label; None if no pattern fits well.

    A subtitle after a full stop may be missing.
    """
    if (literal := LITERAL.match(text)) and is_title_of(text, literal):
        return _checked(literal["name"])
    found = (read(text) for read in _READERS)
    return next((title for one in found if one and (title := _checked(one))), None)


def _after_date(text: str) -> str | None:
    """APA: ``Family, I. (2016). Title. Rest``."""
    match = DATED.search(text)
    if match is None or match.start() > max(400, len(text) // 2):
        return None
    before, after = text[: match.start()].rstrip(), text[match.end() :]
    if before.endswith(":") or not re.match(r"[.,:]?\s+\S", after) or len(before) < 2:
        return None
    if after[0] not in ".,:" and not FAMILY_FIRST.match(text):
        return None
    names = author_list(text)
    if names and names.certain and match.start() > names.end + _DATE_APART:
        return None
    if _quoted(before) is not None or first_sentence(after.lstrip(".,: ")) is None:
        return None
    rest = after.lstrip(".,: ")
    return _quoted_at_start(rest) or first_sentence(rest)


def _after_colon(text: str) -> str | None:
    """LNCS: ``Family, I., Family, I.: Title. Rest``."""
    end = _LNCS_END.search(text)
    if end is None or not FAMILY_FIRST.match(text):
        return None
    if re.search(r"[^\W\d_]{3,}\.\s", text[: end.start()]):
        return None
    rest = text[end.end() :]
    return first_sentence(rest) or (rest if _TAIL.search(rest) else None)


def _quoted(text: str) -> str | None:
    """Chicago, IEEE, alpha: ``Names, "Title," Rest``."""
    match = _QUOTED.search(text)
    if match is None:
        return None
    if not match["stop"] and match["after"] not in (",", ".", ";", " ", ""):
        return None
    if match.start() > 400:
        return None
    return match["title"] + (match["stop"] if match["stop"] in ("?", "!") else "")


def _quoted_at_start(text: str) -> str | None:
    """A fully quoted title at the start of ``text``."""
    if text[:1] not in _OPENING:
        return None
    match = _QUOTED.match(text)
    if match is None or not (match["stop"] or match["after"] in (".", ",")):
        return None
    return match["title"] + (match["stop"] if match["stop"] in ("?", "!") else "")


def _after_plain_year(text: str) -> str | None:
    """Harvard and Chicago: ``Family, I., 2017a. Title. Rest``, ``Names. 2001. Title. Rest``."""
    match = YEAR_AFTER_AUTHORS.search(text)
    if match is None or match.start() > max(400, len(text) // 2):
        return None
    names = text[: match.start() + 1]
    literal = len(names) < 60 and not re.search(r"[.:;]\s", names)
    if not (FAMILY_FIRST.match(text) or literal) or re.search(r"[^\W\d_]{5,}\.\s+\S", names):
        return None
    return first_sentence(text[match.end() :])


def _after_vancouver(text: str) -> str | None:
    """``Smith J, Doe KL. Title. Rest``."""
    match = VANCOUVER.match(text)
    return first_sentence(text[match.end() :]) if match else None


def _after_names(text: str) -> str | None:
    """BibTeX's *plain*: ``Given Family, G. Family, and Given Family. Title. Rest``."""
    names = names_before_title(text)
    title = first_sentence(text[len(names) + 1 :].lstrip()) if names is not None else None
    return _PLAINLY_AFTER_COMMA.split(title, maxsplit=1)[0] if title else None


def _after_author_list(text: str) -> str | None:
    """The ACM's, Elsevier's and others' old styles: ``Deutsch, L.P. Title. Comm. ACM 10, 12``,
    ``P. Dietz, R. Sleator, Title, in: Proc. …``."""
    names = author_list(text)
    if names is None:
        return None
    rest = text[names.end :]
    if not names.certain:
        return before_container(rest)
    if quoted := _quoted_at_start(rest):
        return quoted
    ends = [end for end in (before_container(rest), first_sentence(rest)) if end]
    return min(ends, key=len, default=None)


def _checked(title: str) -> str | None:
    """A title without edition and closing marks; None if it cannot be one."""
    title = " ".join(title.split())
    for _ in range(2):
        title = _TAIL.sub("", title).rstrip(" .,;:")
    letters = sum(map(str.isalpha, title))
    if letters < 3 or len(title) > 350 or _NO_TITLE.search(title) or title[:1] in ",;:.)":
        return None
    if _NAMES_AHEAD.match(title):
        return None
    if title.count("(") != title.count(")"):
        return None
    return title


_READERS = (
    _after_colon,
    _after_date,
    _quoted,
    _after_plain_year,
    _after_vancouver,
    _after_names,
    _after_author_list,
)


NUMBER = re.compile(r"(?:\[(\d{1,4})\]|\((\d{1,4})\)(?=\s)|(\d{1,4})\.(?=\s))\s*(?=\S)")
KEY = re.compile(r"\[([^\W\d_][\w+*.,:&’' -]{0,40}?(?:\(\d{4}\w?\))?)\](?![(\w])\s*")
_MISREAD = re.compile(r"[~•|�]")
# The last word of an institution's name, which is not a family name.
_BODY = re.compile(
    r"^[^,;]*\b(?:Corporation|Corp|Inc|Company|Group|Foundation|Committee|Consortium|Council|Team"
    r"|Institute|University|Association|Society|Organi[sz]ation|Laborator(?:y|ies)|Agency)\.?$"
)
_HYPHEN = str.maketrans("\u2010\u2011", "--")
# Two single marks in the place of a double one.
_DOUBLE_QUOTES = re.compile("‘‘|’’|``|(?<=[\\w.,?!])''")
_CORR = re.compile(r"\babs/\s?(\d{4}\.\d{4,5})(?:v\d+)?\b")
_OLD_ARXIV = re.compile(
    r"\b((?:math|hep-(?:th|ph|ex|lat)|astro-ph|cond-mat|quant-ph|gr-qc|nucl-(?:th|ex)|cs|physics"
    r"|nlin|q-bio|q-alg|alg-geom|dg-ga|solv-int|math-ph)(?:\.[A-Z]{2})?)"
    r"(?:\s+archive\s+|/)(\d{7})\b"
)
# A DOI broken at a line end.
_BROKEN_DOI = re.compile(
    r"(\b10\.(?:\d{4,9}(?:/[^\s\"<>]*)?)?)\n[ \t]*(?!https?:|arxiv)([^\s\"<>]+)", re.IGNORECASE
)
_DOI_CONTINUED = re.compile(r"[\d(]|[a-z].*\d")
_PII_YEAR = re.compile(r"\(\d\d\)$")
_ESCAPED_DOI = re.compile(r"\b10\.\d{4,9}/\S*%[0-9a-f]{2}\S*", re.IGNORECASE)
_BROKEN_URL = re.compile(r"(https?://[^\s\"<>]*[/._=?&#-])\n[ \t]*(?=[\w%#?=&-]+[\w/.%#?=&-])")


class ReferenceEntry(Value):
    """``label`` is the number or key of in-text citations; ``author`` the first family name or
    organisation, ``authors`` all names as written; ``doi`` is bare and in lower case, ``arxiv_id``
    as ``arXiv:1706.03762``; ``page`` the pages in the container, as ``793-799``."""

    label: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    year: int | None = Field(default=None, ge=1500, le=2099)
    author: str | None = None
    authors: tuple[str, ...] = ()
    title: str | None = None
    container_title: str | None = None
    page: str | None = None
    dated: bool = False


def label_of(text: str) -> tuple[str | None, str]:
    """The label of an entry (``7``, ``BBBV97``), if any, and the rest."""
    for pattern in (NUMBER, KEY):
        if match := pattern.match(text):
            return next(group for group in match.groups() if group), text[match.end() :]
    return None, text


def parse_entry(text: str) -> ReferenceEntry:
    """Parse an entry; line breaks may be those of the page."""
    joined = rejoin_line_breaks(text)
    label, body = label_of(joined.strip())
    plain = " ".join(body.split()).translate(_HYPHEN)
    plain = _DOUBLE_QUOTES.sub(lambda match: "“" if match[0][0] in "‘`" else "”", plain)
    dois = find_dois(joined)
    arxiv = _arxiv_id(plain, dois)
    year = year_of(plain)
    names = author_list(plain)
    title = title_of(plain)
    author = _first_author(plain, names, title)
    return ReferenceEntry(
        label=label,
        doi=dois[0] if dois else None,
        arxiv_id=arxiv,
        year=year,
        author=author,
        authors=_authors(author, names),
        title=title,
        container_title=container_of(plain, title) if title else None,
        page=page_range_of(plain),
        dated=year is not None or bool(UNDATED.search(plain)),
    )


def _first_author(text: str, names: AuthorList | None, title: str | None) -> str | None:
    head = names_before_title(text)
    if head and _BODY.search(head):
        return head
    author = author_of(text)
    if names and author is None:
        titled = title is not None and text[names.end :].startswith(title)
        author = names.family if names.certain or titled else None
    elif names and author is not None and _fuller(author, names):
        author = names.family
    return None if author and _MISREAD.search(author) else author


def _fuller(author: str, names: AuthorList) -> bool:
    """Whether ``author`` has more than the family name of the first of these people."""
    people = len(names.names) > 1 or names.mark == ","
    return people and " " in author and names.family in author


def _authors(author: str | None, names: AuthorList | None) -> tuple[str, ...]:
    """All names, if the list was read as the first author was."""
    if author is None:
        return ()
    return names.names if names and author in names.names[0] else (author,)


def rejoin_line_breaks(text: str) -> str:
    """``text`` with DOIs and URLs that were broken at line ends rejoined."""
    for _ in range(3):
        text = _BROKEN_DOI.sub(_join_broken_doi, text)
    text = _ESCAPED_DOI.sub(lambda match: unquote(match[0]), text)
    return _BROKEN_URL.sub(r"\1", text)


def _join_broken_doi(match: re.Match[str]) -> str:
    first, rest = match.groups()
    suffix = first.partition("/")[2]
    if first.endswith("."):
        year = PLAIN_YEAR.fullmatch(rest.rstrip(".,;"))
        goes_on = not suffix or (bool(_DOI_CONTINUED.match(rest)) and not year)
    elif _PII_YEAR.search(first):
        goes_on = rest[:1].isdigit()
    else:
        goes_on = first[-1] in "/-_:;(" or not any(map(str.isdigit, suffix))
    return first + rest if goes_on else match.group()


def _arxiv_id(text: str, dois: tuple[str, ...]) -> str | None:
    if ids := find_arxiv_ids(text):
        return ids[0]
    for doi in dois:
        if doi.startswith("10.48550/arxiv.") and (match := normalise_arxiv(doi)):
            return match
    if corr := _CORR.search(text):
        return normalise_arxiv(corr[1])
    if old := _OLD_ARXIV.search(text):
        return normalise_arxiv(f"{old[1]}/{old[2]}")
    return None
