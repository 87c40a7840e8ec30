"""People and a second reader read answers in which options were shuffled, and answers that state moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import ReadingRow
from domain.errors import InvalidFileError
from domain.reading.answers import AnswerKind, ExpectedAnswer
from domain.runs import Attempt, Outcome, Question
from domain.states import Items
from extensions.second_readers import reader_agreement, second_reader
from media.store import MediaStore
from testkit.missing_extensions import needs
from tests.workflow.test_options_as_shown import LISTED, Q4, begin, bring, lm_eval
from tests.workflow.test_temporal_grounding import project  # noqa: F401
from tests.workflow.test_temporal_grounding import told as answer_moments
from workflow.runs.model_descriptions import named

pytestmark = pytest.mark.thorough


def test_people_and_a_second_reader_see_the_order_that_was_shown(store: Store, home: Path, tmp_path: Path) -> None:
    """The rules read neither; A is the door, as it was shown, and stands at the place 1 in the item."""
    media = MediaStore(home / "media")
    begin(store, media, tmp_path)
    (tmp_path / "s.jsonl").write_text(lm_eval(Q4, LISTED, "the thing that one walks through"))
    bring(store, media, tmp_path / "s.jsonl", model="m")
    (line,) = reader_agreement.sample(store, by=None, project="p", n=1, items=Items.ALL)
    assert line["options"] == ["A. the door", "B. the tap", "C. the box"]
    asked: list[str] = []

    class Second:
        """Says A, whatever it is asked."""

        def answer(self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: object) -> None:
            asked.extend(each.text for each in questions)
            for each in questions:
                tell(Attempt(each.unit_id, Outcome.ANSWERED, "A"))

        def close(self) -> None:
            pass

    (tmp_path / "second.yaml").write_text(
        "name: second\nadapter: endpoint\nmodel: x\nmodality: text\nendpoint: {base_url: 'http://127.0.0.1:9'}\n"
    )
    second_reader.read_again(
        store,
        by=None,
        project="p",
        spec=named(str(tmp_path / "second.yaml")),
        open_=lambda spec: Second(),  # type: ignore[arg-type, return-value]
        items=Items.ALL,
    )
    assert "A. the door\nB. the tap\nC. the box" in asked[0]
    with store.read() as session:
        (row,) = session.exec(select(ReadingRow).where(ReadingRow.reader == "second")).all()
        assert (row.value, row.places) == ("the door", [1])
    done = reader_agreement.compare(store, by=None, project="p", values={line["id"]: "A"})
    assert [(each.reader, each.wrong, each.lost) for each in done.readers] == [("rules", 0, 1), ("rules+second", 0, 0)]


@needs("kinds", "time_span")
def test_people_and_a_second_reader_say_what_answers_state(
    project: Store,  # noqa: F811
    home: Path,
    tmp_path: Path,
) -> None:
    answer_moments(project, home, tmp_path)
    asked = ExpectedAnswer(AnswerKind.SPANS, unit="seconds", several=True)
    replies = {"2 to 3.5": ((2, 3.5),), "2-3.5, 7-8": ((2, 3.5), (7, 8)), "from 2 to 3 I think": None, "5": None}
    found = {text: second_reader.read_reply(text, asked) for text in replies}
    assert {text: read and read.value for text, read in found.items()} == replies
    drawn = reader_agreement.sample(project, by=None, project="p", n=10, items=Items.ALL)
    given = {"It happens from 2 to 4 s.": "2 to 4", "[5.0, 5.5]": "00:05 - 00:05.5"}
    values = {each["id"]: given.get(each["answer"], "none") for each in drawn}
    (line,) = reader_agreement.compare(project, by=None, project="p", values=values).readers
    # of six answers the rules read four: two as people do, and two of which people say that they state none
    assert (line.n, line.same.value, line.wrong) == (6, pytest.approx(4 / 6), 2)
    with pytest.raises(InvalidFileError, match="a span of time such as 2 to 3"):
        reader_agreement.compare(project, by=None, project="p", values={drawn[0]["id"]: "later"})
