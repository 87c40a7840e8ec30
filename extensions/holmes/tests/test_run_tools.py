"""Tools run in a run: what they say is kept and answers from then on, and no one chooses what runs on a worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store, open_store
from domain.errors import ModelError
from domain.runs import Outcome, RunPlan, RunState
from domain.settings import Settings
from extensions.holmes.run_tools import RunTools
from extensions.holmes.settings import ToolSettings
from extensions.holmes.tests.test_result_import import ROWS, bring, project, stored
from extensions.holmes.tests.test_tools import until
from inference.spec import Endpoint, ModelSpec
from media.store import MediaStore
from testkit.samples import pca_record, write
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.paths import ROOT
from workflow.access.projects import create_project
from workflow.files.import_files import import_files
from workflow.runs import run_control, run_start, run_views
from workflow.runs.model_plans import plan_for, tools_in_words, with_tools
from workflow.runs.worker import means_of, work

__all__ = ["project"]

SET = """
tools:
  - name: object_detection
    description: Finds things.
    command: [PYTHON, -S, ./detect.py]
    images: false
    seconds: 60
"""
DETECT = """
import json, os, sys
told = json.load(sys.stdin)
open(os.path.join(HERE, "ran"), "a").write(told["item"] + " ")
MORE
print(json.dumps(["thing of " + told["item"]]))
"""


def made(folder: Path, more: str = "") -> Path:
    """A tool set with one program, which writes down what it is asked about."""
    folder.mkdir(exist_ok=True)
    (folder / "detect.py").write_text(DETECT.replace("HERE", repr(str(folder))).replace("MORE", more))
    path = folder / "lab.yaml"
    path.write_text(SET.replace("PYTHON", sys.executable))
    return path


def ran(folder: Path) -> list[str]:
    return sorted((folder / "ran").read_text().split()) if (folder / "ran").exists() else []


def asks_once(asked: Asked, number: int) -> Reply:
    """A model that asks for what is in view and answers with it."""
    said = [each["content"] for each in asked.body["messages"] if each["role"] == "tool"]
    call = {"id": "c", "type": "function", "function": {"name": "object_detection", "arguments": '{"why": "x"}'}}
    return chat(said[0]) if said else chat(None, finish="tool_calls", message={"tool_calls": [call]})


def begun(store: Store, url: str, tools: Path | None, **more: Any) -> str:
    endpoint = Endpoint(base_url=url, probe=False)
    spec = ModelSpec(name="m", adapter="endpoint", model="scripted", modality="text", endpoint=endpoint)
    schema = load_schema(shipped()["pca_bench"]).schema_
    plan = with_tools(plan_for(schema, spec, strategy="holmes", **more), tools)
    return run_start.start(store, by=None, project="p", spec=spec, plan=plan)


def done(store: Store, home: Path, run: str, *, tools: Path | None = None, folder: Path | None = None) -> RunState:
    settings = Settings(home, "", of_extensions={ToolSettings: ToolSettings(folder)})
    return work(store, run, means=means_of(store, MediaStore(home / "media"), settings, tools=tools))


def answers(store: Store, run: str) -> dict[str, tuple[Outcome, str]]:
    found = run_views.attempts_of(store, by=None, run=run)
    return {each.item: (each.attempt.outcome, each.attempt.text) for each in reversed(found) if each.attempt.final}


def test_what_a_tool_says_is_kept_and_answers_from_then_on(project: Store, home: Path, tmp_path: Path) -> None:
    bring(project, tmp_path, ROWS[:1])  # of item 0 something is stored
    tools = made(tmp_path / "lab")
    with ScriptedServer(asks_once) as server:
        run = begun(project, server.url, tools)
        assert done(project, home, run, tools=tools) is RunState.DONE
        assert ran(tmp_path / "lab") == ["1"]
        assert answers(project, run) == {
            "0": (Outcome.ANSWERED, '["cup", "table"]'),
            "1": (Outcome.ANSWERED, '["thing of 1"]'),
        }
        again = begun(project, server.url, tools)
        assert done(project, home, again, tools=tools) is RunState.DONE
    assert answers(project, again) == answers(project, run)
    assert ran(tmp_path / "lab") == ["1"], "it is not run again"
    assert stored(project)["1"] == {"object_detection": [{"arguments": None, "result": ["thing of 1"]}]}
    assert bring(project, tmp_path, [{"item": "1", "tool": "object_detection", "result": ["thing of 1"]}]).repeated == 1


@pytest.mark.both_databases
def test_what_someone_else_has_stored_meanwhile_is_the_answer(
    project: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(project, tmp_path, ROWS[:1])
    tools, run_it = made(tmp_path / "lab"), RunTools._run

    def late(self: RunTools, *asked: Any) -> Any:
        """Before it is done, another result has come in."""
        result = run_it(self, *asked)
        bring(project, tmp_path, [{"item": "1", "tool": "object_detection", "result": ["first"]}])
        return result

    monkeypatch.setattr(RunTools, "_run", late)
    with ScriptedServer(asks_once) as server:
        run = begun(project, server.url, tools)
        assert done(project, home, run, tools=tools) is RunState.DONE
    assert ran(tmp_path / "lab") == ["1"]
    assert answers(project, run)["1"] == (Outcome.ANSWERED, '["first"]')
    assert stored(project)["1"]["object_detection"] == [{"arguments": None, "result": ["first"]}]


def test_a_tool_that_fails_is_an_outcome_and_runs_again_on_demand_alone(
    project: Store, home: Path, tmp_path: Path
) -> None:
    tools = made(tmp_path / "lab", "if told['item'] == '1': sys.exit('no weights')")
    with ScriptedServer(asks_once) as server:
        run = begun(project, server.url, tools)
        assert done(project, home, run, tools=tools) is RunState.DONE
        view = run_views.view(project, by=None, run=run)
        assert view.by_outcome == {Outcome.ANSWERED: 1, Outcome.TOOL_FAILED: 1}
        assert (view.attempts, view.without_cost, len(server.asked)) == (4, 3, 3), "that a tool failed is no request"
        (failure,) = run_views.failures_of(project, by=None, run=run)
        assert failure.reason == "object_detection ended with exit status 1: no weights"
        assert ran(tmp_path / "lab") == ["0", "1"]
        (tmp_path / "lab" / "detect.py").write_text("print('[]')")  # mended
        assert done(project, home, run, tools=tools) is RunState.DONE
        assert len(server.asked) == 3, "nothing is asked again unless someone says so"
        assert run_control.retry_failed(project, by=None, run=run) == 1
        assert done(project, home, run, tools=tools) is RunState.DONE
    assert answers(project, run) == {"0": (Outcome.ANSWERED, '["thing of 0"]'), "1": (Outcome.ANSWERED, "[]")}


def test_a_worker_runs_only_what_it_was_given(project: Store, home: Path, tmp_path: Path) -> None:
    """The tool set in a run, which a lead has chosen, is no reason for a worker to run its programs."""
    tools = made(tmp_path / "lab")
    evil = tmp_path / "evil.yaml"
    evil.write_text(tools.read_text().replace("./detect.py", str(tmp_path / "lab" / "detect.py")))
    with ScriptedServer(asks_once) as server:
        run = begun(project, server.url, evil)
        assert done(project, home, run) is RunState.STOPPED
        assert "This server does not allow this run's tool set" in run_views.view(project, by=None, run=run).said
        for given in ({"tools": tools}, {"folder": tmp_path / "lab"}):
            run_control.resume(project, by=None, run=run)
            assert done(project, home, run, **given) is RunState.STOPPED  # type: ignore[arg-type]
        assert (ran(tmp_path / "lab"), server.asked) == ([], [])
        mine = begun(project, server.url, tools)
        assert done(project, home, mine, folder=tmp_path / "lab") is RunState.DONE
    assert ran(tmp_path / "lab") == ["0", "1"]


def test_a_set_that_does_not_fit_or_is_for_nothing_starts_no_run(project: Store, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the file cannot be read"):
        with_tools(RunPlan(strategy="holmes"), tmp_path / "none.yaml")
    schema = load_schema(shipped()["pca_bench"]).schema_
    spec = ModelSpec(name="m", adapter="endpoint", model="x", endpoint=Endpoint(base_url="http://127.0.0.1:9/v1"))
    tools = made(tmp_path / "lab")
    with pytest.raises(ModelError, match="needs a strategy in which models request tools"):
        with_tools(plan_for(schema, spec, strategy="generate"), tools)
    plan = with_tools(plan_for(schema, spec, strategy="holmes"), tools)
    with pytest.raises(ModelError, match="needs a strategy in which models request tools"):
        run_start.start(project, by=None, project="p", spec=spec, plan=replace(plan, strategy="generate"))
    (line,) = tools_in_words(plan)
    assert line == f"tool object_detection: {sys.executable} -S ./detect.py, at most 60 s and 100,000 bytes"


WORKER = """
import sys
from pathlib import Path
from db.engine import open_store
from domain.settings import Settings
from media.store import MediaStore
from workflow.runs.worker import means_of, work
home, run, tools = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
store = open_store(None, home)
work(store, run, means=means_of(store, MediaStore(home / "media"), Settings(home, ""), tools=tools))
"""


@pytest.mark.thorough
def test_a_worker_that_is_killed_while_tools_run_loses_no_result(tmp_path: Path, sqlite_template: Path) -> None:
    """Killed while the second tool runs: the first result is kept, and only the second one is run again."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    create_project(store, name="p", loaded=load_schema(shipped()["pca_bench"]))
    path = write(tmp_path / "open.json", [pca_record(0), pca_record(1)])
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="pca_bench", path=path)
    slow = f"import time\nwhile len(open({str(tmp_path / 'lab' / 'ran')!r}).read().split()) == 2: time.sleep(.01)"
    tools = made(tmp_path / "lab", slow)
    with ScriptedServer(asks_once) as server:
        run = begun(store, server.url, tools)
        words = [sys.executable, "-c", WORKER, str(home), run, str(tools)]
        with subprocess.Popen(words, cwd=ROOT) as worker:
            until(lambda: len(ran(tmp_path / "lab")) == 2)  # each is stored before the next one runs
            os.kill(worker.pid, signal.SIGKILL)
        first = stored(store)
        assert sum(len(each) for each in first.values()) == 1
        (tmp_path / "lab" / "ran").write_text("")  # lets go what was left running, and counts anew
        assert done(store, home, run, tools=tools) is RunState.DONE
    assert len(ran(tmp_path / "lab")) == 1, "what was found is not looked for again"
    assert {name: json.loads(text) for name, (_, text) in answers(store, run).items()} == {
        "0": ["thing of 0"],
        "1": ["thing of 1"],
    }
    store.close()
