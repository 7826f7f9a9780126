"""Markdown and Quarto drafts with pandoc's citations; plain text likewise.

``[see @a, pp. 3-5; -@b]``, ``@a [p. 4]``, ``@{key with /}``. After the pandoc manual, "Citation
syntax".
"""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from citeloom.domain.citation.in_text import CITING, NARRATIVE
from citeloom.domain.citation.locators import parse_locator
from citeloom.domain.text.scripts import lowered, raised
from citeloom.domain.verification.drafts.draft import (
    PLACEHOLDER,
    CitedItem,
    Draft,
    Inclusion,
    InTextCitation,
    is_bibliography,
)

from .latex_citations import cited_items
from .mask import Mask, covering

_KEY = r"(?P<minus>-)?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*))"
# Not an address (a@b) or an escaped sign.
_CITE = re.compile(rf"(?<![\w@\\.]){_KEY}")
_GROUP = re.compile(
    r"(?<![\\!\]])\[(?:[^\[\]\\@]|\\.|\[[^\[\]]*\])*+@(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*+\]"
)
_ENTITY_BEFORE = re.compile(r"&#?\w{2,8}\Z")
_LOCATOR_AFTER = re.compile(r"\s*\[(?P<locator>[^\[\]@]*)\]")
_BRACED_LOCATOR = re.compile(r",?\s*\{(?P<locator>[^{}]*)\}")

# Cross-references of Quarto and of pandoc-crossref look like citations.
_CROSS_REFERENCE = re.compile(
    r"(?:(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|nte|tip|wrn|imp|cau)-"
    r"|(?:fig|tbl|sec|eq|lst):)"
)


def find_citations(mask: Mask, is_prose: Callable[[int], bool]) -> None:
    """Add the citations that ``is_prose`` accepts to the mask."""
    text = mask.text
    covered = bytearray(len(text))
    for group in _GROUP.finditer(text):
        if not is_prose(group.start()):
            continue
        items = _items(text, group.start() + 1, group.end() - 1)
        if items:
            mask.cite(InTextCitation(start=group.start(), end=group.end(), items=tuple(items)))
            mask.read |= {item.start for item in items}
            covered[group.start() : group.end()] = b"\1" * len(group[0])
    for match in _CITE.finditer(text):
        at = match.start()
        if covered[at] or not is_prose(at):
            continue
        if _is_cross_reference(match):
            mask.inline(at, match.end())
            continue
        citation = _narrative(text, match)
        mask.cite(citation)
        mask.read.add(at)
        length = citation.end - citation.start
        covered[citation.start : citation.end] = b"\1" * length


def _narrative(text: str, match: re.Match[str]) -> InTextCitation:
    locator_match = _LOCATOR_AFTER.match(text, match.end())
    locator, suffix, end = None, "", match.end()
    # "@key [link](url)" and "@key [@other]" have no locator.
    if locator_match and not text.startswith(("(", "["), locator_match.end()):
        locator, suffix = parse_locator(locator_match["locator"])
        end = locator_match.end()
    item = CitedItem(
        key=_key(match),
        start=match.start(),
        end=end,
        locator=locator,
        suffix=suffix,
        suppress_author=bool(match["minus"]),
    )
    return InTextCitation(start=match.start(), end=end, items=(item,), narrative=True)


def _items(text: str, start: int, end: int) -> list[CitedItem]:
    items = []
    is_note = text[max(0, start - 2) : start] == "[["  # Obsidian's [[@key#heading|words]]
    for first, last in _pieces(text, start, end):
        match = _CITE.search(text, first, last)
        if match is None or _is_cross_reference(match):
            continue
        rest = "" if is_note else text[match.end() : last]
        braced = _BRACED_LOCATOR.match(rest)
        if braced:
            locator, suffix_within = parse_locator(braced["locator"])
            suffix = " ".join(filter(None, (suffix_within, rest[braced.end() :].strip(" ,"))))
        else:
            locator, suffix = parse_locator(rest)
        items.append(
            CitedItem(
                key=_key(match).partition("#")[0] if is_note else _key(match),
                start=match.start(),
                end=match.start() + len(text[match.start() : last].rstrip()),
                locator=locator,
                prefix="" if is_note else text[first : match.start()].strip(),
                suffix=suffix,
                suppress_author=bool(match["minus"]),
            )
        )
    return items


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans between semicolons outside of braces."""
    pieces, depth, first = [], 0, start
    for at in range(start, end):
        depth += (text[at] == "{") - (text[at] == "}")
        if text[at] == ";" and depth <= 0 and not _ENTITY_BEFORE.search(text, max(0, at - 9), at):
            pieces.append((first, at))
            first = at + 1
    return [*pieces, (first, end)]


def _key(match: re.Match[str]) -> str:
    return match["braced"] or match["bare"]


def _is_cross_reference(match: re.Match[str]) -> bool:
    return bool(_CROSS_REFERENCE.match(_key(match)))


_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_FENCE = re.compile(r"^[ >]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DISPLAY_MATH = re.compile(r"\$\$.+?\$\$(?:\s*\{#[^{}\n]*\})?", re.DOTALL)
_CODE_SPAN = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)(?:\{[^{}\n]*\})?", re.DOTALL
)
# Code that Quarto and knitr evaluate, with an unknown result.
_COMPUTED = re.compile(r"(?:r |\{(?:r|python|julia|ojs)\} ?)(?=\S)")
_MATH = re.compile(r"(?<![\\$])\$(?=\S)(?P<math>[^$\n]*?\S)\$(?!\d)")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]*)$", re.MULTILINE)
_SETEXT = re.compile(r"^(?P<title>[^\s>#|:*+\-][^\n]*)\r?\n(?P<line>=+|-+)[ \t]*\r?$", re.MULTILINE)
_TABLE_LINE = re.compile(r"^[ >]*(?:\|[^\n]*|\+[-=+:]+\+)[ \t]*\r?$", re.MULTILINE)
_TABLE_RULE = re.compile(
    r"^(?=[^\n|]*+\|)[^\n]*+\n[ ]*:?-+:?[ ]*\|[-| :]*\r?$(?:\n(?=[^\n]*\|)[^\n]+)*", re.MULTILINE
)
_SIMPLE_TABLE = re.compile(r"^[ ]*-{2,}(?:[ ]+-{2,})+[ ]*\r?$", re.MULTILINE)
_RULE = re.compile(r"^ {0,3}(?:[-*_][ \t]*){3,}\r?$", re.MULTILINE)
_DIV = re.compile(r"^[ ]*:{3,}[^\n]*$", re.MULTILINE)
_SHORTCODE = re.compile(r"\{\{[<%](?:(?!\{\{)[^\n])*?[>%]\}\}")
_INCLUDE = re.compile(r"\{\{<\s*include\s+(?P<name>[^>\s]+)\s*>\}\}")  # Quarto's
_TARGET = r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_IMAGE = re.compile(
    rf"!\[(?:[^\[\]]|\[[^\[\]]*\])*+\](?:{_TARGET}|\[[^\[\]\n]*\])?(?:\{{[^{{}}\n]*\}})?"
)
_LINK = re.compile(
    rf"(?<!!)(?<!\\)\[(?P<text>[^\[\]@]+)\](?:{_TARGET}|\[[^\[\]\n@]*\]|\{{[^{{}}\n]*\}})"
)
# Links to a work: in Zotero, in a note of Obsidian, in the reference list of pandoc and Quarto.
_TO_WORK = re.compile(
    r"\]\((?P<target><?(?:zotero://(?:select|open-pdf)/[^\s()<>]*?items/(?:@|\d+_)?|#ref-|"
    r"(?:[^\s()<>:@]*/)?@)(?P<key>\w[\w:.\-]*?)(?:\.md)?(?:[?#][^\s()<>]*)?>?)\)"
)
_ROLE = re.compile(r"\{cite(?P<form>:\w+|)\}`(?P<keys>[^`\n]+)`")
_ROLE_ITEM = re.compile(
    r"(?:\{(?P<before>[^{}]*)\}\s*)?(?P<key>[^\s,{}`]+)\s*(?:\{(?P<after>[^{}]*)\})?"
)
_LATEX = re.compile(r"\\(?P<name>[A-Za-z]+)")
_REFERENCE_LINE = re.compile(r"^ {0,3}\[[^\]\n^@]+\]:[ \t]*\S[^\n]*$", re.MULTILINE)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\]\n^@]+)\]:[ \t]*(?:<[^>\n]*>|\S+)[ \t]*(?:[\"'(][^\n]*)?$",
    re.MULTILINE,
)
_LABEL = re.compile(r"\[([^\[\]\n^@]+)\]")
_TWO_NUMBERS = re.compile(r"\[[\d, –-]+\]\[[\d, –-]+\]")
_NOTE_MARK = re.compile(r"\[\^[^\[\]\s]+\](?P<definition>:)?")
_INLINE_NOTE = re.compile(r"\^\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*+)\]")
_AUTOLINK = re.compile(
    r"<(?:https?|mailto|ftp):[^<>\s]*>|(?<![\w(])https?://[^\s<>\]]*[^\s<>\].,;:!?)'\"]"
)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
_ITEM = re.compile(
    r"^(?:[ \t]*>)*[ \t]*(?P<mark>[-*+]|\(?(?:\d{1,9}|[a-zA-Z#])[.)])[ \t]+"
    r"(?:\[[ xX]\][ \t]+)?(?=\S)",
    re.MULTILINE,
)
_QUOTE = re.compile(r"^(?:[ \t]*>)+", re.MULTILINE)
_SCRIPT = re.compile(
    r"(?<=\d)(?:<sup>(?P<up>[-\u2212]?\d{1,3})</sup>|\^(?P<power>[-\u2212]?\d{1,3})\^)"
    r"|(?<=[^\W\d_])(?:<sub>(?P<down>\d{1,2})</sub>|~(?P<index>\d{1,2})~)",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"(?<!\\)(?!(?<=\d)\*\*\d)(?:\*{1,3}|~~)|(?<![\\\w])_{1,3}(?=\S)|(?<=[^\s\\])_{1,3}(?!\w)"
)
_ESCAPE = re.compile(r"\\(?P<char>[!-/:-@\[-`{-~])")
_HARD_BREAK = re.compile(r"\\(?=\r?\n)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ATTRIBUTES = re.compile(r"(?<=\])\{[^{}\n]*\}")
_SUPERSCRIPT = re.compile(
    r"\^(?P<raised>\d[\d,–-]*)\^|<sup>\s?\[?(?P<tagged>\d[\d,\s–-]*)\]?</sup>", re.IGNORECASE
)
_LINE = re.compile(r"^[^\n]+$", re.MULTILINE)
_BOLD_LINE = re.compile(r"^\*\*([^*\n]+)\*\*:?[ \t]*$", re.MULTILINE)
_INDENTED = re.compile(
    r"(?:\A|\n[ \t]*\r?\n)(?P<code>(?:(?: {4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\n(?=(?: {4}|\t)))+)"
)


def parse_markdown(path: str, text: str) -> Draft:
    mask = Mask(text)
    for start, end in _blocks(text):
        mask.blank(start, end)
    outside_blocks = mask.prose

    def is_prose(offset: int) -> bool:
        return not outside_blocks[offset].isspace()

    code = [match for match in _CODE_SPAN.finditer(outside_blocks) if is_prose(match.start())]
    maths = [match for match in _MATH.finditer(outside_blocks) if is_prose(match.start())]
    for display in _DISPLAY_MATH.finditer(outside_blocks):
        mask.inline(*display.span())
    protected = [match.span() for match in (*code, *maths, *_DISPLAY_MATH.finditer(outside_blocks))]
    is_protected = covering(text, protected)
    _inline_markup(mask, outside_blocks, is_protected)
    for match in (*code, *maths):
        inner = "code" if "code" in match.groupdict() else "math"
        if inner == "code" and _COMPUTED.match(match["code"]):
            mask.replace(*match.span(), PLACEHOLDER)
            continue
        mask.inline(match.start(), match.start(inner))
        mask.inline(match.end(inner), match.end())
    prose = mask.prose
    find_citations(mask, lambda at: prose[at] == text[at] and not is_protected[at])
    _cite_links(mask, outside_blocks, is_protected)
    _cite_roles(mask, outside_blocks)
    _cite_commands(mask, outside_blocks, is_protected)
    _name_unread(mask, text)
    mask.literals = [*protected, *_links_by_label(text)]
    mask.superscripts = [
        match.span()
        for match in _SUPERSCRIPT.finditer(outside_blocks)
        if not is_protected[match.start()]
    ]
    mask.bibliography = bibliography_text(text, _bibliography(text))
    inclusions = (
        Inclusion(name=match["name"], start=match.start())
        for match in _INCLUDE.finditer(text)
        if is_prose(match.start())
    )
    return mask.draft(path, "markdown", inclusions=inclusions)


def _cite_links(mask: Mask, outside_blocks: str, is_protected: bytearray) -> None:
    """The works that links lead to; the words of the link stay."""
    for link in _TO_WORK.finditer(outside_blocks):
        if not is_protected[link.start()]:
            start, end = link.span("key")
            item = CitedItem(key=link["key"], start=start, end=end)
            mask.cite(InTextCitation(start=link.end(), end=link.end(), items=(item,)))
            mask.read.add(link.start("key") - 1)


def _cite_roles(mask: Mask, outside_blocks: str) -> None:
    """MyST's and Sphinx's ``{cite:p}`key,{see}other{p. 3}```."""
    for role in _ROLE.finditer(outside_blocks):
        items = []
        for one in _ROLE_ITEM.finditer(outside_blocks, *role.span("keys")):
            locator, suffix = parse_locator(one["after"] or "")
            items.append(
                CitedItem(
                    key=one["key"],
                    start=one.start("key"),
                    end=one.end("key"),
                    locator=locator,
                    prefix=one["before"] or "",
                    suffix=suffix,
                )
            )
        narrative = role["form"].startswith(":t")
        mask.cite(
            InTextCitation(
                start=role.start(), end=role.end(), items=tuple(items), narrative=narrative
            )
        )


def _cite_commands(mask: Mask, outside_blocks: str, is_protected: bytearray) -> None:
    """LaTeX's commands, which pandoc passes on: ``\\citep[3]{key}``."""
    for command in _LATEX.finditer(outside_blocks):
        if command["name"] not in CITING or is_protected[command.start()]:
            continue
        items, end = cited_items(outside_blocks, command["name"], command.end())
        narrative = command["name"] in NARRATIVE
        if items:
            mask.cite(
                InTextCitation(
                    start=command.start(), end=end, items=tuple(items), narrative=narrative
                )
            )
        else:
            mask.unread.append((command.start(), command[0]))


def _name_unread(mask: Mask, text: str) -> None:
    """Names the citations in headings, tables and captions, which are not read."""
    in_fence = covering(text, _fences(text))
    listed = covering(text, _bibliography(text))
    spans = [heading[:2] for heading in _headings(text, in_fence)]
    spans += [m.span() for one in (_TABLE_LINE, _TABLE_RULE, _IMAGE) for m in one.finditer(text)]
    unread = covering(text, [*spans, *_simple_tables(text)])
    for match in _CITE.finditer(text):
        at = match.start()
        outside = in_fence[at] or listed[at] or at in mask.read or not unread[at]
        if not outside and not _is_cross_reference(match):
            mask.unread.append((at, f"@{_key(match)}"))


def parse_plain(path: str, text: str) -> Draft:
    mask = Mask(text)
    if heading := next((m for m in _LINE.finditer(text) if is_bibliography(m[0])), None):
        mask.blank(heading.start(), len(text))
        mask.bibliography = text[heading.end() :]
    find_citations(mask, lambda at: heading is None or at < heading.start())
    return mask.draft(path, "text")


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Block elements that are not prose."""
    if front := _FRONT_MATTER.match(text):
        yield front.span()
    fences = list(_fences(text))
    yield from fences
    in_fence = covering(text, fences)
    for pattern in (_COMMENT, _TABLE_LINE, _TABLE_RULE, _DIV, _REFERENCE_LINE, _RULE):
        for match in pattern.finditer(text):
            if not in_fence[match.start()]:
                yield match.span()
    yield from _simple_tables(text)
    yield from _indented(text)
    yield from (heading[:2] for heading in _headings(text, in_fence))
    yield from _bibliography(text)


def _links_by_label(text: str) -> Iterator[tuple[int, int]]:
    """Links in brackets alone, whose target is defined in a line of its own."""
    defined = {match["label"] for match in _DEFINITION.finditer(text)}
    return (match.span() for match in _LABEL.finditer(text) if match[1] in defined)


def _headings(text: str, in_fence: bytearray) -> list[tuple[int, int, int, str]]:
    """Start, end, level and title of each, in order."""
    found = [
        (match.start(), match.end(), len(match["marks"]), match["title"])
        for match in _HEADING.finditer(text)
    ]
    found += [
        (match.start(), match.end(), 1 if match["line"].startswith("=") else 2, match["title"])
        for match in _SETEXT.finditer(text)
    ]
    return sorted(heading for heading in found if not in_fence[heading[0]])


def _bibliography(text: str) -> list[tuple[int, int]]:
    """The reference lists: from a heading, or a line in bold, to the next heading of its level."""
    headings = _headings(text, covering(text, _fences(text)))
    levels = [(start, level) for start, _, level, title in headings if is_bibliography(title)] or [
        (match.start(), 6) for match in _BOLD_LINE.finditer(text) if is_bibliography(match[1])
    ]
    starts = [heading[0] for heading in headings]
    lists = []
    for start, level in levels:
        at = bisect_right(starts, start)
        while at < len(headings) and headings[at][2] > level:
            at += 1
        lists.append((start, starts[at] if at < len(headings) else len(text)))
    return lists


def bibliography_text(text: str, spans: list[tuple[int, int]]) -> str:
    """The lines of reference lists after their headings, without markup."""
    lists = (text[start:end].partition("\n")[2] for start, end in spans)
    plain = _TAG.sub("", "\n\n".join(lists))
    plain = _LINK.sub(lambda match: match["text"], plain)
    plain = re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}|[<>]", "", plain)
    plain = _ESCAPE.sub(lambda match: match["char"], plain)
    return re.sub(r"^[ \t]*(?:[-*+][ \t]+)?(?=\S)|(?<=\]):(?=[ \t])", "", plain, flags=re.MULTILINE)


def _fences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while opened := _FENCE.search(text, at):
        fence = opened["fence"]
        if fence[0] == "`" and "`" in opened["info"]:
            at = opened.end()
            continue
        closing = re.compile(rf"^[ >]*{fence[0]}{{{len(fence)},}}[ \t]*\r?$", re.MULTILINE)
        closed = closing.search(text, opened.end())
        at = closed.end() if closed else len(text)
        yield opened.start(), at


def _simple_tables(text: str) -> Iterator[tuple[int, int]]:
    """pandoc's tables without bars: the paragraph around a line of dashes."""
    end = 0
    for rule in _SIMPLE_TABLE.finditer(text):
        if rule.start() < end:
            continue
        start = text.rfind("\n\n", end, rule.start())
        close = text.find("\n\n", rule.end())
        yield (start + 2 if start >= 0 else end), (end := close if close >= 0 else len(text))


def _indented(text: str) -> Iterator[tuple[int, int]]:
    """Indented code; within lists an indented paragraph belongs to its item."""
    for match in _INDENTED.finditer(text):
        end = match.start()
        while end and text[end - 1].isspace():
            end -= 1
        previous_line = text[text.rfind("\n", 0, end) + 1 : end]
        if not _ITEM.match(previous_line) and not previous_line.startswith((" ", "\t", "[^")):
            yield match.span("code")


def _inline_markup(mask: Mask, outside_blocks: str, is_protected: bytearray) -> None:
    def matches_of(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (m for m in pattern.finditer(outside_blocks) if not is_protected[m.start()])

    for pattern in (_IMAGE, _SHORTCODE, _AUTOLINK, _TAG, _ATTRIBUTES, _HARD_BREAK):
        for match in matches_of(pattern):
            mask.inline(*match.span())
    for script in matches_of(_SCRIPT):
        before, high = outside_blocks[: script.start()], script["up"] or script["power"]
        low = script["down"] or script["index"] or ""
        mask.replace(*script.span(), raised(high, before) if high else lowered(low))
    for note in matches_of(_INLINE_NOTE):
        mask.note(note.span(), note.span("words"))
    for link in matches_of(_LINK):
        if _TWO_NUMBERS.fullmatch(link[0]):  # citations [1][2]
            continue
        mask.inline(link.start(), link.start("text"))
        mask.inline(link.end("text"), link.end())
    for note in matches_of(_NOTE_MARK):
        mask.paragraph(*note.span()) if note["definition"] else mask.inline(*note.span())
    for quote in matches_of(_QUOTE):
        mask.inline(*quote.span())
    for item in matches_of(_ITEM):
        mask.paragraph(item.start("mark"), item.end("mark"))
    for emphasis in matches_of(_STRONG):
        mask.inline(*emphasis.span())
    for escape in matches_of(_ESCAPE):
        mask.replace(*escape.span(), escape["char"])
    for entity in matches_of(_ENTITY):
        mask.replace(*entity.span(), html.unescape(entity[0]))
