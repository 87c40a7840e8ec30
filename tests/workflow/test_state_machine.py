"""Whatever people do in whatever order, an item's state is what its votes say, and check finds nothing.

The machine keeps its own book of what clients were told, and works out verdicts from that book alone.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import event, text

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store, open_store
from domain.errors import ConflictError, LeaseLostError, NotFoundError
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from testkit.factories import Clock, make_items, make_person, make_project, make_schema
from workflow.annotate import authoring, claims, submissions
from workflow.files.project_check import check

VOTERS = ("ann", "bob", "cy", "dee")
SENIORS = ("sue", "tom")
PEOPLE = (*VOTERS, *SENIORS)
WHO = st.sampled_from(PEOPLE)
CHOICE = st.sampled_from(["red", "red", "blue", None])


class Protocol(RuleBasedStateMachine):
    """People voting, correcting, abandoning, settling and editing."""

    template: Path
    skips: tuple[int, str] | None = None
    """What so many skips do."""

    @initialize()
    def open(self) -> None:
        """An empty project with two raters and adjudication."""
        self.home = Path(tempfile.mkdtemp())
        shutil.copyfile(self.template, self.home / "touchstone.db")
        self.store: Store = open_store(None, self.home)
        self.changed = True
        event.listen(self.store.engine, "before_cursor_execute", self._note_changes)
        self.clock = Clock()
        self.store.clock = self.clock
        make_project(self.store, loaded=with_skips(self.skips))
        self.people: dict[str, Person] = {
            login: make_person(self.store, login, role=Role.SENIOR if login in SENIORS else Role.ANNOTATOR)
            for login in PEOPLE
        }
        self.held: dict[str, TaskView] = {}
        self.keys = 0
        self.book: dict[str, dict[str, Any]] = {}
        """By item: its revision, its key, the votes by revision and login, the decision by revision, its writers."""
        self.bring_in(None)
        self.bring_in("ann")

    @rule(author_login=st.none() | WHO)
    def bring_in(self, author_login: str | None) -> None:
        """An item arrives, written by someone or imported."""
        person = self.people[author_login] if author_login else None
        make_items(self.store, author_id=person.id if person else None)
        with self.store.read() as session:
            newest = text("SELECT public_id FROM item ORDER BY id DESC LIMIT 1")
            public_id = session.connection().execute(newest).scalar_one()
        self.book[public_id] = {
            "revision": 1,
            "key": "red",
            "votes": {},
            "decided": {},
            "writers": {author_login} if author_login else set(),
        }

    @rule(login=WHO, stage=st.sampled_from([Stage.VERIFICATION, Stage.ADJUDICATION]))
    def take(self, login: str, stage: Stage) -> None:
        """Someone asks for a task."""
        view = claims.next_task(self.store, person=self.people[login], project="p", stage=stage)
        if isinstance(view, NoTask):
            return
        self.held[login] = view
        item = self.book[view.item or ""]
        assert login not in item["writers"]
        assert view.revision == item["revision"]
        if stage is Stage.VERIFICATION:
            assert view.correction or login not in item["votes"].get(view.revision, {})
            assert "answer" not in view.fields
        else:
            assert not any(login in votes for votes in item["votes"].values())
            assert login in SENIORS

    @rule(login=st.sampled_from(VOTERS), choice=CHOICE)
    def vote(self, login: str, choice: str | None) -> None:
        """As ``cast``, once; a rule of its own because most of what happens is this."""
        self.cast(login, choice, False)

    @rule(first=st.sampled_from(VOTERS), second=st.sampled_from(VOTERS), senior=st.sampled_from(SENIORS))
    def disagree(self, first: str, second: str, senior: str) -> None:
        """Two people vote differently, and a senior opens what there is to settle."""
        self.cast(first, "red", False)
        self.cast(second, "blue", False)
        self.held.pop(senior, None)
        self.take(senior, Stage.ADJUDICATION)

    @rule(login=WHO, choice=CHOICE, twice=st.booleans())
    def cast(self, login: str, choice: str | None, twice: bool) -> None:
        """Someone votes on what is on their page, or on what comes next; perhaps twice, perhaps too late."""
        if login not in self.held:
            self.take(login, Stage.VERIFICATION)
        view = self.held.get(login)
        if view is None or view.stage is not Stage.VERIFICATION:
            return
        self.keys += 1
        for time in range(2 if twice else 1):
            try:
                done = submissions.submit(
                    self.store,
                    person=self.people[login],
                    task=view.id,
                    key=str(self.keys),
                    values={"choice": choice},
                    reasons={} if choice else {"choice": "unclear"},
                )
            except ConflictError:
                break
            assert done.repeated is bool(time)
            self.book[view.item or ""]["votes"].setdefault(view.revision, {})[login] = choice
        self.held.pop(login)

    @rule(login=st.sampled_from(SENIORS), decision=st.sampled_from(["accept", "reject", "edit"]))
    def settle(self, login: str, decision: str) -> None:
        """A senior decides what is on their page, or what comes next."""
        if login not in self.held:
            self.take(login, Stage.ADJUDICATION)
        view = self.held.get(login)
        if view is None or view.stage is not Stage.ADJUDICATION:
            return
        item = self.book[view.item or ""]
        new_key = "blue" if item["key"] == "red" else "red"
        self.keys += 1
        values = {"decision": decision, "cause": "wrong_key", "fields": {"answer": new_key}}
        self.held.pop(login)
        try:
            submissions.submit(self.store, person=self.people[login], task=view.id, key=str(self.keys), values=values)
        except LeaseLostError:
            return
        item["decided"][view.revision] = decision
        if decision == "edit":
            self.edited(item, login, new_key)

    @rule(login=WHO)
    def take_back(self, login: str) -> None:
        """Someone undoes their last vote."""
        try:
            view = submissions.undo(self.store, person=self.people[login], project="p", stage=Stage.VERIFICATION)
        except (ConflictError, NotFoundError):
            return
        assert view.correction
        self.held[login] = view

    @rule(login=WHO)
    def give_back(self, login: str) -> None:
        """Someone leaves what is on their page for later."""
        view = self.held.pop(login, None)
        if view is not None:
            claims.release(self.store, person=self.people[login], task=view.id)

    @rule(minutes=st.sampled_from([5, 31]))
    def wait(self, minutes: int) -> None:
        """Time passes."""
        self.clock.advance(minutes=minutes)

    @rule(login=st.sampled_from(SENIORS), data=st.data())
    def edit(self, login: str, data: st.DataObject) -> None:
        """A senior edits an item outside of any task."""
        if not self.book:
            return
        public_id = data.draw(st.sampled_from(sorted(self.book)))
        item = self.book[public_id]
        new_key = "blue" if item["key"] == "red" else "red"
        authoring.edit_item(
            self.store, person=self.people[login], project="p", item=public_id, fields={"answer": new_key}
        )
        self.edited(item, login, new_key)

    def edited(self, item: dict[str, Any], login: str, key: str) -> None:
        """Note a new revision in the book."""
        item["revision"] += 1
        item["key"] = key
        item["writers"].add(login)

    @invariant()
    def states_are_what_the_votes_say(self) -> None:
        """The stored states against the book; the slots against the protocol."""
        if not hasattr(self, "store"):
            return
        with self.store.read() as session:
            rows = session.connection().execute(text("SELECT public_id, state FROM item")).all()
        assert {public_id: state for public_id, state in rows} == {
            public_id: self.expected(item) for public_id, item in self.book.items()
        }
        if self.changed:  # what is stored is as it was when check looked last
            assert check(self.store) == []
        self.changed = False

    def _note_changes(self, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        """Something else than a question goes to the database."""
        self.changed = self.changed or not statement.lstrip().startswith(("SELECT", "PRAGMA", "BEGIN"))

    def expected(self, item: dict[str, Any]) -> str:
        """The verdict, worked out by hand."""
        decided = item["decided"].get(item["revision"])
        if decided in ("accept", "reject"):
            return "kept" if decided == "accept" else "rejected"
        votes = list(item["votes"].get(item["revision"], {}).values())
        if self.skips and votes.count(None) >= self.skips[0]:
            return "rejected" if self.skips[1] == "retire" else "in_adjudication"
        if len(votes) < 2:
            return "in_verification"
        if votes[0] is None or votes[0] != votes[1]:
            return "in_adjudication"
        return "kept" if votes[0] == item["key"] else "rejected"

    def teardown(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.home)


def with_skips(skips: tuple[int, str] | None) -> LoadedSchema:
    """The blind schema, with what so many skips do."""
    plain = make_schema()
    if skips is None:
        return plain
    after, then = skips
    more = plain.text.replace("    keep:", f"    skips: {{after: {after}, then: {then}}}\n    keep:")
    return load_text(more, plain.guideline_text, "blind")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("skips", "examples"), [(None, 12), ((1, "adjudicate"), 5), ((1, "retire"), 3), ((2, "retire"), 3)]
)
def test_the_protocol_holds_in_any_order(sqlite_template: Path, skips: tuple[int, str] | None, examples: int) -> None:
    class Policy(Protocol):
        template = sqlite_template

    Policy.skips = skips
    run_state_machine_as_test(
        Policy,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        ),
    )
