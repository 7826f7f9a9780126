"""Typed citations: author-year and numbered forms, and clauses that name authors.

Patterns of the author names and dates of typed citations, and the words that are not names. After
APA 7 (8.10 to 8.17), Chicago's author-date system (13.102 to 13.128) and Harvard.

Clauses of a claim that name the authors whom it cites: *Hoare warns that …*. Who says it is the
citation; the source need not name its own authors.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.citation.locators import parse_locator
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.works import NamedWork, entry_of

from .draft import CitedItem, CompactText, InTextCitation

_UPPER = r"[^\W\d_a-zß-öø-ÿ]"
_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f])"
_PARTICLE = (
    r"(?:v[ao]n|vom|der|den|de|del|della|di|da|dos|das|do|du|la|le|les|ter|ten|te|zu|zum|zur|af|av|"
    r"al|el|bin|ibn|['’]t)"
)
# Not the end of a possessive ("Boeing's"); ’t Hart, O’Brien, D'Ignazio, Toffano-Nioche.
_WORD = (
    rf"(?:(?:[dDlLO]['’])?{_UPPER}{_LETTER}+(?:(?:['’](?!s\b)|[-\u2010\u2011]){_LETTER}+){{0,3}}"
    rf"|[A-Z]{{2,8}}\b|{_UPPER}['’](?!s\b){_LETTER}+)"
)
# Middle initials belong to the name: Kai J. Miller.
_MORE = rf"(?:\s(?:{_UPPER}\.\s?){{0,3}}(?:{_PARTICLE}\s){{0,2}}{_WORD})"
_NAME = rf"(?:{_PARTICLE}\s){{0,3}}{_WORD}{_MORE}{{0,4}}"
_ORGANISATION = (
    rf"(?:[A-Z]\s)?{_WORD}(?:\s(?:(?:of|for|on|in|and|the|to)\s){{0,2}}{_WORD}){{0,7}}"
    r"(?:\s(?:core|project|development)?\s?(?:team|developers?|contributors|community|group|"
    r"collaboration|consortium|authors|project))?(?:,\s(?:Inc|Ltd|LLC|GmbH|Corp|Co)\b\.?)?"
    r"(?:\s\[[A-Z][A-Za-z]{1,9}\])?"
)
_INITIALS = rf"(?:{_UPPER}\.[\s-]?){{1,4}}"
_PERSON = rf"(?:{_INITIALS})?{_NAME}(?:,?\s(?:{_UPPER}\.[\s-]?){{1,4}}(?=[,;\s)\]&]))?"
_LAST = r",?\s(?:&|and|und|et(?!\sal\b)|y|e|en|og|och|i)\s"
_OTHERS = (
    r"(?:,?\set\.?\sal\b\.?|,?\s(?:and|&)\s(?:others|colleagues|co-?workers|associates)\b|"
    r"\su\.\s?a\.|,?\sy\scols\.)"
)
_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_UNDATED = (
    r"(?:n\.\s?d\.|no\sdate|s\.\s?d\.|o\.\s?J\.|in\s(?:press|print|prep\.|preparation|review)|im\sDruck|"
    r"im\sErscheinen|forthcoming|to\sappear|submitted|unpublished|under\sreview)"
)
# Neither a range of years (1912–1954), nor a number with a unit or decimals.
_DATE = (
    rf"(?:{_YEAR}(?:/{_YEAR})?(?:[a-h](?:\s?,\s?[a-h])*)?(?![\w%=]|\s?[-–/]\s?\d|[.,]\d)"
    rf"|{_UNDATED})"
)
_DATES = rf"{_DATE}(?:(?:\s?[,;]\s?|\s(?:and|&)\s){_DATE})*"

_LISTED = rf"(?:,\s{_PERSON}){{0,8}}"
PARENTHETICAL = re.compile(
    rf"(?<![\w'’.-])(?:(?P<people>{_PERSON}(?:{_LISTED}{_OTHERS}|{_LISTED}{_LAST}{_PERSON})?)"
    rf"|(?P<body>{_ORGANISATION}))(?:\s?,\s?|\s)\(?(?P<dates>{_DATES})",
)
_NARRATED = rf"(?:,\s{_NAME}){{0,8}}"
NARRATIVE = re.compile(
    rf"(?<![\w'’.-])(?P<people>(?:{_INITIALS})?{_NAME}(?:{_NARRATED}{_OTHERS}|{_NARRATED}{_LAST}{_NAME})?)"
    rf"(?:['’]s?)?,?\s?[(\[]\s?(?P<dates>{_DATES})(?P<rest>(?:\s?[,:;][^()\[\]\n]{{0,300}})?)[)\]](?!\s?\d{{4}})"
)
# In the sentence without brackets only with "et al." or "&": *Paris and London, 2019* is none.
BARE = re.compile(
    rf"(?<![\w'’.-])(?P<people>{_NAME}(?:{_NARRATED}{_OTHERS}|{_NARRATED},?\s&\s{_NAME}))"
    rf",?\s(?P<dates>{_DATE})"
)
DATE = re.compile(_DATE)
YEAR = re.compile(_YEAR)
OTHERS = re.compile(_OTHERS)
SEPARATOR = re.compile(rf"{_LAST}|,\s")
INITIALS = re.compile(rf"(?:^|,?\s){_INITIALS}$|^{_INITIALS}")
ACRONYM = re.compile(r"\s?\[[A-Z][A-Za-z]{1,9}\]$")

# Words at the beginning of a sentence or citation before a name.
_OPENING = frozenset(
    """
    a an the this these that those in on at as by for from to of and or but if when while where
    whereas since because although though after before with within without see also cf compare e.g
    i.e however moreover furthermore similarly likewise additionally recently later earlier first
    second third finally then thus hence therefore following according both like unlike using per
    contrary contrast here there indeed instead meanwhile notably conversely consequently until upon
    through during under over against between among we they it he she one two three four many most
    several some other others such what which who how why does do did is are was were has have had
    could might should would not only even still so yet nor either neither again
    reviewed cited quoted adapted citing reference references study studies work research paper
    findings results
    authors author researchers und oder siehe vgl nach laut wie auch voir selon véase según
    """.split()
)
# Proper nouns before a year that are not authors: the calendar, parts of a document, products,
# laws, events, places.
_NO_AUTHOR = frozenset(
    """
    january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
    saturday sunday spring summer autumn fall winter easter christmas quarter semester term week
    day month year years januar februar märz mai juni juli oktober dezember figure figures fig
    figs table tables tab section sections sec chapter chapters ch equation equations eq eqs
    appendix part step stage phase box panel listing algorithm theorem lemma definition example
    experiment model version release edition vol volume issue no nr number page pages note notes
    item level grade type class category group sample case question windows office word excel
    powerpoint python java javascript ubuntu debian android ios macos matlab stata spss linux
    unix fortran cobol photoshop autocad visual studio act acts law laws bill directive
    regulation treaty convention declaration agreement protocol constitution decree ordinance
    code resolution amendment olympics olympic games cup championship championships conference
    congress symposium workshop summit festival election elections census survey expedition war
    crisis pandemic epidemic earthquake hurricane revolution agenda horizon vision covid germany
    france italy spain portugal austria switzerland netherlands belgium denmark sweden norway
    finland poland russia ukraine china japan india korea brazil mexico canada australia europe
    asia africa america usa us uk eu england scotland wales berlin london paris tokyo york
    vienna amsterdam rome madrid beijing moscow chicago boston washington press publishers
    verlag springer elsevier media sons
    """.split()
)


def is_opening(word: str) -> bool:
    if len(word) > 1 and word.isupper():  # the organisation WHO
        return False
    return word.casefold().strip(".,:") in _OPENING


def is_no_author(word: str) -> bool:
    return word.casefold().strip(".,:") in _NO_AUTHOR


_BRACKETS = re.compile(r"\([^()\n]{4,800}\)|\[[^\[\]\n]{4,800}\]")
_LETTERS = re.compile(r"[a-h](?![a-z])")
# What may stand in the brackets before and after the works.
_LEAD = re.compile(r"(?:[a-zß-öø-ÿ&][\w.’'-]*[,.:]?\s?|(?:See|Cf\.|For|Compare|But|The)\s){0,9}")
_LONGEST_SUFFIX = 60
_BETWEEN = re.compile(r"\s?[;,]\s?|\s(?:and|&|und|et)\s|,\s(?:and|&)\s")


class TypedCitation(NamedTuple):
    """A citation with the works that its items name, by their keys."""

    citation: InTextCitation
    works: dict[str, NamedWork]


class _Cited(NamedTuple):
    """The works of one author in one place; offsets in the compact text."""

    start: int
    end: int
    authors: str
    names: tuple[str, ...]
    others: bool
    dates: str


def find_author_year(prose: str, entries: Sequence[CitedWork] = ()) -> Iterator[TypedCitation]:
    """The citations in ``prose``, at its offsets, in no order; their works have the one of
    ``entries``, the draft's reference list, that they mean."""
    text = CompactText.of(prose)
    reader = _ProseCitations(text, entries)
    taken = bytearray(len(text.text))
    for read in (reader.narrative, reader.in_brackets, reader.bare):
        for start, end, found in read():
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                yield found


class _ProseCitations:
    def __init__(self, text: CompactText, entries: Sequence[CitedWork]) -> None:
        self._text = text
        self._entries = entries

    def narrative(self) -> Iterator[tuple[int, int, TypedCitation]]:
        for match in NARRATIVE.finditer(self._text.text):
            cited = _cited(match, is_list=False)
            if cited is None:
                continue
            rest, at = match["rest"], match.start("rest")
            if rest.lstrip().startswith(";"):
                items = [*self._items(cited, "", loose=True), *self._more(at, match.end("rest"))]
            else:
                items = self._items(cited, rest, loose=True)
            yield cited.start, match.end(), self._typed(cited.start, match.end(), items, True)

    def in_brackets(self) -> Iterator[tuple[int, int, TypedCitation]]:
        for group in _BRACKETS.finditer(self._text.text):
            first, last = group.start() + 1, group.end() - 1
            found = list(self._within(first, last))
            if not found:
                continue
            lead = self._text.text[first : found[0].start]
            tail = self._text.text[found[-1].end : last]
            items = [item for one in self._read(found, first, last) for item in one]
            whole = len(tail) <= _LONGEST_SUFFIX and not YEAR.search(tail)
            if whole and _LEAD.fullmatch(lead.lstrip()):
                start, end = group.span()
            else:
                start, end = found[0].start, found[-1].end
            yield start, end, self._typed(start, end, items, False)

    def bare(self) -> Iterator[tuple[int, int, TypedCitation]]:
        for match in BARE.finditer(self._text.text):
            cited = _cited(match, is_list=False)
            if cited is not None and not is_no_author(cited.names[-1].split()[-1]):
                items = self._items(cited, "", loose=True)
                yield cited.start, cited.end, self._typed(cited.start, cited.end, items, True)

    def _within(self, first: int, last: int) -> Iterator[_Cited]:
        """The works in brackets, each after an opening bracket, a separator or small words."""
        at = after = first
        while match := PARENTHETICAL.search(self._text.text, at, last):
            at = match.end()
            cited = _cited(match, is_list=True)
            before = self._text.text[after : cited.start if cited else match.start()]
            piece = before.rpartition(";")[2]
            if after > first and ";" not in before:  # behind another work, and its page
                piece = _BETWEEN.split(piece)[-1]
            clause = piece.lstrip()
            if cited is None or not _LEAD.fullmatch(clause):
                at = match.start() + len(re.match(r"\W*\w+", match[0])[0])  # type: ignore[index]
                continue
            after = cited.end
            yield cited

    def _read(
        self, found: Sequence[_Cited], first: int, last: int
    ) -> Iterator[list[tuple[CitedItem, NamedWork]]]:
        previous = first
        for at, cited in enumerate(found):
            limit = found[at + 1].start if at + 1 < len(found) else last
            rest = self._text.text[cited.end : limit]
            if at + 1 < len(found):
                rest = rest.rpartition(";")[0] if ";" in rest else re.split(r",\s(?=\D*$)", rest)[0]
            lead = self._text.text[previous : cited.start].strip(" ;,&")
            yield self._items(cited, rest, prefix=lead)
            previous = cited.end + len(rest)

    def _more(self, first: int, last: int) -> list[tuple[CitedItem, NamedWork]]:
        return [
            item for one in self._read(list(self._within(first, last)), first, last) for item in one
        ]

    def _items(
        self, cited: _Cited, rest: str, *, loose: bool = False, prefix: str = ""
    ) -> list[tuple[CitedItem, NamedWork]]:
        """An item for each date; what follows belongs to the last."""
        locator, suffix = parse_locator(re.sub(r"^\s?:", ",", rest))
        dated = list(_dates(cited.dates))
        items: list[tuple[CitedItem, NamedWork]] = []
        for at, (written, years, letter) in enumerate(dated):
            last = at + 1 == len(dated)
            work = NamedWork(
                authors=cited.names, others=cited.others, loose=loose, years=years, letter=letter
            )
            entry = entry_of(work, self._entries)
            tentative = entry is None and _is_perhaps_no_author(cited)
            start, end = self._text.span(cited.start, cited.end)
            item = CitedItem(
                key=f"{' '.join(cited.authors.split())}, {written}",
                start=start,
                end=end,
                locator=locator if last else None,
                prefix="" if at else prefix,
                suffix=suffix.strip(" ;,") if last else "",
            )
            items.append((item, work.model_copy(update={"entry": entry, "tentative": tentative})))
        return items

    def _typed(
        self, start: int, end: int, items: Sequence[tuple[CitedItem, NamedWork]], narrative: bool
    ) -> TypedCitation:
        first, last = self._text.span(start, end)
        citation = InTextCitation(
            start=first, end=last, items=tuple(item for item, _ in items), narrative=narrative
        )
        return TypedCitation(citation, {item.key: work for item, work in items})


def _cited(match: re.Match[str], *, is_list: bool) -> _Cited | None:
    """None if all words before the date belong to the sentence."""
    groups = match.groupdict()
    written, start = groups["people"] or groups["body"], match.start()
    names = [written] if groups.get("body") else _names(written)
    while names:
        words = names[0].split()
        opening = 0
        while opening < len(words) and is_opening(words[opening]):
            opening += 1
        if opening < len(words):
            names[0] = " ".join(words[opening:])
            break
        names = names[1:]
    if not names:
        return None
    others = bool(OTHERS.search(written))
    joined = others or bool(re.search(r"&|\s(?:and|und|et|y|e|en|og|och|i)\s", written))
    if not is_list and len(names) > 1 and not joined:
        names = names[-1:]
    at = written.find(names[0].split()[0])
    at = written.rfind(names[0]) if len(names) == 1 and not others else at
    authors = written[max(0, at) :]
    names = [ACRONYM.sub("", INITIALS.sub("", name)) or name for name in names]
    return _Cited(
        start=start + max(0, at),
        end=match.end("dates"),
        authors=authors,
        names=tuple(names),
        others=others,
        dates=match["dates"],
    )


def _is_perhaps_no_author(cited: _Cited) -> bool:
    """Whether a word often precedes a year (*Figure*, *May*)."""
    words = cited.names[0].split()
    lone = len(cited.names) == 1 and not cited.others
    return lone and (is_no_author(words[0]) or is_no_author(words[-1]))


def _names(written: str) -> list[str]:
    """The names of a list of people, without initials."""
    people = OTHERS.sub("", written)
    names = (name.strip(" ,") for name in SEPARATOR.split(people))
    return [name for name in names if name and INITIALS.sub("", name).strip(" .")]


def _dates(dates: str) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Each date as written, its years, and its letter: *2019a, b* are two."""
    for match in DATE.finditer(dates):
        years = tuple(map(int, YEAR.findall(match[0])))
        if not years:
            yield " ".join(match[0].split()), (), ""
            continue
        base = re.match(r"[\d/]+", match[0])[0]  # type: ignore[index]
        letters = _LETTERS.findall(match[0][len(base) :])
        for letter in letters or [""]:
            yield f"{base}{letter}", years, letter


_NUMBERS = r"\d{1,3}(?:\s?(?:[,;]|[-\u2010-\u2015]{1,3})\s?\d{1,3})*"
_BRACKETED = re.compile(
    rf"(?<![\w)^!\\=])(?P<space>\s?)\[(?P<numbers>{_NUMBERS})"
    r"(?:\s?[,:]\s?(?P<locator>(?!\d)[^\[\]\n]{1,60}))?\](?![(:{])"
)
_AFTER_WORD = re.compile(rf"(?<=[^\W\d_]{{3}})\[(?P<numbers>{_NUMBERS})\](?P<locator>)(?![(:{{])")
_PART = re.compile(r"(?P<first>\d{1,3})(?:\s?[-\u2010-\u2015]{1,3}\s?(?P<last>\d{1,3}))?")
# Numbers in brackets after these are parts of a document or mathematics.
_NO_CITATION = re.compile(
    r"(?:\b(?:sections?|sec|chapters?|equations?|eqs?|figures?|figs?|tables?|tab|appendix|steps?|parts?|"
    r"items?|intervals?|ranges?|bounds?|scales?|domains?|vectors?|arrays?|matrix|tuples?|lists?|lines?|"
    r"between|values?|set)\.?|[=∈×+*/<>])\s?$",
    re.IGNORECASE,
)
_SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒", "0123456789-,")
_RAISED = "[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}"
_SUPERSCRIPT = re.compile(rf"(?<=[.,;:!?)”\"’a-zß-öø-ÿ]){_RAISED}(?:[⁻–,˒]{_RAISED})*")
# A unit, a symbol or a number before a superscript: m², R², 10³.
_POWER = re.compile(r"(?:^|[^\w])(?:[^\W\d_]{1,2}|[^\W_]*\d)$")
_LONGEST_RANGE = 60


def find_numbered(
    prose: str, entries: Mapping[str, CitedWork], superscripts: Sequence[tuple[int, int]] = ()
) -> Iterator[TypedCitation]:
    """The citations whose numbers are all in ``entries``, by number. ``superscripts`` are spans of
    the prose that the markup raises."""
    if not entries:
        return
    compact = CompactText.of(prose)
    for pattern in (_BRACKETED, _AFTER_WORD):
        for match in pattern.finditer(compact.text):
            start = match.start() + len(match.groupdict().get("space") or "")
            if _NO_CITATION.search(compact.text, max(0, start - 30), start):
                continue
            span = compact.span(start, match.end())
            if found := _typed(span, match["numbers"], match["locator"] or "", entries):
                yield found
    raised = [*superscripts, *(match.span() for match in _SUPERSCRIPT.finditer(prose))]
    for start, end in raised:
        numbers = prose[start:end].translate(_SUPERSCRIPT_DIGITS).strip(" \u2060^{}[]$")
        power = _POWER.search(prose[max(0, start - 12) : start].rstrip(" \u2060"))
        is_power = power or not re.fullmatch(_NUMBERS, numbers)
        if not is_power and (found := _typed((start, end), numbers, "", entries)):
            yield found


def _typed(
    span: tuple[int, int], numbers: str, locator: str, entries: Mapping[str, CitedWork]
) -> TypedCitation | None:
    labels = list(_labels(numbers))
    if not labels or not all(label in entries for label in labels):
        return None
    page, suffix = parse_locator(locator)
    items = tuple(
        CitedItem(
            key=f"[{label}]",
            start=span[0],
            end=span[1],
            locator=page if at + 1 == len(labels) else None,
            suffix=suffix if at + 1 == len(labels) else "",
        )
        for at, label in enumerate(labels)
    )
    works = {f"[{label}]": NamedWork(entry=entries[label]) for label in labels}
    return TypedCitation(InTextCitation(start=span[0], end=span[1], items=items), works)


def _labels(numbers: str) -> Iterator[str]:
    """The numbers, ranges written out; nothing for a range that is none (*7–3*)."""
    for part in _PART.finditer(numbers):
        first, last = int(part["first"]), int(part["last"] or part["first"])
        if not first <= last <= first + _LONGEST_RANGE:
            yield ""
        yield from map(str, range(first, last + 1))


# Commands that only the format has; pandoc's keys decide for Markdown before these.
_PANDOC: Final = re.compile(r"\[[^\[\]\n]*@[\w:.#$%&+?<>~/-]+[^\[\]\n]*\]")
_LATEX: Final = re.compile(
    r"\\[A-Za-z]*cite[A-Za-z]*\*?\s*[\[{]|\\(?:documentclass|begin|section)\b"
)
_TYPST: Final = re.compile(r"#(?:cite|bibliography|set|show|import|quote)\b")

_TYPED = (
    "authors and year as in “(Barba & Forsyth, 2018, p. 5)” or “Boeing (2018)”, and numbers as in "
    "“[3, 5–7]” with a numbered list under a heading “References”"
)
_FORMS = {
    "markdown": f"pandoc's keys as in “[@key, p. 5]”, {_TYPED}",
    "text": f"pandoc's keys as in “[@key, p. 5]”, {_TYPED}",
    "latex": rf"“\cite{{key}}” and the commands of natbib and biblatex, {_TYPED}",
    "typst": f"“@key[p. 5]” and “#cite(<key>)”, {_TYPED}",
    "docx": f"fields of Word, Zotero, Mendeley and EndNote, {_TYPED}",
}


def guessed_format(text: str) -> str:
    """The format of a draft of unknown format: by its citations, else by commands of one format; by
    default ``markdown``."""
    if _PANDOC.search(text):
        return "markdown"
    if _LATEX.search(text):
        return "latex"
    return "typst" if _TYPST.search(text) else "markdown"


def nothing_recognised(format: str) -> str:
    """The sentence about a draft without any citation."""
    return (
        "no citation was recognised, so nothing was checked; these forms are recognised outside "
        f"headings and tables: {_FORMS[format]}"
    )


_VERBS = (
    r"(?:reports?|notes?|states?|finds?|shows?|observes?|writes?|explains?|mentions?|describes?|"
    r"points?\sout|says?|concludes?|warns?|argues?|claims?|suggests?|proves?|demonstrates?|"
    r"establish(?:es)?|maintains?|asserts?|believes?|emphasi[sz]es?|stress(?:es)?|holds?|admits?|"
    r"acknowledges?|remarks?|estimates?|indicates?|reveals?|confirms?|discovers?|add|adds|"
    r"reported|noted|stated|found|showed|shown|observed|wrote|written|explained|mentioned|"
    r"described|pointed\sout|said|concluded|warned|argued|claimed|suggested|proved|proven|"
    r"demonstrated|established|maintained|asserted|believed|emphasi[sz]ed|stressed|held|admitted|"
    r"acknowledged|remarked|estimated|indicated|revealed|confirmed|discovered|added)"
)
_ADVERB = r"(?:(?:have|has|had|also|further|clearly|explicitly|even|already|first)\s)*"
_NAMED_OTHERS = r"(?:,?\set\sal\.?|,?\s(?:and|&)\s(?:others|colleagues|co-?workers))?"
_BETWEEN_NAMES = r"(?:,\s(?:and\s|&\s)?|\s(?:and|&)\s)"
_GIVEN = r"(?:[^\W\d_a-zß-öø-ÿ][\w.’'-]*\s){0,3}?"


_STUDY_VERBS = (
    r"(?=(?:survey|interview|measur|compar|analy[sz]|examin|investigat|evaluat|propos|introduc|present"
    r"|develop|stud)(?:e?d|ied|e?s|ies)\b)"
)


def without_authors(claim: str, authors: Sequence[str]) -> str:
    """``claim`` without a clause that says that ``authors`` say it, and without their names as
    possessors at its beginning. Any other name stays."""
    names = "|".join(re.escape(name) for name in sorted(_family_names(authors), key=len)[::-1])
    if not names:
        return claim
    one = rf"(?:{_GIVEN}(?:{names}))"
    people = rf"{one}(?:{_BETWEEN_NAMES}{one})*{_NAMED_OTHERS}"
    for pattern, instead in (
        (rf"\W*{people}\s{_ADVERB}{_VERBS}\sthat\s", ""),
        (rf"\W*(?i:as|according\sto)\s{people}(?:\s{_VERBS})?,\s", ""),
        (rf"\W*{people}[’']s?\s", "The "),
        (rf"\W*{people}\s{_STUDY_VERBS}", "They "),
    ):
        if match := re.match(pattern, claim):
            rest = instead + claim[match.end() :]
            return rest[:1].upper() + rest[1:]
    return claim


def _family_names(authors: Sequence[str]) -> set[str]:
    """The last name in *Hoare, C. A. R.* and *C. A. R. Hoare*."""
    found = set()
    for author in authors:
        family, comma, _ = author.partition(",")
        words = family.split()
        if words:
            found.add(family.strip() if comma else words[-1])
    return found
