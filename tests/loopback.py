"""A server on loopback that answers JSON to JSON, by a function."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[str, str, Mapping[str, str], Any], tuple[int, Any] | None]
"""From method (lower case), path without query, headers (lower case) and body to status and body;
an empty body is an empty object. None hangs up without a word, as a server does that goes away: its
port stays ours, so that nobody else has it when the server is back."""


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The server's address, from here to the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(self.rfile.read(int(headers.get("content-length", 0))) or b"{}")
            path = self.path.partition("?")[0]
            answered = answer(self.command.lower(), path, headers, body)
            if answered is None:
                self.close_connection = True
                return
            status, value = answered
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = _handle  # noqa: N815 -- the names it is called by

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
