"""Sentence ends in a reference entry, except after initials and abbreviations."""

import re

UPPER = r"[^\W\d_a-zß-öø-ÿ]"
PARTICLE = (
    r"(?:v[ao]n|den|der|de|la|le|du|di|da|dos|del|della|ter|ten|zu|zur|af|al|el|bin|ibn|mac|st\.)"
)
_ABBREVIATION = re.compile(
    rf"(?:^|[\s(.\[-])(?:{UPPER}|(?i:vs|al|eds?|st|dr|mr|mrs|ms|prof|cf|e\.g|i\.e|approx|ca|jr|sr"
    r"|univ|proc|trans|dept|assoc))$"
)
_BEFORE_NUMBER = re.compile(r"\b(?i:vol|nos?|pp?|art|ch|sec|fig|figs|pt|ser|v|bd|nr)$")
_LETTER_WORD = re.compile(rf"\b(?:in|with|using|for)\s{UPPER}$")
# Lower-case names at a possible sentence start.
_SMALL_NAME = re.compile(
    r"[a-z]{1,3}[A-Z]|bioRxiv|medRxiv|arXiv|npj\b|(?:doi|https?|available|retrieved|in:)\b",
)
_PART_NUMBER = re.compile(r"\s*([IVX]{1,4})\.\s+")
_STOP = re.compile(
    r"[.?!](?=[\s”\"’]|$)|(?P<joint>,?\s(?=arXiv:\s?[\w-]+[./]\d|doi:|https?://|URL:?\s|in:\s))"
)

_JOURNAL = re.compile(r"[^.,]{3,90},\s(?:vol\.\s)?\d|(?:arXiv|bioRxiv|medRxiv)\b")
_NO_SUBTITLE = re.compile(
    r"\d|https?:|^(?:in|journal|proceedings|annals|transactions|bulletin|the journal)\b",
    re.IGNORECASE,
)


def first_sentence(text: str) -> str | None:
    """The text before the first full stop, question or exclamation mark that ends a sentence;
    None without one."""
    end = sentence_end(text)
    if end is None:
        return None
    if (part := _PART_NUMBER.match(text, end)) and text[end - 1] == ".":
        title = f"{text[: end - 1]}. {part[1]}"
        more = first_sentence(text[part.end() :])
        telling = more is not None and len(more.split()) > 3 and not re.search(r"\d", more)
        return f"{title}. {more}" if telling else title
    if text[end - 1] in "?!" and (more := _subtitle(text[end:])) is not None:
        return f"{text[:end]} {more}"
    return text[:end].rstrip(". ,")


def _subtitle(text: str) -> str | None:
    """The subtitle after a question (*Grid or transect?*) if a journal follows it."""
    end = sentence_end(text)
    if end is None or not _JOURNAL.match(text[end:].lstrip()):
        return None
    more = text[:end].strip(" .")
    return None if _NO_SUBTITLE.search(more) or len(more.split()) < 3 else more


def sentence_end(text: str) -> int | None:
    """Offset after the mark that ends the first sentence."""
    for found in _STOP.finditer(text):
        before, after = text[: found.start()], text[found.end() :].lstrip('”"’ \n')
        if found["joint"]:
            return found.start()
        if not _SMALL_NAME.match(after) and re.match(r"[a-zß-öø-ÿ,:;]", after):
            continue
        if before.count("(") > before.count(")"):
            continue
        initial = _ABBREVIATION.search(before) and not _LETTER_WORD.search(before)
        counted = after[:1].isdigit() and _BEFORE_NUMBER.search(before)
        if found.group() == "." and (initial or counted):
            continue
        return found.end()
    return None
