"""Typst: references, ``#cite``, and what is no prose."""

from support.cases import each
from support.files.drafts import draft_of, told


def items(text: str) -> list[tuple[str, str | None]]:
    return [
        (i.key, i.locator.text if i.locator else None)
        for citation in draft_of("typst", text).citations
        for i in citation.items
    ]


@each(
    ("text", "expected"),
    [
        ("Ponds cool @a.", [("a", None)]),
        ("Ponds cool @a[p. 12].", [("a", "p. 12")]),
        ("Ponds cool @a:2020-b @c.", [("a:2020-b", None), ("c", None)]),
        ("So #cite(<a>, supplement: [pp. 3-5]).", [("a", "pp. 3-5")]),
        ('So #cite(label("a/b"), form: "prose").', [("a/b", None)]),
        ("= Intro <a>\nSee @a.", []),
        ("// @a\nWords.", []),
        ("/* @a */ Words.", []),
        ("`@a` and ```\n@a\n``` Words.", []),
        ("#let x = [on\n@a]\nWords.", []),
        ('#figure(image("x.png"), caption: [On @a])\nWords.', []),
        ("= On @a\nWords.", []),
        ("me@x.org \\@a", []),
        ("= References\nSmith @a", []),
    ],
)
def test_citations_of_typst_are_read_with_keys_and_supplements(text, expected):
    assert items(text) == expected


def test_markup_goes_and_content_in_the_line_stays():
    text = "Ponds *cool* the #emph[near] air by $5$ K @a. // not @b\nGrids _win_ @c.\n"
    assert told("typst", text) == [
        ("Ponds cool the near air by 5 K.", ["a"]),
        ("Grids win.", ["c"]),
    ]


def test_a_footnote_cites_for_its_sentence():
    assert told("typst", "Ponds cool the air.#footnote[See @a.] Grids win.")[0] == (
        "Ponds cool the air.",
        ["a"],
    )


def test_a_quotation_ends_where_its_content_does():
    text = "They say #quote[ponds cool the air], and *not* much more @a.\n"
    assert told("typst", text) == [("They say “ponds cool the air”, and not much more.", ["a"])]
