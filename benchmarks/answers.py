"""Answers in sentences (`citeloom ask`): true sentences kept, inventions shown as supported.

usage: python benchmarks/answers.py WORKSPACE [--half A|B|all] [--judge bundled|language-model]
       [--endpoint perfect|yes|sly|url] [--wrong]

WORKSPACE has the project ``jose`` (the papers of JOSE). ``answers.jsonl`` has questions with a true
answer, an invented one, and a few words of the sentence that decides. The model is a server on the
loopback: ``perfect`` writes the true answer and judges right; ``yes`` writes the invented one and
confirms whatever it is asked; ``sly`` too, but denies the control claim. ``url``: the model of
CITELOOM_LLM__URL and CITELOOM_LLM__MODEL answers, and how many of its sentences hold is counted.
"""

import argparse
import json
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.answer import AskRequest
from citeloom.infrastructure.composition.application import open_application

ROWS = Path(__file__).with_suffix(".jsonl")
CONTROL = "narwhals"


# Least share of the words of the shorter one, at least four, from which a sentence has a piece of
# evidence: not *Fig.* alone.
SAME = 0.7
FEWEST = 4


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def states(sentence: str, evidence: str) -> float:
    """The largest share of words that a sentence has in common with one of the evidence."""
    said = set(plain(sentence).split())
    pieces = (set(plain(one).split()) for one in re.split(r"(?<=[.!?…])\s+", evidence))
    return max(len(said & one) / max(FEWEST, min(len(said), len(one))) for one in pieces)


def _is_of(claim: str, *texts: str) -> bool:
    return any(claim and plain(one).endswith(claim) for one in texts)


class Model(BaseHTTPRequestHandler):
    """Writes about the row whose question it is asked, and judges the row's claims."""

    rows: list[dict[str, str]]
    kind = "perfect"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = asked["messages"][-1]["content"]
        text = self.written(told) if asked["stream"] else json.dumps(self.judged(json.loads(told)))
        self.send_response(200)
        self.end_headers()
        if not asked["stream"]:
            answer = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
            self.wfile.write(json.dumps(answer).encode())
            return
        for word in re.findall(r"\s*\S+", text):
            chunk = {"choices": [{"delta": {"content": word}}]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def written(self, told: str) -> str:
        row = next(one for one in self.rows if told.endswith(f"Question: {one['question']}"))
        passages = re.split(r"\n\n(?=\[\d+\] )", told)[1:]
        has = (n for n, one in enumerate(passages, 1) if plain(row["source"]) in plain(one))
        sentence = row["true" if self.kind == "perfect" else "wrong"]
        return f"{sentence.removesuffix('.')} [{next(has, 99)}]."

    def judged(self, asked: dict[str, Any]) -> dict[str, str]:
        claim, source = plain(asked["claim"]), [one["sentence"] for one in asked["source"]]
        # *They developed it* is sent for *Ernest and White developed it*.
        claim = claim.removeprefix("they ")
        of_claim = [one for one in self.rows if _is_of(claim, one["true"], one["wrong"])]
        decides = [
            max(source, key=lambda one: states(one, row["source"]))
            for row in of_claim
            if any(states(one, row["source"]) >= SAME for one in source)
        ]
        is_said = bool(decides) and _is_of(claim, of_claim[0]["true"])
        if is_said or self.kind == "yes" or (self.kind == "sly" and CONTROL not in claim):
            return {"verdict": "SUPPORTED", "sentence": (decides or source)[0]}
        return {"verdict": "NOT_ESTABLISHED", "sentence": ""}


def serve(rows: list[dict[str, str]], kind: str) -> str:
    """The address of a model that writes and judges by ``rows``."""
    model = type("Model", (Model,), {"rows": rows, "kind": kind})
    server = ThreadingHTTPServer(("127.0.0.1", 0), model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--half", choices=("A", "B", "all"), default="A")
    parser.add_argument("--judge", choices=("bundled", "language-model"), default="language-model")
    parser.add_argument("--endpoint", choices=("perfect", "yes", "sly", "url"), default="perfect")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    rows = [row for row in rows if options.half in ("all", row["half"])]
    flags = {"verify": {"judge": options.judge}}
    if options.endpoint != "url":
        flags["llm"] = {"url": serve(rows, options.endpoint), "model": options.endpoint}
    application = open_application(options.workspace, flags)
    verdicts: Counter[str] = Counter()
    for row in rows:
        request = AskRequest(project_id=ProjectId.parse("jose"), question=row["question"])
        answer = application.research.ask(request)
        verdicts.update(one.verdict.value for one in answer.sentences)
        verdicts["no sentence"] += not answer.sentences
        for one in answer.sentences:
            if options.wrong and one.holds != (options.endpoint == "perfect"):
                quote = one.quotation.text if one.quotation else ""
                print(one.verdict.value, one.text, *one.reasons, quote, sep="\n   ")
    print(f"{options.endpoint}, judge {options.judge}, {len(rows)} questions: {dict(verdicts)}")


if __name__ == "__main__":
    main()
