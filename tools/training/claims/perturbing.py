"""Statements that say otherwise, made by rules: a direction reversed, denied, another number.

``random.Random`` decides which of the possible changes is made, so that a seed repeats them.
"""

import random
import re
from collections.abc import Callable, Iterator

# Regular verbs, each with what says the contrary; all forms are made by ``_forms``.
_VERBS = """
increase decrease; raise reduce; promote inhibit; enhance impair; activate suppress; induce
prevent; stimulate block; facilitate hinder; accelerate delay; improve worsen; elevate reduce;
upregulate downregulate; strengthen weaken; cause prevent; support oppose; augment diminish;
trigger abolish; amplify attenuate; enable preclude; expand restrict;
stabilize destabilize; exacerbate ameliorate; recruit repel; preserve disrupt; retain remove
"""
_PAIRS = """
higher lower; more less; more fewer; greater smaller; larger smaller; longer shorter; better
worse; positive negative; positively negatively; positively inversely; early late; earlier later;
effective ineffective; sensitive resistant; sensitivity resistance; presence absence; before
after; common rare; necessary dispensable; required dispensable; essential dispensable; crucial
irrelevant; critical irrelevant; sufficient insufficient; dependent independent; dependently
independently; gain loss; beneficial harmful; safe unsafe; stronger weaker; strong weak; high low;
rapid slow; rapidly slowly; activator inhibitor; activators inhibitors; upregulation
downregulation; up-regulation down-regulation; activation inhibition; induction suppression;
increased reduced; elevated reduced; high-risk low-risk; faster slower; maximal minimal; above
below; susceptible resistant; susceptibility resistance; similar different; same different; direct
indirect; directly indirectly; always never; most few; many few; all no; some no; agonist
antagonist; pro-inflammatory anti-inflammatory; hyper- hypo-; older younger; old young; male
female; males females; men women; with without; gains loses; first last; wins loses; won lost;
born died; American British; north south; east west; only not; fast slow; large small; hot cold
"""
_PHRASES = (
    ("associated with", "unrelated to"),
    ("correlated with", "independent of"),
    ("plays a role in", "plays no role in"),
    ("play a role in", "play no role in"),
    ("plays an important role in", "plays no role in"),
    ("risk factor for", "protective factor against"),
    ("protects against", "predisposes to"),
    ("leads to", "prevents"),
    ("contributes to", "does not affect"),
    ("results in", "does not result in"),
    ("is due to", "is not due to"),
    ("depends on", "does not depend on"),
)
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|may|might|will|would|has|have|had|does|do|did|should)\b"
    r"(?! not\b)(?! been not)"
)
_DENIAL = re.compile(
    r"\b(?:(is|are|was|were|can|could|may|will|has|have|had|does|do|did) not|no)\b "
)
_NUMBER = re.compile(r"(?<![\w.,/-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w,/]|\.\d|-\w)")
_PLAIN = frozenset(
    "shows show regulates mediates affects binds controls requires modulates drives targets "
    "influences interacts encodes contains acts forms occurs plays predicts correlates involves "
    "provides produces maintains represents determines exhibits expresses leads contributes "
    "results depends phosphorylates regulates confers alters allows".split()
)


def _forms(verb: str) -> Iterator[str]:
    bare = verb.removesuffix("e")
    yield from (verb, f"{verb}s", f"{bare}ed", f"{bare}ing")


def _contraries() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}

    def add(one: str, other: str) -> None:
        found.setdefault(one.lower(), []).append(other)
        found.setdefault(other.lower(), []).append(one)

    for pair in _VERBS.replace("\n", " ").split(";"):
        one, other = pair.split()
        for mine, theirs in zip(_forms(one), _forms(other), strict=True):
            add(mine, theirs)
    for pair in _PAIRS.replace("\n", " ").split(";"):
        add(*pair.split())
    # What is common on one side only: "with" for "without" is fair, most "few" are not.
    for word in ("no", "few", "not", "never", "last", "lost", "died"):
        found.pop(word, None)
    return found


_CONTRARY = _contraries()
_DIRECTION = re.compile(
    rf"\b({'|'.join(sorted(map(re.escape, _CONTRARY), key=len, reverse=True))})\b", re.IGNORECASE
)
_THIRD = {f"{verb}s": verb for pair in _VERBS.split(";") for verb in pair.split()} | {
    word: word.removesuffix("s") for word in _PLAIN if word.endswith("s")
}
_VERB = re.compile(rf"\b({'|'.join(sorted(_THIRD, key=len, reverse=True))})\b")


def reversed_direction(text: str, rng: random.Random) -> str | None:
    """One word or phrase of direction, replaced by its contrary."""
    places: list[tuple[int, int, str]] = []
    for one, other in _PHRASES:
        for mine, theirs in ((one, other), (other, one)):
            if (start := text.find(mine)) >= 0:
                places.append((start, start + len(mine), theirs))
    for match in _DIRECTION.finditer(text):
        other = rng.choice(_CONTRARY[match[0].lower()])
        places.append((*match.span(), other.capitalize() if match[0][0].isupper() else other))
    if not places:
        return None
    start, end, other = rng.choice(places)
    return text[:start] + other + text[end:]


def denied(text: str, rng: random.Random) -> str | None:
    """A "not" more, or one less."""
    if match := _DENIAL.search(text):
        return text[: match.start()] + (f"{match[1]} " if match[1] else "") + text[match.end() :]
    verbs = list(_VERB.finditer(text))
    helpers = list(_AUXILIARY.finditer(text))
    if not verbs and not helpers:
        return None
    match = rng.choice((verbs or helpers)[:1] + helpers[:1])
    if match in verbs:
        return f"{text[: match.start()]}does not {_THIRD[match[0]]}{text[match.end() :]}"
    return f"{text[: match.end()]} not{text[match.end() :]}"


def other_number(text: str, rng: random.Random) -> str | None:
    """One number by another that is at least a third off."""
    places = [m for m in _NUMBER.finditer(text) if float(m[0].replace(",", "")) != 0]
    if not places:
        return None
    match = rng.choice(places)
    value = float(match[0].replace(",", "")) * rng.choice((0.2, 0.4, 0.6, 1.5, 2.0, 3.0))
    decimals = len(match[0].partition(".")[2])
    shown = f"{value:,.{decimals}f}" if "," in match[0] else f"{value:.{decimals}f}"
    if shown == match[0]:
        return None
    return text[: match.start()] + shown + text[match.end() :]


def contradicted(text: str, rng: random.Random) -> str | None:
    """What cannot be true if ``text`` is; None where no rule applies."""
    ways: list[Callable[[str, random.Random], str | None]] = [reversed_direction] * 3
    ways += [denied] * 2 + [other_number] * 2
    rng.shuffle(ways)
    for way in ways:
        if (changed := way(text, rng)) and changed != text:
            return changed
    return None


_LEAD = re.compile(
    r"^(?-i:[A-Z]{4,}(?:(?: AND |/)[A-Z]+)*:? )|^(?:here,? |thus,? |therefore,? |moreover,? |"
    r"furthermore,? |however,? |in conclusion,? |in addition,? |finally,? |together,? |overall,? |"
    r"in summary,? )|"
    r"^(?:(?:we|these|this|our|the)(?: \w+){0,3} (?:show(?:s|ed)?|f(?:ind|ound)|"
    r"report(?:ed)?|suggests?|demonstrate(?:s|d)?|indicate(?:s|d)?|reveal(?:s|ed)?|conclude|propose|"
    r"provide evidence) that )",
    re.IGNORECASE,
)
_ASIDE = re.compile(r" ?[(\[][^()\[\]]*[)\]]|, (?:however|respectively|therefore|moreover)(?=[,.])")
_TAIL = re.compile(
    r"(?:, (?:which|where|whereas|while|and|but|suggesting|indicating|with|as)\b|; )"
)
_SYNONYMS = {
    "increased": "higher", "decreased": "lower", "reduced": "decreased", "elevated": "increased",
    "patients": "people", "individuals": "people", "subjects": "participants", "required":
    "necessary", "essential": "crucial", "promotes": "induces", "inhibits": "suppresses",
    "enhances": "increases", "reduces": "lowers", "impairs": "disrupts", "demonstrated": "showed",
    "significantly": "markedly", "mortality": "death rates", "children": "kids", "associated with":
    "linked to", "leads to": "causes", "results in": "leads to", "due to": "because of",
    "prior to": "before", "following": "after", "approximately": "about", "cancer": "tumours",
    "improves": "enhances", "improved": "better", "regulates": "controls", "important": "key",
    "mediated by": "through", "shown": "found", "use of": "using", "therapy": "treatment",
}  # fmt: skip
_SYNONYM = re.compile(rf"\b({'|'.join(sorted(_SYNONYMS, key=len, reverse=True))})\b")


def shortened(text: str, rng: random.Random) -> str:
    """What a sentence says, in fewer and partly other words."""
    for _ in range(3):
        text = _LEAD.sub("", text).strip()
    text = _ASIDE.sub("", text)
    tails = [m.start() for m in _TAIL.finditer(text) if m.start() > 0.45 * len(text)]
    if tails and rng.random() < 0.8:
        text = text[: rng.choice(tails)]
    if rng.random() < 0.7:
        text = _SYNONYM.sub(lambda m: _SYNONYMS[m[0]] if rng.random() < 0.6 else m[0], text)
    text = text.strip(" ,;.")
    return text[:1].upper() + text[1:] + "."


def reworded(text: str, rng: random.Random) -> str:
    """What a sentence says, in full and partly other words."""
    for _ in range(3):
        text = _LEAD.sub("", text).strip()
    text = _SYNONYM.sub(lambda m: _SYNONYMS[m[0]] if rng.random() < 0.7 else m[0], text)
    halves = re.match(
        r"^((?:In|After|During|Among|Compared with|By|With)\b[^,]{8,90}), (.{20,})$", text
    )
    if halves and rng.random() < 0.6:
        text = f"{halves[2].rstrip('.')} {halves[1][0].lower()}{halves[1][1:]}."
    return text[:1].upper() + text[1:]


def states(text: str) -> bool:
    """Whether it has a verb that states something."""
    return bool(_VERB.search(text) or _AUXILIARY.search(text) or _DENIAL.search(text))
