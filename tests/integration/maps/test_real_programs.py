"""What FFmpeg and tesseract really answer, on recordings and pictures made here."""

import subprocess
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from support.builders import A_DAY
from support.files.mapped_files import source_of

from citeloom.domain.errors import ConversionFailed
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.infrastructure.ingest.conversion.formats.image_text import image_text_reader
from citeloom.infrastructure.ingest.conversion.pdf.ocr import tesseract
from citeloom.infrastructure.ingest.conversion.protocol import Options
from citeloom.infrastructure.maps.mappers.images import ImageMapper
from citeloom_maps.infrastructure.recordings.recordings import Ffmpeg, RecordingMapper, find_ffmpeg

FOUND = find_ffmpeg()
needs_ffmpeg = pytest.mark.skipif(FOUND is None, reason="FFmpeg is not installed")
needs_tesseract = pytest.mark.skipif(
    tesseract.installed() is None, reason="tesseract is not installed"
)
CHAPTERS = """;FFMETADATA1
title=A = talk
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1000
title=Opening; \\=words
[CHAPTER]
TIMEBASE=1/1000
START=1000
END=2500
"""
SRT = "1\n00:00:00,500 --> 00:00:01,000\nHello there.\n\n2\n00:00:01,000 --> 00:00:02,000\nMore.\n"


def make(*arguments: str | Path) -> None:
    assert isinstance(FOUND, Ffmpeg)
    command = [FOUND.program, "-v", "error", "-y", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def recorded(path: Path) -> ResourceMap:
    return RecordingMapper().map(source_of(path), A_DAY)


def times(found: ResourceMap) -> list[tuple[str, float | None, float | None]]:
    return [(n.id, n.location.start, n.location.end) for n in found.walk()]


@needs_ffmpeg
def test_chapters_of_a_container(tmp_path: Path) -> None:
    (tmp_path / "chapters.txt").write_text(CHAPTERS, encoding="utf-8")
    out = tmp_path / "talk.mkv"
    make(
        "-f", "lavfi", "-i", "color=red:s=32x32:d=3:r=5", "-i", tmp_path / "chapters.txt",
        "-map_metadata", "1", "-map_chapters", "1", out,
    )  # fmt: skip
    found = recorded(out)
    assert times(found) == [("opening-words", 0.0, 1.0), ("chapter-2", 1.0, 2.5)]
    assert (found.title, found.type) == ("A = talk", "video")
    assert [node.title for node in found.nodes] == ["Opening; =words", "Chapter 2"]


@needs_ffmpeg
def test_captions_embedded_in_a_video_are_read(tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text(SRT, encoding="utf-8")
    out = tmp_path / "talk.mkv"
    make(
        "-f", "lavfi", "-i", "color=red:s=32x32:d=3:r=5", "-f", "srt", "-i", tmp_path / "said.txt",
        "-c:s", "srt", out,
    )  # fmt: skip
    found = recorded(out)
    assert times(found) == [("part-1", 0.5, 2.0)]
    assert found.nodes[0].summary == "Hello there."


@needs_ffmpeg
def test_scenes_and_silences_are_where_windows_are_cut(tmp_path: Path) -> None:
    video, audio = tmp_path / "scenes.mp4", tmp_path / "tones.wav"
    make(
        "-f", "lavfi", "-i", "color=red:s=32x32:d=70:r=2",
        "-f", "lavfi", "-i", "color=blue:s=32x32:d=50:r=2",
        "-filter_complex", "[0][1]concat=n=2:v=1", video,
    )  # fmt: skip
    make(
        "-f", "lavfi", "-i", "sine=440:d=120", "-ar", "8000",
        "-af", "volume=0:enable='between(t,50,52)'", audio,
    )  # fmt: skip
    assert times(recorded(video)) == [("part-1", 0.0, 70.0), ("part-2", 70.0, 120.0)]
    (_, _, cut), _ = times(recorded(audio))
    assert cut == pytest.approx(51.0, abs=0.1)


@needs_ffmpeg
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"words",
        b"#EXTM3U\n#EXTINF:10,\n/etc/hostname\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile other.mp4\n",
    ],
)
def test_what_is_no_recording_is_refused_and_opens_no_other_file(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "talk.mp4"
    path.write_bytes(content)
    with pytest.raises(ConversionFailed, match=r"talk\.mp4: ffmpeg cannot read it"):
        recorded(path)


def poster(path: Path, turned: int = 0) -> Path:
    image = Image.new("RGB", (900, 300), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(36)
    pen.text((40, 40), "Cooling falls with distance.", fill="black", font=font)
    pen.text((40, 95), "It is gone at one hundred metres.", fill="black", font=font)
    pen.text((40, 230), "Source: four ponds", fill="black", font=font)
    image.rotate(turned, expand=True).save(path)
    return path


@needs_tesseract
def test_lines_of_text_have_their_boxes(tmp_path: Path) -> None:
    path = poster(tmp_path / "poster.png")
    found = ImageMapper(lambda: image_text_reader(Options())).map(source_of(path), A_DAY)
    lines = {n.title: n.location.bbox for n in found.walk() if n.type == "line"}
    assert list(lines) == [
        "Cooling falls with distance.",
        "It is gone at one hundred metres.",
        "Source: four ponds",
    ]
    last = lines["Source: four ponds"]
    assert last is not None
    assert 0.03 < last[0] < 0.06
    assert 230 / 300 <= last[1] + 0.05 < last[3] <= 1


@needs_tesseract
def test_without_an_engine_there_is_no_reader() -> None:
    assert image_text_reader(Options(ocr="none")) is None
