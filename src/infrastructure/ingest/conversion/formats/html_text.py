"""HTML pages, and the chapters of EPUB books, as the text that their readers see.

docling puts a space where an element begins or ends within a word, gives formulas twice or not at
all, and writes dashes and quotation marks as those of a typewriter. Here elements within a line
become text before docling reads the page: scripts in the notation of ``domain.text.scripts``,
formulas once each. Typographic characters pass docling as private ones.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Final

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString, Stylesheet

from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.formats.source_text import STAND_INS
from citeloom.infrastructure.ingest.conversion.hidden.hidden_markup import without_hidden_markup
from citeloom.infrastructure.ingest.conversion.hidden.style_rules import Styles, unseen_warnings

from .formulas import mathml_text, tex_text

# Elements within a line that are their text.
_INLINE: Final = (
    "span font small big tt mark cite abbr acronym bdo bdi data dfn time samp kbd var b i em "
    "strong u ins s strike a q nobr blink output"
).split()
_BLOCKS: Final = (
    "address article aside blockquote center dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul"
).split()
_LANDMARKS: Final = (
    "nav, [role=navigation], [role=banner], [role=contentinfo], [role=search], "
    "body > header, body > footer"
)
# Header and footer of a section, not of the page (HTML, 4.3.8 and 4.3.9).
_PARTS_OF_SECTIONS: Final = (
    ":is(article, section, main, aside, blockquote, figure, td) :is(header, footer)"
)
_LINES_OF_THEIR_OWN: Final = ("block", "flex", "grid", "table", "list-item")
_NOT_PROSE: Final = ("pre", "code", "textarea", "script", "style")
_HIGH: Final = frozenset(("sup", "super", "superscript", "msup", "exponent"))
_LOW: Final = frozenset(("sub", "subscript", "msub"))
# A class or a style makes a script of no longer texts: it may mean a subtitle.
_SHORT: Final = 12
_DELIMITED: Final = re.compile(
    r"\\\((?P<round>.{1,400}?)\\\)|\\\[(?P<square>.{1,800}?)\\\]"
    r"|\$\$(?P<dollars>[^$]{1,800}?)\$\$",
    re.DOTALL,
)
_TYPESETTER: Final = re.compile(r"mathjax|katex", re.IGNORECASE)
_FORMULA_IMAGES: Final = "img.tex, img.latex, img[class*=mwe-math], img.ltx_Math, img.mathtex"


def seen_page(raw: bytes) -> tuple[bytes, list[str]]:
    """The page in UTF-8 without menus, site header and footer (HTML landmarks), and without what
    its styles hide; and warnings about that."""
    page = BeautifulSoup(raw, "html.parser")
    for element in page.select(_LANDMARKS):
        if not element.select("h1, article, main"):
            element.decompose()
    with_formulas(page)
    warnings = unseen_warnings(without_hidden_markup(page))
    with_plain_lines(page)
    # Marked as what it is: readers guess otherwise.
    return BOM_UTF8 + page.encode("utf-8"), warnings


def seen_chapter(raw: bytes, style_sheets: str) -> bytes:
    """A chapter of a book, which has its style sheets in other files."""
    page = BeautifulSoup(raw, "html.parser")
    for declaration in list(page.children):
        if isinstance(declaration, PreformattedString) and "encoding" in declaration:
            declaration.extract()
    with_formulas(page)
    sheet = page.new_tag("style")
    sheet.append(Stylesheet(style_sheets))
    page.append(sheet)
    with_plain_lines(page)
    sheet.decompose()
    return page.encode("utf-8")


def with_plain_lines(page: BeautifulSoup) -> None:
    """The elements within lines as text, with typographic characters as private ones."""
    styles = Styles(page)
    scripts = dict(_scripts(page, styles))
    for gloss in page.select("rt, rp, del"):
        gloss.decompose()
    _note_paragraphs(page)
    for item in page.select("ol > li[value]"):
        _begin_list(page, item)
    for element in page.select(_PARTS_OF_SECTIONS):
        element.name = "div"  # docling leaves them out: the source of a quotation, a byline
    for quote in page.find_all("q"):
        is_inner = quote.find_parent("q") is not None
        quote.insert(0, "\u2018" if is_inner else "\u201c")
        quote.append("\u2019" if is_inner else "\u201d")
    for element in page.find_all([*_INLINE, "ruby", "rb", "wbr"]):
        if id(element) in scripts or element.find_parent("pre") is not None:
            continue
        if _holds_blocks(element):
            element.name = "div"
        else:
            if styles.of(element).get("display") in _LINES_OF_THEIR_OWN:
                _break_lines(page, element)
            element.unwrap()
    page.smooth()
    for script in [one for one in page.find_all(True) if id(one) in scripts]:
        _write_script(script, is_high=scripts[id(script)])
    page.smooth()
    for text in list(page.find_all(string=True)):
        if type(text) is NavigableString and any(ord(char) in STAND_INS for char in text):
            text.replace_with(text.translate(STAND_INS))


def _begin_list(page: BeautifulSoup, item: Tag) -> None:
    """An item with its own number begins a list, because docling counts items."""
    outer = item.parent
    if outer is None or not str(item["value"]).isdigit():
        return
    if item.find_previous_sibling("li") is None:
        outer["start"] = item["value"]
        return
    begun = page.new_tag("ol", start=str(item["value"]))
    begun.extend([item, *item.next_siblings])
    outer.insert_after(begun)


def _holds_blocks(element: Tag) -> bool:
    """Whether an element of lines is a separate block. A link to one is not."""
    if element.find(_BLOCKS) is None:
        return False
    return element.name != "a" or element.find_parent(_BLOCKS) is None


def _break_lines(page: BeautifulSoup, element: Tag) -> None:
    """An element that its style puts on a line of its own, between line breaks."""
    for insert, siblings in (
        (element.insert_before, element.previous_siblings),
        (element.insert_after, element.next_siblings),
    ):
        nearest = next((one for one in siblings if isinstance(one, Tag) or str(one).strip()), None)
        if nearest is not None and (not isinstance(nearest, Tag) or nearest.name != "br"):
            insert(page.new_tag("br"))


def _scripts(page: BeautifulSoup, styles: Styles) -> Iterator[tuple[int, bool]]:
    """The ids of super- and subscripts, and whether they are high."""
    for element in page.find_all(["sup", "sub"]):
        if element.find_parent("pre") is None and element.find(_BLOCKS) is None:
            yield id(element), element.name == "sup"
    for element in page.select("[role=doc-noteref], [epub\\:type=noteref]"):
        if element.find(["sup", "sub"]) is None and element.find_parent(["sup", "sub"]) is None:
            yield id(element), True
    for element in page.find_all(["span", "small", "font", "i", "em", "b", "a"]):
        if element.find(True) is not None or not 0 < len(element.get_text()) <= _SHORT:
            continue
        before = element.previous_sibling
        if before is None or before.get_text()[-1:].isspace():
            continue
        names = {name.lower() for name in element.get_attribute_list("class") if name}
        align = styles.of(element).get("vertical-align", "")
        if names & _HIGH or align == "super":
            yield id(element), True
        elif names & _LOW or align == "sub":
            yield id(element), False


def _write_script(script: Tag, *, is_high: bool) -> None:
    before, after = script.previous_sibling, script.next_sibling
    head = str(before)[-24:] if isinstance(before, NavigableString) else ""
    tail = str(after)[:1] if isinstance(after, NavigableString) else ""
    written = (raised if is_high else lowered)(script.get_text(), head, tail)
    if isinstance(before, NavigableString):
        before.replace_with(f"{before}{written}")
        script.decompose()
    else:
        script.replace_with(written)


def _note_paragraphs(page: BeautifulSoup) -> None:
    """The footnotes that LaTeXML puts into their line, as paragraphs behind it."""
    for note in page.select(".ltx_note"):
        content = note.select_one(".ltx_note_content")
        block = note.find_parent(["p", "li", "div", "td", "figcaption"])
        if content is None or block is None:
            continue
        for mark in content.select(".ltx_tag_note, .ltx_note_type"):
            mark.decompose()
        before = note.find_previous_sibling()
        if before is not None and "ltx_note_mark" in before.get_attribute_list("class"):
            for mark in note.find_all(class_="ltx_note_mark", recursive=False):
                mark.decompose()
        paragraph = page.new_tag("p")
        paragraph.extend(list(content.contents))
        content.decompose()
        block.insert_after(paragraph)


def with_formulas(page: BeautifulSoup) -> None:
    """The formulas of a page as its text, once each: those of MathML, of KaTeX, MathJax and
    Wikipedia, which have them twice, and their source in TeX."""
    for copy in page.select(".katex-html, .MathJax_Preview"):
        copy.decompose()
    for drawn in page.select("mjx-container, [class^=MathJax]"):
        if not drawn.decomposed:
            _replace_drawn(drawn)
    for script in page.select("script[type^='math/tex']"):
        script.replace_with(tex_text(script.get_text()))
    for script in page.select("script[type^='math/mml']"):
        script.replace_with(BeautifulSoup(script.get_text(), "html.parser"))
    for math in page.find_all("math"):
        outer = math.find_parent(class_="mwe-math-element")
        for image in outer.find_all("img") if outer is not None else ():
            image.decompose()
        hidden = math.find_parent(style=re.compile(r"display:\s*none"))
        (hidden or math).replace_with(_of_mathml(math))
    for image in page.select(_FORMULA_IMAGES):
        image.replace_with(tex_text(str(image.get("alt") or "").strip("$ ")))
    for table in page.select("table.ltx_equation, table.ltx_equationgroup, table.ltx_eqn_table"):
        for row in table.find_all("tr"):
            row.name = "p"
            row.attrs = {}
            for cell in row.find_all(["td", "th"]):
                cell.insert_after(" ")
                cell.unwrap()
        table.name = "div"
    _replace_delimited(page)
    page.smooth()


def _replace_drawn(drawn: Tag) -> None:
    """Replace MathJax's drawings by the MathML or TeX they came from."""
    source = drawn.find_next_sibling()
    if source is not None and str(source.get("type") or "").startswith("math/"):
        drawn.decompose()
        return
    inner = BeautifulSoup(str(drawn.get("data-mathml") or ""), "html.parser").find("math")
    math = inner or drawn.find("math")
    if math is not None:
        drawn.replace_with(_of_mathml(math))


def _of_mathml(math: Tag) -> str:
    from lxml import html  # type: ignore[import-untyped, unused-ignore]

    found = next(html.fromstring(f"<div>{math}</div>").iter("math"), None)
    text = mathml_text(found) if found is not None else ""
    return text or tex_text(str(math.get("alttext") or ""))


def _replace_delimited(page: BeautifulSoup) -> None:
    """The source in TeX between the lines' delimiters, on pages that load a typesetter for it."""
    loads = (str(one.get("src") or "") + one.get_text() for one in page.find_all("script"))
    if not any(_TYPESETTER.search(one) for one in loads):
        return
    for text in list(page.find_all(string=_DELIMITED)):
        if type(text) is NavigableString and text.find_parent(_NOT_PROSE) is None:
            text.replace_with(_DELIMITED.sub(_of_delimited, text))


def _of_delimited(match: re.Match[str]) -> str:
    return tex_text(match["round"] or match["square"] or match["dollars"])
