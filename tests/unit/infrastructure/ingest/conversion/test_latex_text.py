"""LaTeX source: what stands within its lines is text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats import latex_text
from citeloom.infrastructure.ingest.conversion.formats.latex_units import (
    number_text,
    quantity_text,
    unit_text,
)
from citeloom.infrastructure.ingest.conversion.formats.source_text import restored


def seen_source(source: str) -> str:
    return latex_text.seen_source(source)[0]


@each(
    ("source", "text"),
    [
        ("walls---old and new---in 1990--1995", "walls—old and new—in 1990–1995"),
        ("``green'' and `old' isn't", "“green” and ‘old’ isn’t"),
        (r"Dr.~Who, e.g.\ 5\,mg, 10\,000", "Dr. Who, e.g. 5 mg, 10 000"),
        (r"dif\-fi\-cult \LaTeX{} and\ldots{} more", "difficult LaTeX and… more"),
        (r"\emph{old} \textbf{n}ew \textsc{Caps}", "old new Caps"),
        (r"\enquote{so \enquote{it} is} \foreignquote{german}{Zitat}", "“so ‘it’ is” “Zitat”"),
        (r"\href{http://a.b}{here} \textcolor{red}{red}", "here red"),
        (r"caf\'e, na\"{\i}ve, \v{C}ad\'ik, \~n, \c{c}", "café, naïve, Čadík, ñ, ç"),
        (r"Vi\d{e}t, ph\h{o}, \textcommabelow{s}, \u{a}, \H{o}", "Viẹt, phỏ, ș, ă, ő"),
        (r"10$^6$ and $x_i \le -3$ and \(a^2\)", "10⁶ and x_i ≤ −3 and a²"),
        (
            r"\textsuperscript{14}C, H\textsubscript{2}O, \ce{CO2}, \ce{Ca^{2+}}",
            "¹⁴C, H₂O, CO₂, Ca²⁺",
        ),
        (r"\cite{a}, \citep[see][p.~3]{a, b}, \citet{c}", "[a], [see a, b, p. 3], [c]"),
        (r"\parencite[12]{a}; \nocite{b}Fig.~\ref{f}, \cref{g}", "[a, 12]; Fig. [f], [g]"),
        (r"\citeA<see>[p.~3]{a}, \shortcite<e.g.>{a}", "[see a, p. 3], [e.g. a]"),
        (r"\citeaffixed{a}{see}, \possessivecite{a}", "[see a], [a]"),
        (r"\volcite{2}[3]{a}, \pvolcite[see]{2}{a}", "[a, 2:3], [see a, 2]"),
        (r"\parencites[1]{a}[2]{b}, \citeauthorNP{a}", "[a, 1][b, 2], [a]"),
        (r"\textcquote[1]{a}{so}, \blockcquote[see][2]{a}[.]{so}", "“so” [a, 1], “so” [see a, 2]"),
        (
            r"\foreigntextcquote{german}[3]{a}{so} \hyphenblockcquote{german}{a}{so}",
            "“so” [a, 3] “so” [a]",
        ),
        (
            r"\textquote[Lund][.]{so}, \foreigntextquote{german}[\cite{a}]{so}",
            "“so” (Lund), “so” [a]",
        ),
        (r"\ding{²}", "▯"),
        (r"\ding{51} \ding{220} \checkmark, STRA\SS E", "✓ ➜ ✓, STRASSE"),
        (r"word\index{x} \todo{y}\phantom{z}end\label{l}", "word end\n\n\\footnote{y}\n\n"),
        (r"$v = \qty{5}{\metre\per\second}$, $\num{1e6}$", "v = 5 m s⁻¹, 1 × 10⁶"),
        (r"\begin{minipage}{5cm}In it.\end{minipage}", r"\begin{minipage}In it.\end{minipage}"),
        (r"\iffalse no \fi yes \begin{comment}no\end{comment}", " yes "),
        (r"A.\newblock B, \gls{cpu}, ,,x'' <<y>>", "A. B, [cpu], „x” «y»"),
        (r"\SI{5.2}{\kelvin}, \qty{7}{\mg}, \ang{45}, \num{1e5}", "5.2 K, 7 mg, 45°, 1 × 10⁵"),
        (r"31\% \& \pounds5 \S~3 \textdegree", "31\\% \ue7ae £5 § 3 °"),
        (r"one\\two", "one two"),
        (r"\verb|a--b| stays", r"\verb|a--b| stays"),
        (r"\emph{\textcquote[12]{\*so", "“”[12]{\\*so}"),
    ],
)
def test_a_line_is_text(source: str, text: str) -> None:
    assert seen_source(source) == text


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand{\own}[1]{the \emph{#1} pond}",
        r"\renewcommand\own[1]{the #1 \pond}\newcommand\pond{pond}",
        r"\newcommand{\own}[2][the]{#1 #2 pond}",
    ],
)
def test_commands_of_the_source_are_written_out(definition: str) -> None:
    source = definition + r"\begin{document}See \own{village}.\end{document}"
    assert r"\begin{document}See the village pond.\end{document}" in seen_source(source)


def test_commands_of_the_source_are_written_out_in_formulas() -> None:
    source = r"\def\R{\mathbb{R}}\begin{document}$x \in \R$ \[ \R \]\end{document}"
    assert r"x ∈ ℝ \[ \mathbb{R}" in seen_source(source)


def test_commands_that_begin_and_end_an_environment_are_written_out() -> None:
    head = r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}"
    text = seen_source(head + r"\begin{document}a---b \be x \ee c\end{document}")
    assert r"a—b \begin{equation} x \end{equation} c" in text


def test_a_per_cent_sign_of_an_address_begins_no_comment() -> None:
    assert restored(seen_source(r"\url{http://a.b/c%20d} x---y")) == "http://a.b/c%20d x—y"


def test_a_paragraph_that_cannot_be_parsed_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = latex_text._Source.written

    def written(self: latex_text._Source) -> str:
        if "broken" in self._source:
            raise IndexError
        return whole(self)

    monkeypatch.setattr(latex_text._Source, "written", written)
    text, (warning,) = latex_text.seen_source("a---b\n\nbroken---c\n\nd---e")
    assert text == "a—b\n\nbroken---c\n\nd—e"
    assert warning.startswith("1 paragraph of the LaTeX source could not be parsed")


def test_a_command_that_needs_itself_ends() -> None:
    assert "b" in seen_source(r"\newcommand{\a}{\a b}\begin{document}\a\end{document}")


def test_a_note_stands_behind_its_paragraph() -> None:
    text = seen_source("One\\footnote{By lot---so.} two.\n\nNext.")
    assert text.split("\n\n") == ["One two.", "", r"\footnote{By lot—so.}", "Next."]
    assert r"\footnote{n}" in seen_source(r"\begin{document}a\footnote{n}\end{document}")


def test_theorems_have_their_titles() -> None:
    source = r"\newtheorem{satz}{Satz}\begin{satz}[Fermat] Es ist so.\end{satz}"
    assert "Satz (Fermat). Es ist so." in seen_source(source)
    assert "Proof. Clear." in seen_source(r"\begin{proof}Clear.\end{proof}")


def test_cells_are_text_and_those_over_several_columns_stand_in_each() -> None:
    table = r"\begin{tabular}{lr}\multicolumn{2}{c}{a--b} \\ `x' & $0.4 \pm 1$\\\end{tabular}"
    written = seen_source(table)
    assert r"a–b & a–b \\ ‘x’ & 0.4 ± 1\\" in written


@pytest.mark.parametrize("name", ["verbatim", "lstlisting"])
def test_code_and_comments_stay(name: str) -> None:
    source = rf"\begin{{{name}}}a -- `b' $x^2${chr(10)}\end{{{name}}}"
    assert seen_source(source) == source
    assert seen_source("% a -- $x^2$\nb") == "% a -- $x^2$\nb"


@each(
    ("source", "text"),
    [
        ("-12", "−12"),
        ("3.5e-3", "3.5 × 10⁻³"),
        ("e6", "10⁶"),
        ("20+-3", "20 ± 3"),
        ("2x3", "2 × 3"),
        ("1;2;3", "1, 2 and 3"),
    ],
)
def test_numbers_of_siunitx(source: str, text: str) -> None:
    assert number_text(source) == text


@each(
    ("source", "options", "text"),
    [
        (r"\metre\per\second", "", "m s⁻¹"),
        (r"\metre\per\second", "per-mode=symbol", "m/s"),
        (r"\per\second", "per-mode = symbol", "1/s"),
        (r"\kilo\metre\squared", "", "km²"),
        (r"\square\metre\per\cubic\second", "", "m² s⁻³"),
        (r"\micro\gram\per\milli\litre", "", "µg mL⁻¹"),
        (r"mol.L^{-1}", "", "mol L⁻¹"),
        (r"m^2", "", "m²"),
        (r"\kg\tothe{4}", "", "kg⁴"),
    ],
)
def test_units_of_siunitx(source: str, options: str, text: str) -> None:
    assert unit_text(source, options) == text


def test_quantities_of_siunitx() -> None:
    assert quantity_text("20", r"\celsius") == "20 °C"
    assert quantity_text("45", r"\degree") == "45°"
    assert quantity_text("5", r"\gram", to="10") == "5 g to 10 g"
    assert quantity_text("1;2", r"\gram") == "1 g and 2 g"


@given(st.text(st.sampled_from("ab1 \\{}$&%~`'-^_[]#\n"), max_size=50))
def test_any_source_is_read(source: str) -> None:
    seen_source(source)
    number_text(source)
    unit_text(source)


@given(
    st.text(st.characters(exclude_characters="\\{}$&%~`'-^_[]#<>,!?", codec="utf-8"), max_size=80)
)
def test_source_without_commands_stays(source: str) -> None:
    assert seen_source(source) == source


@each(
    ("language", "source", "text"),
    [
        ("ngerman", '"`so"\' "=ab ra"-ten "a"s', "„so“ -ab raten äß"),
        ("english,german", '"`so"\'', "„so“"),
        ("naustrian", '"<so">', "«so»"),
        ("english", '"x', '"x'),
    ],
)
def test_shorthands_of_german(language: str, source: str, text: str) -> None:
    head = rf"\usepackage[{language}]{{babel}}"
    body = rf"\begin{{document}}{source}\end{{document}}"
    assert rf"\begin{{document}}{text}\end{{document}}" in seen_source(head + body)
