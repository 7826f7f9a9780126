"""Pictures: paragraphs and lines that a reader finds on them."""

from pathlib import Path

import pytest
from PIL import Image
from support.builders import A_DAY
from support.files.mapped_files import map_text, node, source_of

from citeloom.application.ports.maps import ReadLine
from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.maps.mappers.images import ImageMapper


class FakeReader:
    fingerprint = "fake 1"

    def lines(self, path: Path) -> list[ReadLine]:
        boxes = [(0.1, 0.1, 0.5, 0.2), (0.1, 0.2, 0.9, 0.3), (0.2, 0.6, 0.40001, 0.7)]
        return [
            ReadLine(text=text, bbox=box, paragraph=paragraph)
            for text, box, paragraph in zip(
                ("Ponds cool.", "They do.", "Apart"), boxes, (0, 0, 1), strict=True
            )
        ]


def picture(path: Path, orientation: int = 1) -> Path:
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.new("RGB", (40, 20), "white").save(path, exif=exif)
    return path


def test_a_picture_is_a_whole_with_paragraphs_and_lines(tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png")
    found = ImageMapper(FakeReader).map(source_of(path), A_DAY)
    assert found.list_node_ids() == [
        "image", "text-1", "text-1.line-1", "text-1.line-2", "text-2", "text-2.line-1",
    ]  # fmt: skip
    assert node(found, "image").location.bbox == (0, 0, 1, 1)
    assert node(found, "text-1").location.bbox == (0.1, 0.1, 0.9, 0.3)
    assert node(found, "text-1").summary == "Ponds cool."
    assert node(found, "text-2").location.bbox == (0.2, 0.6, 0.4001, 0.7)
    assert node(found, "text-1.line-2").title == "They do."
    assert (found.metadata or {})["width"] == 40


def test_a_picture_on_its_side_is_measured_as_displayed(tmp_path: Path) -> None:
    path = picture(tmp_path / "a.jpg", orientation=6)
    metadata = ImageMapper(lambda: None).map(source_of(path), A_DAY).metadata or {}
    assert (metadata["width"], metadata["height"]) == (20, 40)
    assert "no OCR engine" in str(metadata["note"])


@pytest.mark.parametrize("raw", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n\0\0", b"words"])
def test_what_is_no_picture_is_refused(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(ConversionFailed, match="cannot be read as a picture"):
        map_text(ImageMapper(lambda: None), tmp_path / "a.png", raw)
