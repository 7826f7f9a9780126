"""After each step: go on, ask otherwise, or stop."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from citeloom.domain.research.events import Reflection
from citeloom.domain.review.planning.plan import content_words
from citeloom.domain.review.report.model import Plan
from citeloom.domain.text.phrasing import counted
from citeloom.domain.text.terms import terms

#: Fewer new quotes than these are little: the step is asked once more, in other words.
LITTLE: Final = 2
#: After so many steps without anything new, what was not asked for is left.
DRY: Final = 2
_TERMS: Final = 3


class Reflected(NamedTuple):
    """``query`` is what the step is asked next, where the plan is adjusted."""

    decision: Reflection
    reason: str
    query: str | None = None


def reflect(
    plan: Plan, step: int, *, new: int, asked_again: bool, dry: int, evidence: Sequence[str]
) -> Reflected:
    """What follows from a step that gave ``new`` quotes, after ``dry`` steps in a row (with this
    one) that gave none. ``evidence`` are the quotes that speak to the step, else all there
    are."""
    if new < LITTLE and not asked_again:
        sub = plan.steps[step]
        query = otherwise(sub.title if sub.asked else " ".join(sub.facets), evidence)
        if query is not None and query not in sub.queries:
            found = "nothing" if not new else "little"
            return Reflected(
                Reflection.ADJUST, f"It found {found} new: it is asked in other words.", query
            )
    left = plan.steps[step + 1 :]
    if not left:
        return Reflected(Reflection.COMPLETE, "All steps of the plan are done.")
    if not evidence and not any(one.asked for one in left):
        return Reflected(
            Reflection.COMPLETE,
            "Nothing was found on what was asked, so nothing besides is looked for.",
        )
    if dry >= DRY and not any(one.asked for one in left):
        return Reflected(
            Reflection.COMPLETE,
            f"The last {dry} steps found nothing new, and what is left was not asked for.",
        )
    found = counted(new, "new quotation") if new else "Nothing new"
    return Reflected(Reflection.CONTINUE, f"{found}; {len(left)} of the steps left.")


def otherwise(title: str, evidence: Sequence[str]) -> str | None:
    """The words of a sub-question with the terms that the evidence has most; None without any."""
    own = content_words(title)
    known = {term.stem for term in terms(title)}
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for quote in evidence:
        for term in {term.stem: term for term in terms(quote)}.values():
            if term.stem not in known:
                counts[term.stem] += 1
                shown.setdefault(term.stem, quote[term.start : term.end].casefold())
    common = sorted(counts, key=lambda stem: (-counts[stem], stem))[:_TERMS]
    return " ".join([*own, *(shown[stem] for stem in common)]) if common else None
