"""Warnings about text that a reader does not see."""

from collections.abc import Mapping

from citeloom.domain.text.phrasing import numbered_pages
from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import Hidden


def hidden_text_warnings(pages: Mapping[int, Mapping[Hidden, int]]) -> list[str]:
    """What was left out, in a sentence. ``pages`` counts the words by page (from 1) and reason."""
    counts = {page: found for page, found in sorted(pages.items()) if sum(found.values())}
    if not counts:
        return []
    total = sum(sum(found.values()) for found in counts.values())
    reasons = {reason for found in counts.values() for reason, count in found.items() if count}
    return [
        f"{_where(counts)} {_words(total)} that a reader does not see "
        f"({', '.join(reason for reason in Hidden if reason in reasons)}); "
        f"{'it was' if total == 1 else 'they were'} left out"
    ]


def control_warnings(pages: Mapping[int, int]) -> list[str]:
    """``pages`` counts words with characters that turn or hide text by page (from 1)."""
    counts = {page: count for page, count in sorted(pages.items()) if count}
    if not counts:
        return []
    return [
        f"{_where(counts)} {_words(sum(counts.values()))} with characters that turn or hide text "
        "(bidirectional controls, tags); the characters were left out"
    ]


def _where(pages: Mapping[int, object]) -> str:
    return f"{numbered_pages([*pages])} {'has' if len(pages) == 1 else 'have'}"


def _words(count: int) -> str:
    return "a word" if count == 1 else f"{count} words"
