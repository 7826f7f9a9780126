"""Word's markup as the text that its readers see: accepted changes, symbols, base text.

Tracked insertions and the new places of moves are text, deletions and the old places are not
(ECMA-376 part 1, 17.13.5). A symbol (``w:sym``, 17.3.3.30) and the letters of a run in a symbol
font are codes of that font; Word writes them with U+F000 added or without it.
"""

from typing import Any, Final

from .symbol_fonts import is_symbol_font, spelt

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_GONE: Final = (f"{_W}del", f"{_W}moveFrom")
_OPENED: Final = tuple(f"{_W}{name}" for name in ("ins", "moveTo", "bdo", "dir", "customXml"))
# In these, the same names mark a paragraph's end, a row or a cell as changed.
_PROPERTIES: Final = tuple(f"{_W}{name}" for name in ("rPr", "trPr", "tcPr", "numPr", "pPr"))


def with_seen_text(root: Any) -> bool:
    """Rewrite a part of a Word file, an ``lxml`` element; whether anything was changed."""
    changed = _accept_changes(root)
    changed |= _open_rubies(root)
    return _spell_symbols(root) or changed


def _accept_changes(root: Any) -> bool:
    found = [
        element
        for element in root.iter(*_GONE, *_OPENED, f"{_W}cellDel")
        if element.tag == f"{_W}cellDel" or element.getparent().tag not in _PROPERTIES
    ]
    for element in found:
        if element.tag in _OPENED:
            _unwrap(element)
        elif element.tag == f"{_W}cellDel":
            _remove(next(element.iterancestors(f"{_W}tc"), element))
        else:
            _remove(element)
    rows = [row for row in root.iter(f"{_W}tr") if _is_marked(row.find(f"{_W}trPr"))]
    rows += [row for row in root.iter(f"{_W}tr") if found and row.find(f".//{_W}tc") is None]
    for row in rows:
        _remove(row)
    for table in [one for one in root.iter(f"{_W}tbl") if rows]:
        if table.find(f".//{_W}tr") is None:
            _remove(table)
    ends = [
        paragraph
        for paragraph in root.iter(f"{_W}p")
        if _is_marked(paragraph.find(f"{_W}pPr/{_W}rPr"))
    ]
    for paragraph in ends:
        _join_with_next(paragraph)
    return bool(found or rows or ends)


def _is_marked(properties: Any) -> bool:
    """Whether a paragraph's end or a row is deleted, or was moved away."""
    return properties is not None and any(properties.find(name) is not None for name in _GONE)


def _join_with_next(paragraph: Any) -> None:
    """The rest of an unfinished paragraph begins the next one."""
    content = [child for child in paragraph if child.tag != f"{_W}pPr"]
    following = paragraph.getnext()
    while following is not None and following.tag != f"{_W}p":
        if following.tag in (f"{_W}tbl", f"{_W}sectPr", f"{_W}sdt"):
            following = None
            break
        following = following.getnext()
    if following is not None:
        at = 1 if following.find(f"{_W}pPr") is not None else 0
        for child in reversed(content):
            following.insert(at, child)
        _remove(paragraph)
    elif not "".join(paragraph.itertext()).strip() and paragraph.getprevious() is not None:
        _remove(paragraph)


def _open_rubies(root: Any) -> bool:
    """The base text of glosses stays in its line; the gloss above it goes."""
    rubies = list(root.iter(f"{_W}ruby"))
    for ruby in rubies:
        base = ruby.find(f"{_W}rubyBase")
        words = "" if base is None else "".join(text.text or "" for text in base.iter(f"{_W}t"))
        _put_text(ruby, words)
    return bool(rubies)


def _spell_symbols(root: Any) -> bool:
    changed = False
    for fonts in root.iter(f"{_W}rFonts"):
        font = fonts.get(f"{_W}ascii") or fonts.get(f"{_W}hAnsi") or ""
        run = next(fonts.iterancestors(f"{_W}r"), None)
        for text in run.findall(f"{_W}t") if run is not None and is_symbol_font(font) else ():
            text.text = "".join(spelt(char, font) for char in text.text or "")
            changed = True
    symbols = list(root.iter(f"{_W}sym"))
    for symbol in symbols:  # after the letters: what is spelt is not spelt again
        try:
            code = int(symbol.get(f"{_W}char") or "", 16)
        except ValueError:
            code = 0xFFFD
        _put_text(symbol, spelt(chr(code), symbol.get(f"{_W}font") or ""))
    return changed or bool(symbols)


def _put_text(element: Any, words: str) -> None:
    """``words`` in place of an element of a run."""
    text = element.makeelement(f"{_W}t")
    text.text = words
    text.set(_SPACE, "preserve")
    element.getparent().replace(element, text)


def _unwrap(element: Any) -> None:
    parent = element.getparent()
    at = parent.index(element)
    for child in reversed(list(element)):
        parent.insert(at + 1, child)
    parent.remove(element)


def _remove(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
