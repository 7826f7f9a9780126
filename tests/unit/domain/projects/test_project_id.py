"""Names of projects: their form, and the collections made from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import ProjectId


@each("text", ["citeloom/clean-arch", "a/b", "local/Übung_2", "дом/книги"])
def test_a_project_id_is_namespace_and_name(text: str) -> None:
    assert ProjectId.parse(text).value == text


def test_a_bare_project_name_belongs_to_the_namespace_local() -> None:
    assert ProjectId.parse(" noslash ").value == "local/noslash"
    assert (ProjectId.parse("x").namespace, ProjectId.parse("x").name) == ("local", "x")


@each(
    "text",
    [
        "",
        " ",
        "/",
        "a/",
        "/b",
        "a/b/c",
        "a b",
        "../x",
        "a/..",
        "a/.hidden",
        "-a",
        "a~b",
        "a/b.",
        "x" * 101,
        "a\x00b",
    ],
)
def test_what_is_no_project_id_is_refused_with_the_form_that_is_expected(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ProjectId.parse(text)
    assert caught.value.details["parameter"] == "project"
    assert "project id" in caught.value.message


def test_a_project_id_that_cannot_name_a_folder_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="shorten it"):
        ProjectId.parse("長" * 60)


def test_the_two_ways_to_write_an_accent_name_one_project() -> None:
    assert ProjectId.parse("e\u0301tude") == ProjectId.parse("étude")


def test_collection_names_are_readable() -> None:
    assert ProjectId.parse("citeloom/clean-arch").collection == "proj-citeloom-clean-arch"
    assert ProjectId.parse("a/b-c").collection != ProjectId.parse("a-b/c").collection


SEGMENT = st.from_regex(r"[^\W_](?:[\w.-]{0,4}[\w-])?", fullmatch=True)
ASCII_SEGMENT = st.from_regex(r"[a-b](?:[ab._-]{0,3}[ab_-])?", fullmatch=True)
PROJECT_ID = st.one_of(
    st.builds("{}/{}".format, SEGMENT, SEGMENT),
    st.builds("{}/{}".format, ASCII_SEGMENT, ASCII_SEGMENT),
)


@given(PROJECT_ID, PROJECT_ID)
def test_no_two_projects_share_a_collection(a: str, b: str) -> None:
    one, other = ProjectId(value=a), ProjectId(value=b)
    assert (one.collection == other.collection) is (a == b)


@given(PROJECT_ID)
def test_a_collection_name_can_name_a_folder(text: str) -> None:
    name = ProjectId(value=text).collection
    assert name.isascii()
    assert len(name) <= 220
    assert not set(name) & set('/\\:*?"<>| ')
    assert not name.endswith(".")
