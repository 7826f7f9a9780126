"""Which library is watched when none is named."""

import pytest
from support.builders import A_DAY

from citeloom.application.ports.library import Following
from citeloom.domain.library import LibraryScope
from citeloom.infrastructure.composition.library import as_followed
from citeloom.infrastructure.settings.sections import ZoteroSettings


@pytest.mark.parametrize(
    ("name", "source", "setting"),
    [
        ("zotero.sqlite", "database", "data_dir"),
        ("local API", "local-api", "local_url"),
        ("web API", "web-api", "web_url"),
    ],
)
def test_it_is_the_one_that_is_followed_whatever_the_settings_name(
    name: str, source: str, setting: str
) -> None:
    following = Following(source=name, place="/there", scope=LibraryScope(), synced_at=A_DAY)
    for named in ("database", "web-api"):
        found = as_followed(ZoteroSettings(source=named, data_dir="/elsewhere"), following)
        assert (found.source, getattr(found, setting)) == (source, "/there")


def test_of_several_sources_any_may_answer() -> None:
    following = Following(source="local API", place="x", scope=LibraryScope(), synced_at=A_DAY)
    settings = ZoteroSettings(source="auto")
    assert as_followed(settings, following) == settings
