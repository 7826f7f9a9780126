"""LaTeX source as the text that its readers see.

docling leaves out dashes, ties and quotation marks, the letters of some accents and most commands
within a line. Here these become text before docling reads the source: typography, quantities of
siunitx, citations and references as ``[key]``, the formulas of lines, and the source's own
commands. Notes stand behind their paragraph. Literal environments stay as they are.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError
from pylatexenc.macrospec import MacroSpec

from citeloom.domain.text.scripts import lowered, raised

from .formulas import behind, latex_symbols
from .latex_units import number_text, quantity_text, unit_text
from .private_characters import AMPERSAND, PERCENT

_Node = Any
_Commands = dict[str, tuple[int, str | None, str]]
"""Number of arguments, default of the first, and body of each command that a file defines."""

_PARSE_ERRORS: Final = (LatexWalkerParseError, IndexError, RecursionError)
# Addresses, in which a per cent sign begins no comment.
_ADDRESS: Final = re.compile(r"\\(?:href|url|nolinkurl|path)\s*\{[^{}\n]*\}")
_ENDS: Final = re.compile(r"\\(?:begin|end)\{[^{}]+\}")
_MOST_EXPANSIONS: Final = 8

_SPECIALS: Final = {
    "--": "–", "---": "—", "~": " ", "``": "“", "''": "”", "!`": "¡", "?`": "¿", ",,": "„",
    "<<": "«", ">>": "»",
}  # fmt: skip
_CITING: Final = re.compile(r"[A-Za-z]*cite[a-z]*|nocite|citet?title")
_REFERRING: Final = "ref eqref pageref autoref cref Cref vref nameref labelcref".split()
# Commands whose last argument is text of the line.
_STYLES: Final = (
    "emph textbf textit texttt textsc textsf textrm textnormal textmd textup textsl underline "
    "uline uuline sout hl mbox hbox text makebox framebox fbox citetext lowercase textquote "
    "blockquote textcolor colorbox href hyperref foreignlanguage ac acs acl acf acp gls glspl Gls "
    "Glspl acrshort acrlong acrfull mathrm nolinebreak textls textcquote foreigntextquote "
    "foreignquote enquote ensuremath"
).split()
_QUOTING: Final = frozenset("textquote blockquote foreigntextquote foreignquote enquote".split())
# Commands of which docling reads the last argument, or all.
_OUTER: Final = (
    "section subsection subsubsection chapter part paragraph subparagraph caption captionof title "
    "subtitle author institute affil address thanks date item bibitem footnotetext marginpar "
    "parbox"
).split()
_TEXTS: Final = {
    "ldots": "…", "dots": "…", "textellipsis": "…", "slash": "/", "LaTeX": "LaTeX", "TeX": "TeX",
    "LaTeXe": "LaTeX 2ε", "BibTeX": "BibTeX", "-": "", "/": "", "@": "", "!": "", ",": " ",
    ";": " ", ":": " ", " ": " ", "\n": " ", "quad": " ", "qquad": " ", "enspace": " ",
    "thinspace": " ", "space": " ", "nobreakspace": " ", "xspace": "", "degree": "°",
    "percent": r"\%", "newline": " ", "linebreak": " ", "footnotemark": "", "today": "",
    "textquotesingle": "'", "textasciigrave": "`", "allowbreak": "", "hspace": " ",
    "noindent": "", "indent": "", "protect": "", "S": "§", "P": "¶", "pounds": "£", "euro": "€",
    "&": AMPERSAND, "copyright": "©", "dag": "†", "ddag": "‡", "textregistered": "®",
    "texttrademark": "™",
}  # fmt: skip
_COMBINING: Final = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331", "h": "\u0309", "textcommabelow": "\u0326",
    "t": "\u0361", "G": "\u030f", "U": "\u030e",
}  # fmt: skip
_LITERAL: Final = frozenset(
    "verbatim Verbatim lstlisting minted comment tikzpicture filecontents alltt".split()
)
_TABLES: Final = frozenset("tabular tabular* tabularx tabulary longtable array".split())
_DISPLAYED: Final = frozenset(
    "equation align gather multline eqnarray displaymath math flalign alignat".split()
)
_THEOREMS: Final = {
    name.lower(): name
    for name in (
        "Theorem Lemma Corollary Proposition Definition Remark Example Claim Conjecture Proof Fact "
        "Observation Assumption Axiom Problem Property Note"
    ).split()
}
_DEFINED: Final = re.compile(r"\\newtheorem\*?\{(\w+)\}(?:\[\w*\])?\{([^{}]*)\}")
_DEFINITION: Final = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?"
    r"\s*(?:\[(?P<count>\d)\])?\s*(?:\[(?P<default>[^\[\]]*)\])?\s*\{"
    r"|\\[egx]?def\s*\\(?P<plain>[A-Za-z@]+)\s*\{"
)
_BREAK: Final = re.compile(r"\n[ \t]*\n\s*")
_SPECIAL_CHARACTERS: Final = re.compile(r"([%#${}])")


def seen_source(source: str) -> tuple[str, list[str]]:
    """The source, with what stands within its lines as text, and warnings.

    Where it cannot be parsed as a whole, its paragraphs are read by themselves, and those that
    cannot be stay as they are.
    """
    source = _ADDRESS.sub(lambda match: match[0].replace("%", PERCENT), source)
    own, source = _own_commands(source)
    source = _with_environments(source, own)
    try:
        return _Source(source, own).written(), []
    except _PARSE_ERRORS:
        pass
    parts = re.split(r"(\n[ \t]*\n)", source)
    left = 0
    for at, part in enumerate(parts):
        try:
            parts[at] = _Source(part, own).written()
        except _PARSE_ERRORS:
            left += 1
    return "".join(parts), [
        f"{left} paragraph{'s' * (left != 1)} of the LaTeX source could not be parsed: their "
        "commands may be missing from the text"
    ] if left else []


def _with_environments(source: str, own: "_Commands") -> str:
    """The source with the commands that begin or end an environment written out: ``\\be``."""
    aliases = {name: body.strip() for name, (count, _, body) in own.items() if not count}
    aliases = {name: body for name, body in aliases.items() if _ENDS.fullmatch(body)}
    if not aliases:
        return source
    for name in aliases:
        del own[name]
    used = re.compile(rf"\\({'|'.join(map(re.escape, aliases))})(?![A-Za-z@])")
    return used.sub(lambda match: aliases[match[1]], source)


class _Source:
    """One file: its own commands, and what is left of it to write."""

    def __init__(self, source: str, own: "_Commands") -> None:
        self._source = source
        self._own = own
        self._theorems = _THEOREMS | dict(_DEFINED.findall(source))
        self._notes: list[str] = []
        self._expansions = 0
        self._in_table = 0
        self._quotes = 0

    def written(self) -> str:
        nodes = self._nodes(self._source)
        if not any(_environment(node) == "document" for node in nodes):
            return self._all(nodes) + self._taken_notes()
        return "".join(self._of_preamble(node) for node in nodes)

    def _of_preamble(self, node: _Node) -> str:
        is_text = _environment(node) in ("document", "abstract") or _macro(node) in _OUTER
        return self._one(node, "") if is_text else str(node.latex_verbatim())

    def _nodes(self, source: str) -> Sequence[_Node]:
        context = _context().filter_context()
        context.add_context_category("own", macros=_specs(self._own), prepend=True)
        walker = LatexWalker(source, tolerant_parsing=True, latex_context=context)
        nodes: Sequence[_Node] = walker.get_latex_nodes()[0] or ()
        return nodes

    def _all(self, nodes: Sequence[_Node] | None) -> str:
        text = ""
        for node in nodes or ():
            text += self._one(node, text[-24:])
        return text

    def _one(self, node: _Node, before: str) -> str:
        kind = type(node).__name__
        if kind == "LatexCharsNode":
            return self._characters(node.chars)
        if kind == "LatexSpecialsNode":
            return str(_SPECIALS.get(node.specials_chars, node.latex_verbatim()))
        if kind == "LatexGroupNode":
            inner = self._all(node.nodelist)
            return f"{node.delimiters[0]}{inner}{node.delimiters[1]}" if inner else ""
        if kind == "LatexMathNode":
            return self._math(node, before)
        if kind == "LatexEnvironmentNode":
            return self._of_environment(node)
        if kind == "LatexMacroNode":
            return self._of_macro(node, before)
        return str(node.latex_verbatim())

    def _characters(self, chars: str) -> str:
        text = chars.replace("`", "‘").replace("'", "’")
        found = _BREAK.search(text)
        if found is None or not self._notes or self._in_table:
            return text
        return f"{text[: found.start()]}\n\n{self._taken_notes()}{text[found.end() :]}"

    def _taken_notes(self) -> str:
        notes, self._notes = self._notes, []
        return "".join(f"\n\n{note}\n\n" for note in notes)

    def _math(self, node: _Node, before: str) -> str:
        inner = self._expanded(node.nodelist)
        if node.displaytype == "display":
            return f"{node.delimiters[0]}{inner}{node.delimiters[1]}"
        return _escaped(behind(before, inner.strip()))

    def _expanded(self, nodes: Sequence[_Node] | None) -> str:
        """Source with the file's own commands written out."""
        parts: list[str] = []
        for node in nodes or ():
            if (own := self._expansion(node)) is not None:
                parts.append(self._expanded(self._nodes(own)) + " ")
                self._expansions -= 1
            elif _children(node):
                parts.append(self._with_expanded(node))
            else:
                parts.append(str(node.latex_verbatim()))
        return "".join(parts)

    def _with_expanded(self, node: _Node) -> str:
        """A node with the commands in its groups written out."""
        text = str(node.latex_verbatim())
        for group in _children(node):
            old = "".join(child.latex_verbatim() for child in group)
            if old and (new := self._expanded(group)) != old:
                text = text.replace(old, new, 1)
        return text

    def _expansion(self, node: _Node) -> str | None:
        """What one of the file's own commands stands for."""
        name = _macro(node)
        if name is None or name not in self._own or self._expansions >= _MOST_EXPANSIONS:
            return None
        self._expansions += 1
        count, default, body = self._own[name]
        given = [_source(argument) for argument in _arguments(node)]
        if default is not None and count:
            given[0] = given[0] or default
        for at, argument in enumerate(given, start=1):
            body = body.replace(f"#{at}", argument)
        return body

    def _of_environment(self, node: _Node) -> str:
        name = node.environmentname
        verbatim = str(node.latex_verbatim())
        if name.rstrip("*") in _LITERAL:
            return verbatim
        if name.rstrip("*") in _DISPLAYED:
            inner = "".join(child.latex_verbatim() for child in node.nodelist or ())
            return verbatim.replace(inner, self._expanded(node.nodelist), 1) if inner else verbatim
        self._in_table += name in _TABLES
        inner = self._all(node.nodelist)
        self._in_table -= name in _TABLES
        if not self._in_table and name not in _TABLES:
            inner += self._taken_notes()
        if name.rstrip("*") in self._theorems:
            given = "".join(f"[{self._all(_inside(one))}]" for one in _arguments(node) if one)
            return self._theorem(self._theorems[name.rstrip("*")], given + inner)
        old = "".join(child.latex_verbatim() for child in node.nodelist or ())
        head, _, tail = verbatim.partition(old) if old else (verbatim, "", "")
        return f"{head}{inner}{tail}"

    def _theorem(self, title: str, inner: str) -> str:
        named = re.match(r"\s*\[([^\[\]]*)\]", inner)
        if named is None:
            head = f"{title}."
        else:
            head = f"{named[1]}." if title == "Proof" else f"{title} ({named[1]})."
        body = inner[named.end() :] if named is not None else inner
        return f"\n\n{head} {body.strip()}\n\n"

    def _of_macro(self, node: _Node, before: str) -> str:
        name: str = node.macroname
        if (own := self._expansion(node)) is not None:
            text = self._all(self._nodes(own))
            self._expansions -= 1
            return text + (str(node.macro_post_space) if "xspace" in own else "")
        given = _arguments(node)
        if name in _COMBINING and given:
            return self._accented(name, given)
        if (written := _LINES.get(name)) is not None and given:
            return written([_source(argument) for argument in given])
        if name == "footnote" and given:
            return self._note(given)
        if _CITING.fullmatch(name) and given:
            return self._cited(name, given)
        if name in _REFERRING and given:
            return f"[{_source(given[-1])}]"
        if name in _STYLES and given:
            return self._styled(name, given, before)
        if name in ("textsuperscript", "textsubscript") and given:
            write = raised if name == "textsuperscript" else lowered
            return write(self._all(_inside(given[-1])), before)
        if name in ("multicolumn", "multirow") and given:
            return self._spanning(name, given)
        if name in _OUTER:
            return self._outer(node)
        if name == "\\":
            return str(node.latex_verbatim()) if self._in_table else " "
        if name in _TEXTS:
            return _TEXTS[name]
        return self._other(node)

    def _styled(self, name: str, given: Sequence[_Node], before: str) -> str:
        if name == "ensuremath":
            return _escaped(behind(before, self._expanded(_inside(given[-1]))))
        self._quotes += name in _QUOTING
        text = self._all(_inside(given[-1]))
        if name in _QUOTING:
            text = f"“{text}”" if self._quotes % 2 else f"‘{text}’"
            self._quotes -= 1
        return text

    def _spanning(self, name: str, given: Sequence[_Node]) -> str:
        """A cell over several columns, once in each."""
        text = self._all(_inside(given[-1]))
        columns = _source(given[0]).strip() if name == "multicolumn" else "1"
        return " & ".join([text] * (min(int(columns), 50) if columns.isdigit() else 1))

    def _accented(self, name: str, given: Sequence[_Node]) -> str:
        letters = self._all(_inside(given[-1])) or _source(given[-1])
        letters = {"ı": "i", "ȷ": "j"}.get(letters[:1], letters[:1]) + letters[1:]
        marked = letters[:1] + _COMBINING[name] + letters[1:] if letters else name
        return unicodedata.normalize("NFC", marked)

    def _note(self, given: Sequence[_Node]) -> str:
        outer, self._notes = self._notes, []
        inner = self._all(_inside(given[-1]))
        self._notes = [*outer, rf"\footnote{{{inner}}}", *self._notes]
        return ""

    def _cited(self, name: str, given: Sequence[_Node]) -> str:
        if name == "nocite":
            return ""
        *notes, keys = given
        texts = [self._all(_inside(note)).strip() for note in notes if _source(note) != "*"]
        texts = [text for text in texts if text]
        before, after = (texts[0], texts[1:]) if len(notes) > 1 and len(texts) > 1 else ("", texts)
        listed = ", ".join(key.strip() for key in _source(keys).split(","))
        return f"[{', '.join([' '.join(filter(None, (before, listed))), *after])}]"

    def _outer(self, node: _Node) -> str:
        """The command with the text of its arguments rewritten."""
        text, at = "", node.pos
        whole: str = node.parsing_state.s
        for argument in _arguments(node):
            if argument is None or argument.pos is None:
                continue
            text += whole[at : argument.pos]
            at = argument.pos + argument.len
            is_text = type(argument).__name__ == "LatexGroupNode"
            is_last = (
                node.macroname in ("item", "bibitem") or argument is node.nodeargd.argnlist[-1]
            )
            if is_text and is_last:
                opening, closing = argument.delimiters
                text += f"{opening}{self._all(argument.nodelist)}{closing}"
            else:
                text += whole[argument.pos : at]
        notes = "" if self._in_table else self._taken_notes()
        written = text + whole[at : node.pos + node.len]
        is_item = node.macroname in ("item", "bibitem")
        return notes + written if is_item else written + notes

    def _other(self, node: _Node) -> str:
        """A symbol of text, or a command that stays."""
        verbatim = str(node.latex_verbatim())
        if _arguments(node) or not node.macroname.isalpha():
            return verbatim
        symbol = latex_symbols(f"\\{node.macroname}")
        return _escaped(symbol) if symbol.strip() and len(symbol) <= 3 else verbatim


def _own_commands(source: str) -> tuple[_Commands, str]:
    """The commands that a file defines, and the source without their definitions."""
    own: _Commands = {}
    kept, at = "", 0
    for found in _DEFINITION.finditer(source):
        end = _closing(source, found.end())
        name = found["name"] or found["plain"]
        if found.start() < at or end is None or name in _STYLES:
            continue
        count = int(found["count"] or 0)
        own[name] = (count, found["default"], source[found.end() : end])
        kept, at = kept + source[at : found.start()], end + 1
    return own, kept + source[at:]


def _closing(source: str, at: int) -> int | None:
    """Where the brace closes that is open at a place."""
    depth = 1
    for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, at):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return None


@cache
def _context() -> Any:
    from docling.backend.latex.utils.latex_context import LATEX_CONTEXT_DB

    context = LATEX_CONTEXT_DB.filter_context()
    citing = (
        "cite citep citet citeauthor citeyear citealp citealt Citet Citep parencite textcite "
        "autocite footcite supercite fullcite Parencite Textcite Autocite smartcite citeyearpar "
        "citetitle nocite shortcite citeA citenum onlinecite citeasnoun"
    ).split()
    specs = dict.fromkeys(citing, "*[[{")
    specs |= dict.fromkeys((*_REFERRING, "ce", "si", "unit", "ang", "num", "numlist"), "*[{")
    specs |= dict.fromkeys(("si", "unit", "num", "ang", "numlist", "ce"), "[{")
    specs |= dict.fromkeys(("SI", "qty", "SIlist", "qtylist", "numrange"), "[{{")
    specs |= dict.fromkeys(("SIrange", "qtyrange"), "[{{{")
    specs |= dict.fromkeys(("textcolor", "colorbox", "href", "foreignlanguage"), "[{{")
    specs |= dict.fromkeys(("foreignquote", "foreigntextquote", "hyperref"), "*[{")
    specs |= {
        "foreignquote": "*{{",
        "foreigntextquote": "*{[{",
        "multirow": "[{[{[{",
        "multicolumn": "{{{",
    }
    specs |= dict.fromkeys(_COMBINING.keys() & {"h", "G", "U", "textcommabelow"}, "{")
    plain = set(_STYLES) - set(specs) | {"footnote", "footnotetext", "textsuperscript"}
    specs |= dict.fromkeys(plain | {"textsubscript", "url"}, "*[{")
    context.add_context_category(
        "lines", macros=[MacroSpec(name, spec) for name, spec in specs.items()], prepend=True
    )
    return context


def _specs(own: _Commands) -> list[Any]:
    return [
        MacroSpec(name, "[" + "{" * (count - 1) if default is not None and count else "{" * count)
        for name, (count, default, _) in own.items()
    ]


def _escaped(text: str) -> str:
    """Text as source that stands for it."""
    return _SPECIAL_CHARACTERS.sub(r"\\\1", text.replace("&", AMPERSAND))


def _arguments(node: _Node) -> list[_Node]:
    given = node.nodeargd.argnlist if getattr(node, "nodeargd", None) is not None else None
    found = list(given or ())
    return found if any(one is not None for one in found) else []


def _inside(argument: _Node | None) -> Sequence[_Node]:
    if argument is None:
        return ()
    if type(argument).__name__ == "LatexGroupNode":
        nodes: Sequence[_Node] = argument.nodelist or ()
        return nodes
    return (argument,)


def _source(argument: _Node | None) -> str:
    """The source within an argument."""
    return "".join(str(child.latex_verbatim()) for child in _inside(argument))


def _children(node: _Node) -> list[Sequence[_Node]]:
    own = getattr(node, "nodelist", None)
    groups = [_inside(one) for one in _arguments(node) if type(one).__name__ == "LatexGroupNode"]
    return [group for group in ([own] if own else []) + groups if group]


def _macro(node: _Node) -> str | None:
    return str(node.macroname) if type(node).__name__ == "LatexMacroNode" else None


def _environment(node: _Node) -> str | None:
    is_one = type(node).__name__ == "LatexEnvironmentNode"
    return str(node.environmentname) if is_one else None


def _chemical(source: str) -> str:
    """A formula of chemistry, as mhchem writes it."""
    text = re.sub(r"\^\{([^{}]*)\}|\^(\S[+-]?)", lambda m: raised(m[1] or m[2], "x"), source)
    text = re.sub(r"_\{([^{}]*)\}|_(\w)", lambda m: lowered(m[1] or m[2], "x"), text)
    text = re.sub(r"(?<=[A-Za-z)\]])\d+", lambda m: lowered(m[0], "x"), text)
    text = re.sub(r"(?<=[\w)\]₀-₉])([+-])(?=\s|$)", lambda m: raised(m[1], "x"), text)
    return text.replace("<=>", "⇌").replace("<->", "↔").replace("->", "→").replace("<-", "←")


# What is written from the sources of the arguments.
_LINES: Final[dict[str, Callable[[list[str]], str]]] = {
    "SI": lambda given: quantity_text(given[1], given[2], given[0]),
    "qty": lambda given: quantity_text(given[1], given[2], given[0]),
    "SIrange": lambda given: quantity_text(given[1], given[3], given[0], to=given[2]),
    "qtyrange": lambda given: quantity_text(given[1], given[3], given[0], to=given[2]),
    "SIlist": lambda given: quantity_text(given[1], given[2], given[0]),
    "qtylist": lambda given: quantity_text(given[1], given[2], given[0]),
    "num": lambda given: number_text(given[1]),
    "numlist": lambda given: number_text(given[1]),
    "numrange": lambda given: f"{number_text(given[1])} to {number_text(given[2])}",
    "si": lambda given: unit_text(given[1], given[0]),
    "unit": lambda given: unit_text(given[1], given[0]),
    "ang": lambda given: "".join(
        f"{number_text(part)}{sign}" for part, sign in zip(given[1].split(";"), "°′″", strict=False)
        if part.strip()
    ),
    "ce": lambda given: _escaped(_chemical(given[1])),
    "url": lambda given: _escaped(given[-1]),
}  # fmt: skip
