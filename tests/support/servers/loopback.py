"""HTTP servers on the loopback, in the process."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self


class OwnedHandler:
    """``owner`` is the server that the request came to."""

    owner: Any
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass


class LoopbackServer:
    """Answers with ``handler`` from ``start`` on, after a restart at the same port again."""

    handler: ClassVar[type[BaseHTTPRequestHandler]]
    port = 0
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        handler = type("Handler", (self.handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
