"""Right without images, before a release: how it stands next to what is known of them, and that a
release tells and recomputes it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from annotation_schemas.model import Shortcuts
from db.engine import Store
from domain.errors import InvalidFileError
from extensions.shortcuts import model_check
from extensions.shortcuts.card_blocks import model_blocks
from extensions.shortcuts.model_check import ModelResult, compare_with_limit
from extensions.shortcuts.model_replies import WITHOUT, ModelReply
from extensions.shortcuts.model_shortcuts import from_replies
from extensions.shortcuts.tests.rooms import Rooms
from extensions.shortcuts.tests.test_text_check import release
from media.store import MediaStore
from reports.content import Paragraph
from testkit.factories import claimed, make_person
from testkit.missing_extensions import needs
from testkit.released import needs_replay, replay
from tests.workflow.shortcut_world import BLIND, N, always_b, reader, served, spec_of
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.releases.checklist import before
from workflow.releases.extension_checks import ReleaseCondition
from workflow.releases.text_rules import Choice
from workflow.runs import attempt_keeper, run_control

VERIFIED = """{authoring: {}, verification: {raters: 1, keep: {rule: unanimous, criterion: fits, value: "yes"},
  criteria: [{name: fits, kind: choice, prompt: Fits it, options: ["yes", "no"]}]}}"""
ATTEMPTS = "evidence/tables/attempt.jsonl"


def stands(said: dict[str, dict[str, tuple[float, ...]]], **limits: float) -> tuple[str, int, int]:
    """How four items stand of which models said this without images: outcome, flagged, not settled."""
    known = {id: Choice(("a", "b"), 0, id=id) for id in "1234"}
    replies = [
        ModelReply(model, WITHOUT, str(at), item, value, "a")
        for model, items in said.items()
        for item, values in items.items()
        for at, value in enumerate(values)
    ]
    asked = Shortcuts(**limits)  # type: ignore[arg-type]
    gate = compare_with_limit(asked, from_replies(replies, known, asked))
    assert gate is not None
    return gate.outcome, gate.flagged, gate.unsettled


def test_what_no_one_knows_of_items_counts_neither_way() -> None:
    """Of item 1 it is known that it is right, of 3 that it is wrong; of 2 a reply is lacking, and 4 was not asked."""
    said: dict[str, dict[str, tuple[float, ...]]] = {"m": {"1": (1, 1, 1), "2": (1, 1, math.nan), "3": (0,)}}
    assert stands(said, without_images=0.2) == ("not within", 1, 2), "one of four is more than a fifth, whatever comes"
    assert stands(said, without_images=0.25) == ("cannot be computed", 1, 2)
    assert stands(said, without_images=0.5) == ("cannot be computed", 1, 2)
    assert stands(said, without_images=0.75) == ("within", 1, 2), "three of four at most"
    assert stands({}, without_images=0.9) == ("cannot be computed", 0, 4)
    whole: dict[str, dict[str, tuple[float, ...]]] = {
        "m": {"1": (1, 1, 1), "2": (1, 0, 1), "3": (0, 0, 0), "4": (1, 1, 1)},
        "n": {"1": (1, 1, 1), "2": (0, 0, 0), "3": (1, 1, 1)},
    }
    assert stands(whole, without_images=0.75) == ("within", 3, 0), "1, 3 and 4, each by one model"
    assert stands(whole, without_images=0.74) == ("not within", 3, 0)
    assert stands(whole, models=2, without_images=0) == ("not within", 1, 1), "1 by both; of 4 only one is known"
    assert stands(whole, models=2, without_images=0.25) == ("cannot be computed", 1, 1)
    assert stands(whole, models=2, without_images=0.5) == ("within", 1, 1)
    assert stands(whole, orders=4, without_images=0.25) == ("cannot be computed", 0, 2), "no one was asked four times"
    assert compare_with_limit(Shortcuts(), from_replies([], {}, Shortcuts())) is None
    none = compare_with_limit(limits := Shortcuts(without_images=0.1), from_replies([], {}, limits))
    assert none is not None
    assert (none.outcome, none.met) == ("no options", True)


def test_figures_of_private_keys_stay_out_of_what_is_public() -> None:
    said = [ModelReply("m", WITHOUT, str(at), "1", 1.0, "a") for at in range(3)]
    limits = Shortcuts(without_images=0.2)
    gate = compare_with_limit(limits, from_replies(said, {"1": Choice(("a", "b"), 0, id="1")}, limits))
    assert gate is not None
    told = gate.as_json(figures=False)
    assert told == {
        "outcome": "not within",
        "at_most": 0.2,
        "orders": 3,
        "wanted_models": 1,
        "items": 1,
        "models": [{"model": "m", "items": 1, "orders": 3}],
        "figures": "private",
    }
    *_, block = model_blocks(told)
    assert isinstance(block, Paragraph)
    assert block.words.endswith(": not within. Asked: m. The figures are in the private part.")
    assert ModelResult.from_json(json.loads(json.dumps(gate.as_json()))) == gate


class KeptProject(Rooms):
    """The project, of which one person keeps every item."""

    def __init__(self, store: Store, home: Path, limits: str) -> None:
        super().__init__(store, home, export=f"export:\n  shortcuts: {limits}\n", stages=VERIFIED)
        person = make_person(store, "ann")
        for at in range(N):
            task = claimed(store, person)
            submissions.submit(store, person=person, task=task.id, key=str(at), values={"fits": "yes"})

    def line(self) -> ReleaseCondition:
        with self.store.read() as session:
            access = access_to(session, person=None, project="p")
        result = model_check.measure(self.store, access)
        found = before(self.store, by=None, project="p", results={"without_images": result})
        return next(each for each in found if each.name == "without_images")


@needs_replay
@needs("release_files", "card.html")
@pytest.mark.thorough
@pytest.mark.usefixtures("made_tables")
def test_what_models_flag_stops_a_release_unless_it_is_named_and_is_told_in_it(
    store: Store, home: Path, media: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader knows 3 of 12 items by their texts: a quarter. The second model is behind another port each time."""
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)
    rooms = KeptProject(store, home, "{without_images: 0.2}")
    assert (rooms.line().done, rooms.line().said) == (
        False,
        "cannot be computed: 12 of 12 items lack replies from one model in 3 orders without images; to get these "
        "replies, use touchstone shortcut run",
    )
    with served(reader) as server:
        asked = rooms.ask(spec_of(server, "reader"), text_only=True, orders=3)
    for orders in (2, 3):
        with served(always_b) as server:
            rooms.ask(spec_of(server, "b"), text_only=True, orders=orders)
    told = (
        "not within: 3 of 12 items (25.0 %) are answered correctly without images in all orders by one model, "
        "at most 20.0 %"
    )
    assert (rooms.line().done, rooms.line().said) == (False, told)
    with pytest.raises(InvalidFileError, match=r"Right without images: not within: 3 of 12 .*\(without_images\)"):
        release(store, media, home, "shortcuts")
    place = release(store, media, home, "shortcuts", "without_images") / "public"
    manifest = json.loads((place / "manifest.json").read_text())
    models = manifest["shortcuts"]["without_images"]
    assert (models["outcome"], models["flagged"], models["items"], models["unsettled"]) == ("not within", 3, N, 0)
    by_name = {each["model"]: each for each in models["models"]}
    assert {name: each["value"] for name, each in by_name.items()} == {"reader": 3 / 12, "b": 0.0}
    assert by_name["reader"]["chance"] == pytest.approx(0.25**3)
    card = (place / "README.md").read_text()
    assert (
        "Without images, one model may get at most 20.0 % of the items right in every order of options (number of "
        "orders: at least 3)" in card
    )
    (row,) = [line for line in card.splitlines() if line.startswith("| reader | 12 | 3 | 25.0 %")]
    assert row.endswith("1.6 % |"), "0.25 ** 3 by chance"
    figures = {each.id: each for each in replay(place).figures}
    prefix = "shortcuts.without_images."
    assert {id.removeprefix(prefix) for id in figures if id.startswith(prefix)} == {
        "flagged",
        "all_orders.reader",
        "all_orders.b",  # one model, though its server came back on another port
    }
    flagged = figures[f"{prefix}flagged"]
    assert flagged.equal
    assert flagged.recomputed is not None
    assert (flagged.recomputed.value, flagged.recomputed.n, flagged.recomputed.left_out) == (3, N, 0)
    assert figures[f"{prefix}all_orders.reader"].equal
    # one right reply of the reader is changed to a letter that is wrong: two items are left, and that is named
    rows = [json.loads(line) for line in (place / ATTEMPTS).read_text().splitlines()]
    keyed = next(
        row for row in rows if row["item_id"] == _item(place, min(BLIND)) and row["run_id"] == rows[0]["run_id"]
    )
    keyed["text"] = "ABCD"["ABCD".index(keyed["text"]) - 1]
    (place / ATTEMPTS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    moved = {each.id: each for each in replay(place).differing}
    again = moved[f"{prefix}flagged"].recomputed
    assert again is not None
    assert again.value == 2
    # without the reader nothing is flagged: the other model names one letter
    for run in asked:
        run_control.withdraw(store, by=None, run=run, reason="wrong prompts")
    assert rooms.line().done
    assert rooms.line().said.startswith("within: 0 of 12 items (0.0 %) are answered correctly without images")


def _item(place: Path, number: int) -> int:
    rows = map(json.loads, (place / "evidence/tables/item.jsonl").read_text().splitlines())
    return next(row["id"] for row in rows if row["external_id"] == f"colour/{number}")
