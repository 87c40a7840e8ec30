"""A language model reads what the rules do not, once, and only where it is asked for; people say how well both read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from db.engine import Store
from db.tables import ItemRow, ReadingRow
from domain.errors import ConflictError, InvalidFileError, InvalidInputError, ModelError
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome
from domain.runs import Answerer, Attempt, Outcome, Question
from domain.states import Items, ItemState
from extensions.second_readers import reader_agreement, second_reader
from inference.opening import open_answerer
from inference.spec import ModelSpec
from testkit import factories
from testkit.scripted import Asked as Request
from testkit.scripted import Reply, ScriptedServer, chat, error
from workflow.annotate import answer_readings
from workflow.results import leaderboard, project_answers
from workflow.results.score_choices import Scores
from workflow.runs import run_control
from workflow.runs.model_descriptions import named

KEY = Scores("key")
TEXTS = ["A", "the colour of blood", "the colour of the sky", "whatever you like", "the colour of blood", "hm"]
"""To six items with the options red and blue and the key red: only the first names an option."""


def script(asked: Request, number: int) -> Reply:
    said = asked.text
    if "blood" in said:
        return chat("A")
    if "sky" in said:
        return chat("The letter is B")  # not what was allowed
    return error(400) if '"hm"' in said else chat("NONE")


@pytest.fixture
def served() -> Iterator[ScriptedServer]:
    with ScriptedServer(script) as server:
        yield server


@pytest.fixture
def spec(served: ScriptedServer, tmp_path: Path) -> ModelSpec:
    path = tmp_path / "second.yaml"
    path.write_text(
        f"name: second\nadapter: endpoint\nmodel: scripted\nmodality: text\nendpoint: {{base_url: '{served.url}',"
        " probe: false, attempts: 1}\n"
    )
    return named(str(path))


@pytest.fixture
def answered(store: Store) -> list[int]:
    factories.make_project(store)
    items = factories.make_items(store, len(TEXTS))
    attempts = [Attempt(item, Outcome.ANSWERED, text) for item, text in zip(items, TEXTS, strict=True)]
    factories.make_run(store, attempts, name="m")
    return items


def opened(spec: ModelSpec) -> Answerer:
    return open_answerer(spec, strategy="generate")


def again(store: Store, spec: ModelSpec) -> second_reader.ReadAgain:
    return second_reader.read_again(store, by=None, project="p", spec=spec, open_=opened)


@pytest.mark.both_databases
@pytest.mark.usefixtures("answered")
def test_what_the_rules_do_not_read_is_asked_once_and_counts_where_it_is_asked_for(
    store: Store, spec: ModelSpec, served: ScriptedServer
) -> None:
    before = project_answers.current(store, person=None, project="p")
    done = again(store, spec)
    # five answers are not read; "the colour of blood" stands there twice and is asked about once
    assert (done.wanted, done.known, done.asked, done.read, done.none) == (5, 0, 4, 2, 1)
    assert sum(done.failed.values()) == 2
    first = len(served.asked)
    later = again(store, spec)
    assert (later.known, later.asked) == (4, 1), "only what had no reply is asked again"
    assert len(served.asked) == first + 1
    assert project_answers.current(store, person=None, project="p").readers == ["rules", "rules+second"]
    assert project_answers.current(store, person=None, project="p") is not before
    alone, both = (
        leaderboard.sliced_scores(project_answers.read_project(store, person=None, project="p", reader=reader), KEY)
        for reader in ("rules", "rules+second")
    )
    assert (alone.whole["m"].found.value, sum(alone.whole["m"].unread.values())) == (pytest.approx(1 / 6), 5)
    assert (both.whole["m"].found.value, sum(both.whole["m"].unread.values())) == (pytest.approx(3 / 6), 3)
    assert both.title.endswith("read by the rules and second")
    assert both.whole["m"].as_row()["reader"] == "rules+second"
    with pytest.raises(InvalidInputError, match="There is no reader 'rules\\+third'"):
        project_answers.read_project(store, person=None, project="p", reader="rules+third")
    with store.read() as session:
        kept = session.exec(select(ReadingRow).where(ReadingRow.reader == "second")).all()
    assert [row.detail["reply"] for row in kept if row.outcome is ReadOutcome.READ] == ["A", "A"]
    assert {row.rule for row in kept} == {"said", "none", "failed"}


@pytest.mark.usefixtures("answered")
def test_what_was_read_before_a_hard_stop_is_seen(store: Store, spec: ModelSpec) -> None:
    second_reader.read_again(store, by=None, project="p", spec=spec, open_=opened, limit=1)
    assert right(project_answers.current(store, person=None, project="p", reader="rules+second")) == 3

    class Kill:
        """Ends after its first reply."""

        def answer(self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: object) -> None:
            tell(Attempt(questions[0].unit_id, Outcome.ANSWERED, "A"))
            raise KeyboardInterrupt

        def close(self) -> None:
            pass

    with pytest.raises(KeyboardInterrupt):
        second_reader.read_again(store, by=None, project="p", spec=spec, open_=lambda spec: Kill())  # type: ignore[arg-type, return-value]
    assert right(project_answers.current(store, person=None, project="p", reader="rules+second")) == 4


@pytest.mark.usefixtures("answered")
def test_another_description_is_no_reader_of_the_same_name(
    store: Store, spec: ModelSpec, served: ScriptedServer
) -> None:
    again(store, spec)
    n = len(served.asked)
    with pytest.raises(ConflictError, match="second has already read answers of p with another description"):
        again(store, spec.model_copy(update={"model": "another"}))
    assert len(served.asked) == n
    assert again(store, spec.model_copy(update={"note": "asked more slowly"})).known == 4
    assert again(store, spec.model_copy(update={"model": "another", "name": "third"})).asked == 4
    assert project_answers.current(store, person=None, project="p").readers == ["rules", "rules+second", "rules+third"]


@pytest.mark.both_databases
def test_only_answers_that_count_are_asked_about_and_drawn(
    store: Store, answered: list[int], spec: ModelSpec, served: ScriptedServer
) -> None:
    texts = dict(zip(answered, TEXTS, strict=True))
    texts[answered[1]] = "zzz"
    factories.make_run(store, [Attempt(answered[1], Outcome.ANSWERED, "zzz")], name="m")
    wrong = factories.make_run(store, [Attempt(item, Outcome.ANSWERED, f"wrong {item}") for item in answered], name="n")
    run_control.cancel(store, by=None, run=wrong)
    run_control.withdraw(store, by=None, run=wrong, reason="asked with the wrong pictures")
    kept = set(answered[:3])
    with store.write() as session:
        session.exec(update(ItemRow).where(col(ItemRow.id).in_(kept)).values(state=ItemState.KEPT))

    def drawn(**chosen: Any) -> list[str]:
        found = reader_agreement.sample(store, by=None, project="p", n=50, **chosen)
        return sorted(row["answer"] for row in found)

    assert drawn() == sorted(text for item, text in texts.items() if item in kept)
    assert drawn(items=Items.ALL) == sorted(texts.values())
    done = again(store, spec)
    assert done.counted == "3 kept items; 3 open left out."
    assert done.wanted == sum(text != "A" for item, text in texts.items() if item in kept)
    done = second_reader.read_again(store, by=None, project="p", spec=spec, open_=opened, items=Items.ALL)
    assert done.wanted == 5
    asked = "\n".join(each.text for each in served.asked)
    assert "zzz" in asked
    assert "wrong" not in asked
    assert asked.count("blood") == 1, "one of the two was answered again"


def right(found: project_answers.ProjectAnswers) -> float:
    """How many answers are right."""
    return sum(each.right for each in found.answers if each.right == 1)


@pytest.mark.usefixtures("answered")
def test_it_is_asked_about_the_text_and_told_no_model(store: Store, spec: ModelSpec, served: ScriptedServer) -> None:
    again(store, spec)
    said = "\n".join(json.dumps(each.body) for each in served.asked)
    assert "A. red\\nB. blue" in said
    assert '"m"' not in said


def test_only_an_endpoint_can_be_a_second_reader(store: Store, answered: list[int]) -> None:
    with pytest.raises(ModelError, match="endpoint"):
        again(store, ModelSpec(name="x", adapter="chat", model="folder"))


OPTION = ExpectedAnswer(AnswerKind.OPTION, ("red", "blue"))


@pytest.mark.parametrize(
    ("reply", "asked", "value"),
    [
        ("B", OPTION, "blue"),
        ("<think>A or B?</think>\n**B**", OPTION, "blue"),
        ("NONE", OPTION, "none"),
        ("C", OPTION, None),
        ("A, B", OPTION, None),
        ("blue", OPTION, None),
        ("B, A", ExpectedAnswer(AnswerKind.MULTI, ("x", "y", "z")), ("y", "x")),
        ("B, B", ExpectedAnswer(AnswerKind.MULTI, ("x", "y", "z")), None),
        ("B, A", ExpectedAnswer(AnswerKind.ORDER, ("x", "y", "z")), None),
        ("C, B, A", ExpectedAnswer(AnswerKind.ORDER, ("x", "y", "z")), ("z", "y", "x")),
        ("yes", ExpectedAnswer(AnswerKind.YES_NO), "yes"),
        ("maybe", ExpectedAnswer(AnswerKind.YES_NO), None),
        ("-2.5", ExpectedAnswer(AnswerKind.NUMBER), -2.5),
        ("about 3", ExpectedAnswer(AnswerKind.NUMBER), None),
    ],
)
def test_a_reply_is_one_of_what_was_allowed_or_none(reply: str, asked: ExpectedAnswer, value: object) -> None:
    found = second_reader.read_reply(reply, asked)
    if value is None or found is None:
        assert found is None
        assert value is None
    else:
        assert (found.value if found.outcome is ReadOutcome.READ else "none") == value


def test_people_read_a_sample_and_each_reader_is_held_against_them(
    store: Store, answered: list[int], spec: ModelSpec, tmp_path: Path
) -> None:
    again(store, spec)
    drawn = reader_agreement.sample(store, by=None, project="p", n=50)
    assert len(drawn) == 6
    assert sorted(drawn[0]) == ["answer", "asked", "id", "options", "question", "unit", "value"]
    assert len(reader_agreement.sample(store, by=None, project="p", n=50, unread=True)) == 5
    # people: A, A, B, none, A (as a text); the last line is left empty
    said = {"A": "a", "the colour of blood": "red", "the colour of the sky": "B", "whatever you like": "none"}
    path = tmp_path / "sample.jsonl"
    path.write_text("".join(json.dumps({**row, "value": said.get(row["answer"])}) + "\n" for row in drawn))
    found = reader_agreement.compare(store, by=None, project="p", values=reader_agreement.values_of(path))
    assert (found.n, found.empty) == (5, 1)
    rules, both = found.readers
    # rules: A, none, none, none, none against A, A, B, none, A; both: A, A, none, none, A
    assert (rules.same.value, rules.wrong, rules.lost) == (pytest.approx(2 / 5), 0, 3)
    assert (both.reader, both.same.value, both.wrong, both.lost) == ("rules+second", pytest.approx(4 / 5), 0, 1)
    # kappa of both by hand: po 4/5; pe = (3*3 + 1*0 + 1*2)/25 = 11/25, so (4/5 - 11/25)/(14/25) = 9/14
    assert both.kappa.value == pytest.approx(9 / 14)
    table = tmp_path / "sample.csv"
    table.write_text("id,value\n" + "".join(f"{row['id']},{said.get(row['answer'], '')}\n" for row in drawn))
    assert reader_agreement.compare(store, by=None, project="p", values=reader_agreement.values_of(table)).readers[
        1
    ].same.value == pytest.approx(4 / 5)
    table.write_text("id,value\nnobody,A\n")
    with pytest.raises(InvalidFileError, match="no answer 'nobody'"):
        reader_agreement.compare(store, by=None, project="p", values=reader_agreement.values_of(table))
    table.write_text(f"id,value\n{drawn[0]['id']},F\n")
    with pytest.raises(InvalidFileError, match="is not a valid reading"):
        reader_agreement.compare(store, by=None, project="p", values=reader_agreement.values_of(table))


def test_readings_of_the_rules_are_there_without_a_second_reader(store: Store, answered: list[int]) -> None:
    with store.read() as session:
        assert answer_readings.readers(session, project_id=1) == ["rules"]
