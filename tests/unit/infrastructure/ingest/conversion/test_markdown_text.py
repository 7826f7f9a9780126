"""Markdown: scripts, formulas and elements of HTML as text."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.markdown_text import (
    seen_markdown,
    without_front_matter,
)
from citeloom.infrastructure.ingest.conversion.formats.source_text import restored


@each(
    ("source", "text"),
    [
        ("10^6^, H~2~O, x<sub>2</sub>, 10$^6$", "10⁶, H₂O, x₂, 10⁶"),
        ("it is $P<0.03$ there", "it is P < 0.03 there"),
        ("$$\nE = mc^2\n$$", "E = mc²"),
        ("inter<span class='x'>disci</span>plinary <mark>m</mark>oss", "interdisciplinary moss"),
        ("<div align='center'>Walls—old</div>\n", "\n\nWalls—old\n\n\n"),
        ("“old” _‘new’_ 1990–1995…", "“old” _‘new’_ 1990–1995…"),
        ("<table><tr><td>a</td></tr></table>", "\n\n| a |\n| --- |\n\n"),
        ("# One {#sec:a .x}\n\n[Two]{.smallcaps} <!-- no -->three", "# One\n\nTwo three"),
        ("::: {.note}\nIn it.\n:::\n", "\nIn it.\n\n"),
        ("Thallus\n:   A body.\n", "Thallus\n\nA body.\n"),
        (r"[so] \[z\] `\[x\]`", r"[so] [z] `\[x\]`"),
        ("`{#a}` {x}", "`{#a}` {x}"),
    ],
)
def test_a_line_is_text(source: str, text: str) -> None:
    assert restored(seen_markdown(source)) == text


@each(
    ("source", "text"),
    [
        ("---\ntitle: T\n---\n# One", "# One"),
        ("---\ntitle: T\nauthor:\n- A. Loom\n- Bo Reed\n...\n\n# One", "\n# One"),
        ("---\ntitle: T\nabstract: |\n  Looms\n  weave.\n---\n# One", "Looms\nweave.\n\n# One"),
        ("---\nIt was late.\n---\n# One", "---\nIt was late.\n---\n# One"),
        ("---\n# One\n\n- two\n---\nThree", "---\n# One\n\n- two\n---\nThree"),
        ("---\na: [b\n---\n# One", "---\na: [b\n---\n# One"),
    ],
)
def test_front_matter_is_not_text_but_its_abstract_is(source: str, text: str) -> None:
    assert without_front_matter(source.encode()).decode() == text


@given(st.text(st.sampled_from("ab1^_{}\\$ %<>sup/~"), max_size=40))
def test_any_source_is_read(source: str) -> None:
    seen_markdown(source)


@given(st.text(st.characters(blacklist_characters="^_$\\~<%`"), max_size=60))
def test_source_without_formulas_stays(source: str) -> None:
    assert restored(seen_markdown(source)) == source


def test_code_stays() -> None:
    for source in ("`a^2^ $x$`", "```\n10<sup>6</sup>\n```", "costs $5 and $6 in all"):
        assert restored(seen_markdown(source)) == source


def test_links_within_destinations_without_an_end_are_text() -> None:
    """Each would be read to the end of the text: two minutes for 100 KB."""
    nested = seen_markdown("[a](" * 1000)
    assert nested == r"[a]\(" * 1000
    beside = "[a](b)" * 1000
    assert seen_markdown(beside) == beside
