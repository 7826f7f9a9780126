"""Captions mapper: WebVTT and SubRip files as windows of cues."""

from collections.abc import Sequence
from pathlib import Path

from citeloom.domain.errors import ConversionFailed
from citeloom.domain.maps.resource_map import Node
from citeloom.infrastructure.maps.mappers.node_building import MappedText, TextFileMapper, at_lines

from .caption_cues import clock, read_cues, windows

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
