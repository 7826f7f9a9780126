"""Share of the words of one text that another has."""

import re

_WORD = re.compile(r"[a-z0-9]+(?:[.'-][a-z0-9]+)*")
_COMMON = frozenset(
    "a an the of in on at to for from by with without and or but as is are was were be been being "
    "has have had do does did not no nor than that this these those it its their his her which who "
    "whom can could may might will would should shall more most less least between among into over "
    "under during after before both also such other".split()
)


def stems(text: str) -> frozenset[str]:
    """Content words, without their endings."""
    return frozenset(
        re.sub(r"(?:ations?|ities|ity|ing|ies|ied|ed|es|s|ly)$", "", word)[:7]
        for word in _WORD.findall(text.lower())
        if word not in _COMMON
    )


def share(text: str, other: str) -> float:
    """Of the content words of ``text``, those that ``other`` has; 1 without any."""
    asked = stems(text)
    return len(asked & stems(other)) / len(asked) if asked else 1.0
