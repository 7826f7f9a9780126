"""How near a paper typeset by LaTeX comes to its truth: headings, words, order, pages.

headings  found, and found with the right level and page, of those printed; names of parts
          that the truth has not (keywords, contents, …) are neither right nor wrong
order     share of the running text's words on the longest common subsequence
kept      share of all words (running text, notes, captions, cells) that are anywhere
placed    of the words found, the share on the page where LaTeX set them
chunks    passages whose first and last page are those of the words in them, exactly
leaked    words from inside figures that stand in the running text
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from generated.typeset.latex_papers import Heading, LatexPaper, Part, Word
from rapidfuzz.distance import LCSseq

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.documents.spans import Chunk
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

_MODEL = EmbeddingModel(name="made-up", dimension=8, digest="0" * 64, max_tokens=256)
_ASIDE = (
    BlockLabel.SECTION_HEADER,
    BlockLabel.TITLE,
    BlockLabel.AUTHORS,
    BlockLabel.CAPTION,
    BlockLabel.FOOTNOTE,
    BlockLabel.TABLE,
)
_RUN = 4  # words in a row that are surely the same ones
_WORD = re.compile(r"\S+")
_NOTE_MARK = re.compile(r"(?<=[^\W\d])([.,;:)”]*)\d{1,3}$")
_NUMBER = re.compile(r"(chapter|appendix)?([ivx]+|[a-z]|\d)?\d*[a-z]?")
_FREE = frozenset(
    "abstract keywords contents references bibliography indexterms appendix appendices "
    "ccsconcepts acmreferenceformat".split()
)


class LatexScore(NamedTuple):
    """Counts, to be summed over papers; ``missed`` and ``extra`` are headings."""

    counts: Counter[str]
    missed: tuple[str, ...]
    extra: tuple[str, ...]

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole] if self.counts[whole] else 1.0


class _Said(NamedTuple):
    """A word of the converted text: where it begins, its page, whether it is running text."""

    text: str
    start: int
    page: int
    running: bool


class _Tokens:
    """Counts words, as a stand-in for an embedding model's tokens."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        return [match.end() for match in _WORD.finditer(text)]


def score(paper: LatexPaper) -> LatexScore:
    result = convert_pdf(paper.path, "id")
    counts: Counter[str] = Counter()
    missed, extra = _headings(paper, result, counts)
    said = list(_said(result))
    pages = _words(paper, said, counts)
    chunks = StructuralChunker().chunk(result, _MODEL, _Tokens())
    _chunks(chunks, said, pages, counts)
    counts["papers"] = 1
    counts["title"] = squash(result.title or "") == squash(paper.title)
    counts["leaked"] = sum(w.running and w.text in paper.figure_words for w in said)
    return LatexScore(counts, missed, extra)


def _headings(
    paper: LatexPaper, result: ConversionResult, counts: Counter[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    left = list(result.structure.headings())
    missed = []
    for truth in paper.headings:
        match = next((h for h in left if _spells(h.title, truth)), None)
        counts["wanted"] += 1
        if match is None:
            missed.append(truth.title)
            continue
        left.remove(match)
        counts["hits"] += 1
        counts["level"] += match.level == truth.level
        counts["page"] += match.page == truth.page
    extra = tuple(h.title for h in left if squash(h.title) not in _FREE)
    counts["claimed"] = counts["hits"] + len(extra)
    return tuple(missed), extra


def _spells(found: str, truth: Heading) -> bool:
    """Whether a heading has the true words, with a number in front if it is numbered; that of
    a chapter stands on a line of its own and may be missing."""
    text, wanted = squash(found), squash(truth.title)
    if not text.endswith(wanted):
        return False
    number = text.removesuffix(wanted)
    if not number:
        return not truth.numbered or truth.chapter
    return truth.numbered and _NUMBER.fullmatch(number) is not None


def _said(result: ConversionResult) -> Iterator[_Said]:
    for block in result.blocks:
        text = result.text_of(block.span)
        for match in _WORD.finditer(text):
            start = block.span.start + match.start()
            page = next(
                (line.page for line in block.lines if start < line.end),
                block.lines[-1].page,
            )
            if plain := squash(_NOTE_MARK.sub("", match[0])):
                yield _Said(plain, start, page, block.label not in _ASIDE)


def _words(paper: LatexPaper, said: Sequence[_Said], counts: Counter[str]) -> dict[int, set[int]]:
    """Count words in order, kept and placed; the pages that each word found may be on (two
    where the next word is on another one, as a word may be broken over pages), by start."""
    text = [w for w in paper.words if w.part is Part.TEXT and squash(w.text)]
    rest = [w for w in paper.words if w.part is not Part.TEXT and squash(w.text)]
    running = [w for w in said if w.running]
    pages: dict[int, set[int]] = {}
    matched = _align(text, running, pages)
    counts["text"], counts["in order"] = len(text), matched
    left = [w for w in said if not w.running]
    everything = Counter(squash(w.text) for w in paper.words if squash(w.text))
    counts["all"] = everything.total()
    counts["kept"] = (everything & Counter(w.text for w in said)).total()
    _align(rest, left, pages)
    by_start = {w.start: w.page for w in said}
    counts["found"] = len(pages)
    counts["placed"] = sum(by_start[start] in true for start, true in pages.items())
    return pages


def _align(truth: Sequence[Word], said: Sequence[_Said], pages: dict[int, set[int]]) -> int:
    """How many words are in order. Only those in runs say where they stand: a single word
    may be the same word elsewhere."""
    found = 0
    for op in LCSseq.opcodes([squash(w.text) for w in truth], [w.text for w in said]):
        if op.tag != "equal":
            continue
        length = op.src_end - op.src_start
        found += length
        for n in range(length if length >= _RUN else 0):
            here = truth[op.src_start + n].page
            after = truth[min(op.src_start + n + 1, len(truth) - 1)].page
            pages[said[op.dest_start + n].start] = {here, max(here, after)}
    return found


def _chunks(
    chunks: Sequence[Chunk],
    said: Sequence[_Said],
    pages: dict[int, set[int]],
    counts: Counter[str],
) -> None:
    """A passage is judged by its words whose true page is known, if these are most of them."""
    for chunk in chunks:
        inside = [w for w in said if chunk.char_span.start <= w.start < chunk.char_span.end]
        known = [pages[w.start] for w in inside if w.start in pages]
        if not chunk.page_span or len(known) < 0.8 * len(inside) or not known:
            continue
        true = {page for options in known if len(options) == 1 for page in options}
        if not true:
            continue
        counts["judged"] += 1
        counts["exact"] += chunk.page_span.as_tuple() == (min(true), max(true))
