"""Relations between English words from WordNet 3.0, as the judge of claims reads them.

usage: python relations.py DICT OUT

DICT is a folder with WordNet's ``data.*``, ``index.*`` (with the counts of
``cntlist.rev``) and ``*.exc`` (Debian's wordnet-base:
/usr/share/wordnet). OUT is gzipped text: the notice; a line of the hypernyms of each synset, by
its number; a line for each word: word, its synsets (the most frequent three of each part of
speech), those of derived and similar words, those of its opposites. Words of one part alone;
no species. Irregular forms are words, too.
"""

import argparse
import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_SENSES = 3
_HYPERNYMS, _DERIVED, _SIMILAR, _OPPOSITE = ("@", "@i"), ("+", "\\", "<"), ("&", "$", ">"), "!"
# Lexicographer files of animals and plants.
_SPECIES = {5, 20}
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")

Key = tuple[str, str]


class Synset(NamedTuple):
    file: int
    words: list[str]
    pointers: list[tuple[str, Key, int]]


def synsets(folder: Path) -> Iterator[tuple[Key, Synset]]:
    for part, name in _PARTS.items():
        for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            words = [re.sub(r"\(.*\)", "", one).lower() for one in fields[4 : 4 + 2 * count : 2]]
            rest = fields[5 + 2 * count :]
            pointers = [
                (kind, ("a" if of == "s" else of, offset), int(ends[:2], 16))
                for kind, offset, of, ends in zip(*(rest[n::4] for n in range(4)), strict=False)
                if len(ends) == 4 and of in "nvasr"
            ]
            yield (part, fields[0]), Synset(int(fields[1]), words, pointers)


def lemmas(folder: Path) -> Iterator[tuple[str, list[Key]]]:
    for part, name in _PARTS.items():
        for line in (folder / f"index.{name}").read_text("latin-1").splitlines():
            fields = line.split()
            if not line.startswith("  ") and _WORD.fullmatch(fields[0]):
                yield fields[0], [(part, one) for one in fields[-int(fields[2]) :]][:_SENSES]


def counts(folder: Path) -> dict[str, Counter[str]]:
    """How often each word was seen as which part of speech, and in how many senses."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for lemma, senses in lemmas(folder):
        found[lemma].update(part for part, _ in senses)
    for line in (folder / "cntlist.rev").read_text("latin-1").splitlines():
        key, _, seen = line.split()
        word, _, sense = key.partition("%")
        found[word]["_nvara"[int(sense[0])]] += int(seen)
    return found


def irregular(folder: Path) -> Iterator[tuple[str, str]]:
    for name in _PARTS.values():
        for line in (folder / f"{name}.exc").read_text("latin-1").splitlines():
            form, *bases = line.split()
            yield from ((form, base) for base in bases if _WORD.fullmatch(form))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dict", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    known = dict(synsets(options.dict))
    own, near, opposed = (defaultdict[str, set[Key]](set) for _ in range(3))
    for lemma, senses in lemmas(options.dict):
        if all(known[one].file in _SPECIES for one in senses):
            continue
        own[lemma].update(senses)
        for sense in senses:
            for kind, other, word in known[sense].pointers:
                is_its = word == 0 or known[sense].words[word - 1] == lemma
                if kind == _OPPOSITE and is_its:
                    opposed[lemma].add(other)
                elif kind in _SIMILAR or (kind in _DERIVED and is_its):
                    near[lemma].add(other)
    parts_of = counts(options.dict)
    for form, base in irregular(options.dict):
        parts_of[form].update(parts_of[base])
        for found in (own, near, opposed):
            found[form] |= found[base]
    numbers: dict[Key, int] = {}
    waiting = sorted({one for found in (own, near, opposed) for s in found.values() for one in s})
    while waiting:
        numbers |= {one: len(numbers) + n for n, one in enumerate(waiting)}
        above = {key for one in waiting for key in _above(known[one])}
        waiting = sorted(above - numbers.keys())
    notice = "\n".join(
        line[2:].split(" ", 1)[-1].strip()
        for line in (options.dict / "data.noun").read_text("latin-1").splitlines()
        if line.startswith("  ")
    )
    lines = [*(f"# {line}" for line in notice.splitlines()), "%"]
    lines += [" ".join(str(numbers[a]) for a in _above(known[one])) for one in numbers]
    lines += ["%"]
    for word in sorted(own):
        found = (own[word], near[word] - own[word], opposed[word])
        parts = (" ".join(map(str, sorted(numbers[one] for one in each))) for each in found)
        if own[word]:
            ((part, _),) = parts_of[word].most_common(1)
            lines.append("\t".join([word, part, *parts]))
    options.out.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{len(own):,} words, {len(numbers):,} synsets, {options.out.stat().st_size:,} bytes")


def _above(one: Synset) -> list[Key]:
    return [other for kind, other, _ in one.pointers if kind in _HYPERNYMS]


if __name__ == "__main__":
    main()
