"""Formulas of HTML, JATS, LaTeX and Word files as linear text: Unicode symbols, and scripts in the
notation of ``domain.text.scripts``. docling drops some and gives others as their source."""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from citeloom.domain.text.scripts import lowered, raised

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

Element = Any
"""An ``lxml`` element; the library has no types of its own."""

_SPACED = re.compile(r"\s*([=<>±×÷≤≥≠≈∼∝→⇒⇔⟹⟸⟺↦∈∉⊂⊆⊃⊇∧∨∪∩·≡≅≃⊨∖])\s*")
# Hyphens of formulas, but not those between words.
_MINUS = re.compile(r"(?<![^\W\d_]{2})-|-(?![^\W\d_]{2})")
_ANNOTATIONS = ("annotation", "annotation-xml")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_NARY = ("∑", "∏", "∫", "lim", "max", "min", "sup", "inf")


# Elements of Word's formulas (ECMA-376 part 1, 22.1) that are read like those of MathML.
_AS_MATHML = {
    "sSub": "msub", "sSup": "msup", "sSubSup": "msubsup", "f": "mfrac", "limLow": "munder",
    "limUpp": "mover", "eqArr": "mtable", "mr": "mtr",
}  # fmt: skip
_ACCENTS = {
    "^": "\u0302", "\u02c6": "\u0302", "~": "\u0303", "\u02dc": "\u0303", "\xaf": "\u0304",
    "\u2015": "\u0304", "\u203e": "\u0304", "\u02d9": "\u0307", "\xa8": "\u0308",
    "\u20d7": "\u20d7", "\u2192": "\u20d7",
}  # fmt: skip


def mathml_text(element: Element) -> str:
    """A ``math`` element of MathML, or an ``oMath`` of Word, with any namespace, on one line."""
    return _tidy(_content(element))


def _content(element: Element) -> str:
    name = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else "comment"
    if name in (*_ANNOTATIONS, "comment", "mphantom") or name.endswith("Pr"):
        return ""
    inner = [child for child in element if isinstance(child.tag, str)]
    inner = [child for child in inner if not child.tag.endswith("Pr")]
    parts = [_content(child) for child in inner]
    if (found := _word_content(element, name, parts)) is not None:
        return found
    name = _AS_MATHML.get(name, name)
    if name in ("mover", "munder") and len(parts) == 2 and parts[1].strip() in _ACCENTS:
        mark = _ACCENTS[parts[1].strip()] if name == "mover" else "\u0332"
        return unicodedata.normalize("NFC", parts[0] + mark)
    if name in ("msup", "mover") and len(parts) == 2:
        return parts[0] + raised(parts[1], parts[0])
    if name in ("msub", "munder") and len(parts) == 2:
        return parts[0] + lowered(parts[1], parts[0])
    if name in ("msubsup", "munderover") and len(parts) == 3:
        base = parts[0] + lowered(parts[1], parts[0])
        return base + raised(parts[2]) + (" " if parts[0] in _NARY else "")
    if name == "mfrac" and len(parts) == 2:
        return _fraction(parts, "0" in element.get("linethickness", "1"))
    if name in ("msqrt", "mroot") and parts:
        under = parts[0] if name == "mroot" else "".join(parts)
        degree = raised(parts[1]) if name == "mroot" and len(parts) == 2 else ""
        return f"{degree}√{under}" if under.isalnum() else f"{degree}√({under})"
    if name == "mfenced":
        fenced = element.get("separators", ",")[:1].join(parts)
        return f"{element.get('open', '(')}{fenced}{element.get('close', ')')}"
    if name in ("mtr", "mlabeledtr"):
        return " ".join(parts) + "; "
    own = element.text or ""
    own = own if name == "mtext" else own.strip().strip("\u2061\u2062\u2063\u2064")
    return " " if name in ("mspace", "mtd") and not parts else own + "".join(parts)


def _fraction(parts: list[str], is_stacked: bool) -> str:
    """A fraction, or two parts above each other without a line, as in binomials."""
    sides = [part if part.isalnum() else f"({part})" for part in parts]
    return "¦".join(sides) if is_stacked else "/".join(sides)


def _word_content(element: Element, name: str, parts: list[str]) -> str | None:
    """The content that MathML writes differently; None for other elements."""
    if name == "t":
        return element.text or ""
    if name == "f" and len(parts) == 2:
        return _fraction(parts, _property(element, "type", "bar") == "noBar")
    if name == "rad" and len(parts) == 2:
        root = f"√{parts[1]}" if parts[1].isalnum() else f"√({parts[1]})"
        return raised(parts[0]) + root if parts[0] else root
    if name == "d":
        inside = _property(element, "sepChr", "|").join(parts)
        return f"{_property(element, 'begChr', '(')}{inside}{_property(element, 'endChr', ')')}"
    if name == "nary" and len(parts) == 3:
        sign = _property(element, "chr", "∫")
        low, high = (lowered(parts[0]) if parts[0] else ""), (raised(parts[1]) if parts[1] else "")
        return f"{sign}{low}{high} {parts[2]}"
    if name == "func" and len(parts) == 2:
        return f" {parts[0]}{' ' if parts[1][:1].isalnum() else ''}{parts[1]}"
    if name == "sPre" and len(parts) == 3:
        return f"{lowered(parts[0])}{raised(parts[1])}{parts[2]}"
    if name in ("acc", "bar") and len(parts) == 1:
        default = "\u0302" if name == "acc" else "\u0304"
        sign = _property(element, "chr", default)
        return unicodedata.normalize("NFC", parts[0] + _ACCENTS.get(sign, sign))
    if name == "eqArr":
        return "; ".join(parts)
    return None


def _property(element: Element, name: str, default: str) -> str:
    """The value of a property of Word's formulas, such as ``m:chr`` in ``m:naryPr``."""
    for properties in element:
        if isinstance(properties.tag, str) and properties.tag.endswith("Pr"):
            for one in properties:
                if isinstance(one.tag, str) and one.tag.rsplit("}", 1)[-1] == name:
                    return str(next((v for k, v in one.attrib.items() if k.endswith("}val")), ""))
    return default


def with_word_formulas(root: Element) -> bool:
    """The formulas of a part of a Word file as runs of text; whether there were any."""
    formulas = list(root.iter(f"{_M}oMath"))
    neighbours = {one for one in formulas if getattr(one.getprevious(), "tag", None) == one.tag}
    for formula in formulas:
        text = mathml_text(formula)
        outer = formula.getparent()
        run = formula.makeelement(f"{_W}r")
        written = formula.makeelement(f"{_W}t")
        written.text = f" {text}" if formula in neighbours else text
        written.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        run.append(written)
        outer.replace(formula, run)
    for display in list(root.iter(f"{_M}oMathPara")):
        parent, at = display.getparent(), display.getparent().index(display)
        runs = [run for run in display if run.tag == f"{_W}r"]
        parent.remove(display)
        for run in reversed(runs):
            parent.insert(at, run)
    return bool(formulas)


def tex_text(source: str) -> str:
    """A formula of TeX on one line."""
    source = _ROWS.sub(lambda found: found[2].replace("\\\\", "; ").replace("&", " "), source)
    for command, written_so in _WRITTEN:
        source = command.sub(written_so, source)
    source = (
        source.replace(r"\_", "\ue001").replace("''", "\N{DOUBLE PRIME}").replace("'", "\N{PRIME}")
    )
    text = re.sub(r"\\(?:left|right|,|;|!|quad|qquad|displaystyle)(?![A-Za-z])", " ", source)
    script = re.compile(
        r"(?P<base>\S?)\s*(?P<kind>[\^_])\s*(?:\{(?P<group>[^{}]*)\}|(?P<one>\\[A-Za-z]+|[^\s{}\\]))"
    )

    def written(match: re.Match[str]) -> str:
        inner = latex_symbols(match["group"] if match["group"] is not None else match["one"])
        kind = raised if match["kind"] == "^" else lowered
        before = match.string[max(0, match.start("kind") - 24) : match.start("kind")].rstrip()
        found = kind(inner, before, match.string[match.end() : match.end() + 1].strip("^_"))
        # A script that is written keeps its caret from being read as TeX's.
        return match["base"] + found.replace("^", "\ue000").replace("_", "\ue001")

    while (changed := script.sub(written, text, count=1)) != text:
        text = changed
    plain = latex_symbols(text).replace("\ue000", "^").replace("\ue001", "_")
    return _tidy(plain.replace("\u0305", "\u0304"))


def displayed_text(source: str) -> str:
    """A displayed formula of TeX on one line: its rows with semicolons, its tag in brackets."""
    text = re.sub(r"\\\\(?:\[[^\]]*\])?", r"; ", source)
    text = re.sub(r"\\(?:begin|end)\{[^{}]*\}(?:\{[^{}]*\})?|\$\$|&", " ", text)
    text = re.sub(
        r"\\(?:label|hspace|vspace)\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])", " ", text
    )
    text = re.sub(r"\\tag\*?\{([^{}]*)\}", r"\\quad (\1)", text)
    return re.sub(r"^[;\s]+|[;\s]+$", "", tex_text(text))


def _tidy(text: str) -> str:
    """A formula with its signs spaced, with minus signs for hyphens."""
    text = _MINUS.sub("\N{MINUS SIGN}", " ".join(_SPACED.sub(r" \1 ", text).split()))
    text = text.replace(" ;", ";")
    return unicodedata.normalize("NFC", re.sub(r"(?<=[(\[{⟨]) | (?=[)\]}⟩])", "", text))


def latex_symbols(source: str) -> str:
    """The characters of TeX's symbols; the source itself for unreadable ones."""
    try:
        return str(_converter().latex_to_text(source, tolerant_parsing=True))
    except Exception:  # whatever pylatexenc raises for damaged source: it stays as it is
        return source


# What pylatexenc leaves out of formulas: signs, names of operators. Layout prints nothing.
_SIGNS: Final = {
    "ne": "≠", "neg": "¬", "land": "∧", "lor": "∨", "iff": "⟺", "degree": "°", "ddagger": "‡",
    "models": "⊨", "bot": "⊥", "Box": "□", "square": "□", "checkmark": "✓", "colon": ": ",
    "coloneqq": "≔", "upmu": "µ", "micro": "µ", "imath": "ı", "jmath": "ȷ", "Bbbk": "𝕜", "|": "‖",
    "triangle": "△", "bigstar": "★", "leadsto": "⇝", "backslash": "∖", "bmod": " mod ",
    "mod": " mod ", "_": "_", "implies": "⟹", "impliedby": "⟸", "hdots": "…", "choose": " choose ",
}  # fmt: skip
_OPERATORS: Final = (
    "arg det dim ker gcd Pr hom deg inf sup lim max min limsup liminf log lg ln exp sin cos tan "
    "cot sec csc arcsin arccos arctan sinh cosh tanh coth Re Im"
).split()
_LAYOUT: Final = frozenset(
    "displaystyle textstyle scriptstyle limits nolimits mathstrut strut left right middle big Big "
    "bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr rm bf it sf tt cal normalsize small "
    "large Large nonumber notag boldmath unboldmath ! ; : , > hfill allowbreak nobreak protect "
    "relax noindent par centering null qedhere mathds "
    "begingroup endgroup".split()
)
_ONE: Final = r"\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\]))"
# Commands of two arguments, or of one that is not what they print.
_WRITTEN: Final = (
    (re.compile(r"\\mbox\s*\{"), r"\\text{"),
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\[dt]?binom" + _ONE + _ONE), r"(\1\2 choose \3\4)"),
    (re.compile(r"\\p(?:mod|od)" + _ONE), r" (mod \1\2)"),
    (re.compile(r"\\(?:overset|stackrel)" + _ONE + _ONE), r"\3\4^{\1\2}"),
    (re.compile(r"\\underset" + _ONE + _ONE), r"\3\4_{\1\2}"),
    (re.compile(r"\\x(right|left)arrow" + _ONE), r"\\\1arrow^{\2\3}"),
    (re.compile(r"\\operatorname\*?\s*\{([^{}]*)\}\s*(?=[A-Za-z\\])"), r"\1\\ "),
    (re.compile(r"\\(?:left|right)\s*\."), " "),
    (re.compile(r"\\(?:color|hspace|vspace|label)\*?\s*\{[^{}]*\}"), " "),
    (re.compile(r"\\(?:[hm]skip|m?kern)\s*-?[\d.]+\s*[a-z]{2}"), " "),
)
_ROWS: Final = re.compile(
    r"\\begin\{(cases|aligned|split|gathered|substack)\}(.*?)\\end\{\1\}", re.DOTALL
)


@cache
def _converter() -> "LatexNodes2Text":
    from pylatexenc.latex2text import (
        LatexNodes2Text,
        MacroTextSpec,
        get_default_latex_context_db,
    )

    def around(node: Any) -> tuple[str, str]:
        source, end = node.parsing_state.s, node.pos + node.len
        return source[max(0, node.pos - 1) : node.pos], source[end : end + 1]

    def operator(node: Any) -> str:
        before, after = around(node)
        return (
            f"{' ' * before.isalnum()}{node.macroname}{' ' * (after.isalnum() or after == chr(92))}"
        )

    def unknown(node: Any) -> str:
        is_read = node.macroname in _LAYOUT or around(node)[1] == "{"
        return "" if is_read else f"\\{node.macroname} "

    context = get_default_latex_context_db()
    signs = [MacroTextSpec(*one) for one in _SIGNS.items()]
    names = [MacroTextSpec(name, simplify_repl=operator) for name in _OPERATORS]
    context.add_context_category("formulas", macros=[*signs, *names], prepend=True)
    context.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=unknown))
    return LatexNodes2Text(math_mode="text", latex_context=context)


def behind(before: str, formula: str) -> str:
    """The text of a formula, which may be the script of the text before it: 10$^6$."""
    found = re.search(r"[\w.)\]]*\Z", before) if formula[:1] in ("^", "_") else None
    base = found[0] if found is not None else ""
    text = tex_text(f"{base}{formula}")
    return text.removeprefix(base) if text.startswith(base) else tex_text(formula)
