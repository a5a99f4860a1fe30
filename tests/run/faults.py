"""A scripted server on a real socket: says and breaks what a script tells it, byte by byte."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

JSON = (("Content-Type", "application/json"),)


@dataclass(frozen=True)
class Reply:
    """What one request gets. Sent as it is: a wrong length, two equal headers, half a body."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = JSON
    wait_s: float = 0.0
    drip_s: float = 0.0  # pause after each of the body's 20-byte pieces
    cut: int | None = None  # close after so many bytes of the body
    reset: bool = False  # send RST instead of anything


@dataclass
class Sent:
    """A request as it came: its parsed body, its headers, and how many with the same text came before."""

    body: dict[str, Any]
    headers: dict[str, str]
    before: int

    @property
    def text(self) -> str:
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")


Script = Callable[[Sent], Reply]


@dataclass
class FaultServer:
    """A running server: where it is, and what was sent to it."""

    port: int
    script: Script
    counts: Counter[str] = field(default_factory=Counter[str])
    answered: Counter[str] = field(default_factory=Counter[str])
    requests: list[Sent] = field(default_factory=list[Sent])
    keep: bool = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def said(text: str | None, finish: str = "stop", **message: Any) -> Reply:
    """An ordinary answer."""
    reply = {
        "model": "served",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    return Reply(body=json.dumps(reply).encode())


def problem(status: int, message: str = "", code: str = "", **headers: str) -> Reply:
    """An error in the usual form."""
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return Reply(status, body, (*JSON, *((name.replace("_", "-"), value) for name, value in headers.items())))


@contextmanager
def serving(script: Script, port: int = 0) -> Generator[FaultServer]:
    """A server in a thread of its own for as long as the block lasts."""
    ready = threading.Event()
    found: list[FaultServer] = []
    loop = asyncio.new_event_loop()

    async def start() -> asyncio.Server:
        made = await asyncio.start_server(lambda reader, writer: _serve(found[0], reader, writer), "127.0.0.1", port)
        found.append(FaultServer(made.sockets[0].getsockname()[1], script))
        return made

    def work() -> None:
        asyncio.set_event_loop(loop)
        listening = loop.run_until_complete(start())
        ready.set()
        loop.run_forever()
        listening.close()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, as strict servers read it: no field comes twice."""
    found = dict(pairs)
    assert len(found) == len(pairs), f"a field comes twice: {[name for name, _ in pairs]}"
    return found


def free_port() -> int:
    """A port that nothing listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _serve(server: FaultServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:] if line)
            }
            data = await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}"
            body = json.loads(data, object_pairs_hook=_once)
            sent = Sent(body, headers, 0)
            sent.before = server.counts[sent.text]
            server.counts[sent.text] += 1
            if server.keep:
                server.requests.append(sent)
            reply = server.script(sent)
            if reply.wait_s:
                await asyncio.sleep(reply.wait_s)
            if reply.reset:
                _reset(writer)
                return
            if reply.status == 200 and reply.cut is None:
                server.answered[sent.text] += 1
            await _send(writer, reply)
            if reply.cut is not None:
                return
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in reply.headers)]
    if not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in reply.headers):
        lines.append(f"Content-Length: {len(reply.body)}")
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    body = reply.body if reply.cut is None else reply.body[: reply.cut]
    if not reply.drip_s:
        writer.write(body)
        await writer.drain()
        return
    for start in range(0, len(body), 20):
        writer.write(body[start : start + 20])
        await writer.drain()
        await asyncio.sleep(reply.drip_s)


def _reset(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
