"""The command ``ask``: sentences as they are written and checked, or quotations."""

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import JsonOption, ProjectOption
from citeloom.infrastructure.cli.shared.run import note, warn
from citeloom.infrastructure.cli.shared.terminal import flush, print_line
from citeloom.infrastructure.cli.shell import joined

if TYPE_CHECKING:
    from citeloom.domain.review.answer import AnswerSentence, WrittenAnswer
    from citeloom.domain.verification.drafts.draft import EvidenceQuote
    from citeloom.infrastructure.composition.application import Application

_INDENT = 4


def ask(
    opened: "Application",
    question: Annotated[
        list[str], typer.Argument(metavar="QUESTION…", help="The question; its words are joined.")
    ],
    project: ProjectOption = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", help="KEY=VALUE or KEY!=VALUE, repeatable, as in `citeloom query`."
        ),
    ] = None,
    quotes: Annotated[
        bool,
        typer.Option("--quotes", help="The best quotations alone; no model is asked."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Answer a question in sentences: the language model of [llm] writes them, and each is checked
    as by `citeloom verify`. One that fails is struck out, and what the paper says stands below it.
    Without a model: the best quotations."""
    from citeloom.domain.review.answer import AskRequest
    from citeloom.domain.search.filters import Filter, parse_clause
    from citeloom.infrastructure.cli.shared.output import print_json
    from citeloom.infrastructure.system.validated_request import build

    request = build(
        AskRequest,
        project_id=opened.projects.choice(project),
        question=joined(question),
        filter=Filter(clauses=tuple(parse_clause(one) for one in filters or ())),
        writes=not quotes,
    )
    if request.writes and (notice := opened.research.ask_notice()):
        note(f"citeloom: {notice}")
    shown = _Shown()
    answer = opened.research.ask(request, (lambda _: None) if as_json else shown.told)
    if as_json:
        print_json(answer)
    else:
        shown.end(answer)
    warn(answer.warnings)


class _Shown:
    """What is printed of an answer, sentence by sentence."""

    def __init__(self) -> None:
        self._printed = 0

    def told(self, answer: "WrittenAnswer") -> None:
        for one in answer.sentences[self._printed :]:
            _print_sentence(one)
            flush()
        self._printed = len(answer.sentences)

    def end(self, answer: "WrittenAnswer") -> None:
        self.told(answer)
        if answer.sentences and answer.quotations:
            print_line("None of these sentences holds. Nearest in the papers:")
        for quote in answer.quotations:
            _print_quotation(quote, indent=0)
        if not answer.sentences and not answer.quotations:
            print_line(f"Nothing was found for: {answer.question}")


def _print_sentence(sentence: "AnswerSentence") -> None:
    """With the citation of what bears it out; struck out, and the quotation, where nothing does."""
    from citeloom.infrastructure.cli.shared.output import console, print_styled

    out, quote = console(), sentence.quotation
    if sentence.holds and quote is not None:
        print_styled(out, (sentence.text, ""), ("  ", ""), (_source(quote), "bold cyan"))
        print_styled(out, (quote.address, "dim"), indent=_INDENT)
        out.print()
        return
    text = sentence.text if out.is_terminal else f"~~{sentence.text}~~"
    print_styled(out, (text, "strike dim"), (f"  {sentence.verdict.value}", "yellow"))
    for reason in sentence.reasons:
        print_styled(out, (reason, "dim"), indent=_INDENT)
    if quote is None:
        out.print()
    else:
        _print_quotation(quote, indent=_INDENT)


def _print_quotation(quote: "EvidenceQuote", *, indent: int) -> None:
    from citeloom.infrastructure.cli.shared.output import console, print_styled

    out, text = console(), " ".join(quote.text.split())
    print_styled(out, (f"“{text}”  ", ""), (_source(quote), "bold cyan"), indent=indent)
    print_styled(out, (quote.address, "dim"), indent=indent)
    out.print()


def _source(quote: "EvidenceQuote") -> str:
    from citeloom.domain.documents.fidelity import uncertain_mark

    return f"{quote.citation or quote.title or ''}{uncertain_mark(quote.text_uncertain)}"
