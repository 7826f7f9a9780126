"""Text of fields as LaTeX: escapes, markup, case-protecting braces."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from pylatexenc.latexencode import unicode_to_latex

from .plain_text import plain

_ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "\xa0": "~",
}  # fmt: skip
#: Stands for what a font does not tell.
_UNREAD = {"\u25af": r"\fbox{?}"}
_SCRIPTS = {"<sub>": r"\textsubscript", "<super>": r"\textsuperscript"}
# What pdfLaTeX has no letters for: a Greek letter as a symbol (not of a Greek word), and signs of
# mathematics.
_SYMBOL = re.compile(
    r"(?<![\u0370-\u03ff\u1f00-\u1fff])[\u0370-\u03ff](?![\u0370-\u03ff\u1f00-\u1fff])"
    r"|[\u2070-\u209c\u2100-\u2bff]"
)
_LONE_BRACES = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
# The rich text that Zotero and CSL allow in fields (CSL 1.0.2, appendix "Rich text").
_MARKUP = {
    "i": r"\textit{", "em": r"\textit{", "b": r"\textbf{", "strong": r"\textbf{",
    "sup": r"\textsuperscript{", "sub": r"\textsubscript{", "sc": r"\textsc{",
}  # fmt: skip
_BRACE = "{"
_TAG = re.compile(r"<(/?)(i|em|b|strong|sup|sub|sc|span)(\s[^<>]*)?>", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’.&+#/-]?[^\W_]+)*")
# Lower case in English headline style, hence no evidence of a title's case.
_SMALL = frozenset(
    "a an and as at but by for from in into nor of off on onto or over per so the to up via vs "
    "with yet about after against among around before between during through under without".split()
)


def escaped(text: str) -> str:
    """``text`` with LaTeX's special characters and double hyphens escaped; letters of any script
    stay, symbols become commands. Braces balance: BibTeX counts escaped ones too, and a field would
    end at one."""
    return _escaped(text, _escapes_of(text))


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    latex = re.sub(r"-(?=-)", "-{}", "".join(escapes.get(char, char) for char in text))
    return latex if latex.isascii() else _SYMBOL.sub(lambda found: _command(found[0]), latex)


@cache
def _command(char: str) -> str:
    r"""A symbol as a command (``\ensuremath{\varepsilon}``); itself if unknown."""
    kind, _, code = unicodedata.decomposition(char).rpartition(" ")
    if kind in _SCRIPTS and len(code) == 4:
        return f"{_SCRIPTS[kind]}{{{chr(int(code, 16))}}}"
    known: str = unicode_to_latex(
        char, non_ascii_only=True, unknown_char_policy="keep", unknown_char_warning=False
    )
    return _UNREAD.get(char, known)


def _escapes_of(field: str) -> Mapping[str, str]:
    return _ESCAPES if _is_balanced(field) else _ESCAPES | _LONE_BRACES


def _is_balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return False
    return not depth


def verbatim(text: str) -> str:
    """A URL or DOI, which LaTeX prints verbatim: braces and backslashes, which would end the field
    or begin a command (``^^5c`` is a backslash too), are percent-encoded."""
    codes = {"{": "%7B", "}": "%7D", "\\": "%5C", "^": "%5E", "\n": "%0A", "\r": "%0D"}
    return "".join(codes.get(char, char) for char in text)


def rich(text: str, *, protect: str = "") -> str:
    """A field with its tags as commands. ``protect`` is the language of a title: capitals that
    BibTeX's styles would lower are put in braces."""
    words = _protected_words(plain(text), protect) if protect else frozenset[str]()
    escapes = _escapes_of(text)
    done: list[str] = []
    stack: list[str] = []
    opened: list[str] = []
    at = 0
    for tag in _TAG.finditer(text):
        name = tag.group(2).lower()
        if tag.group(1) and (not stack or stack[-1] != name):
            continue
        if not tag.group(1) and f"</{name}>" not in text[tag.end() :].lower():
            continue
        unprotected = frozenset[str]() if _BRACE in opened else words
        done.append(_with_braces(_plain_part(text[at : tag.start()]), unprotected, escapes))
        at = tag.end()
        if tag.group(1):
            stack.pop()
            opened.pop()
            done.append("}")
        else:
            stack.append(name)
            opened.append(_opening(name, tag.group(3) or ""))
            done.append(opened[-1])
    done.append(_with_braces(_plain_part(text[at:]), words, escapes))
    done.append("}" * len(stack))
    return "".join(done)


def _opening(name: str, attributes: str) -> str:
    if name == "span" and "small-caps" in attributes:
        return r"\textsc{"
    return _MARKUP.get(name, _BRACE)


def _plain_part(text: str) -> str:
    """A piece of a field without tags, with the spaces at its ends."""
    stripped = plain(text)
    before = " " if text[:1].isspace() and stripped else ""
    after = " " if text[-1:].isspace() and stripped else ""
    return f"{before}{stripped}{after}" if stripped else (" " if text.isspace() else "")


def _with_braces(text: str, words: frozenset[str], escapes: Mapping[str, str]) -> str:
    done: list[str] = []
    at = 0
    for match in _WORD.finditer(text):
        done.append(_escaped(text[at : match.start()], escapes))
        word = _escaped(match.group(), escapes)
        done.append(f"{{{word}}}" if match.group() in words else word)
        at = match.end()
    return "".join([*done, _escaped(text[at:], escapes)])


def _protected_words(title: str, language: str) -> frozenset[str]:
    """Words whose capitals are significant.

    Words with inner capitals always (``DNA``, ``iPhone``, ``X-ray``). Every capital in a title of
    another language, or in an English one in sentence case; in headline case initial capitals are
    not significant.
    """
    words = _WORD.findall(title)
    inside = {word for word in words if any(map(_has_inner_capital, word.split("-")))}
    inside |= {word for word in words if re.match(r"[^\W\d_]-[^\W\d_]", word) and word[0].isupper()}
    significant = [
        word
        for word in words[1:]
        if word.lower() not in _SMALL and word not in inside and not word[0].isdigit()
    ]
    capitalised = [word for word in significant if word[0].isupper()]
    headline = len(significant) > 1 and len(capitalised) >= 0.8 * len(significant)
    if language.startswith("en") and headline:
        return frozenset(inside)
    return frozenset(inside | set(capitalised))


def _has_inner_capital(part: str) -> bool:
    return any(char.isupper() for char in part[1:])
