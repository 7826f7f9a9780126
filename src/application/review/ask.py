"""The verb *ask*: an answer in sentences, each checked as in *verify* before it is shown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.models import PromptMessage, StreamingModel
from citeloom.application.ports.verification import Judge
from citeloom.application.search.query import Query
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.cited_documents import (
    CitedDocuments,
    EvidenceSearch,
    Sentence,
)
from citeloom.application.verification.claim_check import ClaimCheck
from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import CharSpan, ChunkKind
from citeloom.domain.errors import LanguageModelUnavailable
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import Project
from citeloom.domain.review.answer import (
    TASK,
    AnswerSentence,
    AskRequest,
    WrittenAnswer,
    WrittenText,
    dangling,
    request_text,
    sent_part,
)
from citeloom.domain.review.evidence.prompt_injection import is_prompt_injection
from citeloom.domain.review.evidence.quotable_sentences import LONGEST, is_fragment
from citeloom.domain.review.report.report import CitedSentence
from citeloom.domain.search.hits import key_sentence, text_below_headings
from citeloom.domain.search.request import QueryRequest, QueryResultItem
from citeloom.domain.text.phrasing import counted
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Claim,
    EvidenceQuote,
    Finding,
    Position,
)
from citeloom.domain.verification.verdict import Verdict

# Passages that are sent: with the rules some 1,300 tokens, which fit into the context of 2,048
# tokens that small models begin with, and leave room for the answer.
_PASSAGES = 6
_QUOTATIONS = 3
_NOT_AUTHORS = frozenset({ChunkKind.ANNOTATION, ChunkKind.REFERENCE})
# Labels in figures, authors with their affiliations, and headings state nothing.
_NO_STATEMENT = frozenset(
    {BlockLabel.TITLE, BlockLabel.AUTHORS, BlockLabel.SECTION_HEADER, BlockLabel.FIGURE_TEXT}
)
# Documents that a sentence without a citation is checked against.
_MOST_CHECKED = 3

# Least relevance of what is shown in the place of a sentence that fails.
_NEAR = 0.4

Told = Callable[[WrittenAnswer], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Searches, lets ``model`` write from the passages found, and checks each sentence. Without a
    model, or where no sentence holds, the answer is the nearest quotations."""

    catalogue: Catalogue
    bundles: BundleStore
    references: ReferenceReader
    searcher: Searcher
    query: Query
    judge: Judge
    model: StreamingModel | None

    @property
    def notice(self) -> str | None:
        """The notice of what is sent to which language model; None if nothing."""
        model = self.model
        where = f"{model.name} at {model.place}" if model else None
        return where and f"sending the question and the passages found to {where}"

    def __call__(self, request: AskRequest, told: Told = lambda _: None) -> WrittenAnswer:
        """``told`` hears the answer each time it has grown. Raises what a query raises; a failure
        of the model becomes a warning of the answer."""
        project = self.catalogue.project(request.project_id)
        result = self.query(
            QueryRequest(
                project_id=project.id,
                query_text=request.question,
                top_k=_PASSAGES,
                filter=request.filter,
            )
        )
        items = [one for one in result.items if one.kind not in _NOT_AUTHORS]
        model = self.model
        answer = WrittenAnswer(
            question=request.question,
            project=str(project.id),
            model=model.name if model and items else None,
            judge=self.judge.fingerprint,
            warnings=result.warnings,
        )
        evidence = _Evidence(self, project)
        if model is None:
            unset = "no language model is set: these are quotations"
            answer = answer.warned(UserMessage(unset, NextStep(Action.SET_LANGUAGE_MODEL)))
        if model is not None and items:
            told(answer)
            writing = _Writing(model, evidence, items)
            for longer in writing.answers(answer):
                answer = longer
                told(answer)
        if not answer.holds:
            shown = {one.quotation.text for one in answer.sentences if one.quotation}
            nearest = evidence.quotations(items)
            others = tuple(one for one in nearest if one.text not in shown)
            answer = answer.model_copy(update={"quotations": others})
        return answer


class _Evidence:
    """Evidence from the documents of a project: quotations and their checks."""

    def __init__(self, ask: Ask, project: Project) -> None:
        self._sources = CitedDocuments(
            project, catalogue=ask.catalogue, bundles=ask.bundles, references=ask.references
        )
        self._search = EvidenceSearch(project, ask.searcher, self._sources, ask.judge.sentences)
        self._check = ClaimCheck(self._sources, self._search, ask.judge)

    def quotations(self, items: Sequence[QueryResultItem]) -> tuple[EvidenceQuote, ...]:
        """The key sentences of the best passages, each once, whole sentences first."""
        quotes = {one.text: one for one in map(self.quotation, items) if one}
        whole_first = sorted(
            quotes.values(), key=lambda one: is_fragment(one.text, one.title or "")
        )
        return tuple(whole_first[:_QUOTATIONS])

    def quotation(self, item: QueryResultItem) -> EvidenceQuote | None:
        sentence, (start, end) = key_sentence(item), item.char_span
        document = self._sources.conversion(item.document_id)
        at = document.plain_text.find(sentence, start, end) if sentence else -1
        labels = {one.label for one in document.blocks if one.span.start <= at < one.span.end}
        if at < 0 or labels & _NO_STATEMENT:
            return None
        starts = (n for n, _ in sentence_spans(sentence))
        lost = next((n for n in starts if not is_fragment(sentence[n:], item.title or "")), 0)
        place = CharSpan(start=at + lost, end=at + len(sentence))
        found = self._search.around(item.document_id, place)
        if len(found.text) > LONGEST:  # of a long table the row that answers
            found = Sentence(sentence, item.document_id, at, place.end, 1.0, 1.0)
        score = round(min(1.0, max(0.0, item.score)), 4)
        return self._search.quote(found).model_copy(update={"relevance": score})

    def checked(self, sentence: CitedSentence, documents: Sequence[str]) -> AnswerSentence:
        """The sentence, with the first of the documents that supports it; else with what is
        nearest to it in the first one."""
        known = (documents[n - 1] for n in sentence.numbers if 0 < n <= len(documents))
        named = list(dict.fromkeys(known))
        findings: list[Finding] = []
        for id in named or list(dict.fromkeys(documents))[:_MOST_CHECKED]:
            findings.append(self._finding(sentence.text, id))
            if findings[-1].verdict is Verdict.SUPPORTED:
                break
        else:
            better = findings[0].better
            if better and better.document_id not in {one.document_id for one in findings}:
                findings.append(self._finding(sentence.text, better.document_id))
        first, last = findings[0], findings[-1]
        found = last if last.verdict is Verdict.SUPPORTED else first
        verdict, reasons = found.verdict, found.reasons
        if word := dangling(sentence.text):
            reasons = (f"“{word}” may mean something else here than in the paper.", *reasons)
            verdict = Verdict.NOT_ESTABLISHED if verdict is Verdict.SUPPORTED else verdict
        # The first weighs most, the last is that of a model that judged.
        shown = tuple(dict.fromkeys((*reasons[:1], *reasons[-1:])))
        near = 0.0 if verdict is Verdict.SUPPORTED else _NEAR
        return AnswerSentence(
            text=sentence.text,
            verdict=verdict,
            reasons=() if verdict is Verdict.SUPPORTED else shown,
            quotation=next((one for one in found.evidence[:1] if one.relevance >= near), None),
        )

    def _finding(self, text: str, document_id: str) -> Finding:
        at, document = Position(line=1, column=1), self._sources.stored(document_id)
        citation = document.citation if document else None
        item = CitedItem(key=citation.citekey if citation else document_id, start=0, end=0)
        claim = Claim(
            text=text, sentence=text, start=0, end=len(text), begins=at, ends=at, cited=(item,)
        )
        return self._check.finding(claim, item)


class _Writing:
    """One answer of a model, from passages that do not speak to one."""

    def __init__(
        self, model: StreamingModel, evidence: _Evidence, items: Sequence[QueryResultItem]
    ) -> None:
        self._model = model
        self._evidence = evidence
        self._items = [one for one in items if not is_prompt_injection(one.text)]
        self._not_sent = len(items) - len(self._items)

    def answers(self, answer: WrittenAnswer) -> Iterator[WrittenAnswer]:
        """The answer, each time that it has grown."""
        if self._not_sent:
            answer = answer.warned(
                f"passages with instructions to a language model were not sent: {self._not_sent}"
            )
        text = WrittenText(TASK, answer.question)
        for found in self._sentences(answer.question, text):
            if isinstance(found, LanguageModelUnavailable):
                kept = "the sentences above came before" if answer.sentences else "nothing came"
                answer = answer.warned(f"the answer is not complete: {found.message}; {kept}")
                continue
            documents = [one.document_id for one in self._items]
            sentence = self._evidence.checked(found, documents)
            answer = answer.model_copy(update={"sentences": (*answer.sentences, sentence)})
            yield answer
        yield answer.warned(*self._remarks(text, answer))

    def _sentences(
        self, question: str, text: WrittenText
    ) -> Iterator[CitedSentence | LanguageModelUnavailable]:
        """The sentences as they arrive, then the error that ended them, if any."""
        if not self._items:
            return
        passages = [sent_part(text_below_headings(one), key_sentence(one)) for one in self._items]
        messages = (
            PromptMessage(role="system", text=TASK),
            PromptMessage(role="user", text=request_text(question, passages)),
        )
        failure: LanguageModelUnavailable | None = None
        try:
            for piece in self._model.stream(messages):
                checkpoint()
                yield from text.add(piece)
                if text.is_over:
                    break
        except LanguageModelUnavailable as error:
            failure = error
        yield from text.end(cut=failure is not None)
        if failure is not None:
            yield failure

    def _remarks(self, text: WrittenText, answer: WrittenAnswer) -> Iterator[str]:
        name = self._model.name
        if text.declines and not answer.holds:
            yield f"{name} finds no answer in the passages; these are the nearest quotations"
        elif not answer.sentences and not text.is_empty:
            yield f"{name} wrote nothing that can be read as sentences about the papers"
        elif text.left_out:
            what = counted(text.left_out, "sentence")
            yield f"{what} of {name} left out: about the model itself, or addressed to the reader"
