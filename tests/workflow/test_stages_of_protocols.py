"""The four protocols in work: what is not built is refused with a sentence, and people are asked what fits the item."""

from __future__ import annotations

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.records import NoTask
from domain.states import Stage
from testkit.factories import claimed, make_items, make_people, make_project
from testkit.qualification import needs_qualification
from workflow.annotate import claims, qualification, submissions


@needs_qualification
def test_egoplan_is_verified_blind_by_anyone_who_needs_no_qualification(store: Store) -> None:
    make_project(store, loaded=load_schema(shipped()["egoplan"]))
    fields = {
        "task_goal": "store cereal",
        "question": "What next?",
        "options": ["open cupboard", "put box away", "close drawer", "take bowl"],
        "answer": "open cupboard",
        "task_progress_metadata": [],
    }
    make_items(store, dimension="next_action", fields=fields)
    for person in make_people(store, "ann", "bob"):
        found = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
        assert isinstance(found, NoTask)
        assert found.code == "not_qualified"
        qualification.exempt(store, by=None, project="p", login=person.login, why="A test.")
        view = claimed(store, person)
        assert set(view.fields) == {"task_goal", "question", "options"}
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": "open cupboard"})
