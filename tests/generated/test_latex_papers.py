"""Papers typeset by LaTeX, where it is installed: headings, words and pages by LaTeX's truth.

These few are the quick ones; ``python -m generated.measure --latex`` measures any others.
"""

from pathlib import Path

import pytest
from generated.latex_measure import score
from generated.typeset.latex_papers import LATEX, typeset

pytestmark = pytest.mark.skipif(
    LATEX is None, reason="pdflatex, or a class of the papers, is not installed"
)

SEEDS = (3, 16, 17)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_latex_paper_comes_near_its_source(seed: int, tmp_path: Path) -> None:
    paper = typeset(seed, tmp_path)
    found = score(paper)
    assert found.missed == (), paper.look
    assert found.extra == (), paper.look
    assert found.share("level", "hits") == found.share("page", "hits") == 1.0, paper.look
    assert found.share("in order", "text") >= (0.97 if paper.look.columns == 1 else 0.95)
    assert found.share("kept", "all") >= 0.99, paper.look
    assert found.share("placed", "found") >= 0.998, paper.look
    assert found.share("exact", "judged") >= 0.97, paper.look
