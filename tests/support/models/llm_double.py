"""A server of OpenAI's chat completions on the loopback, in the process, that answers as it is
told: well, badly, late, or not at all."""

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = dict[str, Any]


@dataclass
class Answer:
    """What one request gets: a status, headers and a body, after ``seconds``.

    ``cut`` breaks the connection off in the middle of the body; ``drip`` sends a space every
    so many seconds before the body, as servers do that think long. ``events`` are sent one by one
    instead of a body, each after ``pause`` seconds, without a length.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cut: bool = False
    drip: float = 0.0
    events: list[bytes] = field(default_factory=list)
    pause: float = 0.0


Script = Answer | str | Callable[[Asked], "Answer | str"]


def says(text: Any, *, finish: str = "stop", model: str = "double-1", **more: Any) -> Answer:
    """An answer of the model; anything but a string is written as JSON."""
    content = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    } | more
    return Answer(json.dumps(body).encode())


def refuses(status: int, message: str = "no", *, retry_after: str | None = None) -> Answer:
    """An error as OpenAI's interface tells it."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": None}}
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return Answer(json.dumps(body).encode(), status, headers)


def streams(*pieces: str, finish: str | None = "stop", pause: float = 0.0) -> Answer:
    """The pieces of an answer as server-sent events; without ``finish`` it breaks off."""

    def event(delta: dict[str, str], finished: str | None = None) -> bytes:
        chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": finished}]}
        return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"

    end = [event({}, finish), b"data: [DONE]\n\n"] if finish else []
    events = [event({"role": "assistant"}), *(event({"content": one}) for one in pieces), *end]
    return Answer(headers={"Content-Type": "text/event-stream"}, events=events, pause=pause)


def tokens(text: str) -> list[str]:
    """As small models have them: a word with the blank before it."""
    return re.findall(r"\s*\S+|\s+\Z", text)


def huge(megabytes: int) -> Answer:
    """An answer that never ought to be read whole."""
    return says("x" * (megabytes * 2**20))


@dataclass
class LlmDouble:
    """``url`` is what llm.url is set to. ``script`` is used up answer by answer; then
    ``always`` answers. ``asked`` are the requests, ``keys`` the credentials with them."""

    script: list[Script] = field(default_factory=list)
    always: Script = ""
    asked: list[Asked] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    port: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The last message of each request."""
        return [str(one["messages"][-1]["content"]) for one in self.asked]

    def take(self, asked: Asked) -> Answer:
        with self.turn:
            self.asked.append(asked)
            chosen = self.script.pop(0) if self.script else self.always
        found = chosen(asked) if callable(chosen) else chosen
        return says(found) if isinstance(found, str) else found


@contextmanager
def a_language_model(*script: Script, always: Script = "") -> Iterator[LlmDouble]:
    double = LlmDouble(script=list(script), always=always)

    class Handler(_Handler):
        owner = double

    server = _Server(("127.0.0.1", 0), Handler)
    double.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what some tests are about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    owner: LlmDouble
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.owner.keys.append(self.headers.get("Authorization"))
        if self.path != "/v1/chat/completions":
            answer = refuses(404, f"no path {self.path}")
        else:
            answer = self.owner.take(json.loads(content))
        try:
            self._send(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send(self, answer: Answer) -> None:
        time.sleep(answer.seconds)
        spaces = 20 if answer.drip else 0
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.events:
            self._send_events(answer)
            return
        self.send_header("Content-Length", str(len(answer.body) + spaces))
        self.end_headers()
        for _ in range(spaces):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(answer.drip)
        if answer.cut:
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self.close_connection = True
            return
        self.wfile.write(answer.body)

    def _send_events(self, answer: Answer) -> None:
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in answer.events:
            time.sleep(answer.pause)
            self.wfile.write(event)
            self.wfile.flush()
