"""Right without images, next to what is known of them: the items that they know are found, and no
other; whoever names one letter knows none."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pytest

from annotation_schemas.model import Shortcuts as Limits
from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError
from domain.roles import Role
from extensions.shortcuts.model_files import as_csv
from extensions.shortcuts.model_replies import WITH, WITHOUT, ModelReply
from extensions.shortcuts.model_shortcuts import ModelScores, ModelShortcuts, from_replies, measure_models
from extensions.shortcuts.tests.rooms import Rooms
from testkit.factories import make_person
from tests.workflow.shortcut_world import BLIND, LETTERS, N, always_b, reader, served, spec_of
from workflow.annotate.authoring import edit_item
from workflow.releases.text_rules import Choice
from workflow.runs import attempt_keeper, run_control, run_start
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import work


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


def of(found: ModelShortcuts, model: str, condition: str) -> ModelScores:
    return next(each for each in found.models if (each.model, each.condition) == (model, condition))


def ids(*numbers: int) -> set[str]:
    return {f"colour/{number}" for number in numbers}


@pytest.mark.thorough
def test_what_a_model_knows_by_texts_is_found_and_nothing_else(store: Store, tmp_path: Path) -> None:
    """Two models, one of which reads texts; the one that always says B is right in a quarter of all orders of four."""
    rooms = Rooms(store, tmp_path)
    for name, mind in (("reader", reader), ("b", always_b)):
        with served(mind) as server:
            spec = spec_of(server, name)
            rooms.ask(spec, text_only=True, orders=4)
            # with images in the item's own order, as an ordinary run asks
            run = run_start.start(store, by=None, project="p", spec=spec, plan=plan_for(rooms.loaded.schema_, spec))
            work(store, run, means=rooms.means)
    found = measure_models(store, by=None, project="p")
    assert {each.item for each in found.flagged} == ids(*BLIND)
    assert all(each.reasons == ["reader is right without images in all 4 orders of options"] for each in found.flagged)
    assert [each.chance for each in found.flagged] == [0.25**4] * 3
    blind, seeing = of(found, "reader", WITHOUT), of(found, "reader", WITH)
    # 3 of 12 items without, all with images; key B in 4 orders of 4 options: once each
    assert (blind.right.value, seeing.right.value, blind.all_right.value) == (3 / 12, 1.0, 3 / 12)
    assert blind.gain is not None
    assert blind.gain.value == pytest.approx(9 / 12)
    assert blind.gain.low is not None
    assert blind.gain.low < 0.75 < (blind.gain.high or 0)
    assert (blind.right.n_units, blind.orders, seeing.orders, seeing.gain) == (48, 4, 1, None)
    assert blind.chance == pytest.approx(0.25**4)
    one_letter = of(found, "b", WITHOUT)
    assert (one_letter.right.value, one_letter.all_right.value) == (0.25, 0.0)
    # every key stands at B in as many items of its own order as the schema of the project has it: 3 of 12
    assert of(found, "b", WITH).right.value == 3 / 12
    # both models have to be right for a second look, unless one is chosen
    assert found.second == []
    assert {each.item for each in measure_models(store, by=None, project="p", chosen=["reader"]).second} == ids(*BLIND)
    with pytest.raises(InvalidInputError, match=r"No run for shortcuts used the model 'gpt'.*reader, b"):
        measure_models(store, by=None, project="p", strong=["gpt"])
    other = make_person(store, "ann", role=Role.SENIOR)
    with pytest.raises(NotAllowedError):
        measure_models(store, by=other, project="p")


@pytest.mark.thorough
def test_what_cannot_be_read_is_counted_and_never_right(store: Store, tmp_path: Path) -> None:
    """Item 4 is known, but one reply or two of three state no option; item 9 was changed since it was asked."""
    rooms = Rooms(store, tmp_path)
    garbled: list[int] = []

    def mumbling(number: int, options: list[str], sees: bool) -> str:
        if number == 4 and options.index("right 4") < 2:
            garbled.append(number)
            return "Both of the first two would do, A or B."
        return reader(number, options, sees)

    with served(mumbling) as server:
        runs = rooms.ask(spec_of(server), text_only=True, orders=3)
    edit_item(store, person=None, project="p", item="colour/9", fields={"question": "Number 9, or more?"})
    found = measure_models(store, by=None, project="p")
    assert {each.item for each in found.flagged} == ids(1)
    assert found.earlier == 3
    blind = of(found, "gpt", WITHOUT)
    assert garbled
    assert (blind.unread, blind.silent, blind.items) == (len(garbled), 0, N - 1)
    # right in 3 orders of item 1 and in what is left of item 4, of 33 replies
    assert blind.right.value == pytest.approx((3 + 3 - len(garbled)) / 33)
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert [(row["orders"], row["unread"]) for row in rows if row["item"] == "colour/4"] == [("3", str(len(garbled)))]
    run_control.withdraw(store, by=None, run=runs[0], reason="wrong prompts")
    assert measure_models(store, by=None, project="p").flagged == [], "two orders are left, and three are wanted"


@pytest.mark.thorough
def test_a_strong_model_that_argues_another_answer_is_heard(store: Store, tmp_path: Path) -> None:
    """Of item 7 it names the same wrong option in every order; of item 8 in some, in the others the key."""
    rooms = Rooms(store, tmp_path)

    def arguing(number: int, options: list[str], sees: bool) -> str:
        right = options.index(f"right {number}")
        wrong = options.index(f"wrong {number} y")
        return LETTERS[wrong if number == 7 or (number == 8 and right < 2) else right]

    with served(arguing) as server:
        rooms.ask(spec_of(server, "strong"), orders=4)
    found = measure_models(store, by=None, project="p", strong=["strong"])
    assert [(each.item, list(each.reasons)) for each in found.second] == [
        ("colour/7", ["strong gives another answer with images, in all 4 orders of options: “wrong 7 y”"])
    ]
    assert found.flagged == []
    assert found.chosen == []
    assert measure_models(store, by=None, project="p").second == []


def test_limits_and_what_no_one_answered_by_hand() -> None:
    """Three items of two sources; a reply that never came is no evidence, and the order counts."""
    known = {id: Choice(("a", "b"), 0, id=id, source="v2" if id == "3" else "v1") for id in ("1", "2", "3")}

    def said(model: str, item: str, *values: float) -> list[ModelReply]:
        return [
            ModelReply(model, WITHOUT, str(at), item, value, "a" if value == value else "")
            for at, value in enumerate(values)
        ]

    replies = [
        *said("m", "1", 1, 1, 1),
        *said("m", "2", 1, 1, math.nan),
        *said("m", "3", 1, 1),
        *said("n", "1", 1, 1, 1),
        *said("n", "2", 1, 1, 0),
    ]

    def flagged(**limits: int) -> list[str]:
        return [each.item for each in from_replies(replies, known, Limits(**limits)).flagged]

    assert flagged() == ["1"]
    assert flagged(orders=2) == ["1", "3"]
    assert flagged(models=2) == ["1"]
    assert flagged(orders=4) == []
    shown = of(from_replies(replies, known, Limits(orders=2)), "m", WITHOUT)
    # 1/8, 1/8 and 1/4 by chance; of eight replies one never came
    assert shown.chance == pytest.approx((1 / 8 + 1 / 8 + 1 / 4) / 3)
    assert (shown.right.value, shown.right.n_units, shown.silent) == (1.0, 7, 1)
    assert shown.all_right.value == pytest.approx(2 / 3)
    assert shown.gain is not None
    assert shown.gain.value is None
    assert shown.gain.reason == "no item was shown both with and without images."
