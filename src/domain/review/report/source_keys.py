"""Short keys for sources, as a report cites them: one for each source, however many of its
passages are quoted."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from citeloom.domain.research.session import Source

_LONGEST: Final = 6
_NO_ADDRESS: Final = "Web"
_NO_TITLE: Final = "Doc"
_NEITHER: Final = "Source"
# What is in brackets is a key if it has a letter; digits alone are the number of a passage.
_KEY: Final = re.compile(r"\[((?=[^\[\]\s]*[^\W\d_])\w[\w:.+/&#$%?<>~-]*)\]")


def domain_key(url: str) -> str:
    """The first part of a web address's host: ``https://arxiv.org/abs/1`` gives ``Arxiv``."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    first = re.sub(r"\W", "", host.removeprefix("www.").partition(".")[0])
    return first.capitalize() if first else _NO_ADDRESS


def title_key(title: str) -> str:
    """Letters and digits of the first word, six at most: ``GLM-4.7 Report`` gives ``GLM47``."""
    first = re.sub(r"[\W_]", "", (title.split() or [""])[0])
    return first[:_LONGEST] or _NO_TITLE


def parse_key(text: str) -> str | None:
    """The key of ``[Arxiv-2]``; None for a number, for what is empty or not in brackets."""
    found = _KEY.fullmatch(text)
    return found[1] if found else None


def source_key(source: Source) -> str:
    """Its citation key; else one from its web address; else one from its title."""
    if source.citekey:
        return source.citekey
    return made_key(source.url if source.url.startswith(("http:", "https:")) else "", source.title)


def made_key(url: str, title: str) -> str:
    """For a source without a citation key. It has a letter, so that no number of a passage is
    taken for it."""
    if not url and not title.strip():
        return _NEITHER
    key = domain_key(url) if url else title_key(title)
    return f"{_NO_TITLE}{key}" if key.isdecimal() else key


def told_apart(keys: Iterable[str]) -> list[str]:
    """The same keys in order; what is there already gets a number: ``Arxiv-2``."""
    used: set[str] = set()
    found = []
    for key in keys:
        one, number = key, 1
        while one in used:
            number += 1
            one = f"{key}-{number}"
        used.add(one)
        found.append(one)
    return found


def keys_of(sources: Iterable[Source]) -> dict[UUID, str]:
    """A key for each source by its id; two sources never share one."""
    sources = tuple(sources)
    keys = told_apart(source_key(source) for source in sources)
    return {source.id: key for source, key in zip(sources, keys, strict=True)}
