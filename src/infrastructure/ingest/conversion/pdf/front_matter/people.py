"""Names of people in an authors' block, and the authors of a document."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from citeloom.domain.text.scripts import MARKS
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece, TextLine
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

_MARKS = re.compile(
    rf"\s?{MARKS}|(?<=\w)\s?\^(?:[a-z](?![a-z])|\([^()]{{1,12}}\))|"
    r"(?<![\w\ufffd\u25af])[\ufffd\u25af]+|[\ufffd\u25af]+(?![\w\ufffd\u25af])|"
    "[*_\u2217\u22c6\u2020\u2021\u00a7\u00b6#\u266e\u266d\u2666\u25e6\u00b9\u00b2\u00b3\u2600-\u27bf"
    "]+|\\[[^\\]]*\\d[^\\]]*\\]"  # such as ORCIDs in brackets
)
_NUMBERS = re.compile(r"(?<=[^\W\d_.])\s?\d{1,2}(?:\s?,\s?\d{1,2})*(?!\w)|(?<!\w)\d{1,2}(?!\w)")
_LEAD = re.compile(r"^\s*(?:by|authors?\s*:|author\(s\)\s*:?|von|par|and)\s+", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\s*(?:[,;\u00b7\u2022|]|\band\b|\bAND\b|&|\bund\b|\b(?:et|en|och|og)\b|\s[\u2013\u2014-]\s)\s*"
)
_INITIAL = re.compile(r"^(?:(?:[^\W\d_]\.-?)+[^\W\d_]?\.?|[^\W\d_]|[A-Z]{2})$")
_WORD = re.compile(r"^[^\W\d_](?:[^\W\d_'\u2019`.-]|\ufffd)*(?:['\u2019`-][^\W\d_]+)*\.?$")
_MAIL = re.compile(r"\{[^{}]*\}\s?@\S+|[<(]?\S+@\S+")
_SWAPPED = re.compile(
    r"\s*((?:(?:van|von|der|den|de|di|da|del|du|la|le)\s+)*[^\W\d_][\w'\u2019-]+),"
    r"\s*([^\W\d_][\w.' -]*?)(?:\s+et al\.?)?\s*"
)
_MEMBER = re.compile(
    r",\s*(?:(?:senior|life|associate|(?:graduate )?student)\s+)?(?:member|fellow),?\s+"
    r"(?:ieee|acm)\b",
    re.IGNORECASE,
)
_NICKNAME = re.compile(r"\s*\([^()]*\)\s*")
_TITLES = re.compile(
    r"^(?:prof(?:essor)?|dr|mr|mrs|ms|sir)\.?\s+|"
    r",?\s+(?:ph\.?\s?d|jr|sr|ii|iii|iv|md|msc|m\.d)\.?$",
    re.IGNORECASE,
)
_PARTICLES = frozenset(
    "van von der den de del della di da dos du la las le los ten ter el al bin ibn y e zu af av "
    "\u2019t 't".split()
)
_NO_NAME = frozenset(
    """
    ecole scuola escuela hochschule institute institut institution
    university universite universitat universidad universita
    laboratory laboratories laboratoire lab labs department dept school college faculty center
    centre inc corp corporation company ltd llc gmbh co research academy science sciences
    computer computing computation engineering technology technologies mathematics physics
    tekniska technische hogskola institutionen universitet universiteit politecnico polytechnic
    polytechnique instituto istituto departamento dipartimento facultad faculte laboratorio centro
    publications profile readings reads entertainment position paper citation published publisher
    link citable accessed terms magazine circuito
    systems system software group division project society association press foundation
    committee council office hospital national federal state states united kingdom street
    avenue road ave st hall building box email mail technical report memo copyright student
    member fellow ieee acm usenix abstract introduction draft version page google microsoft
    ibm yahoo facebook amazon apple intel oracle bell xerox sun hewlett packard twitter
    linkedin netflix inria cnrs mit ucla usa uk the a an of for in on to from with at under
    this our algorithms algorithm data theory networks network programming language languages
    analysis learning model models distributed parallel journal proceedings transactions
    conference symposium workshop review volume number january february march april may june
    july august september october november december monday tuesday wednesday thursday friday
    square campus north south east west new los san santa york zurich
    california massachusetts washington texas illinois pennsylvania carolina virginia jersey
    supervisor advisor editor editors author authors corresponding contact keywords
    medicine medical medizin clinic clinical klinik klinikum surgery nursing health public ethics
    psychology psychologie psychiatry psychiatrie neurology pediatrics paediatrics epidemiology
    biology chemistry genetics sociology anthropology philosophy linguistics history humanities
    arts education economics original article access editorial commentary communication
""".split()
)
# Words of _NO_NAME that are given and family names too: beside other names they are taken for such.
_GIVEN = frozenset("april may june august".split())
_FAMILY = frozenset(
    "sun bell page apple box hall west north south east street may march york".split()
)
_COMPANY = re.compile(r"(?:ltd|limited|inc|incorporated|llc|corp|gmbh|plc|ag|s\.a)\b\.?$", re.I)
_PLACES = frozenset(
    """
    usa uk us u.s.a england scotland ireland wales germany france italy spain portugal switzerland
    austria netherlands belgium denmark sweden norway finland poland hungary greece turkey israel
    canada australia japan china korea india singapore brazil mexico russia taiwan iceland
    california massachusetts washington texas illinois pennsylvania oregon maryland virginia
    deutschland schweiz frankreich
""".split()
)
# After a name; *MD* and *MA* are states too.
_DEGREE = re.compile(
    r"(?:ph\.?\s?d|d\.?phil|ed\.?d|psy\.?d|pharm\.?d|dr\.?p\.?h|m\.?p\.?h|m\.?sc|b\.?sc|m\.?b\.?a|"
    r"mbbs|mb\s?ch\.?b|m\.?phil|r\.?n|frc[ps]|m\.d|m\.a|b\.a)\.?|(?P<state>MD|MA)",
    re.IGNORECASE,
)
_STATE = re.compile(r"^[A-Z]{2}(?:\s+\d{5}.*)?$")
_MOST_TOKENS = 5
_SURE, _MOST = 3, 0.6  # names in one line, and their share of its parts
_CERTAIN = 4  # names in one line that is certainly one of names


@lru_cache(maxsize=4096)
def names_in(text: str, *, beside_names: bool = False) -> tuple[str, ...]:
    """The names at the beginning of a line, up to the first part that is not one; all of them if
    most parts are names. Footnote marks, numbers and mail addresses are left out. A place (``Menlo
    Park, CA``) is not a name. ``beside_names``: the line has other names too."""
    if ";" in text and (inverted := _inverted(_cleaned(text))):
        return inverted
    parts = [_TITLES.sub("", part).strip() for part in parts_of(text)]
    listed = beside_names or any(map(is_name, parts))
    listed = listed or sum(is_name(part, listed=True) for part in parts) > 1
    names: list[str | None] = []
    for name, after in zip(parts, [*parts[1:], ""], strict=False):
        fits = is_name(name, listed=listed) and not is_place(after) and not _COMPANY.match(after)
        names.append(_NICKNAME.sub(" ", name).strip() if fits else None)
    found = tuple(name for name in names if name is not None)
    if len(found) >= _SURE and len(found) >= _MOST * len(parts):
        return found
    return tuple(name for name in takewhile(lambda name: name is not None, names) if name)


def parts_of(text: str) -> list[str]:
    """The parts of a line between commas and conjunctions, without marks, numbers and degrees."""
    parts = [part for part in map(str.strip, _BETWEEN.split(_cleaned(text))) if part]
    degrees = [match for part in parts if (match := _DEGREE.fullmatch(part))]
    if len(degrees) > 1 or any(match["state"] is None for match in degrees):
        parts = [part for part in parts if not _DEGREE.fullmatch(part)]
    return [one for part in parts for one in _joined_names(part)]


def _joined_names(part: str) -> list[str]:
    """Two whole names joined by *y* or *e*; *Ortega y Gasset* is one."""
    halves = re.split(r"\s[ye]\s", part)
    return halves if len(halves) > 1 and all(map(is_name, halves)) else [part]


def is_byline(text: str) -> bool:
    """Whether a line is certainly names: nothing else in it, with initials or four names.

    One letter without a stop is an initial in the middle of a name only (``C Programming``).
    """
    names = names_in(text)
    if not names or len(names) != len(parts_of(text)):
        return False
    return len(names) >= _CERTAIN or any(map(_has_initials, names))


def _has_initials(name: str) -> bool:
    tokens = name.split()
    if any(_INITIAL.match(token) and "." in token for token in tokens):
        return True
    return sum(len(token) == 1 for token in tokens) > 1 or any(len(t) == 1 for t in tokens[1:-1])


def is_name(text: str, *, listed: bool = False) -> bool:
    """Whether a text has the form of a person's name: two to five words, capitals, initials.
    Among names (``listed``) *Jennifer Sun* is one too."""
    tokens = _NICKNAME.sub(" ", text).split()
    if not 2 <= len(tokens) <= _MOST_TOKENS or tokens[0] in ("A", "I"):
        return False
    words = [squash(t) for t in tokens if not _INITIAL.match(t) and t not in _PARTICLES]
    if listed and words[:1] and words[0] in _GIVEN:
        words = words[1:]
    if listed and words[:1] and words[-1] in _FAMILY:
        words = words[:-1]
    if any(word in _NO_NAME for word in words):
        return False
    full = 0
    for token in tokens:
        if token.lower() in _PARTICLES or (_INITIAL.match(token) and token[0].isupper()):
            continue
        if not _WORD.match(token) or not token[0].isupper() or len(token) < 2:
            return False
        full += 1
    return full >= 1 and not _INITIAL.match(tokens[-1])


def is_half_name(text: str) -> bool:
    """Whether a part is one capitalised word, as at the end of a line that breaks a name."""
    tokens = [token for token in text.split() if not _INITIAL.match(token)]
    return len(tokens) <= 1 and all(
        token[0].isupper() and _WORD.match(token) and squash(token) not in _NO_NAME
        for token in tokens
    )


def stated_names(values: Iterable[str]) -> tuple[str, ...]:
    """The names in the author fields of the metadata; none for user names."""
    names: dict[str, str] = {}
    for value in values:
        parts = _inverted(value) or _BETWEEN.split(value)
        for part in parts:
            name = _TITLES.sub("", part.strip())
            if is_name(name, listed=len(parts) > 1):
                names.setdefault(squash(name), name)
    return tuple(names.values())


def _inverted(value: str) -> tuple[str, ...]:
    """*Shapiro, Marc; Baquero, Carlos* as names in the usual order; empty if a part is not one
    name with its family name first."""
    parts = [p for p in re.split(r"\s*;\s*|\s+and\s+", value.strip().rstrip(";")) if p]
    matches = [_SWAPPED.fullmatch(part) for part in parts]
    names = tuple(f"{m[2]} {m[1]}" for m in matches if m is not None)
    return names if len(names) == len(parts) and all(map(is_name, names)) else ()


def _cleaned(text: str) -> str:
    text = _NUMBERS.sub(" ", _MARKS.sub(" ", _MAIL.sub(" ", _MEMBER.sub("", text))))
    return _LEAD.sub("", text.strip())


def is_place(text: str) -> bool:
    """Whether a text is a state or country."""
    return bool(_STATE.match(text)) or text.casefold().rstrip(".") in _PLACES


def names_of_block(lines: Sequence[TextLine]) -> tuple[str, ...]:
    """The names in an authors' block, each once, in the order of the lines.

    The first line with names sets the type of the names; lines in another type are
    affiliations, but for those that list names only.
    """
    _, alike = _set_like_names(lines)
    names: dict[str, str] = {}
    for found in _listed(alike):
        for name in found:
            names.setdefault(squash(name), name)
    return tuple(names.values())


def _set_like_names(lines: Sequence[TextLine]) -> tuple[int, list[TextLine]]:
    """The first line with names, and the lines set like it or of names only."""
    start = next((i for i, line in enumerate(lines) if names_of_line(line)), len(lines))
    return start, [
        line for line in lines[start:] if _alike(lines[start], line) or _lists_names(line.text)
    ]


def _lists_names(text: str) -> bool:
    parts = parts_of(text)
    return len(parts) > 1 and all(map(is_name, parts))


def has_unread_names(lines: Sequence[TextLine]) -> bool:
    """Whether a line set like the names, or above them, has something that looks like a name and
    was not read."""
    start, alike = _set_like_names(lines)
    read = {squash(name) for found in _listed(alike) for name in found}
    for line in [*lines[:start], *alike]:
        parts = (
            parts_of(line.text)
            if len(line.pieces) < 2
            else [part for piece in line.pieces for part in parts_of(piece.text)]
        )
        for part, after in zip(parts, [*parts[1:], ""], strict=False):
            if _resembles_name(part) and squash(part) not in read and not is_place(after):
                return True
    return False


def _resembles_name(part: str) -> bool:
    """Whether a part is two to five capitalised words, none of which names an institution."""
    tokens = part.split()
    words = [squash(token) for token in tokens]
    return (
        len(tokens) >= 2
        and all(token[:1].isupper() for token in tokens)
        and not (set(words) & _NO_NAME - _GIVEN - _FAMILY or any(map(str.isdigit, part)))
    )


def _alike(one: TextLine, other: TextLine) -> bool:
    return one.font == other.font and abs(one.size - other.size) < 0.12 * one.size


def _listed(lines: Sequence[TextLine]) -> Iterator[tuple[str, ...]]:
    """Names line by line; lists that break names at the line's end as a whole."""
    at = 0
    while at < len(lines):
        text, end = lines[at].text, at + 1
        while end < len(lines) and _breaks_name(text, lines[end].text):
            text, end = f"{text} {lines[end].text}", end + 1
        yield names_in(text) if end > at + 1 else names_of_line(lines[at])
        at = end


def _breaks_name(text: str, following: str) -> bool:
    """Whether the last name of a list goes on in the next line."""
    *before, last = parts_of(text) or [""]
    after = parts_of(following)
    if not before or not after or text.rstrip().endswith((",", ";", "and", "&")):
        return False
    if not all(map(is_name, before)):
        return False
    if len(after) > 1 and is_place(after[1]):
        return False
    broken = is_half_name(last) or is_half_name(after[0])
    return broken and is_name(f"{last} {after[0]}")


def names_of_line(line: TextLine) -> tuple[str, ...]:
    """The names of a line: those of its pieces if they are side by side, also with little room
    between, else of all of it, which may be one name with wide spaces."""
    pieces = [
        part.text
        for piece in line.pieces
        for part in (piece.parts if _are_names(piece.parts) else (piece,))
        if any(map(str.isalpha, part.text))
    ]
    apart = [names_in(piece) for piece in pieces]
    if any(apart):
        apart = [names_in(piece, beside_names=True) for piece in pieces]
    whole = names_in(line.text)
    found = tuple(name for names in apart for name in names)
    if len(found) > len(whole) or (all(apart) and len(found) == len(whole)):
        return found
    return whole


def _are_names(parts: Sequence[LinePiece]) -> bool:
    return bool(parts) and all(is_name(_cleaned(part.text).strip(), listed=True) for part in parts)


def resolve_authors(
    printed: Sequence[str], stated: Sequence[str], page_words: frozenset[str]
) -> tuple[str, ...]:
    """The authors: as printed; in the metadata's spelling where the page has capitals only, else
    in the usual case.

    Names of the metadata count if their family names are on the page, and stand alone if they
    are more than those that were found in the authors' block.
    """
    confirmed = [name for name in stated if _family(name) in page_words]
    by_family = {_family(name): name for name in confirmed}
    if len(confirmed) > len(printed) and all(_family(name) in by_family for name in printed):
        return tuple(confirmed)
    return tuple(
        by_family.get(_family(name)) or _in_usual_case(name) if name.isupper() else name
        for name in printed
    )


def _in_usual_case(name: str) -> str:
    """*PER MARTIN-L\u00d6F* as *Per Martin-L\u00f6f*; initials stay as they are."""

    def cased(token: str) -> str:
        if token.lower() in _PARTICLES:
            return token.lower()
        if _INITIAL.match(token):
            return token
        whole = re.sub(r"[^\W\d_]+", lambda match: match[0].capitalize(), token)
        return re.sub(r"\bMc([a-z])", lambda match: f"Mc{match[1].upper()}", whole)

    return " ".join(map(cased, name.split()))


def _family(name: str) -> str:
    return squash(name.split()[-1])
