"""One candidate: ``python train.py '{"name": …}'``; the keys are those of ``DEFAULTS``."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from making import KINDS
from network import Verdicts, start
from parts import Encoder, load
from scores import figures

BASE = {"sentences": .26, "several": .07, "fever": .10, "findings": .05, "negations": .03,
        "titles": .09, "conclusions": .03, "answers": .02, "written": .32, "claims": .03,
        "entailments": .12
}  # fmt: skip
LAST = {"sentences": .14, "several": .06, "fever": .05, "findings": .02, "negations": .02,
        "titles": .08, "conclusions": .02, "answers": .02, "written": .55, "claims": .04,
        "entailments": .06
}  # fmt: skip
HEAVY = LAST | {"sentences": 0.08, "titles": 0.05, "written": 1.2}
RULES = BASE | {"written": 0.05}
MIXES = {"base": BASE, "last": LAST, "heavy": HEAVY, "rules": RULES}
DEFAULTS: dict[str, Any] = {
    "name": "", "work": "", "data": "", "start": "", "tokenizer": "", "seed": 1, "fold": -1,
    "rate": 2.5e-4, "batch": 256, "seconds": 60.0, "until": 0.0, "mixes": ["base", "last"],
    "turn": 0.65, "teachers": [], "init": "", "steps": 0, "dropout": 0.1,
    "smoothing": 0.05, "decay": 0.01,
}  # fmt: skip


class Store:
    """All pairs, on the device."""

    def __init__(self, folder: Path, device: str, fold: int) -> None:
        parts = [np.load(path) for path in sorted(folder.glob("part-*-[0-9].npz"))]
        one = {n: np.concatenate([part[n] for part in parts]) for n in parts[0].files}
        self.lengths = one["lengths"].astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self._flat = torch.from_numpy(one["ids"]).to(device)
        self._offsets = torch.from_numpy(offsets).to(device)
        self._lengths = torch.from_numpy(self.lengths).to(device)
        self._borders = torch.from_numpy(one["borders"].astype(np.int64)).to(device)
        self.labels = torch.from_numpy(one["labels"].astype(np.int64)).to(device)
        allowed = one["folds"] != fold if fold >= -1 else one["folds"] == -1
        if fold == -1:
            allowed[:] = True
        if fold == -2:
            allowed &= one["kinds"] != list(KINDS).index("claims")
        self._by = [np.flatnonzero((one["kinds"] == n) & allowed) for n in range(len(KINDS))]
        self._device = device

    def draw(self, mix: dict[str, float], size: int, rng: np.random.RandomState) -> np.ndarray:
        shares = np.array(
            [mix[kind] if len(p) else 0.0 for kind, p in zip(KINDS, self._by, strict=True)]
        )
        counts = rng.multinomial(size, shares / shares.sum())
        drawn = zip(self._by, counts, strict=True)
        return np.concatenate([p[rng.randint(0, len(p), count)] for p, count in drawn if count])

    def batch(self, places: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        longest = int(self.lengths[places].max())
        longest += -longest % 8
        at = torch.from_numpy(places).to(self._device)
        along = torch.arange(longest, device=self._device)[None]
        inside = along < self._lengths[at][:, None]
        index = (self._offsets[at][:, None] + along).clamp_(max=len(self._flat) - 1)
        ids = torch.where(inside, self._flat[index].long(), 0)
        segments = (inside & (along >= self._borders[at][:, None])).long()
        return ids, segments, self.labels[at]


def main() -> None:
    o = DEFAULTS | json.loads(sys.argv[1])
    began, work = time.time(), Path(o["work"])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(1)
    if device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
        # Others train on the same card: at most 12 GiB for each.
        whole = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(0.2, 12 * 2**30 / whole))
    store = Store(work, device, o["fold"])
    model = start(Path(o["start"]), o["seed"], o["dropout"]).to(device)
    if o["init"]:
        put(model, Path(o["init"]))
    teachers = []
    for begun, path in o["teachers"]:
        one = start(Path(begun), 0).to(device).eval()
        put(one, Path(path))
        teachers.append(one)
    steps, seen = learn(model, teachers, store, o, device)
    model.eval()
    encode = Encoder(Path(o["tokenizer"]))
    found = figures(model, load(Path(o["data"])), encode, device, o["fold"])
    changed = {name: value for name, value in o.items() if value != DEFAULTS[name]}
    found |= {"name": o["name"], "steps": steps, "pairs": seen, "options": changed}
    found["seconds"] = time.time() - began
    save(model, work / f"{o['name']}.npz")
    (work / f"{o['name']}.json").write_text(json.dumps(found))
    print({k: v for k, v in found.items() if k != "readings"}, flush=True)


def learn(
    model: Verdicts, teachers: list[Verdicts], store: Store, o: dict[str, Any], device: str
) -> tuple[int, int]:
    model.train()
    groups = [[], []]
    for name, one in model.named_parameters():
        if one.requires_grad:
            groups[one.ndim < 2 or "norm" in name].append(one)
    optimiser = torch.optim.AdamW(
        [{"params": groups[0], "weight_decay": o["decay"]}, {"params": groups[1],
         "weight_decay": 0.0}], lr=o["rate"], fused=device == "cuda", betas=(0.9, 0.98)
    )  # fmt: skip
    learnt = groups[0] + groups[1]
    rng = np.random.RandomState(o["seed"])
    began = time.time()
    # An absolute end, so that a late start cuts the training rather than the end.
    end = min(began + o["seconds"], o["until"] or began + o["seconds"])
    step, seen, size = 0, 0, o["batch"]
    losses: list[torch.Tensor] = []
    while True:
        gone = (time.time() - began) / max(1.0, end - began)
        if gone >= 1 or (o["steps"] and step >= o["steps"]):
            break
        mix = MIXES[o["mixes"][gone >= o["turn"]]]
        places = store.draw(mix, 8 * o["batch"], rng)
        places = places[np.argsort(store.lengths[places], kind="stable")].reshape(8, -1)
        for row in rng.permutation(8):
            gone = min(1.0, (time.time() - began) / max(1.0, end - began))
            if o["steps"]:
                gone = step / o["steps"]
            for group in optimiser.param_groups:
                group["lr"] = o["rate"] * min(gone / 0.04 + 0.01, (1 - gone) / 0.96 + 1e-3)
            try:
                loss = step_of(model, teachers, store, places[row][:size], o, device)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(learnt, 1.0)
                optimiser.step()
            except torch.OutOfMemoryError:
                size = max(32, size // 2)
                print(f"{o['name']} {step}: out of memory, batches of {size} now", flush=True)
                loss = None
            optimiser.zero_grad(set_to_none=True)
            if loss is None:
                torch.cuda.empty_cache()
                continue
            step += 1
            seen += size
            if step % 50 == 0:
                losses.append(loss.detach())
                if len(losses) % 10 == 0:
                    mean = torch.stack(losses[-10:]).mean().item()
                    print(f"{o['name']} {step} {gone:.2f} loss {mean:.4f}", flush=True)
            if o["steps"] and step >= o["steps"]:
                break
            if time.time() > end:
                break
    return step, seen


def step_of(
    model: Verdicts,
    teachers: list[Verdicts],
    store: Store,
    places: np.ndarray,
    o: dict[str, Any],
    device: str,
) -> torch.Tensor:
    """The loss of a batch: cross-entropy, and with teachers the divergence from their mean."""
    ids, segments, labels = store.batch(places)
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        logits = model(ids, segments)
        loss = functional.cross_entropy(logits, labels, label_smoothing=o["smoothing"])
        if teachers:
            with torch.no_grad():
                said = torch.stack([one(ids, segments).softmax(-1) for one in teachers]).mean(0)
            apart = functional.kl_div(logits.log_softmax(-1), said, reduction="batchmean")
            loss = 0.25 * loss + apart
    return loss


def save(model: Verdicts, path: Path) -> None:
    state = {k: v.cpu().numpy() for k, v in model.state_dict().items() if k != "words.weight"}
    np.savez(path, **state)


def put(model: Verdicts, path: Path) -> None:
    with np.load(path) as file:
        state = {k: torch.from_numpy(file[k].astype(np.float32)) for k in file.files}
    model.load_state_dict(state, strict=False)


if __name__ == "__main__":
    main()
