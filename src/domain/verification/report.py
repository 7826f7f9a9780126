"""A verification as a Markdown report, and in a sentence."""

import re
from bisect import bisect_left as before
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import quote as percent_encoded

from citeloom.domain.documents.fidelity import uncertain_mark
from citeloom.domain.messages import UserMessage
from citeloom.domain.text.phrasing import counted, on_one_line, shortened
from citeloom.domain.text.terms import stem
from citeloom.domain.text.words import STOP_WORDS, forms, words

from .claims.parsed_sentence import synonym_stem
from .claims.reasons import ANOTHER
from .drafts.draft import Claim, EvidenceQuote, Finding, Verification
from .quantities.numerals import NUMERALS
from .verdict import MEANINGS, Verdict

_MARKUP = re.compile(r"([\\`*_\[\]<>|#])")
_LONGEST = 400


def markdown_report(verification: Verification, in_words: Callable[[str], str] = str) -> str:
    """By verdict, in their order. Locations link into the draft.
    ``in_words`` adapts messages to their readers."""
    lines = [f"# Verification of {_plain(file_name(verification, verification.draft))}", ""]
    lines += [summary(verification) + ".", ""]
    lines += ["| Verdict | Citations |", "|---|---:|"]
    lines += [f"| {v.value} | {count} |" for v, count in verification.counts.items() if count]
    for message in report_warnings(verification, in_words):
        lines += ["", f"{_plain(message)}."]
    for verdict, findings in by_verdict(verification):
        lines += ["", f"## {verdict.value}", "", MEANINGS[verdict][1], ""]
        for finding in findings:
            lines += _markdown(verification, finding)
    if verification.uncited:
        lines += ["", "## Facts without a citation", ""]
        for one in verification.uncited:
            lines.append(f"- {_link(verification, one.claim)}: {_plain(one.claim.text)}")
            lines += [f"    - may cite {_markdown_quote(quote)}" for quote in one.candidates]
    return "\n".join(lines)


def report_warnings(verification: Verification, in_words: Callable[[str], str]) -> list[str]:
    """Warnings with a next step; the others are of the draft as a file."""
    return [
        in_words(message)
        for message in verification.warnings
        if isinstance(message, UserMessage) and message.next_step
    ]


def by_verdict(verification: Verification) -> Iterator[tuple[Verdict, list[Finding]]]:
    """The findings of each verdict that occurs, in the order of ``Verdict``."""
    for verdict in Verdict:
        if found := [one for one in verification.findings if one.verdict is verdict]:
            yield verdict, found


def file_name(verification: Verification, file: str) -> str:
    """The draft's name, or the path from its folder to a file that it includes: a report does not
    name the folders where it was made."""
    path, folder = PurePath(file), PurePath(verification.draft).parent
    return on_one_line(f"{path.relative_to(folder) if path.is_relative_to(folder) else path.name}")


def summary(verification: Verification) -> str:
    counts = ", ".join(
        f"{count} {verdict}" for verdict, count in verification.counts.items() if count
    )
    again = f", {verification.cached} of them as before" if verification.cached else ""
    missing = (
        f"; {counted(len(verification.uncited), 'fact')} without a citation"
        if verification.uncited
        else ""
    )
    return (
        f"{counted(len(verification.findings), 'citation')} of "
        f"{counted(verification.claims, 'claim')} in "
        f"{verification.duration_seconds:.1f} s{again}: "
        f"{counts or 'no citation was recognised'}{missing}"
    )


def _markdown(verification: Verification, finding: Finding) -> Iterator[str]:
    how = f" ({shown})" if (shown := basis(finding)) else ""
    yield f"- {_link(verification, finding.claim)}, {_plain(cited(finding))}{how}:"
    quotes = shown_evidence(finding)
    yield f"  {marked(compared(finding, finding.claim.text, quotes), _escaped)}"
    for reason in finding.reasons:
        yield f"    - {_plain(reason)}"
    for quote in quotes:
        yield f"    - {_markdown_quote(quote, finding)}"
    if finding.better is not None:
        yield f"    - better: {_markdown_quote(finding.better)}"


def _markdown_quote(quote: EvidenceQuote, finding: Finding | None = None) -> str:
    cited = f"`{quote.citation}`" if quote.citation else ""
    source = f"{cited}{uncertain_mark(quote.text_uncertain)} ".lstrip()
    pieces = compared(finding, quote.text, []) if finding else [MarkedPiece(cut(quote.text))]
    return f"“{marked(pieces, _escaped)}” {source}[{_plain(quote.address)}](<{quote.address}>)"


def _link(verification: Verification, claim: Claim) -> str:
    line, name = claim.begins.line, claim.file and _plain(file_name(verification, claim.file))
    place = f"{name}, line {line}" if name else f"line {line}"
    return f"[{place}]({percent_encoded(claim.file or verification.draft)}#L{line})"


def cited(finding: Finding) -> str:
    if finding.written == finding.key:
        named = f"“{finding.key}”"
    else:
        named = f"@{finding.key}" + (f" (“{finding.written}”)" if finding.written else "")
    return named + (f", {finding.locator}" if finding.locator else "")


def basis(finding: Finding) -> str:
    """*exact*, *judged 0.83*, or nothing."""
    confidence = "" if finding.confidence is None else f" {finding.confidence:.2f}"
    return f"{finding.basis or ''}{confidence}"


def cut(text: str) -> str:
    return shortened(on_one_line(text), _LONGEST)


class MarkedPiece(NamedTuple):
    """A piece of a text. ``differs``: a word that the text compared with does not have."""

    text: str
    differs: bool = False


_NAMED = re.compile("“([^”]+)”")
_COMPARED = frozenset({Verdict.NOT_ESTABLISHED, Verdict.PARTIAL, Verdict.CONTRADICTED})


def shown_evidence(finding: Finding) -> tuple[EvidenceQuote, ...]:
    """The deciding or nearest sentence; of an undecided claim with a page the nearest one there,
    too, and the one that has words which the first lacks."""
    if finding.verdict is not Verdict.NOT_ESTABLISHED:
        return finding.evidence[:1]
    has_more = any(ANOTHER in one.casefold() for one in finding.reasons)
    return finding.evidence[: 1 + bool(finding.locator) + has_more]


def compared(finding: Finding, text: str, others: Sequence[EvidenceQuote]) -> list[MarkedPiece]:
    """The pieces of the claim of a finding, compared with its evidence, or of a quotation (without
    ``others``), compared with the claim. No differences if the verdict needs no reading. Where the
    reasons name words of it, these are the differences."""
    other = " ".join(one.text for one in others) or finding.claim.text
    text = _nearest_part(on_one_line(text), {*_keys(other)})
    if finding.verdict not in _COMPARED or not finding.evidence:
        return [MarkedPiece(text)]
    return differing(text, other, " ".join(_NAMED.findall(" ".join(finding.reasons))))


def differing(text: str, other: str, named_words: str = "") -> list[MarkedPiece]:
    """The pieces of a text beside another one. No differences if the text is mostly another; of
    ``named_words`` those that it has are the differences."""
    known, named = {*_keys(other)}, {*_keys(named_words)}
    lacking = [word for word in words(text) if {*_keys(word.text)} - known]
    told = [word for word in lacking if named.intersection(_keys(word.text))]
    is_another = len(lacking) > len(_keys(text)) / 2
    pieces, at = [], 0
    for word in told or ([] if is_another else lacking):
        end = word.start + len(word.text)
        pieces += [MarkedPiece(text[at : word.start]), MarkedPiece(text[word.start : end], True)]
        at = end
    return [one for one in (*pieces, MarkedPiece(text[at:])) if one.text]


def _nearest_part(text: str, known: Set[str]) -> str:
    """What is shown of a text: the first stretch with most of the ``known`` words."""
    starts = [0, *(word.start for word in words(text))] if len(text) > _LONGEST else [0]
    common = [word.start for word in words(text) if not known.isdisjoint(_keys(word.text))]
    start = max(starts, key=lambda at: before(common, at + _LONGEST - 20) - before(common, at))
    return cut(("… " if start else "") + text[start:])


def _keys(text: str) -> list[str]:
    parts = (part for word in words(text) for part in forms(word.text).parts)
    content = (str(NUMERALS.get(one, one)) for one in parts if one not in STOP_WORDS["en"])
    return [synonym_stem(stem(one)) for one in content]


def marked(pieces: Sequence[MarkedPiece], escaped: Callable[[str], str]) -> str:
    """In Markdown, differing words in bold."""
    return "".join(f"**{escaped(p.text)}**" if p.differs else escaped(p.text) for p in pieces)


def _plain(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
