"""Test how people, schemas and settings of an exchange change."""

from __future__ import annotations

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import BridgePersonRow, ProjectRow, TaskRow
from domain.bridge import BridgeOutcome
from domain.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError
from domain.roles import Role
from domain.states import Stage, TaskState
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.tests.outside import ADDRESS, FORMS, Outside
from extensions.labelstudio.tests.test_bridge import ANN, CAT, answers, bridged, outcomes, pull, push, rows, state_of
from testkit.factories import make_fields, make_items, make_person, make_predictions, make_project, make_schema
from workflow.access import accounts, memberships, stored_schemas
from workflow.annotate.authoring import edit_item

pytestmark = pytest.mark.thorough


@pytest.mark.both_databases
@pytest.mark.parametrize("how", ["removed", "deactivated", "unmapped", "other stage", "disconnected"])
def test_anyone_who_leaves_has_nothing_there_any_more(store: Store, front: Outside, how: str) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    ann, _ = bridged(store, "ann", "bob", ahead=1)
    push(store, front)
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    if how == "removed":
        memberships.remove_member(store, by=None, project="p", login="ann")
    elif how == "deactivated":
        accounts.set_active(store, login="ann", active=False)
    elif how == "unmapped":
        bridge.unmap_person(store, by=None, project="p", address=ADDRESS, login="ann")
    elif how == "other stage":
        memberships.set_member(store, by=None, project="p", login="ann", role=Role.ANNOTATOR, stages=[Stage.GRADING])
    else:
        bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[])
    push(store, front)
    assert front.of("ann") == []
    assert not [row for row in rows(store, TaskRow, person_id=ann.id) if row.state is TaskState.CLAIMED]
    counted = how in ("unmapped", "disconnected")  # the person had the task at the time of the answer
    assert answers(store) == ([(ann.id, "red")] if counted else [])
    assert outcomes(store) == [BridgeOutcome.STORED if counted else BridgeOutcome.LATE]
    assert [project.title for project in front.projects.values()] == (
        [] if how == "disconnected" else ["Bob · verification · A blind test"]
    )


def test_another_labeling_empties_and_removes_the_old_project(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 2)
    (ann,) = bridged(store, "ann")
    push(store, front)
    (old,) = front.projects
    one, _ = front.waiting("ann")
    front.answer(one, ANN, choice="red")
    newer = make_schema(raters=1)
    text = newer.text.replace("version: 1", "version: 2", 1)
    with store.write() as session:
        version = stored_schemas.store_schema(session, loaded=load_text(text, "Be exact.", "blind"), now=store.now())
        row = session.exec(select(ProjectRow)).one()
        row.schema_version_id = version
        session.add(row)
    push(store, front)
    assert old not in front.projects
    assert answers(store) == [(ann.id, "red")]
    assert len(front.waiting("ann")) == 1
    assert "verification 2" in next(iter(front.projects.values())).labeling
    front.answer(front.waiting("ann")[0], ANN, choice="red")
    pull(store, front)
    assert answers(store) == [(ann.id, "red")] * 2


def test_an_edited_item_goes_out_anew(store: Store, front: Outside) -> None:
    make_project(store)
    ids = make_items(store, 1)
    make_predictions(store, ids, models=["m"])
    bridged(store, "ann", stages=(Stage.GRADING,))
    push(store, front)
    edit_item(store, person=None, project="p", item="colour/0", fields=make_fields(question="Edited?"))
    assert push(store, front).called_back == 1
    assert [task.data["fields"]["question"] for task in front.waiting("ann")] == ["Edited?"]


def test_one_address_there_is_one_person(store: Store, front: Outside) -> None:
    make_project(store)
    bridged(store, "ann")
    make_person(store, "bob")
    with pytest.raises(ConflictError, match="already belongs to 'ann'"):
        bridge.map_person(store, by=None, project="p", address=f"{ADDRESS}/", login="bob", email="ANN@x.org")
    with pytest.raises(NotFoundError, match="Add this person first"):
        bridge.map_person(store, by=None, project="p", address=ADDRESS, login="zoe", email="zoe@x.org")
    with pytest.raises(NotFoundError, match="Connect the server first"):
        bridge.map_person(store, by=None, project="p", address="http://else.test", login="bob", email="b@x.org")


def test_members_are_found_by_their_logins(store: Store, front: Outside) -> None:
    make_project(store)
    bridged(store)
    make_person(store, "ann@x.org")
    make_person(store, "zoe@x.org")
    assert bridge.match_people(store, front, by=None, project="p") == ["ann@x.org"]
    assert bridge.match_people(store, front, by=None, project="p") == []


def test_someone_without_an_account_there_is_told_of_and_found_later(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    bridged(store, "zoe")
    push(store, front)
    assert (
        state_of(store).next_steps[0].endswith("with the address zoe@x.org. Invite this person at http://there.test.")
    )
    front.accounts[9] = "Zoe@X.org"
    push(store, front)
    assert len(front.waiting("zoe")) == 1
    assert not any("Invite this person" in step for step in state_of(store).next_steps)


@pytest.mark.both_databases
def test_whose_address_changes_is_looked_up_anew(store: Store, front: Outside) -> None:
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 4)
    bridged(store, "ann", ahead=1)
    push(store, front)
    assert [row.outside_user for row in rows(store, BridgePersonRow)] == [ANN]
    bridge.map_person(store, by=None, project="p", address=ADDRESS, login="ann", email="cat@x.org")
    push(store, front)
    assert [row.outside_user for row in rows(store, BridgePersonRow)] == [CAT]


def test_leads_only(store: Store, front: Outside) -> None:
    make_project(store)
    (ann,) = bridged(store, "ann")
    with pytest.raises(NotAllowedError):
        bridge.push(store, front, FORMS, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        bridge.pull(store, front, FORMS, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        bridge.status(store, by=ann, project="p")
    with pytest.raises(NotAllowedError):
        bridge.connect(store, by=ann, project="p", address=ADDRESS, stages=[])


@pytest.mark.parametrize(
    "address", ["", "there.test", "http://", "ftp://there.test", "http://ann:secret@there.test", "http://x/?token=1"]
)
def test_an_address_is_an_address_and_holds_no_token(store: Store, address: str) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError, match="without a login or a token"):
        bridge.connect(store, by=None, project="p", address=address, stages=[Stage.VERIFICATION])


def test_settings_that_do_not_fit_are_refused(store: Store) -> None:
    make_project(store)
    with pytest.raises(InvalidInputError) as refused:
        bridge.connect(store, by=None, project="p", address=ADDRESS, stages=[Stage.REFINEMENT], ahead=0, hold_hours=0)
    assert {problem.name for problem in refused.value.problems} == {"stages", "ahead", "hold_hours"}
