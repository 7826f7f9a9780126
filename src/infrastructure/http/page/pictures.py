"""Addresses of pictures that views show."""

from typing import Final
from urllib.parse import urlencode

_PIXELS: Final = 1600


def picture_url(project: str, document_id: str, page: int) -> str:
    """Of a page of the file, from 1."""
    path = f"/api/v1/documents/{document_id}/pages/{page}.png"
    return f"{path}?{urlencode({'project': project, 'pixels': _PIXELS})}"
