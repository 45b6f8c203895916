"""Serve pages to this machine alone, at addresses that only the instructor's terminal shows.

Other people may have accounts on the machine (on a hub, all learners do), so each address contains
a token.
"""

import mimetypes
import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 10.0  # seconds to wait for a browser's request
LONGEST = 2**16  # bytes of what a page may send


class LocalServer(ThreadingHTTPServer):
    """A server for this machine alone.

    Args:
        port: port of the server; 0 for any free port.

    Attributes:
        here: beginning of all its addresses.
        contents: path of an address → what makes the content.
        posts: path of an address → what takes the bytes that a page sends, and makes an answer.
    """

    def __init__(self, port: int = 0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.here = f"http://127.0.0.1:{self.server_port}"
        self.contents: dict[str, Callable[[], bytes]] = {}
        self.posts: dict[str, Callable[[bytes], bytes]] = {}


def secret_path() -> str:
    """Return a path that nobody can guess."""
    return f"/{secrets.token_urlsafe()}/"


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE

    def do_GET(self) -> None:
        path, make = self._known(self.server.contents)
        if make is None:
            self.send_error(404)
        else:
            self._send(path, make())

    def do_POST(self) -> None:
        path, take = self._known(self.server.posts)
        length = self.headers.get("Content-Length", "")
        # A page of somebody else cannot send JSON to us without asking first.
        is_json = self.headers.get("Content-Type") == "application/json"
        if take is None or not is_json or not length.isdigit() or int(length) > LONGEST:
            self.send_error(404)
        else:
            self._send(path, take(self.rfile.read(int(length))))

    def _known(self, contents: dict[str, Callable]) -> tuple[str, Callable | None]:
        """Return the path that is asked for, and what is known for it."""
        path = self.path.partition("?")[0]  # the speaker's window adds a question
        known = (name for name in contents if _is_same(name, path))
        return path, contents.get(next(known, ""))

    def _send(self, path: str, content: bytes) -> None:
        kind = mimetypes.guess_type(path)[0] or "text/html"  # of a page, which has no name
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        # The page itself says what it may load, but only a header can say this. The speaker's
        # window shows slides in frames.
        frames = "'none'" if path.endswith("/") else "'self'"
        self.send_header("Content-Security-Policy", f"frame-ancestors {frames}")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        """Log nothing: the address is a secret, and a line every few seconds is of no use."""


def _is_same(secret: str, text: str) -> bool:
    return secrets.compare_digest(secret.encode(), text.encode())
