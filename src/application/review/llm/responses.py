"""Parser of a language model's answers: sections and lines of the requested shape."""

from collections.abc import Iterator, Mapping
from uuid import UUID

from citeloom.domain.review.report.citation_markers import (
    CitedSentence,
    cited_sentences,
    read_citations,
)
from citeloom.domain.review.report.model import Statement
from citeloom.domain.text.json_answers import extract_json
from citeloom.domain.value import Value

#: Characters of an answer and of a statement that are read, and statements of one section.
LONGEST_ANSWER = 60_000
LONGEST_STATEMENT = 600
MOST_STATEMENTS = 40


class GroundedSection(Value):
    """A parsed section. Statements without known evidence cite nothing. ``unknown`` are the
    evidence numbers and keys that do not exist; ``dropped`` counts invalid and surplus
    statements."""

    statements: tuple[Statement, ...] = ()
    unknown: tuple[str, ...] = ()
    dropped: int = 0


def section_in(
    text: str, step_index: int, numbers: Mapping[int, UUID], keys: Mapping[str, tuple[UUID, ...]]
) -> GroundedSection | None:
    """The section of an answer: JSON as requested, or running text with citations in brackets;
    None if it is neither. ``numbers`` are span ids by evidence number, ``keys`` those by source
    key."""
    if len(text) > LONGEST_ANSWER:
        return None
    parsed = extract_json(text)
    dropped = 0
    sentences: list[CitedSentence] = []
    if isinstance(parsed, dict) and isinstance(rows := parsed.get("statements"), list):
        for row in rows:
            read = list(_of_row(row))
            dropped += not read
            sentences += read
    elif not text.lstrip().startswith(("{", "[{", "```")):
        sentences = [one for one in cited_sentences(text) if one.numbers or one.keys]
    statements: list[Statement] = []
    unknown: dict[str, None] = {}
    for one in sentences:
        if len(one.text) > LONGEST_STATEMENT or len(statements) == MOST_STATEMENTS:
            dropped += 1
            continue
        spans: dict[UUID, None] = {}
        for number in one.numbers:
            if number in numbers:
                spans[numbers[number]] = None
            else:
                unknown[f"[{number}]"] = None
        for key in one.keys:
            spans.update(dict.fromkeys(keys.get(key, ())))
            if key not in keys:
                unknown[f"[{key}]"] = None
        statements.append(Statement(text=one.text, spans=tuple(spans), step_index=step_index))
    if not statements:
        return None
    return GroundedSection(statements=tuple(statements), unknown=tuple(unknown), dropped=dropped)


def _of_row(row: object) -> Iterator[CitedSentence]:
    """The sentences of one statement, each with its own citations, else with those of the
    whole statement."""
    if not isinstance(row, dict) or not isinstance(text := row.get("text"), str):
        return
    given = row.get("evidence")
    ids = given if isinstance(given, list) else ()
    whole = tuple(id for id in ids if isinstance(id, int) and not isinstance(id, bool))
    line = " ".join(text.split())
    if len(line) > LONGEST_STATEMENT or not line.isprintable():
        return
    for one in cited_sentences(line):
        yield one if one.numbers or one.keys else one.model_copy(update={"numbers": whole})


def line_of(value: object, longest: int) -> str:
    """The text on one line without citations; empty if it is no string, too long, or has
    control characters."""
    if not isinstance(value, str) or len(value) > 4 * longest:
        return ""
    line = read_citations(" ".join(value.split())).text
    return line if line.isprintable() and len(line) <= longest else ""
