"""Titles and creators in an XMP metadata packet (ISO 16684-1, Dublin Core properties)."""

import re
from html import unescape

_PROPERTY = r"<dc:{name}\b[^>]*>(.*?)</dc:{name}\s*>"
_ITEM = re.compile(r"<rdf:li\b[^>]*>(.*?)</rdf:li\s*>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def xmp_values(packet: str | None, name: str) -> tuple[str, ...]:
    """Values of the Dublin Core property ``name`` (``title``, ``creator``), in order."""
    values = []
    for match in re.finditer(_PROPERTY.format(name=re.escape(name)), packet or "", re.DOTALL):
        for item in _ITEM.findall(match[1]) or [match[1]]:
            text = " ".join(unescape(_TAG.sub("", item)).split())
            if text:
                values.append(text)
    return tuple(dict.fromkeys(values))
