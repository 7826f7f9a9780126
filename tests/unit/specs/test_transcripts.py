"""What counts as a page showing what a command prints."""

import pytest
from support.cases import each

from specs.transcripts.comparison import fits, renewed
from specs.transcripts.pages import Block, blocks

PRINTED = ["created project", "", "a  1", "b  2", "c  3", "done in 4.1 s"]


@each(
    "shown",
    [
        PRINTED,
        ["created project", "", "a  1", "b  2", "c  3", "done in 12 s"],
        ["created project", "…", "done in 4.1 s"],
        ["…", "b  2", "…"],
        ["…", "b  2", "…", "done in 4.1 s"],
        ["…"],
        ["created […]", "…", "c  3", "done […] s"],
    ],
)
def test_lines_may_be_left_out_and_seconds_differ(shown: list[str]) -> None:
    assert fits(shown, PRINTED)


@each(
    "shown",
    [
        PRINTED[1:],
        PRINTED[:-1],
        ["created project", "…", "c  4", "done in 4.1 s"],
        ["…", "b  2", "…", "a  1", "…"],
        ["created project", "…", "created project"],
        [*PRINTED, "…", *PRINTED],
        ["created […] twice", "…"],
    ],
)
def test_other_words_another_order_and_missing_lines_are_told(shown: list[str]) -> None:
    assert not fits(shown, PRINTED)


def test_scores_may_differ_and_numbers_of_a_quotation_may_not() -> None:
    assert fits(["1  [@key, p. 2]  Results  0.62"], ["1  [@key, p. 2]  Results  0.61"])
    assert not fits(["1  [@key, p. 2]  Results  0.62"], ["1  [@key, p. 3]  Results  0.62"])
    assert not fits(["   1.74 K cooler"], ["   1.75 K cooler"])


def test_what_is_written_anew_has_as_much_as_was_shown() -> None:
    assert renewed(["made project", "", "…", "done"], PRINTED) == [*PRINTED[:2], "…", PRINTED[-1]]
    assert renewed(["…", "b  3", "…"], PRINTED) == ["…", "b  2", "…"]
    assert renewed(["nothing of it"], PRINTED) == PRINTED
    assert renewed(["created […]", "done in 5 s"], PRINTED) == [
        "created […]", *PRINTED[1:-1], "done in 5 s",
    ]  # fmt: skip


def test_a_block_has_its_commands_their_output_and_what_is_said_of_it() -> None:
    page = (
        "Text.\n\n<!-- file: a.md -->\n```markdown\nA draft.\n```\n\n"
        "<!-- exit: 3 -->\n```console\n$ one \\\n  --more\nout\n\n$ two\n```\n\n"
        "<!-- not run: why -->\n\nText.\n\n```sh\nthree  # and why\n```\n"
    )
    draft, console, sh = blocks(page)
    assert (draft.lines, draft.said) == (["A draft."], {"file": "a.md"})
    assert console.said == {"exit": "3"}
    first, second = console.commands
    assert (first.text, first.shown) == ("one \\\n  --more", ["out", ""])
    assert (second.text, second.shown) == ("two", [])
    lines = page.splitlines()
    assert (lines[first.first], lines[second.first - 1]) == ("out", "$ two")
    assert sh.said == {}  # the remark before it is parted from it by a text
    assert [command.text for command in sh.commands] == ["three  # and why"]


def test_a_block_that_begins_with_output_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with"):
        _ = Block(1, "console", ["out", "$ one"], {}).commands
