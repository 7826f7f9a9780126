"""LaTeX in BibTeX fields as Unicode text with CSL markup."""

import re
import unicodedata
from functools import cache
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
from pylatexenc.latex2text import get_default_latex_context_db as text_of_macros
from pylatexenc.latexwalker import LatexWalker, LatexWalkerError
from pylatexenc.latexwalker import get_default_latex_context_db as forms_of_macros
from pylatexenc.macrospec import std_macro

# Longer texts lose their braces only.
_MAX_LENGTH = 50_000
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
          "textbraceleft": "{", "textbraceright": "}",
          "textdegree": "°", "degree": "°", "textmu": "µ", "newblock": " ", "protect": "",
          "ohorn": "ơ", "Ohorn": "Ơ", "uhorn": "ư", "Uhorn": "Ư", "abreve": "ă", "Abreve": "Ă",
          "acircumflex": "â", "Acircumflex": "Â", "ecircumflex": "ê", "Ecircumflex": "Ê",
          "ocircumflex": "ô", "Ocircumflex": "Ô", "dj": "đ", "DJ": "Đ", "dh": "ð", "DH": "Ð",
          "ng": "ŋ", "NG": "Ŋ", "ij": "ĳ", "IJ": "Ĳ", "textschwa": "ə",
          "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX"}  # fmt: skip
# Accents that pylatexenc has not: of Vietnamese (vntex, "T5"), Romanian (comma below, TIPA and
# textcomp), Serbian and phonetics.
_ACCENTS = {"h": "\u0309", "textcommabelow": "\u0326", "cb": "\u0326", "horn": "\u031b",
            "f": "\u0311", "newtie": "\u0311", "G": "\u030f", "C": "\u030f", "U": "\u030e",
            "textcommaabove": "\u0313", "textdotbelow": "\u0323", "texthookabove": "\u0309",
            "capitalcedilla": "\u0327", "capitalogonek": "\u0328"}  # fmt: skip
_SILENT = ("noopsort", "cite", "footnote", "thanks", "input", "include", "label", "index")

# Accented letters in the forms that programs export.
_ACCENTED = re.compile(
    r"""\{?\\["'`^~=.](?:\{\\?[A-Za-z]\}|[A-Za-z])\}?|\{?\\[cvuHkrdb]\{\\?[A-Za-z]\}\}?"""
)
_ESCAPED = re.compile(r"\\([&%$#_{} ])")
# What the American Physical Society exports: the branch outside of formulas counts.
_IN_TEXT = re.compile(
    r"\\ifmmode\b[^{}]*(?:\{[^{}]*\}[^{}]*)?\\else\s*(.{0,40}?)\s*\\fi(?![A-Za-z])(?:\{\})?"
)
_MATHS = re.compile(r"(?<!\\)\$([^$]{0,500})(?<!\\)\$|\\\((.{0,500}?)\\\)", re.DOTALL)
_RAISED = re.compile(r"([\^_])(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\s{}\\])")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
# Characters that LaTeX writes as several.
_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", "\u00a0"))


def from_latex(text: str) -> str:
    """``text`` in Unicode, with ``<i>``, ``<b>``, ``<sup>``, ``<sub>``; never fails.

    Braces are removed, and so is the case protection; formulas become text as far as possible
    (``$H_2O$`` gives ``H<sub>2</sub>O``). Invalid LaTeX is kept without braces.
    """
    text = text.replace("&amp;", r"\&")
    if "\\" in text:
        text = _IN_TEXT.sub(r"{\1}", text)
        text = _ACCENTED.sub(_letter, text)
    if "$" not in text and "\\" not in _ESCAPED.sub("", text):
        return _without_markup(text)
    if len(text) > _MAX_LENGTH:
        return _without_markup(text)
    text = _BARE_PERCENT.sub(r"\\%", _MATHS.sub(_formula, text))
    try:
        nodes, _, _ = LatexWalker(
            text, latex_context=_macro_arguments(), tolerant_parsing=True
        ).get_latex_nodes()
        return str(_decoder().nodelist_to_text(nodes))
    except (LatexWalkerError, RecursionError, ValueError, LookupError, TypeError, AttributeError):
        return _without_markup(text)


def verbatim(text: str) -> str:
    """Fields that are not LaTeX (URLs, DOIs, file names) but are exported with its escapes
    (``\\_``, ``{\\%}``)."""
    return _ESCAPED.sub(r"\1", re.sub(r"\{\\([&%$#_])\}", r"\1", text)).replace(
        "{\\textasciitilde}", "~"
    )


def _without_markup(text: str) -> str:
    for typed, character in _LIGATURES:
        text = text.replace(typed, character)
    text = re.sub(r"(?<!\\)[{}]", "", text)
    return _ESCAPED.sub(r"\1", text)


def _letter(match: re.Match[str]) -> str:
    """The accented letter, with a brace on either side that is unbalanced in the match."""
    atom = match.group()
    inner = atom.strip("{}") if atom.startswith("{") else atom
    opened, closed = atom.count("{"), atom.count("}")
    if opened == closed:  # the braces stay: they may be the argument of another accent
        return f"{{{_decode(atom)}}}" if atom.startswith("{") else _decode(atom)
    if opened > closed:  # "{\'e" begins a group with more in it
        return "{" + _decode(atom[1:])
    return _decode(atom[:-1]) + "}" if inner else atom


@cache
def _decode(atom: str) -> str:
    nodes, _, _ = LatexWalker(atom, latex_context=_macro_arguments()).get_latex_nodes()
    return str(_decoder().nodelist_to_text(nodes))


def _formula(match: re.Match[str]) -> str:
    """The content of a formula, with indices and powers as text macros."""
    content = match.group(1) if match.group(1) is not None else match.group(2)
    content = re.sub(r"\^\{?\\circ\}?", "°", content)

    def script_macro(index: re.Match[str]) -> str:
        macro = "textsuperscript" if index[1] == "^" else "textsubscript"
        inner = index[2]
        return f"\\{macro}{inner if inner.startswith('{') else '{' + inner + '}'}"

    return "{" + _RAISED.sub(script_macro, content) + "}" if content.strip() else ""


@cache
def _macro_arguments() -> Any:
    context = forms_of_macros()
    one = (*_MARKUP, *_QUOTES, *_CONTENT, *_SILENT)
    context.add_context_category(
        "citeloom", prepend=True,
        macros=[
            *(std_macro(name, "*{") for name in one if name != "foreignlanguage"),
            std_macro("foreignlanguage", "{{"), std_macro("href", "{{"),
            *(std_macro(name, "") for name in _SIGNS),
            *(std_macro(name, "{") for name in _ACCENTS),
        ],
    )  # fmt: skip
    return context


def _accent(mark: str) -> Any:
    """The first letter of the argument with a combining mark."""

    def text(node: Any, l2tobj: Any) -> str:
        content = str(l2tobj.nodelist_to_text(node.nodeargd.argnlist[:1]))
        marked = f"{content[:1]}{mark}{content[1:]}" if content else ""
        return unicodedata.normalize("NFC", marked)

    return text


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
            *(MacroTextSpec(name, simplify_repl=_accent(mark)) for name, mark in _ACCENTS.items()),
        ],
    )  # fmt: skip
    return LatexNodes2Text(latex_context=context, math_mode="text", keep_comments=True)
