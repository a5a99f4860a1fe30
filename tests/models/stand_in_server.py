"""A program that answers chat completions like a model server would: `stand_in_server.py --port PORT [--deaf]`."""

from __future__ import annotations

import os
import sys
import time
from http.server import ThreadingHTTPServer

from replying import Replying


class Handler(Replying):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.read()
        if body["messages"][-1]["content"] == "die":
            print("out of memory", flush=True)
            os._exit(7)
        message = {"role": "assistant", "content": "yes"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self.reply({"model": f"pid-{os.getpid()}", "choices": [choice]})


if __name__ == "__main__":
    if "--deaf" in sys.argv:
        print("still loading", flush=True)
        time.sleep(600)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
