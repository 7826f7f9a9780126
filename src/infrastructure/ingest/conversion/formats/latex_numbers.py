r"""Numbers that LaTeX gives to sections, equations, figures, tables and theorems, and references.

The counters are those of LaTeX's standard classes, amsmath and ``\newtheorem``. A kind that a
source numbers in a way that is not followed here has no numbers, and references to it stay as
``[key]``: a wrong number is worse than none.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from .latex_definitions import Commands, closing
from .latex_files import LITERAL

#: Around the number of a theorem in the source.
MARK: Final = "\ue7ac"

_LEVELS: Final = "part chapter section subsection subsubsection paragraph subparagraph".split()
# Classes with the counters of article and report; their deepest numbered level.
_ARTICLES: Final = dict.fromkeys(
    "article scrartcl extarticle amsart amsproc elsarticle proc".split(), 3
) | {"llncs": 2}
_BOOKS: Final = dict.fromkeys("report book scrreprt scrbook extreport extbook amsbook".split(), 2)
# Classes of which the numbers of equations alone are known.
_EQUATIONS: Final = frozenset("IEEEtran acmart revtex4-1 revtex4-2 mnras iopart svjour3".split())
# Classes that restart their numbering in an appendix: A.1.
_OTHER_APPENDICES: Final = frozenset("elsarticle revtex4-1 revtex4-2 iopart svjour3".split())
_ROWS: Final = frozenset("align gather eqnarray flalign alignat xalignat".split())
_SINGLE: Final = frozenset("equation multline".split())
_FLOATS: Final = {
    "figure": "figure", "wrapfigure": "figure", "sidewaysfigure": "figure", "table": "table",
    "wraptable": "table", "sidewaystable": "table", "longtable": "table",
}  # fmt: skip
_GROUP: Final = r"(?:\[(?:[^\[\]]|\[[^\[\]]{0,99}\]){0,400}\])?\s*"
_TOKEN: Final = re.compile(
    LITERAL
    + rf"|\\(?P<level>{'|'.join(_LEVELS)})(?P<starred>\*?)\s*{_GROUP}\{{"
    + r"|\\begin\s*\{(?P<begin>[A-Za-z]+\*?)\}|\\end\s*\{(?P<end>[A-Za-z]+\*?)\}"
    + r"|\\label\s*\{(?P<label>[^{}]+)\}|(?P<row>\\\\|\\intertext\b)"
    + r"|\\(?P<none>nonumber|notag)(?![A-Za-z])"
    + rf"|\\tag\*?\s*\{{(?P<tag>[^{{}}]*)\}}|\\(?P<caption>caption\*?)\s*{_GROUP}\{{"
    + rf"|\\(?P<note>footnote(?:text)?)\s*{_GROUP}\{{"
    + r"|\\(?P<appendix>appendix)(?![A-Za-z])|\\(?P<matter>(?:front|main|back)matter)(?![A-Za-z])"
    + r"|\\(?P<change>setcounter|addtocounter)\s*\{(?P<counter>\w+)\}\s*\{(?P<value>[^{}]*)\}"
    + r"|\\(?:ref)?stepcounter\s*\{(?P<stepped>\w+)\}"
    + r"|\\(?:numberwithin|counterwithin\*?)\s*\{(?P<inner>\w+)\}\s*\{(?P<outer>\w+)\}"
    + r"|\\newtheorem(?P<unnumbered>\*?)\s*\{(?P<theorem>\w+)\}\s*(?:\[(?P<like>\w+)\])?\s*"
    + r"\{[^{}]*\}\s*(?:\[(?P<within>\w+)\])?",
    re.DOTALL,
)
_CLASS: Final = re.compile(
    r"^[^%\n]*\\documentclass\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}", re.MULTILINE
)
# What numbers a kind in a way that is not followed here.
_CHANGES: Final = {
    "equation": re.compile(r"\\theequation(?![A-Za-z])|showonlyrefs|\{autonum\}|\{breqn\}"),
    "section": re.compile(
        r"\\the(?:sub)*section(?![A-Za-z])|\\thechapter(?![A-Za-z])|\\setsecnumdepth|"
        r"\\@seccntformat|\\counterwithout"
    ),
    "figure": re.compile(r"\\thefigure(?![A-Za-z])|\\newfloat|\\figurename|\\captionof"),
    "table": re.compile(r"\\thetable(?![A-Za-z])|\\tablename|\\captionof"),
}
# What steps a counter within a command or an environment of the source's own.
_STEPS: Final = {
    "section": re.compile(r"\\(?:chapter|(?:sub)*section)(?![A-Za-z])"),
    "equation": re.compile(r"\\begin\{(?:equation|align|gather|eqnarray|multline|flalign)\}"),
    "figure": re.compile(r"\\caption|\{figure\*?\}"),
    "table": re.compile(r"\\caption|\{table\*?\}"),
}
_ENVIRONMENT: Final = re.compile(r"\\renewenvironment.*?\n\s*\n", re.DOTALL)
# Environments in which a label stands for what stands around them.
_TRANSPARENT: Final = frozenset(
    "document center quote quotation itemize description minipage proof multicols abstract".split()
)
_OTHER_NAMES: Final = re.compile(
    r"\{(?:babel|polyglossia|caption|subcaption)\}|\\captionsetup|\\DeclareCaption"
)
_BABEL: Final = re.compile(
    r"\\usepackage\s*\[\s*(?:english|american|british|U[SK]english)\s*\]\s*\{babel\}"
)


class Label(NamedTuple):
    r"""The target of a ``\label``: its kind, such as ``section``, its number, the title of a
    section."""

    kind: str
    number: str
    title: str = ""


class Numbered(NamedTuple):
    """A source with its numbers in headings, captions, theorems and displayed formulas."""

    source: str
    labels: Mapping[str, Label]


def numbered(source: str, own: Commands, *, is_whole: bool) -> Numbered:
    """The source with the numbers that LaTeX gives. Its ``own`` commands are no longer in it.
    There are none where files are missing from it."""
    found = _CLASS.search(source)
    if found is None or not is_whole:
        return Numbered(source, {})
    numbering = _Numbering(source, found[1].strip(), own)
    return Numbered(numbering.written(), numbering.labels)


class _Numbering:
    def __init__(self, source: str, class_: str, own: Commands) -> None:
        self.labels: dict[str, Label] = {}
        self._defined = set[str]()
        self._source = source
        # Captions have LaTeX's own words in English alone.
        self._is_named = _OTHER_NAMES.search(_BABEL.sub("", source)) is None
        self._has_chapters = class_ in _BOOKS
        self._numbers_appendix = class_ in _OTHER_APPENDICES
        self._deepest = (_BOOKS | _ARTICLES).get(class_, 0)
        changed = "".join([source, *(f"\\{name} " for name in own)])
        self._unknown = {kind for kind, change in _CHANGES.items() if change.search(changed)}
        if class_ not in _BOOKS and class_ not in _ARTICLES:
            self._unknown |= {"section", "figure", "table", "theorem"}
            self._unknown |= set() if class_ in _EQUATIONS else {"equation"}
        definitions = [*(one.body for one in own.values()), *_ENVIRONMENT.findall(source)]
        self._unknown |= {
            kind for kind, step in _STEPS.items() if any(map(step.search, definitions))
        }
        self._counts: dict[str, int] = {}
        self._within = {"subsection": "section", "subsubsection": "subsection"}
        if self._has_chapters:
            self._within |= dict.fromkeys(("section", "equation", "figure", "table"), "chapter")
        self._theorems: dict[str, str | None] = {}
        self._in_appendix = False
        self._is_numbered = True  # as in a book's main matter
        self._current: Label | None = None
        self._open: list[tuple[str, Label | None]] = []
        self._note_end = 0  # of the last footnote, whose labels are its own
        # Of the open row of a displayed formula: its labels, its tag, whether it has a number.
        self._row: list[str] | None = None
        self._tag: str | None = None
        self._counts_row = True
        self._row_begins = 0
        self._parent: str | None = None
        self._edits: list[tuple[int, str]] = []

    def written(self) -> str:
        for found in _TOKEN.finditer(self._source):
            if found["literal"] is None:
                self._token(found)
        parts: list[str] = []
        at = 0
        for place, text in self._edits:
            parts += [self._source[at:place], text]
            at = place
        return "".join([*parts, self._source[at:]])

    def _token(self, found: re.Match[str]) -> None:
        if found["level"]:
            self._heading(found)
        elif found["begin"]:
            self._begin(found["begin"], found.end())
        elif found["end"]:
            self._end(found["end"], found.start())
        elif found["label"]:
            if self._row is not None:
                self._row.append(found["label"])
            elif found.start() >= self._note_end:
                self._label(found["label"], self._current)
        elif found["row"]:
            is_empty = not self._source[self._row_begins : found.start()].strip()
            is_row = self._row is not None and self._open[-1][0].rstrip("*") in _ROWS
            if is_row and not (is_empty and found["row"] != r"\\"):
                self._end_row(found.start())
                self._row_begins = found.end()
        elif found["note"]:
            self._note_end = closing(self._source, found.end()) or found.end()
        elif found["none"]:
            self._counts_row = False
        elif found["tag"] is not None:
            self._tag = found["tag"]
        elif found["caption"]:
            self._caption(found)
        elif found["appendix"]:
            self._begin_appendix()
        elif found["matter"]:
            self._is_numbered = found["matter"] == "mainmatter"
        elif found["theorem"]:
            name = found["theorem"]
            self._theorems[name] = None if found["unnumbered"] else found["like"] or name
            if found["within"]:
                self._nest(name, found["within"])
        elif found["inner"]:
            self._nest(found["inner"], found["outer"])
        elif found["stepped"]:
            self._stepped(found["stepped"])
            self._current = None
        else:
            self._change(found)

    def _heading(self, found: re.Match[str]) -> None:
        level = found["level"]
        depth = _LEVELS.index(level) - 1
        lowest = 0 if self._has_chapters else 1
        if found["starred"] or not self._is_numbered or not lowest <= depth <= self._deepest:
            return
        number = self._stepped(level)
        title = self._source[found.end() : closing(self._source, found.end())]
        kind = "appendix" if self._in_appendix else "chapter" if not depth else "section"
        self._current = Label(kind, number, title)
        if "section" not in self._unknown:
            self._edits.append((found.end(), f"{number} "))

    def _stepped(self, counter: str) -> str:
        """The next number of a counter; its inner counters restart."""
        self._counts[counter] = self._counts.get(counter, 0) + 1
        begun = [counter]
        while begun:
            outer = begun.pop()
            begun += (inner := [name for name, one in self._within.items() if one == outer])
            self._counts |= dict.fromkeys(inner, 0)
        return self._number(counter)

    def _number(self, counter: str) -> str:
        count = self._counts.get(counter, 0)
        is_letter = self._in_appendix and counter == self._top and 0 < count <= 26
        own = chr(64 + count) if is_letter else str(count)
        outer = self._within.get(counter)
        if outer is None or (outer == "chapter" and not self._counts.get("chapter")):
            return own
        return f"{self._number(outer)}.{own}"

    @property
    def _top(self) -> str:
        return "chapter" if self._has_chapters else "section"

    def _begin_appendix(self) -> None:
        if self._numbers_appendix:
            self._unknown |= {"section", "equation", "figure", "table", "theorem"}
        self._in_appendix = True
        self._counts |= {self._top: 0}

    def _begin(self, name: str, at: int) -> None:
        self._open.append((name, self._current))
        plain = name.rstrip("*")
        if plain in ("appendices", "appendix"):
            self._begin_appendix()
        elif name == "subequations":
            self._parent = self._stepped("equation")
            self._counts["subequation"] = 0
            self._current = Label("equation", self._parent)
        elif plain in _ROWS | _SINGLE:
            self._row, self._tag, self._counts_row = [], None, name == plain
            self._row_begins = at
        elif plain not in _TRANSPARENT:
            self._current = None
        if (counter := self._theorems.get(name)) is not None:
            self._current = Label(name, self._stepped(counter))
            if self._is_known(name):
                self._edits.append((at, f"{MARK}{self._current.number}{MARK}"))

    def _end(self, name: str, at: int) -> None:
        if not any(opened == name for opened, _ in self._open):
            return
        if self._row is not None and name.rstrip("*") in _ROWS | _SINGLE:
            self._end_row(at)
            self._row = None
        while self._open:
            opened, self._current = self._open.pop()
            if opened == name:
                break
        if name == "subequations":
            self._parent = None

    def _end_row(self, at: int) -> None:
        number = self._tag
        if number is None and self._counts_row:
            number = self._equation()
            if self._is_known("equation"):
                self._edits.append((at, rf"\tag{{{number}}}"))
        for key in self._row or ():
            self._label(key, Label("equation", number) if number is not None else None)
        self._row, self._tag = [], None
        self._counts_row = not self._open[-1][0].endswith("*")

    def _equation(self) -> str:
        if self._parent is None:
            return self._stepped("equation")
        self._counts["subequation"] += 1
        return f"{self._parent}{chr(96 + min(self._counts['subequation'], 26))}"

    def _label(self, key: str, label: Label | None) -> None:
        is_new = key not in self._defined
        self._defined.add(key)
        if is_new and label is not None and self._is_known(label.kind):
            self.labels[key] = label
        elif not is_new and self.labels.get(key) != label:  # LaTeX warns of two such labels
            self.labels.pop(key, None)

    def _is_known(self, kind: str) -> bool:
        own = "section" if kind == "appendix" else self._theorems.get(kind) or kind
        counters = {"section" if one in _LEVELS else one for one in self._around(own)}
        return not (counters | ({"theorem"} if kind in self._theorems else set())) & self._unknown

    def _around(self, counter: str) -> list[str]:
        """The counter, and those that it counts within."""
        found = [counter]
        while (outer := self._within.get(found[-1])) is not None:
            found.append(outer)
        return found

    def _nest(self, inner: str, outer: str) -> None:
        if inner in self._around(outer):
            self._unknown.add(inner)
        else:
            self._within[inner] = outer

    def _caption(self, found: re.Match[str]) -> None:
        inmost = next((n for n, _ in reversed(self._open) if n not in _TRANSPARENT), "")
        kind = _FLOATS.get(inmost.rstrip("*"))
        if kind is None or found["caption"].endswith("*"):
            return
        self._current = Label(kind, self._stepped(kind))
        if self._is_known(kind) and self._is_named:
            self._edits.append((found.end(), f"{kind.title()} {self._current.number}: "))

    def _change(self, found: re.Match[str]) -> None:
        counter, value = found["counter"], found["value"].strip()
        if re.fullmatch(r"-?\d+", value) is None:
            self._unknown |= {"section" if counter == "secnumdepth" else counter}
        elif counter == "secnumdepth":
            self._deepest = int(value)
        else:
            before = self._counts.get(counter, 0) if found["change"] == "addtocounter" else 0
            self._counts[counter] = before + int(value)


def reference(command: str, keys: str, numbers: Numbered) -> str | None:
    """The text that a command such as ``ref`` prints for its labels; None if unknown, such as
    cleveref's words, which depend on options, language and author."""
    found = [numbers.labels.get(key.strip()) for key in keys.split(",")]
    labels = [label for label in found if label is not None]
    if len(labels) < len(found):
        return None
    if command in ("ref", "labelcref"):
        return ", ".join(label.number for label in labels)
    if command == "eqref":
        return ", ".join(f"({label.number})" for label in labels)
    if command == "nameref":
        return None if set(labels[0].title) & set("\\${}~") else labels[0].title or None
    return None
