"""Large initials that two or more lines of a paragraph flow around, put on their words."""

from collections.abc import Sequence

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import weighted_median
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word, overlap

LARGE = 1.7  # times the text's height; smaller ones stand on the line as any capital does
NEAR = 1.2  # text heights between an initial and the lines beside it
_WORDS = frozenset("AIO\u00c0")  # capitals that are words by themselves in some language


def with_initials(record: PageRecord) -> PageRecord:
    """The page with each initial in the size of the text, at the beginning of its word.

    The lines beside it begin at its left edge from then on, as the others of its paragraph.
    """
    body = weighted_median((w.size, len(w.text)) for w in record.words)
    if not body:
        return record
    words = list(record.words)
    for initial in [w for w in words if _may_be_initial(w, body)]:
        beside = _beside(initial, words, body)
        if len(beside) < 2:
            continue
        first = beside[0]
        known = {word.text.strip(".,;:") for word in words if word is not first}
        words.remove(initial)
        for at, word in enumerate(words):
            if any(word is other for other in beside[1:]):
                words[at] = word._replace(x0=initial.x0)
        at = next(i for i, word in enumerate(words) if word is first)
        if _is_word(initial.text, first.text, known):
            width = min(body, (first.x0 - initial.x0) / 2)
            own = first._replace(text=initial.text, x0=initial.x0, x1=initial.x0 + width)
            words[at : at + 1] = [own, first]
        else:
            words[at] = first._replace(text=initial.text + first.text, x0=initial.x0)
    return record._replace(words=tuple(words))


def _may_be_initial(word: Word, body: float) -> bool:
    if word.bottom - word.top <= LARGE * body or len(word.text) > 2:
        return False
    letters = [char for char in word.text if char.isalpha()]
    return len(letters) == 1 and letters[0].isupper()


def _beside(initial: Word, words: Sequence[Word], body: float) -> list[Word]:
    """The first words of the lines right of an initial, from the top down."""
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


def _is_word(initial: str, following: str, known: set[str]) -> bool:
    """Whether the initial is a word of its own: *A study*, but *Although*."""
    if initial not in _WORDS or not following[:1].islower():
        return initial in _WORDS and not following[:1].isalpha()
    return following.strip(".,;:") in known and initial + following not in known
