"""Comparison of what a page shows with what is printed."""

import difflib
import re

LEFT_OUT = "…"
_SKIPPED = re.escape("[…]")
# What is otherwise each time: seconds, times of day, ids of sessions and files, and scores in
# their last digit, which depends on the processor.
_VARIES = (
    (re.compile(r"\b\d+(\.\d+)? (s|ms|seconds)\b"), "# s"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "ID"),
    (re.compile(r"(evidence/.*-)[0-9a-f]{16}\b"), r"\1ID"),
    (re.compile(r'("score": )0\.\d+'), r"\1SCORE"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?"), "TIME"),
    (re.compile(r"(^|  )[01]\.\d\d$"), r"\1SCORE"),
)


def fits(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines printed are those shown, where ``…`` stands for any lines."""
    head, *others = _parts(stripped(shown))
    if not others:
        return _same(head, printed)
    *between, tail = others
    if len(printed) < len(head) + len(tail) or not _same(head, printed[: len(head)]):
        return False
    rest, end = printed[len(head) : len(printed) - len(tail)], printed[len(printed) - len(tail) :]
    for part in between:
        places = (n for n in range(len(rest)) if _same(part, rest[n : n + len(part)]))
        if (place := next(places, None)) is None:
            return False
        rest = rest[place + len(part) :]
    return _same(tail, end)


def _same(shown: list[str], printed: list[str]) -> bool:
    if len(shown) != len(printed):
        return False
    patterns = (re.escape(_plain(line)).replace(_SKIPPED, ".+") for line in shown)
    return all(map(re.fullmatch, patterns, map(_plain, printed)))


def renewed(shown: list[str], printed: list[str]) -> list[str]:
    """What is printed now, with as much of it as was shown: parts keep their numbers of lines,
    one in the middle begins with the line that is most like its first. Lines that are as shown stay
    as they were."""
    head, *others = _parts(stripped(shown))
    printed = [next((old for old in shown if _same([old], [new])), new) for new in printed]
    if not others:
        return printed
    *between, tail = others
    kept = [*printed[: len(head)], LEFT_OUT]
    rest = printed[len(head) : len(printed) - len(tail)]
    for part in between:
        likeness = [difflib.SequenceMatcher(None, line, part[0]).ratio() for line in rest]
        place = max(range(len(rest)), key=likeness.__getitem__, default=0)
        kept += [*rest[place : place + len(part)], LEFT_OUT]
        rest = rest[place + len(part) :]
    return kept + printed[len(printed) - len(tail) :]


def _parts(lines: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _plain(line: str) -> str:
    for pattern, replacement in _VARIES:
        line = pattern.sub(replacement, line)
    return line


def stripped(lines: list[str]) -> list[str]:
    return "\n".join(line.rstrip() for line in lines).strip("\n").splitlines()
