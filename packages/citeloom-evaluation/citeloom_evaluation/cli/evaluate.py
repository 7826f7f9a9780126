"""The command ``evaluate``."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.cli.shared.options import (
    JsonOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.output import print_json, print_table, print_text
from citeloom.infrastructure.cli.shared.progress import progress_display
from citeloom.infrastructure.cli.shared.run import application, note, warn
from citeloom.infrastructure.cli.shared.terminal import is_terminal, print_line
from citeloom.infrastructure.cli.shell import offer_models

if TYPE_CHECKING:
    from collections.abc import Mapping

    from citeloom.infrastructure.composition.application import Application
    from citeloom_evaluation.domain.dataset import EvaluationResult, TuningReport


@dataclass(frozen=True)
class EvaluationOptions:
    """What to measure and what to tune."""

    split: Annotated[
        str | None, typer.Option(help="Relevance judgments to use: qrels/SPLIT.tsv.")
    ] = None
    modes: Annotated[
        str | None,
        typer.Option(help="Modes to measure, separated by commas. [default: all]"),
    ] = None
    limit_queries: Annotated[
        int | None, typer.Option(help="Take the first N questions (or claims) only.", min=1)
    ] = None
    model: Annotated[
        str | None,
        typer.Option(autocompletion=offer_models, help="Embedding model of the project."),
    ] = None
    sentences: Annotated[
        bool | None,
        typer.Option(
            "--sentences/--no-sentences", help="Embed each sentence too. [default: --sentences]"
        ),
    ] = None
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Tune fusion weights (and the reranker weight, if a mode uses it) on half of the "
            "questions. A project kept with --keep then uses them.",
        ),
    ] = False
    tune_split: Annotated[
        str | None,
        typer.Option(help="Tune on this split instead of half of the questions (implies --tune)."),
    ] = None
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Folder in which to keep the project, so that the next run skips the ingest."
        ),
    ] = None


def evaluate(
    options: EvaluationOptions,
    dataset: Annotated[
        Path | None,
        typer.Argument(
            help="Folder in BEIR layout: corpus.jsonl, queries.jsonl, and qrels.tsv or "
            "qrels/SPLIT.tsv."
        ),
    ] = None,
    claims: Annotated[
        Path | None,
        typer.Option(
            help="Measure the judge of claims instead, on JSON lines of claim, evidence (sentences "
            "or a text) and label (SUPPORT, CONTRADICT, NEI)."
        ),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Measure retrieval quality and latency on a judged dataset, or with --claims the verdicts of
    the judge of verify on labelled claims.

    The documents are ingested into a temporary project and searched like any other project, with
    the settings of this workspace.
    """
    with application(workspace, as_json=as_json, owner="citeloom evaluate") as opened:
        if claims is not None:
            _evaluate_claims(opened, claims, dataset, options, as_json=as_json)
            return
        if dataset is None:
            raise InvalidRequest(
                "nothing to measure; name a dataset folder, or a file with --claims",
                parameter="dataset",
            )
        from citeloom.infrastructure.system.validated_request import build
        from citeloom_evaluation.application.evaluate import EvaluationRequest

        request = build(
            EvaluationRequest,
            dataset=dataset,
            split=options.split,
            modes=tuple(filter(None, (options.modes or "").replace(" ", "").split(","))),
            limit=options.limit_queries,
            model=options.model,
            sentences=options.sentences,
            tune=options.tune or options.tune_split is not None,
            tune_split=options.tune_split,
            keep=options.keep,
        )
        with progress_display(many=True) as progress:
            from citeloom_evaluation.composition import EvaluationVerbs

            result = EvaluationVerbs(opened).evaluate(request, progress)
        _show(result, as_json=as_json)


def _evaluate_claims(
    opened: "Application",
    claims: Path,
    dataset: Path | None,
    options: EvaluationOptions,
    *,
    as_json: bool,
) -> None:
    from citeloom_evaluation.application.evaluate_claims import ClaimEvaluationRequest

    from .claims_view import print_evaluation, show_progress

    about_search = replace(options, limit_queries=None, model=None)
    if dataset is not None or about_search != EvaluationOptions():
        raise InvalidRequest(
            "--claims measures only the judge: combine it with --limit-queries, --model or --json",
            parameter="claims",
        )
    request = ClaimEvaluationRequest(
        claims=claims, limit=options.limit_queries, model=options.model
    )
    if notice := opened.verification.model_notice():
        note(f"citeloom: {notice}")
    from citeloom_evaluation.composition import EvaluationVerbs

    result = EvaluationVerbs(opened).claims(request, show_progress if is_terminal() else None)
    warn(result.warnings)
    if as_json:
        print_json(result)
    else:
        print_evaluation(result)


def _show(result: "EvaluationResult", *, as_json: bool) -> None:
    warn(result.warnings)
    if as_json:
        print_json(result)
        return
    ingest = result.ingest
    print_line(
        f"{result.dataset}: {result.documents} documents ({ingest.chunks} passages, "
        f"{ingest.added} ingested in {ingest.seconds:.1f} s), {result.queries} questions, "
        f"{result.model}"
    )
    columns = ("Mode", "nDCG@10", "Recall@10", "Recall@100", "MRR", "p50 ms", "p95 ms")
    rows = [
        (
            mode,
            *(f"{value:.4f}" for value in (one.ndcg_10, one.recall_10, one.recall_100, one.mrr)),
            *(f"{value:.1f}" for value in (one.p50_ms, one.p95_ms)),
        )
        for mode, one in result.modes.items()
    ]
    print_table(None, columns, rows)
    for tuning in (result.tuning, result.rerank_tuning):
        if tuning is not None:
            _show_tuning(tuning)


def _show_tuning(tuning: "TuningReport") -> None:
    rows = [
        (name, _weights(weights), f"{train:.4f}", f"{held_out:.4f}")
        for name, weights, train, held_out in (
            ("before", tuning.before, tuning.train_before, tuning.held_out_before),
            ("after", tuning.after, tuning.train_after, tuning.held_out_after),
        )
    ]
    searched = f"nDCG@10, {tuning.train_queries} searched on"
    print_table(None, ("", "Weights", searched, f"{tuning.held_out_queries} held out"), rows)
    if tuning.kept:
        print_line("written to the project")
    elif tuning.after == tuning.before:
        print_line("no other weights do better")
    elif tuning.held_out_after < tuning.held_out_before:
        print_line("not worth it: worse on the held-out questions")
    else:
        lines = "\n".join(f"{name} = {weight:g}" for name, weight in tuning.after.items())
        print_text(f"to use them, put into citeloom.toml:\n[query]\n{lines}")


def _weights(weights: "Mapping[str, float]") -> str:
    return ", ".join(f"{name.removesuffix('_weight')} {value:g}" for name, value in weights.items())
