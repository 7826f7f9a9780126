"""Evidence spans: the least of a source, verbatim and in whole sentences, that says something.

Fields are those of the deep-research model's ``EvidenceSpan``, with the place in the document.
"""

import re
from collections.abc import Sequence
from typing import Final, Self

from pydantic import Field, model_validator

from citeloom.domain.documents.spans import Region
from citeloom.domain.text.sentences import Span, quotable_spans
from citeloom.domain.value import Value
from citeloom.domain.verification.claims.features import coverage, read, stems_of
from citeloom.domain.verification.claims.quantity_extraction import has_numeric_content

#: Characters that a quote of more than one sentence has at most.
LONGEST: Final = 500
#: How relevant a span is at least, and how many a source gives at most.
THRESHOLD: Final = 0.3
MOST: Final = 10
# A neighbour is quoted too where it adds this share of the sought content words.
_ADDS: Final = 0.15
_POINTS_BACK: Final = re.compile(
    r"\W*(?:(?:this|these|those|that|such|they|it|he|she|its|their|both|here|"
    r"the (?:former|latter|others)|"
    r"(?:none|each|all|some|most|many|few|one|two|both|either|another) of (?:these|those|them)|"
    r"(?:one|each|another|(?:the )?others?|the (?:first|second|third|last|rest|same|reason)) "
    r"(?:is|are|was|were|has|had|have)|\w+ (?:mention|note|report|do|did|say) this)\b"
    r"(?! (?:is|was|seems|appears|has been) (?:\w+ ){1,2}(?:to|that)\b)"
    # A document that speaks of itself needs no sentence before.
    r"(?! (?:\w+ )?(?:paper|study|article|review|survey|report|thesis|book|work|course|tutorial|"
    r"workshop|module|package|software|tool|library|program|project|dataset|note)s?\b))",
    re.IGNORECASE,
)
# With these it says what follows from the sentence before, or is contrary to it.
_LEANS_BACK: Final = re.compile(
    r"\W*(?:in contrast|by contrast|instead|conversely|on the contrary|as a (?:result|consequence)|"
    r"consequently|therefore|thus|hence|accordingly|nevertheless|nonetheless|otherwise|"
    r"for (?:example|instance)|in (?:this|that|these|both|either|such) \w+|"
    r"for (?:this|that|these) \w+)\b",
    re.IGNORECASE,
)


class EvidenceSpan(Value):
    """``quote`` is ``text[start_offset:end_offset]`` of its document, character for character.

    ``relevance_score`` is 0..1; ``has_numeric_content`` says whether the quote states a
    quantity. ``page`` counts from 1, ``page_label`` is what is printed on it; ``regions`` are
    boxes in points from the top left; ``section_heading`` is the nearest heading."""

    quote: str = Field(min_length=1)
    start_offset: int = Field(ge=0)
    end_offset: int = Field(ge=0)
    relevance_score: float = Field(ge=0, le=1)
    has_numeric_content: bool
    page: int | None = Field(default=None, ge=1)
    page_label: str | None = None
    regions: tuple[Region, ...] = ()
    section_heading: str | None = None

    @model_validator(mode="after")
    def _as_long_as_its_quote(self) -> Self:
        if self.end_offset - self.start_offset != len(self.quote):
            raise ValueError(
                f"evidence span {self.start_offset}..{self.end_offset} is not as long as its "
                f"quote of {len(self.quote)} characters"
            )
        return self


def evidence_spans(
    text: str,
    sought: str,
    scores: Sequence[float],
    *,
    offset: int = 0,
    threshold: float = THRESHOLD,
    most: int = MOST,
) -> tuple[EvidenceSpan, ...]:
    """The spans of ``text`` that say something on ``sought``, the most relevant first.

    ``scores``, in 0..1, are for the sentences of ``quotable_spans(text)``, one each. A span is
    the best sentence that is left, with the one before where it points back to that, and with
    neighbours as far as they add words of ``sought`` that it has not. ``offset`` is where
    ``text`` begins in its document. Raises ValueError if there are more or fewer scores than
    sentences."""
    sentences = quotable_spans(text)
    if len(scores) != len(sentences):
        raise ValueError(f"{len(scores)} scores for {len(sentences)} sentences")
    found: list[EvidenceSpan] = []
    used: set[int] = set()
    for best in sorted(range(len(sentences)), key=lambda n: (-scores[n], n)):
        if len(found) == most or scores[best] < threshold:
            break
        if best in used:
            continue
        first, last = _run(text, sought, sentences, best, used)
        used.update(range(first, last + 1))
        start, end = sentences[first][0], sentences[last][1]
        found.append(
            EvidenceSpan(
                quote=text[start:end],
                start_offset=offset + start,
                end_offset=offset + end,
                relevance_score=min(1.0, scores[best]),
                has_numeric_content=has_numeric_content(text[start:end]),
            )
        )
    return tuple(found)


def points_back(sentence: str) -> bool:
    """Whether it begins with a word that means something in the sentence before."""
    return bool(_POINTS_BACK.match(sentence))


def leans_back(sentence: str) -> bool:
    """Whether it is better read with the sentence before."""
    return points_back(sentence) or bool(_LEANS_BACK.match(sentence))


def _run(
    text: str, sought: str, sentences: Sequence[Span], best: int, used: set[int]
) -> tuple[int, int]:
    """The first and last sentence to quote, ``best`` among them."""
    asked = read(sought)
    first = last = best
    while first and first - 1 not in used and leans_back(text[slice(*sentences[first])]):
        if sentences[last][1] - sentences[first - 1][0] > LONGEST:
            break
        first -= 1
    covered = stems_of(read(text[sentences[first][0] : sentences[last][1]]))
    while True:
        gains: list[tuple[float, int]] = []
        for near in (first - 1, last + 1):
            if not 0 <= near < len(sentences) or near in used:
                continue
            # What begins with *this* would be a worse beginning than the one it has.
            if near < first and points_back(text[slice(*sentences[near])]):
                continue
            start, end = sentences[min(first, near)][0], sentences[max(last, near)][1]
            if end - start <= LONGEST:
                more = covered | stems_of(read(text[slice(*sentences[near])]))
                gains.append((coverage(asked, more) - coverage(asked, covered), near))
        gain, near = max(gains, default=(0.0, 0))
        if gain < _ADDS:
            return first, last
        covered |= stems_of(read(text[slice(*sentences[near])]))
        first, last = min(first, near), max(last, near)
