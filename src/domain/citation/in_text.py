"""In-text citations in the syntax of pandoc, LaTeX and Typst.

A passage without certain printed pages is cited with a ``place`` in words (``PDF p. 5``,
``para. 12``): a file page is never given as a printed one.

Citation commands of LaTeX: its own, natbib's, biblatex's, apacite's, harvard's, chicago's and
csquotes'. biblatex 3.19, "Citation commands"; natbib 8.31b; apacite 6.03; harvard 2.0.5; csquotes
5.2o, "Quotation marks with integrated citations".
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from citeloom.domain.choices import InText as InText
from citeloom.domain.text.phrasing import is_active_link
from citeloom.domain.value import Value

from .locators import is_one_page, is_plain, page_ranges
from .metadata import locator, pandoc_citation

#: Their authors are part of the sentence.
NARRATIVE: Final = frozenset(
    """
    textcite citet citealt Textcite Citet Citealt cites citeauthor Citeauthor citeA shortciteA
    fullciteA citeANP citeN shortciteN citeasnoun possessivecite citetalias citefullauthor
    """.split()
)
#: Take a volume before the pages and the key.
VOLUMES: Final = frozenset(
    """
    volcite volcites Volcite Volcites pvolcite pvolcites Pvolcite Pvolcites fvolcite fvolcites
    Fvolcite Fvolcites ftvolcite ftvolcites Ftvolcite Ftvolcites svolcite svolcites Svolcite
    Svolcites tvolcite tvolcites Tvolcite Tvolcites avolcite avolcites Avolcite Avolcites
    """.split()
)
CITING: Final = (
    NARRATIVE
    | VOLUMES
    | frozenset(
        """
        cite Cite Cites citep Citep citealp Citealp parencite Parencite autocite Autocite footcite
        Footcite footcitetext Footcitetext smartcite Smartcite supercite Supercite fullcite
        footfullcite citeyear citeyearpar citenum citetitle citedate citeurl citefield citelist
        citename parencites autocites Autocites textcites Textcites footcites footcitetexts
        smartcites supercites Supercites fullcites footfullcites Parencites Footcites Smartcites
        notecite Notecite pnotecite Pnotecite fnotecite citein citepalias Citepalias shortcite
        shortciteNP citeNP fullciteNP citeyearNP shortciteauthor citeauthorNP
        shortciteauthorNP fullciteauthor fullciteauthorNP citeaffixed harvardcite
        bibentry onlinecite
        """.split()
    )
)
#: Take several keys, each with notes of its own.
SEVERAL: Final = frozenset(name for name in CITING if name.lower().endswith("cites"))
#: Quotations of csquotes and the number of braced arguments, a language, before the others. The
#: first take a key, the others a citation in an optional argument or none.
QUOTES_KEY: Final = {
    "textcquote": 0, "blockcquote": 0, "displaycquote": 0, "foreigntextcquote": 1,
    "hyphentextcquote": 1, "foreignblockcquote": 1, "hyphenblockcquote": 1,
    "hybridblockcquote": 1, "foreigndisplaycquote": 1, "hyphendisplaycquote": 1,
}  # fmt: skip
QUOTES: Final = {
    "enquote": 0, "textquote": 0, "blockquote": 0, "displayquote": 0, "foreignquote": 1,
    "hyphenquote": 1, "foreigntextquote": 1, "hyphentextquote": 1, "foreignblockquote": 1,
    "hyphenblockquote": 1, "hybridblockquote": 1, "foreigndisplayquote": 1,
    "hyphendisplayquote": 1,
}  # fmt: skip
#: Named like citations, and none.
NOT_CITING: Final = frozenset(
    """
    nocite nocitemeta citestyle setcitestyle citereset defcitealias DeclareCiteCommand bibcite
    DeclareMultiCiteCommand DeclareAutoCiteCommand citenumfont citepunct citedelim citeleft
    citeright citemid citeform citetrackertrue citetrackerfalse citenamefont AtEveryCite
    AtEveryCitekey AtNextCite AtNextCitekey AtEveryMultiCite ifciteseen citetext SetCiteCommand
    SetBlockThreshold citeindextrue citeindexfalse
    """.split()
)
#: Of biblatex alone, which writes "p." before a bare number itself.
NUMBERS_PAGES: Final = frozenset(
    name
    for name in CITING
    if name.lower().startswith(("autocite", "parencite", "textcite", "footcite", "smartcite"))
)


# Typst reference, "label": letters, digits, _ - . : make a label; @ stops before a last . or :
_TYPST_LABEL = re.compile(r"\w(?:[\w\-.:]*[\w\-])?")
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}  # fmt: skip
_TYPST = re.compile(r"([\\#*_`@$<>\[\]~'\"/=+-])")
_MARKDOWN = re.compile(r"([\\\[\]*_`<>])")


class Mention(Value):
    """A cited work. ``labels`` are printed pages, in order; ``place`` is the locator in words
    without them."""

    citekey: str
    labels: tuple[str, ...] = ()
    place: str | None = None


def pandoc(mentions: Sequence[Mention]) -> str:
    """``[@a, p. 3; @b]``, as pandoc and Quarto read it."""
    each = (pandoc_citation(m.citekey, m.labels, place=m.place)[1:-1] for m in mentions)
    return f"[{'; '.join(each)}]"


def latex(mentions: Sequence[Mention]) -> str:
    r"""``\autocite[12--13]{key}``, of several ``\autocites[12]{a}{b}``.

    biblatex writes "p." and "pp." itself before Arabic and Roman numbers (its manual,
    "Page Ranges"); before other labels ``\pno`` and ``\ppno`` do.
    """
    each = "".join(f"{_postnote(m)}{{{m.citekey}}}" for m in mentions)
    return rf"\autocite{'s' if len(mentions) > 1 else ''}{each}"


def latex_note(mention: Mention) -> str:
    """The note after a citation with biblatex: ``12--13``, empty without a locator."""
    if not mention.labels:
        return latex_text(mention.place or "").replace(" p. ", " p.~").replace(" pp. ", " pp.~")
    note = latex_text(page_ranges(mention.labels, dash="--")).replace("–", "--")
    if not is_plain(mention.labels):
        kind = r"\pno" if is_one_page(mention.labels) else r"\ppno"
        note = f"{kind}~{note}"
    return note


def _postnote(mention: Mention) -> str:
    note = latex_note(mention)
    if not note:
        return ""
    return f"[{{{note}}}]" if "[" in note or "]" in note else f"[{note}]"


def latex_text(text: str) -> str:
    """``text`` with LaTeX's special characters escaped."""
    return "".join(_LATEX.get(char, char) for char in " ".join(text.split()))


def typst(mentions: Sequence[Mention]) -> str:
    """``@key[p. 12]``; several adjacent ones, which Typst merges."""
    return " ".join(map(_typst_one, mentions))


def _typst_one(mention: Mention) -> str:
    where = locator(mention.labels) or mention.place or ""
    note = typst_text(where)
    if _TYPST_LABEL.fullmatch(mention.citekey):
        return f"@{mention.citekey}[{note}]" if note else f"@{mention.citekey}"
    key = mention.citekey.replace("\\", "\\\\").replace('"', '\\"')
    supplement = f", supplement: [{note}]" if note else ""
    return f'#cite(label("{key}"){supplement})'


def typst_text(text: str) -> str:
    """``text`` with Typst's markup characters escaped."""
    return _TYPST.sub(r"\\\1", " ".join(text.split()))


def markdown_text(text: str) -> str:
    """``text`` with Markdown's inline markup characters escaped."""
    return _MARKDOWN.sub(r"\\\1", text)


def markdown_link(text: str, target: str | None) -> str:
    """``[text](target)``; the text alone without a target, or where opening it runs something."""
    shown = markdown_text(text)
    if not target or is_active_link(target):
        return shown
    escaped = target.replace("<", "%3C").replace(">", "%3E").replace("\n", "")
    return f"[{shown}](<{escaped}>)" if re.search(r"[\s()]", target) else f"[{shown}]({escaped})"


IN_TEXT: dict[InText, Callable[[Sequence[Mention]], str]] = {
    InText.PANDOC: pandoc,
    InText.LATEX: latex,
    InText.TYPST: typst,
}
