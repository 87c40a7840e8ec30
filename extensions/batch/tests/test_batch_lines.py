"""The lines of batch files, and what core says where this folder is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.engine import Store
from domain import extensions
from domain.errors import NotAvailableError
from domain.runs import RunPlan
from extensions.batch.batch_endpoint import line_of
from inference.spec import Generation
from tests.inference.test_endpoint import questions
from tests.inference.test_endpoint import spec_of as endpoint_spec
from tests.workflow.test_judge_runs import World
from workflow.runs import run_start

BODY = {"reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": False}, "thinking": None}

NOWHERE = "http://127.0.0.1:1/v1"


def test_a_line_of_a_batch_file_has_the_extra_fields() -> None:
    spec = endpoint_spec("http://a/v1", generation=Generation(extra_body=BODY))
    body = json.loads(line_of(spec, questions(1)[0], "1"))["body"]
    assert {name: body[name] for name in BODY} == BODY


def test_no_run_is_stored_that_no_command_could_hand_in(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "installed", dict)
    told = r"`batch` belongs to the extension Batch files, .* folder `extensions/batch`"
    world = World(store, tmp_path)
    before = world.all("SELECT id FROM run")
    with pytest.raises(NotAvailableError, match=told):
        world.run(NOWHERE, world.plan(batch=True))
    with pytest.raises(NotAvailableError, match=told):
        run_start.start(store, by=None, project="p", spec=endpoint_spec(NOWHERE), plan=RunPlan(batch=True))
    assert world.all("SELECT id FROM run") == before
