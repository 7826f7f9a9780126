"""Markdown as the text that its readers see: scripts, formulas, elements of HTML within it.

docling reads a file with a block of HTML in it as a page, which loses its typography.
"""

import re
from collections.abc import Callable

from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.formats.source_text import BRACKETS, STAND_INS

from .formulas import behind, displayed_text

_CODE = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)|(?P<ticks>`+)[^`].*?(?P=ticks)|^(?: {4}|\t)[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_MARKDOWN = re.compile(
    r"\$\$(?P<display>[^$]{1,800}?)\$\$|<(?P<tag>su[pb])>(?P<tagged>[^<>\n]{1,40})</(?P=tag)>"
    r"|(?<=\S)(?<!\[)\^(?P<up>[^\s^\[\]]{1,12})\^|(?<=\w)(?<!~)~(?P<down>[^\s~]{1,12})~(?!~)"
    r"|(?<![\\$\d])\$(?P<maths>[^\s$](?:[^$\n]{0,200}[^\s$\\])?)\$(?![\d$])"
    r"|(?<=\d)\$(?P<power>\^[^$\n]{1,12})\$"
)


# YAML: lines with a key, indented ones, items of lists, comments, empty ones.
_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\n((?:(?:[\w.-]+[ \t]*:|[ \t#-])[^\n]*\n|\n)+?)"
    r"(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
_INLINE = re.compile(r"</?(?:span|font|small|big|u|mark|cite|abbr|kbd|ins|a)(?:\s[^<>\n]*)?>")
_BLOCKS = "div|center|p|details|summary|section|article|figure|figcaption"
_BLOCK = re.compile(
    rf"^[ \t]*</?(?:{_BLOCKS})(?:\s[^<>\n]*)?>|</(?:{_BLOCKS})>[ \t]*$", re.MULTILINE
)
# What no reader sees: comments, fences of divisions, attributes of headings and spans (pandoc's
# manual: "Divs and Spans", "Header identifiers").
_UNSEEN = re.compile(
    r"[ \t]?<!--.*?-->(?=\s)|<!--.*?-->|^:{3,}[^\n]*$"
    r"|(?<=[^\s\\])[ \t]*\{[#.][^{}\n]*\}(?=[ \t]*#*[ \t]*$)",
    re.DOTALL | re.MULTILINE,
)
_SPAN = re.compile(r"(?<![\\!\w])\[([^\[\]@^]+)\]\{[.#][^{}\n]*\}")
_DEFINITION = re.compile(r"(?<=\S)\n+:[ \t]{1,3}(?=\S)")
_ESCAPED = re.compile(r"(?<!\\)\\([\[\]])")
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL | re.IGNORECASE)
# CommonMark 6.3: a destination has no spaces, and parentheses may be nested three deep at least.
_LONG = re.compile(r"\S{1000,}")
_DEEPEST = 32
# An underscore is emphasis at a mark of punctuation only, and the private ones are none.
_TYPOGRAPHIC = re.compile(f"(?<!_)[{''.join(map(chr, STAND_INS))}](?!_)")


def seen_markdown(source: str) -> str:
    """The source with its super- and subscripts (tags, pandoc's), the formulas of its lines and the
    content of HTML elements as text; code stays as it is."""
    text = _outside(_CODE, source, _with_scripts)
    return _TYPOGRAPHIC.sub(lambda match: match[0].translate(STAND_INS), text)


def without_front_matter(raw: bytes) -> bytes:
    """The source without its front matter, of which the abstract alone is text."""
    return _FRONT_MATTER.sub(_abstract, raw.decode("utf-8")).encode("utf-8")


def _abstract(front_matter: re.Match[str]) -> str:
    import yaml

    try:
        found = yaml.safe_load(front_matter[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return front_matter[0]
    if not isinstance(found, dict):
        return front_matter[0]
    abstract = found.get("abstract")
    return f"{abstract.strip()}\n\n" if isinstance(abstract, str) else ""


def _with_scripts(source: str) -> str:
    text = _UNSEEN.sub("", _SPAN.sub(r"\1", source))
    text = _DEFINITION.sub("\n\n", _TABLE.sub(_of_table, text))
    text = _BLOCK.sub("\n\n", _INLINE.sub("", text))
    text = _ESCAPED.sub(lambda match: BRACKETS[match[1]], text)
    return _LONG.sub(_without_depth, _MARKDOWN.sub(_of_markdown, text))


def _without_depth(match: re.Match[str]) -> str:
    """Links within destinations of links without an end are text: marko reads each of them to the
    end."""
    depth = deepest = 0
    for parenthesis in re.findall(r"[()]", match[0]):
        depth = max(0, depth + (1 if parenthesis == "(" else -1))
        deepest = max(deepest, depth)
    return match[0].replace("](", r"]\(") if deepest > _DEEPEST else match[0]


def _of_table(match: re.Match[str]) -> str:
    """A table of HTML as one of Markdown."""
    from bs4 import BeautifulSoup

    rows = [
        [
            " ".join(cell.decode_contents().split()).replace("|", r"\|")
            for cell in row.find_all(["td", "th"])
        ]
        for row in BeautifulSoup(match[0], "html.parser").find_all("tr")
    ]
    width = max(map(len, rows), default=0)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return "\n\n" + "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) + "\n\n"


_LITERAL_ASCIIDOC = re.compile(
    r"^(?:----|\.\.\.\.).*?^(?:----|\.\.\.\.)$|`[^`\n]*`", re.DOTALL | re.MULTILINE
)
_ASCIIDOC = re.compile(r"\^(?P<up>[^\s^]{1,12})\^|(?<=\w)~(?P<down>[^\s~]{1,12})~")


def seen_asciidoc(source: str) -> str:
    """AsciiDoc with its super- and subscripts as text."""

    def written(match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - 24) : match.start()]
        after = match.string[match.end() : match.end() + 1]
        if match["up"] is not None:
            return raised(match["up"], before, after)
        return lowered(match["down"], before, after)

    return _outside(_LITERAL_ASCIIDOC, source, lambda text: _ASCIIDOC.sub(written, text))


def _of_markdown(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 24) : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if match["display"]:
        return displayed_text(match["display"])
    if formula := match["maths"] or match["power"]:
        return behind(before, formula)
    is_high = match["tag"] in ("sup", "SUP") or match["up"] is not None
    script = match["tagged"] or match["up"] or match["down"]
    return (raised if is_high else lowered)(script, before, after)


def _outside(literal: re.Pattern[str], source: str, written: Callable[[str], str]) -> str:
    """The source, rewritten except in literal parts."""
    parts: list[str] = []
    at = 0
    for match in literal.finditer(source):
        parts += [written(source[at : match.start()]), match[0]]
        at = match.end()
    return "".join([*parts, written(source[at:])])
