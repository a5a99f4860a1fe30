"""From a planned table to an outcome: tables on disk, models, keys; nothing is sent before all that is in order."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from covary.errors import DataError, RunError, UsageError
from covary.prompts.requests import Call, Model, Plan, merge, plan_calls, text_message
from covary.run.execute import Limits
from covary.run.fake import FakeTransport
from covary.run.plan import run_plan
from covary.run.transport import Answer, Failure, Request, Transport
from covary.store.journal import Journal
from covary.store.tables import write_table


def plan_of(model: Model, n: int, start: int = 0) -> Plan:
    texts = (f"Question {number}" for number in range(start, start + n))
    return plan_calls((Call(text, "c", [text_message("user", text)], {"temperature": 0}) for text in texts), model)


def test_a_table_on_disk_is_run_piece_by_piece_and_resumed_by_set_difference(tmp_path: Path) -> None:
    models = {name: Model(name) for name in ("a", "b")}
    table = merge([plan_of(models["a"], 2500), plan_of(models["b"], 1500)]).requests.sample(
        fraction=1.0, shuffle=True, seed=1
    )
    write_table(table, tmp_path / "requests.parquet")
    made: dict[str, FakeTransport] = {}

    def transport_for(model: Model) -> Transport:
        return made.setdefault(model.name, FakeTransport())

    with Journal.open(tmp_path / "journal.sqlite") as journal:
        run_plan(table.head(1000), models, journal, transport_for=transport_for)
        made.clear()
        outcome = run_plan(tmp_path / "requests.parquet", models, journal, transport_for=transport_for)
        again = run_plan(tmp_path / "requests.parquet", models, journal, transport_for=transport_for)
    assert (outcome.total, outcome.found, outcome.ok) == (4000, 1000, 3000)
    assert sum(len(transport.sent) for transport in made.values()) == 3000
    assert (again.found, again.ok, again.unresolved) == (4000, 0, 0)
    assert all(transport.closed for transport in made.values())
    assert outcome.by_model["a"].total == 2500


def test_a_run_that_finds_everything_done_needs_no_key_and_makes_no_transport(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model("m", transport={"base_url": "http://127.0.0.1:9/v1", "key_env": "ABSENT_KEY"})
    monkeypatch.delenv("ABSENT_KEY", raising=False)
    requests = plan_of(model, 10).requests
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        with pytest.raises(UsageError, match="ABSENT_KEY holds no key"):
            run_plan(requests, {"m": model}, journal)
        run_plan(requests, {"m": model}, journal, transport_for=lambda model: FakeTransport())
        assert run_plan(requests, {"m": model}, journal).found == 10


def test_nothing_is_sent_when_one_of_the_models_is_not_in_order(tmp_path: Path) -> None:
    models = {"good": Model("good", transport={"kind": "fake"}), "bad": Model("bad", transport={"kind": "htp"})}
    table = merge([plan_of(model, 5) for model in models.values()]).requests
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        with pytest.raises(UsageError, match="unknown transport kind 'htp', did you mean 'http'"):
            run_plan(table, models, journal)
        with pytest.raises(UsageError, match="unknown model 'bad'"):
            run_plan(table, {"good": models["good"]}, journal)
        assert journal.counts().answered == 0


def test_a_missing_or_foreign_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no")
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        with pytest.raises(DataError, match="there is no table of requests at"):
            run_plan(tmp_path / "none.parquet", {}, journal)
        with pytest.raises(DataError, match="requests: can't be read"):
            run_plan(tmp_path / "text.parquet", {}, journal)
        with pytest.raises(DataError, match="column 'request_id' must be text, found none"):
            run_plan(pl.DataFrame({"x": [1]}), {}, journal)


def test_no_more_sends_are_under_way_than_a_transport_has_slots(tmp_path: Path) -> None:
    model = Model("m")
    transport = FakeTransport(latency_s=0.002, slots=2)
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        outcome = run_plan(plan_of(model, 40).requests, {"m": model}, journal, transport_for=lambda model: transport)
    assert (outcome.ok, transport.most_under_way) == (40, 2)


def test_a_request_that_is_always_turned_down_ends_at_its_deadline_while_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("covary.run.pacing.BACKOFF_BASE_S", 0.01)
    model = Model("m")
    unlucky = plan_of(model, 1).requests["request_id"][0]

    def script(request: Request, before: int) -> Answer | Failure:
        if request.request_id == unlucky:
            return Failure("status 429", "retry", slow_down=True)
        return Answer("ok", text="yes")

    limits = Limits(concurrency=4, deadline_s=1.0, commit_window_s=0.02)
    transport = FakeTransport(script, latency_s=0.01)
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        outcome = run_plan(
            plan_of(model, 30).requests, {"m": model}, journal, limits=limits, transport_for=lambda m: transport
        )
        line = journal.frame([unlucky])["error"][0]
    assert (outcome.ok, outcome.errors) == (29, 1)
    assert line.startswith("status 429 (after ")


def test_a_transport_that_keeps_no_timeout_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covary.run.execute.CUT_OFF_S", 0.1)
    monkeypatch.setattr("covary.run.pacing.BACKOFF_BASE_S", 0.01)

    class Deaf(FakeTransport):
        async def send(self, request: Request, timeout_s: float) -> Answer | Failure:
            return await super().send(request, 60.0)

    model = Model("m")
    limits = Limits(concurrency=4, attempt_timeout_s=0.1)
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        outcome = run_plan(
            plan_of(model, 2).requests,
            {"m": model},
            journal,
            limits=limits,
            transport_for=lambda m: Deaf(latency_s=30.0),
        )
        assert journal.frame()["error"].to_list() == ["no complete answer within 0.1 s (after 3 attempts)"] * 2
    assert outcome.errors == 2


def test_a_follow_up_for_an_unknown_model_ends_the_run_and_keeps_what_came(tmp_path: Path) -> None:
    model = Model("m")
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        with pytest.raises(RunError, match="'judge', which this run doesn't have"):
            run_plan(
                plan_of(model, 5).requests,
                {"m": model},
                journal,
                follow=lambda responses: plan_of(Model("judge"), 1).requests,
                transport_for=lambda model: FakeTransport(),
            )
        assert journal.counts().ok == 5


def test_a_judge_that_stops_leaves_its_requests_and_solving_goes_on(tmp_path: Path) -> None:
    solver, judge = Model("solver"), Model("judge")

    def transport_for(model: Model) -> Transport:
        if model is judge:
            return FakeTransport(lambda request, before: Failure("status 401", "stop"))
        return FakeTransport(latency_s=0.001)

    def follow(responses: pl.DataFrame) -> pl.DataFrame:
        texts = [f"Is it right? {text}" for text in responses["text"]]
        return plan_calls((Call(text, "judge", [text_message("user", text)], {}) for text in texts), judge).requests

    models = {"solver": solver, "judge": judge}
    limits = Limits(concurrency=4, commit_window_s=0.01)
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        requests = plan_of(solver, 200).requests
        outcome = run_plan(requests, models, journal, follow=follow, limits=limits, transport_for=transport_for)
    assert (outcome.by_model["solver"].ok, outcome.by_model["judge"].left, outcome.total) == (200, 200, 400)
    assert outcome.stopped == ("model 'judge': status 401",)


def test_a_sequence_of_replicates_may_stop_at_the_first_success(tmp_path: Path) -> None:
    """Pass@k with an early stop: replicate r + 1 is asked for only where replicate r is there and wrong."""
    model, k = Model("m"), 4
    questions = [f"Question {number}" for number in range(12)]  # question n is right from replicate n mod 6 on

    def calls(replicate: int, wanted: list[str]) -> pl.DataFrame:
        return plan_calls(
            (Call(text, "c", [text_message("user", text)], {}, replicate) for text in wanted), model
        ).requests

    where = {
        key: (text, replicate)
        for replicate in range(k)
        for text, key in zip(questions, calls(replicate, questions)["request_id"], strict=True)
    }

    def script(request: Request, before: int) -> Answer | Failure:
        text, replicate = where[request.request_id]
        return Answer("ok", text="right" if replicate >= int(text.split()[1]) % 6 else "wrong")

    def follow(responses: pl.DataFrame) -> pl.DataFrame | None:
        wrong = [where[key] for key in responses.filter(pl.col("text") == "wrong")["request_id"]]
        parts = [calls(replicate + 1, [text]) for text, replicate in wrong if replicate + 1 < k]
        return pl.concat(parts) if parts else None

    transport = FakeTransport(script)
    with Journal.open(tmp_path / "journal.sqlite") as journal:
        run_plan(calls(0, questions), {"m": model}, journal, follow=follow, transport_for=lambda model: transport)
        assert journal.counts().ok == len(transport.sent) == 2 * (1 + 2 + 3 + 4 + 4 + 4)
