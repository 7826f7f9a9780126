"""Evidence that lines are a title, in points.

The points were set on 63 papers of all kinds: typewriter, OCR scans, one and two columns, reports
with covers. A title has at least ``LEAST``.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import names_in
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_evidence import TitleEvidence
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_lines import (
    is_hardly_title,
    is_no_title,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine

LEAST = 2.0
_LONGEST = 250  # characters of a title
_CUT = 1.2  # a cut between lines that are set alike


class PageFront(NamedTuple):
    """Lines of a page above its text, in reading order; ``largest`` is their largest type, in
    points; ``stop`` is the first line of the text, if there is any."""

    lines: tuple[int, ...]
    largest: float
    stop: int | None


def points_of(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    front: PageFront,
    run: tuple[int, ...],
    cuts: tuple[bool, bool],
    evidence: TitleEvidence,
) -> float:
    """Points of the lines ``run`` as a title: type, place, wording, metadata and file name.

    ``cuts`` tell whether lines before and after are set alike.
    """
    text = " ".join(flow[i].line.text for i in run)
    return (
        _type_points(flow, style, front, run)
        + _place_points(flow, front, run, cuts)
        + _wording_points(text)
        + 3.0 * evidence.by_metadata(text)
        + 3.5 * evidence.by_file_name(text)
    )


def _type_points(
    flow: Sequence[PlacedLine], style: BodyStyle, front: PageFront, run: tuple[int, ...]
) -> float:
    lines = [flow[i].line for i in run]
    size = max(line.size for line in lines)
    ratio = size / style.size
    points = min(3.0, 5.0 * (ratio - 1)) if ratio > 1 else max(-1.5, 5.0 * (ratio - 1))
    points += 1.2 if size > 0.93 * front.largest and ratio > 1.02 else 0.0
    points += 0.8 if lines[0].bold and not style.bold else 0.0
    text = "".join(line.text for line in lines)
    return points + (0.6 if text.isupper() else 0.0)


def _place_points(
    flow: Sequence[PlacedLine], front: PageFront, run: tuple[int, ...], cuts: tuple[bool, bool]
) -> float:
    lines = [i for i in front.lines if not is_no_title(flow[i].line)]
    points = 0.8 - 0.25 * min(lines.index(run[0]), 6)
    points -= _CUT * sum(cuts)
    after = [i for i in front.lines if i > run[-1]][:2]
    named = any(
        names_in(flow[i].line.text) or re.match(r"by\b", flow[i].line.text, re.I) for i in after
    )
    ends = front.stop is not None and len(after) < 2
    return points + (1.0 if named else 0.4 if ends else 0.0)


def _wording_points(text: str) -> float:
    words = text.split()
    points = 0.6 if 3 <= len(words) <= 20 else -0.4 if len(words) == 1 else 0.0
    points -= 2.0 * is_hardly_title(text)
    points -= 3.0 if len(words) > 30 or len(text) > _LONGEST else 0.0
    points -= 2.0 if len(words) > 7 and text.rstrip().endswith((".", ";")) else 0.0
    return points - (1.0 if sum(c.isdigit() for c in text) > 0.3 * len(text) else 0.0)
