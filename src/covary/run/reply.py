"""What a chat-completions server said, read into an Answer or a Failure. Pure: bytes in, record out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import msgspec

from covary.run.thinking import split
from covary.run.transport import Answer, Failure

OVERLOADED = frozenset((429, 503, 529))
PASSING = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527, 529, 530))
STOPPING = frozenset((401, 402, 403, 404, 405, 410))
MEANING = {
    401: "the key is missing or wrong",
    402: "the account must be paid",
    403: "the key may not do this",
    404: "no such model or address",
    405: "this address takes no chat completions",
    410: "this model or address is gone",
    413: "the request is too large",
    429: "too many requests",
    529: "overloaded",
}
LENGTH = ("length", "max_tokens", "MAX_TOKENS", "model_length")
REFUSAL = (
    "content_filter",
    "refusal",
    "safety",
    "SAFETY",
    "sensitive",
    "RECITATION",
    "PROHIBITED_CONTENT",
    "BLOCKLIST",
)
KEPT_FIELDS = ("system_fingerprint", "service_tier", "provider")
CONTEXT = re.compile(
    r"context[ _](length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (available )?context"
    r"|input (is )?too long|reduce the length",
    re.I,
)
NO_PICTURES = re.compile(r"image input is not supported|does not support (image|vision)|multimodal|mmproj", re.I)
NO_MONEY = re.compile(
    r"insufficient[_ ](quota|balance|credit|funds)|billing|out of credits|credit balance|payment required", re.I
)
MODERATION = re.compile(r"moderat|flagged|content[_ ](policy|filter|management)|responsibleai", re.I)
WAIT_HINT = re.compile(r"^\s*([0-9.]+)\s*s\s*$")
TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.I | re.S)
SURROGATE = re.compile("[\ud800-\udfff]")
MAX_ERROR = 300


class _Usage(NamedTuple):
    prompt: int | None
    completion: int | None
    reasoning: int | None


def read_reply(data: bytes, content_type: str = "") -> Answer | Failure:
    """The answer in a reply with status 200, or why it is none (which may heal: such replies come from broken proxies)."""
    reply = _decoded(data)
    if not isinstance(reply, dict):
        return Failure(f"expected a JSON object, found {_shown(data, content_type)}", "retry")
    usage = _usage(reply.get("usage"))
    if reply.get("error") and not reply.get("choices"):
        status = _integer(reply["error"].get("code")) if isinstance(reply["error"], dict) else None
        return read_failure(status if status and 400 <= status < 600 else 500, data, None)
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        what = "no choices" if not choices else "no message"
        return _broken(f"the server sent {what}", usage)
    return _answer(reply, choice, message, usage)


def read_failure(status: int, data: bytes, wait_s: float | None) -> Failure:
    """What a reply with another status means: one line, and whether waiting, another request or nobody can heal it."""
    reply = _decoded(data)
    message, code = _error_of(reply) if reply is not None else (_shown(data, ""), "")
    wait_s = wait_s if wait_s is not None else _wait_in(reply)
    known = f"{code} {message}"
    meaning = MEANING.get(status)
    line = f"status {status}" + (f" ({meaning})" if meaning else "") + (f": {message}" if message else "")
    if status in (400, 413, 422, 500) and CONTEXT.search(known):
        return Failure(f"the context is too long for this model: {line}", "give_up")
    if status in (400, 404, 422, 500, 501) and NO_PICTURES.search(known):
        return Failure(f"the model takes no pictures: {line}", "give_up")
    if status in (402, 403, 429) and NO_MONEY.search(known) and wait_s is None:
        return Failure(f"the quota is used up: {line}", "stop")
    if status in (400, 403) and MODERATION.search(known):
        return Failure(f"refused by the provider: {line}", "give_up")
    if status in STOPPING or 300 <= status < 400:
        return Failure(line, "stop")
    if status in PASSING:
        return Failure(line, "retry", wait_s, slow_down=status in OVERLOADED)
    return Failure(line, "give_up" if 400 <= status < 500 or status == 501 else "retry", wait_s)


def server_wait_s(
    retry_after: Sequence[str], retry_after_ms: str | None, server_date: str | None, now: float
) -> float | None:
    """The wait that the server asked for, in seconds; None: it asked for none (or not in a form that means anything).

    A date is taken against the server's own `Date` header, so that a wrong clock here or there does no harm; with several
    headers the longest wait counts.
    """
    waits = [_milliseconds(retry_after_ms)] if retry_after_ms else []
    for value in retry_after:
        try:
            waits.append(float(value))
        except ValueError:
            then, base = _timestamp(value), _timestamp(server_date)
            waits.append(None if then is None else then - (now if base is None else base))
    known = [wait for wait in waits if wait is not None and wait == wait and wait < 1e9]
    return max(0.0, max(known)) if known else None


def _answer(
    reply: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any], usage: _Usage
) -> Answer | Failure:
    text = _text_of(message.get("content"))
    reasoning = _text_of(message.get("reasoning_content")) or _text_of(message.get("reasoning"))
    if text is not None and not reasoning:
        reasoning, text = split(text)
    finish = _string(choice.get("finish_reason")) or _string(choice.get("native_finish_reason"))
    refusal = _string(message.get("refusal"))
    answer = Answer(
        "ok",
        text=text,
        reasoning=reasoning or None,
        finish_reason=finish,
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        reasoning_tokens=usage.reasoning,
        model_reported=_string(reply.get("model")),
        detail={key: reply[key] for key in KEPT_FIELDS if isinstance(reply.get(key), (str, int))},
    )
    if finish == "error":
        return _broken("the server broke off: " + (_error_of(choice)[0] or "finish_reason error"), usage)
    if refusal or finish in REFUSAL:
        return replace(answer, status="refused", text=text or None, error=_line(refusal or f"finish_reason {finish}"))
    if finish in LENGTH:
        return replace(answer, status="truncated", text=text or None)
    return answer


def _broken(error: str, usage: _Usage) -> Failure:
    """A reply that is no answer although it may have been paid for."""
    return Failure(error, "retry", prompt_tokens=usage.prompt, completion_tokens=usage.completion)


def _decoded(data: bytes) -> Any:
    """The JSON value, mended where bytes are no UTF-8 or escapes are lone surrogates (both become U+FFFD); None: no JSON."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return _scrubbed(json.loads(data.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def _scrubbed(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrubbed(entry) for entry in value]
    if isinstance(value, dict):
        return {_scrubbed(key): _scrubbed(entry) for key, entry in value.items()}
    return value


def _text_of(content: Any) -> str | None:
    """A message's content as text: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return None


def _usage(reported: Any) -> _Usage:
    reported = reported if isinstance(reported, dict) else {}
    details = reported.get("completion_tokens_details")
    details = details if isinstance(details, dict) else {}
    return _Usage(
        _integer(reported.get("prompt_tokens")),
        _integer(reported.get("completion_tokens")),
        _integer(details.get("reasoning_tokens", reported.get("reasoning_tokens"))),
    )


def _error_of(reply: Any) -> tuple[str, str]:
    """An error reply's message and code, whichever of the usual forms it has."""
    if isinstance(reply, list) and reply:
        reply = reply[0]
    if not isinstance(reply, dict):
        return _line(str(reply)), ""
    error = reply.get("error", reply)
    if isinstance(error, str):
        return _line(error), ""
    if not isinstance(error, dict):
        return "", ""
    message = error.get("message") or error.get("detail") or error.get("msg") or reply.get("detail") or ""
    code = " ".join(str(error[key]) for key in ("code", "type", "status") if error.get(key))
    return _line(message if isinstance(message, str) else json.dumps(message)), code


def _wait_in(reply: Any) -> float | None:
    """The wait inside an error body (`retryDelay: "38s"`), where a vendor puts it instead of the header."""
    if isinstance(reply, list) and reply:
        reply = reply[0]
    error = reply.get("error") if isinstance(reply, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for entry in details if isinstance(details, list) else []:
        delay = entry.get("retryDelay") if isinstance(entry, dict) else None
        if isinstance(delay, str) and (match := WAIT_HINT.match(delay)):
            try:
                return float(match.group(1))
            except ValueError:
                return None
    return None


def _shown(data: bytes, content_type: str) -> str:
    """What came instead of JSON, in a few words."""
    kind = content_type.split(";")[0].strip()
    title = TITLE.search(data[:20_000])
    if title:
        return f"a web page {_line(title.group(1).decode('utf-8', 'replace'))!r}"
    if not data.strip():
        return "nothing"
    start = _line(data[:200].decode("utf-8", "replace"))[:80]
    looks = "broken JSON" if data.lstrip()[:1] in (b"{", b"[") else kind or "text"
    return f"{looks} ({len(data)} bytes) {start!r}"


def _line(text: str) -> str:
    text = re.sub(r"\s+", " ", SURROGATE.sub("\ufffd", text)).strip()
    return text if len(text) <= MAX_ERROR else text[: MAX_ERROR - 1] + "…"


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _integer(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = int(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < 2**62 else None


def _milliseconds(value: str) -> float | None:
    try:
        return float(value) / 1000
    except ValueError:
        return None


def _timestamp(value: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(value or "")
    except (TypeError, ValueError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
