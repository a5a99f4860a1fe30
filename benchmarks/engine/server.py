"""A loopback chat-completions server that is never the limit: one asyncio protocol, a canned answer after a latency.

    python server.py --latency-ms 50 --answer-bytes 2000 [--fire]

Prints its port, serves until its standard input closes. With --fire, of the requests 10 % get a 429 that asks to wait one
second, 5 % a 500, 1 % hang, 1 % half a JSON text, 1 % a reset.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from typing import cast

import uvloop

HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"


class Chat(asyncio.Protocol):
    """Counts a request's bytes without keeping its body; answers each whole request in order."""

    def __init__(self, answer: bytes, latency_s: float, drawn: random.Random | None = None) -> None:
        self._answer = answer
        self._drawn = drawn
        self._latency_s = latency_s
        self._head = b""
        self._body_left = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        while data:
            if self._body_left:
                taken = min(self._body_left, len(data))
                self._body_left -= taken
                data = data[taken:]
                if not self._body_left:
                    self._reply()
                continue
            self._head += data
            end = self._head.find(HEAD_END)
            if end < 0:
                return
            head, data, self._head = self._head[:end].lower(), self._head[end + 4 :], b""
            start = head.find(LENGTH)
            self._body_left = int(head[start + len(LENGTH) :].split(b"\r\n", 1)[0]) if start >= 0 else 0
            if not self._body_left:
                self._reply()

    def _reply(self) -> None:
        answer = self._answer if self._drawn is None else self._faulty(self._drawn.random())
        if answer is None:
            return
        if self._latency_s:
            asyncio.get_running_loop().call_later(self._latency_s, self._write, answer)
        else:
            self._write(answer)

    def _faulty(self, share: float) -> bytes | None:
        if share < 0.10:
            return b"HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
        if share < 0.15:
            return b"HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n"
        if share < 0.16:
            return None
        if share < 0.17:
            return b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"choices": ['
        if share < 0.18 and self._transport:
            self._transport.abort()
            return None
        return self._answer

    def _write(self, answer: bytes) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(answer)


def answer_of(size: int) -> bytes:
    """A whole HTTP reply whose text has `size` bytes."""
    text = ("The train needs 45 minutes for 60 km, so its speed is 80 km/h. " * (size // 60 + 1))[:size]
    body = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1700000000,
            "model": "loopback",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": size // 4, "total_tokens": 100 + size // 4},
        }
    ).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def serve(latency_s: float, size: int, fire: bool) -> None:
    loop = asyncio.get_running_loop()
    answer = answer_of(size)
    drawn = random.Random(1) if fire else None
    server = await loop.create_server(lambda: Chat(answer, latency_s, drawn), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--answer-bytes", type=int, default=2000)
    parser.add_argument("--fire", action="store_true")
    given = parser.parse_args()
    uvloop.run(serve(given.latency_ms / 1000, given.answer_bytes, given.fire))
