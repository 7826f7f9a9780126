"""LaTeX drafts: prose, and the citation commands of natbib and biblatex."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from citeloom.domain.citation.in_text import CITING, NARRATIVE, NOT_CITING, QUOTES, QUOTES_KEY
from citeloom.domain.errors import InvalidSource
from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.references.works import NamedWork
from citeloom.domain.text.scripts import raised
from citeloom.domain.verification.drafts.draft import (
    Draft,
    Inclusion,
    InTextCitation,
    is_bibliography,
)

from .latex_citations import arguments_of, cited_items, is_named_like_citing, unread_commands
from .mask import Mask, blanked

# Environments with verbatim content.
_VERBATIM_ARGUMENT = re.compile(
    r"^(?P<before>(?:[^%\\\n]|\\[^\n])*?)\\begin\{"
    r"(?P<name>verbatim|Verbatim|lstlisting|minted|comment|filecontents)(?P<star>\*?)\}.*?(?:\\end\{(?P=name)(?P=star)\}|\Z)",
    re.DOTALL | re.MULTILINE,
)
# URLs, in which a per cent sign begins no comment.
_ADDRESS = re.compile(r"\\(?:href|url|nolinkurl|path)\s*\{[^{}\n]*\}")


def without_literal(text: str) -> str:
    """``text`` at the same length, with verbatim environments blanked, so that their braces and
    dollars open nothing, and per cent signs in URLs replaced."""

    without_percent = _ADDRESS.sub(lambda match: match[0].replace("%", "_"), text)
    return _VERBATIM_ARGUMENT.sub(
        lambda match: match["before"] + blanked(match[0].removeprefix(match["before"])),
        without_percent,
    )


_LIST = re.compile(
    r"\\begin\{thebibliography\}(?P<items>.*?)(?:\\end\{thebibliography\}|\Z)", re.DOTALL
)
_ITEM = re.compile(r"\\bibitem\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\])?\s*\{(?P<key>[^{}]+)\}")
_HEADING = re.compile(r"\\(?:chapter|section|subsection)\*?\s*\{(?P<title>[^{}]*)\}")
_LIST_ITEM = re.compile(r"\\item\b")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?|\\newblock\b")
_RAISED = re.compile(
    r"\\textsuperscript\{\s?\[?\d[\d,\s–-]*\]?\}|\$\^(?:\d|\{\s?\[?\d[\d,\s–-]*\]?\})\$"
)


def reference_list_of(text: str) -> tuple[str, dict[str, NamedWork]]:
    r"""The text of the reference list, its entries numbered, and the works of ``\bibitem`` by
    their keys."""
    entries: list[str] = []
    works: dict[str, NamedWork] = {}
    for found in _LIST.finditer(text):
        items = list(_ITEM.finditer(found["items"]))
        ends = [*(item.start() for item in items[1:]), len(found["items"])]
        for item, end in zip(items, ends, strict=True):
            entry = _plain(found["items"][item.end() : end])
            entries.append(f"[{len(entries) + 1}] {entry}")
            if parsed := works_in_text(entries[-1]):
                key = item["key"].strip()
                works[key] = NamedWork(keys=(key,), entry=parsed[0])
    headings = list(_HEADING.finditer(text))
    for at, heading in enumerate(headings):
        if is_bibliography(heading["title"]):
            end = headings[at + 1].start() if at + 1 < len(headings) else len(text)
            entries.append(_typed_list(text[heading.end() : end].partition(r"\end{document}")[0]))
    return "\n\n".join(entries), works


def _typed_list(text: str) -> str:
    """The entries below a heading; the items of a list are numbered."""
    numbers = iter(range(1, 10_000))
    numbered = _LIST_ITEM.sub(lambda _: f"\n\n[{next(numbers)}] ", _LIST.sub("", text))
    return "\n\n".join(map(_plain, re.split(r"\n\s*\n", numbered)))


def _plain(text: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    source = _ENVIRONMENT.sub(" ", text)
    try:
        plain = LatexNodes2Text().latex_to_text(source, tolerant_parsing=True)
    except Exception:  # whatever pylatexenc raises for damaged entries
        plain = source
    return " ".join(plain.split())


_SKIPPED_ENVIRONMENTS = frozenset(
    """
    equation align alignat gather multline flalign eqnarray math displaymath verbatim Verbatim
    lstlisting minted tabular tabularx longtable table figure wrapfigure sidewaystable
    sidewaysfigure thebibliography tikzpicture picture algorithm algorithmic filecontents comment
    subequations array matrix titlepage
    """.split()
)
_DISPLAY = frozenset(
    "equation align alignat gather multline flalign eqnarray displaymath subequations math".split()
)
_HEADINGS = frozenset(
    "part chapter section subsection subsubsection paragraph subparagraph".split()
)
_INCLUDING = frozenset(("input", "include", "subfile", "import", "subimport"))
# Commands whose arguments are not prose.
_NOT_PROSE = frozenset(
    """
    label ref cref Cref autoref eqref pageref nameref vref url bibliography
    bibliographystyle addbibresource printbibliography usepackage documentclass newcommand
    renewcommand providecommand newenvironment setlength addtolength vspace hspace
    includegraphics hypersetup pagestyle thispagestyle title author date affil institute index
    nocite setcounter addtocounter DeclareMathOperator graphicspath color bibitem caption
    phantomsection hyphenation RequirePackage geometry setstretch fontsize includepdf maketitle
    keywords thanks email orcid
    """.split()
)
_POWER = re.compile(r"\{[-\u2212]?\d{1,3}\}")
# Commands whose argument is code.
_LITERAL = frozenset("texttt verb lstinline mintinline code".split())
_CITATION = re.compile(r"\\(?P<name>[A-Za-z]+)")
# Words of the author within a quotation, and words left out of it, as csquotes prints them.
_CHANGED = {"textelp": ("[…", "]"), "textins": ("[", "]"), "textdel": ("[…", "]")}
# Commands whose last argument is prose; the number of braced arguments before it.
_LAST_IS_PROSE = {
    "href": 1, "hyperlink": 1, "textcolor": 1, "colorbox": 1, "fcolorbox": 2, "foreignlanguage": 1,
    "hyperref": 0,
}  # fmt: skip
_ACCENTS = frozenset("c k v u H r d b t".split())
_SPACES = {",": " ", " ": " ", ";": " ", ":": " ", "!": "", "-": "", "/": "", "@": ""}


def parse_latex(path: str, text: str) -> Draft:
    """Text after a syntax error is left out, with a warning. Raises InvalidSource for nesting that
    is too deep."""
    from pylatexenc.latexwalker import LatexWalkerParseError

    literal_free = without_literal(text)
    mask = Mask(literal_free, prose=blanked(literal_free))
    warnings: tuple[str, ...] = ()
    walker = _ProseWalker(mask)
    try:
        walker.walk(_body(_nodes(literal_free)))
    except LatexWalkerParseError as error:
        warnings = (f"{path}: cannot be read as LaTeX: {error.msg}",)
    except RecursionError:
        raise InvalidSource(
            f"{path}: its groups are nested too deeply; look for a brace that is not closed"
        ) from None
    mask.superscripts = [match.span() for match in _RAISED.finditer(literal_free)]
    mask.bibliography, mask.works = reference_list_of(literal_free)
    mask.unread += unread_commands(_LIST.sub(lambda found: blanked(found[0]), literal_free), mask)
    return mask.draft(path, "latex", text, inclusions=walker.inclusions, warnings=warnings)


def _nodes(text: str) -> Sequence[Any]:
    """Raises LatexWalkerParseError."""
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError

    try:
        nodes, _, _ = LatexWalker(text, tolerant_parsing=True).get_latex_nodes()
    except IndexError:  # pylatexenc's, for \\verb at the very end
        raise LatexWalkerParseError("it ends within a command", pos=len(text)) from None
    return nodes if nodes is not None else ()


def _body(nodes: Sequence[Any]) -> Sequence[Any]:
    """The content of the document environment; everything if there is none (a chapter)."""
    for node in nodes:
        if getattr(node, "environmentname", None) == "document":
            nodes_within: Sequence[Any] = node.nodelist
            return nodes_within
    return nodes


class _ProseWalker:
    """Walks the nodes of a draft and writes their prose into the mask. ``_done`` is the end of the
    processed text."""

    def __init__(self, mask: Mask) -> None:
        from pylatexenc.latex2text import LatexNodes2Text

        self._mask = mask
        self._text = mask.text
        self._to_text = LatexNodes2Text()
        self._done = 0
        self._in_bibliography = False
        self.inclusions: list[Inclusion] = []

    def walk(self, nodes: Iterable[Any], *, is_prose: bool = True) -> None:
        """``is_prose`` is False within notes: their citations count, their text does not."""
        for node in nodes:
            if node is None or node.pos + node.len <= self._done:
                continue
            kind = type(node).__name__
            end = node.pos + node.len
            if kind == "LatexMacroNode":
                self._macro(node, is_prose)
            elif self._in_bibliography:
                continue
            elif kind == "LatexCharsNode" and is_prose:
                self._mask.restore(max(node.pos, self._done), end)
            elif kind == "LatexSpecialsNode" and is_prose:
                self._character(node, end)
            elif kind == "LatexCommentNode" or (
                kind == "LatexMathNode" and node.displaytype == "display"
            ):
                self._mask.inline(node.pos, end)
            elif kind == "LatexEnvironmentNode":
                self._environment_body(node, is_prose)
            elif kind in ("LatexGroupNode", "LatexMathNode"):
                if kind == "LatexMathNode":
                    self._mask.literals.append((node.pos, end))
                self._mask.inline(node.pos, node.pos + 1)
                self.walk(node.nodelist, is_prose=is_prose)
                self._mask.inline(end - 1, end)

    def _environment_body(self, node: Any, is_prose: bool) -> None:
        name = node.environmentname.rstrip("*")
        if name in _DISPLAY:
            self._mask.inline(node.pos, node.pos + node.len)
        elif name in QUOTES or name in QUOTES_KEY:
            self._quoted_environment(node, name, is_prose)
        elif name not in _SKIPPED_ENVIRONMENTS:
            self.walk(node.nodelist, is_prose=is_prose)

    def _macro(self, node: Any, is_prose: bool) -> None:
        name, end = node.macroname, node.pos + node.len
        after = node.pos + 1 + len(name)
        if name in _LITERAL:
            self._mask.literals.append((node.pos, end))
        if name in _HEADINGS:
            self._heading(after)
        elif name in _INCLUDING:
            self._include(node)
        elif self._in_bibliography:
            return
        elif name in QUOTES or name in QUOTES_KEY:
            self._quotation(node.pos, name, after, is_prose=is_prose)
        elif name in CITING or (is_named_like_citing(name) and name not in NOT_CITING):
            self._cite(name, node.pos, after, is_listed=name in CITING)
            self._done = max(self._done, after)
        elif name in ("footnote", "footnotetext", "thanks", "marginpar"):
            first = arguments_of(self._text, after)
            self._note(node, first[-1] if first else None)
        elif name in _NOT_PROSE:
            arguments = arguments_of(self._text, after)
            self._done = max(end, arguments[-1][1] + 1 if arguments else end)
            self._mask.inline(node.pos, self._done)
        elif name in _LAST_IS_PROSE:
            self._last_argument(node, after, _LAST_IS_PROSE[name], is_prose)
        elif name in _CHANGED and is_prose:
            self._changed(node, name, after)
        elif name in ("item", "par"):
            self._mask.paragraph(node.pos, after)
            self._done = after
            if name == "par":
                self._mask.paragraph(node.pos + 1, after)
        elif name == "textsuperscript" and is_prose and _POWER.fullmatch(self._text, after, end):
            self._mask.replace(
                node.pos, end, raised(self._text[after + 1 : end - 1], self._text[: node.pos])
            )
            self._done = end
        elif not name.isalpha() or name in _ACCENTS or not _children(node):
            if is_prose:
                self._character(node, end)
            self._done = end
        else:
            self._mask.inline(node.pos, after)
            self.walk(_children(node), is_prose=is_prose)

    def _changed(self, node: Any, name: str, after: int) -> None:
        r"""``\\textelp{}``, ``\\textins{word}``."""
        first, last = next(iter(arguments_of(self._text, after)), (after, after))
        opening, closing = _CHANGED[name]
        if name == "textins":
            self._mask.replace(node.pos, first, opening)
            self._mask.restore(first, last)
            self._mask.replace(last, last + 1, closing)
        else:
            self._mask.replace(node.pos, last + 1, opening + closing)
        self._done = max(node.pos + node.len, last + 1)

    def _last_argument(self, node: Any, after: int, index: int, is_prose: bool) -> None:
        """A command whose last argument only is prose."""
        arguments = arguments_of(self._text, after)
        braces = [first - 1 for first, _ in arguments if self._text[first - 1] == "{"]
        self._done = braces[index] if len(braces) > index else node.pos + node.len
        self._mask.inline(node.pos, self._done)
        self.walk(_children(node), is_prose=is_prose)

    def _character(self, node: Any, end: int) -> None:
        """The character of a command or a ligature: é, “, —."""
        name = getattr(node, "macroname", None)
        if name in _SPACES:
            self._mask.replace(node.pos, end, _SPACES[name])
            return
        if name == "\\":
            self._mask.inline(node.pos, node.pos + 2)
            return
        try:
            rendered = self._to_text.nodelist_to_text([node])
        except LookupError:  # pylatexenc's, for missing arguments
            rendered = ""
        text = rendered if len(rendered) <= end - node.pos else ""
        drops_space = self._text[node.pos : end].endswith(" ") and text and name != " "
        if name and name.isalpha() and drops_space and not text.endswith(" "):
            end -= 1  # TeX drops the space after a command; plain text keeps it
        self._mask.replace(node.pos, end, text) if text else self._mask.inline(node.pos, end)

    def _include(self, node: Any) -> None:
        r"""\input{file}; \import{folder/}{file}."""
        arguments = arguments_of(self._text, node.pos + 1 + len(node.macroname))
        if arguments and not self._in_bibliography:
            name = "".join(self._text[first:last].strip() for first, last in arguments)
            self.inclusions.append(Inclusion(name=name, start=node.pos))
        self._done = max(node.pos + node.len, arguments[-1][1] + 1 if arguments else 0)
        self._mask.blank(node.pos, self._done)

    def _heading(self, after: int) -> None:
        arguments = arguments_of(self._text, after)
        title = self._text[arguments[-1][0] : arguments[-1][1]] if arguments else ""
        self._in_bibliography = is_bibliography(title)
        self._done = arguments[-1][1] + 1 if arguments else after
        self._mask.blank(after, self._done)

    def _note(self, node: Any, argument: tuple[int, int] | None) -> None:
        if argument and self._mask.note((node.pos, argument[1] + 1), argument):
            self.walk(_children(node))
            self._done = max(self._done, argument[1] + 1)
            return
        self.walk(_children(node), is_prose=False)
        if argument:
            self._mask.spaces(node.pos, argument[1] + 1)
            self._done = max(self._done, argument[1] + 1)

    def _quotation(self, start: int, name: str, after: int, *, is_prose: bool) -> None:
        """A quotation of csquotes; its citation stands behind the quotation marks."""
        cites, end = self._quotation_opened(start, name, after)
        found = [one for one in arguments_of(self._text, end, lines=True) if one[0] > end]
        quoted = next((span for span in found if self._text[span[0] - 1] == "{"), None)
        if quoted is None:
            self._done = max(self._done, end)
            return
        first, last = quoted
        if is_prose:
            self._mask.replace(start, first, "“")
            self._mask.replace(last, last + 1, "”")
        from pylatexenc.latexwalker import LatexWalker

        inner, _, _ = LatexWalker(self._text, tolerant_parsing=True).get_latex_nodes(
            first, stop_upon_closing_brace="}"
        )
        self.walk(inner, is_prose=is_prose)
        self._done = last + 1
        for cited, opened, behind in cites:
            self._cite(cited, opened, behind, at=last + 1)

    def _quotation_opened(
        self, start: int, name: str, after: int
    ) -> tuple[list[tuple[str, int, int]], int]:
        """Name, start and end of the citations in the arguments before the quoted words; the end
        of those arguments. ``cquote`` has notes and a key, others a citation in brackets."""
        languages, key = (QUOTES_KEY.get(name, QUOTES.get(name, 0)), name in QUOTES_KEY)
        cites, end, braces = [], after, languages + key
        if key:
            cites.append((name, start, after))
        for first, last in arguments_of(self._text, after, lines=True):
            if self._text[first - 1] == "{":
                if not braces:
                    break
                braces -= 1
            elif not key:
                cites += [
                    (found["name"], found.start(), found.end())
                    for found in _CITATION.finditer(self._text, first, last)
                    if is_named_like_citing(found["name"])
                ]
            end = last + 1
            if key and not braces and self._text[first - 1] == "{":
                break
        return cites, end

    def _quoted_environment(self, node: Any, name: str, is_prose: bool) -> None:
        opening = self._text.index("}", node.pos) + 1
        cites, end = self._quotation_opened(node.pos, name, opening)
        self._mask.paragraph(node.pos, end)
        self._done = max(self._done, end)
        self.walk(node.nodelist, is_prose=is_prose)
        end_of_node = node.pos + node.len
        close = self._text.rfind("\\end", node.pos, end_of_node)
        if is_prose and close > end:
            last = end + len(self._text[end:close].rstrip())
            self._mask.replace(end - 1, end, "“")
            self._mask.paragraph(close, end_of_node)
            self._mask.replace(close + 1, close + 2, "\n")
            self._mask.replace(last, last + 1, "”")
            for cited, start, after in cites:
                self._cite(cited, start, after, at=last + 1)

    def _cite(
        self, name: str, start: int, after: int, *, at: int | None = None, is_listed: bool = True
    ) -> None:
        """One citation; ``at`` is its position for the reader, by default the written one.
        ``is_listed`` is False for a command known by its name alone."""
        items, end = cited_items(self._text, name, after)
        if at is None:
            self._done = max(self._done, end)
        self._mask.read.add(start)
        if not items:
            self._mask.unread.append((start, f"\\{name}"))
            return
        span = (start, end) if at is None else (at, at)
        narrative = name in NARRATIVE or name.lower() == "textcites"
        self._mask.cite(
            InTextCitation(
                start=span[0],
                end=span[1],
                items=tuple(items),
                narrative=narrative,
                unlisted=None if is_listed else f"\\{name}",
            )
        )


def _children(node: Any) -> Sequence[Any]:
    arguments = getattr(node, "nodeargd", None)
    return [one for one in (arguments.argnlist if arguments else None) or () if one is not None]
