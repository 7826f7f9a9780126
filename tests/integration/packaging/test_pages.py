"""README and docs/: their commands print what they show, their links lead somewhere."""

import re

import pytest
from support.pages import assert_as_shown, posix_only
from support.paths import ROOT

from specs.transcripts.pages import CHAINS, pages

README_CHARACTERS = 8_000


@posix_only
def test_the_commands_of_the_readme_print_what_is_shown() -> None:
    assert_as_shown("--chain", "0", "--pages", "1")


@posix_only
@pytest.mark.pages
@pytest.mark.parametrize("chain", range(len(CHAINS)))
def test_the_commands_of_a_chain_print_what_is_shown(chain: int) -> None:
    assert_as_shown("--chain", str(chain))


def test_the_navigation_has_every_page_once() -> None:
    found = sorted(path.relative_to(ROOT).as_posix() for path in pages())
    there = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")]
    assert found == sorted(["README.md", *there])


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text("utf-8")) <= README_CHARACTERS


def test_pictures_are_small_and_each_is_shown() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    sizes = [path.stat().st_size for path in pictures]
    assert max(sizes) <= 120_000
    assert sum(sizes) <= 700_000
    page = (ROOT / "docs" / "screenshots.md").read_text("utf-8")
    assert sorted(re.findall(r"\(pictures/([^)]+)\)", page)) == [path.name for path in pictures]


def test_the_film_is_small_and_shown() -> None:
    assert (ROOT / "docs" / "film.webp").stat().st_size <= 3_000_000
    for page, link in (("README.md", "(docs/film.webp)"), ("docs/start.md", "(film.webp)")):
        assert link in (ROOT / page).read_text("utf-8")


def test_links_between_files_of_the_project_lead_to_files() -> None:
    links = re.compile(r"\]\((?!https?:)([^)#]+)")
    others = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md")]
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in [*pages(), *others]
        for link in links.findall(page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]
    assert not broken
