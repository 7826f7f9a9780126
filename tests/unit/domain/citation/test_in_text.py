"""Citations in the languages of manuscripts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.in_text import (
    Mention,
    latex,
    latex_text,
    markdown_link,
    pandoc,
    typst,
    typst_text,
)
from citeloom.domain.citation.metadata import CiteKey

KEYS = st.text(min_size=1, max_size=12).filter(CiteKey.is_valid)
WORDS = st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1, max_size=12)


def at(key: str, *labels: str, place: str | None = None) -> Mention:
    return Mention(citekey=key, labels=labels, place=place)


@each(
    ("mentions", "in_pandoc", "in_latex", "in_typst"),
    [
        ([at("a", "12")], "[@a, p. 12]", r"\autocite[12]{a}", "@a[p. 12]"),
        ([at("a", "12", "13")], "[@a, pp. 12–13]", r"\autocite[12--13]{a}", "@a[pp. 12–13]"),
        ([at("a")], "[@a]", r"\autocite{a}", "@a"),
        (
            [at("a", "3"), at("b")],
            "[@a, p. 3; @b]",
            r"\autocites[3]{a}{b}",
            "@a[p. 3] @b",
        ),
        (
            [at("a", "xii", "1")],
            "[@a, pp. xii, 1]",
            r"\autocite[xii, 1]{a}",
            "@a[pp. xii, 1]",
        ),
        ([at("a", "S12")], "[@a, p. S12]", r"\autocite[\pno~S12]{a}", "@a[p. S12]"),
        (
            [at("a", "S12", "S13")],
            "[@a, pp. S12–S13]",
            r"\autocite[\ppno~S12--S13]{a}",
            "@a[pp. S12–S13]",
        ),
        (
            [at("a", place="PDF p. 5")],
            "[@a, PDF p. 5]",
            r"\autocite[PDF p.~5]{a}",
            "@a[PDF p. 5]",
        ),
        (
            [at("x/y+z", "1")],
            "[@x/y+z, p. 1]",
            r"\autocite[1]{x/y+z}",
            '#cite(label("x/y+z"), supplement: [p. 1])',
        ),
        (
            [at("ends.", "1")],
            "[@{ends.}, p. 1]",
            r"\autocite[1]{ends.}",
            '#cite(label("ends."), supplement: [p. 1])',
        ),
        (
            [at("a", place="sec. [B] & C_1")],
            "[@a, sec. (B) & C_1]",
            r"\autocite[{sec. [B] \& C\_1}]{a}",
            r"@a[sec. \[B\] & C\_1]",
        ),
    ],
)
def test_a_citation_is_written_as_the_language_has_it(
    mentions: list[Mention], in_pandoc: str, in_latex: str, in_typst: str
) -> None:
    assert pandoc(mentions) == in_pandoc
    assert latex(mentions) == in_latex
    assert typst(mentions) == in_typst


@given(KEYS, WORDS)
def test_latex_reads_one_optional_and_one_mandatory_argument(key: str, place: str) -> None:
    made = latex([at(key, place=place)])
    rest = made.removeprefix(r"\autocite")
    if rest.startswith("["):
        depth, end = 0, 0
        for end, char in enumerate(rest):
            escaped = end and rest[end - 1] == "\\"
            depth += (char == "{" and not escaped) - (char == "}" and not escaped)
            if char == "]" and depth == 0:
                break
        rest = rest[end + 1 :]
    assert rest == f"{{{key}}}"


@given(WORDS)
def test_nothing_in_escaped_latex_is_a_command(text: str) -> None:
    known = r"\\textbackslash\{\}|\\textasciitilde\{\}|\\textasciicircum\{\}|\\[&%$#_{}]"
    assert not set(re.sub(known, "", latex_text(text))) & set("\\~^&%$#_{}")


@given(WORDS)
def test_nothing_in_escaped_typst_is_markup(text: str) -> None:
    bare = re.sub(r"\\.", "", typst_text(text))
    assert not set(bare) & set("\\#*_`@$<>[]~")


@pytest.mark.parametrize(
    ("text", "target", "made"),
    [
        ("(A, p. 1)", "zotero://x?page=1", "[(A, p. 1)](zotero://x?page=1)"),
        ("[1, p. 2]", "https://a.org/b(c)", r"[\[1, p. 2\]](<https://a.org/b(c)>)"),
        ("a_b", None, r"a\_b"),
    ],
)
def test_a_link_in_markdown_has_text_and_target(text: str, target: str | None, made: str) -> None:
    assert markdown_link(text, target) == made
