"""Title and authors' block on the first page, judged with the metadata and the file name.

Evidence that lines are a title, in points. The points were set on 63 papers of all kinds:
typewriter, OCR scans, one and two columns, reports with covers. A title has at least ``LEAST``.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    KNOWN_HEADINGS,
    numbering_of,
    roman,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import UNREADABLE, squash

from .people import is_byline, is_name, names_in, names_of_block, names_of_line, parts_of

_POOR = re.compile(
    r"^(?:untitled|microsoft (?:word|powerpoint)|document\s*\d*$|title$|paper$|manuscript$|"
    r"\(anonymous\)|no title|full page|slide \d+|print(?:ing)?\b|pii\b|doi\b|article$)|"
    r"\b(?:template|author guidelines|instructions for)\b|@|https?:|"
    r"\.(?:docx?|tex|dvi|pdf|qxd|indd|rtf|ps|eps|fm|wpd|p65|tif)\b|^[\W\d_]*$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")  # of a publisher's own
_STAMP = re.compile(r"^\s*\[[^\]]*\d[^\]]*\]\s*|\s*\[[^\]]*\bv\d+[^\]]*\]\s*$")
_WORD = re.compile(r"[^\W_]+")
_SPELT = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")  # with its apostrophes
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LIGHT = frozenset(
    "a an and at by for from in into of on or the to with via und der die das et la le les".split()
)
MIN_FILE_WORDS = 2


class TitleEvidence(NamedTuple):
    """``titles`` are plausible titles of the file's metadata, most trustworthy first.
    ``file_words`` are words of the file's name: they choose between titles, and are none."""

    titles: tuple[str, ...] = ()
    file_words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, titles: Iterable[str | None], file_stem: str = "") -> "TitleEvidence":
        """``file_stem`` is not a title, though programs write it as one (``smith-scan``)."""
        known: dict[str, str] = {}
        for title in titles:
            if (plausible := plausible_title(title)) is not None:
                known.setdefault(squash(plausible), plausible)
        if " " not in known.get(squash(file_stem), " "):
            del known[squash(file_stem)]
        words = title_words(_CAMEL.sub(" ", file_stem.replace("'s", "s")))
        return cls(tuple(known.values()), words)

    def with_outline(self, entries: Iterable[str]) -> "TitleEvidence":
        """The evidence with the outline's first entry, which may be the title."""
        first = plausible_title(next(iter(entries), None))
        return self._replace(titles=(*self.titles, first)) if first else self

    def by_file_name(self, text: str) -> float:
        """Agreement of a title with the file name, from 0 to 1 (F1 of their words)."""
        words = title_words(text)
        found = shared_words(words, self.file_words)
        if min(found, len(self.file_words)) < MIN_FILE_WORDS:
            return 0.0
        precision = found / len(words)
        recall = shared_words(self.file_words, words) / len(self.file_words)
        return 2 * precision * recall / (precision + recall)

    def by_metadata(self, text: str) -> float:
        """Agreement of a title with the best one of the metadata, from 0 to 1."""
        return max((agreement(text, title) for title in self.titles), default=0.0)


def plausible_title(title: str | None) -> str | None:
    """A title of the metadata, cleaned; None for names of files, programs and templates."""
    text = " ".join(_STAMP.sub("", _MARKUP.sub("", title or "")).split())
    if _POOR.search(text) or len(squash(text)) < 6 or not {"\ufffd", UNREADABLE}.isdisjoint(text):
        return None
    return text


def title_words(text: str) -> frozenset[str]:
    """The words of a title in lower case without accents, without articles and prepositions."""
    words = {squash(word) for word in _WORD.findall(text)}
    return frozenset(words - _LIGHT - {""}) or frozenset(words - {""})


def in_title_case(title: str | None, text: str) -> str | None:
    """A title in capitals in the usual case of titles. ``text`` is that of the document: words
    that it has in capitals only, and more than once, are abbreviations and stay."""
    if title is None or not title.isupper():
        return title
    written = Counter(_SPELT.findall(text))

    def cased(match: re.Match[str]) -> str:
        word, before = match[0], title[: match.start()].rstrip()
        if word.lower() in _LIGHT and before and before[-1] not in ":.?!":
            return word.lower()
        usual = {word.lower(), word.capitalize()} & written.keys()
        mixed = next((w for w in written if w != word and w.lower() == word.lower()), None)
        kept = written[word] > 1 or roman(word) is not None or len(word) == 1
        return word.capitalize() if usual else mixed or (word if kept else word.capitalize())

    return _SPELT.sub(cased, title)


def shared_words(words: Collection[str], others: Collection[str]) -> int:
    """How many of ``words`` are among ``others``, in singular or plural."""
    return sum(
        word in others or f"{word}s" in others or (word[-1:] == "s" and word[:-1] in others)
        for word in words
    )


def agreement(one: str, other: str) -> float:
    """Share of words common to two titles (Jaccard); 1 for equal letters and digits."""
    if squash(one) == squash(other):
        return 1.0
    left, right = title_words(one), title_words(other)
    common = min(shared_words(left, right), shared_words(right, left))
    union = len(left) + len(right) - common
    return common / union if union else 0.0


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
    r"publish\w+|editor|college)\b|^(?:acm|ieee|usenix)\b|\bno\. ?\d|"
    r"(?<![\u2013-])(?<!\bto )(?<!\band )(?<!\bbis )\b(?:19|20)\d\d\W*$",
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
    return _is_no_title(line.text)


@lru_cache(maxsize=4096)  # a page's first lines are asked for each run of them
def _is_no_title(text: str) -> bool:
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
        group = groups[-1] if groups else []
        ends = bool(group) and _YEARS.match(flow[i].line.text) and _continues(flow, group, i)
        if is_no_title(flow[i].line) and not ends:
            groups.append([])
            continue
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
    below = last.box[0] < line.box[2] and line.box[0] < last.box[2]
    near = 0.5 * line.size < distance < 2.1 * max(line.size, last.size)
    if line.page != last.page or not (below and near):
        return False
    if len(group) > 1:
        before = last.base - flow[group[-2]].line.base
        return distance < 1.3 * before
    return True


def _is_beside(last: TextLine, line: TextLine) -> bool:
    """Whether a line is small print at the side of the title's last line."""
    return line.size < 0.75 * last.size and abs(line.base - last.base) < last.size


# The last line of a title: "1914-1918", "to 1889".
_YEARS = re.compile(
    r"^(?:1\d|20)\d\d\s?[\u2013-]\s?(?:\d\d)?\d\d$|^(?:to|and|bis)\s(?:1\d|20)\d\d$"
)
LEAST = 2.0
_LONGEST = 250  # characters of a title
_DISPLAY = 1.1  # size of a title's type, as a multiple of the text's
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

    ``cuts`` say whether lines before and after are set alike.
    """
    text = " ".join(flow[i].line.text for i in run)
    return (
        _type_points(flow, style, front, run)
        + _place_points(flow, style, front, run, cuts)
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
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    front: PageFront,
    run: tuple[int, ...],
    cuts: tuple[bool, bool],
) -> float:
    lines = [i for i in front.lines if not is_no_title(flow[i].line)]
    is_display = flow[run[0]].line.size > _DISPLAY * style.size
    points = 0.8 - 0.25 * min(lines.index(run[0]), 6)
    points -= _CUT * sum(cuts)
    after = [i for i in front.lines if i > run[-1]][:2]
    named = any(
        names_of_line(flow[i].line) or re.match(r"by\b", flow[i].line.text, re.I)
        for i in after
        if not (cuts[1] and i == run[-1] + 1 and is_display)  # or it is the title's next line
    )
    if not is_display and len(run) > 1 and is_name(flow[run[-1]].line.text):
        points -= 1.0
    ends = front.stop is not None and len(after) < 2
    return points + (1.0 if named else 0.4 if ends else 0.0)


def _wording_points(text: str) -> float:
    words = text.split()
    points = 0.6 if 3 <= len(words) <= 20 else -0.4 if len(words) == 1 else 0.0
    points -= 2.0 * is_hardly_title(text)
    points -= 3.0 if len(words) > 30 or len(text) > _LONGEST else 0.0
    points -= 2.0 if len(words) > 7 and text.rstrip().endswith((".", ";")) else 0.0
    return points - (1.0 if sum(c.isdigit() for c in text) > 0.3 * len(text) else 0.0)


_ABSTRACT = re.compile(
    r"^(?:abstract|summary|zusammenfassung|kurzfassung|r\u00e9sum\u00e9|resumen|resumo|"
    r"a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)\b(?P<heading>\s*(?:[.:\u2013\u2014-]|$))?|"
    r"^(?:\ucd08\ub85d|\uc694\uc57d|\u6458\u8981|\u8981\u65e8)(?P<han>)",
    re.IGNORECASE,
)
_BODY = 1.1  # largest type of a run-in heading, as a multiple of the text's
_PROSE = 3  # full lines in the text's size that end the authors' block
_TITLE_PAGE = 20  # most lines below the title on a title page
_PAGES = 3  # pages searched: a cover page may come first
_SEARCHED = 40  # lines of a page searched for a title
_GOES_ON = re.compile(r"[:\u2013\u2014-]\s*$")
_COVER = 60  # most lines of a cover
_COVER_NOTE = re.compile(r"see discussions, stats, and author profiles", re.IGNORECASE)
_REPEATED = 0.8  # agreement of a cover's title and the next page's
_LATER = 1.5  # points that a title needs more on a later page


class TitleBlock(NamedTuple):
    """Indices of the title's and the authors' lines; both may be empty."""

    title: tuple[int, ...] = ()
    authors: tuple[int, ...] = ()


def find_title(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    heads: frozenset[int],
    evidence: TitleEvidence = TitleEvidence(),
) -> TitleBlock:
    """Title and authors. ``heads`` are lines of section headings.

    A cover, which has no text, may come before the page with the title. Where the next page
    repeats the cover's title above more names, its names are the authors: a repository's cover
    may list some only.
    """
    pages = list(dict.fromkeys(p.line.page for p in flow))[:_PAGES]
    found: list[TitleBlock] = [TitleBlock()]
    best, most, has_text = found[0], 0.0, False
    for number, page in enumerate(pages):
        lines = [i for i, p in enumerate(flow) if p.line.page == page and not p.aside]
        front = _front(flow, style, heads, lines)
        points, title = _best(flow, style, front, evidence)
        if title:
            end = front.stop
            if end is None:
                end = _end_of_names(flow, lines, title[-1], style)
            below = tuple(i for i in front.lines if title[0] < i < end and i not in title)
            prose = [i for i in lines if _is_prose(flow, i, style)]
            others = [i for i in lines if not any(0 <= i - first < _PROSE for first in prose)]
            authors = below + _beside(flow, others, below, front.stop)
            if not names_of_block([flow[i].line for i in authors]):
                authors = _name_above(flow, front, title[0]) + authors
            found.append(TitleBlock(title, authors))
            if points - number * _LATER > most and not has_text:
                best, most = found[-1], points - number * _LATER
        if has_text:
            break
        has_text = front.stop is not None or len(lines) > _COVER
    return next((block for block in found if _completes(flow, best, block)), best)


def _completes(flow: Sequence[PlacedLine], cover: TitleBlock, block: TitleBlock) -> bool:
    """Whether a block repeats the title of a cover and has more names."""

    def lines(indices: tuple[int, ...]) -> list[TextLine]:
        return [flow[i].line for i in indices]

    one, other = (" ".join(line.text for line in lines(b.title)) for b in (cover, block))
    return agreement(one, other) >= _REPEATED and len(names_of_block(lines(block.authors))) > len(
        names_of_block(lines(cover.authors))
    )


def _name_above(flow: Sequence[PlacedLine], front: PageFront, title: int) -> tuple[int, ...]:
    """The line right above the title if it is a name; not if the text has a word of it in lower
    case (``Lecture Notes``)."""
    above = max((i for i in front.lines if i < title), default=None)
    if above is None or not is_name(flow[above].line.text):
        return ()
    words = {word.lower() for word in _SPELT.findall(flow[above].line.text) if len(word) > 3}
    is_said = any(not words.isdisjoint(_SPELT.findall(one.line.text)) for one in flow)
    return () if is_said else (above,)


def _beside(
    flow: Sequence[PlacedLine], lines: Sequence[int], authors: Sequence[int], stop: int | None
) -> tuple[int, ...]:
    """Lines like those of the authors, above the text's first line but in a later column."""
    if stop is None or not authors:
        return ()
    top, first = flow[authors[0]].line.top - 1, flow[stop].line
    return tuple(
        i
        for i in lines
        if i > stop
        and flow[i].column != flow[stop].column
        and flow[i].line.top > top
        and flow[i].line.bottom < first.top
        and any(set_alike(flow[author].line, flow[i].line) for author in authors)
    )


def _front(
    flow: Sequence[PlacedLine], style: BodyStyle, heads: frozenset[int], lines: Sequence[int]
) -> PageFront:
    first = next((i for i in lines if not is_no_title(flow[i].line)), None)
    stop = next((i for i in lines if _begins_text(i, flow, style, heads, i == first)), None)
    before = tuple(i for i in lines if stop is None or i < stop)
    sizes = [flow[i].line.size for i in before[:_SEARCHED] if not is_no_title(flow[i].line)]
    return PageFront(before, max(sizes, default=0.0), stop)


def _best(
    flow: Sequence[PlacedLine], style: BodyStyle, front: PageFront, evidence: TitleEvidence
) -> tuple[float, tuple[int, ...]]:
    """The lines with the most points for a title; none if they are too few."""
    ranked = [
        (round(points_of(flow, style, front, run, cuts, evidence), 3), -run[0], run)
        for run, cuts in _runs(flow, front)
    ]
    if not ranked or max(ranked)[0] < LEAST:
        return 0.0, ()
    points, _, title = max(ranked)
    title = _with_same_baseline(flow, front, title)
    return points, title + _subtitle(flow, style, front, title, evidence)


def _with_same_baseline(
    flow: Sequence[PlacedLine], front: PageFront, title: tuple[int, ...]
) -> tuple[int, ...]:
    """The title with the ends of its lines that a column gutter cut off."""
    last = flow[title[-1]].line
    cut_off = tuple(
        i
        for i in front.lines
        if i > title[-1]
        and abs(flow[i].line.base - last.base) < 0.2 * last.size
        and set_alike(last, flow[i].line)
        and 0 < flow[i].line.x0 - last.x1 < last.size
    )
    return title + cut_off[:1]


def _runs(
    flow: Sequence[PlacedLine], front: PageFront
) -> Iterator[tuple[tuple[int, ...], tuple[bool, bool]]]:
    """Every run of lines of every group, and whether it is cut from lines before and after."""
    for group in groups_alike(flow, front.lines[:_SEARCHED]):
        starts = (at for at, i in enumerate(group) if not is_no_title(flow[i].line))
        for start in starts:
            for end in range(start + 1, len(group) + 1):
                yield group[start:end], (start > 0, end < len(group))


def _subtitle(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    front: PageFront,
    title: tuple[int, ...],
    evidence: TitleEvidence,
) -> tuple[int, ...]:
    """Lines below the title that continue it, in another type."""
    rest = [i for i in front.lines if i > title[-1]]
    group = next(iter(groups_alike(flow, rest[:LONGEST])), ())
    if not group or group[0] != rest[0]:
        return ()
    last, line = flow[title[-1]].line, flow[group[0]].line
    text = " ".join(flow[i].line.text for i in group)
    far = line.base - last.base > 2.6 * last.size
    if far or line.page != last.page or is_hardly_title(text):
        return ()
    words = title_words(text)
    known = [evidence.file_words, *(title_words(t) for t in evidence.titles)]
    stated = any(len(words) > 1 and shared_words(words, k) >= 0.7 * len(words) for k in known)
    contrast = line.size > 1.08 * style.size or line.bold or line.italic
    open_end = bool(_GOES_ON.search(last.text)) or text[:1].islower() or text[:1] == "("
    return group if stated or (open_end and contrast and not names_in(text)) else ()


def _begins_text(
    i: int, flow: Sequence[PlacedLine], style: BodyStyle, heads: frozenset[int], is_first: bool
) -> bool:
    """Whether the text begins here. The page's first line may be a title right above it."""
    line = flow[i].line
    if squash(line.text) in KNOWN_HEADINGS or _begins_abstract(line, style, is_first):
        return True
    if i in heads and _is_first_section(line.text):
        return True
    after = flow[i + 1] if i + 1 < len(flow) else None
    if i in heads and not is_first and after is not None:
        return _is_prose(flow, i + 1, style) or _is_sentence(after, style)
    return _is_prose(flow, i, style) or _is_sentence(flow[i], style)


def _begins_abstract(line: TextLine, style: BodyStyle, is_first: bool) -> bool:
    """Whether the abstract begins here; *Abstract Interpretation* begins a title."""
    match = _ABSTRACT.match(line.text)
    if match is None:
        return False
    headed = match["heading"] is not None or match["han"] is not None
    return headed or (not is_first and style.ratio(line) < _BODY)


def _is_first_section(text: str) -> bool:
    """Whether a heading has the number 1; *A* and *I* may be words."""
    numbered = numbering_of(text)
    if numbered is None or numbered.path != (1,):
        return False
    return numbered.scheme == "1" or numbered.stopped


def _is_sentence(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a line is running text, not a name, an address or a repository's note."""
    words = placed.line.text.split()
    return (
        len(words) >= 8
        and not _COVER_NOTE.match(placed.line.text)
        and abs(style.ratio(placed.line) - 1) < 0.05
        and placed.line.width > 0.75 * (placed.right - placed.left)
        and sum(word[:1].islower() for word in words) >= 0.7 * len(words)
    )


def _is_prose(flow: Sequence[PlacedLine], i: int, style: BodyStyle) -> bool:
    """Whether a paragraph of full lines begins here, in the text's size or, below a line of display
    type, in that of an abstract; a notice in small type may stand above the title."""
    group = flow[i : i + _PROSE]
    words = [word for p in group for word in p.line.text.split()]
    is_small = style.ratio(flow[i].line) < 0.87 and any(
        p.line.page == flow[i].line.page and style.ratio(p.line) >= _DISPLAY for p in flow[:i]
    )
    return (
        len(group) == _PROSE
        and sum(word[:1].islower() for word in words) >= (0.6 if is_small else 0.45) * len(words)
        and all(
            p.column == flow[i].column
            and (0.7 if is_small else 0.87) < style.ratio(p.line) < 1.13
            and len(p.line.pieces) == 1
            and p.line.width > 0.75 * (p.right - p.left)
            and len(p.line.text.split()) >= 6
            for p in group
        )
    )


def _end_of_names(
    flow: Sequence[PlacedLine], lines: Sequence[int], start: int, style: BodyStyle
) -> int:
    """The line after the authors' block: the first of prose, the end of a title page, or of names
    right below the title."""
    prose = next((i for i in lines if i > start and _is_prose(flow, i, style)), None)
    if prose is not None:
        return prose
    few = sum(i > start for i in lines) <= _TITLE_PAGE
    if few and lines[-1] + 1 < len(flow):
        return lines[-1] + 1
    below = (i for i in lines if i > start)
    named = takewhile(lambda i: any(map(is_name, parts_of(flow[i].line.text))), below)
    return max(named, default=start) + 1
