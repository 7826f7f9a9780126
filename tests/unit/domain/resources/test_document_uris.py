"""URIs of a library: projects, documents, passages, each with a name of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import DOC_ID

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.uris import (
    document_uri,
    is_child_or_self,
    parse_uri,
    passage_text_uri,
    project_uri,
    span_of,
    subrealm_of,
)

THESIS = ProjectId.parse("thesis")
SHORT = DOC_ID[:16]


def test_documents_and_passages_are_named_below_their_project() -> None:
    assert str(project_uri(THESIS)) == "ndk://file/proj-local-thesis/-"
    assert str(document_uri(THESIS, DOC_ID)) == f"ndk://file/proj-local-thesis/{SHORT}"
    uri = passage_text_uri(THESIS, DOC_ID, CharSpan(start=0, end=80))
    assert uri == f"ndk://file/proj-local-thesis/{SHORT}/0-80/$chunk"
    passage = parse_uri(uri.removesuffix("/$chunk"))
    assert is_child_or_self(passage, document_uri(THESIS, DOC_ID))


@pytest.mark.parametrize(
    "name", ["", "1", "5-5", "9-2", "01-2", "-1-2", "1-2-3", "a-b", "1-" + "9" * 20]
)
def test_other_names_are_no_passages(name: str) -> None:
    assert span_of(name) is None


def test_letters_of_any_script_have_a_name_in_ascii() -> None:
    assert subrealm_of(ProjectId.parse("étude")) == "proj-local-_.e9.tude"
    assert subrealm_of(ProjectId.parse("my_thesis.2")) == "proj-local-my_thesis.2"


parts = st.text("ab_.-éß中", min_size=1, max_size=6).filter(
    lambda text: text[0] not in "_.-" and text[-1] != "."
)
ids = st.tuples(parts, parts).map(lambda pair: ProjectId.parse("/".join(pair)))


@given(ids, ids)
def test_no_two_projects_have_one_name(one: ProjectId, other: ProjectId) -> None:
    assert (subrealm_of(one) == subrealm_of(other)) == (one == other)
    assert parse_uri(str(project_uri(one))) == project_uri(one)


def test_escapes_cannot_be_forged() -> None:
    forged = ProjectId.parse("a/x_.e9.y")
    assert subrealm_of(forged) != subrealm_of(ProjectId.parse("a/xéy"))
