"""Test the record of what people were sent to Label Studio before they voted there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import ExposureShapeRow
from domain.exposure import Route
from domain.states import Stage
from extensions.labelstudio import labeling
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.exchange.bridge import Forms
from extensions.labelstudio.tests.outside import ADDRESS, FORMS, Outside
from testkit.factories import (
    make_items,
    make_person,
    make_project,
    make_schema,
)
from tests.workflow.test_exposure import faults, rows

pytestmark = pytest.mark.both_databases


def test_what_goes_out_to_label_studio_is_noted_for_the_person_it_goes_to(store: Store) -> None:
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 2)
    bridge.connect(store, by=None, project="p", address=ADDRESS, stages=(Stage.VERIFICATION,))
    ann = make_person(store, "ann")
    bridge.map_person(store, by=None, project="p", address=ADDRESS, login="ann", email="ann@x.org")
    front = Outside("ann@x.org")
    real = replace(FORMS, labeling=labeling.labeling, data=labeling.data)
    bridge.push(store, front, real, by=None, project="p")
    there = [{"data": dict(task.data), "predictions": []} for task in front.waiting("ann")]
    # JSON with sorted keys, without spaces, in UTF-8
    bytes_ = [json.dumps(task, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() for task in there]
    noted = rows(store, Route.LABEL_STUDIO)
    assert {(row.sha256, row.bytes, row.person_id) for row in noted} == {
        (hashlib.sha256(each).hexdigest(), len(each), ann.id) for each in bytes_
    }
    with store.read() as session:
        (shape,) = session.exec(select(ExposureShapeRow)).all()
    assert shape.told == {"facts": [], "fields": ["question"], "other": [], "said": []}


def test_a_key_in_a_task_of_label_studio_is_found(store: Store) -> None:
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 1)
    bridge.connect(store, by=None, project="p", address=ADDRESS, stages=(Stage.VERIFICATION,))
    ann = make_person(store, "ann")
    bridge.map_person(store, by=None, project="p", address=ADDRESS, login="ann", email="ann@x.org")
    front = Outside("ann@x.org")

    def data(*given: Any) -> dict[str, Any]:
        made = labeling.data(*given)
        return {**made, "shown": [*made["shown"], {"title": "Answer", "text": "red"}]}

    bridge.push(store, front, Forms(labeling.labeling, data, FORMS.read, FORMS.link), by=None, project="p")
    (task,) = front.waiting("ann")
    front.answer(task, 1, choice="red")
    bridge.pull(store, front, FORMS, by=None, project="p")
    assert [(fault.what, fault.person_id, fault.route) for fault in faults(store)] == [
        ("field answer", ann.id, Route.LABEL_STUDIO)
    ]
