"""Drop caps: initials beside two or more lines, joined to the words they begin."""

from collections.abc import Sequence

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import weighted_median
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word, overlap

LARGE = 1.7  # least height of a drop cap, in heights of the text
NEAR = 1.2  # greatest distance to the lines beside it, in heights of the text
_WORDS = frozenset("AIO\u00c0")  # capitals that are words by themselves in some language


def merge_dropcaps(record: PageRecord) -> PageRecord:
    """The page with each drop cap in the size of the text, at the beginning of its word.

    The lines beside it are extended to its left edge, like the rest of the paragraph.
    """
    body = weighted_median((w.size, len(w.text)) for w in record.words)
    if not body:
        return record
    words = list(record.words)
    for initial in [w for w in words if _is_initial(w, body)]:
        beside = _beside(initial, words, body)
        if len(beside) < 2:
            continue
        first = beside[0]
        other_words = {word.text.strip(".,;:") for word in words if word is not first}
        words.remove(initial)
        for at, word in enumerate(words):
            if any(word is other for other in beside[1:]):
                words[at] = word._replace(x0=initial.x0)
        at = next(i for i, word in enumerate(words) if word is first)
        if _is_own_word(initial.text, first.text, other_words):
            width = min(body, (first.x0 - initial.x0) / 2)
            initial_word = first._replace(text=initial.text, x0=initial.x0, x1=initial.x0 + width)
            words[at : at + 1] = [initial_word, first]
        else:
            words[at] = first._replace(text=initial.text + first.text, x0=initial.x0)
    return record._replace(words=tuple(words))


def _is_initial(word: Word, body: float) -> bool:
    if word.bottom - word.top <= LARGE * body or len(word.text) > 2:
        return False
    letters = [char for char in word.text if char.isalpha()]
    return len(letters) == 1 and letters[0].isupper()


def _beside(initial: Word, words: Sequence[Word], body: float) -> list[Word]:
    """First words of the lines to the right of an initial, from the top down."""
    near = [
        word
        for word in words
        if word.size < 1.3 * body
        and -0.3 * body < word.x0 - initial.x1 < NEAR * body
        and initial.top < (word.top + word.bottom) / 2 < initial.bottom
    ]
    rows: list[Word] = []
    for word in sorted(near, key=lambda w: (w.top, w.x0)):
        if rows and overlap(rows[-1].top, rows[-1].bottom, word.top, word.bottom) > 0.5 * body:
            continue
        rows.append(word)
    left = min((word.x0 for word in rows[1:]), default=0.0)
    aligned = [word for word in rows[1:] if word.x0 - left < 0.3 * body]
    return [*rows[:1], *aligned] if rows else []


def _is_own_word(initial: str, following: str, other_words: set[str]) -> bool:
    """Whether the initial is a word by itself: *A study*, not *Although*."""
    if initial not in _WORDS or not following[:1].islower():
        return initial in _WORDS and not following[:1].isalpha()
    return following.strip(".,;:") in other_words and initial + following not in other_words
