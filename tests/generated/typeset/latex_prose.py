"""English-looking sentences from a small grammar: what the made-up LaTeX papers say.

The words are chosen for what PDFs do to them: ligatures, accents, compounds that keep their
hyphen, words long enough to be broken, figures, quotes and dashes.
"""

import random

_NOUNS = """coefficient workflow office affinity reflection definition filter buffer offset effect
finding profile refinement configuration conflict difference fluctuation measurement experiment
hypothesis observation approximation representation distribution population boundary surface
network archive estimate procedure temperature concentration uncertainty correspondence question
argument institution community translation manuscript instrument laboratory participant interview
response gradient operator manifold particle reactor catalyst membrane sequence genome enzyme
election household currency inflation regulation contract narrative dialect vowel syllable harbour
river sediment glacier fossil orbit telescope spectrum""".split()
_VERBS = """defines amplifies reflects confirms contradicts explains predicts limits describes
modifies stabilises reproduces replaces constrains approximates outperforms resembles determines
influences precedes clarifies simplifies""".split()
_ADJECTIVES = """efficient sufficient affine difficult scientific specific official significant
finite infinite reliable stationary heterogeneous independent complementary traditional empirical
theoretical historical intermediate negligible asymptotic nonlinear multidimensional qualitative
so-called well-known low-dimensional self-adjoint long-term state-of-the-art large-scale naïve
two-sided first-order""".split()
_ADVERBS = """Sufficiently Typically Unfortunately Consequently Nevertheless Historically
Surprisingly Occasionally Furthermore Moreover""".split()
_NAMES = """Gödel Poincaré Hölder Fréchet Müller Schrödinger Ångström Erdős Čech Łukasiewicz
Jiménez Brontë Smith Ito Fisher Hoffmann Griffith O'Neill Sørensen Besançon""".split()
_PLACES = ("in the field", "at high altitude", "on the coast", "during the first year",
           "after calibration", "under the same conditions", "for each of the sites",
           "with respect to time", "in most of the cases")  # fmt: skip


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith("sis"):
        return noun[:-2] + "es"
    return noun + ("es" if noun.endswith("s") else "s")


class Prose:
    """Sentences drawn from ``draw``; a word may carry punctuation, as it would in print."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw

    def noun(self) -> str:
        return self._draw.choice(_NOUNS)

    def nouns(self) -> str:
        return _plural(self.noun())

    def adjective(self) -> str:
        return self._draw.choice(_ADJECTIVES)

    def name(self) -> str:
        return self._draw.choice(_NAMES)

    def _verb(self) -> str:
        return self._draw.choice(_VERBS)

    def _thing(self) -> str:
        article = self._draw.choice(["the", "the", "this", "every", "no"])
        middle = f"{self.adjective()} " if self._draw.random() < 0.6 else ""
        after = f" of the {self.nouns()}" if self._draw.random() < 0.4 else ""
        return f"{article} {middle}{self.noun()}{after}"

    def sentence(self) -> list[str]:
        """The words of one sentence, of 6 to 40 words."""
        draw = self._draw
        clause = f"{self._thing()} {self._verb()} {self._thing()}"
        match draw.randrange(8):
            case 0:
                text = f"{draw.choice(_ADVERBS)}, {clause} {draw.choice(_PLACES)}."
            case 1:
                text = f"As {self.name()} observed in {draw.randint(1890, 2021)}, {clause}."
            case 2:
                text = (
                    f"About {draw.randint(11, 99)} of the {draw.randint(120, 990)} {self.nouns()} "
                    f"were {self.adjective()}, or {draw.uniform(5, 60):.1f}% "
                    f"{draw.choice(_PLACES)}."
                )
            case 3:
                text = f"{clause} (see also {self.name()} and {self.name()}), although {clause}."
            case 4:
                text = (
                    f"What {self.name()} calls “{self.adjective()} {self.noun()}” {self._verb()} "
                )
                text += f"{self._thing()}; {clause}."
            case 5:
                text = f"{clause} — and {self._thing()} {self._verb()} it {draw.choice(_PLACES)}."
            case 6:
                text = f"Whether {clause}, which {self._verb()} {self._thing()}, is open."
            case _:
                text = f"{clause} {draw.choice(_PLACES)}."
        return (text[0].upper() + text[1:]).split()

    def paragraph(self, least: int = 2, most: int = 6) -> list[str]:
        count = self._draw.randint(least, most)
        return [word for _ in range(count) for word in self.sentence()]

    def title(self, least: int, most: int) -> str:
        """A heading's words, without a stop at the end."""
        words: list[str] = []
        while len(words) < least:
            if words:
                words.append(self._draw.choice(["of", "and", "for", "in"]))
            words += [self.adjective(), self.nouns()]
        words = words[:most]
        if words[-1] in ("of", "and", "for", "in"):
            words.pop()
        text = " ".join(words)
        return text[0].upper() + text[1:]
