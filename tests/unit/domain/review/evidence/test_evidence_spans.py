"""Evidence spans as records."""

import pytest
from pydantic import ValidationError

from citeloom.domain.review.evidence.answering import EvidenceSpan


def test_a_span_is_as_long_as_its_quote() -> None:
    with pytest.raises(ValidationError, match="not as long"):
        EvidenceSpan(
            quote="abc", start_offset=0, end_offset=5, relevance_score=1, has_numeric_content=False
        )
