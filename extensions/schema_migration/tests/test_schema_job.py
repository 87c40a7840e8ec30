"""The job of a schema change, whose process is killed at a moment: the next process brings the change to its end."""

from __future__ import annotations

import pytest

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from app.services import Services
from domain import typed_json
from domain.jobs import JobState
from extensions.schema_migration import change_history
from extensions.schema_migration.changes import WAYS, Decision, Decisions
from extensions.schema_migration.changes.rows import ASK_AGAIN
from extensions.schema_migration.schema_job import SchemaOrder
from testkit.factories import make_schema
from tests.app.killed_jobs import MOMENTS, killed_at, work_off
from tests.app.test_jobs import lea
from workflow.files.project_check import check
from workflow.jobs import desk

__all__ = ["lea"]  # a fixture

pytestmark = pytest.mark.thorough


def next_version() -> LoadedSchema:
    """The schema with one more vote for each item."""
    text = make_schema(adjudication=False, raters=1).text
    return load_text(text.replace("version: 1\n", "version: 2\n", 1).replace("raters: 1", "raters: 2", 1), "Do.", "s")


MORE_VOTES = Decisions((Decision(WAYS["more_votes"], "stages.verification.raters"),))


def versions(services: Services) -> list[tuple[int, bool]]:
    past = change_history.history(services.store, by=services.person, project="p")
    return [(each.new_version, each.finished_at is not None) for each in past]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_change_whose_process_is_killed_is_made_once(lea: Services, moment: int) -> None:
    order = SchemaOrder("p", "take", next_version(), MORE_VOTES)
    job = desk.begin(lea.store, kind="schema", slot="schema/p", by=lea.person, project="p", input=order)
    killed_at(lea, moment)
    work_off(lea)
    done = desk.job(lea.store, id=job.id)
    assert done.state is JobState.DONE, done.said
    assert versions(lea) == [(2, True)]
    assert not [*check(lea.store)]


def test_an_order_that_was_stored_under_earlier_names_is_read() -> None:
    way = {"!": "annotation_schemas.changes.rows:Way", "row": "ask_again"}
    decision = {"way": way, "subject": "fits", "target": None}
    made = [{"!": "annotation_schemas.changes.decisions:Decision", "v": decision}]
    decisions = {"!": "annotation_schemas.changes.decisions:Decisions", "v": {"made": {"!": "tuple", "v": made}}}
    for name in ("Order", "SchemaOrder"):
        order = {"project": "p", "what": "take", "loaded": None, "decisions": decisions}
        found = typed_json.decode({"!": f"app.jobs.schema_changes:{name}", "v": order})
        assert found == SchemaOrder("p", "take", None, Decisions((Decision(ASK_AGAIN, "fits"),)))
