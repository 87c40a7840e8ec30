"""The page Models without a browser: picking, planning, seeing what will happen, watching, reading, sending on."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app import markup
from app.running import begin, description, watch
from app.services import Services
from db.engine import Store
from domain import extensions
from domain.errors import ModelError
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.runs import Attempt, Outcome, RunState
from domain.settings import settings_from
from domain.states import Stage
from inference import spec as specs
from inference.spec import ModelSpec
from testkit.factories import claimed, make_predictions, make_run
from testkit.missing_extensions import needs
from tests.app.homes import Home, make_home
from workflow.access import accounts, memberships, projects
from workflow.access.projects import access_to
from workflow.annotate import authoring
from workflow.runs import model_descriptions, run_views

Open = Callable[..., AppTest]

SPEC = ModelSpec(name="little", adapter="chat", model="nobody/little")
HOSTILE = "<script>alert(1)</script> \x00\x1b[31m \u202egnp.exe\u202c " + "\u0645\u0631\u062d\u0628\u0627 " * 5


@pytest.fixture(scope="module")
def first_home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("models"), sqlite_template, pictures=2)


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
def items(store: Store) -> list[int]:
    """Three questions without pictures, which this schema wants."""
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
        return authoring.add_items(session, access=access, new=new, now=store.now())


@pytest.fixture
def show(home: Home, store: Store) -> Iterator[Open]:
    """Open the page as someone, as the frame does: errors become words."""

    def screen(services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view("models", services)

    def draw(login: str = "lea", **query: str) -> AppTest:
        person = accounts.find_person(store, login=login)
        settings = settings_from({**os.environ, "TOUCHSTONE_HOME": str(home.path)}, home.path)
        services = Services(store, home.media(), settings, person, "csrf")
        test = AppTest.from_function(screen, args=(services,), default_timeout=120)
        for name, value in {"project": "tiny", **query}.items():
            test.query_params[name] = value
        return test.run()

    yield draw
    st.cache_resource.clear()


def words(test: AppTest) -> str:
    assert not test.exception
    return "\n".join(element.proto.body for element in test.get("html"))


# ---- picking ---------------------------------------------------------------------------------------------------------


@needs("adapters", "chat")
def test_an_empty_page_begins_a_run_and_says_where_models_lie(show: Open, home: Home) -> None:
    page = words(show())
    assert f"The folder {home.path / 'models'} has no models yet" in page
    assert "Choose a model above, or write a model description." in page


def test_what_is_wrong_with_a_description_stands_with_its_line(show: Open) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value("name: x\nadapter: chatt\nmodel: y\n").run()
    page = words(test)
    assert "Correct these lines of the description" in page
    assert '<td class="number">2</td>' in page
    assert "did you mean `chat`?" in page
    assert test.button(key="models.see").disabled


def test_a_description_that_comes_along_is_put_in_effect_as_yaml(show: Open) -> None:
    test = show()
    test.segmented_control(key="models.source").set_value(description.ALONG).run()
    first = next(iter(specs.shipped()))
    test.selectbox(key="models.along").select(first.name).run()
    assert specs.spec_of(test.text_area(key=description.TEXT).value, name="x") == first


def test_the_batch_size_is_set_in_the_text_and_nowhere_else() -> None:
    text = "name: a  # mine\nadapter: chat\nbatch_size: 1\nmodel: b\n"
    assert description.with_value(text, "batch_size", 8) == text.replace("batch_size: 1", "batch_size: 8")
    assert description.with_value("name: a\n", "batch_size", 8) == "name: a\nbatch_size: 8\n"


def test_an_endpoint_is_filled_into_a_form(show: Open) -> None:
    test = show()
    test.segmented_control(key="models.source").set_value(description.ENDPOINT).run()
    test.text_input(key="models.endpoint.url").input("http://127.0.0.1:9/v1")
    test.text_input(key="models.endpoint.model").input("big")
    test.text_input(key="models.endpoint.key").input("OPENAI_API_KEY")
    test.text_area(key="models.endpoint.extra_body").input('{"chat_template_kwargs": {"enable_thinking": false}}')
    test.text_area(key="models.endpoint.headers").input("X-Routing: fast\nX-Api-Key: env:LAB_API_KEY\n")
    test.button(key="models.endpoint.make").click().run()
    made = specs.spec_of(test.text_area(key=description.TEXT).value, name="x")
    assert made.name == "big"
    assert made.endpoint is not None
    assert (made.endpoint.base_url, made.endpoint.key) == ("http://127.0.0.1:9/v1", "OPENAI_API_KEY")
    assert made.generation.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}
    assert made.endpoint.headers == {"X-Routing": "fast", "X-Api-Key": "env:LAB_API_KEY"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (description.EndpointForm(model="m"), "Base URL: enter an address that starts with"),
        (description.EndpointForm(base_url="http://h/v1"), "Model ID: enter"),
        (
            description.EndpointForm(base_url="http://h/v1", model="m", key="sk-123abc"),
            "Never enter the key",
        ),
        (
            description.EndpointForm(base_url="http://h/v1", model="m", key="TOUCHSTONE_DATABASE_URL"),
            "must end in _API_KEY",
        ),
        (description.EndpointForm(base_url="http://h/v1", model="m", price_input=1.0), "Price: enter"),
        (description.EndpointForm(base_url="http://h/v1", model="m", max_cost=1.0), "Cost limit: enter the prices"),
        (description.EndpointForm(base_url="http://h/v1", model="m", extra_body="[1]"), "not a JSON object"),
        (
            description.EndpointForm(base_url="http://h/v1", model="m", extra_body='{"stream": true}'),
            "reads only complete replies",
        ),
        (
            description.EndpointForm(base_url="http://h/v1", model="m", headers="X-Routing"),
            "line 1 needs a name and a value",
        ),
        (description.EndpointForm(base_url="http://h/v1", model="m", headers="X-Api-Key: abc"), "looks like a secret"),
    ],
)
def test_what_cannot_be_an_endpoint_is_said(asked: description.EndpointForm, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        description.endpoint_spec(asked)


def test_a_key_that_was_pasted_is_not_repeated() -> None:
    asked = description.EndpointForm(base_url="http://h/v1", model="m", key="sk-very-secret")
    with pytest.raises(ModelError) as refused:
        description.endpoint_spec(asked)
    assert "sk-very-secret" not in str(refused.value)


# ---- seeing and starting ---------------------------------------------------------------------------------------------


@needs("adapters", "chat")
@pytest.mark.thorough
def test_what_will_happen_is_seen_before_anything_is_asked_and_then_it_starts(
    show: Open, store: Store, items: list[int]
) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.toggle(key="models.text_only").set_value(True).run()
    test.button(key="models.see").click().run()
    page = words(test)
    assert "Touchstone will ask little about 3 items. The model gets no pictures. No request has been sent yet." in page
    assert "How many cups, " in page
    assert "is not a folder on this machine" in page
    assert not run_views.runs_of(store, by=None, project="tiny")
    start = next(button for button in test.button if button.key.startswith("models.start"))
    assert start.label == "Start: 3 items"
    test.number_input(key="models.limit").set_value(2).run()
    assert "Preview the run again" in words(test), "another plan needs another look"
    test.button(key="models.see").click().run()
    next(button for button in test.button if button.key.startswith("models.start")).click().run()
    (view,) = run_views.runs_of(store, by=None, project="tiny")
    assert (view.wanted, view.by, view.plan.text_only, view.plan.limit) == (2, "Lea", True, 2)
    assert test.query_params["run"] in (view.id, [view.id])
    assert "waiting for a worker" in words(test)


def test_the_second_of_two_quick_clicks_starts_nothing(show: Open, items: list[int]) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.toggle(key="models.text_only").set_value(True).run()
    test.button(key="models.see").click().run()
    test.session_state["models.started"] = (test.session_state["models.seen"][1], "id-of-the-run")
    page = words(test.run())
    assert "This run has started: " in page
    assert "id-of-the-run" in page
    assert not [button for button in test.button if button.key.startswith("models.start")]


@pytest.mark.thorough
def test_what_pictures_add_needs_pictures(show: Open, items: list[int]) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.selectbox(key="models.strategy").select("rank_options").run()
    test.selectbox(key="models.score").select("pmi_logprob").run()
    test.toggle(key="models.without_image").set_value(False).run()
    assert "turn on “Also without pictures”" in words(test)
    test.toggle(key="models.without_image").set_value(True).run()
    test.toggle(key="models.text_only").set_value(True).run()
    assert "Either turn off “Text only”" in words(test)
    test.toggle(key="models.text_only").set_value(False).run()
    assert "models.see" in {button.key for button in test.button}


def test_a_worker_is_told_in_words() -> None:
    said = {
        "process": {"id": 1},
        "device": "cpu",
        "probe": {"listed": True, "context": None},
        "dtypes": ["a", "b"],
        "x": "",
    }
    assert watch.worker_line(said) == "device cpu · probe listed yes · dtypes a, b"


@pytest.mark.thorough
def test_a_prompt_file_of_one_s_own_says_which_field_a_placeholder_takes(
    show: Open, store: Store, items: list[int]
) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.toggle(key="models.text_only").set_value(True).run()
    test.selectbox(key="models.prompts").select("My own file").run()
    assert "Upload a file with prompts" in words(test)
    test.get("file_uploader")[0].upload("mine.txt", b"=== user ===\nTell me: {what}", "text/plain").run()
    assert "Choose a field for each" in words(test)
    box = test.selectbox(key="models.fills.what")
    assert "answer" not in box.options, "no model is told the key"
    box.select("question").run()
    test.button(key="models.see").click().run()
    assert "Tell me: How many cups, " in words(test)


@pytest.mark.thorough
def test_wordings_are_chosen_by_a_seed_and_counted_before_anything_is_asked(
    show: Open, store: Store, items: list[int]
) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.toggle(key="models.text_only").set_value(True).run()
    assert not [each for each in test.number_input if each.key.startswith("models.prompt_seed")], "one wording each"
    test.selectbox(key="models.prompts").select("My own file").run()
    file = b"""default: any
families: {any: {general: {user: "<who> tell: {question}", wordings: {who: [Please, "Now,"]}}}}
"""
    test.get("file_uploader")[0].upload("mine.yaml", file, "text/plain").run()
    seed = test.number_input(key="models.prompt_seed.mine.yaml")
    assert seed.value is None
    test.button(key="models.see").click().run()
    page = words(test)
    assert page.count("Please tell: How many cups, ") == 3
    assert re.search(r"mine\.yaml/any/general/1.*?>3<", page, re.DOTALL)
    wanted = [  # by SHA-256 of seed, prompt and item
        int(hashlib.sha256(f"0/mine.yaml/any/general/1/counting/{at}".encode()).hexdigest()[:16], 16) % 2
        for at in range(3)
    ]
    test.number_input(key="models.prompt_seed.mine.yaml").set_value(0).run()
    test.button(key="models.see").click().run()
    page = words(test)
    assert page.count("Please tell: ") == wanted.count(0)
    assert page.count("Now, tell: ") == wanted.count(1)
    next(button for button in test.button if button.key.startswith("models.start")).click().run()
    (view,) = run_views.runs_of(store, by=None, project="tiny")
    assert view.plan.prompt_seed == 0


def test_what_an_endpoint_will_be_asked_and_may_cost_is_worked_out_before(show: Open, items: list[int]) -> None:
    """Three requests of one token for four letters and four for a message; answers of at most 10 tokens each; 1 and 2
    for a million tokens."""
    price = specs.Price(input=1.0, output=2.0, date="2026-11-01")
    spec = ModelSpec(
        name="far",
        adapter="endpoint",
        model="m",
        modality="images",
        generation=specs.Generation(max_new_tokens=10),
        endpoint=specs.Endpoint(base_url="http://127.0.0.1:9/v1", price=price),
    )
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(spec)).run()
    test.selectbox(key="models.prompts").select("plain").run()
    test.toggle(key="models.text_only").set_value(True).run()
    test.button(key="models.see").click().run()
    page = words(test)
    n_in = 3 * (len("How many cups, 0?") / 4 + 4)  # the questions have the same length
    cost = (n_in * 1 + 30 * 2) / 1_000_000
    for figure in ("<b>3</b>", f"<b>{n_in:.0f}</b>", "<b>30</b>", f"<b>{cost:.4f} USD</b>"):
        assert figure in page
    assert "Estimated from the first 3 prompts." in page


def test_items_that_cannot_be_asked_are_counted_with_the_reason(show: Open, items: list[int]) -> None:
    test = show()
    test.text_area(key=description.TEXT).set_value(specs.spec_as_yaml(SPEC)).run()
    test.button(key="models.see").click().run()
    page = words(test)
    assert "Touchstone cannot ask about 3 items" in page
    assert "This item has no `image`." in page
    assert not [button for button in test.button if button.key.startswith("models.start")]


# ---- watching --------------------------------------------------------------------------------------------------------


def test_the_list_has_every_run_with_a_link(show: Open, store: Store, items: list[int]) -> None:
    run = make_run(store, [Attempt(items[0], Outcome.ANSWERED, "Two.")], project="tiny", name="<b>", wanted=3)
    page = words(show())
    assert f'data-run="{run}"' in page
    assert "&lt;b&gt;" in page
    assert "1 answered" in page


@pytest.mark.thorough
def test_a_run_is_watched_and_paused_resumed_cancelled(show: Open, store: Store, items: list[int]) -> None:
    attempts = [
        Attempt(items[0], Outcome.ANSWERED, HOSTILE, tokens_in=10, tokens_out=4, seconds=0.5),
        Attempt(items[1], Outcome.FAILED, error="Out of memory."),
    ]
    run = make_run(store, attempts, project="tiny", wanted=3, about={"device": "cpu", "versions": {"torch": "2"}})
    test = show(run=run)
    page = words(test)
    for shown in ("Out of memory.", "1 to do", "machine/1", "device cpu", "1 answered, 1 failed"):
        assert shown in page
    assert "<script>" not in page
    assert "\x00" not in page
    test.segmented_control(key=f"models.part.{run}").set_value("Description and plan").run()
    assert "device cpu · versions torch 2" in words(test)
    test.segmented_control(key=f"models.part.{run}").set_value("Progress").run()
    test.button(key="models.pause").click().run()
    assert run_views.view(store, by=None, run=run).state is RunState.PAUSED
    test.button(key="models.resume").click().run()
    assert run_views.view(store, by=None, run=run).state is RunState.WAITING
    test.button(key=f"models.cancel.{run}.ask").click().run()
    view = run_views.view(store, by=None, run=run)
    assert view.state is RunState.WAITING, "it asks first"
    assert test.button(key=f"models.cancel.{run}.yes").label == f"Cancel {markup.label(view.name)}"
    assert "You cannot undo this action or resume a canceled run" in words(test)
    test.button(key=f"models.cancel.{run}.yes").click().run()
    assert run_views.view(store, by=None, run=run).state is RunState.CANCELLED
    assert "canceled" in words(test)


def test_a_run_shows_other_models_and_counts_answers_of_which_there_is_only_reasoning(
    show: Open, store: Store, items: list[int]
) -> None:
    attempts = [
        Attempt(items[0], Outcome.ANSWERED, "Two.", detail={"model": "other-model", "reasoning": "One and one."}),
        Attempt(items[1], Outcome.ONLY_REASONING, error="The model reasoned but gave no answer."),
    ]
    endpoint = specs.Endpoint(base_url="http://127.0.0.1:9/v1")
    spec = specs.ModelSpec(name="m", adapter="endpoint", model="asked-model", endpoint=endpoint)
    run = make_run(store, attempts, project="tiny", state=RunState.DONE, spec=spec)
    page = words(show(run=run))
    assert "1 reply came from a model other than asked-model: other-model (1)." in page
    assert "1 only reasoning" in page


def test_answers_out_of_a_file_are_listed_and_withdrawn_with_a_reason(
    show: Open, store: Store, items: list[int]
) -> None:
    make_predictions(store, items, models=["their-model"], project="tiny")
    [brought] = run_views.runs_of(store, by=None, project="tiny", kind=RunKind.IMPORT)
    page = words(show())
    assert "Imported answers" in page
    assert "Answers of 1 model are imported." in page
    assert "has finished" not in page
    assert "No model has run" not in page
    assert f'data-run="{brought.id}"' in page
    test = show(run=brought.id)
    test.button(key=f"models.withdraw.{brought.id}.ask").click().run()
    assert "You can restore the run." in words(test)
    yes = f"models.withdraw.{brought.id}.yes"
    next(box for box in test.text_input if box.label == "Reason").input("the wrong file")
    test.button(key=yes).click().run()
    assert run_views.view(store, by=None, run=brought.id).withdrawn == "the wrong file"
    assert "withdrawn and no longer counted. Reason: the wrong file" in words(test)
    test.button(key=f"models.withdraw.{brought.id}.back").click().run()
    assert not run_views.view(store, by=None, run=brought.id).withdrawn


def test_what_failed_is_asked_again_on_request(show: Open, store: Store, items: list[int]) -> None:
    attempts = [Attempt(items[0], Outcome.ANSWERED, "Two."), Attempt(items[1], Outcome.EMPTY)]
    run = make_run(store, attempts, project="tiny", state=RunState.DONE)
    test = show(run=run)
    assert test.button(key="models.retry").label == "Ask again (1 without an answer)"
    test.button(key="models.retry").click().run()
    assert run_views.view(store, by=None, run=run).state is RunState.WAITING


def test_that_no_worker_is_there_is_said_after_a_while(store: Store, items: list[int]) -> None:
    run = make_run(store, [Attempt(items[0], Outcome.ANSWERED, "a")], project="tiny", wanted=2)
    view = run_views.view(store, by=None, run=run)
    there = view.created_at
    assert watch.waiting(view, now=there + timedelta(hours=1), heard=None) == "", "its worker is there"
    alone = make_run(store, [Attempt(items[0], Outcome.ANSWERED, "a")], project="tiny", wanted=2, name="other")
    with store.write() as session:
        from db import run_chunks
        from db import runs as rows

        row = rows.by_public_id(session, public_id=alone)
        assert row is not None
        for worker in run_chunks.workers(session, run_id=row.id):
            run_chunks.end_worker(session, worker_id=worker.id, now=store.now())
    view = run_views.view(store, by=None, run=alone)
    assert watch.waiting(view, now=there + timedelta(seconds=1), heard=None) == ""
    later = datetime.now(UTC) + timedelta(minutes=1)
    for heard in (None, 60.0):
        told = watch.waiting(view, now=later, heard=heard)
        assert "No worker is running. machine/1 was last active at" in told
        assert "touchstone worker" in told
    assert "may be busy with another run" in watch.waiting(view, now=later, heard=1.0)


# ---- answers ---------------------------------------------------------------------------------------------------------


def test_a_run_of_another_project_is_not_to_be_seen(show: Open, store: Store, items: list[int]) -> None:
    run = make_run(store, [Attempt(items[0], Outcome.ANSWERED, "secret answer")], project="tiny")
    memberships.set_member(store, by=None, project="other", login="bo", role=Role.LEAD)
    page = words(show("bo", run=run, project="other"))
    assert "secret answer" not in page
    memberships.set_member(store, by=None, project="tiny", login="bo", role=Role.LEAD)
    page = words(show("bo", run=run, project="other"))  # a lead of both sees it where it belongs
    assert "secret answer" not in page
    assert "No run of a model in project Project other has the ID" in page
    assert "secret answer" in words(show("bo", run=run))


def test_a_link_to_answers_names_the_extension_that_is_missing(
    show: Open, store: Store, items: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(store, [Attempt(items[0], Outcome.ANSWERED, "Two.")], project="tiny")
    monkeypatch.setattr(extensions, "installed", dict)
    page = words(show(run=run, outcome="answered"))
    assert "The part of runs `Answers` belongs to the extension Run records" in page
    assert "1 answered" in page, "the progress is there"


# ---- to grading ------------------------------------------------------------------------------------------------------


def test_answers_are_sent_to_grading_once_and_without_the_model_s_name(
    show: Open, store: Store, items: list[int]
) -> None:
    attempts = [Attempt(item, Outcome.ANSWERED, "Two.") for item in items]
    run = make_run(store, attempts, project="tiny", name="name-of-the-model", state=RunState.DONE)
    raters = projects.project(store, person=accounts.find_person(store, login="lea"), project="tiny")
    grading = raters.schema.schema_.stages.grading
    assert grading is not None
    test = show(run=run)
    test.segmented_control(key=f"models.part.{run}").set_value("Grading").run()
    n = 3 * grading.raters
    assert f"When you send the answers, Touchstone opens {n} slots: Counting {n}." in words(test)
    assert "Each grader gets the answers in a different order" in words(test)
    test.button(key="models.send").click().run()
    assert f"{n} slots opened for grading." in words(test)
    assert "You cannot send more answers now" in words(test)
    assert not [button for button in test.button if button.key == "models.send"]
    task = claimed(store, accounts.find_person(store, login="ana"), Stage.GRADING, project="tiny")
    assert "name-of-the-model" not in repr(task)


# ---- pure parts ------------------------------------------------------------------------------------------------------


def test_a_stored_description_is_told_even_if_its_keys_are_no_longer_known() -> None:
    assert model_descriptions.stored_as_yaml(SPEC.dump()).startswith("name: little\n")
    assert '"no_longer_known": 1' in model_descriptions.stored_as_yaml({**SPEC.dump(), "no_longer_known": 1})


def test_a_picture_that_cannot_be_read_has_no_address(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"no picture")
    assert begin.address_of(tmp_path / "x.png") == ""
