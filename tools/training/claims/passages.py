"""The sentences of papers that the claims ``wild:PAPER#NUMBER`` of ``written.jsonl`` are about.

python passages.py written.jsonl FOLDER > passages.jsonl

``FOLDER`` has PAPER.pdf, which pdftotext reads. The claims of a passage know the number of their
sentence in it, but not where it begins: that is where their sentences have most of their words.
Rows: source, evidence, all sentences of the passage, label, kind, claim. Claims with a label other
than NEI that share fewer than ``LEAST`` of their words (weighted) with their sentence are left out.
"""

import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from citeloom.domain.text.sentences import sentence_spans
from overlap import stems

LEAST, LEAST_OF_ALL = 0.22, 0.3
SHORTEST_PARAGRAPH, SHORTEST, FEWEST = 25, 15, 20
ENDS: Final = re.compile(r"[.!?:][\"”')]?$")


def sentences(pdf: Path) -> list[str]:
    """Of paragraphs, which may go on in the next column or page."""
    command = ["pdftotext", "-q", str(pdf), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    paragraphs: list[str] = []
    for part in re.split(r"\n\s*\n|\f", text):
        joined = re.sub(r"([a-z])-\n([a-z])", r"\1\2", part)
        paragraph = " ".join(joined.split())
        if len(paragraph) < SHORTEST_PARAGRAPH:
            continue
        if paragraphs and len(paragraphs[-1]) > 60 and not ENDS.search(paragraphs[-1]):
            paragraphs[-1] += f" {paragraph}"
        else:
            paragraphs.append(paragraph)
    found = [one[a:b].strip() for one in paragraphs for a, b in sentence_spans(one)]
    return [one for one in found if len(one) > SHORTEST]


class Paper:
    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._stems = [stems(one) for one in texts]
        self._count = Counter(word for one in self._stems for word in one)

    def shared(self, claim: str) -> np.ndarray:
        """By sentence: the share of the claim's words that it has, rare words weighing more."""
        weights = {
            word: math.log((len(self.texts) + 1) / (self._count[word] + 0.5))
            for word in stems(claim)
        }
        all_of_them = sum(weights.values()) or 1
        return np.array(
            [sum(weights[word] for word in weights.keys() & one) for one in self._stems]
        ) / all_of_them  # fmt: skip

    def places(self, claims: Sequence[tuple[list[int], list[str]]]) -> tuple[int, list[np.ndarray]]:
        """Where the passage of the claims begins, -1 if it is unsure; and what they share."""
        shared = [self.shared(rest[2]) for _, rest in claims]
        fits = np.zeros(len(self.texts))
        for (numbers, _), one in zip(claims, shared, strict=True):
            beside = np.maximum(np.roll(one, 1), np.roll(one, -1))
            for number in numbers[:1]:
                fits += np.roll(np.maximum(one, 0.9 * beside), -number)
        begin = int(fits.argmax())
        return begin if fits[begin] >= LEAST_OF_ALL * len(claims) else -1, shared


def rows(paper: Paper, source: str, claims: Sequence[Any]) -> Iterator[list[Any]]:
    begin, shared = paper.places(claims)
    if begin < 0:
        return
    longest = max((number + 1 for numbers, _ in claims for number in numbers), default=1)
    passage = paper.texts[begin : begin + longest]
    for (numbers, (label, kind, claim)), one in zip(claims, shared, strict=True):
        places = sorted({_near(one, begin + number) for number in numbers})
        if not places or (label != "NEI" and max(one[n] for n in places) < LEAST):
            continue
        yield [source, [paper.texts[n] for n in places], passage, label, kind, claim]


def _near(shared: np.ndarray, place: int) -> int:
    """The sentence at or beside a place that shares most: the splits of two readers differ."""
    near = range(max(0, place - 2), min(len(shared), place + 3))
    weight = {0: 1.0, 1: 0.93, 2: 0.85}
    return max(near, key=lambda n: shared[n] * weight[abs(n - place)], default=len(shared) - 1)


def main() -> None:
    by_paper: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        source, numbers, *rest = json.loads(line)
        if source.startswith("wild:") and "#" in source and numbers != "text":
            by_paper[source.partition("#")[0]][source].append((numbers, rest))
    for name, passages in sorted(by_paper.items()):
        texts = sentences(Path(sys.argv[2]) / f"{name.removeprefix('wild:')}.pdf")
        if len(texts) < FEWEST:
            print(f"{name}: no text", file=sys.stderr)
            continue
        paper = Paper(texts)
        for source, claims in passages.items():
            for row in rows(paper, source, claims):
                print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
