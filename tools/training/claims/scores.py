"""Figures of a model on pairs that it did not learn from."""

from typing import Any

import numpy as np
import torch

READ = 4
# Kinds of errors that the sentence contradicts.
TURNED = ("direction", "denial", "negation", "number", "unit", "role", "order")


@torch.inference_mode()
def probabilities(model: Any, pairs: list, encode: Any, device: str) -> np.ndarray:
    ids, borders = encode([tuple(pair) for pair in pairs])
    order = sorted(range(len(ids)), key=lambda n: len(ids[n]))
    found = np.zeros((len(ids), 3), dtype=np.float32)
    size = 512 if device == "cuda" else 64
    for first in range(0, len(order), size):
        part = order[first : first + size]
        longest = max(len(ids[n]) for n in part)
        longest += -longest % 8
        block = torch.zeros(len(part), longest, dtype=torch.long)
        segments = torch.zeros_like(block)
        for row, n in enumerate(part):
            block[row, : len(ids[n])] = torch.tensor(ids[n])
            segments[row, borders[n] : len(ids[n])] = 1
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            logits = model(block.to(device), segments.to(device))
        found[part] = logits.softmax(-1).cpu().numpy()
    return found


def area(good: np.ndarray, bad: np.ndarray) -> float:
    """Share of pairs of one and another in the right order (area under the ROC curve)."""
    if not len(good) or not len(bad):
        return 0.5
    order = np.sort(bad)
    below = np.searchsorted(order, good, "left") + np.searchsorted(order, good, "right")
    return float(below.mean() / 2 / len(bad))


def recall(good: np.ndarray, bad: np.ndarray, share: float) -> float:
    """Of ``good`` those above all but this share of ``bad``."""
    if not len(good) or not len(bad):
        return 0.0
    bar = np.sort(bad)[::-1][min(len(bad) - 1, int(share * len(bad)))]
    return float((good > bar).mean())


def told(shares: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """``shares``: pairs x 3, or pairs x READ x 3 of which the highest counts."""
    top = shares if shares.ndim == 2 else shares.max(1)
    support, contrary = top[:, 1], top[:, 2]
    yes, no, open_ = (labels == n for n in (1, 2, 0))
    return {
        "support": area(support[yes], support[~yes]),
        "support_no": area(support[yes], support[no]),
        "contrary": area(contrary[no], contrary[~no]),
        "at5": recall(support[yes], support[~yes], 0.05),
        "at1": recall(support[yes], support[~yes], 0.01),
        "no_at2": recall(contrary[no], contrary[yes], 0.02),
        "sure": float((support[yes] > 0.9).mean()),
        "wrong": float((support[~yes] > 0.9).mean()),
        "right": float((top.argmax(1) == labels).mean()),
        "pairs": float(len(labels)), "open": float(open_.sum()),
    }  # fmt: skip


def figures(
    model: Any, data: dict[str, Any], encode: Any, device: str, fold: int = -1
) -> dict[str, Any]:
    """On the held written pairs, HealthVer's tuned half, SciFact (the fold; all for -2), and
    claims with the sentences that the product reads (``product``)."""
    names = {"NEI": 0, "SUPPORT": 1, "CONTRADICT": 2}
    held = [row for row in data["written"] if row["held"]]
    pairs = [(row["claim"], " ".join(row["sentences"])) for row in held]
    labels = np.array([names[row["label"]] for row in held])
    shares = probabilities(model, pairs, encode, device)
    found: dict[str, Any] = {"readings": {"written": np.round(shares, 4).tolist()}}
    is_near = np.array([row["source"].startswith(("abs:", "wild:")) for row in held])
    kinds = np.array([row["kind"] for row in held])
    for name, mine in (("written", ~is_near), ("abs", is_near)):
        wrong = shares[mine & (labels != 1), 1]
        one = found[name] = told(shares[mine], labels[mine])
        for kind in ("close", "free"):
            own = shares[mine & (kinds == kind) & (labels == 1), 1]
            one |= {f"{kind} {k}": v for k, v in _above(own, wrong).items()}
    for name in ("hv", "sf"):
        one = data["sets"][name]
        labels, folds = np.array(one["labels"]), np.array(one["folds"])
        places = np.arange(len(labels))
        if name == "sf":
            places = places if fold == -2 else np.flatnonzero(folds == fold)
            if not len(places):
                continue
        asked = [pair for n in places for pair in one["pairs"][READ * n : READ * (n + 1)]]
        shares = probabilities(model, asked, encode, device).reshape(-1, READ, 3)
        found[name] = told(shares, labels[places])
        found["readings"][name] = np.round(shares, 4).tolist()
    found["product"] = product(model, data["product"], encode, device, found["readings"])
    a, p = found["abs"], found["product"]
    found["score"] = (
        (a["support"] + a["free area"] + a["at1"] + a["contrary"]) / 4
        + sum(p[k] for k in ("area", "free area", "at2", "free at2", "contrary")) * 2 / 5
        + found["written"]["support"] / 2
        + found["hv"]["support"] / 2
    ) / 4
    return found


def product(
    model: Any, rows: list[Any], encode: Any, device: str, readings: dict[str, Any]
) -> dict[str, float]:
    """Of claims ``[set, kind, is true, claim, texts]`` the highest readings of all texts."""
    places = [n for n, row in enumerate(rows) for _ in row[4]]
    asked = [(row[3], text) for row in rows for text in row[4]]
    shares = probabilities(model, asked, encode, device)
    readings["product"] = np.round(shares, 4).tolist()
    top = np.zeros((len(rows), 3))
    np.maximum.at(top, places, shares)
    sets, kinds = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    true = np.array([row[2] for row in rows])
    turned = np.isin(kinds, TURNED)
    found: dict[str, float] = {}
    for name in ("", *dict.fromkeys(sets)):
        mine = sets == name if name else sets != ""
        wrong, free = top[mine & ~true, 1], top[mine & (kinds == "free"), 1]
        one = _above(top[mine & true, 1], wrong) | {
            f"free {k}": v for k, v in _above(free, wrong).items()
        }
        one["contrary"] = area(top[mine & turned, 2], top[mine & true, 2])
        found |= {f"{name} {k}".strip(): v for k, v in one.items()}
    return found


def _above(good: np.ndarray, bad: np.ndarray) -> dict[str, float]:
    found = {f"at{n}": recall(good, bad, n / 100) for n in (1, 2, 5)}
    return found | {"area": area(good, bad)}
