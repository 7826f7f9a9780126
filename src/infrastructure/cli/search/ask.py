"""The command ``ask``: sentences as they are written and checked, or quotations."""

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import FiltersOption, JsonOption, ProjectOption
from citeloom.infrastructure.cli.shared.output import console, print_json, print_styled
from citeloom.infrastructure.cli.shared.run import note, warn
from citeloom.infrastructure.cli.shared.terminal import flush, print_line
from citeloom.infrastructure.cli.shell import joined

if TYPE_CHECKING:
    from citeloom.domain.review.answer import AnswerSentence, WrittenAnswer
    from citeloom.infrastructure.composition.application import Application


def ask(
    opened: "Application",
    question: Annotated[
        list[str], typer.Argument(metavar="QUESTION…", help="The question; its words are joined.")
    ],
    project: ProjectOption = None,
    filters: FiltersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question in sentences: the language model of [llm] writes them, and each is checked
    as by `citeloom verify`. A sentence that fails is struck out, with the paper's words below it.
    Without a model: the best quotations."""
    from citeloom.domain.review.answer import AskRequest
    from citeloom.domain.search.filters import Filter, parse_clause
    from citeloom.infrastructure.system.validated_request import build

    request = build(
        AskRequest,
        project_id=opened.projects.choice(project),
        question=joined(question),
        filter=Filter(clauses=tuple(parse_clause(one) for one in filters or ())),
    )
    for notice in filter(None, (opened.research.ask.notice, opened.verification.model_notice())):
        note(f"citeloom: {notice}")
    printed = 0

    def told(answer: "WrittenAnswer") -> None:
        nonlocal printed
        for one in () if as_json else answer.sentences[printed:]:
            _print_sentence(one)
            flush()
        printed = len(answer.sentences)

    answer = opened.research.ask(request, told)
    warn(answer.warnings)  # whether the papers answer it at all comes before what is nearest
    print_json(answer) if as_json else _print_quotations(answer)


def _print_sentence(sentence: "AnswerSentence") -> None:
    """With the citation of its support; struck out, with the quotation, without support."""
    from citeloom.infrastructure.cli.views.verification import quoted, source

    out, quote = console(), sentence.quotation
    if sentence.holds and quote is not None:
        print_styled(out, (f"{sentence.text} ", ""), (source(quote), "cyan"))
    else:
        text = sentence.text if out.is_terminal else f"~~{sentence.text}~~"
        print_styled(out, (text, "strike dim"), (f" {sentence.verdict.value}", "yellow"))
        for reason in sentence.reasons:
            print_styled(out, (reason, "dim"), indent=4)
        if quote is not None:
            print_styled(out, (quoted(quote), ""), indent=4)
    out.print()


def _print_quotations(answer: "WrittenAnswer") -> None:
    from citeloom.infrastructure.cli.views.verification import quoted

    out = console()
    if answer.sentences and answer.quotations:
        print_line("None of these sentences is supported. Nearest in the papers:")
    for quote in answer.quotations:
        print_styled(out, (quoted(quote), ""))
        out.print()
    if not answer.sentences and not answer.quotations:
        print_line(f"Nothing was found for: {answer.question}")
