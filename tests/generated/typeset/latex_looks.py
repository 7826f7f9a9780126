"""How a made-up LaTeX paper looks: class, fonts, margins, numbering, heads, drawn from a seed."""

import random
from typing import NamedTuple


class Kind(NamedTuple):
    """A document class. ``levels`` are its heading commands from the outermost; the first
    ``numbered`` of them have numbers. ``free`` classes take other fonts, margins and styles."""

    options: tuple[str, ...]
    levels: tuple[str, ...]
    numbered: int
    free: bool = False
    theorems: bool = True
    proof: bool = False


_SECTIONS = ("section", "subsection", "subsubsection", "paragraph")
_CHAPTERS = ("chapter", "section", "subsection", "paragraph")

CLASSES = {
    "article": Kind(
        ("10pt,a4paper", "11pt,letterpaper", "12pt,a4paper", "10pt,twocolumn"),
        _SECTIONS,
        3,
        free=True,
        proof=True,
    ),
    "IEEEtran": Kind(("conference", "journal", "10pt,journal,compsoc"), _SECTIONS, 4),
    "report": Kind(("11pt,a4paper", "12pt,letterpaper"), _CHAPTERS, 3, free=True, proof=True),
    "acmart": Kind(
        ("sigconf,nonacm", "acmsmall,nonacm", "manuscript,nonacm"), _SECTIONS, 3, theorems=False
    ),
    "revtex4-2": Kind(
        ("aps,pra,reprint", "aps,prl,twocolumn", "aps,pre,preprint", "aip,jcp,reprint"),
        _SECTIONS,
        4,
    ),
    "elsarticle": Kind(("preprint,12pt", "5p,twocolumn", "3p", "1p,authoryear"), _SECTIONS, 3),
    "llncs": Kind(("", "runningheads"), _SECTIONS, 2, theorems=False),
    "amsart": Kind(("11pt", "10pt", "12pt,reqno"), _SECTIONS, 3, proof=True),
    "scrartcl": Kind(
        ("11pt", "10pt,DIV=12", "12pt,parskip=half", "10pt,twocolumn"),
        _SECTIONS,
        3,
        free=True,
        proof=True,
    ),
    "book": Kind(("10pt", "11pt,oneside"), _CHAPTERS, 3, free=True, proof=True),
    "mnras": Kind(("fleqn", "fleqn,onecolumn"), _SECTIONS, 4),
}

_FONTS = {
    "Computer Modern, OT1": "",
    "Computer Modern, T1": r"\usepackage[T1]{fontenc}",
    "Latin Modern": r"\usepackage[T1]{fontenc}\usepackage{lmodern}",
    "Times": r"\usepackage[T1]{fontenc}\usepackage{mathptmx}",
    "Termes": r"\usepackage[T1]{fontenc}\usepackage{newtxtext,newtxmath}",
    "Palatino": r"\usepackage[T1]{fontenc}\usepackage{newpxtext,newpxmath}",
    "Libertine": r"\usepackage[T1]{fontenc}\usepackage{libertine}",
    "Charter": r"\usepackage[T1]{fontenc}\usepackage{XCharter}",
    "Utopia": r"\usepackage[T1]{fontenc}\usepackage{fourier}",
    "Garamond": r"\usepackage[T1]{fontenc}\usepackage{ebgaramond}",
    "Helvetica": r"\usepackage[T1]{fontenc}\usepackage[scaled]{helvet}"
    r"\renewcommand{\familydefault}{\sfdefault}",
}
_STYLES = {
    "the class's own": "",
    "sans": r"\titleformat*{\section}{\Large\sffamily\bfseries}"
    r"\titleformat*{\subsection}{\large\sffamily\bfseries}"
    r"\titleformat*{\subsubsection}{\normalsize\sffamily\bfseries}",
    "small capitals": r"\titleformat*{\section}{\large\scshape}"
    r"\titleformat*{\subsection}{\normalsize\itshape}"
    r"\titleformat*{\subsubsection}{\normalsize\itshape}",
    "centred": r"\titleformat*{\section}{\large\bfseries\centering}"
    r"\titleformat*{\subsection}{\normalsize\bfseries\centering}"
    r"\titleformat*{\subsubsection}{\normalsize\itshape\centering}",
    "capitals": r"\titleformat{\section}{\normalsize\bfseries}{\thesection}{1em}{\MakeUppercase}"
    r"\titleformat*{\subsection}{\normalsize\bfseries}"
    r"\titleformat*{\subsubsection}{\normalsize\bfseries\itshape}",
    "same size": r"\titleformat*{\section}{\normalsize\bfseries}"
    r"\titleformat*{\subsection}{\normalsize\bfseries\itshape}"
    r"\titleformat*{\subsubsection}{\normalsize\itshape}",
}
_NUMBERS = {
    "arabic": "",
    "roman": r"\renewcommand{\thesection}{\Roman{section}}",
    "letters": r"\renewcommand{\thesection}{\Alph{section}}",
    "stopped": r"\renewcommand{\thesection}{\arabic{section}.}"
    r"\renewcommand{\thesubsection}{\thesection\arabic{subsection}.}",
    "none": r"\setcounter{secnumdepth}{-1}",
}


class Look:
    """What the seed decides. Classes take turns, so that any eleven seeds have them all."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(f"look {seed}")
        self.name = list(CLASSES)[seed % len(CLASSES)]
        self.kind = kind = CLASSES[self.name]
        turn = seed // len(CLASSES)
        self.options = kind.options[(turn + draw.randrange(2)) % len(kind.options)]
        self.chapters = kind.levels is _CHAPTERS
        free = kind.free
        self.font = draw.choice(list(_FONTS)) if free else "the class's own"
        self.margin = draw.choice(["", "", "margin=2cm", "margin=1in", "hmargin=35mm"])
        if not free or "DIV" in self.options:
            self.margin = ""
        plain = not free or self.chapters or self.name == "scrartcl"
        self.style = "the class's own" if plain else draw.choice(list(_STYLES))
        self.numbers = draw.choice(list(_NUMBERS)) if free and not self.chapters else "arabic"
        if free and not self.chapters and draw.random() < 0.4:
            self.numbers = "arabic"
        if self.numbers == "none" and self.style in ("small capitals", "same size"):
            self.style = "sans"
        self.first_page = draw.choice([1, 1, 1, 37, 211, 1043])
        self.heads = draw.choice(["class", "class", "fancy", "none"]) if free else "class"
        self.title_words = draw.choice([3, 6, 10, 14])
        self.long_titles = draw.random() < 0.5
        self.deepest = draw.choice([1, 2, 2, 3])
        # amsart's paragraph heads look like any sentence
        self.run_in = draw.random() < 0.4 and self.name != "amsart"
        self.stopped = draw.random() < 0.5
        natural = free and draw.random() < 0.5
        self.author_year = natural or "authoryear" in self.options
        self.outline = free and draw.random() < 0.4
        self.contents = self.chapters or (free and draw.random() < 0.2)
        self.spread = draw.choice([1, 1, 1, 1.25, 1.5]) if free else 1
        self.parskip = free and self.name != "scrartcl" and draw.random() < 0.25
        self.microtype = draw.random() < 0.3
        self.booktabs = draw.random() < 0.6
        self.appendix = draw.random() < 0.5
        self.keywords = draw.random() < 0.6

    @property
    def columns(self) -> int:
        one = ("onecolumn", "preprint", "manuscript", "acmsmall", "3p", "1p")
        two = ("twocolumn", "reprint", "sigconf", "5p")
        if any(word in self.options.split(",") for word in one):
            return 1
        named = any(word in self.options.split(",") for word in two)
        return 2 if named or self.name in ("IEEEtran", "mnras") else 1

    def __str__(self) -> str:
        shown = {k: v for k, v in vars(self).items() if k not in ("kind", "chapters")}
        return ", ".join(f"{key} {value}" for key, value in shown.items())

    def numbered(self, level: int) -> bool:
        """Whether headings of ``level`` (from 1) are printed with their numbers."""
        letter = "prl" in self.options  # Physical Review Letters numbers nothing
        return self.numbers != "none" and level <= self.kind.numbered and not letter


def preamble(look: Look) -> str:
    """Everything in front of the title, without the marks that record the truth."""
    options = look.options
    lines = [rf"\documentclass[{options}]{{{look.name}}}"]
    if look.name in ("revtex4-2", "elsarticle", "amsart", "llncs", "mnras"):
        lines.append(r"\usepackage[T1]{fontenc}" if look.microtype else "")
    if look.name == "mnras":
        lines.append(r"\usepackage{newtxtext,newtxmath}")
    if look.name not in ("acmart", "amsart"):
        lines.append(r"\usepackage{amsmath}")
    if look.kind.proof and look.name != "amsart":
        lines.append(r"\usepackage{amsthm}")
    lines.append(_FONTS.get(look.font, ""))  # newtxmath wants amsthm before it
    if look.kind.theorems:
        lines.append(r"\newtheorem{theorem}{Theorem}\newtheorem{lemma}[theorem]{Lemma}")
    if look.margin:
        lines.append(rf"\usepackage[{look.margin}]{{geometry}}")
    if look.style != "the class's own":
        lines += [r"\usepackage{titlesec}", _STYLES[look.style]]
    lines.append(_NUMBERS[look.numbers])
    if look.spread != 1:
        lines.append(rf"\linespread{{{look.spread}}}")
    if look.parskip:
        lines.append(r"\setlength{\parindent}{0pt}\setlength{\parskip}{6pt plus 2pt}")
    if look.microtype:
        lines.append(r"\usepackage{microtype}")
    if look.author_year and look.kind.free:
        lines.append(r"\usepackage[round]{natbib}")
    if look.heads == "fancy":
        lines.append(
            r"\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}\fancyhead[L]{Journal of Examples "
            r"\textbf{12}(3)}\fancyhead[R]{\thepage}\fancyfoot[C]{Preprint, do not cite}"
        )
    elif look.heads == "none" and not look.chapters:
        lines.append(r"\pagestyle{plain}")
    lines.append(r"\usepackage{booktabs,tikz}")
    if look.outline:
        lines.append(r"\usepackage[hidelinks]{hyperref}")
    if look.name == "acmart":
        lines.append(r"\settopmatter{printacmref=false}")
    return "\n".join(line for line in lines if line)


def front(look: Look, title: str, authors: list[str], keywords: str, abstract: str) -> str:
    """Title, authors with their affiliations, abstract and keywords, as the class wants."""
    place = "Department of Examples, University of Nowhere"
    head = rf"\title{{{title}}}"
    inside = rf"\begin{{abstract}}{abstract}\end{{abstract}}"
    match look.name:
        case "IEEEtran":
            who = r" \and ".join(
                rf"\IEEEauthorblockN{{{a}}}\IEEEauthorblockA{{{place}\\ Email: x@example.org}}"
                for a in authors
            )
            if "conference" not in look.options:
                who = ", ".join(authors) + rf"\thanks{{The authors are with the {place}.}}"
            words = rf"\begin{{IEEEkeywords}}{keywords}\end{{IEEEkeywords}}" if keywords else ""
            return rf"{head}\author{{{who}}}\maketitle {inside}{words}"
        case "acmart":
            who = "".join(
                rf"\author{{{a}}}\affiliation{{\institution{{University of Nowhere}}"
                r"\city{Nowhere}\country{Utopia}}\email{x@example.org}"
                for a in authors
            )
            words = rf"\keywords{{{keywords}}}" if keywords else ""
            return rf"{head}{who}{inside}{words}\maketitle"
        case "revtex4-2":
            who = "".join(rf"\author{{{a}}}\affiliation{{{place}}}" for a in authors)
            words = rf"\keywords{{{keywords}}}" if keywords else ""
            return rf"{head}{who}\date{{2 May 2021}}{inside}{words}\maketitle"
        case "elsarticle":
            who = "".join(rf"\author{{{a}}}" for a in authors) + rf"\address{{{place}}}"
            words = rf"\begin{{keyword}}{keywords}\end{{keyword}}" if keywords else ""
            return rf"\begin{{frontmatter}}{head}{who}{inside}{words}\end{{frontmatter}}"
        case "llncs":
            who = r" \and ".join(rf"{a}\inst{{{n}}}" for n, a in enumerate(authors, 1))
            where = r" \and ".join(place for _ in authors)
            words = rf"\keywords{{{keywords}}}" if keywords else ""
            return (
                rf"{head}\author{{{who}}}\institute{{{where}}}\maketitle"
                rf"\begin{{abstract}}{abstract}{words}\end{{abstract}}"
            )
        case "amsart":
            who = "".join(rf"\author{{{a}}}\address{{{place}}}" for a in authors)
            words = rf"\keywords{{{keywords}}}\subjclass[2020]{{62-01}}" if keywords else ""
            return rf"{head}{who}{words}{inside}\maketitle"
        case "mnras":
            who = ", ".join(authors) + rf"\\ {place}"
            words = rf"\begin{{keywords}}{keywords}\end{{keywords}}" if keywords else ""
            return rf"{head}\author{{{who}}}\date{{2 May 2021}}\maketitle {inside}{words}"
    who = r" \and ".join(rf"{a}\\ {place}" for a in authors)
    words = rf"\noindent\textbf{{Keywords:}} {keywords}" if keywords else ""
    rest = "" if look.chapters else f"{inside}{words}"
    return rf"{head}\author{{{who}}}\date{{2 May 2021}}\maketitle {rest}"
