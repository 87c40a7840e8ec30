"""Right answers of gold checks for each kind of key: decimals, spans, sets, parts of a keep rule, further rounds."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import tolerances_of
from db.engine import Store
from domain.overlap import Overlap
from domain.roles import Role
from domain.states import Stage
from extensions.gold import making
from extensions.gold.check_rules import is_right
from extensions.gold.pages.gold import gold_of
from media.store import MediaStore
from testkit import missing_media
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from testkit.missing_extensions import needs
from tests.domain.test_overlapping_votes import span
from tests.workflow import test_decimal_numbers as decimals
from tests.workflow import test_further_verification as rounds
from tests.workflow import test_keep_parts as parts
from tests.workflow import test_sets_as_keys as sets
from tests.workflow import test_temporal_grounding as moments
from tests.workflow import test_without_media as media_waits
from workflow.access import projects
from workflow.annotate import progress, submissions

pytestmark = pytest.mark.thorough


def asks_for_gold(schema: str, stage: str = "verification", rate: float = 0.1) -> str:
    """Return a schema that asks for gold checks in a stage."""
    head, begin, rest = schema.partition(f"  {stage}:\n")
    assert begin
    return f"{head}{begin}    gold: {{rate: {rate}}}\n{rest}"


def draw(store: Store, n: int, stage: Stage = Stage.VERIFICATION) -> list[making.GoldCandidate]:
    return making.draw(store, by=None, project="p", stage=stage, n=n)


def test_a_decimal_is_known_as_it_is_written(store: Store) -> None:
    schema = asks_for_gold(decimals.TALL)
    make_project(store, loaded=load_text(schema, "", "tall"))
    make_items(store, 1, dimension="near", fields={"question": "How tall?", "height": "0.10"})
    for person, tall in zip(make_people(store, "ann", "bob"), (0.15, 0.05), strict=True):
        view = claimed(store, person)
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"tall": tall})
    (known,) = draw(store, 1)
    assert known.answers == {"tall": "0.10"}


@needs("kinds", "time_span")
def test_a_span_is_known_by_the_key(store: Store) -> None:
    make_project(store, loaded=load_text(asks_for_gold(moments.MOMENTS), "", "moments"))
    key = [moments.span(2, 4)]
    make_items(store, 1, dimension="acts", fields={"query": "opens", "span": key})
    for person in make_people(store, "ann", "bob", "cem"):
        view = claimed(store, person)
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"when": [moments.span(2, 3.5)]})
    (known,) = draw(store, 1)
    assert known.answers == {"when": key}


def test_a_span_is_right_from_the_iou_on() -> None:
    allowed = {"when": Overlap(Fraction(1, 2))}
    said = [is_right({"when": each}, {"when": span(2, 4)}, allowed) for each in (span(2, 3), span(2, 2.9), None)]
    assert said == [True, False, None]


def test_an_answer_in_any_order_and_form_is_the_set_of_its_options(store: Store) -> None:
    loaded = load_text(asks_for_gold(sets.SCHEMA), "", "sets")
    (stage,) = loaded.schema_.stages.verifications.values()
    within = tolerances_of(stage.criteria)
    assert is_right({"seen": ["a", "b", "a"]}, {"seen": ["b", "a"]}, within)
    assert not is_right({"seen": ["a"]}, {"seen": ["a", "b"]}, within)
    make_project(store, loaded=loaded)
    make_items(store, 1, fields={"question": "Which?", "options": sets.OPTIONS, "answer": sets.OPTIONS[:2]})
    for person in make_people(store, "ann", "bea", "cem"):
        task = claimed(store, person)
        submissions.submit(store, person=person, task=task.id, key=person.login, values={"seen": sets.OPTIONS[:2]})
    known = making.GoldCandidate("colour/0", None, "colour", {"seen": ["tea", "cafe\u0301", "tea"]})
    (added,) = making.add(store, by=None, project="p", stage=Stage.VERIFICATION, known=[known])
    assert added.answers == {"seen": ["caf\u00e9", "tea"]}


def test_a_rule_of_parts_gives_the_key_and_the_value_and_leaves_a_limit_open(store: Store) -> None:
    parts.made(store, 1, "    gold: {rate: 0.5}")
    for person, hard in zip(make_people(store, "ann", "bob"), (1, 3), strict=True):
        parts.say(store, person, hard=hard)
    (known,) = draw(store, 1)
    assert known.answers == {"choice": "red", "fits": "yes"}


def test_a_further_round_has_gold_of_its_own(store: Store) -> None:
    schema = asks_for_gold(rounds.ONE + rounds.SECOND, "verification_2", rate=0.5)
    (ann, bob, _), (sue, sid, sol, sam) = rounds.make(store, schema, 3)
    for person in (ann, bob):
        for _ in range(3):
            rounds.say(store, person, "yes")
    dropped = min(rounds.states(store))
    for person in (sue, sid, sol):
        while not rounds.finished(store, person, Stage.VERIFICATION_2):
            view = claimed(store, person, Stage.VERIFICATION_2)
            value = "no" if view.item == dropped and person is not sol else "yes"
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"right": value})
    known = draw(store, 3, Stage.VERIFICATION_2)
    assert [each.answers for each in known] == [{"right": "yes"}] * 2, "of the rejected one, not all votes agree"
    assert rounds.finished(store, sam, Stage.VERIFICATION_2), "gold comes among live work alone"
    view = projects.project(store, person=make_person(store, "lea", role=Role.LEAD), project="p")
    there_is_no_limit = "50% of a person's tasks in the stage Content are gold checks."
    assert gold_of(view, Stage.VERIFICATION_2) == there_is_no_limit


@pytest.mark.both_databases
def test_gold_without_its_image_is_not_asked(store: Store, home: Path) -> None:
    media_waits.project(store, extra="\n    gold: {rate: 0.5, after: 4, warn_below: 0.8, stop_below: 0.5}")
    settled = make_items(store, 2)
    for person in make_people(store, "ann", "ben"):
        for _ in settled:
            vote(store, person)
    draw(store, 2)
    media_waits.link(store, settled)
    make_items(store, 4)
    cat = make_person(store, "cat")
    assert progress.progress(store, person=cat, project="p", stage=Stage.VERIFICATION).mine_left == 4
    missing_media.fill(store, MediaStore(home / "media"))
    assert progress.progress(store, person=cat, project="p", stage=Stage.VERIFICATION).mine_left > 4
