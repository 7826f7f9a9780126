"""Identifiers of a converted document, and headings of its references."""

import pytest

from citeloom.infrastructure.ingest.conversion.identifiers import (
    identifiers_of,
    is_reference_heading,
)


def test_own_identifiers_come_first_and_citations_never() -> None:
    text = "arXiv:1706.03762v5 and https://doi.org/10.1234/AB.(1)2. Then 10.9999/x"
    found = identifiers_of(["doi:10.5555/Meta"], text, text.index("Then"))
    assert found == ("10.5555/meta", "10.1234/ab.(1)2", "arXiv:1706.03762")
    assert identifiers_of([], "a" * 3000 + " 10.1234/late", None) == ()


@pytest.mark.parametrize("title", ["References", "7. REFERENCES", "Literatur", "参考文献"])
def test_headings_of_references_are_known_only_by_their_whole_title(title: str) -> None:
    assert is_reference_heading(title)
    assert not is_reference_heading(f"{title} to earlier work")
