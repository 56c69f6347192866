"""A server on this machine that answers as recorded and remembers what it was asked."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    url: str
    asked: list[Asked] = field(default_factory=list)


Reply = tuple[int, dict[str, str], bytes]


def reply(body: Any, status: int = 200, **headers: str) -> Reply:
    content = (
        body
        if isinstance(body, bytes)
        else body.encode()
        if isinstance(body, str)
        else json.dumps(body).encode()
    )
    return status, {key.replace("_", "-"): value for key, value in headers.items()}, content


@contextmanager
def serving(
    answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else b""
            asked = Asked(self.command, parts.path, query, dict(self.headers), body)
            server.asked.append(asked)
            status, headers, content = answer(asked)
            self.send_response(status)
            for key, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815  # the name that the library calls

        def log_message(self, *_args: Any) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True)
    scheme = "https" if tls else "http"
    server = Server(f"{scheme}://127.0.0.1:{listener.server_port}")
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
