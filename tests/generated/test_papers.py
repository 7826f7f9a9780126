"""Papers of several looks: every heading in its place, the words in the order they are read.

All seeds are worth a run by hand; these few cover one and two columns, headings in bold,
capitals and small capitals, Roman, lettered and missing numbers, with and without outline.
"""

import pytest
from generated.measure import score
from generated.typeset.papers import typeset

SEEDS = (0, 3, 4, 8, 13, 17)


@pytest.mark.parametrize("seed", SEEDS)
def test_headings_and_reading_order_of_a_typeset_paper(seed: int) -> None:
    paper = typeset(seed)
    found = score(paper)
    assert found.missed == (), paper.look
    assert found.extra == (), paper.look
    assert (found.levels, found.pages) == (found.hits, found.hits), paper.look
    assert found.order >= 0.99, paper.look
