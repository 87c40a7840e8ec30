"""The page Judges without a browser: picking a template, a version of one's own, planning, reading, comparing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotation_schemas.formats import FORMATS
from annotation_schemas.judge_templates import shipped
from app.judging import begin
from app.judging import shown as of_judges
from app.screens import SCREENS
from app.services import Services
from db import judging as rows_of_judges
from db import run_attempts, run_chunks
from db import runs as rows_of_runs
from db.engine import Store
from domain.errors import ConflictError
from domain.judging import ReplyOutcome
from domain.rated_units import BETWEEN
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome, RunState
from domain.settings import Settings
from inference import spec as specs
from inference.spec import Endpoint, ModelSpec
from testkit.factories import make_predictions
from testkit.missing_extensions import needs
from tests.app.homes import Home, make_home
from tests.app.screens import drawn
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.annotate import authoring
from workflow.results import judge_replies
from workflow.results.ratings_from_files import import_ratings
from workflow.runs import judge_plans, judge_readings, judge_templates, run_control, run_start, run_views

pytestmark = pytest.mark.thorough

Open = Callable[..., AppTest]

SPEC = ModelSpec(
    name="strict", adapter="endpoint", model="scripted", endpoint=Endpoint(base_url="http://127.0.0.1:9/v1")
)
TEMPLATE = """---
id: likeness
version: 1
meaning: how like
variables: [question, reference, answer]
parser: double_brackets
values: [0, 0.5, 1]
---
{question} {reference}
[Begin]
{answer}
[End]
"""
FILLS = {"reference": "answer", "answer": "prediction"}
HOSTILE = "<script>alert(1)</script> \x00\u202egnp.exe\u202c <mark>5</mark> "


@pytest.fixture(scope="module")
def first_home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("judges"), sqlite_template, pictures=2)


@pytest.fixture
def home(first_home: Home, tmp_path: Path) -> Home:
    shutil.copytree(first_home.path, tmp_path / "home")
    return Home(tmp_path / "home")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.store()
    yield store
    store.close()


@pytest.fixture
def answers(store: Store) -> None:
    """Two models' answers to three questions."""
    with store.write() as session:
        access = access_to(session, person=None, project="tiny")
        new = [
            authoring.NewItem(
                external_id=f"counting/{at}",
                dimension="counting",
                fields={"question": f"How many cups, {at}?", "answer": "Two."},
                author_id=None,
            )
            for at in range(3)
        ]
        ids = authoring.add_items(session, access=access, new=new, now=store.now())
    make_predictions(store, ids, models=["one", "two"], project="tiny", dimension="counting")


@pytest.fixture
def show(home: Home, store: Store) -> Iterator[Open]:
    """Open the page as someone, as the frame does: errors become words."""

    def screen(services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view("judges", services)

    def draw(login: str = "lea", **query: str) -> AppTest:
        person = accounts.find_person(store, login=login)
        services = Services(store, home.media(), Settings(home.path, ""), person, "csrf")
        test = AppTest.from_function(screen, args=(services,), default_timeout=120)
        for name, value in {"project": "tiny", **query}.items():
            test.query_params[name] = value
        return test.run()

    yield draw
    st.cache_resource.clear()


def words(test: AppTest) -> str:
    assert not test.exception
    return "\n".join(element.proto.body for element in test.get("html"))


def judge(store: Store, said: list[str], *, template: Any = None, **chosen: Any) -> str:
    """A run whose replies are these, one after the other, as a worker would have kept them."""
    used = template or judge_templates.add_version(store, by=None, project="tiny", text=TEMPLATE).template
    usual = {"fills": FILLS, "criteria": {"score": "score"}}
    plan = judge_plans.plan_of_project(store, by=None, project="tiny", template=used, **{**usual, **chosen})
    run = run_start.start(store, by=None, project="tiny", spec=SPEC, plan=plan)
    now = store.now()
    with store.write() as session:
        row = rows_of_runs.by_public_id(session, public_id=run)
        assert row is not None
        run_id = row.id
        worker = run_chunks.add_worker(session, run_id=run_id, name="machine/1", about={}, now=now)
        at = 0
        while True:
            chunk = run_chunks.claim(
                session, run_id=run_id, worker_id=worker, now=now, until=now + timedelta(minutes=1)
            )
            if chunk is None:
                break
            units = rows_of_judges.units(session, ids=chunk.unit_ids)
            attempts = []
            for id in chunk.unit_ids:
                attempts.append(Attempt(id, Outcome.ANSWERED, said[at % len(said)], finish_reason="stop"))
                at += 1
            written = run_attempts.append(
                session,
                run_id=run_id,
                chunk_id=chunk.id,
                worker_id=worker,
                attempts=attempts,
                item_ids={id: units[id].item_id for id in chunk.unit_ids},
                now=now,
            )
            rows = [
                reading
                for id, attempt in written or []
                for reading in judge_readings.rows_of(plan, attempt, attempt_id=id, run_id=run_id, now=now)
            ]
            rows_of_judges.add(session, rows=rows)
            run_chunks.finish(session, row=chunk)
        row.state, row.ended_at = RunState.DONE, now
        session.add(row)
    return run


# ---- beginning -------------------------------------------------------------------------------------------------------


def test_without_answers_no_form_is_filled_in_for_nothing(show: Open) -> None:
    test = show()
    assert "There are no answers to grade yet." in words(test)
    assert not test.selectbox


@pytest.mark.usefixtures("answers")
def test_an_empty_page_shows_our_templates_and_asks_for_a_judge(show: Open) -> None:
    test = show()
    options = next(box for box in test.selectbox if (box.key or "").startswith("judges.template."))
    assert len(options.options) == len(shipped())
    assert "Choose a model above, or write a model description." in words(test)
    assert test.button(key="judges.see").disabled
    assert "No judge has run on this server yet.</b></p>" in words(test)


@pytest.mark.usefixtures("answers")
def test_judges_out_of_a_file_are_named_with_the_way_to_calibration(show: Open, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"unit,rater,criterion,value\ncounting/0{BETWEEN}one,old-judge,score,1\n")
    import_ratings(store, by=None, project="tiny", path=path, refuse=lambda bad: None)
    page = words(show())
    assert "No judge has run on this server yet.</b> Ratings of 1 judge are imported: " in page
    assert '<a href="/calibration?project=tiny&amp;judge=old-judge" target="_self">old-judge</a>.' in page


def choose_likeness(test: AppTest) -> AppTest:
    box = next(box for box in test.selectbox if (box.key or "").startswith("judges.template."))
    return box.select_index(next(at for at, name in enumerate(box.options) if name.startswith("likeness"))).run()


@pytest.mark.usefixtures("answers")
def test_what_will_happen_is_seen_before_anything_is_asked_and_start_makes_the_run(show: Open, store: Store) -> None:
    judge_templates.add_version(store, by=None, project="tiny", text=TEMPLATE)
    test = choose_likeness(show())
    test.text_area(key=begin.BOX).set_value(specs.spec_as_yaml(SPEC)).run()
    boxes = {box.label: box for box in test.selectbox}
    boxes["Fill {reference} with"].select("answer")
    boxes["Fill {answer} with"].select("answer").run()
    for box in test.selectbox:
        if box.label == "Criterion for score":
            box.select("score").run()
    # the items' own `answer` where the model's belongs: told before anything can be asked
    assert "so the judge cannot grade the answer" in words(test)
    assert test.button(key="judges.see").disabled
    next(box for box in test.selectbox if box.label == "Fill {answer} with").select("prediction").run()
    for box in test.selectbox:
        if box.label == "Criterion for score":
            box.select("score").run()
    test.number_input(key="judges.repeats").set_value(2).run()
    test.button(key="judges.see").click().run()
    page = words(test)
    assert "strict will get 12 requests about 6 answers, with the template likeness, version 1." in page
    assert "The judge grades each answer 2 times." in page
    assert "The placeholder {answer} contains the graded answer." in page
    assert "requests without retries" in page
    assert "Answer 0 of" in page, "the first prompt"
    assert not run_views.runs_of(store, by=None, project="tiny", kind=RunKind.JUDGE)
    next(button for button in test.button if (button.key or "").startswith("judges.start.")).click().run()
    assert not test.exception
    (view,) = run_views.runs_of(store, by=None, project="tiny", kind=RunKind.JUDGE)
    assert view.wanted == 12
    assert view.name == "strict by likeness 1"


# ---- reading ---------------------------------------------------------------------------------------------------------

SAID = ["Fine. Rating: [[1]]", "Rating: [[0.75]]", HOSTILE + "Rating: [[0.5]]"]


@pytest.mark.usefixtures("answers")
def test_a_run_says_how_many_have_a_score_and_leads_to_calibration(show: Open, store: Store) -> None:
    run = judge(store, SAID)
    page = words(show(run=run))
    assert "4 scored of 6" in page
    assert "mean 0.750 of scored replies; mean of all replies between 0.500 and 0.833" in page
    assert ("/calibration?project=tiny&amp;judge=strict+by+likeness+1" in page) == ("calibration" in SCREENS)


@pytest.mark.usefixtures("answers")
def test_agreement_leads_from_a_count_of_replies_to_these_replies(home: Home, store: Store) -> None:
    run = judge(store, SAID)
    test = drawn(store, home.path, "agreement", "lea", project="tiny", stage="grading")
    test.session_state["agreement.fold.replies"] = True
    page = words(test.run())
    assert f'href="/judges?project=tiny&amp;run={run}&amp;verdict=scored&amp;criterion=score"' in page
    assert f'href="/judges?project=tiny&amp;run={run}&amp;verdict=failures&amp;criterion=score"' in page


@pytest.mark.usefixtures("answers")
def test_others_are_told_in_a_sentence(show: Open, store: Store) -> None:
    run = judge(store, SAID)
    for login in ("ana", "sen"):
        for query in ({}, {"run": run}, {"run": run, "verdict": "failures"}):
            test = show(login, **query)
            assert "for leads of Project tiny" in words(test)
            assert "Rating" not in words(test)


def test_a_mark_stays_where_it_is_when_text_before_it_is_tamed() -> None:
    text = "a\r\nb\x00\u202e[[1]] and <b>"
    at = text.index("1")
    reading = judge_replies.ReadingView("score", ReplyOutcome.SCORED, 1, (at, at + 1), "", "double_brackets", 1)
    page = of_judges.marked(text, [reading])
    assert '[[<mark class="ts-mark" title="score: 1">1</mark>]] and &lt;b&gt;' in page


PAIR = """---
id: likeness_of_two
version: 1
meaning: which is more like it
variables: [question, answer_a, answer_b]
parser: double_brackets
values: ["A", "B", "C"]
pair: true
mirror: {"A": "B", "B": "A"}
---
{question}
[A]
{answer_a}
[B]
{answer_b}
[End]
"""


@pytest.mark.usefixtures("answers")
def test_a_comparison_asks_for_the_other_model_and_says_who_won_whichever_came_first(show: Open, store: Store) -> None:
    made = judge_templates.add_version(store, by=None, project="tiny", text=PAIR)
    test = show()
    box = next(box for box in test.selectbox if (box.key or "").startswith("judges.template."))
    box.select_index(next(at for at, name in enumerate(box.options) if name.startswith("likeness_of_two"))).run()
    test.text_area(key=begin.BOX).set_value(specs.spec_as_yaml(SPEC)).run()
    assert "Choose the model to compare with" in words(test)
    next(box for box in test.selectbox if box.label == "Compare with model").select("two").run()
    test.button(key="judges.see").click().run()
    page = words(test)
    assert "strict will get 6 requests about 3 answers" in page
    assert "The judge sees every pair in both orders." in page

    # in both orders the first place wins: each answer once, no matter who it was
    run = judge(store, ["[[A]]"], template=made.template, criteria={"score": "preference"}, baseline="two", fills={})
    page = words(show(run=run))
    assert "the answer is better: 3" in page
    assert "two is better: 3" in page
    assert "Compare with people" not in page


@pytest.mark.usefixtures("answers")
def test_a_run_in_batch_files_says_what_to_do_instead_of_asking_for_a_worker(show: Open, store: Store) -> None:
    made = judge_templates.add_version(store, by=None, project="tiny", text=TEMPLATE)
    plan = judge_plans.plan_of_project(
        store, by=None, project="tiny", template=made.template, fills=FILLS, criteria={"score": "score"}, batch=True
    )
    run = run_start.start(store, by=None, project="tiny", spec=SPEC, plan=plan)
    page = words(show(run=run))
    assert f"touchstone batch create {run}" in page
    assert "No worker is running" not in page


@pytest.mark.usefixtures("answers")
def test_the_list_has_every_run_with_how_many_have_a_score(show: Open, store: Store) -> None:
    one, other = judge(store, SAID), judge(store, ["Rating: [[1]]"])
    test = show()
    page = words(test)
    assert f'data-run="{one}"' in page
    assert f'data-run="{other}"' in page
    assert "4 scored of 6" in page
    assert "6 scored of 6" in page
    assert words(test.run()).count("4 scored of 6") == 1


@needs("formats", "judgements")
@pytest.mark.usefixtures("answers")
def test_replies_out_of_a_file_are_read_like_others_and_no_one_is_asked_again(
    show: Open, store: Store, tmp_path: Path
) -> None:
    said = {"one": "Fine. Rating: [[1]]", "two": ""}
    lines = [
        json.dumps({"item": f"counting/{at}", "judge": "old-judge", "model": model, "text": text})
        for at in range(3)
        for model, text in said.items()
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines))
    made = judge_templates.add_version(store, by=None, project="tiny", text=TEMPLATE)
    plan = judge_plans.plan_of_project(
        store, by=None, project="tiny", template=made.template, fills=FILLS, criteria={"score": "score"}
    )
    replies = FORMATS["judgements"].replies
    assert replies is not None
    replies.imports(store, by=None, project="tiny", path=tmp_path / "replies.jsonl", plan=plan)
    (view,) = run_views.runs_of(store, by=None, project="tiny", kind=RunKind.JUDGE)
    test = show(run=view.id)
    assert "3 scored of 6" in words(test)
    assert not [button for button in test.button if button.label.startswith("Ask")]
    test.segmented_control(key=f"judges.part.{view.id}").select("Judge and template").run()
    assert "imported from a file: replies.jsonl" in words(test)
    with pytest.raises(ConflictError, match="so there is no model to ask"):
        run_control.retry_failed(store, by=None, run=view.id)
