"""Probe of recordings by FFmpeg: duration, streams, chapters, captions, silence, scenes.

The wheel has no ffprobe: durations and streams are read from ffmpeg's report on its input,
chapters from its metadata format (https://ffmpeg.org/ffmpeg-formats.html#Metadata).
"""

import re
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from citeloom.domain.errors import ConversionFailed, ConversionTimeout

from . import ffmpeg

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
    has_audio: bool
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
            has_audio=any(kind == "Audio" for kind, _ in streams),
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
