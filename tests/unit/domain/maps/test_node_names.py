"""Ids, titles and summaries of nodes."""

from support.cases import each

from citeloom.domain.maps.resource_map import (
    SUMMARY,
    TITLE,
    UsedNames,
    first_sentence,
    name_id,
    short_title,
    slug,
    unique_name,
)


def test_names_among_siblings_are_told_apart() -> None:
    used: UsedNames = {}
    given = [unique_name(name, used) for name in ("a", "a-2", "a", "a", "b", "a-2", "a")]
    assert given == ["a", "a-2", "a-3", "a-4", "b", "a-2-2", "a-5"]


def test_many_equal_names_are_counted_on() -> None:
    used: UsedNames = {}
    names = [unique_name("a", used) for _ in range(200_000)]
    assert names[-1] == "a-200000"


@each(
    ("title", "made"),
    [
        ("2.1 The Method", "the-method"),
        ("A b", "b"),
        ("***", "section"),
        ("One two three four five six", "one-two-three-four-five"),
    ],
)
def test_titles_become_slugs(title: str, made: str) -> None:
    assert slug(title) == made


@each(
    ("name", "made"),
    [("__init__", "__init__"), ("a.b", "a-b"), ("a b/c", "a-b-c"), ("//", "item"), ("$x", "$x")],
)
def test_names_become_ids(name: str, made: str) -> None:
    assert name_id(name) == made


def test_sentences_and_titles_are_short_and_on_one_line() -> None:
    assert first_sentence("One\n goes on. Two.") == "One goes on."
    assert first_sentence(" \n ") is None
    assert len(first_sentence("word " * 9_999) or "") <= SUMMARY
    assert short_title(" a\n b ") == "a b"
    assert short_title(" ") is None
    assert len(short_title("word " * 99) or "") <= TITLE
