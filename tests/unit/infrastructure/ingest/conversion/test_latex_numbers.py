r"""Numbers and references of LaTeX source, its own definitions, and the files that it includes."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats import latex_files
from citeloom.infrastructure.ingest.conversion.formats.latex_files import with_files
from citeloom.infrastructure.ingest.conversion.formats.latex_numbers import numbered
from citeloom.infrastructure.ingest.conversion.formats.latex_text import seen_source


def written(body: str, head: str = "", class_: str = "article") -> str:
    source = f"\\documentclass{{{class_}}}{head}\\begin{{document}}{body}\\end{{document}}"
    return seen_source(source)[0].partition(r"\begin{document}")[2].partition(r"\end{document}")[0]


@each(
    ("class_", "head", "body", "text"),
    [
        ("article", "", r"\section{A}\subsection{B}\section*{C}\section{D}\subsubsection{E}",
         r"\section{1 A}\subsection{1.1 B}\section*{C}\section{2 D}\subsubsection{2.0.1 E}"),
        ("report", "", r"\chapter{A}\section{B}\subsubsection{C}\chapter{D}\section{E}",
         r"\chapter{1 A}\section{1.1 B}\subsubsection{C}\chapter{2 D}\section{2.1 E}"),
        ("llncs", "", r"\section{A}\subsection{B}\subsubsection{C}",
         r"\section{1 A}\subsection{1.1 B}\subsubsection{C}"),
        ("book", "", r"\frontmatter\chapter{A}\mainmatter\chapter{B}\backmatter\chapter{C}",
         r"\frontmatter\chapter{A}\mainmatter\chapter{1 B}\backmatter\chapter{C}"),
        ("article", "", r"\section{A}\appendix\section{B}\subsection{C}",
         r"\section{1 A}\appendix\section{A B}\subsection{A.1 C}"),
        ("article", r"\setcounter{secnumdepth}{1}", r"\section{A}\subsection{B}",
         r"\section{1 A}\subsection{B}"),
        ("article", r"\setcounter{section}{3}", r"\section[a]{A}", r"\section[a]{4 A}"),
        ("article", r"\renewcommand{\thesection}{\Roman{section}}", r"\section{A}", r"\section{A}"),
        ("apa7", "", r"\section{A}", r"\section{A}"),
        ("article", r"\newcommand{\sec}[1]{\section{#1}}", r"\sec{A}\section{B}",
         r"\section{A}\section{B}"),
    ],
)  # fmt: skip
def test_sections(class_: str, head: str, body: str, text: str) -> None:
    assert written(body, head, class_) == text


@each(
    ("head", "body", "text"),
    [
        ("", r"\begin{equation}a\label{e}\end{equation}\eqref{e}, \ref{e}", "(1), 1"),
        ("", r"\begin{align}a\label{x}\\b\nonumber\\c\label{y}\end{align}\eqref{x,y}", "(1), (2)"),
        ("", r"\begin{align*}a\end{align*}\begin{gather}b\\c\label{y}\end{gather}\ref{y}", "2"),
        ("", r"\begin{equation}\begin{split}a\\b\end{split}\label{e}\end{equation}\ref{e}", "1"),
        ("", r"\begin{subequations}\label{p}\begin{align}a\\b\label{q}\end{align}"
         r"\end{subequations}\ref{p}, \ref{q}", "1, 1b"),
        ("", r"\begin{equation}a\tag{*}\label{s}\end{equation}\eqref{s}", "(*)"),
        (r"\numberwithin{equation}{section}",
         r"\section{A}\begin{equation}a\end{equation}\section{B}\begin{equation}b\label{e}"
         r"\end{equation}\ref{e}", "2.1"),
        (r"\renewcommand{\theequation}{E\arabic{equation}}",
         r"\begin{equation}a\label{e}\end{equation}\ref{e}", "[e]"),
        (r"\newcommand{\eq}[1]{\begin{equation}#1\end{equation}}",
         r"\eq{a}\begin{equation}b\label{e}\end{equation}\ref{e}", "[e]"),
        (r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}",
         r"\be a \ee \be b\label{e} \ee\ref{e}", "2"),
        (r"\newenvironment{eq}{\begin{equation}}{\end{equation}}",
         r"\begin{eq}a\end{eq}\begin{eq}b\label{e}\end{eq}\ref{e}", "2"),
        ("", r"\section{Moss}\label{s}\subsection{B}\label{t}\ref{s}, \ref{t}, \nameref{s}",
         "1, 1.1, Moss"),
        ("", r"\section{A}\label{s}\labelcref{s}, \cref{s}, \autoref{s}", "1, [s], [s]"),
        (r"\usepackage[ngerman]{babel}", r"\section{A}\label{s}\ref{s}", "1"),
        ("", r"\begin{figure}\caption{F}\label{f}\end{figure}\ref{f}", "1"),
        ("", r"\section{A}\begin{figure}\label{f}\caption{F}\end{figure}\ref{f}", "[f]"),
        (r"\newtheorem{thm}{Theorem}[section]\newtheorem{lem}[thm]{Lemma}",
         r"\section{A}\begin{thm}x\end{thm}\begin{lem}\label{l}y\end{lem}\ref{l}", "1.2"),
        ("", r"\section{A}\begin{enumerate}\item\label{i}x\end{enumerate}\ref{i}", "[i]"),
        ("", r"\section{A}x\footnote{y\label{n}}\ref{n}", "[n]"),
        ("", r"\section{A}\label{s}% \section{no}" "\n" r"\verb|\section{no}|\section{B}\label{t}"
         r"\ref{t}", "2"),
        ("", r"\pageref{s}, \ref{gone}", "[s], [gone]"),
        ("", r"\begin{align}a\intertext{so}b\label{e}\end{align}\ref{e}", "2"),
        ("", r"\begin{align}a\\\intertext{so}b\label{e}\end{align}\ref{e}", "2"),
        ("", r"\section{A}\label{s}\section{B}\label{s}\ref{s}", "[s]"),
    ],
)  # fmt: skip
def test_references(head: str, body: str, text: str) -> None:
    found = re.split(r"[{}]|\s{2,}", written(body, head).replace("x[n]", "[n]"))
    assert text in found


@each("class_", ["elsarticle", "revtex4-2", "svjour3"])
@each("appendix", [r"\appendix", r"\begin{appendix}", r"\begin{appendices}"])
def test_appendices_that_a_class_numbers_anew_have_no_numbers(class_: str, appendix: str) -> None:
    equation = r"\begin{equation}a\label{%s}\end{equation}"
    body = f"{equation % 'e'}{appendix}{equation % 'f'}\\ref{{e}}, \\ref{{f}}"
    assert "1, [f]" in written(body, class_=class_)


def test_numbers_stand_in_formulas_captions_and_theorems() -> None:
    body = (
        r"\begin{align}a\\b\end{align}\begin{figure}\caption{Walls}\end{figure}"
        r"\begin{thm}[Moss]Bare.\end{thm}"
    )
    text = written(body, r"\newtheorem{thm}{Theorem}")
    assert r"\begin{align}a\tag{1}\\b\tag{2}\end{align}" in text
    assert r"\caption{Figure 1: Walls}" in text
    assert "Theorem 1 (Moss). Bare." in text
    assert r"\caption{Walls}" in written(body, r"\usepackage[ngerman]{babel}")


def test_a_source_without_all_of_its_files_has_no_numbers() -> None:
    source = r"\documentclass{article}\begin{document}\section{A}\label{s}\ref{s}\end{document}"
    assert r"\section{1 A}" in seen_source(source)[0]
    assert r"\section{A}[s]" in seen_source(source, is_whole=False)[0]


@given(st.text(st.sampled_from("a\\{}[]%*12 \n"), max_size=40), st.data())
def test_any_source_is_numbered(noise: str, data: st.DataObject) -> None:
    pieces = r"""\section{A}|\begin{align}|\end{align}|\\|\label{x}|\ref{x}|\begin{equation}|
        \end{equation}|\caption{|\appendix|\chapter{B}|\newtheorem{t}{T}|\begin{t}|\end{t}|
        \numberwithin{section}{t}|\numberwithin{t}{section}""".split("|")
    drawn = data.draw(st.lists(st.sampled_from(pieces), max_size=12))
    source = r"\documentclass{book}" + noise.join(drawn)
    text = numbered(source, {}, is_whole=True).source
    kept = iter(text)
    assert all(char in kept for char in source)  # numbers alone are added


@each(
    ("definition", "use", "text"),
    [
        (r"\newenvironment{own}[1]{\emph{#1}: }{.}", r"\begin{own}{Moss}bare\end{own}",
         "Moss: bare."),
        (r"\newenvironment{own}[2][so]{#1 #2 }{}", r"\begin{own}{is}it\end{own}", "so is it"),
        (r"\newenvironment{own}{}{}\newenvironment{two}{\begin{own}(}{)\end{own}}",
         r"\begin{two}x\end{two}", "(x)"),
        (r"\NewDocumentCommand{\own}{m O{bare}}{#1 is #2}", r"\own{moss}, \own{slate}[x]",
         "moss is bare, slate is x"),
        (r"\NewDocumentCommand\own{s m}{(#2)}", r"\own{a}\own*{b}", "(a)(b)"),
        (r"\DeclareMathOperator*{\own}{arg\,min}", r"$\own_x f$", "arg min_x f"),
        (r"\newcommand{\own}[1][moss]{<#1>}", r"\own, \own[slate]", "<moss>, <slate>"),
    ],
)  # fmt: skip
def test_own_definitions(definition: str, use: str, text: str) -> None:
    assert written(use, definition).strip() == text


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        path = tmp_path / "paper" / f"{name.replace('__', '/')}.tex"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "paper" / "main.tex"


def joined(path: Path) -> tuple[str, list[str]]:
    return with_files(path.read_text(), path)


@pytest.mark.parametrize(
    ("main", "text"),
    [
        (r"a \input{one} b", "a ONE b"),
        (r"a \input one b", "a ONE b"),
        (r"a \input{one.tex}\input{parts/two} b", "a ONETWO b"),
        (r"\include{one}", "\n\nONE\n\n"),
        (r"\includeonly{parts/two}\include{one}\include{parts/two}",
         "\\includeonly{parts/two}\n\nTWO\n\n"),
        (r"\import{parts/}{three}", "3 TWO"),
        (r"\subfile{sub}", "in it"),
        ("% \\input{one}\n\\verb|\\input{one}|", "% \\input{one}\n\\verb|\\input{one}|"),
        (r"a\endinput b", "a"),
        (r"\input{glyphtounicode}", ""),
    ],
)  # fmt: skip
def test_included_files_stand_in_their_place(main: str, text: str, tmp_path: Path) -> None:
    path = folder(
        tmp_path, main=main, one="ONE", parts__two="TWO", parts__three=r"3 \input{two}",
        sub="\\documentclass[main]{subfiles}\\begin{document}in it\\end{document}",
    )  # fmt: skip
    assert joined(path) == (text, [])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../secret", "outside the folder"),
        ("../paper2/secret", "outside the folder"),
        ("/etc/passwd", "outside the folder"),
        ("~/secret", "is missing"),
        ("link", "outside the folder"),
        (".hidden", "outside the folder"),
        (".git/config", "outside the folder"),
        ("notes.txt", "is missing"),
        ("gone", "is missing"),
        ("main", "includes itself"),
        (r"\jobname-x", "made by a command"),
    ],
)
def test_other_files_are_refused_with_a_reason(name: str, reason: str, tmp_path: Path) -> None:
    path = folder(tmp_path, main=f"a \\input{{{name}}} b")
    (tmp_path / "secret.tex").write_text("SECRET")
    (path.parent / ".hidden.tex").write_text("SECRET")
    (path.parent / "notes.txt").write_text("SECRET")
    (path.parent / "link.tex").symlink_to(tmp_path / "secret.tex")
    text, (warning,) = joined(path)
    assert text == "a  b"
    assert warning.startswith(f"{name}: included, but not read: ")
    assert reason in warning


def test_included_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(tmp_path, main=r"\input{a}\input{a}\input{a}", a="x" * 40)
    monkeypatch.setattr(latex_files, "MOST_CHARACTERS", 110)
    text, (warning,) = joined(path)
    assert text == "x" * 80
    assert "too long" in warning
    loop = folder(tmp_path, main=r"\input{b}", b=r"b\input{c}", c=r"c\input{b}")
    assert joined(loop)[0] == "bc"
    assert "includes itself" in joined(loop)[1][0]
    monkeypatch.setattr(latex_files, "MOST_FILES", 1)
    assert joined(path)[0] == "b"


def test_the_list_of_bibtex_stands_where_it_is_printed(tmp_path: Path) -> None:
    path = folder(tmp_path, main=r"a \bibliography{refs}")
    entries = r"\begin{thebibliography}{9}\bibitem{a} Lund.\end{thebibliography}"
    (path.parent / "main.bbl").write_text(entries)
    assert joined(path) == (f"a {entries}", [])
    (path.parent / "main.bbl").write_text(r"% $ biblatex bbl $ \entry{a}")
    assert joined(path) == (r"a \bibliography{refs}", [])
