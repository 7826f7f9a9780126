"""URLs of servers in the settings, checked and normalised."""

import re
from urllib.parse import urlsplit

_SCHEDULER = re.compile(r"(?:tcp|tls)://[^/\s@]+:\d{1,5}")


def web_url(value: str, server: str, path: str) -> str:
    """A URL without a slash at its end. Raises ValueError for what is no http(s) URL, and for user
    names, passwords and queries in it."""
    if not (text := value.strip()):
        return ""
    parts = urlsplit(text)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError(f"{server} is written http(s)://HOST[:PORT]{path}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"the URL of {server} holds no user, key or query")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def scheduler_url(value: str) -> str:
    """The address of a Dask scheduler; ``local`` and nothing stay so. Raises ValueError."""
    text = value.strip()
    if text not in ("", "local") and not _SCHEDULER.fullmatch(text):
        raise ValueError(
            "a Dask scheduler is written tcp://HOST:PORT or tls://HOST:PORT; local starts one here"
        )
    return text
