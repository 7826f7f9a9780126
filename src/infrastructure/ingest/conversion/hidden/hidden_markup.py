"""HTML pages without what a reader does not see."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from .style_rules import (
    BLACK,
    WHITE,
    Colour,
    Styles,
    Unseen,
    are_alike,
    colour,
    is_faint,
    is_transparent,
    pixels,
)

_FONT: Final = 16.0  # pixels, as every browser has it
_TOO_SMALL: Final = 2.7  # pixels: 2 points, as in a PDF
_OFF: Final = -900.0  # pixels left of or above where it would be
_SIZES: Final = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0,
}  # fmt: skip
_RELATIVE: Final = {"smaller": 1 / 1.2, "larger": 1.2}
_LINK: Final[Colour] = (0, 0, 238)
_NOT_SHOWN: Final = ("script", "style", "template", "title", "head")
_TRANSLATION: Final = re.compile(r"translate(?:3d|x|y)?\(([^)]*)\)")
_NO_SCALE: Final = re.compile(r"scale(?:3d|x|y)?\(\s*0(?:\.0*)?\s*[,)]")
_NO_AREA: Final = re.compile(r"inset\(\s*(?:50|100)%[^)]*\)|circle\(\s*0[^)]*\)")
_CLIP: Final = re.compile(r"rect\(([^)]*)\)")
# Of a page's words in the colour of the paper: more are on a ground that is not known.
_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class _ElementLook:
    """How text in an element looks. ``ground`` is None if the background is unknown, ``ink`` if the
    colour is; ``unseen`` is why the whole element is not visible."""

    ink: Colour | None = BLACK
    ground: Colour | None = WHITE
    font: float = _FONT
    is_clear: bool = False
    is_visible: bool = True
    unseen: Unseen | None = None


def without_hidden_markup(page: BeautifulSoup) -> Counter[Unseen]:
    """Takes the text out of ``page`` that its own styles hide, and counts the words by reason.
    Styles of other files, and what scripts do, are not known."""
    found = list(_texts(page, Styles(page)))
    total = sum(words for _, words, _ in found)
    pale = sum(words for _, words, reason in found if reason is Unseen.NO_CONTRAST)
    counts: Counter[Unseen] = Counter()
    for text, words, reason in found:
        if reason is Unseen.NO_CONTRAST and pale > _MOST * total:
            continue
        if reason is not None and words:
            counts[reason] += words
            text.extract()
    return counts


def _texts(
    page: BeautifulSoup, styles: Styles
) -> Iterator[tuple[NavigableString, int, Unseen | None]]:
    """Each text of the page, the number of its words, and why it is not seen."""
    waiting: list[tuple[Tag, _ElementLook]] = [(page, _ElementLook())]
    while waiting:
        element, look = waiting.pop()
        for child in list(element.children):
            if isinstance(child, Tag):
                if child.name not in _NOT_SHOWN:
                    waiting.append((child, _look(child, styles.of(child), look)))
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                yield child, len(child.split()), _reason(look)


def _reason(look: _ElementLook) -> Unseen | None:
    if look.unseen is not None:
        return look.unseen
    if not look.is_visible:
        return Unseen.NOT_DISPLAYED
    if look.font <= _TOO_SMALL:
        return Unseen.TOO_SMALL
    if look.is_clear:
        return Unseen.TRANSPARENT
    if look.ink is not None and look.ground is not None and are_alike(look.ink, look.ground):
        return Unseen.NO_CONTRAST
    return None


def _look(element: Tag, style: dict[str, str], outer: _ElementLook) -> _ElementLook:
    if outer.unseen is not None:
        return outer
    font = _font_size(style, outer.font)
    ground = _ground(element, style, outer)
    ink, is_clear = _ink(element, style, outer)
    is_visible = {"hidden": False, "collapse": False, "visible": True}.get(
        style.get("visibility", ""), outer.is_visible
    )
    if "animation" in style or "animation-name" in style:
        is_visible = outer.is_visible
    look = replace(
        outer, ink=ink, ground=ground, font=font, is_clear=is_clear, is_visible=is_visible
    )
    return replace(look, unseen=_why_all(element, style, font))


def _why_all(element: Tag, style: dict[str, str], font: float) -> Unseen | None:
    """Why nothing in an element is seen, whatever the styles of what is in it."""
    if element.name in ("html", "body") or _stands_for_formula(element):
        return None
    if style.get("display") == "none" or (element.has_attr("hidden") and "display" not in style):
        return Unseen.NOT_DISPLAYED
    moves = any(name.startswith(("animation", "transition")) for name in style)
    if not moves and is_faint(style.get("opacity", "1")):
        return Unseen.TRANSPARENT
    if not moves and _is_outside(style, font):
        return Unseen.OUTSIDE
    return None


def _stands_for_formula(element: Tag) -> bool:
    """Whether the element is the spoken copy of a visible formula."""
    return element.find("math") is not None and any(
        one.get("aria-hidden") == "true" for one in element.find_next_siblings(limit=1)
    )


def _is_outside(style: dict[str, str], font: float) -> bool:
    """Whether an element is cut off, or far off the page."""

    def length(name: str) -> float | None:
        return pixels(style[name], font) if name in style else None

    is_placed = style.get("position") in ("absolute", "fixed")
    shifts = ["text-indent", "margin-left", "margin-top"]
    if is_placed or style.get("position") == "relative":
        shifts += ["left", "top", "right", "bottom"]
    if any((shift := length(name)) is not None and shift <= _OFF for name in shifts):
        return True
    clip = _CLIP.fullmatch(style.get("clip", ""))
    if is_placed and clip is not None:
        sides = [pixels(side, font) for side in re.split(r"[\s,]+", clip[1].strip())]
        if all(side is not None and side <= 1 for side in sides):
            return True
    if _NO_AREA.fullmatch(style.get("clip-path", "")):
        return True
    moved = style.get("transform", "")
    if _NO_SCALE.search(moved):
        return True
    for translation in _TRANSLATION.finditer(moved):
        by = [pixels(part, font) for part in re.split(r"[\s,]+", translation[1].strip())]
        if any(one is not None and one <= _OFF for one in by):
            return True
    if style.get("overflow") in ("hidden", "clip"):
        sides = [length(name) for name in ("width", "height")]
        return any(side is not None and side <= 1 for side in sides)
    return False


def _font_size(style: dict[str, str], outer: float) -> float:
    value = style.get("font-size")
    if value is None:
        # The shorthand has the size before the line's height and the family.
        parts = style.get("font", "").replace("/", " / ").split()
        value = next((part for part in parts if _is_size(part)), "")
    if value in _SIZES:
        return _SIZES[value]
    if value in _RELATIVE:
        return outer * _RELATIVE[value]
    size = pixels(value, outer)
    return outer if size is None else max(0.0, size)


def _is_size(part: str) -> bool:
    """Whether a part of the shorthand is the size; a number alone is the weight."""
    return part in _SIZES or (
        pixels(part, _FONT) is not None and (part == "0" or not part.isdigit())
    )


def _ground(element: Tag, style: dict[str, str], outer: _ElementLook) -> Colour | None:
    """The background of an element's text."""
    if style.get("background-image", "none") != "none" or element.has_attr("background"):
        return None
    if style.get("position") in ("absolute", "fixed") and outer.ground == WHITE:
        below: Colour | None = None  # it may lie on something else
    else:
        below = outer.ground
    value = style.get("background-color") or style.get("background")
    if value is None:
        value = str(element.get("bgcolor") or "").lower()
    if value in ("", "none", "inherit", "initial", "unset") or is_transparent(value):
        return below
    return colour(value)


def _ink(element: Tag, style: dict[str, str], outer: _ElementLook) -> tuple[Colour | None, bool]:
    """The colour of an element's text, and whether it is transparent."""
    value = style.get("-webkit-text-fill-color") or style.get("color")
    if value is None and element.name == "font":
        value = str(element.get("color") or "").lower()
    if value is None and element.name == "body":
        value = str(element.get("text") or "").lower()
    if not value and element.name == "a" and element.has_attr("href"):
        return _LINK, False
    if not value or value in ("inherit", "unset", "currentcolor"):
        return outer.ink, outer.is_clear
    if is_transparent(value):
        # A ground that is cut out in the shape of the letters shows them.
        return None, "background-clip" not in style and "-webkit-background-clip" not in style
    return colour(value), False
