"""Where and when a work was published, by its heads, feet and notices.

Rows are lines outside the running text: heads, feet, notes, the lines around the title.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash


class Venue(NamedTuple):
    """Journal or proceedings, volume, issue, printed page range (``63-75``) and year. ``complete``:
    the row has a volume with an issue or pages, as the head of a journal has."""

    container_title: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    year: int | None = None
    complete: bool = False

    def or_else(self, other: "Venue") -> "Venue":
        """This venue, with what it lacks from ``other``, if both name the same one."""
        if self.container_title is None:
            return other
        if other.container_title is None or squash(self.container_title) != squash(
            other.container_title
        ):
            return self
        return self._replace(
            volume=self.volume or other.volume,
            issue=self.issue or other.issue,
            pages=self.pages or other.pages,
            year=self.year or other.year,
        )


class PublicationYear(NamedTuple):
    """The year, and whether a second source agrees and none disagrees."""

    year: int | None = None
    sure: bool = False


_YEARS = r"(?:18[5-9]\d|19\d\d|20\d\d)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|fall|autumn|winter|"
    r"januar|februar|m\u00e4rz|juni|juli|oktober|dezember|"
    r"janvier|f\u00e9vrier|mars|avril|mai|juin|juillet|ao\u00fbt|septembre|octobre|novembre|"
    r"d\u00e9cembre)"
)
_DAYS = r"\d{1,2}(?:\s?[\u2013-]\s?\d{1,2})?(?:st|nd|rd|th)?"
_RANGE = r"\d{1,5}\s*[-\u2010-\u2014]\s*\d{1,5}"
_TITLE = r"(?P<title>[A-Z][^\d\n]{2,100}?)"
_YEAR = rf"(?P<year>{_YEARS})"
_VOLUME, _ISSUE_NUMBER = r"(?P<volume>\d{1,4})", r"(?P<issue>\d{1,4}(?:[-\u2013/]\d{1,4})?)"
# Heads that give a journal with volume and pages, by publisher's style.
_JOURNALS = tuple(
    re.compile(pattern)
    for pattern in (
        # Elsevier: Theoretical Computer Science 321 (2004) 5-12
        rf"^{_TITLE},?\s{_VOLUME}(?:\s?\({_ISSUE_NUMBER}\))?\s\({_YEAR}\)[,:]?\s"
        rf"(?P<pages>{_RANGE}|\d{{1,6}})\b",
        # Kluwer: Higher-Order and Symbolic Computation, 13, 11-49, 2000
        rf"^{_TITLE},\s{_VOLUME}(?:\s?\({_ISSUE_NUMBER}\))?[,:]\s?(?P<pages>{_RANGE}),\s{_YEAR}",
        # Springer: J. Cryptology (1988) 1:65-75
        rf"^{_TITLE}\s\({_YEAR}\)\s{_VOLUME}(?:\s?\({_ISSUE_NUMBER}\))?\s?:\s?(?P<pages>{_RANGE})",
        # AACE: Jl. of Lines (2008) 19(2), 185-224
        rf"^{_TITLE}\s\({_YEAR}\)\s{_VOLUME}\s?\({_ISSUE_NUMBER}\)\s?,\s?(?P<pages>{_RANGE})",
        # Reference formats: Journal of Pools, 1(2), 16
        r"[.?!]\s(?P<title>(?:[A-Z][a-z]{0,6}\.\s?)*[A-Z][^.?!\d\n]{2,100}?)"
        rf",\s{_VOLUME}\s?\({_ISSUE_NUMBER}\)[,:]\s?(?P<pages>{_RANGE}\b|\d{{1,6}}(?=[.,;]))"
        rf"(?:,\s{_YEAR})?",
        rf"^{_TITLE},\s(?:LNCS|LNAI|LNBI)\s{_VOLUME},\spp\.\s(?P<pages>{_RANGE}),\s{_YEAR}",
    )
)
_LABELLED = re.compile(
    rf"\bvol(?:ume|\.)?\s?{_VOLUME}\b(?:[\s,;:(]*\b(?:no|issue|number|nr|iss)\b\.?\s?{_ISSUE_NUMBER}\b)?",
    re.IGNORECASE,
)
_PRINTED_PAGES = re.compile(rf"\b(?:pp?\.|pages?)\s?(?P<pages>{_RANGE}(?:,\s{_RANGE})*)", re.I)
_PROCEEDINGS = re.compile(
    r"\b(?P<title>(?:Proceedings|Proc\.) of .+?)"
    r"(?=\)[,.;]|,\s(?:pages|pp\.|vol)|[.;](?:\s|$)|,\s[A-Z][a-z]+,|,\s\d|\s\u00a9|$)(?P<end>\)?)",
)
_CONFERENCE = re.compile(
    rf"(?P<title>(?:\b\d+\s?(?:st|nd|rd|th) |\b{_YEARS} )(?:[A-Z][^.,;()\d]*?\b)?"
    r"(?:Conference|Symposium|Workshop|Congress|Meeting)\b[^.,;()\d]*(?:\([^()]*\d\d\))?)"
)
_EVENT = re.compile(
    r"(?:^|\b(?:appears? in|published in(?: the proceedings of)?|in proc(?:\.|eedings) of)\s)"
    r"(?P<name>[A-Z][A-Za-z+&/-]*[A-Z](?:\s[A-Z]{2,})?)\s?"
    r"(?:['\u2019\u2018](?P<brief>\d\d)|(?P<year>(?:19|20)\d\d))(?=$|[\s.,)])(?P<rest>.*)",
)
_SAID = re.compile(r"\b(?:appear|published|proc)", re.IGNORECASE)
_LEAD = re.compile(
    r"^\W*(?:\d{1,5}\s+)?(?:reprinted (?:with \w+ )?from|(?:this \w+ )?(?:to )?appear(?:s|ed)? in|"
    r"published in|article in|in|from)?:?\s*(?=[A-Z(])",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    rf"[\s,;:.(\u00b7|/-]*(?:{_MONTH}\.?)?[\s,]*(?:{_DAYS})?[\s,]*{_YEARS}?[\s,;:.(\u00b7|/-]*$",
    re.IGNORECASE,
)
_SERIAL = re.compile(
    r"\b(?:journal|transactions|communications|review|letters|magazine|bulletin|annals|notices|"
    r"acta|archives|quarterly|advances|surveys)\b",
    re.IGNORECASE,
)
_NO_JOURNAL = re.compile(
    r"^(?:see|cf)\b|https?:|www\.|@|\u00a9|\bcopyright|\bdoi\b|\bno\.$|\bissn\b|\buniversity\b",
    re.I,
)
# Rows of a foot set in columns: "Communications June 1975", "of Volume 18", "the ACM Number 6".
_STACKED = re.compile(
    rf"^(?:\d+\s)?(?P<words>.+?)\s(?P<fact>(?:{_MONTH}\s{_YEARS})|(?:Volume|Number|Issue)\s\d+)$",
    re.IGNORECASE,
)
# The end of a row that ends the name of proceedings.
_WHOLE = re.compile(r"(?:(?:Conference|Symposium|Workshop|Congress|Meeting|School)s?|[)\d])[\s.]*$")
_LONGEST, _LONGEST_PROCEEDINGS = 100, 240  # characters of a title


def venue_of(rows: Sequence[str]) -> Venue:
    """The journal or proceedings that the rows name; the most complete one first."""
    rows = [*_stacked(rows), *rows]
    pairs = list(pairwise(rows))
    # A foot may have the number of its page at the end of its first row.
    joined = [f"{re.sub(cut, '', one)} {other}" for one, other in pairs for cut in (r"$", r" \d+$")]
    found = [venue for row in (*rows, *joined) if (venue := _journal(row)) is not None]
    serial = [f"{one} {other}" for one, other in pairs if _SERIAL.search(one)]
    labelled = [v for row in (*rows, *serial) if (v := _labelled(row)) is not None]
    found += sorted(labelled, key=lambda v: (v.container_title is None, v.pages is None))
    best = found[0] if found else Venue()
    if best.container_title is None:
        named = (_proceedings(one, other) for one, other in [*pairs, *((r, "") for r in rows[-1:])])
        events = map(_event, rows)
        journals = (_cleaned(row) for row in rows if best.volume and _SERIAL.search(row))
        title = next(filter(None, (*named, *events, *journals)), None)
        best = best._replace(container_title=title)
    if best.pages is None and best.container_title:
        pages = next((m["pages"] for row in rows if (m := _PRINTED_PAGES.search(row))), None)
        best = best._replace(pages=_range(pages))
    return best


def _stacked(rows: Sequence[str]) -> Iterator[str]:
    run: list[re.Match[str]] = []
    for row in (*rows, ""):
        match = _STACKED.match(row)
        if match is not None and match["fact"][:3] not in {m["fact"][:3] for m in run}:
            run.append(match)
            continue
        if len(run) > 1:
            yield ", ".join([" ".join(m["words"] for m in run), *(m["fact"] for m in run[1:])])
        run = []


def _journal(row: str) -> Venue | None:
    for pattern in _JOURNALS:
        match = pattern.search(row)
        if match is None or (title := _cleaned(match["title"])) is None:
            continue
        parts = match.groupdict()
        year = int(parts["year"]) if parts.get("year") else None
        pages = _range(match["pages"])
        return Venue(title, match["volume"], parts.get("issue"), pages, year, True)
    return None


def _labelled(row: str) -> Venue | None:
    match = _LABELLED.search(row)
    if match is None:
        return None
    proceedings = _proceedings(row[: match.start()])
    title = proceedings or _cleaned(row[: match.start()])
    pages = _PRINTED_PAGES.search(row)
    year = re.search(rf"\b{_YEARS}\b", row)
    return Venue(
        title,
        match["volume"],
        match["issue"],
        _range(pages["pages"]) if pages else None,
        int(year[0]) if year else None,
        bool(title and (match["issue"] or pages)),
    )


def _proceedings(row: str, following: str = "") -> str | None:
    """The proceedings or conference that a row names; it may go on in the following row."""
    match = _PROCEEDINGS.search(row)
    goes_on = not _WHOLE.search(row) or re.match(r"(?:on|of|for)\b", following)
    if match is not None and match.end() >= len(row) and goes_on:
        match = _PROCEEDINGS.search(f"{row} {following}")
    if match is None:
        match = _CONFERENCE.search(row)
    if match is None:
        return None
    title = re.sub(rf"({_YEARS}) \d+$", r"\1", match["title"])  # with the number of the page
    title += match.groupdict().get("end") or ""
    title = re.sub(rf",\s(?:ACM,\s|IEEE,\s)?{_MONTH}\b.*$", "", title, flags=re.IGNORECASE).strip()
    return title if len(title) <= _LONGEST_PROCEEDINGS else None


def _event(row: str) -> str | None:
    """The short name of a conference: ``SOSP '03``. It begins a row that has a date."""
    match = _EVENT.search(row)
    if match is None or not (re.search(_MONTH, match["rest"], re.I) or _SAID.match(match[0])):
        return None
    return (
        f"{match['name']} \u2019{match['brief']}"
        if match["brief"]
        else (f"{match['name']} {match['year']}")
    )


def _cleaned(title: str) -> str | None:
    """The title of a journal without date, page number and punctuation around it."""
    text = _TRAIL.sub("", _LEAD.sub("", " ".join(title.rpartition(" / ")[2].split())))
    text = re.sub(r"\s\d+$", "", text).strip(" ,;:.\u00b7")
    letters = sum(map(str.isalpha, text))
    if letters < 4 or len(text) > _LONGEST or not text[0].isupper() or _NO_JOURNAL.search(text):
        return None
    return text


def _range(pages: str | None) -> str | None:
    if pages is None:
        return None
    return re.sub(r"\s*[-\u2010-\u2014]\s*", "-", " ".join(pages.split()))


_COPYRIGHT = re.compile(
    rf"(?:copyright|\u00a9|\(c\)|(?<!\w)c(?=\s{_YEARS}\s[A-Z]))[^\d\n]{{0,40}}({_YEARS})",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(
    rf"\b(?:published|first published|publication date|appeared)\b[^\n]{{0,80}}?\b({_YEARS})\b",
    re.IGNORECASE,
)
# A head or foot that cites the paper: "Rokem, (2018). A short course about ...".
_CITED = re.compile(rf"^\D{{3,80}}\(({_YEARS})\)\.\s")
_ISSUE = re.compile(
    rf"\b(?:vol(?:ume)?|no|issue|number|proceedings|conference|symposium|workshop|journal|"
    rf"transactions|technical report|review)\b[^\n]{{0,120}}?\b({_YEARS})\b",
    re.IGNORECASE,
)
_BRIEF = re.compile(r"\b[A-Z][A-Za-z&/-]*[A-Z]\s?['\u2019\u2018](\d\d)\b|\b[A-Z]{3,8} ?(20\d\d)\b")
_DAY_OF = rf"\b{_MONTH}\b\.?,?(?:\s+{_DAYS},?)?\s+({_YEARS})\b"
_DATE = re.compile(rf"(?<!\bin ){_DAY_OF}", re.IGNORECASE)
_MENTIONED = re.compile(rf"\bin {_DAY_OF}", re.IGNORECASE)  # "a lecture there in July 2004"
_ISO_DATE = re.compile(rf"\bdate:? ?({_YEARS})[./-]\d\d\b", re.IGNORECASE)
_ALONE = re.compile(rf"^\W*({_YEARS})\W*$")
# Year and month are those of the first version (arXiv, "Understanding the arXiv identifier").
_ARXIV = re.compile(r"\barxiv:\s?(?:[a-z.-]+/)?(\d\d)(?:0[1-9]|1[0-2])[.\d]", re.IGNORECASE)
_ARXIV_STAMP = re.compile(r"\barxiv:\S+.*?\b((?:19|20)\d\d)\b", re.IGNORECASE)
# The fee code of the Copyright Clearance Center: ISSN or ISBN, year, article, page.
_FEE_CODE = re.compile(r"\b(?:\d{4}-\d{3}[\dXx]|\d-\d{5}-\d{3}-[\dXx])/(\d\d)/\d{2,4}\b")
_CENTURY = 100
_STRONG = (_COPYRIGHT, _FEE_CODE, _PUBLISHED, _CITED, _ISSUE, _BRIEF)
_WEAK = (_DATE, _ISO_DATE, _ALONE, _ARXIV, _ARXIV_STAMP, _MENTIONED)
# Dates of something else than publication.
_OTHER_DATE = re.compile(
    r"\b(?:downloaded|accessed|retrieved|uploaded|received|licensed use|last (?:modified|updated)|"
    r"printed on|web\.archive\.org)\b",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?P<month>[a-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2})\D{0,4},?\s+$", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def publication_year(rows: Iterable[str], created: str | None = None) -> PublicationYear:
    """The year that the first page states; None if it states none.

    Evidence by descending weight: head of a journal, copyright line, fee code, "published",
    conference line, date, arXiv id. ``created`` is the date of the file (``D:20040621111048``): a
    later year is not one of publication. It does not count by itself, since scans are made long
    after, but it supports the year that a page states. A date that is the file's to the day was set
    by a program (``\\today``) and is not supported by it.
    """
    rows = [r for r in dict.fromkeys(rows) if not _OTHER_DATE.search(r) or "ublished" in r]
    # The place and year of a conference may stand in the row below its name.
    rows += [
        f"{one} {other}"
        for one, other in pairwise(rows)
        if _proceedings(one) and not re.search(_YEARS, one) and re.search(rf"{_YEARS}\W*$", other)
    ]
    made = re.search(r"(?:19|20)\d\d", created or "")
    latest = int(made[0]) + 1 if made else 2100
    found = {
        pattern: years
        for pattern in (*_STRONG, *_WEAK)
        if (years := list(_years(pattern, rows, latest)))
    }
    heads = (venue.year for row in rows if (venue := _journal(row)) is not None)
    head = next((year for year in heads if year and year <= latest), None)
    kind, years = next(iter(found.items()), (None, []))
    year = head
    if year is None:
        if not years:
            return PublicationYear()
        year = max(y for y, _ in years) if kind is _COPYRIGHT else years[0][0]
    places = {place for years in found.values() for y, place in years if y == year}
    support = len(places) + 2 * (head is not None)
    if made and abs(int(made[0]) - year) <= 1 and not _is_file_date(kind, rows, created or ""):
        support += 1
    apart = 1 if head is not None else 0
    disputed = any(
        all(abs(y - year) > apart for y, _ in years)
        for pattern, years in found.items()
        if pattern in _STRONG
    )
    return PublicationYear(year, support > 1 and not disputed)


def _years(
    pattern: re.Pattern[str], rows: Sequence[str], latest: int
) -> Iterator[tuple[int, tuple[int, int]]]:
    """The years that a pattern finds, and their places: the row, and where in it."""
    for at, row in enumerate(rows):
        if pattern is _DATE and _ARXIV.search(row):
            continue  # the date is that of the version
        for match in pattern.finditer(row):
            group = next(n for n, digits in enumerate(match.groups(), start=1) if digits)
            if (year := _full(match[group], latest)) is not None:
                yield year, (at, match.start(group))


def _is_file_date(kind: re.Pattern[str] | None, rows: Sequence[str], created: str) -> bool:
    if kind is not _DATE:
        return False
    first = next((row, m) for row in rows if (m := _DATE.search(row)) is not None)
    day = _DAY.search(first[0][: first[1].start(1)])
    if day is None or day["month"].lower() not in _MONTHS:
        return False
    month = _MONTHS.index(day["month"].lower()) + 1
    return f"{first[1][1]}{month:02}{int(day['day']):02}" in created


def _full(digits: str, latest: int) -> int | None:
    year = int(digits)
    if year < _CENTURY:
        year += 2000 if 2000 + year <= latest and year < 50 else 1900
    return year if year <= latest else None
