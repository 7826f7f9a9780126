"""Made-up papers of many looks, typeset with typst; the same seed gives the same paper.

What a paper looks like (columns, margins, fonts, headings, numbering, running heads, page
numbers, outline) is drawn from the seed; the words are nonsense. The truth is known
exactly: titles and levels from the generator, pages from typst itself.
"""

import json
import random
from typing import NamedTuple

import typst

_SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi wo zu ran tel mis kor dun pal ger lin".split()
_SMALL = "the of and in to a with for that on by from is was are not".split()
_TITLES = "Introduction Background Methods Materials Results Discussion Conclusions".split()
_BACK = ["Acknowledgements", "References"]
_NUMBERINGS = [None, "1.1", "1.1.", "I.A", "I.1", "A.1", "1.a", "I.a."]
_STYLES = ["bold", "large", "caps", "smallcaps", "centred", "italic", "same size", "light"]


class Truth(NamedTuple):
    """A heading as printed, its level and its page from 1."""

    title: str
    level: int
    page: int


class Paper(NamedTuple):
    seed: int
    look: str
    pdf: bytes
    headings: tuple[Truth, ...]
    words: tuple[str, ...]
    labels: tuple[str, ...]
    outline: bool


class _Look:
    """What the seed decides of a paper's looks."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.columns = draw.choice([1, 1, 2])
        self.font = draw.choice(["Libertinus Serif", "New Computer Modern"])
        self.size = draw.choice([9, 9.5, 10, 10.5, 11, 12] if self.columns == 1 else [8.5, 9, 10])
        self.paper = draw.choice(["a4", "us-letter", "a5" if self.columns == 1 else "a4"])
        self.margin = draw.choice([16, 20, 26])
        self.numbering = _NUMBERINGS[seed % len(_NUMBERINGS)]
        self.style = draw.choice(_STYLES)
        if self.numbering is None and self.style in ("smallcaps", "italic", "light"):
            self.style = "bold"
        self.indent = draw.random() < 0.6
        self.justify = draw.random() < 0.8
        self.outline = draw.random() < 0.5
        self.first_page = draw.choice([1, 1, 127, 3011])
        self.head = draw.choice(["none", "title", "journal"])
        self.number_at = draw.choice(["bottom", "top"])
        self.long_titles = draw.random() < 0.4
        self.deepest = draw.choice([1, 2, 2, 3])
        self.run_in = self.deepest == 3 and draw.random() < 0.5
        self.plain_abstract = draw.random() < 0.3
        self.numbered_back = draw.random() < 0.2
        self.appendix = draw.random() < 0.4

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in vars(self).items())


def nonsense(draw: random.Random) -> str:
    """A made-up word, or a small English one."""
    if draw.random() < 0.35:
        return draw.choice(_SMALL)
    return "".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(1, 4)))


def _sentence(draw: random.Random) -> list[str]:
    words = [nonsense(draw) for _ in range(draw.randint(6, 22))]
    words[0] = words[0].capitalize()
    if draw.random() < 0.3:
        words[len(words) // 2] += ","
    words[-1] += "."
    return words


def _paragraph(draw: random.Random) -> list[str]:
    return [word for _ in range(draw.randint(2, 6)) for word in _sentence(draw)]


def _title(draw: random.Random, look: _Look, level: int, number: int) -> str:
    if level == 1 and number < len(_TITLES):
        return _TITLES[number]
    long = look.long_titles and draw.random() < 0.5 and not (look.run_in and level == 3)
    least, most = (7, 13) if long else (1, 3)
    words = [nonsense(draw) for _ in range(draw.randint(least, most))]
    words.append("".join(draw.choice(_SYLLABLES) for _ in range(3)))
    return " ".join(words).capitalize()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed * 7 + 1)
        self.look = _Look(seed)
        self.words: list[str] = []
        self.titles: list[tuple[str, int]] = []
        self.source: list[str] = []

    def heading(self, title: str, level: int, numbered: bool = True) -> None:
        if level == 3 and self.look.run_in:
            self.source.append(f"#run-in[{title}.]")
            if self.look.outline:
                self.titles.append((title, level))
            else:  # below inferred sections a run-in head is text
                self.words += f"{title}.".split()
            return
        self.titles.append((title, level))
        number = "" if numbered else ", numbering: none"
        self.source.append(f"#heading(level: {level}{number})[{title}]")

    def text(self, paragraphs: int) -> None:
        for _ in range(paragraphs):
            words = _paragraph(self.draw)
            self.words += words
            note = ""
            if self.draw.random() < 0.1:
                note = f"#footnote[{' '.join(_sentence(self.draw))}]"
            self.source.append(" ".join(words) + note + "\n")

    def extras(self) -> None:
        """A figure, a table or an equation: not part of the running text."""
        caption = " ".join(_sentence(self.draw))
        kind = self.draw.randrange(3)
        if kind == 0:
            self.source.append(
                "#figure(placement: auto, rect(width: 80%, height: 60pt)[grum 12 plo 34], "
                f"caption: [{caption}])"
            )
        elif kind == 1:
            cells = ", ".join(f"[{self.draw.uniform(0, 9):.2f}]" for _ in range(12))
            self.source.append(
                "#figure(placement: auto, table(columns: 4, stroke: none, table.hline(), "
                f"{cells}, table.hline()), caption: [{caption}])"
            )
        else:
            self.source.append("$ x_k = sum_(n=1)^N y_n / (1 - z) $")

    def items(self) -> None:
        for _ in range(self.draw.randint(3, 5)):
            words = _sentence(self.draw)
            self.words += words
            self.source.append("+ " + " ".join(words))
        self.source.append("")

    def write(self) -> str:
        self.source.append(_preamble(self.look))
        if self.look.plain_abstract:
            self.source.append("*Abstract.* #h(0.3em)")
        else:
            self.heading("Abstract", 1, numbered=False)
        self.text(1)
        for n in range(self.draw.randint(4, 7)):
            self.heading(_title(self.draw, self.look, 1, n), 1)
            self._section(1)
        for title in _BACK:
            self.heading(title, 1, numbered=self.look.numbered_back)
            self.text(2)
        if self.look.appendix:
            self.heading("Appendix: " + _title(self.draw, self.look, 1, 99), 1, numbered=False)
            self.text(3)
        self.source.append(_RECORD)
        return "\n".join(self.source)

    def _section(self, level: int) -> None:
        if level == 1 or self.draw.random() < 0.8:
            self.text(self.draw.randint(1, 3))
        if self.draw.random() < 0.25:
            self.items()
            self.text(1)
        if self.draw.random() < 0.3:
            self.extras()
            self.text(1)
        if level < self.look.deepest and self.draw.random() < 0.7:
            for _ in range(self.draw.randint(2, 3)):
                self.heading(_title(self.draw, self.look, level + 1, 99), level + 1)
                self.text(self.draw.randint(1, 2))
                self._section(level + 1)


_RECORD = """
#context [#metadata((
  headings: query(heading).map(it => (
    page: it.location().page(),
    number: if it.numbering == none { "" } else {
      numbering(it.numbering, ..counter(heading).at(it.location()))
    },
  )),
  run-ins: query(<run-in>).map(it => (page: it.location().page(), number: "")),
))<truth>]
"""


def _preamble(look: _Look) -> str:
    size, number = look.size, "counter(page).display()"
    head = {"none": "[]", "title": "[On nonsense]", "journal": "[_Journal of Nonsense_ 12(3)]"}
    top, foot = f"{head[look.head]} + h(1fr)", "[]"
    if look.number_at == "top":
        top += f" + context {number}"
    else:
        foot = f"align(center, context {number})"
    numbering = "none" if look.numbering is None else f'"{look.numbering}"'
    return f"""
#set document(title: "On nonsense", author: "Nemo Nobody")
#set page(paper: "{look.paper}", margin: {look.margin}mm, columns: {look.columns},
  header: {{ set text(size: {size * 0.85}pt); {top} }},
  footer: {{ set text(size: {size * 0.85}pt); {foot} }})
#counter(page).update({look.first_page})
#set text(font: "{look.font}", size: {size}pt, lang: "en", hyphenate: true)
#set par(justify: {str(look.justify).lower()}, leading: 0.6em,
  first-line-indent: {"1.2em" if look.indent else "0pt"},
  spacing: {"0.6em" if look.indent else "1.1em"})
#set heading(numbering: {numbering}, outlined: true, bookmarked: {str(look.outline).lower()})
#show heading: set par(justify: false, first-line-indent: 0pt)
#show heading: set text(hyphenate: false)
{_heading_rules(look)}
#place(top + center, float: true, scope: "parent")[
  #text(size: {size * 1.7}pt)[On nonsense: a study of many words] \\
  #text(size: {size * 1.1}pt)[Nemo Nobody and Ada Author] \\
  #text(size: {size * 0.9}pt, style: "italic")[University of Nowhere]
]
"""


def _heading_rules(look: _Look) -> str:
    sizes = {1: 1.25, 2: 1.1, 3: 1.0}
    rules = [
        "#show heading: set block(above: 1.7em, below: 0.9em)",
        "#let run-in(it) = [#metadata(none)<run-in>*#it* #h(0.9em)]",
    ]
    for level, ratio in sizes.items():
        where = f"#show heading.where(level: {level}):"
        rules.append(f"{where} set text(size: {look.size * ratio:.2f}pt)")
        if level == 1 and look.style == "large":
            rules.append(f'{where} set text(weight: "regular", size: {look.size * 1.35:.2f}pt)')
        elif level == 1 and look.style == "caps":
            rules.append(f"{where} it => upper(it)")
        elif level == 1 and look.style == "smallcaps":
            rules.append(f'{where} set text(weight: "regular", size: {look.size}pt)')
            rules.append(f"{where} it => smallcaps(it)")
        elif level == 1 and look.style == "same size":
            rules.append(f"{where} set text(size: {look.size}pt)")
        elif level == 1 and look.style == "light":
            rules.append(f'{where} set text(weight: "regular", size: {look.size * 1.1:.2f}pt)')
        elif level == 1 and look.style == "centred":
            rules.append(f"{where} set align(center)")
        elif level > 1 and look.style == "italic":
            rules.append(
                f'{where} set text(weight: "regular", style: "italic", size: {look.size}pt)'
            )
    return "\n".join(rules)


def typeset(seed: int) -> Paper:
    writer = _Writer(seed)
    source = writer.write().encode()
    (record,) = json.loads(typst.query(source, "<truth>", field="value", ignore_system_fonts=True))
    pdf = typst.compile(source, ignore_system_fonts=True)
    places = {kind: iter(record[kind]) for kind in ("headings", "run-ins")}
    headings = []
    for title, level in writer.titles:
        run_in = level == 3 and writer.look.run_in
        place = next(places["run-ins" if run_in else "headings"])
        headings.append(Truth(f"{place['number']} {title}".strip(), level, place["page"]))
    look = writer.look
    if look.plain_abstract:
        headings.insert(0, Truth("Abstract.", 1, 1))
    pages = pdf.count(b"/Type /Page\n") + pdf.count(b"/Type/Page/")
    labels = tuple(str(look.first_page + n) for n in range(pages))
    return Paper(seed, str(look), pdf, tuple(headings), tuple(writer.words), labels, look.outline)
