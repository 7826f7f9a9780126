"""A server of embeddings on the loopback, in the process: OpenAI's interface and TEI's, which
answers as it is told."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from support.in_memory.embedder import HashingEmbedder
from support.servers.loopback import LoopbackServer, OwnedHandler


@dataclass
class Reply:
    """What one request gets in place of vectors, after ``seconds``."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def refusal(status: int, message: str = "no", retry_after: str | None = None) -> Reply:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return Reply(json.dumps({"error": {"message": message}}).encode(), status, headers)


class _Handler(OwnedHandler, BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server: EmbeddingServer = self.owner
        server.described += 1
        found = self.path == "/info" and server.info is not None
        self._send(Reply(json.dumps(server.info).encode()) if found else refusal(404))

    def do_POST(self) -> None:
        server: EmbeddingServer = self.owner
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        try:
            self._send(server.reply(self.path, asked, self.headers.get("Authorization")))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send(self, reply: Reply) -> None:
        time.sleep(reply.seconds)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)


class EmbeddingServer(LoopbackServer):
    """Hashed bags of words, ten times as long as they should be. ``script`` is used up reply by
    reply, ``after`` good answers; ``change`` gets and gives the vectors of an answer."""

    handler: ClassVar[type[BaseHTTPRequestHandler]] = _Handler

    def __init__(self, model: str = "words", sha: str | None = "abc", dimension: int = 64) -> None:
        self.hashing = HashingEmbedder(dimension=dimension)
        self.told = model
        self.info: dict[str, Any] | None = {
            "model_id": model,
            "model_sha": sha,
            "max_input_length": 258,
            "max_client_batch_size": 16,
            "model_type": {"embedding": {"pooling": "mean"}},
        }
        self.script: list[Reply] = []
        self.after = 0
        self.change: Callable[[list[Any]], list[Any]] = lambda vectors: vectors
        self.requests: list[list[str]] = []
        self.keys: list[str | None] = []
        self.described = 0
        self._turn = threading.Lock()

    def reply(self, path: str, asked: dict[str, Any], key: str | None) -> Reply:
        texts = asked["input"] if path == "/v1/embeddings" else asked.get("inputs")
        if texts is None or path not in ("/v1/embeddings", "/embed"):
            return refusal(404, f"no path {path}")
        with self._turn:
            self.requests.append(texts)
            self.keys.append(key)
            if self.script and len(self.requests) > self.after:
                return self.script.pop(0)
        if not all(text.strip() for text in texts):
            return refusal(422, "inputs cannot be empty")
        vectors = [[x * 10 for x in self.hashing.embed_query(text)] for text in texts]
        vectors = self.change(vectors)
        if path == "/embed":
            return Reply(json.dumps(vectors).encode())
        data = [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]
        return Reply(json.dumps({"data": data[::-1], "model": self.told}).encode())
