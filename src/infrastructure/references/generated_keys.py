"""Generated citation keys: author, year, title word."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from citeloom.infrastructure.references.fields.dates import year_of
from citeloom.infrastructure.references.fields.names import NOBODY, authors_of
from citeloom.infrastructure.references.fields.plain_text import plain
from citeloom.infrastructure.references.formats.csl import title_of

# Words skipped at the start of a title: a selection of Better BibTeX's "skipWords".
_SKIPPED = frozenset(
    """
        a an and are as at by for from in into is of on or the to with der die das den dem ein
        eine einer und von zur zum le la les l un une des du et el los las y en et på og i om de
        het een
    """.split()
)

_LONGEST_NAME = 30
"""Letters of an institution's name in a key."""


def generated_key(item: Mapping[str, Any]) -> str:
    """``gehl2003Fremtidens``: first author, year, first significant word of the title.

    It depends on the item alone, so that each export gives the same one.
    """
    year = year_of(item.get("issued"))
    words = [word for word in _words(title_of(item)) if word.casefold() not in _SKIPPED]
    title = words[0].capitalize() if words else ""
    return f"{_family(item)}{year or 'nd'}{title}"[:80] or "item"


def _family(item: Mapping[str, Any]) -> str:
    for role in ("author", "editor"):
        people = item.get(role)
        first = people[0] if isinstance(people, list) and people else None
        if isinstance(first, Mapping) and plain(first.get("family")):
            names = (first.get("non-dropping-particle"), first.get("family"))
            if words := _words(" ".join(map(plain, names))):
                return "".join(words).lower()
    name = authors_of(item)[0]
    return "anon" if name == NOBODY else _whole_name(name) or "anon"


def _whole_name(name: str) -> str:
    """``worldhealthorganization``: an institution, or a name in one piece, as far as whole words
    fit."""
    words = [word.lower() for word in _words(name)]
    while len(words) > 1 and words[0] in _SKIPPED:
        words = words[1:]
    while len(words) > 1 and sum(map(len, words)) > _LONGEST_NAME:
        words = words[:-1]
    return "".join(words)


def _words(text: str) -> list[str]:
    """The words of a text in ASCII letters and digits (``Björk`` gives ``Bjork``)."""
    plain_letters = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in plain_letters if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+", re.sub(r"['’]", "", bare))
