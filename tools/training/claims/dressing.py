"""A claim in other words that say the same, and one that says otherwise, by rules and a lexicon.

What is done to claims of every label alike tells nothing of the label.
"""

import random
import re
from collections.abc import Sequence

from lexicon import Lexicon
from perturbing import denied, other_number, reversed_direction
from stretching import other_thing, stretched

_LEADS = (
    "According to the authors, {}", "The authors report that {}", "The study found that {}",
    "It was shown that {}", "Earlier work has shown that {}", "The paper states that {}",
    "As the authors note, {}", "The results indicate that {}", "There is evidence that {}",
    "They found that {}", "Notably, {}", "It has been reported that {}", "In this study, {}",
    "One finding was that {}", "The paper argues that {}",
)  # fmt: skip
_ONES = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SMALL = re.compile(r"(?<![\w.,/-])(\d{1,2})(?![\w,/%]|\.\d|-\w| ?%)")
_SHARES = {"50": "half", "25": "a quarter", "33": "a third", "75": "three quarters"}
_SHARE = re.compile(r"(?<![\w.,/-])(50|25|33|75)(?: ?%| percent| per cent)")
_FRONT = re.compile(
    r"^((?:In|After|During|Among|Compared with|By|With|When|Although|While|If|Because|Since|At|"
    r"Under|Before|Following|Unlike|Despite)\b[^,;]{6,90}), ([^;]{20,})$"
)
_BACK = re.compile(
    r"^([^,;]{25,}?),? ((?:after|during|among|compared with|when|although|while|because|despite|"
    r"following|unlike) [^,;.]{8,90})$"
)
_ABBREVIATION = re.compile(r"\b((?:[A-Za-z][\w-]* ){1,5})\(([A-Z][A-Za-z0-9-]{1,7})\)")
_SIDES = re.compile(
    r"\b(in|with|for|among|by|of|from|under) ((?:the )?[\w-]+(?: [\w-]+)?) "
    r"(than|but not|rather than|instead of|as against|compared with|versus) (?:\1 )?"
    r"((?:the )?[\w-]+(?: [\w-]+)?)(?=[ ,.;)])"
)
_WORDS = (
    ("did not", "didn't"), ("was not", "wasn't"), ("were not", "weren't"), ("percent", "%"),
    ("and", "as well as"), ("however", "but"), ("because", "since"), ("about", "around"),
    ("more than", "over"), ("at least", "no fewer than"), ("such as", "like"), ("while", "whereas"),
    ("in order to", "to"), ("used", "employed"), ("found", "observed"), ("showed", "demonstrated"),
    ("compared with", "relative to"), ("after", "following"), ("before", "prior to"),
    ("patients", "participants"), ("per cent", "%"), ("roughly", "approximately"),
    ("larger", "bigger"), ("many", "a large number of"), ("most", "the majority of"),
    ("help", "aid"), ("allows", "makes it possible for"), ("can", "is able to"),
    ("not significant", "statistically insignificant"), ("and", "along with"),
)  # fmt: skip


class Dresser:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def dressed(self, claim: str, rng: random.Random, own: Sequence[str] = ()) -> str:
        """The same in other words; ``own`` are sentences with the document's abbreviations."""
        text = claim.strip()
        if rng.random() < 0.45 and (new := self._lexicon.replaced(text, "same", rng, 0.35)):
            text = new
        if rng.random() < 0.3:
            text = _reordered(text)
        if rng.random() < 0.3:
            text = _numbers(text, rng)
        if rng.random() < 0.35:
            text = _exchanged(text, rng)
        if own and rng.random() < 0.5:
            text = _abbreviated(text, own)
        if rng.random() < 0.18:
            text = _led(text, rng)
        return text

    def contrary(self, claim: str, rng: random.Random) -> str | None:
        """What cannot hold together with the claim."""
        ways = [reversed_direction] * 3 + [denied] * 3 + [other_number] * 2 + [_swapped] * 3
        ways += [self._otherwise] * 3
        for way in rng.sample(ways, k=len(ways)):
            if (found := way(claim, rng)) and found != claim:
                return found
        return None

    def beside(
        self, claim: str, evidence: str, own: Sequence[str], rng: random.Random
    ) -> str | None:
        """What the evidence does not settle."""
        for way in rng.sample(range(4), k=4):
            if way == 0:
                found = stretched(claim, rng)
            elif way == 1:
                found = other_thing(claim, evidence, own, rng)
            else:
                found = self._lexicon.replaced(claim, "sibling", rng)
                if found and set(found.lower().split()) <= set(evidence.lower().split()):
                    found = None
            if found and found != claim:
                return found
        return None

    def _otherwise(self, text: str, rng: random.Random) -> str | None:
        return self._lexicon.replaced(text, "contrary", rng)


def _swapped(text: str, _: random.Random) -> str | None:
    """The two sides of a comparison."""
    match = _SIDES.search(text)
    if not match or match[2].lower() == match[4].lower():
        return None
    said = f"{match[1]} {match[4]} {match[3]} {match[2]}"
    return text[: match.start()] + said + text[match.end() :]


def _reordered(text: str) -> str:
    stop = "." if text.endswith(".") else ""
    bare = text.removesuffix(".")
    if match := _FRONT.match(bare):
        return _upper(match[2]) + " " + _lower(match[1]) + stop
    if match := _BACK.match(bare):
        return _upper(match[2]) + ", " + _lower(match[1]) + stop
    return text


def _numbers(text: str, rng: random.Random) -> str:
    if rng.random() < 0.5:
        text = _SHARE.sub(lambda m: _SHARES[m[1]], text)
    return _SMALL.sub(lambda m: _ONES[int(m[1])] if int(m[1]) < 13 else m[0], text)


def _exchanged(text: str, rng: random.Random) -> str:
    for one, other in rng.sample(_WORDS, k=len(_WORDS)):
        if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text):
            return re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", other, text, count=1)
    return text


def _abbreviated(text: str, own: Sequence[str]) -> str:
    for sentence in own:
        for match in _ABBREVIATION.finditer(sentence):
            short, words = match[2], match[1].split()
            size = sum(map(str.isupper, short))
            full = " ".join(words[-min(size, len(words)) :])
            if full[:1].lower() != short[:1].lower() or len(full) < 6:
                continue
            if full in text:
                return text.replace(full, short)
            if re.search(rf"\b{re.escape(short)}\b", text):
                return re.sub(rf"\b{re.escape(short)}\b", full.replace("\\", ""), text)
    return text


def _led(text: str, rng: random.Random) -> str:
    return rng.choice(_LEADS).format(_lower(text))


_PERCENT = re.compile(r"(?<=\d)( ?%| percent\b| per cent\b)")


def percents(text: str, rng: random.Random) -> str:
    """Written one way or another, so that the way tells nothing."""
    if rng.random() < 0.5 or not _PERCENT.search(text):
        return text
    return _PERCENT.sub(rng.choice(("%", " %", " percent", " per cent")), text)


def _lower(text: str) -> str:
    """Without the capital of a sentence's first word."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
