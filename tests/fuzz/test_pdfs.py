"""PDFs changed at random through the conversion workers."""

from pathlib import Path

import pytest
from fuzz.pdf_conversion import Mutant, failures
from fuzz.pdf_mutation import mutated
from support.cases import MANY
from support.paths import LIBRARY

PAPERS = sorted((LIBRARY / "papers").glob("*.pdf"))
MUTANTS = 8 if MANY else 3


def test_mutants_are_converted_or_refused(tmp_path: Path) -> None:
    mutants = [Mutant(paper, seed) for seed in range(MUTANTS) for paper in PAPERS]
    assert list(failures(mutants, tmp_path)) == []


@pytest.mark.parametrize("paper", PAPERS[:1])
def test_a_seed_always_gives_the_same_file(paper: Path) -> None:
    content = paper.read_bytes()
    first = [mutated(content, seed) for seed in range(20)]
    assert first == [mutated(content, seed) for seed in range(20)]
    assert len({content, *first}) == 21
