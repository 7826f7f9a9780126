"""The list of authors at the head of a reference entry: every name, and where the list ends.

``Deutsch, L.P., and Lampson, B.W.``, ``ABADI, D. J., MADDEN, S. R., AND FERREIRA, M. C.``,
``P. Dietz, R. Sleator,``, ``Roth, Alvin and Sotomayor, Marilda.``,
``John Bent and Andrea Dusseau.``
"""

import re
from typing import NamedTuple

from citeloom.domain.references.entries.dates import DATED
from citeloom.domain.references.entries.sentence_ends import PARTICLE, UPPER

_INITIALS = rf"(?:{UPPER}[a-z]?\.[\s-]?){{0,3}}{UPPER}[a-z]?\."
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
_AND = re.compile(r"\s?[,;]?\s(?:and|AND|And|&|et|und)\s(?!(?:al|others)\b)")
_COMMA = re.compile(r"\s?[,;]\s")
_OTHERS = re.compile(r"\s?,?\s(?:et\.?\s?al|ET AL|and others)\b\.?")
_EDITORS = re.compile(r"\s?,?\s?\(?\b(?:eds?|editors?|hrsg)\b\.?\)?", re.IGNORECASE)
_MARK = re.compile(r"\s?([.,:;])+\s*")


class AuthorList(NamedTuple):
    """``names`` as written, the first one's ``family``; ``end``: where what follows the closing
    ``mark`` (``.,:;``) begins. ``certain`` unless a comma after full names may not end them."""

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
    """The mark that closes the list, and where the text after it begins."""
    if text[:end].rstrip()[-1:] == "." and not _MARK.match(text, end):
        return end + len(text[end:]) - len(text[end:].lstrip()), "."
    if mark := _MARK.match(text, end):
        return (mark.end(), mark[1]) if mark[0].strip() in (".", ",", ":", ";", ".,") else None
    dated = re.compile(r"\s?").match(text, end)
    if dated and (date := DATED.match(text, dated.end())):
        return date.start(), "."
    return None
