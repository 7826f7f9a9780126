"""Evidence spans: minimal verbatim passages of whole sentences on a query.

Fields are those of the deep-research model's ``EvidenceSpan``, with the place in the document.
"""

import re
from collections.abc import Sequence
from typing import Final, Self

from pydantic import Field, model_validator

from citeloom.domain.documents.spans import Region
from citeloom.domain.text.sentences import Span, quotable_spans
from citeloom.domain.value import Value
from citeloom.domain.verification.claims.parsed_sentence import coverage, parse_sentence, stems_of
from citeloom.domain.verification.quantities.quantity_extraction import has_numeric_content

#: Maximum length in characters of a quote of more than one sentence.
MAX_CHARACTERS: Final = 500
#: Minimum relevance of a span, and maximum number of spans of a source.
THRESHOLD: Final = 0.3
MAX_SPANS: Final = 10
# Minimum share of the query's content words that a neighbour must add.
_MIN_GAIN: Final = 0.15
_ANAPHOR: Final = re.compile(
    r"\W*(?:(?:this|these|those|that|such|they|it|he|she|its|their|both|here|"
    r"the (?:former|latter|others)|"
    r"(?:none|each|all|some|most|many|few|one|two|both|either|another) of (?:these|those|them)|"
    r"(?:one|each|another|(?:the )?others?|the (?:first|second|third|last|rest|same|reason)) "
    r"(?:is|are|was|were|has|had|have)|\w+ (?:mention|note|report|do|did|say) this)\b"
    r"(?! (?:is|was|seems|appears|has been) (?:\w+ ){1,2}(?:to|that)\b)"
    # Self-reference of a document is no anaphor.
    r"(?! (?:\w+ )?(?:paper|study|article|review|survey|report|thesis|book|work|course|tutorial|"
    r"workshop|module|package|software|tool|library|program|project|dataset|note)s?\b))",
    re.IGNORECASE,
)
# Connectives to the sentence before.
_CONNECTIVE: Final = re.compile(
    r"\W*(?:in contrast|by contrast|instead|conversely|on the contrary|as a (?:result|consequence)|"
    r"consequently|therefore|thus|hence|accordingly|nevertheless|nonetheless|otherwise|"
    r"for (?:example|instance)|in (?:this|that|these|both|either|such) \w+|"
    r"for (?:this|that|these) \w+)\b",
    re.IGNORECASE,
)


class EvidenceSpan(Value):
    """``quote`` is ``text[start_offset:end_offset]`` of its document, verbatim.

    ``relevance_score`` is in 0..1; ``has_numeric_content``: the quote states a quantity.
    ``page`` counts from 1, ``page_label`` is the printed one; ``regions`` are boxes in points
    from the top left; ``section_heading`` is the nearest heading."""

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
    query: str,
    scores: Sequence[float],
    *,
    offset: int = 0,
    threshold: float = THRESHOLD,
    limit: int = MAX_SPANS,
) -> tuple[EvidenceSpan, ...]:
    """The spans of ``text`` on ``query``, most relevant first.

    ``scores``, in 0..1, are for the sentences of ``quotable_spans(text)``, one each. A span is
    the best remaining sentence, preceded by those that it depends on, and extended by
    neighbours that add words of ``query``. ``offset`` is the start of ``text`` in its document.
    Raises ValueError unless there is one score for each sentence."""
    sentences = quotable_spans(text)
    if len(scores) != len(sentences):
        raise ValueError(f"{len(scores)} scores for {len(sentences)} sentences")
    spans: list[EvidenceSpan] = []
    used: set[int] = set()
    for best in sorted(range(len(sentences)), key=lambda n: (-scores[n], n)):
        if len(spans) == limit or scores[best] < threshold:
            break
        if best in used:
            continue
        first, last = _sentence_range(text, query, sentences, best, used)
        used.update(range(first, last + 1))
        start, end = sentences[first][0], sentences[last][1]
        spans.append(
            EvidenceSpan(
                quote=text[start:end],
                start_offset=offset + start,
                end_offset=offset + end,
                relevance_score=min(1.0, scores[best]),
                has_numeric_content=has_numeric_content(text[start:end]),
            )
        )
    return tuple(spans)


def starts_with_anaphor(sentence: str) -> bool:
    """Whether a sentence begins with an anaphor to the one before."""
    return bool(_ANAPHOR.match(sentence))


def depends_on_previous(sentence: str) -> bool:
    """Whether a sentence begins with an anaphor or a connective to the one before."""
    return starts_with_anaphor(sentence) or bool(_CONNECTIVE.match(sentence))


def _sentence_range(
    text: str, query: str, sentences: Sequence[Span], best: int, used: set[int]
) -> tuple[int, int]:
    """The first and last sentence to quote, ``best`` among them."""
    parsed_query = parse_sentence(query)
    first = last = best
    while first and first - 1 not in used and depends_on_previous(text[slice(*sentences[first])]):
        if sentences[last][1] - sentences[first - 1][0] > MAX_CHARACTERS:
            break
        first -= 1
    covered = stems_of(parse_sentence(text[sentences[first][0] : sentences[last][1]]))
    while True:
        gains: list[tuple[float, int]] = []
        for neighbour in (first - 1, last + 1):
            if not 0 <= neighbour < len(sentences) or neighbour in used:
                continue
            # A span should not begin with an anaphor.
            if neighbour < first and starts_with_anaphor(text[slice(*sentences[neighbour])]):
                continue
            start, end = sentences[min(first, neighbour)][0], sentences[max(last, neighbour)][1]
            if end - start <= MAX_CHARACTERS:
                more = covered | stems_of(parse_sentence(text[slice(*sentences[neighbour])]))
                gains.append(
                    (coverage(parsed_query, more) - coverage(parsed_query, covered), neighbour)
                )
        gain, neighbour = max(gains, default=(0.0, 0))
        if gain < _MIN_GAIN:
            return first, last
        covered |= stems_of(parse_sentence(text[slice(*sentences[neighbour])]))
        first, last = min(first, neighbour), max(last, neighbour)
