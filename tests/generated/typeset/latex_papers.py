"""Made-up papers typeset by LaTeX, with their truth; the same seed gives the same source.

Every word of the source carries an invisible mark that writes the number of its page when
the page is shipped out, so the truth is LaTeX's own: which words stand on which page, in
the order of the source, and where each heading was set.
"""

import os
import random
import shutil
import subprocess
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from generated.typeset.latex_looks import CLASSES, Look, front, preamble
from generated.typeset.latex_prose import Prose


def _latex() -> str | None:
    """pdflatex, where the classes of the papers are installed too."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return None
    names = [f"{name}.cls" for name in CLASSES]
    found = subprocess.run(["kpsewhich", *names], capture_output=True, encoding="utf-8")
    return shutil.which("pdflatex") if len(found.stdout.split()) == len(names) else None


LATEX = _latex()
_FIGURE_WORDS = "Encoder Decoder Pump Valve Sensor Kiln Router Ledger Mixer Turbine".split()
_RUNS = 3  # pdflatex's: contents and references settle in the second, pages in the third


class Part(StrEnum):
    """What a word belongs to. Only ``TEXT`` has a place in the reading order."""

    TEXT = "text"
    NOTE = "footnote"
    CAPTION = "caption"
    CELL = "cell"
    HEADING = "heading"


class Word(NamedTuple):
    text: str
    page: int
    part: Part


class Heading(NamedTuple):
    """A heading's words, its level among those that the paper uses, its page from 1. The
    number of a ``chapter`` has a line of its own."""

    title: str
    level: int
    page: int
    numbered: bool
    chapter: bool = False


class LatexPaper(NamedTuple):
    seed: int
    look: Look
    path: Path
    title: str
    headings: tuple[Heading, ...]
    words: tuple[Word, ...]
    figure_words: frozenset[str]


_MARKS = r"""
\newwrite\truth \immediate\openout\truth=truth.txt
\protected\def\Word#1{\leavevmode\write\truth{W #1 \the\ReadonlyShipoutCounter}}
\protected\def\Head#1{\leavevmode\write\truth{H #1 \the\ReadonlyShipoutCounter}}
"""


class _Writer:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.draw = random.Random(f"text {seed}")
        self.prose = Prose(self.draw)
        self.look = Look(seed)
        self.words: list[tuple[str, Part]] = []
        self.titles: list[tuple[str, int, bool]] = []
        self.cited = 0
        self.title = self.prose.title(self.look.title_words - 2, self.look.title_words)

    def marked(self, words: Iterable[str], part: Part = Part.TEXT) -> str:
        """The words with their marks, each remembered."""
        out = []
        for word in words:
            out.append(rf"\Word{{{len(self.words)}}}{_escaped(word)}")
            self.words.append((word, part))
        return " ".join(out)

    def heading(self, title: str, depth: int, starred: bool = False) -> str:
        kind = self.look.kind
        numbered = not starred and self.look.numbered(depth)
        command = kind.levels[depth - 1]
        if command == "paragraph" and not (numbered or self.look.outline):
            stop = "." if self.look.stopped else ""  # below inferred sections it is text
            return "\n" + rf"\paragraph*{{{self.marked(title.split())}{stop}}}" + "\n"
        number = len(self.titles)
        self.titles.append((title, depth, numbered))
        plain = starred or self.look.name == "IEEEtran"  # its appendix takes no short title
        short = "" if plain else f"[{_escaped(title)}]"
        stop = "." if command == "paragraph" and self.look.stopped else ""
        marked = rf"\Head{{{number}}}" + _escaped(title)
        return "\n" + rf"\{command}{'*' if starred else ''}{short}{{{marked}{stop}}}" + "\n"

    def paragraph(self) -> str:
        """A paragraph, with formulas, citations and footnotes here and there."""
        out = []
        for _ in range(self.draw.randint(2, 6)):
            text = self.marked(self.prose.sentence())
            chance = self.draw.random()
            if chance < 0.12:
                text = rf"For $x_{{{self.draw.randint(1, 9)}}} \le \alpha^2$ {text}"
            elif chance < 0.2:
                text += rf"\footnote{{{self.marked(self.prose.sentence(), Part.NOTE)}}}"
            elif chance < 0.28 and not self.look.author_year:
                text += rf" \cite{{r{self.draw.randint(1, 9)}}}"
            out.append(text)
        return "\n".join(out) + "\n\n"

    def section(self, depth: int) -> str:
        out = []
        if depth == 1 or self.draw.random() < 0.8:
            out += [self.paragraph() for _ in range(self.draw.randint(1, 3))]
        makers = [self.items, self.equation, self.figure, self.table, self.theorem]
        for make in self.draw.sample(makers, self.draw.randint(0, 2)):
            out += [make(), self.paragraph()]
        if depth < self.look.deepest + self.look.chapters and self.draw.random() < 0.7:
            for _ in range(self.draw.randint(2, 3)):
                out += [self.heading(self.name(), depth + 1), self.paragraph()]
                out.append(self.section(depth + 1))
        elif self.look.run_in and self.draw.random() < 0.6:
            for _ in range(self.draw.randint(2, 3)):
                out += [self.heading(self.prose.title(2, 3), 4), self.paragraph()]
        return "".join(out)

    def name(self) -> str:
        long = self.look.long_titles and self.draw.random() < 0.4
        return self.prose.title(*((8, 14) if long else (2, 5)))

    def items(self) -> str:
        kind = self.draw.choice(["itemize", "enumerate"])
        out = []
        for n in range(self.draw.randint(3, 5)):
            words = [w for _ in range(self.draw.randint(1, 2)) for w in self.prose.sentence()]
            out.append(rf"\item {self.marked(words)}")
            if n == 1 and self.draw.random() < 0.5:
                inner = (rf"\item {self.marked(self.prose.sentence())}" for _ in range(2))
                out.append("\n".join([r"\begin{itemize}", *inner, r"\end{itemize}"]))
        return "\n".join([rf"\begin{{{kind}}}", *out, rf"\end{{{kind}}}"]) + "\n\n"

    def equation(self) -> str:
        if self.draw.random() < 0.5:
            return (
                "\\begin{equation}\n"
                r"\hat{y}_k = \sum_{n=1}^{N} \frac{a_n x_n^2}{1 - \beta_k}"
                "\n\\end{equation}\n"
            )
        return (
            "\\begin{align}\n"
            r"u(t) &= \int_0^t e^{-\lambda s}\, v(s)\, ds, \\ v'(t) &= \sqrt{u(t)} + O(t^2)."
            "\n\\end{align}\n"
        )

    def _float(self, name: str, body: str, caption: str, above: bool) -> str:
        star = "*" if self.look.columns == 2 and self.draw.random() < 0.3 else ""
        parts = [caption, body] if above else [body, caption]
        placed = "t" if star else self.draw.choice(["t", "htbp", "b"])
        inner = "\n".join(parts)
        return f"\\begin{{{name}{star}}}[{placed}]\\centering\n{inner}\n\\end{{{name}{star}}}\n"

    def _caption(self) -> str:
        words = self.prose.paragraph(1, 2)
        return rf"\caption{{{self.marked(words, Part.CAPTION)}}}"

    def figure(self) -> str:
        names = self.draw.sample(_FIGURE_WORDS, 3)
        if self.draw.random() < 0.5:
            boxes = "".join(
                rf"\node[draw,minimum height=8mm] (n{i}) at ({2.3 * i},{i % 2}) {{{name}}};"
                for i, name in enumerate(names)
            )
            body = boxes + r"\draw[->] (n0) -- (n1); \draw[->] (n1) -- (n2);"
        else:
            ticks = "".join(
                rf"\draw ({i},0) -- ({i},-0.1) node[below] {{\small {i * 20}}};" for i in range(6)
            )
            body = (
                r"\draw[->] (0,0) -- (5.5,0); \draw[->] (0,0) -- (0,3);"
                rf"{ticks}\draw[thick] (0,0.3) -- (1,1.7) -- (3,1.1) -- (5,2.6);"
                rf"\draw[dashed] (0,2) -- (5,0.4) node[right] {{\small {names[0]}}};"
            )
        picture = rf"\begin{{tikzpicture}}[scale=0.9]{body}\end{{tikzpicture}}"
        return self._float("figure", picture, self._caption(), above=False)

    def table(self) -> str:
        caption = self._caption()
        rows = [[self.prose.noun() for _ in range(4)]]
        rows += [
            [self.prose.noun(), *(f"{self.draw.uniform(0, 99):.2f}" for _ in "abc")]
            for _ in range(self.draw.randint(3, 7))
        ]
        lines = [" & ".join(self.marked([c], Part.CELL) for c in row) + r" \\" for row in rows]
        if self.look.booktabs:
            inner = "\n".join([r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"])
            body = rf"\begin{{tabular}}{{lrrr}}{inner}\end{{tabular}}"
        else:
            inner = "\n".join([r"\hline", *(line + r" \hline" for line in lines)])
            body = rf"\begin{{tabular}}{{|l|r|r|r|}}{inner}\end{{tabular}}"
        return self._float("table", body, caption, above=True)

    def theorem(self) -> str:
        kind = self.draw.choice(["theorem", "lemma"])
        words = self.marked(self.prose.paragraph(1, 2))
        out = f"\\begin{{{kind}}}\n{words}\n\\end{{{kind}}}\n"
        if self.look.kind.proof:
            out += f"\\begin{{proof}}\n{self.marked(self.prose.paragraph(2, 3))}\n\\end{{proof}}\n"
        return out

    def bibliography(self) -> str:
        out = []
        for n in range(1, self.draw.randint(14, 24)):
            names = [self.prose.name(), self.prose.name()]
            year = self.draw.randint(1950, 2021)
            first = self.draw.randint(1, 900)
            words = f"{names[0]}, A., and {names[1]}, B.: {self.prose.title(4, 9)}.".split()
            words += f"Journal of {self.prose.nouns()}, {first % 40 + 1}, {year}.".split()
            label = f"[{names[0]} and {names[1]}({year})]" if self.look.author_year else ""
            out.append(rf"\bibitem{label}{{r{n}}} {self.marked(words)}")
        return "\\begin{thebibliography}{99}\n" + "\n\n".join(out) + "\n\\end{thebibliography}\n"

    def write(self) -> str:
        look = self.look
        self.titles.append(("Abstract", 1, False))
        abstract = self.marked(self.prose.paragraph(4, 7))
        keywords = ", ".join(self.prose.noun() for _ in range(4)) if look.keywords else ""
        authors = [
            f"{self.prose.name()} {self.prose.name()}" for _ in range(self.draw.randint(1, 3))
        ]
        body = []
        for n in range(self.draw.randint(3, 4) if look.chapters else self.draw.randint(5, 8)):
            body += [self.heading("Introduction" if n == 0 else self.name(), 1), self.section(1)]
        if self.draw.random() < 0.5:
            body += [self.heading("Acknowledgements", 1, starred=True), self.paragraph()]
        cited = len(self.titles)
        self.titles.append(("Bibliography" if look.chapters else "References", 1, False))
        body.append(self.bibliography())
        if look.appendix:
            body += ["\\appendix\n", self.heading(self.name(), 1), self.section(1)]
        named = "".join(
            rf"\ifdefined\{name}\let\plain{name}\{name}"
            rf"\def\{name}{{\Head{{{n}}}\plain{name}}}\fi" + "\n"
            for name, n in (("abstractname", 0), ("refname", cited), ("bibname", cited))
        )
        return "\n".join(
            [
                preamble(look),
                _MARKS,
                r"\begin{document}",
                named + rf"\setcounter{{page}}{{{look.first_page}}}",
                front(look, _escaped(self.title), authors, keywords, abstract),
                r"\tableofcontents" if look.contents else "",
                *body,
                r"\end{document}",
            ]
        )


def _escaped(text: str) -> str:
    text = text.replace("%", r"\%").replace("“", "``").replace("”", "''")
    return text.replace("—", "---")


def typeset(seed: int, folder: Path) -> LatexPaper:
    """The paper of ``seed``; its source and PDF are left in ``folder`` / the seed.

    A PDF of the same source that lies there is not made again. Raises RuntimeError with the
    end of LaTeX's log if the source cannot be typeset.
    """
    writer = _Writer(seed)
    source = writer.write()
    place = folder / str(seed)
    place.mkdir(parents=True, exist_ok=True)
    tex, marks = place / "paper.tex", place / "truth.txt"
    if not (marks.is_file() and tex.is_file() and tex.read_text("utf-8") == source):
        marks.unlink(missing_ok=True)
        tex.write_text(source, "utf-8")
        _run(place)
    pages: dict[tuple[str, int], int] = {}
    for line in marks.read_text().splitlines():
        kind, number, page = line.split()
        key = (kind, int(number))
        pages[key] = min(int(page), pages.get(key, int(page)))  # running heads repeat headings
    return _paper(writer, place / "paper.pdf", pages)


def _run(place: Path) -> None:
    command = [str(LATEX), "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    frozen = {**os.environ, "SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
    for _ in range(_RUNS):
        done = subprocess.run(command, cwd=place, env=frozen, capture_output=True, check=False)
        if done.returncode:
            (place / "truth.txt").unlink(missing_ok=True)
            raise RuntimeError(done.stdout.decode("utf-8", "replace")[-1500:])


def _paper(writer: _Writer, pdf: Path, pages: dict[tuple[str, int], int]) -> LatexPaper:
    """What of the source was printed: some classes have no heading above their references."""
    printed = [(n, t) for n, t in enumerate(writer.titles) if ("H", n) in pages]
    depths = sorted({depth for _, (_, depth, _) in printed})
    headings = [
        Heading(
            title,
            depths.index(depth) + 1,
            pages["H", n],
            numbered,
            chapter=writer.look.chapters and depth == 1,
        )
        for n, (title, depth, numbered) in printed
    ]
    words = [
        Word(text, pages["W", n], part)
        for n, (text, part) in enumerate(writer.words)
        if ("W", n) in pages
    ]
    return LatexPaper(
        writer.seed,
        writer.look,
        pdf,
        writer.title,
        tuple(headings),
        tuple(words),
        frozenset(w.lower() for w in _FIGURE_WORDS),
    )
