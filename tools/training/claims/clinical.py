"""Claims on the findings of clinical trials (Evidence Inference 2.0), made by templates.

Each template says something of a direction; whether it holds follows from the finding. Claims with
and without negation stand under every verdict, so that no word of a template tells the verdict.
"""

import random
import re
from collections.abc import Iterator
from typing import Any

from overlap import share
from pair import CONTRADICT, NEI, SUPPORT, Pair

# Characters of evidence and of a name; longer ones would be cut by the encoder.
LONGEST = 420
NAME = 90
_MORE, _LESS, _SAME = "increased", "decreased", "no difference"
_EITHER = frozenset((_MORE, _LESS))

# What is said, and under which findings it holds; under the others it does not.
_CLAIMS: tuple[tuple[str, frozenset[str]], ...] = (
    ("{i} increased {o} compared with {c}.", frozenset((_MORE,))),
    ("{i} increases {o}.", frozenset((_MORE,))),
    ("{o} was higher with {i} than with {c}.", frozenset((_MORE,))),
    ("{i} leads to higher {o}.", frozenset((_MORE,))),
    ("Compared with {c}, {i} raises {o}.", frozenset((_MORE,))),
    ("Greater {o} is found after {i}.", frozenset((_MORE,))),
    ("{o} rose significantly with {i}.", frozenset((_MORE,))),
    ("There is more {o} under {i} than under {c}.", frozenset((_MORE,))),
    ("{i} decreased {o} compared with {c}.", frozenset((_LESS,))),
    ("{i} reduces {o}.", frozenset((_LESS,))),
    ("{o} was lower with {i} than with {c}.", frozenset((_LESS,))),
    ("{i} leads to lower {o}.", frozenset((_LESS,))),
    ("Compared with {c}, {i} lowers {o}.", frozenset((_LESS,))),
    ("Less {o} is found after {i}.", frozenset((_LESS,))),
    ("{o} fell significantly with {i}.", frozenset((_LESS,))),
    ("There is less {o} under {i} than under {c}.", frozenset((_LESS,))),
    ("There was no difference in {o} between {i} and {c}.", frozenset((_SAME,))),
    ("{i} has no effect on {o}.", frozenset((_SAME,))),
    ("{o} was similar with {i} and with {c}.", frozenset((_SAME,))),
    ("{i} did not change {o}.", frozenset((_SAME,))),
    ("{i} does not influence {o} compared with {c}.", frozenset((_SAME,))),
    ("{i} is equivalent to {c} in terms of {o}.", frozenset((_SAME,))),
    ("{i} has an effect on {o}.", _EITHER),
    ("{i} changes {o}.", _EITHER),
    ("{i} and {c} differ in {o}.", _EITHER),
    ("{o} depends on whether {i} or {c} is given.", _EITHER),
    ("{i} does not increase {o}.", frozenset((_LESS, _SAME))),
    ("{o} is not higher with {i} than with {c}.", frozenset((_LESS, _SAME))),
    ("{i} does not reduce {o}.", frozenset((_MORE, _SAME))),
    ("{o} is not lower with {i} than with {c}.", frozenset((_MORE, _SAME))),
)
_SWAPPED = {_MORE: _LESS, _LESS: _MORE, _SAME: _SAME}


def group(row: dict[str, Any], study: list[dict[str, Any]], rng: random.Random) -> Iterator[Pair]:
    """Of a finding: two claims that hold, two that do not, two on what the sentence does not
    tell."""
    evidence, finding = row["evidence"], row["label"]
    for wanted in (True, False):
        for swapped in (False, rng.random() < 0.4):
            now = _SWAPPED[finding] if swapped else finding
            choices = [text for text, holds in _CLAIMS if (now in holds) is wanted]
            if claim := _claim(rng.choice(choices), row, swapped):
                yield Pair(claim, evidence, SUPPORT if wanted else CONTRADICT)
    elsewhere = [
        one
        for one in study
        if one["evidence"] != evidence and share(one["outcome"], evidence) < 0.35
    ]
    text = rng.choice(_CLAIMS)[0]
    if elsewhere and (claim := _claim(text, rng.choice(elsewhere), rng.random() < 0.3)):
        yield Pair(claim, evidence, NEI)
    others = [one["evidence"] for one in elsewhere if share(row["outcome"], one["evidence"]) < 0.35]
    if others and (claim := _claim(rng.choice(_CLAIMS)[0], row, False)):
        yield Pair(claim, rng.choice(others), NEI)


def _claim(text: str, row: dict[str, Any], swapped: bool) -> str | None:
    i, c, o = (_name(row[field]) for field in ("intervention", "comparator", "outcome"))
    if "{c}" not in text and swapped and len(c.split()) < 2 and c.lower() in ("control", "placebo"):
        return None
    if not i or not c or not o or max(map(len, (i, c, o))) > NAME:
        return None
    claim = text.format(i=c if swapped else i, c=i if swapped else c, o=_lowered(o))
    return claim[:1].upper() + claim[1:]


def _name(text: str) -> str:
    text = re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", text.replace("&nbsp;", " "))
    return re.sub(r"\s+", " ", text).strip(" .,;:()[]")


def _lowered(text: str) -> str:
    """Without the capital of a sentence's first word."""
    first = text.split()[0]
    return text[0].lower() + text[1:] if first[1:].islower() else text
