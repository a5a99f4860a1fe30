"""A model server that answers with real small weights: `embedded_server.py WEIGHTS --port PORT`."""

from __future__ import annotations

import asyncio
import sys
from http.server import HTTPServer
from pathlib import Path
from typing import Any

from replying import Replying

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

    class Handler(Replying):
        def do_POST(self) -> None:
            self.reply(replied(transport, self.read()))

    HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
