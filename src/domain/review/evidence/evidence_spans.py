"""Evidence spans: verbatim passages of whole sentences on a query.

Fields are those of the deep-research model's ``EvidenceSpan``, with the place in the document.
"""

from typing import Final, Self

from pydantic import Field, model_validator

from citeloom.domain.documents.spans import Region
from citeloom.domain.value import Value

#: Maximum number of spans of a source.
MAX_SPANS: Final = 10


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
