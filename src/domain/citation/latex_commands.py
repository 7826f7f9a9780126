"""Citation commands of LaTeX: its own, natbib's and biblatex's.

biblatex 3.19, "Citation commands"; natbib 8.31b.
"""

from typing import Final

#: Their authors are part of the sentence.
NARRATIVE: Final = frozenset(
    "textcite citet citealt Textcite Citet cites citeauthor Citeauthor".split()
)
CITING: Final = NARRATIVE | frozenset(
    """
    cite citep citealp Cite Citep parencite Parencite autocite Autocite footcite Footcite
    footcitetext smartcite Smartcite supercite fullcite footfullcite citeyear citeyearpar citenum
    citetitle parencites autocites Autocites textcites Textcites footcites smartcites supercites
    Parencites Footcites Smartcites citetext notecite pnotecite fnotecite citein
    """.split()
)
#: Take several keys, each with notes of its own.
SEVERAL: Final = frozenset(name for name in CITING if name.lower().endswith("cites"))
#: Of biblatex alone, which writes "p." before a bare number itself.
NUMBERS_PAGES: Final = frozenset(
    name
    for name in CITING
    if name.lower().startswith(("autocite", "parencite", "textcite", "footcite", "smartcite"))
)
