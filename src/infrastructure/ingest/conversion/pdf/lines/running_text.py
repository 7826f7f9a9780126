"""Running text: stacked lines of a paragraph or a listing among the runs of a page."""

from collections.abc import Sequence
from itertools import pairwise

from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import is_monospaced
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

LEAST_LINES = 3
LEAST_WORDS = 4.5  # on average in a line: labels of figures have fewer
LEAST_CODE = 2.5  # the same for a line of a listing
LEAST_LETTERS = 3.0  # on average in a word: points of a plot may be letters
WORDY = 0.7  # share of words in letters: fewer in mathematics and tables of numbers
FULL = 0.6  # width of a line but the last, as a share of the widest
CONTINUED = 0.5  # share of line ends within a sentence
INDENT = 3.0  # greatest indent of a paragraph's first line, in cell heights
CODE_INDENT = 12.0  # the same in a listing
PITCHES = (0.9, 2.2)  # least and greatest distance of baselines, in cell heights
_HYPHENS = ("-", "\u00ad", "\u2010")


def running_text(runs: Sequence[WordRun], least: int = LEAST_LINES) -> list[WordRun]:
    """The runs that read like lines of a paragraph or a listing, at least ``least`` together.

    They have the same size and left edge at an even distance. Those of a paragraph hold mostly
    words, fill their width, and continue each other: a broken word, a lower-case letter or one
    without case begins the line. Those of a listing are in a typewriter face.
    """
    stacks = [stack for stack in _stacks(runs) if len(stack) >= least]
    return [run for stack in stacks if _is_paragraph(stack) or _is_listing(stack) for run in stack]


def _stacks(runs: Sequence[WordRun]) -> list[list[WordRun]]:
    closed: list[list[WordRun]] = []
    open_stacks: list[list[WordRun]] = []
    for run in sorted(runs, key=lambda r: (r.bottom, r.x0)):
        reached = [s for s in open_stacks if run.bottom < s[-1].bottom + PITCHES[1] * s[-1].size]
        if len(reached) < len(open_stacks):
            closed += (s for s in open_stacks if not any(s is other for other in reached))
            open_stacks = reached
        above = next((stack for stack in reversed(open_stacks) if _follows(run, stack[-1])), None)
        if above is None:
            open_stacks.append([run])
        else:
            above.append(run)
    return closed + open_stacks


def _follows(run: WordRun, above: WordRun) -> bool:
    size = above.size
    if not PITCHES[0] * size < run.bottom - above.bottom < PITCHES[1] * size:
        return False
    if abs(run.size - size) > 0.1 * size or _is_code(run) != _is_code(above):
        return False
    if _is_code(run):
        return abs(run.x0 - above.x0) < CODE_INDENT * size
    shared = overlap(run.x0, run.x1, above.x0, above.x1)
    narrower = min(run.x1 - run.x0, above.x1 - above.x0)
    return abs(run.x0 - above.x0) < INDENT * size and shared > 0.8 * narrower


def _is_code(run: WordRun) -> bool:
    return is_monospaced(run.words[0].font) and is_monospaced(run.words[-1].font)


def _is_listing(stack: Sequence[WordRun]) -> bool:
    return _is_code(stack[0]) and sum(len(r.words) for r in stack) >= LEAST_CODE * len(stack)


def _is_paragraph(stack: Sequence[WordRun]) -> bool:
    words = [word.text for run in stack for word in run.words]
    if _is_code(stack[0]) or len(words) < LEAST_WORDS * len(stack):
        return False
    if sum(map(len, words)) < LEAST_LETTERS * len(words):
        return False
    widest = max(run.x1 - run.x0 for run in stack)
    full = sum(run.x1 - run.x0 >= FULL * widest for run in stack[:-1])
    continued = sum(_continues(after, before) for before, after in pairwise(stack))
    wordy = sum(_is_word(word) for word in words)
    return (
        wordy >= WORDY * len(words)
        and full >= CONTINUED * (len(stack) - 1)
        and continued >= CONTINUED * (len(stack) - 1)
    )


def _continues(run: WordRun, above: WordRun) -> bool:
    first = run.words[0].text[:1]
    return above.words[-1].text.endswith(_HYPHENS) or (first.isalpha() and not first.isupper())


def _is_word(text: str) -> bool:
    bare = text.strip(".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u00ab\u00bb*\u2020")
    return sum(map(str.isalpha, bare)) >= max(1, len(bare) - 1)
