"""Model of a report: statements, source keys, citation markers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import Field, model_validator

from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, Source, SourceSpan
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.value import Value


def without(data: object, *names: str) -> object:
    """Stored data without fields of earlier versions."""
    if isinstance(data, dict):
        return {key: one for key, one in data.items() if key not in names}
    return data


class SubQuestion(Value):
    """A step of a plan: searched by ``queries``. A sentence is scored by the best answered of
    ``aspects`` (none: the first query). ``facets`` are terms that a model proposes. ``compared``
    are the names on both sides of a comparison: an answer speaks of both. ``asked`` is False for
    the additional steps of earlier versions."""

    title: str
    queries: tuple[str, ...] = Field(min_length=1)
    facets: tuple[str, ...] = ()
    asked: bool = True
    aspects: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        """Plans of earlier versions have the subject of a question that points back, which is
        part of its first query."""
        return without(data, "subject")

    @property
    def scored(self) -> tuple[str, ...]:
        """The texts that answers are scored against, whatever the queries."""
        return self.aspects or self.queries[:1]


class Gap(Value):
    """What a step asks for and the project lacks. ``absent`` are words that no passage has.
    ``elsewhere``: its evidence is quoted in earlier steps; ``unconfirmed``: it is not quoted, since
    another reading of its pages lacks it. ``compared`` are names that are compared, and no sentence
    speaks of both. If nothing was found, ``nearest`` are citations of the nearest passages, and
    ``shared`` the words of the step that these have."""

    step: int = Field(ge=0)
    elsewhere: bool = False
    unconfirmed: bool = False
    absent: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


class Plan(Value):
    """``failures`` are errors and their fallbacks."""

    question: str
    depth: Depth
    steps: tuple[SubQuestion, ...] = Field(min_length=1)
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class GatheredEvidence(Value):
    """Evidence of the steps: documents and verbatim spans. ``span.step_index`` is the step of a
    span. ``nearest`` are the spans that are near the question of a step without quotations, and
    were not recognised as answers."""

    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()
    nearest: frozenset[UUID] = frozenset()

    @property
    def answers(self) -> tuple[SourceSpan, ...]:
        """The spans that were recognised as answers."""
        return tuple(span for span in self.spans if span.id not in self.nearest)

    def nearest_of(self, step: int) -> tuple[SourceSpan, ...]:
        return tuple(
            span for span in self.spans if span.id in self.nearest and span.step_index == step
        )

    def extended(
        self,
        sources: Iterable[Source] = (),
        spans: Iterable[SourceSpan] = (),
        nearest: Iterable[SourceSpan] = (),
    ) -> "GatheredEvidence":
        """With more evidence; known sources and spans are replaced in place. A known span is not
        added as a nearest one."""
        answers = {span.id: span for span in spans}
        known = {span.id: span for span in self.spans} | answers
        near = {span.id: span for span in nearest if span.id not in known}
        return GatheredEvidence(
            sources=tuple({one.id: one for one in (*self.sources, *sources)}.values()),
            spans=(*known.values(), *near.values()),
            nearest=self.nearest - set(answers) | set(near),
        )

    def source_of(self, span: SourceSpan) -> Source:
        return next(source for source in self.sources if source.id == span.source_id)


class Statement(Value):
    """A sentence of a report without citation. ``spans`` support it, cited ones first.
    ``quoted``: it is the first span's quote, verbatim."""

    text: str = Field(min_length=1)
    spans: tuple[UUID, ...] = ()
    step_index: int = Field(ge=0)
    quoted: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        """Drafts of versions that judged agreement have a group and a stance."""
        return without(data, "group", "stance")


class ReportDraft(Value):
    """Statements in the order of the report. ``writer`` is ``extractive`` or a model's name;
    ``failures`` are errors and their fallbacks."""

    writer: str
    statements: tuple[Statement, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class Checked(Value):
    """A statement after its check: ``written`` before, ``statement`` after correction (None if
    removed). ``alternates`` support it too and are not cited. ``verdict`` is on the corrected or
    removed statement; ``as_written`` on the original one if a quotation replaced it.
    ``second_reading``: a quotation stands in another reading of its page, too; None if there is
    none to compare with."""

    written: Statement
    statement: Statement | None
    verdict: ClaimVerdict
    confidence: float = Field(ge=0, le=1)
    reasoning: str
    correction: Correction = Correction.KEEP
    alternates: tuple[UUID, ...] = ()
    as_written: ClaimVerdict | None = None
    second_reading: bool | None = None


_LONGEST: Final = 6
_NO_ADDRESS: Final = "Web"
_NO_TITLE: Final = "Doc"
_NEITHER: Final = "Source"
# A key has a letter; digits alone are a passage number.
_KEY: Final = re.compile(r"\[((?=[^\[\]\s]*[^\W\d_])\w[\w:.+/&#$%?<>~-]*)\]")


def domain_key(url: str) -> str:
    """The first label of a URL's host: ``https://arxiv.org/abs/1`` gives ``Arxiv``."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    first = re.sub(r"\W", "", host.removeprefix("www.").partition(".")[0])
    return first.capitalize() if first else _NO_ADDRESS


def title_key(title: str) -> str:
    """Letters and digits of the first word, at most six: ``GLM-4.7 Report`` gives ``GLM47``."""
    first = re.sub(r"[\W_]", "", (title.split() or [""])[0])
    return first[:_LONGEST] or _NO_TITLE


def parse_key(text: str) -> str | None:
    """The key of ``[Arxiv-2]``; None for a number, or without brackets."""
    match = _KEY.fullmatch(text)
    return match[1] if match else None


def source_key(source: Source) -> str:
    """The citation key of a source; else one from its URL; else one from its title."""
    if source.citekey:
        return source.citekey
    return derived_key(
        source.url if source.url.startswith(("http:", "https:")) else "", source.title
    )


def derived_key(url: str, title: str) -> str:
    """A key from URL or title, always with a letter, so that it is not a passage number."""
    if not url and not title.strip():
        return _NEITHER
    key = domain_key(url) if url else title_key(title)
    return f"{_NO_TITLE}{key}" if key.isdecimal() else key


def distinct_keys(keys: Iterable[str]) -> list[str]:
    """The keys in order, repeated ones numbered: ``Arxiv-2``."""
    used: set[str] = set()
    distinct = []
    for key in keys:
        candidate, number = key, 1
        while candidate in used:
            number += 1
            candidate = f"{key}-{number}"
        used.add(candidate)
        distinct.append(candidate)
    return distinct


def keys_of(sources: Iterable[Source]) -> dict[UUID, str]:
    """A distinct key for each source, by its id."""
    sources = tuple(sources)
    keys = distinct_keys(source_key(source) for source in sources)
    return {source.id: key for source, key in zip(sources, keys, strict=True)}


_NUMBER: Final = re.compile(r"\[(\d{1,6})\]")
# [0], [0, 2], [Arxiv-2], [@smith2020; 3].
_BRACKETS: Final = re.compile(r"\[([^\[\]\n]{1,200})\]")
_LEADING_CITATIONS: Final = re.compile(r"(?:\s*\[[^\[\]\n]{1,200}\])+\s*")
_SEPARATOR: Final = re.compile(r"\s*[,;]\s*")
_SPACE_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!?])")
_LIST_ITEM: Final = re.compile(r"\A\s*(?:[-*•]|\d{1,3}[.)])\s+")
_HEADING: Final = re.compile(r"\A\s*#{1,6}\s")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class CitedSentence(Value):
    """A sentence without its citation markers; ``numbers`` and ``keys`` are the distinct cited
    ones, in order."""

    text: str
    numbers: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()


def replace_markers(text: str, keys: Mapping[int, str]) -> str:
    """``[0]`` becomes ``[Arxiv]`` where ``keys`` has 0; other numbers stay as they are, so that
    a reader sees it."""

    def key(found: re.Match[str]) -> str:
        known = keys.get(int(found[1]))
        return f"[{known}]" if known is not None else found[0]

    return _NUMBER.sub(key, text)


def cited_sentences(text: str) -> tuple[CitedSentence, ...]:
    """The sentences of running text, line by line, with their citations; headings and lines
    without words are skipped. A citation after the full stop belongs to the sentence before."""
    sentences: list[CitedSentence] = []
    for line in text.splitlines():
        if _HEADING.match(line):
            continue
        body = _LIST_ITEM.sub("", line)
        pieces = [body[start:end] for start, end in sentence_spans(body)]
        for number, piece in enumerate(pieces):
            sentence = read_citations(piece)
            # "One. [0] Two. [1]": the sentence before ended without its citation.
            leading = _LEADING_CITATIONS.match(piece) if number else None
            if leading and not (sentences[-1].numbers or sentences[-1].keys):
                citations = read_citations(leading[0])
                sentences[-1] = sentences[-1].model_copy(
                    update={"numbers": citations.numbers, "keys": citations.keys}
                )
                sentence = read_citations(piece[leading.end() :])
            if _WORD.search(sentence.text):
                sentences.append(sentence)
    return tuple(sentences)


def read_citations(sentence: str) -> CitedSentence:
    """Parse one sentence; brackets with anything but numbers and keys stay in its text."""
    numbers: dict[int, None] = {}
    keys: dict[str, None] = {}

    def collect(match: re.Match[str]) -> str:
        parts = _SEPARATOR.split(match[1].strip())
        markers = [_parse_marker(part) for part in parts]
        if any(marker is None for marker in markers):
            return match[0]
        for marker in markers:
            if isinstance(marker, int):
                numbers[marker] = None
            elif marker is not None:
                keys[marker] = None
        return ""

    text = " ".join(_BRACKETS.sub(collect, sentence).split())
    return CitedSentence(
        text=_SPACE_BEFORE_STOP.sub("", text).strip(), numbers=tuple(numbers), keys=tuple(keys)
    )


def _parse_marker(part: str) -> int | str | None:
    if part.isascii() and part.isdecimal():
        return int(part) if len(part) <= 6 else None
    return parse_key(f"[{part.removeprefix('@')}]")


def normalized_text(statement: Statement) -> str:
    """The text by which repetitions are recognised: casefolded, single spaces."""
    return " ".join(statement.text.casefold().split())


def deduplicated(checked: Iterable[Checked]) -> Iterator[Checked]:
    """The statements in order; one whose text is contained in an earlier one is removed, as when
    several sentences are replaced by the same quotation."""
    texts: list[str] = []
    for one in checked:
        if one.statement is None:
            yield one
            continue
        text = normalized_text(one.statement)
        if any(text in earlier for earlier in texts):
            reasoning = f"{one.reasoning} The report says so already."
            yield one.model_copy(
                update={"statement": None, "correction": Correction.REMOVE, "reasoning": reasoning}
            )
            continue
        texts.append(text)
        yield one
