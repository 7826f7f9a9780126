"""The command ``evaluate``."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.option_groups import with_option_groups
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application, warn
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from citeloom.domain.evaluation.dataset import EvaluationResult, TuningReport


@dataclass(frozen=True)
class EvaluationOptions:
    """What is measured, and what is tuned."""

    split: Annotated[
        str | None, typer.Option(help="Relevance judgments to use: qrels/SPLIT.tsv.")
    ] = None
    modes: Annotated[
        str | None,
        typer.Option(help="Modes to measure, separated by commas. [default: all]"),
    ] = None
    limit_queries: Annotated[
        int | None, typer.Option(help="Ask the first N questions only.", min=1)
    ] = None
    model: Annotated[str | None, typer.Option(help="Embedding model of the project.")] = None
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


@with_option_groups
def evaluate(
    dataset: Annotated[
        Path,
        typer.Argument(
            help="Folder in BEIR layout: corpus.jsonl, queries.jsonl, and qrels.tsv or "
            "qrels/SPLIT.tsv."
        ),
    ],
    options: EvaluationOptions,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Measure retrieval quality and latency on a judged dataset.

    The documents are ingested into a temporary project and searched like any other project, with
    the settings of this workspace.
    """
    with application(workspace, as_json=as_json, owner="citeloom evaluate") as opened:
        from citeloom.application.evaluation.evaluate import EvaluationRequest
        from citeloom.infrastructure.cli.shared.progress import progress_display
        from citeloom.infrastructure.system.validated_request import build

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
            result = opened.evaluation.evaluate(request, progress)
        _show(result, as_json=as_json)


def _show(result: "EvaluationResult", *, as_json: bool) -> None:
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

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
    from citeloom.infrastructure.cli.shared.output import print_table, print_text

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
        print_line("not worth it: worse on the questions held out")
    else:
        lines = "\n".join(f"{name} = {weight:g}" for name, weight in tuning.after.items())
        print_text(f"to use them, put into citeloom.toml:\n[query]\n{lines}")


def _weights(weights: "Mapping[str, float]") -> str:
    return ", ".join(f"{name.removesuffix('_weight')} {value:g}" for name, value in weights.items())
