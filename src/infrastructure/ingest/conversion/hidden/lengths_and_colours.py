"""Values of style declarations: lengths in pixels and colours."""

import re
from typing import Final

from PIL import ImageColor

Colour = tuple[int, int, int]
WHITE: Final[Colour] = (255, 255, 255)
BLACK: Final[Colour] = (0, 0, 0)
_CONTRAST: Final = 20  # of 255, in any of red, green, blue: less is no contrast

_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_LENGTH: Final = re.compile(rf"({_NUMBER})(px|pt|pc|in|cm|mm|q|em|rem|ex|ch|vw|vh|%)?")
#: Pixels (CSS Values 4, 6.2); those of a window are of one that is 1,000 wide and high.
_PIXELS: Final = {
    None: 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "rem": 16.0, "vw": 10.0, "vh": 10.0,
}  # fmt: skip
_OF_FONT: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5, "%": 0.01}
_SPACED: Final = re.compile(r"(rgb|hsl)a?\(\s*([^\s,/)]+)[\s,]+([^\s,/)]+)[\s,]+([^\s,/)]+)(.*)\)")
_FRACTION: Final = re.compile(rf"({_NUMBER})(%?)")
_FAINT: Final = 0.05  # opacity that shows nothing


def pixels(value: str, font: float) -> float | None:
    """A length, where ``font`` is the size of the font that ``em`` refers to; None for what is
    no length, or cannot be told."""
    match = _LENGTH.fullmatch(value)
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    return number * (_OF_FONT[unit] * font if unit in _OF_FONT else _PIXELS[unit])


def fraction(value: str) -> float | None:
    """A number, or a percentage."""
    match = _FRACTION.fullmatch(value)
    if match is None:
        return None
    return float(match[1]) / (100 if match[2] else 1)


def is_faint(opacity: str) -> bool:
    found = fraction(opacity)
    return found is not None and found <= _FAINT


def is_transparent(value: str) -> bool:
    if value == "transparent":
        return True
    match = _SPACED.fullmatch(value)
    if match is not None and (rest := match[5].strip(" ,/")):
        return is_faint(rest)
    return (
        value.startswith("#") and len(value) in (5, 9) and set(value[-(len(value) // 4) :]) == {"0"}
    )


def colour(value: str) -> Colour | None:
    """Red, green, blue from 0 to 255; None for what is no colour, and for one that lets
    something through."""
    match = _SPACED.fullmatch(value)
    if match is not None:
        opacity = fraction(match[5].strip(" ,/") or "1")
        if opacity is None or opacity < 1:
            return None
        value = f"{match[1]}({match[2].removesuffix('deg')},{match[3]},{match[4]})"
    try:
        found = ImageColor.getrgb(value)
    except ValueError:
        return None
    if len(found) == 4 and found[3] != 255:
        return None
    return found[0], found[1], found[2]


def are_alike(one: Colour, other: Colour) -> bool:
    """Whether text of one colour is not seen on the other."""
    return all(abs(a - b) < _CONTRAST for a, b in zip(one, other, strict=True))
