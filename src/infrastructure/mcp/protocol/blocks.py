"""Content of an answer besides its text: pictures and links."""

import base64
from dataclasses import dataclass
from typing import Final

from mcp.types import ContentBlock, ImageContent, ResourceLink

from citeloom.application.ports.maps import PictureLimit
from citeloom.infrastructure.mcp.answers.contents import Content

PNG: Final = "image/png"
#: Hosts and models take no larger pictures: pixels of the longer side, bytes of the file.
PICTURE: Final = PictureLimit(longest_side=1600, bytes=700_000)


@dataclass(frozen=True, slots=True)
class Illustrated:
    """An answer with content blocks that follow its text."""

    content: Content
    blocks: tuple[ContentBlock, ...]


def picture(png: bytes) -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(png).decode("ascii"), mime_type=PNG)


def link(
    uri: str, name: str, mime_type: str, *, description: str | None = None, size: int | None = None
) -> ResourceLink:
    """``size`` is in bytes."""
    return ResourceLink(
        type="resource_link",
        uri=uri,
        name=name,
        mime_type=mime_type,
        description=description,
        size=size,
    )
