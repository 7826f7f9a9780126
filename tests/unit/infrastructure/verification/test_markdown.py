"""Markdown and plain text with pandoc's citations."""

from support.cases import each
from support.files.drafts import draft_of, told


def items(text: str) -> list[tuple[str, str | None, str, str]]:
    return [
        (i.key, i.locator.text if i.locator else None, i.prefix, i.suffix)
        for citation in draft_of("markdown", text).citations
        for i in citation.items
    ]


@each(
    ("text", "expected"),
    [
        ("Ponds cool [@a].", [("a", None, "", "")]),
        ("Ponds cool [@a, p. 12].", [("a", "p. 12", "", "")]),
        ("Ponds cool [@a, pp. 3-5, and passim].", [("a", "pp. 3-5", "", "and passim")]),
        ("Ponds cool [@a, 12].", [("a", "12", "", "")]),
        (
            "Ponds cool [see @a, p. 3; also -@b].",
            [("a", "p. 3", "see", ""), ("b", None, "also", "")],
        ),
        ("@a [p. 4] says so.", [("a", "p. 4", "", "")]),
        ("-@a says so.", [("a", None, "", "")]),
        (
            "So it is [@{https://x.org/a(1)}, {pp. iv-vi} more].",
            [("https://x.org/a(1)", "pp. iv-vi", "", "more")],
        ),
        ("So it is [@doe:2020a.b].", [("doe:2020a.b", None, "", "")]),
        ("So it is [@a, chap. 3].", [("a", None, "", "chap. 3")]),
        ("Write to me@x.org or \\@a.", []),
        ("See @fig-one and [@tbl:two].", []),
        ("A [link](http://x.org/@a) here.", []),
    ],
)
def test_citations_are_read_as_pandoc_reads_them(text, expected):
    assert items(text) == expected


def test_suppressed_authors_are_told():
    (citation,) = draft_of("markdown", "So it is [-@a].").citations
    assert citation.items[0].suppress_author
    assert not citation.narrative


@each(
    "block",
    [
        "---\ntitle: On @a\n---",
        "```python\nx = '@a'\n```",
        "~~~\n@a\n~~~",
        "# Heading @a",
        "Heading @a\n==========",
        "| x | y |\n|---|---|\n| @a | 2 |",
        "+---+\n| @a |\n+---+",
        "<!-- [@a] -->",
        "::: {.note data=@a}",
        "[x]: http://x.org/@a",
        "$$\n@a\n$$",
        "`@a`",
        "# References\n\nSmith [@a]",
        "    code @a",
    ],
)
def test_code_headings_tables_comments_and_front_matter_cite_nothing(block):
    text = f"{block}\n" if block.startswith("---\n") else f"First words here.\n\n{block}\n"
    assert draft_of("markdown", text).citations == ()


def test_a_section_of_references_ends_with_the_next_heading():
    text = "# References\n\nSmith [@a]\n\n# Appendix\n\nPonds cool the air [@b].\n"
    assert told("markdown", text) == [("Ponds cool the air.", ["b"])]


def test_markup_within_words_and_sentences_goes():
    text = "Ponds **cool** the *near* em**pha**sised [air](http://x.org) by `5` $K$[^1] [@a]."
    assert told("markdown", text) == [("Ponds cool the near emphasised air by 5 K.", ["a"])]


def test_items_of_a_list_are_sentences_of_their_own():
    text = "Two things hold:\n\n- ponds cool the air [@a]\n- grids win every time [@b]\n"
    assert told("markdown", text)[1:] == [
        ("ponds cool the air", ["a"]),
        ("grids win every time", ["b"]),
    ]


def test_a_stop_behind_a_citation_ends_the_sentence_before_a_small_letter_too():
    text = (
        "It takes ten hours [@a, p. 2].\nnbgrader grades [@b]. iPhones sell (cf. [@c] e.g. here).\n"
    )
    assert told("markdown", text) == [
        ("It takes ten hours.", ["a"]),
        ("nbgrader grades.", ["b"]),
        ("iPhones sell (cf. e.g. here).", ["c"]),
    ]


def test_a_note_cites_for_the_sentence_that_it_stands_in():
    text = "Ponds cool the air.^[See @a for more.] Grids win.\n"
    assert ("Ponds cool the air.", ["a"]) in told("markdown", text)


def test_line_endings_of_other_systems_change_no_position():
    draft = draft_of("markdown", "One line.\r\nPonds cool [@a].\r\n")
    (citation,) = draft.citations
    assert draft.position(citation.start).line == 2
    assert draft.position(citation.start).column == 12


def test_plain_text_is_all_prose():
    assert told("plain", "# 5 ponds cool the air [@a, p. 3].") == [
        ("# 5 ponds cool the air.", ["a"])
    ]


def test_a_note_with_a_statement_of_its_own_is_a_claim():
    text = "Ponds cool the air [@a].^[Lakes in the north were not looked at [@b].] Grids win.\n"
    assert told("markdown", text) == [
        ("Ponds cool the air.", ["a"]),
        ("Lakes in the north were not looked at.", ["b"]),
        ("Grids win.", []),
    ]


def test_computed_values_and_cross_references_are_no_words():
    text = "Of `r nrow(x)` ponds `{python} n` cooled the `air` [@a], see @fig-one.\n"
    assert told("markdown", text)[0][0] == "Of ponds cooled the air, see."


def test_powers_and_indices_are_those_of_the_text():
    draft = draft_of("markdown", "See 10<sup>6</sup>, 10^-3^, CO<sub>2</sub> and H~2~O [@k].")
    assert "".join(draft.prose.replace("\u2060", "").split()) == "See10⁶,10⁻³,CO₂andH₂O."
