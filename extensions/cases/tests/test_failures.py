"""Settled codes: planted codes are counted right, and a code counts once it is settled, of answers that count."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from db.engine import Store
from db.tables import RunRow
from domain.errors import ConflictError, InvalidInputError, NotFoundError
from domain.records import NoTask, TaskView
from domain.roles import Role
from domain.states import Stage
from extensions.cases import failures
from extensions.cases.coding_intake import open_coding
from extensions.cases.failure_shares import failure_shares
from testkit.coded_world import CODES, CODING, answer, code, code_all, schema
from testkit.factories import make_items, make_people, make_person, make_project
from workflow.access.projects import access_to
from workflow.annotate import claims
from workflow.files.project_check import check
from workflow.results.project_answers import current
from workflow.runs import run_control


def limits(n: int, of: int) -> tuple[float, float]:
    """Wilson's, as the roots of (n/of - p)^2 = z^2 p (1 - p) / of, with z = 1.959963984540054."""
    share, z2 = n / of, 1.959963984540054**2
    low, high = sorted(np.roots([1 + z2 / of, -(2 * share + z2 / of), share**2]).real)
    return max(low, 0.0), min(high, 1.0)


def counted(found: failures.Failures) -> dict[tuple[str, str | None, str | None], tuple[int, int]]:
    return {(each.model, each.dimension, each.code): (each.n, each.of) for each in found.counts}


@pytest.mark.thorough
def test_planted_codes_are_counted_as_the_dice_fell(store: Store) -> None:
    make_project(store, loaded=schema())
    dice = random.Random(11)
    forms = {"secret-alpha": "{}", "secret-beta": "The answer is {}."}
    said: dict[tuple[str, str], tuple[list[str], list[str], list[str]]] = {}
    truth: Counter[tuple[str, str | None, str | None]] = Counter()
    settled: Counter[tuple[str, str | None]] = Counter()
    standing: Counter[str] = Counter()
    for dimension in ("colour", "shape"):
        ids = make_items(store, 9, dimension=dimension)
        for model, form in forms.items():
            right = [dice.random() < 0.4 for _ in ids]
            answer(
                store,
                ids,
                model,
                lambda at, form=form, right=right: form.format("red" if right[at] else "blue"),  # type: ignore[misc]
                dimension=dimension,
            )
            for at in range(len(ids)):
                if right[at]:
                    continue
                lots = [sorted(dice.sample(CODES, dice.choice((1, 2))), key=CODES.index) for _ in range(3)]
                if dice.random() < 0.6:
                    lots[1] = lots[0]
                said[f"{dimension} {at}", form.format("blue")] = (lots[0], lots[1], lots[2])
                agreed = lots[0] == lots[1]
                standing["unanimous" if agreed else "arbitrated"] += 1
                for part in (None, dimension):
                    settled[model, part] += 1
                    truth.update((model, part, each) for each in (lots[0] if agreed else lots[2]))
    named = _named_questions(store)
    wrong = open_coding(store, by=None, project="p")
    assert (wrong.answers, wrong.wrong, wrong.opened, wrong.unscored) == (36, len(said), len(said), 0)
    ann, bob = make_people(store, "ann", "bob")
    sam = make_person(store, "sam", role=Role.SENIOR)

    def say(place: int) -> Callable[[TaskView], list[str]]:
        return lambda view: said[named[view.item or ""], view.answer or ""][place]

    assert code_all(store, ann, say(0)) == code_all(store, bob, say(1)) == len(said)
    assert code_all(store, sam, say(2), stage=Stage.ARBITRATION) == standing["arbitrated"] > 0
    found = failures.failures(store, person=None, project="p")
    assert Counter(each.standing.value for each in found.answers) == standing
    wanted = {
        (model, part, each): (truth[model, part, each], of) for (model, part), of in settled.items() for each in CODES
    }
    assert counted(found) == wanted
    for each in found.counts:
        assert (each.low, each.high) == pytest.approx(limits(each.n, each.of), abs=1e-9)
    assert check(store) == []


def _named_questions(store: Store) -> dict[str, str]:
    """What the test calls an item (dimension and place in it), by its id on pages."""
    from db import items

    with store.read() as session:
        id = access_to(session, person=None, project="p").project_id
        seen: Counter[str] = Counter()
        found = {}
        for row in items.of_project(session, project_id=id):
            found[row.public_id] = f"{row.dimension} {seen[row.dimension]}"
            seen[row.dimension] += 1
        return found


@pytest.mark.thorough
def test_a_code_counts_once_it_is_settled_and_not_before(store: Store) -> None:
    make_project(store, loaded=schema())
    answer(store, make_items(store, 3), "m", lambda at: ("blue", "red", "green it is not")[at])
    sent = open_coding(store, by=None, project="p")
    assert (sent.wrong, sent.opened) == (2, 2), "blue is wrong, and unreadable answers count as wrong here"
    ann, bob = make_people(store, "ann", "bob")
    sam = make_person(store, "sam", role=Role.SENIOR)
    for _ in range(2):
        code(store, ann, ["perception"])
    found = failures.failures(store, person=None, project="p")
    assert found.counts[0].of == 0
    assert "2 waiting for more coders" in found.sentence
    differed = code(store, bob, ["perception", "format"])
    code(store, bob, ["perception"])
    found = failures.failures(store, person=None, project="p")
    assert counted(found)["m", None, "perception"] == (1, 1), "where coders differ nothing is counted"
    assert "1 with different codes (waiting for arbitration)" in found.sentence
    view = code(store, sam, ["reasoning"], stage=Stage.ARBITRATION)
    assert view.item == differed.item
    found = failures.failures(store, person=None, project="p")
    assert counted(found)["m", None, "reasoning"] == (1, 2)
    assert counted(found)["m", None, "format"] == (0, 2), "what a coder said does not count beside the decision"


@pytest.mark.thorough
@pytest.mark.both_databases
def test_answers_that_count_no_more_are_left_out_and_come_back(store: Store) -> None:
    make_project(store, loaded=schema())
    ids = make_items(store, 2)
    answer(store, ids, "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    ann, bob = make_people(store, "ann", "bob")
    code(store, ann, ["format"])
    with store.read() as session:
        run = session.get(RunRow, 1)
        assert run is not None
        name = run.public_id
    run_control.withdraw(store, by=None, run=name, reason="The wrong weights.")
    assert failures.failures(store, person=None, project="p").answers == []
    assert isinstance(claims.next_task(store, person=bob, project="p", stage=Stage.CODING), NoTask)
    run_control.take_back(store, by=None, run=name)
    assert len(failures.failures(store, person=None, project="p").answers) == 2
    assert code_all(store, bob, lambda view: ["format"]) == 2
    answer(store, ids[:1], "m", lambda at: "red")  # the model answers again
    assert [each.item for each in failures.failures(store, person=None, project="p").answers] == [ids[1]]


def test_where_coders_differ_without_arbitration_nothing_is_settled(store: Store) -> None:
    make_project(store, loaded=schema(CODING + "    arbitration: false\n"))
    answer(store, make_items(store, 1), "m", lambda at: "blue")
    open_coding(store, by=None, project="p")
    for person, given in zip(make_people(store, "ann", "bob"), (["format"], ["reasoning"]), strict=True):
        code(store, person, given)
    found = failures.failures(store, person=None, project="p")
    assert "1 with different codes (unsettled)" in found.sentence
    assert found.counts[0].of == 0


def test_a_project_without_coding_has_no_failures(store: Store) -> None:
    make_project(store)
    with pytest.raises(ConflictError, match="has no coding stage"):
        failures.failures(store, person=None, project="p")


def test_a_share_that_a_table_cannot_have_is_told(store: Store) -> None:
    make_project(store, loaded=schema())
    share = failure_shares(store, current(store, person=None, project="p"))
    with pytest.raises(InvalidInputError, match="needs the keys `code` and `model`"):
        share(model="m", part=None, criterion=None, code=None)
    with pytest.raises(NotFoundError, match="No answer of m has settled codes"):
        share(model="m", part=None, criterion=None, code="format")
