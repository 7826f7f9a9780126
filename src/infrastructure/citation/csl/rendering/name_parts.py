"""Name variables of CSL-JSON: family and given names, particles, suffixes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Capitals of the Latin, Greek, Cyrillic and Armenian scripts.
_CAPITALS = "".join(char for char in map(chr, range(0x590)) if char.isupper()) + "".join(
    char for char in map(chr, range(0x1E00, 0x2000)) if char.isupper() or char.istitle()
)
_SMALL = rf"[^\W\d_{_CAPITALS}]"
# Particles that stay with the family name: words in small letters before it, of any language.
_BEFORE = re.compile(
    rf"((?:(?:{_SMALL}+\.?|{_SMALL}{{1,2}}['’])(?:\s+|(?<=['’])))+|{_SMALL}{{1,3}}(?:['’]|-))"
    r"(?=[^\W\d_])"
)
_AFTER = re.compile(rf"(?<=\s)((?:{_SMALL}{{2,}}\.?\s+)*{_SMALL}{{2,}})$")
_JOINS = frozenset({"and", "und", "et", "y", "e", "og", "och", "en"})
_SUFFIX = re.compile(r"^(.*?),!?\s*((?:jr|sr|esq|ph\.?d|m\.?d)\.?|[IVX]+)$", re.IGNORECASE)
# Scripts whose names are written in one piece, family first.
_JOINED_SCRIPT = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Person:
    """``literal`` is a name in one piece (of an institution); otherwise the parts of a name."""

    family: str = ""
    given: str = ""
    dropping: str = ""
    particle: str = ""
    suffix: str = ""
    comma_suffix: bool = False
    literal: str = ""

    @property
    def is_joined(self) -> bool:
        return bool(_JOINED_SCRIPT.match(self.family or self.given))


def read_people(value: Any) -> tuple[Person, ...]:
    """The people of a CSL name variable; entries without a name are left out."""
    people = value if isinstance(value, list) else [value]
    return tuple(person for one in people if (person := _person(one)) is not None)


def _person(value: Any) -> Person | None:
    if isinstance(value, str):
        value = {"literal": value}
    if not isinstance(value, Mapping):
        return None
    literal = _text(value, "literal") or _text(value, "name")
    family, given = _text(value, "family"), _text(value, "given")
    if literal:
        return Person(literal=literal)
    if not family:
        return Person(family=given) if given else None
    dropping = _text(value, "dropping-particle")
    particle = _text(value, "non-dropping-particle")
    suffix = _text(value, "suffix")
    if not suffix and (match := _SUFFIX.match(given)):
        given, suffix = match.group(1), match.group(2)
    if family[0] in '"“' and family[-1] in '"”':
        family = family[1:-1]
    elif not particle and (match := _BEFORE.match(family)) and match.group().islower():
        particle, family = match.group(1).rstrip(), family[match.end() :]
    match = None if dropping else _AFTER.search(given)
    if match and match.group(1).islower() and match.group(1) not in _JOINS:
        dropping, given = match.group(1), given[: match.start()].rstrip()
    return Person(
        family=family,
        given=given,
        dropping=dropping.replace("'", "’"),
        particle=particle.replace("'", "’"),
        suffix=suffix,
        comma_suffix=bool(value.get("comma-suffix")),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    part = value.get(key)
    return " ".join(str(part).split()) if isinstance(part, str | int) else ""


def initials(given: str, mark: str, *, hyphen: bool, shorten: bool = True) -> str:
    """``Jean-Paul M.`` as ``J.-P. M.`` for the mark ``". "``; abbreviations such as ``Th.`` and
    lower-case words stay. Without ``shorten`` only existing initials get the mark."""
    words: list[str] = []
    for word in re.findall(r"[(\[][^)\]]*[)\]]|[^\s.]+\.?", re.sub(r"[\u2010\u2011]", "-", given)):
        if word[0].islower() or not (word[0].isalpha() or word[0] == "-"):
            words.append(f" {word} ")
            continue
        if not shorten:
            letter = word.rstrip(".")
            after_hyphen = letter.startswith("-") and bool(words)
            is_initial = len(letter.lstrip("-")) == 1 and letter.isupper()
            if is_initial and after_hyphen:
                words[-1] = words[-1].rstrip()
            words.append(f"{letter}{mark}" if is_initial else f" {word} ")
            continue
        pieces = [piece for piece in word.split("-") if piece]
        if word.startswith("-"):  # of "J.-P.", which is two words here
            if hyphen and words:
                words[-1] = words[-1].rstrip() + "-"
            pieces = pieces or [""]
        parts = [_initial(piece, mark) for piece in pieces if piece and piece[0].isupper()]
        if hyphen:
            words.append("-".join([*(p.rstrip() for p in parts[:-1]), *parts[-1:]]))
        else:
            words.append("".join(parts))
    return " ".join("".join(words).split())


def _initial(word: str, mark: str) -> str:
    bare = word.rstrip(".")
    if word.endswith(".") and len(bare) > 1 and bare[1:].islower():
        return bare + mark
    return word[0] + mark
