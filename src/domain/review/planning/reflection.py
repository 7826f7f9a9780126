"""Reflection after each step: continue, retry with an expanded query, or stop."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from citeloom.domain.research.events import Reflection
from citeloom.domain.review.planning.plan import content_words
from citeloom.domain.review.report.model import Plan
from citeloom.domain.text.phrasing import counted
from citeloom.domain.text.terms import terms

#: With fewer new quotes the step is retried once with an expanded query.
MIN_NEW_QUOTES: Final = 2
#: After so many consecutive steps without new quotes, facet steps are dropped.
MAX_DRY_STEPS: Final = 2
_EXPANSION_TERMS: Final = 3


class ReflectionOutcome(NamedTuple):
    """``query`` is the expanded query of an adjusted step."""

    decision: Reflection
    reason: str
    query: str | None = None


def reflect(
    plan: Plan,
    step: int,
    *,
    new_quotes: int,
    retried: bool,
    dry_steps: int,
    evidence: Sequence[str],
) -> ReflectionOutcome:
    """The decision after a step with ``new_quotes`` quotes. ``dry_steps`` counts consecutive
    steps without new quotes, this one included. ``evidence`` are the quotes of the step, else
    all quotes."""
    if new_quotes < MIN_NEW_QUOTES and not retried:
        sub = plan.steps[step]
        query = expanded_query(sub.title if sub.asked else " ".join(sub.facets), evidence)
        if query is not None and query not in sub.queries:
            amount = "nothing" if not new_quotes else "little"
            return ReflectionOutcome(
                Reflection.ADJUST, f"It found {amount} new: it is asked in other words.", query
            )
    remaining = plan.steps[step + 1 :]
    if not remaining:
        return ReflectionOutcome(Reflection.COMPLETE, "All steps of the plan are done.")
    if not evidence and not any(one.asked for one in remaining):
        return ReflectionOutcome(
            Reflection.COMPLETE,
            "Nothing was found on what was asked, so nothing besides is looked for.",
        )
    if dry_steps >= MAX_DRY_STEPS and not any(one.asked for one in remaining):
        return ReflectionOutcome(
            Reflection.COMPLETE,
            f"The last {dry_steps} steps found nothing new, and what is left was not asked for.",
        )
    amount = counted(new_quotes, "new quotation") if new_quotes else "Nothing new"
    return ReflectionOutcome(Reflection.CONTINUE, f"{amount}; {len(remaining)} of the steps left.")


def expanded_query(title: str, evidence: Sequence[str]) -> str | None:
    """The words of a sub-question plus the most frequent new terms of the evidence; None without
    any."""
    title_words = content_words(title)
    known = {term.stem for term in terms(title)}
    counts: Counter[str] = Counter()
    first_form: dict[str, str] = {}
    for quote in evidence:
        for term in {term.stem: term for term in terms(quote)}.values():
            if term.stem not in known:
                counts[term.stem] += 1
                first_form.setdefault(term.stem, quote[term.start : term.end].casefold())
    common = sorted(counts, key=lambda stem: (-counts[stem], stem))[:_EXPANSION_TERMS]
    return " ".join([*title_words, *(first_form[stem] for stem in common)]) if common else None
