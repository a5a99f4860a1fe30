"""What the servers of these tests have in common: JSON answers without a log. For programs that are run by their path."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any


class Replying(BaseHTTPRequestHandler):
    """Says that it is there; a subclass answers what is posted, with `read` and `reply`."""

    def do_GET(self) -> None:
        self.reply({"object": "list", "data": []})

    def read(self) -> dict[str, Any]:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def reply(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None: ...
