"""Cues of captions, their windows, and the lines of both."""

from pathlib import Path

import pytest
from support.files.mapped_files import map_text, node, outline

from citeloom.domain.errors import ConversionFailed
from citeloom_maps.infrastructure.recordings.captions import (
    CaptionsMapper,
    Cue,
    clock,
    read_cues,
    windows,
)

VTT = """WEBVTT - a talk

NOTE a remark
00:00 in words

intro
00:00.500 --> 00:03.000 align:start
<v Bob>Hello <b>there</b>.

00:03.000 --> 00:02.000
backwards

01:00:03.000 --> 01:00:09.250
More &amp; words
here
"""
SRT = """1
00:00:00,500 --> 00:00:03,000
{\\an8}Hello there.

2
00:00:03,000 --> 00:00:09,250
<i>More words</i>
"""


def test_cues_with_their_times_and_lines() -> None:
    assert read_cues(VTT.splitlines()) == [
        Cue(0.5, 3.0, "Hello there.", 6, 8),
        Cue(3603.0, 3609.25, "More & words here", 13, 15),
    ]
    assert read_cues(SRT.splitlines()) == [
        Cue(0.5, 3.0, "Hello there.", 1, 3),
        Cue(3.0, 9.25, "More words", 5, 7),
    ]


def test_windows_end_with_sentences() -> None:
    texts = ["One goes on", "and on. "] * 60
    cues = [Cue(5.0 * n, 5.0 * n + 5, text, n, n) for n, text in enumerate(texts)]
    found = windows(cues)
    assert [window.start for window in found][:3] == [0.0, 60.0, 120.0]
    assert found[-1].end == 600.0
    endless = [one._replace(text="and on and") for one in cues]
    assert [window.start for window in windows(endless)][:3] == [0.0, 90.0, 180.0]
    assert windows([]) == []


@pytest.mark.parametrize(("seconds", "shown"), [(0.9, "0:00"), (185.2, "3:05"), (3725, "1:02:05")])
def test_seconds_are_shown_as_clock_times(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_a_file_of_captions_has_the_lines_of_its_windows(tmp_path: Path) -> None:
    found = map_text(CaptionsMapper(), tmp_path / "a.vtt", VTT)
    assert outline(found) == [("cues-1", "cues", (6, 8)), ("cues-2", "cues", (13, 15))]
    assert node(found, "cues-2").title == "1:00:03–1:00:09"
    assert node(found, "cues-1").summary == "Hello there."


def test_a_file_without_cues_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConversionFailed, match="no cue"):
        map_text(CaptionsMapper(), tmp_path / "a.srt", "just words\n")
