"""The token that clients show as ``Authorization: Bearer``."""

import hmac
import re
import secrets
from typing import Final

from citeloom.domain.errors import ConfigurationError

MIN_LENGTH: Final = 32
_BYTES: Final = 32
# RFC 6750, section 2.1: b64token.
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_BEARER: Final = re.compile(rf"bearer +({_TOKEN.pattern}) *", re.IGNORECASE)
_MAKE_ONE: Final = "`citeloom mcp token` makes one"


def new_token() -> str:
    """256 random bits, in 43 characters."""
    return secrets.token_urlsafe(_BYTES)


def check_strength(token: str) -> None:
    """Raises ConfigurationError for a token that is short, or that no header can carry."""
    if not _TOKEN.fullmatch(token):
        raise ConfigurationError(
            f"mcp.token: has characters beside letters, digits and ._~+/-; {_MAKE_ONE}"
        )
    if len(token) < MIN_LENGTH:
        raise ConfigurationError(
            f"mcp.token: has {len(token)} characters, at least {MIN_LENGTH} are needed; {_MAKE_ONE}"
        )


def shown_token(authorization: str) -> str | None:
    """The token of a header ``Authorization``; None where it has none."""
    found = _BEARER.fullmatch(authorization)
    return found and found[1]


def is_token(shown: str, token: str) -> bool:
    """In a time that does not tell where they differ."""
    return hmac.compare_digest(shown.encode(), token.encode())
