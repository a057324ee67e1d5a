"""A git repository served over smart HTTP on loopback, as a plugin marketplace is cloned."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

GIT = ("PATH", "HOME")
"""All that git's own CGI program needs of our environment."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve every bare repository of a folder read-only; yields the address of the folder."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def log_message(self, format, *args):  # noqa: A002 - the name is the library's
            pass

        def do_GET(self):
            self.answer(b"")

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers.get("content-length") or 0)))

        def answer(self, body):
            path, _, query = self.path.partition("?")
            program = subprocess.run(
                ["git", "http-backend"],
                input=body,
                capture_output=True,
                check=False,
                env={
                    **{name: os.environ[name] for name in GIT},
                    "GIT_PROJECT_ROOT": str(folder),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "REQUEST_METHOD": self.command,
                    "PATH_INFO": path,
                    "QUERY_STRING": query,
                    "CONTENT_TYPE": self.headers.get("content-type", ""),
                    "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                    "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
                },
            )
            head, _, content = program.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
