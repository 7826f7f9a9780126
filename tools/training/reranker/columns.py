"""Train the last three layers of the reader of columns; the first three are the reranker's.

    python columns.py --shipped DATA --tokenizer tokenizer.json --workspace WS --project NAME ...
        --abstracts SCITLDR --out columns.onnx

DATA is the folder of the reranker's graphs. The papers of ``written/columns.jsonl`` are in the
projects of the workspace, SCITLDR is the folder ``SciTLDR-A``. A group is a sentence that answers
and four that do not, three of them by what the model last gave them; a question that a paper does
not answer has five. One group in five is a question on an abstract (``written/abstracts*.jsonl``).
"""

import argparse
import hashlib
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

import network
from citeloom.application.review.cells import _in_context
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application
from further import shipped
from graph import EXIT, build
from model import CrossEncoder, Shape
from pairs import PairTokens

HERE = Path(__file__).resolve().parent
GROUPS, SIZE, HARD, ABSTRACTS = 12, 5, 3, 0.2
POINTWISE, ANY, MAX_TOKENS, PLACES = 0.5, 0.4, 128, 192


class Question:
    """What is asked of one text: sentences that answer, those that do not, and what the model last
    gave the latter."""

    def __init__(self, text: str, right: Sequence[str], wrong: Sequence[str]) -> None:
        self.text, self.right, self.wrong = text, right, wrong
        self.odds = np.zeros(len(wrong))

    def group(self, rng: random.Random) -> tuple[list[str], list[int]]:
        """Sentences, the one that answers first, and the places of the others."""
        first = (
            []
            if not self.right
            else [self.right[0] if rng.random() < 0.5 else rng.choice(self.right)]
        )
        likely = np.exp(np.clip(self.odds - self.odds.max(), -8, 0)) + 1e-6
        chosen = np.random.choice(len(likely), HARD, replace=False, p=likely / likely.sum())
        places = set(chosen.tolist())
        while len(places) < SIZE - len(first):
            places.add(rng.randrange(len(self.wrong)))
        return [*first, *(self.wrong[n] for n in places)], list(places)


def on_papers(workspace: Path, projects: Sequence[str]) -> Iterator[Question]:
    """The written questions, with the sentences as the product reads them."""
    application = open_application(workspace)
    sentences: dict[str, list[tuple[str, str]]] = {}
    for name in projects:
        project = application.stores.catalogue.project(ProjectId.parse(name))
        reader: Any = application.research.cell_reader(project, "extractive")
        for document in application.stores.catalogue.documents(project.id):
            found = reader.evidence.sentences("What is it about?", document.document_id, 400)
            place = PurePath(document.path or "").name
            sentences.setdefault(place, [(one.text, _in_context(one)) for one in found])
    application.close()
    for line in (HERE / "written/columns.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        for text, answers in row["asked"].items():
            here = sentences.get(row["document"], [])
            right = [read for said in answers for text, read in here if text.startswith(said)]
            wrong = [read for text, read in here if not text.startswith(tuple(answers))]
            if len(wrong) > SIZE and len(right) >= len(answers):
                yield Question(text, right, wrong)


def on_abstracts(folder: Path) -> Iterator[Question]:
    sources: dict[str, list[str]] = {}
    for part in ("train", "dev", "test"):
        for line in (folder / f"{part}.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            sources[f"abs:{row['paper_id']}"] = [one.strip() for one in row["source"]]
    for path in sorted((HERE / "written").glob("abstracts*.jsonl")):
        for line in path.open(encoding="utf-8"):
            row = json.loads(line)
            every = sources.get(row["source"], [])
            for text, answers in row["asked"].items():
                right = [every[n] for n in answers if n < len(every)]
                wrong = [one for n, one in enumerate(every) if n not in answers]
                if len(wrong) >= SIZE:
                    yield Question(text, right, wrong)


def logits(model: network.Network, tokens: PairTokens, pairs: Sequence[tuple[str, str]]) -> Tensor:
    encoded = [tokens.encode(*pair) for pair in pairs]
    order = sorted(range(len(encoded)), key=lambda n: len(encoded[n][0]))
    found = []
    for at in range(0, len(order), 16):
        ids, segments = tokens.batch([encoded[n] for n in order[at : at + 16]])
        found.append(model(ids, segments))
    return torch.cat(found)[torch.tensor(order).argsort()]


def loss_of(found: Tensor, answered: Tensor, offset: Tensor) -> Tensor:
    """Of the order, of each sentence, and of whether any answers."""
    entropy = functional.binary_cross_entropy_with_logits
    listwise = -functional.log_softmax(found, 1)[:, 0] * answered
    truth = torch.zeros_like(found)
    truth[:, 0] = answered
    point = entropy(found, truth, reduction="none").mean(1)
    whole = entropy(torch.logsumexp(found, 1) + offset, answered, reduction="none")
    return (listwise + POINTWISE * point + ANY * whole).mean()


def train(model: network.Network, tokens: PairTokens, papers: list[Question],
          abstracts: list[Question], seconds: float, rate: float) -> None:  # fmt: skip
    rng, offset = random.Random(3), torch.tensor(0.0, requires_grad=True)
    parts = ("pool", "score", "factor", *(f"layers.{n}." for n in range(EXIT, 6)))
    for name, value in model.named_parameters():
        value.requires_grad_(name.startswith(parts))
    learnt = [value for value in model.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": learnt, "of": rate}, {"params": [offset], "of": 1e-2, "weight_decay": 0}],
        lr=rate, weight_decay=0.01,
    )  # fmt: skip
    model.train()
    began, waiting = time.time(), list[Question]()
    while (share := (time.time() - began) / seconds) < 1:
        for part in optimiser.param_groups:
            part["lr"] = part["of"] * max(0.02, min((share + 0.003) / 0.05, (1 - share) / 0.6, 1))
        drawn = []
        for _ in range(GROUPS):
            waiting = waiting or rng.sample(papers, len(papers))
            one = rng.choice(abstracts) if rng.random() < ABSTRACTS else waiting.pop()
            drawn.append((one, *one.group(rng)))
        pairs = [(one.text, text) for one, texts, _ in drawn for text in texts]
        found = logits(model, tokens, pairs).view(GROUPS, SIZE)
        for (one, _, places), row in zip(drawn, found.detach().numpy(), strict=True):
            one.odds[places] = row[-len(places) :]
        answered = torch.tensor([float(bool(one.right)) for one, _, _ in drawn])
        loss_of(found, answered, offset).backward()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("shipped", "tokenizer", "workspace", "abstracts", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--project", action="append", required=True)
    parser.add_argument("--minutes", type=float, default=50)
    parser.add_argument("--rate", type=float, default=1e-4)
    options = parser.parse_args()
    torch.manual_seed(3)
    np.random.seed(3)
    network.PLACES = PLACES
    model = network.Network(0.1)
    model.load_state_dict(shipped(options.shipped))
    papers = list(on_papers(options.workspace, options.project))
    abstracts = list(on_abstracts(options.abstracts))
    print(len(papers), "questions on papers,", len(abstracts), "on abstracts")
    tokens = PairTokens(options.tokenizer, MAX_TOKENS)
    train(model, tokens, papers, abstracts, 60 * options.minutes, options.rate)
    exported = CrossEncoder(Shape(positions=PLACES), 0.0)
    exported.load_state_dict(model.state_dict())
    _, rest = build(exported.eval(), "dynamic")
    options.out.write_bytes(rest.SerializeToString())
    print(options.out, hashlib.sha256(options.out.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
