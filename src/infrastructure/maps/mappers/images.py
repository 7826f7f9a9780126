"""Image mapper: the whole image, and lines of text by OCR where available."""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from citeloom.application.ports.maps import ReadLine, SourceFile, TextReader
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.maps.resource_map import (
    Location,
    Node,
    ResourceMap,
    first_sentence,
    short_title,
)

from .node_building import resource_map

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff"})
_NAME = "image 1"
# A pixel of a picture of 10,000 pixels: boxes are rounded outwards to it.
_STEPS = 10_000
_WHOLE = (0.0, 0.0, 1.0, 1.0)
# EXIF 2.3, tag Orientation: from 5 on the picture lies on its side.
_ORIENTATION, _ON_ITS_SIDE = 0x0112, 5


class ImageMapper:
    """A node ``image`` for the whole picture; below it one a paragraph that OCR finds, and
    below that its lines. Boxes are those of the picture as displayed (EXIF orientation)."""

    def __init__(self, find_reader: Callable[[], TextReader | None]) -> None:
        self._find_reader = find_reader

    def supports(self, path: Path) -> bool:
        return path.suffix.lower() in SUFFIXES

    def fingerprint(self, _path: Path) -> str:
        reader = self._find_reader()
        return f"{_NAME} {reader.fingerprint}" if reader else _NAME

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        width, height, kind = _dimensions(source.path)
        lines: Sequence[ReadLine] = ()
        note = None
        reader = self._find_reader()
        if reader is None:
            note = "its text is not read: no OCR engine; install tesseract or `citeloom[ocr]`"
        else:
            lines = reader.lines(source.path)
        paragraphs = list(_paragraphs(lines))
        whole = Node(
            id="image",
            title=source.path.name,
            type="image",
            location=Location(modality="image", bbox=_WHOLE),
            summary=first_sentence(" ".join(line.text for line in lines)),
            children=tuple(paragraphs),
        )
        return resource_map(
            source,
            "image",
            [whole],
            created_at=created_at,
            mapper=self.fingerprint(source.path),
            note=note,
            width=width,
            height=height,
            format=kind,
        )


def _dimensions(path: Path) -> tuple[int, int, str]:
    """Width and height in pixels as displayed, and the format. Raises ConversionFailed."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            if image.getexif().get(_ORIENTATION, 1) >= _ON_ITS_SIDE:
                width, height = height, width
            return width, height, image.format or "?"
    except (UnidentifiedImageError, Image.DecompressionBombError, SyntaxError, ValueError) as error:
        raise ConversionFailed(
            f"{path.name}: cannot be read as a picture ({error}); "
            "open it in a viewer and save it again"
        ) from error


def _paragraphs(lines: Sequence[ReadLine]) -> Iterable[Node]:
    groups = [list(group) for _, group in groupby(lines, key=lambda line: line.paragraph)]
    for number, group in enumerate(groups, start=1):
        text = " ".join(line.text for line in group)
        yield Node(
            id=f"text-{number}",
            title=short_title(text),
            type="paragraph",
            location=_box([line.bbox for line in group]),
            summary=first_sentence(text),
            children=tuple(
                Node(
                    id=f"text-{number}.line-{at}",
                    title=short_title(line.text),
                    type="line",
                    location=_box([line.bbox]),
                )
                for at, line in enumerate(group, start=1)
            ),
        )


def _box(boxes: Sequence[tuple[float, float, float, float]]) -> Location:
    left, top = (math.floor(min(box[n] for box in boxes) * _STEPS) / _STEPS for n in (0, 1))
    right, bottom = (math.ceil(max(box[n] for box in boxes) * _STEPS) / _STEPS for n in (2, 3))
    return Location(modality="image", bbox=(left, top, min(right, 1.0), min(bottom, 1.0)))
