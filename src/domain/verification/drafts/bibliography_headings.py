"""Headings of bibliography sections in a draft."""

from citeloom.domain.text.folding import fold

_TITLES = frozenset(
    """
    references|bibliography|works cited|literature cited|cited literature|reference list
    |list of references|further reading|literatur|literaturverzeichnis|quellenverzeichnis
    |quellen|références|bibliographie|bibliografía|referencias|bibliografia|referências
    |literatuur|литература|список литературы|参考文献
    """.replace("\n", "").split("|")
)
_FOLDED = frozenset(fold(title) for title in _TITLES)


def is_bibliography(title: str) -> bool:
    """``# References {.unnumbered}`` and the like, numbered or not."""
    words = title.split("{")[0].strip(" #*_:").lstrip("0123456789. ")
    return fold(words) in _FOLDED
