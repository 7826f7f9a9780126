"""Recording mapper: audio and video by chapters, else captions, else windows of time.

The wheel has no ffprobe: durations and streams are read from ffmpeg's report on its input,
chapters from its metadata format (https://ffmpeg.org/ffmpeg-formats.html#Metadata).
"""

import hashlib
import re
import subprocess
import wave
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from citeloom.application.ports.maps import SourceFile
from citeloom.domain.errors import ConversionFailed, ConversionTimeout, Unavailable
from citeloom.domain.maps.resource_map import (
    Location,
    Node,
    ResourceMap,
    ResourceType,
    UsedNames,
    first_sentence,
    slug,
    unique_name,
)
from citeloom.infrastructure.maps.mappers.node_building import lines_of, read_lines, resource_map
from citeloom_maps.infrastructure.recordings import ffmpeg

from .captions import SUFFIXES as CAPTIONS
from .captions import WINDOW, Cue, clock, read_cues, windows

INSTALL = "pip install 'citeloom[media]'"
#: Time limit of one ffmpeg run: an hour of video decodes in some minutes.
MAX_SECONDS = 900.0
# silencedetect: quieter than this for at least so long (a breath between sentences).
_QUIET_DB, _QUIET_SECONDS = -35, 0.4
# A scene score from 0 to 1; FFmpeg's documentation advises 0.3 to 0.5.
_SCENE = 0.3
#: In a longer video only keyframes are decoded: encoders put one at each scene change.
_DECODE_ALL_UP_TO = 600.0

_DURATION = re.compile(r"^  Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)", re.M)
_STREAM = re.compile(r"^  Stream #0:(\d+)\S*: (Video|Audio|Subtitle): (.*)$", re.M)
_SILENCE = re.compile(r"silence_(start|end): (-?[\d.]+)")
_SHOWN_AT = re.compile(r"pts_time:\s*([\d.]+)")


class Chapter(NamedTuple):
    """Start and end in seconds; the title is empty where the container has none."""

    start: float
    end: float
    title: str


class Probe(NamedTuple):
    """``duration`` in seconds, None where the container does not say."""

    duration: float | None
    has_video: bool
    has_captions: bool
    chapters: tuple[Chapter, ...]
    title: str | None


class Ffmpeg:
    """One ``ffmpeg`` program. Its methods raise ConversionFailed and ConversionTimeout."""

    def __init__(self, program: str) -> None:
        self.program = program

    def probe(self, path: Path) -> Probe:
        done = self._run(path, "-f", "ffmetadata", "-")
        input_report = done.stderr.split("\nStream mapping:")[0].split("\nOutput #0")[0]
        streams = [(kind, what) for _, kind, what in _STREAM.findall(input_report)]
        if done.returncode != 0 or not streams:
            raise _failed(path, done.stderr)
        duration = _DURATION.search(input_report)
        general, chapters = _metadata(done.stdout)
        return Probe(
            duration=_seconds(*duration.groups()) if duration else None,
            has_video=any(kind == "Video" and "attached pic" not in what for kind, what in streams),
            has_captions=any(kind == "Subtitle" for kind, _ in streams),
            chapters=tuple(chapters),
            title=general.get("title"),
        )

    def captions(self, path: Path) -> str:
        """The first subtitle stream as WebVTT; empty if it consists of pictures."""
        done = self._run(path, "-map", "0:s:0", "-f", "webvtt", "-")
        return done.stdout if done.returncode == 0 else ""

    def silences(self, path: Path) -> list[float]:
        """The middles of silences, in seconds."""
        silence_filter = f"silencedetect=noise={_QUIET_DB}dB:d={_QUIET_SECONDS}"
        done = self._run(path, "-vn", "-sn", "-af", silence_filter, "-f", "null", "-")
        if done.returncode != 0:
            raise _failed(path, done.stderr)
        middles: list[float] = []
        start: float | None = None
        for edge, at in _SILENCE.findall(done.stderr):
            if edge == "start":
                start = float(at)
            elif start is not None:
                middles.append((start + float(at)) / 2)
        return middles

    def scenes(self, path: Path, duration: float) -> list[float]:
        """Where scenes change, in seconds."""
        keyframes = () if duration <= _DECODE_ALL_UP_TO else ("-skip_frame", "nokey")
        scene_filter = f"scale=160:-2,select='gt(scene,{_SCENE})',showinfo"
        done = self._run(
            path, "-an", "-sn", "-vf", scene_filter, "-f", "null", "-", input_options=keyframes
        )
        if done.returncode != 0:
            raise _failed(path, done.stderr)
        return [float(at) for at in _SHOWN_AT.findall(done.stderr)]

    def _run(
        self, path: Path, *arguments: str, input_options: tuple[str, ...] = ()
    ) -> "subprocess.CompletedProcess[str]":
        # One file is opened: what calls itself a video may be a playlist of others.
        restrictions = ("-protocol_whitelist", "file,pipe", "-format_whitelist", ffmpeg.FORMATS)
        input_arguments = (*restrictions, *input_options, "-i", f"file:{path}")
        command = [
            self.program,
            "-nostdin",
            "-hide_banner",
            "-nostats",
            *input_arguments,
            *arguments,
        ]
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=MAX_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ConversionTimeout(
                f"{path.name}: ffmpeg did not end within {MAX_SECONDS:g} s; cut the recording",
                timeout_seconds=MAX_SECONDS,
            ) from error


def find_ffmpeg() -> Ffmpeg | None:
    """FFmpeg, if there is one."""
    program = ffmpeg.find()
    return Ffmpeg(program) if program else None


def _seconds(hours: str, minutes: str, seconds: str) -> float:
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def _metadata(text: str) -> tuple[dict[str, str], list[Chapter]]:
    """The general tags and the chapters of an ffmetadata file."""
    general: dict[str, str] = {}
    sections: list[tuple[str, dict[str, str]]] = [("", general)]
    for line in re.split(r"(?<!\\)\n", text):
        if line.startswith("[") and line.endswith("]"):
            sections.append((line[1:-1], {}))
        elif not line.startswith((";", "#")):
            name, equals, value = _pair(line)
            if equals:
                sections[-1][1][name.lower()] = value
    chapters = []
    for name, tags in sections:
        if name == "CHAPTER" and {"timebase", "start", "end"} <= tags.keys():
            base = Fraction(tags["timebase"])
            start, end = (float(int(tags[edge]) * base) for edge in ("start", "end"))
            if 0 <= start < end:
                chapters.append(Chapter(start, end, " ".join(tags.get("title", "").split())))
    return general, chapters


def _pair(line: str) -> tuple[str, str, str]:
    """Split at the first ``=`` that is not escaped; escapes are undone."""
    parts = re.fullmatch(r"((?:[^\\=]|\\.)*)(=)(.*)", line, re.S)
    if not parts:
        return line, "", ""
    name, value = (re.sub(r"\\(.)", r"\1", parts[n], flags=re.S) for n in (1, 3))
    return name, parts[2], value


def _failed(path: Path, output: str) -> ConversionFailed:
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "no reason given")
    return ConversionFailed(
        f"{path.name}: ffmpeg cannot read it as a recording ({last.strip()[:200]}); "
        "play it to see whether it is damaged",
    )


VIDEO = frozenset({".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v"})
AUDIO = frozenset({".mp3", ".wav", ".m4a", ".flac", ".ogg", ".opus", ".aac"})
_NAME = "recording 1"
_MAX_WINDOWS = 50
# How far a cut may move from its even position, as a share of the window.
_REACH = 0.3


class RecordingMapper:
    """Chapters of the container; else the cues of a ``.vtt`` or ``.srt`` file beside the
    recording, or of its first subtitle stream, in windows of a minute; else windows of a
    minute cut in silence (audio) or where the scene changes (video). Times in seconds."""

    def __init__(self, find: Callable[[], Ffmpeg | None] = find_ffmpeg) -> None:
        self._find = find

    def supports(self, path: Path) -> bool:
        return path.suffix.lower() in VIDEO | AUDIO

    def fingerprint(self, path: Path) -> str:
        captions = _captions_beside(path)
        digest = hashlib.sha256(captions.read_bytes()).hexdigest()[:16] if captions else "none"
        program = "ffmpeg" if self._find() else "no ffmpeg"
        return f"{_NAME} {program}, captions {digest}"

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        path, ffmpeg = source.path, self._find()
        probe = ffmpeg.probe(path) if ffmpeg else None
        kind: ResourceType = "video" if path.suffix.lower() in VIDEO else "audio"
        if probe and kind == "video" and not probe.has_video:
            kind = "audio"
        cues, captions = _cues(path, ffmpeg, probe)
        duration = (probe.duration if probe else _wave_duration(path)) or max(
            (cue.end for cue in cues), default=None
        )
        if duration is None or duration <= 0:
            raise _unknown_duration(path, ffmpeg)
        cues = [cue for cue in cues if cue.start < duration]
        chapters = (
            [chapter for chapter in probe.chapters if chapter.start < duration] if probe else []
        )
        if chapters:
            nodes, cut_at = list(_chapter_nodes(kind, chapters, cues, duration)), "chapters"
        elif cues:
            nodes, cut_at = list(_cue_nodes(kind, cues, duration, "")), "captions"
        else:
            places, what = _cuts(path, kind, duration, ffmpeg)
            nodes = list(_window_nodes(kind, _edges(duration, places)))
            cut_at = what if places else "fixed"
        return resource_map(
            source,
            kind,
            nodes,
            created_at=created_at,
            mapper=self.fingerprint(path),
            title=probe.title if probe else None,
            note=None if ffmpeg else f"measured only: {INSTALL}",
            duration=round(duration, 3),
            cut=cut_at,
            **({"captions": captions} if captions else {}),
        )


def _captions_beside(path: Path) -> Path | None:
    """``talk.vtt`` or ``talk.srt`` beside ``talk.mp4``, else ``talk.mp4.vtt``, ``talk.en.vtt``."""
    try:
        candidates = [
            candidate
            for candidate in path.parent.iterdir()
            if candidate.suffix.lower() in CAPTIONS and candidate.name.startswith(f"{path.stem}.")
        ]
    except OSError:
        return None
    return min(
        candidates,
        key=lambda candidate: (len(candidate.name), candidate.suffix != ".vtt", candidate.name),
        default=None,
    )


def _cues(path: Path, ffmpeg: Ffmpeg | None, probe: Probe | None) -> tuple[list[Cue], str]:
    if beside := _captions_beside(path):
        return read_cues(read_lines(beside)), beside.name
    if ffmpeg and probe and probe.has_captions:
        return read_cues(lines_of(ffmpeg.captions(path))), "embedded"
    return [], ""


def _wave_duration(path: Path) -> float | None:
    if path.suffix.lower() != ".wav":
        return None
    try:
        with wave.open(str(path), "rb") as recording:
            return recording.getnframes() / recording.getframerate()
    except (wave.Error, EOFError, ZeroDivisionError) as error:
        raise ConversionFailed(
            f"{path.name}: not read as PCM in WAV ({error}); {INSTALL} reads other recordings"
        ) from error


def _unknown_duration(path: Path, ffmpeg: Ffmpeg | None) -> Exception:
    if ffmpeg is None:
        return Unavailable(f"{path.name}: needs FFmpeg to be mapped; {INSTALL}")
    return ConversionFailed(
        f"{path.name}: its duration is unknown; copy it into a container that says it "
        "(`ffmpeg -i FILE -c copy NEW.mkv`)"
    )


def _chapter_nodes(
    kind: ResourceType, chapters: Sequence[Chapter], cues: Sequence[Cue], duration: float
) -> Iterator[Node]:
    used: UsedNames = {}
    for number, chapter in enumerate(chapters, start=1):
        node_id = unique_name(slug(chapter.title) if chapter.title else f"chapter-{number}", used)
        end = min(chapter.end, duration)
        chapter_cues = [cue for cue in cues if chapter.start <= cue.start < end]
        parts = _cue_nodes(kind, chapter_cues, end, f"{node_id}.")
        yield Node(
            id=node_id,
            title=chapter.title or f"Chapter {number}",
            type="chapter",
            location=_times(kind, chapter.start, end),
            summary=first_sentence(" ".join(cue.text for cue in chapter_cues)),
            children=tuple(parts) if end - chapter.start > 1.5 * WINDOW else (),
        )


def _cue_nodes(
    kind: ResourceType, cues: Sequence[Cue], duration: float, prefix: str
) -> Iterator[Node]:
    for number, window in enumerate(windows(cues), start=1):
        end = min(window.end, duration)
        yield Node(
            id=f"{prefix}part-{number}",
            title=f"{clock(window.start)}–{clock(end)}",
            type="segment",
            location=_times(kind, window.start, end),
            summary=window.summary,
        )


def _window_nodes(kind: ResourceType, edges: Sequence[float]) -> Iterator[Node]:
    for number, (start, end) in enumerate(pairwise(edges), start=1):
        yield Node(
            id=f"part-{number}",
            title=f"{clock(start)}–{clock(end)}",
            type="segment",
            location=_times(kind, start, end),
        )


def _cuts(
    path: Path, kind: ResourceType, duration: float, ffmpeg: Ffmpeg | None
) -> tuple[list[float], str]:
    """Natural places for cuts, in seconds, and their kind."""
    if ffmpeg is None or _count(duration) == 1:
        return [], ""
    if kind == "video":
        return ffmpeg.scenes(path, duration), "scenes"
    return ffmpeg.silences(path), "silence"


def _edges(duration: float, places: Sequence[float]) -> list[float]:
    """Edges of equal windows, each moved to the nearest of ``places`` within reach."""
    step = duration / _count(duration)
    edges = [0.0]
    for number in range(1, _count(duration)):
        target = number * step
        near = min(places, key=lambda cut: abs(cut - target), default=target)
        edges.append(near if abs(near - target) <= _REACH * step else target)
    return [*edges, duration]


def _count(duration: float) -> int:
    return max(1, min(_MAX_WINDOWS, round(duration / WINDOW)))


def _times(kind: ResourceType, start: float, end: float) -> Location:
    """Time to the millisecond, never empty."""
    first = round(start, 3)
    return Location(modality=kind, start=first, end=max(round(end, 3), first + 0.001))
