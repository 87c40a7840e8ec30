"""The job of a second reader: killed anywhere it goes on, and asks nothing twice that was answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import Services, resources
from db.engine import Store
from domain.jobs import JobState
from domain.settings import Settings
from extensions.second_readers.reader_job import SECOND_READER, ReaderRequest
from extensions.second_readers.tests.test_second_reader import answered  # noqa: F401
from media.store import MediaStore
from testkit.factories import make_person
from testkit.scripted import ScriptedServer, chat
from tests.app.killed_jobs import killed_at
from workflow.jobs import desk
from workflow.runs import model_descriptions

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("answered")]


@pytest.mark.parametrize(("moment", "limit", "n"), [(3, None, 4), (4, None, 4), (5, 3, 3)])
def test_the_command_goes_on_with_the_job_of_one_that_was_killed(
    store: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int, limit: int | None, n: int
) -> None:
    url = store.engine.url.render_as_string(hide_password=False)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    resources.cache_clear()
    services = Services(store, MediaStore(home / "media"), Settings(home, url), make_person(store, "lea"), "c")
    file = tmp_path / "second.yaml"
    with ScriptedServer([chat("NONE")]) as server:
        file.write_text(
            "name: second\nadapter: endpoint\nmodel: scripted\nmodality: text\n"
            f"endpoint: {{base_url: '{server.url}', probe: false, concurrency: 1}}\n"
        )
        request = ReaderRequest("p", model_descriptions.named(str(file)), None, None, limit)
        about: Any = {"kind": SECOND_READER.name, "slot": "second_reader/p/second", "by": None, "project": "p"}
        job = desk.begin(store, **about, input=request)
        assert killed_at(services, moment)
        before = [each.text for each in server.asked]
        assert 1 <= len(before) < n
        command = ["reader", "run", "p", "--spec", str(file), *(["--limit", str(limit)] if limit else [])]
        told = CliRunner().invoke(cli, command, catch_exceptions=False).stdout
        after = [each.text for each in server.asked[len(before) :]]
    assert "The rules cannot read 5 answers" in told
    done = desk.job(store, id=job.id)
    assert (done.state, done.deaths) == (JobState.DONE, 1)
    assert not {*before[:-1]} & {*after}, "only the last reply may have come when its process was killed"
    assert len({*before, *after}) >= n
    assert len(after) == len({*after})
    resources.cache_clear()
