"""Lookup of CSL styles and locales: bundled, citeproc-py's, the user's files."""

from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

from citeloom.application.ports.citation import STYLE_NAMES
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.citation.csl.style import Locale, StyleDefinition, StyleNode, node_of

_FILES = (
    "apa.csl",
    "chicago-author-date.csl",
    "ieee.csl",
    "nature.csl",
    "nlm-citation-sequence.csl",
)
# The styles that come with the product, by the name that is asked for, and others' names.
BUNDLED = dict(zip(STYLE_NAMES, _FILES, strict=True))
_ALIASES = {
    "chicago-author-date": "chicago",
    "nlm": "vancouver",
    "nlm-citation-sequence": "vancouver",
}
_MAX_BYTES = 4 * 1024 * 1024
_DEFAULT_LOCALE = "en-US"


@cache
def bundled(name: str) -> StyleDefinition | None:
    canonical = _ALIASES.get(name.casefold(), name.casefold())
    if canonical not in BUNDLED:
        return None
    source = files("citeloom.infrastructure.citation.csl") / "data" / BUNDLED[canonical]
    return _style(source.read_bytes(), name)


def load_style(name: str) -> StyleDefinition:
    """A bundled style by name, or the ``.csl`` file at this path.

    Raises InvalidRequest, naming the bundled ones, for anything else, for files that are no
    independent CSL style, and for those over 4 MiB.
    """
    if style := bundled(name):
        return style
    path = Path(name).expanduser()
    if path.suffix.lower() not in (".csl", ".xml") and not path.is_file():
        raise InvalidRequest(
            f"{name}: no such style; there are {', '.join(BUNDLED)}, or name a .csl file",
            parameter="style",
        )
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InvalidRequest(f"{name}: too large for a CSL style", parameter="style")
        content = path.read_bytes()
    except OSError as error:
        raise InvalidRequest(
            f"{name}: cannot be read ({error.strerror or error}); check the path",
            parameter="style",
        ) from None
    return _style(content, name)


def _style(content: bytes, name: str) -> StyleDefinition:
    root = _parsed(content, name)
    if root.tag != "style":
        raise InvalidRequest(
            f"{name}: its root is <{root.tag}>, not <style>: no CSL style", parameter="style"
        )
    info = root.child("info")
    links = info.children if info else ()
    if root.child("citation") is None:
        parent = next(
            (link.get("href") for link in links if link.get("rel") == "independent-parent"), None
        )
        raise InvalidRequest(
            f"{name}: only names another style ({parent}); get that one's .csl file"
            if parent
            else f"{name}: has no <citation>: no CSL style",
            parameter="style",
        )
    title = info.child("title") if info else None
    return StyleDefinition(
        title=title.text if title else name,
        root=root,
        locale=locale_of(root, root.get("default-locale") or _DEFAULT_LOCALE),
    )


def _parsed(content: bytes, name: str) -> StyleNode:
    from lxml import etree

    parser: Any = etree.XMLParser(
        remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True
    )
    try:
        return node_of(etree.parse(BytesIO(content), parser).getroot())
    except etree.XMLSyntaxError as error:
        raise InvalidRequest(
            f"{name}: not well-formed XML ({error.msg}); get the style anew", parameter="style"
        ) from None


def locale_of(style: StyleNode, lang: str) -> Locale:
    """CSL 1.0.2, "Locale fallback": first the style (dialect, language, any), then the locale files
    (dialect, main dialect of the language, American English)."""
    style_locales = [child for child in style.children if child.tag == "locale"]
    language = lang.split("-")[0]
    locale = Locale(lang)
    for lookup_lang in (lang, language, ""):
        for element in style_locales:
            if element.get("lang") == lookup_lang:
                locale.add(element)
    for name in dict.fromkeys((lang, _main_dialect(language), _DEFAULT_LOCALE)):
        if name and (file_locale := _locale_file(name)):
            locale.add(file_locale)
    return locale


def _main_dialect(language: str) -> str | None:
    from citeproc import PRIMARY_DIALECTS

    dialect: str | None = PRIMARY_DIALECTS.get(language)
    return dialect


@cache
def _locale_file(lang: str) -> StyleNode | None:
    from citeproc import LOCALES_PATH

    path = Path(LOCALES_PATH) / f"locales-{lang}.xml"
    return _parsed(path.read_bytes(), path.name) if path.is_file() else None
