"""One measured client in a process of its own; prints one JSON line.

    python clients.py {raw|covary|resume|plan|merge} PORT N CONCURRENCY FOLDER [--loop asyncio|uvloop] [--picture-bytes B]

raw: aiohttp as one would write it by hand: N requests over a bounded set of workers, stdlib json both ways, answers kept
nowhere. covary: the whole of `run_plan` from a Parquet table with journal, sharing and progress. The clock runs from the
first line of the work (after imports) to the end; `process_s` and CPU are of the whole process, imports included.
"""

from __future__ import annotations

import time

STARTED = time.time()
import argparse  # noqa: E402
import asyncio  # noqa: E402
import base64  # noqa: E402
import hashlib  # noqa: E402
import importlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
from pathlib import Path  # noqa: E402

LOOP = ("uvloop", "covary.run.http", "covary.run.plan", "covary.store.journal")
QUESTION = (
    "A train needs {} minutes for 60 km. How fast is it on average, in km/h? Think step by step, then give one number. "
)


def picture(number: int, size: int) -> bytes:
    """Bytes that stand for a picture: reproducible, not compressible."""
    return hashlib.shake_256(b"%d" % number).digest(size)


def raw(given: argparse.Namespace) -> int:
    import aiohttp

    url = f"http://127.0.0.1:{given.port}/v1/chat/completions"
    answers = 0

    def body(number: int) -> dict[str, object]:
        content: object = QUESTION.format(number) * 4
        if given.picture_bytes:
            data = base64.b64encode(
                (Path(given.folder) / "pictures" / str(number % given.pictures)).read_bytes()
            ).decode()
            content = [
                {"type": "text", "text": content},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64," + data}},
            ]
        return {
            "model": "loopback",
            "messages": [{"role": "user", "content": content}],
            "temperature": 0,
            "max_tokens": 512,
        }

    async def main() -> None:
        nonlocal answers
        numbers = iter(range(given.n))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def worker() -> None:
                nonlocal answers
                for number in numbers:
                    async with session.post(url, json=body(number)) as reply:
                        answer = await reply.json()
                        answers += bool(answer["choices"][0]["message"]["content"])

            await asyncio.gather(*(worker() for _ in range(given.concurrency)))

    if given.loop == "uvloop":
        import uvloop

        uvloop.run(main())
    else:
        asyncio.run(main())
    return answers


def covary(given: argparse.Namespace) -> int:
    from covary.prompts.requests import Model
    from covary.run.execute import Limits
    from covary.run.plan import run_plan
    from covary.run.progress import progress_for
    from covary.store.journal import Journal
    from covary.store.pictures import PictureFolder

    folder = Path(given.folder)
    model = Model("loopback", transport={"base_url": f"http://127.0.0.1:{given.port}/v1"})
    with Journal.open(
        folder / f"journal-{os.getpid()}.sqlite" if given.client == "covary" else folder / "journal.sqlite"
    ) as journal:
        outcome = run_plan(
            folder / f"requests-{given.n}.parquet",
            {"loopback": model},
            journal,
            progress=progress_for("plain"),
            limits=Limits(concurrency=given.concurrency, attempt_timeout_s=given.timeout_s),
            read_picture=PictureFolder(folder / "store").read,
        )
    return outcome.done


def prepare(given: argparse.Namespace) -> int:
    """The table of requests and the pictures that the measured clients use."""
    from covary.prompts.requests import Call, Model, picture_message, plan_chunks, text_message
    from covary.schema import REQUESTS
    from covary.store.pictures import PictureFolder
    from covary.store.tables import write_chunks

    folder = Path(given.folder)
    store = PictureFolder(folder / "store")
    digests: list[str] = []
    for number in range(given.pictures if given.picture_bytes else 0):
        data = picture(number, given.picture_bytes)
        (folder / "pictures").mkdir(exist_ok=True)
        (folder / "pictures" / str(number)).write_bytes(data)
        digests.append(store.add(data))

    def call(number: int) -> Call:
        text = QUESTION.format(number) * 4
        message = picture_message(text, digests[number % len(digests)]) if digests else text_message("user", text)
        return Call(str(number), "zero-shot", [message], {"temperature": 0, "max_tokens": 512})

    chunks = plan_chunks((call(number) for number in range(given.n)), Model("loopback"))
    write_chunks((chunk.requests for chunk in chunks), REQUESTS.schema, folder / f"requests-{given.n}.parquet")
    return given.n


def plan(given: argparse.Namespace) -> int:
    """What is left to send of a study, as `covary plan` says."""
    import contextlib
    import io

    from covary.cli.planning import plan as plan_study

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        plan_study(given.folder, None, [], [], None, None, as_json=True)
    return json.loads(said.getvalue())["left"]


def merge(given: argparse.Namespace) -> int:
    """How many answers the merge of the folder's journals brought."""
    from covary.store.journal import merge as merge_journals

    folder = Path(given.folder)
    return merge_journals([folder / "left.sqlite", folder / "right.sqlite"], folder / "all.sqlite").new


def peak_mib() -> float:
    """Largest resident set so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=["raw", "covary", "resume", "prepare", "plan", "merge"])
    parser.add_argument("port", type=int)
    parser.add_argument("n", type=int)
    parser.add_argument("concurrency", type=int)
    parser.add_argument("folder")
    parser.add_argument("--loop", choices=["asyncio", "uvloop"], default="asyncio")
    parser.add_argument("--picture-bytes", type=int, default=0)
    parser.add_argument("--timeout-s", type=float, default=60.0)
    parser.add_argument("--pictures", type=int, default=172)
    given = parser.parse_args()
    for name in {"raw": ("aiohttp",), "plan": (), "merge": ()}.get(given.client, LOOP):
        importlib.import_module(name)
    started, cpu = time.perf_counter(), time.process_time()
    clients = {"raw": raw, "covary": covary, "resume": covary, "prepare": prepare, "plan": plan, "merge": merge}
    done = clients[given.client](given)
    print(
        json.dumps(
            {
                "done": done,
                "wall_s": time.perf_counter() - started,
                "cpu_s": time.process_time() - cpu,
                "process_s": time.time() - STARTED,
                "process_cpu_s": time.process_time(),
                "peak_mib": peak_mib(),
            }
        )
    )


if __name__ == "__main__":
    main()
