"""LaTeX in the fields of BibTeX entries, as text with the markup that CSL allows."""

import re
from functools import cache
from typing import Any

from pylatexenc.latex2text import (
    LatexNodes2Text,
    MacroTextSpec,
)
from pylatexenc.latex2text import (
    get_default_latex_context_db as text_of_macros,
)
from pylatexenc.latexwalker import (
    LatexWalker,
    LatexWalkerError,
)
from pylatexenc.latexwalker import (
    get_default_latex_context_db as forms_of_macros,
)
from pylatexenc.macrospec import std_macro

# Longer texts lose their braces and nothing else: a field is a line or a page, no book.
_LONGEST = 50_000
_MARKUP = {
    "emph": "i", "textit": "i", "textsl": "i", "mkbibemph": "i", "mkbibitalic": "i",
    "textbf": "b", "mkbibbold": "b", "textsuperscript": "sup", "mkbibsuperscript": "sup",
    "textsubscript": "sub", "mkbibsubscript": "sub",
}  # fmt: skip
_QUOTES = {
    "mkbibquote": "“%s”",
    "enquote": "“%s”",
    "mkbibparens": "(%s)",
    "mkbibbrackets": "[%s]",
    "textsc": '<span style="font-variant:small-caps;">%s</span>',
}
_CONTENT = ("textrm", "textsf", "texttt", "textup", "textmd", "textnormal", "mbox",
            "text", "uppercase", "MakeUppercase", "lowercase", "url", "path", "nolinkurl",
            "bibstring", "ensuremath", "foreignlanguage")  # fmt: skip
_SIGNS = {"textless": "<", "textgreater": ">", "textbar": "|", "textquotesingle": "'",
          "textasciitilde": "~", "textasciicircum": "^", "textunderscore": "_", "slash": "/",
          "textdegree": "°", "degree": "°", "textmu": "µ", "newblock": " ", "protect": "",
          "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX"}  # fmt: skip
_SILENT = ("noopsort", "cite", "footnote", "thanks", "input", "include", "label", "index")

# A letter with its accent, in the ways in which programs export it.
_ACCENTED = re.compile(
    r"""\{?\\["'`^~=.](?:\{\\?[A-Za-z]\}|[A-Za-z])\}?|\{?\\[cvuHkrdb]\{\\?[A-Za-z]\}\}?"""
)
_ESCAPED = re.compile(r"\\([&%$#_{} ])")
_MATHS = re.compile(r"(?<!\\)\$([^$]{0,500})(?<!\\)\$|\\\((.{0,500}?)\\\)", re.DOTALL)
_RAISED = re.compile(r"([\^_])(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\s{}\\])")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
# Signs that LaTeX's input makes of several characters.
_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", "\u00a0"))


def from_latex(text: str) -> str:
    """``text`` in Unicode, with ``<i>``, ``<b>``, ``<sup>``, ``<sub>``; never fails.

    Braces go, with the case that they protect; formulas become as much of a text as they
    can (``$H_2O$`` gives ``H<sub>2</sub>O``). Broken LaTeX is left as it is, without braces.
    """
    if "\\" in text:
        text = _ACCENTED.sub(_letter, text)
    if "$" not in text and "\\" not in _ESCAPED.sub("", text):
        return _plainly(text)
    if len(text) > _LONGEST:
        return _plainly(text)
    text = _BARE_PERCENT.sub(r"\\%", _MATHS.sub(_formula, text))
    try:
        nodes, _, _ = LatexWalker(
            text, latex_context=_forms(), tolerant_parsing=True
        ).get_latex_nodes()
        return str(_decoder().nodelist_to_text(nodes))
    except (LatexWalkerError, RecursionError, ValueError, LookupError, TypeError, AttributeError):
        return _plainly(text)


def verbatim(text: str) -> str:
    """The text of fields that are no LaTeX (addresses, DOIs, file names), but are exported with
    its escapes (``\\_``, ``{\\%}``)."""
    return _ESCAPED.sub(r"\1", re.sub(r"\{\\([&%$#_])\}", r"\1", text)).replace(
        "{\\textasciitilde}", "~"
    )


def _plainly(text: str) -> str:
    for typed, meant in _LIGATURES:
        text = text.replace(typed, meant)
    text = re.sub(r"(?<!\\)[{}]", "", text)
    return _ESCAPED.sub(r"\1", text)


def _letter(found: re.Match[str]) -> str:
    """The accented letter, with the brace on either side that has no partner in the match."""
    atom = found.group()
    inner = atom.strip("{}") if atom.startswith("{") else atom
    opened, closed = atom.count("{"), atom.count("}")
    if opened == closed:
        return _decoded(atom)
    if opened > closed:  # "{\'e" begins a group with more in it
        return "{" + _decoded(atom[1:])
    return _decoded(atom[:-1]) + "}" if inner else atom


@cache
def _decoded(atom: str) -> str:
    nodes, _, _ = LatexWalker(atom, latex_context=_forms()).get_latex_nodes()
    return str(_decoder().nodelist_to_text(nodes))


def _formula(found: re.Match[str]) -> str:
    """What stands between dollar signs, its indices and powers as text macros."""
    content = found.group(1) if found.group(1) is not None else found.group(2)
    content = re.sub(r"\^\{?\\circ\}?", "°", content)

    def raised(index: re.Match[str]) -> str:
        macro = "textsuperscript" if index[1] == "^" else "textsubscript"
        inner = index[2]
        return f"\\{macro}{inner if inner.startswith('{') else '{' + inner + '}'}"

    return "{" + _RAISED.sub(raised, content) + "}" if content.strip() else ""


@cache
def _forms() -> Any:
    """Which macros take arguments."""
    context = forms_of_macros()
    one = (*_MARKUP, *_QUOTES, *_CONTENT, *_SILENT)
    context.add_context_category(
        "citeloom", prepend=True,
        macros=[
            *(std_macro(name, "*{") for name in one if name != "foreignlanguage"),
            std_macro("foreignlanguage", "{{"), std_macro("href", "{{"),
            *(std_macro(name, "") for name in _SIGNS),
        ],
    )  # fmt: skip
    return context


@cache
def _decoder() -> LatexNodes2Text:
    context = text_of_macros()

    def wrapped(form: str) -> Any:
        def text(node: Any, l2tobj: Any) -> str:
            arguments = [each for each in node.nodeargd.argnlist if each is not None]
            content = l2tobj.nodelist_to_text([arguments[-1]]) if arguments else ""
            return form.replace("%s", content) if content else ""

        return text

    forms = {
        **{name: f"<{tag}>%s</{tag}>" for name, tag in _MARKUP.items()},
        **_QUOTES,
        **dict.fromkeys((*_CONTENT, "href"), "%s"),
        **dict.fromkeys(_SILENT, ""),
    }
    context.add_context_category(
        "citeloom", prepend=True,
        macros=[
            *(MacroTextSpec(name, simplify_repl=wrapped(form)) for name, form in forms.items()),
            *(MacroTextSpec(name, simplify_repl=sign) for name, sign in _SIGNS.items()),
        ],
    )  # fmt: skip
    return LatexNodes2Text(latex_context=context, math_mode="text", keep_comments=True)
