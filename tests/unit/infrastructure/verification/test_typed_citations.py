"""Typed citations in each markup: the prose without them, and the reference list they point to."""

import pytest
from support.cases import each
from support.files.drafts import draft_of, told

LIST = """
# References

[1] Lee, A. (2019). *Ponds at night*. J. Ponds, 1.
[2] Kim, B. (2020). Rivers at noon.
    A second line. J. Rivers, 2.

[3] Ro, C. "Lakes," 2021.
"""


@each(
    ("kind", "text", "expected"),
    [
        ("markdown", "Ponds cool (Smith *et al.*, 2019).", ["Smith et al., 2019"]),
        ("markdown", "Ponds cool [@a] and more (Smith & Lee, 2019).", ["a", "Smith & Lee, 2019"]),
        ("markdown", "Ponds cool (Smith\n& Lee,\n2019).", ["Smith & Lee, 2019"]),
        ("markdown", "- Ponds cool (Smith, 2019).", ["Smith, 2019"]),
        ("latex", r"Ponds cool (Smith \& Lee,~2019).", ["Smith & Lee, 2019"]),
        ("latex", r"Ponds cool (Lechtenb\"orger, 2019).", ["Lechtenbörger, 2019"]),
        ("latex", r"Ponds cool (Smith \emph{et al.}, 2019) \cite{a}.", ["Smith et al., 2019", "a"]),
        ("typst", "Ponds cool (Smith & Lee, 2019) @a.", ["Smith & Lee, 2019", "a"]),
        ("plain", "Ponds cool (Smith & Lee, 2019).", ["Smith & Lee, 2019"]),
    ],
)
def test_claims_are_without_what_is_typed(kind, text, expected):
    assert [keys for _, keys in told(kind, text)] == [expected]
    assert told(kind, text)[0][0].startswith("Ponds cool")
    assert "Smith" not in told(kind, text)[0][0]


def test_a_narrative_citation_is_the_subject_of_its_clause():
    text = "Boeing (2018) finds that streets differ, while Lee (2019) sees none."
    assert told("markdown", text) == [
        ("finds that streets differ", ["Boeing, 2018"]),
        ("sees none.", ["Lee, 2019"]),
    ]


@pytest.mark.parametrize("kind", ["markdown", "plain", "typst"])
def test_numbers_mean_the_entries_of_the_list(kind):
    heading = {"markdown": "# ", "plain": "", "typst": "= "}[kind]
    entries = LIST.replace("# ", heading)
    entries = entries if kind == "markdown" else entries.replace("*", "")
    text = f"Ponds cool [1]. Rivers do not [2, 3].\n{entries}"
    if kind == "typst":  # a bracket without a backslash is content there
        text = text.replace("[", "\\[").replace("]", "\\]")
    assert [keys for _, keys in told(kind, text)] == [["[1]"], ["[2]", "[3]"]]
    works = draft_of(kind, text).works
    titles = [works[f"[{n}]"].entry.title for n in (1, 2)]  # type: ignore[union-attr]
    assert titles == ["Ponds at night", "Rivers at noon"]


@each(
    "words",
    [
        "Ponds cool.^1,2^",
        "Ponds cool<sup>1–2</sup>.",
        "Ponds cool.¹˒²",
        "Ponds cool [1][2].",
        "Ponds cool \\[1, 2\\].",
    ],
)
def test_raised_and_adjacent_numbers(words):
    draft = draft_of("markdown", f"{words}\n{LIST}")
    assert [i.key for one in draft.citations for i in one.items] == ["[1]", "[2]"]


@each(
    "text",
    [
        "Values in $[1, 2]$ grow.",
        "Use `x [1]` and `f (Smith, 2018)` here.",
        "See [Boeing](https://x.org/2018).",
        "See [Boeing, 2018](https://x.org).",
        "See [1] here.\n\n[1]: https://x.org",
        "A note[^1] here.",
        "```\nx (Smith, 2018) [1]\n```",
        "# Ponds (Smith, 2018)\n\nIt rains.",
        "| a (Smith, 2018) | b |\n|---|---|\n| c [1] | d |",
    ],
)
def test_code_formulas_links_and_tables_have_no_typed_citations(text):
    assert draft_of("markdown", f"{text}\n{LIST}").citations == ()


def test_a_bibliography_in_latex_is_the_list_of_its_keys_and_numbers():
    text = r"""
    Ponds cool \cite{lee}. Rivers do not [2]. Lakes do.\textsuperscript{1} So it is.$^{2}$
    The interval $[1,2]$ and \texttt{x (Smith, 2018)} are none.
    \begin{thebibliography}{9}
    \bibitem[Lee(2019)]{lee} A.~Lee. Ponds at \emph{night}. \newblock J. Ponds, 2019.
    \bibitem{kim} Kim, B. (2020). Rivers at noon. J. Rivers, 2.
    \end{thebibliography}
    """
    cited = [keys for _, keys in told("latex", text)]
    assert cited == [["lee"], ["[2]"], ["[1]"], ["[2]"], []]
    works = draft_of("latex", text).works
    assert works["lee"].keys == ("lee",)
    assert works["[2]"].entry is not None
    assert works["[2]"].entry.title == "Rivers at noon"


def test_a_list_under_a_latex_heading_is_numbered_by_its_items():
    text = r"""Ponds cool [2].
    \section*{References}
    \begin{enumerate}
    \item Lee, A. (2019). Ponds at night.
    \item Kim, B. (2020). Rivers at noon.
    \end{enumerate}
    \section{Appendix} Frogs sing."""
    assert told("latex", text)[0] == ("Ponds cool.", ["[2]"])
    entry = draft_of("latex", text).works["[2]"].entry
    assert entry is not None
    assert entry.author == "Kim"
