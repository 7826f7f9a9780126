"""Why a reader does not see a text of an HTML or Word file, and the warning about it."""

from collections.abc import Mapping
from enum import StrEnum


class Unseen(StrEnum):
    NOT_DISPLAYED = "not displayed"
    OUTSIDE = "off the page"
    TRANSPARENT = "transparent"
    TOO_SMALL = "too small"
    NO_CONTRAST = "in the colour of what is below"


def unseen_warnings(counts: Mapping[Unseen, int]) -> list[str]:
    """What was left out, in a sentence; ``counts`` are words. What is plainly not displayed, such
    as a menu that is closed, is not worth one."""
    told = {
        why: counts[why] for why in Unseen if why is not Unseen.NOT_DISPLAYED and counts.get(why)
    }
    total = sum(told.values())
    if not total:
        return []
    words = "a word" if total == 1 else f"{total} words"
    return [
        f"has {words} that a reader does not see ({', '.join(told)}); "
        f"{'it was' if total == 1 else 'they were'} left out"
    ]
