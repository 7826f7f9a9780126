"""Authors and date of a reference entry, by the patterns of the common styles.

Lists of authors: ``Deutsch, L.P., and Lampson, B.W.``, ``ABADI, D. J., MADDEN, S. R., AND FERREIRA,
M. C.``, ``P. Dietz, R. Sleator,``, ``Roth, Alvin and Sotomayor, Marilda.``, ``John Bent and Andrea
Dusseau.``
"""

import re
from typing import NamedTuple

UPPER = r"[^\W\d_a-zß-öø-ÿ]"
PARTICLE = (
    r"(?:v[ao]n|den|der|de|la|le|du|di|da|dos|del|della|ter|ten|zu|zur|af|al|el|bin|ibn|mac|st\.)"
)
_ABBREVIATION = re.compile(
    rf"(?:^|[\s(.\[-])(?:{UPPER}|(?i:vs|al|eds?|st|dr|mr|mrs|ms|prof|cf|e\.g|i\.e|approx|ca|jr|sr"
    r"|univ|proc|trans|dept|assoc))$"
)
_BEFORE_NUMBER = re.compile(r"\b(?i:vol|nos?|pp?|art|ch|sec|fig|figs|pt|ser|v|bd|nr)$")
_LETTER_WORD = re.compile(rf"\b(?:in|with|using|for)\s{UPPER}$")
# Lower-case names at a possible sentence start.
_SMALL_NAME = re.compile(
    r"[a-z]{1,3}[A-Z]|bioRxiv|medRxiv|arXiv|npj\b|(?:doi|https?|available|retrieved|in:)\b",
)
_PART_NUMBER = re.compile(r"\s*([IVX]{1,4})\.\s+")
_STOP = re.compile(
    r"[.?!](?=[\s”\"’]|$)|(?P<joint>,?\s(?=arXiv:\s?[\w-]+[./]\d|doi:|https?://|URL:?\s|in:\s))"
)

_JOURNAL = re.compile(r"[^.,]{3,90},\s(?:vol\.\s)?\d|(?:arXiv|bioRxiv|medRxiv)\b")
_NO_SUBTITLE = re.compile(
    r"\d|https?:|^(?:in|journal|proceedings|annals|transactions|bulletin|the journal)\b",
    re.IGNORECASE,
)


def first_sentence(text: str) -> str | None:
    """The text before the first full stop, question or exclamation mark that ends a sentence;
    None without one."""
    end = sentence_end(text)
    if end is None:
        return None
    if (part := _PART_NUMBER.match(text, end)) and text[end - 1] == ".":
        title = f"{text[: end - 1]}. {part[1]}"
        more = first_sentence(text[part.end() :])
        telling = more is not None and len(more.split()) > 3 and not re.search(r"\d", more)
        return f"{title}. {more}" if telling else title
    if text[end - 1] in "?!" and (more := _subtitle(text[end:])) is not None:
        return f"{text[:end]} {more}"
    return text[:end].rstrip(". ,")


def _subtitle(text: str) -> str | None:
    """The subtitle after a question (*Grid or transect?*) if a journal follows it."""
    end = sentence_end(text)
    if end is None or not _JOURNAL.match(text[end:].lstrip()):
        return None
    more = text[:end].strip(" .")
    return None if _NO_SUBTITLE.search(more) or len(more.split()) < 3 else more


def sentence_end(text: str) -> int | None:
    """Offset after the mark that ends the first sentence."""
    for found in _STOP.finditer(text):
        before, after = text[: found.start()], text[found.end() :].lstrip('”"’ \n')
        if found["joint"]:
            return found.start()
        if not _SMALL_NAME.match(after) and re.match(r"[a-zß-öø-ÿ,:;]", after):
            continue
        if before.count("(") > before.count(")"):
            continue
        initial = _ABBREVIATION.search(before) and not _LETTER_WORD.search(before)
        counted = after[:1].isdigit() and _BEFORE_NUMBER.search(before)
        if found.group() == "." and (initial or counted):
            continue
        return found.end()
    return None


YEAR = r"(?:1[5-9]|20)\d{2}"
MONTH = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter)"
    r"[a-z]*\.?"
)
# (2016), (2018a, May), (May 2018), (1997/2003) …; in APA it stands behind the authors.
_BRACKETED_YEAR = re.compile(
    rf"\((?:c(?:a|irca)?\.\s*)?(?:{MONTH}\s+(?:\d{{1,2}},?\s+)?)?(?:{YEAR}/)?({YEAR})[a-z]?"
    rf"(?:(?:,\s*|\s+)(?:{MONTH}[^()]{{0,20}}|\d[^()]{{0,12}}))?\)"
)
DATED = re.compile(
    rf"{_BRACKETED_YEAR.pattern}|\((?:n\.\s?d\.|in press|forthcoming|to appear|submitted)[^()]*\)",
    re.IGNORECASE,
)
PLAIN_YEAR = re.compile(rf"(?<![\d./:-])({YEAR})[a-z]?(?![\d/-]|\.\d)")
# Behind the authors: Chicago's ``. 2001. `` and Harvard's ``, 2017a. ``.
YEAR_AFTER_AUTHORS = re.compile(rf"[.,)]\s+\(?({YEAR})[a-z]?\)?[.,:]\s+")
_NO_DATE_AFTER_AUTHORS = re.compile(r"\.\s+n\.d\.\s+", re.IGNORECASE)
UNDATED = re.compile(
    r"\bn\.\s?d\.|\bin press\b|\bforthcoming\b|\bto appear\b|\bunpublished\b|\bpreprint\b"
    r"|\bsubmitted\b|\bin preparation\b",
    re.IGNORECASE,
)
_NOT_YEARS = re.compile(
    r"https?:\s*//\S+|\bdoi\s*:?\s*\S+|\b10\.\d{4,9}/\S+|\barxiv\s*:\s*\S+|\babs/\S+"
    r"|\b(?:accessed|retrieved|visited|viewed|abgerufen)\b:?\s?"
    r"(?:[a-z]{3,4}\.\s)?[^.;)\]]{0,40}"
    r"|\d+\s?[-–—]\s?\d+|\b(?:pp?|pages?|vol|no)\.?\s*\d+",
    re.IGNORECASE,
)


def year_of(text: str) -> int | None:
    if match := _BRACKETED_YEAR.search(text):
        return int(match[1])
    if _NO_DATE_AFTER_AUTHORS.search(text[:200]):
        return None
    bare = _NOT_YEARS.sub(" ", text)
    if (match := YEAR_AFTER_AUTHORS.search(bare)) and match.start() < len(bare) / 2:
        return int(match[1])
    years = PLAIN_YEAR.findall(bare)
    return int(years[-1]) if years else None


_NAME_LAST = rf"(?:{PARTICLE}\s+){{0,3}}{UPPER}[\w’'‘`´-]*(?:[ -]{UPPER}[\w’'´-]+){{0,2}}"
_LETTERS = rf"(?:{UPPER}\.[\s-]?){{1,4}}"
_GIVEN = rf"{UPPER}[\w’'´.-]*(?:[ -]{UPPER}[\w’'´.-]*){{0,3}}"
FAMILY_FIRST = re.compile(
    rf"(?P<family>{_NAME_LAST})(?:,?\s(?:Jr|Sr|II|III)\.?)?,\s(?:{_LETTERS}|{_GIVEN})"
)
# ``Jimmy Lei Ba, Jamie Ryan Kiros``: given names first, though a comma follows.
_GIVEN_FIRST = re.compile(
    rf"(?P<name>{UPPER}[\w’'´.-]*(?:\s(?:{PARTICLE}|{UPPER}[\w’'´.-]*)){{1,4}}),\s(?:and\s)?"
    rf"{UPPER}[\w’'´-]+(?:\s(?:{PARTICLE}|{UPPER}[\w’'´.-]*)){{1,4}}(?:[,.]|\s(?:and|&)\s)"
)
LITERAL = re.compile(r"(?P<name>[^.,()\"“:]{2,80}?)(?:\set\sal\.?,?)?[.,]?\s(?=\()")
VANCOUVER = re.compile(
    rf"(?P<family>{_NAME_LAST})\s{UPPER}{{1,3}}(?:\s(?:Jr|II|III))?"
    rf"(?:,\s{_NAME_LAST}\s{UPPER}{{1,3}}(?:\s(?:Jr|II|III))?)*(?:,?\set\sal)?\.\s"
    # ``Louis J. Billera, …``: an initial between names.
    rf"(?!(?:{UPPER}\.\s?)*{UPPER}[\w’'-]*(?:[,.]|\s(?:and|&)\s))"
)
_INITIALS_FIRST = re.compile(rf"{_LETTERS}\s?(?P<family>{_NAME_LAST})(?=[.,]|\s(?:and|&|et)\b|:)")
_NAME = re.compile(
    rf"(?:{UPPER}[\w’'´.-]*\s+){{1,4}}(?P<family>(?:{PARTICLE}\s+){{0,3}}{UPPER}[\w’'´-]+)"
)
# An initial (``S.K.``, ``T-J.``, ``Yu.``) or a word; no abbreviated word, as in a journal's name.
_PART = rf"(?:(?:{UPPER}[a-z]?\.?-?)*{UPPER}[a-z]?\.|{UPPER}[\w’'´-]*|{PARTICLE}|y)"
_ONE_NAME = re.compile(rf"{_PART}(?:[\s-]+{_PART}){{1,5}}")
_AND_OTHERS = re.compile(r",?\s(?:et al|and others)\.\s")


def author_of(text: str) -> str | None:
    if (match := _GIVEN_FIRST.match(text)) and not VANCOUVER.match(text):
        return _family(match["name"])
    if (literal := LITERAL.match(text)) and DATED.match(text, literal.end()):
        return None if is_title_of(text, literal) else literal["name"].strip()
    for pattern in (VANCOUVER, FAMILY_FIRST, _INITIALS_FIRST):
        if match := pattern.match(text):
            return match["family"].strip()
    names = names_before_title(text)
    if names is not None:
        return _family(re.split(r",\s|\s(?:and|&|et)\s", names, maxsplit=1)[0])
    if dated := DATED.search(text[:150]):
        name = text[: dated.start()].strip().rstrip(".,")
        return name if 2 <= len(name) <= 100 and not re.search(r"[.:]\s", name) else None
    return None


def _family(name: str) -> str | None:
    match = _NAME.fullmatch(name)
    return match["family"] if match else None


def is_title_of(text: str, literal: re.Match[str]) -> bool:
    """Whether an entry without author begins with its title: ``Title. (2008). In Journal``."""
    dated = DATED.match(text, literal.end())
    return bool(dated and re.match(r"\.?\s+In\s", text[dated.end() :]))


def names_before_title(text: str) -> str | None:
    """The text before the first full stop (initials aside) if it is a list of names."""
    end = sentence_end(text)
    if (others := _AND_OTHERS.search(text)) and (end is None or others.start() < end):
        end = others.end() - 1
    if end is None or text[end - 1] != ".":
        return None
    names = text[: end - 1]
    people = [
        person.strip()
        for person in re.split(r",\s+(?:and\s+|&\s+)?|\s+(?:and|&|et)\s+|;\s+", names)
        if person.strip() not in ("", "editor", "editors", "eds", "al", "et al", "others", "Jr")
    ]
    if not people or not all(_ONE_NAME.fullmatch(person) for person in people):
        return None
    return names


_INITIALS = rf"(?:{UPPER}[a-z]?\.[\s-]?){{0,3}}{UPPER}[a-z]?\.(?:[a-z]\.)?"  # ``R.S.J.d.``
# Scans have marks such as ``~`` in the place of letters.
_LETTER = r"[\w’'‘`´~•|]"
_WORD = rf"{UPPER}{_LETTER}+(?:-{_LETTER}+)*"
_FAMILY = rf"(?:{PARTICLE}\s+){{0,3}}{_WORD}(?:\s(?:{PARTICLE}\s)?{_WORD}){{0,2}}"
_SUFFIX = r"(?:,?\s(?:Jr|Sr|JR|SR|II|III)\b\.?)?"
# The comma behind a family name is often read as a full stop in scans.
_FAMILY_INITIALS = re.compile(
    rf"(?P<family>{_FAMILY}){_SUFFIX}[,.]\s?{_INITIALS}(?:\s{PARTICLE}\b)?{_SUFFIX}"
)
_INITIALS_FAMILY = re.compile(rf"{_INITIALS}\s?(?P<family>{_FAMILY}){_SUFFIX}(?!\.?\s?{UPPER}\.,)")
_FAMILY_GIVEN = re.compile(
    rf"(?P<family>(?:{PARTICLE}\s+){{0,3}}{_WORD}),\s{_WORD}(?:\s(?:{_WORD}|{_INITIALS})){{0,2}}"
)
_FAMILY_LETTERS = re.compile(
    rf"(?P<family>{_FAMILY})\s(?:{UPPER}(?:[\s-]{UPPER}){{1,2}}|{UPPER}{{1,3}})(?!\w)"
    rf"(?!\.\s?(?:{UPPER}\.\s?)*{UPPER}[\w’'-]*(?:[,.]|\s(?:and|&)\s))"
)
_GIVEN_FAMILY = re.compile(
    rf"{_WORD}(?:\s(?:{_INITIALS}|{_WORD})){{0,2}}(?:\s|(?<=\.))(?P<family>{_FAMILY})"
    rf"{_SUFFIX}"
)
_IN_FULL = (_FAMILY_GIVEN, _GIVEN_FAMILY)
# A narrow space after an initial's comma may be lost: ``Angeli,A.,Brahnam,S.,& Dix,A.``
_AND = re.compile(r"(?:\s?[,;]?\s|(?<=\.),)(?:and|AND|And|&|et|und)\s(?!(?:al|others)\b)")
_COMMA = re.compile(rf"\s?[,;](?:\s|(?<=\.,)(?={UPPER}))")
_OTHERS = re.compile(r"\s?,?\s(?:et\.?\s?al|ET AL|and others)\b\.?")
_EDITORS = re.compile(r"\s?,?\s?\(?\b(?:eds?|editors?|hrsg)\b\.?\)?", re.IGNORECASE)
_MARK = re.compile(r"\s?([.,:;])+\s*")


class AuthorList(NamedTuple):
    """``names`` as written, the first one's ``family``; ``end``: the beginning of the text after
    the closing ``mark`` (``.,:;``). ``certain`` unless a comma after full names may not end them.
    """

    names: tuple[str, ...]
    family: str
    end: int
    mark: str
    certain: bool = True


def author_list(text: str) -> AuthorList | None:
    """The authors at the beginning of ``text``, an entry without label; None if there is no
    list that is closed by a mark or a date."""
    for first, others in (
        (_FAMILY_LETTERS, (_FAMILY_LETTERS,)),
        (_FAMILY_INITIALS, (_FAMILY_INITIALS, _INITIALS_FAMILY)),
        (_INITIALS_FAMILY, (_INITIALS_FAMILY, _GIVEN_FAMILY)),
        (_FAMILY_GIVEN, (_FAMILY_GIVEN, _FAMILY_INITIALS, _INITIALS_FAMILY, _GIVEN_FAMILY)),
        (_GIVEN_FAMILY, (_INITIALS_FAMILY, _GIVEN_FAMILY)),
    ):
        if (match := first.match(text)) and (found := _rest_of_list(text, match, others)):
            return found
    return None


def _rest_of_list(
    text: str, first: re.Match[str], others: tuple[re.Pattern[str], ...]
) -> AuthorList | None:
    names, end, ended = [first[0]], first.end(), False
    full = first.re in _IN_FULL
    while not ended:
        joint = _AND.match(text, end) or _COMMA.match(text, end)
        if joint is None:
            break
        last = joint.re is _AND
        # A title after a comma may look like a name in full.
        patterns = [one for one in others if last or full or one not in _IN_FULL]
        name = next((match for one in patterns if (match := one.match(text, joint.end()))), None)
        if name is None:
            break
        names.append(name[0])
        end, ended = name.end(), last and not _AND.match(text, name.end())
    if others_named := _OTHERS.match(text, end):
        end, ended = others_named.end(), True
    if editors := _EDITORS.match(text, end):
        end, ended = editors.end(), True
    closed = _closed(text, end)
    if closed is None:
        return None
    end, mark = closed
    certain = not full or ended or (mark != "," and first.re is _FAMILY_GIVEN)
    stripped = tuple(name.strip(" ,-") for name in names)
    return AuthorList(stripped, first["family"], end, mark, certain)


def _closed(text: str, end: int) -> tuple[int, str] | None:
    """The mark that closes the list, and the beginning of the text after it."""
    if text[:end].rstrip()[-1:] == "." and not _MARK.match(text, end):
        return end + len(text[end:]) - len(text[end:].lstrip()), "."
    if mark := _MARK.match(text, end):
        return (mark.end(), mark[1]) if mark[0].strip() in (".", ",", ":", ";", ".,") else None
    dated = re.compile(r"\s?").match(text, end)
    if dated and (date := DATED.match(text, dated.end())):
        return date.start(), "."
    return None
