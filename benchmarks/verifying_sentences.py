"""The sentences of a project's papers, as its passages have them, and drafts that repeat them."""

import random
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

_END = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?]”))(?<!e\.g\.)(?<!i\.e\.)(?<!\bal\.)(?<!\bcf\.)(?<!\bvs\.)\s+(?=[A-Z(“])|\n+"
)
_VERB = re.compile(r"\b(?:is|are|was|were|can|has|have|had|will|would|may|\w{3,}s|\w{3,}ed)\b")
_MARKUP = re.compile(r"([\\`*_\[\]<>#@$~^{}|])")
_SHORTEST, _LONGEST, _WORDS = 50, 320, 8


Claim = tuple[str, str, str | None]
"""Text, citation key, printed page or None."""


class Sentence(NamedTuple):
    """What a paper says: ``text`` on one line, on the page that ``citation`` names."""

    text: str
    citekey: str
    page_label: str | None


def sentences(samples: Sequence[dict[str, Any]]) -> list[Sentence]:
    """Whole sentences with a verb in the text of sections; no tables, no reference lists."""
    found: dict[str, Sentence] = {}
    for one in samples:
        if one["kind"] != "text" or not one["citekey"] or not one["section"]:
            continue
        labels = one["page_labels"]
        label = labels[0] if len(labels) == 1 else None
        for piece in _END.split(one["text"]):
            text = piece.strip()
            if (
                _SHORTEST <= len(text) <= _LONGEST
                and text[0].isupper()
                and text.endswith(".")
                and len(text.split()) >= _WORDS
                and _VERB.search(text)
            ):
                found.setdefault(text, Sentence(text, one["citekey"], label))
    return list(found.values())


def chosen(of: Sequence[Sentence], count: int, seed: int) -> list[Sentence]:
    """So many of them, at random but the same each time."""
    ordered = sorted(of)
    return random.Random(seed).sample(ordered, min(count, len(ordered)))


def draft(claims: Sequence[Claim]) -> tuple[str, list[int]]:
    """A Markdown draft, a paragraph for each claim (text, citation key, page or None), and the
    lines that they begin on, from 1."""
    lines, at = [], 1
    paragraphs = [_cited(*claim) for claim in claims]
    for paragraph in paragraphs:
        lines.append(at)
        at += paragraph.count("\n") + 2
    return "\n\n".join(paragraphs) + "\n", lines


def _cited(text: str, citekey: str, page: str | None) -> str:
    plain = _MARKUP.sub(r"\\\1", text.rstrip("."))
    return f"{plain} [@{citekey}{f', p. {page}' if page else ''}]."
