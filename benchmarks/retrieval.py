"""How well judged questions are answered, through the product's own path, beside its peers.

usage: python benchmarks/retrieval.py DATASET [--split NAME] [--keep FOLDER] [--modes A,B]
           [--documents N] [--terms 200] [--untuned] [--peers PYTHON] [--json FILE]

DATASET is a folder in BEIR layout. With --keep its project stays in FOLDER, which may be one
that `citeloom evaluate DATASET --keep FOLDER` has filled: then nothing is embedded. --documents
takes the first so many documents only, to try the benchmark out. PYTHON is the interpreter of
an environment with benchmarks/requirements.txt. Prints Markdown tables.

quality      `citeloom evaluate`, default settings. peers: BM25 alone by bm25s (Snowball stems,
             English stop words) and dense alone by fastembed (the bundled model's weights, each
             document one text, cut at the model's window), on the same documents.
tuning       weights of the fusion searched on one half of the questions and measured on the
             other, and the other way round: what a project gains that tunes its own.
exact terms  questions that are one term of the documents with a digit, a Greek letter or
             capitals within (IL-6, p53, TGF-β), which one to three documents have; right are the
             documents that have it. Without reranking. *better* is the share of questions where
             nDCG@10 is above dense's, *worse* where it is below, *empty* how many find nothing
             where dense does.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from retrieval_peers import exact_terms, sample

from citeloom.infrastructure.composition.application import Application, open_application
from citeloom_evaluation.application.evaluate import EvaluationRequest, Trial, records_of
from citeloom_evaluation.composition import EvaluationVerbs
from citeloom_evaluation.domain.dataset import DEPTH, Dataset, EvaluationResult, Judgments, Quality
from citeloom_evaluation.domain.ranking_quality import mean_ndcg, ranking_quality
from citeloom_evaluation.domain.tuning import (
    rank_records,
    search_weights,
    split_judgments,
    weights_of,
    with_weights,
)
from citeloom_evaluation.infrastructure import read_beir

HERE = Path(__file__).resolve().parent
PLACES = 10
Rankings = Mapping[str, Sequence[str]]


def quality_table(result: EvaluationResult, peers: Mapping[str, Quality]) -> str:
    lines = [
        f"### {result.dataset}: {result.documents:,} documents, {result.queries:,} questions, "
        f"{result.model}",
        "",
        "| | nDCG@10 | recall@10 | recall@100 | MRR | p50 ms | p95 ms |",
        "|---|" + "---:|" * 6,
    ]
    times = {name: f"{one.p50_ms:.0f} | {one.p95_ms:.0f}" for name, one in result.modes.items()}
    for name, one in {**result.modes, **peers}.items():
        figures = (one.ndcg_10, one.recall_10, one.recall_100, one.mrr)
        cells = " | ".join(f"{figure:.4f}" for figure in figures)
        lines.append(f"| {name} | {cells} | {times.get(name, '– | –')} |")
    return "\n".join([*lines, *(f"\n{warning}" for warning in result.warnings)])


def tuning_table(opened: Application, trial: Trial, dataset: Dataset) -> str:
    """Weights searched on each half, and both halves' gain on the other."""
    records, ranker = records_of(trial), trial.rankers["hybrid"]
    pools = {one.id: ranker.pool(one.text, DEPTH, records) for one in dataset.questions}
    policy = opened.search.searcher.policy(trial.catalogue.project(trial.project_id))
    before = weights_of(policy)

    def score(weights: Mapping[str, float], judgments: Judgments) -> float:
        tried = with_weights(policy, weights)
        rankings = {id: rank_records(pools[id], tried, PLACES) for id in judgments}
        return mean_ndcg(judgments, rankings, PLACES)

    halves = split_judgments(dataset.judgments)
    lines = [
        "| searched on | weights | nDCG@10 there | on the other half | with the defaults |",
        "|---|---|---:|---:|---:|",
    ]
    held_out = []
    for name, (here, there) in (("first half", halves), ("second half", halves[::-1])):
        found = search_weights(before, lambda weights, judged=here: score(weights, judged))
        held_out.append(score(found, there) * len(there))
        weights = ", ".join(f"{k.removesuffix('_weight')} {v:.3g}" for k, v in found.items())
        lines.append(
            f"| {name} ({len(here)}) | {weights} | {score(found, here):.4f} | "
            f"{score(found, there):.4f} | {score(before, there):.4f} |"
        )
    both = sum(held_out) / len(dataset.judgments)
    default = ", ".join(f"{k.removesuffix('_weight')} {v:.3g}" for k, v in before.items())
    whole = score(before, dataset.judgments)
    return "\n".join([*lines, "", f"Cross-validated {both:.4f}; defaults ({default}) {whole:.4f}."])


def exact_table(rankings: Mapping[str, Rankings], terms: Mapping[str, set[str]]) -> str:
    judgments = {term: dict.fromkeys(sorted(having), 1) for term, having in terms.items()}
    alone = {
        name: {t: mean_ndcg({t: judgments[t]}, {t: found[t]}, PLACES) for t in judgments}
        for name, found in rankings.items()
    }
    lines = [
        f"### {len(terms)} exact terms",
        "",
        "| | nDCG@10 | recall@10 | better than dense | worse | empty |",
        "|---|" + "---:|" * 5,
    ]
    dense = alone["dense"]
    for name, scores in alone.items():
        found = rankings[name]
        quality = ranking_quality(judgments, found)
        better = sum(scores[t] > dense[t] for t in judgments) / len(judgments)
        worse = sum(scores[t] < dense[t] for t in judgments) / len(judgments)
        empty = sum(bool(rankings["dense"][t]) and not found[t] for t in judgments)
        lines.append(
            f"| {name} | {quality.ndcg_10:.4f} | {quality.recall_10:.4f} | {better:.1%} | "
            f"{worse:.1%} | {empty} |"
        )
    return "\n".join(lines)


def peer_rankings(
    folder: Path, dataset: Path, questions: Mapping[str, str], peers: str | None
) -> dict[str, Rankings]:
    """By peer. Dense runs in this environment, which has fastembed; its vectors of the
    documents are kept in ``folder``."""
    if not peers:
        return {}
    asked = folder / "peer-questions.json"
    asked.write_text(json.dumps(questions), encoding="utf-8")
    found: dict[str, Rankings] = {}
    for name, python in (("bm25s", peers), ("fastembed", sys.executable)):
        command = [python, str(HERE / "retrieval_peers.py"), name, str(dataset), str(folder)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found[f"{name}, alone"] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--split")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--modes", default="", help="with commas between; all if left out")
    parser.add_argument("--documents", type=int, help="the first so many documents only")
    parser.add_argument("--terms", type=int, default=200)
    parser.add_argument("--untuned", action="store_true", help="do not search weights")
    parser.add_argument("--peers", help="interpreter with the peers")
    parser.add_argument("--json", type=Path, help="write what evaluate measured to this file")
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d} {platform.platform()} {os.cpu_count()} processors, "
          f"load {os.getloadavg()[0]:.1f}\n")  # fmt: skip
    with ExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        keep = options.keep.expanduser().absolute() if options.keep else temporary / "project"
        keep.mkdir(parents=True, exist_ok=True)
        folder = options.dataset
        if options.documents:
            folder = sample(folder, keep / f"first-{options.documents}", options.documents)
        opened = open_application(temporary)
        stack.callback(opened.close)
        modes = tuple(filter(None, options.modes.split(",")))
        result = EvaluationVerbs(opened).evaluate(
            EvaluationRequest(dataset=folder, split=options.split, modes=modes, keep=keep)
        )
        if options.json:
            options.json.write_text(result.model_dump_json(by_alias=True), encoding="utf-8")
        dataset = read_beir(folder, options.split)
        terms = exact_terms(folder, options.terms)
        questions = {one.id: one.text for one in dataset.questions}
        peers = peer_rankings(keep, folder, questions | {t: t for t in terms}, options.peers)
        scored = {
            name: ranking_quality(dataset.judgments, {q: ranks[q] for q in questions})
            for name, ranks in peers.items()
        }
        print(quality_table(result, scored), flush=True)
        with EvaluationVerbs(opened).trial(dataset, keep) as trial:
            records = records_of(trial)
            if not options.untuned:
                print(f"\n{tuning_table(opened, trial, dataset)}", flush=True)
            rankings: dict[str, Rankings] = {
                name: {term: ranker.rank(term, DEPTH, records) for term in terms}
                for name, ranker in trial.rankers.items()
                if not name.endswith("+rerank")
            }
        print(f"\n{exact_table(rankings | peers, terms)}")


if __name__ == "__main__":
    main()
