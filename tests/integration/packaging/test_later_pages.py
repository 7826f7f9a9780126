"""The pages from the web page on: their commands print what they show."""

import pytest
from support.pages import assert_as_shown, posix_only

from specs.transcripts.pages import CHAINS


def test_there_are_two_chains_of_pages() -> None:
    assert len(CHAINS) == 2


@posix_only
@pytest.mark.pages
def test_the_commands_of_the_later_pages_print_what_is_shown() -> None:
    assert_as_shown("--chain", "1")
