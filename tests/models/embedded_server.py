"""A model server that answers with real small weights: `embedded_server.py WEIGHTS --port PORT`."""

from __future__ import annotations

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from covary import digest
from covary.run.embedded import EmbeddedTransport
from covary.run.transport import Answer, Request


def replied(transport: EmbeddedTransport, body: dict[str, Any]) -> dict[str, Any]:
    """The reply to a chat completion's body."""
    sampling = {key: value for key, value in body.items() if key not in ("model", "messages")}
    parts = [digest.canonical_json(part) for part in ({"name": body["model"]}, body["messages"], sampling)]
    content = digest.request_content(*parts, replicate=0)
    answer = asyncio.run(transport.send(Request(digest.request_id(content), content), 60))
    assert isinstance(answer, Answer), answer
    message = {"role": "assistant", "content": answer.text}
    return {
        "model": answer.model_reported,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
        "usage": {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens},
    }


def main() -> None:
    transport = EmbeddedTransport(Path(sys.argv[1]), name="smollm2-135m", context_tokens=512)
    transport.load()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply({"object": "list", "data": []})

        def do_POST(self) -> None:
            self._reply(replied(transport, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def _reply(self, value: object) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None: ...

    HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
