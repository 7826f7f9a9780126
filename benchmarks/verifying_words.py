"""Verdicts on sentences of papers in which one thing was changed at random.

usage: python benchmarks/verifying_words.py WORKSPACE PROJECT… [--seed 7] [--each 14]

Of each document sentences are drawn. Each is judged as it stands, with some words replaced by
synonyms, and with one thing changed: a noun by another noun of the paper, a number, a negation, a
direction, a hedge or a quantifier. The evidence is the sentence with its four neighbours; nothing
is searched. A noun may be exchanged for one that means the same, or make no sense.
"""

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from citeloom.application.documents.conversions import load_conversion
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.evidence.quotable_sentences import describes_itself, is_statement
from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.verification.claims.judgement import SourceSentence
from citeloom.infrastructure.composition.application import open_application

_OPPOSITES = """higher lower|increase decrease|increases decreases|increased decreased|more less|
    faster slower|better worse|larger smaller|before after|above below|always never|first last|
    minimum maximum|longer shorter|reduce raise|best worst|most least|strong weak|success failure|
    correct wrong|easy hard|small large|rarely often|with without"""
_SYNONYMS = """show demonstrate|shows demonstrates|use employ|uses employs|used employed|large big|
    many numerous|because since|help assist|important essential|often frequently|provide offer|
    provides offers|allow enable|allows enables|main principal|need require|begin start|
    several various|try attempt|get obtain|build construct|method approach|methods approaches"""
_NOUN = re.compile(r"\b[a-z]{5,12}(?:tion|ment|ity|ness|ance|er|or|al|s)\b")
_VERB = re.compile(r"\b(?:is|are|was|were|can|does|do|will|has|have)\b(?! not)")


def _pairs(table: str) -> dict[str, str]:
    return dict(pair.split() for pair in table.split("|"))


OPPOSITES = _pairs(_OPPOSITES) | {b: a for a, b in _pairs(_OPPOSITES).items()}
SYNONYMS = _pairs(_SYNONYMS)


def changed(
    sentence: str, nouns: Sequence[str], chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Kind and text of each sentence that is made of ``sentence``."""
    yield "verbatim", sentence
    alike = re.sub(r"[a-z]+", lambda m: SYNONYMS.get(m[0], m[0]), sentence)
    if alike != sentence:
        yield "synonyms", alike
    if number := re.search(r"(?<![\w.\[,-])\d{1,3}(?=[ %])", sentence):
        yield "number", _put(sentence, number, str(int(number[0]) * 3 + 1))
    if " not " in sentence:
        yield "negation", sentence.replace(" not ", " ", 1)
    elif verb := _VERB.search(sentence):
        yield "negation", _put(sentence, verb, f"{verb[0]} not")
    if found := [word for word in re.finditer(r"[a-z]+", sentence) if word[0] in OPPOSITES]:
        word = chance.choice(found)
        yield "direction", _put(sentence, word, OPPOSITES[word[0]])
    if found := list(_NOUN.finditer(sentence)):
        word, other = chance.choice(found), chance.choice(nouns)
        if other not in sentence and other[:4] != word[0][:4]:
            yield "noun", _put(sentence, word, other)
    if hedge := re.search(r"\b(?:may|might|could)\b", sentence):
        yield "hedge", _put(sentence, hedge, "will")
    if quantifier := re.search(r"\b(?:some|many|several|most|few)\b", sentence):
        yield "quantifier", _put(sentence, quantifier, "all")


def _put(sentence: str, place: re.Match[str], text: str) -> str:
    return sentence[: place.start()] + text + sentence[place.end() :]


def sentences_of(document: ConversionResult) -> list[str]:
    prose = (document.text_of(block.span) for block in document.blocks if block.is_prose)
    return [" ".join(text[a:b].split()) for text in prose for a, b in quotable_spans(text)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("projects", nargs="+")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--each", type=int, default=14, help="sentences of a document")
    options = parser.parse_args()
    application, chance = open_application(options.workspace), random.Random(options.seed)
    judge = application.verification.judge
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for project in map(ProjectId.parse, options.projects):
        for stored in application.stores.catalogue.documents(project):
            document = load_conversion(application.stores.bundles, stored)
            sentences = sentences_of(document)
            nouns = sorted({noun for one in sentences for noun in _NOUN.findall(one)})
            whole = [
                number
                for number, one in enumerate(sentences)
                if is_statement(one) and 60 < len(one) < 260 and not describes_itself(one)
            ]
            for number in chance.sample(whole, min(options.each, len(whole))):
                around = range(max(0, number - 2), min(len(sentences), number + 3))
                evidence = [SourceSentence(sentences[number], 0.8, number)]
                evidence += [SourceSentence(sentences[n], 0.4, n) for n in around if n != number]
                for kind, claim in changed(sentences[number], nouns, chance):
                    verdict = judge.judge(claim, evidence).verdict.value
                    counts[kind].update(["sentences", verdict])
    application.close()
    for kind, found in counts.items():
        print(f"{kind:10}", dict(found))


if __name__ == "__main__":
    main()
