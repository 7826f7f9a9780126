"""Each node of each map of a file opens: what is cut out is what the map says."""

import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from support.paths import SHARED

from citeloom.application.places.cut import ResolveRequest
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom_maps.infrastructure.recordings.recordings import find_ffmpeg

DATA = SHARED / "documents"
TEXTS = {
    "notes.md": "# Notes\n\nOn ponds.\n\n## Warp\n\nThreads.\n",
    "long.txt": "A line.\n\n" * 100,
    "ponds.py": "class Pond:\n    @property\n    def area(self): ...\n\ndef cool(): ...\n",
    "Pond.java": "/** A pond. */\nclass Pond {\n  void cool() {}\n}\n",
    "data.json": '{"a": 1,\n "b": [1,\n 2]}\n',
    "data.yaml": "a: 1\r\nb:\r\n  - 2\r\n",
    "said.srt": "1\n00:00:01,000 --> 00:00:02,000\nHello.\n",
}
MEDIA = (".mp3", ".mp4")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Application]:
    application = open_application(tmp_path)
    yield application
    application.close()


def each_cut(opened: Application, path: Path) -> Iterator[tuple[object, Path]]:
    """The place of each node of the file's map, and the file that it was cut out to."""
    found = opened.maps.files.map(path)
    assert found.nodes
    for node in found.walk():
        request = ResolveRequest(name=found.resource_id, node_id=node.id)
        virtual = opened.maps.cut.resolve(request.model_copy(update={"virtual": True})).evidence
        assert virtual.output_path is None
        cut = opened.maps.cut.resolve(request)
        assert cut.warnings == ()
        assert cut.evidence.output_path is not None
        assert cut.evidence.address == virtual.address
        yield node.location, Path(cut.evidence.output_path)


@pytest.mark.parametrize("name", TEXTS)
def test_each_node_of_a_text_opens_exactly_its_lines(
    opened: Application, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    lines = TEXTS[name].encode().splitlines(keepends=True)
    for place, cut in each_cut(opened, path):
        first, last = place.lines  # type: ignore[attr-defined]
        assert cut.read_bytes() == b"".join(lines[first - 1 : last])


def test_the_boxes_of_a_picture(opened: Application, tmp_path: Path) -> None:
    image = Image.new("RGB", (900, 200), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(36)
    pen.text((40, 40), "Cooling falls with distance.", fill="black", font=font)
    image.save(tmp_path / "poster.png")
    for place, cut in each_cut(opened, tmp_path / "poster.png"):
        x1, y1, x2, y2 = place.bbox  # type: ignore[attr-defined]
        with Image.open(cut) as shown:
            assert shown.width == pytest.approx(900 * (x2 - x1), abs=1)
            assert shown.height == pytest.approx(200 * (y2 - y1), abs=1)


@pytest.mark.skipif(find_ffmpeg() is None, reason="FFmpeg is not installed")
def test_the_minutes_of_a_recording(opened: Application, tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "tone.wav"), "wb") as made:
        made.setparams((1, 2, 1000, 0, "NONE", ""))
        made.writeframes(b"\0\0" * 125_000)
    lengths = []
    for place, cut in each_cut(opened, tmp_path / "tone.wav"):
        with wave.open(str(cut), "rb") as heard:
            lengths.append(heard.getnframes() / heard.getframerate())
        assert lengths[-1] == pytest.approx(place.end - place.start, abs=0.1)  # type: ignore[attr-defined]
    assert sum(lengths) == pytest.approx(125, abs=0.2)


def collected() -> list[str]:
    kinds = (".md", ".txt", ".csv", ".asciidoc", ".vtt", *MEDIA)
    return (
        sorted(one.name for one in DATA.iterdir() if one.suffix in kinds) if DATA.is_dir() else []
    )


@pytest.mark.real
@pytest.mark.parametrize("name", collected())
def test_collected_texts_and_recordings(opened: Application, name: str) -> None:
    if name.endswith(MEDIA) and find_ffmpeg() is None:
        pytest.skip("FFmpeg is not installed")
    assert all(cut.stat().st_size for _, cut in each_cut(opened, DATA / name))
