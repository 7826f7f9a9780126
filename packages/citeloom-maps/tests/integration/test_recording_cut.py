"""Stretches of recordings, cut by FFmpeg: where they begin and end, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from support.paths import cases

from citeloom.application.ports.maps import CutRequest
from citeloom.domain.errors import (
    ConversionFailed,
    InvalidRequest,
    OperationTimeout,
    ProgramUnavailable,
)
from citeloom.domain.maps.resource_map import Location
from citeloom_maps.infrastructure.recordings import ffmpeg, recording_cut
from citeloom_maps.infrastructure.recordings.recording_cut import media_cutter

ROWS: list[dict[str, Any]] = cases("citekit_resource_map")["physical"]
RATE, FRAMES, SIDE = 25, 100, 32
AUDIO_RATE, PACKET = 44100, 1024
# Frame N has luma 16 + 2 N: it shows which frame it is, also after lossy coding.
PICTURE = f"color=black:s={SIDE}x{SIDE}:r={RATE}:d=4,geq=lum=16+2*N:cb=128:cr=128"
# The pitch rises by 1,000 Hz a second: it encodes the time.
SOUND = f"aevalsrc=sin(2*PI*(1000*t+500*t*t)):s={AUDIO_RATE}:d=4"


def has_ffmpeg() -> bool:
    try:
        ffmpeg.program()
    except ProgramUnavailable:
        return False
    return True


needs_ffmpeg = pytest.mark.skipif(not has_ffmpeg(), reason="FFmpeg is not installed")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds with one key frame, at the beginning, and frames out of order."""
    path = tmp_path_factory.mktemp("clip") / "lecture.mp4"
    done = subprocess.run(
        [
            ffmpeg.program(), "-v", "error", "-f", "lavfi", "-i", PICTURE, "-f", "lavfi", "-i",
            SOUND, "-c:v", "libx264", "-g", "1000", "-crf", "10", "-bf", "2", "-c:a", "aac",
            str(path),
        ],
        capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return path


def place(modality: str, start: float | None, end: float | None) -> Location:
    return Location.model_validate({"modality": modality, "start": start, "end": end})


def cut_out(source: Path, location: Location, folder: Path, *, exact: bool = False) -> Path:
    cut = CutRequest(source_hash="ab" * 32, location=location, title="t", exact=exact)
    target = folder / f"out{media_cutter().suffix(source, cut)}"
    target.unlink(missing_ok=True)
    media_cutter().write(source, cut, None, target)
    return target


def frames(path: Path) -> list[int]:
    """The numbers of the frames that a player shows."""
    done = subprocess.run(
        [
            ffmpeg.program(), "-v", "error", "-i", str(path), "-map", "0:v", "-fps_mode",
            "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-",
        ],
        capture_output=True,
        check=True,
    )  # fmt: skip
    shown = numpy.frombuffer(done.stdout, numpy.uint8).reshape(-1, SIDE * SIDE).mean(axis=1)
    # Limited range (16 to 235) is stretched to full range when luma becomes gray.
    return [round(float(value) * 219 / 255 / 2) for value in shown]


def seconds_of_sound(path: Path) -> tuple[float, float]:
    """The times of the source that are heard first and last, by pitch."""
    done = subprocess.run(
        [
            ffmpeg.program(), "-v", "error", "-i", str(path), "-map", "0:a", "-ac", "1", "-ar",
            str(AUDIO_RATE), "-f", "s16le", "-",
        ],
        capture_output=True,
        check=True,
    )  # fmt: skip
    samples = numpy.frombuffer(done.stdout, numpy.int16).astype(float)
    window = 2048
    return (
        _time(samples[:window]) - window / 2 / AUDIO_RATE,
        _time(samples[-window:]) + window / 2 / AUDIO_RATE,
    )


def _time(samples: "numpy.ndarray[Any, Any]") -> float:
    """When the pitch is heard that is loudest in ``samples``."""
    spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples)), 1 << 16))
    pitch = float(spectrum.argmax()) * AUDIO_RATE / (1 << 16)
    return (pitch - 1000) / 1000


@needs_ffmpeg
@pytest.mark.parametrize(("start", "end"), [(0, 1), (1.3, 2.5), (2.02, 2.98), (3, 4)])
def test_an_exact_stretch_has_the_frames_from_start_to_end(
    clip: Path, tmp_path: Path, start: float, end: float
) -> None:
    path = cut_out(clip, place("video", start, end), tmp_path, exact=True)
    wanted = [n for n in range(FRAMES) if start <= n / RATE < end]
    shown = frames(path)
    assert abs(shown[0] - wanted[0]) <= 1
    assert abs(shown[-1] - wanted[-1]) <= 1
    assert shown == list(range(shown[0], shown[-1] + 1))


@needs_ffmpeg
@pytest.mark.parametrize(("start", "end"), [(0, 1), (1.3, 2.5), (2.02, 2.98), (3, 4)])
def test_a_copy_begins_with_the_frame_asked_for_though_it_is_no_key_frame(
    clip: Path, tmp_path: Path, start: float, end: float
) -> None:
    wanted = [n for n in range(FRAMES) if start <= n / RATE < end]
    shown = frames(cut_out(clip, place("video", start, end), tmp_path))
    assert abs(shown[0] - wanted[0]) <= 1
    assert set(wanted[1:]) <= set(shown)
    # Packets are in the order of decoding: two frames and the ones that they wait for.
    assert shown[-1] - wanted[-1] <= 4


@needs_ffmpeg
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("start", "end"), [(0.5, 1.5), (1.3, 2.55)])
def test_sound_is_cut_to_a_packet_or_to_the_sample(
    clip: Path, tmp_path: Path, exact: bool, start: float, end: float
) -> None:
    path = cut_out(clip, place("audio", start, end), tmp_path, exact=exact)
    first, last = seconds_of_sound(path)
    allowed = 0.01 if exact else PACKET / AUDIO_RATE + 0.01  # half a window's pitch
    assert first == pytest.approx(start, abs=allowed)
    assert last == pytest.approx(end, abs=allowed)


@needs_ffmpeg
@pytest.mark.parametrize("modality", ["audio", "video"])
@pytest.mark.parametrize("exact", [False, True])
def test_cutting_twice_gives_the_same_bytes(
    clip: Path, tmp_path: Path, modality: str, exact: bool
) -> None:
    location = place(modality, 1, 2)
    first = cut_out(clip, location, tmp_path, exact=exact).read_bytes()
    assert cut_out(clip, location, tmp_path, exact=exact).read_bytes() == first


@needs_ffmpeg
def test_a_stretch_ends_with_its_source_and_does_not_begin_behind_it(
    clip: Path, tmp_path: Path
) -> None:
    cut = CutRequest(source_hash="ab" * 32, location=place("video", 3, 60), title="t")
    target = tmp_path / "out.mp4"
    (warning,) = media_cutter().write(clip, cut, None, target)
    assert warning.startswith("lecture.mp4: lasts 4")
    with pytest.raises(InvalidRequest, match=r"4\.5 s is beyond its end"):
        cut_out(clip, place("video", 4.5, 5), tmp_path)


@needs_ffmpeg
def test_a_recording_cannot_name_other_files_to_open(clip: Path, tmp_path: Path) -> None:
    playlist = tmp_path / "talk.mp4"
    playlist.write_text(f"ffconcat version 1.0\nfile '{clip}'\n", encoding="utf-8")
    with pytest.raises(ConversionFailed, match=r"talk\.mp4: FFmpeg cannot cut it"):
        cut_out(playlist, place("video", 0, 1), tmp_path)
    playlist.write_text(
        f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{clip}\n#EXT-X-ENDLIST\n", encoding="utf-8"
    )
    with pytest.raises(ConversionFailed, match=r"talk\.mp4: FFmpeg cannot cut it"):
        cut_out(playlist, place("video", 0, 1), tmp_path)


@needs_ffmpeg
def test_odd_names_are_no_options_and_no_patterns(clip: Path, tmp_path: Path) -> None:
    for name in ("-i.mp4", "a%03d.mp4", "http:x.mp4", "a b'c.mp4"):
        odd = tmp_path / name
        odd.write_bytes(clip.read_bytes())
        assert cut_out(odd, place("audio", 0, 1), tmp_path).stat().st_size > 0


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "video"])
def test_ranges_as_in_the_table(row: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "lecture.mp4"
    source.touch()
    backwards = row["start"] is not None
    with pytest.raises(ValueError if backwards else InvalidRequest) as caught:
        cut_out(source, place("video", row["start"], row.get("end")), tmp_path)
    assert row["error"].lower() in str(caught.value).lower()


@pytest.fixture
def without_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setenv("PATH", os.devnull)
    ffmpeg.find.cache_clear()


@pytest.fixture(autouse=True)
def _forget_the_program() -> Any:
    yield
    ffmpeg.find.cache_clear()


def test_without_ffmpeg_the_error_says_how_to_get_it(without_ffmpeg: None, tmp_path: Path) -> None:
    with pytest.raises(ProgramUnavailable, match=r"pip install 'citeloom\[media\]'"):
        cut_out(tmp_path / "lecture.mp4", place("video", 0, 1), tmp_path)


def test_a_program_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hanging = tmp_path / "ffmpeg.py"
    hanging.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n", encoding="utf-8")
    hanging.chmod(0o755)
    monkeypatch.setattr(ffmpeg, "program", lambda: str(hanging))
    monkeypatch.setattr(recording_cut, "COPY_SECONDS", 0.5)
    monkeypatch.setattr(ffmpeg, "duration", lambda source: 4.0)
    with pytest.raises(OperationTimeout, match=r"cutting lecture\.mp4: not finished after 0.5 s"):
        recording_cut.write_stretch(
            tmp_path / "lecture.mp4", place("video", 0, 1), tmp_path / "out.mp4", exact=False
        )
