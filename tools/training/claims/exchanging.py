"""Pairs of sentences whose parts keep or change their places, for the roles that the judge reads.

cat ABSTRACTS | python exchanging.py EN_CORE_WEB_MD OUT NUMBER OF

``ABSTRACTS`` has a list of sentences a line; part ``NUMBER`` of ``OF`` is read. ``OUT`` gets
lines ``[kind, evidence, claim, label]``: active and passive voice, clefts, clauses, phrases and
coordinations in another order, true (1) and with two parts exchanged (2). The evidence is
exchanged as often as the claim, so that what is unlikely tells nothing of the label. Words are
inflected by lemminflect.
"""

import json
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import spacy
from lemminflect import getInflection

Token, Sentence = Any, Any
SUPPORT, CONTRADICT = 1, 2
PRONOUNS: Final = frozenset(
    "it this that these those which who we they he she i you there what its one them us both some "
    "each others most all".split()
)
# Of these both sides are much the same, or the object cannot become a subject.
SYMMETRIC: Final = frozenset(
    "equal match resemble meet marry correlate accompany differ interact include have be become "
    "remain contain comprise involve lack cost weigh suggest show indicate demonstrate reveal "
    "conclude find report propose argue say think believe mean need want get let make help take "
    "give follow".split()
)
MODALS: Final = frozenset("can may could might should must will would".split())
ORDERED: Final = frozenset("because after before since if unless until".split())
MARKS: Final = ORDERED | {"although", "while", "whereas", "when", "though"}
NOUNS: Final = ("NOUN", "PROPN")
LONGEST, LONGEST_EXCHANGED, LONGEST_INNER = 14, 8, 6


class Event(NamedTuple):
    """``agent`` does it to ``other``: a clause that can be said in several forms. ``front`` is the
    phrase at its end if it can as well open it."""

    kind: str
    agent: str
    other: str
    is_plural: tuple[bool, bool]
    lemma: str
    tag: str
    auxiliary: str
    adverb: str
    before: str
    after: str
    front: str | None = None

    def turned(self) -> "Event":
        return self._replace(
            agent=self.other, other=self.agent, is_plural=(self.is_plural[1], self.is_plural[0])
        )

    def core(self, form: str) -> str | None:
        agent, other = self.agent, self.other
        past = "was" if self.tag == "VBD" else "is"
        passive = f"{self._be()} {self.adverb}{_form(self.lemma, 'VBN')} by {agent}"
        if form in ("passive", "passive cleft"):
            opening = f"it {past} {other} that" if "cleft" in form else other
            return f"{opening} {passive}"
        if not (verb := self._active()):
            return None
        if form == "cleft":
            return f"it {past} {agent} that {verb} {other}"
        if self.auxiliary and self.adverb:
            verb = verb.replace(" ", f" {self.adverb}", 1)
        elif self.adverb:
            verb = self.adverb + verb
        return f"{agent} {verb} {other}"

    def text(self, form: str, after: str, is_fronted: bool) -> str | None:
        if not (core := self.core(form)):
            return None
        if self.front and is_fronted:
            return _tidy(f"{self.front}, {core}")
        end = f" {after}" if after and after[0] not in ",;" else after
        return _tidy(f"{self.before} {core}{end}" if self.before else core + end)

    def _be(self) -> str:
        is_plural = self.is_plural[1]
        if self.auxiliary == "have":
            return "have been" if is_plural else "has been"
        if self.auxiliary == "had":
            return "had been"
        if self.auxiliary:
            return f"{self.auxiliary} be"
        if self.tag == "VBD":
            return "were" if is_plural else "was"
        return "are" if is_plural else "is"

    def _active(self) -> str | None:
        is_plural = self.is_plural[0]
        if self.auxiliary in ("have", "had"):
            participle = _form(self.lemma, "VBN")
            having = self.auxiliary if self.auxiliary == "had" or is_plural else "has"
            return participle and f"{having} {participle}"
        if self.auxiliary:
            return f"{self.auxiliary} {self.lemma}"
        if self.tag == "VBD":
            return _form(self.lemma, "VBD")
        return _form(self.lemma, "VBP" if is_plural else "VBZ")


def _form(lemma: str, tag: str) -> str | None:
    found = getInflection(lemma, tag)
    return found[0] if found else None


def _low(token: Token) -> str:
    """Without the capital that only the place in its sentence gives it."""
    text: str = token.text
    is_name = token.pos_ == "PROPN" or any(map(str.isupper, text[1:])) or text == "I"
    return text if is_name else text.lower()


def _said(tokens: Sequence[Token]) -> str:
    if not tokens:
        return ""
    rest = "".join(one.text_with_ws for one in tokens[1:])
    return (_low(tokens[0]) + tokens[0].whitespace_ + rest).strip()


def _tidy(text: str) -> str:
    plain = " ".join(text.split()).replace(" ,", ",").replace(" .", ".").replace(",,", ",").strip()
    plain = plain if plain.endswith(".") else plain.rstrip(",;: ") + "."
    return plain[:1].upper() + plain[1:]


def phrase(noun: Token, longest: int = LONGEST) -> list[Token]:
    """The tokens of a noun phrase that can stand elsewhere, or none."""
    if noun.pos_ not in NOUNS or noun.text.lower() in PRONOUNS:
        return []
    if any(child.dep_ in ("relcl", "acl", "appos") for child in noun.children):
        return []
    tokens = sorted(noun.subtree, key=lambda one: one.i)
    is_whole = tokens[-1].i - tokens[0].i + 1 == len(tokens) <= longest
    return tokens if is_whole and not any(one.text in ".;:?!" for one in tokens) else []


def is_plural(noun: Token) -> bool:
    joined = [child.dep_ for child in noun.children if child.dep_ != "cc" or child.text == "and"]
    return {"conj", "cc"} <= set(joined) or noun.tag_ in ("NNS", "NNPS")


def event(sent: Sentence) -> Event | None:
    """The main clause, if it is one of a subject, a verb and an object or agent."""
    root, children = sent.root, _children(sent.root)
    if root.pos_ != "VERB" or root.lemma_.lower() in SYMMETRIC or {"neg", "conj"} & set(children):
        return None
    if "agent" in children and len(children.get("nsubjpass", [])) == 1:
        (subject,), agent = children["nsubjpass"], children["agent"][0]
        nouns = [one for one in agent.children if one.dep_ == "pobj"]
        return _event("passive", sent, subject, nouns, {agent.i})
    if len(children.get("nsubj", [])) == 1:
        return _event("active", sent, children["nsubj"][0], children.get("dobj", []), set())
    return None


def _event(
    kind: str, sent: Sentence, subject: Token, nouns: Sequence[Token], known: set[int]
) -> Event | None:
    root = sent.root
    children = _children(root)
    helpers = [*children.get("auxpass", []), *children.get("aux", [])]
    adverbs = [one for one in children.get("advmod", []) if one.i == root.i - 1]
    if len(nouns) != 1 or len(helpers) > 1 or (kind == "passive") != ("auxpass" in children):
        return None
    first, last = phrase(subject), phrase(nouns[0])
    if not first or not last or not first[-1].i < root.i < last[0].i:
        return None
    known |= {root.i, *(one.i for one in [*helpers, *adverbs])}
    auxiliary, tag = _auxiliary(kind, helpers, root.tag_)
    inside = range(first[-1].i + 1, last[0].i)
    if auxiliary is None or not known.issuperset(inside) or not _form(root.lemma_.lower(), "VBN"):
        return None
    tail = [one for one in sent if one.i > last[-1].i]
    tail = tail[:-1] if tail and tail[-1].is_punct else tail
    opens = bool(tail) and tail[0].dep_ == "prep" and tail[0].head == root and len(tail) <= 12
    end = "".join(one.text_with_ws for one in tail).strip()
    is_last = opens and max(one.i for one in tail[0].subtree) == tail[-1].i
    sides = [(_said(first), is_plural(subject)), (_said(last), is_plural(nouns[0]))]
    (agent, one), (other, two) = sides if kind == "active" else sides[::-1]
    return Event(
        kind, agent, other, (one, two), root.lemma_.lower(), tag, auxiliary,
        f"{adverbs[0].text} " if adverbs else "",
        _said([one for one in sent if one.i < first[0].i]), end,
        end if kind == "active" and is_last and first[0].i == sent.start else None,
    )  # fmt: skip


def _auxiliary(kind: str, helpers: Sequence[Token], tag: str) -> tuple[str | None, str]:
    """Of the active voice, with the tag of the finite verb; None for one that is not known."""
    said = helpers[0].text.lower() if helpers else ""
    if kind == "passive":
        is_known = said in ("was", "were", "is", "are")
        return ("" if is_known else None), ("VBD" if said in ("was", "were") else "VBZ")
    if said in ("has", "have"):
        return "have", tag
    return (said if not said or said == "had" or said in MODALS else None), tag


def _children(token: Token) -> dict[str, list[Token]]:
    found: dict[str, list[Token]] = {}
    for child in token.children:
        found.setdefault(child.dep_, []).append(child)
    return found


def exchanged(sent: Sentence, first: Sequence[Token], last: Sequence[Token]) -> str:
    """The sentence with two phrases in each other's places."""
    words = []
    for token in sent:
        for here, there in ((first, last), (last, first)):
            if token.i == here[0].i:
                words.append(_said(there) + here[-1].whitespace_)
            if here[0].i <= token.i <= here[-1].i:
                break
        else:
            words.append((_low(token) if token.i == sent.start else token.text) + token.whitespace_)
    return _tidy("".join(words))


def exchanges(sent: Sentence, rng: random.Random) -> Iterator[tuple[str, str]]:
    """The subject exchanged with an object, and any two phrases."""
    roles = ("pobj", "dobj", "nsubj", "nsubjpass")
    found = [(one, phrase(one, LONGEST_EXCHANGED)) for one in sent if one.dep_ in roles]
    nouns = [(one, span) for one, span in found if span]
    pairs = []
    for place, (one, span) in enumerate(nouns):
        for other, there in nouns[place + 1 :]:
            is_same = _said(span).lower() == _said(there).lower()
            is_alike = (one.tag_ in ("NNS", "NNPS")) == (other.tag_ in ("NNS", "NNPS"))
            is_apart = not {t.i for t in span} & {t.i for t in there}
            is_joined = one.head == other.head and one.dep_ == other.dep_
            if is_alike and is_apart and not is_same and not is_joined:
                pairs.append((one, span, there))
    subjects = [(a, b) for one, a, b in pairs if one.dep_.startswith("nsubj")]
    inner = [(a, b) for _, a, b in pairs if max(len(a), len(b)) <= LONGEST_INNER]
    if subjects and rng.random() < 0.5:
        yield "subject", exchanged(sent, *rng.choice(subjects))
    if inner and rng.random() < 0.4:
        yield "inner", exchanged(sent, *rng.choice(inner))


def clauses(sent: Sentence) -> tuple[str, str, str, bool] | None:
    """Main clause, conjunction, dependent clause, and whether that comes first."""
    for child in sent.root.children:
        marks = [one for one in child.children if one.dep_ == "mark"]
        if child.dep_ != "advcl" or len(marks) != 1 or marks[0].text.lower() not in MARKS:
            continue
        inside = sorted(child.subtree, key=lambda one: one.i)
        rest = [one for one in sent if one not in inside]
        while rest and rest[-1].is_punct:
            rest.pop()
        while rest and rest[0].is_punct:
            rest.pop(0)
        is_whole = inside[-1].i - inside[0].i + 1 == len(inside) and marks[0].i == inside[0].i
        is_first = bool(rest) and inside[-1].i < rest[0].i
        if not is_whole or min(len(rest), len(inside)) < 4:
            return None
        if is_first or inside[0].i > rest[-1].i:
            return _said(rest), marks[0].text.lower(), _said(inside[1:]), is_first
    return None


def coordination(sent: Sentence) -> str | None:
    """The sentence with the two parts of a coordination of single words in the other order."""
    for one in sent:
        children = _children(one)
        joined, words = children.get("conj", []), children.get("cc", [])
        if len(joined) != 1 or len(words) != 1 or one.pos_ not in (*NOUNS, "ADJ"):
            continue
        is_bare = [one.i, one.i + 1, one.i + 2] == [one.i, words[0].i, joined[0].i]
        before = ("det", "poss", "amod", "nummod", "quantmod")
        is_bare &= not list(joined[0].children) and not any(map(children.get, before))
        if is_bare and words[0].text in ("and", "or"):
            return None if "respectively" in sent.text else exchanged(sent, [one], [joined[0]])
    return None


def pairs(sent: Sentence, before: str, rng: random.Random) -> Iterator[tuple[str, str, str, int]]:
    text = sent.text.strip()
    if any(mark in text for mark in '?;"“'):
        return
    if found := event(sent):
        yield from _events(found, text, rng)
    for kind, other in exchanges(sent, rng):
        one, two = (text, other) if rng.random() < 0.6 else (other, text)
        yield kind, one, two, CONTRADICT
    if parts := clauses(sent):
        main, mark, clause, is_first = parts
        orders = [f"{mark} {clause}, {main}", f"{main} {mark} {clause}"]
        yield "clause", text, _tidy(orders[is_first]), SUPPORT
        if mark in ORDERED:
            turned = rng.choice([f"{mark} {main}, {clause}", f"{clause} {mark} {main}"])
            yield "clause", text, _tidy(turned), CONTRADICT
    if (other := coordination(sent)) and rng.random() < 0.6:
        yield "coordination", text, other, SUPPORT
    if rng.random() < 0.08:
        yield "same", f"{before} {text}", text, SUPPORT


def _events(found: Event, text: str, rng: random.Random) -> Iterator[tuple[str, str, str, int]]:
    forms = ["active", "passive", "passive" if found.kind == "active" else "active"]
    forms += [] if found.before else ["cleft", "passive cleft"]
    is_short = len(found.after.split()) <= 8 and not found.after.startswith(
        (",", "if", "when", "unless", "only", "except")
    )
    for one in (found, found.turned()):
        evidence = text
        if one is not found or rng.random() < 0.5:
            evidence = one.text(rng.choice(forms[:2]), found.after, rng.random() < 0.5) or text
        after = "" if is_short and not found.front and rng.random() < 0.15 else found.after
        for other, label in ((one, SUPPORT), (one.turned(), CONTRADICT)):
            if claim := other.text(rng.choice(forms), after, rng.random() < 0.5):
                yield found.kind, evidence, claim, label


def main() -> None:
    model, out, number, of = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng = random.Random(f"roles {number}")
    language = spacy.load(model, exclude=["ner"])
    documents = [json.loads(row) for n, row in enumerate(sys.stdin) if n % of == number]
    with_previous = (
        (one, rows[place - 1] if place else "")
        for rows in documents
        for place, one in enumerate(rows)
        if 30 < len(one) < 260 and not set(one) & set("$\\")
    )
    with open(out, "w", encoding="utf-8") as file:
        for document, before in language.pipe(with_previous, as_tuples=True, batch_size=64):
            sentences = list(document.sents)
            if len(sentences) != 1:
                continue
            for kind, evidence, claim, label in pairs(sentences[0], before, rng):
                if evidence.strip().lower() == claim.strip().lower():
                    continue
                read = f"{before} {evidence}" if before and rng.random() < 0.25 else evidence
                file.write(json.dumps([kind, read, claim, label], ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
