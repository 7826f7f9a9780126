"""The first author of a reference entry, by the patterns of the common styles."""

import re

from citeloom.domain.references.entries.dates import DATED
from citeloom.domain.references.entries.sentence_ends import PARTICLE, UPPER, sentence_end

_FAMILY = rf"(?:{PARTICLE}\s+){{0,3}}{UPPER}[\w’'‘`´-]*(?:[ -]{UPPER}[\w’'´-]+){{0,2}}"
_INITIALS = rf"(?:{UPPER}\.[\s-]?){{1,4}}"
_GIVEN = rf"{UPPER}[\w’'´.-]*(?:[ -]{UPPER}[\w’'´.-]*){{0,3}}"
FAMILY_FIRST = re.compile(
    rf"(?P<family>{_FAMILY})(?:,?\s(?:Jr|Sr|II|III)\.?)?,\s(?:{_INITIALS}|{_GIVEN})"
)
# ``Jimmy Lei Ba, Jamie Ryan Kiros``: given names first, though a comma follows.
_GIVEN_FIRST = re.compile(
    rf"(?P<name>{UPPER}[\w’'´.-]*(?:\s(?:{PARTICLE}|{UPPER}[\w’'´.-]*)){{1,4}}),\s(?:and\s)?"
    rf"{UPPER}[\w’'´-]+(?:\s(?:{PARTICLE}|{UPPER}[\w’'´.-]*)){{1,4}}(?:[,.]|\s(?:and|&)\s)"
)
LITERAL = re.compile(r"(?P<name>[^.,()\"“:]{2,80}?)(?:\set\sal\.?,?)?[.,]?\s(?=\()")
VANCOUVER = re.compile(
    rf"(?P<family>{_FAMILY})\s{UPPER}{{1,3}}(?:\s(?:Jr|II|III))?"
    rf"(?:,\s{_FAMILY}\s{UPPER}{{1,3}}(?:\s(?:Jr|II|III))?)*(?:,?\set\sal)?\.\s"
    # ``Louis J. Billera, …``: an initial between names.
    rf"(?!(?:{UPPER}\.\s?)*{UPPER}[\w’'-]*(?:[,.]|\s(?:and|&)\s))"
)
_INITIALS_FIRST = re.compile(rf"{_INITIALS}\s?(?P<family>{_FAMILY})(?=[.,]|\s(?:and|&|et)\b|:)")
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
