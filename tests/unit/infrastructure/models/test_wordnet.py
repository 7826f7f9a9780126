"""Relations of words by the bundled dictionary."""

import pytest

from citeloom.domain.verification.claims.alignment import Relation
from citeloom.infrastructure.models.judging.wordnet import WordNet

WORDNET = WordNet()


@pytest.mark.parametrize(
    ("word", "other", "relation"),
    [
        ("kids", "children", Relation.SAME),
        ("planned", "plan", Relation.SAME),
        ("taught", "teaches", Relation.SAME),
        ("children", "boys", Relation.BROADER),
        ("undergraduates", "students", Relation.NARROWER),
        ("lecturers", "teachers", Relation.SISTER),
        ("failure", "success", Relation.OPPOSITE),
        ("pond", "justice", Relation.NONE),
        ("StarBLAST", "program", Relation.UNKNOWN),
    ],
)
def test_relation_of_two_words(word: str, other: str, relation: Relation) -> None:
    assert WORDNET.relation(word, other) is relation
