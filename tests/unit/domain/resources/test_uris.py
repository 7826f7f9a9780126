"""Knowledge URIs: all rows of Nandam's grammar, both ways, what lies within what; and those of
a library: projects, documents, passages, each with a name of its own."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import DOC_ID
from support.cases import each
from support.paths import cases

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidRequest, InvalidUri
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.metadata import parse_web_url
from citeloom.domain.resources.uris import (
    AffordanceUri,
    ObservableUri,
    ResourceUri,
    Suffix,
    SuffixKind,
    check_name,
    chunk,
    document_uri,
    is_child_or_self,
    normalize_name,
    parse_self,
    parse_suffix,
    parse_uri,
    passage_text_uri,
    project_uri,
    self_uri,
    span_of,
    subrealm_of,
)

CASES = cases("nandam_uris")
KINDS = {
    "resource": ResourceUri,
    "affordance+observable": AffordanceUri,
    "observable": ObservableUri,
}


@each("row", CASES["parse_ok"], ids=lambda row: row["uri"])
def test_nandams_uris_are_read_and_written_again(row: dict[str, Any]) -> None:
    uri = parse_uri(row["uri"])
    assert str(uri) == row["uri"]
    assert type(uri) is KINDS[row["kind"]]
    resource = uri.resource if isinstance(uri, ObservableUri) else uri
    assert (resource.realm, resource.subrealm) == (row["realm"], row["subrealm"])
    assert list(resource.path) == row["path"]
    assert str(resource) == row["resource_uri"]
    if isinstance(uri, ObservableUri):
        assert str(uri.suffix) == row["suffix"]
        assert str(uri.affordance.suffix) == row["affordance"]


@each("row", CASES["parse_error"], ids=lambda row: row["uri"])
def test_what_is_no_uri_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidUri, match="no knowledge URI: ") as refused:
        parse_uri(row["uri"])
    assert isinstance(refused.value, InvalidRequest)


@each(
    "uri",
    [
        "ndk://file/p/a/$chunk/010",
        "ndk://file/p/a/$chunk/" + "9" * 5000,
        "ndk://file/p/a/$chunk/٠١",
        "ndk://file/p/a/$media/../x",
        "ndk://file/p/a/$file//etc/passwd",
        "ndk://file/p/a/$body$body",
        "ndk://file/p/a\x00",
        "ndk://file/p/a/$BODY",
        "ndk://file/p/é",
        "ndk://file/p/" + "a" * 513,
        "NDK://file/p/a",
        " ndk://file/p/a",
        "ndk://file/p/a\n",
    ],
    ids=lambda text: repr(text[:40]),
)
def test_what_could_be_misread_is_refused(uri: str) -> None:
    with pytest.raises(InvalidUri) as refused:
        parse_uri(uri)
    assert str(refused.value).isprintable()


@each("row", CASES["self_uri"], ids=lambda row: row["self"])
def test_self_uris_name_an_observable_of_the_resource_at_hand(row: dict[str, Any]) -> None:
    assert str(parse_self(row["self"])) == row["suffix"]
    assert self_uri(parse_suffix(row["suffix"])) == row["self"]


@each("text", ["self://", "self://body", "self://$no", "ndk://$body", ""])
def test_other_self_uris_are_refused(text: str) -> None:
    with pytest.raises(InvalidUri):
        parse_self(text)


@each("row", CASES["is_child_or_self_derived"], ids=lambda row: f"{row['child']}-{row['parent']}")
def test_what_lies_within_what(row: dict[str, Any]) -> None:
    assert is_child_or_self(parse_uri(row["child"]), parse_uri(row["parent"])) is row["result"]


@each(
    ("child", "parent", "result"),
    [
        ("$chunk/01/02", "$chunk/01", True),
        ("$chunk/01", "$chunk", True),
        ("$chunk/10", "$chunk/01", False),
        ("$body", "$chunk", False),
        ("$file/a/b.tex", "$file/a", True),
        ("$file/ab.tex", "$file/a", False),
        ("$plain", "$plain", True),
        ("$plain", "$body", False),
    ],
)
def test_observables_hold_those_below_them(child: str, parent: str, result: bool) -> None:
    resource = ResourceUri(realm="file", subrealm="p", path=("x",))
    below, above = (resource.observable(parse_suffix(one)) for one in (child, parent))
    assert is_child_or_self(below, above) is result
    elsewhere = ResourceUri(realm="file", subrealm="q", path=("x",)).observable(above.suffix)
    assert not is_child_or_self(below, elsewhere)
    assert not is_child_or_self(resource, above)


@each("row", CASES["chunk_indexes"], ids=lambda row: row["suffix"])
def test_numbers_of_chunks_are_read_without_loss(row: dict[str, Any]) -> None:
    assert list(parse_suffix(row["suffix"]).indexes) == row["indexes"]


@each("row", CASES["chunk_format"], ids=lambda row: row["suffix"])
def test_numbers_of_chunks_have_two_digits_at_least(row: dict[str, Any]) -> None:
    assert str(chunk(*row["indexes"])) == row["suffix"]


names = st.from_regex(r"[A-Za-z0-9._-]{1,20}", fullmatch=True).filter(
    lambda name: name == "-" or any(c.isalnum() for c in name)
)
resources = st.builds(
    ResourceUri,
    realm=st.from_regex(r"[a-z][a-z0-9]+(-[a-z0-9]+){0,2}", fullmatch=True),
    subrealm=names,
    path=st.lists(names, min_size=1, max_size=4).map(tuple),
)
suffixes = st.one_of(
    st.sampled_from([SuffixKind.BODY, SuffixKind.COLLECTION, SuffixKind.PLAIN]).map(
        lambda kind: Suffix(kind=kind)
    ),
    st.lists(st.integers(0, 10**9 - 1), max_size=4).map(lambda indexes: chunk(*indexes)),
    st.tuples(
        st.sampled_from([SuffixKind.FILE, SuffixKind.MEDIA]), st.lists(names, max_size=3).map(tuple)
    ).map(lambda given: Suffix(kind=given[0], path=given[1])),
)


@given(resources, suffixes)
def test_uris_are_parsed_back_from_their_text(resource: ResourceUri, suffix: Suffix) -> None:
    uri = resource.observable(suffix)
    assert parse_uri(str(resource)) == resource
    assert parse_uri(str(uri)) == uri
    assert parse_suffix(str(suffix)) == suffix
    assert is_child_or_self(uri, uri)
    assert is_child_or_self(uri, uri.affordance)
    assert is_child_or_self(uri, resource)


@given(resources, suffixes, suffixes)
def test_one_text_names_one_thing(resource: ResourceUri, one: Suffix, other: Suffix) -> None:
    texts = str(resource.observable(one)), str(resource.observable(other))
    assert (texts[0] == texts[1]) == (one == other)


@given(st.text(max_size=40).map(lambda text: f"ndk://file/p/{text}"))
def test_any_text_is_read_as_itself_or_refused(text: str) -> None:
    with suppress(InvalidUri):
        assert str(parse_uri(text)) == text


@each("row", CASES["filename_normalize"], ids=lambda row: row["in"])
def test_names_are_made_of_any_text(row: dict[str, Any]) -> None:
    if row.get("error"):
        with pytest.raises(ValueError, match="no letter"):
            normalize_name(row["in"])
    else:
        assert normalize_name(row["in"]) == row["out"]


@each("row", CASES["filename_validate"], ids=lambda row: repr(row["in"]))
def test_names_without_letters_are_refused(row: dict[str, Any]) -> None:
    if row["ok"]:
        assert check_name(row["in"]) == row["in"]
    else:
        with pytest.raises(ValueError, match=r"letter|empty"):
            check_name(row["in"])


@given(st.text(max_size=60))
def test_a_made_name_is_a_name_and_stays(text: str) -> None:
    try:
        name = normalize_name(text)
    except ValueError:
        return
    assert check_name(name) == name == normalize_name(name)


@each("row", CASES["web_url"], ids=lambda row: row["in"])
def test_web_addresses_are_kept_as_written(row: dict[str, Any]) -> None:
    if row["ok"]:
        assert parse_web_url(row["in"]) == row["in"]
    else:
        with pytest.raises(InvalidUri):
            parse_web_url(row["in"])


@each(
    "text",
    ["https://a b.org", "ftp://a.org", "https://a.org:0", "https://a.org:99999", "https://a.org/\n",
     "https://[::1", "https://-a.org", "javascript://a.org", "https://a.org:x/"],
)  # fmt: skip
def test_other_text_is_no_web_address(text: str) -> None:
    with pytest.raises(InvalidUri):
        parse_web_url(text)


THESIS = ProjectId.parse("thesis")
SHORT = DOC_ID[:16]


def test_documents_and_passages_are_named_below_their_project() -> None:
    assert str(project_uri(THESIS)) == "ndk://file/proj-local-thesis/-"
    assert str(document_uri(THESIS, DOC_ID)) == f"ndk://file/proj-local-thesis/{SHORT}"
    uri = passage_text_uri(THESIS, DOC_ID, CharSpan(start=0, end=80))
    assert uri == f"ndk://file/proj-local-thesis/{SHORT}/0-80/$chunk"
    passage = parse_uri(uri.removesuffix("/$chunk"))
    assert is_child_or_self(passage, document_uri(THESIS, DOC_ID))


@each("name", ["", "1", "5-5", "9-2", "01-2", "-1-2", "1-2-3", "a-b", "1-" + "9" * 20])
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
