"""File names of resource maps."""

import re

from citeloom.domain.maps.address import short_id

_SAFE_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def safe_id(document_id: str) -> str:
    """``document_id``, if it is a safe file name; ValueError if not."""
    if not is_safe_id(document_id):
        raise ValueError(f"{document_id!r} is no document id")
    return document_id


def is_safe_id(name: str) -> bool:
    return _SAFE_ID.fullmatch(name) is not None


def map_name(name: str) -> str:
    """File name of a map: the short form of a document id, any other id unchanged. ValueError if it
    is not a safe file name."""
    return short_id(name) if _DIGEST.fullmatch(name) else safe_id(name)
