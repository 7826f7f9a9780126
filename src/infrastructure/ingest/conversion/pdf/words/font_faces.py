"""Bold, italic, mathematical, small-caps and typewriter faces, by the name of the font."""

import re
from functools import lru_cache

_MATHS = re.compile(
    r"cmmi|cmsy|cmex|msam|msbm|math|symbol|mtmi|mtsy|rsfs|eufm|euex|eusm|cmbsy|lmmi|lmsy|lmex",
    re.IGNORECASE,
)
# The short names are TeX's: cm and sf (Computer Modern, European), lin (Libertine, Biolinum).
_BOLD = re.compile(
    r"bold|black|heavy|demi|semibd|-bd|cmb\d|cmbx|cmssbx|sfbx|bx\d|medi(?!um)|-b$|"
    r"sfbi|sfsx|sfxc|lin(?:libertine|biolinum)\w*t[bz]",
    re.IGNORECASE,
)
_ITALIC = re.compile(
    r"ital|obli|slant|cmti|cmsl|cmmi|cmssi|-it|sfti|sfs[il]|sfbi|bxti|bxsl|"
    r"lin(?:libertine|biolinum)\w*i$",
    re.IGNORECASE,
)
_SMALL_CAPS = re.compile(r"csc\d|sfcc|sfsc\d|sfxc|small-?caps|romancaps|-sc$", re.IGNORECASE)

_MONOSPACED = re.compile(
    r"courr?ier|mono|cmtt|sftt|typewriter|consol|menlo|monaco|inconsolata|lmtt|-tt|nimbusmon|"
    r"txtt|t1xtt",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def font_style(name: str) -> tuple[str, bool, bool]:
    """Font name without subset prefix; whether it is bold; whether it is italic."""
    plain = re.sub(r"^/?(?:[A-Z]{6}\+)?", "", name)
    return plain, bool(_BOLD.search(plain)), bool(_ITALIC.search(plain))


@lru_cache(maxsize=4096)
def is_mathematical(font: str) -> bool:
    """Whether a font holds symbols of mathematics."""
    return _MATHS.search(font) is not None


@lru_cache(maxsize=4096)
def is_small_caps(font: str) -> bool:
    """Whether a font has small capitals in place of its small letters."""
    return _SMALL_CAPS.search(font) is not None


@lru_cache(maxsize=4096)
def is_monospaced(font: str) -> bool:
    """Whether all characters of a font are of one width, as for listings."""
    return _MONOSPACED.search(font) is not None
