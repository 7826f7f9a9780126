"""Fuzzing for a given time: ``python tests/fuzz/campaign.py --seconds 3600`` (``make fuzz``).

All targets in turn, and changed PDFs through the conversion workers (those of the shared data
beside the checkout, else the sample library's); each kind of failure once, with its shortest input.
It ends with status 1 if there was one. Mend it, and add the input to ``corpus/TARGET.json``; a PDF
is made again by ``pdf_mutation.mutated`` from its original and seed.
"""

import argparse
import json
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]

from fuzz.pdf_conversion import Mutant, failures
from fuzz.registry import TARGETS
from fuzz.target import Target
from hypothesis import HealthCheck, Phase, given, settings
from support.paths import LIBRARY, SHARED

#: Seconds for one input: no text of a few hundred characters needs them.
PATIENCE = 20
EXAMPLES = 400
PDFS = "pdfs"
#: Mutants in a round, and how large a PDF may be: most faults need few pages.
MUTANTS = 120
LARGEST = 400_000


class TooSlow(BaseException):
    """An input that was not read within ``PATIENCE`` seconds."""


@dataclass
class Failures:
    """The shortest input of each kind of failure, by target, exception and place."""

    inputs: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)

    def note(self, target: str, error: BaseException, drawn: object) -> None:
        place = traceback.extract_tb(error.__traceback__)[-1]
        key = (target, type(error).__name__, f"{Path(place.filename).name}:{place.lineno}")
        text = json.dumps(drawn, default=repr)
        self._keep(key, text, "".join(traceback.format_exception(error)[-9:]))

    def note_pdf(self, mutant: Mutant, told: str) -> None:
        name = f"{mutant.original.name} {mutant.seed}"
        self._keep((PDFS, name, ""), name, told)

    def _keep(self, key: tuple[str, str, str], text: str, told: str) -> None:
        if key not in self.inputs or len(text) < len(self.inputs[key][0]):
            self.inputs[key] = (text, told)

    def __str__(self) -> str:
        return "\n".join(
            f"--- {' '.join(key)}\n{text[:2000]}\n{told}"
            for key, (text, told) in self.inputs.items()
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--first-seed", type=int, default=0, help="of the changed PDFs")
    parser.add_argument("targets", nargs="*", help=f"names of targets, {PDFS}; default: all")
    options = parser.parse_args(arguments)
    wanted = [one for one in TARGETS if not options.targets or one.name in options.targets]
    found, counts = Failures(), Counter[str]()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        for target in wanted:
            if time.monotonic() < end:
                counts[target.name] += fuzz(target, max(1, EXAMPLES // target.weight), found)
        if not options.targets or PDFS in options.targets:
            counts[PDFS] += fuzz_pdfs(options.first_seed + counts[PDFS], end, found)
    print(f"{counts.total()} inputs in {options.seconds:.0f} s: {dict(counts)}")
    print(found if found.inputs else "no failure")
    return bool(found.inputs)


def fuzz(target: Target, examples: int, found: Failures) -> int:
    """How many inputs were tried."""
    tried = 0

    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def run(drawn: Any) -> None:
        nonlocal tried
        tried += 1
        try:
            with within(PATIENCE):
                target.run(drawn)
        except (Exception, TooSlow) as error:
            found.note(target.name, error, drawn)

    run()
    return tried


def fuzz_pdfs(seed: int, end: float, found: Failures) -> int:
    """How many PDFs were changed: by ``seed`` and the next ones, each another original."""
    tried = 0
    originals = [
        path
        for path in sorted((SHARED / "odd").rglob("*.pdf")) or sorted(LIBRARY.rglob("papers/*.pdf"))
        if path.stat().st_size < LARGEST
    ]

    def mutants() -> Iterator[Mutant]:
        nonlocal tried
        while tried < MUTANTS and time.monotonic() < end:
            yield Mutant(originals[(seed + tried) % len(originals)], seed + tried)
            tried += 1

    with tempfile.TemporaryDirectory() as folder:
        for mutant, told in failures(mutants(), Path(folder)):
            found.note_pdf(mutant, told)
    return tried


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raises TooSlow in the main thread after ``seconds``."""

    def too_slow(_signal: int, _frame: object) -> None:
        raise TooSlow(f"not read within {seconds} s")

    signal.signal(signal.SIGALRM, too_slow)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    sys.exit(main())
