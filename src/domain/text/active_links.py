"""Links that run something where they are opened."""

import re
from typing import Final

_ACTIVE: Final = re.compile(r"(?:javascript|vbscript|data|livescript|mocha):", re.IGNORECASE)
# What browsers leave out of a scheme (URL Standard, 4.4: tabs and newlines; leading controls).
_IGNORED: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028\u2029\ufeff]")


def is_active_link(address: str) -> bool:
    """Whether opening it runs a script or a page that the address itself holds."""
    return _ACTIVE.match(_IGNORED.sub("", address)) is not None
