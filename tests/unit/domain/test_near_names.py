"""Names that one may have meant."""

from support.cases import each

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.messages import CLOSE, nearest

KNOWN = ["local/lit", "phd/Reviews", "local/ponds", "local/ponds-2"]


@each(
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
    known = {one: (one.rpartition("/")[2],) for one in KNOWN}
    assert set(nearest(written.rpartition("/")[2], known, at_least=CLOSE)) == set(meant)


def test_a_name_of_several_spellings_counts_once_the_nearest_first() -> None:
    known = {"a1": ("Ponds cool the street", "ponds2020"), "b2": ("Grid or random", "grids2019")}
    assert nearest("ponds2021", known) == ("a1", "b2")
    assert nearest("Grid, or random", known, at_least=CLOSE) == ("b2",)
    assert nearest("anything", {}) == ()


def test_an_unknown_project_is_asked_about() -> None:
    text = str(ProjectNotFound("local/Lit", ["local/bio", "local/lit"]))
    assert text == (
        "local/Lit: no such project; did you mean local/lit? projects here: local/bio, local/lit"
    )
