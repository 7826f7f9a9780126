"""Captions mapper: WebVTT and SubRip files as windows of cues."""

from datetime import datetime
from pathlib import Path

from citeloom.application.ports.maps import SourceFile
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.maps.resource_map import Node, ResourceMap
from citeloom.infrastructure.maps.mappers.node_building import at_lines, resource_map
from citeloom.infrastructure.maps.mappers.recordings.caption_cues import clock, read_cues, windows
from citeloom.infrastructure.maps.mappers.text_lines import read_lines

SUFFIXES = frozenset({".vtt", ".srt"})
_NAME = "captions 1"


class CaptionsMapper:
    """One node a window of cues, with its lines; the title is its time range."""

    def supports(self, path: Path) -> bool:
        return path.suffix.lower() in SUFFIXES

    def fingerprint(self, _path: Path) -> str:
        return _NAME

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        lines = read_lines(source.path)
        cues = read_cues(lines)
        if not cues:
            raise ConversionFailed(
                f"{source.path.name}: no cue with a time range like "
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
        return resource_map(
            source, "text", nodes, created_at=created_at, mapper=_NAME, cues=len(cues)
        )
