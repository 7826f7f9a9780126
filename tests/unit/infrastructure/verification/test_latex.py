r"""LaTeX: natbib's and biblatex's commands, and what is set as prose."""

import pytest
from support.cases import each
from support.files.drafts import draft_of, told

from citeloom.domain.errors import InvalidSource


def items(text: str) -> list[tuple[str, str | None, str, str]]:
    return [
        (i.key, i.locator.text if i.locator else None, i.prefix, i.suffix)
        for citation in draft_of("latex", text).citations
        for i in citation.items
    ]


@each(
    ("text", "expected"),
    [
        (r"Ponds cool \cite{a}.", [("a", None, "", "")]),
        (r"Ponds cool \cite{a, b}.", [("a", None, "", ""), ("b", None, "", "")]),
        (r"Ponds cool \autocite[12]{a}.", [("a", "12", "", "")]),
        (
            r"Ponds cool~\citep[see][12--14]{a,b}.",
            [("a", None, "see", ""), ("b", "12--14", "", "")],
        ),
        (r"Ponds cool \footcite[p.~3]{a}.", [("a", "p. 3", "", "")]),
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
def test_commands_that_cite_are_read_with_keys_and_locators(text, expected):
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


@each(
    ("text", "claim"),
    [
        (r"See \href{http://x.org/a%20b}{the \emph{ponds}} that cool \cite{a}.", "See the ponds"),
        (r"Ponds \url{http://x.org/a%20b} cool the street \cite{a}.", "Ponds cool the street"),
        (r"Small \textcolor{blue}{ponds} cool the street \cite{a}.", "Small ponds cool"),
        (r"The \hyperref[sec:a]{ponds above} cool the street \cite{a}.", "The ponds above cool"),
        (r"Small \fcolorbox{red}{white}{ponds} cool the street \cite{a}.", "Small ponds cool"),
    ],
)
def test_of_links_and_colours_only_the_words_are_prose(text: str, claim: str) -> None:
    ((words, cited),) = told("latex", text)
    assert words.startswith(claim)
    assert cited == ["a"]


@each("name", ["lstlisting", "minted", "Verbatim", "comment"])
def test_code_with_open_braces_hides_nothing_after_it(name: str) -> None:
    text = (
        f"Ponds cool \\cite{{a}}.\n\\begin{{{name}}}\nif (x) {{ $y \\cite{{no}}\n"
        f"\\end{{{name}}}\n\n"
        "Lakes cool more \\cite{b}.\n"
    )
    assert told("latex", text) == [("Ponds cool.", ["a"]), ("Lakes cool more.", ["b"])]


def test_an_environment_in_a_comment_is_none() -> None:
    text = "Ponds cool \\cite{a}. 5\\% of % \\begin{comment}\nlakes cool more \\cite{b}.\n"
    assert [cited for _, cited in told("latex", text)] == [["a"], ["b"]]


@each("text", [r"a \verb", r"\href", r"\href{x}", r"a \colorbox", r"\sqrt"])
def test_commands_without_their_arguments_are_left_out(text: str) -> None:
    assert draft_of("latex", text).citations == ()


def test_a_note_that_is_not_closed_ends_with_its_paragraph() -> None:
    text = "Ponds cool \\cite[see {a}.\n\nLakes ] cool \\cite{b}.\n"
    assert items(text)[-1][0] == "b"


def test_a_footnote_with_a_statement_of_its_own_is_a_claim():
    text = (
        "Ponds cool \\cite{a}.\\footnote{Lakes in the north were not looked at \\cite{b}.} Grids.\n"
    )
    assert told("latex", text) == [
        ("Ponds cool.", ["a"]),
        ("Lakes in the north were not looked at.", ["b"]),
        ("Grids.", []),
    ]
