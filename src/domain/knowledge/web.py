"""URLs of the web, kept as they were written."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from citeloom.domain.errors import InvalidUri

_PLAIN = re.compile(r"https?://[^\s\x00-\x20\x7f\"<>\\^`{|}]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)*[^\W_](?:[\w-]*[^\W_])?\.?|\[[0-9a-f:.]+\]")


def _web_url(text: str) -> str:
    if not _PLAIN.fullmatch(text):
        raise ValueError("a web address begins with https:// or http://, and holds no spaces")
    parts = urlsplit(text)
    host = parts.hostname or ""
    if not _HOST.fullmatch(f"[{host}]" if ":" in host else host):
        raise ValueError("the web address has no host")
    if parts.port is not None and not 0 < parts.port < 65536:
        raise ValueError("the web address has no such port")
    return text


WebUrl = Annotated[str, AfterValidator(_web_url)]
"""An http or https address with a host; ``http`` stays ``http``."""


def parse_web_url(text: str) -> str:
    """``text`` itself. Raises InvalidUri for what is no address of the web."""
    try:
        return _web_url(text)
    except ValueError as error:
        raise InvalidUri(text, str(error)) from None
