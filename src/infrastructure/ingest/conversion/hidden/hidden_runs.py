"""Word files without the runs that a reader does not see (ECMA-376, part 1, 17.3.2)."""

import io
import re
import zipfile
from collections import Counter
from typing import Final, NamedTuple

from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.formats.formulas import (
    Element,
    with_word_formulas,
)
from citeloom.infrastructure.ingest.conversion.formats.source_text import (
    etree,
    parse_xml,
    rewritten_parts,
)
from citeloom.infrastructure.system.word_markup import with_seen_text

from .style_rules import WHITE, Unseen, are_alike, colour

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARTS: Final = re.compile(r"word/(?:document\d*|footnotes|endnotes|comments)\.xml")
_STYLES: Final = re.compile(r"word/styles\d*\.xml")
_TOO_SMALL: Final = 4  # half points: 2 points, as in a PDF
_SCRIPTS: Final = {"superscript": raised, "subscript": lowered}
_NO: Final = ("0", "false", "off", "none")
# Around what has a ground of its own, which is drawn elsewhere.
_ON_SHAPES: Final = (f"{_W}txbxContent", f"{_W}tbl")
_BEHIND: Final = re.compile(rb'behindDoc="(?:1|true)"|<w:background\b|<v:background\b')


class _RunLook(NamedTuple):
    """Properties of a run, None for unstated ones. ``shaded``: it has a background."""

    vanish: bool | None = None
    web_hidden: bool | None = None
    small: bool | None = None
    white: bool | None = None
    shaded: bool | None = None
    align: str | None = None
    """``superscript``, ``subscript`` or ``baseline``."""

    def over(self, below: "_RunLook") -> "_RunLook":
        known = {name: value for name, value in self._asdict().items() if value is not None}
        return below._replace(**known)


def without_hidden_runs(raw: bytes) -> tuple[bytes, Counter[Unseen]]:
    """The file without the text of such runs, and the number of their words by reason. What stays
    is as its readers see it: changes accepted, symbols as characters, scripts and
    formulas as text."""
    counts: Counter[Unseen] = Counter()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = [name for name in archive.namelist() if _STYLES.fullmatch(name)]
        sheets = [parse_xml(archive.read(name)) for name in names]
    styles = _Styles([sheet for sheet in sheets if sheet is not None])

    def seen(data: bytes) -> bytes:
        root = parse_xml(data)
        if root is None:
            return data
        changed = with_seen_text(root)
        changed |= _without_controls(root)
        changed |= with_word_formulas(root)
        found = _hidden(root, styles, lies_on_paper=_BEHIND.search(data) is None)
        counts.update(found)
        changed |= _write_scripts(root, styles)
        changed |= _plain_cells(root)
        if not (changed or found):
            return data
        content: bytes = etree().tostring(
            root.getroottree(), encoding="UTF-8", xml_declaration=True
        )
        return content

    return rewritten_parts(raw, _PARTS, seen), counts


class _Styles:
    """Looks of styles, with those that they are based on."""

    def __init__(self, sheets: list[Element]) -> None:
        self._styles: dict[str, Element] = {}
        self._default = _RunLook()
        self._default_paragraph = ""
        self._known: dict[str, _RunLook] = {}
        for sheet in sheets:
            for properties in sheet.iterfind(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr"):
                self._default = _own(properties)
            for style in sheet.iterfind(f"{_W}style"):
                name = style.get(f"{_W}styleId") or ""
                self._styles[name] = style
                is_default = style.get(f"{_W}default") not in (None, *_NO)
                if is_default and style.get(f"{_W}type") == "paragraph":
                    self._default_paragraph = name

    def of(self, run: Element, paragraph: Element | None) -> _RunLook:
        properties = run.find(f"{_W}rPr")
        look = _own(properties)
        look = look.over(self._named(_value(properties, "rStyle")))
        if paragraph is not None:
            outer = paragraph.find(f"{_W}pPr")
            look = look.over(self._named(_value(outer, "pStyle") or self._default_paragraph))
            look = look.over(_RunLook(shaded=_is_shaded(outer)))
        return look.over(self._default)

    def _named(self, name: str | None) -> _RunLook:
        chain: list[str] = []
        while name and name in self._styles and name not in chain:
            chain.append(name)
            name = _value(self._styles[name], "basedOn")
        look = _RunLook()
        for one in chain:
            if one not in self._known:
                style = self._styles[one]
                own = _own(style.find(f"{_W}rPr"))
                self._known[one] = own.over(_RunLook(shaded=_is_shaded(style.find(f"{_W}pPr"))))
            look = look.over(self._known[one])
        return look


def _hidden(root: Element, styles: _Styles, *, lies_on_paper: bool) -> Counter[Unseen]:
    """Takes the texts of hidden runs out of a part; their words by reason."""
    counts: Counter[Unseen] = Counter()
    for run in list(root.iter(f"{_W}r")):
        texts = run.findall(f"{_W}t")
        if not texts:
            continue
        around = list(run.iterancestors())
        paragraph = next((one for one in around if one.tag == f"{_W}p"), None)
        look = styles.of(run, paragraph)
        on_paper = lies_on_paper and not any(one.tag in _ON_SHAPES for one in around)
        reason = _reason(look, on_paper=on_paper)
        if reason is None:
            continue
        counts[reason] += sum(len((text.text or "").split()) for text in texts)
        for text in texts:
            run.remove(text)
    return +counts


def _without_controls(root: Element) -> bool:
    """The content of content controls in their place (17.5.2): docling leaves out those around
    rows, those within the lines of cells, and the text of those that hold a picture too."""
    controls = list(root.iter(f"{_W}sdt"))
    for control in controls:
        content = control.find(f"{_W}sdtContent")
        at = control.getparent().index(control)
        for child in reversed(list(content) if content is not None else []):
            control.getparent().insert(at + 1, child)
        control.getparent().remove(control)
    return bool(controls)


def _write_scripts(root: Element, styles: _Styles) -> bool:
    """Raised and lowered runs as text in the notation of ``domain.text.scripts``."""
    changed = False
    for paragraph in root.iter(f"{_W}p"):
        before, written = "", list[tuple[str, Element | None, str]]()
        for run in paragraph.iter(f"{_W}r"):
            if next(run.iterancestors(f"{_W}p")) is not paragraph:
                continue  # of a text box
            texts = run.findall(f"{_W}t")
            words = "".join(text.text or "" for text in texts)
            align = styles.of(run, paragraph).align or "" if words else ""
            align = align if align in _SCRIPTS and texts else ""
            if align and written and written[-1][0] == align:
                align, first, outer = written.pop()
                words = outer + words
                for text in texts:
                    run.remove(text)
                written.append((align, first, words))
            elif words:
                written.append((align, texts[0] if align else None, words))
                for text in texts[1:] if align else ():
                    run.remove(text)
        for at, (align, place, words) in enumerate(written):
            if place is not None:
                following = written[at + 1 : at + 2]
                after = "".join(text[:1] for kind, _, text in following if not kind)
                words = _SCRIPTS[align](words, before[-24:], after)
                place.text = words
                for mark in place.getparent().iterfind(f"{_W}rPr/{_W}vertAlign"):
                    mark.set(f"{_W}val", "baseline")
                changed = True
            before += words
    return changed


def _plain_cells(root: Element) -> bool:
    """The runs of cells without properties: docling puts a space where these change."""
    changed = False
    for cell in root.iter(f"{_W}tc"):
        for properties in list(cell.iterfind(f".//{_W}r/{_W}rPr")):
            properties.getparent().remove(properties)
            changed = True
        for link in list(cell.iter(f"{_W}hyperlink")):
            for run in list(link):
                link.addprevious(run)
            link.getparent().remove(link)
            changed = True
    return changed


def _reason(look: _RunLook, *, on_paper: bool) -> Unseen | None:
    if look.vanish or look.web_hidden:
        return Unseen.NOT_DISPLAYED
    if look.small:
        return Unseen.TOO_SMALL
    if look.white and on_paper and not look.shaded:
        return Unseen.NO_CONTRAST
    return None


def _own(properties: Element | None) -> _RunLook:
    """Of ``w:rPr``."""
    if properties is None:
        return _RunLook()
    return _RunLook(
        _flag(properties, "vanish"),
        _flag(properties, "webHidden"),
        _is_small(_value(properties, "sz")),
        _is_white(_value(properties, "color")),
        _is_shaded(properties),
        _value(properties, "vertAlign") or _raised_align(_value(properties, "position")),
    )


def _raised_align(points: str | None) -> str | None:
    """Of ``w:position`` (17.3.2.24), in half points: a script if it is two points or more."""
    found = re.fullmatch(r"(-?)(\d+)(pt)?", points or "")
    if found is None or int(found[2]) < (2 if found[3] else 4):
        return None
    return "subscript" if found[1] else "superscript"


def _value(parent: Element | None, name: str) -> str | None:
    found = None if parent is None else parent.find(f"{_W}{name}")
    return None if found is None else found.get(f"{_W}val")


def _flag(properties: Element, name: str) -> bool | None:
    found = properties.find(f"{_W}{name}")
    return None if found is None else found.get(f"{_W}val") not in _NO


def _is_small(size: str | None) -> bool | None:
    try:
        return None if size is None else float(size) <= _TOO_SMALL
    except ValueError:
        return None


def _is_white(value: str | None) -> bool | None:
    if value is None:
        return None
    ink = colour(f"#{value}")
    return ink is not None and are_alike(ink, WHITE)


def _is_shaded(properties: Element | None) -> bool | None:
    """Whether there is a ground in another colour than white, or a pattern."""
    if properties is None:
        return None
    if (marked := _value(properties, "highlight")) is not None and marked not in _NO:
        return True
    shading = properties.find(f"{_W}shd")
    if shading is None:
        return None
    fill = shading.get(f"{_W}fill") or "auto"
    if shading.get(f"{_W}val") not in (None, "clear", "nil") or shading.get(f"{_W}themeFill"):
        return True
    return fill != "auto" and not _is_white(fill)
