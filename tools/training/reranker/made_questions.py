"""Questions that a sentence answers, made by rules: their words are the sentence's own.

They teach what kind of sentence answers what kind of question; how people put it is taught by
the written ones.
"""

import random
import re
from collections.abc import Iterator

OPENING = re.compile(
    r"^(?:(?:here|in (?:conclusion|summary|contrast|addition|this (?:study|paper|article))|"
    r"thus|therefore|"
    r"moreover|furthermore|finally|however|additionally|importantly|notably|conclusions?|results?|"
    r"interpretation|methods and findings|findings?|objective|background)\b[ ,:.]*|"
    r"(?:we|these (?:results|findings|data|studies|observations)|"
    r"our (?:results|data|findings|study|observations)|this study|the (?:results|data|"
    r"findings)|it) "
    r"(?:also |further |here |now |strongly |therefore |thus )*"
    r"(?:found|find|show(?:s|ed|n)?|demonstrate[sd]?|suggest(?:s|ed)?|report(?:s|ed)?|"
    r"indicate[sd]?|conclude[sd]?|identif(?:y|ied)|reveal(?:s|ed)?|observed?|provide evidence|"
    r"propose|establish|confirm(?:s|ed)?|support)(?: here)?(?: that)?\s*)+",
    re.IGNORECASE,
)
BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
STOP = frozenset(
    "a an the of in on at to for and or by with from as that this these those is are was were "
    "be been being "
    "it its we our they their he she his her not no than then so such which who whom whose "
    "what when where "
    "how why have has had do does did can could may might will would shall should also both "
    "either each all "
    "any some more most less very but if while into over under between among during after "
    "before about".split()
)
NUMBER = re.compile(
    r"(?P<about>(?:a total of|about|approximately|more than|over|nearly|only|at least|up to|"
    r"some) )?"
    r"(?<![\w.\-/=<>±])(?P<number>\d[\d,.]*\d|\d|two|three|four|five|six|seven|eight|nine|ten|"
    r"twelve|twenty)"
    r"(?P<unit>\s?%| percent| per cent)?(?P<noun>(?: (?:of (?:the )?)?[a-z][a-z\-]+){1,3})"
)
IS_A = re.compile(
    r"^(?:The |An? )?(?P<what>[\w\-()'/ ]{2,50}?) (?:is|are|was|were) (?:an?|the|defined|one "
    r"of|called) (?=\w)"
)
SHORT = re.compile(r"(?P<long>(?:[A-Za-z][\w\-]+ ){1,6})\((?P<short>[A-Z][A-Za-z0-9\-]{1,7})s?\)")
VERBS = {
    "increas": "increase",
    "decreas": "decrease",
    "reduc": "reduce",
    "induc": "induce",
    "inhibit": "inhibit",
    "promot": "promote",
    "requir": "require",
    "regulat": "regulate",
    "activat": "activate",
    "improv": "improve",
    "caus": "cause",
    "prevent": "prevent",
    "affect": "affect",
    "enhanc": "enhance",
    "protect": "protect",
    "suppress": "suppress",
    "support": "support",
    "use": "use",
    "allow": "allow",
    "provid": "provide",
    "enabl": "enable",
    "help": "help",
    "lead": "lead to",
    "contribut": "contribute to",
    "predict": "predict",
    "outperform": "outperform",
    "control": "control",
    "contain": "contain",
    "bind": "bind",
    "mediat": "mediate",
}
ACTS = re.compile(
    r"^(?P<who>.{6,90}?) (?:(?:was|were|is|are) (?:significantly )?(?P<linked>associated|"
    r"correlated|linked|related) (?:with|to)|"
    r"(?:significantly |strongly |directly |also |can |may |could |specifically |markedly )*"
    r"(?P<verb>(?:" + "|".join(VERBS) + r")(?:s|es|e|ed|d|t)?)(?: to)?) (?P<what>.{6,110})$"
)
BECAUSE = re.compile(
    r"^(?P<what>.{15,140}?),? (?:because(?: of)?|due to|owing to|since|as a result of|in order "
    r"to|so that) .{10,}$"
)
PASSIVE = re.compile(
    r"(?P<what>[A-Za-z][\w\-, ]{8,80}?) (?P<be>was|were|is|are) (?P<did>measured|assessed|"
    r"determined|evaluated|"
    r"performed|analy[sz]ed|examined|tested|identified|estimated|calculated|obtained|compared|"
    r"computed|"
    r"collected|recruited|defined|trained|taught|implemented|generated|detected|quantified)\b"
)


def plain(sentence: str) -> str:
    return BRACKETS.sub("", OPENING.sub("", sentence).strip()).strip().rstrip(".;:")


def without(text: str, share: float, rng: random.Random) -> str:
    kept = [word for word in text.split() if rng.random() >= share]
    return " ".join(kept) if len(kept) > 2 else text


def lowered(text: str) -> str:
    first, _, rest = text.partition(" ")
    return (first if first[1:] != first[1:].lower() else first.lower()) + (
        " " + rest if rest else ""
    )


def clipped(text: str, most: int, rng: random.Random) -> str:
    words = text.split()
    if len(words) <= most:
        return text
    clauses = [
        c
        for c in re.split(r"[,;:] |\b(?:which|whereas|while|but|although|because|and that)\b", text)
        if 5 <= len(c.split()) <= most
    ]
    if clauses:
        return rng.choice(clauses).strip()
    start = rng.randrange(len(words) - most + 1)
    return " ".join(words[start : start + most])


def keywords(text: str, rng: random.Random, low: int = 3, high: int = 7) -> str | None:
    words = [w.strip(",.;:()\"'") for w in text.split()]
    content = [w for w in words if w and w.lower() not in STOP and len(w) > 2]
    if len(content) < low:
        return None
    count = min(len(content), rng.randint(low, high))
    kept = sorted(rng.sample(range(len(content)), count))
    return " ".join(content[n] for n in kept).lower()


def made(sentence: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kinds and questions. Kinds: number, definition, finding, reason, method, claim, words."""
    text = plain(sentence)
    size = len(text.split())
    if not 5 <= size <= 60:
        return
    if found := NUMBER.search(text):
        noun = re.sub(r"^ (?:of (?:the )?)?", "", found["noun"])
        around = keywords(text[: found.start()] + " " + text[found.end() :], rng, 2, 6)
        if around and noun.split()[0] not in STOP:
            after = clipped(text[found.end() :].strip(), 9, rng)
            before = clipped(text[: found.start()].strip(), 9, rng)
            if found["unit"]:
                forms = [
                    f"what percentage of {noun} {around}",
                    f"what share of {noun} {after}",
                    f"percentage {noun} {around}",
                    f"how many of the {noun} {after}",
                    f"What proportion of {noun} {around}?",
                ]
            else:
                forms = [
                    f"how many {noun} {after}",
                    f"How many {noun} {around}?",
                    f"number of {noun} {around}",
                    f"{lowered(before)} how many {noun}",
                    f"how much {noun} {around}",
                    f"how large {noun} {around}",
                ]
            yield "number", rng.choice(forms)
    if found := IS_A.match(text):
        what = lowered(found["what"].strip())
        if 1 <= len(what.split()) <= 5 and what.split()[0] not in STOP:
            yield (
                "definition",
                rng.choice(
                    [
                        f"what is {what}",
                        f"What is meant by {what}?",
                        f"definition of {what}",
                        f"{what} definition",
                        f"what are {what}?",
                        what,
                        f"explain {what}",
                    ]
                ),
            )
    if (found := SHORT.search(sentence)) and rng.random() < 0.3:
        yield (
            "definition",
            rng.choice(
                [
                    f"what does {found['short']} stand for",
                    f"what is {found['short']}?",
                    f"meaning of {found['short']}",
                ]
            ),
        )
    short = clipped(text, 24, rng)
    if found := ACTS.match(short if rng.random() < 0.5 else text):
        who, what = lowered(found["who"]), clipped(found["what"], 9, rng)
        who = clipped(who, 9, rng)
        verb = next(
            (v for k, v in VERBS.items() if found["verb"] and found["verb"].startswith(k)), "affect"
        )
        if found["linked"]:
            forms = [
                f"is {who} associated with {what}?",
                f"what is linked to {what}",
                f"is there a relation between {who} and {what}",
                f"association of {who} and {what}",
                f"does {who} go together with {what}?",
            ]
        else:
            forms = [
                f"does {who} {verb} {what}?",
                f"what does {who} {verb}",
                f"What {verb}s {what}?",
                f"effect of {who} on {what}",
                f"how does {who} affect {what}",
                f"do {who} {verb} {what}",
                f"what happens to {what} with {who}",
                f"can {who} {verb} {what}?",
            ]
        yield "finding", rng.choice(forms)
    if found := BECAUSE.match(text):
        what = clipped(lowered(found["what"]), 14, rng)
        yield (
            "reason",
            rng.choice(
                [
                    f"why {what}",
                    f"Why is it that {what}?",
                    f"what is the reason that {what}",
                    f"what explains that {what}?",
                ]
            ),
        )
    if found := PASSIVE.search(text):
        what = lowered(clipped(found["what"], 10, rng))
        yield (
            "method",
            rng.choice(
                [
                    f"how {found['be']} {what} {found['did']}?",
                    f"how did they get {what}",
                    f"{what}: how {found['did']}",
                    f"what was used to have {what} {found['did']}",
                    f"which method {found['did']} {what}",
                ]
            ),
        )
    claim = clipped(text, 15, rng)
    if len(claim.split()) >= 5:
        yield "claim", without(claim, 0.2 if rng.random() < 0.6 else 0.0, rng)
    if words := keywords(text, rng):
        yield "words", words


TRIALS = (
    "does {i} {verb} {o} compared with {c}?",
    "effect of {i} on {o}",
    "is {i} better than {c} for {o}?",
    "how does {i} affect {o}",
    "{i} versus {c}: {o}",
    "Does {i} change {o}?",
    "what happened to {o} with {i}",
    "did {i} and {c} differ in {o}?",
    "which had more effect on {o}, {i} or {c}",
    "{o} after {i}",
)
CHANGES = {"increased": "increase", "decreased": "reduce", "no difference": "affect"}


def of_trial(row: dict, rng: random.Random) -> str:
    verb = (
        rng.choice(["affect", "increase", "reduce", "improve"])
        if rng.random() < 0.5
        else CHANGES.get(row["label"], "affect")
    )
    i, c, o = (
        lowered(row[k].strip().rstrip(".")) for k in ("intervention", "comparator", "outcome")
    )
    return rng.choice(TRIALS).format(i=i, c=c, o=o, verb=verb)


def asked_claim(claim: str, rng: random.Random) -> str:
    """A claim of FEVER as a question, where it begins with a name and ``is`` and the like."""
    text = claim.rstrip(".")
    if found := re.match(
        r"^(?P<who>[^,]{2,60}?) (?P<be>is|was|are|were|has|did|can|had) (?P<what>.+)$", text
    ):
        who, be, what = found["who"], found["be"], found["what"]
        return rng.choice(
            [
                f"{be} {who} {what}?",
                f"{be.capitalize()} {who} {what}?",
                f"what {be} {who}",
                f"is it true that {text}",
                text,
            ]
        )
    return text
