"""Text of fields as LaTeX: escapes, markup, and braces that keep the case of names."""

import re

from citeloom.infrastructure.references.fields.plain_text import plain

_ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "\xa0": "~",
}  # fmt: skip
# The rich text that Zotero and CSL allow in fields (CSL 1.0.2, appendix "Rich text").
_MARKUP = {
    "i": r"\textit{", "em": r"\textit{", "b": r"\textbf{", "strong": r"\textbf{",
    "sup": r"\textsuperscript{", "sub": r"\textsubscript{", "sc": r"\textsc{",
}  # fmt: skip
_TAG = re.compile(r"<(/?)(i|em|b|strong|sup|sub|sc|span)(\s[^<>]*)?>", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’.&+#/-]?[^\W_]+)*")
# Words that stay small in English headline style, and say nothing of a title's case.
_SMALL = frozenset(
    "a an and as at but by for from in into nor of off on onto or over per so the to up via vs "
    "with yet about after against among around before between during through under without".split()
)


def escaped(text: str) -> str:
    """``text`` with all that LaTeX reads as commands, or draws as one dash, escaped; letters
    of any script stay."""
    return re.sub(r"-(?=-)", "-{}", "".join(_ESCAPES.get(char, char) for char in text))


def verbatim(text: str) -> str:
    """An address or DOI, which LaTeX prints as it is: braces and backslashes, which would end
    the field, in percent notation."""
    codes = {"{": "%7B", "}": "%7D", "\\": "%5C"}
    return "".join(codes.get(char, char) for char in text)


def rich(text: str, *, protect: str = "") -> str:
    """A field with its tags as commands. ``protect`` is the language of a title: capitals that
    BibTeX's styles would lower are put in braces."""
    words = _protected(plain(text), protect) if protect else frozenset[str]()
    done: list[str] = []
    stack: list[str] = []
    at = 0
    for tag in _TAG.finditer(text):
        name = tag.group(2).lower()
        if tag.group(1) and (not stack or stack[-1] != name):
            continue
        if not tag.group(1) and f"</{name}>" not in text[tag.end() :].lower():
            continue
        done.append(_braced(plain_part(text[at : tag.start()]), words))
        at = tag.end()
        if tag.group(1):
            stack.pop()
            done.append("}")
        else:
            stack.append(name)
            done.append(_opening(name, tag.group(3) or ""))
    done.append(_braced(plain_part(text[at:]), words))
    done.append("}" * len(stack))
    return "".join(done)


def _opening(name: str, attributes: str) -> str:
    if name == "span" and "small-caps" in attributes:
        return r"\textsc{"
    return _MARKUP.get(name, "{")


def plain_part(text: str) -> str:
    """A piece of a field without tags, with the blanks at its ends."""
    shown = plain(text)
    before = " " if text[:1].isspace() and shown else ""
    after = " " if text[-1:].isspace() and shown else ""
    return f"{before}{shown}{after}" if shown else (" " if text.isspace() else "")


def _braced(text: str, words: frozenset[str]) -> str:
    done: list[str] = []
    at = 0
    for found in _WORD.finditer(text):
        done.append(escaped(text[at : found.start()]))
        word = escaped(found.group())
        done.append(f"{{{word}}}" if found.group() in words else word)
        at = found.end()
    return "".join([*done, escaped(text[at:])])


def _protected(title: str, language: str) -> frozenset[str]:
    """Words whose capitals mean something.

    Those with capitals inside always (``DNA``, ``iPhone``). Any capital in a title of another
    language, or in an English one in sentence case; in one in headline style capitals at the
    beginning of words mean nothing.
    """
    words = _WORD.findall(title)
    inside = {word for word in words if any(char.isupper() for char in word[1:])}
    telling = [
        word
        for word in words[1:]
        if word.lower() not in _SMALL and word not in inside and not word[0].isdigit()
    ]
    raised = [word for word in telling if word[0].isupper()]
    headline = len(telling) > 1 and len(raised) >= 0.8 * len(telling)
    if language.startswith("en") and headline:
        return frozenset(inside)
    return frozenset(inside | set(raised))
