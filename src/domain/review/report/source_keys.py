"""Short citation keys of a report, one for each source."""

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
# A key has a letter; digits alone are a passage number.
_KEY: Final = re.compile(r"\[((?=[^\[\]\s]*[^\W\d_])\w[\w:.+/&#$%?<>~-]*)\]")


def domain_key(url: str) -> str:
    """The first label of a URL's host: ``https://arxiv.org/abs/1`` gives ``Arxiv``."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    first = re.sub(r"\W", "", host.removeprefix("www.").partition(".")[0])
    return first.capitalize() if first else _NO_ADDRESS


def title_key(title: str) -> str:
    """Letters and digits of the first word, at most six: ``GLM-4.7 Report`` gives ``GLM47``."""
    first = re.sub(r"[\W_]", "", (title.split() or [""])[0])
    return first[:_LONGEST] or _NO_TITLE


def parse_key(text: str) -> str | None:
    """The key of ``[Arxiv-2]``; None for a number, or without brackets."""
    match = _KEY.fullmatch(text)
    return match[1] if match else None


def source_key(source: Source) -> str:
    """The citation key of a source; else one from its URL; else one from its title."""
    if source.citekey:
        return source.citekey
    return derived_key(
        source.url if source.url.startswith(("http:", "https:")) else "", source.title
    )


def derived_key(url: str, title: str) -> str:
    """A key from URL or title, always with a letter, so that it is no passage number."""
    if not url and not title.strip():
        return _NEITHER
    key = domain_key(url) if url else title_key(title)
    return f"{_NO_TITLE}{key}" if key.isdecimal() else key


def distinct_keys(keys: Iterable[str]) -> list[str]:
    """The keys in order, repeated ones numbered: ``Arxiv-2``."""
    used: set[str] = set()
    distinct = []
    for key in keys:
        candidate, number = key, 1
        while candidate in used:
            number += 1
            candidate = f"{key}-{number}"
        used.add(candidate)
        distinct.append(candidate)
    return distinct


def keys_of(sources: Iterable[Source]) -> dict[UUID, str]:
    """A distinct key for each source, by its id."""
    sources = tuple(sources)
    keys = distinct_keys(source_key(source) for source in sources)
    return {source.id: key for source, key in zip(sources, keys, strict=True)}
