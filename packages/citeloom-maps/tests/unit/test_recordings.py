"""Recordings, with FFmpeg as it might answer."""

import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.builders import A_DAY
from support.files.mapped_files import map_text, node, source_of

from citeloom.domain.errors import ConversionFailed, Unavailable
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom_maps.infrastructure.recordings.recordings import (
    Chapter,
    Probe,
    RecordingMapper,
    _metadata,
)

SRT = "1\n00:00:00,500 --> 00:00:03,000\nHello there.\n\n2\n00:02:00,000 --> 00:02:09,000\nMore.\n"


class FakeFfmpeg:
    def __init__(self, *, places: Sequence[float] = (), captions: str = "", **probe: Any) -> None:
        values = {"duration": 100.0, "has_video": True, "title": None}
        self._probe = Probe(**{**values, "has_captions": bool(captions), "chapters": (), **probe})
        self._captions = captions
        self._places = list(places)

    def probe(self, path: Path) -> Probe:
        return self._probe

    def captions(self, path: Path) -> str:
        return self._captions

    def silences(self, path: Path) -> list[float]:
        return self._places

    def scenes(self, path: Path, duration: float) -> list[float]:
        return self._places


def recorded(folder: Path, fake: FakeFfmpeg | None, name: str = "talk.mp4") -> ResourceMap:
    mapper = RecordingMapper(lambda: fake)  # type: ignore[arg-type, return-value]
    return map_text(mapper, folder / name, b"recording")


def times(found: ResourceMap) -> list[tuple[str, float | None, float | None]]:
    return [(n.id, n.location.start, n.location.end) for n in found.walk()]


def test_chapters_come_first(tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text(SRT, encoding="utf-8")
    chapters = (Chapter(0, 100, "Opening words"), Chapter(100, 999, ""), Chapter(1000, 1001, "x"))
    found = recorded(tmp_path, FakeFfmpeg(duration=300.0, chapters=chapters, title="A talk"))
    assert times(found) == [
        ("opening-words", 0, 100),
        ("opening-words.part-1", 0.5, 3),
        ("chapter-2", 100, 300),
        ("chapter-2.part-1", 120, 129),
    ]
    assert (found.title, found.type) == ("A talk", "video")
    assert node(found, "opening-words").summary == "Hello there."
    assert (found.metadata or {})["cut"] == "chapters"


@pytest.mark.parametrize("name", ["talk.srt", "talk.mp4.srt", "talk.en.srt"])
def test_captions_beside_a_recording_cut_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SRT, encoding="utf-8")
    (tmp_path / "talking.srt").write_text("another's", encoding="utf-8")
    found = recorded(tmp_path, FakeFfmpeg(duration=125.0))
    assert times(found) == [("part-1", 0.5, 3), ("part-2", 120, 125)]
    assert (found.metadata or {})["captions"] == name


def test_changed_captions_make_the_map_anew(tmp_path: Path) -> None:
    mapper, path = RecordingMapper(lambda: None), tmp_path / "talk.mp4"
    path.write_bytes(b"")
    told = {mapper.fingerprint(path)}
    for text in (SRT, SRT + "\n"):
        (tmp_path / "talk.srt").write_text(text, encoding="utf-8")
        told.add(mapper.fingerprint(path))
    assert len(told) == 3


def test_embedded_captions_cut_it_too(tmp_path: Path) -> None:
    found = recorded(tmp_path, FakeFfmpeg(captions=SRT.replace("00:02:0", "00:01:3")))
    assert [one[0] for one in times(found)] == ["part-1", "part-2"]
    assert (found.metadata or {})["captions"] == "embedded"


@pytest.mark.parametrize(
    ("duration", "places", "edges", "cut"),
    [
        (80.0, (10.0,), [80.0], "fixed"),
        (120.0, (), [60.0, 120.0], "fixed"),
        (120.0, (5.0, 55.0, 70.0), [55.0, 120.0], "scenes"),
        (120.0, (5.0,), [60.0, 120.0], "scenes"),
        (180.0, (50.0, 119.0), [50.0, 119.0, 180.0], "scenes"),
    ],
)
def test_else_windows_of_time_cut_where_it_does_no_harm(
    tmp_path: Path, duration: float, places: Sequence[float], edges: list[float], cut: str
) -> None:
    found = recorded(tmp_path, FakeFfmpeg(duration=duration, places=places))
    assert [end for _, _, end in times(found)] == edges
    assert [start for _, start, _ in times(found)] == [0.0, *edges[:-1]]
    assert (found.metadata or {})["cut"] == cut


def test_a_long_recording_has_some_fifty_windows(tmp_path: Path) -> None:
    assert len(recorded(tmp_path, FakeFfmpeg(duration=36_000.0)).nodes) == 50


def test_a_video_without_pictures_is_audio(tmp_path: Path) -> None:
    assert recorded(tmp_path, FakeFfmpeg(has_video=False)).type == "audio"
    assert recorded(tmp_path, FakeFfmpeg(), "talk.mp3").nodes[0].location.modality == "audio"


def test_without_ffmpeg_only_wave_files_are_measured(tmp_path: Path) -> None:
    path = tmp_path / "tone.wav"
    with wave.open(str(path), "wb") as made:
        made.setparams((1, 2, 1000, 0, "NONE", ""))
        made.writeframes(b"\0\0" * 2500)
    found = RecordingMapper(lambda: None).map(source_of(path), A_DAY)
    assert times(found) == [("part-1", 0, 2.5)]
    assert "citeloom[media]" in str((found.metadata or {})["note"])
    with pytest.raises(Unavailable, match=r"citeloom\[media\]"):
        recorded(tmp_path, None)
    with pytest.raises(ConversionFailed, match="not read as PCM"):
        recorded(tmp_path, None, "broken.wav")


def test_captions_alone_make_a_map(tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text(SRT, encoding="utf-8")
    assert times(recorded(tmp_path, None))[-1] == ("part-2", 120, 129)


def test_a_recording_of_unknown_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConversionFailed, match="duration is unknown"):
        recorded(tmp_path, FakeFfmpeg(duration=None))


def test_chapters_are_read_with_their_escapes() -> None:
    text = (
        ";FFMETADATA1\ntitle=A = talk\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=4500\n"
        "title=Opening\\; \\=words\\\n more\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=5\nEND=5\n"
        "[STREAM]\ntitle=no\n"
    )
    general, chapters = _metadata(text)
    assert general["title"] == "A = talk"
    assert chapters == [Chapter(0.0, 4.5, "Opening; =words more")]
