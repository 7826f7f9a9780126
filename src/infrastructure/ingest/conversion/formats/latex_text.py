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

from citeloom.domain.citation.in_text import CITING, QUOTES, QUOTES_KEY, VOLUMES
from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.formats.source_text import (
    AMPERSAND,
    BACKSLASH,
    PERCENT,
    TILDE,
)
from citeloom.infrastructure.system.symbol_fonts import dingbat

from .formulas import behind, latex_symbols
from .latex_definitions import Commands, own_commands, with_environments
from .latex_numbers import MARK, Numbered, numbered, reference
from .latex_units import number_text, quantity_text, unit_text

_Node = Any

_PARSE_ERRORS: Final = (LatexWalkerParseError, IndexError, RecursionError)
# Addresses, in which a per cent sign begins no comment.
_ADDRESS: Final = re.compile(r"\\(?:href|url|nolinkurl|path)\s*\{[^{}\n]*\}")
_MOST_EXPANSIONS: Final = 8

_SPECIALS: Final = {
    "--": "–", "---": "—", "~": " ", "``": "“", "''": "”", "!`": "¡", "?`": "¿",
}  # fmt: skip
_GERMAN: Final = re.compile(
    r"\\usepackage\s*\[[^\]]*\b(?:n?german|n?austrian|nswissgerman)\b[^\]]*\]\s*\{babel\}"
)
_SHORTHAND: Final = re.compile(r"\"([`'<>=~aouAOUsz|-]|\"|$)")
_SHORTHANDS: Final = {
    "`": "„", "'": "“", "<": "«", ">": "»", "=": "-", "~": "-", "a": "ä", "o": "ö", "u": "ü",
    "A": "Ä", "O": "Ö", "U": "Ü", "s": "ß", "z": "ß",
}  # fmt: skip
_CITING: Final = re.compile(r"[A-Za-z]*cite[A-Za-z]*")
_SEVERAL: Final = re.compile(
    r"\\[A-Za-z]*cites\*?(?:\([^()]*\)){0,2}((?:\s*(?:\[[^\[\]]*\]){0,2}\{[^{}]*\})+)"
)
# The note of apacite before a citation.
_ANGLE: Final = re.compile(
    r"(\\[A-Za-z]*cite[A-Za-z]*\*?)<([^<>\n]{0,300})>(\[[^\[\]]*\])?(?=\s*\{)"
)
_EACH: Final = re.compile(r"(?:\[[^\[\]]*\]){0,2}\{[^{}]*\}")
_REFERRING: Final = "ref eqref pageref autoref cref Cref vref nameref labelcref".split()
# Commands whose last argument is text of the line.
_STYLES: Final = (
    "emph textbf textit texttt textsc textsf textrm textnormal textmd textup textsl underline "
    "uline uuline sout hl mbox hbox text makebox framebox fbox citetext lowercase "
    "textcolor colorbox href hyperref foreignlanguage parbox mathrm "
    "nolinebreak textls ensuremath"
).split()
# Entries of a glossary, by their keys: what is printed depends on where it is used first.
_ACRONYMS: Final = frozenset(
    "ac acs acl acf acp gls glspl Gls Glspl acrshort acrlong acrfull".split()
)
# Printed beside the text, or not at all.
_BESIDE: Final = frozenset("footnotetext marginpar marginnote sidenote todo".split())
_UNPRINTED: Final = frozenset("index label phantom hphantom vphantom glsadd nocite".split())
# Commands of which docling reads the last argument, or all.
_OUTER: Final = (
    "section subsection subsubsection chapter part paragraph subparagraph caption captionof title "
    "subtitle author institute affil address thanks date item bibitem"
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
    "texttrademark": "™", "SS": "SS", "newblock": " ", "checkmark": "✓", "textless": "<",
    "textgreater": ">", "textbar": "|", "textasciitilde": TILDE, "textbackslash": BACKSLASH,
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
# Environments whose braced arguments are not text, and how many they have.
_BRACED: Final = {
    "minipage": 1, "subfigure": 1, "subtable": 1, "wrapfigure": 2, "wraptable": 2, "minted": 1,
    "multicols": 1, "adjustwidth": 2, "spacing": 1, "list": 2,
}  # fmt: skip
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
_NUMBER: Final = re.compile(rf"\s*{MARK}([^{MARK}]*){MARK}")
# What LaTeX skips, and readers never see.
_UNSEEN: Final = re.compile(
    r"\\iffalse(?![A-Za-z])(?:(?!\\if).)*?\\fi(?![A-Za-z])|\\begin\{comment\}.*?\\end\{comment\}",
    re.DOTALL,
)
_BREAK: Final = re.compile(r"\n[ \t]*\n\s*")
_SPECIAL_CHARACTERS: Final = re.compile(r"([%#${}])")


def seen_source(source: str, *, is_whole: bool = True) -> tuple[str, list[str]]:
    """The source, with the content of its lines as text, and warnings. Without its included files
    it is incomplete, and its sections and formulas have no numbers. If it cannot be parsed as a
    whole, its paragraphs are read one by one, and unreadable ones stay."""
    source = _ADDRESS.sub(lambda match: match[0].replace("%", PERCENT), source)
    source = _ANGLE.sub(lambda match: f"{match[1]}[{match[2]}]{match[3] or '[]'}", source)
    source = _SEVERAL.sub(lambda match: _EACH.sub(r"\\cite\g<0>", match[1]), source)
    own, source = own_commands(_UNSEEN.sub("", source), _STYLES)
    source = with_environments(source, own)
    numbers = numbered(source, own, is_whole=is_whole)
    source = numbers.source
    try:
        return _Source(source, own, numbers).written(), []
    except _PARSE_ERRORS:
        pass
    parts = re.split(r"(\n[ \t]*\n)", source)
    left = 0
    for at, part in enumerate(parts):
        try:
            parts[at] = _Source(part, own, numbers).written()
        except _PARSE_ERRORS:
            left += 1
    return "".join(parts), [
        f"{left} paragraph{'s' * (left != 1)} of the LaTeX source could not be parsed: their "
        "commands may be missing from the text"
    ] if left else []


class _Source:
    """One file: its own commands, and what is left of it to write."""

    def __init__(self, source: str, own: Commands, numbers: Numbered) -> None:
        self._source = source
        self._own = own
        self._numbers = numbers
        self._theorems = _THEOREMS | dict(_DEFINED.findall(source))
        self._notes: list[str] = []
        self._expansions = 0
        self._in_table = 0
        self._quotes = 0
        self._is_german = _GERMAN.search(source) is not None

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
        macros = [MacroSpec(name, command.arguments) for name, command in self._own.items()]
        context.add_context_category("own", macros=macros, prepend=True)
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
        text = self._shorthands(chars) if self._is_german else chars
        text = text.replace(",,", "„").replace("<<", "«").replace(">>", "»")
        text = text.replace("`", "‘").replace("'", "’")
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
            elif (write := _LINES.get(_macro(node) or "")) is not None and _arguments(node):
                written = write([_source(argument) for argument in _arguments(node)])
                parts.append(written.replace(" ", "~"))
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
        """The expansion of one of the file's own commands."""
        name = _macro(node)
        if name is None or name not in self._own or self._expansions >= _MOST_EXPANSIONS:
            return None
        self._expansions += 1
        given = getattr(node.nodeargd, "argnlist", None) or ()
        return self._own[name].written([_source(argument) for argument in given])

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
        if name in _BRACED:
            head = f"\\begin{{{name}}}"
            inner = re.sub(
                rf"\A(?:\s*\[[^\]]*\])?(?:\s*\{{[^{{}}]*\}}){{{_BRACED[name]}}}", "", inner
            )
        return f"{head}{inner}{tail}"

    def _theorem(self, title: str, inner: str) -> str:
        if (mark := _NUMBER.match(inner)) is not None:
            title, inner = f"{title} {mark[1]}", inner[mark.end() :]
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
        if (name == "footnote" or name in _BESIDE) and given:
            return self._note(given)
        if name in _UNPRINTED and given:
            return ""
        if name in QUOTES or name in QUOTES_KEY:
            return self._quotation(name, given)
        if name in _ACRONYMS and given:
            return f"[{_source(given[-1])}]"
        if name == "ding" and given:
            return dingbat(_source(given[-1]))
        if _CITING.fullmatch(name) and given:
            return self._cited(name, given)
        if name in _REFERRING and given:
            keys = _source(given[-1])
            return reference(name, keys, self._numbers) or f"[{keys}]"
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
        return self._all(_inside(given[-1]))

    def _quotation(self, name: str, given: Sequence[_Node]) -> str:
        """A quotation of csquotes, its citation in brackets behind it."""
        self._quotes += 1
        text = self._all(_inside(given[-1])) if given else ""
        text = f"“{text}”" if self._quotes % 2 else f"‘{text}’"
        self._quotes -= 1
        notes = given[(QUOTES_KEY | QUOTES)[name] + 1 :]
        if name in QUOTES_KEY and notes:
            cited = self._cited(name, notes[:3])
        else:
            cited = self._all(_inside(notes[0])) if len(notes) > 1 else ""
            cited = f"({cited})" if cited and not cited.startswith("[") else cited
        return f"{text} {cited}" if cited else text

    @staticmethod
    def _shorthands(chars: str) -> str:
        """The shorthands of babel for German: quotation marks, hyphens, umlauts."""
        return _SHORTHAND.sub(lambda match: _SHORTHANDS.get(match[1], ""), chars)

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
        *notes, keys = given
        affix = ""
        if name == "citeaffixed":  # of harvard: its note stands behind the key
            affix, notes, keys = self._all(_inside(keys)), notes[:-1], notes[-1]
        texts = [None if one is None else self._all(_inside(one)).strip() for one in notes]
        if name in VOLUMES:
            before, *places = texts
            after: str | None = ":".join(filter(None, places))
        else:  # one note stands behind the keys, two around them
            first, second = [None, None, *texts][-2:]
            before, after = (None, first) if second is None else (first, second)
        listed = ", ".join(key.strip() for key in _source(keys).split(","))
        head = " ".join(filter(None, (affix or before, listed)))
        return f"[{', '.join(filter(None, (head, after)))}]"

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


@cache
def _context() -> Any:
    from docling.backend.latex.utils.latex_context import LATEX_CONTEXT_DB

    context = LATEX_CONTEXT_DB.filter_context()
    specs = dict.fromkeys(CITING | {"nocite"}, "*[[{")
    specs |= dict.fromkeys(VOLUMES, "[{[{") | {"citeaffixed": "[[{{"}
    specs |= {name: "*" + "{" * languages + "[[{[{" for name, languages in QUOTES_KEY.items()}
    specs |= {name: "*" + "{" * languages + "[[{" for name, languages in QUOTES.items()}
    specs |= {"enquote": "*{", "foreignquote": "*{{", "hyphenquote": "*{{", "ding": "{"}
    specs |= dict.fromkeys(_BESIDE | _UNPRINTED, "[{")
    specs |= dict.fromkeys((*_REFERRING, "ce", "si", "unit", "ang", "num", "numlist"), "*[{")
    specs |= dict.fromkeys(("si", "unit", "num", "ang", "numlist", "numproduct", "ce"), "[{")
    specs |= dict.fromkeys(("SI", "qty", "SIlist", "qtylist", "qtyproduct", "numrange"), "[{{")
    specs |= dict.fromkeys(("SIrange", "qtyrange"), "[{{{")
    specs |= dict.fromkeys(("textcolor", "colorbox", "href", "foreignlanguage"), "[{{")
    specs |= {"hyperref": "*[{", "multirow": "[{[{[{", "multicolumn": "{{{", "parbox": "[[[{{"}
    specs |= dict.fromkeys(_COMBINING.keys() & {"h", "G", "U", "textcommabelow"}, "{")
    plain = (set(_STYLES) | _ACRONYMS) - set(specs) | {"footnote", "textsuperscript"}
    specs |= dict.fromkeys(plain | {"textsubscript", "url"}, "*[{")
    context.add_context_category(
        "lines", macros=[MacroSpec(name, spec) for name, spec in specs.items()], prepend=True
    )
    return context


def _escaped(text: str) -> str:
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
    "numproduct": lambda given: number_text(given[1]),
    "qtyproduct": lambda given: " × ".join(
        quantity_text(one, given[2], given[0]) for one in given[1].split("x")
    ),
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
