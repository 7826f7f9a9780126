"""Names of people and institutions in CSL-JSON and Zotero."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from citeloom.domain.citation.metadata import NOBODY

from .plain_text import plain

# CSL 1.0.2, "Name variables": substitutes for a missing author, nearest first.
_ROLES = (
    "author", "editor", "chair", "container-author", "collection-editor", "editorial-director",
    "organizer", "director", "composer", "performer", "illustrator", "interviewer", "compiler",
    "curator", "executive-producer", "producer", "series-creator", "script-writer", "host",
    "narrator", "guest", "translator", "contributor", "recipient", "original-author",
    "reviewed-author",
)  # fmt: skip
_BODIES = ("authority", "publisher", "container-title")
#: Stands last for authors who are not listed: BibTeX's *and others*, pandoc's in CSL-JSON.
OTHERS = {"literal": "others"}
_ET_AL = re.compile(r"(?:and\s+)?(?:et\s+al\b\.?|others)", re.IGNORECASE)
# Particles that follow the given name in an index; other lower-case words may be names.
_PARTICLES = frozenset(
    """
        af al auf av d' d’ da das de degli dei del della delle den der des di do dos du e el la
        le les lo los of op 't ’t ten ter til van vom von y zu zum zur
    """.split()
)
_TIES = ("'", "’", "-", "ʼ")
_TIED = re.compile(r"(?:[dl]['’ʼ]|(?:al|el|ad|ar|as|at|an|ash|az|ben|bin)[-‐])(?=[^\W\d_])")
# Beside the family name alone, a Roman number may as well be initials (``Lenin, VI``).
_JUNIOR = re.compile(r"[JS]n?r\.?", re.IGNORECASE)
# A suffix that is not a word of a name, without a comma before it.
_LAST = re.compile(r"(?P<name>.*\S)\s+(?P<suffix>[JS]r\.?|I{2,3}|IV|[2-9](?:nd|rd|th))")
_SUFFIX = re.compile(r"(?:[JS]n?r|[IVX]{1,4}|\d(?:nd|rd|th|st)|Esq|Ph\.?D|M\.?D)\.?", re.IGNORECASE)


def authors_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Display names of the authors of a CSL-JSON item, never empty.

    Authors, else editors, else other contributors, else the issuing body, else ``[no author]``.
    """
    for role in _ROLES:
        if names := _names(item.get(role)):
            return names
    for body in _BODIES:
        if name := plain(item.get(body)):
            return (name,)
    return (NOBODY,)


def _names(value: Any) -> tuple[str, ...]:
    people: Iterable[Any]
    if isinstance(value, str):
        people = value.split(" and ") if " and " in value else value.split(";")
    elif isinstance(value, Mapping):
        people = (value,)
    elif isinstance(value, list):
        people = value
    else:
        people = ()
    names = dict.fromkeys(name for person in people if (name := display_name(person)))
    if len(names) > 1 and list(names)[-1] == OTHERS["literal"]:
        names = dict.fromkeys([*list(names)[:-1], "et al."])
    return tuple(names)


def display_name(person: Any) -> str:
    """``Given particle Family, Suffix``; a name in one piece unchanged."""
    if isinstance(person, str):
        person = inverted_name(plain(person)) if "," in person else {"literal": person}
    if not isinstance(person, Mapping):
        return ""
    literal = plain(person.get("literal")) or plain(person.get("name"))
    if literal:
        return literal
    family = ""
    for key in ("dropping-particle", "non-dropping-particle", "family"):
        family = _joined(family, plain(person.get(key)))
    parts = (plain(person.get("given")), family)
    if person.get("static-ordering"):
        parts = (family, plain(person.get("given")))
    name = " ".join(part for part in parts if part)
    suffix = plain(person.get("suffix"))
    return f"{name}, {suffix}" if name and suffix else name


def _joined(before: str, after: str) -> str:
    """With a space between, except after particles that end in an apostrophe or hyphen (``d'``)."""
    return (
        f"{before}{'' if before.endswith(_TIES) else ' '}{after}"
        if before and after
        else (before or after)
    )


def inverted_name(text: str) -> dict[str, str]:
    """The CSL name of ``Family, Given, Suffix`` or ``Family, Suffix`` (RIS, Zotero), the suffix
    also without a comma (``Family, Given 3rd``); a text without a comma is one name, of an
    institution or a person, or stands for those not listed (*et al.*)."""
    if _ET_AL.fullmatch(text.strip()):
        return dict(OTHERS)
    family, *rest = (part.strip() for part in text.split(","))
    rest = [part for part in rest if part]
    if not rest:
        return {"literal": family} if family else {}
    given, *suffixes = rest
    if not suffixes and (found := _LAST.fullmatch(given) or _LAST.fullmatch(family)):
        parts = (found["name"], given) if found[0] == family else (family, found["name"])
        return {**personal_name(*parts), "suffix": found["suffix"]}
    if len(rest) == 1 and _JUNIOR.fullmatch(given):
        return {"family": family, "suffix": given}
    if suffixes and not _SUFFIX.fullmatch(suffixes[-1]) and _SUFFIX.fullmatch(given):
        given, suffixes = suffixes[-1], [*suffixes[:-1], given]
    return personal_name(family, ", ".join([given, *suffixes]))


def personal_name(family: str, given: str) -> dict[str, str]:
    """The CSL name of a person whose particles and suffix are in the family or given name.

    As Zotero's citation processor reads its fields: lower-case words before the family name do not
    drop (``van den Berg``), particles after the given name do (``Jean de`` La Fontaine), text after
    a comma in the given name is a suffix (``M. L., Jr.``). A family name in double quotes is not
    split.
    """
    if len(family) > 2 and family[0] == family[-1] == '"':
        return without_empty(family=family[1:-1], given=given)
    given, _, suffix = (part.strip() for part in given.partition(","))
    before, rest = _split_particles(family) if given else ("", family)
    words = given.split()
    after: list[str] = []
    while len(words) > 1 and words[-1] in _PARTICLES:
        after.insert(0, words.pop())
    return without_empty(
        family=rest, given=" ".join(words), suffix=suffix,
        **{"non-dropping-particle": before, "dropping-particle": " ".join(after)},
    )  # fmt: skip


def _split_particles(family: str) -> tuple[str, str]:
    """The lower-case words at the beginning of a family name, never all of it, and the rest."""
    words = family.split()
    count = 0
    while count < len(words) - 1 and words[count][:1].islower():
        count += 1
    before, rest = " ".join(words[:count]), " ".join(words[count:])
    if (tied := _TIED.match(rest)) and not before.endswith(_TIES):
        before = f"{before} {tied.group()}".strip()
        rest = rest[tied.end() :]
    return before, rest


def without_empty(**parts: str) -> dict[str, str]:
    return {name: part for name, part in parts.items() if part}
