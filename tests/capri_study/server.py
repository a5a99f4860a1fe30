"""A chat-completions server on the loopback that answers CAPRI requests as the known model does, and checks what it is sent.

Every request must be one that was planned: its text, its sampling, and a picture whose bytes are a PNG with a planned digest.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web
from tests.capri_study.respond import Reply

PNG = b"\x89PNG\r\n\x1a\n"
DATA_URI = "data:image/png;base64,"
THINKING = "chat_template_kwargs"


@dataclass
class Seen:
    """What came: how many requests and pictures, and what was wrong with any of them."""

    requests: int = 0
    pictures: int = 0
    wrong: list[str] = field(default_factory=list)


def key_of(messages: object, thinking: object) -> str:
    """What tells one planned request from another: messages with pictures by digest, and the switch for thinking."""
    return json.dumps([messages, thinking], sort_keys=True, ensure_ascii=False)


@contextmanager
def serving(replies: Mapping[str, Reply], pictures: set[str]) -> Iterator[tuple[int, Seen]]:
    """The server's port and what it has seen, while it runs in a thread of its own."""
    seen = Seen()
    loop = asyncio.new_event_loop()
    started: asyncio.Future[int] = loop.create_future()

    async def answer(request: web.Request) -> web.StreamResponse:
        return await _answer(request, replies, pictures, seen)

    async def start() -> web.AppRunner:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        started.set_result(runner.addresses[0][1])
        return runner

    runner = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield started.result(), seen
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _answer(
    request: web.Request, replies: Mapping[str, Reply], pictures: set[str], seen: Seen
) -> web.StreamResponse:
    body = await request.json()
    seen.requests += 1
    messages = [{**message, "content": _content(message["content"], pictures, seen)} for message in body["messages"]]
    found = replies.get(key_of(messages, body.get(THINKING)))
    if found is None:
        seen.wrong.append("a request that was not planned")
        return web.json_response({"error": {"message": "not planned"}}, status=400)
    message = {"role": "assistant", "content": found.text}
    if found.reasoning is not None:
        message["reasoning_content"] = found.reasoning
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return web.json_response({"model": body["model"], "choices": [choice]})


def _content(content: object, pictures: set[str], seen: Seen) -> object:
    if not isinstance(content, list):
        return content
    return [part if part["type"] == "text" else _picture(part["image_url"]["url"], pictures, seen) for part in content]


def _picture(url: str, pictures: set[str], seen: Seen) -> dict[str, str]:
    seen.pictures += 1
    data = base64.b64decode(url.removeprefix(DATA_URI), validate=True)
    digest = hashlib.sha256(data).hexdigest()
    if not (url.startswith(DATA_URI) and data.startswith(PNG) and digest in pictures):
        seen.wrong.append(f"a picture that is no planned PNG: {url[:40]}")
    return {"type": "image", "sha256": digest, "mime": "image/png"}
