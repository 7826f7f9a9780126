"""Names that one may have meant."""

import pytest

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.similar_names import similar_names

KNOWN = ["local/lit", "phd/Reviews", "local/ponds", "local/ponds-2"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("local/Lit", ["local/lit"]),
        ("local/lti", ["local/lit"]),
        ("local/reviews", ["phd/Reviews"]),
        ("local/pond", ["local/ponds", "local/ponds-2"]),
        ("local/zebra", []),
    ],
)
def test_capitals_namespaces_and_few_letters(written: str, meant: list[str]) -> None:
    assert similar_names(written, KNOWN) == meant


def test_an_unknown_project_is_asked_about() -> None:
    text = str(ProjectNotFound("local/Lit", ["local/bio", "local/lit"]))
    assert text == (
        "local/Lit: no such project; did you mean local/lit? projects here: local/bio, local/lit"
    )
