"""A local server that plays doi.org and Crossref, and the transport that leads there."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx2

Record = Mapping[str, Any]


class PlayedServices:
    """``records`` are Crossref's works, which are found by DOI, and by any three words of their
    titles. ``asked`` are the addresses that were asked for."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = {one["DOI"]: one for one in records}
        self.asked: list[str] = []

    def answer(self, host: str, target: str) -> Record | None:
        self.asked.append(f"{host}{target}")
        parts = urlsplit(target)
        if host == "doi.org":
            return self.records.get(unquote(parts.path).strip("/"))
        if host != "api.crossref.org":
            return {"results": []}
        words = set(parse_qs(parts.query)["query.bibliographic"][0].casefold().split())
        found = [
            one
            for one in self.records.values()
            if len(words & set(str(one["title"]).casefold().split())) >= 3
        ]
        return {"message": {"items": found}}


class _Leading(httpx2.HTTPTransport):
    """Sends what goes to a service to a local server."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        request.headers["x-played"] = host
        return super().handle_request(request)


@contextmanager
def played(services: PlayedServices) -> Iterator[httpx2.BaseTransport]:
    """The transport to a server that answers as ``services``, while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = services.answer(self.headers["x-played"], self.path)
            content = json.dumps(found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield _Leading(server.server_address[1])
        finally:
            server.shutdown()
