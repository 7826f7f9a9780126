"""Metadata of resources: when it is out of date, and the ids of relations."""

import re
from datetime import timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from support.builders import A_DAY
from support.cases import each

from citeloom.domain.resources.metadata import (
    LoadMode,
    Refresh,
    Relation,
    RelationEmbed,
    RelationLink,
    RelationMisc,
    RelationParent,
    ResourceAttrs,
    snake_name,
    stale,
    to_refresh,
)

BOTH = frozenset(Refresh)


def attrs(**more: Any) -> ResourceAttrs:
    return ResourceAttrs(name="A paper", **more)


@each(
    ("known", "now", "refresh"),
    [
        ({"revision_data": "1"}, {"revision_data": "2"}, {Refresh.CONTENT}),
        ({"revision_meta": "1"}, {"revision_meta": "2"}, {Refresh.METADATA}),
        (
            {"revision_data": "1", "revision_meta": "1"},
            {"revision_data": "2", "revision_meta": "2"},
            BOTH,
        ),
        ({"revision_data": "1"}, {"revision_data": "1"}, set()),
        ({"revision_data": "1", "updated_at": A_DAY}, {"revision_data": "1"}, set()),
        ({"revision_data": "1"}, {}, {Refresh.CONTENT}),
        ({"updated_at": A_DAY}, {"updated_at": A_DAY}, set()),
        ({"updated_at": A_DAY}, {"updated_at": A_DAY + timedelta(seconds=1)}, BOTH),
        ({"updated_at": A_DAY}, {}, BOTH),
        ({}, {}, BOTH),
    ],
)
def test_what_changed_is_read_anew(
    known: dict[str, Any], now: dict[str, Any], refresh: set[Refresh]
) -> None:
    assert stale(attrs(**known), attrs(**now)) == refresh


def test_the_mode_decides_before_the_tags_do() -> None:
    known, now = attrs(revision_data="1"), attrs(revision_data="2")
    assert to_refresh(LoadMode.NONE, known, now) == set()
    assert to_refresh(LoadMode.NONE, None, now) == set()
    assert to_refresh(LoadMode.FORCE, now, now) == BOTH
    assert to_refresh(LoadMode.AUTO, known, now) == {Refresh.CONTENT}
    assert to_refresh(LoadMode.AUTO, now, now) == set()
    assert to_refresh(LoadMode.AUTO, None, now) == BOTH


def test_a_citation_url_is_one_of_the_web() -> None:
    assert attrs(citation_url="https://doi.org/10.5555/x").citation_url is not None
    with pytest.raises(ValidationError):
        attrs(citation_url="doi:10.5555/x")


A, B = "ndk://file/p/a", "ndk://file/p/b"
ALL = [
    RelationParent(parent=A, child=B),
    RelationLink(source=A, target=B),
    RelationLink(source=B, target=A),
    RelationEmbed(source=f"{A}/$body", target=f"{A}/$media/f.png"),
    RelationMisc(subkind="Reviewed By", source=A, target=B),
    RelationMisc(subkind="replaces", source=A, target=B),
]


def test_an_id_is_the_kind_and_what_is_said() -> None:
    ids = [relation.id for relation in ALL]
    assert len(set(ids)) == len(ALL)
    for relation in ALL:
        assert re.fullmatch(r"[a-z]+-[a-z0-9]{32}", relation.id)
        assert relation.id.startswith(f"{relation.kind}-")
        assert TypeAdapter(Relation).validate_json(relation.model_dump_json()).id == relation.id
    # For ever: what was written down with an id is found by it.
    assert ALL[1].id == "link-35d471327af0cd86b59a43ea4327d9e7"


def test_the_ends_are_from_the_container_or_source_on() -> None:
    assert [relation.ends for relation in ALL[:2]] == [(A, B), (A, B)]


@each(
    ("kind", "given"),
    [
        (RelationParent, {"parent": f"{A}/$body", "child": B}),
        (RelationMisc, {"subkind": "x", "source": A, "target": f"{B}/$body"}),
        (RelationMisc, {"subkind": "!", "source": A, "target": B}),
        (RelationLink, {"source": A, "target": "https://example.com"}),
    ],
)
def test_ends_are_what_the_kind_relates(kind: Any, given: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        kind(**given)


@each(
    ("given", "name"),
    [("Some Property", "some_property"), ("a/b-c", "a_b_c"), (" Peer (Review)! ", "peer_review"),
     ("x__y", "x_y")],
)  # fmt: skip
def test_names_are_in_lower_case_with_underscores(given: str, name: str) -> None:
    assert snake_name(given) == name == snake_name(name)


@each("text", ["", "!", "漢字", "_"])
def test_what_leaves_no_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no letter"):
        snake_name(text)
