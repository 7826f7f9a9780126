r"""LaTeX: natbib's and biblatex's commands, and what is set as prose."""

import pytest
from unit.drafts.reading import draft_of, told

from citeloom.domain.errors import InvalidSource


def items(text: str) -> list[tuple[str, str | None, str, str]]:
    return [
        (i.key, i.locator.text if i.locator else None, i.prefix, i.suffix)
        for citation in draft_of("latex", text).citations
        for i in citation.items
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Ponds cool \cite{a}.", [("a", None, "", "")]),
        (r"Ponds cool \cite{a, b}.", [("a", None, "", ""), ("b", None, "", "")]),
        (r"Ponds cool \autocite[12]{a}.", [("a", "12", "", "")]),
        (
            r"Ponds cool~\citep[see][12--14]{a,b}.",
            [("a", None, "see", ""), ("b", "12--14", "", "")],
        ),
        (r"Ponds cool \footcite[p.~3]{a}.", [("a", "p.~3", "", "")]),
        (r"\textcite{a} says so.", [("a", None, "", "")]),
        (r"\citet*{a} says so.", [("a", None, "", "")]),
        (r"So \autocites[1]{a}[cf.][2]{b}.", [("a", "1", "", ""), ("b", "2", "cf.", "")]),
        (r"So it is \cite{a} % \cite{b}", [("a", None, "", "")]),
        (r"\begin{equation}x = \cite{a}\end{equation}", []),
        ("\\begin{verbatim}\n\\cite{a}\n\\end{verbatim}", []),
        (r"\section{On \cite{a}}", []),
        (r"\begin{tabular}{l}\cite{a}\end{tabular}", []),
        (r"\nocite{a}", []),
        ("\\section*{References}\nSmith \\cite{a}", []),
        (r"\newcommand{\x}{\cite{a}} Words.", []),
    ],
)
def test_citing_commands(text, expected):
    assert items(text) == expected


def test_only_the_document_is_read():
    text = "\\title{On \\cite{a}}\n\\begin{document}\nPonds cool \\cite{b}.\n\\end{document}\n"
    assert told("latex", text) == [("Ponds cool.", ["b"])]


def test_commands_are_read_as_they_are_set():
    text = r"About 5\% of \emph{all} na\"{\i}ve ``ponds'' --- \textbf{not} lakes --- cool \cite{a}."
    assert told("latex", text) == [("About 5% of all naïve “ponds” — not lakes — cool.", ["a"])]


def test_enquote_is_quotation_marks():
    text = r"They say \enquote{ponds \emph{cool} the air} \cite{a}."
    assert told("latex", text) == [("They say “ponds cool the air”.", ["a"])]


def test_a_comment_within_a_paragraph_ends_no_sentence():
    text = "Ponds cool\n% a remark\nthe air \\cite{a}.\n"
    assert told("latex", text) == [("Ponds cool the air.", ["a"])]


def test_a_footnote_cites_for_the_sentence_before_it():
    text = "Ponds cool the air.\\footnote{See \\cite{a}.} Grids win.\n"
    assert told("latex", text) == [("Ponds cool the air.", ["a"]), ("Grids win.", [])]


def test_items_are_sentences_of_their_own():
    text = (
        "\\begin{itemize}\n\\item ponds cool \\cite{a}\n\\item grids win \\cite{b}\n\\end{itemize}"
    )
    assert told("latex", text) == [("ponds cool", ["a"]), ("grids win", ["b"])]


def test_braces_without_end_are_an_error_that_names_the_file():
    with pytest.raises(InvalidSource, match=r"draft\.latex: .*nested too deeply"):
        draft_of("latex", "{" * 20_000)
