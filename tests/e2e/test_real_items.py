"""Items of the authors' own files, verified by two people each, one of them on the screens, and exported."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Response, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from testkit.factories import claimed
from testkit.kept_items import export_kept
from testkit.qualification import needs_qualification
from testkit.serving import Server, touchstone
from tests.e2e.people import at_desk, opened
from tests.paths import shared
from workflow.access import accounts
from workflow.annotate import submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RATERS = ("vera", "vic")
SKIP = "skip"


@dataclass(frozen=True)
class Case:
    """Two records of a real file, and what each rater will choose: the place of an option, or the place of a reason."""

    name: str
    path: Path
    indent: int | None
    secret: tuple[str, ...]
    """Words that a verifier must not be sent."""
    choices: tuple[tuple[int | str, int | str], tuple[int | str, int | str]]
    """By record: the first and the second rater's option; ``SKIP`` with the first reason."""

    def records(self) -> list[dict[str, Any]]:
        return list(json.loads(self.path.read_text())[:2])


Shown = tuple[str, str, list[str]]
"""Who saw the options of which item, in which order."""


def _options(record: Mapping[str, Any]) -> list[str]:
    return record["actions"] if "actions" in record else [record[f"choice_{letter}"] for letter in "abcd"]


def _key(record: Mapping[str, Any]) -> int:
    return record["answer_index"] if "answer_index" in record else "ABCD".index(record["golden_choice_idx"])


def _narrated(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the narrations say that no option says: with the narrations in sight no one would have to look."""
    offered = {option for record in records for option in _options(record)}
    said = {part["narration_text"] for record in records for part in record["task_progress_metadata"]}
    return tuple(sorted(said - offered))


def _egoplan() -> Case:
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    first, second = records = json.loads(path.read_text())[:2]
    # The first of two: both give the key. The second: one gives the key, the other skips.
    return Case("egoplan", path, None, _narrated(records), ((_key(first), _key(first)), (_key(second), SKIP)))


def _pca_bench() -> Case:
    path = shared("data", "pca_bench", "Domestic-Robot-test_open-meta.json")
    first, second = json.loads(path.read_text())[:2]
    wrong = (_key(second) + 1) % len(_options(second))
    # The first of two: both give the key. The second: both agree on an action that is not the key.
    return Case("pca_bench", path, 4, (first["reason"], second["reason"]), ((_key(first), _key(first)), (wrong, wrong)))


@pytest.mark.parametrize("make", [pytest.param(_egoplan, marks=needs_qualification), _pca_bench])
def test_two_real_items_are_verified_by_two_people(
    make: Callable[[], Case], server: Server, chromium: Browser, tmp_path: Path
) -> None:
    case = make()
    records = case.records()
    source = tmp_path / case.path.name
    source.write_text(json.dumps(records, indent=case.indent))
    _run(server, "project", "create", "real", "--schema", case.name)
    _run(server, "item", "import", "real", case.name, str(source))
    for rater in RATERS:
        _run(server, "person", "create", rater, "--project", "real", "--stage", "verification")
        if case.name == "egoplan":
            _run(server, "qualification", "exempt", "real", rater, "--why", "Two items are too few for a set.")
    server.start()
    shown: list[Shown] = []
    _vote(case, records, server, chromium, RATERS[0], 0, shown)
    _vote_by_calls(case, records, server, RATERS[1], 1)

    stored = [(who, options) for who, options in _stored_orders(server) if who == RATERS[0]]
    assert sorted(stored) == sorted((who, options) for who, _, options in shown)
    votes = _votes(server, tmp_path / "votes.csv")
    expected = {
        (rater, number): None if chosen == SKIP else _options(record)[int(chosen)]
        for number, (record, choices) in enumerate(zip(records, case.choices, strict=True))
        for rater, chosen in zip(RATERS, choices, strict=True)
    }
    assert sorted(votes) == sorted(value for value in expected.values() if value is not None)
    (out,) = _kept(server, case.name, tmp_path / "kept")
    kept = json.loads(out.read_text())
    assert kept == records[:1], "the first record as it came, and nothing of the second"
    everything = tmp_path / "all.json"
    _run(server, "item", "export", "real", case.name, "--out", str(everything))
    assert everything.read_bytes() == source.read_bytes()


def _vote(
    case: Case,
    records: Sequence[dict[str, Any]],
    server: Server,
    chromium: Browser,
    rater: str,
    place: int,
    shown: list[Shown],
) -> None:
    by_question = {_said(record): (record, choices) for record, choices in zip(records, case.choices, strict=True)}
    with at_desk(chromium, server, rater) as desk:
        sent: list[str] = []
        desk.page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(str(frame))))
        replies: list[Response] = []
        desk.page.on("response", lambda reply: replies.append(reply) if "/api/" in reply.url else None)
        desk.open("/verify?project=real")
        expect(desk.bench).to_be_visible()
        seen = 0
        while desk.view() == "task":
            words = desk.bench.inner_text()
            missing = "has not been added yet" in words  # EgoPlan has questions without a clip of the progress
            assert missing is (case.name == "egoplan"), "what waits for its image is given to no one"
            record, choices = by_question[next(said for said in by_question if said in words)]
            labels = desk.page.locator(".criterion .choice .label").all_inner_texts()
            labels = labels[: len(_options(record))]
            assert sorted(labels) == sorted(_options(record))
            shown.append((rater, _said(record), labels))
            chosen = choices[place]
            key = str(labels.index(_options(record)[int(chosen)]) + 1) if chosen != SKIP else None
            desk.next_after(*((key,) if key else (str(len(labels) + 1), "1")))
            seen += 1
        assert seen == len(records)
        assert case.secret
        sent += [reply.text() for reply in replies]
        assert any(_options(records[0])[0] in frame for frame in sent), "what may be seen is found in what was sent"
        assert not [word for word in case.secret if any(word in frame for frame in sent)], "a secret was sent"


def _vote_by_calls(case: Case, records: Sequence[dict[str, Any]], server: Server, rater: str, place: int) -> None:
    """What a page stores of someone who chooses so."""
    by_question = {_said(record): (record, choices) for record, choices in zip(records, case.choices, strict=True)}
    verification = load_schema(shipped()[case.name]).schema_.stages.verification
    assert verification is not None
    (criterion,) = verification.criteria
    assert criterion.skip is not None
    with opened(server) as store:
        person = accounts.find_person(store, login=rater)
        for _ in records:
            task = claimed(store, person, project="real")
            record, choices = by_question[next(said for said in by_question if said in task.fields.values())]
            chosen = choices[place]
            value = None if chosen == SKIP else _options(record)[int(chosen)]
            reasons = {"choice": criterion.skip.reasons[0].value} if value is None else {}
            submissions.submit(
                store, person=person, task=task.id, key=task.id, values={"choice": value}, reasons=reasons
            )


def _stored_orders(server: Server) -> list[tuple[str, list[str]]]:
    """Whose vote holds which order of options, asked of the database."""
    wanted = "SELECT login, shown FROM annotation JOIN person ON person.id = person_id"
    with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
        return [(login, options) for login, text in connection.execute(wanted) for options in json.loads(text).values()]


def _said(record: Mapping[str, Any]) -> str:
    return str(record.get("task_goal") or record["question"])


def _run(server: Server, *arguments: str) -> None:
    done = touchstone(*arguments, home=server.home)
    assert done.returncode == 0, done.stderr


def _votes(server: Server, out: Path) -> list[str]:
    _run(server, "item", "export", "real", "ratings", "--out", str(out))
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["criterion"] for row in rows} == {"choice"}
    return [row["value"] for row in rows]


def _kept(server: Server, format: str, out: Path) -> list[Path]:
    export_kept(server.home, "real", format, out)
    return [path for path in out.rglob("*.json") if path.name != "manifest.json"]
