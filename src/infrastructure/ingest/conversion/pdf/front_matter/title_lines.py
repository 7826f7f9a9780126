"""Lines above, in and below a title: what is none, and which lines are set alike."""

import re
from collections.abc import Sequence

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import is_byline
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine

LONGEST = 6  # lines of a title
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = re.compile(
    rf"^\W*(?:{_MONTH}\W+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\W+)?(?:{_MONTH}\W+)?(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"@|\b(?:https?|ftp)\s*:|\bwww\.|^\S+\.(?:edu|com|org|net)(?:/\S*)?$|"
    r"^\W*(?:arxiv\s*:|doi\b|issn\b|isbn\b|isrn\b|copyright (?=[\u00a9(\d])|\u00a9|\(c\)\s|"
    r"permission (?:to|is)|reprinted|received|revised|accepted|submitted|to appear|appears? in|"
    r"appeared|preprint\b|published|(?:first|originally) published|authors?\s*:|author\(s\)|"
    r"source:|stable url|accessed:|e-?mail|by\s+[A-Z]|by$|draft\b|vol(?:ume)?\b\W*\d|"
    r"pp?\.\s*\d|page \d|key ?words|proceedings of|proc\.|in proc(?:\.|eedings)|"
    r"the following paper|for more information|"
    r"this (?:paper|report|document|article|version|work|research|is) |"
    r"supervis(?:or|ed by)|thesis|a thesis|dissertation|a dissertation|technical report|"
    r"tech\. rep|department of|dept\b|school of|faculty of|college of|editors?\b|edited by|"
    r"contents$|abstract\W*$)"
    r"|\(\d{3}\)\s*\d{3}-\d{4}|\bproceedings of the\b",
    re.IGNORECASE,
)
_HARDLY_TITLE = re.compile(
    r"\b(?:universit(?:y|\u00e9|\u00e4t|at)|institut[eo]?|laborator(?:y|ies)|department|inc\.|corp\.|"
    r"corporation|technical report|tech report|research report|memo(?:randum)? no|journal|"
    r"transactions on|communications of|proceedings|symposium|conference|workshop|volume \d|"
    r"vol\. ?\d|lecture notes in|magazine|association|society|acm sig\w+|issue \d|press|"
    r"publish\w+|editor|college)\b|^(?:acm|ieee|usenix)\b|\bno\. ?\d|\b(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)

# A series number before a title: "Memo 19--LISP II Garbage Collector".
SERIES = re.compile(
    r"^(?:memo|report|technical report|working paper|tr)\s*(?:no\.?\s*)?[\w-]*\d\w*\s*"
    r"(?:[:\u2013\u2014]|--?)\s*(?=\S)",
    re.IGNORECASE,
)


def is_no_title(line: TextLine) -> bool:
    """Whether a line is an address, date, stamp, byline, or says where the text was printed."""
    text = line.text
    letters = sum(char.isalpha() for char in text)
    return letters < 3 or bool(_NO_TITLE.search(text) or _DATE.match(text)) or is_byline(text)


def is_hardly_title(text: str) -> bool:
    """Whether a text names an institution, a journal or a conference."""
    return _HARDLY_TITLE.search(text) is not None


def groups_alike(flow: Sequence[PlacedLine], lines: Sequence[int]) -> list[tuple[int, ...]]:
    """Groups of consecutive lines that could be one title: same type, close together.

    ``lines`` are indices in reading order. A line of much smaller type between two of a group
    (a badge beside the title) is passed over.
    """
    groups: list[list[int]] = []
    for i in lines:
        if is_no_title(flow[i].line):
            groups.append([])
            continue
        group = groups[-1] if groups else []
        if group and len(group) < LONGEST and _continues(flow, group, i):
            group.append(i)
        elif not (group and _is_beside(flow[group[-1]].line, flow[i].line)):
            groups.append([i])
    return [tuple(group) for group in groups if group]


def _continues(flow: Sequence[PlacedLine], group: Sequence[int], i: int) -> bool:
    last, line = flow[group[-1]].line, flow[i].line
    if SERIES.match(line.text):
        return False
    return set_alike(last, line) and _is_close(flow, group, line)


def set_alike(one: TextLine, other: TextLine) -> bool:
    """Whether two lines are set in the same type. Heights vary with the letters of a line."""
    ratio = other.size / one.size
    if one.font == other.font and one.bold == other.bold:
        return 0.77 < ratio < 1.3 if one.bold else 0.88 < ratio < 1.14
    return 0.93 < ratio < 1.07 and (one.bold == other.bold or one.size > 12)


def _is_close(flow: Sequence[PlacedLine], group: Sequence[int], line: TextLine) -> bool:
    last = flow[group[-1]].line
    distance = line.base - last.base
    if line.page != last.page or not 0.5 * line.size < distance < 2.1 * max(line.size, last.size):
        return False
    if len(group) > 1:
        before = last.base - flow[group[-2]].line.base
        return distance < 1.3 * before
    return True


def _is_beside(last: TextLine, line: TextLine) -> bool:
    """Whether a line is small print at the side of the title's last line."""
    return line.size < 0.75 * last.size and abs(line.base - last.base) < last.size
