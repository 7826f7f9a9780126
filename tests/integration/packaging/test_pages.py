"""README and docs/: their commands print what they show, their links lead somewhere."""

import re
import subprocess
import sys

import pytest
from support.command_line import environment
from support.paths import ROOT

from specs.transcripts.pages import pages

README_CHARACTERS = 8_000


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are run in a POSIX terminal")
def test_the_commands_that_the_pages_show_print_what_is_shown() -> None:
    command = [sys.executable, "-m", "specs.transcripts"]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment(), cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if "no curl is installed" in done.stdout:
        pytest.skip(done.stdout)  # of some pages; the others are as shown


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
