"""The statements of a report, once all are checked."""

from collections.abc import Iterable, Iterator

from citeloom.domain.research.session import Correction
from citeloom.domain.review.report.model import Checked, Statement


def words_of(statement: Statement) -> str:
    """By which repetitions are known."""
    return " ".join(statement.text.casefold().split())


def without_repeats(checked: Iterable[Checked]) -> Iterator[Checked]:
    """The same in order; a statement whose words are in the report already, alone or within
    another, is left out, as happens where several sentences give way to the same quotation."""
    said: list[str] = []
    for one in checked:
        if one.statement is None:
            yield one
            continue
        words = words_of(one.statement)
        if any(words in earlier for earlier in said):
            told = f"{one.reasoning} The report says so already."
            yield one.model_copy(
                update={"statement": None, "correction": Correction.REMOVE, "reasoning": told}
            )
            continue
        said.append(words)
        yield one
