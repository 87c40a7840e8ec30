"""The job ``proposals``: killed anywhere it goes on, asks nothing twice that was answered, and leaves nothing out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.services import Services, resources
from db.engine import open_store
from domain.jobs import JobState
from domain.records import Person
from domain.settings import Settings
from extensions.drafting.free_images import free_images
from extensions.drafting.proposal_reply import OURS
from extensions.drafting.proposal_run import PROPOSALS, ProposalRequest, described
from extensions.drafting.tests import test_drafting_command as command
from extensions.drafting.tests.test_drafting_command import HOME_TASK, asks, pool, proposed
from extensions.drafting.tests.test_proposal_reply import said
from testkit.scripted import ScriptedServer, chat
from tests.app.killed_jobs import killed_at, work_off
from workflow.jobs import desk
from workflow.runs import model_descriptions

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("moment", range(4))
def test_a_job_that_is_killed_goes_on_and_asks_nothing_again_that_was_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    resources.cache_clear()
    pool(3)
    store = open_store(None, home)
    url = store.engine.url.render_as_string(hide_password=False)
    nobody = Person(id=0, login="-", name="-", is_admin=False)
    services = Services(store, resources().media, Settings(home, url), nobody, "c")
    with ScriptedServer([chat(said())]) as server:
        command.described(server)
        free = free_images(store, by=None, project="p")
        spec = described(model_descriptions.named("m.yaml"), free, constrain=False)
        out = Path("d.json").absolute()
        request = ProposalRequest("p", spec, OURS.read_text(encoding="utf-8"), None, HOME_TASK, None, 0, 3, out)
        slot = f"proposals/{out}"
        job = desk.begin(store, kind=PROPOSALS.name, slot=slot, by=None, project="p", input=request)
        assert killed_at(services, moment)
        before, asked = replies(), len(server.asked)
        if moment % 2:
            work_off(services)
        else:
            asks()  # the same command goes on with this job
        assert len(before) + len(server.asked) - asked == 3
    done = desk.job(store, id=job.id)
    assert (done.state, done.deaths, done.result.n) == (JobState.DONE, 1, 3)
    assert len(set(replies())) == len(replies()) == len(proposed()) == 3
    assert [each.id for each in desk.list_jobs(store, project="p", kinds=["proposals"])] == [job.id]
    store.close()
    resources.cache_clear()


def replies() -> list[str]:
    """The image of each reply in the journal."""
    lines = [json.loads(line) for line in Path("d.asked.jsonl").read_text().splitlines()]
    return [line["image"] for line in lines if line["record"] == "reply"]
