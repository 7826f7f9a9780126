"""Captions of WebVTT and SubRip files, and their mapper.

WebVTT: https://www.w3.org/TR/webvtt1/. SubRip has no standard: a number, a time range with
a comma before the milliseconds, text, an empty line.
"""

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from citeloom.domain.errors import ConversionFailed
from citeloom.domain.maps.resource_map import Node, first_sentence
from citeloom.domain.text.sentences import sentence_spans
from citeloom.infrastructure.maps.mappers.node_building import MappedText, TextFileMapper, at_lines

_TIME = r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})"
_RANGE = re.compile(rf"\s*{_TIME}\s+-->\s+{_TIME}(?:\s.*)?")
_MARKUP = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
#: Target length of a window of cues, in seconds.
WINDOW = 60.0
_MAX_WINDOWS = 50


class Cue(NamedTuple):
    """Text from ``start`` to ``end`` (seconds), in lines ``first`` to ``last`` (from 1) of the
    file, time range and identifier included."""

    start: float
    end: float
    text: str
    first: int
    last: int


class Window(NamedTuple):
    """Cues that follow each other; never empty."""

    cues: tuple[Cue, ...]

    @property
    def start(self) -> float:
        return self.cues[0].start

    @property
    def end(self) -> float:
        return max(cue.end for cue in self.cues)

    @property
    def summary(self) -> str | None:
        return first_sentence(" ".join(cue.text for cue in self.cues))


def read_cues(lines: Sequence[str]) -> list[Cue]:
    """The cues in order of time. Malformed ones, notes and styles are skipped."""
    cues: list[Cue] = []
    for number, line in enumerate(lines):
        time_range = _RANGE.fullmatch(line)
        if not time_range:
            continue
        start, end = _seconds(time_range.groups()[:4]), _seconds(time_range.groups()[4:])
        if end <= start:
            continue
        last = number
        while last + 1 < len(lines) and lines[last + 1].strip():
            if "-->" in lines[last + 1]:
                break
            last += 1
        words = " ".join(lines[number + 1 : last + 1])
        text = " ".join(html.unescape(_MARKUP.sub("", words)).split())
        has_identifier = number > 0 and lines[number - 1].strip() and "-->" not in lines[number - 1]
        first = (
            number
            if has_identifier and (number < 2 or not lines[number - 2].strip())
            else number + 1
        )
        cues.append(Cue(start, end, text, first, last + 1))
    return sorted(cues, key=lambda cue: (cue.start, cue.first))


def windows(cues: Sequence[Cue]) -> list[Window]:
    """Cues in windows of about a minute, longer in long recordings. A window ends with a
    sentence if possible, at the latest at 1.5 times its target length."""
    if not cues:
        return []
    target = max(WINDOW, (cues[-1].end - cues[0].start) / _MAX_WINDOWS)
    windows_found: list[Window] = []
    group: list[Cue] = []
    for cue in cues:
        if group:
            lasts = cue.start - group[0].start
            whole = _ends_sentence(group[-1].text) or cue.start - group[-1].end > 2.0
            if lasts >= 1.5 * target or (lasts >= target and whole):
                windows_found.append(Window(tuple(group)))
                group = []
        group.append(cue)
    return [*windows_found, Window(tuple(group))]


def clock(seconds: float) -> str:
    """``3:05``, ``1:02:05``: whole seconds, for people."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _ends_sentence(text: str) -> bool:
    """Whether another sentence would begin after ``text``."""
    return len(sentence_spans(f"{text} Next.")) > len(sentence_spans(text)) if text else False


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction}")


SUFFIXES = frozenset({".vtt", ".srt"})


class CaptionsMapper(TextFileMapper):
    """One node a window of cues, with its lines; the title is its time range."""

    suffixes = SUFFIXES
    name = "captions 1"

    def _read(self, lines: Sequence[str], path: Path) -> MappedText:
        cues = read_cues(lines)
        if not cues:
            raise ConversionFailed(
                f"{path.name}: no cue with a time range like "
                "`00:01.000 --> 00:04.000` is in it; is it a file of captions?"
            )
        nodes = [
            Node(
                id=f"cues-{number}",
                title=f"{clock(window.start)}–{clock(window.end)}",
                type="cues",
                location=at_lines(
                    min(cue.first for cue in window.cues), max(cue.last for cue in window.cues)
                ),
                summary=window.summary,
            )
            for number, window in enumerate(windows(cues), start=1)
        ]
        return MappedText(nodes, metadata={"cues": len(cues)})
