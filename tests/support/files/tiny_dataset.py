"""A dataset of twelve documents in BEIR layout."""

import json
from pathlib import Path

DOCUMENTS = {
    "tides": ("Tides of the bay", "Spring tides in the bay reach four metres at noon."),
    "moths": ("Moths and lamps", "Street lamps draw moths away from the flowers they pollinate."),
    "ponds": ("Ponds cool the street", "Air beside ponds is cooler on summer evenings."),
    "bread": ("Sourdough", "Lactic acid bacteria give sourdough bread its taste."),
    "bees": ("Bees and pesticides", "Neonicotinoids harm the memory of honey bees."),
    "ice": ("Sea ice", "Arctic sea ice shrinks by a tenth each decade."),
    "violin": ("Old violins", "Listeners cannot tell old Italian violins from new ones."),
    "sleep": ("Sleep and memory", "Words learned before sleep are better remembered."),
    "tea": ("Tea", "Green tea is steeped at seventy degrees."),
    "wolves": ("Wolves", "Wolves returned to the valley and the deer became shy."),
    "copper": ("Copper", "Bacteria die on copper within two hours."),
    "chess": ("Chess", "Masters remember positions of real games only."),
}
QUESTIONS = {
    "q1": ("How high do the spring tides get?", {"tides": 1}),
    "q2": ("Why are lamps bad for moths?", {"moths": 1}),
    "q3": ("Is it cooler beside ponds in summer?", {"ponds": 1}),
    "q4": ("What harms the memory of honey bees?", {"bees": 2, "sleep": 0}),
    "q5": ("Which bacteria are killed by copper?", {"copper": 1}),
    "q6": ("Are old Italian violins better than new ones?", {"violin": 1}),
}


def write_dataset(folder: Path) -> Path:
    """``tides`` has a copy under another id with a name that is not a file name."""
    folder.mkdir(parents=True)
    rows = [{"_id": id, "title": t, "text": x} for id, (t, x) in DOCUMENTS.items()]
    rows.append({**rows[0], "_id": "../tides/2"})
    _write(folder / "corpus.jsonl", rows)
    _write(folder / "queries.jsonl", [{"_id": i, "text": t} for i, (t, _) in QUESTIONS.items()])
    lines = ["query-id\tcorpus-id\tscore"]
    lines += [f"{q}\t{d}\t{r}" for q, (_, judged) in QUESTIONS.items() for d, r in judged.items()]
    (folder / "qrels.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
