"""Sentences changed by rules, seeded: what they say (a number, a negation, a direction) or
only how they say it (synonyms, voice, order). Rules and words are the benchmark's own, not
those that *verify* compares with.
"""

import random
import re
from collections.abc import Callable, Iterator

Rule = Callable[[str, random.Random], str | None]

_NUMERALS = "two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = re.compile(
    r"(?P<before>^|[\s($€£~≈<>=–—-])(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
    r"(?=[%\s]|[,;:.](?:\s|$)|[-–](?:[a-z]|\d))"
    rf"|\b(?P<word>{'|'.join(_NUMERALS)})\b(?!-)",
    re.IGNORECASE,
)
# Before what is a name or the number of something, and after the year of a reference.
_NAMED = re.compile(
    r"(?:\b(?:fig|figure|figures|table|tables|section|sections|chapter|chapters|equation|eq|day|days"
    r"|week|module|modules|part|step|version|v|python|gpt|covid|level|type|unit|lesson|tutorial"
    r"|lab|exercise|appendix|no|number|jupyterhub|al\.,?|&|and)\.?\s?\(?)\Z"
    r"|[A-Za-z]-\Z|\([^()]*[a-z][^()]*,\s\Z",
    re.IGNORECASE,
)

# Of our own, after no list of the product's: what the one says, the other denies.
_OPPOSITES = """
increase/decrease increases/decreases increased/decreased increasing/decreasing raise/lower
improve/worsen improves/worsens improved/worsened improving/worsening reduce/increase
reduces/increases reduced/increased reducing/increasing more/less most/least higher/lower high/low
larger/smaller large/small largest/smallest greater/smaller many/few always/never often/rarely
before/after first/last beginning/end early/late earlier/later start/finish easy/difficult
easier/harder easily/hardly simple/complex simplest/"most complex" simpler/"more complex"
faster/slower fast/slow quickly/slowly longer/shorter long/short better/worse best/worst
positive/negative allow/prevent allows/prevents enable/prevent enables/prevents enabled/prevented
encourage/discourage encourages/discourages encouraged/discouraged support/oppose
promote/hinder promotes/hinders include/exclude includes/excludes included/excluded
necessary/unnecessary required/optional effective/ineffective useful/useless possible/impossible
strong/weak common/rare similar/different same/different above/below maximum/minimum
advantage/disadvantage advantages/disadvantages accept/reject older/newer old/new success/failure
help/hinder helps/hinders helped/hindered facilitate/hinder facilitates/hinders
""".split()

_AUXILIARY = re.compile(
    r"\b(?P<verb>is|are|was|were|can|could|will|would|should|must|may|might|has|have|had)\b"
    r"(?!\s+(?:not|no|never|n't|also\s+not|to\b))(?=\s+[a-z])"
)
_VERBS = """
provide offer allow enable use include require support help cover consist contain give make take
present show explain introduce build rely focus aim describe run need produce teach learn work
begin start serve address combine create follow become remain lead
""".split()
_VERB = re.compile(
    r"\b(?P<subject>[a-z]\w+|It|They|We|This|These)\s"
    rf"(?P<verb>{'|'.join(_VERBS)})(?P<s>s?)\b"
)
_NOT = re.compile(
    r"\b(?P<verb>is|are|was|were|can|could|will|would|should|must|may|might|do|does|did)\s+not\s"
    r"|\bcannot\b"
)

_SYNONYMS = """
uses=utilises using=utilising provide=offer provides=offers
provided=offered providing=offering helps=assists show=demonstrate shows=demonstrates
showed=demonstrated students=learners student=learner however=nevertheless because=since
many=numerous "such as"=like several="a number of"
requires=necessitates main=principal begin=start begins=starts whole=entire
construct=build goal=aim goals=aims approach=method
methods=approaches additionally=furthermore thus=therefore
"in order to"=to create=make creates=makes created=made
quickly=rapidly large=big
instructors=teachers instructor=teacher primary=main fundamental=basic
typically=usually developed=devised includes=comprises
""".strip()
_PAIR = re.compile(r'(?P<left>"[^"]+"|[\w-]+)[=/](?P<right>"[^"]+"|[\w-]+)')
_WE = re.compile(
    r"^We (?P<verb>developed|designed|created|used|implemented|proposed|introduced|collected"
    r"|measured|organized|tested|evaluated|recommended|observed|adopted) (?P<object>[^,;:()]+)\.$"
)
_BY = re.compile(
    r"^(?P<object>[^,;:()]{3,80}?) (?:was|were) (?P<verb>\w+ed) by (?P<subject>[^,;:()]{3,60})\.$"
)
_LEADING = re.compile(
    r"^(?P<lead>(?:In|At|For|During|With|Within|By|Through|After|Over|On|Because|Since|While|Although"
    r"|If|When|To) [^,;:()]{12,80}), (?P<main>(?!and|or|as|such|which|but|for)[^;:,]+)\.$"
)
_TRAILING = re.compile(
    r"^(?P<main>[^;:()]{20,}?),? (?P<lead>(?:because|although|when|while|since|in order to)"
    r" [^;:()]{10,120})\.$"
)
_TWO = re.compile(
    r"(?P<before>\b(?:of|for|between|from|by|both|about|the) )"
    r"(?P<one>[a-z]{4,}s) and (?P<two>[a-z]{4,}s)(?=[.,;])"
)
_SMALL = frozenset(
    "In At For During With Within By Through After Over On Because Since While Although If When To "
    "The This These They We It A An Our There Students Each Many Some".split()
)


def number(sentence: str, chance: random.Random) -> str | None:
    """One of its numbers is another one; names (Figure 2, Python 3) and years of references
    are left alone."""
    found = [
        one
        for one in _NUMBER.finditer(sentence)
        if not _NAMED.search(
            sentence[
                max(0, one.start() - 60) : one.start("word") if one["word"] else one.start("number")
            ]
        )
    ]
    if not found:
        return None
    one = chance.choice(found)
    name = "word" if one["word"] else "number"
    return sentence[: one.start(name)] + _other(one[name], chance) + sentence[one.end(name) :]


def _other(written: str, chance: random.Random) -> str:
    if written[0].isalpha():
        others = [word for word in _NUMERALS if word != written.lower()]
        other = chance.choice(others)
        return other.capitalize() if written[0].isupper() else other
    value = float(written.replace(",", ""))
    if len(written) == 4 and written.isdigit() and 1900 <= value <= 2100:
        return str(int(value) + chance.choice((-5, -4, -3, -2, 2, 3, 4, 5)))
    places = len(written.partition(".")[2])
    step = max(10**-places, abs(value) * chance.choice((0.2, 0.3, 0.5, 0.8)))
    other = value + step if chance.random() < 0.6 or value - step <= 0 else value - step
    if round(other, places) == value:
        other = value + 10**-places
    return f"{other:,.{places}f}" if "," in written else f"{other:.{places}f}"


def negation(sentence: str, chance: random.Random) -> str | None:
    """A *not* that stands there is taken away, or one is put in."""
    denied = list(_NOT.finditer(sentence))
    if denied:
        one = chance.choice(denied)
        kept = (one["verb"] + " ") if one["verb"] else "can"
        return sentence[: one.start()] + kept + sentence[one.end() :]
    if auxiliary := _AUXILIARY.search(sentence):
        return f"{sentence[: auxiliary.end()]} not{sentence[auxiliary.end() :]}"
    if verb := _VERB.search(sentence):
        does = "does" if verb["s"] else "do"
        told = f"{verb['subject']} {does} not {verb['verb']}"
        return sentence[: verb.start()] + told + sentence[verb.end() :]
    return None


def direction(sentence: str, chance: random.Random) -> str | None:
    """A word that says which way becomes the one that says the other."""
    found = []
    for left, right in _pairs(" ".join(_OPPOSITES)):
        for word, other in ((left, right), (right, left)):
            found += [(m, other) for m in re.finditer(rf"(?<!-)\b{word}\b(?!-)", sentence)]
    if not found:
        return None
    match, other = chance.choice(found)
    return sentence[: match.start()] + other + sentence[match.end() :]


def paraphrase(sentence: str, chance: random.Random) -> str | None:
    """Other words or another order for the same: up to two synonyms, and voice or order
    where a rule fits."""
    told = sentence
    shapes = [_active, _passive, _trailing, _leading, _listed]
    chance.shuffle(shapes)
    for shape in shapes:
        if other := shape(told):
            told = other
            break
    pairs = [p for p in _pairs(_SYNONYMS) if re.search(rf"(?<!-)\b{p[0]}\b(?!-)", told)]
    for left, right in chance.sample(pairs, min(2, len(pairs))):
        told = re.sub(rf"(?<!-)\b{left}\b(?!-)", right, told, count=1)
    return told if told != sentence else None


def reworded(rule: Rule) -> Rule:
    """The change in a paraphrase."""

    def told(sentence: str, chance: random.Random) -> str | None:
        other = paraphrase(sentence, chance)
        return rule(other, chance) if other else None

    return told


def _pairs(written: str) -> Iterator[tuple[str, str]]:
    for one in _PAIR.finditer(written):
        yield one["left"].strip('"'), one["right"].strip('"')


def _active(sentence: str) -> str | None:
    if found := _BY.match(sentence):
        return f"{_upper(found['subject'])} {found['verb']} {_lower(found['object'])}."
    return None


def _passive(sentence: str) -> str | None:
    if found := _WE.match(sentence):
        many = re.match(r"(?:\w+ ){0,2}?\w+s\b", found["object"]) is not None
        was = "were" if many else "was"
        return f"{_upper(found['object'])} {was} {found['verb']} by the authors."
    return None


def _leading(sentence: str) -> str | None:
    if found := _LEADING.match(sentence):
        return f"{_upper(found['main'])} {_lower(found['lead'])}."
    return None


def _trailing(sentence: str) -> str | None:
    if found := _TRAILING.match(sentence):
        return f"{_upper(found['lead'])}, {_lower(found['main'])}."
    return None


def _listed(sentence: str) -> str | None:
    """*a and b* is *b and a*."""
    if found := _TWO.search(sentence):
        turned = f"{found['before']}{found['two']} and {found['one']}"
        return sentence[: found.start()] + turned + sentence[found.end() :]
    return None


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    first = text.split(" ", 1)[0]
    return first.lower() + text[len(first) :] if first in _SMALL else text


CHANGES: dict[str, Rule] = {
    "number": number,
    "negation": negation,
    "direction": direction,
    "number, reworded": reworded(number),
    "negation, reworded": reworded(negation),
    "direction, reworded": reworded(direction),
}
SAME: dict[str, Rule] = {"unchanged": lambda sentence, _: sentence, "paraphrase": paraphrase}
