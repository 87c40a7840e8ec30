"""Text and numbers that a database cannot hold end in a sentence, on both databases and wherever they come in."""

from __future__ import annotations

import contextlib

import pytest

from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError, NotFoundError
from domain.states import Stage
from testkit.factories import claimed, make_items, make_person, make_project
from workflow.access import accounts, projects, sign_in
from workflow.annotate import authoring, claims, drafts, image_pool, submissions, task_views

pytestmark = pytest.mark.both_databases

STRANGE = ["\0", "a\0b", "\ud800", "half \udfff"]


@pytest.mark.parametrize("text", STRANGE)
def test_strange_names_of_things_are_refused(store: Store, text: str) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    for call in (
        lambda: projects.project(store, person=ann, project=text),
        lambda: claims.next_task(store, person=ann, project=text, stage=Stage.VERIFICATION),
        lambda: claims.heartbeat(store, person=ann, task=text),
        lambda: submissions.submit(store, person=ann, task=text, key="k", values={}),
        lambda: task_views.asset_file(store, person=ann, asset=text),
        lambda: image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[text]),
        lambda: authoring.edit_item(store, person=None, project="p", item=text, fields={}),
        lambda: accounts.create_person(store, login=f"x{text}", name="X"),
        lambda: accounts.create_person(store, login="x", name=f"X{text}"),
        lambda: sign_in.use_sign_in_link(store, token=text),
    ):
        with pytest.raises((NotFoundError, NotAllowedError, InvalidInputError)):
            call()
    assert sign_in.signed_in(store, token=text) is None
    for login, password in ((text, "some password"), ("ann", text)):
        with pytest.raises(NotAllowedError, match="is wrong"):
            sign_in.authenticate(store, login=login, password=password)


@pytest.mark.parametrize("text", STRANGE)
def test_strange_text_in_a_submission_is_kept_or_refused_but_breaks_nothing(store: Store, text: str) -> None:
    make_project(store)
    make_items(store)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    for values, note in (({"choice": text}, ""), ({"choice": "red"}, text)):
        with contextlib.suppress(InvalidInputError):
            submissions.submit(store, person=ann, task=view.id, key="k", values=values, note=note)


@pytest.mark.parametrize("seq", [2**31, 2**63, 10**30])
def test_a_number_beyond_the_database_is_refused_or_kept(store: Store, seq: int) -> None:
    make_project(store)
    make_items(store)
    ann = make_person(store, "ann")
    view = claimed(store, ann)
    with contextlib.suppress(InvalidInputError):
        drafts.save_draft(store, person=ann, task=view.id, seq=seq, values={"n": 1})
    assert claimed(store, ann).id == view.id


def test_a_password_may_be_any_text(store: Store) -> None:
    accounts.create_person(store, login="ann", name="Ann", password="pässwörd \ud83d 🔑")
    assert sign_in.authenticate(store, login="ann", password="pässwörd \ud83d 🔑").login == "ann"
