"""Drafts: text, prose mask, citations, and the claims that they support.

A draft: text, prose mask and in-text citations. All offsets count characters of ``Draft.text`` from
0 and are half-open. Lines and columns count from 1, columns in characters (code points).

Extraction of claims from a draft: the sentence or clause that each citation supports. A citation
supports its sentence, or the one before if it follows the full stop. If a sentence has several
citations and each closes (or, as its subject, opens) a clause, each clause is a claim; a citation
in the middle of a sentence supports the text before it. If a clause is not independent, the whole
sentence is the claim of all its citations.

Rule for factual sentences, which need a source. They state a quantity, an effect, a difference or
an association, and refer neither to the text itself nor to its authors' work.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Self

from pydantic import Field, model_validator

from citeloom.domain.citation.locators import Locator
from citeloom.domain.documents.spans import Region
from citeloom.domain.messages import Action, MessageText, NextStep, UserMessage
from citeloom.domain.references.works import NamedWork
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.text.sentences import Span, sentence_spans
from citeloom.domain.value import Value
from citeloom.domain.verification.verdict import Basis, Verdict

JOINER: Final = "\u2060"
"""In prose, a character of markup within a word; not in plain text."""
PLACEHOLDER: Final = "\ufffc"
"""In prose, a citation that is part of the sentence, often its subject."""

_PLACEHOLDERS = re.compile(f"[{JOINER}{PLACEHOLDER}]+")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?…)\]”’»](?:\s|$|[”’»\"')\]]))")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]")


class CitedItem(Value):
    """One work of a citation; ``start`` to ``end`` are the offsets of its key in the draft.
    ``written`` is the draft's text if it is not a citation key (``Boeing, 2018``, ``[12]``);
    ``key`` is then the citation key, or the same text if no work or several fit (``unresolved``);
    ``candidates`` are the keys of works that fit or come close."""

    key: str = Field(min_length=1)
    written: str | None = None
    unresolved: str | None = None
    candidates: tuple[str, ...] = ()
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    locator: Locator | None = None
    prefix: str = ""
    suffix: str = ""
    suppress_author: bool = False


class InTextCitation(Value):
    """Works cited in one place; ``start`` is ``end`` where a quotation has its source as an
    argument. ``narrative``: part of the sentence ("Smith (2020) found"), not in brackets or a note.
    ``unlisted`` is a command that is not a known citation command; it cites if a key is known."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    items: tuple[CitedItem, ...] = Field(min_length=1)
    narrative: bool = False
    unlisted: str | None = None


class Inclusion(Value):
    """A file included at offset ``start``; ``name`` as written in the draft."""

    name: str
    start: int = Field(ge=0)


class Position(Value):
    """Line and column of a character, both from 1."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)


class Draft(Value):
    """``prose`` is as long as ``text``: markup, code, headings, tables and citations are white
    space in it, ``JOINER`` or ``PLACEHOLDER``; empty lines separate paragraphs. ``citations``
    are in text order; ``works`` are those that they name without a citation key, by the keys of
    the items. ``inclusions`` are the files named in the draft, ``parts`` those that were read,
    recursively, each once, in order."""

    path: str
    format: str
    text: str
    prose: str
    citations: tuple[InTextCitation, ...] = ()
    works: Mapping[str, NamedWork] = Field(default_factory=dict)
    inclusions: tuple[Inclusion, ...] = ()
    parts: "tuple[Draft, ...]" = ()
    warnings: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.prose) != len(self.text):
            raise ValueError("the prose of a draft is as long as its text")
        return self

    def plain(self, start: int, end: int) -> str:
        """The prose between two offsets without citations, white space normalised."""
        words = " ".join(_PLACEHOLDERS.sub("", self.prose[start:end]).split())
        words = " ".join(_EMPTY_BRACKETS.sub("", words).split())
        return " ".join(_SPACE_BEFORE_STOP.sub("", words).split())

    def position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        return Position(line=line, column=offset - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", self.text))]


_TIGHT_BEFORE = frozenset(",;.:)]’'")
_TIGHT_AFTER = frozenset("([")


class CompactText(NamedTuple):
    """``text`` is ``prose`` with one space for white space, ``\\n`` between paragraphs, none
    before punctuation that markup moved away, and no joiners; ``offsets`` are those of its
    characters in ``prose``."""

    text: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, prose: str) -> "CompactText":
        chars: list[str] = []
        offsets: list[int] = []
        breaks = 0
        for at, char in enumerate(prose):
            if char == JOINER:
                continue
            if char.isspace():
                breaks += char == "\n"
                if chars and chars[-1] in " \n":
                    if breaks > 1:
                        chars[-1] = "\n"
                    continue
                chars.append(" ")
            else:
                breaks = 0
                if (
                    chars
                    and chars[-1] == " "
                    and (char in _TIGHT_BEFORE or (len(chars) > 1 and chars[-2] in _TIGHT_AFTER))
                ):
                    chars.pop()
                    offsets.pop()
                chars.append(char)
            offsets.append(at)
        return cls("".join(chars), tuple(offsets))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The offsets in the prose of ``text[start:end]``, which is not empty."""
        return self.offsets[start], self.offsets[end - 1] + 1


# Clause boundary right after a citation that closes the first clause.
_BOUNDARY = re.compile(
    rf"[\s{JOINER}]*(?:[,;:–—][\s{JOINER}]*)?(?:(?:and|but|while|whereas|although|though|however|yet|or|"
    r"nor|und|aber|während|sowie|et|mais|tandis que|y|pero|mientras)\b)?",
    re.IGNORECASE,
)
# Starts of fragments that belong to the clause before.
_DEPENDENT = re.compile(
    r"(?:in|on|at|of|for|by|with|to|from|than|as|into|over|under|per|about|which|that|who|whose|"
    r"where|when|because|since|if|including|such)\b",
    re.IGNORECASE,
)
# A fragment that begins with its verb has its subject there too, unless after a conjunction.
_HAS_NO_SUBJECT = re.compile(
    r"(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|do|did)\b",
    re.IGNORECASE,
)
_CONJOINED = re.compile(rf"\b[^\W\d_]+[\s{JOINER}]+\Z")
_CONTRAST = re.compile(
    rf"[,;][\s{JOINER}]+(?:and|but|while|whereas|although|though)\b", re.IGNORECASE
)
_PARAGRAPH = re.compile(r"\n\s*\n")
# A stop behind a citation ends its sentence, also before "nbgrader" or "iPhone".
_STOP = re.compile(r"[.!?](?=\s+[^\W\d_])")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*|\d[\d.,]*")
_MIN_WORDS = 4
_LOOKBEHIND = 40


class Claim(Value):
    """A claim of a draft with the works that it cites.

    ``text`` is without markup and citations; ``start`` to ``end`` are its offsets in the draft,
    ``begins`` and ``ends`` the positions (``ends`` just after the last character). ``sentence``
    is the whole sentence, as ``text`` for a claim of one. ``file`` is the included file, to
    which offsets and positions then refer.
    """

    text: str
    sentence: str
    file: str | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    begins: Position
    ends: Position
    cited: tuple[CitedItem, ...] = ()


def extract_claims(draft: Draft) -> tuple[Claim, ...]:
    """All claims in draft order, cited or not, then those of included files."""
    claims: list[Claim] = []
    for span, citations in _sentences(draft):
        if not _WORD.search(draft.plain(*span)) or not _is_prose(draft, span):
            continue
        claims += _claims(draft, span, citations)
    for part in draft.parts:
        claims += [claim.model_copy(update={"file": part.path}) for claim in extract_claims(part)]
    return tuple(claims)


def _sentences(draft: Draft) -> Iterator[tuple[Span, list[InTextCitation]]]:
    """Sentences with the citations in them or up to the next sentence."""
    spans = [span for span in _spans(draft) if _has_words(draft, span)]
    citations_of: list[list[InTextCitation]] = [[] for _ in spans]
    at = 0
    for citation in draft.citations:
        while at + 1 < len(spans) and spans[at + 1][0] <= citation.start:
            at += 1
        if spans and spans[at][0] <= citation.start:
            citations_of[at].append(citation)
        elif spans:  # in front of the first sentence
            citations_of[0].append(citation)
    yield from zip(spans, _moved_to_next_paragraph(draft, spans, citations_of), strict=True)


def _spans(draft: Draft) -> Iterator[Span]:
    """Sentences by paragraph; none spans two."""
    prose, start = draft.prose, 0
    ends = {found.end() for found in _PARAGRAPH.finditer(prose)}
    ends |= {one.end + 1 for one in draft.citations if _STOP.match(prose, one.end)}
    for end in sorted({*ends, len(prose)}):
        for first, last in sentence_spans(prose[start:end]):
            yield start + first, start + last
        start = end


def _moved_to_next_paragraph(
    draft: Draft, spans: Sequence[Span], citations_of: Sequence[list[InTextCitation]]
) -> list[list[InTextCitation]]:
    """Citations at the start of a paragraph, moved to its first sentence."""
    result: list[list[InTextCitation]] = [[] for _ in spans]
    for at, citations in enumerate(citations_of):
        for citation in citations:
            gap = draft.prose[spans[at][1] : max(citation.start, spans[at][1])]
            later = citation.start >= spans[at][1] and _PARAGRAPH.search(gap)
            result[at + 1 if later and at + 1 < len(spans) else at].append(citation)
    return result


def _claims(draft: Draft, span: Span, citations: Sequence[InTextCitation]) -> list[Claim]:
    clauses = _clauses(draft, span, citations)
    if clauses is None:
        cited = tuple(item for citation in citations for item in citation.items)
        return [_claim(draft, span, span, cited)]
    return [_claim(draft, span, part, cited) for part, cited in clauses]


def _clauses(
    draft: Draft, span: Span, citations: Sequence[InTextCitation]
) -> list[tuple[Span, tuple[CitedItem, ...]]] | None:
    """The clauses of a sentence with their citations; None if it cannot be split."""
    groups = _groups(draft, [one for one in citations if one.start < span[1]])
    if not groups or (len(groups) == 1 and not _is_followed_by_clause(draft, groups[0], span)):
        return None
    parts: list[tuple[Span, tuple[CitedItem, ...]]] = []
    start = span[0]
    for at, group in enumerate(groups):
        last = at + 1 == len(groups)
        narrative = group[0].narrative
        if narrative != groups[0][0].narrative:
            return None
        if narrative:  # from its subject up to the next one
            if at == 0 and _word_count(draft, span[0], group[0].start) >= _MIN_WORDS:
                return None
            cut = span[1] if last else _previous_clause_end(draft, groups[at + 1][0].start)
            if cut is None:
                return None
            end = cut
        else:
            end = (
                span[1]
                if last and not _is_followed_by_clause(draft, group, span)
                else group[-1].end
            )
            if not last:
                end = _predicate_end(draft, end, groups[at + 1][0].start)
        items = tuple(item for citation in group for item in citation.items)
        if not _stands_alone(draft, start, end, first=at == 0, narrative=narrative):
            return None
        parts.append(((start, end), items))
        if last:
            if end < span[1]:
                parts.append(((_next_clause_start(draft, end), span[1]), ()))
            break
        start = groups[at + 1][0].start if narrative else _next_clause_start(draft, end)
        if start == end and not narrative:
            return None
    later = tuple(i for one in citations if one.start >= span[1] for i in one.items)
    if later:
        parts[-1] = (parts[-1][0], (*parts[-1][1], *later))
    return parts


def _predicate_end(draft: Draft, at: int, limit: int) -> int:
    """End of a clause whose verb follows the citation: *Ponds, which are still [@a], cool the
    air, whereas rivers do not [@b].*"""
    start = _next_clause_start(draft, at)
    if not _lacks_subject(draft, start, limit):
        return at
    match = _CONTRAST.search(draft.prose, start, limit)
    return match.start() if match else at


def _lacks_subject(draft: Draft, start: int, end: int) -> bool:
    """Whether a fragment begins with its verb, without a conjunction before."""
    return bool(_HAS_NO_SUBJECT.match(draft.plain(start, end))) and not _CONJOINED.search(
        draft.prose, max(0, start - _LOOKBEHIND), start
    )


def _groups(draft: Draft, citations: Sequence[InTextCitation]) -> list[list[InTextCitation]]:
    """Adjacent citations, without words between them."""
    groups: list[list[InTextCitation]] = []
    for citation in citations:
        between = draft.plain(groups[-1][-1].end, citation.start) if groups else ""
        if groups and not _WORD.search(between):
            groups[-1].append(citation)
        else:
            groups.append([citation])
    return groups


def _is_followed_by_clause(draft: Draft, group: Sequence[InTextCitation], span: Span) -> bool:
    """Whether an independent clause without citation follows the group."""
    if group[0].narrative or _word_count(draft, span[0], group[0].start) < _MIN_WORDS:
        return False
    rest = _next_clause_start(draft, group[-1].end)
    return rest > group[-1].end and _stands_alone(
        draft, rest, span[1], first=False, narrative=False
    )


def _stands_alone(draft: Draft, start: int, end: int, *, first: bool, narrative: bool) -> bool:
    if _word_count(draft, start, end) < (2 if narrative else _MIN_WORDS):
        return False
    text = draft.plain(start, end)
    if first or narrative:
        return True
    if _lacks_subject(draft, start, end):
        return False
    return not _DEPENDENT.match(text)


def _next_clause_start(draft: Draft, at: int) -> int:
    """Start of the next clause, after comma and conjunction."""
    match = _BOUNDARY.match(draft.prose, at)
    if not match or not _is_boundary(match.group()):
        return at
    end = match.end()
    while end < len(draft.prose) and (draft.prose[end].isspace() or draft.prose[end] == JOINER):
        end += 1
    return end


def _previous_clause_end(draft: Draft, at: int) -> int | None:
    """End of the clause before a narrative citation; None within a clause."""
    head = draft.prose[max(0, at - _LOOKBEHIND) : at]
    match = re.search(
        r"[\s\u2060]*[,;:–—][\s\u2060]*(?:(?:and|but|while|whereas|although|though|however|yet|und|aber|"
        r"während|et|mais)[\s\u2060]+)?\Z|\s+(?:and|but|while|whereas|although|though)\s+\Z",
        head,
        re.IGNORECASE,
    )
    return max(0, at - _LOOKBEHIND) + match.start() if match else None


def _is_boundary(boundary: str) -> bool:
    return any(not char.isspace() and char != JOINER for char in boundary)


def _word_count(draft: Draft, start: int, end: int) -> int:
    return len(_WORD.findall(draft.plain(start, end)))


def _claim(draft: Draft, sentence: Span, part: Span, cited: tuple[CitedItem, ...]) -> Claim:
    start, end = part
    while end > start and (draft.prose[end - 1].isspace() and draft.text[end - 1].isspace()):
        end -= 1
    while start < end and (draft.prose[start].isspace() and draft.text[start].isspace()):
        start += 1
    return Claim(
        text=draft.plain(start, end),
        sentence=draft.plain(*sentence),
        start=start,
        end=end,
        begins=draft.position(start),
        ends=draft.position(end),
        cited=cited,
    )


def _has_words(draft: Draft, span: Span) -> bool:
    return bool(_WORD.search(draft.plain(*span)))


def _is_prose(draft: Draft, span: Span) -> bool:
    text = draft.prose[span[0] : span[1]]
    return PLACEHOLDER in text or any(char.isalpha() for char in text)


_FACT_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s?(?:%|per cent|percent))?")
_POINTER = re.compile(
    r"\b(?:fig(?:ure)?s?|tables?|tab|sec(?:tion)?s?|chapters?|eq(?:uation)?s?|appendix|step|part|"
    r"abbildung|tabelle|kapitel|abschnitt)\.?\s*\(?[\dIVX]+",
    re.IGNORECASE,
)
_SELF_REFERENCE = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|us|I|[Mm]y|"
    r"[Tt]his (?:paper|study|section|chapter|thesis|article|review|work)|"
    r"[Tt]he (?:next|following|present) (?:section|chapter)|[Ww]ir|[Uu]nsere?)\b"
)
_ASSERTION = re.compile(
    r"\b(?:increas|decreas|reduc|improv|caus|lead[s]? to|led to|predict|correlat|associat|affect|"
    r"prevent|outperform|exceed|doubl|halv|significan|more than|less than|higher|lower|faster|"
    r"slower|greater|fewer|most|majority|studies|research|evidence|known|shown|found|proven)",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\d\s?(?:%|per cent|percent)|\d\.\d")
# Words without which a sentence states nothing; a short one must give a value, or a number and
# what became of it.
_MIN_FACT_WORDS, _MIN_WORDS_OF_A_VALUE = 6, 3


def is_factual(text: str) -> bool:
    words = len(_FACT_WORD.findall(text))
    if text.rstrip().endswith("?") or _SELF_REFERENCE.search(text):
        return False
    without_pointers = _POINTER.sub("", text)
    number, assertion = _NUMBER.search(without_pointers), _ASSERTION.search(text)
    if words < _MIN_FACT_WORDS:
        gives_value = _MEASURED.search(without_pointers) or (number and assertion)
        return words >= _MIN_WORDS_OF_A_VALUE and bool(gives_value)
    return bool(number or assertion)


_TITLES = frozenset(
    """
    references|bibliography|works cited|literature cited|cited literature|reference list
    |list of references|further reading|literatur|literaturverzeichnis|quellenverzeichnis
    |quellen|références|bibliographie|bibliografía|referencias|bibliografia|referências
    |literatuur|литература|список литературы|参考文献
    """.replace("\n", "").split("|")
)
_FOLDED = frozenset(fold(title) for title in _TITLES)


def is_bibliography(title: str) -> bool:
    """``# References {.unnumbered}`` and the like, numbered or not."""
    words = title.split("{")[0].strip(" #*_:").lstrip("0123456789. ")
    return fold(words) in _FOLDED


class EvidenceQuote(Value):
    """A verbatim quote: ``text`` is ``start`` to ``end`` of the converted text of a document.

    ``page`` counts the pages of the file from 1, ``page_label`` is the printed one, where
    known; ``regions`` are the boxes of its lines. ``relevance`` is in 0..1. ``citation`` is
    ready to paste. ``text_uncertain``: the stored text of its page differs from another reading
    of it; None where that is not known.
    """

    text: str
    document_id: str
    citekey: str | None = None
    citation: str | None = None
    title: str | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    page_label: str | None = None
    regions: tuple[Region, ...] = ()
    section: str | None = None
    relevance: float = Field(ge=0, le=1)
    address: str
    knowledge_uri: str
    text_uncertain: bool | None = None


class QuoteDifference(Value):
    """A quotation that its source does not have. ``closest`` is the nearest text of the source
    (None without one), ``difference`` describes the change in words."""

    quote: str
    closest: str | None = None
    difference: str | None = None


class Finding(Value):
    """A claim against one of the works that it cites.

    ``written`` is what the draft has instead of a citation key (``Boeing, 2018``).
    ``basis`` and ``confidence`` are those of the judgement; quotations, pages and keys are
    compared exactly. ``locator`` is that of the draft, ``right_pages`` are the pages in the
    source (printed labels, else file pages). ``close_keys`` are known keys similar to an unknown
    one. ``better`` is evidence of another document of the project. ``cached``: reused from an
    earlier verification, since nothing changed. ``provisional``: by rules alone, since the model
    that was to judge gave no usable answer.
    """

    claim: Claim
    key: str
    written: str | None = None
    locator: str | None = None
    verdict: Verdict
    basis: Basis | None = Basis.EXACT
    confidence: float | None = Field(default=None, ge=0, le=1)
    reasons: tuple[str, ...] = ()
    document_id: str | None = None
    evidence: tuple[EvidenceQuote, ...] = ()
    right_pages: tuple[str, ...] = ()
    misquoted: tuple[QuoteDifference, ...] = ()
    close_keys: tuple[str, ...] = ()
    better: EvidenceQuote | None = None
    cached: bool = False
    provisional: bool = False


class Uncited(Value):
    """A factual sentence without citation, with candidate evidence."""

    claim: Claim
    candidates: tuple[EvidenceQuote, ...] = ()


class Verification(Value):
    """All findings of a draft, in its order; ``counts`` has every verdict. ``model`` is the
    embedding model, ``judge`` the version of the judge. ``claims`` counts the cited ones."""

    draft: str
    format: str
    project: str
    model: str
    judge: str
    claims: int
    counts: Mapping[Verdict, int]
    findings: tuple[Finding, ...]
    uncited: tuple[Uncited, ...] | None = None
    cached: int = 0
    duration_seconds: float = Field(ge=0)
    warnings: tuple[MessageText, ...] = ()


def verdict_counts(findings: Iterable[Finding]) -> dict[Verdict, int]:
    counts = Counter(finding.verdict for finding in findings)
    return {verdict: counts[verdict] for verdict in Verdict}


def judge_warnings(findings: Sequence[Finding], *, offers_judge: bool) -> Iterator[str]:
    """Warnings about provisional verdicts, and about undecided claims that a stronger judge could
    decide, if one can be set (``offers_judge``)."""
    if count := sum(finding.provisional for finding in findings):
        noun = "verdict is" if count == 1 else "verdicts are"
        yield f"{count} {noun} by rules alone: the model gave no usable answer; verify again"
    is_open = [one for one in findings if one.verdict is Verdict.NOT_ESTABLISHED and one.evidence]
    count = len({(one.claim.file, one.claim.start) for one in is_open})
    if count and offers_judge:
        text = f"{count} {'claim is' if count == 1 else 'claims are'} undecided"
        yield UserMessage(text, NextStep(Action.SET_JUDGE))
