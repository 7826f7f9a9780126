"""Words for others by WordNet's first senses: the same, the contrary, a sibling.

A synonym counts where the first sense of both words is the same set; a sibling shares the
hypernym of the first sense.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_WORD = re.compile(r"\b[a-z]{4,}\b")
_ENDS = {"noun": ("", "s"), "verb": ("", "s", "d", "ing"), "adj": ("",), "adv": ("",)}
_KINDS = ("same", "contrary", "sibling")


def _form(lemma: str, end: str) -> str:
    if end in ("d", "ing") and lemma.endswith("e"):
        return lemma + "d" if end == "d" else lemma[:-1] + "ing"
    if end == "d":
        return lemma + "ed"
    if end == "s" and re.search(r"(?:s|x|z|ch|sh|[^aeiou]y)$", lemma):
        return lemma[:-1] + "ies" if lemma.endswith("y") else lemma + "es"
    return lemma + end


def build(folder: Path, texts: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """For each word of ``texts`` what may stand in its place; from WordNet's ``dict`` folder."""
    seen = Counter(word for text in texts for word in _WORD.findall(text))
    found: dict[str, dict[str, list[str]]] = {kind: {} for kind in _KINDS}
    taken: Counter[str] = Counter()
    parts = {}
    for kind in _ENDS:
        first = {}
        for line in (folder / f"index.{kind}").read_text().splitlines():
            if line.startswith(" "):
                continue
            f = line.split()
            pointers = int(f[3])
            senses, tagged = int(f[2]), int(f[5 + pointers])
            if re.fullmatch("[a-z]{3,}", f[0]):
                first[f[0]] = (f[6 + pointers], senses, tagged)
                taken[f[0]] += 1
        parts[kind] = first
    for kind, first in parts.items():
        sets, up = {}, {}
        down: dict[str, list[str]] = {}
        contrary: dict[str, list[str]] = {}
        for line in (folder / f"data.{kind}").read_text().splitlines():
            if line.startswith(" "):
                continue
            f = line.partition(" | ")[0].split()
            count = int(f[3], 16)
            names = [re.sub(r"\(.*", "", f[4 + 2 * n]) for n in range(count)]
            sets[f[0]] = names
            at = 4 + 2 * count
            for n in range(int(f[at])):
                mark, offset, _, places = f[at + 1 + 4 * n : at + 5 + 4 * n]
                if mark == "@":
                    up.setdefault(f[0], offset)
                    down.setdefault(offset, []).append(f[0])
                if mark == "!" and places != "0000":
                    contrary.setdefault(names[int(places[:2], 16) - 1], []).append(
                        (offset, int(places[2:], 16) - 1)
                    )
        for lemma, (offset, senses, _) in first.items():
            # A word of several parts of speech or of many senses is left alone.
            if (taken[lemma] > 1 and (kind == "adv" or senses > 2)) or senses > 5:
                continue
            mine = {n for n in sets[offset] if n != lemma and first.get(n, ("",))[0] == offset}
            other = {sets[o][n] for o, n in contrary.get(lemma, ()) if o in sets}
            near = set()
            if kind == "noun" and offset in up and len(down[up[offset]]) <= 60:
                near = {n for o in down[up[offset]] for n in sets[o] if o != offset}
            near = {n for n in near if n in first and seen[n] > 3}
            for end in _ENDS[kind]:
                word = _form(lemma, end)
                if seen[word] < 2:
                    continue
                for name, group in zip(_KINDS, (mine, other, near), strict=True):
                    forms = sorted(_form(n, end) for n in group if re.fullmatch("[a-z]{3,}", n))
                    if name == "same":
                        forms = [n for n in forms if seen[n] > 1]
                    if forms:
                        found[name].setdefault(word, []).extend(forms)
    return found


class Lexicon:
    def __init__(self, words: dict[str, dict[str, list[str]]]) -> None:
        self._words = words

    def replaced(self, text: str, kind: str, rng: random.Random, share: float = 0.0) -> str | None:
        """One word by one of ``kind``, or each with the probability ``share``."""
        known = self._words[kind]
        places = [m for m in _WORD.finditer(text) if m[0] in known]
        if not places:
            return None
        chosen = [m for m in places if rng.random() < share] if share else [rng.choice(places)]
        for m in reversed(chosen):
            text = text[: m.start()] + rng.choice(known[m[0]]) + text[m.end() :]
        return text


if __name__ == "__main__":
    words = build(Path(sys.argv[1]), [sys.stdin.read()])
    print({k: len(v) for k, v in words.items()}, file=sys.stderr)
    json.dump(words, sys.stdout)
