"""Inheritance of BibTeX entries through ``xdata`` and ``crossref``."""

from collections.abc import Mapping

from citeloom.infrastructure.references.bibtex.entries import BibEntry

# BibLaTeX manual, appendix B: names of parents' fields in their children.
_AS_BOOK = {"title": "booktitle", "subtitle": "booksubtitle", "titleaddon": "booktitleaddon"}
_AS_MAIN = {"title": "maintitle", "subtitle": "mainsubtitle", "titleaddon": "maintitleaddon"}
_AS_JOURNAL = {"title": "journaltitle", "subtitle": "journalsubtitle"}
_RENAMED = {
    **dict.fromkeys(("book", "collection", "reference", "proceedings"), _AS_BOOK),
    **dict.fromkeys(("mvbook", "mvcollection", "mvreference", "mvproceedings"), _AS_MAIN),
    "periodical": _AS_JOURNAL,
}
_IN_VOLUMES = frozenset({"book", "collection", "reference", "proceedings"})
_IN_BOOK = frozenset({"inbook", "bookinbook", "suppbook"})
_NOT_INHERITED = frozenset(
    """
        ids crossref xref xdata entryset entrysubtype execute label options presort related
        relatedoptions relatedstring relatedtype shortauthor shorteditor shorthand shorttitle
        sorttitle indextitle indexsorttitle shortjournal file keywords abstract annotation groups
    """.split()
)
# Maximum length of a chain of parents.
_MAX_DEPTH = 8


class EntryInheritance:
    """Entries by key, each completed by its inherited fields."""

    def __init__(self, entries: list[BibEntry]) -> None:
        self._by_key: dict[str, BibEntry] = {}
        for entry in entries:
            self._by_key.setdefault(entry.key, entry)
        self._by_lower = {key.lower(): entry for key, entry in self._by_key.items()}
        self._complete: dict[int, dict[str, str]] = {}

    def fields(self, entry: BibEntry) -> Mapping[str, str]:
        """Fields of ``entry``, completed by those of its ``xdata`` and its ``crossref``."""
        return self._fields(entry, 0)

    def missing(self, entry: BibEntry) -> str | None:
        """A key that ``entry`` refers to and no entry has."""
        return next((key for key in _parents(entry) if self._find(key) is None), None)

    def _fields(self, entry: BibEntry, depth: int) -> dict[str, str]:
        if (completed := self._complete.get(id(entry))) is not None:
            return completed
        fields = dict(entry.fields)
        # A parent that refers back finds the entry's own fields.
        self._complete[id(entry)] = fields
        if depth < _MAX_DEPTH:
            for key in _keys(fields.get("xdata", "")):
                if parent := self._find(key):
                    for name, value in self._fields(parent, depth + 1).items():
                        if name not in ("xdata", "crossref", "ids"):
                            fields.setdefault(name, value)
            if parent := self._find(fields.get("crossref", "").strip()):
                for name, value in self._inherited(parent, entry.kind, depth):
                    fields.setdefault(name, value)
        return fields

    def _inherited(self, parent: BibEntry, child: str, depth: int) -> list[tuple[str, str]]:
        names = _RENAMED.get(parent.kind, {})
        if names is _AS_MAIN and child not in _IN_VOLUMES:
            names = _AS_BOOK
        if parent.kind == child:
            names = {}
        inheritable = [
            (name, value)
            for name, value in self._fields(parent, depth + 1).items()
            if name not in _NOT_INHERITED
        ]
        if parent.kind in ("book", "mvbook") and child in _IN_BOOK:
            inheritable += [
                ("bookauthor", value) for name, value in inheritable if name == "author"
            ]
        # A parent's own booktitle goes before its title: BibTeX's way to name it for children.
        return sorted(
            ((names.get(name, name), value) for name, value in inheritable),
            key=lambda field: field not in inheritable,
        )

    def _find(self, key: str) -> BibEntry | None:
        return self._by_key.get(key) or self._by_lower.get(key.lower()) if key else None


def _parents(entry: BibEntry) -> list[str]:
    crossref = entry.fields.get("crossref", "").strip()
    return [*_keys(entry.fields.get("xdata", "")), *([crossref] if crossref else [])]


def _keys(text: str) -> list[str]:
    return [key for part in text.split(",") if (key := part.strip())]
