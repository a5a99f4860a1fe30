"""OpenAI-compatible chat completions over HTTP: vLLM, llama.cpp, Ollama, and vendors' compatible endpoints.

A request's canonical content becomes the body by splicing bytes; nothing is decoded that need not be. Keys come from the
environment, and never leave this file: every text that comes back is cleaned of them.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import time
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from aiohttp import hdrs
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from covary import __version__
from covary.errors import CovaryError, UsageError
from covary.run.reply import read_failure, read_reply, server_wait_s
from covary.run.transport import Answer, Failure, ReadPicture, Request

MAX_REPLY_BYTES = 32 << 20
PICTURE_CACHE_BYTES = 48 << 20
CONNECT_TIMEOUT_S = 15.0
HIDDEN = "[key]"  # stands where a server repeated a secret
SHORTEST_SECRET = 4
ANSWER_TEXTS = ("text", "reasoning", "error", "finish_reason", "model_reported")
IMAGE_MARK = b'"type":"image"'


@dataclass(frozen=True)
class Endpoint:
    """Where and how to reach a server. None of it is part of a request's identity.

    base_url: up to and without `/chat/completions`. key_env: name of the environment variable with the key; None: no key.
    key_header: where the key goes; `Authorization` gets `Bearer` before it. extra_body: fields added to every body (what
    changes answers belongs to the sampling, not here). rename: body field → the name that this server wants.
    """

    base_url: str
    key_env: str | None = None
    key_header: str = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    extra_body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    rename: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def url(self) -> URL:
        """The address of chat completions. Raises UsageError for what is no http(s) address."""
        try:
            url = URL(self.base_url)
        except ValueError:
            url = URL()
        if url.scheme not in ("http", "https") or not url.host:
            raise UsageError(
                f"base_url must be an address like http://localhost:8000/v1, found {without_password(self.base_url)!r}"
            )
        if url.path.rstrip("/").endswith("/chat/completions"):
            return url
        return url.with_path(url.path.rstrip("/") + "/chat/completions", keep_query=True)


class _Content(msgspec.Struct):
    messages: msgspec.Raw
    model: msgspec.Raw
    sampling: msgspec.Raw


class _Name(msgspec.Struct):
    name: str


class HttpTransport:
    """Sends one model's requests to one endpoint, over as many kept-alive connections as the loop wants."""

    def __init__(self, endpoint: Endpoint, read_picture: ReadPicture | None = None) -> None:
        """Raises UsageError when the address is no address or the key isn't in the environment."""
        self.slots: int | None = None
        self.endpoint = endpoint
        self._url = endpoint.url
        self._proxy = _proxy(self._url)  # looked up once: aiohttp's trust_env reads ~/.netrc at every request
        self._secrets = _secrets(endpoint, self._proxy)
        self._headers = _headers(endpoint)
        self._pictures = _PictureUris(read_picture)
        self._content = msgspec.json.Decoder(_Content)
        self._name = msgspec.json.Decoder(_Name)
        self._names: dict[bytes, bytes] = {}
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: Request, timeout_s: float) -> Answer | Failure:
        """One attempt. Never raises for what the server or the network does."""
        try:
            body = self._body(request.content)
        except CovaryError as error:
            return Failure(str(error), "give_up")
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._opened().post(self._url, data=body, allow_redirects=False) as reply,
            ):
                data = await _read_bounded(reply)
            return self._outcome(reply.status, reply.headers, data)
        except TimeoutError as error:
            if isinstance(error, aiohttp.ConnectionTimeoutError):
                return Failure(
                    f"no connection to {self._place} within {CONNECT_TIMEOUT_S:.0f} s", "retry", unreachable=True
                )
            return Failure(f"no complete answer within {timeout_s:g} s", "retry")
        except aiohttp.ClientConnectorDNSError:
            return Failure(
                f"the host name {self._url.host!r} can't be resolved; check base_url", "retry", unreachable=True
            )
        except aiohttp.ClientSSLError as error:
            return Failure(self._clean(f"no secure connection to {self._place}: {error}"), "stop")
        except aiohttp.ClientConnectorError as error:
            reason = os.strerror(error.os_error.errno) if error.os_error.errno else str(error.os_error)
            return Failure(self._clean(f"no server answers at {self._place}: {reason}"), "retry", unreachable=True)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Failure(self._clean(f"the connection broke: {type(error).__name__}: {error}"), "retry")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def _place(self) -> str:
        return str(self._url.origin())

    def _outcome(self, status: int, headers: CIMultiDictProxy[str], data: bytes | None) -> Answer | Failure:
        if data is None:
            return Failure(f"the answer is larger than {MAX_REPLY_BYTES >> 20} MiB", "give_up")
        for secret in self._secrets:  # before a line is cut short in the middle of one
            if secret.encode() in data:
                data = data.replace(secret.encode(), HIDDEN.encode())
        if status == 200:
            return self._cleaned(read_reply(data, headers.get(hdrs.CONTENT_TYPE, "")))
        wait_s = server_wait_s(
            headers.getall("Retry-After", ()), headers.get("Retry-After-Ms"), headers.get("Date"), time()
        )
        location = headers.get("Location")
        if 300 <= status < 400 and location:
            return Failure(
                self._clean(f"the server redirects to {without_password(location)}; set base_url to where it leads"),
                "stop",
            )
        return self._cleaned(read_failure(status, data, wait_s))

    def _cleaned(self, outcome: Answer | Failure) -> Answer | Failure:
        """The outcome without secrets, however the server had escaped them. Nothing is copied when there are none."""
        for secret in self._secrets:
            if isinstance(outcome, Failure):
                if secret in outcome.error:
                    outcome = replace(outcome, error=outcome.error.replace(secret, HIDDEN))
                continue
            texts = {name: text for name in ANSWER_TEXTS if (text := getattr(outcome, name)) and secret in text}
            if texts:
                outcome = replace(outcome, **{name: text.replace(secret, HIDDEN) for name, text in texts.items()})
            if any(secret in str(value) for value in outcome.detail.values()):
                detail = {key: str(value).replace(secret, HIDDEN) for key, value in outcome.detail.items()}
                outcome = replace(outcome, detail=detail)
        return outcome

    def _body(self, content: bytes) -> bytes:
        parts = self._content.decode(content)
        messages = bytes(parts.messages)
        if IMAGE_MARK in messages:
            messages = self._with_pictures(messages)
        model = bytes(parts.model)
        name = self._names.get(model)
        if name is None:
            name = self._names[model] = msgspec.json.encode(self._name.decode(model).name)
        sampling = bytes(parts.sampling)
        if (
            self.endpoint.rename or self.endpoint.extra_body
        ):  # planned requests have the extra fields already: none comes twice
            fields: dict[str, Any] = {**self.endpoint.extra_body, **msgspec.json.decode(sampling)}
            sampling = msgspec.json.encode({self.endpoint.rename.get(key, key): value for key, value in fields.items()})
        fields_of = [b'"model":' + name, b'"messages":' + messages, _inner(sampling)]
        return b"{" + b",".join([part for part in fields_of if part]) + b"}"

    def _with_pictures(self, messages: bytes) -> bytes:
        turns: list[dict[str, Any]] = msgspec.json.decode(messages)
        for turn in turns:
            if isinstance(turn["content"], list):
                turn["content"] = [self._part(part) for part in turn["content"]]
        return msgspec.json.encode(turns)

    def _part(self, part: dict[str, Any]) -> dict[str, Any]:
        if part.get("type") != "image":
            return part
        return {"type": "image_url", "image_url": {"url": self._pictures.raw(part["sha256"], part["mime"])}}

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                proxy=self._proxy,
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S),
            )
        return self._session

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return re.sub(r"\s+", " ", text)[:400]


class _PictureUris:
    """Pictures as JSON strings that hold data URIs: read and encoded once, the latest kept within a bound."""

    def __init__(self, read_picture: ReadPicture | None) -> None:
        self._read = read_picture
        self._kept: OrderedDict[tuple[str, str], msgspec.Raw] = OrderedDict()
        self._bytes = 0

    def raw(self, sha256: str, mime: str) -> msgspec.Raw:
        key = (sha256, mime)
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        if self._read is None:
            raise UsageError("the request shows a picture, but the run was given no folder of pictures")
        encoded = b'"data:%b;base64,%b"' % (mime.encode(), binascii.b2a_base64(self._read(sha256), newline=False))
        uri = msgspec.Raw(encoded)
        self._kept[key] = uri
        self._bytes += len(encoded)
        while self._bytes > PICTURE_CACHE_BYTES and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(bytes(dropped))
        return uri


def without_password(address: str) -> str:
    """An address without the user and password that it may hold, and without its query."""
    return re.sub(r"(?<=//)[^/@\s]*@", "", address).split("?")[0]


def _secrets(endpoint: Endpoint, proxy: str | None) -> list[str]:
    """Every text that must not be shown: keys, their Base64 forms, passwords of the address and of the proxy."""
    texts = [os.environ.get(endpoint.key_env) or ""] if endpoint.key_env else []
    texts += [os.environ.get(value[1:]) or "" for value in endpoint.headers.values() if value.startswith("$")]
    texts += [URL(address).password or "" for address in (endpoint.base_url, proxy or "")]
    secrets = [text.strip() for text in texts if len(text.strip()) >= SHORTEST_SECRET]
    return secrets + [base64.b64encode(secret.encode()).decode() for secret in secrets]


def _headers(endpoint: Endpoint) -> CIMultiDict[str]:
    headers = CIMultiDict({"Content-Type": "application/json", "User-Agent": f"covary/{__version__}"})
    for name, value in endpoint.headers.items():
        headers[name] = _from_environment(value[1:]) if value.startswith("$") else value
    if endpoint.key_env:
        key = _from_environment(endpoint.key_env)
        headers[endpoint.key_header] = f"Bearer {key}" if endpoint.key_header.lower() == "authorization" else key
    for name, value in headers.items():
        if not re.fullmatch(r"[!-~]+( +[!-~]+)*", value):
            raise UsageError(
                f"the value for the header {name!r} holds characters that a header can't carry; check the key"
            )
    return headers


def _proxy(url: URL) -> str | None:
    """The proxy that the environment names for this address (http_proxy, https_proxy, no_proxy)."""
    if proxy_bypass(f"{url.host}:{url.port}"):
        return None
    return getproxies().get(url.scheme)


def _from_environment(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise UsageError(f"the environment variable {name} holds no key; set it (export {name}=…) and run again")
    return value


def _inner(json_object: bytes) -> bytes:
    return json_object.strip()[1:-1].strip()


async def _read_bounded(reply: aiohttp.ClientResponse) -> bytes | None:
    """The reply's bytes; None when it is larger than MAX_REPLY_BYTES."""
    if (reply.content_length or 0) > MAX_REPLY_BYTES:
        reply.close()
        return None
    parts: list[bytes] = []
    size = 0
    while part := await reply.content.readany():
        size += len(part)
        if size > MAX_REPLY_BYTES:
            reply.close()
            return None
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
