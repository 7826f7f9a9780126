"""When what is known of a resource is out of date."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from support.builders import A_DAY

from citeloom.domain.resources.metadata import LoadMode, Refresh, ResourceAttrs, stale, to_refresh

BOTH = frozenset(Refresh)


def attrs(**more: Any) -> ResourceAttrs:
    return ResourceAttrs(name="A paper", **more)


@pytest.mark.parametrize(
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
