"""Super- and subscripts among the words of a line, by size and baseline."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from citeloom.domain.documents.spans import union
from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word

from .characters import ASCENT, DESCENT
from .word_runs import SCRIPT_RATIO, TIGHT, WordRun, join_words

# Of the em of the line: a superscript of TeX is 0.36 higher, of Word 0.33, a subscript 0.15 lower;
# small capitals stand on the line.
_RAISED, _LOWERED, _HIGHEST = 0.18, 0.07, 1.0
_CLOSE = 0.5  # points: an isotope's numbers stand at its letter, a fraction has space around it
_APART = 5  # between the order of words that do not follow each other in the content


def written_scripts(run: WordRun) -> tuple[Word, ...]:
    """The words of a run, those of each super- and subscript as one in the notation of
    ``domain.text.scripts``, and those of a fraction (*1/2*). ``order`` is right for neighbours
    only."""
    shifts: list[int] = []
    for at, word in enumerate(run.words):
        shift = _shift(word, run)
        if not shift and at and shifts[-1] and _is_nested(run.words[at - 1], word, run):
            shift = shifts[-1]
        shifts.append(shift)
    if not any(shifts):
        return run.words
    groups = [
        (shift, [word for _, word in pairs])
        for shift, pairs in groupby(zip(shifts, run.words, strict=True), key=lambda pair: pair[0])
    ]
    return tuple(_in_order(list(_written(groups))))


def _shift(word: Word, run: WordRun) -> int:
    """1 for a superscript, -1 for a subscript, 0 for others. Words without a place in the content
    come from OCR, which has no baselines."""
    if word.order < 0 or word.rtl or word.size >= SCRIPT_RATIO * run.size:
        return 0
    em = run.size / (ASCENT + DESCENT)
    up = (_baseline(run.bottom, run.size) - baseline_of(word)) / em
    return 1 if _RAISED < up < _HIGHEST else -1 if -_HIGHEST < up < -_LOWERED else 0


def _is_nested(before: Word, word: Word, run: WordRun) -> bool:
    """Whether a word is the script of a script: the index of an exponent is on the line."""
    return word.size < SCRIPT_RATIO * before.size < run.size and _touch(before, word)


def baseline_of(word: Word) -> float:
    """The y of a word's baseline, in points from the top."""
    return _baseline(word.bottom, word.size)


def _baseline(bottom: float, size: float) -> float:
    return bottom - size * DESCENT / (ASCENT + DESCENT)


def _written(groups: Sequence[tuple[int, list[Word]]]) -> Iterator[tuple[Word, int]]:
    """The words, and the order of the last word that each is made of."""
    at = 0
    while at < len(groups):
        shift, words = groups[at]
        before = groups[at - 1][1][-1] if at else None
        if not shift:
            is_tight = before is not None and _touch(before, words[0])
            words[0] = words[0]._replace(spaced=words[0].spaced and not is_tight)
            yield from ((word, word.order) for word in words)
            at += 1
            continue
        end = at + 2 if _is_fraction(groups, at) else at + 1
        after = groups[end][1][0] if end < len(groups) else None
        if end == at + 2:
            over = sorted(groups[at:end], key=lambda group: -group[0])
            text = "/".join(bracketed(text_of(group)) for _, group in over)
            words = [*words, *groups[at + 1][1]]
        else:
            text = (raised if shift > 0 else lowered)(
                text_of(words),
                before.text if before and _touch(before, words[0]) else "",
                after.text if after and not groups[end][0] and _touch(words[-1], after) else "",
            )
        x0, top, x1, bottom = union([word.box for word in words])
        spaced = words[0].spaced and not (before and _touch(before, words[0]))
        whole = words[0]._replace(text=text, x0=x0, top=top, x1=x1, bottom=bottom, spaced=spaced)
        yield whole, words[-1].order
        at = end


def _in_order(words: Sequence[tuple[Word, int]]) -> Iterator[Word]:
    order, last = 0, -1
    for word, last_of_it in words:
        order += 1 if last >= 0 and word.order == last + 1 else _APART
        last = last_of_it
        yield word._replace(order=order if word.order >= 0 else -1)


def text_of(words: Sequence[Word]) -> str:
    """The text of a script or a part of a formula, with the scripts in it."""
    main = max(words, key=lambda word: word.size)
    run = WordRun(tuple(words), union([w.box for w in words]), main.top, main.bottom)
    return join_words(written_scripts(run))


def _is_fraction(groups: Sequence[tuple[int, list[Word]]], at: int) -> bool:
    """Whether a raised and a lowered group are stacked, and attached to nothing."""
    if at + 1 >= len(groups) or (groups[at][0], groups[at + 1][0]) not in ((1, -1), (-1, 1)):
        return False
    boxes = [union([word.box for word in words]) for _, words in groups[at : at + 2]]
    upper, lower = boxes if groups[at][0] > 0 else reversed(boxes)
    size = groups[at][1][0].size
    if abs(upper[0] + upper[2] - lower[0] - lower[2]) > size / 2 or upper[3] - lower[1] > size / 2:
        return False
    before = groups[at - 1][1][-1] if at else None
    after = groups[at + 2][1][0] if at + 2 < len(groups) else None
    left, right = min(b[0] for b in boxes), max(b[2] for b in boxes)
    if before and before.text[-1] not in "√([{" and left - before.x1 < _CLOSE:
        return False
    return after is None or not after.text[0].isalpha() or after.x0 - right >= _CLOSE


def bracketed(text: str) -> str:
    """The text in brackets, but for a word or number."""
    return text if text.isalnum() else f"({text})"


def _touch(left: Word, right: Word) -> bool:
    return right.x0 - left.x1 < TIGHT * max(left.size, right.size)
